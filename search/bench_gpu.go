package search

import (
	"errors"
	"time"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/kernels"
)

// measureOnGPU measures cases on a GPU.
func (b *bench) measureOnGPU(cases []benchCase) error {
	o := &b.options
	if err := o.Device.LoadDriver(); err != nil {
		return &device.Error{Err: err}
	}
	g, err := openGPU(o.Device.Driver, o.Device.First(), false)
	if err != nil {
		return &device.Error{Err: err}
	}
	gb := &gpuBench{bench: b, gpuSearch: g}
	b.result.Device, err = device.Describe(o.Device.Driver, g.queue.GPU.Device)
	g.queue.Try(err)
	err = gb.measure(cases)
	g.queue.Try(g.queue.GPU.Close())
	if err == nil && g.queue.Err != nil {
		err = g.queue.Err
	}
	if err != nil && b.ctx.Err() == nil && !errors.As(err, new(*missedError)) {
		return &device.Error{Err: err}
	}
	return err
}

// gpuBench is a measurement on a GPU.
type gpuBench struct {
	*bench
	*gpuSearch
	timer    *device.Timer
	folded   device.Buffer
	ceilings map[ceiling]measure.Row
}

// A ceiling is work on memory that no scheme can do without: each reads the text, and most write a
// byte for each letter.
type ceiling string

const (
	copyCeiling   ceiling = "copy of the text, one byte a letter, read and written"
	readCeiling   ceiling = "read of the text, one byte a letter"
	packedCeiling ceiling = "read of the packed text, 2 bits a letter"
)

// ceilingOf is the ceiling of a scheme: schemes that add hits themselves read packed text, if it is
// of DNA, and write next to nothing.
func (g *gpuBench) ceilingOf(s *Scheme) ceiling {
	switch {
	case !s.gpu.hits:
		return copyCeiling
	case g.options.Alphabet == DNA:
		return packedCeiling
	}
	return readCeiling
}

// measure measures cases, after the ceilings that they have.
func (g *gpuBench) measure(cases []benchCase) error {
	q := g.queue
	g.timer = device.NewTimer(q)
	q.Stage()
	n := g.bench.text.Length()
	g.gpuSearch.text.upload(q, g.bench.text, textRange{first: 0, last: n, from: 0, to: n})
	g.ceilings = map[ceiling]measure.Row{}
	for _, kind := range []ceiling{copyCeiling, readCeiling, packedCeiling} {
		for _, c := range cases {
			if _, done := g.ceilings[kind]; !done && g.ceilingOf(c.scheme) == kind {
				if err := g.measureCeiling(kind); err != nil {
					return err
				}
			}
		}
	}
	for _, c := range cases {
		times, err := g.measureCase(c)
		if err != nil {
			return err
		}
		kind := g.ceilingOf(c.scheme)
		row := g.row(c, times)
		row.Search.Ceiling = string(kind)
		if best := g.ceilings[kind].Value; best > 0 {
			row.Search.Share = row.Value / best
		}
	}
	return nil
}

// measureCeiling adds the rows of a ceiling, in B/s and in letters/s.
func (g *gpuBench) measureCeiling(kind ceiling) error {
	q := g.queue
	// The copy reads the codes of the text, or as many codes as packed text has bytes.
	codes := g.gpuSearch.text.oneByte(q)
	to := g.flagged()
	bytes := g.options.Letters
	if kind == packedCeiling {
		bytes /= 4
	}
	count := uint64(bytes / 16)
	blocks := q.GPU.CeilingBlocks(int64(count))
	q.Reserve(&g.folded, 4*blocks)
	times, err := g.repeated(func() (time.Duration, error) {
		t := g.timer.TimeQueued(func() {
			if kind == copyCeiling {
				device.LaunchBlocks(q, "copy_ceiling", blocks, &kernels.CopyCeilingParams{
					From: codes.Codes, To: to, Count: count,
				})
			} else {
				device.LaunchBlocks(q, "read_ceiling", blocks, &kernels.ReadCeilingParams{
					From: codes.Codes, Count: count, Folded: g.folded.At(0),
				})
			}
		})
		return t, q.Err
	})
	if err != nil {
		return err
	}
	moved := int64(count) * 16
	letters := moved
	switch kind {
	case copyCeiling:
		moved *= 2
	case packedCeiling:
		letters *= 4
	case readCeiling:
	}
	inBytes, inLetters := rateRow(string(kind), "B/s", moved, times), rateRow(string(kind), "letters/s", letters, times)
	inBytes.Bytes, inLetters.Operations = moved, letters
	g.ceilings[kind] = inLetters
	g.result.Rows = append(g.result.Rows, inBytes, inLetters)
	return nil
}

// measureCase takes the times of a case, after a search whose hits are counted.
func (g *gpuBench) measureCase(c benchCase) ([]time.Duration, error) {
	q := g.queue
	searches, err := g.searches(c)
	if err != nil {
		return nil, err
	}
	for _, s := range searches {
		if err := g.warmUp(c, s); err != nil {
			return nil, err
		}
	}
	return g.repeated(func() (time.Duration, error) {
		total := time.Duration(0)
		for _, s := range searches {
			q.Clear(&g.hitCounter, 8)
			total += g.timer.TimeQueued(s.find)
		}
		return total, q.Err
	})
}

// A gpuBenchSearch is one that a GPU makes: for one needle, or for all of a table.
type gpuBenchSearch struct {
	find func()
	hits bool // it adds hits
}

// searches are those for the needles of a case.
func (g *gpuBench) searches(c benchCase) (all []gpuBenchSearch, err error) {
	alone := func(f *gpuFinder, n *needle) {
		all = append(all, gpuBenchSearch{func() { f.find(g.gpuSearch, n) }, f.hits})
	}
	if !c.scheme.gpu.table {
		for _, n := range c.needles {
			alone(c.scheme.gpu, n)
		}
		return all, nil
	}
	f, err := newTable(g.bench.text, c.needles, tableOnGPU, benchThreads)
	if err != nil {
		return nil, err
	}
	g.useTable(f, c.needles)
	if len(f.alone) < len(c.needles) {
		all = append(all, gpuBenchSearch{g.lookUp, true})
	}
	for _, a := range f.alone {
		s, err := fastest(c.needles[a.number], int64(g.options.Letters), 1, true, func(s *Scheme) bool { return !s.Many })
		if err != nil {
			return nil, err
		}
		alone(s.gpu, c.needles[a.number])
	}
	return all, nil
}

// warmUp searches once, so that layouts of the text are there and room for the hits. There has to
// be a hit.
func (g *gpuBench) warmUp(c benchCase, s gpuBenchSearch) error {
	q := g.queue
	count := make([]uint64, 1)
	for g.hitRoom = max(g.hitRoom, firstHitRoom); ; g.hitRoom = int(count[0]) + int(count[0])/8 {
		q.Reserve(&g.hitQueue, 8*g.hitRoom)
		q.Reserve(&g.hitCounter, 8)
		q.Clear(&g.hitCounter, 8)
		s.find()
		if !s.hits {
			g.collect()
		}
		device.Download(q, count, &g.hitCounter, 0)
		if q.Wait() != nil {
			return q.Err
		}
		if count[0] == 0 {
			return &missedError{c.scheme}
		}
		if !s.hits || int(count[0]) <= g.hitRoom {
			return nil
		}
	}
}
