package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	hts "github.com/biogo/hts/sam"

	"scanmap/locate"
	"scanmap/sam"
)

// samFormat writes SAM: the locations of a pattern one after the other, the best first, and
// patterns that have none as unmapped records.
type samFormat struct {
	next     int // the first pattern without a written record
	announce func(pattern, locations int) error
	hits     int // the locations of the pattern before
	written  int // of them
	record   sam.Record
	letters  []byte
	cigar    []hts.CigarOp
	md       []byte
}

// newSAMFormat checks names and appends the header.
func newSAMFormat(r *Rows, o sam.HeaderOptions) (*samFormat, error) {
	if r.text.alphabet == Bytes {
		return nil, errors.New("SAM holds DNA alone, not text of bytes")
	}
	for i := range r.patterns {
		if err := checkQueryName(r.patterns[i].Name); err != nil {
			return nil, fmt.Errorf("pattern %d %.100q: %w", i+1, r.patterns[i].Name, err)
		}
	}
	header, err := sam.NewHeader(r.text.ref, o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := sam.WriteHeader(&b, header); err != nil {
		return nil, err
	}
	r.buffer = append(r.buffer, b.Bytes()...)
	f := &samFormat{}
	f.announce = func(_, locations int) error {
		f.hits, f.written = locations, 0
		return nil
	}
	return f, nil
}

// maxQueryName is what BAM can hold in l_read_name, less the closing NUL.
const maxQueryName = 254

// checkQueryName accepts what the SAM specification (section 1.4) allows as QNAME.
func checkQueryName(name string) error {
	if n := len(name); n == 0 || n > maxQueryName {
		return fmt.Errorf("the name has %d bytes, but SAM takes 1 to %d", n, maxQueryName)
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '@' {
			return fmt.Errorf("the byte %q at position %d of the name is not allowed in SAM", name[i:i+1], i+1)
		}
	}
	return nil
}

func (f *samFormat) add(ctx context.Context, r *Rows, l *Location) error {
	if err := f.skip(ctx, r, l.Pattern); err != nil {
		return err
	}
	f.next = l.Pattern + 1
	f.mapped(r, l)
	return nil
}

func (f *samFormat) finish(ctx context.Context, r *Rows) error {
	return f.skip(ctx, r, len(r.patterns))
}

// skip writes the patterns before one that have no locations.
func (f *samFormat) skip(ctx context.Context, r *Rows, pattern int) error {
	for ; f.next < pattern; f.next++ {
		f.unmapped(r)
		if err := r.flush(ctx, flushAt); err != nil {
			return err
		}
	}
	return nil
}

// unmapped appends the record of a pattern without locations.
func (f *samFormat) unmapped(r *Rows) {
	f.letters = r.oriented(f.letters, &Location{Pattern: f.next})
	f.record = sam.Record{Name: r.patterns[f.next].Name, Flags: hts.Unmapped, Pos: -1, MatePos: -1, Bases: f.letters}
	r.buffer = f.record.AppendText(r.buffer)
}

// mapped appends the record of a location.
func (f *samFormat) mapped(r *Rows, l *Location) {
	f.written++
	f.letters = r.oriented(f.letters, l)
	f.record = sam.Record{
		Name: r.patterns[l.Pattern].Name, Contig: r.text.contigs[l.Contig].Name, Pos: l.Start, MatePos: -1, MapQ: 255,
		Bases: f.letters, Score: -l.Distance, Hits: f.hits, HitIndex: f.written,
	}
	if f.written > 1 {
		f.record.Flags |= hts.Secondary
	}
	if l.Reverse {
		f.record.Flags |= hts.Reverse
	}
	f.describe(r, l)
	r.buffer = f.record.AppendText(r.buffer)
}

// cigarTypes has the CIGAR type of each kind of operation.
var cigarTypes = [...]hts.CigarOpType{
	locate.Diagonal:  hts.CigarMatch,
	locate.Insertion: hts.CigarInsertion,
	locate.Deletion:  hts.CigarDeletion,
}

// describe sets CIGAR, NM and MD. The last two compare letters as samtools calmd does: an IUPAC
// letter of the pattern equals only itself, and N nothing. NM and MD count letters that differ, and
// AS has the distance of the search.
func (f *samFormat) describe(r *Rows, l *Location) {
	var whole [1]locate.Operation
	f.cigar, f.md = f.cigar[:0], f.md[:0]
	at := r.text.contigs[l.Contig].Start + l.Start
	q, same, edits := 0, 0, 0
	for _, o := range r.operations(l, &whole) {
		n := int(o.Length)
		f.cigar = append(f.cigar, hts.NewCigarOp(cigarTypes[o.Kind], n))
		switch o.Kind {
		case locate.Insertion:
			q += n
			edits += n
		case locate.Deletion:
			f.md = append(strconv.AppendInt(f.md, int64(same), 10), '^')
			same = 0
			for range n {
				f.md = append(f.md, r.text.Letter(at))
				at++
			}
			edits += n
		case locate.Diagonal:
			for range n {
				c := r.text.Letter(at)
				if c == f.letters[q] && c != 'N' {
					same++
				} else {
					f.md = append(strconv.AppendInt(f.md, int64(same), 10), c)
					same = 0
					edits++
				}
				q, at = q+1, at+1
			}
		}
	}
	f.md = strconv.AppendInt(f.md, int64(same), 10)
	f.record.Cigar, f.record.Mismatches, f.record.EditDistance = f.cigar, f.md, edits
}
