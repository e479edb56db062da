package primers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/search"
)

// Format is a form in which amplicons are written.
type Format string

// The formats.
const (
	TSV   Format = "tsv"
	BED   Format = "bed"
	FASTA Format = "fasta"
)

// Formats are the names of the formats.
var Formats = []string{string(TSV), string(BED), string(FASTA)}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	if !slices.Contains(Formats, s) {
		return "", fmt.Errorf("format %q is not one of %s", s, strings.Join(Formats, ", "))
	}
	return Format(s), nil
}

const tsvHeader = "forward\treverse\tcontig\tstart\tend\tstrand\tsize\tforward_edits\treverse_edits\t" +
	"forward_last5\treverse_last5\tforward_cigar\treverse_cigar\n"

// Rows writes amplicons as lines of text. It keeps at most flushAt bytes and an amplicon.
type Rows struct {
	to        io.Writer
	pairs     []Pair
	ref       *dna.Reference
	buffer    []byte
	add       func(*Amplicon)
	alignment alignment
	product   []byte
	melts     bool // whether rows have temperatures
}

// flushAt is how many bytes are written at a time: large enough that calls do not count.
const flushAt = 64 << 10

// lineLetters is how many letters a line of FASTA has, as isPcr writes it.
const lineLetters = 50

// NewRows makes a writer of the amplicons that Run emits.
func NewRows(to io.Writer, ref *dna.Reference, pairs []Pair, format Format) (*Rows, error) {
	r := &Rows{to: to, pairs: pairs, ref: ref}
	switch format {
	case TSV:
		r.buffer, r.add = append(r.buffer, tsvHeader...), r.tsv
	case BED:
		r.add = r.bed
	case FASTA:
		r.add = r.fasta
	default:
		return nil, fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats, ", "))
	}
	return r, nil
}

// Melt adds the melting temperatures that amplicons carry to the columns of TSV, before the first
// amplicon is added.
func (r *Rows) Melt() error {
	if len(r.buffer) != len(tsvHeader) {
		return errors.New("melting temperatures are columns of TSV")
	}
	r.melts, r.buffer = true, append(r.buffer[:len(tsvHeader)-1], "\tforward_tm\treverse_tm\n"...)
	return nil
}

// Add writes an amplicon.
func (r *Rows) Add(ctx context.Context, a *Amplicon) error {
	r.add(a)
	return r.flush(ctx, flushAt)
}

// Finish writes the rest of the buffer.
func (r *Rows) Finish(ctx context.Context) error { return r.flush(ctx, 1) }

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

func (r *Rows) tsv(a *Amplicon) {
	r.text(a.Forward.Primer.name(r.pairs), '\t')
	r.text(a.Reverse.Primer.name(r.pairs), '\t')
	r.text(r.ref.Contigs[a.Contig].Name, '\t')
	r.numbers(a.Start, a.End)
	r.buffer = append(r.buffer, a.strand(), '\t')
	r.numbers(a.End-a.Start, a.Forward.Edits, a.Reverse.Edits, a.Forward.Last, a.Reverse.Last)
	r.align(a, &a.Forward)
	r.buffer = append(r.alignment.appendCIGAR(r.buffer), '\t')
	r.align(a, &a.Reverse)
	r.buffer = r.alignment.appendCIGAR(r.buffer)
	if r.melts {
		r.buffer = append(append(append(append(r.buffer, '\t'), a.Forward.TmText()...), '\t'), a.Reverse.TmText()...)
	}
	r.buffer = append(r.buffer, '\n')
}

// TmText is the melting temperature with two decimals, or a dot for none.
func (s *Site) TmText() string {
	if math.IsNaN(s.Tm) {
		return "."
	}
	return strconv.FormatFloat(s.Tm, 'f', 2, 64)
}

// bed writes 12 columns: the blocks are the sites, one block if these touch.
func (r *Rows) bed(a *Amplicon) {
	letters := len(a.Forward.Primer.letters(r.pairs)) + len(a.Reverse.Primer.letters(r.pairs))
	r.align(a, &a.Forward)
	matched := r.alignment.matched()
	r.align(a, &a.Reverse)
	matched += r.alignment.matched()

	r.text(r.ref.Contigs[a.Contig].Name, '\t')
	r.numbers(a.Start, a.End)
	r.text(a.name(r.pairs), '\t')
	r.numbers((2000*matched + letters) / (2 * letters)) // rounded
	r.buffer = append(r.buffer, a.strand(), '\t')
	r.numbers(a.Start, a.End)
	left, right := &a.Forward, &a.Reverse
	if a.Minus {
		left, right = right, left
	}
	if left.End >= right.Start {
		r.buffer = fmt.Appendf(r.buffer, "0\t1\t%d,\t0,\n", a.End-a.Start)
		return
	}
	r.buffer = fmt.Appendf(r.buffer, "0\t2\t%d,%d,\t0,%d,\n", left.End-left.Start, right.End-right.Start, right.Start-a.Start)
}

// fasta writes a record as isPcr does: the letters of the reference, in upper case where a primer
// matches.
func (r *Rows) fasta(a *Amplicon) {
	r.buffer = append(r.buffer, '>')
	r.text(r.ref.Contigs[a.Contig].Name, ':')
	r.buffer = strconv.AppendInt(r.buffer, int64(a.Start)+1, 10)
	r.buffer = append(r.buffer, a.strand())
	r.buffer = strconv.AppendInt(r.buffer, int64(a.End), 10)
	r.buffer = append(r.buffer, ' ')
	r.text(a.name(r.pairs), ' ')
	r.buffer = fmt.Appendf(r.buffer, "%dbp %s %s\n", a.End-a.Start, a.Forward.Primer.letters(r.pairs), a.Reverse.Primer.letters(r.pairs))

	contig := r.ref.Contigs[a.Contig]
	r.product = r.product[:0]
	for i := a.Start; i < a.End; i++ {
		r.product = append(r.product, r.ref.Letter(contig.Start+i%contig.Length))
	}
	if a.Minus {
		dna.ReverseComplement(r.product)
	}
	for i := range r.product {
		r.product[i] |= 0x20
	}
	r.align(a, &a.Forward)
	r.alignment.capitalize(r.product, false)
	r.align(a, &a.Reverse)
	r.alignment.capitalize(r.product, true)
	for line := range slices.Chunk(r.product, lineLetters) {
		r.buffer = append(append(r.buffer, line...), '\n')
	}
}

// align lays a primer of an amplicon along its site.
func (r *Rows) align(a *Amplicon, s *Site) {
	r.alignment.of(r.ref, r.pairs, a, s)
}

// text appends a name and the byte that follows it. \xNN stands for each byte of the name that is
// not printable ASCII, for the backslash and for the blank.
func (r *Rows) text(name string, follows byte) {
	r.buffer = search.AppendEscaped(r.buffer, name, " ")
	r.buffer = append(r.buffer, follows)
}

// numbers appends numbers with a tab after each.
func (r *Rows) numbers(numbers ...int) {
	for _, n := range numbers {
		r.buffer = append(strconv.AppendInt(r.buffer, int64(n), 10), '\t')
	}
}

// strand is the sign of the strand that the product is, from its forward site on.
func (a *Amplicon) strand() byte {
	if a.Minus {
		return '-'
	}
	return '+'
}

// name is the name of the pair if the amplicon has its forward and reverse primer, and otherwise
// the names of both primers with a plus between.
func (a *Amplicon) name(pairs []Pair) string {
	f, r := a.Forward.Primer, a.Reverse.Primer
	if f.Pair() == r.Pair() && (f != r || pairs[f.Pair()].alike()) {
		return pairs[f.Pair()].Name
	}
	return f.name(pairs) + "+" + r.name(pairs)
}
