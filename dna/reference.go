package dna

import (
	"fmt"
	"sort"
)

// Reference is all contigs of a genome in one packed sequence. Every contig
// starts at a multiple of 64 and is followed by at least Padding ambiguous
// positions (fewer if AppendUnnamed adds it), so that no stretch of bases spans two contigs.
// Positions in Bases
// are offsets into that sequence (64 bits); a contig-relative position is an
// offset less the contig's Start.
type Reference struct {
	Bases   Sequence
	Contigs []Contig
	// Exceptions are the ambiguous letters as runs, in order of Start.
	Exceptions []Run
	byName     map[string]int
}

// Padding is the least number of ambiguous positions after each contig.
const Padding = 64

// MaxContigLength is the longest contig that SAM can name (@SQ LN).
const MaxContigLength = 1<<31 - 1

// Contig is one sequence of a reference.
type Contig struct {
	Name    string // up to the first white space of the header
	Comment string // the rest of the header
	Start   int    // offset of its first base in Reference.Bases
	Length  int    // in bases, at least 1
}

// End returns the offset after the contig's last base.
func (c *Contig) End() int { return c.Start + c.Length }

// Run is a stretch [Start, End) of Reference.Bases that holds one ambiguous letter,
// in upper case.
type Run struct {
	Start, End int
	Letter     byte
}

// AddContig starts a new contig, which Append then fills. A duplicate name is
// an error.
func (r *Reference) AddContig(name, comment string) error {
	if r.byName == nil {
		r.byName = map[string]int{}
	}
	if other, ok := r.byName[name]; ok {
		return fmt.Errorf("it has the name of record %d", other+1) // callers know it
	}
	r.byName[name] = len(r.Contigs)
	start := r.Bases.Length
	if len(r.Contigs) > 0 {
		start = (start + Padding + WordBases - 1) / WordBases * WordBases
		r.Bases.Reserve(start)
		r.Bases.Length = start
	}
	r.Contigs = append(r.Contigs, Contig{Name: name, Comment: comment, Start: start})
	return nil
}

// Append adds bases to the last contig. The exceptions are runs of ambiguous
// letters with positions relative to bases.
func (r *Reference) Append(bases *Sequence, exceptions []Run) {
	at := r.Bases.Length
	r.Bases.AppendSequence(bases)
	r.Contigs[len(r.Contigs)-1].Length += bases.Length
	for _, x := range exceptions {
		x.Start += at
		x.End += at
		if n := len(r.Exceptions); n > 0 && r.Exceptions[n-1].End == x.Start && r.Exceptions[n-1].Letter == x.Letter {
			r.Exceptions[n-1].End = x.End
			continue
		}
		r.Exceptions = append(r.Exceptions, x)
	}
}

// Finish pads the end, after which nothing may be appended: at least Padding
// positions and one whole word can be read past the last base.
func (r *Reference) Finish() {
	r.Bases.Reserve(r.Bases.Length + Padding + 2*WordBases)
}

// TotalLength returns the number of bases of all contigs.
func (r *Reference) TotalLength() int {
	n := 0
	for i := range r.Contigs {
		n += r.Contigs[i].Length
	}
	return n
}

// ContigAt returns the index of the contig that holds an offset of Bases, or the
// one before it when the offset lies in the padding.
func (r *Reference) ContigAt(offset int) int {
	return sort.Search(len(r.Contigs), func(i int) bool { return r.Contigs[i].Start > offset }) - 1
}

// Letter returns the upper-case letter at an offset of Bases.
func (r *Reference) Letter(offset int) byte {
	letter := r.Bases.Letter(offset)
	if letter != 'N' {
		return letter
	}
	i := sort.Search(len(r.Exceptions), func(i int) bool { return r.Exceptions[i].End > offset })
	if i < len(r.Exceptions) && r.Exceptions[i].Start <= offset {
		return r.Exceptions[i].Letter
	}
	return 'N'
}
