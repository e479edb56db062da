package find

import (
	"slices"
	"sync/atomic"

	"scanmap/locate"
)

// SeekLocal has the Reader find local locations.
func (r *Reader) SeekLocal(l *Local) {
	r.Local = nil
	if l != nil {
		r.Local = &locate.Local{Reference: r.Locator.Reference, Cap: l.Cap}
	}
}

// appendLocal is Append for local locations. An unlisted read is not searched for (Batch.Unsought).
func (r *Reader) appendLocal(locations []locate.Location, b *Batch, f *Found, i int, view *locate.Read) (all []locate.Location, left []uint32) {
	r.Local.Aligner = &r.Aligner
	before := len(locations)
	if list := f.Candidates.Of(i); len(list) > 0 {
		locations = r.fromCandidates(locations, view, list)
	}
	locations = r.appendLocated(locations, f, i, int32(b.Length(i)))
	return r.bounded(locations, before, b.K(i), f.left[i])
}

// fromCandidates appends the local locations of a read that all its candidates lead to.
func (r *Reader) fromCandidates(locations []locate.Location, view *locate.Read, candidates []locate.Candidate) []locate.Location {
	if r.Near >= 0 {
		view = r.nearOnly(view, r.cut(view, candidates))
	}
	before := len(locations)
	locations, r.rest = r.Local.Whole(locations, r.rest[:0], view, candidates)
	if len(r.rest) == 0 {
		return locations
	}
	r.told = append(r.told[:0], locations[before:]...)
	return r.among(locations[:before], r.told, view, r.cut(view, r.rest))
}

// cut returns the candidates of a read in shares that lead to no location in the same place: one
// or, as some reads have 100,000 candidates, several for several workers.
func (r *Reader) cut(view *locate.Read, candidates []locate.Candidate) [][]locate.Candidate {
	if r.Share == nil || locate.Untold(candidates) < 2*sharedCandidates {
		r.whole[0] = candidates
		return r.whole[:]
	}
	return r.Local.Cut(view, candidates, sharedCandidates)
}

// sharedCandidates is the least number of candidates of a share, except the last one: mostly some
// 100 us, unless candidates tell what they lead to.
const sharedCandidates = 128

// nearOnly returns a view for which near locations are sought alone, as far as the candidates show
// how much the best location loses. In repeats most candidates lead to none.
func (r *Reader) nearOnly(view *locate.Read, shares [][]locate.Candidate) *locate.Read {
	sought := r.atMost(view, shares, view.Sought-r.Near) + r.Near
	if sought >= view.Sought {
		return view
	}
	r.near = *view
	r.near.Sought, r.near.Found = sought, view.Sought
	return &r.near
}

// atMost is Local.AtMost for shares of candidates.
func (r *Reader) atMost(view *locate.Read, shares [][]locate.Candidate, most int) int {
	if len(shares) == 1 {
		return r.Local.AtMost(view, shares[0], most)
	}
	var least atomic.Int64
	least.Store(int64(most))
	r.Share(len(shares), func(by *Reader, i int) {
		lost := int64(by.Local.AtMost(view, shares[i], int(least.Load())))
		for before := least.Load(); lost < before && !least.CompareAndSwap(before, lost); before = least.Load() {
		}
	})
	return int(least.Load())
}

// among appends, in order, the told local locations of a read, and the locations to which shares of
// its other candidates lead.
func (r *Reader) among(locations, told []locate.Location, view *locate.Read, shares [][]locate.Candidate) []locate.Location {
	m := view.Strands[locate.Forward].Length()
	for _, l := range r.localOf(view, shares) {
		n := 0
		for n < len(told) && r.Local.Compare(&told[n], &l) < 0 {
			n++
		}
		locations, told = append(locations, told[:n]...), told[n:]
		locations = append(locations, r.ranked(l, m, m-view.K))
	}
	return append(locations, told...)
}

// localOf returns the local locations that shares of a read's candidates lead to. They are valid
// until the next call.
func (r *Reader) localOf(view *locate.Read, shares [][]locate.Candidate) []locate.Location {
	all := r.shareOut(shares, func(by *locate.Local, share []locate.Candidate) []locate.Location { return by.Locations(view, share) })
	if len(shares) > 1 {
		r.Local.Sort(all)
	}
	return all
}

// shareOut returns what workers find by shares of candidates, in the order of these, until the next
// call.
func (r *Reader) shareOut(shares [][]locate.Candidate, find func(by *locate.Local, share []locate.Candidate) []locate.Location) []locate.Location {
	if len(shares) == 1 {
		return find(r.Local, shares[0])
	}
	found := make([]localsFound, len(shares))
	r.Share(len(shares), func(by *Reader, i int) {
		if by != r {
			by.Aligner.Reset()
			by.Local.Aligner = &by.Aligner
		}
		found[i].hold(find(by.Local, shares[i]), &by.Aligner)
	})
	r.shared = r.shared[:0]
	for i := range found {
		f, from := &found[i], 0
		for j, l := range f.locations {
			r.Aligner.Adopt(&l, l.Start, f.operations[from:f.ends[j]])
			r.shared, from = append(r.shared, l), f.ends[j]
		}
	}
	return r.shared
}

// localsFound are local locations and their operations; the operations of location i end before
// ends[i], where the next one's begin.
type localsFound struct {
	locations  []locate.Location
	operations []locate.Operation
	ends       []int
}

// hold copies locations, whose operations an aligner has.
func (f *localsFound) hold(locations []locate.Location, a *locate.Aligner) {
	f.locations, f.ends = slices.Clone(locations), make([]int, len(locations))
	for i := range locations {
		f.ends[i] = len(a.Operations(&locations[i]))
		if i > 0 {
			f.ends[i] += f.ends[i-1]
		}
	}
	if n := len(locations); n > 0 {
		f.operations = make([]locate.Operation, 0, f.ends[n-1])
	}
	for i := range locations {
		f.operations = append(f.operations, a.Operations(&locations[i])...)
	}
}

// Among appends the local locations of a read that some candidates of its lead to.
func (r *Reader) Among(locations []locate.Location, view *locate.Read, candidates []locate.Candidate) []locate.Location {
	r.Local.Aligner = &r.Aligner
	return r.among(locations, nil, view, r.cut(view, candidates))
}

// LocalIn returns the best local location of a read that lies in the stretch [from, to) of a place;
// see Best and AcrossGap of locate.Local.
func (r *Reader) LocalIn(view *locate.Read, p locate.Place, least, from, to int) (l locate.Location, ok bool) {
	r.Local.Aligner = &r.Aligner
	if l, ok = r.Local.Best(view.Strand(p), p, least, from, to); ok {
		l = r.Local.AcrossGap(view.Strand(p), p, l, least, from, to)
	}
	l.Loss = l.Distance
	return l, ok
}

// Parts appends the parts of a read without a local location. The candidates come from a finder
// that seeks parts; see locate.Parts.
func (r *Reader) Parts(locations []locate.Location, view *locate.Read, candidates []locate.Candidate) []locate.Location {
	r.Local.Aligner = &r.Aligner
	all := r.shareOut(r.cut(view, candidates), func(by *locate.Local, share []locate.Candidate) []locate.Location {
		return by.Parts(view, share)
	})
	for _, l := range r.Local.BestParts(all) {
		l.Loss = l.Distance
		locations = append(locations, l)
	}
	return locations
}

// ranked returns a local location with its lost score in Loss, and as its distance that less what
// the threshold forgives for inserted bases, T / m for each, rounded down: it is m - T at most.
func (r *Reader) ranked(l locate.Location, m, least int) locate.Location {
	inserted := 0
	for _, o := range r.Aligner.Operations(&l) {
		if o.Kind == locate.Insertion {
			inserted += int(o.Length)
		}
	}
	l.Loss = l.Distance
	l.Distance -= int32(inserted * least / m)
	return l
}
