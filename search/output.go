package search

import (
	"context"
	"fmt"
	"io"

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
