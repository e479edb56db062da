package mappability

import (
	"math/bits"
	"slices"
)

// A path says which bases are equal in a group (neighbours.go), and which pairs are counted there.
// The bases that are left are cut into pieces, and one of these is equal in each group of the
// group. By the lemma of neighbours.go a pair is counted where all pieces of the path are equal,
// and each piece that was cut with a piece of the path, and lies before that piece, differs. In
// other words, the path owns a pair that has no difference in the equal bases, and a difference in
// each set of required bases.
//
// A path may ask for more differences than e: with e = 2 and 36 bases, 3 of the 27 ways to take
// three steps do. Where no pair can be owned, there is nothing to do.
type path struct {
	words int
	edits int
	// equal are the bases of the equal pieces, and rest all others. required are sets of bases, one
	// after another. A pair has a difference in each set.
	equal, rest, required []uint64
	left                  int // bases of rest
	possible              bool
	// pieces are the masks of the pieces that rest is cut into; none if it has too few bases.
	pieces []uint64
	next   []*path // by piece, as far as known
	known  *int    // how many paths there are from the same first one
}

// mostPaths is how many paths are kept from one bin to the next. Within a bin there may be more:
// with 100 bases as many as 11,273 with 3 edits, 43,041 with 4 and 151,375 with 5, and few of these
// are taken.
const mostPaths = 1 << 12

// newPath is the path of all strings, with all their bases.
func newPath(all []uint64, edits int) *path {
	p := &path{words: len(all), edits: edits, equal: make([]uint64, len(all)), rest: all, known: new(int)}
	return p.finished()
}

// finished works out what follows from equal, rest and required.
func (p *path) finished() *path {
	for _, word := range p.rest {
		p.left += bits.OnesCount64(word)
	}
	if pieces := p.edits + 1; p.left >= pieces {
		p.pieces = cutBases(nil, p.rest, pieces)
		p.next = make([]*path, pieces)
	}
	p.possible = p.reachable()
	*p.known++
	return p
}

// piece returns the mask of a piece.
func (p *path) piece(number int) []uint64 { return p.pieces[number*p.words : (number+1)*p.words] }

// step returns the path of the groups in which a piece is equal.
func (p *path) step(number int) *path {
	if p.next[number] != nil {
		return p.next[number]
	}
	n := &path{words: p.words, edits: p.edits, known: p.known}
	piece := p.piece(number)
	for w := range p.words {
		n.equal = append(n.equal, p.equal[w]|piece[w])
		n.rest = append(n.rest, p.rest[w]&^piece[w])
	}
	for i, word := range p.required {
		n.required = append(n.required, word&^piece[i%p.words])
	}
	n.required = append(n.required, p.pieces[:number*p.words]...)
	p.next[number] = n.finished()
	return n
}

// cutBases cuts the bases of a mask into pieces as equal in number as can be, and appends the masks
// of the pieces, each with as many words as the mask.
func cutBases(masks, of []uint64, pieces int) []uint64 {
	total := 0
	for _, word := range of {
		total += bits.OnesCount64(word)
	}
	first := len(masks)
	masks = slices.Grow(masks, pieces*len(of))[:first+pieces*len(of)]
	clear(masks[first:])
	n, piece := 0, 0
	for w, word := range of {
		for ; word != 0; word &= word - 1 {
			for n >= total*(piece+1)/pieces {
				piece++
			}
			masks[first+piece*len(of)+w] |= word & -word
			n++
		}
	}
	return masks
}

// pieceOf is where a piece of k bases begins, and how many it has (cutBases).
func pieceOf(k, pieces, piece int) (first, length int) {
	first = k * piece / pieces
	return first, k*(piece+1)/pieces - first
}

// owns tells whether a pair that differs in just these bases, at most e, is counted in the groups
// of the path.
func (p *path) owns(difference []uint64) bool {
	for w, d := range difference {
		if d&p.equal[w] != 0 {
			return false
		}
	}
	for i := 0; i < len(p.required); i += p.words {
		touched := uint64(0)
		for w, d := range difference {
			touched |= d & p.required[i+w]
		}
		if touched == 0 {
			return false
		}
	}
	return true
}

const (
	// mostRequired is up to how many sets of required bases are looked at together.
	mostRequired = 64
	// mostTried is how many choices of bases are tried to see whether there is one.
	mostTried = 1 << 10
)

// reachable tells whether e bases can have one of each set of required bases; it may say so too
// where that takes long to find out.
func (p *path) reachable() bool {
	sets := len(p.required) / p.words
	if sets == 0 || sets > mostRequired {
		return true
	}
	// Bases of the same sets are as good as each other.
	var kinds []uint64 // sets that a base belongs to, by bits
	known := map[uint64]bool{0: true}
	for w, word := range p.rest {
		for ; word != 0; word &= word - 1 {
			kind := uint64(0)
			for i := range sets {
				if p.required[i*p.words+w]&word&-word != 0 {
					kind |= 1 << i
				}
			}
			if !known[kind] {
				known[kind] = true
				kinds = append(kinds, kind)
			}
		}
	}
	tried := 0
	var reach func(missing uint64, edits int) bool
	reach = func(missing uint64, edits int) bool {
		tried++
		switch {
		case missing == 0 || tried > mostTried:
			return true
		case edits == 0:
			return false
		}
		for _, kind := range kinds {
			if kind&missing&-missing != 0 && reach(missing&^kind, edits-1) {
				return true
			}
		}
		return false
	}
	return reach(^uint64(0)>>(64-sets), p.edits)
}

// The costs of counting in a group, in nanoseconds, on the machine of
// docs/benchmarks/mappability.md. A pair of strings costs pairNanoseconds for each 64 bases, and a
// string takenNanoseconds to be put into a group of a group.
const (
	pairNanoseconds  = 0.8
	takenNanoseconds = 10.0
	// together is how many strings are compared with each other without asking what costs least.
	together = 1 << 7
)

// comparedCost is what it takes to compare the wanted ones of some strings with all.
func (p *path) comparedCost(wanted, all int) float64 {
	return pairNanoseconds * float64(p.words) * float64(wanted) * (float64(all) - float64(wanted)/2)
}
