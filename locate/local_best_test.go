package locate

import (
	"math/rand/v2"
	"testing"

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
