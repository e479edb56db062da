package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// plainBest returns the highest score of a local alignment: Smith and Waterman with gaps of any
// length tried one by one.
func plainBest(text, s string) (best int) {
	score := make([][]int, len(s)+1)
	for i := range score {
		score[i] = make([]int, len(text)+1)
		if i == 0 {
			continue
		}
		for j := 1; j <= len(text); j++ {
			pair := score[i-1][j-1] - 4
			if truth.Matches(s[i-1], text[j-1]) {
				pair += 5
			}
			x := max(0, pair)
			for g := 1; g <= i; g++ {
				x = max(x, score[i-g][j]-6-g)
			}
			for g := 1; g <= j; g++ {
				x = max(x, score[i][j-g]-6-g)
			}
			score[i][j] = x
			best = max(best, x)
		}
	}
	return best
}

// scoreOf returns the score of an alignment, by its letters, and fails if it does not fit.
func scoreOf(t *testing.T, text, s string, start int, operations []Operation) (score int) {
	q, at := 0, start
	for _, o := range operations {
		for range o.Length {
			switch o.Kind {
			case Diagonal:
				if score -= 4; truth.Matches(s[q], text[at]) {
					score += 5
				}
				q, at = q+1, at+1
			case Deletion:
				score--
				at++
			case Insertion:
				score--
				q++
			case Clip:
				q++
			}
		}
		if o.Kind == Insertion || o.Kind == Deletion {
			score -= 6
		}
	}
	if q != len(s) {
		t.Fatalf("%d of %d bases are in %v", q, len(s), operations)
	}
	return score
}

// TestBest compares with plainBest, in stretches of a contig and over its ends, on both strands.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 26))
	clipped := 0
	for range 400 {
		letters := []string{"ACGT", "ACGT", "ACGTN", "AC"}[r.IntN(4)]
		text := truth.Random(r, 20+r.IntN(80), letters)
		from, to := r.IntN(len(text)/2), len(text)-r.IntN(len(text)/3)
		at := r.IntN(to - 10)
		s := truth.Edited(r, truth.Random(r, r.IntN(8), letters)+text[at:min(at+10+r.IntN(40), to)]+truth.Random(r, r.IntN(8), letters), r.IntN(4))
		if s == "" {
			continue
		}
		ref := truth.Reference(t, "ACGTTTGACCA", text, "GGATTACA")
		l := Local{Reference: ref, Aligner: &Aligner{Reference: ref}, Cap: DefaultCap}
		strand := r.IntN(2)
		read := pack(truth.Strand(s, strand), 0)
		p := At(1, strand)
		want := plainBest(text[from:to], s)
		over := r.IntN(2) * 30
		if over > 0 {
			want = plainBest(text, s)
		}
		lo, hi := from, to
		if over > 0 {
			lo, hi = -over, len(text)+over
		}
		got, ok := l.Best(read.Strand(p), p, 8, lo, hi)
		if ok != (want >= 8) {
			t.Fatalf("%s in %s: found %t, the best scores %d", s, text, ok, want)
		}
		if !ok {
			continue
		}
		operations := l.Aligner.Operations(&got)
		if score := scoreOf(t, text, s, int(got.Start), operations); score != want || int(got.Distance) != len(s)-want {
			t.Fatalf("%s in %s: %s at %d scores %d, distance %d; the best scores %d", s, text, AppendCIGAR(nil, operations), got.Start, score, got.Distance, want)
		}
		if operations[0].Kind == Clip {
			clipped++
		}
	}
	if clipped < 50 {
		t.Errorf("%d are clipped: the test shows little", clipped)
	}
}

// A wholeBest is what Best finds, and what it leads to by rows over all bases.
type wholeBest struct {
	score, start, end int
	operations        []Operation
}

// bestOfAll is Best for letters, without bounds or bands: Gotoh's three tables in full.
func bestOfAll(text, s string, from, to int) (best wholeBest) {
	from, to = max(from, 0), min(to, len(text))
	n := max(to-from, 0)
	table := func() [][]int {
		rows := make([][]int, len(s)+1)
		all := make([]int, len(rows)*(n+1))
		for i := range rows {
			rows[i] = all[i*(n+1):][:n+1]
		}
		return rows
	}
	const never = -1 << 20
	score, deletion, insertion := table(), table(), table()
	pair := func(i, j int) int {
		if truth.Matches(s[i-1], text[from+j-1]) {
			return score[i-1][j-1] + 1
		}
		return score[i-1][j-1] - 4
	}
	endRead, endText := 0, 0
	for j := range n + 1 {
		insertion[0][j] = never
	}
	for i := 1; i <= len(s); i++ {
		deletion[i][0] = never
		for j := 1; j <= n; j++ {
			deletion[i][j] = max(deletion[i][j-1]-1, score[i][j-1]-7)
			insertion[i][j] = max(insertion[i-1][j]-1, score[i-1][j]-7)
			score[i][j] = max(0, pair(i, j), deletion[i][j], insertion[i][j])
			if score[i][j] > best.score {
				best.score, endRead, endText = score[i][j], i, j
			}
		}
	}
	var path []OperationKind
	i, j := endRead, endText
	for score[i][j] > 0 {
		switch score[i][j] {
		case pair(i, j):
			path = append(path, Diagonal)
			i, j = i-1, j-1
		case deletion[i][j]:
			for longer := true; longer; j-- {
				path = append(path, Deletion)
				longer = deletion[i][j-1]-1 > score[i][j-1]-7
			}
		default:
			for longer := true; longer; i-- {
				path = append(path, Insertion)
				longer = insertion[i-1][j]-1 > score[i-1][j]-7
			}
		}
	}
	slices.Reverse(path)
	best.start, best.end = from+j, from+endText
	ShiftLeft(path, func(kind OperationKind, q, r, gap int) bool {
		if kind == Deletion {
			return text[best.start+r-1] == text[best.start+r+gap-1]
		}
		return s[i+q-1] == s[i+q+gap-1]
	})
	if i > 0 {
		best.operations = append(best.operations, Operation{Clip, int32(i)})
	}
	best.operations = AppendRuns(best.operations, path)
	if endRead < len(s) {
		best.operations = append(best.operations, Operation{Clip, int32(len(s) - endRead)})
	}
	return best
}

// drawBest draws a read and a text that is much like it: copies of the read or of its parts, near
// each other or not, and repeats of short units; or few bases.
func drawBest(r *rand.Rand) (text, s string) {
	letters := []string{"ACGT", "ACGT", "ACGT", "ACGTN", "AAAAC", "AC"}[r.IntN(6)]
	part := func(s string) string {
		from := r.IntN(len(s))
		return s[from : from+1+r.IntN(len(s)-from)]
	}
	tandem := func() string {
		unit := truth.Random(r, 1+r.IntN(12), letters)
		return truth.Edited(r, strings.Repeat(unit, 2+r.IntN(30)), r.IntN(4))
	}
	if r.IntN(20) == 0 {
		return truth.Random(r, 1+r.IntN(6), letters), truth.Random(r, 1+r.IntN(4), letters)
	}
	s = truth.Random(r, 1+r.IntN(250), letters)
	switch r.IntN(8) {
	case 0:
		s += tandem() + truth.Random(r, r.IntN(60), letters)
	case 1:
		s = tandem() + s
	case 2: // one of two parts that are alike
		s += part(s)
	}
	s = s[:min(len(s), 250)]
	var b strings.Builder
	for range 1 + r.IntN(5) {
		switch r.IntN(7) {
		case 0:
			b.WriteString(truth.Random(r, r.IntN(300), letters))
		case 1:
			b.WriteString(tandem())
		case 2:
			b.WriteString(truth.Substituted(r, s, r.IntN(1+len(s)/8)))
		case 3: // gaps of few bases
			b.WriteString(truth.Edited(r, s, r.IntN(6)))
		case 4: // a deletion of any length
			at := r.IntN(len(s))
			b.WriteString(s[:at] + truth.Random(r, r.IntN(60), letters) + s[at:])
		case 5: // an insertion of any length
			at := r.IntN(len(s))
			b.WriteString(s[:at] + s[at+r.IntN(len(s)-at):])
		case 6:
			b.WriteString(part(s))
		}
	}
	return b.String() + truth.Random(r, 1+r.IntN(50), letters), s
}

// TestBestInBands compares the results of Best with bestOfAll: nothing may depend on which
// diagonals are left out.
func TestBestInBands(t *testing.T) {
	t.Parallel()
	refused, few, gaps, least := 0, 0, 0, 0
	cases := effort.Pick(3000, 300)
	for n := range cases {
		r := rand.New(rand.NewPCG(uint64(n), 41))
		text, s := drawBest(r)
		ref := truth.Reference(t, "ACGTTTGACCA", text, s)
		l := Local{Reference: ref, Aligner: &Aligner{Reference: ref}, Cap: DefaultCap}
		for range 2 { // the second time scratch memory has what the first left
			strand := r.IntN(2)
			p, read := At(1, strand), pack(truth.Strand(s, strand), 0)
			from, to := r.IntN(len(text)), 1+r.IntN(len(text))
			if r.IntN(2) == 0 {
				from, to = -r.IntN(300), len(text)+r.IntN(300)
			}
			least = []int{30, 1 + r.IntN(len(s)), 1 + r.IntN(12)}[r.IntN(3)]
			want := bestOfAll(text, s, from, to)
			got, ok := l.Best(read.Strand(p), p, least, from, to)
			if ok != (want.score >= least) {
				t.Fatalf("case %d: %s in [%d, %d) of %s: found %t, the best scores %d, least %d", n, s, from, to, text, ok, want.score, least)
			}
			if from < to {
				if ok {
					if l.cells.above(int32(want.score)) < 20 {
						few++
					}
				} else if l.cells.above(int32(least)) == 0 {
					refused++
				}
			}
			if !ok {
				continue
			}
			found := wholeBest{len(s) - int(got.Distance), int(got.Start), int(got.End), l.Aligner.Operations(&got)}
			if found.score != want.score || found.start != want.start || found.end != want.end || !slices.Equal(found.operations, want.operations) {
				t.Fatalf("case %d: %s in [%d, %d) of %s, least %d: %v, want %v", n, s, from, to, text, least, found, want)
			}
			inGaps := int32(0)
			for _, o := range want.operations {
				if o.Kind == Insertion || o.Kind == Deletion {
					inGaps += o.Length
				}
			}
			if got.Gaps != inGaps || got.Place != p || !got.Aligned {
				t.Fatalf("case %d: %+v, want %d bases of gaps", n, got, inGaps)
			}
			if inGaps > 0 {
				gaps++
			}
		}
	}
	if refused < cases/20 || few < cases/4 || gaps < cases/4 {
		t.Errorf("%d refused, %d on few diagonals, %d with gaps: the test shows little", refused, few, gaps)
	}
}

// BenchmarkBest measures reads of 150 bases in stretches of 600 with one kind of copy.
func BenchmarkBest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []struct {
		name string
		copy func(s string) string // of a read
	}{
		{"none", func(string) string { return "" }},
		{"2 mismatches", func(s string) string { return truth.Substituted(r, s, 2) }},
		{"12 mismatches", func(s string) string { return truth.Substituted(r, s, 12) }},
		{"half", func(s string) string { return s[75:] }},
		{"deletion of 5", func(s string) string { return s[:60] + "ACGTA" + s[60:] }},
		{"insertion of 30", func(s string) string { return s[:60] + s[90:] }},
		{"repeats", func(s string) string { return strings.Repeat("CA", 40) + s }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			const reads = 100
			var contigs []string
			var views []Read
			for range reads {
				s := truth.Random(r, 150, "ACGT")
				if kind.name == "repeats" {
					s = s[:90] + strings.Repeat("CA", 30)
				}
				contigs = append(contigs, (truth.Random(r, 225, "ACGT") + kind.copy(s) + truth.Random(r, 600, "ACGT"))[:600])
				views = append(views, pack(s, 0))
			}
			l := Local{Reference: truth.Reference(b, contigs...), Cap: DefaultCap}
			l.Aligner = &Aligner{Reference: l.Reference}
			for i := 0; b.Loop(); i++ {
				k := i % reads
				l.Aligner.Reset()
				l.Best(&views[k].Strands[Forward], At(k, Forward), 30, 0, 600)
			}
		})
	}
}

// TestAcrossGap has a gap of up to LongestGap bases in a strand. One side alone is found where gaps
// cost what they cost without a cap, and compares with the truth of local locations.
func TestAcrossGap(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 26))
	across := 0
	for range effort.Pick(120, 14) {
		text := truth.Random(r, 300+r.IntN(100), "ACGT")
		m, gap, at := 80+r.IntN(40), 1+r.IntN(LongestGap), r.IntN(60)
		cut := 10 + r.IntN(m-20)
		s := text[at:at+cut] + text[at+cut+gap:at+m+gap]
		if r.IntN(3) == 0 {
			gap = min(gap, (m-cut)/2)
			s = text[at:at+cut] + truth.Random(r, gap, "ACGT") + text[at+cut:at+m-gap]
		}
		s = truth.Edited(r, s, r.IntN(4))
		read := pack(s, len(s)-30)
		reference := truth.Reference(t, text)
		l := &Local{Reference: reference, Aligner: &Aligner{Reference: reference}, Cap: DefaultCap}
		strand, place := &read.Strands[Forward], At(0, Forward)
		best, ok := l.Best(strand, place, 30, 0, len(text))
		if !ok {
			continue // too little on either side
		}
		clipped := int32(0)
		for _, o := range l.Aligner.Operations(&best) {
			if o.Kind == Clip || o.Kind != Diagonal && o.Length > DefaultCap-lossOpen {
				clipped = max(clipped, o.Length)
			}
		}
		got := l.AcrossGap(strand, place, best, 30, 0, len(text))
		least := best.Distance
		if clipped > DefaultCap {
			for _, x := range truth.FindLocal([]string{text}, s, truth.LocalRules{Least: 30, Cap: DefaultCap, Longest: LongestGap}) {
				if x.Strand == Forward {
					least = min(least, int32(x.Lost))
				}
			}
		}
		if got.Distance != least {
			t.Fatalf("%s in %s: lost %d, want %d", s, text, got.Distance, least)
		}
		if got.Distance < best.Distance {
			across++
		}
	}
	if across < effort.Pick(120, 14)/6 {
		t.Errorf("%d across gaps: the test shows little", across)
	}
}
