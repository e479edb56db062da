package main

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
	ref, err := fasta.PackReference(contigs)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestParseBED reads columns by tabs or blanks, and passes by what has no data.
func TestParseBED(t *testing.T) {
	const text = "\ufeff# comment\nbrowser position a:1-2\ntrack name=\"x y\"\n\na\t0\t5\nb\t2\t3\tfirst gene\t0\t+\r\na 4 10 second more\n\t\n"
	got, err := parseBED(text, lengths(t, 10, 3))
	want := []bedInterval{{0, 0, 5, ""}, {1, 2, 3, "first gene"}, {0, 4, 10, "second"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for text, want := range map[string]string{
		"a\t1":                    "line 1: has 2 columns; BED has contig, start and end",
		"a\t1\t2\nc\t0\t1\n":      `line 2: the reference has no contig "c"`,
		"#\n\na\tx\t2":            `line 3: the start "x" is not a number of bases`,
		"a\t-1\t2":                `the start "-1" is not a number`,
		"a\t1\t2.5":               `the end "2.5" is not a number`,
		"a\t1\t99999999999":       `the end "99999999999" is not a number`,
		"a\t2\t2":                 "from 2 to 2 there are no bases",
		"a\t3\t2":                 "from 3 to 2 there are no bases",
		"a\t0\t10\nb\t0\t4":       "line 2: ends at 4, but b has 3 bases",
		"chr1\t0\t1":              `no contig "chr1"`,
		"trackless\t0\t1":         `no contig "trackless"`,
		"a\t1\t2\t\nbrowsers 1 2": `line 2: the reference has no contig "browsers"`,
	} {
		if got, err := parseBED(text, lengths(t, 10, 3)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzBED writes what it understood of a BED and reads that again.
func FuzzBED(f *testing.F) {
	f.Add("a\t0\t5\nb\t2\t3\tgene\n")
	f.Add("# none\r\n\r\na 0 1\r\n")
	f.Add("track x\na\t9\t10\t\n")
	ref := lengths(f, 10, 3)
	f.Fuzz(func(t *testing.T, text string) {
		intervals, err := parseBED(text, ref)
		if err != nil {
			if len(intervals) > 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%d intervals and the error %q", len(intervals), err)
			}
			return
		}
		var again strings.Builder
		for _, i := range intervals {
			if i.start < 0 || i.start >= i.end || i.end > ref.Contigs[i.contig].Length {
				t.Fatalf("%+v", i)
			}
			fmt.Fprintf(&again, "%s\t%d\t%d\t%s\n", ref.Contigs[i.contig].Name, i.start, i.end, i.name)
		}
		if more, err := parseBED(again.String(), ref); err != nil || !slices.Equal(more, intervals) {
			for _, i := range intervals {
				if strings.HasSuffix(i.name, "\r") {
					return // is taken for the end of the line then
				}
			}
			t.Fatalf("%v\n%+v, want\n%+v", err, more, intervals)
		}
	})
}
