package track

import (
	"io"
	"strconv"
)

// A line of bedGraph is CONTIG, START, END and VALUE with tabs between them, 0-based and half-open.
// The value is the shortest decimal that reads back as the same float32, without an exponent, and
// without a point where it is a whole number.

// textBuffer is how much text is written at a time.
const textBuffer = 1 << 16

// WriteBedGraph writes the values of all contigs as bedGraph, without header lines.
func WriteBedGraph(w io.Writer, contigs []Contig, v Values) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	out := output{w: w}
	text := make([]byte, 0, 2*textBuffer)
	err := each(contigs, v, func(contig, start, end int, value float32) error {
		text = appendLine(text, contigs[contig].Name, start, end, value)
		if len(text) < textBuffer {
			return nil
		}
		err := out.write(text)
		text = text[:0]
		return err
	})
	if err != nil || len(text) == 0 {
		return err
	}
	return out.write(text)
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
