package guides

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/truth"
	"scanmap/search"
)

// TestCandidates compares guides of regions with the guides that a loop over all places finds.
func TestCandidates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 16))
		contigs := []string{truth.Random(r, 1+r.IntN(100), "ACGGN"), truth.Random(r, 1+r.IntN(100), "ACGT")}
		ref := truth.Reference(rt, contigs...)
		length := rapid.IntRange(1, 24).Draw(rt, "length")
		var regions []Region
		for range rapid.IntRange(1, 3).Draw(rt, "regions") {
			contig := r.IntN(2)
			start := r.IntN(len(contigs[contig]))
			regions = append(regions, Region{contig, start, start + 1 + r.IntN(len(contigs[contig])-start), ""})
		}
		pams := rapid.SampledFrom([][]string{{"NGG"}, {"NGG", "NAG"}, {"NRG", "NGN", "NNN"}}).Draw(rt, "PAMs")
		own := rapid.IntRange(1, len(pams)).Draw(rt, "own")
		lower := slices.Clone(pams)
		lower[0] = strings.ToLower(lower[0])
		patterns, sites, err := Candidates(ref, regions, length, &search.Target{PAMs: lower}, own)
		if err != nil {
			rt.Fatal(err)
		}
		var want []Site
		for contig, text := range contigs {
			for start := 0; start+length+3 <= len(text); start++ {
				end := start + length + 3
				inside := slices.ContainsFunc(regions, func(r Region) bool { return r.Contig == contig && r.Start <= start && end <= r.End })
				for strand := range 2 {
					site := truth.Strand(text[start:end], strand)
					if inside && !strings.Contains(site, "N") && plainPAM(pams[:own], site[length:]) >= 0 {
						want = append(want, Site{contig, start, end, strand == 1})
					}
				}
			}
		}
		if !slices.Equal(sites, want) || len(patterns) != len(want)*len(pams) {
			rt.Fatalf("%v in %q: %v, want %v", regions, contigs, sites, want)
		}
		for i, s := range sites {
			site := contigs[s.Contig][s.Start:s.End]
			if s.Reverse {
				site = truth.ReverseComplement(site)
			}
			for j, pam := range pams {
				if p := patterns[i*len(pams)+j]; string(p.Letters) != site[:length]+pam || p.PAM != pam {
					rt.Fatalf("%+v at %v of %q", p, s, contigs)
				}
			}
		}
	})
	ref := truth.Reference(t, "TT"+strings.Repeat("A", 20)+"CGGTT")
	patterns, _, err := Candidates(ref, []Region{{0, 2, 25, ""}}, 20, &search.Target{PAMs: []string{"NGG"}}, 1)
	if err != nil || len(patterns) != 1 || patterns[0].Name != "c0:3-25:+" {
		t.Errorf("%+v, %v", patterns, err)
	}
	if _, _, err := Candidates(ref, nil, 20, &search.Target{PAMs: []string{"NXG"}}, 1); err == nil {
		t.Error("no error for a PAM of NXG")
	}
}

// TestBest goes by whether there is an exact place, then by CFD, then MIT, then places, then order.
func TestBest(t *testing.T) {
	none := math.NaN()
	summaries := []Summary{
		{CFD: none, MIT: none, ByEdits: []int64{1, 0, 2}},
		{CFD: 50, MIT: 80, ByEdits: []int64{1, 0}},
		{CFD: 50, MIT: 90, ByEdits: []int64{2, 9}},
		{CFD: 90, MIT: 10, ByEdits: []int64{9, 9}},
		{CFD: none, MIT: none, ByEdits: []int64{1, 0, 1}},
		{CFD: 50, MIT: 90, ByEdits: []int64{1, 9}},
		{CFD: 50, MIT: 90, ByEdits: []int64{1, 9}},
		{CFD: none, MIT: none, ByEdits: []int64{0, 1}}, // without an exact place
		{CFD: none, MIT: none, ByEdits: []int64{0, 0}},
	}
	want := []int{3, 5, 6, 2, 1, 4, 0, 8, 7}
	for n := range 10 {
		if got := Best(summaries, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}

// TestRegions compares the regions that a stretch touches with a loop over all.
func TestRegions(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("A", 60), strings.Repeat("C", 60))
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(name string) Region {
			start := rapid.IntRange(0, 59).Draw(rt, name+" start")
			return Region{Contig: rapid.IntRange(0, 1).Draw(rt, name+" contig"), Start: start, End: rapid.IntRange(start+1, 60).Draw(rt, name+" end")}
		}
		var all []Region
		for range rapid.IntRange(0, 8).Draw(rt, "regions") {
			all = append(all, draw("region"))
		}
		at := draw("stretch")
		want := []int{-1}
		for i, r := range all {
			if r.Contig == at.Contig && r.Start < at.End && at.Start < r.End {
				want = append(want, i)
			}
		}
		r := NewRegions(ref, all)
		if got := r.Touching([]int{-1}, at.Contig, at.Start, at.End); !slices.Equal(got, want) || r.Len() != len(all) {
			rt.Fatalf("%v of %v: %v, want %v", at, all, got, want)
		}
	})
	var none *Regions
	if got := none.Touching(nil, 0, 0, 1); got != nil || none.Len() != 0 {
		t.Errorf("no regions: %v", got)
	}
	named := NewRegions(ref, []Region{{1, 4, 9, ""}, {0, 1, 2, "x"}})
	if named.Name(0) != "c1:5-9" || named.Name(1) != "x" {
		t.Errorf("%q and %q", named.Name(0), named.Name(1))
	}
}

// TestOtherBases: U in a guide is T, and lower case counts for nothing.
func TestOtherBases(t *testing.T) {
	p := patternsOf(t, "ngg", "augguCGGACTCCCUGCCAG")[0]
	g := newGuide(&p, SpCas9)
	if string(g.letters) != "ATGGTCGGACTCCCTGCCAG" || string(g.pam) != "NGG" || !g.scored {
		t.Errorf("%+v", g)
	}
}
