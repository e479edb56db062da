// Package truth is the tests' own idea of right results: plain dynamic programming over letters,
// the replay of alignments, and inputs that finders and filters are likely to lose something on. It
// shares the packing of references with the judged code, and nothing else.
//
// Functions that fill whole matrices have the directive go:norace: they write to memory of their
// own alone, and the race detector would take most of the time of tests that it looks at.
package truth

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
)

// A Location is one as package locate defines it. Strand is 0 or 1.
type Location struct {
	Contig, Strand, End, Distance, Gaps, Start int
}

// Reference packs contigs named c0, c1, ...
func Reference(t interface{ Fatal(...any) }, contigs ...string) *dna.Reference {
	all := make([]fasta.Contig, len(contigs))
	for i, text := range contigs {
		all[i] = fasta.Contig{Name: fmt.Sprintf("c%d", i), Bases: []byte(text)}
	}
	ref, err := fasta.PackReference(all)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// Reads makes reads named r0, r1, ...
func Reads(bases ...string) []fasta.Read {
	reads := make([]fasta.Read, len(bases))
	for i, s := range bases {
		reads[i] = fasta.Read{Name: fmt.Sprintf("r%d", i), Bases: []byte(s), Qualities: []byte(strings.Repeat("I", len(s)))}
	}
	return reads
}

// ReverseComplement returns the reverse complement of a text.
func ReverseComplement(s string) string {
	out := make([]byte, len(s))
	for i := range len(s) {
		out[len(s)-1-i] = dna.Complement(s[i])
	}
	return string(out)
}

// Strand returns a read as it lies on a strand.
func Strand(read string, strand int) string {
	if strand == 1 {
		return ReverseComplement(read)
	}
	return read
}

// Matches tells whether two letters match.
func Matches(a, b byte) bool {
	x, ok := dna.Code(a)
	y, ok2 := dna.Code(b)
	return ok && ok2 && x == y
}

// Ambiguous counts the letters that match nothing.
func Ambiguous(s string) int {
	n := 0
	for i := range len(s) {
		if !Matches(s[i], s[i]) {
			n++
		}
	}
	return n
}

// Find returns the locations of a read, in order of contig, strand and end.
func Find(contigs []string, read string, k int) []Location {
	var all []Location
	if read == "" {
		return nil
	}
	for c := range contigs {
		for strand := range 2 {
			s := Strand(read, strand)
			kept := separate(contigs[c], s, Ends(contigs[c], s, k), k)
			for i := range kept {
				kept[i].Contig, kept[i].Strand = c, strand
			}
			all = append(all, kept...)
		}
	}
	return all
}

// FindSubstituted returns the places of a read where it lies inside a contig with at most k
// substitutions and no gap, in order of contig, strand and end.
//
//go:norace
func FindSubstituted(contigs []string, read string, k int) (all []Location) {
	if read == "" {
		return nil
	}
	for c, text := range contigs {
		for strand := range 2 {
			s := Strand(read, strand)
			for start := 0; start+len(s) <= len(text); start++ {
				distance := 0
				for i := 0; i < len(s) && distance <= k; i++ {
					if !Matches(s[i], text[start+i]) {
						distance++
					}
				}
				if distance <= k {
					all = append(all, Location{Contig: c, Strand: strand, Start: start, End: start + len(s), Distance: distance})
				}
			}
		}
	}
	return all
}

// unit is the cost of an edit where a gap base costs one more.
const unit = 1 << 20

// codes returns a number for each letter; a letter that matches nothing has number other.
func codes(s string, other byte) []byte {
	out := make([]byte, len(s))
	for i := range len(s) {
		code, ok := dna.Code(s[i])
		if !ok {
			code = other
		}
		out[i] = code
	}
	return out
}

// Ambiguous letters have other numbers in reads and in texts, so that they do not even match
// themselves.
const (
	otherInRead = 4
	otherInText = 5
)

// Ends returns all ends of a strand in a text with at most k edits, in order. Their starts are not
// set.
//
//go:norace
func Ends(text, s string, k int) (found []Location) {
	read := codes(s, otherInRead)
	column := make([]int, len(s)+1)
	for i := range column {
		column[i] = i * (unit + 1)
	}
	for j, letter := range codes(text, otherInText) {
		diagonal := column[0]
		for i, own := range read {
			cost := diagonal
			if own != letter {
				cost += unit
			}
			cost = min(cost, column[i+1]+unit+1, column[i]+unit+1)
			diagonal, column[i+1] = column[i+1], cost
		}
		if d := column[len(s)] / unit; d <= k {
			found = append(found, Location{End: j + 1, Distance: d, Gaps: column[len(s)] % unit, Start: unknown})
		}
	}
	return found
}

const unknown = -1

// Start returns where the alignment of an occurrence starts: its traceback prefers diagonal, then
// deletion, then insertion.
//
//go:norace
func Start(text, s string, o Location) int {
	from := max(0, o.End-len(s)-o.Distance)
	read, stretch := codes(s, otherInRead), codes(text[from:o.End], otherInText)
	substitution := func(i, j int) int {
		if read[i] == stretch[j] {
			return 0
		}
		return unit
	}
	// columns[j][i]: the first i letters against text that ends at from+j
	columns := make([][]int, len(stretch)+1)
	for j := range columns {
		columns[j] = make([]int, len(s)+1)
		for i := 1; i <= len(s); i++ {
			columns[j][i] = columns[j][i-1] + unit + 1
			if j > 0 {
				columns[j][i] = min(columns[j][i], columns[j-1][i]+unit+1, columns[j-1][i-1]+substitution(i-1, j-1))
			}
		}
	}
	i, j := len(s), len(stretch)
	for i > 0 {
		switch cost := columns[j][i]; {
		case j > 0 && cost == columns[j-1][i-1]+substitution(i-1, j-1):
			i, j = i-1, j-1
		case j > 0 && cost == columns[j-1][i]+unit+1:
			j--
		default:
			i--
		}
	}
	return from + j
}

// separate keeps occurrences, given in order of their ends, in order of (distance, gaps, end)
// unless a kept one ends or starts within k. It returns them in order of their ends.
func separate(text, s string, found []Location, k int) []Location {
	slices.SortStableFunc(found, func(a, b Location) int {
		if a.Distance != b.Distance {
			return a.Distance - b.Distance
		}
		return a.Gaps - b.Gaps
	})
	var kept []Location
	for _, f := range found {
		f.Start = unknown
		near := func(o Location) bool {
			apart := max(o.End-f.End, f.End-o.End)
			if apart <= k || apart > 3*k { // lengths differ by at most 2k
				return apart <= k
			}
			if f.Start == unknown {
				f.Start = Start(text, s, f)
			}
			return max(o.Start-f.Start, f.Start-o.Start) <= k
		}
		if !slices.ContainsFunc(kept, near) {
			if f.Start == unknown {
				f.Start = Start(text, s, f)
			}
			kept = append(kept, f)
		}
	}
	slices.SortFunc(kept, func(a, b Location) int { return a.End - b.End })
	return kept
}

// Replay checks an alignment letter by letter and returns its edits, gaps and end. cigar has M, I
// and D.
func Replay(text, s string, start int, cigar string) (edits, gaps, end int, err error) {
	q, r := 0, start
	n, last := 0, byte(0)
	for i := range len(cigar) {
		c := cigar[i]
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
			continue
		}
		if n == 0 || c == last {
			return 0, 0, 0, fmt.Errorf("%s: operation %c is empty or not merged", cigar, c)
		}
		last = c
		for range n {
			switch c {
			case 'M':
				if q >= len(s) || r < 0 || r >= len(text) {
					return 0, 0, 0, fmt.Errorf("%s at %d runs past an end", cigar, start)
				}
				if !Matches(s[q], text[r]) {
					edits++
				}
				q, r = q+1, r+1
			case 'I':
				q, edits, gaps = q+1, edits+1, gaps+1
			case 'D':
				r, edits, gaps = r+1, edits+1, gaps+1
			default:
				return 0, 0, 0, fmt.Errorf("%s: operation %c", cigar, c)
			}
		}
		n = 0
	}
	if q != len(s) || r > len(text) {
		return 0, 0, 0, fmt.Errorf("%s at %d takes %d of %d bases and ends at %d", cigar, start, q, len(s), r)
	}
	return edits, gaps, r, nil
}

// Distance is the edit distance of two texts.
func Distance(a, b string) int { return lastRow(a, b)[len(b)] }

// DistanceToStart is the least edit distance of a to a start of b, of any length.
func DistanceToStart(a, b string) int { return slices.Min(lastRow(a, b)) }

// lastRow has the edit distance of a to each start of b.
func lastRow(a, b string) []int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row
}
