package primers

import (
	"slices"
	"strconv"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// lastLetters is how many letters at the 3' end of a primer Site.Last looks at.
const lastLetters = 5

// An alignment lays a primer along the reference, 5' to 3' of the primer. Its memory is used again.
type alignment struct {
	letters []byte // of the primer
	codes   []byte // of the reference, in the primer's orientation
	path    []locate.OperationKind
}

// set makes it the alignment of a site. operations are along the contig, as search.Location has
// them, or along the primer if turned is set; none are one diagonal run. Gaps are moved towards the
// 5' end of the primer, as far as they go.
func (a *alignment) set(ref *dna.Reference, contig, start, end int, reverse bool, letters []byte, operations []locate.Operation, turned bool) {
	a.letters = letters
	a.codes = appendAround(a.codes[:0], ref, contig, start, end)
	if reverse {
		slices.Reverse(a.codes)
		for i, code := range a.codes {
			if code < dna.AmbiguousCode {
				a.codes[i] = 3 - code
			}
		}
	}
	a.path = a.path[:0]
	if operations == nil {
		for range letters {
			a.path = append(a.path, locate.Diagonal)
		}
		return
	}
	for _, o := range operations {
		for range o.Length {
			a.path = append(a.path, o.Kind)
		}
	}
	if reverse && !turned {
		slices.Reverse(a.path)
	}
	locate.ShiftLeft(a.path, func(kind locate.OperationKind, q, r, gap int) bool {
		if kind == locate.Deletion {
			return a.codes[r-1] == a.codes[r+gap-1]
		}
		return a.letters[q-1] == a.letters[q+gap-1]
	})
}

// of makes it the alignment of a site of an amplicon.
func (a *alignment) of(ref *dna.Reference, pairs []Pair, product *Amplicon, s *Site) {
	a.set(ref, product.Contig, s.Start, s.End, (s == &product.Reverse) != product.Minus, s.Primer.letters(pairs), s.Operations, true)
}

// each gives every operation on one letter: = or X where a letter of the primer is aligned with one
// of the reference, I for one that the reference lacks, D for one that the primer lacks, as in SAM.
// q letters of the primer and r of the reference come before it.
func (a *alignment) each(use func(operation byte, q, r int)) {
	q, r := 0, 0
	for _, kind := range a.path {
		switch {
		case kind == locate.Insertion:
			use('I', q, r)
			q++
			continue
		case kind == locate.Deletion:
			use('D', q, r)
			r++
			continue
		case search.MatchesCode(a.letters[q], a.codes[r]):
			use('=', q, r)
		default:
			use('X', q, r)
		}
		q, r = q+1, r+1
	}
}

// edits counts the edits in the last n letters of the primer, as ThreePrime does: letters that
// differ or that the reference lacks, and letters of the reference between two letters of the
// primer.
func (a *alignment) edits(n int) (count int) {
	first := len(a.letters) - n
	a.each(func(operation byte, q, _ int) {
		if operation == 'D' && q > first || (operation == 'X' || operation == 'I') && q >= first {
			count++
		}
	})
	return count
}

// appendCIGAR appends the alignment along the primer, in the letters =, X, I and D.
func (a *alignment) appendCIGAR(b []byte) []byte {
	run, last := 0, byte(0)
	a.each(func(operation byte, _, _ int) {
		if operation != last && run > 0 {
			b, run = append(strconv.AppendInt(b, int64(run), 10), last), 0
		}
		last = operation
		run++
	})
	return append(strconv.AppendInt(b, int64(run), 10), last)
}

// matched counts the letters of the primer that match.
func (a *alignment) matched() (count int) {
	a.each(func(operation byte, _, _ int) {
		if operation == '=' {
			count++
		}
	})
	return count
}

// capitalize puts in upper case the letters of a product that the primer matches. The product
// begins with the site, 5' to 3' of the primer, or ends with its reverse complement if atEnd is
// set.
func (a *alignment) capitalize(product []byte, atEnd bool) {
	a.each(func(operation byte, _, r int) {
		switch {
		case operation != '=':
		case atEnd:
			product[len(product)-1-r] &^= 0x20
		default:
			product[r] &^= 0x20
		}
	})
}

// operations are the alignment along the primer, nil if it is one diagonal run.
func (a *alignment) operations() []locate.Operation {
	if !slices.ContainsFunc(a.path, func(k locate.OperationKind) bool { return k != locate.Diagonal }) {
		return nil
	}
	return locate.AppendRuns(nil, a.path)
}
