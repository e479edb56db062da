package truth

import (
	"cmp"
	"fmt"
	"slices"
)

// A Text finds what Find finds, by two other programs that millions of small cases have time for.
// Both are plain. Bit-vectors over all of the text tell which ends have at most k edits (Myers
// 1999, A fast bit-vector algorithm for approximate string matching, J. ACM 46, with the blocks of
// its section 4). Around these, dynamic programming over all rows carries gaps and starts along.
// Reads have at most 1,000 bases, or costs do not fit.
type Text struct {
	contigs [][]byte // as codes
}

// NewText returns the text of contigs.
func NewText(contigs []string) *Text {
	t := &Text{}
	for _, contig := range contigs {
		t.contigs = append(t.contigs, codes(contig, otherInText))
	}
	return t
}

// Find returns the locations of a read, in order of contig, strand and end. It is an error if the
// two programs differ in a distance.
func (t *Text) Find(read string, k int) (all []Location, err error) {
	if read == "" {
		return nil, nil
	}
	for strand := range 2 {
		p := newProgram(Strand(read, strand))
		for c, contig := range t.contigs {
			found, err := p.occurrences(contig, p.distances(contig), k)
			if err != nil {
				return nil, fmt.Errorf("read %s, contig %d, %d edits: %w", read, c, k, err)
			}
			for _, l := range apart(found, k) {
				l.Contig, l.Strand = c, strand
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, func(a, b Location) int {
		return cmp.Or(a.Contig-b.Contig, a.Strand-b.Strand, a.End-b.End)
	})
	return all, nil
}

// A cell is the best alignment of the first bases of a read that ends at a place of the text: its
// cost from bit cellCost on (an edit is unit and a gap base one more), the way of its last step
// from bit cellWay on, and where it starts. The least of several cells is therefore the cell to
// take: among equal costs the traceback's first choice.
const (
	cellWay  = 32
	cellCost = 34
	// steps
	cellEdit      = unit << cellCost
	cellDeletion  = (unit+1)<<cellCost + 1<<cellWay
	cellInsertion = (unit+1)<<cellCost + 2<<cellWay
	cellWays      = 3 << cellWay
)

// A program has what both programs look up for one strand of a read.
type program struct {
	m     int
	equal [otherInText + 1][]uint64 // by letter of the text: a bit for each base that matches
	edits [otherInText + 1][]uint64 // by letter of the text: cellEdit for each base that does not
}

func newProgram(s string) *program {
	p := &program{m: len(s)}
	read := codes(s, otherInRead)
	for letter := range p.equal {
		p.equal[letter] = make([]uint64, (len(s)+63)/64)
		p.edits[letter] = make([]uint64, len(s))
		for i, own := range read {
			if int(own) == letter {
				p.equal[letter][i/64] |= 1 << (i % 64)
			} else {
				p.edits[letter][i] = cellEdit
			}
		}
	}
	return p
}

// distances returns the least edit distance of an alignment that ends after each letter of a text.
func (p *program) distances(text []byte) []int {
	distances := make([]int, len(text))
	blocks := len(p.equal[0])
	up, down := make([]uint64, blocks), make([]uint64, blocks) // the column's vertical differences
	for b := range up {
		up[b] = ^uint64(0)
	}
	last := blocks - 1
	distance := p.m
	for j, letter := range text {
		var fromUp, fromDown uint64 // the horizontal difference below the block before
		for b, equal := range p.equal[letter] {
			x := equal | down[b]
			equal |= fromDown
			h := ((equal & up[b]) + up[b]) ^ up[b] | equal
			hUp, hDown := down[b]|^(h|up[b]), up[b]&h
			if b == last {
				distance += int(hUp >> ((p.m - 1) % 64) & 1)
				distance -= int(hDown >> ((p.m - 1) % 64) & 1)
			}
			nextUp, nextDown := hUp>>63, hDown>>63
			hUp, hDown = hUp<<1|fromUp, hDown<<1|fromDown
			fromUp, fromDown = nextUp, nextDown
			up[b], down[b] = hDown|^(x|hUp), hUp&x
		}
		distances[j] = distance
	}
	return distances
}

// occurrences returns the ends with at most k edits, in order. An alignment with as few begins at
// most m + k letters before its end, so each run of ends is solved from so far before its first;
// ends that are closer than that are one run.
func (p *program) occurrences(text []byte, distances []int, k int) (found []Location, err error) {
	reach := p.m + k
	column := make([]uint64, p.m+1)
	for next := 0; next < len(text); {
		if distances[next] > k {
			next++
			continue
		}
		from := max(0, next+1-reach)
		for i := range column {
			column[i] = uint64(i)*((unit+1)<<cellCost) + uint64(from)
		}
		lastEnd := next
		for j := from; j < len(text) && j <= lastEnd+reach; j++ {
			diagonal := column[0]
			column[0] = uint64(j + 1)
			above, below := column[0], column[1:]
			for i, edit := range p.edits[text[j]] {
				cell := min(diagonal+edit, below[i]+cellDeletion, above+cellInsertion) &^ cellWays
				diagonal, below[i], above = below[i], cell, cell
			}
			if j < next {
				continue
			}
			next = j + 1
			if distances[j] > k {
				continue
			}
			lastEnd = j
			cost := int(above >> cellCost)
			if cost/unit != distances[j] {
				return nil, fmt.Errorf("the end %d has %d edits and %d", j+1, distances[j], cost/unit)
			}
			start := int(above & (1<<cellWay - 1))
			found = append(found, Location{End: j + 1, Distance: cost / unit, Gaps: cost % unit, Start: start})
		}
	}
	return found, nil
}

// apart keeps occurrences in order of (distance, gaps, end) unless a kept one ends or starts within
// k.
func apart(found []Location, k int) (kept []Location) {
	slices.SortFunc(found, func(a, b Location) int {
		return cmp.Or(a.Distance-b.Distance, a.Gaps-b.Gaps, a.End-b.End)
	})
	for _, f := range found {
		if !slices.ContainsFunc(kept, func(o Location) bool {
			return max(o.End-f.End, f.End-o.End) <= k || max(o.Start-f.Start, f.Start-o.Start) <= k
		}) {
			kept = append(kept, f)
		}
	}
	return kept
}
