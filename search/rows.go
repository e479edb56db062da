package search

import (
	"context"
	"io"
	"slices"
	"strconv"

	"scanmap/dna"
	"scanmap/locate"
)

// Rows writes locations as lines of text. It keeps at most flushAt bytes and a line.
type Rows struct {
	to       io.Writer
	text     *Text
	patterns []Pattern
	buffer   []byte
	format   rowFormat
	// classes and pam are as in RowOptions.
	classes, pam bool
}

// A rowFormat appends lines to the buffer of Rows.
type rowFormat interface {
	// add appends a location.
	add(ctx context.Context, r *Rows, l *Location) error
	// finish appends the lines after all locations.
	finish(ctx context.Context, r *Rows) error
}

// flushAt is how many bytes are written at a time: large enough that calls do not count.
const flushAt = 64 << 10

// flush writes the buffer if it has at least that many bytes.
func (r *Rows) flush(ctx context.Context, least int) error {
	if len(r.buffer) < least {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := r.to.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

// appendMore appends the columns that options ask for.
func (r *Rows) appendMore(b []byte, l *Location) []byte {
	if r.classes {
		classes := l.Classes()
		for _, n := range []int{classes.Mismatches, classes.DNABulges, classes.RNABulges} {
			b = strconv.AppendInt(append(b, '\t'), int64(n), 10)
		}
	}
	if r.pam {
		b = append(append(b, '\t'), r.patterns[l.Pattern].PAM...)
	}
	return b
}

// operations returns the alignment of a location; whole is where one diagonal run is put.
func (r *Rows) operations(l *Location, whole *[1]locate.Operation) []locate.Operation {
	if l.Operations != nil {
		return l.Operations
	}
	whole[0] = locate.Operation{
		Kind: locate.Diagonal, Length: int32(len(r.patterns[l.Pattern].Letters)),
	}
	return whole[:]
}

// oriented returns the letters of a pattern as they lie along the text, in buffer; of DNA with T
// for U.
func (r *Rows) oriented(buffer []byte, l *Location) []byte {
	letters := append(buffer[:0], r.patterns[l.Pattern].Letters...)
	if r.text.alphabet == Bytes {
		return letters
	}
	if l.Reverse {
		reverseComplement(letters)
		return letters
	}
	for i, c := range letters {
		if c == 'U' {
			letters[i] = 'T'
		}
	}
	return letters
}

// reverseComplement makes letters of DNA their reverse complement. Case stays, and so does '-'.
func reverseComplement(letters []byte) {
	slices.Reverse(letters)
	for i, c := range letters {
		if c != '-' {
			letters[i] = dna.Complement(c) | c&0x20
		}
	}
}

// strandOf is the sign of a location's strand.
func strandOf(l *Location) byte {
	if l.Reverse {
		return '-'
	}
	return '+'
}
