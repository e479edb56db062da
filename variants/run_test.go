package variants

import (
	"context"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/fasta"
)

var tContext = context.Background()

// truthReference packs contigs c0, c1, ...
func truthReference(t interface{ Fatalf(string, ...any) }, contigs []string) *dna.Reference {
	var list []fasta.Contig
	for i, text := range contigs {
		list = append(list, fasta.Contig{Name: "c" + strconv.Itoa(i), Bases: []byte(text)})
	}
	ref, err := fasta.PackReference(list)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ref
}

// check tests a property by so many times the number of cases that rapid takes.
func check(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	for range times {
		rapid.Check(t, property)
	}
}
