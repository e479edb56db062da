package mapper

import (
	"io"

	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/internal/bgzf"
	"scanmap/sam"
)

// recordWriters turn blocks into the files of records of a run.
type recordWriters struct {
	out *Outputs
	// header is the header of the records, and apart of discordant ones.
	header, apart *hts.Header
	opened        []finisher
	records       *sam.Writer // nil for none
	threads       int
	helper        *bgzf.Helper // for compressed records, nil for none
}

// finisher is a sam.Writer or a bgzf.Writer.
type finisher interface {
	Close() error
	Discard()
}

// prepare makes the headers.
func (w *recordWriters) prepare(ref *dna.Reference, o sam.HeaderOptions) error {
	header := func(form sam.WriterOptions) (*hts.Header, error) {
		o.SortOrder = hts.Unsorted
		if form.Sort {
			o.SortOrder = hts.Coordinate
		}
		return sam.NewHeader(ref, o)
	}
	var err error
	if w.header, err = header(w.out.Form); err == nil && w.out.Discordant != nil {
		w.apart, err = header(w.out.DiscordantForm)
	}
	return err
}

// open starts the files, with their headers.
func (w *recordWriters) open(ref *dna.Reference, o *orderedWriter) error {
	start := func(to io.Writer, h *hts.Header, form sam.WriterOptions) (*sam.Writer, error) {
		form.Helper = w.helper
		s, err := sam.NewWriter(to, h, form)
		if err == nil {
			w.opened = append(w.opened, s)
		}
		return s, err
	}
	if form := &w.out.Form; w.out.Index != nil && form.Sort && form.Format == sam.FormatBAM {
		var err error
		if form.Index, err = w.out.Index(sam.IndexKindFor(w.header)); err != nil {
			return err
		}
	}
	o.found, o.counting = w.out.Found, w.out.Counting
	if o.counting != nil {
		if err := o.counting.Begin(ref); err != nil {
			return err
		}
	}
	if w.out.Records != nil {
		var err error
		if w.records, err = start(w.out.Records, w.header, w.out.Form); err != nil {
			return err
		}
		if o.records, o.encoding = w.records, w.records.Encoding(); w.records.Takes() {
			o.taking = w.records
		}
	}
	if w.out.Discordant != nil {
		discordant, err := start(w.out.Discordant, w.apart, w.out.DiscordantForm)
		if err != nil {
			return err
		}
		o.discordant, o.apartEncoding = discordant, discordant.Encoding()
	}
	o.unmapped = w.out.Unmapped
	if o.unmapped != nil && w.out.CompressUnmapped {
		c, err := bgzf.NewWriter(o.unmapped, bgzf.DefaultLevel, w.threads)
		if err != nil {
			return err
		}
		w.opened = append(w.opened, c)
		o.unmapped = c
	}
	return nil
}

// duplicates returns how many were marked, after close; nil where none are.
func (w *recordWriters) duplicates() *sam.Duplicates {
	if w.records == nil || !w.out.Form.MarkDuplicates {
		return nil
	}
	d := w.records.Duplicates()
	return &d
}

// close ends the files, or gives them up after an error, and returns the first error.
func (w *recordWriters) close(err error) error {
	for _, s := range w.opened {
		if err == nil {
			err = s.Close()
		}
		s.Discard()
	}
	return err
}
