package find

import (
	"cmp"
	"context"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A Reader turns the results of a finder into locations. It is scratch memory for one goroutine.
type Reader struct {
	Locator locate.Locator
	Aligner locate.Aligner
	// Local is set where local locations are sought.
	Local *locate.Local
	// Near is how much more than the best one local locations may lose that count, or -1 where all
	// count. Append may leave others out.
	Near int
	// Share does tasks of a Reader together with idle goroutines: `by` is the Reader of the goroutine
	// that does a task. Where Share is nil, nobody helps.
	Share func(tasks int, do func(by *Reader, task int))
	// most is the most locations of a read that are held.
	most    int
	threads int
	stretch int
	// Scratch memory of seek.
	workers  []scanWorker
	ends     [][]locate.Occurrence
	segments []segment
	stream   locate.Stream
	held     held
	sorted   []locate.Location
	// Scratch memory of local locations.
	shared []locate.Location     // see shareOut
	whole  [1][]locate.Candidate // see cut
	near   locate.Read           // see nearOnly
	told   []locate.Location     // see fromCandidates
	rest   []locate.Candidate    // likewise
}

// NewReader returns a Reader for a reference that holds at most `most` locations of a read. Metric
// and limits are as in the finders' options. threads is how many goroutines search for an unlisted
// read.
func NewReader(ref *dna.Reference, metric locate.Metric, most, threads int, limits Limits) Reader {
	return Reader{
		Locator: locate.Locator{Reference: ref, Metric: metric}, Aligner: locate.Aligner{Reference: ref},
		most: most, threads: threads, stretch: limits.withDefaults().Stretch, Near: -1,
	}
}

// Forget gives up scratch memory. The count of verified windows stays.
func (r *Reader) Forget() {
	ref, local := r.Locator.Reference, r.Local
	*r = Reader{
		Locator: locate.Locator{Reference: ref, Metric: r.Locator.Metric, Verified: r.Locator.Verified},
		Aligner: locate.Aligner{Reference: ref},
		Share:   r.Share, Near: r.Near,
		most: r.most, threads: r.threads, stretch: r.stretch,
	}
	if local != nil {
		r.SeekLocal(&Local{Cap: local.Cap})
	}
}

// Append appends the locations of read i of a batch to locations, without the ones only counted.
// view is a view of the read. It may be nil if f has located the read. Alignments that a finder has
// made go to the aligner.
//
// If there are more than the Reader holds, it appends the first ones in order of (distance, contig,
// strand, end), and left has the numbers of the others by distance; otherwise left is nil. When the
// context ends, locations may be missing.
func (r *Reader) Append(
	ctx context.Context, locations []locate.Location, b *Batch, f *Found, i int, view *locate.Read,
) (all []locate.Location, left []uint32) {
	if r.Local != nil {
		return r.appendLocal(locations, b, f, i, view)
	}
	if f.Unlisted() {
		r.held.begin(r.most, b.K(i))
		if b.mappable(i) {
			r.seek(ctx, b, i, view)
		}
		return r.held.appendTo(locations)
	}
	before := len(locations)
	if list := f.Candidates.Of(i); len(list) > 0 {
		locations = append(locations, r.Locator.FromCandidates(view, list)...)
	}
	if list := f.Ends.Of(i); len(list) > 0 {
		locations = append(locations, r.Locator.FromEnds(view, list)...)
	}
	locations = r.appendOrdered(locations, f, i, int32(b.Length(i)))
	locations = r.appendLocated(locations, f, i, int32(b.Length(i)))
	return r.bounded(locations, before, b.K(i), f.left[i])
}

// appendLocated appends the locations of read i, of m bases, that a finder has found itself, or
// that a part holds.
func (r *Reader) appendLocated(locations []locate.Location, f *Found, i int, m int32) []locate.Location {
	var run locate.Location // of AdoptWhole
	taken := func(l *Located, operations []locate.Operation) locate.Location {
		taken := locate.Location{
			Place: l.Place, End: l.End, Distance: l.Distance, Gaps: l.Gaps, Covered: l.Covered, Loss: l.Loss,
		}
		switch {
		case !l.Aligned:
		case l.From == l.To:
			r.Aligner.AdoptWhole(&taken, l.Start, m, &run)
		default:
			r.Aligner.Adopt(&taken, l.Start, operations[l.From:l.To])
		}
		return taken
	}
	if len(f.held) == 0 {
		located := f.Located.Of(i)
		for j := range located {
			locations = append(locations, taken(&located[j], f.Operations))
		}
		return locations
	}
	read := &f.held[i]
	if read.From == read.To {
		return locations
	}
	held := read.In.All[read.From:read.To]
	locations = slices.Grow(locations, len(held))
	for j := range held {
		h := &held[j]
		if h.Lost < 0 {
			locations = append(locations, taken(&read.In.Others[^h.Lost], read.In.Operations))
			continue
		}
		l := locate.Location{Place: h.Place, End: h.End, Distance: h.Lost}
		if r.Local != nil {
			l.Loss = h.Lost
			r.Aligner.AdoptWhole(&l, h.End-m, m, &run)
		}
		locations = append(locations, l)
	}
	return locations
}

// appendOrdered appends the locations of read i, of m bases, that a GPU has put in order.
func (r *Reader) appendOrdered(locations []locate.Location, f *Found, i int, m int32) []locate.Location {
	list := f.ordered.Of(i)
	locations = slices.Grow(locations, len(list))
	covered := f.covered && len(list) > 0 && !f.uncounted[i]
	var run locate.Location // of AdoptWhole
	for j := range list {
		o := &list[j]
		l := locate.Location{Place: locate.Place(o.place), End: int32(o.end)}
		count, aligned := int32(0), false
		l.Distance, l.Gaps, count, aligned = describe(o.word)
		start := l.End - m - longer(o.word)
		switch {
		case !aligned:
		case count > 0:
			r.Aligner.Borrow(&l, start, f.Operations, int32(o.operations), int32(o.operations)+count)
		default:
			r.Aligner.AdoptWhole(&l, start, m, &run)
		}
		l.Covered = covered && aligned
		locations = append(locations, l)
	}
	return locations
}

// bounded returns locations as Append does. The read, with a largest distance of k, has
// locations[before:], and left numbers its locations elsewhere.
func (r *Reader) bounded(locations []locate.Location, before, k int, left []uint32) (all []locate.Location, others []uint32) {
	if len(locations)-before <= r.most {
		return locations, left
	}
	r.sorted = append(r.sorted[:0], locations[before:]...)
	slices.SortFunc(r.sorted, func(x, y locate.Location) int {
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.End, y.End))
	})
	r.held.begin(r.most, k)
	for _, l := range r.sorted {
		r.held.add(l)
	}
	return r.held.appendTo(locations[:before])
}

// seek searches the whole text for one read, and leaves its locations in r.held. It holds the ends
// of a few stretches of the text at a time, however many ends there are.
func (r *Reader) seek(ctx context.Context, b *Batch, i int, view *locate.Read) {
	ref := r.Locator.Reference
	if r.segments == nil {
		r.segments = cutReference(ref)
	}
	r.workers = parallel.Resize(r.workers, r.threads)
	for from := 0; from < len(r.segments); {
		to := from + 1 // the segments of a contig
		for to < len(r.segments) && r.segments[to].contig == r.segments[from].contig {
			to++
		}
		for strand := range 2 {
			r.seekStrand(ctx, b, i, view, r.segments[from:to], strand)
		}
		from = to
	}
}

// segmentsAhead is how many segments for each thread are scanned before their ends are used.
const segmentsAhead = 4

// seekStrand finds the locations on one strand of the segments of a contig.
func (r *Reader) seekStrand(ctx context.Context, b *Batch, i int, view *locate.Read, segments []segment, strand int) {
	place := locate.At(int(segments[0].contig), strand)
	r.stream.Begin(&r.Locator, view.Strand(place), place, b.K(i), r.stretch, r.held.add)
	for len(segments) > 0 && ctx.Err() == nil {
		n := min(segmentsAhead*r.threads, len(segments))
		for len(r.ends) < n {
			r.ends = append(r.ends, nil)
		}
		parallel.Ranges(r.threads, n, 1, func(worker, s, _ int) {
			w, ends := &r.workers[worker], r.ends[s][:0]
			w.begin(r.Locator.Reference, r.Locator.Metric, segments[s], b.Length(i)+b.K(i))
			w.scan(b, i, strand, func(end, distance int) {
				ends = append(ends, locate.Occurrence{End: end, Distance: int32(distance), Gaps: locate.GapsUnknown})
			})
			r.ends[s] = ends
		})
		for s := range n {
			r.stream.Add(r.ends[s], int(segments[s].to))
		}
		segments = segments[n:]
	}
	if ctx.Err() == nil {
		r.stream.End(r.Locator.Reference.Contigs[place.Contig()].Length)
	}
}

// held holds the first locations of a read in order of (distance, place, end), and counts the
// others. They come in order of (place, end).
type held struct {
	most int
	n    int // locations that are held
	// levels has them by distance, and left the numbers of the others.
	levels [][]locate.Location
	left   []uint32
	passed bool // there are others
}

// keptLevel is the longest list whose memory is used again.
const keptLevel = 1 << 14

// begin empties h for a read that may have k edits.
func (h *held) begin(most, k int) {
	for len(h.levels) <= k {
		h.levels = append(h.levels, nil)
	}
	for d, level := range h.levels {
		h.levels[d] = level[:0]
		if cap(level) > keptLevel {
			h.levels[d] = nil
		}
	}
	h.most, h.n, h.passed = most, 0, false
	h.left = parallel.Resize(h.left, k+1)
	clear(h.left)
}

// add adds a location.
func (h *held) add(l locate.Location) {
	if h.n < h.most {
		h.levels[l.Distance] = append(h.levels[l.Distance], l)
		h.n++
		return
	}
	h.passed = true
	last := len(h.levels) - 1
	for len(h.levels[last]) == 0 {
		last--
	}
	if last <= int(l.Distance) {
		h.left[l.Distance]++
		return
	}
	h.levels[last] = h.levels[last][:len(h.levels[last])-1]
	h.left[last]++
	h.levels[l.Distance] = append(h.levels[l.Distance], l)
}

// appendTo appends the locations that are held. left has the numbers of the others by distance; nil
// if there are none.
func (h *held) appendTo(locations []locate.Location) (all []locate.Location, left []uint32) {
	for _, level := range h.levels {
		locations = append(locations, level...)
	}
	if h.passed {
		left = slices.Clone(h.left)
	}
	return locations, left
}
