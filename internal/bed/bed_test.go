package bed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/fasta"
)

// lengths makes a reference of contigs a, b, ... of these lengths.
func lengths(t testing.TB, of ...int) *dna.Reference {
	t.Helper()
	var contigs []fasta.Contig
	for i, n := range of {
		contigs = append(contigs, fasta.Contig{Name: string(rune('a' + i)), Bases: []byte(strings.Repeat("A", n))})
	}
	contigs = append(contigs, fasta.Contig{Name: "track", Bases: []byte("ACGT")})
	ref, err := fasta.PackReference(contigs)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestParse reads columns by tabs or blanks, and passes by lines without data.
func TestParse(t *testing.T) {
	const text = "\ufeff# comment\nbrowser position a:1-2\ntrack name=\"x y\"\ntrack\tname=x\n" +
		"track name=x\tdescription=y\ntrack name=x\t4\t5\ntrack 1.5 2\nbrowser hide all\r\n#a\t0\t1\n  # a\n\n" +
		"a\t0\t5\nb\t2\t3\tfirst gene\t0\t+\r\na  4  10 second more\n\t\n \r\ntrack\t0\t4\ntrack 1 2 x\nb\t0\t3\t\t0\na\t0\t5"
	got, err := Parse([]byte(text), lengths(t, 10, 3))
	want := []Interval{{0, 0, 5, ""}, {1, 2, 3, "first gene"}, {0, 4, 10, "second"}, {2, 0, 4, ""}, {2, 1, 2, "x"},
		{1, 0, 3, ""}, {0, 0, 5, ""}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{"", "\n", "# none\n", "track"} {
		if got, err := Parse([]byte(text), lengths(t, 10)); err != nil || got == nil || len(got) != 0 {
			t.Errorf("%q: %v, %v; nil would mean no file", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"a":                       "line 1: has 1 column; BED has contig, start and end",
		"a\t1":                    "line 1: has 2 columns; BED has contig, start and end",
		"a 1\t2":                  "line 1: has 2 columns; BED has contig, start and end",
		"a\t1\t2\nc\t0\t1\n":      `line 2: the reference has no contig "c"; its first is "a"`,
		"#\n\na\tx\t2":            `line 3: the start "x" is not a number of bases`,
		"a\t-1\t2":                `line 1: the start "-1" is not a number of bases`,
		"a\t1\t2.5":               `line 1: the end "2.5" is not a number of bases`,
		"a\t1\t99999999999":       `line 1: the end "99999999999" is not a number of bases`,
		"a\t2\t2":                 "line 1: from 2 to 2 there are no bases",
		"a\t3\t2":                 "line 1: from 3 to 2 there are no bases",
		"a\t0\t10\nb\t0\t4":       "line 2: ends at 4, but b has 3 bases",
		"chr1\t0\t1":              `line 1: the reference has no contig "chr1"; its first is "a"`,
		"trackless\t0\t1":         `line 1: the reference has no contig "trackless"; its first is "a"`,
		"a\t1\t2\t\nbrowsers 1 2": `line 2: the reference has no contig "browsers"; its first is "a"`,
		"chrom start end\na 0 1":  `line 1: the reference has no contig "chrom"; its first is "a"`,
		"track\t4":                "line 1: has 2 columns; BED has contig, start and end",
		"browser 1 2":             `line 1: the reference has no contig "browser"; its first is "a"`,
		"a\x00\t\x001":            "is UTF-16 or binary; expected text",
	} {
		if got, err := Parse([]byte(text), lengths(t, 10, 3)); got != nil || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzParse writes what it understood of a BED and reads that again.
func FuzzParse(f *testing.F) {
	f.Add("a\t0\t5\nb\t2\t3\tgene\n")
	f.Add("# none\r\n\r\na 0 1\r\n")
	f.Add("track x\na\t9\t10\t\ntrack\t0\t1")
	ref := lengths(f, 10, 3)
	f.Fuzz(func(t *testing.T, text string) {
		intervals, err := Parse([]byte(text), ref)
		if err != nil {
			if intervals != nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%d intervals and the error %q", len(intervals), err)
			}
			return
		}
		var again strings.Builder
		for _, i := range intervals {
			if i.Start < 0 || i.Start >= i.End || i.End > ref.Contigs[i.Contig].Length {
				t.Fatalf("%+v", i)
			}
			fmt.Fprintf(&again, "%s\t%d\t%d\t%s\t.\n", ref.Contigs[i.Contig].Name, i.Start, i.End, i.Name)
		}
		if more, err := Parse([]byte(again.String()), ref); err != nil || !slices.Equal(more, intervals) {
			t.Fatalf("%v\n%+v, want\n%+v", err, more, intervals)
		}
	})
}
