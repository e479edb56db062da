package fasta

import (
	"errors"
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
	more, over bool  // whether others follow, and whether that is known
}

// Part returns reads [skip, skip+take) of a source, or all from skip on if take is 0. Reads that
// are skipped are parsed, so that a bad record among them is an error; text after the last read is
// no error. A negative number is 0. For pairs, both numbers count reads, two a pair. After io.EOF,
// More tells whether more follows.
func Part(of Source, skip, take int64) Source {
	if skip, take = max(skip, 0), max(take, 0); skip == 0 && take == 0 {
		return of
	}
	if take == 0 {
		take = -1
	}
	return &part{Source: of, skip: skip, take: take}
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
			p.more = p.take < int64(len(reads))
			reads = reads[:min(p.take, int64(len(reads)))]
			p.take -= int64(len(reads))
		}
		return reads, nil
	}
	if !p.more && !p.over {
		reads, err := p.Source.Next()
		p.more = len(reads) > 0 || !errors.Is(err, io.EOF)
	}
	p.over = true
	return nil, io.EOF
}

// More tells of a part by Part, from which Next has returned io.EOF, whether the source has more
// behind it, reads or a bad record. For other sources it returns false.
func More(s Source) bool {
	p, ok := s.(*part)
	return ok && p.more
}
