package variants

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// drawLetters draws contigs with some IUPAC letters.
func drawLetters(rt *rapid.T) *testCase {
	c := &testCase{}
	for range rapid.IntRange(1, 2).Draw(rt, "contigs") {
		text := []byte(drawText(rt, 1, 40, "contig"))
		for range rapid.IntRange(0, 5).Draw(rt, "letters") {
			text[rapid.IntRange(0, len(text)-1).Draw(rt, "at")] = "RYSWKMBDHVN"[rapid.IntRange(0, 10).Draw(rt, "letter")]
		}
		c.contigs = append(c.contigs, string(text))
	}
	return c
}

// shares tells whether a letter of a pattern has a base in common with a letter of a reference; N
// has none.
func shares(pattern, text byte) bool {
	bases, ok := iupacBases[text]
	if !ok {
		return stands(pattern, text)
	}
	for i := range len(bases) {
		if stands(pattern, bases[i]) {
			return true
		}
	}
	return false
}

// TestLettersSubstituted compares all places with a count of letters that share no base.
func TestLettersSubstituted(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(5, 3), func(rt *rapid.T) {
		c := drawLetters(rt)
		k := rapid.IntRange(0, 3).Draw(rt, "k")
		p := aPattern{
			letters: rapid.StringMatching(fmt.Sprintf("[ACGTRYN]{%d,%d}", k+1, k+6)).Draw(rt, "pattern"),
			fixed:   rapid.SampledFrom([]string{"", "", "G", "NG"}).Draw(rt, "PAM"),
		}
		o := Options{Haplotypes: 1 << 20, bounds: bounds{batch: 500, rows: spilling(1000)}}
		o.Search.Distance, o.Search.Substitutions = k, true
		got := map[string]bool{}
		for key := range runCase(rt, folder, c, true, []aPattern{p}, o) {
			got[strings.Join(strings.Fields(key)[:6], " ")] = true
		}
		want := 0
		for contig, text := range c.contigs {
			for strand := range 2 {
				s, from, to := p.letters+p.fixed, len(p.letters), len(p.letters)+len(p.fixed)
				if strand == 1 {
					s, from, to = reversed(s), 0, len(p.fixed)
				}
				for start := 0; start+len(s) <= len(text); start++ {
					distance := 0
					for i := range len(s) {
						if !shares(s[i], text[start+i]) {
							distance++
							if from <= i && i < to {
								distance += k + 1
							}
						}
					}
					if distance > k {
						continue
					}
					want++
					if key := fmt.Sprintf("p0 c%d %d %d %c %d", contig, start, start+len(s), "+-"[strand], distance); !got[key] {
						rt.Fatalf("%s is missing\n%v\n%v", key, c.contigs, got)
					}
				}
			}
		}
		if want != len(got) {
			rt.Fatalf("%d rows, want %d\n%v\n%v", len(got), want, c.contigs, got)
		}
	})
}

// TestLettersEdited tests that each occurrence on a reference with bases chosen has a row near it
// with at most as many edits, and that each row is such an occurrence.
func TestLettersEdited(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(5, 2), func(rt *rapid.T) {
		c := drawLetters(rt)
		k := rapid.IntRange(1, 3).Draw(rt, "k")
		p := aPattern{letters: rapid.StringMatching(fmt.Sprintf("[ACGT]{%d,%d}", k+1, k+6)).Draw(rt, "pattern")}
		o := Options{Haplotypes: 1 << 20, bounds: bounds{batch: 500, rows: spilling(1000)}}
		o.Search.Distance = k
		type found struct {
			strand, start, end, distance int
		}
		rows := map[int][]found{}
		for key := range runCase(rt, folder, c, true, []aPattern{p}, o) {
			var f found
			var contig int
			var sign string
			if _, err := fmt.Sscanf(key, "p0 c%d %d %d %1s %d", &contig, &f.start, &f.end, &sign, &f.distance); err != nil {
				rt.Fatalf("%s: %v", key, err)
			}
			if sign == "-" {
				f.strand = 1
			}
			rows[contig] = append(rows[contig], f)
		}
		for contig, text := range c.contigs {
			occurrences := map[found]bool{}
			texts := append([]string{text}, expansions(text)...)
			for _, t := range texts {
				for strand := range 2 {
					s := truth.Strand(p.letters, strand)
					for _, o := range truth.Ends(t, s, k) {
						f := found{strand, truth.Start(t, s, o), o.End, o.Distance}
						occurrences[f] = true
						near := false
						for _, r := range rows[contig] {
							near = near || r.strand == strand && r.distance <= f.distance && (distance(r.end, f.end) <= 2*k || distance(r.start, f.start) <= 2*k)
						}
						if !near {
							rt.Fatalf("no row near %+v of %s\n%v\n%v", f, t, c.contigs, rows)
						}
					}
				}
			}
			for _, r := range rows[contig] {
				if !occurrences[r] {
					rt.Fatalf("%+v is no occurrence\n%v\n%s", r, c.contigs, p.letters)
				}
			}
		}
	})
}

// expansions are the texts with a base for each IUPAC letter.
func expansions(text string) []string {
	texts := []string{""}
	for i := range len(text) {
		bases, ok := iupacBases[text[i]]
		if !ok {
			bases = text[i : i+1]
		}
		var longer []string
		for _, t := range texts {
			for j := range len(bases) {
				longer = append(longer, t+bases[j:j+1])
			}
		}
		texts = longer
	}
	return texts
}

// TestLetterThatChangesNothing has a letter that differs from the pattern whatever it is read as:
// the row is the reference's.
func TestLetterThatChangesNothing(t *testing.T) {
	o := Options{}
	o.Search.Distance, o.Search.Substitutions = 1, true
	c := &testCase{contigs: []string{"GATRACA"}}
	got := runCase(t, t.TempDir(), c, true, []aPattern{{letters: "GATCACA"}, {letters: "GATAACC"}}, o)
	want := map[string]string{"p0 c0 0 7 + 1 GATRACA ": ".", "p1 c0 0 7 + 1 GATAACA c0:4:R>A": "."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got)\n%s", diff)
	}
}
