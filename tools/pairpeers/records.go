package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/biogo/hts/sam"
)

// primaries calls visit with each primary record of a SAM file.
func primaries(file string, visit func(*sam.Record) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	records, err := sam.NewReader(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for {
		r, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if r.Flags&(sam.Secondary|sam.Supplementary) != 0 {
			continue
		}
		if r.Flags&sam.Paired == 0 || r.Flags&(sam.Read1|sam.Read2) == 0 || r.Flags&sam.Read1 != 0 && r.Flags&sam.Read2 != 0 {
			return fmt.Errorf("%s: %s: flag %d, expected that of one mate of a pair", file, r.Name, r.Flags)
		}
		if err := visit(r); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// mateOf returns 0 for the first mate and 1 for the second.
func mateOf(r *sam.Record) int {
	if r.Flags&sam.Read2 != 0 {
		return 1
	}
	return 0
}

// unclippedStart returns the reference position, 0-based, at which the read would begin if all its
// bases were aligned.
func unclippedStart(r *sam.Record) int {
	start := r.Pos
	for _, c := range r.Cigar {
		if t := c.Type(); t != sam.CigarSoftClipped && t != sam.CigarHardClipped {
			break
		}
		start -= c.Len()
	}
	return start
}

// near is how far from its place a mate may be in bases: insertions and deletions that are clipped
// away move it by their length.
const near = 20

func distance(a, b int) int { return max(a-b, b-a) }
