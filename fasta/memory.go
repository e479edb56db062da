package fasta

import (
	"errors"
	"fmt"
	"io"
	"time"

	"scanmap/dna"
)

// memory is a source of reads that are there already.
type memory struct{ reads []Read }

// FromMemory returns reads as a source, in their order; of pairs the mates are next to each other.
// Letters become upper case, as in a file, and the reads themselves are not changed. An error names
// a read, by its place from 1 on, whose name, bases or qualities no file may have.
func FromMemory(reads []Read) (Source, error) {
	all := make([]Read, len(reads))
	for i, r := range reads {
		bases, err := r.checked()
		if err != nil {
			return nil, &Error{File: "reads in memory", Record: int64(i) + 1, Name: r.Name, Err: err}
		}
		all[i] = Read{Name: r.Name, Comment: r.Comment, Bases: bases, Qualities: r.Qualities}
	}
	return &memory{all}, nil
}

// Checked returns a source whose reads are as reads of files: a source of another package may give
// anything. Letters become upper case. An error names a read, by its place from 1 on, that no file
// may have.
func Checked(of Source) Source {
	switch of.(type) {
	case *memory, *part, *Reads, *Pairs, *checked:
		return of
	}
	return &checked{Source: of}
}

// checked is a source of another package.
type checked struct {
	Source
	before int64 // reads
}

func (c *checked) Next() ([]Read, error) {
	given, err := c.Source.Next()
	reads := make([]Read, 0, len(given))
	for _, r := range given {
		c.before++
		bases, wrong := r.checked()
		if wrong != nil {
			return reads, &Error{File: "the source of reads", Record: c.before, Name: r.Name, Err: wrong}
		}
		reads = append(reads, Read{Name: r.Name, Comment: r.Comment, Bases: bases, Qualities: r.Qualities})
	}
	return reads, err
}

// checked returns the bases of a read as a file would have them, or its fault.
func (r *Read) checked() ([]byte, error) {
	if r.Name == "" {
		return nil, errors.New("the read has no name")
	}
	if _, err := readName(r.Name, true); err != nil {
		return nil, err
	}
	bases, err := replaced(r.Bases, &readLetters)
	if err != nil {
		return nil, err
	}
	if r.Qualities != nil && len(r.Qualities) != len(r.Bases) {
		return nil, fmt.Errorf("%d bases but %d qualities", len(r.Bases), len(r.Qualities))
	}
	for i, q := range r.Qualities {
		if q < '!' || q > '~' {
			return nil, badQuality(q, i+1)
		}
	}
	return bases, nil
}

// replaced returns the bases that letters mean, or the fault of the first that is no base.
func replaced(letters []byte, means *[256]byte) ([]byte, error) {
	to := make([]byte, len(letters))
	for i, c := range letters {
		if to[i] = means[c]; to[i] == 0 {
			return nil, badLetter(c, i+1, letters[0])
		}
	}
	return to, nil
}

func (m *memory) Next() ([]Read, error) {
	if len(m.reads) == 0 {
		return nil, io.EOF
	}
	// Some at a time, so that they are mapped while others are packed.
	const chunk = 1 << 10
	next := m.reads[:min(chunk, len(m.reads))]
	m.reads = m.reads[len(next):]
	return next, nil
}

func (m *memory) Busy() time.Duration { return 0 }

func (m *memory) Close() error { return nil }

// Contig is a sequence of a reference as letters.
type Contig struct {
	Name  string // without white space
	Bases []byte // at least one
}

// PackReference makes a reference of contigs that are in memory, as LoadReference makes it of a
// file. An error names a contig, by its place from 1 on.
func PackReference(contigs []Contig) (*dna.Reference, error) {
	const file = "contigs in memory"
	ref := &dna.Reference{}
	for i, c := range contigs {
		wrong := func(err error) error { return &Error{File: file, Record: int64(i) + 1, Name: c.Name, Err: err} }
		if err := checkContigName(c.Name); err != nil {
			return nil, wrong(err)
		}
		bases, err := replaced(c.Bases, &referenceLetters)
		switch {
		case err != nil:
			return nil, wrong(err)
		case len(bases) == 0:
			return nil, wrong(errors.New("the contig has no bases"))
		case len(bases) > dna.MaxContigLength:
			return nil, wrong(fmt.Errorf("the contig has %d bases, but SAM allows %d", len(bases), dna.MaxContigLength))
		}
		if err := ref.AddContig(c.Name, ""); err != nil {
			return nil, wrong(err)
		}
		var packed dna.Sequence
		packed.Append(bases)
		ref.Append(&packed, runsOf(bases))
	}
	if len(contigs) == 0 {
		return nil, &Error{File: file, Err: errors.New("there are none")}
	}
	ref.Finish()
	return ref, nil
}

// runsOf are the runs of letters other than A, C, G, T and U.
func runsOf(bases []byte) (runs []dna.Run) {
	for i, c := range bases {
		if _, ok := dna.Code(c); ok {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].End == i && runs[n-1].Letter == c {
			runs[n-1].End++
			continue
		}
		runs = append(runs, dna.Run{Start: i, End: i + 1, Letter: c})
	}
	return runs
}
