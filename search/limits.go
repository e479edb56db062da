package search

import (
	"math"
	"slices"

	"scanmap/locate"
)

// Classes returns how many edits of each class a location has. With substitutions alone, and of
// bytes, the names of the classes mean the same.
func (l *Location) Classes() Limits {
	classes := Limits{Mismatches: l.Distance}
	for _, o := range l.Operations {
		switch o.Kind {
		case locate.Deletion:
			classes.DNABulges += int(o.Length)
		case locate.Insertion:
			classes.RNABulges += int(o.Length)
		}
	}
	classes.Mismatches -= classes.DNABulges + classes.RNABulges
	return classes
}

// limited computes alignments of a needle whose classes of edits have limits. Costs are mismatches,
// by numbers of gap letters: a cell is a number of letters of the needle, of deletions, and of
// insertions. An alignment that ends (or starts) at a known place has no other coordinate: these
// say where in the text it is. There is a matrix for each end, of m + 1 layers of (deletions + 1)
// (insertions + 1) cells.
//
// With k = 4, and two gap letters of each kind, that is 9 cells a letter, whatever the text.
type limited struct {
	deletions, insertions int // the most of each
	costs                 []int32
}

// cell is the index of a cell.
func (m *limited) cell(letters, deletions, insertions int) int {
	return (letters*(m.deletions+1)+deletions)*(m.insertions+1) + insertions
}

// reset sizes the matrix for a needle, with no cell in reach.
func (m *limited) reset(length, deletions, insertions int) {
	m.deletions, m.insertions = deletions, insertions
	n := m.cell(length, deletions, insertions) + 1
	if cap(m.costs) < n {
		m.costs = make([]int32, n)
	}
	m.costs = m.costs[:n]
	for i := range m.costs {
		m.costs[i] = unreachable
	}
}

// lower sets the cost of a cell if it is less than before.
func (m *limited) lower(cell int, cost int32) { m.costs[cell] = min(m.costs[cell], cost) }

// fromEnd computes the cells of all alignments that end with codes, from the needle's last letter
// on: a cell has the number of letters that are not yet aligned, and the gap letters so far. It
// returns, of the alignments within the limits, the fewest edits, and the fewest gap letters with
// as many edits; false if none has at most n.k edits.
func (m *limited) fromEnd(n *needle, codes []byte) (distance, gaps int, ok bool) {
	length := n.length()
	m.reset(length, min(n.limits.DNABulges, n.k), min(n.limits.RNABulges, n.k))
	m.costs[m.cell(length, 0, 0)] = 0
	distance, gaps = math.MaxInt, 0
	for i := length; i >= 0; i-- {
		for d := 0; d <= m.deletions; d++ {
			for r := 0; r <= m.insertions; r++ {
				cost := m.costs[m.cell(i, d, r)]
				total := int(cost) + d + r
				if int(cost) > n.limits.Mismatches || total > n.k {
					continue
				}
				if i == 0 {
					if total < distance || total == distance && d+r < gaps {
						distance, gaps = total, d+r
					}
					continue
				}
				if r < m.insertions && !n.fixed(i-1) {
					m.lower(m.cell(i-1, d, r+1), cost)
				}
				at := len(codes) - (length - i) + r - d // letters of the text before the cell
				if at <= 0 {
					continue
				}
				if d < m.deletions && n.gapsAllowed(i) {
					m.lower(m.cell(i, d+1, r), cost)
				}
				if n.matches(i-1, codes[at-1]) {
					m.lower(m.cell(i-1, d, r), cost)
				} else if !n.fixed(i - 1) {
					m.lower(m.cell(i-1, d, r), cost+1)
				}
			}
		}
	}
	return distance, gaps, distance <= n.k
}

// fromStart computes the cells of all alignments that start with codes, have at most the given
// deletions and insertions, and leave out no code before the last: a cell has the letters that are
// aligned.
func (m *limited) fromStart(n *needle, codes []byte, deletions, insertions int) {
	length := n.length()
	m.reset(length, deletions, insertions)
	m.costs[m.cell(0, 0, 0)] = 0
	for i := 0; i <= length; i++ {
		for d := 0; d <= deletions; d++ {
			for r := 0; r <= insertions; r++ {
				cost := m.costs[m.cell(i, d, r)]
				if cost >= unreachable {
					continue
				}
				if i < length && r < insertions && !n.fixed(i) {
					m.lower(m.cell(i+1, d, r+1), cost)
				}
				at := i - r + d
				if at >= len(codes) {
					continue
				}
				if d < deletions && n.gapsAllowed(i) {
					m.lower(m.cell(i, d+1, r), cost)
				}
				switch {
				case i == length:
				case n.matches(i, codes[at]):
					m.lower(m.cell(i+1, d, r), cost)
				case !n.fixed(i):
					m.lower(m.cell(i+1, d, r), cost+1)
				}
			}
		}
	}
}

// measureLimited is measure for a needle with limits.
func (l *locator) measureLimited(ends []int) {
	n := l.needle
	reach := n.length() + n.k
	from := max(l.contig.Start, ends[0]-reach)
	l.codes = l.text.allCodes(l.codes, from, ends[len(ends)-1])
	for _, end := range ends {
		first := max(from, end-reach)
		if distance, gaps, ok := l.limited.fromEnd(n, l.codes[first-from:end-from]); ok {
			l.occurrences = append(l.occurrences, locate.Occurrence{End: end, Distance: int32(distance), Gaps: int32(gaps)})
		}
	}
}

// traceLimited is trace for a needle with limits: of the alignments that end there with the given
// edits and gap letters within the limits, it takes the first by a way back from the end that
// prefers a diagonal, then a deletion, then an insertion. Where limits exclude no alignment it
// takes the alignment of trace.
//
// The number of deletions among the gap letters decides where an alignment starts. There is a
// matrix for each such number, and the way back goes on in each matrix where it is still possible:
// where its mismatches so far, and the fewest of the letters before, add up to the mismatches of
// the whole.
func (l *locator) traceLimited(end, distance, gaps int) int {
	n := l.needle
	length := n.length()
	mismatches := int32(distance - gaps)
	from := max(l.contig.Start, end-length-gaps)
	l.codes = l.text.allCodes(l.codes, from, end)
	type matrix struct {
		limited
		start int
	}
	var open []*matrix
	for d := max(0, gaps-n.limits.RNABulges); d <= min(gaps, n.limits.DNABulges); d++ {
		m := &matrix{start: end - length + (gaps - d) - d}
		if m.start < from {
			continue
		}
		m.fromStart(n, l.codes[m.start-from:], d, gaps-d)
		if m.costs[m.cell(length, d, gaps-d)] == mismatches {
			open = append(open, m)
		}
	}
	l.path = l.path[:0]
	i, d, r, had := length, 0, 0, int32(0) // letters to go, and what the way back has had
	at := end - from
	for i > 0 {
		// go on to a cell in the matrices in which that is possible, if there are any
		try := func(i, d, r int, cost int32) bool {
			var still []*matrix
			for _, m := range open {
				if d <= m.deletions && r <= m.insertions &&
					had+cost+m.costs[m.cell(i, m.deletions-d, m.insertions-r)] == mismatches {
					still = append(still, m)
				}
			}
			if len(still) == 0 {
				return false
			}
			open, had = still, had+cost
			return true
		}
		differs := int32(1)
		if at > 0 && n.matches(i-1, l.codes[at-1]) {
			differs = 0
		}
		switch {
		case at > 0 && (differs == 0 || !n.fixed(i-1)) && try(i-1, d, r, differs):
			l.path = append(l.path, locate.Diagonal)
			i, at = i-1, at-1
		case at > 0 && n.gapsAllowed(i) && try(i, d+1, r, 0):
			l.path = append(l.path, locate.Deletion)
			d, at = d+1, at-1
		case !n.fixed(i-1) && try(i-1, d, r+1, 0):
			l.path = append(l.path, locate.Insertion)
			i, r = i-1, r+1
		default: // the matrices have a way for every occurrence
			i = 0
		}
	}
	slices.Reverse(l.path)
	return from + at
}
