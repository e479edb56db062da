package truth

import (
	"fmt"
	"strings"
)

// A LocalLocation is a local location as package locate defines it.
type LocalLocation struct {
	Contig, Strand, Start, End, Lost, Gaps int
	CIGAR                                  string
}

// LocalRules settle choices that the definition of local locations leaves open. Gap returns the
// cost of a gap, up to Longest bases.
type LocalRules struct {
	Least, Cap, Longest int
}

func (l LocalRules) gap(bases int) int { return min(6+bases, l.Cap) }

// reach returns how far apart aligned positions of a base may be where two alignments are in the
// same place.
func (l LocalRules) reach(m int) int { return (m - l.Least) / 5 }

// FindLocal returns the local locations of a read, contig by contig, strand by strand, in the order
// in which they are taken.
func FindLocal(contigs []string, read string, rules LocalRules) (all []LocalLocation) {
	for c, text := range contigs {
		for strand := range 2 {
			for _, l := range LocalInText(text, Strand(read, strand), rules) {
				l.Contig, l.Strand = c, strand
				all = append(all, l)
			}
		}
	}
	return all
}

// LocalInText returns the local locations of a strand in a text, in the order in which they are
// taken: the best alignment that qualifies, then the best that is not in the same place, and so on.
// An alignment that scores more, or as much, with an end clipped is taken and left out.
func LocalInText(text, s string, rules LocalRules) (taken []LocalLocation) {
	return LocalInCells(text, s, rules, nil)
}

// LocalInCells returns the locations of LocalInText, looking at some cells alone: `may` tells which
// pairs of a base of the strand and a position of the text an alignment that qualifies may have. It
// is nil for all.
func LocalInCells(text, s string, rules LocalRules, may func(i, j int) bool) (taken []LocalLocation) {
	var paths [][]pair
	for len(s) > 0 {
		masked := make([][]bool, len(s))
		for i := range masked {
			masked[i] = make([]bool, len(text))
			for j := range text {
				masked[i][j] = may != nil && !may(i, j)
			}
		}
		for _, path := range paths {
			for _, p := range path {
				for j := range text {
					if max(j-p.j, p.j-j) <= rules.reach(len(s)) {
						masked[p.i][j] = true
					}
				}
			}
		}
		path, ok := bestLocal(text, s, rules, masked)
		if !ok {
			break
		}
		path = shiftLocal(text, s, path, masked)
		paths = append(paths, path)
		if !betterClipped(text, s, rules, path) {
			taken = append(taken, describeLocal(text, s, rules, path))
		}
	}
	return taken
}

// A pair is a base of the strand that is aligned to a position of the text.
type pair struct{ i, j int }

// Costs of alignments are compared by one number: lost score, then gap bases, edits and start. The
// number of no alignment is above all others.
const (
	localStart = 1
	localEdit  = localStart << 12
	localGap   = localEdit << 12
	localLost  = localGap << 13
	localNone  = 1 << 62
)

// A localTable has the least cost of an alignment whose last pair is (i, j) and that has `inserted`
// inserted bases, if they are counted; otherwise `inserted` is 0 for all.
type localTable struct {
	text, s string
	rules   LocalRules
	masked  [][]bool
	count   bool
	most    int // inserted bases
	cells   [][][]int
}

// pairCost returns what it costs to align a base with a position of the text.
func (t *localTable) pairCost(i, j int) int {
	if Matches(t.s[i], t.text[j]) {
		return 0
	}
	return 5*localLost + localEdit
}

func (t *localTable) deletionCost(g int) int {
	return t.rules.gap(g)*localLost + g*localGap + g*localEdit
}

func (t *localTable) insertionCost(g int) int {
	return (t.rules.gap(g)+g)*localLost + g*localGap + g*localEdit
}

// cell returns the cost of a cell, also of those outside the table.
func (t *localTable) cell(inserted, i, j int) int {
	if inserted < 0 || i < 0 || j < 0 {
		return localNone
	}
	return t.cells[inserted][i][j]
}

// after returns how many inserted bases are left to count before a gap of g inserted bases.
func (t *localTable) after(inserted, g int) int {
	if t.count {
		return inserted - g
	}
	return inserted
}

// fill fills all cells.
//
//go:norace
func (t *localTable) fill() {
	deletions, insertions := make([]int, t.rules.Longest+1), make([]int, t.rules.Longest+1)
	for g := range deletions {
		deletions[g], insertions[g] = t.deletionCost(g), t.insertionCost(g)
	}
	t.cells = make([][][]int, t.most+1)
	for n := range t.cells {
		t.cells[n] = make([][]int, len(t.s))
		for i := range t.cells[n] {
			row := make([]int, len(t.text))
			t.cells[n][i] = row
			for j := range row {
				row[j] = localNone
				if t.masked[i][j] {
					continue
				}
				best := t.cell(n, i-1, j-1)
				if n == 0 { // the first pair
					best = min(best, i*localLost+j*localStart)
				}
				// No cell costs less than 0, and a longer gap costs no less.
				if i > 0 && j > 0 {
					before := t.cells[n][i-1]
					for g := 1; g <= min(t.rules.Longest, j-1) && deletions[g] < best; g++ {
						best = min(best, before[j-1-g]+deletions[g])
					}
				}
				longest := min(t.rules.Longest, i-1)
				if t.count {
					longest = min(longest, n)
				}
				for g := 1; g <= longest && j > 0 && insertions[g] < best; g++ {
					best = min(best, t.cells[t.after(n, g)][i-1-g][j-1]+insertions[g])
				}
				if best < localNone {
					row[j] = best + t.pairCost(i, j)
				}
			}
		}
	}
}

// bestLocal returns the pairs of the best alignment that qualifies and has no masked pair.
//
// The alignment of the best score may not qualify while another one does, with more inserted bases.
// Only then these are counted.
func bestLocal(text, s string, rules LocalRules, masked [][]bool) ([]pair, bool) {
	t := localTable{text: text, s: s, rules: rules, masked: masked}
	t.fill()
	path, ok := t.trace(func(lost, inserted int) bool { return true })
	if !ok || rules.qualifies(len(s), lostBy(text, s, rules, path), insertedBy(path)) {
		return path, ok
	}
	if !t.mayQualify() {
		return nil, false
	}
	t.count, t.most = true, rules.inserted(len(s))
	t.fill()
	return t.trace(func(lost, inserted int) bool { return rules.qualifies(len(s), lost, inserted) })
}

// qualifies tells whether an alignment is good enough.
func (l LocalRules) qualifies(m, lost, inserted int) bool {
	return (m-lost)*m >= l.Least*(m-inserted)
}

// inserted returns the most inserted bases of an alignment that qualifies. In several gaps they
// cost no less than in one.
func (l LocalRules) inserted(m int) int {
	for n := m; n > 0; n-- {
		if l.qualifies(m, l.gap(n)+n, n) {
			return n
		}
	}
	return 0
}

// mayQualify tells whether any alignment qualifies: the one with the most of score * m + Least *
// inserted.
//
//go:norace
func (t *localTable) mayQualify() bool {
	m := len(t.s)
	// A cell has the most of score * m + Least * inserted, clipped bases at the end left out.
	const none = -1 << 60
	deletions, insertions := make([]int, t.rules.Longest+1), make([]int, t.rules.Longest+1)
	for g := range deletions {
		deletions[g] = t.rules.gap(g) * m
		insertions[g] = deletions[g] - g*t.rules.Least
	}
	cells := make([][]int, m)
	for i := range cells {
		cells[i] = make([]int, len(t.text))
		for j := range cells[i] {
			cells[i][j] = none
			if t.masked[i][j] {
				continue
			}
			best := 0
			if i > 0 && j > 0 {
				best = max(best, cells[i-1][j-1])
			}
			// No base gains more than m, and a longer gap costs no less.
			for g := 1; g <= min(t.rules.Longest, j-1) && i > 0 && i*m-deletions[g] > best; g++ {
				best = max(best, cells[i-1][j-1-g]-deletions[g])
			}
			for g := 1; g <= min(t.rules.Longest, i-1) && j > 0 && (i-g)*m-insertions[g] > best; g++ {
				best = max(best, cells[i-1-g][j-1]-insertions[g])
			}
			if Matches(t.s[i], t.text[j]) {
				cells[i][j] = best + m
			} else {
				cells[i][j] = best - 4*m
			}
			if cells[i][j] >= t.rules.Least*m {
				return true
			}
		}
	}
	return false
}

// trace returns the pairs of the best alignment. An alignment may be taken if `may` allows its lost
// score and its number of inserted bases. If several are equally good, the first to end is the
// best, then the one with fewer bases clipped at the end, then the one to which a traceback leads
// that prefers a diagonal, then the shortest deletion, then the shortest insertion.
func (t *localTable) trace(may func(lost, inserted int) bool) (path []pair, ok bool) {
	m := len(t.s)
	best, last := localNone, pair{}
	for n := range t.cells {
		for i, row := range t.cells[n] {
			for j, c := range row {
				if c == localNone {
					continue
				}
				c += (m - 1 - i) * localLost
				first := c < best || c == best && (j < last.j || j == last.j && i > last.i)
				if first && may(c/localLost, n) {
					best, last = c, pair{i, j}
				}
			}
		}
	}
	if best == localNone {
		return nil, false
	}
	// The counts of inserted bases with which the path may arrive where it is, with a cost.
	cost := best - (m-1-last.i)*localLost
	var counts []int
	for n := range t.cells {
		if t.cells[n][last.i][last.j] == cost && may(best/localLost, n) {
			counts = append(counts, n)
		}
	}
	for at := last; ; {
		path = append(path, at)
		cost -= t.pairCost(at.i, at.j)
		from := func(g int, p pair, paid int) bool {
			var left []int
			for _, n := range counts {
				if n = t.after(n, g); t.cell(n, p.i, p.j) == cost-paid {
					left = append(left, n)
				}
			}
			if left == nil {
				return false
			}
			counts, cost, at = left, cost-paid, p
			return true
		}
		found := from(0, pair{at.i - 1, at.j - 1}, 0)
		for g := 1; g <= min(t.rules.Longest, at.j-1) && !found; g++ {
			found = from(0, pair{at.i - 1, at.j - 1 - g}, t.deletionCost(g))
		}
		for g := 1; g <= min(t.rules.Longest, at.i-1) && !found; g++ {
			found = from(g, pair{at.i - 1 - g, at.j - 1}, t.insertionCost(g))
		}
		if !found {
			break
		}
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path, true
}

// shiftLocal shifts the gaps left, from the first to the last: by one base for as long as a pair is
// left between it and the gap before, the new pair is not masked, and the letters say that the two
// pairs are alike.
func shiftLocal(text, s string, path []pair, masked [][]bool) []pair {
	gapAfter := func(n int) bool {
		return path[n+1].i-path[n].i > 1 || path[n+1].j-path[n].j > 1
	}
	for n := 0; n+1 < len(path); n++ {
		if !gapAfter(n) {
			continue
		}
		for k := n; k > 0 && !gapAfter(k-1); k-- {
			// Pair k becomes the one after the gap.
			moved := pair{path[k+1].i - 1, path[k+1].j - 1}
			if masked[moved.i][moved.j] || s[moved.i] != s[path[k].i] || text[moved.j] != text[path[k].j] {
				break
			}
			path[k] = moved
		}
	}
	return path
}

// lostBy returns the lost score of an alignment.
func lostBy(text, s string, rules LocalRules, path []pair) int {
	score := 0
	for n, p := range path {
		if Matches(s[p.i], text[p.j]) {
			score++
		} else {
			score -= 4
		}
		if n > 0 {
			if g := p.i - path[n-1].i - 1 + p.j - path[n-1].j - 1; g > 0 {
				score -= rules.gap(g)
			}
		}
	}
	return len(s) - score
}

// insertedBy counts the inserted bases of an alignment.
// betterClipped tells whether an alignment scores as much or more with some bases of an end
// clipped.
func betterClipped(text, s string, rules LocalRules, path []pair) bool {
	whole := len(s) - lostBy(text, s, rules, path)
	for n := 1; n < len(path); n++ {
		if len(s)-lostBy(text, s, rules, path[n:]) >= whole || len(s)-lostBy(text, s, rules, path[:n]) >= whole {
			return true
		}
	}
	return false
}

func insertedBy(path []pair) int {
	return path[len(path)-1].i - path[0].i + 1 - len(path)
}

// describeLocal returns an alignment as a location.
func describeLocal(text, s string, rules LocalRules, path []pair) LocalLocation {
	first, last := path[0], path[len(path)-1]
	l := LocalLocation{Start: first.j, End: last.j + 1, Lost: lostBy(text, s, rules, path)}
	letters := strings.Repeat("S", first.i) + "M"
	for n := 1; n < len(path); n++ {
		inserted, deleted := path[n].i-path[n-1].i-1, path[n].j-path[n-1].j-1
		l.Gaps += inserted + deleted
		letters += strings.Repeat("I", inserted) + strings.Repeat("D", deleted) + "M"
	}
	letters += strings.Repeat("S", len(s)-1-last.i)
	for len(letters) > 0 {
		n := len(letters) - len(strings.TrimLeft(letters, letters[:1]))
		l.CIGAR += fmt.Sprintf("%d%c", n, letters[0])
		letters = letters[n:]
	}
	return l
}
