package track

import (
	"io"
	"strconv"

	"scanmap/internal/bgzf"
)

// A line of bedGraph is CONTIG, START, END and VALUE with tabs between them, 0-based and half-open.
// The value is the shortest decimal that reads back as the same float32, without an exponent, and
// without a point where it is a whole number.

// textBuffer is how much text is written at a time, at least.
const textBuffer = 1 << 16

// WriteBedGraph writes the values of all contigs as bedGraph, without header lines. The lines are
// made by threads goroutines.
func WriteBedGraph(w io.Writer, contigs []Contig, v Values, threads int) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	out := output{w: w}
	text := make([]byte, 0, 2*textBuffer)
	return writeLines(contigs, v, threads, func(_ int, lines []byte, _ []group) error {
		text = append(text, lines...)
		if len(text) < textBuffer && lines != nil || len(text) == 0 {
			return nil
		}
		err := out.write(text)
		text = text[:0]
		return err
	})
}

// A lineInterval is what a line says of its contig.
type lineInterval struct {
	start, end int
	value      float32
}

// A group is lines that follow each other and that an index takes for one: they all lie in one of
// the smallest bins, or there is only one.
type group struct {
	start, end int // bases
	bytes      int
}

// textPart has the lines of a stretch. The first and the last one may go on in other stretches, and
// are kept as numbers.
type textPart struct {
	name        func(contig int) string
	contig      int
	intervals   int
	first, last lineInterval // last only with two intervals or more
	text        []byte       // of the others
	groups      []group
}

func (p *textPart) begin(contig int) {
	p.contig, p.intervals, p.text, p.groups = contig, 0, p.text[:0], p.groups[:0]
}

func (p *textPart) add(start, end int, value float32) {
	l := lineInterval{start, end, value}
	switch {
	case p.intervals == 0:
		p.first = l
	case p.intervals > 1:
		p.text, p.groups = appendGrouped(p.text, p.groups, p.name(p.contig), p.last)
		fallthrough
	default:
		p.last = l
	}
	p.intervals++
}

func (*textPart) finish() {}

// appendGrouped appends a line to text and to groups.
func appendGrouped(text []byte, groups []group, name string, l lineInterval) ([]byte, []group) {
	before := len(text)
	text = appendLine(text, name, l.start, l.end, l.value)
	n := len(text) - before
	if i := len(groups) - 1; i >= 0 && groups[i].start>>bgzf.Shift == (l.end-1)>>bgzf.Shift {
		groups[i].end = l.end
		groups[i].bytes += n
		return text, groups
	}
	return text, append(groups, group{l.start, l.end, n})
}

// writeLines makes the lines of all contigs, and hands them to put in order: the lines of a contig
// with their groups, and nil at the end.
func writeLines(contigs []Contig, v Values, threads int, put func(contig int, lines []byte, groups []group) error) error {
	name := func(contig int) string { return contigs[contig].Name }
	// The interval that is held back, because the next stretch may go on with it; contig is -1 for
	// nothing.
	contig, held := -1, lineInterval{}
	var line []byte
	var one [1]group
	putLine := func(l lineInterval) error {
		var groups []group
		line, groups = appendGrouped(line[:0], one[:0], name(contig), l)
		return put(contig, line, groups)
	}
	err := overStretches(contigs, v, threads, func() *textPart { return &textPart{name: name} }, func(p *textPart) error {
		if p.intervals == 0 {
			return nil
		}
		first := p.first
		if contig == p.contig && held.end == first.start && held.value == first.value {
			first.start = held.start
		} else if contig >= 0 {
			if err := putLine(held); err != nil {
				return err
			}
		}
		if contig, held = p.contig, first; p.intervals == 1 {
			return nil
		}
		if err := putLine(first); err != nil {
			return err
		}
		if held = p.last; p.intervals == 2 {
			return nil
		}
		return put(contig, p.text, p.groups)
	})
	if err == nil && contig >= 0 {
		err = putLine(held)
	}
	if err != nil || contig < 0 {
		return err
	}
	return put(contig, nil, nil)
}

func appendLine(b []byte, contig string, start, end int, value float32) []byte {
	b = append(b, contig...)
	b = append(b, '\t')
	b = strconv.AppendUint(b, uint64(start), 10)
	b = append(b, '\t')
	b = strconv.AppendUint(b, uint64(end), 10)
	b = append(b, '\t')
	b = appendValue(b, value)
	return append(b, '\n')
}

// wholeBelow is a bound below which float32 has all whole numbers, so that none has a shorter
// decimal than itself. They are most values, and AppendInt is faster.
const wholeBelow = 1 << 24

func appendValue(b []byte, value float32) []byte {
	if -wholeBelow < value && value < wholeBelow {
		if whole := int32(value); float32(whole) == value {
			return strconv.AppendInt(b, int64(whole), 10)
		}
	}
	return strconv.AppendFloat(b, float64(value), 'f', -1, 32)
}
