package primers

import (
	"fmt"

	"scanmap/dna"
	"scanmap/locate"
)

// A circular contig is searched as a text that begins a turn before its first base and goes on
// after its last one, as far as a product that starts there. Sites and products count if they start
// in the contig, so that each is found once. If one starts there and ends after the last base, its
// end is beyond the contig's length, as GFF3 has it for circular sequences.
//
// With gaps a location may keep others off, in a chain that may go around (window.go). The
// locations of a circular contig are the locations of this text. A chain there begins a turn before
// the contig at most. Text after it is as long as after a window, so that no more text changes
// them.

// A ring is a contig's place in the text that is searched.
type ring struct {
	text   *dna.Reference // that has it: Options.Circular in one of their own, others in the reference
	contig int            // of text
	from   int            // positions of its first base, a multiple of leastWindow, and after its last
	to     int
	turns  bool
}

// piece is the contig of the text.
func (g *ring) piece() dna.Contig { return g.text.Contigs[g.contig] }

// makeRings sets where each contig is searched.
func (r *runner) makeRings() error {
	r.rings = make([]ring, len(r.ref.Contigs))
	for i := range r.rings {
		r.rings[i] = ring{text: r.ref, contig: i, to: r.ref.Contigs[i].Length}
	}
	var text *dna.Reference
	for _, i := range r.options.Circular {
		g := &r.rings[i]
		if g.turns {
			continue
		}
		if text == nil {
			text = &dna.Reference{}
		}
		length := r.ref.Contigs[i].Length
		from := dna.Words(length) * dna.WordBases
		all := from + length + min(r.options.Most, length) + r.mostBases() + locate.Reach(r.options.Search.Distance)
		if all > dna.MaxContigLength {
			return fmt.Errorf("the circular contig %q has %d bases and is searched as %d with those around it; expected at most %d",
				r.ref.Contigs[i].Name, length, all, dna.MaxContigLength)
		}
		*g = ring{text: text, contig: len(text.Contigs), from: from, to: from + length, turns: true}
		if err := text.AddContig(r.ref.Contigs[i].Name, ""); err != nil {
			return err
		}
		appendTurns(text, r.ref, i, length-from%length, all)
	}
	if text != nil {
		text.Finish()
	}
	return nil
}

// appendTurns adds a number of bases of a contig to a text, from a position on and around.
func appendTurns(text, ref *dna.Reference, contig, position, bases int) {
	const atOnce = 1 << 16
	var codes []byte
	for at := 0; at < bases; {
		n := min(atOnce, bases-at)
		codes = appendAround(codes[:0], ref, contig, position+at, position+at+n)
		for i, code := range codes {
			codes[i] = "ACGTN"[code]
		}
		var packed dna.Sequence
		packed.Append(codes)
		text.Append(&packed, nil)
		at += n
	}
}

// appendAround appends the codes of positions [start, end) of a contig; positions after its end are
// on its next turn.
func appendAround(codes []byte, ref *dna.Reference, contig, start, end int) []byte {
	c := ref.Contigs[contig]
	for start < end {
		at := start % c.Length
		to := min(c.Length, at+end-start)
		codes = ref.Bases.AppendCodes(codes, c.Start+at, c.Start+to)
		start += to - at
	}
	return codes
}
