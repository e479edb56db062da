package locate

import (
	"cmp"
	"math/bits"
	"sync/atomic"

	"scanmap/dna"
)

// An affineBound tells of most least alignments, without the dynamic program, that they are the
// written ones. It is scratch memory for one goroutine.
//
// Let O be the least alignment of a location, and B another alignment on the diagonals of its
// target. What they share are the bases that both align to the same position. A part is what lies
// between two shared bases next to each other, before the first or after the last, or all of the
// strand if none is shared. A gap lies in one part, as shared bases are pairs. So the affineCost of
// either alignment is a sum over parts, and if that of B is less, it is less in some part.
//
// The events of O are its mismatches and gaps. The span of a part are the bases from the first to
// the last event of O in it, and to the ends of the strand that the part has.
//
// Lemma 6. Let B have x mismatches, G gaps and I inserted bases in a part. Call an end of the part
// open if it is one of the strand's, or if O has a gap there, and let there be e. Then all but x + I
// bases of the part lie in at most x + G - 1 + e runs: stretches that B aligns to one diagonal,
// with matches, and O does not align to it. Proof. G gaps leave G + 1 stretches of pairs on a
// diagonal, of which the first and the last go on from the shared bases on either side. At an end
// that is not open O goes on from the shared base on the same diagonal, so that B does not: the
// stretch has no base in the part. Mismatches cut stretches in two. ∎
//
// So if no run has n bases, the span has at most x + I + (x + G - 1 + e) (n - 1) of them. It is
// longer than that for all x, G and I with which B may cost less, or there is no such B.
//
// B costs less in a part only if its loss there is less, or the same with fewer gap bases, or with
// as many and fewer mismatches. In a part that ends before the strand does, O with that part of B
// in place of its own ends where O does: it has no fewer edits, and if as many, no fewer gap bases,
// as O has the fewest. In an inner part as many deleted bases less inserted ones are O's and B's.
// In a part that is the whole strand B may be taken to have no fewer edits than O: with fewer it
// would not be written, even if it is the best.
//
// Lemma 7. If no B costs less, O is written if its gaps have one base each. Proof. Let T be the
// alignments that cost the same and end with O. They have the edits and gap bases of O. O before
// its gaps were shifted is one of them: it has as many gaps, as none was joined to another. It is
// that of all alignments with so many edits and gap bases to which a traceback leads that prefers
// diagonal, then deletion, then insertion. It is the one to which such a traceback of T leads, too.
// So that one is written, once its gaps are shifted. ∎
//
// If some gaps have several bases, O is written where any B that costs the same differs in parts
// alone that lie inside the strand and have one gap of O and no mismatch. The gap of B there is as
// long, and there is no mismatch: it may be shifted to that of O. In such a part no B costs less,
// because any other gaps lose more.
type affineBound struct {
	events   []event
	segments []segment
}

// An event is a mismatch or a gap, with the bases of the strand in it.
type event struct {
	from, to int32
	sum      events
}

// A segment is bases of the strand that the least alignment has on a diagonal, counted from the
// lowest one of the target.
type segment struct{ from, to, diagonal int32 }

// events counts those of a part.
type events struct{ mismatches, gaps, deleted, inserted int32 }

func (e *events) add(o *events) {
	e.mismatches += o.mismatches
	e.gaps += o.gaps
	e.deleted += o.deleted
	e.inserted += o.inserted
}

// cost leaves out where an alignment starts.
func (e *events) cost() affineCost {
	return affineCost(e.mismatches)*costMismatch + affineCost(e.gaps)*costOpen +
		affineCost(e.deleted)*costDeleted + affineCost(e.inserted)*costInserted
}

// The kinds of parts.
const (
	partInside = iota
	partFirst
	partLast
	partWhole
	partKinds
)

// What reaches are kept for. Alignments with more are left to the dynamic program.
const (
	mostPartMismatches = 12
	mostPartGaps       = 3
	mostPartBases      = 4 // deleted, or inserted
)

// runLengths are lengths n of lemma 6, from the least on. A run of n bases has all bases of one of
// the blocks of so many bases that begin n + 1 less that number after one another.
var runLengths = [...]struct{ run, block int }{{9, 5}, {12, 7}, {16, 9}, {24, 11}, {40, 13}}

// A reach has, for each of the lengths, the most bases of the span of a part in which another
// alignment costs less: reachBits each, and reachKnown.
type reach uint64

const (
	reachBits  = 12
	reachKnown = reach(1 << 63)
)

func (r reach) at(level int) int32 { return int32(r >> uint(reachBits*level) & (1<<reachBits - 1)) }

// reaches are those of parts, once they are known.
var reaches [2 * partKinds * (mostPartMismatches + 1) * (mostPartGaps + 1) * (mostPartBases + 1) * (mostPartBases + 1)]atomic.Uint64

// reachOf returns that of a part with events. With ties, an alignment that costs the same counts,
// too.
func reachOf(kind int, of *events, ties bool) reach {
	i := kind
	if ties {
		i += partKinds
	}
	i = i*(mostPartMismatches+1) + int(of.mismatches)
	i = i*(mostPartGaps+1) + int(of.gaps)
	i = i*(mostPartBases+1) + int(of.deleted)
	i = i*(mostPartBases+1) + int(of.inserted)
	r := reach(reaches[i].Load())
	if r == 0 {
		r = findReach(kind, of, ties)
		reaches[i].Store(uint64(r))
	}
	return r
}

// findReach tries all that another alignment may have in a part.
func findReach(kind int, of *events, ties bool) reach {
	var spans [len(runLengths)]int32
	most := of.cost()
	open := [partKinds]int32{min(of.gaps, 2), 1 + min(of.gaps, 1), 1 + min(of.gaps, 1), 2}[kind]
	for e := (events{}); e.cost() <= most; e.mismatches++ {
		e := e
		for ; e.cost() <= most; e.gaps++ {
			e := e
			for ; e.cost() <= most; e.deleted++ {
				e := e
				for ; e.cost() <= most; e.inserted++ {
					if !e.possible(kind, of) || !ties && e.cost() == most {
						continue
					}
					runs := max(e.mismatches+e.gaps-1+open, 0)
					for i, n := range runLengths {
						spans[i] = max(spans[i], e.mismatches+e.inserted+runs*int32(n.run-1))
					}
				}
			}
		}
	}
	r := reachKnown
	for i, n := range spans {
		r |= reach(n) << uint(reachBits*i)
	}
	return r
}

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
	switch kind {
	case partInside:
		return e.deleted-e.inserted == of.deleted-of.inserted && cmp.Or(edits, bases) >= 0
	case partFirst:
		return cmp.Or(edits, bases) >= 0
	case partWhole:
		return edits >= 0
	}
	return true
}

// settles tells, as far as it can, that the least alignment at a target is the one that is written.
func (b *affineBound) settles(text *dna.Sequence, t *affineTarget, least []Operation, distance int) bool {
	width := t.high - t.low + 1
	level := len(runLengths) - 1
	for level >= 0 && width+runLengths[level].block-1 > dna.WordBases {
		level--
	}
	if level < 0 || t.start+t.low < 0 || t.end+t.high > t.contig.Length || distance > mostPartMismatches {
		return false
	}
	ties, ok := b.list(text, t, least, distance)
	if !ok {
		return false
	}
	if level = b.level(t.strand.Length(), level, ties); level < 0 {
		return false
	}
	return b.noRuns(text, t, width, runLengths[level].run, runLengths[level].block)
}

// list lists the events and segments of an alignment, and tells whether it has a gap of several
// bases. It is not ok if there are too many.
func (b *affineBound) list(text *dna.Sequence, t *affineTarget, least []Operation, distance int) (ties, ok bool) {
	b.events, b.segments = b.events[:0], b.segments[:0]
	i, diagonal := 0, 0
	var sum events
	for _, o := range least {
		n := int(o.Length)
		e := event{from: int32(i), to: int32(i)}
		switch o.Kind {
		case Diagonal:
			b.segments = append(b.segments, segment{int32(i), int32(i + n), int32(diagonal - t.low)})
			b.mismatches(text, t, i, n, diagonal)
			sum.mismatches = int32(len(b.events)) - sum.gaps
			i += n
			continue
		case Insertion:
			i, diagonal = i+n, diagonal-n
			e.to = int32(i)
			e.sum = events{gaps: 1, inserted: o.Length}
		case Deletion:
			diagonal += n
			e.sum = events{gaps: 1, deleted: o.Length}
		}
		ties = ties || n > 1
		sum.add(&e.sum)
		b.events = append(b.events, e)
	}
	ok = sum.mismatches+sum.deleted+sum.inserted == int32(distance) && sum.mismatches <= mostPartMismatches &&
		sum.gaps <= mostPartGaps && sum.deleted <= mostPartBases && sum.inserted <= mostPartBases
	return ties, ok
}

// mismatches lists those of n bases from base i on, on a diagonal from that of the start.
func (b *affineBound) mismatches(text *dna.Sequence, t *affineTarget, i, n, diagonal int) {
	offset := t.contig.Start + t.start + diagonal
	for end := i + n; i < end; i += 64 {
		low, high, amb := t.strand.Planes.Window(i)
		x := Differences(text, offset+i, low, high, amb)
		if end-i < 64 {
			x &= 1<<uint(end-i) - 1
		}
		for ; x != 0; x &= x - 1 {
			at := int32(i + bits.TrailingZeros64(x))
			b.events = append(b.events, event{at, at + 1, events{mismatches: 1}})
		}
	}
}

// level returns the highest of the levels of runLengths, up to one, for which the spans of all
// parts are longer than their reaches; -1 if there is none. m is the length of the strand.
func (b *affineBound) level(m, level int, ties bool) int {
	last := len(b.events) - 1
	for i := range b.events {
		var sum events
		from := b.events[i].from
		for j := i; j <= last; j++ {
			to := b.events[j].to
			sum.add(&b.events[j].sum)
			if j > i {
				level = lower(level, partInside, &sum, to-from, ties)
			}
			if i == 0 {
				level = lower(level, partFirst, &sum, to, ties)
			}
			if j == last {
				level = lower(level, partLast, &sum, int32(m)-from, ties)
			}
			if i == 0 && j == last {
				level = lower(level, partWhole, &sum, int32(m), ties)
			}
			if level < 0 {
				return -1
			}
		}
	}
	return level
}

// lower lowers a level until a span is longer than the reach of its part.
func lower(level, kind int, of *events, span int32, ties bool) int {
	r := reachOf(kind, of, ties && of.gaps > 0)
	for level >= 0 && span <= r.at(level) {
		level--
	}
	return level
}

// noRuns tells that no run as in lemma 6 has so many bases. Bit j of a word stands for diagonal j.
func (b *affineBound) noRuns(text *dna.Sequence, t *affineTarget, width, run, block int) bool {
	m, offset := t.strand.Length(), t.contig.Start+t.start+t.low
	planes, s := t.strand.Planes, 0
	for i := 0; i+block <= m; i += run - block + 1 {
		same := ^uint64(0) >> uint(64-width)
		for int(b.segments[s].to) <= i && s+1 < len(b.segments) {
			s++
		}
		for _, o := range b.segments[s:] {
			if int(o.from) >= i+block {
				break
			}
			same &^= 1 << uint(o.diagonal)
		}
		low, high, amb := planes.Window(i)
		textLow, textHigh, textAmb := dna.Window(text.Low, offset+i), dna.Window(text.High, offset+i), dna.Window(text.Ambiguous, offset+i)
		for r := 0; r < block && same != 0; r++ {
			differs := (textLow ^ -(low & 1)) | (textHigh ^ -(high & 1)) | textAmb | -(amb & 1)
			same &^= differs
			low, high, amb = low>>1, high>>1, amb>>1
			textLow, textHigh, textAmb = textLow>>1, textHigh>>1, textAmb>>1
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
