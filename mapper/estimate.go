package mapper

import (
	"context"
	"fmt"
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

// heldPart is a part of a batch whose records wait for the estimate. found has locations alone, of which there are few against
// candidates.
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

// learn collects what the pairs of a part tell. If that is not enough for the estimate, the part is held.
func (m *mapper) learn(b *batch, f *found) {
	e := b.library.estimate
	seen := make([]pairSeen, len(b.reads)/2)
	groups := f.cut(true)
	ofGroup := make([][]located, len(groups)-1)
	verified := make([]int64, len(groups)-1)
	// Pairs come in order, but the first threads' groups are likely to suffice.
	for next := 0; next < len(groups)-1 && !e.done; {
		last := min(next+4*m.options.Threads, len(groups)-1)
		parallelRanges(m.options.Threads, last-next, 1, func(worker, i, _ int) {
			g := next + i
			ofGroup[g], verified[g] = m.workers[worker].look(b, f, groups[g], groups[g+1], seen)
		})
		for i := groups[next] / 2; i < groups[last]/2 && !e.done; i++ {
			e.take(seen[i])
		}
		next = last
	}
	if e.done {
		return // the part is verified again, where it was looked at
	}
	held := &found{from: make([]int, len(b.reads)+1), scanned: make([]bool, len(b.reads))}
	for g := range ofGroup {
		held.ungrouped = append(held.ungrouped, ofGroup[g]...)
		m.stats.Verified += verified[g]
	}
	held.groupLocated(len(b.reads), m.options.Threads)
	held.ungrouped, held.next = nil, nil
	e.held = append(e.held, heldPart{b.clone(), held})
}

// look fills seen for the pairs of reads [from, to) of a part. It returns their locations, not aligned, and the number of windows
// verified, which are not counted.
func (w *worker) look(b *batch, f *found, from, to int, seen []pairSeen) (all []located, verified int64) {
	before := w.locator.verified
	w.locator.b = b
	w.locator.aligner.reset()
	w.locate(b, f, from, to)
	verified, w.locator.verified = w.locator.verified-before, before
	for i, s := range w.spans {
		for _, l := range w.locations[s.from:s.to] {
			l.aligned, l.opsFrom, l.opsTo = false, 0, 0
			all = append(all, located{location: l, read: uint32(from + i)})
		}
	}
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
	return all, verified
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
	least := m.options.Pairs.MinInsert
	model := fit(e.inserts, least)
	if model.high < least {
		return fmt.Errorf("%s: the first pairs have insert sizes of at most %d, but the least is to be %d", m.current.Reads, model.high, least)
	}
	m.current.insert, m.current.estimate = model, nil
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
