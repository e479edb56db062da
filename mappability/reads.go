package mappability

import (
	"context"
	"math"
	"sync"
	"time"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/parallel"
)

// reads counts the places in a genome by mapping each K-mer as a read. The reads of a batch are
// views of one stretch of letters, and exist while it is at work: memory does not grow with the
// reference.
func (c *counter) reads(ctx context.Context, genome *dna.Reference) error {
	starts := c.frequencies.starts
	total := 0
	for _, s := range starts {
		total += s.to - s.from
	}
	c.progress.expect(int64(total))
	finders, done, err := c.finders(genome, total)
	if err != nil {
		return err
	}
	err = c.mapAll(ctx, genome, finders)
	if closed := done(); err == nil {
		err = closed
	}
	return err
}

// finders returns the finders that map so many K-mers to a genome, and what gives them back.
func (c *counter) finders(genome *dna.Reference, total int) (finders []find.Finder, done func() error, err error) {
	o := c.options
	options := find.Options{
		Engine: find.EngineAuto, Metric: o.Metric, Threads: o.Threads, BatchReads: o.limits.batch, Times: &find.Times{},
		Temporary: o.Temporary, Limits: o.limits.find,
	}
	wanted := o.Device.Kind == device.CUDA
	if o.Device.Kind == device.Auto && o.Device.LoadDriver() == nil {
		wanted = find.WorthGPU(find.EngineAuto, total, int64(genome.TotalLength()), o.Threads, gpuStart)
	}
	if wanted {
		gpus, err := find.OnGPUs(genome, o.Device, options)
		if err == nil {
			c.frequencies.Device = gpus.Names()
			return gpus.Finders(), gpus.Close, nil
		}
		if o.Device.Kind == device.CUDA {
			return nil, nil, err
		}
		c.frequencies.Device += ", because of " + err.Error()
	}
	return []find.Finder{find.OnCPU(genome, options)}, func() error { return nil }, nil
}

// gpuStart is what starting on a GPU takes, as package mapper has it.
const gpuStart = time.Second

// mapAll has the finders take batches of K-mers until none is left. Each batch has counts of its
// own, so that their order does not matter.
func (c *counter) mapAll(ctx context.Context, genome *dna.Reference, finders []find.Finder) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := find.BatchReads(int64(genome.TotalLength()))
	if len(finders) > 1 { // GPUs
		size = find.GPUBatchReads(int64(genome.TotalLength()))
	}
	if c.options.limits.batch > 0 {
		size = c.options.limits.batch
	}
	batches := make(chan span)
	var wait sync.WaitGroup
	for _, f := range finders {
		wait.Go(func() {
			m := newMember(c, genome, f)
			defer f.Discard() // of a batch that the end of the run cuts off
			for b := range batches {
				if err := m.count(ctx, b); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	send := func() {
		defer close(batches)
		for _, s := range c.frequencies.starts {
			for from := s.from; from < s.to; from += size {
				select {
				case batches <- span{from, min(from+size, s.to)}:
				case <-ctx.Done():
					return
				}
			}
		}
	}
	send()
	wait.Wait()
	return context.Cause(ctx)
}

// A member is a finder at work, with its memory.
type member struct {
	*counter
	finder  find.Finder
	parts   find.Parts
	found   find.Found
	readers []find.Reader // by thread
	letters []byte
	reads   []fasta.Read
	lists   [][]locate.Location // by thread
}

func newMember(c *counter, genome *dna.Reference, f find.Finder) *member {
	m := &member{counter: c, finder: f, lists: make([][]locate.Location, c.options.Threads)}
	// Of locations that are not held only numbers by distance are known, and not their strands.
	most := heldLocations
	if c.options.ForwardOnly {
		most = math.MaxInt
	}
	for range c.options.Threads {
		m.readers = append(m.readers, find.NewReader(genome, c.options.Metric, most, c.options.Threads, c.options.limits.find))
	}
	return m
}

// heldLocations is the most locations of a K-mer that are held. More are counted alone.
const heldLocations = 1 << 16

// count counts the places of the K-mers that begin at some neighbouring offsets.
func (m *member) count(ctx context.Context, starts span) error {
	o := m.options
	n := starts.to - starts.from
	m.letters = parallel.Resize(m.letters, n+o.Length-1)
	parallel.Ranges(o.Threads, len(m.letters), 1<<14, func(_, from, to int) {
		for i := from; i < to; i++ {
			m.letters[i] = m.ref.Bases.Letter(starts.from + i)
		}
	})
	m.reads = parallel.Resize(m.reads, n)
	for i := range m.reads {
		m.reads[i] = fasta.Read{Bases: m.letters[i : i+o.Length : i+o.Length]}
	}
	b, err := m.finder.Pack(m.reads, 1, func(int) int { return o.Edits })
	if err != nil {
		return err
	}
	for next := 0; next < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := m.parts.Next(m.finder, b, next, &m.found)
		if err != nil {
			return err
		}
		m.countPart(ctx, part, starts.from+next)
		next += len(part.Reads)
	}
	m.progress.add(int64(n))
	return ctx.Err()
}

// countPart counts the places of the K-mers of a part, which begin at neighbouring offsets. When
// the context ends, the counts are not complete.
func (m *member) countPart(ctx context.Context, part *find.Batch, first int) {
	groups := m.found.Cut(part)
	parallel.Ranges(m.options.Threads, len(groups)-1, 1, func(worker, g, _ int) {
		r := &m.readers[worker]
		for i := groups[g]; i < groups[g+1]; i++ {
			if ctx.Err() != nil || m.found.Count(i, i+1) == 0 && !m.found.Unlisted() {
				continue
			}
			r.Aligner.Reset()
			view := part.Read(i)
			list, left := r.Append(ctx, m.lists[worker][:0], part, &m.found, i, &view)
			m.counts[first+i] = addSaturated(0, m.places(list, left))
			m.lists[worker] = list
			if len(list) > keptLocations {
				r.Forget()
				m.lists[worker] = nil
			}
		}
	})
}

// keptLocations is the most locations of a K-mer after which scratch memory is kept.
const keptLocations = 1 << 14

// places is the number of places among locations and numbers of others by distance.
func (m *member) places(list []locate.Location, left []uint32) (n uint64) {
	for i := range list {
		if !m.options.ForwardOnly || list[i].Place.Strand() == locate.Forward {
			n++
		}
	}
	for _, more := range left {
		n += uint64(more)
	}
	return n
}
