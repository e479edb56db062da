package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// TestTarget has PAMs on either side, with and without edits, and letters that have to match.
func TestTarget(t *testing.T) {
	long := strings.Repeat("A", MaxLength-2)
	for _, c := range []struct {
		name, letters string
		target        Target
		want          string // PAM:LETTERS of each, and ^ for letters that have to match; or an error
	}{
		{"nothing", "ACGT", Target{}, ":ACGT...."},
		{"after", "ACGT", Target{PAMs: []string{"NGG"}}, "NGG:ACGTNGG....^^^"},
		{"before", "ACGT", Target{PAMs: []string{"tttv"}, PAMFirst: true}, "TTTV:TTTVACGT^^^^...."},
		{"edits", "ACGT", Target{PAMs: []string{"NGG"}, PAMEdits: true}, "NGG:ACGTNGG......."},
		{"two", "ACGT", Target{PAMs: []string{"NGG", "NAG"}}, "NGG:ACGTNGG....^^^ NAG:ACGTNAG....^^^"},
		{"seed", "ACGT", Target{Exact: []Span{{1, 2}}}, ":ACGT^^.."},
		{"seeds", "ACGTA", Target{Exact: []Span{{2, 2}, {4, 5}}}, ":ACGTA.^.^^"},
		{"seed after a PAM", "ACGT", Target{PAMs: []string{"TTN"}, PAMFirst: true, Exact: []Span{{1, 1}}}, "TTN:TTNACGT^^^^..."},
		{"seed and edits in the PAM", "ACGT", Target{PAMs: []string{"NG"}, PAMEdits: true, Exact: []Span{{4, 4}}}, "NG:ACGTNG...^.."},
		{"longest", long, Target{PAMs: []string{"GG"}}, "GG:" + long + "GG" + strings.Repeat(".", len(long)) + "^^"},

		{"no letter", "ACGT", Target{PAMs: []string{"N!"}}, `PAM "N!": letter 2 is "!", which is not an IUPAC letter of DNA`},
		{"empty", "ACGT", Target{PAMs: []string{""}}, `PAM "": it has no letters`},
		{"too long", long, Target{PAMs: []string{"NGG"}}, `pattern "p": it has 2049 letters with its PAM, more than 2048`},
		{"too short", "ACGT", Target{Exact: []Span{{2, 5}}}, `pattern "p": it has 4 letters, but those up to 5 have to match`},
		{"from 0", "ACGT", Target{Exact: []Span{{0, 2}}}, `pattern "p": letters that have to match are counted from 1, the first before the last`},
		{"backwards", "ACGT", Target{Exact: []Span{{3, 2}}}, `pattern "p": letters that have to match are counted from 1, the first before the last`},
	} {
		p, err := NewPattern("p", []byte(c.letters), DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns, err := c.target.Patterns([]Pattern{p})
		var got []string
		for _, p := range patterns {
			exact := append(slices.Clone(p.Exact), make([]bool, len(p.Letters)-len(p.Exact))...)
			marks := ""
			for _, e := range exact {
				marks += string(".^"[boolean(e)])
			}
			got = append(got, fmt.Sprintf("%s:%s%s", p.PAM, p.Letters, marks))
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// TestSeedExact has a copy of a pattern with one substitution, and one with a letter more, at each
// place: copies with an edit in letters 4 to 8 are not found, on either strand.
func TestSeedExact(t *testing.T) {
	const letters = "GATTACAGATTACACCTG"
	target := Target{Exact: []Span{{4, 8}}}
	patterns, err := target.Patterns([]Pattern{pattern(t, letters, "", DNA)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(letters) {
		substituted := truth.SubstitutedAt(letters, i)
		longer := substituted[:i+1] + letters[i:]
		for strand := range 2 {
			for kind, copied := range []string{substituted, longer} {
				// A letter more before letter 4 lies before the seed, and after letter 8 behind it. The
				// first letter has none before it.
				allowed := i < 3 || i > 7 || kind == 1 && i == 3
				b := []byte(copied)
				if strand == 1 {
					reverseComplement(b)
				}
				text := dnaText(t, "CCCCCCCC"+string(b)+"CCCCCCCC")
				_, found := locationsOf(t, text, patterns, Options{Distance: 1})
				if (len(found) > 0) != allowed {
					t.Errorf("%s on strand %d: %d locations, with the change before letter %d", copied, strand, len(found), i+1)
				}
			}
		}
	}
}

// TestLimit has limits that say no more than the distance, or nothing but it, take the fast way.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		k      int
		limits Limits
		want   string // distance, whether substitutions alone, limits
	}{
		{4, Limits{4, 4, 4}, "4 false <nil>"},
		{4, Limits{9, 9, 9}, "4 false <nil>"},
		{4, Limits{2, 1, 1}, "4 false &{2 1 1}"},
		{9, Limits{2, 1, 1}, "4 false &{2 1 1}"},
		{3, Limits{2, 1, 1}, "3 false &{2 1 1}"},
		{3, Limits{2, 0, 0}, "2 true <nil>"},
		{3, Limits{0, 0, 0}, "0 true <nil>"},
		{3, Limits{0, 1, 0}, "1 false &{0 1 0}"},
		{3, Limits{3, 3, 2}, "3 false &{3 3 2}"},
	} {
		o := Options{Distance: c.k, Limits: &c.limits}
		if err := o.limit(); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.Distance, o.Substitutions, o.Limits); got != c.want {
			t.Errorf("%d and %v: %s, want %s", c.k, c.limits, got, c.want)
		}
	}
	for _, o := range []Options{
		{Distance: 2, Substitutions: true, Limits: &Limits{1, 1, 1}},
		{Distance: 2, Limits: &Limits{1, -1, 1}},
		{Distance: 2, Limits: &Limits{-1, 1, 1}},
		{Distance: 2, Limits: &Limits{1, 1, -1}},
	} {
		if err := o.limit(); err == nil {
			t.Errorf("%+v is allowed", o)
		}
	}
}
