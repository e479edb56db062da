package search

import (
	"slices"
)

// A Location is a place where a pattern fits.
type Location struct {
	Pattern  int // its number among those given
	Contig   int // its number in the text
	Start    int // on the contig; End is behind the last letter
	End      int
	Reverse  bool // the reverse complement of the pattern fits
	Distance int  // edits, or substitutions
	// Operations are the alignment, in the text's orientation; none stand for one diagonal run.
	Operations []Operation
}

// An Operation is a run of one kind in an alignment.
type Operation struct {
	Kind   OperationKind
	Length int
}

// OperationKind is the kind of an Operation.
type OperationKind uint8

// The kinds of operations; what each consumes, as in SAM:
//
//	            pattern  text
//	Diagonal      yes     yes     match or mismatch
//	Insertion     yes     no
//	Deletion      no      yes
const (
	Diagonal OperationKind = iota
	Insertion
	Deletion
)

// A locator turns ends into locations. It is the scratch memory of one worker.
type locator struct {
	text    *Text
	codes   []byte
	column  []int32
	results []measured
	order   []int32
	moves   []OperationKind
	path    []OperationKind
}

// measured is an end in a contig with the cost of its best alignment.
type measured struct {
	end  int
	cost int32 // editCost for each edit, 1 for each gap base
	kept int8  // 1 kept, -1 dropped
}

// editCost is the cost of an edit; an inserted or deleted base costs 1 more, so that the least cost has the
// fewest edits first and the fewest gaps second.
const editCost = 1 << 15

// unreachable is a cost that no alignment has.
const unreachable = 1 << 29

// locate adds the locations of a needle whose ends, in ascending order, are offsets behind letters of one contig. Ends that
// are no occurrences are left out.
func (l *locator) locate(n *needle, contig int, ends []int, add func(Location)) {
	if len(ends) == 0 {
		return
	}
	if n.k == 0 || n.substitutions {
		l.ungapped(n, contig, ends, add)
		return
	}
	l.results = l.results[:0]
	// Ends that are so far apart that their alignments have no letter in common are measured apart.
	for i := 0; i < len(ends); {
		j := i + 1
		for j < len(ends) && ends[j]-ends[j-1] <= n.length()+2*n.k && ends[j]-ends[i] < measureAtOnce {
			j++
		}
		l.measure(n, contig, ends[i:j])
		i = j
	}
	l.separate(n.k)
	for _, r := range l.results {
		if r.kept > 0 {
			add(l.align(n, contig, r))
		}
	}
}

// measureAtOnce bounds the text that is decoded at a time.
const measureAtOnce = 1 << 16

// ungapped adds the ends with at most k substitutions.
func (l *locator) ungapped(n *needle, contig int, ends []int, add func(Location)) {
	c := &l.text.contigs[contig]
	m := n.length()
	for _, end := range ends {
		if end-m < c.Start {
			continue
		}
		l.codes = l.text.codes(l.codes, end-m, end)
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

// gapsAllowed tells whether letters of the text may be deleted behind the first i letters of a needle.
func (n *needle) gapsAllowed(i int) bool {
	m := n.length()
	return i > 0 && (i < m && !n.fixed(i) || !n.fixed(i-1))
}

// next goes on by one letter of the text: column[i] is the cost of the first i letters of the needle, with a free start in the
// text, as in Sellers 1980. Where there are moves it notes by which operation the best alignment of the first i letters comes to this letter.
func (n *needle) next(column []int32, code byte, moves []OperationKind) {
	diagonal := column[0]
	for i := range n.length() {
		left := column[i+1]
		best, move := int32(unreachable), Diagonal
		if n.matches(i, code) {
			best = diagonal
		} else if !n.fixed(i) {
			best = diagonal + editCost
		}
		if v := left + editCost + 1; n.gapsAllowed(i+1) && v < best {
			best, move = v, Deletion
		}
		if v := column[i] + editCost + 1; !n.fixed(i) && v < best {
			best, move = v, Insertion
		}
		diagonal = left
		column[i+1] = min(best, unreachable)
		if moves != nil {
			moves[i+1] = move
		}
	}
}

// start sets a column to that before any letter of the text.
func (n *needle) start(column []int32) {
	column[0] = 0
	for i := range n.length() {
		if n.fixed(i) {
			column[i+1] = unreachable
		} else {
			column[i+1] = min(column[i]+editCost+1, unreachable)
		}
	}
}

// measure appends the occurrences among ends that lie near each other.
func (l *locator) measure(n *needle, contig int, ends []int) {
	c := &l.text.contigs[contig]
	m := n.length()
	from := max(c.Start, ends[0]-m-n.k)
	last := ends[len(ends)-1]
	l.codes = l.text.codes(l.codes, from, last)
	l.column = slices.Grow(l.column[:0], m+1)[:m+1]
	n.start(l.column)
	at := from
	for _, end := range ends {
		for ; at < end; at++ {
			n.next(l.column, l.codes[at-from], nil)
		}
		if cost := l.column[m]; int(cost/editCost) <= n.k {
			l.results = append(l.results, measured{end: end, cost: cost})
		}
	}
}

// separate keeps occurrences in order of (distance, gaps, end) unless a kept one lies within k.
func (l *locator) separate(k int) {
	r := l.results
	l.order = l.order[:0]
	for i := range r {
		l.order = append(l.order, int32(i))
	}
	slices.SortFunc(l.order, func(a, b int32) int {
		if r[a].cost != r[b].cost {
			return int(r[a].cost - r[b].cost)
		}
		return int(a - b)
	})
	for _, i := range l.order {
		if r[i].kept != 0 {
			continue
		}
		r[i].kept = 1
		for j := i - 1; j >= 0 && r[i].end-r[j].end <= k; j-- {
			r[j].kept = -1
		}
		for j := int(i) + 1; j < len(r) && r[j].end-r[i].end <= k; j++ {
			r[j].kept = -1
		}
	}
}

// align makes the location of an occurrence. Among equal costs a diagonal comes before a deletion, and that before an
// insertion; gaps are then moved left as far as they go.
func (l *locator) align(n *needle, contig int, r measured) Location {
	c := &l.text.contigs[contig]
	m := n.length()
	loc := Location{Contig: contig, End: r.end - c.Start, Distance: int(r.cost / editCost)}
	if r.cost%editCost == 0 {
		loc.Start = loc.End - m
		return loc
	}
	from := max(c.Start, r.end-m-n.k)
	l.codes = l.text.codes(l.codes, from, r.end)
	width := m + 1
	l.moves = slices.Grow(l.moves[:0], (len(l.codes)+1)*width)[:(len(l.codes)+1)*width]
	l.column = slices.Grow(l.column[:0], m+1)[:m+1]
	n.start(l.column)
	for i := range width {
		l.moves[i] = Insertion
	}
	for at, code := range l.codes {
		n.next(l.column, code, l.moves[(at+1)*width:])
	}
	l.path = l.path[:0]
	i, at := m, len(l.codes)
	for i > 0 {
		move := l.moves[at*width+i]
		l.path = append(l.path, move)
		if move != Deletion {
			i--
		}
		if move != Insertion {
			at--
		}
	}
	slices.Reverse(l.path)
	l.shiftLeft(n, from+at)
	loc.Start = from + at - c.Start
	loc.Operations = runs(l.path)
	return loc
}

// shiftLeft moves each gap of l.path left while the letter before it equals its last one: then every other letter
// keeps what it is aligned with. Gaps of one kind that meet become one and go on. start is the
// offset of the alignment's first letter in the text.
func (l *locator) shiftLeft(n *needle, start int) {
	path := l.path
	q, r := 0, 0 // letters of the needle and of the text before path[i]
	for i := 0; i < len(path); {
		kind := path[i]
		if kind == Diagonal {
			q, r, i = q+1, r+1, i+1
			continue
		}
		end := i + 1
		for end < len(path) && path[end] == kind {
			end++
		}
		gap, from, fq, fr := end-i, i, q, r // the gap is path[from:from+gap], behind fq and fr letters
		for from > 0 && (path[from-1] == kind || path[from-1] == Diagonal) {
			if path[from-1] == kind {
				from, gap = from-1, gap+1
				if kind == Insertion {
					fq--
				} else {
					fr--
				}
				continue
			}
			if n.fixed(fq - 1) {
				break
			}
			if kind == Deletion && l.text.Letter(start+fr-1) != l.text.Letter(start+fr+gap-1) ||
				kind == Insertion && !n.alike(fq-1, fq+gap-1) {
				break
			}
			path[from-1], path[from+gap-1] = kind, Diagonal
			from, fq, fr = from-1, fq-1, fr-1
		}
		if kind == Insertion {
			q += end - i
		} else {
			r += end - i
		}
		i = end
	}
}

// alike tells whether the same codes match at two places.
func (n *needle) alike(a, b int) bool {
	if n.alphabet == Bytes {
		return n.letters[a] == n.letters[b]
	}
	return n.sets[a] == n.sets[b]
}

// runs collects a path.
func runs(path []OperationKind) []Operation {
	var operations []Operation
	for _, kind := range path {
		if n := len(operations); n > 0 && operations[n-1].Kind == kind {
			operations[n-1].Length++
			continue
		}
		operations = append(operations, Operation{kind, 1})
	}
	return operations
}
