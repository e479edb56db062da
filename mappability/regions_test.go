package mappability

import (
	"slices"
	"testing"

	"scanmap/internal/truth"
)

func TestParseRegions(t *testing.T) {
	ref := truth.Reference(t, "ACGTACGT", "ACG")
	got, err := ParseRegions([]byte("# of a gene\ntrack name=x\nbrowser hide all\n\nc1\t0\t3\tgene\t0\t+\r\nc0 2 8\nc0\t5\t5"), ref)
	if want := []Region{{1, 0, 3}, {0, 2, 8}, {0, 5, 5}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := ParseRegions(nil, ref); err != nil || got == nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v; nil would be all positions", got, err)
	}
	for _, c := range []struct{ text, want string }{
		{"c0\t1\n", "line 1: a region has contig, start and end, and not 2 columns"},
		{"c0\t1\t2\nchr1\t1\t2\n", `line 2: the reference has no contig "chr1"`},
		{"c0\t3\t2\n", `line 1: "3" to "2" is no stretch of positions`},
		{"c0\t-1\t2\n", `line 1: "-1" to "2" is no stretch of positions`},
		{"c0\t1\tx\n", `line 1: "1" to "x" is no stretch of positions`},
		{"c1\t1\t4\n", "line 1: position 4, but c1 has 3 bases"},
	} {
		if _, err := ParseRegions([]byte(c.text), ref); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzParseRegions has regions lie inside their contigs, whatever the text is.
func FuzzParseRegions(f *testing.F) {
	f.Add([]byte("c0\t1\t2\n#\nc1 0 3 x\n"))
	f.Add([]byte("track\nc0\t8\t8\r\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ref := truth.Reference(t, "ACGTACGT", "ACG")
		regions, err := ParseRegions(text, ref)
		if err != nil && regions != nil {
			t.Fatalf("%v beside an error", regions)
		}
		for _, r := range regions {
			if r.Contig < 0 || r.Contig > 1 || r.From < 0 || r.From > r.To || r.To > ref.Contigs[r.Contig].Length {
				t.Fatalf("%+v", r)
			}
		}
	})
}
