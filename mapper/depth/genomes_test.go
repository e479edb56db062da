package depth

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/mapper"
)

// named are contigs of these names, of a base each.
func named(names ...string) (contigs []dna.Contig) {
	for _, n := range names {
		contigs = append(contigs, dna.Contig{Name: n, Length: 1})
	}
	return contigs
}

func TestSeparateGenomes(t *testing.T) {
	for _, c := range []struct {
		names, separator string
		want             *Genomes
		err              string
	}{
		{"b~1 a~1 b~2", "~", &Genomes{[]string{"b", "a"}, []int32{0, 1, 0}}, ""},
		{"a~1~x a~2", "~", &Genomes{[]string{"a"}, []int32{0, 0}}, ""},
		{"a.1__x a.1__y a.2__x", "__", &Genomes{[]string{"a.1", "a.2"}, []int32{0, 0, 1}}, ""},
		{"a~1 plain", "~", nil, `the contig "plain" has no genome before "~" in its name`},
		{"~1", "~", nil, `the contig "~1" has no genome before "~" in its name`},
	} {
		got, err := SeparateGenomes(named(strings.Fields(c.names)...), c.separator)
		if text := errorText(err); text != c.err {
			t.Errorf("%s: error %q, want %q", c.names, text, c.err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.names, d)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestParseGenomes(t *testing.T) {
	for _, c := range []struct {
		text string
		want *Genomes
		err  string
	}{
		{"g2\tc\ng1\ta\ng2\tb", &Genomes{[]string{"g2", "g1"}, []int32{1, 0, 0, -1}}, ""},
		{"\ufeff# genomes\n\n  \nE. coli\td\r\n", &Genomes{[]string{"E. coli"}, []int32{-1, -1, -1, 0}}, ""},
		{"", nil, "has no genomes"},
		{"# none\n", nil, "has no genomes"},
		{"g\ta\ng a\n", nil, "line 2: is not a genome, a tab and a contig"},
		{"\ta\n", nil, "line 1: is not a genome, a tab and a contig"},
		{"g\ta\tb\n", nil, "line 1: is not a genome, a tab and a contig"},
		{"a\tg\n", nil, `line 1: the reference has no contig "g"; a line is a genome, a tab and a contig`},
		{"g\ta\n\nh\ta\n", nil, `line 3: the contig "a" is of the genome "g" already`},
		{"g\x00\t\x00a\x00", nil, "is UTF-16 or binary; expected text"},
	} {
		got, err := ParseGenomes([]byte(c.text), named("a", "b", "c", "d"))
		if text := errorText(err); text != c.err {
			t.Errorf("%q: error %q, want %q", c.text, text, c.err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, d)
		}
	}
}

// FuzzParseGenomes writes the genomes that were read, and reads the same.
func FuzzParseGenomes(f *testing.F) {
	for _, seed := range []string{"g\ta\nh\tb\n", "#\n\r\ng\tb\r\n", "\ufeffg\td", "a\tg\n"} {
		f.Add(seed)
	}
	contigs := named("a", "b", "c", "d")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGenomes([]byte(text), contigs)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		var again strings.Builder
		again.WriteString("\ufeff") // a second one is of the first name
		for i, name := range g.Names {
			if !slices.Contains(g.Of, int32(i)) {
				t.Errorf("the genome %q has no contig", name)
			}
			for contig, of := range g.Of {
				if of == int32(i) {
					again.WriteString(name + "\t" + contigs[contig].Name + "\n")
				}
			}
		}
		got, err := ParseGenomes([]byte(again.String()), contigs)
		if d := cmp.Diff(g, got); err != nil || d != "" {
			t.Errorf("%v, read again (-first +second):\n%s", err, d)
		}
	})
}

// TestGenomeAbundances has numbers that were computed by hand. The contigs a and c, of 20 and 5
// bases, are one genome, b, of 10 bases, is another, and d is of none. 8 reads of 10 are mapped.
func TestGenomeAbundances(t *testing.T) {
	c := New(Options{Of: Covered, Weights: WeighBest})
	_ = c.Begin(reference(20, 10, 5, 10))
	counter := c.Counter()
	at := func(contig, start, end int) mapper.Reported {
		return mapper.Reported{Contig: contig, Start: start, End: end}
	}
	for range 2 {
		counter.Count(read{at(0, 0, 10)})
	}
	counter.Count(read{at(2, 0, 5)})
	for range 2 { // half on a genome, half on the other
		counter.Count(read{at(0, 5, 15), at(1, 0, 10)})
	}
	counter.Count(read{at(1, 0, 5)})
	for range 2 {
		counter.Count(read{at(3, 0, 10)})
	}
	nearly := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
	want := []Abundance{
		// Depth: 2 x 10 + 5 + 2 x 10/2 = 35 in all; 15 + 5 bases are covered.
		{Name: "one", Contigs: 2, Length: 25, Reads: 5, Weighted: 4, Covered: 20, Mean: 35.0 / 25,
			RPKM: 4 / 0.025 / 8e-6, TPM: 1e6 * (4.0 / 25) / (4.0/25 + 2.0/10), Relative: 1.4 / (1.4 + 1.5) * 6 / 10},
		// Depth: 2 x 10/2 + 5 = 15 in all; 10 bases are covered.
		{Name: "two", Contigs: 1, Length: 10, Reads: 1, Weighted: 2, Covered: 10, Mean: 1.5,
			RPKM: 2 / 0.01 / 8e-6, TPM: 1e6 * (2.0 / 10) / (4.0/25 + 2.0/10), Relative: 1.5 / (1.4 + 1.5) * 6 / 10},
	}
	got := c.GenomeAbundances(&Genomes{Names: []string{"one", "two"}, Of: []int32{0, 1, 0, -1}}, 10, 8)
	if d := cmp.Diff(want, got, nearly); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// A genome of one contig each is as its contig, and without reads all is nothing.
	if d := cmp.Diff(c.Abundances(10, 8), c.GenomeAbundances(&Genomes{Names: []string{"a", "b", "c", "d"}, Of: []int32{0, 1, 2, 3}}, 10, 8)); d != "" {
		t.Errorf("contigs and genomes of one (-contigs +genomes):\n%s", d)
	}
	// A genome without bases has nothing, and others are as without it.
	with := []Abundance{want[0], {Name: "nothing"}, want[1]}
	got = c.GenomeAbundances(&Genomes{Names: []string{"one", "nothing", "two"}, Of: []int32{0, 2, 0, -1}}, 10, 8)
	if d := cmp.Diff(with, got, nearly); d != "" {
		t.Errorf("with a genome without bases (-want +got):\n%s", d)
	}
	none := New(Options{Of: Covered})
	_ = none.Begin(reference(3))
	if d := cmp.Diff([]Abundance{{Name: "g", Contigs: 1, Length: 3}}, none.GenomeAbundances(&Genomes{Names: []string{"g"}, Of: []int32{0}}, 0, 0)); d != "" {
		t.Errorf("without reads (-want +got):\n%s", d)
	}
}
