package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"sort"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// A variant is a difference of the sample from a contig of the reference: the bases [at,
// at+deleted) are replaced by inserted. The base before at is never ambiguous and never part of a
// variant.
type variant struct {
	at, deleted int // 0-based
	inserted    []byte
}

// A sampleContig is a contig of the sample: letters of the reference, and the variants that replace
// some, so that it takes memory for variants alone.
type sampleContig struct {
	name      string
	reference func(at int) byte // the letter of the contig at a 0-based position
	length    int               // letters
	variants  []variant         // in order
	starts    []int             // of each variant, the 0-based position on the sample
}

// cut returns n letters from a position on, and the reference position that the first is from,
// 0-based; for an inserted letter the position of the next that is not inserted.
func (c *sampleContig) cut(at, n int) (letters []byte, origin int) {
	next := sort.SearchInts(c.starts, at+1) // of the variants
	from := at                              // position on the reference, after variants before
	letters = make([]byte, 0, n)
	if next > 0 {
		v := &c.variants[next-1]
		inside := at - c.starts[next-1]
		from = v.at + v.deleted + inside - len(v.inserted)
		if inside < len(v.inserted) {
			origin = v.at + min(inside, v.deleted)
			letters = append(letters, v.inserted[inside:min(len(v.inserted), inside+n)]...)
			from = v.at + v.deleted
		}
	}
	if len(letters) == 0 {
		origin = from
	}
	for len(letters) < n {
		if next < len(c.variants) && from == c.variants[next].at {
			v := &c.variants[next]
			letters = append(letters, v.inserted[:min(len(v.inserted), n-len(letters))]...)
			from = v.at + v.deleted
			next++
			continue
		}
		letters = append(letters, c.reference(from))
		from++
	}
	return letters, origin
}

// variantRates are shares of the bases of the reference.
type variantRates struct {
	substitutions, indels float64
}

// mostInserted is the longest insertion or deletion.
const mostInserted = 10

// makeSample differs from the reference at random places; only names one contig, or is empty for
// all.
func makeSample(ref *dna.Reference, rates variantRates, only string, r *rand.Rand) ([]sampleContig, error) {
	var sample []sampleContig
	var letters []byte
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		if only != "" && c.Name != only {
			continue
		}
		letters = parallel.Resize(letters, c.Length)
		for j := range letters {
			letters[j] = ref.Letter(c.Start + j)
		}
		at := func(j int) byte { return ref.Letter(c.Start + j) }
		sample = append(sample, vary(c.Name, at, c.Length, drawVariants(letters, rates, r)))
	}
	if sample == nil {
		return nil, fmt.Errorf("there is no contig %q in the reference", only)
	}
	return sample, nil
}

// drawVariants draws the variants of a contig, in order of at.
func drawVariants(letters []byte, rates variantRates, r *rand.Rand) []variant {
	var all []variant
	for at := 1; at < len(letters); at++ {
		x := r.Float64()
		if x >= rates.substitutions+rates.indels {
			continue
		}
		v := variant{at: at}
		switch {
		case x < rates.substitutions:
			v.deleted, v.inserted = 1, []byte{otherLetter(letters[at], r)}
		case r.IntN(2) == 0:
			v.deleted = drawLength(r)
		default:
			for range drawLength(r) {
				v.inserted = append(v.inserted, dna.Letters[r.IntN(4)])
			}
		}
		if end := at + v.deleted; end < len(letters) && plain(letters[at-1:end+1]) {
			all = append(all, v)
			at = end
		}
	}
	return all
}

// drawLength draws the length of an insertion or deletion: each base more is half as frequent.
func drawLength(r *rand.Rand) int {
	n := 1
	for n < mostInserted && r.IntN(2) == 0 {
		n++
	}
	return n
}

// otherLetter draws one of the other three bases.
func otherLetter(letter byte, r *rand.Rand) byte {
	for {
		if other := dna.Letters[r.IntN(4)]; other != letter {
			return other
		}
	}
}

// plain says whether there are no ambiguous letters.
func plain(letters []byte) bool {
	return len(bytes.Trim(letters, dna.Letters)) == 0
}

// vary makes a contig of the sample from one of the reference with some letters.
func vary(name string, reference func(at int) byte, length int, variants []variant) sampleContig {
	c := sampleContig{name: name, reference: reference, length: length, variants: variants}
	longer := 0
	for _, v := range variants {
		c.starts = append(c.starts, v.at+longer)
		longer += len(v.inserted) - v.deleted
	}
	c.length += longer
	return c
}

// writeVCF writes the variants of the sample, an insertion or deletion with the base before it.
func writeVCF(w *bufio.Writer, ref *dna.Reference, sample []sampleContig) error {
	if _, err := fmt.Fprintln(w, "##fileformat=VCFv4.2"); err != nil {
		return err
	}
	contigs := map[string]*dna.Contig{}
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		contigs[c.Name] = c
		if _, err := fmt.Fprintf(w, "##contig=<ID=%s,length=%d>\n", c.Name, c.Length); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"); err != nil {
		return err
	}
	for i := range sample {
		c := contigs[sample[i].name]
		for _, v := range sample[i].variants {
			first := v.at
			var before []byte
			if len(v.inserted) != v.deleted {
				first--
				before = []byte{ref.Letter(c.Start + first)}
			}
			var old []byte
			for j := first; j < v.at+v.deleted; j++ {
				old = append(old, ref.Letter(c.Start+j))
			}
			if _, err := fmt.Fprintf(w, "%s\t%d\t.\t%s\t%s%s\t.\t.\t.\n", c.Name, first+1, old, before, v.inserted); err != nil {
				return err
			}
		}
	}
	return nil
}
