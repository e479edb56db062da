package fasta

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"scanmap/dna"
)

// TestMemoryIsAFile gives contigs and reads from memory and as files: they are the same.
func TestMemoryIsAFile(t *testing.T) {
	folder := t.TempDir()
	letters := rapid.StringMatching("[ACGTacgtuNnRy.]{1,300}")
	rapid.Check(t, func(t *rapid.T) {
		var contigs []Contig
		var reads []Read
		var refText, readText strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "contigs") {
			c := Contig{fmt.Sprint("c", i), []byte(letters.Draw(t, "contig"))}
			contigs = append(contigs, c)
			fmt.Fprintf(&refText, ">%s\n%s\n", c.Name, c.Bases)
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "reads") {
			bases := letters.Draw(t, "read")
			r := Read{Name: fmt.Sprint("r", i), Bases: []byte(bases), Qualities: []byte(strings.Repeat("I", len(bases)))}
			reads = append(reads, r)
			fmt.Fprintf(&readText, "@%s\n%s\n+\n%s\n", r.Name, r.Bases, r.Qualities)
		}
		reference, file := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "reads.fq")
		for name, text := range map[string]string{reference: refText.String(), file: readText.String()} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := LoadReference(context.Background(), reference, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := PackReference(contigs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Bases.Length {
			if got.Letter(i) != want.Letter(i) {
				t.Fatalf("letter %d is %c, want %c", i, got.Letter(i), want.Letter(i))
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(dna.Reference{}), cmpopts.IgnoreFields(dna.Reference{}, "Bases")); diff != "" {
			t.Fatalf("(-file +memory)\n%s", diff)
		}
		fromFile, err := OpenReads(context.Background(), file, ReadOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = fromFile.Close() }()
		fromMemory, err := FromMemory(reads)
		if err != nil {
			t.Fatal(err)
		}
		inFile, err := rest(fromFile)
		if err != nil {
			t.Fatal(err)
		}
		inMemory, err := rest(fromMemory)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(inFile, inMemory); diff != "" {
			t.Fatalf("(-file +memory)\n%s", diff)
		}
	})
}

// TestBadMemory has what no file may have.
func TestBadMemory(t *testing.T) {
	good := Read{Name: "good", Bases: []byte("ACGT")}
	for _, c := range []struct {
		read Read
		want string
	}{
		{Read{Bases: []byte("ACGT")}, "reads in memory: record 2: the read has no name"},
		{Read{Name: "a b", Bases: []byte("ACGT")}, `the byte " " at position 2 of the name`},
		{Read{Name: "a", Bases: []byte("AC T")}, `the byte " " at position 3 is not a base`},
		{Read{Name: "a", Bases: []byte("ACGT"), Qualities: []byte("III")}, "4 bases but 3 qualities"},
		{Read{Name: "a", Bases: []byte("ACGT"), Qualities: []byte("III ")}, "at position 4 of the qualities"},
	} {
		if _, err := FromMemory([]Read{good, c.read}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.read, err, c.want)
		}
	}
	for _, c := range []struct {
		contigs []Contig
		want    string
	}{
		{nil, "contigs in memory: there are none"},
		{[]Contig{{"", []byte("A")}}, "the contig has no name"},
		{[]Contig{{"a", nil}}, `record 1 "a": the contig has no bases`},
		{[]Contig{{"a", []byte("A")}, {"a", []byte("A")}}, `record 2 "a": it has the name of record 1`},
		{[]Contig{{"a", []byte("A!")}}, "at position 2 is not a base"},
		{[]Contig{{"a b", []byte("A")}}, "of the name is not allowed in SAM"},
	} {
		if _, err := PackReference(c.contigs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.contigs, err, c.want)
		}
	}
}
