package main

import (
	"context"
	"fmt"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/bed"
)

// maxBED is the most bytes of text of a BED: RepeatMasker's of the human genome has 0.5 GB.
const maxBED = 4 << 30

// contigIndexes are the indexes of contigs by name.
func contigIndexes(ref *dna.Reference) map[string]int {
	indexes := make(map[string]int, len(ref.Contigs))
	for i := range ref.Contigs {
		indexes[ref.Contigs[i].Name] = i
	}
	return indexes
}

// noContig is the error of a name that no contig of a reference has; file is the reference.
func noContig(file string, ref *dna.Reference, name string) error {
	return fmt.Errorf("%s has no contig %q; its first is %q", shownInput(file), name, ref.Contigs[0].Name)
}

// readBED reads the intervals of a file, plain or compressed. Its errors name file and line.
func readBED(ctx context.Context, file string, ref *dna.Reference) ([]bed.Interval, error) {
	text, err := fasta.ReadText(ctx, file, maxBED)
	if err != nil {
		return nil, err
	}
	intervals, err := bed.Parse(text, ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownInput(file), err)
	}
	return intervals, nil
}
