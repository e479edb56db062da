package search

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/sam"
)

// Format is a form in which locations are written.
type Format string

// The formats.
const (
	TSV Format = "tsv"
	BED Format = "bed"
	SAM Format = "sam"
)

// Formats are the names of the formats.
var Formats = []string{string(TSV), string(BED), string(SAM)}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) { return oneOf[Format]("format", s, Formats) }

// oneOf reads a value by its name. The argument what names the kind of value, for the error.
func oneOf[T ~string](what, s string, names []string) (T, error) {
	if !slices.Contains(names, s) {
		return "", fmt.Errorf("%s %q is not one of %s", what, s, strings.Join(names, ", "))
	}
	return T(s), nil
}

// RowOptions say how locations are written.
type RowOptions struct {
	Format Format
	// Distance is k, which scores of BED are measured by.
	Distance int
	// Classes and PAM add columns to TSV and BED: the edits of each class, and the PAM.
	Classes, PAM bool
	// Header is for SAM.
	Header sam.HeaderOptions
}

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

// NewRows makes a writer of the locations that Run emits, and appends the header, if the format has
// one. SAM refuses text of bytes, and names that it cannot hold.
func NewRows(to io.Writer, text *Text, patterns []Pattern, o RowOptions) (*Rows, error) {
	r := &Rows{to: to, text: text, patterns: patterns, classes: o.Classes, pam: o.PAM}
	switch o.Format {
	case TSV:
		r.buffer = append(r.buffer, tsvHeader...)
		if o.Classes {
			r.buffer = append(r.buffer, "\tmismatches\tdna_bulges\trna_bulges"...)
		}
		if o.PAM {
			r.buffer = append(r.buffer, "\tpam"...)
		}
		r.buffer = append(r.buffer, '\n')
		r.format = &tsvFormat{}
	case BED:
		r.format = &bedFormat{distance: o.Distance}
	case SAM:
		f, err := newSAMFormat(r, o.Header)
		if err != nil {
			return nil, err
		}
		r.format = f
	default:
		return nil, fmt.Errorf("format %q is not one of tsv, bed, sam", o.Format)
	}
	return r, nil
}

// Options returns o with what the format needs of Run.
func (r *Rows) Options(o Options) Options {
	if f, ok := r.format.(*samFormat); ok {
		o.Announce = f.announce
	}
	return o
}

// Add writes locations, in the order of Run with Options.
func (r *Rows) Add(ctx context.Context, locations []Location) error {
	for i := range locations {
		if err := r.format.add(ctx, r, &locations[i]); err != nil {
			return err
		}
		if err := r.flush(ctx, flushAt); err != nil {
			return err
		}
	}
	return nil
}

// Finish writes the rest.
func (r *Rows) Finish(ctx context.Context) error {
	if err := r.format.finish(ctx, r); err != nil {
		return err
	}
	return r.flush(ctx, 1)
}

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
