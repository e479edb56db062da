package mapper

import (
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// TestSecondOfMate has a mate that is properly paired where it has an edit, and lies without one
// elsewhere: XS is that of the other location, also where it is the better one.
func TestSecondOfMate(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	left, right := truth.Random(r, 60, "ACGT"), truth.Random(r, 60, "ACGT")
	for edits := range 2 {
		near := []byte(right)
		for i := range edits {
			near[20+20*i] = "CGTA"[strings.IndexByte("ACGT", near[20+20*i])]
		}
		contig := truth.Random(r, 200, "ACGT") + left + truth.Random(r, 100, "ACGT") + string(near) + truth.Random(r, 200, "ACGT")
		elsewhere := truth.Random(r, 200, "ACGT") + right + truth.Random(r, 200, "ACGT")
		reference, first, second := writePairs(t, []string{contig, elsewhere}, []string{left, truth.ReverseComplement(right)})
		text, _ := runPairs(t, Options{
			Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 3},
			Pairs: PairOptions{MinInsert: 100, MaxInsert: 400},
		})
		found := false
		for line := range strings.Lines(text) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 11 && f[1] == "147" {
				found = true
				if f[2] != "c0" || !strings.Contains(line, "\tXS:i:0\t") {
					t.Errorf("%d edits: not XS:i:0 in %s", edits, line)
				}
			}
		}
		if !found {
			t.Errorf("%d edits: no proper mate in\n%s", edits, text)
		}
	}
}
