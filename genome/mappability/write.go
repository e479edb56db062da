package mappability

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"scanmap/internal/parallel"
)

// A RawForm names a file of numbers, one for each base of all contigs in order and nothing else,
// as GenMap writes it. None is 0.
type RawForm string

// The forms. Larger frequencies than these have room for become the largest that they have room
// for.
const (
	// Freq8 has frequencies of 8 bits, and Freq16 of 16 bits, little endian.
	Freq8  RawForm = "freq8"
	Freq16 RawForm = "freq16"
	// Map has 1/frequency, of a frequency of 16 bits, as a float of 32 bits, little endian.
	Map RawForm = "map"
)

// RawForms are the names of all forms.
var RawForms = []string{string(Freq8), string(Freq16), string(Map)}

// WriteRaw writes the frequencies in a form.
func (f *Frequencies) WriteRaw(w io.Writer, form RawForm) error {
	const grain = 1 << 16
	blocks := make([][]byte, max(4*f.threads, 1))
	for contig := range f.ref.Contigs {
		counts := f.Of(contig)
		for len(counts) > 0 {
			now := counts[:min(len(blocks)*grain, len(counts))]
			counts = counts[len(now):]
			parallel.Ranges(f.threads, len(now), grain, func(_, from, to int) {
				blocks[from/grain] = appendRaw(blocks[from/grain][:0], now[from:to], form)
			})
			for i := range (len(now) + grain - 1) / grain {
				if _, err := w.Write(blocks[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// appendRaw appends frequencies in a form.
func appendRaw(block []byte, frequencies []uint32, form RawForm) []byte {
	for _, n := range frequencies {
		if n == None {
			n = 0
		}
		switch form {
		case Freq8:
			block = append(block, byte(min(n, math.MaxUint8)))
		case Freq16:
			block = binary.LittleEndian.AppendUint16(block, uint16(min(n, math.MaxUint16)))
		case Map:
			block = binary.LittleEndian.AppendUint32(block, math.Float32bits(Mappability(min(n, math.MaxUint16))))
		}
	}
	return block
}

// Mappability is 1/frequency, and 0 for 0.
func Mappability(frequency uint32) float32 {
	if frequency == 0 {
		return 0
	}
	return 1 / float32(frequency)
}

// WriteUnique writes the runs of positions whose K-mers fit nowhere but at their own place, as BED
// of three columns. The K-mers that begin at [start, end) are unique; they cover K - 1 bases more.
func (f *Frequencies) WriteUnique(w io.Writer) error {
	for i := range f.ref.Contigs {
		c := &f.ref.Contigs[i]
		for start := c.Start; start < c.End(); start++ {
			end := start
			for end < c.End() && f.unique(end) {
				end++
			}
			if end == start {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s\t%d\t%d\n", c.Name, start-c.Start, end-c.Start); err != nil {
				return err
			}
			start = end
		}
	}
	return nil
}
