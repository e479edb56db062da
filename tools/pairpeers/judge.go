package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/biogo/hts/sam"

	"scanmap/tools/origin"
)

// A quality counts the mates with one mapping quality.
type quality struct {
	MapQ, Mates, Wrong int
}

// Qualities count mates by mapping quality. As text each is MAPQ:mates:wrong.
type qualities []quality

// MarshalText writes them in their order.
func (q qualities) MarshalText() ([]byte, error) {
	var parts []string
	for _, one := range q {
		parts = append(parts, fmt.Sprintf("%d:%d:%d", one.MapQ, one.Mates, one.Wrong))
	}
	return []byte(strings.Join(parts, " ")), nil
}

// UnmarshalText reads them.
func (q *qualities) UnmarshalText(text []byte) error {
	for _, part := range strings.Fields(string(text)) {
		var one quality
		if _, err := fmt.Sscanf(part, "%d:%d:%d", &one.MapQ, &one.Mates, &one.Wrong); err != nil {
			return fmt.Errorf("%q: %w", part, err)
		}
		*q = append(*q, one)
	}
	return nil
}

// A placed counts the mates of simulated pairs by where their primary records are.
type placed struct {
	Mates, Mapped, Right int
	// mates of pairs that are from one place, and those of them with flag 2
	Together, Proper   int
	Apart, ApartProper int       // the same of pairs whose mates are from unrelated places
	Qualities          qualities // of mapped mates, best first
}

// farthest is the most bases between the mates of a pair that is from one place: more than the
// simulated inserts have.
const farthest = 1000

// judge counts what is right in a SAM file.
func judge(file string) (*placed, error) {
	p := &placed{}
	byQuality := map[byte]*quality{}
	err := primaries(file, func(r *sam.Record) error {
		pair, err := origin.Parse(r.Name)
		if err != nil {
			return err
		}
		p.Mates++
		proper := r.Flags&sam.ProperPair != 0
		if pair.Together(farthest) {
			p.Together++
			p.Proper += count(proper)
		} else {
			p.Apart++
			p.ApartProper += count(proper)
		}
		if r.Flags&sam.Unmapped != 0 {
			return nil
		}
		p.Mapped++
		q := byQuality[r.MapQ]
		if q == nil {
			q = &quality{MapQ: int(r.MapQ)}
			byQuality[r.MapQ] = q
		}
		q.Mates++
		if right(r, pair.Mates[mateOf(r)]) {
			p.Right++
		} else {
			q.Wrong++
		}
		return nil
	})
	for _, q := range byQuality {
		p.Qualities = append(p.Qualities, *q)
	}
	slices.SortFunc(p.Qualities, func(a, b quality) int { return cmp.Compare(b.MapQ, a.MapQ) })
	return p, err
}

// right says whether a record is where the mate is from.
func right(r *sam.Record, from origin.Place) bool {
	strand := byte('+')
	if r.Flags&sam.Reverse != 0 {
		strand = '-'
	}
	return r.Ref.Name() == from.Contig && strand == from.Strand && distance(unclippedStart(r)+1, from.Position) <= near
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
