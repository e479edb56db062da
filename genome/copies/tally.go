package copies

import (
	"fmt"
	"math"

	"scanmap/dna"
)

// strataPerUnit is the number of strata of GC content from 0 to 1, less the last: strata are a
// quarter percent wide, as with fastCN.
const strataPerUnit = 400

// strata is the number of strata.
const strata = strataPerUnit + 1

// A cell has the sums of a stratum in a segment.
type cell struct {
	sum     float64 // of the values
	bases   uint32  // unmasked ones
	stratum uint16
}

// segment is a stretch of a contig, from the end of the one before it.
type segment struct {
	end             int
	gc              int // unmasked G and C
	firstCell, past int // in contigTally.cells
	control         bool
	steps
}

// stretch is the segments of a window.
type stretch struct{ firstSegment, past int }

// contigTally has the sums of a contig.
type contigTally struct {
	segments []segment
	windows  []stretch
	cells    []cell
	unmasked int
}

// Counter takes values and returns copy numbers. One goroutine uses it.
type Counter struct {
	ref                     *dna.Reference
	options                 Options
	masks, controls, region [][]Interval // by contig
	contigs                 []*contigTally
	now                     int // the contig that values are of, -1 before the first
	scan                    scan
}

// New makes a counter for a reference. Its errors are about options.
func New(ref *dna.Reference, o Options) (*Counter, error) {
	if err := o.check(ref); err != nil {
		return nil, err
	}
	n := len(ref.Contigs)
	return &Counter{
		ref: ref, options: o, now: -1, contigs: make([]*contigTally, n),
		masks: byContig(o.Mask, n), controls: byContig(o.Controls, n), region: byContig(o.Regions, n),
		scan: scan{sums: make([]float64, strata), bases: make([]uint32, strata)},
	}, nil
}

// Add takes the value of each of the bases [start, end) of a contig, by its index. Bases that are
// left out have the value 0. All values of a contig come one after the other, in its order; contigs
// come in any order. Values of masked bases count for nothing.
func (c *Counter) Add(contig, start, end int, value float64) error {
	switch {
	case contig < 0 || contig >= len(c.ref.Contigs):
		return fmt.Errorf("the reference has no contig %d", contig)
	case start < 0 || start >= end:
		return fmt.Errorf("from %d to %d there are no bases", start, end)
	case end > c.ref.Contigs[contig].Length:
		return fmt.Errorf("base %d is past the end of %s, which has %d bases", end, c.ref.Contigs[contig].Name, c.ref.Contigs[contig].Length)
	case !(value >= 0) || math.IsInf(value, 0):
		return fmt.Errorf("the value %v is not a depth", value)
	}
	if contig != c.now {
		if c.contigs[contig] != nil {
			return fmt.Errorf("values of %s come after those of another contig", c.ref.Contigs[contig].Name)
		}
		c.endContig()
		c.startContig(contig)
	}
	if start < c.scan.at {
		return fmt.Errorf("base %d of %s comes after base %d", start, c.ref.Contigs[contig].Name, c.scan.at)
	}
	c.scan.to(start, 0)
	c.scan.to(end, value)
	return nil
}

// startContig cuts a contig into windows and segments.
func (c *Counter) startContig(contig int) {
	o, s := &c.options, &c.scan
	t := &contigTally{}
	c.now, c.contigs[contig] = contig, t
	s.codes, t.unmasked = maskedCodes(s.codes, c.ref, contig, c.masks[contig], o.Margin)
	ends := windowEnds(s.codes, t.unmasked, o.Window)
	cuts := segments(ends, c.controls[contig], c.region[contig])
	control := covered(cuts, c.controls[contig])
	t.segments = make([]segment, len(cuts))
	t.windows = make([]stretch, 0, len(ends))
	for i, end := range cuts {
		t.segments[i] = segment{end: end, control: control[i]}
		if end == ends[len(t.windows)] {
			w := stretch{past: i + 1}
			if n := len(t.windows); n > 0 {
				w.firstSegment = t.windows[n-1].past
			}
			t.windows = append(t.windows, w)
		}
	}
	s.start(t, o)
}

// endContig takes the rest of a contig, whose values are 0.
func (c *Counter) endContig() {
	if c.now >= 0 {
		c.scan.to(len(c.scan.codes), 0)
	}
}

// scan goes once along a contig.
type scan struct {
	codes   []byte
	tally   *contigTally
	at      int // the next base
	segment int // that it is in

	// The GC content around base at: of the letters [at-before, at+after), as far as they lie in the
	// contig; ahead is the first one that has not been taken in yet.
	stratify      bool
	before, after int
	ahead         int
	letters, gc   int

	// Sums of the segment, by stratum; touched are the strata that it has.
	sums    []float64
	bases   []uint32
	touched []uint16

	value   float64 // of base at - 1
	changed int     // the base that last differed from the one before it, 0 before the first
	grid    int     // distances between such bases of all contigs are multiples of it
}

func (s *scan) start(t *contigTally, o *Options) {
	s.tally, s.at, s.segment, s.touched = t, 0, 0, s.touched[:0]
	s.stratify = o.GC != None
	s.before = o.GCWindow / 2
	s.after = o.GCWindow - s.before
	s.ahead, s.letters, s.gc = 0, 0, 0
	s.changed = 0
}

// to gives the bases up to end a value.
func (s *scan) to(end int, value float64) {
	for s.at < end {
		stop := min(end, s.tally.segments[s.segment].end)
		if s.at > 0 && (s.codes[s.at-1]|s.codes[s.at])&masked == 0 {
			s.change(value - s.value)
		}
		s.value = value
		n := 0
		if s.stratify {
			n = s.stratified(stop, value)
		} else {
			n = s.plain(stop, value)
		}
		s.tally.segments[s.segment].squares += float64(n) * value * value
		if s.at == s.tally.segments[s.segment].end {
			s.endSegment()
		}
	}
}

// stratified gives a value to the bases up to stop, all of one segment. It returns the number of
// unmasked ones.
func (s *scan) stratified(stop int, value float64) (n int) {
	for ; s.at < stop; s.at++ {
		for ; s.ahead < min(s.at+s.after, len(s.codes)); s.ahead++ {
			s.letters += isLetter(s.codes[s.ahead])
			s.gc += isGC(s.codes[s.ahead])
		}
		if gone := s.at - s.before - 1; gone >= 0 {
			s.letters -= isLetter(s.codes[gone])
			s.gc -= isGC(s.codes[gone])
		}
		if s.codes[s.at]&masked == 0 {
			s.count(stratum(s.gc, s.letters), value)
			n++
		}
	}
	return n
}

// plain is stratified with one stratum for all bases.
func (s *scan) plain(stop int, value float64) (n int) {
	for ; s.at < stop; s.at++ {
		if s.codes[s.at]&masked == 0 {
			s.count(0, value)
			n++
		}
	}
	return n
}

// count takes an unmasked base.
func (s *scan) count(stratum uint16, value float64) {
	if s.bases[stratum] == 0 {
		s.touched = append(s.touched, stratum)
	}
	s.bases[stratum]++
	s.sums[stratum] += value
	s.tally.segments[s.segment].gc += isGC(s.codes[s.at])
}

// endSegment keeps the sums of the segment.
func (s *scan) endSegment() {
	t := s.tally
	g := &t.segments[s.segment]
	g.firstCell = len(t.cells)
	for _, i := range s.touched {
		t.cells = append(t.cells, cell{sum: s.sums[i], bases: s.bases[i], stratum: i})
		s.sums[i], s.bases[i] = 0, 0
	}
	g.past = len(t.cells)
	s.touched = s.touched[:0]
	s.segment++
}

// isLetter is 1 for A, C, G and T, also where they are masked: the GC content of repeats counts for
// the bases beside them, as with fastCN.
func isLetter(code byte) int {
	if code&^masked < dna.AmbiguousCode {
		return 1
	}
	return 0
}

// isGC is 1 for C and G, whose codes are 1 and 2.
func isGC(code byte) int {
	if code &^= masked; code == 1 || code == 2 {
		return 1
	}
	return 0
}

// stratum returns the stratum of a GC content, the nearest one; halves go up.
func stratum(gc, letters int) uint16 {
	return uint16((2*strataPerUnit*gc + letters) / (2 * letters))
}
