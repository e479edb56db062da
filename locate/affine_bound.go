package locate

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"scanmap/dna"
)

// An affineBound tells of most least alignments, without the dynamic program, that they are the
// written ones. It is scratch memory for one goroutine.
//
// Let O be the least alignment of a location, and B another alignment on the diagonals of its
// target. They share the bases that both align to the same position. A part is what lies between
// two shared bases next to each other, before the first or after the last, or all of the strand if
// none is shared. A gap lies in one part, as shared bases are pairs. The affineCost of either
// alignment is therefore a sum over parts, and if B's is less, it is less in some part.
//
// The events of O are its mismatches and gaps. The span of a part are the bases from the first to
// the last event of O in it, and to the ends of the strand that the part has.
//
// Lemma 6. Let B have x mismatches, G gaps and I inserted bases in a part. Call an end of the part
// open if it is one of the strand's, or if O has a gap there, and let there be e such ends. Then
// all but x + I bases of the part lie in at most x + G - 1 + e runs: stretches that B aligns to one
// diagonal, with matches, and O does not align to it. Proof. G gaps leave G + 1 stretches of pairs
// on a diagonal. The first and the last go on from the shared bases on either side. At an end that
// is not open O goes on from the shared base on the same diagonal, so that B does not: the stretch
// has no base in the part. Mismatches cut stretches in two. ∎
//
// If no run has n bases, the span therefore has at most x + I + (x + G - 1 + e) (n - 1) bases. It
// is longer than that for all x, G and I with which B may cost less, or there is no such B.
//
// The stretch at an open end begins there, unless B has an insertion at the end of the strand. The
// best one has no insertion of one or two bases: pairs instead lose no more, and have fewer gap
// bases. At a gap of O it goes on with O's diagonal from the other side. It is no longer than such
// a stretch with its mismatches can be at all, which is often less than a run (anchors).
//
// B costs less in a part only if its loss there is less, or the same with fewer gap bases, or with
// as many and fewer mismatches. In a part that ends before the strand does, O with B's part instead
// of its own ends where O does: it has no fewer edits, and if as many, no fewer gap bases, as O has
// the fewest. In an inner part as many deleted bases less inserted ones are O's and B's. In a part
// that is the whole strand B may be taken to have no fewer edits than O: with fewer it would not be
// written, even if it is the best.
//
// Lemma 8. If no B costs less, O is written if its gaps have one base each. Proof. Let T be the
// alignments that cost the same and end with O. They have the edits and gap bases of O. O before
// its gaps were shifted is in T: it has as many gaps, as none was joined to another. A traceback
// that prefers diagonal, then deletion, then insertion leads to it among all alignments with as
// many edits and gap bases. The same traceback leads to it among T. It is therefore written, once
// its gaps are shifted. ∎
//
// If some gaps have several bases, O is written where any B that costs the same differs in parts
// alone that lie inside the strand and have one gap of O and no mismatch. The gap of B there is as
// long, and there is no mismatch: it may be shifted to O's gap. In such a part no B costs less,
// because any other gaps lose more.
type affineBound struct {
	events   []event
	segments []segment
	ends     [2]anchor // of the strand
	anchored [2]bool   // whether each end is known
	parts    parts
}

// An event is a mismatch or a gap, with the bases of the strand in it.
type event struct {
	from, to int32
	key      int32 // of events
	gaps     int32 // 1 for a gap
	// A gap: the diagonals before and after it, counted from the diagonal of the start.
	before, after int32
}

// An anchor has how long a stretch that begins at a base and goes one way can be, by the number of
// its mismatches.
type anchor [mostAnchored + 1]int32

// mostAnchored is the most mismatches that are looked at. Stretches with more may have any length.
const mostAnchored = 4

func (a *anchor) at(mismatches int32) int32 {
	if mismatches > mostAnchored {
		return unreachable
	}
	return a[mismatches]
}

// A segment is bases of the strand that the least alignment has on a diagonal, counted from the
// lowest one of the target.
type segment struct{ from, to, diagonal int32 }

// events counts the events of a part.
type events struct{ mismatches, gaps, deleted, inserted int32 }

// The share of each event in a key, so that keys add up.
const (
	keyInserted = 1
	keyDeleted  = keyInserted * (mostPartBases + 1)
	keyGap      = keyDeleted * (mostPartBases + 1)
	keyMismatch = keyGap * (mostPartGaps + 1)
	keys        = keyMismatch * (mostPartMismatches + 1)
)

func eventsOf(key int32) *events {
	return &events{key / keyMismatch, key % keyMismatch / keyGap, key % keyGap / keyDeleted, key % keyDeleted}
}

// cost leaves out where an alignment starts.
func (e *events) cost() affineCost {
	return affineCost(e.mismatches)*costMismatch + affineCost(e.gaps)*costOpen +
		affineCost(e.deleted)*costDeleted + affineCost(e.inserted)*costInserted
}

// The kinds of parts, by their ends that are open.
const (
	partInside = 0 // and the number of gaps at its ends
	partFirst  = 3 // likewise
	partLast   = 5
	partWhole  = 7
	partAlone  = 8 // all of the strand, with any number of edits
	partKinds  = 9
)

// open is the number of open ends.
var open = [partKinds]int32{0, 1, 2, 1, 2, 1, 2, 2, 2}

// The events up to which rivals are known. Alignments with more are left to the dynamic program.
const (
	mostPartMismatches = 12
	mostPartGaps       = 3
	mostPartBases      = 4 // deleted, or inserted
)

// runLengths are lengths n of lemma 6, from the least on, each with a length b of blocks. If a
// block of b bases begins after every n + 1 - b bases, a run of n bases has all bases of some
// block.
var runLengths = [...]struct{ run, block int }{{9, 5}, {12, 7}, {16, 9}, {24, 11}, {40, 13}}

// rivals are what other alignments may have in a part that cost less than the least one there.
type rivals struct {
	// spans has, for each of runLengths, the most bases of the span of a part in which they may.
	spans [len(runLengths)]int32
	// all are the rivals, without rivals that have no more of anything than another one.
	all []rival
}

// A rival has what another alignment may have, and the most bases that it has deleted or inserted.
type rival struct{ mismatches, gaps, inserted, widest int32 }

// knownRivals are the rivals of parts, once they are known: of events in the order of their keys,
// for each kind, and then again with ties.
var knownRivals [2 * partKinds * keys]atomic.Pointer[rivals]

// rivalsOf returns the rivals of a part with events. With ties, an alignment that costs the same
// counts, too.
func rivalsOf(kind int, key int32, ties bool) *rivals {
	i := kind*keys + int(key)
	if ties {
		i += partKinds * keys
	}
	r := knownRivals[i].Load()
	if r == nil {
		r = findRivals(kind, eventsOf(key), ties)
		knownRivals[i].Store(r)
	}
	return r
}

// findRivals tries all that another alignment may have in a part. Where it may have some deleted
// bases, and may have more, that is no less in anything.
func findRivals(kind int, of *events, ties bool) *rivals {
	r := &rivals{}
	most := of.cost()
	for e := (events{}); e.cost() <= most; e.mismatches++ {
		e := e
		for ; e.cost() <= most; e.gaps++ {
			e := e
			for ; e.cost() <= most; e.inserted++ {
				for e.deleted = int32(most.loss() - e.cost().loss()); e.deleted >= 0; e.deleted-- {
					if c := e.cost(); c <= most && (ties || c < most) && e.possible(kind, of) {
						r.add(rival{e.mismatches, e.gaps, e.inserted, max(e.deleted, e.inserted)})
						break
					}
				}
				e.deleted = 0
			}
		}
	}
	for _, x := range r.all {
		runs := max(x.mismatches+x.gaps-1+open[kind], 0)
		for i, n := range runLengths {
			r.spans[i] = max(r.spans[i], x.mismatches+x.inserted+runs*int32(n.run-1))
		}
	}
	return r
}

// add adds a rival, and removes rivals that have no more of anything. A rival without gaps is
// compared with such ones alone, as is one with long insertions, which may be at an end.
func (r *rivals) add(x rival) {
	covers := func(x, y rival) bool {
		return x.mismatches >= y.mismatches && x.gaps >= y.gaps && x.inserted >= y.inserted && x.widest >= y.widest &&
			(x.gaps == 0) == (y.gaps == 0) && (x.inserted >= leastAtEnd) == (y.inserted >= leastAtEnd)
	}
	if slices.ContainsFunc(r.all, func(y rival) bool { return covers(y, x) }) {
		return
	}
	r.all = append(slices.DeleteFunc(r.all, func(y rival) bool { return covers(x, y) }), x)
}

// leastAtEnd is the least insertion at an end of the strand in a best alignment.
const leastAtEnd = 3

// possible tells whether another alignment that costs no more may have e in a part where the least
// one has of.
func (e *events) possible(kind int, of *events) bool {
	least := int32(0)
	if e.deleted > 0 {
		least++
	}
	if e.inserted > 0 {
		least++
	}
	if e.gaps < least || e.gaps > e.deleted+e.inserted {
		return false
	}
	edits := cmp.Compare(e.mismatches+e.deleted+e.inserted, of.mismatches+of.deleted+of.inserted)
	bases := cmp.Compare(e.deleted+e.inserted, of.deleted+of.inserted)
	switch {
	case kind < partFirst:
		return e.deleted-e.inserted == of.deleted-of.inserted && cmp.Or(edits, bases) >= 0
	case kind < partLast:
		return cmp.Or(edits, bases) >= 0
	case kind == partWhole:
		return edits >= 0
	}
	return true
}

// settles tells, as far as it can, that the least alignment at a target is the written one. If not,
// it leaves out diagonals of the target, as lemma 9 allows.
func (b *affineBound) settles(text *dna.Sequence, t *affineTarget, least []Operation, distance int) bool {
	top := len(runLengths) - 1
	for top >= 0 && t.high-t.low+runLengths[top].block > dna.WordBases {
		top--
	}
	m := t.strand.Length()
	if top < 0 || t.start+t.low < 0 || max(t.start+m, t.end)+t.high > t.contig.Length || distance > mostPartMismatches {
		return false
	}
	ties, ok := b.list(text, t, least, distance)
	if !ok {
		return false
	}
	p := &b.parts
	*p = parts{bound: b, text: text, target: t, level: top, ties: ties}
	p.lower()
	if p.level >= 0 && b.noRuns(text, t, p.level) {
		return true
	}
	p.narrow(max(p.level+1, leastToNarrow), top, least)
	return false
}

// list lists the events and segments of an alignment, and tells whether it has a gap of several
// bases. It is not ok if there are too many.
func (b *affineBound) list(text *dna.Sequence, t *affineTarget, least []Operation, distance int) (ties, ok bool) {
	b.events, b.segments, b.anchored = b.events[:0], b.segments[:0], [2]bool{}
	i, diagonal := 0, 0
	var sum events
	for _, o := range least {
		n := int(o.Length)
		if o.Kind == Diagonal {
			b.segments = append(b.segments, segment{int32(i), int32(i + n), int32(diagonal - t.low)})
			b.mismatches(text, t, i, n, diagonal)
			i += n
			continue
		}
		e := event{from: int32(i), before: int32(diagonal), gaps: 1}
		if o.Kind == Insertion {
			i, diagonal = i+n, diagonal-n
			sum.inserted += o.Length
			e.key = keyGap + keyInserted*o.Length
		} else {
			diagonal += n
			sum.deleted += o.Length
			e.key = keyGap + keyDeleted*o.Length
		}
		e.to, e.after = int32(i), int32(diagonal)
		ties = ties || n > 1
		sum.gaps++
		b.events = append(b.events, e)
	}
	sum.mismatches = int32(len(b.events)) - sum.gaps
	ok = len(b.segments) > 0 && sum.mismatches+sum.deleted+sum.inserted == int32(distance) && sum.mismatches <= mostPartMismatches &&
		sum.gaps <= mostPartGaps && sum.deleted <= mostPartBases && sum.inserted <= mostPartBases
	return ties, ok
}

// mismatches lists the mismatches of n bases from base i on, on a diagonal counted from the
// diagonal of the start.
func (b *affineBound) mismatches(text *dna.Sequence, t *affineTarget, i, n, diagonal int) {
	offset := t.contig.Start + t.start + diagonal
	for end := i + n; i < end; i += 64 {
		for x := t.strand.Planes.differencesFrom(text, offset+i, i, end-i); x != 0; x &= x - 1 {
			at := int32(i + bits.TrailingZeros64(x))
			b.events = append(b.events, event{from: at, to: at + 1, key: keyMismatch})
		}
	}
}

// unknown lets stretches with this many mismatches or more have any length.
func (a *anchor) unknown(mismatches int) {
	for i := mismatches; i < len(a); i++ {
		a[i] = unreachable
	}
}

// anchor finds the anchor of a stretch on a diagonal counted from the diagonal of the start, from
// base i on or back from it.
func (t *affineTarget) anchor(text *dna.Sequence, a *anchor, i, diagonal int, back bool) {
	n, at := min(t.strand.Length()-i, 64), t.contig.Start+t.start+diagonal+i
	var differs uint64
	if back {
		n = min(i, 64)
	}
	if n == 0 {
		a.unknown(0)
		return
	}
	if back {
		differs = bits.Reverse64(t.strand.Planes.differencesFrom(text, at-n, i-n, n)) >> uint(64-n)
	} else {
		differs = t.strand.Planes.differencesFrom(text, at, i, n)
	}
	for c := range a {
		a[c] = int32(bits.TrailingZeros64(differs))
		if a[c] >= int32(n) {
			a.unknown(c)
			return
		}
		differs &= differs - 1
	}
}

// parts looks at the parts of a least alignment.
type parts struct {
	bound  *affineBound
	text   *dna.Sequence
	target *affineTarget
	level  int // of runLengths
	ties   bool
	// The part at hand.
	first, last *event
	key, gaps   int32
	left, right anchor // of gaps at its ends
	// widest is the highest widest of the rivals that have room.
	widest int32
}

// each calls use for the kind and the span of each part in which others may cost less, as long as
// use returns true.
func (p *parts) each(use func(p *parts, kind int, span int32) bool) bool {
	all := p.bound.events
	m, last := int32(p.target.strand.Length()), len(all)-1
	for i := range all {
		p.first, p.key, p.gaps = &all[i], 0, 0
		after := int(p.first.gaps) // a gap at this end of the part
		for j := i; j <= last; j++ {
			p.last = &all[j]
			before := int(p.last.gaps)
			p.key += p.last.key
			p.gaps += p.last.gaps
			if p.key == keyMismatch {
				continue // a gap loses more
			}
			if j > i && (p.gaps > 0 || p.key >= leastInside*keyMismatch) && !use(p, partInside+after+before, p.last.to-p.first.from) ||
				i == 0 && !use(p, partFirst+before, p.last.to) ||
				j == last && !use(p, partLast+after, m-p.first.from) ||
				i == 0 && j == last && !use(p, partWhole, m) {
				return false
			}
		}
	}
	return true
}

// leastInside is the least mismatches of a part inside the strand in which others may cost less: an
// insertion and a deletion of one base lose as much as three.
const leastInside = 4

// lower lowers the level until no rivals have room in any part, or to -1 if they always have.
func (p *parts) lower() {
	p.each(func(p *parts, kind int, span int32) bool {
		r := p.rivals(kind, p.ties)
		for p.level > mostToAnchor && span <= r.spans[p.level] {
			p.level--
		}
		for p.level >= 0 && p.room(r, kind, span) {
			p.level--
		}
		return p.level >= 0
	})
}

// mostToAnchor is the last level of runLengths for which anchors are worth their time.
const mostToAnchor = 2

// narrow narrows the target by the first of the levels in [level, top] that allows it.
//
// Lemma 9. Where no run has n bases, look at the parts in which there is room for rivals, also for
// rivals that cost the same. Let the whole strand, with any number of edits, not be among these
// parts, and let no rival there have more than x bases deleted or inserted. Then the best
// alignments, and all others that cost the same, lie on the diagonals of O and x beside them.
// Proof. Each of these alignments shares bases with O, and none of its parts costs more than O's
// part, which could replace it. Each part is therefore O's, a rival, or a gap of O that was moved.
// It begins or ends with a shared base. ∎
func (p *parts) narrow(level, top int, least []Operation) {
	t := p.target
	low, high := diagonals(least)
	for p.level = level; p.level <= top; p.level++ {
		p.widest = 0
		if !p.each((*parts).widen) {
			return
		}
		lowest, highest := max(t.low, low-int(p.widest)), min(t.high, high+int(p.widest))
		if lowest == t.low && highest == t.high {
			return
		}
		if p.bound.noRuns(p.text, t, p.level) {
			t.low, t.high = lowest, highest
			return
		}
	}
}

// leastToNarrow is the first level of runLengths for which it is tried to narrow a target.
const leastToNarrow = 1

// widen sets widest to the highest of the rivals in a part. It returns false for the whole strand.
func (p *parts) widen(kind int, span int32) bool {
	if kind == partWhole {
		return !p.room(p.rivals(partAlone, true), partAlone, span)
	}
	r := p.rivals(kind, true)
	if span > r.spans[p.level] {
		return true
	}
	left, right := p.anchors(kind)
	for _, x := range r.all {
		if x.widest > p.widest && x.room(left, right, kind, int32(runLengths[p.level].run-1)) >= span {
			p.widest = x.widest
		}
	}
	return true
}

// rivals returns the rivals of the part. Without gaps nothing costs the same.
func (p *parts) rivals(kind int, ties bool) *rivals {
	return rivalsOf(kind, p.key, ties && p.gaps > 0)
}

// room tells whether rivals have room in a span of the part, where no run has the bases of the
// level.
func (p *parts) room(r *rivals, kind int, span int32) bool {
	if span > r.spans[p.level] || open[kind] == 0 {
		return span <= r.spans[p.level]
	}
	left, right := p.anchors(kind)
	for _, x := range r.all {
		if x.room(left, right, kind, int32(runLengths[p.level].run-1)) >= span {
			return true
		}
	}
	return false
}

// anchors returns the anchors of the open ends of a part; nil for other ends.
func (p *parts) anchors(kind int) (left, right *anchor) {
	switch {
	case kind >= partFirst && kind < partLast || kind >= partWhole:
		left = p.bound.end(p.text, p.target, 0)
	case kind < partFirst && p.first.gaps > 0 || kind == partLast+1:
		left = &p.left
		p.target.anchor(p.text, left, int(p.first.from), int(p.first.before), false)
	}
	switch {
	case kind >= partLast:
		right = p.bound.end(p.text, p.target, 1)
	case kind < partLast && p.last.gaps > 0:
		right = &p.right
		p.target.anchor(p.text, right, int(p.last.to), int(p.last.after), true)
	}
	return left, right
}

// room returns the most bases of a span with a rival.
func (x rival) room(left, right *anchor, kind int, run int32) (most int32) {
	if kind >= partFirst && x.inserted >= leastAtEnd {
		return x.mismatches + x.inserted + max(x.mismatches+x.gaps-1+open[kind], 0)*run
	}
	if x.gaps == 0 {
		if left == nil || right == nil {
			return 0
		}
		return min(left.at(x.mismatches), right.at(x.mismatches))
	}
	for before := int32(0); before <= x.mismatches; before++ {
		l := int32(0)
		if left != nil {
			l = left.at(before)
		} else if before > 0 {
			break
		}
		for after := int32(0); before+after <= x.mismatches; after++ {
			n := l
			if right != nil {
				n += right.at(after)
			} else if after > 0 {
				break
			}
			if inside := x.mismatches - before - after; x.gaps > 1 {
				n += inside + (inside+x.gaps-1)*run
			}
			most = max(most, n)
		}
	}
	return most + x.inserted
}

// end returns the anchor at an end of the strand, on all diagonals on which the least alignment is
// not.
func (b *affineBound) end(text *dna.Sequence, t *affineTarget, end int) *anchor {
	a := &b.ends[end]
	if b.anchored[end] {
		return a
	}
	b.anchored[end] = true
	m, width := t.strand.Length(), t.high-t.low+1
	// Bases from i on are looked at, and of the text as many more as there are diagonals.
	s, n, i := &b.segments[0], min(m, dna.WordBases-width+1), 0
	if end == 1 {
		s, i = &b.segments[len(b.segments)-1], m-n
	}
	if end == 0 && s.from > 0 || end == 1 && int(s.to) < m {
		a.unknown(0)
		return a
	}
	offset := t.contig.Start + t.start + t.low + i
	low, high, amb := t.strand.Planes.Window(i)
	textLow, textHigh, textAmb := dna.Window(text.Low, offset), dna.Window(text.High, offset), dna.Window(text.Ambiguous, offset)
	// within[c] are the diagonals with at most c mismatches so far.
	var within [mostAnchored + 1]uint64
	for c := range within {
		within[c] = ^uint64(0) >> uint(64-width) &^ (1 << uint(s.diagonal))
	}
	c := 0
	for done := range min(n, int(s.to-s.from)) {
		r := uint(done)
		if end == 1 {
			r = uint(n-1) - r
		}
		differs := (textLow>>r ^ -(low >> r & 1)) | (textHigh>>r ^ -(high >> r & 1)) | textAmb>>r | -(amb >> r & 1)
		for x := mostAnchored; x > 0; x-- {
			within[x] &= within[x-1] | ^differs
		}
		within[0] &^= differs
		for c < len(a) && within[c] == 0 {
			a[c] = int32(done)
			c++
		}
		if c == len(a) {
			break
		}
	}
	a.unknown(c)
	return a
}

// noRuns tells that no run as in lemma 6 has the bases of a level. Bit j of a word stands for
// diagonal j.
func (b *affineBound) noRuns(text *dna.Sequence, t *affineTarget, level int) bool {
	run, block := runLengths[level].run, runLengths[level].block
	m, offset := t.strand.Length(), t.contig.Start+t.start+t.low
	planes, s := t.strand.Planes, 0
	for i := 0; i+block <= m; i += run - block + 1 {
		same := ^uint64(0) >> uint(64-(t.high-t.low+1))
		for int(b.segments[s].to) <= i && s+1 < len(b.segments) {
			s++
		}
		for _, o := range b.segments[s:] {
			if int(o.from) >= i+block {
				break
			}
			same &^= 1 << uint(o.diagonal)
		}
		// An ambiguous letter counts as some other here: runs only become longer.
		low, high, _ := planes.Window(i)
		textLow, textHigh := dna.Window(text.Low, offset+i), dna.Window(text.High, offset+i)
		for r := uint(0); r < uint(block) && same != 0; r++ {
			same &^= (textLow>>r ^ -(low >> r & 1)) | (textHigh>>r ^ -(high >> r & 1))
		}
		if same != 0 && b.longest(text, t, i, block, same) >= run {
			return false
		}
	}
	return true
}

// longest bounds the length of runs through a block of bases from i on, on diagonals that are bits.
func (b *affineBound) longest(text *dna.Sequence, t *affineTarget, i, block int, diagonals uint64) (run int) {
	for ; diagonals != 0; diagonals &= diagonals - 1 {
		at := t.start + t.low + bits.TrailingZeros64(diagonals)
		run = max(run, block+t.matchesBefore(text, i, at)+t.matchesAfter(text, i+block, at))
	}
	return run
}

// matchesAfter returns how many bases from base i on match without a break, when base 0 lies at a
// contig position.
func (t *affineTarget) matchesAfter(text *dna.Sequence, i, at int) (run int) {
	for {
		n := min(t.strand.Length()-i, t.contig.Length-at-i, 64)
		if n <= 0 {
			return run
		}
		low, high, amb := t.strand.Planes.Window(i)
		same := bits.TrailingZeros64(Differences(text, t.contig.Start+at+i, low, high, amb))
		if same < n {
			return run + same
		}
		run, i = run+n, i+n
	}
}
