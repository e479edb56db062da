package guides

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/search"
)

// tester is a test of rapid or another.
type tester interface {
	Fatal(...any)
	Context() context.Context
}

// patternsOf makes patterns with a PAM, or with several that have commas between them.
func patternsOf(t tester, pam string, letters ...string) []search.Pattern {
	var patterns []search.Pattern
	for i, text := range letters {
		p, err := search.NewPattern(fmt.Sprintf("g%d", i), []byte(text), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	target := search.Target{}
	if pam != "" {
		target.PAMs = strings.Split(pam, ",")
	}
	patterns, err := target.Patterns(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return patterns
}

// counted searches as scanmap guides does, and returns all places, too.
func counted(t tester, ref *dna.Reference, patterns []search.Pattern, o Options, substitutions bool) ([]Summary, []Place) {
	var places []Place
	with := search.Options{Distance: o.Distance, Substitutions: substitutions, Threads: 1, ReferenceIUPAC: o.ReferenceIUPAC}
	summaries, _, err := Search(t.Context(), ref, patterns, o, with, func(p *Place) error {
		places = append(places, *p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return summaries, places
}

// TestSubstitutions compares summaries with what a loop over all places of both strands counts, of
// texts with IUPAC letters too, which stand for their bases or match nothing.
func TestSubstitutions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 15))
		length := rapid.SampledFrom([]int{20, 20, 20, 19, 21}).Draw(rt, "length")
		pam := rapid.SampledFrom([]string{"NGG", "NRG", "NG", "NGGA", "NGG,NAG", "NRG,NGN,CAN", "NG,NA", "NNN,NGG"}).Draw(rt, "pam")
		pams := strings.Split(pam, ",")
		aside := rapid.IntRange(0, len(pams)-1).Draw(rt, "aside")
		k := rapid.IntRange(0, 6).Draw(rt, "k")
		guide := truth.Random(r, length, "ACGT")
		contigs := []string{"", ""}
		for i := range contigs {
			for range 6 {
				site := guide + strings.NewReplacer("N", truth.Random(r, 1, "ACGT"), "R", truth.Random(r, 1, "AG")).Replace(pams[r.IntN(len(pams))])
				site = truth.Substituted(r, site, r.IntN(8))
				if r.IntN(2) == 1 {
					site = truth.ReverseComplement(site)
				}
				contigs[i] += site + truth.Random(r, r.IntN(5), "ACGTN")
			}
		}
		for range rapid.IntRange(0, 12).Draw(rt, "IUPAC letters") {
			contig := &contigs[r.IntN(2)]
			at := r.IntN(len(*contig))
			*contig = (*contig)[:at] + truth.Random(r, 1, "RYSWKMBDHV") + (*contig)[at+1:]
		}
		iupac := rapid.Bool().Draw(rt, "IUPAC")
		ref := truth.Reference(rt, contigs...)
		var regions []Region
		for range rapid.IntRange(0, 4).Draw(rt, "regions") {
			contig := r.IntN(2)
			start := r.IntN(len(contigs[contig]))
			regions = append(regions, Region{contig, start, start + 1 + r.IntN(len(contigs[contig])-start), ""})
		}
		got, places := counted(rt, ref, patternsOf(rt, pam, guide), Options{Distance: k, Regions: NewRegions(ref, regions), Keep: 3,
			PAMs: len(pams), Aside: aside, ReferenceIUPAC: iupac}, true)
		want := plainCount(contigs, regions, guide, pams, aside, k, iupac)
		best := got[0].Best
		if len(best) != min(3, len(places)) {
			rt.Fatalf("%d of %d places are kept", len(best), len(places))
		}
		slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(plainRank(&a), plainRank(&b)) })
		for i := range best {
			if siteOf(&best[i].Location) != siteOf(&places[i].Location) {
				rt.Fatalf("kept place %d is %v, want %v", i, best[i], places[i])
			}
		}
		got[0].Best = nil
		if d := diff.Diff(want, got[0], diff.Comparer(func(a, b float64) bool {
			return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
		})); d != "" {
			rt.Fatalf("%s %s in %q: (-want +got)\n%s", guide, pam, contigs, d)
		}
	})
}

// plainRank is less for better places: the target, then by edits, then by CFD, where it is known,
// and it is from 0 to 1.
func plainRank(p *Place) float64 {
	switch {
	case p.Target:
		return -2
	case math.IsNaN(p.CFD):
		return 2*float64(p.Distance) + 0.5
	}
	return 2*float64(p.Distance) - p.CFD
}

// TestMost hands over the best places of each guide alone, in their order, and counts all.
func TestMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 31))
		guides := []string{truth.Random(r, 20, "ACGT"), truth.Random(r, 20, "ACGT"), truth.Random(r, 20, "ACGT")}
		contigs := []string{"T", "T"}
		for range rapid.IntRange(0, 40).Draw(rt, "sites") {
			site := truth.Substituted(r, guides[r.IntN(2)], r.IntN(3)) + truth.Random(r, 1, "ACGT") + truth.Random(r, 1, "AG") + "G"
			contigs[r.IntN(2)] += truth.Strand(site, r.IntN(2)) + truth.Random(r, r.IntN(3), "ACGTN")
		}
		ref := truth.Reference(rt, contigs...)
		patterns := patternsOf(rt, "NRG", guides...)
		o := Options{Distance: 2}
		if rapid.Bool().Draw(rt, "from the reference") {
			for range guides {
				start := r.IntN(max(1, len(contigs[0])))
				o.Origins = append(o.Origins, Site{0, start, start + 23, false})
			}
		}
		substitutions := rapid.Bool().Draw(rt, "substitutions")
		all, places := counted(rt, ref, patterns, o, substitutions)
		o.Most, o.Keep = rapid.IntRange(1, 12).Draw(rt, "most"), rapid.IntRange(0, 12).Draw(rt, "keep")
		some, handed := counted(rt, ref, patterns, o, substitutions)
		var want []Place
		for i := range guides {
			of := slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return p.Pattern != i })
			slices.SortStableFunc(of, func(a, b Place) int { return cmp.Compare(plainRank(&a), plainRank(&b)) })
			for j := range min(o.Keep, len(of)) {
				if siteOf(&of[j].Location) != siteOf(&some[i].Best[j].Location) {
					rt.Fatalf("guide %d: kept place %d is %+v, want %+v", i, j, some[i].Best[j], of[j])
				}
			}
			if len(some[i].Best) != min(o.Keep, len(of)) {
				rt.Fatalf("guide %d: %d places of %d are kept", i, len(some[i].Best), len(of))
			}
			some[i].Best = nil
			best := of[:min(o.Most, len(of))]
			for _, p := range places {
				if slices.ContainsFunc(best, func(b Place) bool { return b.Pattern == p.Pattern && siteOf(&b.Location) == siteOf(&p.Location) }) {
					want = append(want, p)
				}
			}
		}
		equal := diff.Comparer(func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || a == b })
		if d := diff.Diff(want, handed, equal); d != "" {
			rt.Fatalf("-want +got\n%s", d)
		}
		if d := diff.Diff(all, some, equal); d != "" {
			rt.Fatalf("counts: -all +most\n%s", d)
		}
	})
}

// plainPAM is the first of PAMs that letters fit, -1 if none does.
func plainPAM(pams []string, letters string) int {
	sets := map[byte]string{'N': "ACGT", 'R': "AG"}
	return slices.IndexFunc(pams, func(pam string) bool {
		fits := true
		for i, letter := range []byte(letters) {
			fits = fits && strings.IndexByte("ACGT", letter) >= 0 && (pam[i] == letter || strings.IndexByte(sets[pam[i]], letter) >= 0)
		}
		return fits
	})
}

// readings are all texts that a text with IUPAC letters stands for; N stays.
func readings(text string) []string {
	at := strings.IndexAny(text, "RYSWKMBDHV")
	if at < 0 {
		return []string{text}
	}
	var all []string
	bases := map[byte]string{'R': "AG", 'Y': "CT", 'S': "CG", 'W': "AT", 'K': "GT", 'M': "AC", 'B': "CGT", 'D': "AGT", 'H': "ACT", 'V': "ACG"}
	for _, base := range bases[text[at]] {
		for _, rest := range readings(text[at+1:]) {
			all = append(all, text[:at]+string(base)+rest)
		}
	}
	return all
}

// plainCount makes a summary of all places that lie in contigs, by a loop. With iupac a place has
// the fewest edits, the first PAM and the highest scores beside it that any of its readings has.
func plainCount(contigs []string, regions []Region, guide string, pams []string, aside, k int, iupac bool) Summary {
	s := Summary{Letters: guide, PAM: strings.Join(pams, ","), ByEdits: make([]int64, k+1), ByPAM: make([]int64, len(pams)),
		MIT: math.NaN(), CFD: math.NaN(), RuleSet1: math.NaN()}
	m := len(guide) + len(pams[0])
	scored := len(guide) == 20 && len(pams[0]) <= 3
	var mit, cfd, targetMIT, targetCFD float64
	target := -1 // its PAM
	for c, text := range contigs {
		for start := 0; start+m <= len(text); start++ {
			for strand := range 2 {
				beyond := text[start:]
				if strand == 1 {
					beyond = truth.ReverseComplement(text[:start+m])
				}
				all := []string{beyond[:min(len(beyond), max(m, 23))]}
				if iupac {
					all = readings(all[0])
				}
				edits, pam := k+1, -1
				for _, reading := range all {
					n := 0
					for i := range guide {
						if !truth.Matches(guide[i], reading[i]) {
							n++
						}
					}
					if first := plainPAM(pams, reading[len(guide):m]); first >= 0 && (pam < 0 || first < pam) {
						pam = first
					}
					edits = min(edits, n)
				}
				if pam < 0 || edits > k {
					continue
				}
				s.ByEdits[edits]++
				s.ByPAM[pam]++
				s.NoBulge++
				var touched []int
				for i, r := range regions {
					if r.Contig == c && r.Start < start+m && start < r.End {
						touched = append(touched, i)
					}
				}
				if len(touched) > 0 {
					s.InRegions++
				}
				if edits == 0 && pam >= len(pams)-aside {
					s.Aside++
				}
				hitMIT, hitCFD := math.NaN(), math.NaN()
				for _, reading := range all {
					if scored && len(reading) >= 23 && plainPAM(pams[pam:pam+1], reading[len(guide):m]) == 0 {
						if hit := MITHit([]byte(guide), []byte(reading[:20])); !(hit <= hitMIT) {
							hitMIT = hit
						}
						if hit := CFDHit([]byte(guide), []byte(reading[:20]), []byte(reading[20:23])); !(hit <= hitCFD) {
							hitCFD = hit
						}
					}
				}
				if edits == 0 && pam < len(pams)-aside && (s.Target == nil || pam < target) {
					s.Target, s.TargetRegions, target = &Site{c, start, start + m, strand == 1}, touched, pam
					targetCFD, targetMIT, s.RuleSet1 = hitCFD, hitMIT, math.NaN()
					if from := start - 4; scored && strand == 0 && from >= 0 && from+30 <= len(text) {
						s.RuleSet1 = RuleSet1([]byte(text[from : from+30]))
					} else if from := start + m - 26; scored && strand == 1 && from >= 0 && from+30 <= len(text) {
						s.RuleSet1 = RuleSet1([]byte(truth.ReverseComplement(text[from : from+30])))
					}
				}
				if !math.IsNaN(hitMIT) && !math.IsNaN(hitCFD) {
					mit, cfd = mit+hitMIT, cfd+hitCFD
					s.Scored++
				}
			}
		}
	}
	for edits, n := range s.ByEdits {
		if n > 0 {
			s.Classes = append(s.Classes, Class{Mismatches: edits, Places: n})
		}
	}
	if len(s.TargetRegions) > 0 {
		s.InRegions--
	}
	if s.Target == nil { // there are no scores without a target
		s.Scored = 0
	} else if scored {
		if !math.IsNaN(targetCFD) {
			mit, cfd = mit-targetMIT, cfd-targetCFD
			s.Scored--
		}
		s.MIT, s.CFD = Specificity(mit), Specificity(100*cfd)
	}
	return s
}

// TestEdits compares counts with the locations that plain dynamic programming finds, for guides
// without a PAM, and replays every alignment.
func TestEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, _ := truth.Draw(rt)
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		reads = slices.DeleteFunc(reads, func(s string) bool { return len(s) <= k || strings.Trim(s, "ACGT") != "" })
		if len(reads) == 0 {
			return
		}
		ref := truth.Reference(rt, contigs...)
		got, places := counted(rt, ref, patternsOf(rt, "", reads...), Options{Distance: k}, false)
		for i, guide := range reads {
			want := make([]int64, k+1)
			var classes, gaps [5]int64 // by mismatches, by bases of bulges
			for _, l := range truth.Find(contigs, guide, k) {
				want[l.Distance]++
				classes[l.Distance-l.Gaps]++
				gaps[l.Gaps]++
			}
			s := &got[i]
			for _, c := range s.Classes {
				classes[c.Mismatches] -= c.Places
				gaps[c.DNABulges+c.RNABulges] -= c.Places
			}
			if !slices.Equal(s.ByEdits, want) || classes != [5]int64{} || gaps != [5]int64{} || !math.IsNaN(s.CFD) || s.Scored != 0 {
				rt.Fatalf("%s in %q, k = %d: %+v, want %v", guide, contigs, k, *s, want)
			}
			if none := gapless(s.Classes); s.NoBulge != none || s.DNABulge+s.RNABulge < s.Places()-none || (s.Target != nil) != (want[0] > 0) {
				rt.Fatalf("%s in %q, k = %d: %+v", guide, contigs, k, *s)
			}
		}
		for i := range places {
			replay(rt, contigs, reads, &places[i])
		}
	})
}

// gapless is the number of places without bulges.
func gapless(classes []Class) (n int64) {
	for _, c := range classes {
		if c.DNABulges+c.RNABulges == 0 {
			n += c.Places
		}
	}
	return n
}

// replay compares a place with the letters of guide and reference.
func replay(t *rapid.T, contigs, guides []string, p *Place) {
	site := contigs[p.Contig][p.Start:p.End]
	if p.Reverse {
		site = truth.ReverseComplement(site)
	}
	var mismatches, dnaBulges, rnaBulges int
	for i := range p.Guide {
		g, s := p.Guide[i], p.Site[i]
		switch {
		case g == '-':
			dnaBulges++
		case s == '-':
			rnaBulges++
		case s >= 'a':
			mismatches++
		}
		if g != '-' && s != '-' && truth.Matches(g, s&^0x20) != (s < 'a') || g == '-' && s < 'a' {
			t.Fatalf("%s over %s", p.Guide, p.Site)
		}
	}
	if strings.ReplaceAll(p.Guide, "-", "") != guides[p.Pattern] ||
		!strings.EqualFold(strings.ReplaceAll(p.Site, "-", ""), site) ||
		mismatches != p.Mismatches || dnaBulges != p.DNABulges || rnaBulges != p.RNABulges ||
		mismatches+dnaBulges+rnaBulges != p.Distance {
		t.Fatalf("%s over %s: %+v in %q", p.Guide, p.Site, *p, contigs)
	}
}

// TestExactPlaces has a guide that lies in the reference three times: one is its target.
func TestExactPlaces(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	contig := strings.Join([]string{guide + "AGG", guide + "CAG", truth.ReverseComplement(guide + "TGG")}, "TTTTTTTT")
	ref := truth.Reference(t, contig)
	patterns := patternsOf(t, "NRG", guide)
	regions := NewRegions(ref, []Region{{0, 0, 5, "first"}, {0, 60, 70, "last"}, {0, 0, 70, "all"}})
	first, last := Site{0, 0, 23, false}, Site{0, 62, 85, true}
	for _, c := range []struct {
		origins []Site
		target  Site
		regions []int
		cfd     float64 // of the off-targets
	}{
		{nil, first, []int{0, 2}, 1.259259259},
		{[]Site{first}, first, []int{0, 2}, 1.259259259},
		{[]Site{last}, last, []int{1, 2}, 1.259259259},
		{[]Site{{0, 31, 54, false}}, Site{0, 31, 54, false}, []int{2}, 2},
		{[]Site{{0, 1, 24, false}}, first, []int{0, 2}, 1.259259259}, // not an exact place
	} {
		for _, substitutions := range []bool{true, false} {
			got, places := counted(t, ref, patterns, Options{Distance: 3, Regions: regions, Keep: 2, Origins: c.origins}, substitutions)
			s := &got[0]
			if s.OnTarget() != 3 || s.OffTargets() != 2 || s.InRegions != 2 || *s.Target != c.target || !slices.Equal(s.TargetRegions, c.regions) ||
				s.Scored != 2 || !near(s.CFD, 10000/(100+100*c.cfd)) || !near(s.MIT, 100.0/3) {
				t.Errorf("%v: %+v, target %+v", c, *s, *s.Target)
			}
			second := first
			if c.target == first {
				second = last
			}
			if len(places) != 3 || len(s.Best) != 2 || siteOf(&s.Best[0].Location) != c.target || siteOf(&s.Best[1].Location) != second {
				t.Errorf("%v: %+v", c, s.Best)
			}
			for _, p := range s.Best {
				if p.Target != (siteOf(&p.Location) == c.target) {
					t.Errorf("%v: target %v: %+v", c, p.Target, p)
				}
			}
		}
	}
}

// TestAlignment has both bulges on both strands.
func TestAlignment(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	for _, c := range []struct {
		site, shownGuide, shownSite string
		class                       Class
	}{
		{"ATGGTCGGAACTCCCTGCCAGTGG", "ATGGTCGG-ACTCCCTGCCAGNGG", "ATGGTCGGaACTCCCTGCCAGTGG", Class{0, 1, 0, 1}},
		{"ATGGTGGACTCCCTGCCAGTGG", "ATGGTCGGACTCCCTGCCAGNGG", "ATGGT-GGACTCCCTGCCAGTGG", Class{0, 0, 1, 1}},
		{"ATGcTCGGACTCCCTGCCAGTGG", "ATGGTCGGACTCCCTGCCAGNGG", "ATGcTCGGACTCCCTGCCAGTGG", Class{1, 0, 0, 1}},
		{"ATGNTCGGACTCCCTGCCAGTGG", "ATGGTCGGACTCCCTGCCAGNGG", "ATGnTCGGACTCCCTGCCAGTGG", Class{1, 0, 0, 1}},
	} {
		for strand := range 2 {
			ref := truth.Reference(t, "TTTT"+truth.Strand(strings.ToUpper(c.site), strand)+"TTTT")
			got, places := counted(t, ref, patternsOf(t, "NGG", guide), Options{Distance: 1, Keep: 1}, false)
			s := &got[0]
			if len(places) != 1 || !slices.Equal(s.Classes, []Class{c.class}) || len(s.Best) != 1 || s.Target != nil || s.OffTargets() != 1 {
				t.Fatalf("%s: %+v", c.site, *s)
			}
			p := &s.Best[0]
			// Gaps are as far left on the reference as they go, so that on - they may lie elsewhere.
			if strand == 0 && (p.Guide != c.shownGuide || p.Site != c.shownSite) || p.PAM != 3 || p.Reverse != (strand == 1) {
				t.Errorf("%s over %s, want %s over %s", p.Guide, p.Site, c.shownGuide, c.shownSite)
			}
			if bulge := c.class.Mismatches == 0; math.IsNaN(p.CFD) != (bulge || strings.Contains(c.site, "N")) {
				t.Errorf("%s: CFD %v", c.site, p.CFD)
			}
		}
	}
}

// TestPAMFirst has a guide with its PAM before it, an RNA bulge, and a guide that is taken from a
// region.
func TestPAMFirst(t *testing.T) {
	target := search.Target{PAMs: []string{"TTTV"}, PAMFirst: true}
	const guide = "ATGGTCGGACTCCCTGCCAG"
	for strand := range 2 {
		ref := truth.Reference(t, "CCCC"+truth.Strand("TTTAATGGTGGACTCCCTGCCAG", strand)+"CCCCCC"+truth.Strand("TTTG"+guide, strand)+"CC")
		patterns, err := target.Patterns(patternsOf(t, "", guide))
		if err != nil {
			t.Fatal(err)
		}
		got, places := counted(t, ref, patterns, Options{Distance: 1, Keep: 2}, false)
		s := &got[0]
		if len(places) != 2 || s.Letters != guide || s.PAM != "TTTV" || s.RNABulge != 1 || s.OnTarget() != 1 || !math.IsNaN(s.CFD) {
			t.Fatalf("%+v", *s)
		}
		var shown []string
		for _, p := range s.Best {
			letters, site, guidePAM, sitePAM := p.Parts()
			shown = append(shown, guidePAM+" "+strings.ReplaceAll(letters, "-", ""), sitePAM+" "+strings.ReplaceAll(site, "-", ""))
		}
		want := []string{"TTTV " + guide, "TTTG " + guide, "TTTV " + guide, "TTTA ATGGTGGACTCCCTGCCAG"}
		if !slices.Equal(shown, want) {
			t.Errorf("strand %d: %q, want %q", strand, shown, want)
		}
		taken, sites, err := Candidates(ref, []Region{{0, 0, ref.Contigs[0].Length, ""}}, 20, &target, 1)
		if err != nil {
			t.Fatal(err)
		}
		own := Site{0, 33, 57, strand == 1}
		if i := slices.Index(sites, own); i < 0 || string(taken[i].Letters) != "TTTV"+guide || !taken[i].PAMFirst {
			t.Errorf("strand %d: %+v at %v", strand, taken, sites)
		}
	}
}

// TestCountEnds has an error that ends Count.
func TestCountEnds(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("A", 30))
	c := NewCounter(ref, patternsOf(t, "", "AAAA"), Options{Distance: 1})
	stop := errors.New("stop")
	l := search.Location{Start: 3, End: 7, Operations: []locate.Operation{{Kind: locate.Diagonal, Length: 4}}}
	n := 0
	if err := c.Count([]search.Location{l, l}, func(*Place) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	if c.Scores() {
		t.Error("a guide of four letters has scores")
	}
}

// TestCountHolds: a place that is not kept leaves nothing behind, however many there are.
func TestCountHolds(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("ACGTTGCAGG", 100))
	c := NewCounter(ref, patternsOf(t, "NGG", "ATGGTCGGACTCCCTGCCAG"), Options{Distance: 4, Keep: 2})
	places := make([]search.Location, 500)
	for i := range places {
		places[i] = search.Location{Start: i, End: i + 23, Distance: min(i, 4), Operations: []locate.Operation{{Kind: locate.Diagonal, Length: 23}}}
	}
	count := func() {
		if err := c.Count(places, nil); err != nil {
			t.Fatal(err)
		}
		c.Score(places)
	}
	count()
	if n := testing.AllocsPerRun(10, count); n > 20 { // for the few places that seem to stay
		t.Errorf("%v allocations for %d places", n, len(places))
	}
}
