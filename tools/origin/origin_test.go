package origin

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]Pair{
		"7_chr1_20_+_chr1_300_-":                    {7, [2]Place{{"chr1", 20, '+'}, {"chr1", 300, '-'}}},
		"0_chr20_b37_1-9_5_-_chm13#0#tig_1_+":       {0, [2]Place{{"chr20_b37_1-9", 5, '-'}, {"chm13#0#tig", 1, '+'}}},
		"3_HLA-A*01_+_x_9_+_HLA-A*01_+_x_1000000_-": {3, [2]Place{{"HLA-A*01_+_x", 9, '+'}, {"HLA-A*01_+_x", 1000000, '-'}}},
		"3_-_a-_b_9_-_c-_-_4_-":                     {3, [2]Place{{"-_a-_b", 9, '-'}, {"c-_-", 4, '-'}}},
	} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("%q: %+v, %v; expected %+v", name, got, err, want)
		}
		if got := want.Name(); got != name {
			t.Errorf("%+v is called %q, expected %q", want, got, name)
		}
	}
}

func TestOtherNamesAreRefused(t *testing.T) {
	for _, name := range []string{"", "7", "read_1", "x_chr1_20_+_chr1_300_-", "7_chr1_20_+", "7_chr1_20_+_chr1_300", "7_chr1_0_+_chr1_300_-",
		"7_chr1_20_*_chr1_300_-", "7__20_+_chr1_300_-", "7_chr1_20_+_chr1_300_-_"} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%q was taken for %+v", name, got)
		}
	}
}

func TestNamesAreReadBack(t *testing.T) {
	contig := rapid.StringMatching(`[A-Za-z0-9#.*|-]{1,8}(_[A-Za-z0-9]{1,5}){0,3}`)
	place := rapid.Custom(func(t *rapid.T) Place {
		return Place{contig.Draw(t, "contig"), rapid.IntRange(1, 1<<31-1).Draw(t, "position"), rapid.SampledFrom([]byte("+-")).Draw(t, "strand")}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := Pair{rapid.IntRange(0, 1<<40).Draw(t, "number"), [2]Place{place.Draw(t, "first"), place.Draw(t, "second")}}
		if got, err := Parse(want.Name()); err != nil || got != want {
			t.Fatalf("%q: %+v, %v; expected %+v", want.Name(), got, err, want)
		}
	})
}

func TestTogether(t *testing.T) {
	for name, want := range map[string]bool{
		"0_a_100_+_a_350_-": true, "0_a_350_-_a_100_+": true, "0_a_100_+_a_100_-": true, "0_a_100_+_a_1100_-": true,
		"0_a_100_+_a_1101_-": false, "0_a_100_+_b_350_-": false, "0_a_100_-_a_350_+": false, "0_a_100_+_a_350_+": false, "0_a_100_-_a_350_-": false,
	} {
		p, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Together(1000); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
