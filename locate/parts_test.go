package locate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestPartPieces has numbers of pieces that were worked out by lemma 9.
func TestPartPieces(t *testing.T) {
	for _, c := range []struct{ m, pieces int }{
		{0, 0}, {49, 0},
		{50, 3}, // 16 bases each: 2 may be spoiled
		{51, 4}, // of 3, one might lie past base 50
		{52, 4},
		{60, 4}, // 15 bases: 3 end by base 45, so do 4 by base 60
		{80, 5}, // 16 bases each, and none beside them: 3 end by base 48
		{81, 5}, // one base beside them: 3 end by base 49
		{150, 10},
	} {
		if n := PartPieces(c.m); n != c.pieces {
			t.Errorf("%d bases: %d pieces, want %d", c.m, n, c.pieces)
		}
	}
}

// TestPartPiecesAreEnough pushes all pieces to one end, and counts those at the other.
func TestPartPiecesAreEnough(t *testing.T) {
	enough := func(m, n int) bool {
		p := min(m/n, LongestPiece)
		for l := LeastPart; l <= m; l++ {
			inside := 0
			for j := range n {
				if m-j*p <= l && j*p < m { // piece j from the end on ends by base l
					inside++
				}
			}
			if inside <= partEdits(l) {
				return false
			}
		}
		return true
	}
	for m := LeastPart; m <= 600; m++ {
		n := PartPieces(m)
		if n == 0 || !enough(m, n) {
			t.Errorf("%d bases: %d pieces are not enough", m, n)
		}
		for fewer := 1; fewer < n; fewer++ {
			if enough(m, fewer) {
				t.Errorf("%d bases: %d pieces, but %d are enough", m, n, fewer)
			}
		}
	}
}

// A plainPart is bases of a strand, the first or the last, and where they lie.
type plainPart struct {
	place      Place
	start, end int
	bases      int
	edits      int
}

// plainParts returns the longest part from each start, or to each end, of the contigs.
func plainParts(contigs []string, read string) (all []plainPart) {
	for c, text := range contigs {
		for strand := range 2 {
			s := truth.Strand(read, strand)
			for at := 0; at < len(text); at++ {
				if n, length, edits := plainPrefix(s, text[at:]); n > 0 {
					all = append(all, plainPart{At(c, strand), at, at + length, n, edits})
				}
				if n, length, edits := plainPrefix(reversed(s), reversed(text[:at+1])); n > 0 {
					all = append(all, plainPart{At(c, strand), at + 1 - length, at + 1, n, edits})
				}
			}
		}
	}
	return all
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// plainPrefix returns the most first bases of s, 50 or more, that are within 4 % edits of first
// letters of a text, how many letters these are, and the edits; 0 if there are none.
func plainPrefix(s, text string) (n, length, edits int) {
	most := len(s) * 4 / 100
	width := min(len(text), len(s)+most)
	row, next := make([]int, width+1), make([]int, width+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		next[0] = i
		least, at := i, 0
		for j := 1; j <= width; j++ {
			cost := 1
			if truth.Matches(s[i-1], text[j-1]) {
				cost = 0
			}
			next[j] = min(row[j-1]+cost, row[j]+1, next[j-1]+1)
			if next[j] < least {
				least, at = next[j], j
			}
		}
		if least > most {
			break
		}
		if i >= 50 && least <= i*4/100 {
			n, length, edits = i, at, least
		}
		row, next = next, row
	}
	return n, length, edits
}

// drawParts draws a read and contigs with its parts.
func drawParts(r *rand.Rand) (contigs []string, read string) {
	letters := []string{"ACGT", "ACGT", "ACGT", "ACGTN", "AC"}[r.IntN(5)]
	m := 50 + r.IntN(90)
	read = truth.Random(r, m, "ACGT")
	if r.IntN(6) == 0 {
		unit := truth.Random(r, 1+r.IntN(40), "ACGT")
		read = truth.Edited(r, strings.Repeat(unit, m/len(unit)+4), r.IntN(4))[:m]
	}
	for range 1 + r.IntN(2) {
		text := truth.Random(r, r.IntN(30), letters)
		for range 1 + r.IntN(2) {
			n := min(m, 45+r.IntN(m-40))
			s := read[:n]
			if r.IntN(2) == 0 {
				s = read[m-n:]
			}
			s = truth.Edited(r, s, r.IntN(n*4/100+2))
			if r.IntN(3) == 0 {
				s = truth.ReverseComplement(s)
			}
			text += s + truth.Random(r, r.IntN(40), letters)
		}
		switch r.IntN(5) {
		case 0:
			text = text[r.IntN(10):]
		case 1:
			text = text[:len(text)-r.IntN(10)]
		}
		contigs = append(contigs, text)
	}
	if r.IntN(8) == 0 {
		at := r.IntN(m)
		read = read[:at] + "N" + read[at+1:]
	}
	return contigs, read
}

// partCandidates returns the diagonals on which pieces of a read lie unchanged, wherever these are.
func partCandidates(r *rand.Rand, contigs []string, read string) (candidates []Candidate) {
	n := PartPieces(len(read))
	p := min(len(read)/n, LongestPiece)
	free := len(read) - n*p
	gaps := make([]int, n+1) // beside pieces
	for range free {
		gaps[r.IntN(n+1)]++
	}
	if r.IntN(2) == 0 { // all at one place
		clear(gaps)
		gaps[r.IntN(n+1)] = free
	}
	at := 0
	for i := range n {
		at += gaps[i]
		for c, text := range contigs {
			for strand := range 2 {
				s := truth.Strand(read, strand)
				if truth.Ambiguous(s[at:at+p]) > 0 {
					continue
				}
				for j := 0; j+p <= len(text); j++ {
					if text[j:j+p] == s[at:at+p] || r.IntN(5000) == 0 {
						candidates = append(candidates, localCandidate(s, text, At(c, strand), j-at))
					}
				}
			}
		}
		at += p
	}
	r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return candidates
}

// TestPartsAreTheTruth compares with all parts that plain dynamic programming finds.
func TestPartsAreTheTruth(t *testing.T) {
	effort.Cases(t, 50)
	var l Local
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 29))
		contigs, read := drawParts(r)
		if err := checkParts(rt, &l, r, contigs, read); err != nil {
			rt.Fatalf("read %s in %q: %v", read, contigs, err)
		}
	})
}

// checkParts tells which part is not covered by one that was found and is no worse, or which that
// was found is none.
func checkParts(t interface{ Fatal(...any) }, l *Local, r *rand.Rand, contigs []string, read string) error {
	view := pack(read, 0)
	m := len(read)
	l.Reference, l.Cap = truth.Reference(t, contigs...), DefaultCap
	l.Aligner = &Aligner{Reference: l.Reference}
	found := slices.Clone(l.BestParts(l.Parts(&view, partCandidates(r, contigs, read))))
	want := plainParts(contigs, read)
	near := func(x int32, y int) bool { return max(int(x)-y, y-int(x)) <= sameParts }
	for _, w := range want {
		if !slices.ContainsFunc(found, func(f Location) bool {
			beside := near(f.Start, w.start) || near(f.End, w.end) || int(f.Start) < w.end && w.start < int(f.End)
			return f.Place == w.place && beside && int(f.Distance) <= m-w.bases+8*w.edits
		}) {
			return fmt.Errorf("the part %+v is not among %+v", w, found)
		}
	}
	for i := range found {
		f := &found[i]
		if lost := lostLetters(l.Aligner, f, contigs[f.Place.Contig()], truth.Strand(read, f.Place.Strand())); lost != int(f.Distance) {
			return fmt.Errorf("%+v, %s, loses %d", *f, AppendCIGAR(nil, l.Aligner.Operations(f)), lost)
		}
		if !slices.ContainsFunc(want, func(w plainPart) bool {
			return f.Place == w.place && int(f.Start) < w.end && w.start < int(f.End)
		}) {
			return fmt.Errorf("%+v is not among the parts", *f)
		}
	}
	return nil
}

// lostLetters returns the score that a location loses, letter by letter, or -1 where its operations
// do not add up.
func lostLetters(a *Aligner, l *Location, text, s string) (lost int) {
	q, at := 0, int(l.Start)
	for i, o := range a.Operations(l) {
		n := int(o.Length)
		switch o.Kind {
		case Clip:
			if i > 0 && i+1 < len(a.Operations(l)) {
				return -1
			}
			lost += n
			q += n
		case Insertion:
			lost += min(lossOpen+n, DefaultCap) + n
			q += n
		case Deletion:
			lost += min(lossOpen+n, DefaultCap)
			at += n
		case Diagonal:
			for range n {
				if !truth.Matches(s[q], text[at]) {
					lost += lossMismatch
				}
				q, at = q+1, at+1
			}
		}
	}
	if q != len(s) || at != int(l.End) {
		return -1
	}
	return lost
}

// TestParts has reads of two halves, and what lies where.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 29))
	a, b := truth.Random(r, 300, "ACGT"), truth.Random(r, 300, "ACGT")
	adapter := truth.Substituted(r, a[200:206], 6) + truth.Random(r, 54, "ACGT")
	for _, c := range []struct {
		name, read string
		contigs    []string
		want       []string // place, start, stretch of the read: some bases fit both parts
	}{
		{"two contigs", a[100:175] + b[200:275], []string{a, b}, []string{"c0+ 100 [0, 75)", "c1+ 200 [75, 150)"}},
		{"other strand", a[100:175] + truth.ReverseComplement(b[200:275]), []string{a, b}, []string{"c0+ 100 [0, 76)", "c1- 200 [75, 150)"}},
		{"a reverse read", truth.ReverseComplement(a[100:175] + b[200:275]), []string{a, b}, []string{"c0- 100 [75, 150)", "c1- 200 [0, 75)"}},
		{"the ends of contigs", a[250:] + b[:50], []string{a, b}, []string{"c0+ 250 [0, 50)", "c1+ 0 [50, 100)"}},
		{"an adapter", a[100:200] + adapter, []string{a, b}, []string{"c0+ 100 [0, 100)"}},
		{"40 bases", a[100:140] + adapter[:50], []string{a, b}, nil},
		{"in the middle", adapter[:30] + a[100:200] + adapter[30:], []string{a, b}, nil},
		{"twice", a[100:200] + adapter, []string{a, a}, []string{"c0+ 100 [0, 100)", "c1+ 100 [0, 100)"}},
		{"nothing", adapter, []string{a, b}, nil},
	} {
		ref := truth.Reference(t, c.contigs...)
		l := Local{Reference: ref, Cap: DefaultCap, Aligner: &Aligner{Reference: ref}}
		view := pack(c.read, 0)
		var got []string
		for _, p := range l.BestParts(l.Parts(&view, partCandidates(r, c.contigs, c.read))) {
			from, to := l.Aligner.OnRead(&p, len(c.read))
			got = append(got, fmt.Sprintf("c%d%c %d [%d, %d)", p.Place.Contig(), "+-"[p.Place.Strand()], p.Start, from, to))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPartOverLongGap has a gap that costs the cap in a part of enough bases for it.
func TestPartOverLongGap(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 48))
	text := truth.Random(r, 900, "ACGT")
	read := text[100:350] + text[366:566] + truth.Random(r, 50, "ACGT")
	ref := truth.Reference(t, text)
	l := Local{Reference: ref, Cap: DefaultCap, Aligner: &Aligner{Reference: ref}}
	view := pack(read, 0)
	parts := l.BestParts(l.Parts(&view, []Candidate{{Place: At(0, Forward), Diagonal: 100}}))
	if len(parts) != 1 || parts[0].Distance > 50+DefaultCap {
		t.Errorf("got %+v, want one that loses its gap, %d, and up to 50 clipped bases", parts, DefaultCap)
	}
}
