package mapper

import (
	"context"
	"sync/atomic"

	"scanmap/fasta"
)

// A Library is one input of a run: reads, with or without mates, of one read group.
type Library struct {
	Reads string // FASTA or FASTQ file, or - for standard input; with Source a name for errors
	// Source, when set, gives the reads, and the mates next to each other if Interleaved is set; no
	// files are read then. It is read and closed by one run. Crop and MaxReadLength do not concern it.
	// A read that no file may have is an error.
	Source fasta.Source
	// Mates is the file of the second mates, whose records stand in the order of Reads; empty for
	// none.
	Mates string
	// Interleaved tells that first and second mates alternate in Reads.
	Interleaved bool
	// Skip is how many reads, or pairs, at the start are left out, and Take how many there are after
	// that; 0 is all that are left.
	Skip, Take int64
	// ReadGroup is the ID for RG tags, empty for none, and Sample its SM, for statistics.
	ReadGroup, Sample string
}

func (l *Library) paired() bool { return l.Mates != "" || l.Interleaved }

// library is a Library at work.
type library struct {
	Library
	index int
	group int // index of the first library of its read group
	// insert is nil for single-end reads, and for pairs until the insert size is known.
	insert atomic.Pointer[insertModel]
	more   bool // reads follow the taken ones; known when all taken ones have been read
	// alternate tells that mates seem to alternate in a file of single reads.
	alternate bool
}

// alternate tells whether reads come in twos of one name, as mates that alternate in a file: two
// pairs at least, and each with another name than the one before.
func alternate(reads []fasta.Read) bool {
	const least, most = 4, 64
	n := min(len(reads)&^1, most)
	for i := 0; i < n; i += 2 {
		if name := reads[i].Name; reads[i+1].Name != name || i > 0 && reads[i-1].Name == name {
			return false
		}
	}
	return n >= least
}

// together is the number of neighbouring reads that stay together: both mates of a pair.
func (l *Library) together() int {
	if l.paired() {
		return 2
	}
	return 1
}

// open opens the input.
func (l *Library) open(ctx context.Context, o fasta.ReadOptions) (fasta.Source, error) {
	together := int64(l.together())
	if l.Source != nil {
		return fasta.Part(fasta.Checked(l.Source), l.Skip*together, l.Take*together), nil
	}
	if l.paired() {
		pairs, err := fasta.OpenPairs(ctx, l.Reads, l.Mates, o)
		if err != nil {
			return nil, err // and not a Source that is a nil *fasta.Pairs
		}
		return fasta.Part(pairs, l.Skip*together, l.Take*together), nil
	}
	reads, err := fasta.OpenReads(ctx, l.Reads, o)
	if err != nil {
		return nil, err
	}
	return fasta.Part(reads, l.Skip*together, l.Take*together), nil
}
