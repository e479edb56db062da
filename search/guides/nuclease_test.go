package guides

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/truth"
	"scanmap/search"
)

// TestCas12aHit has pairs drawn at random with what a program in Python makes of the authors' files
// (commit 733f30d), whose names of mismatches have the letter that the RNA faces.
func TestCas12aHit(t *testing.T) {
	for _, c := range []struct {
		guide, site string
		as, enAs    float64
	}{
		{"GGCTAGTGTCACTGCGCACAGTA", "GGCTAGTGTCACTGCGCACAGTA", 1, 1},
		{"ACATTATCGCACATTTTTAA", "ACATTAGCGCACATTTTTAA", 0.06557377049180328, 0.22950819672131148},
		{"GGTGAGCGGGCATTAACTATCA", "GGTGAGCAGGCATTAACAATCA", 0.25963488843813387, 0.486815415821501},
		{"ATGTGATGCGGTTTCCTGCCCA", "ATGTGTTGAGATTTCCTGCCCA", 0.011358024691358024, 0.15867446393762183},
		{"CAGCAGGACTTGGTCTGAGG", "CAGCAGAACGTGGTGTTAGG", 0.0003562476939323383, 0.017898021161504504},
		{"ACGTCCCTTAGATTATCGGT", "GCGTTACTTAGATTATCAAT", 0.00019323955963304224, 0.011581567941884191},
		{"AGCGGTACTCATGGAGCAGGCTG", "AGCGGTACTCATGGAGCAGGCTG", 1, 1},
		{"ACTTTCAGTCGACAGGGCTGC", "ACTTTCAGTCGACAGGACTGC", 0.34146341463414637, 0.6097560975609756},
		{"GCTTCTTACTTTAAGGAGTGGCC", "GCTTCTTCCTTTAAGTAGTGGCC", 0.002474372569812655, 0.13361611876988336},
		{"TATGGTGTGCCGATTTGGTTTT", "TATGGACTGCCGGTTTGGTTTT", 0.005203186106817356, 0.12370406034344407},
		{"AGGCGCAGAACCCCGCCGAAGTC", "TGGAGCAGAACCCCTCGGAAGTC", 0.00011746912764489083, 0.0013215276860050217},
		{"GTGTTAGACTGATTGACGACATA", "TGGGTAGTCTGATTGACGACAGA", 5.087660388493748e-05, 0.004251830467526917},
		{"CTCTGTGCTAGAGCGATCGA", "CTCTGTGCTAGAGCGATCGA", 1, 1},
		{"CATTGTGGTTGCGACGTGCTG", "CATTGTGGCTGCGACGTGCTG", 0.3411764705882353, 0.8},
		{"AATCGCGTGGGGGTACTCGGGCG", "AATCGCGTGGTGGTACTCGGGGG", 0.09027777777777778, 0.3229166666666667},
		{"GAAGCTAGCTCGACCCGACC", "GAAGCTAGCCCGACGAGACC", 0.007525470824328497, 0.042026860142019146},
		{"AAAAAAAAAAAAAAAAAAAAAAA", "CAAAAAAAAAAAAAAAAAAAAAA", 0.13513513513513514, 0.14414414414414414},
	} {
		as, enAs := Cas12aHit(AsCas12a, []byte(c.guide), []byte(c.site)), Cas12aHit(EnAsCas12a, []byte(c.guide), []byte(c.site))
		if !(math.Abs(as-c.as) <= 2e-9 && math.Abs(enAs-c.enAs) <= 2e-9) { // also of NaN
			t.Errorf("%s at %s: %v and %v, want %v and %v", c.guide, c.site, as, enAs, c.as, c.enAs)
		}
	}
	const guide = "GGCTAGTGTCACTGCGCACAGTA"
	for _, c := range []struct {
		n           Nuclease
		guide, site string
	}{
		{SpCas9, guide, guide}, {"", guide, guide}, {AsCas12a, guide[:19], guide[:19]}, {AsCas12a, guide + "A", guide + "A"}, {AsCas12a, guide, guide[1:]},
		{EnAsCas12a, "N" + guide[1:], guide}, {EnAsCas12a, guide, "N" + guide[1:]}, {AsCas12a, "", ""},
	} {
		if got := Cas12aHit(c.n, []byte(c.guide), []byte(c.site)); !math.IsNaN(got) {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestCas12aTables has every mispair, with activities from 0 to 1, and sums over all positions that
// the authors' files have as well: a number in a wrong place would move one.
func TestCas12aTables(t *testing.T) {
	for _, c := range []struct {
		table map[mispair][cas12aLength]float64
		want  map[mispair]float64
	}{
		{asCas12aMismatch, map[mispair]float64{
			{'A', 'C'}: 98.016396385,
			{'A', 'G'}: 123.348613616,
			{'A', 'T'}: 99.134108832,
			{'C', 'A'}: 124.758756027,
			{'C', 'G'}: 100.995773901,
			{'C', 'T'}: 119.074350159,
			{'G', 'A'}: 171.842871519,
			{'G', 'C'}: 98.559776784,
			{'G', 'T'}: 104.117559913,
			{'T', 'A'}: 125.093998730,
			{'T', 'C'}: 128.369313123,
			{'T', 'G'}: 108.103693495,
		}},
		{enAsCas12aMismatch, map[mispair]float64{
			{'A', 'C'}: 133.997288089,
			{'A', 'G'}: 172.050809093,
			{'A', 'T'}: 142.821875090,
			{'C', 'A'}: 176.744678352,
			{'C', 'G'}: 114.471479100,
			{'C', 'T'}: 186.221561118,
			{'G', 'A'}: 218.967575298,
			{'G', 'C'}: 166.593207538,
			{'G', 'T'}: 154.438486140,
			{'T', 'A'}: 169.712811915,
			{'T', 'C'}: 185.945043808,
			{'T', 'G'}: 138.539994523,
		}},
	} {
		if len(c.table) != 12 || len(c.want) != 12 {
			t.Errorf("%d mispairs", len(c.table))
		}
		for pair, activities := range c.table {
			sum := 0.0
			for i, a := range activities {
				if a <= 0 || a > 1 {
					t.Errorf("%c%c at %d: %v", pair.guide, pair.site, i+1, a)
				}
				sum += float64(i+1) * a
			}
			if !(math.Abs(sum-c.want[pair]) <= 2e-7) {
				t.Errorf("%c%c: the sum is %v, want %v", pair.guide, pair.site, sum, c.want[pair])
			}
		}
	}
}

// TestCas12aCount compares the specificity of guides of Cas12a, beside one PAM or several, with a
// loop over all places of both strands.
func TestCas12aCount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 12))
		length := rapid.SampledFrom([]int{20, 21, 23, 19, 24}).Draw(rt, "length")
		nuclease := rapid.SampledFrom([]Nuclease{AsCas12a, EnAsCas12a}).Draw(rt, "nuclease")
		pams := rapid.SampledFrom([][]string{{"TTTN"}, {"TTTG", "TTTN"}, {"TNTT", "NTTT", "TTTN"}}).Draw(rt, "PAMs")
		guide := truth.Random(r, length, "ACGT")
		contig := ""
		for range 8 {
			site := truth.Substituted(r, "TTT"+truth.Random(r, 1, "ACGT"), r.IntN(2)) + truth.Substituted(r, guide, r.IntN(5))
			contig += truth.Strand(site, r.IntN(2)) + truth.Random(r, r.IntN(4), "ACGTN")
		}
		ref := truth.Reference(rt, contig)
		p, err := search.NewPattern("g", []byte(guide), search.DNA)
		if err != nil {
			rt.Fatal(err)
		}
		target := search.Target{PAMs: pams, PAMFirst: true}
		patterns, err := target.Patterns([]search.Pattern{p})
		if err != nil {
			rt.Fatal(err)
		}
		k := rapid.IntRange(0, 4).Draw(rt, "k")
		substitutions := rapid.Bool().Draw(rt, "substitutions")
		got, places := counted(rt, ref, patterns, Options{Distance: k, PAMs: len(pams), Nuclease: nuclease}, substitutions)
		m, sum, scored, exact := length+4, 0.0, int64(0), 0
		for start := 0; start+m <= len(contig); start++ {
			for strand := range 2 {
				site := truth.Strand(contig[start:start+m], strand)
				edits := 0
				for i := range guide {
					if site[4+i] != guide[i] {
						edits++
					}
				}
				if plainPAM(pams, site[:4]) < 0 || edits > k {
					continue
				}
				if edits == 0 {
					exact++
				}
				hit := Cas12aHit(nuclease, []byte(guide), []byte(site[4:]))
				if !math.IsNaN(hit) && (edits > 0 || exact > 1) {
					sum, scored = sum+hit, scored+1
				}
				at := Site{0, start, start + m, strand == 1}
				i := slices.IndexFunc(places, func(p Place) bool { return siteOf(&p.Location) == at })
				if substitutions && (i < 0 || !(places[i].CFD == hit || math.IsNaN(hit) && math.IsNaN(places[i].CFD)) || !math.IsNaN(places[i].MIT)) {
					rt.Fatalf("%v: CFD %v, of %+v", at, hit, places)
				}
			}
		}
		s := &got[0]
		want := Specificity(100 * sum)
		if !cas12aGuide([]byte(guide)) || exact == 0 {
			want, scored = math.NaN(), 0
		}
		if s.Scored != scored || math.IsNaN(want) != math.IsNaN(s.CFD) || math.Abs(want-s.CFD) > 1e-9 || !math.IsNaN(s.MIT) || !math.IsNaN(s.RuleSet1) {
			rt.Fatalf("%s in %s: %+v, want %v of %d", guide, contig, *s, want, scored)
		}
	})
}

// TestParseNuclease takes each name, and none as SpCas9.
func TestParseNuclease(t *testing.T) {
	for _, n := range Nucleases {
		if got, err := ParseNuclease(string(n)); err != nil || got != n || got.IsCas12a() == (n == SpCas9) {
			t.Errorf("%s: %s, %v", n, got, err)
		}
	}
	if got, err := ParseNuclease(""); err != nil || got != SpCas9 {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := ParseNuclease("cas12a"); err == nil {
		t.Error("cas12a is a name")
	}
}
