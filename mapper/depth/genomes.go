package depth

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"scanmap/dna"
)

// Genomes say which contigs belong together.
type Genomes struct {
	Names []string
	Of    []int32 // the genome of each contig by its index in Names, and -1 for none
}

// add makes contig one of a genome.
func (g *Genomes) add(indexes map[string]int32, genome string, contig int) {
	i, known := indexes[genome]
	if !known {
		i = int32(len(g.Names))
		genome = strings.Clone(genome) // which keeps no text alive
		indexes[genome] = i
		g.Names = append(g.Names, genome)
	}
	g.Of[contig] = i
}

// SeparateGenomes returns genomes in the order of their first contigs. The genome of a contig is
// the part of its name before the first separator; an error names a contig without one.
func SeparateGenomes(contigs []dna.Contig, separator string) (*Genomes, error) {
	g, indexes := &Genomes{Of: make([]int32, len(contigs))}, map[string]int32{}
	for i := range contigs {
		genome, _, found := strings.Cut(contigs[i].Name, separator)
		if !found || genome == "" {
			return nil, fmt.Errorf("the contig %q has no genome before %q in its name", contigs[i].Name, separator)
		}
		g.add(indexes, genome, i)
	}
	return g, nil
}

// ParseGenomes reads genomes from a text, as CoverM does: a line has a genome, a tab and a contig.
// Blank lines and lines that start with # are skipped, and lines may end with CRLF. Genomes are in
// the order of their first lines, and contigs without a line are of no genome. An error names the
// line, from 1 on.
func ParseGenomes(text []byte, contigs []dna.Contig) (*Genomes, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, errors.New("is UTF-16 or binary; expected text")
	}
	places := make(map[string]int, len(contigs))
	for i := range contigs {
		places[contigs[i].Name] = i
	}
	g, indexes := &Genomes{Of: make([]int32, len(contigs))}, map[string]int32{}
	for i := range g.Of {
		g.Of[i] = -1
	}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		genome, contig, found := strings.Cut(string(line), "\t")
		if !found || genome == "" || strings.Contains(contig, "\t") {
			return nil, fmt.Errorf("line %d: is not a genome, a tab and a contig", number)
		}
		i, known := places[contig]
		if !known {
			return nil, fmt.Errorf("line %d: the reference has no contig %q; a line is a genome, a tab and a contig", number, contig)
		}
		if of := g.Of[i]; of >= 0 {
			return nil, fmt.Errorf("line %d: the contig %q is of the genome %q already", number, contig, g.Names[of])
		}
		g.add(indexes, genome, i)
	}
	if len(g.Names) == 0 {
		return nil, errors.New("has no genomes")
	}
	return g, nil
}
