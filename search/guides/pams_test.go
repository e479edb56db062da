package guides

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/truth"
	"scanmap/search"
)

// TestForms has the forms of PAMs, in their order.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		pams PAMs
		want string // letters/mismatches/gap/cost of each
	}{
		{PAMs{Own: []string{"NGG"}}, "NGG/0/0/0"},
		{PAMs{Own: []string{"NGG"}, Aside: []string{"NAG"}}, "NGG/0/0/0 NAG/0/0/0"},
		{PAMs{Own: []string{"ngg"}, Mismatches: 2}, "NGG/0/0/0 NGH/1/0/0 NHG/1/0/0 NHH/2/0/0"},
		{PAMs{Own: []string{"NGG"}, Mismatches: 1, MismatchCost: 2, Gap: 1, GapCost: 1}, "NGG/0/0/0 NNGG/0/1/1 NGH/1/0/2 NHG/1/0/2 NNGH/1/1/3 NNHG/1/1/3"},
		{PAMs{Own: []string{"TTTV"}, First: true, Mismatches: 1, Gap: 1}, "TTTV/0/0/0 TTTVN/0/1/0 TTTT/1/0/0 TTVV/1/0/0 TVTV/1/0/0 VTTV/1/0/0 " +
			"TTTTN/1/1/0 TTVVN/1/1/0 TVTVN/1/1/0 VTTVN/1/1/0"},
	} {
		forms, err := c.pams.Forms()
		var got []string
		for _, f := range forms {
			got = append(got, fmt.Sprintf("%s/%d/%d/%d", f.Letters, f.Mismatches, f.Gap, f.Cost))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, %v, want %s", c.pams, got, err, c.want)
		}
	}
	if _, err := (&PAMs{Own: []string{"NNGRRT", "NNGRRN"}, Mismatches: 3, Gap: 9}).Forms(); err == nil {
		t.Error("no error for hundreds of forms")
	}
	for letter, other := range otherBases {
		for _, base := range []byte("ACGT") {
			if search.Matches(letter, base) == search.Matches(other, base) {
				t.Errorf("%c and %c: %c", letter, other, base)
			}
		}
	}
}

// drawnPAMs draws PAMs with mismatches and gaps, a guide, and contigs with places of the guide.
func drawnPAMs(t *rapid.T, r *rand.Rand, length, edits int) (pams PAMs, guide string, contigs []string) {
	pams = PAMs{Own: []string{"NGG"}, Mismatches: rapid.IntRange(0, 2).Draw(t, "PAM mismatches"), Gap: rapid.IntRange(0, 2).Draw(t, "gap"),
		MismatchCost: rapid.IntRange(0, 2).Draw(t, "cost"), GapCost: rapid.IntRange(0, 2).Draw(t, "gap cost")}
	if rapid.Bool().Draw(t, "several") {
		pams.Own, pams.Aside = []string{"NGG", "GNA"}, []string{"NRG"}
	}
	pams.First = rapid.Bool().Draw(t, "first")
	guide = truth.Random(r, length, "ACGT")
	contigs = []string{"", ""}
	for i := range contigs {
		for range 5 {
			gap, pam := truth.Random(r, r.IntN(3), "ACGT"), truth.Random(r, 1, "ACGT")+truth.Random(r, 2, "GGGA")
			site := truth.Substituted(r, guide, r.IntN(edits+1))
			if at := r.IntN(length); r.IntN(3) == 0 {
				site = site[:at] + truth.Random(r, r.IntN(2), "ACGT") + site[min(length, at+r.IntN(2)):]
			}
			if pams.First {
				site = pam + gap + site
			} else {
				site += gap + pam
			}
			contigs[i] += truth.Strand(site, r.IntN(2)) + truth.Random(r, r.IntN(3), "ACGTN")
		}
	}
	return pams, guide, contigs
}

// formPlaces are the places that a search with the forms of PAMs hands over.
func formPlaces(t *rapid.T, ref *dna.Reference, pams *PAMs, guide string, k int, how search.Options) ([]Summary, []Place) {
	forms, err := pams.Forms()
	if err != nil {
		t.Fatal(err)
	}
	target := search.Target{PAMFirst: pams.First}
	for _, f := range forms {
		target.PAMs = append(target.PAMs, f.Letters)
	}
	p, err := search.NewPattern("g", []byte(guide), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := target.Patterns([]search.Pattern{p})
	if err != nil {
		t.Fatal(err)
	}
	var places []Place
	how.Distance, how.Threads = k, 1
	o := Options{Distance: k, PAMs: len(forms), Aside: len(forms) - len(pams.Own), Forms: forms, Keep: 2}
	summaries, _, err := Search(t.Context(), ref, patterns, o, how, func(p *Place) error {
		places = append(places, *p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return summaries, places
}

// plainForms are the mismatches of PAMs beside a stretch of a text in the direction of the guide:
// text[from:to] is the protospacer. They come by PAM and gap, without those beyond the limits.
func plainForms(pams *PAMs, text string, from, to int) (forms []Form) {
	for index, pam := range slices.Concat(pams.Own, pams.Aside) {
		for gap := range pams.Gap + 1 {
			at := to + gap
			between := [2]int{to, at}
			if pams.First {
				at = from - gap - len(pam)
				between = [2]int{from - gap, from}
			}
			if at < 0 || at+len(pam) > len(text) || strings.Contains(text[between[0]:between[1]], "N") || strings.Contains(text[at:at+len(pam)], "N") {
				continue
			}
			f := Form{PAM: pam, Index: index, Gap: gap}
			for i, letter := range []byte(pam) {
				if !search.Matches(letter, text[at+i]) {
					f.Mismatches++
				}
			}
			if f.Mismatches <= pams.Mismatches {
				f.Cost = f.Mismatches*pams.MismatchCost + gap*pams.GapCost
				forms = append(forms, f)
			}
		}
	}
	return forms
}

// TestPAMFormsOfSubstitutions compares the places of forms with the places that a loop over all
// protospacers finds.
func TestPAMFormsOfSubstitutions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 33))
		pams, guide, contigs := drawnPAMs(rt, r, rapid.SampledFrom([]int{8, 20}).Draw(rt, "length"), 3)
		k := rapid.IntRange(0, 4).Draw(rt, "k")
		summaries, places := formPlaces(rt, truth.Reference(rt, contigs...), &pams, guide, k, search.Options{Substitutions: true})
		number, mismatched, gapped, exact, onTarget := 0, int64(0), int64(0), int64(0), int64(0)
		for c, contig := range contigs {
			for strand := range 2 {
				text := truth.Strand(contig, strand)
				for from := 0; from+len(guide) <= len(text); from++ {
					edits := 0
					for i := range guide {
						if guide[i] != text[from+i] {
							edits++
						}
					}
					forms := slices.DeleteFunc(plainForms(&pams, text, from, from+len(guide)), func(f Form) bool { return edits+f.Cost > k })
					if len(forms) == 0 {
						continue
					}
					f := slices.MinFunc(forms, func(a, b Form) int {
						return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Mismatches, b.Mismatches), cmp.Compare(a.Gap, b.Gap), cmp.Compare(a.Index, b.Index))
					})
					start, end := from, from+len(guide)+f.Gap+3
					if pams.First {
						start, end = from-f.Gap-3, from+len(guide)
					}
					if strand == 1 {
						start, end = len(text)-end, len(text)-start
					}
					i := slices.IndexFunc(places, func(p Place) bool {
						p.Form.Letters = ""
						return siteOf(&p.Location) == Site{c, start, end, strand == 1} && p.Form == f
					})
					if i < 0 || places[i].Distance != edits || places[i].Mismatches != edits {
						rt.Fatalf("%s, %+v in %q: no place of %+v at %d:%d-%d:%d, %+v", guide, pams, contigs, f, c, start, end, strand, places)
					}
					number++
					if f.Mismatches > 0 {
						mismatched++
					}
					if f.Gap > 0 {
						gapped++
					}
					if edits == 0 {
						exact++
						if f.Mismatches+f.Gap == 0 && f.Index < len(pams.Own) {
							onTarget++
						}
					}
					replayForm(rt, &places[i], guide, pams.First)
				}
			}
		}
		s := &summaries[0]
		if len(places) != number || s.Places() != int64(number) || s.PAMMismatched != mismatched || s.PAMGapped != gapped ||
			s.ByEdits[0] != exact || s.OnTarget() != onTarget || (s.Target != nil) != (onTarget > 0) {
			rt.Fatalf("%s, %+v in %q: %d places, %+v, want %d", guide, pams, contigs, len(places), *s, number)
		}
	})
}

// replayForm compares what a place shows of its PAM with its form.
func replayForm(t *rapid.T, p *Place, guide string, first bool) {
	letters, site, guidePAM, sitePAM := p.Parts()
	mismatches := 0
	for i := range guidePAM {
		fits := guidePAM[i] != '-' && search.Matches(guidePAM[i], sitePAM[i]&^0x20)
		if fits != (sitePAM[i] < 'a') {
			t.Fatalf("%s over %s", guidePAM, sitePAM)
		}
		if !fits && guidePAM[i] != '-' {
			mismatches++
		}
	}
	want := strings.Repeat("-", p.Form.Gap) + p.Form.PAM
	if first {
		want = p.Form.PAM + strings.Repeat("-", p.Form.Gap)
	}
	if guidePAM != want || mismatches != p.Form.Mismatches || strings.ReplaceAll(letters, "-", "") != guide || len(letters) != len(site) {
		t.Fatalf("%s %s over %s %s: %+v", letters, guidePAM, site, sitePAM, p.Form)
	}
}

// plainDistance is the fewest edits of a guide with a text within limits of each class, more than
// 99 without such an alignment.
func plainDistance(guide, text string, l search.Limits) int {
	if l.Mismatches < 0 || l.DNABulges < 0 || l.RNABulges < 0 {
		return 100
	}
	switch {
	case guide == "":
		if len(text) > l.DNABulges {
			return 100
		}
		return len(text)
	case text == "":
		if len(guide) > l.RNABulges {
			return 100
		}
		return len(guide)
	case guide[0] == text[0]:
		return min(plainDistance(guide[1:], text[1:], l), 1+plainDistance(guide, text[1:], search.Limits{Mismatches: l.Mismatches, DNABulges: l.DNABulges - 1, RNABulges: l.RNABulges}),
			1+plainDistance(guide[1:], text, search.Limits{Mismatches: l.Mismatches, DNABulges: l.DNABulges, RNABulges: l.RNABulges - 1}))
	}
	return min(1+plainDistance(guide[1:], text[1:], search.Limits{Mismatches: l.Mismatches - 1, DNABulges: l.DNABulges, RNABulges: l.RNABulges}),
		1+plainDistance(guide, text[1:], search.Limits{Mismatches: l.Mismatches, DNABulges: l.DNABulges - 1, RNABulges: l.RNABulges}),
		1+plainDistance(guide[1:], text, search.Limits{Mismatches: l.Mismatches, DNABulges: l.DNABulges, RNABulges: l.RNABulges - 1}))
}

// plainChoice are the places of all forms that a loop over pairs chooses: one search for each form
// finds them, and an earlier form or too high a cost leaves some out.
func plainChoice(t *rapid.T, ref *dna.Reference, contigs []string, pams *PAMs, guide string, k, reach int, how search.Options) (sites []Site, bulges bool) {
	forms, err := pams.Forms()
	if err != nil {
		t.Fatal(err)
	}
	type candidate struct {
		search.Location
		form int
		gaps int
	}
	var all []candidate
	how.Distance, how.Threads = k, 1
	for n, f := range forms {
		pattern, err := search.NewPattern("g", []byte(guide), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		target := search.Target{PAMs: []string{f.Letters}, PAMFirst: pams.First}
		patterns, err := target.Patterns([]search.Pattern{pattern})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := search.Run(t.Context(), search.NewDNA(ref), patterns, how, func(found []search.Location) error {
			for _, l := range found {
				p := Place{Location: l, PAM: len(f.Letters)}
				text := contigs[l.Contig]
				from, to := protospacer(&p, pams.First)
				if l.Reverse {
					text, from, to = truth.ReverseComplement(text), len(text)-to, len(text)-from
				}
				earlier := slices.ContainsFunc(plainForms(pams, text, from, to), func(other Form) bool {
					return slices.IndexFunc(forms, func(f Form) bool {
						return f.Index == other.Index && f.Mismatches == other.Mismatches && f.Gap == other.Gap
					}) < n && (other.Cost != f.Cost || other.Mismatches != f.Mismatches || other.Gap != f.Gap || other.Index != f.Index)
				})
				if l.Distance+f.Cost <= k && !earlier {
					classes := l.Classes()
					all = append(all, candidate{l, n, classes.DNABulges + classes.RNABulges})
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Distance+forms[a.form].Cost, b.Distance+forms[b.form].Cost), cmp.Compare(a.Distance, b.Distance),
			cmp.Compare(a.gaps, b.gaps), cmp.Compare(a.form, b.form), cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.End, b.End))
	})
	for _, l := range all {
		if !slices.ContainsFunc(sites, func(s Site) bool {
			return s.Contig == l.Contig && s.Reverse == l.Reverse && how.Limits.DNABulges+how.Limits.RNABulges > 0 &&
				(max(s.Start-l.Start, l.Start-s.Start) <= reach || max(s.End-l.End, l.End-s.End) <= reach)
		}) {
			sites = append(sites, siteOf(&l.Location))
		}
	}
	return sites, how.Limits.DNABulges+how.Limits.RNABulges > 0
}

// TestPAMFormsOfEdits has places with bulges. A loop over pairs chooses the same places, each is
// shown with its true letters, and a place as good is near each occurrence of a loop over all
// starts and ends.
func TestPAMFormsOfEdits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 34))
		pams, guide, contigs := drawnPAMs(rt, r, 9, 1)
		k := rapid.IntRange(1, 2).Draw(rt, "k")
		limits := search.Limits{Mismatches: k, DNABulges: k, RNABulges: k}
		if rapid.Bool().Draw(rt, "limits") {
			limits = search.Limits{Mismatches: r.IntN(k + 1), DNABulges: r.IntN(k + 1), RNABulges: r.IntN(k + 1)}
		}
		ref := truth.Reference(rt, contigs...)
		how := search.Options{Limits: &limits}
		_, places := formPlaces(rt, ref, &pams, guide, k, how)
		reach := min(k, limits.Mismatches+limits.DNABulges+limits.RNABulges)
		want, bulges := plainChoice(rt, ref, contigs, &pams, guide, k, reach, how)
		for i := range places {
			p := &places[i]
			replayForm(rt, p, guide, pams.First)
			if p.Distance+p.Form.Cost > k || p.Distance != p.Mismatches+p.DNABulges+p.RNABulges || !slices.Contains(want, siteOf(&p.Location)) {
				rt.Fatalf("%s, %+v in %q: %+v, want %v", guide, pams, contigs, *p, want)
			}
		}
		if len(places) != len(want) {
			rt.Fatalf("%s, %+v in %q: %+v, want %v", guide, pams, contigs, places, want)
		}
		if !bulges {
			return
		}
		for c, contig := range contigs {
			for strand := range 2 {
				text := truth.Strand(contig, strand)
				for from := range text {
					for to := max(from+1, from+len(guide)-k); to <= min(len(text), from+len(guide)+k); to++ {
						distance := plainDistance(guide, text[from:to], limits)
						if distance > k {
							continue
						}
						for _, f := range plainForms(&pams, text, from, to) {
							start, end := from, to+f.Gap+3
							if pams.First {
								start, end = from-f.Gap-3, to
							}
							if strand == 1 {
								start, end = len(text)-end, len(text)-start
							}
							near := 4*k + pams.Gap // to the kept place of its form, and to one that drops it
							if distance+f.Cost <= k && !slices.ContainsFunc(places, func(p Place) bool {
								return p.Contig == c && p.Reverse == (strand == 1) && max(p.Start-start, start-p.Start) <= near &&
									max(p.End-end, end-p.End) <= near && p.Distance+p.Form.Cost <= distance+f.Cost
							}) {
								rt.Fatalf("%s, %+v, k = %d, %+v in %q: nothing near %d:%d-%d:%d, %d and %+v: %+v", guide, pams, k, limits, contigs, c, start, end, strand,
									distance, f, places)
							}
						}
					}
				}
			}
		}
	})
}

// protospacer is where a place lies without its PAM.
func protospacer(p *Place, first bool) (start, end int) {
	if first != p.Reverse {
		return p.Start + p.PAM, p.End
	}
	return p.Start, p.End - p.PAM
}
