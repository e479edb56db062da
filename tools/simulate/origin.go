package main

import "fmt"

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
