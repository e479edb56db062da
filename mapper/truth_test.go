package mapper

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/fasta"
)

// This file is the tests' own truth: plain dynamic programming over letters.

// truth is one location as the contract defines it.
type truth struct {
	Contig, Strand, End, Distance, Gaps int
}

// newReference packs contigs named c0, c1, ...
func newReference(t interface{ Fatal(...any) }, contigs ...string) *dna.Reference {
	ref := &dna.Reference{}
	for i, text := range contigs {
		if err := ref.AddContig(fmt.Sprintf("c%d", i), ""); err != nil {
			t.Fatal(err)
		}
		var s dna.Sequence
		s.Append([]byte(text))
		var exceptions []dna.Run
		for j := range len(text) {
			if _, ok := dna.Code(text[j]); !ok {
				exceptions = append(exceptions, dna.Run{Start: j, End: j + 1, Letter: text[j]})
			}
		}
		ref.Append(&s, exceptions)
	}
	ref.Finish()
	return ref
}

func newReads(bases ...string) []fasta.Read {
	reads := make([]fasta.Read, len(bases))
	for i, s := range bases {
		reads[i] = fasta.Read{Name: fmt.Sprintf("r%d", i), Bases: []byte(s), Qualities: []byte(strings.Repeat("I", len(s)))}
	}
	return reads
}

func reverseComplement(s string) string {
	out := make([]byte, len(s))
	for i := range len(s) {
		out[len(s)-1-i] = dna.Complement(s[i])
	}
	return string(out)
}

func matches(a, b byte) bool {
	x, ok := dna.Code(a)
	y, ok2 := dna.Code(b)
	return ok && ok2 && x == y
}

// bruteForce returns the locations of a read, in order of contig, strand and end.
func bruteForce(contigs []string, read string, k int) []truth {
	var all []truth
	if read == "" {
		return nil
	}
	for c, text := range contigs {
		for strand, s := range []string{read, reverseComplement(read)} {
			var found []truth
			const unit = 1 << 20
			column := make([]int, len(s)+1)
			for i := range column {
				column[i] = i * (unit + 1)
			}
			for j := range len(text) {
				diagonal := column[0]
				for i := 1; i <= len(s); i++ {
					cost := diagonal
					if !matches(s[i-1], text[j]) {
						cost += unit
					}
					cost = min(cost, column[i]+unit+1, column[i-1]+unit+1)
					diagonal, column[i] = column[i], cost
				}
				if d := column[len(s)] / unit; d <= k {
					found = append(found, truth{c, strand, j + 1, d, column[len(s)] % unit})
				}
			}
			all = append(all, separateSlowly(found, k)...)
		}
	}
	return all
}

func separateSlowly(found []truth, k int) []truth {
	slices.SortStableFunc(found, func(a, b truth) int {
		if a.Distance != b.Distance {
			return a.Distance - b.Distance
		}
		return a.Gaps - b.Gaps
	})
	var kept []truth
	for _, f := range found {
		near := func(o truth) bool { return max(o.End-f.End, f.End-o.End) <= k }
		if !slices.ContainsFunc(kept, near) {
			kept = append(kept, f)
		}
	}
	slices.SortFunc(kept, func(a, b truth) int { return a.End - b.End })
	return kept
}

// replay checks an alignment letter by letter and returns its edits, gaps and end.
func replay(text, s string, start int, ops []operation) (edits, gaps, end int, err error) {
	q, r := 0, start
	for i, op := range ops {
		if op.length <= 0 || i > 0 && ops[i-1].kind == op.kind {
			return 0, 0, 0, fmt.Errorf("operation %d of %v is empty or not merged", i, ops)
		}
		for range op.length {
			switch op.kind {
			case diagonal:
				if q >= len(s) || r < 0 || r >= len(text) {
					return 0, 0, 0, fmt.Errorf("%v at %d runs past an end", ops, start)
				}
				if !matches(s[q], text[r]) {
					edits++
				}
				q, r = q+1, r+1
			case insertion:
				q, edits, gaps = q+1, edits+1, gaps+1
			case deletion:
				r, edits, gaps = r+1, edits+1, gaps+1
			}
		}
	}
	if q != len(s) || r > len(text) {
		return 0, 0, 0, fmt.Errorf("%v at %d takes %d of %d bases and ends at %d", ops, start, q, len(s), r)
	}
	return edits, gaps, r, nil
}

// newMapper prepares a run without files.
func newMapper(ref *dna.Reference, o Options) *mapper {
	o.setDefaults()
	o.Libraries = []Library{{}}
	m := &mapper{options: o, ref: ref, stats: &Stats{Engines: map[Engine]int64{}}, out: newOrderedWriter(io.Discard, 4)}
	m.libraries = []*library{newLibrary(0, o.Libraries[0], &o)}
	m.prepare()
	if m.options.Engine != EngineScan {
		m.rare = newRarity(ref, m.segments, m.options.Threads) // short references have none otherwise
	}
	return m
}

// locate returns the locations of each read, found by the engine of o and replayed.
func locate(t testing.TB, contigs []string, reads []fasta.Read, o Options) [][]truth {
	t.Helper()
	m := newMapper(newReference(t, contigs...), o)
	b := &m.batch
	b.pack(load{m.libraries[0], reads}, o.Distance, m.options.Threads)
	f := findAll(t, m, b)
	w := &m.workers[0]
	w.locator.b = b
	w.locate(b, f, 0, len(reads))
	w.choose(b, 0, len(reads))
	out := make([][]truth, len(reads))
	for i, c := range w.chosen {
		for _, loc := range w.locations[c.from:c.to] {
			strand := string(reads[i].Bases)
			if loc.place.strand() == reverse {
				strand = reverseComplement(strand)
			}
			edits, gaps, end, err := replay(contigs[loc.place.contig()], strand, int(loc.start), w.locator.aligner.ops[loc.opsFrom:loc.opsTo])
			if err != nil {
				t.Fatalf("read %s: %v", reads[i].Bases, err)
			}
			if edits != int(loc.distance) || end != int(loc.end) {
				t.Fatalf("read %s: the alignment has %d edits and ends at %d; the location %d and %d", reads[i].Bases, edits, end, loc.distance, loc.end)
			}
			out[i] = append(out[i], truth{loc.place.contig(), loc.place.strand(), end, edits, gaps})
		}
		slices.SortFunc(out[i], func(a, b truth) int {
			if a.Contig != b.Contig {
				return a.Contig - b.Contig
			}
			if a.Strand != b.Strand {
				return a.Strand - b.Strand
			}
			return a.End - b.End
		})
	}
	return out
}
