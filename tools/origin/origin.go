// Package origin is where simulated pairs are from, as their names say it.
package origin

import (
	"fmt"
	"strconv"
	"strings"
)

// A Place is where a mate is from.
type Place struct {
	Contig   string
	Position int  // the leftmost reference base that a base of the mate is from, 1-based
	Strand   byte // '+', or '-' where the mate is the reverse complement
}

// A Pair is the origin of two mates.
type Pair struct {
	Number int
	Mates  [2]Place
}

// Name returns number_contig1_position1_strand1_contig2_position2_strand2.
func (p *Pair) Name() string {
	a, b := &p.Mates[0], &p.Mates[1]
	return fmt.Sprintf("%d_%s_%d_%c_%s_%d_%c", p.Number, a.Contig, a.Position, a.Strand, b.Contig, b.Position, b.Strand)
}

// Parse is the inverse of Name. Contigs may have underscores in their names; if one is called like
// the end of another place ("x_7_+_y"), the name has two readings, and the first place is taken to
// end as soon as it can.
func Parse(name string) (Pair, error) {
	var p Pair
	number, rest, ok := strings.Cut(name, "_")
	if !ok {
		return p, malformed(name)
	}
	var err error
	if p.Number, err = strconv.Atoi(number); err != nil {
		return p, malformed(name)
	}
	for i, c := range rest {
		if (c == '+' || c == '-') && i+1 < len(rest) && rest[i+1] == '_' {
			if p.Mates[0], ok = place(rest[:i+1]); ok {
				if p.Mates[1], ok = place(rest[i+2:]); ok {
					return p, nil
				}
			}
		}
	}
	return p, malformed(name)
}

// place parses contig_position_strand.
func place(text string) (Place, bool) {
	n := len(text)
	if n < 2 || text[n-2] != '_' || text[n-1] != '+' && text[n-1] != '-' {
		return Place{}, false
	}
	at := strings.LastIndexByte(text[:n-2], '_')
	if at < 1 {
		return Place{}, false
	}
	position, err := strconv.Atoi(text[at+1 : n-2])
	return Place{text[:at], position, text[n-1]}, err == nil && position > 0
}

// Together says whether the mates face each other on one contig (fr), with at most so many bases
// between the leftmost ones.
func (p *Pair) Together(most int) bool {
	left, right := p.Mates[0], p.Mates[1]
	if left.Strand == '-' {
		left, right = right, left
	}
	distance := right.Position - left.Position
	return left.Contig == right.Contig && left.Strand == '+' && right.Strand == '-' && distance >= 0 && distance <= most
}

func malformed(name string) error {
	return fmt.Errorf("%q does not say where a pair is from: expected number_contig_position_strand_contig_position_strand", name)
}
