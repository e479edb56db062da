package locate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// A localCase is a read, contigs, and what is asked for.
type localCase struct {
	contigs []string
	read    string
	rules   truth.LocalRules
}

// drawLocal draws a read of which a contig has diverged copies, in parts and with gaps, or a tandem
// repeat.
func drawLocal(r *rand.Rand) localCase {
	letters := []string{"ACGT", "ACGT", "ACGT", "ACGT", "AC", "AAAAT", "ACGTN"}[r.IntN(7)]
	m := 15 + r.IntN(40)
	switch r.IntN(12) {
	case 0:
		m = 15 + r.IntN(136)
	case 1:
		m = 60 + r.IntN(10)
	}
	read := truth.Random(r, m, letters)
	if r.IntN(6) == 0 { // a tandem repeat
		unit := truth.Random(r, 1+r.IntN(12), letters)
		read = truth.Edited(r, strings.Repeat(unit, m/len(unit)+1), r.IntN(4))
		read = read[:min(m, len(read))]
	}
	least := max(1, len(read)*(60+r.IntN(36))/100)
	var contigs []string
	for range 1 + r.IntN(2) {
		text := truth.Random(r, r.IntN(20), letters)
		for range 1 + r.IntN(3) {
			text += localCopy(r, read, len(read)-least, letters)
			text += truth.Random(r, []int{0, r.IntN(4), r.IntN(40)}[r.IntN(3)], letters)
		}
		switch r.IntN(4) {
		case 0: // cut anywhere
			text = text[r.IntN(len(text)):]
		case 1:
			text = text[:1+r.IntN(len(text))]
		}
		if r.IntN(2) == 0 {
			text = truth.ReverseComplement(text)
		}
		contigs = append(contigs, text+"A")
	}
	if r.IntN(8) == 0 {
		read = strings.Replace(read, "A", "N", 1+r.IntN(2))
	}
	return localCase{contigs, read, truth.LocalRules{Least: least, Cap: []int{20, 20, 20, 20, 7, 12, 30}[r.IntN(7)], Longest: LongestGap}}
}

// drawTight draws a read with a copy that has as many faults as may be, apart from each other, so
// that each spoils a piece and breaks blocks: few candidates lead to it, or one.
func drawTight(r *rand.Rand) localCase {
	m := 30 + r.IntN(60)
	if r.IntN(4) == 0 {
		m = 90 + r.IntN(80)
	}
	read := truth.Random(r, m, "ACGT")
	rules := truth.LocalRules{Least: max(1, m*(70+r.IntN(26))/100), Cap: 20, Longest: LongestGap}
	left := (m - rules.Least) * m // in units of 1/m
	pay := func(cost int) bool {
		if cost > left {
			return false
		}
		left -= cost
		return true
	}
	faults := 1 + (m-rules.Least)/5
	s, apart := "", m/(faults+1)
	from := 0
	if n := r.IntN(m - rules.Least + 1); r.IntN(2) == 0 && pay(n*m) {
		s, from = truth.Random(r, n, "ACGT"), n
	}
	for from < m {
		to := min(m, from+max(2, apart-1+r.IntN(3)))
		s += read[from:to]
		from = to
		switch g := 1 + r.IntN(3); {
		case from+g >= m:
		case r.IntN(5) == 0 && pay(min(6+g, 20)*m+g*(m-rules.Least)):
			from += g
		case r.IntN(8) == 0 && pay(min(6+20*g, 20)*m):
			s += truth.Random(r, 20*g, "ACGT")
		case r.IntN(8) == 0 && pay(7*m):
			s += truth.Random(r, 1, "ACGT")
		case pay(5 * m):
			s += truth.Substituted(r, read[from:from+1], 1)
			from++
		case left/m > 0 && m-from <= left/m: // the rest is clipped
			from = m
		}
	}
	text := truth.Random(r, r.IntN(30), "ACGT") + s + truth.Random(r, r.IntN(30), "ACGT")
	if r.IntN(2) == 0 {
		text = truth.ReverseComplement(text)
	}
	return localCase{[]string{text + "A"}, read, rules}
}

// localCopy returns a copy of a read that may lose about so much.
func localCopy(r *rand.Rand, read string, budget int, letters string) string {
	s := read
	budget = budget + r.IntN(4) - r.IntN(budget+1)
	for budget > 0 && len(s) > 4 {
		at := 1 + r.IntN(len(s)-2)
		switch r.IntN(7) {
		case 0, 1:
			s = s[:at] + truth.Substituted(r, strings.ReplaceAll(s[at:at+1], "N", "A"), 1) + s[at+1:]
			budget -= 5
		case 2: // a base of the read is clipped
			n := 1 + r.IntN(budget)
			if n >= len(s) {
				return s
			}
			if r.IntN(2) == 0 {
				s = truth.Random(r, n, letters) + s[n:]
			} else {
				s = s[:len(s)-n] + truth.Random(r, n, letters)
			}
			budget -= n
		case 3: // a deletion
			n := 1 + r.IntN(13)
			if budget > 12 && r.IntN(2) == 0 {
				n = 1 + r.IntN(103)
			}
			more := truth.Random(r, n, letters)
			if r.IntN(3) == 0 { // one that can be shifted
				more = strings.Repeat(s[at:min(len(s), at+1+r.IntN(5))], n)[:n]
			}
			s = s[:at] + more + s[at:]
			budget -= min(6+n, 20)
		case 4: // an insertion
			n := 1 + r.IntN(min(max(1, budget/2), len(s)-at))
			s = s[:at] + s[at+n:]
			budget -= min(6+n, 20)
		default:
			return s
		}
	}
	return s
}

// localCandidates returns the diagonals on which pieces of the read lie unchanged, with others, and
// how many pieces there are; ok is false where no number of pieces is enough.
func localCandidates(r *rand.Rand, c localCase) (candidates []Candidate, ok bool) {
	cut := CutLocal(len(c.read), c.rules.Least, c.rules.Cap)
	n, p := cut.Number, cut.Bases
	if n == 0 {
		return nil, false
	}
	var starts []int
	free := len(c.read) - n*p - 2*cut.Inset
	for i := range n {
		skip := 0
		if free > 0 && r.IntN(2) == 0 {
			skip = r.IntN(free + 1)
		}
		free -= skip
		at := cut.Inset + skip
		if i > 0 {
			at = starts[i-1] + p + skip
		}
		starts = append(starts, at)
	}
	for i, text := range c.contigs {
		for strand := range 2 {
			s := truth.Strand(c.read, strand)
			for _, at := range starts {
				if truth.Ambiguous(s[at:at+p]) > 0 {
					continue
				}
				for j := 0; j+p <= len(text); j++ {
					if text[j:j+p] == s[at:at+p] || r.IntN(5000) == 0 {
						candidates = append(candidates, localCandidate(s, text, At(i, strand), j-at))
					}
				}
			}
		}
	}
	r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return candidates, true
}

// localCandidate returns a candidate on a diagonal.
func localCandidate(s, text string, p Place, diagonal int) Candidate {
	c := Candidate{Place: p, Diagonal: int32(diagonal), Differences: OffContig}
	if diagonal >= 0 && diagonal+len(s) <= len(text) {
		c.Differences = 0
		for i := range len(s) {
			if !truth.Matches(s[i], text[diagonal+i]) {
				c.Differences++
			}
		}
	}
	return c
}

// asTruth returns locations as the truth has them.
func asTruth(a *Aligner, found []Location) (out []truth.LocalLocation) {
	for _, l := range found {
		out = append(out, truth.LocalLocation{
			Contig: l.Place.Contig(), Strand: l.Place.Strand(), Start: int(l.Start), End: int(l.End),
			Lost: int(l.Distance), Gaps: int(l.Gaps), CIGAR: string(AppendCIGAR(nil, a.Operations(&l))),
		})
	}
	return out
}

// inOrder sorts locations of the truth as those of Locations are.
func inOrder(all []truth.LocalLocation) []truth.LocalLocation {
	clipped := func(l *truth.LocalLocation) (n int) {
		if digits, _, ok := strings.Cut(l.CIGAR, "S"); ok {
			n, _ = strconv.Atoi(digits) // 0 if the clip is at the end
		}
		return n
	}
	slices.SortFunc(all, func(a, b truth.LocalLocation) int {
		return slices.Compare([]int{a.Contig, a.Strand, a.Start, a.End, a.Lost, clipped(&a)},
			[]int{b.Contig, b.Strand, b.Start, b.End, b.Lost, clipped(&b)})
	})
	return all
}

// checkLocal compares the locations of a case with the truth, and returns these.
func checkLocal(t interface{ Fatal(...any) }, l *Local, r *rand.Rand, c localCase) ([]truth.LocalLocation, error) {
	candidates, ok := localCandidates(r, c)
	if !ok {
		return nil, nil
	}
	read := pack(c.read, 0)
	l.Reference, l.Cap = truth.Reference(t, c.contigs...), c.rules.Cap
	l.Aligner = &Aligner{Reference: l.Reference}
	want := inOrder(truth.FindLocal(c.contigs, c.read, c.rules))
	got := asTruth(l.Aligner, l.Locations(&read, c.rules.Least, candidates))
	if diff := cmp.Diff(want, got); diff != "" {
		return want, fmt.Errorf("read %s, least %d, cap %d, in %q (-want +got)\n%s",
			c.read, c.rules.Least, c.rules.Cap, c.contigs, diff)
	}
	return want, nil
}

// localCases returns how many random cases to try: SCANMAP_LOCAL_CASES, or some.
func localCases() int {
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_CASES")); err == nil {
		return n
	}
	return effort.Pick(4000, 250)
}

func TestLocalIsTheTruth(t *testing.T) {
	var l Local
	gapped, several, forgiven, none, first := 0, 0, 0, 0, 0
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_FIRST")); err == nil {
		first = n
	}
	for n := range localCases() {
		r := rand.New(rand.NewPCG(uint64(first+n), 17))
		c := drawLocal(r)
		if n%2 == 0 {
			c = drawTight(r)
		}
		want, err := checkLocal(t, &l, r, c)
		if err != nil {
			t.Fatalf("case %d: %v", first+n, err)
		}
		if len(want) > 1 {
			several++
		}
		if len(want) == 0 {
			none++
		}
		for _, w := range want {
			if w.Gaps > 0 {
				gapped++
			}
			if w.Lost > len(c.read)-c.rules.Least {
				forgiven++
			}
		}
	}
	t.Logf("%d gapped, %d cases with several, %d locations by inserted bases, %d cases with none", gapped, several, forgiven, none)
}

// TestLocalInRegion searches stretches of contigs for reads of which a half has to fit.
func TestLocalInRegion(t *testing.T) {
	var l Local
	found := 0
	for n := range localCases() {
		r := rand.New(rand.NewPCG(uint64(n), 18))
		c := drawLocal(r)
		c.rules.Least = max(1, len(c.read)*(20+r.IntN(70))/100)
		read := pack(c.read, 0)
		l.Reference, l.Cap = truth.Reference(t, c.contigs...), c.rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		p := At(r.IntN(len(c.contigs)), r.IntN(2))
		text := c.contigs[p.Contig()]
		from := r.IntN(len(text)+10) - 5
		to := from + r.IntN(len(text)-from+5)
		inside := text[min(max(from, 0), len(text)):]
		inside = inside[:min(max(to-max(from, 0), 0), len(inside))]
		want := truth.LocalInText(inside, truth.Strand(c.read, p.Strand()), c.rules)
		for i := range want {
			want[i].Contig, want[i].Strand = p.Contig(), p.Strand()
			want[i].Start, want[i].End = want[i].Start+max(from, 0), want[i].End+max(from, 0)
		}
		got := asTruth(l.Aligner, l.InRegion(read.Strand(p), p, c.rules.Least, from, to))
		if diff := cmp.Diff(inOrder(want), got); diff != "" {
			t.Fatalf("case %d: read %s, least %d, cap %d, in [%d, %d) of %s (-want +got)\n%s",
				n, c.read, c.rules.Least, c.rules.Cap, from, to, text, diff)
		}
		found += len(want)
	}
	if found < localCases()/8 {
		t.Errorf("%d locations: the test shows little", found)
	}
}

// TestCutLocal has pieces that were worked out by lemma 3.
func TestCutLocal(t *testing.T) {
	for _, c := range []struct{ m, least, number, bases, inset int }{
		{150, 120, 8, 16, 3}, {250, 200, 13, 16, 3}, {100, 80, 6, 15, 3}, {36, 29, 2, 15, 3},
		{20, 20, 1, 16, 0}, // nothing may be lost
		{20, 19, 1, 16, 1}, // a base may be clipped
		{20, 1, 0, 0, 0}, {20, 0, 0, 0, 0}, {20, 21, 0, 0, 0},
	} {
		if got := CutLocal(c.m, c.least, DefaultCap); got.Number != c.number || got.Bases != c.bases || got.Inset != c.inset {
			t.Errorf("%d bases, least %d: %d pieces of %d in %d, want %d of %d in %d",
				c.m, c.least, got.Number, got.Bases, got.Inset, c.number, c.bases, c.inset)
		}
	}
}
