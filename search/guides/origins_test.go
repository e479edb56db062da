package guides

import (
	"math"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/truth"
	"scanmap/search"
)

// TestOriginAlone has guides that lie in the reference once, where they were taken from: they have
// no off-target, and none is scored.
func TestOriginAlone(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	ref := truth.Reference(t, "TTTTTTTT"+guide+"AGG"+"TTTTTTTT")
	for _, origins := range [][]Site{nil, {{0, 8, 31, false}}} {
		for _, substitutions := range []bool{true, false} {
			got, places := counted(t, ref, patternsOf(t, "NGG", guide), Options{Distance: 2, Origins: origins, Keep: 5}, substitutions)
			s := &got[0]
			if s.Scored != 0 || s.MIT != 100 || s.CFD != 100 || s.OffTargets() != 0 || s.OnTarget() != 1 || len(places) != 1 || !places[0].Target {
				t.Errorf("origins %v: %+v, %+v", origins, *s, places)
			}
		}
	}
}

// TestTargetOfPlaces has places come while more may follow: at most one place is the target, the
// origin if there is one.
func TestTargetOfPlaces(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	contig := strings.Join([]string{guide + "AGG", guide + "CGG", truth.ReverseComplement(guide + "TGG")}, "TTTTTTTT")
	ref := truth.Reference(t, contig)
	for _, c := range []struct {
		origins []Site
		target  int // which place is called so
	}{
		{nil, 0}, {[]Site{{0, 0, 23, false}}, 0}, {[]Site{{0, 31, 54, false}}, 1}, {[]Site{{0, 62, 85, true}}, 2}, {[]Site{{0, 62, 85, false}}, -1},
	} {
		_, places := counted(t, ref, patternsOf(t, "NGG", guide), Options{Distance: 1, Origins: c.origins}, true)
		for i, p := range places {
			if p.Target != (i == c.target) || len(places) != 3 {
				t.Errorf("%v: place %d of %d is the target: %v", c.origins, i, len(places), p.Target)
			}
		}
	}
}

// TestKeptPlacesAreTheirOwn has the memory of locations used again after Count, and several places
// in regions of their own: the kept places stay as they were.
func TestKeptPlacesAreTheirOwn(t *testing.T) {
	const guide = "ATGGTCGGACTCCCTGCCAG"
	contig := strings.Join([]string{guide + "AGG", "ATGGTCGGACTACCCTGCCAGCGG", guide + "TGG"}, "TTTTTTTT")
	ref := truth.Reference(t, contig)
	regions := NewRegions(ref, []Region{{0, 0, 10, "a"}, {0, 5, 8, "b"}, {0, 40, 50, "c"}, {0, 70, 80, "d"}, {0, 71, 82, "e"}})
	patterns := patternsOf(t, "NGG", guide)
	c := NewCounter(ref, patterns, Options{Distance: 1, Regions: regions, Keep: 3})
	_, err := search.Run(t.Context(), search.NewDNA(ref), patterns, search.Options{Distance: 1, Threads: 1}, func(l []search.Location) error {
		for i := range l {
			if err := c.Count(l[i:i+1], nil); err != nil {
				return err
			}
			for j := range l[i].Operations {
				l[i].Operations[j].Length = 99
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Summaries()[0]
	var got []string
	for i := range s.Best {
		p := &s.Best[i]
		var names []string
		for _, n := range p.Regions {
			names = append(names, regions.Name(n))
		}
		got = append(got, strings.Join(names, "+")+" "+string(p.AppendCIGAR(nil)))
	}
	if want := []string{"a+b 23M", "d+e 23M", "c 11M1D12M"}; !slices.Equal(got, want) {
		t.Errorf("kept are %q, want %q", got, want)
	}
}

// TestPAMBeforeHasNoScores has a PAM of three letters before a guide of 20, for which no score is
// defined.
func TestPAMBeforeHasNoScores(t *testing.T) {
	p, err := search.NewPattern("g", []byte("ATGGTCGGACTCCCTGCCAG"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	target := search.Target{PAMs: []string{"TTN"}, PAMFirst: true}
	patterns, err := target.Patterns([]search.Pattern{p})
	if err != nil {
		t.Fatal(err)
	}
	ref := truth.Reference(t, "CCCTTAATGGTCGGACTCCCTGCCAGCCC")
	got, places := counted(t, ref, patterns, Options{Distance: 1}, true)
	if s := &got[0]; !math.IsNaN(s.MIT) || !math.IsNaN(s.CFD) || len(places) != 1 || !math.IsNaN(places[0].MIT) || !math.IsNaN(places[0].CFD) {
		t.Errorf("%+v, %+v", *s, places)
	}
}

// TestBestOfEqualOnes has many summaries that are as good: they stay in their order.
func TestBestOfEqualOnes(t *testing.T) {
	summaries := make([]Summary, 100)
	for i := range summaries {
		summaries[i] = Summary{MIT: 50, CFD: float64(i % 2), ByEdits: []int64{1}}
	}
	got := Best(summaries, 1000)
	for i, n := range got {
		if want := 2*(i%50) + 1 - i/50; n != want {
			t.Fatalf("place %d has %d, want %d: %v", i, n, want, got)
		}
	}
}
