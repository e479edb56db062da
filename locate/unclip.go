package locate

import (
	"cmp"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// UnclipAll is Unclip for locations of a read, all reported and in different places. Where it gives
// two of them the same alignment, one keeps its own.
//
// Alignments are taken back until no two are equal. These come to an end, as the clipped alignments
// of different places are different.
func (a *Aligner) UnclipAll(r *Read, locations []Location, penalty int32) {
	w := &a.writer
	w.clipped = append(w.clipped[:0], locations...)
	for i := range locations {
		l := &locations[i]
		a.Adopt(l, l.Start, a.Operations(l)) // Unclip changes these, and others may have the same
		a.Unclip(r, l, penalty)
	}
	for len(locations) > 1 && a.takeBack(locations) {
	}
}

// takeBack gives locations their clipped alignments back where others have the same as them, and
// tells whether there were any. The first in order keeps its alignment, unless another had it from
// the start.
func (a *Aligner) takeBack(locations []Location) (any bool) {
	w := &a.writer
	w.sites = parallel.Resize(w.sites, len(locations))
	for i := range w.sites {
		w.sites[i] = int32(i)
	}
	changed := func(i int32) int {
		l, c := &locations[i], &w.clipped[i]
		if l.Start == c.Start && slices.Equal(a.Operations(l), a.Operations(c)) {
			return 0
		}
		return 1
	}
	same := func(i, j int32) int {
		x, y := &locations[i], &locations[j]
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End),
			slices.CompareFunc(a.Operations(x), a.Operations(y), func(o, p Operation) int {
				return cmp.Or(cmp.Compare(o.Kind, p.Kind), cmp.Compare(o.Length, p.Length))
			}))
	}
	slices.SortFunc(w.sites, func(i, j int32) int {
		return cmp.Or(same(i, j), cmp.Compare(changed(i), changed(j)), cmp.Compare(i, j))
	})
	first := w.sites[0]
	for _, i := range w.sites[1:] {
		if same(first, i) != 0 {
			first = i
		} else if changed(i) != 0 {
			locations[i], any = w.clipped[i], true
		}
	}
	return any
}

// Unclip aligns the clipped bases at an end of a local location of a read on the diagonal beside
// them, where that lowers the score by less than a penalty: so that a mismatch near an end stays to
// be seen. bwa mem has the same rule, with 5. The bases have to lie in the contig.
//
// A whole alignment with more gaps in repeats may lower the score by as much as the penalty.
// Clipped bases may lie beyond a long gap (beyondGap). An alignment without gaps may then get one
// (bestGap).
func (a *Aligner) Unclip(r *Read, l *Location, penalty int32) {
	strand, contig := r.Strand(l.Place), &a.Reference.Contigs[l.Place.Contig()]
	m := int32(strand.Length())
	operations := a.Operations(l)
	last := len(operations) - 1
	if first := operations[0]; first.Kind == Clip && l.Start >= first.Length {
		if lost := lossMismatch*a.differing(strand, contig, 0, int(l.Start-first.Length), first.Length) - first.Length; lost < penalty {
			operations[1].Length += first.Length
			operations[0].Length = 0
			l.Start -= first.Length
			l.Loss += lost
		}
	}
	if end := operations[last]; end.Kind == Clip && int(l.End)+int(end.Length) <= contig.Length {
		if lost := lossMismatch*a.differing(strand, contig, int(m-end.Length), int(l.End), end.Length) - end.Length; lost < penalty {
			operations[last-1].Length += end.Length
			operations[last].Length = 0
			l.End += end.Length
			l.Loss += lost
		}
	}
	if operations[0].Length == 0 {
		l.from++
	}
	if operations[last].Length == 0 {
		l.to--
	}
	a.unclipWhole(strand, contig, l, penalty)
	for _, start := range []bool{true, false} {
		a.beyondGap(strand, contig, l, penalty, start)
	}
	a.bestGap(strand, contig, l)
}

// mostUnclipped is the most that a whole alignment loses that takes the place of a clipped one.
const mostUnclipped = 40

// unclipWhole gives a local location that is clipped the best alignment of the whole strand around
// it instead of its own, with gaps beside its clips, where that lowers the score by less than a
// penalty for each clip, or by as much and has more gaps in repeats. A read has most of its gaps
// there. Others fit few bases beside the end of a longer gap by chance.
func (a *Aligner) unclipWhole(strand *Strand, contig *dna.Contig, l *Location, penalty int32) {
	operations := a.Operations(l)
	start, end, most := l.Start, l.End, l.Loss
	if first := operations[0]; first.Kind == Clip {
		start, most = start-first.Length, most+penalty
	}
	if last := operations[len(operations)-1]; last.Kind == Clip {
		end, most = end+last.Length, most+penalty
	}
	if start == l.Start && end == l.End || most > mostUnclipped {
		return
	}
	low, high := diagonals(operations)
	t := affineTarget{strand, contig, int(start), int(end), low - WrittenRadius, high + WrittenRadius}
	f := &a.writer.rows
	loss, ok := a.writer.guide.fill(&a.Reference.Bases, &t, int(most))
	if !ok {
		return
	}
	last, cost := f.fill(&a.Reference.Bases, &t, loss, &a.writer.guide)
	if last < 0 {
		return
	}
	var first int
	a.path, first = f.trace(a.path[:0], &t, last)
	from, to := a.appendPath(&t, first)
	if a.operations[from].Kind != Diagonal || a.operations[to-1].Kind != Diagonal {
		return // bases inserted at an end may as well be clipped
	}
	if loss == int(most) && a.repeatGaps(&t, 0, first, a.operations[from:to]) <= a.repeatGaps(&t, 0, int(l.Start), operations) {
		return
	}
	l.from, l.to = from, to
	l.Start, l.End = int32(first), int32(last)
	l.Loss = int32(cost.loss())
}

// leastRepeat is the least number of bases of a repeat after a gap. Fewer come by chance
// (docs/benchmarks/mates-2026-11-29.md).
const leastRepeat = 4

// repeatGaps counts the gaps of an alignment at a target, shifted left, in repeats: the contig has
// their bases again after them, over leastRepeat bases or more. The alignment begins with base q of
// the strand, at a position.
func (a *Aligner) repeatGaps(t *affineTarget, q, at int, operations []Operation) (n int) {
	letter := func(at int) byte { return a.Reference.Letter(t.contig.Start + at) }
	equal := func(x, y byte) bool { return x == y && x != 'N' }
	for _, o := range operations {
		length, same := int(o.Length), 0
		again := max(length, leastRepeat)
		switch o.Kind {
		case Clip:
			q += length
			continue
		case Diagonal:
			q, at = q+length, at+length
			continue
		case Insertion:
			for same < again && at+same < t.contig.Length && equal(t.strand.letter(q+same%length), letter(at+same)) {
				same++
			}
			q += length
		case Deletion:
			for same < again && at+length+same < t.contig.Length && equal(letter(at+same), letter(at+length+same)) {
				same++
			}
			at += length
		}
		if same == again {
			n++
		}
	}
	return n
}

// A gapChoice is one gap in an alignment of n bases of a strand: after p bases. The bases before or
// after the gap lie on another diagonal.
type gapChoice struct {
	gap       Operation
	most      int32 // that the gap loses beside inserted bases
	moveStart bool
	p, loss   int32 // loss of the n bases
}

// longestLoss is what a gap of LongestGap bases loses beside inserted bases.
const longestLoss = lossOpen + LongestGap

// beyondGap aligns the clipped bases at one end of a local location beyond a gap, where that lowers
// the score by less than a penalty. The gap has up to LongestGap bases and costs DefaultCap at
// most, as in local locations. The bases have to lie in the contig, also without the gap. Unclip
// has left them: they lose the penalty or more on the diagonal beside them.
func (a *Aligner) beyondGap(strand *Strand, contig *dna.Contig, l *Location, penalty int32, start bool) {
	all := a.Operations(l)
	if len(all) == 1 {
		return
	}
	from, to := len(all)-2, len(all) // of the clip and the pairs beside it
	if start {
		from, to = 0, 2
	}
	pairs, clip := all[from], all[from+1]
	if start {
		pairs, clip = clip, pairs
	}
	if clip.Kind != Clip || pairs.Kind != Diagonal {
		return
	}
	part, n, first := *l, pairs.Length+clip.Length, int32(0) // on the diagonal of the pairs
	if start {
		part.Start -= clip.Length
		part.End = part.Start + n
	} else {
		part.End += clip.Length
		part.Start, first = part.End-n, int32(strand.Length())-n
	}
	if part.Start < 0 || int(part.End) > contig.Length {
		return
	}
	a.mismatchesUpTo(&a.writer.own, strand, contig, first, part.Start, n)
	own := clip.Length + lossMismatch*a.writer.own[pairs.Length]
	if start {
		own = clip.Length + lossMismatch*(a.writer.own[n]-a.writer.own[clip.Length])
	}
	best := gapChoice{loss: own + penalty}
	a.tryGaps(strand, contig, &part, first, n, LongestGap, DefaultCap, []bool{start}, &best)
	if best.p == 0 {
		return
	}
	moved, end := best.ends(&part)
	if start {
		end = l.End
	} else {
		moved = l.Start
	}
	a.Adopt(l, moved, slices.Concat(all[:from], best.operations(n), all[to:]))
	l.End, l.Loss = end, l.Loss+best.loss-own
}

// bestGap gives an alignment without gaps one, where that scores more, as it may after Unclip. In a
// repeat it may also score as much: a read has a gap there more often than two mismatches or more.
// Equal gaps come in this order: fewer bases, insertions, a moved start, and leftmost.
func (a *Aligner) bestGap(strand *Strand, contig *dna.Contig, l *Location) {
	all := a.Operations(l)
	from, to := 0, len(all)
	var first, last int32 // clipped bases
	if all[0].Kind == Clip {
		first, from = all[0].Length, 1
	}
	if all[to-1].Kind == Clip {
		last, to = all[to-1].Length, to-1
	}
	own := l.Loss - first - last
	if to-from > 1 || own < 2*lossMismatch {
		return
	}
	n := all[from].Length
	a.mismatchesUpTo(&a.writer.own, strand, contig, first, l.Start, n)
	best := gapChoice{loss: own + 1}
	a.tryGaps(strand, contig, l, first, n, min(WrittenRadius, own-lossOpen), longestLoss, []bool{true, false}, &best)
	if best.p == 0 {
		return
	}
	start, end := best.ends(l)
	a.Adopt(l, start, slices.Concat(all[:from], best.operations(n), all[to:]))
	l.End, l.Loss = end, first+last+best.loss
}

// inserted is how many bases of the strand the gap has.
func (c *gapChoice) inserted() int32 {
	if c.gap.Kind == Insertion {
		return c.gap.Length
	}
	return 0
}

// ends returns where the alignment of a location starts and ends with the gap.
func (c *gapChoice) ends(l *Location) (start, end int32) {
	moved := 2*c.inserted() - c.gap.Length // inwards
	if c.moveStart {
		return l.Start + moved, l.End
	}
	return l.Start, l.End - moved
}

// operations returns the alignment of the n bases.
func (c *gapChoice) operations(n int32) []Operation {
	return []Operation{{Diagonal, c.p}, c.gap, {Diagonal, n - c.p - c.inserted()}}
}

// tryGaps is tryGap for gaps of up to `longest` bases, which lose `most` at most, and some moved
// ends.
func (a *Aligner) tryGaps(strand *Strand, contig *dna.Contig, l *Location, first, n, longest, most int32, starts []bool, best *gapChoice) {
	for g := int32(1); g <= longest; g++ {
		for _, gap := range []Operation{{Insertion, g}, {Deletion, g}} {
			for _, start := range starts {
				a.tryGap(strand, contig, l, first, n, gapChoice{gap: gap, most: most, moveStart: start}, best)
			}
		}
	}
}

// tryGap replaces the best choice by one with a gap of some kind, length and side, if that loses
// less. One that does not lose less than the n bases without a gap has to lie in a repeat. The n
// bases come after `first` others; w.own has their mismatches without a gap.
func (a *Aligner) tryGap(strand *Strand, contig *dna.Contig, l *Location, first, n int32, c gapChoice, best *gapChoice) {
	w, inserted := &a.writer, c.inserted()
	gapLoss := min(lossOpen+c.gap.Length, c.most) + inserted
	paired := n - inserted
	start, end := c.ends(l)
	if paired < 2 || start < 0 || int(end) > contig.Length || gapLoss >= best.loss {
		return
	}
	from, at := first, start // of the bases on the other diagonal
	if !c.moveStart {
		from, at = first+inserted, end-paired
	}
	// The moved end has fewer mismatches, and at most `left`, which is for all bases.
	left := (best.loss - 1 - gapLoss) / lossMismatch
	reach := inserted + a.reach(strand, contig, from, at, paired, left, c.moveStart)
	most := w.own[n] - left
	if c.moveStart && w.own[reach] < most || !c.moveStart && w.own[n]-w.own[n-reach] < most {
		return
	}
	a.mismatchesUpTo(&w.other, strand, contig, from, at, paired)
	for c.p = 1; c.p < paired; c.p++ {
		mismatches := w.own[c.p] + w.other[paired] - w.other[c.p]
		if c.moveStart {
			mismatches = w.other[c.p] + w.own[n] - w.own[c.p+inserted]
		}
		if c.loss = gapLoss + lossMismatch*mismatches; c.loss >= best.loss {
			continue
		}
		t := affineTarget{strand: strand, contig: contig}
		if c.loss < lossMismatch*w.own[n] || a.repeatGaps(&t, int(first), int(start), c.operations(n)) > 0 {
			*best = c
		}
	}
}

// mismatchesUpTo fills `all` with numbers of mismatches: of the first i of n bases of a strand from
// a base on, and of the contig from a position on, for i from 0 to n.
func (a *Aligner) mismatchesUpTo(all *[]int32, strand *Strand, contig *dna.Contig, from, at, n int32) {
	*all = parallel.Resize(*all, int(n)+1)
	counts, count, differs := *all, int32(0), uint64(0)
	for i := range n {
		counts[i] = count
		if i%64 == 0 {
			differs = strand.Planes.differencesFrom(&a.Reference.Bases, contig.Start+int(at+i), int(from+i), int(n-i))
		}
		count += int32(differs >> uint(i%64) & 1)
	}
	counts[n] = count
}

// reach returns how many of n bases of a strand, at their start or at their end, have at most some
// number of mismatches.
func (a *Aligner) reach(strand *Strand, contig *dna.Contig, from, at, n, most int32, start bool) int32 {
	for done := int32(0); done < n; done += 64 {
		size := min(n-done, 64)
		first := done
		if !start {
			first = n - done - size
		}
		differs := strand.Planes.differencesFrom(&a.Reference.Bases, contig.Start+int(at+first), int(from+first), int(size))
		if !start {
			differs = bits.Reverse64(differs) >> uint(64-size)
		}
		for ; differs != 0; differs &= differs - 1 {
			if most--; most < 0 {
				return done + int32(bits.TrailingZeros64(differs))
			}
		}
	}
	return n
}
