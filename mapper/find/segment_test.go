package find_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// readsOverBorder returns reads of m bases from every place of a text around base `before`, and the
// locations that each has, as the function locations returns them. The text is cut from a contig:
// its base `before` is base `border` of the contig. The reads lack k of its bases, so that their
// alignments reach as far back as any can.
func readsOverBorder(t *testing.T, near string, before, border, m, k int) (reads []string, want [][]string) {
	t.Helper()
	span := m + k
	for from := before - span - 1; from <= before+1; from++ {
		read := near[from : from+span]
		for i := range k { // one base less behind each piece but the last
			at := m * (i + 1) / (k + 1)
			read = read[:at] + read[at+1:]
		}
		read = truth.Strand(read, from%2)
		var locations []string
		for _, l := range truth.Find([]string{near}, read, k) {
			at := locate.At(0, l.Strand)
			locations = append(locations, fmt.Sprintf("%d %d %d", at, border-before+l.End, l.Distance))
		}
		if len(locations) == 0 {
			t.Fatalf("read %s, k %d: not as it was made", read, k)
		}
		slices.Sort(locations)
		reads, want = append(reads, read), append(want, locations)
	}
	return reads, want
}

// TestSegmentBorders has reads at every place around the border of two segments of a contig.
func TestSegmentBorders(t *testing.T) {
	const border, before, after = 1 << 16, 300, 200
	r := rand.New(rand.NewPCG(51, 52))
	text := truth.Random(r, border+after, "ACGT")
	near := text[border-before:]
	ref := truth.Reference(t, text)
	for _, c := range []struct{ m, k int }{{16, 0}, {40, 1}, {60, 2}, {64, 6}, {65, 0}, {120, 3}} {
		reads, want := readsOverBorder(t, near, before, border, c.m, c.k)
		for _, engine := range []find.Engine{find.EngineSkim, find.EngineScan} {
			o := find.Options{Engine: engine, Threads: 2, Times: &find.Times{}}
			got := locations(t, find.OnCPU(ref, o), ref, reads, func(int) int { return c.k })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d bases, %d edits: (-truth +got)\n%s", engine, c.m, c.k, diff)
			}
		}
	}
}
