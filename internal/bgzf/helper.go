package bgzf

import (
	"sync"
	"sync/atomic"
)

// A Deflater compresses many blocks at a time, as SharedLevel has them: a GPU. It belongs to one
// goroutine. Where it fails it is not used again.
type Deflater interface {
	// Most is how many blocks it takes at a time.
	Most() int
	// Text returns where the data of block i are to be written, until Deflate. It has room for any.
	Text(i int) []byte
	// Deflate compresses the first blocks, which have these lengths in bytes.
	Deflate(lengths []uint32) error
	// Packed returns the DEFLATE of block i, until Text or Deflate is called. It is empty where a
	// stored block is shorter.
	Packed(i int) []byte
}

// A Helper compresses blocks of writers by deflaters, once there are many blocks. While it has no
// deflaters, the writers compress. Where these have enough to do, a few goroutines of the writers
// do, too. Files are the same bytes.
type Helper struct {
	jobs     chan *job     // that wait for deflaters
	beside   chan struct{} // has room for those who compress beside deflaters
	waiting  int           // goroutines of a writer that may wait for deflaters
	after    int64         // bytes that are expected before deflaters are made
	expected atomic.Int64  // bytes
	working  atomic.Int32  // deflaters
	running  sync.WaitGroup
	lock     sync.Mutex
	offered  func() []Deflater // nil where none are, or no longer
}

const (
	// helperWaiting is how many goroutines of a writer may wait for deflaters, and helperJobs how many
	// of the blocks are not yet with one.
	helperWaiting, helperJobs = 1280, 512
	// helperAfter is how many bytes are worth deflaters, which take half a second of a busy CPU.
	helperAfter = 64 << 20
)

// NewHelper returns a helper without deflaters, for writers on a number of threads. Stop ends it.
func NewHelper(threads int) *Helper {
	return newHelper(threads/4, helperWaiting, helperJobs, helperAfter)
}

func newHelper(beside, waiting, jobs, after int) *Helper {
	return &Helper{jobs: make(chan *job, jobs), beside: make(chan struct{}, max(beside, 1)), waiting: waiting, after: int64(after)}
}

// Offer has deflaters made, by a goroutine of the helper, as soon as they are worth it.
func (h *Helper) Offer(deflaters func() []Deflater) {
	h.lock.Lock()
	h.offered = deflaters
	h.lock.Unlock()
	h.Expect(0)
}

// Expect tells of bytes that will have to be compressed, now or later. A nil helper does nothing.
func (h *Helper) Expect(bytes int) {
	if h != nil && h.expected.Add(int64(bytes)) > h.after && h.working.Load() == 0 {
		h.call()
	}
}

// call has the deflaters made that are offered.
func (h *Helper) call() {
	h.lock.Lock()
	defer h.lock.Unlock()
	deflaters := h.offered
	if h.offered = nil; deflaters == nil {
		return
	}
	h.running.Go(func() {
		all := deflaters()
		h.working.Add(int32(len(all)))
		for _, d := range all {
			h.running.Go(func() { h.work(d) })
		}
	})
}

// helps tells whether there are deflaters.
func (h *Helper) helps() bool { return h.working.Load() > 0 }

// Stop waits for the deflaters. No writer may use the helper from then on.
func (h *Helper) Stop() {
	close(h.jobs)
	h.running.Wait()
}

// A job is a block for a deflater.
type job struct {
	data []byte
	out  []byte    // gets the DEFLATE
	done chan bool // false where the deflater failed
}

// work has a deflater do jobs.
func (h *Helper) work(d Deflater) {
	var jobs []*job
	var lengths []uint32
	for first := range h.jobs {
		jobs, lengths = append(jobs[:0], first), lengths[:0]
		jobs = h.more(jobs, d.Most())
		for i, j := range jobs {
			lengths = append(lengths, uint32(copy(d.Text(i), j.data)))
		}
		err := d.Deflate(lengths)
		for i, j := range jobs {
			if err == nil {
				j.out = append(j.out, d.Packed(i)...)
			}
			j.done <- err == nil
		}
		if err != nil {
			break
		}
	}
	// Jobs that have come meanwhile are left, too.
	if h.working.Add(-1) == 0 {
		for j := range h.jobs {
			j.done <- false
		}
	}
}

// more appends the jobs that wait, up to a number.
func (h *Helper) more(jobs []*job, most int) []*job {
	for len(jobs) < most {
		select {
		case j, open := <-h.jobs:
			if !open {
				return jobs
			}
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// append appends a block to b. Where the helper does not compress it, alone does.
func (h *Helper) append(b []byte, j *job, data []byte, alone func(b, data []byte) ([]byte, error)) ([]byte, error) {
	if !h.helps() {
		return alone(b, data)
	}
	from := len(b)
	j.data, j.out = data, appendHead(b)
	select {
	case h.jobs <- j:
	default:
		select {
		case h.jobs <- j:
		case h.beside <- struct{}{}:
			defer func() { <-h.beside }()
			return alone(b, data)
		}
	}
	if !<-j.done {
		return alone(j.out[:from], data)
	}
	return finishBlock(j.out, from, data), nil
}
