package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/kernels"
)

// chooseDevice settles auto: a GPU if there is one and the work is worth starting on it, otherwise
// the CPU.
func (s *searcher) chooseDevice() error {
	d := &s.options.Device
	if d.Kind == "" {
		d.Kind = device.CPU
	}
	if d.Kind == device.Auto {
		d.Kind = device.CPU
		if s.worthGPU() && d.LoadDriver() == nil && d.Ready() == nil {
			if all, err := d.Driver.Devices(); err == nil && len(all) > 0 {
				d.Kind = device.CUDA
			}
		}
	}
	s.stats.Device = string(device.CPU)
	return nil
}

// gpuStart is what opening a GPU and bringing the text to it takes at least, in seconds
// (docs/benchmarks/gpu.md).
const gpuStart = 0.5

// worthGPU tells whether searching on the CPU would take longer than starting on a GPU and
// searching there.
func (s *searcher) worthGPU() bool {
	return s.seconds(false)/float64(s.options.Threads) > gpuStart+s.seconds(true)
}

// seconds is how long the schemes that would be chosen take, on the CPU with one thread. It is +Inf
// where a needle has none.
func (s *searcher) seconds(onGPU bool) float64 {
	sum := 0.0
	for i := range s.patterns {
		chosen, err := s.chooseScheme(s.forward(i), onGPU)
		if err != nil {
			return math.Inf(1)
		}
		sum += float64(s.stats.TextLetters) * float64(s.strands()) / chosen.rate
	}
	return sum
}

// open opens the GPUs of a search on some.
func (s *searcher) open() error {
	d := &s.options.Device
	if d.Kind != device.CUDA {
		return nil
	}
	if err := d.LoadDriver(); err != nil {
		return &device.Error{Err: err}
	}
	indices, err := s.gpuIndices()
	if err != nil {
		return &device.Error{Err: err}
	}
	var names []string
	for _, index := range indices {
		g, err := openGPU(d.Driver, index, d.Sync)
		if err != nil {
			return &device.Error{Err: err}
		}
		s.gpus = append(s.gpus, g)
		names = append(names, g.queue.GPU.Name())
	}
	s.stats.Device = strings.Join(names, ",")
	if s.room, err = s.gpuRoom(); err != nil {
		return err
	}
	s.chunk = s.gpuChunk()
	return nil
}

// gpuIndices are the GPUs to search on: the named ones, or all, and at most one for each
// lettersPerGPU.
func (s *searcher) gpuIndices() ([]int, error) {
	d := &s.options.Device
	most := max(max(int(s.stats.TextLetters), s.text.expected)/s.options.bounds.perGPU, 1)
	if len(d.Indices) > 0 {
		return d.Indices[:min(len(d.Indices), most)], nil
	}
	all, err := d.Driver.Devices()
	if err != nil {
		return nil, err
	}
	indices := []int{0} // that there is none is for opening to say
	for len(indices) < min(len(all), most) {
		indices = append(indices, len(indices))
	}
	return indices, nil
}

// close gives the GPUs back.
func (s *searcher) close() error {
	var first error
	for _, g := range s.gpus {
		for _, t := range g.queue.GPU.KernelTimes() {
			s.stats.Kernels = measure.AddKernel(s.stats.Kernels, t)
		}
		if err := g.queue.GPU.Close(); err != nil && first == nil {
			first = &device.Error{Err: err}
		}
	}
	slices.SortStableFunc(s.stats.Kernels, func(a, b KernelTime) int { return cmp.Compare(b.Time, a.Time) })
	return first
}

// gpuRoom is how many letters a GPU may have at a time, by the memory that is free there before the
// search takes any.
func (s *searcher) gpuRoom() (int, error) {
	letters := int64(maxGPUText)
	for _, g := range s.gpus {
		free, _, err := g.queue.GPU.FreeMemory()
		if err != nil {
			return 0, &device.Error{Err: err}
		}
		if most := s.options.Device.Memory; most > 0 {
			free = min(free, most)
		}
		// Codes, flags and hits take a byte each, planes in three layouts one more, and flags of long
		// needles two; buffers that grow get a quarter more. rabin-karp/cooperative and
		// witness/global reserve what they need themselves, however long the text is.
		letters = min(letters, free/8)
	}
	return int(letters), nil
}

// gpuChunk is how many letters of a stretch are on a GPU at a time.
func (s *searcher) gpuChunk() int {
	if stretch := s.options.bounds.stretch; stretch < defaultStretch {
		return max(stretch/64*64, 64)
	}
	longest := 0
	for _, stretch := range s.text.stretches(s.options.bounds.stretch) {
		longest = max(longest, stretch.to-stretch.from)
	}
	// Every GPU has a chunk of the longest stretch.
	each := (longest/len(s.gpus) + 4096) / 4096 * 4096
	return min(max(min(s.room/4096*4096, each), 1<<16), maxGPUText/64*64)
}

// inChunks has the GPUs search the chunks of a stretch, each one in turn, and gives the results to
// take in the order of the chunks, as long as take returns true. A GPU is one chunk ahead of take.
// Searchers that share a GPU take turns; what find returns makes the result when it is the next
// one's turn.
func inChunks[Found any](
	s *searcher, stretch stretch, find func(g *gpuSearch, r textRange) (func() Found, error), take func(r textRange, found Found) (more bool, err error),
) error {
	type result struct {
		r     textRange
		found Found
		err   error
	}
	count := (stretch.to - stretch.from + s.chunk - 1) / s.chunk
	gpus := s.gpus[:min(len(s.gpus), count)]
	results := make([]chan result, len(gpus))
	stop := make(chan struct{})
	var running sync.WaitGroup
	for i, g := range gpus {
		results[i] = make(chan result)
		running.Go(func() {
			for chunk := i; chunk < count; chunk += len(gpus) {
				r := stretch.all()
				r.from += chunk * s.chunk
				r.to = min(r.from+s.chunk, stretch.to)
				g.turn.Lock()
				g.text.upload(g.queue, s.text, r)
				found, err := find(g, r)
				g.turn.Unlock()
				next := result{r: r, err: err}
				if err == nil {
					next.found = found()
				}
				select {
				case results[i] <- next:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
			}
		})
	}
	defer running.Wait()
	defer close(stop)
	for chunk := range count {
		next := <-results[chunk%len(gpus)]
		if next.err != nil {
			return next.err
		}
		if more, err := take(next.r, next.found); err != nil || !more {
			return err
		}
	}
	return nil
}

// gpuRuns shares patterns [from, to) out among runs.
func (s *searcher) gpuRuns(from, to int) ([]gpuRun, error) {
	if s.kept == nil {
		return s.newRuns(from, to, s.options.Threads)
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	key := needleRange{from, to}
	if kept, ok := s.kept.runs[key]; ok {
		return kept.runs, kept.err
	}
	runs, err := s.newRuns(from, to, s.kept.threads)
	if len(s.kept.runs) < mostKept {
		s.kept.runs[key] = keptRuns{runs, err}
	}
	return runs, err
}

func (s *searcher) newRuns(from, to, threads int) ([]gpuRun, error) {
	var runs []gpuRun
	var ofTable gpuRun
	for i := from; i < to; i++ {
		if s.schemes[i].gpu.table {
			ofTable.patterns = append(ofTable.patterns, i)
			ofTable.needles = append(ofTable.needles, s.needles[i]...)
			continue
		}
		runs = append(runs, gpuRun{patterns: []int{i}})
	}
	if len(ofTable.patterns) == 0 {
		return runs, nil
	}
	var err error
	if ofTable.table, err = newTable(s.text, ofTable.needles, tableOnGPU, threads); err != nil {
		return nil, err
	}
	return append(runs, ofTable), nil
}

// endsOnGPU finds the ends of the patterns of runs in a stretch, and adds their number to total.
// The first pattern is `from`.
func (s *searcher) endsOnGPU(stretch stretch, runs []gpuRun, from int, ends []strandEnds, total *int) (few bool, err error) {
	var sum atomic.Int64
	sum.Store(int64(*total))
	most := int64(s.options.bounds.ends)
	few = true
	err = inChunks(s, stretch, func(g *gpuSearch, r textRange) (func() []strandEnds, error) {
		found := make([]strandEnds, len(ends))
		var ofTable func() // ends of the one run with a table
		for i := range runs {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			if sum.Load() > most {
				break
			}
			added, later, err := s.searchRun(g, &runs[i], r, found, from, int(most))
			if err != nil {
				return nil, err
			}
			sum.Add(int64(added))
			if later != nil {
				ofTable = func() { sum.Add(int64(later())) }
			}
		}
		return func() []strandEnds {
			if ofTable != nil {
				ofTable()
			}
			return found
		}, nil
	}, func(_ textRange, found []strandEnds) (bool, error) {
		if sum.Load() > most {
			few = false
			return false, nil
		}
		for i := range found {
			for strand, list := range found[i] {
				ends[i][strand] = append(ends[i][strand], list...)
			}
		}
		return true, nil
	})
	*total = int(sum.Load())
	return few, err
}

// searchRun finds the ends of a run's patterns in the text of a GPU, and returns how many there
// are: with a table later, without the GPU, or at once a number above most if there are more. The
// first of ends belongs to pattern `from`.
func (s *searcher) searchRun(g *gpuSearch, run *gpuRun, r textRange, ends []strandEnds, from, most int) (added int, later func() int, err error) {
	if run.table == nil {
		p := run.patterns[0]
		for strand, n := range s.needles[p] {
			hits, err := g.find(*s.schemes[p].gpu, n)
			if err != nil {
				return 0, nil, &device.Error{Err: err}
			}
			list := s.checkStart(n, r, appendEnds(hits, r.from, nil), 0)
			ends[p-from][strand] = list
			added += len(list)
		}
		return added, nil, nil
	}
	// An end may be found with several pieces, and with edits from several places.
	found, few, err := g.findTable(run.table, run.needles, hitsOfEnds*most, s.options.Threads)
	if err != nil {
		return 0, nil, &device.Error{Err: err}
	}
	if !few {
		return most + 1, nil, nil
	}
	return 0, func() (added int) {
		lists := found()
		for _, p := range run.patterns {
			for strand := range s.needles[p] {
				ends[p-from][strand] = lists[0]
				added += len(lists[0])
				lists = lists[1:]
			}
		}
		return added
	}, nil
}

// hitsOfEnds is how many hits of a table there may be for each end that there may be.
const hitsOfEnds = 8

// checkStart corrects what a GPU finds near the start of a text of bytes: no code can be put before
// the text that matches nothing, so ends whose alignments may reach back that far are found again
// on the CPU.
func (s *searcher) checkStart(n *needle, r textRange, ends []int, from int) []int {
	reach := n.length() + n.k
	if s.text.alphabet != Bytes || r.from-r.first >= reach {
		return ends
	}
	limit := min(r.first+reach, r.to)
	kept := slices.DeleteFunc(slices.Clone(ends[from:]), func(end int) bool { return end <= limit })
	ends = ends[:from]
	plainFinder(n)(s.text.bytes[r.first:limit], func(end int) {
		if end += r.first; end > r.from {
			ends = append(ends, end)
		}
	})
	return append(ends, kept...)
}

// reachable is what kernels can read back from a letter.
const reachable = kernels.SearchPadding

// MaxLength + MaxDistance fit the padding.
var _ = [1]struct{}{}[(MaxLength+MaxDistance)/(reachable+1)]
