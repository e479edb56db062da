package guides

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/truth"
	"scanmap/search"
)

// near tells whether two numbers are equal, apart from rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// TestHitScores has the examples of the doc comment of calcCfdScore in CRISPOR's crispor.py (commit
// 49b5f1e), of getCFDScores in crisprScore, and pairs drawn at random with their scores by
// calcHitScore and calcCfdScore of that crispor.py, run by Python 3. The MIT scores of the first
// are from there, too.
func TestHitScores(t *testing.T) {
	for _, c := range []struct {
		guide, site, pam string
		mit, cfd         float64
	}{
		{"GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGAAA", "GGG", 0.05972723076923077, 0.4635989007074176},
		{"GGGGGGGGGGGGGGGGGGGG", "GGGGGGGGGGGGGGGGGGGG", "GGG", 100.0, 1.0},
		{"GGGGGGGGGGGGGGGGGGGG", "AAAAGAGAGGGGGGGGGGGG", "GGG", 0.35216474024359923, 0.5140384614450001},
		{"ATGGTCGGACTCCCTGCCAG", "ATGGTGGGACTCCCTGCCAG", "AGG", 60.5, 0.5},
		{"ATGGTCGGACTCCCTGCCAG", "ATGATCCAAATCCCTGCCAG", "AGG", 0.8586075431034484, 0.53625000020625},
		{"ATGTGGAGATTGCCACCTAC", "ATCTGGAGATTGCCACCTAC", "AGG", 98.6, 0.384615385},
		{"CAGATTTTCATATTATGCAG", "CAGATTTTCATATTATGCAG", "GGG", 100.0, 1.0},
		{"CTGAATAGGCTACATATGTT", "CTGAATAGGCTACATATGTC", "ACT", 41.7, 0.0},
		{"GCTAATCCGTCATTGTCAAG", "GCTAATCCTTCATTGTCAAG", "GGG", 61.1, 0.533333333},
		{"TCACTTCTCATGTAGCCAGA", "TCACTTCTCGTGTAGCCAGA", "CGG", 92.10000000000001, 0.5555555560000001},
		{"ACTATATTGGTTTAATAAAA", "ACTATATTGGTTTAATGAAT", "CGG", 0.9187816265060242, 0.10588235280000001},
		{"CGCCCTCCCAGCGGCGTGAT", "CGCCCTCCCAGAGGCGTCAT", "CGG", 0.6451436619718307, 0.3401360541496599},
		{"CACTCTTTCCCGTTCTGGTA", "GGATCTTTCCCGTTCTGGTA", "GGG", 2.2874236874236877, 0.6330434783234783},
		{"CGGACCGCGGTGTTAAGTGT", "CGGTCCGCTGTGTTAAGTGA", "AGG", 0.853783597883598, 0.19090909068068182},
		{"GATGAAGAAATAACCTCATC", "GATTAGGAAATAAGCTCATC", "AGG", 0.2537414814814815, 0.0},
		{"ACTGTATAGTCCCACCTGGT", "TCTGTATAGTCCTACCAAGT", "TGG", 0.04794274596774193, 0.2584615381851282},
		{"TCACAAATTGCTTATTCGAG", "TCCCAAACTACTTACTCAAG", "TAG", 0.04531594236959999, 0.01958041958430458},
		{"AGGGTCTAGAGAGTCCACCT", "AGGGGATAGGGGATCCACCT", "GGA", 0.09267986922206897, 0.015285126311718605},
		{"AACTCATCGACTCTATGTAG", "CACTCGCCGTATGTATGTAG", "ATG", 0.050516457314556486, 0.0014798939020131184},
		{"GTGGTCTGTCGCCTCAGCCG", "GTGTGCTGTCAACTCCTCCT", "CAC", 0.003466902049937889, 0.0},
		{"TCAAACCCCGGGGGGAGCTC", "TGTCACTCCGAGAAGACCTC", "TGG", 0.002850131230732496, 0.022938256097452193},
	} {
		if got := MITHit([]byte(c.guide), []byte(c.site)); !near(got, c.mit) {
			t.Errorf("%s at %s: MIT %v, want %v", c.guide, c.site, got, c.mit)
		}
		if got := CFDHit([]byte(c.guide), []byte(c.site), []byte(c.pam)); !near(got, c.cfd) {
			t.Errorf("%s at %s, %s: CFD %v, want %v", c.guide, c.site, c.pam, got, c.cfd)
		}
	}
}

// TestUndefined has what the rules say nothing about.
func TestUndefined(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	for _, c := range []struct{ guide, site, pam string }{
		{guide[1:], guide[1:], "AGG"}, {guide + "A", guide + "A", "AGG"}, {"N" + guide[1:], guide, "AGG"},
		{guide, guide[:19] + "N", "AGG"}, {guide, guide[1:], "AGG"}, {guide[1:], guide, "AGG"},
	} {
		if mit, cfd := MITHit([]byte(c.guide), []byte(c.site)), CFDHit([]byte(c.guide), []byte(c.site), []byte(c.pam)); !math.IsNaN(mit) ||
			!math.IsNaN(cfd) {
			t.Errorf("%v: %v and %v", c, mit, cfd)
		}
	}
	for _, pam := range []string{"GG", "AGGA", "ANG", "NGG", ""} {
		if cfd := CFDHit([]byte(guide), []byte(guide), []byte(pam)); !math.IsNaN(cfd) {
			t.Errorf("PAM %q: CFD %v", pam, cfd)
		}
	}
}

// TestTables has every mispair of two different letters, with activities from 0 to 1, and sums over
// all positions that CRISPOR's mismatch_score.pkl has as well: a number in a wrong place would move
// one.
func TestTables(t *testing.T) {
	if len(doenchMismatch) != 12 {
		t.Errorf("%d mispairs", len(doenchMismatch))
	}
	want := map[mispair]float64{
		{'A', 'C'}: 57.611291434,
		{'A', 'G'}: 113.456747894,
		{'A', 'T'}: 89.184861932,
		{'C', 'A'}: 125.505750396,
		{'C', 'G'}: 49.720709703,
		{'C', 'T'}: 116.218083412,
		{'G', 'A'}: 184.361969387,
		{'G', 'C'}: 88.263524345,
		{'G', 'T'}: 94.191283741,
		{'T', 'A'}: 140.385067998,
		{'T', 'C'}: 117.849784151,
		{'T', 'G'}: 70.180013096,
	}
	for pair, activities := range doenchMismatch {
		sum := 0.0
		for i, a := range activities {
			if a < 0 || a > 1 {
				t.Errorf("%c%c at %d: %v", pair.guide, pair.site, i+1, a)
			}
			sum += float64(i+1) * a
		}
		if !near(sum, want[pair]) {
			t.Errorf("%c%c: the sum is %v, want %v", pair.guide, pair.site, sum, want[pair])
		}
	}
}

// TestSpecificity: it is 100 without off-targets, falls with each, whatever their order, and is
// half with a second exact place.
func TestSpecificity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hits := rapid.SliceOf(rapid.Float64Range(0, 100)).Draw(rt, "hits")
		sum, backwards := 0.0, 0.0
		before := Specificity(0)
		if before != 100 {
			rt.Fatalf("without off-targets it is %v", before)
		}
		for _, h := range hits {
			sum += h
			after := Specificity(sum)
			if after > before || after < 0 || h > 1e-3 && after == before {
				rt.Fatalf("%v after %v with %v more", after, before, h)
			}
			// Published as 100 / (100 + sum), and by GuideScan2 as 1 / (1 + sum of shares).
			if share := 1 / (1 + sum/100); !near(after, 100*share) {
				rt.Fatalf("%v, want %v", after, 100*share)
			}
			before = after
		}
		slices.Reverse(hits)
		for _, h := range hits {
			backwards += h
		}
		if other := Specificity(backwards); !near(other, before) {
			rt.Fatalf("%v, in another order %v", before, other)
		}
	})
	if got := Specificity(100); got != 50 {
		t.Errorf("with another exact place it is %v", got)
	}
}

// TestHighest compares the scores of sites with IUPAC letters with the highest of all readings.
func TestHighest(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 2))
	for turn := range 3000 {
		nuclease, beside := Nucleases[turn%len(Nucleases)], []string{"AG", "GG"}[turn/3%2]
		g := guide{letters: []byte(truth.Random(r, 20, "ACGT")), pam: []byte("N" + beside), scored: true, nuclease: nuclease, iupac: true,
			matches: (&search.Options{ReferenceIUPAC: true}).Matcher()}
		site := []byte(truth.Substituted(r, string(g.letters), r.IntN(5)) + "T" + beside)
		for range r.IntN(6) {
			site[r.IntN(23)] = truth.Random(r, 1, "RYSWKMBDHV")[0]
		}
		wantMIT, wantCFD := -1.0, -1.0
		for _, reading := range readings(string(site)) {
			letters, pam := []byte(reading[:20]), []byte(reading[20:])
			if nuclease.IsCas12a() {
				wantMIT, wantCFD = math.NaN(), max(wantCFD, Cas12aHit(nuclease, g.letters, []byte(reading[3:])))
			} else if reading[21:] == beside {
				wantMIT, wantCFD = max(wantMIT, MITHit(g.letters, letters)), max(wantCFD, CFDHit(g.letters, letters, pam))
			}
		}
		if wantCFD < 0 {
			continue // no reading fits the PAM
		}
		mit, cfd := g.scores(site, site[20:], false)
		if mit != wantMIT && !(math.IsNaN(mit) && math.IsNaN(wantMIT)) || cfd != wantCFD {
			t.Fatalf("%s: %s on %s: %v, %v, want %v, %v", nuclease, g.letters, site, mit, cfd, wantMIT, wantCFD)
		}
	}
}

// TestMatchesScoreMost has no score fall where a mismatch becomes a match: MIT of all 2^20 sets of
// mismatches, and each activity of CFD. A letter of several bases may then count as the guide's.
func TestMatchesScoreMost(t *testing.T) {
	scores := make([]float64, 1<<Length)
	guide := bytes.Repeat([]byte("A"), Length)
	for set := range scores {
		site := bytes.Clone(guide)
		for i := range site {
			if set>>i&1 == 1 {
				site[i] = 'C'
			}
		}
		scores[set] = MITHit(guide, site)
		for i := range site {
			if without := set &^ (1 << i); scores[without] < scores[set] {
				t.Fatalf("mismatches %020b score %v, and without %d %v", set, scores[set], i, scores[without])
			}
		}
	}
	for _, nuclease := range Nucleases {
		for _, letter := range []byte("ACGT") {
			for _, base := range []byte("ACGT") {
				for i := range Length {
					if letter != base && !(nuclease.activity(letter, base, i) <= 1) {
						t.Fatalf("%s: %c for %c at %d leaves %v", nuclease, base, letter, i, nuclease.activity(letter, base, i))
					}
				}
			}
		}
	}
}
