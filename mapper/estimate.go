package mapper

import (
	"context"
	"slices"
)

// An estimate collects the insert sizes of the first pairs of a library. Until there are enough, what was found is
// held and not turned into records. What it takes depends on the pairs alone, in their order, and so does the result.
type estimate struct {
	inserts          []int32
	pairs, locations int
	held             []heldPart
	done             bool
}

// heldPart is a part of a batch whose records wait for the estimate.
type heldPart struct {
	batch *batch
	found *found
}

// pairSeen is what a pair tells the estimate: how many locations its mates have, and its insert size if
// they have one each in the orientation of the library, else 0.
type pairSeen struct{ locations, insert int32 }

// take counts a pair.
func (e *estimate) take(p pairSeen) {
	e.pairs++
	e.locations += int(p.locations)
	if p.insert > 0 {
		e.inserts = append(e.inserts, p.insert)
	}
	e.done = len(e.inserts) >= estimatePairs || e.pairs >= estimateMost || e.locations >= estimateLocations
}

// learn collects what the pairs of a part tell.
func (m *mapper) learn(b *batch, f *found) {
	e := b.library.estimate
	seen := make([]pairSeen, len(b.reads)/2)
	groups := f.cut(true)
	// Pairs come in order, but the first threads' groups are likely to suffice.
	for next := 0; next < len(groups)-1 && !e.done; {
		last := min(next+4*m.options.Threads, len(groups)-1)
		parallelRanges(m.options.Threads, last-next, 1, func(worker, g, _ int) {
			m.workers[worker].look(b, f, groups[next+g], groups[next+g+1], seen)
		})
		for i := groups[next] / 2; i < groups[last]/2 && !e.done; i++ {
			e.take(seen[i])
		}
		next = last
	}
}

// look fills seen for the pairs of reads [from, to) of a part.
func (w *worker) look(b *batch, f *found, from, to int, seen []pairSeen) {
	w.locator.b = b
	w.locator.aligner.reset()
	w.locate(b, f, from, to)
	for read := from; read < to; read += 2 {
		first, second := w.spans[read-from], w.spans[read+1-from]
		s := pairSeen{locations: int32(first.to - first.from + second.to - second.from)}
		if first.to-first.from == 1 && second.to-second.from == 1 {
			a, c := &w.locations[first.from], &w.locations[second.from]
			w.locator.aligner.align(w.m.ref, b, read, a)
			w.locator.aligner.align(w.m.ref, b, read+1, c)
			if insert, ok := w.m.options.Pairs.insert(a, c); ok && insert <= estimateLongest {
				s.insert = int32(insert)
			}
		}
		seen[read/2] = s
	}
}

// insert returns the insert size of a pair of aligned locations, of the first and the second mate; ok is false where they
// do not lie in the orientation on one contig.
func (o *PairOptions) insert(first, second *location) (insert int, ok bool) {
	s := first.place.strand()
	if first.place.contig() != second.place.contig() || second.place.strand() != o.Orientation.partnerStrand(s) {
		return 0, false
	}
	left, right := first, second
	if !o.Orientation.isLeft(s, 0) {
		left, right = second, first
	}
	insert = int(right.end) - int(left.start)
	return insert, insert > 0
}

// resolve turns what was found into records, now or when the insert size is known.
func (m *mapper) resolve(ctx context.Context, b *batch, f *found) error {
	if m.current != nil && m.current != b.library {
		if err := m.settle(ctx); err != nil {
			return err
		}
	}
	m.current = b.library
	if e := b.library.estimate; e != nil {
		m.learn(b, f)
		if !e.done {
			e.held = append(e.held, heldPart{b.clone(), f.clone()})
			return nil
		}
		if err := m.settle(ctx); err != nil {
			return err
		}
	}
	return m.write(ctx, b, f)
}

// settle ends the estimate of the current library, if there is one, and makes the records that wait for it.
func (m *mapper) settle(ctx context.Context) error {
	if m.current == nil || m.current.estimate == nil {
		return nil
	}
	e := m.current.estimate
	m.current.insert, m.current.estimate = fit(e.inserts, m.options.Pairs.MinInsert), nil
	for _, part := range e.held {
		if err := m.write(ctx, part.batch, part.found); err != nil {
			return err
		}
	}
	return nil
}

// clone returns a copy that shares nothing with b but its reads.
func (b *batch) clone() *batch {
	first := b.packedAt[0]
	c := &batch{
		library: b.library, reads: b.reads, length: slices.Clone(b.length), k: slices.Clone(b.k),
		packed: slices.Clone(b.packed[first:b.packedAt[len(b.reads)]]), ambiguous: slices.Clone(b.ambiguous),
		packedAt: slices.Clone(b.packedAt),
	}
	for i := range c.packedAt {
		c.packedAt[i] -= first
	}
	return c
}

// clone returns a copy of what resolving takes.
func (f *found) clone() *found {
	return &found{
		list: slices.Clone(f.list), from: slices.Clone(f.from), scanned: slices.Clone(f.scanned),
		located: slices.Clone(f.located), locatedFrom: slices.Clone(f.locatedFrom), operations: slices.Clone(f.operations),
	}
}
