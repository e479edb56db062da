package search

import (
	"slices"

	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/kernels"
)

// tableOnGPU is a guess that was made before a GPU was at hand, and by which the rates of rates.tsv
// were measured: a GPU looks up 20 G places a second, where a core does 0.3 to 0.6 G, and a needle
// that is searched for alone takes it less than a hundredth of a nanosecond a letter. An H200 looks
// up 640 G to 1,100 G (k = 0, 2^28 letters). Other models were not measured. With more places words
// are shorter, so that the table is made faster, and more is verified.
var tableOnGPU = tableModel{places: 50, density: 1.0 / 128}

// A gpuTable is a table of needles on a GPU.
type gpuTable struct {
	of                                *neighbours
	needles                           []*needle
	present, starts, entries, checked device.Buffer
}

// offsetBits of the table are as in the kernels.
var _ = [1]struct{}{}[offsetBits-kernels.TableOffsetBits]

// useTable brings a table to the GPU, unless it is there.
func (g *gpuSearch) useTable(f *neighbours, needles []*needle) {
	t := &g.table
	if t.of == f {
		return
	}
	q := g.queue
	checks := make([]kernels.TableNeedle, len(needles))
	for i, n := range needles {
		c := &checks[i]
		c.Length, c.Valid = uint32(n.length()), ^uint64(0)>>(64-n.length())
		var masks [4]uint64
		if f.edits {
			masks = [4]uint64(f.vectors[i].equal[:4])
		} else {
			masks, c.Exact = f.checks[i].planes, f.checks[i].fixed
		}
		c.Mask0, c.Mask1, c.Mask2, c.Mask3 = masks[0], masks[1], masks[2], masks[3]
	}
	device.Upload(q, &t.present, f.present)
	device.Upload(q, &t.starts, f.starts)
	device.Upload(q, &t.entries, f.entries)
	device.Upload(q, &t.checked, checks)
	t.of, t.needles = f, needles
	if q.Err != nil {
		t.of = nil
	}
}

// lookUp puts the search for the needles of the table into the queue, without the needles that are
// to be searched for alone. A hit has the last letter of an occurrence where others have a word,
// and the number of the needle where others have a mask.
func (g *gpuSearch) lookUp() {
	t := &g.table
	if t.of == nil || len(t.of.entries) == 0 {
		return // of a table that could not be brought there the queue has the error
	}
	p := &kernels.TableParams{
		Text: g.text.bits(), Present: t.present.At(0), Starts: t.starts.At(0), Entries: t.entries.At(0), Needles: t.checked.At(0),
		Hits: g.hits(), Q: uint32(t.of.q), K: uint32(t.needles[0].k),
	}
	if t.of.unknown <= t.of.q {
		p.Unknown = uint32(t.of.unknown)
	}
	// A piece of an alignment begins at most this many letters before the alignment's end.
	p.First = uint32((kernels.SearchPadding - t.of.reach) / 32)
	p.Words = uint32((kernels.SearchPadding+g.text.letters()+31)/32) - p.First
	name := "neighbours_substitutions"
	if t.of.edits {
		name = "neighbours_edits"
	}
	device.LaunchBlocks(g.queue, name, g.tableBlocks(int(p.Words)), p)
}

// tableBlocks is the number of blocks of threads for a number of words, one a thread.
func (g *gpuSearch) tableBlocks(words int) int {
	return min(blocks(words, kernels.TableThreads), g.queue.GPU.Info().Multiprocessors*tableResident)
}

// tableResident is how many blocks of threads are launched for each multiprocessor; others were not
// measured.
const tableResident = 16

// findTable finds all needles of a table in the text, and returns what makes their ends, without
// the GPU: offsets in ascending order. few is false if there are more hits than most.
func (g *gpuSearch) findTable(f *neighbours, needles []*needle, most, threads int) (ends func() [][]int, few bool, err error) {
	g.useTable(f, needles)
	hits, few, err := g.allHits(true, g.lookUp, most)
	if err != nil || !few {
		return nil, few, err
	}
	total, from := len(hits), g.text.from
	alone := make([][]hit, len(f.alone))
	for i, a := range f.alone {
		s, err := fastest(needles[a.number], int64(g.text.letters()), 1, true, func(s *Scheme) bool { return !s.Many })
		if err != nil {
			return nil, false, err
		}
		if alone[i], err = g.find(*s.gpu, needles[a.number]); err != nil {
			return nil, false, err
		}
		if total += len(alone[i]); total > most {
			return nil, false, nil
		}
	}
	return func() [][]int {
		ends := endsOfNeedles(hits, from, len(needles), threads)
		for i, a := range f.alone {
			ends[a.number] = appendEnds(alone[i], from, nil)
		}
		return ends
	}, true, nil
}

// endsOfNeedles returns the ends of each needle, once each, of hits of a table in a text from an
// offset on.
func endsOfNeedles(hits []hit, from, needles, threads int) [][]int {
	starts := make([]int, needles+1)
	for _, h := range hits {
		starts[h.Mask+1]++
	}
	for i := range needles {
		starts[i+1] += starts[i]
	}
	all := make([]int, len(hits))
	next := slices.Clone(starts)
	for _, h := range hits {
		all[next[h.Mask]] = from + int(h.Word) + 1
		next[h.Mask]++
	}
	ends := make([][]int, needles)
	parallel.Ranges(threads, needles, 64, func(_, first, last int) {
		for i := first; i < last; i++ {
			list := all[starts[i]:starts[i+1]:starts[i+1]]
			slices.Sort(list)
			ends[i] = slices.Compact(list)
		}
	})
	return ends
}

// findInTable is find for a needle that has a table of its own.
func (g *gpuSearch) findInTable(n *needle) ([]hit, error) {
	f := g.table.of
	if f == nil || len(g.table.needles) != 1 || g.table.needles[0] != n {
		var err error
		if f, err = newTable(g.text.text, []*needle{n}, tableOnGPU, 1); err != nil {
			return nil, err
		}
	}
	found, few, err := g.findTable(f, []*needle{n}, mostHits, 1)
	if err != nil {
		return nil, err
	}
	if !few {
		return nil, tooManyPlaces(mostHits)
	}
	ends := found()[0]
	hits := make([]hit, len(ends))
	for i, end := range ends {
		letter := end - g.text.from - 1
		hits[i] = hit{uint32(letter / 32), 1 << (letter % 32)}
	}
	return hits, nil
}
