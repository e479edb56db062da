package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"

	"scanmap/dna"
)

// A variant is a difference of the sample from a contig of the reference: the bases [at,
// at+deleted) are replaced by inserted. The base before at is never ambiguous and never part of a
// variant.
type variant struct {
	at, deleted int // 0-based
	inserted    []byte
}

// A sampleContig is a contig of the sample.
type sampleContig struct {
	name    string
	letters []byte
	// of each letter the reference position that it is from, 0-based; of an inserted one that of the
	// next that is not
	origin   []int32
	variants []variant
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
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		if only != "" && c.Name != only {
			continue
		}
		letters := make([]byte, c.Length)
		for j := range letters {
			letters[j] = ref.Letter(c.Start + j)
		}
		sample = append(sample, vary(c.Name, letters, drawVariants(letters, rates, r)))
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

// vary makes a contig of the sample from one of the reference.
func vary(name string, letters []byte, variants []variant) sampleContig {
	c := sampleContig{name: name, variants: variants}
	take := func(from, to int) {
		for i := from; i < to; i++ {
			c.letters, c.origin = append(c.letters, letters[i]), append(c.origin, int32(i))
		}
	}
	done := 0
	for _, v := range variants {
		take(done, v.at)
		for i, letter := range v.inserted {
			from := v.at + v.deleted
			if i < v.deleted {
				from = v.at + i
			}
			c.letters, c.origin = append(c.letters, letter), append(c.origin, int32(from))
		}
		done = v.at + v.deleted
	}
	take(done, len(letters))
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
