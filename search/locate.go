package search

import (
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A Location is a place where a pattern fits.
type Location struct {
	Pattern  int // its number among those given
	Contig   int // its number in the text
	Start    int // on the contig; End is after the last letter
	End      int
	Reverse  bool // the reverse complement of the pattern fits
	Distance int  // edits, or substitutions
	// Operations are the alignment, in the text's orientation; none stand for one diagonal run.
	Operations []locate.Operation
}

// A locator turns ends into locations. It is the scratch memory of one worker.
type locator struct {
	text      *Text
	separator locate.Separator
	codes     []byte
	column    []int32
	moves     []locate.OperationKind
	// costs has, for each code, what it costs to have that code at each letter of costsOf.
	costs   [len(codeSets)][]int32
	costsOf *needle
	path    []locate.OperationKind
	limited limited
	// occurrences of needle on contig may exclude each other. They are in order of their ends,
	// which are offsets in the text.
	occurrences []locate.Occurrence
	needle      *needle
	contig      *dna.Contig
}

// unreachable is a cost that no alignment has: MaxLength edits cost less. Its sum with a few edits
// fits 32 bits.
const unreachable = 1 << 29

// measureAtOnce bounds the text that is decoded at a time.
const measureAtOnce = 1 << 16

// locate adds the locations of a needle on a contig. ends are offsets in the text, in ascending
// order. Ends of no occurrence are left out. The locations of before, which lie before the ends,
// may exclude some.
func (l *locator) locate(n *needle, contig int, before []locate.Occurrence, ends []int, add func(Location)) {
	if n.k == 0 || n.substitutions {
		l.ungapped(n, contig, ends, add)
		return
	}
	l.needle, l.contig = n, &l.text.contigs[contig]
	for len(ends) > 0 {
		count := n.together(ends)
		for _, i := range l.separate(before, ends[:count]) {
			add(l.align(contig, &l.occurrences[i]))
		}
		before, ends = nil, ends[count:]
	}
}

// separate leaves the occurrences among ends in l.occurrences, after the locations before, and
// returns the indices of the locations among these.
func (l *locator) separate(before []locate.Occurrence, ends []int) []int32 {
	l.occurrences = append(l.occurrences[:0], before...)
	for from := 0; from < len(ends); {
		to := from + 1
		for to < len(ends) && ends[to]-ends[from] < measureAtOnce {
			to++
		}
		l.measure(ends[from:to])
		from = to
	}
	return l.separator.SeparateAfter(len(before), l.occurrences, l.needle.length(), l.needle.k, l)
}

// locateSome is locate for a needle with edits and ends that have to be separated together, also
// with later ends that are not known yet. It adds the locations that end at most at `through`,
// which is n.lookahead() before the last end that may be known, and returns the locations that are
// `before` later ends.
func (l *locator) locateSome(
	n *needle, contig int, before []locate.Occurrence, ends []int, through int, add func(Location),
) []locate.Occurrence {
	l.needle, l.contig = n, &l.text.contigs[contig]
	kept := l.separate(before, ends)
	last := slices.Clone(before)
	for _, i := range kept {
		if o := l.occurrences[i]; o.End <= through {
			add(l.align(contig, &o))
			last = append(last, o)
		}
	}
	return slices.DeleteFunc(last, func(o locate.Occurrence) bool { return o.End <= through-3*n.k })
}

// lookahead is how many letters after an end the occurrences may end that decide whether it is a
// location.
func (n *needle) lookahead() int { return locate.Reach(n.k) }

// together returns how many of the first ends have to be separated together: up to one after which
// the next end is more than m + 2k away.
//
// An alignment with at most k edits spans at most m + k letters, so an alignment that ends more
// than m + 2k after an end e starts more than k after e. An alignment that ends at e has no letter
// in common with it, and starts before e. Hence both their ends and their starts are more than k
// apart, and neither decides whether the other is a location.
func (n *needle) together(ends []int) int {
	i := 1
	for i < len(ends) && ends[i]-ends[i-1] <= n.length()+2*n.k {
		i++
	}
	return i
}

// apart returns the number of the first ends that no later end has to be separated with, at least
// the given number or all.
func (n *needle) apart(ends []int, least int) int {
	for count := least; count < len(ends); count++ {
		if n.k == 0 || n.substitutions || ends[count]-ends[count-1] > n.length()+2*n.k {
			return count
		}
	}
	return len(ends)
}

// ungapped adds the ends with at most k substitutions.
func (l *locator) ungapped(n *needle, contig int, ends []int, add func(Location)) {
	c := &l.text.contigs[contig]
	m := n.length()
	for _, end := range ends {
		if end-m < c.Start {
			continue
		}
		l.codes = l.text.allCodes(l.codes, end-m, end)
		distance := 0
		for i, code := range l.codes {
			if n.matches(i, code) {
				continue
			}
			distance++
			if n.fixed(i) {
				distance = n.k + 1
			}
			if distance > n.k {
				break
			}
		}
		if distance <= n.k {
			add(Location{Contig: contig, Start: end - m - c.Start, End: end - c.Start, Distance: distance})
		}
	}
}

// gapsAllowed tells whether letters of the text may be deleted after the first i letters of a
// needle.
func (n *needle) gapsAllowed(i int) bool {
	m := n.length()
	return i > 0 && (i < m && !n.fixed(i) || !n.fixed(i-1))
}

// start sets a column to that before any letter of the text.
func (n *needle) start(column []int32) {
	column[0] = 0
	for i := range n.length() {
		if n.fixed(i) {
			column[i+1] = unreachable
		} else {
			column[i+1] = min(column[i]+locate.EditCost+1, unreachable)
		}
	}
}

// next goes on by one letter of the text: column[i] is the least cost of an alignment of the first
// i letters of the needle, which may start anywhere in the text (Sellers 1980). Rows first + 1 to
// last are computed. Row first of the new column counts as out of reach, unless it is row 0, which
// is always 0. Where there are moves, next notes the operation by which the best alignment of the
// first i letters comes to this letter: among equal costs a diagonal before a deletion, and that
// before an insertion.
func (n *needle) next(column []int32, code byte, first, last int, moves []locate.OperationKind) {
	diagonal, above := column[first], int32(unreachable)
	if first == 0 {
		above = 0
	}
	for i := first; i < last; i++ {
		left := column[i+1]
		best, move := int32(unreachable), locate.Diagonal
		if n.matches(i, code) {
			best = diagonal
		} else if !n.fixed(i) {
			best = diagonal + locate.EditCost
		}
		if v := left + locate.EditCost + 1; n.gapsAllowed(i+1) && v < best {
			best, move = v, locate.Deletion
		}
		if v := above + locate.EditCost + 1; !n.fixed(i) && v < best {
			best, move = v, locate.Insertion
		}
		diagonal = left
		above = min(best, unreachable)
		column[i+1] = above
		if moves != nil {
			moves[i+1] = move
		}
	}
}

// measure appends the occurrences among ends that lie near each other.
//
// Only the diagonals up to k from the diagonals of the ends are computed: an alignment with at most
// k edits stays there. The costs of occurrences are therefore as in the whole matrix. Costs that
// the column still holds for other diagonals are never less than in the whole matrix, which makes
// no end an occurrence.
func (l *locator) measure(ends []int) {
	n := l.needle
	if n.limits != nil {
		l.measureLimited(ends)
		return
	}
	m := n.length()
	from := max(l.contig.Start, ends[0]-m-n.k)
	last := ends[len(ends)-1]
	l.codes = l.text.allCodes(l.codes, from, last)
	l.column = parallel.Resize(l.column, m+1)
	n.start(l.column)
	plain := n.alphabet == DNA && n.exact == nil
	if plain {
		l.makeCosts(n)
	}
	at := from
	for _, end := range ends {
		for ; at < end; at++ {
			// The rows that this column has on the diagonals of the last end and of the first.
			least, most := at+1-(last-m), at+1-(ends[0]-m)
			first, stop := max(least-n.k-1, 0), min(most+n.k, m)
			if plain {
				plainNext(l.column, l.costs[l.codes[at-from]], first, stop)
			} else {
				n.next(l.column, l.codes[at-from], first, stop, nil)
			}
		}
		if cost := l.column[m]; int(cost/locate.EditCost) <= n.k {
			l.occurrences = append(l.occurrences, locate.Occurrence{
				End: end, Distance: cost / locate.EditCost, Gaps: cost % locate.EditCost,
			})
		}
	}
}

// makeCosts sets l.costs, unless they are the needle's already.
func (l *locator) makeCosts(n *needle) {
	if l.costsOf == n {
		return
	}
	l.costsOf = n
	for code := range l.costs {
		l.costs[code] = l.costs[code][:0]
		for i := range n.length() {
			cost := int32(locate.EditCost)
			if n.matches(i, byte(code)) {
				cost = 0
			}
			l.costs[code] = append(l.costs[code], cost)
		}
	}
}

// plainNext is next for a needle of DNA without letters that have to match, and without moves.
// costs has the cost of the text's letter at each letter of the needle.
func plainNext(column, costs []int32, first, last int) {
	if first >= last {
		return
	}
	diagonal, above := column[first], int32(unreachable)
	if first == 0 {
		above = 0
	}
	costs = costs[first:last]
	rows := column[first+1:][:len(costs)]
	for i, cost := range costs {
		left := rows[i]
		above = min(diagonal+cost, min(left, above)+locate.EditCost+1)
		diagonal = left
		rows[i] = above
	}
}

// Gaps returns the fewest inserted and deleted letters of the occurrence that ends there.
func (l *locator) Gaps(end int, _ int32) int32 {
	i, _ := slices.BinarySearchFunc(l.occurrences, end, func(o locate.Occurrence, end int) int {
		return cmp.Compare(o.End, end)
	})
	return l.occurrences[i].Gaps
}

// Start returns where the alignment of the occurrence that ends there starts.
func (l *locator) Start(end int, distance int32) int {
	return l.traceback(end, int(distance), int(l.Gaps(end, distance)))
}

// traceback is trace, or traceLimited.
func (l *locator) traceback(end, distance, gaps int) int {
	if l.needle.limits != nil {
		return l.traceLimited(end, distance, gaps)
	}
	return l.trace(end, gaps)
}

// trace leaves in l.path the alignment of the occurrence that ends there and has `gaps` inserted
// and deleted letters, before gaps are shifted. It returns the alignment's start.
//
// Only the diagonals up to gaps from the diagonal of the end are computed. Every best alignment
// stays there, so the costs along the alignment are as in the whole matrix. The costs that the
// column still holds for other diagonals are never lower than in the whole matrix. Thus the way
// back never goes there: if it did, a best alignment would leave the diagonals.
func (l *locator) trace(end, gaps int) int {
	n := l.needle
	m := n.length()
	from := max(l.contig.Start, end-m-gaps)
	l.codes = l.text.allCodes(l.codes, from, end)
	width := m + 1
	l.moves = parallel.Resize(l.moves, (len(l.codes)+1)*width)
	l.column = parallel.Resize(l.column, m+1)
	n.start(l.column)
	for i := range width {
		l.moves[i] = locate.Insertion
	}
	for at, code := range l.codes {
		row := at + 1 - (len(l.codes) - m) // on the diagonal of the end
		first, last := max(row-gaps-1, 0), min(row+gaps, m)
		n.next(l.column, code, first, last, l.moves[(at+1)*width:])
	}
	l.path = l.path[:0]
	i, at := m, len(l.codes)
	for i > 0 {
		move := l.moves[at*width+i]
		l.path = append(l.path, move)
		if move != locate.Deletion {
			i--
		}
		if move != locate.Insertion {
			at--
		}
	}
	slices.Reverse(l.path)
	return from + at
}

// align makes the location of an occurrence.
func (l *locator) align(contig int, o *locate.Occurrence) Location {
	found := Location{Contig: contig, End: o.End - l.contig.Start, Distance: int(o.Distance)}
	if o.Gaps == 0 {
		found.Start = found.End - l.needle.length()
		return found
	}
	start := l.traceback(o.End, int(o.Distance), int(o.Gaps))
	l.shiftLeft(start)
	found.Start = start - l.contig.Start
	found.Operations = locate.AppendRuns(nil, l.path)
	return found
}

// shiftLeft moves the gaps of l.path, an alignment that starts at an offset of the text. Letters
// that are fixed stay where they are. Letters of the needle are alike if the same codes match.
func (l *locator) shiftLeft(start int) {
	n := l.needle
	locate.ShiftLeft(l.path, func(kind locate.OperationKind, q, r, gap int) bool {
		switch {
		case n.fixed(q - 1):
			return false
		case kind == locate.Deletion:
			return l.text.Letter(start+r-1) == l.text.Letter(start+r+gap-1)
		}
		return n.alike(q-1, q+gap-1)
	})
}

// alike tells whether the same codes match at two places.
func (n *needle) alike(a, b int) bool {
	if n.alphabet == Bytes {
		return n.letters[a] == n.letters[b]
	}
	return n.sets[a] == n.sets[b]
}
