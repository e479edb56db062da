package genome

import (
	"io"
	"testing"
)

// BenchmarkWrite is of one thread, in bytes of FASTA.
func BenchmarkWrite(b *testing.B) {
	g, err := New(Options{Bases: 10_000_000, Contigs: 3, Seed: 1, Profile: Human})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(10_000_000)
	for b.Loop() {
		if err := g.Write(io.Discard, nil, 1); err != nil {
			b.Fatal(err)
		}
	}
}
