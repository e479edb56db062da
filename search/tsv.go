package search

import (
	"context"
	"strconv"

	"scanmap/locate"
)

const tsvHeader = "pattern\tcontig\tstart\tend\tstrand\tdistance\tcigar\ttext"

// tsvFormat writes a line of eight columns or more for each location.
type tsvFormat struct {
	letters []byte // of the pattern along the text
	codes   []byte // of the text
	shown   []byte // of the last column
}

func (f *tsvFormat) add(_ context.Context, r *Rows, l *Location) error {
	b := AppendEscaped(r.buffer, r.patterns[l.Pattern].Name, "")
	b = append(b, '\t')
	b = AppendEscaped(b, r.text.contigs[l.Contig].Name, "")
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(l.Start), 10)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(l.End), 10)
	b = append(b, '\t', strandOf(l), '\t')
	b = strconv.AppendInt(b, int64(l.Distance), 10)
	b = append(b, '\t')
	var whole [1]locate.Operation
	operations := r.operations(l, &whole)
	b = locate.AppendCIGAR(b, operations)
	b = append(b, '\t')
	b = AppendEscaped(b, string(f.show(r, l, operations)), "")
	r.buffer = append(r.appendMore(b, l), '\n')
	return nil
}

func (f *tsvFormat) finish(context.Context, *Rows) error { return nil }

// show returns the text of a location. In DNA it is in the pattern's orientation; letters that the
// pattern does not match or lacks are in lower case, and a '-' stands for each that the text lacks.
func (f *tsvFormat) show(r *Rows, l *Location, operations []locate.Operation) []byte {
	at := r.text.contigs[l.Contig].Start + l.Start
	shown := f.shown[:0]
	if r.text.alphabet == Bytes {
		shown = append(shown, r.text.bytes[at:at+l.End-l.Start]...)
		f.shown = shown
		return shown
	}
	f.letters = r.oriented(f.letters, l)
	f.codes = r.text.codes(f.codes, at, at+l.End-l.Start)
	q, i := 0, 0
	for _, o := range operations {
		for range o.Length {
			if o.Kind == locate.Insertion {
				shown = append(shown, '-')
				q++
				continue
			}
			code := f.codes[i]
			c := "ACGT"[code&3]
			if code == nothing { // N, or another letter
				c = r.text.Letter(at + i)
			}
			i++
			if o.Kind == locate.Deletion || iupac[f.letters[q]]>>code&1 == 0 {
				c |= 0x20
			}
			if o.Kind == locate.Diagonal {
				q++
			}
			shown = append(shown, c)
		}
	}
	if l.Reverse {
		reverseComplement(shown)
	}
	f.shown = shown
	return shown
}
