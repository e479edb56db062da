package records

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"scanmap/fasta"
	"scanmap/search"
)

// basesOf has the letters that each letter of a pattern stands for.
var basesOf = map[byte]string{
	'A': "A", 'C': "C", 'G': "G", 'T': "T", 'U': "T", 'R': "AG", 'Y': "CT", 'N': "ACGT", 'S': "CG", 'W': "AT", 'K': "GT", 'M': "AC",
	'B': "CGT", 'D': "AGT", 'H': "ACT", 'V': "ACG",
}

// fits tells whether a letter of a pattern matches one of a read.
func fits(pattern, read byte) bool {
	if read == 'U' {
		read = 'T'
	}
	return strings.IndexByte(basesOf[pattern], read) >= 0
}

// reverse is the reverse complement of letters of a read: of others than A, C, G, T and U it gives
// X, which matches nothing.
func reverse(letters string) string {
	var b strings.Builder
	for i := len(letters) - 1; i >= 0; i-- {
		c := byte('X')
		if j := strings.IndexByte("ACGTU", letters[i]); j >= 0 {
			c = "TGCAA"[j]
		}
		b.WriteByte(c)
	}
	return b.String()
}

// edits is the least distance of a pattern from what begins at a place of a read, by plain dynamic
// programming over letters; with substitutions alone it is infinite where the read is too short.
func edits(pattern, text string, substitutions bool) int {
	m := len(pattern)
	if substitutions {
		if len(text) < m {
			return math.MaxInt
		}
		sum := 0
		for i := range m {
			if !fits(pattern[i], text[i]) {
				sum++
			}
		}
		return sum
	}
	row := make([]int, m+1)
	for i := range row {
		row[i] = i
	}
	least := row[m]
	for j := range len(text) {
		next := make([]int, m+1)
		next[0] = j + 1
		for i := range m {
			d := row[i]
			if !fits(pattern[i], text[j]) {
				d++
			}
			next[i+1] = min(d, row[i+1]+1, next[i]+1)
		}
		row = next
		least = min(least, row[m])
	}
	return least
}

// distance is the distance of a pattern in a read, as the package defines it.
func distance(o *Options, pattern, read string) int {
	least := math.MaxInt
	try := func(text string) {
		for s := 0; s <= len(text) && (o.Within == Anywhere || s <= o.Within); s++ {
			least = min(least, edits(pattern, text[s:], o.Search.Substitutions))
		}
	}
	if o.Within == Anywhere || o.End != Three {
		try(read)
	}
	if o.Within == Anywhere && !o.Search.ForwardOnly || o.Within != Anywhere && o.End != Five {
		try(reverse(read))
	}
	return least
}

// distances has, for each pattern, the distance of a record: the least of its mates that are looked
// at.
func distances(o *Options, reads []fasta.Read) []int {
	var all []int
	for _, p := range o.Patterns {
		least := math.MaxInt
		for i := range reads {
			if len(reads) == 1 || o.Mate == 0 || o.Mate == i+1 {
				least = min(least, distance(o, string(p.Letters), string(reads[i].Bases)))
			}
		}
		all = append(all, least)
	}
	return all
}

// A stretch is how a pattern fits one that ends somewhere.
type stretch struct{ edits, gaps, end int }

func (s stretch) compare(t stretch) int {
	return cmp.Or(cmp.Compare(s.edits, t.edits), cmp.Compare(s.gaps, t.gaps), cmp.Compare(s.end, t.end))
}

// noStretch is worse than any.
var noStretch = stretch{edits: math.MaxInt}

// bestStretch tries all starts and ends near the start of a text.
func bestStretch(o *Options, pattern, text string) stretch {
	best := noStretch
	for s := 0; s <= min(o.Within, len(text)); s++ {
		if o.Search.Substitutions {
			if d := edits(pattern, text[s:], true); d < math.MaxInt {
				best = slices.MinFunc([]stretch{best, {d, 0, s + len(pattern)}}, stretch.compare)
			}
			continue
		}
		row := make([]stretch, len(pattern)+1) // by the letters of the pattern before
		for i := range row {
			row[i] = stretch{i, i, s}
		}
		best = slices.MinFunc([]stretch{best, row[len(pattern)]}, stretch.compare)
		for j := s; j < len(text); j++ {
			next := []stretch{{j + 1 - s, j + 1 - s, j + 1}}
			for i := range len(pattern) {
				d := row[i]
				if !fits(pattern[i], text[j]) {
					d.edits++
				}
				left, above := next[i], row[i+1]
				left.edits, left.gaps, above.edits, above.gaps = left.edits+1, left.gaps+1, above.edits+1, above.gaps+1
				d.end, left.end, above.end = j+1, j+1, j+1
				next = append(next, slices.MinFunc([]stretch{d, left, above}, stretch.compare))
			}
			row = next
			best = slices.MinFunc([]stretch{best, row[len(pattern)]}, stretch.compare)
		}
	}
	return best
}

// cutEnds cuts the reads of a record that has one of the patterns, near both ends or the end that
// is asked for.
func cutEnds(o *Options, patterns []search.Pattern, reads []fasta.Read) []fasta.Read {
	if !o.Trim {
		return reads
	}
	reads = slices.Clone(reads)
	for i := range reads {
		if len(reads) == 2 && o.Mate > 0 && o.Mate != i+1 {
			continue
		}
		r := &reads[i]
		covered := func(text string) int {
			best := noStretch
			for _, p := range patterns {
				if s := bestStretch(o, string(p.Letters), text); s.edits < best.edits {
					best = s
				}
			}
			if best.edits > o.Search.Distance {
				return 0
			}
			return best.end
		}
		from, to := 0, len(r.Bases)
		if o.End != Three {
			from = covered(string(r.Bases))
		}
		if o.End != Five {
			to -= covered(reverse(string(r.Bases)))
		}
		r.Bases, r.Qualities = r.Bases[from:max(from, to)], r.Qualities[from:max(from, to)]
	}
	return reads
}

// expectFilter is the expected output of Filter, each mate to one of files if there are two.
func expectFilter(o *Options, records [][]fasta.Read, files int) (texts [2]string, matched int64) {
	var all [2][]byte
	for _, r := range records {
		ok := slices.Min(distances(o, r)) <= o.Search.Distance
		if ok {
			matched++
		}
		if ok != o.Invert {
			r = cutEnds(o, o.Patterns, r)
			for i := range r {
				all[i%files] = fasta.AppendFASTQ(all[i%files], &r[i], "")
			}
		}
	}
	return [2]string{string(all[0]), string(all[1])}, matched
}

// chosen is the number of a record's barcode with its distance, or the name of the file of others.
func chosen(o *Options, r []fasta.Read) (barcode, distance int, other string) {
	all := distances(o, r)
	best := slices.Min(all)
	if best > o.Search.Distance {
		return 0, 0, Unassigned
	}
	at := slices.Index(all, best)
	for i, d := range all {
		if i != at && d < best+o.Margin {
			return 0, 0, Ambiguous
		}
	}
	return at, best, ""
}

// expectDistances are the records of each barcode by distance.
func expectDistances(o *Options, records [][]fasta.Read) []int64 {
	counts := make([]int64, len(o.Patterns)*(o.Search.Distance+1))
	for _, r := range records {
		if barcode, distance, other := chosen(o, r); other == "" {
			counts[barcode*(o.Search.Distance+1)+distance]++
		}
	}
	return counts
}

// expectSplit is the expected output of Split, without the table.
func expectSplit(o *Options, records [][]fasta.Read, ending string) map[string][]byte {
	parts := []string{""}
	if o.Apart {
		parts = []string{"_R1", "_R2"}
	}
	files := map[string][]byte{}
	for _, r := range records {
		at, _, name := chosen(o, r)
		if name == "" {
			name = o.Patterns[at].Name
			r = cutEnds(o, o.Patterns[at:at+1], r)
		}
		for i := range r {
			file := name + parts[i%len(parts)] + ending
			files[file] = fasta.AppendFASTQ(files[file], &r[i], "")
		}
	}
	return files
}
