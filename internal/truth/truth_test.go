package truth

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind has locations that were worked out by hand.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		what    string
		contigs []string
		read    string
		k       int
		want    []Location
	}{
		{"exact, on both strands", []string{"AACGTT"}, "ACG", 0, []Location{{0, 0, 4, 0, 0, 1}, {0, 1, 5, 0, 0, 2}}},
		{"a substitution beats a gap", []string{"GGGTTTTGGG"}, "GTTATG", 1, []Location{{0, 0, 8, 1, 0, 2}}},
		{"a deleted base", []string{"GGGACTGCA"}, "GGGATGCA", 1, []Location{{0, 0, 9, 1, 1, 0}}},
		{"an inserted base", []string{"GGGATGCA"}, "GGGACTGCA", 1, []Location{{0, 0, 8, 1, 1, 0}}},
		{"one of a run for every k + 1 bases", []string{"CCAAAAAACC"}, "AAA", 1, []Location{{0, 0, 5, 0, 0, 2}, {0, 0, 7, 0, 0, 4}, {0, 0, 9, 1, 0, 6}}},
		{"ambiguous letters match nothing", []string{"ACNGT"}, "ACNGT", 0, nil},
		{"and cost an edit", []string{"ACNGG"}, "ACNGG", 1, []Location{{0, 0, 5, 1, 0, 0}}},
		{"not across a border", []string{"CCCAC", "GTCCC"}, "ACGT", 1, nil},
	} {
		if diff := cmp.Diff(c.want, Find(c.contigs, c.read, c.k)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.what, diff)
		}
	}
}

// TestSeparateByStart has two occurrences that end more than k apart and start together. The better
// one alone is a location. This is what happened to reads of the mitochondrion: a deletion near the
// end, or as many insertions as there are bases after it.
func TestSeparateByStart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	left, tail := Random(r, 30, "ACGT"), "TCCA"
	text, read := left+"G"+tail+Random(r, 30, "ACGT"), left+tail
	ends := map[int]int{}
	for _, o := range Ends(text, read, 4) {
		ends[o.End] = o.Distance
	}
	if ends[35] != 1 || ends[30] != 4 {
		t.Fatalf("the text does not show what it should: distances at ends %v", ends)
	}
	found := Find([]string{text}, read, 4)
	if diff := cmp.Diff([]Location{{0, 0, 35, 1, 1, 0}}, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReplay(t *testing.T) {
	const text, read = "ACGTACGT", "ACTTAGGT"
	edits, gaps, end, err := Replay(text, read, 0, "8M")
	if edits != 2 || gaps != 0 || end != 8 || err != nil {
		t.Errorf("8M: %d edits, %d gaps, end %d, %v", edits, gaps, end, err)
	}
	edits, gaps, end, err = Replay(text, "ACTACCGT", 0, "2M1D4M1I1M")
	if edits != 3 || gaps != 2 || end != 8 || err != nil {
		t.Errorf("2M1D4M1I1M: %d edits, %d gaps, end %d, %v", edits, gaps, end, err)
	}
	for _, wrong := range []string{"7M", "9M", "4M4M", "0I8M", "8S"} {
		if _, _, _, err := Replay(text, read, 0, wrong); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
	if _, _, _, err := Replay(text, read, 1, "8M"); err == nil {
		t.Error("an alignment past the end was taken")
	}
	if strings.Contains(Strand("AAC", 1), "A") {
		t.Error("the other strand of AAC has an A")
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b            string
		whole, prefixed int
	}{
		{"", "", 0, 0}, {"", "ACG", 3, 0}, {"ACG", "", 3, 3}, {"ACGT", "ACGT", 0, 0}, {"ACGT", "AGT", 1, 1},
		{"ACGT", "ACGTTTT", 3, 0}, {"ACGT", "TTTTACGT", 4, 3}, {"AACC", "ACCG", 2, 1},
	} {
		if whole, prefixed := Distance(c.a, c.b), DistanceToStart(c.a, c.b); whole != c.whole || prefixed != c.prefixed {
			t.Errorf("%s, %s: %d and to a start %d, want %d and %d", c.a, c.b, whole, prefixed, c.whole, c.prefixed)
		}
	}
}
