package fasta

import (
	"io"
	"time"
)

// Source is a file of reads, or two of mates: what Reads and Pairs have in common.
type Source interface {
	// Next returns the next reads in the order of the file, and io.EOF at its end.
	Next() ([]Read, error)
	// Busy is how long parsing took, summed over its goroutines.
	Busy() time.Duration
	// Close stops reading and closes the file. It may be called at any time and again.
	Close() error
}

// part is some neighbouring reads of a source.
type part struct {
	Source
	skip, take int64 // reads that are still to come; a take of -1 has no end
}

// Part returns reads [skip, skip+take) of a source, or all from skip on if take is 0. Reads that
// are skipped are parsed, so that a bad record among them is an error; what comes after the last
// read is not looked at. Of pairs both numbers are twice those of pairs.
func Part(of Source, skip, take int64) Source {
	if skip == 0 && take == 0 {
		return of
	}
	if take == 0 {
		take = -1
	}
	return &part{of, skip, take}
}

func (p *part) Next() ([]Read, error) {
	for p.take != 0 {
		reads, err := p.Source.Next()
		if err != nil {
			return nil, err
		}
		n := min(p.skip, int64(len(reads)))
		p.skip -= n
		if reads = reads[n:]; len(reads) == 0 {
			continue
		}
		if p.take > 0 {
			reads = reads[:min(p.take, int64(len(reads)))]
			p.take -= int64(len(reads))
		}
		return reads, nil
	}
	return nil, io.EOF
}
