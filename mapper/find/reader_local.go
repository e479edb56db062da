package find

import "scanmap/locate"

// SeekLocal has the Reader find local locations.
func (r *Reader) SeekLocal(l *Local) {
	r.Local = nil
	if l != nil {
		r.Local = &locate.Local{Reference: r.Locator.Reference, Cap: l.Cap}
	}
}

// appendLocal is Append for local locations. Those of a read that is left unlisted are not sought
// (Batch.Unsought).
func (r *Reader) appendLocal(locations []locate.Location, b *Batch, f *Found, i int, view *locate.Read) (all []locate.Location, left []uint32) {
	r.Local.Aligner = &r.Aligner
	before := len(locations)
	if list := f.Candidates.Of(i); len(list) > 0 {
		m := b.Length(i)
		least := m - b.K(i)
		for _, l := range r.Local.Locations(view, list) {
			locations = append(locations, r.ranked(l, m, least))
		}
	}
	for _, l := range f.Located.Of(i) {
		taken := locate.Location{Place: l.Place, End: l.End, Distance: l.Distance, Gaps: l.Gaps, Loss: l.Loss}
		r.Aligner.Adopt(&taken, l.Start, f.Operations[l.From:l.To])
		locations = append(locations, taken)
	}
	return r.bounded(locations, before, b.K(i), f.left[i])
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

// Parts appends the parts of a read that has no local location among those that candidates lead to,
// which a finder has found that seeks parts; see locate.Parts.
func (r *Reader) Parts(locations []locate.Location, view *locate.Read, candidates []locate.Candidate) []locate.Location {
	r.Local.Aligner = &r.Aligner
	for _, l := range r.Local.Parts(view, candidates) {
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
