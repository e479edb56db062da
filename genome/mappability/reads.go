package mappability

import (
	"context"
	"iter"
	"math"
	"sync"
	"time"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// reads counts the places in a genome by mapping K-mers as reads. In blocks full of repeats one
// K-mer is mapped for all equal ones (grouped.go); others are mapped one by one. The reads of a
// batch are views of a few stretches of letters, and exist while the batch is at work, so that
// their memory does not grow with the reference.
func (c *counter) reads(ctx context.Context, genome *dna.Reference) error {
	total := 0
	for _, s := range c.frequencies.starts {
		total += s.to - s.from
	}
	c.progress.expect(int64(total))
	if c.apart == nil && c.grouped == nil {
		c.group()
	}
	apart := func(yield func(stretch) bool) {
		for _, s := range c.apart {
			if !yield(stretch{s, c.counts[s.from:s.to]}) {
				return
			}
		}
	}
	return c.withCrew(genome, total, func(crew []*member, size int) error {
		if err := mapStretches(ctx, crew, apart, size); err != nil {
			return err
		}
		// Of grouped K-mers, one for each string.
		return c.eachWindow(ctx, func(strings iter.Seq[stretch]) error { return mapStretches(ctx, crew, strings, size) })
	})
}

// withCrew calls use with finders that map K-mers to a genome, `total` at most, in batches of a
// size.
func (c *counter) withCrew(genome *dna.Reference, total int, use func(crew []*member, size int) error) error {
	finders, done, err := c.finders(genome, total)
	if err != nil {
		return err
	}
	size := find.BatchReads(int64(genome.TotalLength()))
	if len(finders) > 1 { // GPUs
		size = find.GPUBatchReads(int64(genome.TotalLength()))
	}
	if c.options.limits.batch > 0 {
		size = c.options.limits.batch
	}
	var crew []*member
	for _, f := range finders {
		crew = append(crew, newMember(c, genome, f))
	}
	err = use(crew, size)
	for _, f := range finders {
		f.Discard() // of a batch that the end of the run cuts off
	}
	if closed := done(); err == nil {
		err = closed
	}
	return err
}

// finders returns finders that map K-mers to a genome, `total` at most, and done, which gives them
// back.
func (c *counter) finders(genome *dna.Reference, total int) (finders []find.Finder, done func() error, err error) {
	o := c.options
	options := find.Options{
		Engine: find.EngineAuto, Metric: o.Metric, Threads: o.Threads, BatchReads: o.limits.batch, Times: &find.Times{},
		Temporary: o.Temporary, Limits: o.limits.find,
		// Locations that are only counted have no known strand and no known place.
		Want: find.Want{Numbers: !o.ForwardOnly && !o.pairs()},
	}
	wanted := o.Device.Kind == device.CUDA
	if o.Device.Kind == device.Auto && o.Device.LoadDriver() == nil {
		wanted = find.CPUTime(find.EngineAuto, find.PieceLength(find.EngineAuto, o.Metric, o.Length, o.Edits), total, int64(genome.TotalLength()), o.Threads) > gpuStart
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

// gpuStart is the time of starting on a GPU and of ending there (docs/gpu.md).
const gpuStart = 500 * time.Millisecond

// mapStretches has a crew map the K-mers of stretches, in batches of a size, until none is left.
// Each batch has counts of its own, so that their order does not matter.
func mapStretches(ctx context.Context, crew []*member, all iter.Seq[stretch], size int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches := make(chan []stretch)
	var wait sync.WaitGroup
	for _, m := range crew {
		wait.Go(func() {
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
		for b := range batched(all, size) {
			select {
			case batches <- b:
			case <-ctx.Done():
				return
			}
		}
	}
	send()
	wait.Wait()
	return context.Cause(ctx)
}

// batched cuts stretches, and brings them together in batches of `size` K-mers. The last batch may
// have fewer.
func batched(all iter.Seq[stretch], size int) iter.Seq[[]stretch] {
	return func(yield func([]stretch) bool) {
		var batch []stretch
		left := size
		for s := range all {
			for s.from < s.to {
				n := min(left, s.to-s.from)
				batch = append(batch, stretch{span{s.from, s.from + n}, s.counts[:n]})
				s.from, s.counts = s.from+n, s.counts[n:]
				if left -= n; left == 0 {
					if !yield(batch) {
						return
					}
					batch, left = nil, size
				}
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// A member is a finder at work, with its memory. It counts K-mers, each a read, or fragments, whose
// ends are two reads that no part of a batch separates.
type member struct {
	*counter
	finder  find.Finder
	parts   find.Parts
	found   find.Found
	readers []find.Reader // by thread
	letters []byte
	reads   []fasta.Read
	places  []uint32            // by K-mer or fragment
	offsets []int               // by fragment
	lists   [][]locate.Location // by thread
	sides   []sides             // by thread
}

func newMember(c *counter, genome *dna.Reference, f find.Finder) *member {
	m := &member{counter: c, finder: f, lists: make([][]locate.Location, c.options.Threads), sides: make([]sides, c.options.Threads)}
	// Locations that are not held are known as numbers by distance alone, without strands.
	most := heldLocations
	if c.options.ForwardOnly || c.options.pairs() {
		most = math.MaxInt
	}
	for range c.options.Threads {
		m.readers = append(m.readers, find.NewReader(genome, c.options.Metric, most, c.options.Threads, c.options.limits.find))
	}
	return m
}

// heldLocations is the most locations of a K-mer that are held. More are counted alone.
const heldLocations = 1 << 16

// count counts the places of the K-mers of a batch, or the combinations of fragments.
func (m *member) count(ctx context.Context, batch []stretch) error {
	o := m.options
	n := 0
	for _, s := range batch {
		n += s.to - s.from
	}
	ends := o.ends()
	m.letters, m.reads = parallel.Resize(m.letters, len(ends)*(n+len(batch)*(o.Length-1))), m.reads[:0]
	m.offsets = m.offsets[:0]
	left := m.letters
	for _, s := range batch {
		var letters [2][]byte // from each end on
		for e, end := range ends {
			letters[e] = left[:s.to-s.from+o.Length-1]
			left = left[len(letters[e]):]
			parallel.Ranges(o.Threads, len(letters[e]), 1<<14, func(_, from, to int) {
				for i := from; i < to; i++ {
					letters[e][i] = m.ref.Bases.Letter(s.from + end + i)
				}
			})
		}
		for i := range s.to - s.from {
			for e := range ends {
				m.reads = append(m.reads, fasta.Read{Bases: letters[e][i : i+o.Length : i+o.Length]})
			}
			if o.pairs() {
				m.offsets = append(m.offsets, s.from+i)
			}
		}
	}
	m.places = parallel.Resize(m.places, n)
	clear(m.places)
	b, err := m.finder.Pack(m.reads, len(ends), func(int) int { return o.Edits })
	if err != nil {
		return err
	}
	for next := 0; next < len(m.reads); {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := m.parts.Next(m.finder, b, next, &m.found)
		if err != nil {
			return err
		}
		if o.pairs() {
			m.combinePart(ctx, part, m.offsets[next/2:], m.places[next/2:])
		} else {
			m.countPart(ctx, part, m.places[next:])
		}
		next += len(part.Reads)
	}
	done := m.places
	for _, s := range batch {
		if o.pairs() {
			for i := range s.counts {
				s.counts[i] = addSaturated(s.counts[i], uint64(done[i])) // of all genomes
			}
		} else {
			copy(s.counts, done)
		}
		done = done[len(s.counts):]
	}
	m.progress.add(int64(n))
	return ctx.Err()
}

// countPart counts the places of the K-mers of a part. When the context ends, the counts are not
// complete.
func (m *member) countPart(ctx context.Context, part *find.Batch, places []uint32) {
	groups := m.found.Cut(part)
	parallel.Ranges(m.options.Threads, len(groups)-1, 1, func(worker, g, _ int) {
		r := &m.readers[worker]
		for i := groups[g]; i < groups[g+1]; i++ {
			counted := total(m.found.Counted(i, m.options.Edits))
			if ctx.Err() != nil || m.found.Count(i, i+1) == 0 && !m.found.Unlisted() {
				places[i] = addSaturated(0, counted)
				continue
			}
			r.Aligner.Reset()
			view := part.Read(i)
			list, left := r.Append(ctx, m.lists[worker][:0], part, &m.found, i, &view)
			places[i] = addSaturated(0, counted+m.counted(list, left))
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

// counted is the number of places among locations and numbers of others by distance.
func (m *member) counted(list []locate.Location, left []uint32) (n uint64) {
	for i := range list {
		if !m.options.ForwardOnly || list[i].Place.Strand() == locate.Forward {
			n++
		}
	}
	return n + total(left)
}

// total adds numbers up.
func total(numbers []uint32) (n uint64) {
	for _, more := range numbers {
		n += uint64(more)
	}
	return n
}
