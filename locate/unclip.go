package locate

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// UnclipAll is Unclip for locations of a read, all reported and in different places. Where it gives
// two of them the same alignment, one keeps its clips.
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
		if l.Start == c.Start && l.End == c.End {
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
	if end := operations[last]; end.Kind == Clip && int(l.End+end.Length) <= contig.Length {
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
}

// mostUnclipped is the most that a whole alignment loses that takes the place of a clipped one.
const mostUnclipped = 40

// unclipWhole gives a local location that is clipped the best alignment of the whole strand around
// it instead of its own, with gaps beside its clips, where that lowers the score by less than a
// penalty for each clip, or by as much and has more gaps in repeats. A read has most of its gaps
// there, and others fit few bases beside the end of a longer gap by chance.
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
	if loss == int(most) && a.repeatGaps(&t, first, a.operations[from:to]) <= a.repeatGaps(&t, int(l.Start), operations) {
		return
	}
	l.from, l.to = from, to
	l.Start, l.End = int32(first), int32(last)
	l.Loss = int32(cost.loss())
}

// repeatGaps counts the gaps of an alignment at a target, shifted left, in repeats: the contig has
// their bases again after them. The alignment starts at a position.
func (a *Aligner) repeatGaps(t *affineTarget, start int, operations []Operation) (n int) {
	letter := func(at int) byte { return a.Reference.Letter(t.contig.Start + at) }
	q, at := 0, start
	for _, o := range operations {
		length, same := int(o.Length), 0
		switch o.Kind {
		case Clip:
			q += length
		case Diagonal:
			q, at = q+length, at+length
		case Insertion:
			for same < length && at+same < t.contig.Length && t.strand.letter(q+same) == letter(at+same) {
				same++
			}
			q += length
		case Deletion:
			for same < length && at+length+same < t.contig.Length && letter(at+same) == letter(at+length+same) {
				same++
			}
			at += length
		}
		if same == length {
			n++
		}
	}
	return n
}
