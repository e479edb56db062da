package locate

import (
	"cmp"
	"slices"

	"scanmap/dna"
)

// What local alignments cost, in lost score: a match scores 1, a mismatch takes 4 and has no match,
// and a gap takes gapOpen and 1 for each of its bases, or Local.Cap if that is less.
const (
	mismatchLoss = 5
	gapOpen      = 6
	// DefaultCap is the most that a gap costs, if nothing else is said.
	DefaultCap = 20
	// LongestGap is the most bases of a gap.
	LongestGap = 100
	// longestPiece is the most bases of a piece that finders look up.
	longestPiece = 16
	// shortestPiece is the least.
	shortestPiece = 5
)

// A Local turns the candidates of a read into its local locations. It is scratch memory for one
// goroutine.
type Local struct {
	Reference *dna.Reference
	// Aligner takes the operations of all locations.
	Aligner *Aligner
	// Cap is the most that a gap costs, more than gapOpen and no more than a gap of LongestGap
	// bases would: 7 to 106.
	Cap int
	// Measured counts the windows in which all cells were looked at.
	Measured  int64
	window    localWindow
	finder    partFinder
	locations []Location
}

// Locations returns the local locations of a read among those that its candidates lead to, in order
// of (place, start, end, distance, bases clipped at the start); it sorts the candidates. The least
// score is 1 to the read's length. Pieces have p bases or more. The locations are valid until the
// next call, their operations until the Aligner is reset.
//
// It is complete if every alignment that qualifies goes through the diagonal of a candidate: has a
// pair on it. By lemma 8 its pairs are then no more than a spread s of diagonals from there. So
// candidates whose diagonals are more than 2s + reach apart lead to alignments that are never in
// the same place, and no alignment is led to by both. The others are measured together.
func (l *Local) Locations(r *Read, least, p int, candidates []Candidate) []Location {
	l.locations = l.locations[:0]
	slices.SortFunc(candidates, func(a, b Candidate) int {
		if c := cmp.Compare(a.Place, b.Place); c != 0 {
			return c
		}
		return cmp.Compare(a.Diagonal, b.Diagonal)
	})
	for i := 0; i < len(candidates); {
		c := candidates[i]
		strand := r.Strand(c.Place)
		m := strand.Length()
		if least < 1 || least > m {
			return l.locations
		}
		s := l.spread(m - least)
		j := i + 1
		for j < len(candidates) && candidates[j].Place == c.Place &&
			int(candidates[j].Diagonal)-int(candidates[j-1].Diagonal) <= 2*s+(m-least)/mismatchLoss {
			j++
		}
		l.measure(strand, c.Place, least, int(c.Diagonal)-s, int(candidates[j-1].Diagonal)+s+1, 0, l.contig(c.Place).Length)
		i = j
	}
	return l.sort()
}

// InRegion returns the local locations of a strand among alignments that lie in the stretch [from,
// to) of a place, in order of (start, end). They are valid until the next call.
func (l *Local) InRegion(strand *Strand, p Place, least, from, to int) []Location {
	l.locations = l.locations[:0]
	if m := strand.Length(); least >= 1 && least <= m {
		l.measure(strand, p, least, from-m, to, from, to)
	}
	return l.sort()
}

func (l *Local) contig(p Place) *dna.Contig { return &l.Reference.Contigs[p.Contig()] }

// spread returns how many gap bases an alignment that qualifies may have, where m - T is given: so
// far are its pairs from each other's diagonals at most (lemma 8).
func (l *Local) spread(budget int) int {
	most := 0
	for capped := 0; capped*l.Cap <= budget; capped++ {
		most = max(most, capped*LongestGap+max(0, budget-capped*l.Cap-gapOpen))
	}
	return most
}

// measure adds the locations of a strand among alignments on diagonals [low, high) that lie in the
// stretch [from, to) of a place.
func (l *Local) measure(strand *Strand, p Place, least, low, high, from, to int) {
	c, m := l.contig(p), strand.Length()
	from, to = max(from, low, 0), min(to, high-1+m, c.Length)
	if from >= to {
		return
	}
	l.Measured++
	w := &l.window
	w.begin(l.Reference, c, strand, least, l.Cap, low, high, from, to)
	for w.next() {
		l.locations = append(l.locations, w.location(l.Aligner, p))
	}
}

// sort sorts the locations. No two that are in different places start with the same pair.
func (l *Local) sort() []Location {
	if len(l.locations) > 1 {
		slices.SortFunc(l.locations, func(a, b Location) int {
			return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
				cmp.Compare(a.Distance, b.Distance), cmp.Compare(l.clipped(&a), l.clipped(&b)))
		})
	}
	return l.locations
}

// clipped returns how many bases are clipped before the first pair of a location.
func (l *Local) clipped(a *Location) int32 {
	if first := l.Aligner.Operations(a)[0]; first.Kind == Clip {
		return first.Length
	}
	return 0
}
