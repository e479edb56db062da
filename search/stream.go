package search

import (
	"cmp"
	"slices"
	"sync/atomic"

	"scanmap/gpu/device"
	"scanmap/locate"
)

// A stream makes the locations of one pattern in order, while the ends of its strands become known
// from the first to the last. Its memory does not grow with the text, nor with its locations.
type stream struct {
	s       *searcher
	pattern int
	// ends are known and not yet located; before has earlier locations that may exclude some.
	ends   strandEnds
	before [2][]locate.Occurrence
	// located are not emitted yet: a location that starts earlier may be missing.
	located []Location
	// distance, if it is not negative, is the distance of the wanted locations.
	distance int
	order    func(a, b Location) int
	emit     func([]Location) error
}

// alone searches for one pattern.
func (s *searcher) alone(pattern int) error {
	if s.options.Announce == nil {
		return s.stream(&stream{pattern: pattern, distance: -1, order: byPosition, emit: s.put})
	}
	err := s.stream(&stream{pattern: pattern, distance: -1, order: byPosition, emit: s.best.adder(s)})
	if err != nil {
		return err
	}
	return s.best.finish(s, pattern)
}

// deliverAlone gives the locations of a pattern, from all its ends.
func (s *searcher) deliverAlone(pattern int, ends strandEnds) error {
	st := &stream{s: s, pattern: pattern, ends: ends, distance: -1, order: byPosition, emit: s.put}
	if s.options.Announce == nil {
		return st.advance(s.text.Length(), true)
	}
	st.emit = s.best.adder(s)
	if err := st.advance(s.text.Length(), true); err != nil {
		return err
	}
	return s.best.finish(s, pattern)
}

// stream searches the whole text for the pattern of a stream.
func (s *searcher) stream(st *stream) error {
	st.s = s
	if len(s.gpus) > 0 {
		for _, stretch := range s.text.stretches(s.options.bounds.stretch) {
			err := inChunks(s, stretch, st.findOnGPU, func(r textRange, hits [2][]hit) (bool, error) { return true, st.takeHits(r, hits) })
			if err != nil {
				return err
			}
			if err := st.advance(stretch.to, true); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := s.finder(st.pattern, st.pattern+1, s.needles[st.pattern])
	if err != nil {
		return err
	}
	var found []strandEnds
	for _, stretch := range s.text.stretches(s.options.bounds.stretch) {
		r := stretch.all()
		for r.from < stretch.to {
			r.to = min(r.from+s.options.bounds.window, stretch.to)
			found, r.to = s.window(f, r, found)
			if err := s.ctx.Err(); err != nil {
				return err
			}
			for i := range found {
				for strand := range found[i] {
					st.ends[strand] = append(st.ends[strand], found[i][strand]...)
				}
			}
			st.addByIUPAC(r)
			if err := st.advance(r.to, r.to == stretch.to); err != nil {
				return err
			}
			r.from = r.to
		}
	}
	return nil
}

// window finds the ends of one pattern in the first segments of a range: in all, or up to where
// there are too many. It returns the ends of each segment, in the memory of found, and the offset
// up to which it searched.
func (s *searcher) window(f finder, r textRange, found []strandEnds) ([]strandEnds, int) {
	segments := r.segments()
	found = slices.Grow(found[:0], segments)[:segments]
	for i := range found {
		for strand := range found[i] {
			found[i][strand] = found[i][strand][:0]
			if i >= 2*s.options.Threads { // otherwise all lists might grow in the course of time
				found[i][strand] = nil
			}
		}
	}
	done := make([]bool, segments)
	var sum atomic.Int64
	more := func() bool { return sum.Load() <= int64(s.options.bounds.windowEnds) && s.ctx.Err() == nil }
	r.inSegments(s.text, s.options.Threads, more, func(i int, scratch *scratch, part textRange) {
		ends := &found[i]
		f.find(scratch, part, func(needle, at int) { ends[needle] = append(ends[needle], at) })
		sum.Add(int64(ends.count()))
		done[i] = true
		s.options.Share.Add(int64(part.to - part.from))
	})
	// Segments are begun in order, so that only the last segments may have been searched after a
	// segment that was not.
	for i, ok := range done {
		if !ok {
			return found[:i], r.from + i*segment
		}
	}
	return found, r.to
}

// addByIUPAC adds the ends of the pattern in a range, the last that is known.
func (st *stream) addByIUPAC(r textRange) {
	needles := st.s.needles[st.pattern]
	spans := st.s.text.spans(r, needles[0].length()+needles[0].k)
	for strand, n := range needles {
		st.ends[strand] = addEnds(n, st.ends[strand], spans)
	}
}

const (
	// hitsAtOnce is how many hits have their ends made at a time.
	hitsAtOnce = 1 << 14
	// startWords hold the ends that checkStart corrects.
	startWords = (MaxLength+MaxDistance)/32 + 2
)

// findOnGPU finds the hits of both strands in a chunk that is on a GPU.
func (st *stream) findOnGPU(g *gpuSearch, _ textRange) (found func() [2][]hit, err error) {
	s := st.s
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	var hits [2][]hit
	scheme := s.schemes[st.pattern]
	for strand, n := range s.needles[st.pattern] {
		if scheme.gpu.table && (s.options.Method == Auto || s.options.Method == "") {
			// It was chosen for many patterns.
			if scheme, err = fastest(n, s.stats.TextLetters, 1, true, anyScheme); err != nil {
				return nil, err
			}
		}
		if hits[strand], err = g.find(*scheme.gpu, n); err != nil {
			return nil, &device.Error{Err: err}
		}
	}
	return func() [2][]hit { return hits }, nil
}

// takeHits locates the ends that hits in a chunk stand for.
func (st *stream) takeHits(r textRange, hits [2][]hit) error {
	s := st.s
	needles := s.needles[st.pattern]
	words := (r.to - r.from + 31) / 32
	for from, to := 0, 0; from < words; from = to {
		to = words
		for _, list := range hits {
			if len(list) > hitsAtOnce {
				to = min(to, int(list[hitsAtOnce].Word))
			}
		}
		to = max(to, from+startWords)
		for strand, n := range needles {
			list, before := hits[strand], len(st.ends[strand])
			count, _ := slices.BinarySearchFunc(list, to, func(h hit, word int) int { return cmp.Compare(int(h.Word), word) })
			ends := appendEnds(list[:count], r.from, st.ends[strand])
			if from == 0 {
				ends = s.checkStart(n, r, ends, before)
			}
			st.ends[strand], hits[strand] = ends, list[count:]
		}
		part := r
		part.from, part.to = r.from+from*32, min(r.from+to*32, r.to)
		st.addByIUPAC(part)
		if err := st.advance(part.to, false); err != nil {
			return err
		}
	}
	return nil
}

// advance locates ends and emits locations, when all ends up to an offset are known. last tells
// that the next end is on another contig.
func (st *stream) advance(known int, last bool) error {
	n := st.s.needles[st.pattern][0]
	edits := n.k > 0 && !n.substitutions
	batch := st.s.options.bounds.batch
	if edits {
		// At most a quarter of a batch has to wait for later ends.
		batch = max(batch, 4*n.lookahead())
	}
	for {
		to := known
		for _, ends := range st.ends {
			if len(ends) > batch {
				to = min(to, ends[batch-1])
			}
		}
		rest := to < known
		if st.ends.count() > 0 {
			if err := st.s.ctx.Err(); err != nil {
				return err
			}
		}
		if err := st.locate(to, last && !rest, batch); err != nil || !rest {
			return err
		}
	}
}

// locate locates the ends up to an offset, as far as later ones cannot change anything, and emits
// what no other location can come before. At most a batch of ends of a strand are up to there.
func (st *stream) locate(to int, last bool, batch int) error {
	strands := st.s.needles[st.pattern]
	decided := to // all locations that end up to there are known
	var parts []locatePart
	var counts [2]int
	var open [2]int // 1 + the part of a strand with undecided ends
	for strand, n := range strands {
		ends := st.ends[strand]
		count, found := slices.BinarySearch(ends, to)
		if found {
			count++
		}
		ends = ends[:count]
		closed := count
		if !last && n.k > 0 && !n.substitutions {
			closed = st.closed(n, ends, to)
		}
		part := locatePart{pattern: st.pattern, strand: strand, before: st.before[strand]}
		parts = appendParts(parts, part, n, ends[:closed])
		counts[strand] = closed
		if closed > 0 {
			st.before[strand] = nil
			part.before = nil
		}
		switch waiting := ends[closed:]; {
		case len(waiting) > batch/2:
			part.ends, part.through = waiting, to-n.lookahead()
			parts = append(parts, part)
			open[strand] = len(parts)
			counts[strand], _ = slices.BinarySearch(ends, part.through+1)
			decided = min(decided, part.through)
		case len(waiting) > 0:
			decided = min(decided, waiting[0]-1)
		}
	}
	lists := st.s.locateParts(parts)
	for strand := range strands {
		if open[strand] > 0 {
			st.before[strand] = parts[open[strand]-1].before
		}
		kept := copy(st.ends[strand], st.ends[strand][counts[strand]:])
		st.ends[strand] = st.ends[strand][:kept]
	}
	for _, list := range lists {
		for i := range list {
			if st.distance < 0 || list[i].Distance == st.distance {
				st.located = append(st.located, list[i])
			}
		}
	}
	return st.release(strands[0], decided, last)
}

// closed returns how many of the ends up to an offset need not be separated together with later
// ones.
func (st *stream) closed(n *needle, ends []int, to int) int {
	i := len(ends)
	if i == 0 {
		return 0
	}
	start := 0
	if contig := st.s.text.contigAt(ends[i-1]); contig >= 0 {
		c := &st.s.text.contigs[contig]
		if c.End() <= to {
			return i
		}
		start = c.Start
	}
	for next := to + 1; i > 0 && ends[i-1] > start && next-ends[i-1] <= n.length()+2*n.k; i-- {
		next = ends[i-1]
	}
	return i
}

// release emits the locations before which no other can be, when all that end up to an offset are
// known. Others end after it, and have at most as many letters as an alignment.
func (st *stream) release(n *needle, decided int, last bool) error {
	slices.SortFunc(st.located, st.order)
	count := len(st.located)
	if !last && n.k > 0 && !n.substitutions {
		for count > 0 {
			l := &st.located[count-1]
			if st.s.text.contigs[l.Contig].Start+l.Start <= decided-n.length()-n.k {
				break
			}
			count--
		}
	}
	if count == 0 {
		return nil
	}
	if err := st.emit(st.located[:count]); err != nil {
		return err
	}
	kept := copy(st.located, st.located[count:])
	clear(st.located[kept:])
	st.located = st.located[:kept]
	return nil
}

// locationBytes is the memory of a location without operations.
const locationBytes = 72

// byStart is byPosition with strands before ends.
func byStart(a, b Location) int {
	return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, boolean(a.Reverse)-boolean(b.Reverse), a.End-b.End)
}

// adder returns a function that adds locations.
func (b *bestFirst) adder(s *searcher) func([]Location) error {
	return func(locations []Location) error {
		b.add(s, locations)
		return nil
	}
}

// add adds locations of the pattern that will be finished next.
func (b *bestFirst) add(s *searcher, locations []Location) {
	for i := range locations {
		l := &locations[i]
		b.counts[l.Distance]++
		b.bytes += locationBytes + 8*len(l.Operations)
	}
	if b.bytes > s.options.bounds.held {
		b.tooMany, b.held = true, nil
	}
	if !b.tooMany {
		b.held = append(b.held, locations...)
	}
}

// finish emits the locations of a pattern.
func (b *bestFirst) finish(s *searcher, pattern int) error {
	held, tooMany, counts := b.held, b.tooMany, b.counts
	*b = bestFirst{held: held[:0]}
	total := 0
	for _, count := range counts {
		total += count
	}
	if total == 0 {
		return nil
	}
	if err := s.options.Announce(pattern, total); err != nil {
		return err
	}
	if !tooMany {
		slices.SortFunc(held, func(a, b Location) int { return cmp.Or(a.Distance-b.Distance, byStart(a, b)) })
		return s.put(held)
	}
	for distance, count := range counts {
		if count == 0 {
			continue
		}
		if err := s.stream(&stream{pattern: pattern, distance: distance, order: byStart, emit: s.put}); err != nil {
			return err
		}
	}
	return nil
}
