package mapper

import "slices"

// pairClass says how the mates of a pair lie to each other.
type pairClass uint8

// The classes. Of pairs that are neither proper nor discordant at most one mate is mapped.
const (
	unpaired pairClass = iota
	properPair
	otherContig
	otherOrientation
	tooNear
	tooFar
	oneEndAnchored
	unmappedPair
)

// discordantNames are the values of the tag XD.
var discordantNames = [...]string{
	otherContig: "contig", otherOrientation: "orientation", tooNear: "near", tooFar: "far", oneEndAnchored: "anchored",
	unmappedPair: "",
}

// discordant tells the classes whose records are also written apart.
func (c pairClass) discordant() bool { return discordantNames[c] != "" }

// choosePairs is choose for pairs.
func (w *worker) choosePairs(b *batch, from, to int) (aligned int) {
	w.chosen = resize(w.chosen, to-from)
	w.pairing.b = b
	for i := 0; i < to-from; i += 2 {
		aligned += w.choosePair(b, from+i, w.spans[i:i+2], w.chosen[i:i+2])
	}
	return aligned
}

// choosePair makes the choices for the mates that are reads read and read+1 of the batch.
func (w *worker) choosePair(b *batch, read int, spans []span, chosen []choice) (aligned int) {
	p := &w.pairing
	pairs := w.stats.Libraries[b.library.index].Pairs
	class, bounded, rescued := unmappedPair, false, -1
	empty := [2]bool{spans[0].from == spans[0].to, spans[1].from == spans[1].to}
	switch {
	case !empty[0] && !empty[1]:
		class, bounded = w.joinPair(b, read, spans, false)
	case empty[0] != empty[1]:
		class = oneEndAnchored
		lost := 0
		if empty[1] {
			lost = 1
		}
		var found bool
		if found, bounded = w.rescue(b, read, spans, lost); found {
			class, rescued = properPair, lost
		}
	}
	if bounded {
		pairs.Bounded++
	}
	for x := range chosen {
		if class == oneEndAnchored || class == unmappedPair {
			aligned += w.chooseAlone(b, read+x, spans[x], &chosen[x])
		} else {
			aligned += w.chooseMate(b, read+x, spans[x], &p.mates[x], &chosen[x])
		}
		chosen[x].pair, chosen[x].rescued = class, x == rescued
	}
	if rescued >= 0 {
		pairs.Rescued++
	}
	pairs.count(class)
	return aligned
}

// joinPair chooses the primary locations of two mates that have some.
func (w *worker) joinPair(b *batch, read int, spans []span, onlyProper bool) (class pairClass, bounded bool) {
	p := &w.pairing
	for x, s := range spans {
		p.set(x, read+x, w.locations[s.from:s.to])
	}
	bounded = !p.combine()
	if onlyProper && len(p.ties) == 0 {
		return oneEndAnchored, bounded
	}
	p.choose(onlyProper)
	first, second := p.primary(0), p.primary(1)
	class, insert := w.m.options.Pairs.classify(b.library.insert, first, second)
	if class == properPair {
		w.stats.Libraries[b.library.index].Pairs.Insert.count(insert)
	}
	return class, bounded
}

// rescue seeks the mate that has no location near the other, and keeps the best one found.
func (w *worker) rescue(b *batch, read int, spans []span, lost int) (found, bounded bool) {
	p := &w.pairing
	anchor := spans[1-lost]
	p.set(1-lost, read+1-lost, w.locations[anchor.from:anchor.to])
	before := len(w.locations)
	var all bool
	w.locations, all = p.rescue(w.locations, lost)
	if len(w.locations) == before {
		return false, !all
	}
	spans[lost] = span{before, len(w.locations)}
	p.partial = !all
	class, bounded := w.joinPair(b, read, spans, true)
	p.partial = false
	if class != properPair {
		spans[lost] = span{before, before}
		return false, bounded || !all
	}
	mate := &p.mates[lost]
	w.locations[before] = mate.locations[mate.primary]
	mate.locations, mate.primary = w.locations[before:before+1], 0
	spans[lost].to = before + 1
	return true, bounded || !all
}

// primary returns the primary location of a mate, aligned.
func (p *pairing) primary(mate int) *location {
	m := &p.mates[mate]
	l := &m.locations[m.primary]
	p.align(mate, l)
	return l
}

// classify returns the class of a pair whose primary locations are first and second, and its insert size if it is proper.
func (o *PairOptions) classify(model *insertModel, first, second *location) (pairClass, int) {
	insert, ok := o.insert(first, second)
	switch {
	case first.place.contig() != second.place.contig():
		return otherContig, 0
	case !ok:
		return otherOrientation, 0
	case insert < model.low:
		return tooNear, 0
	case insert > model.high:
		return tooFar, 0
	}
	return properPair, insert
}

// chooseMate is chooseAlone for a mate whose primary location its pair has chosen.
func (w *worker) chooseMate(b *batch, read int, s span, m *pairedMate, c *choice) (aligned int) {
	all := w.locations[s.from:s.to]
	primary := m.locations[m.primary]
	*c = choice{from: s.from, to: s.from, mapQ: m.quality}
	w.count(b, read, all)
	c.second = w.second()
	if best := int32(w.best()); primary.distance > best {
		c.second = best
	}
	reported := w.reported(all, &primary)
	if len(reported) == 0 {
		return 0
	}
	w.arrange(b, read, reported)
	i := slices.IndexFunc(reported, func(l location) bool { return compareSites(&l, &primary) == 0 })
	primary = reported[i]
	copy(reported[1:i+1], reported[:i])
	reported[0] = primary
	c.to = s.from + w.limit(len(reported))
	return len(reported)
}

// count counts a pair by its class.
func (p *PairStats) count(class pairClass) {
	p.Pairs++
	switch class {
	case properPair:
		p.Proper++
	case oneEndAnchored:
		p.OneEndAnchored++
	case unmappedPair, unpaired:
		p.Unmapped++
	case otherContig:
		p.OtherContig++
	case otherOrientation:
		p.OtherOrientation++
	case tooNear:
		p.TooNear++
	case tooFar:
		p.TooFar++
	}
	if class.discordant() && class != oneEndAnchored {
		p.Discordant++
	}
}

// insertCounts is the number of insert sizes that are counted each: more than mate pairs have.
const insertCounts = 1 << 17

func (s *InsertStats) count(insert int) {
	if insert >= insertCounts {
		s.Longer++
		return
	}
	s.Counts = increment(s.Counts, insert)
}
