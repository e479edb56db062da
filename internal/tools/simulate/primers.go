package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
)

// primers is the command "simulate primers": pairs of primers that are cut out of a reference.
func primers(arguments []string) error {
	flags := flag.NewFlagSet("simulate primers", flag.ExitOnError)
	reference := flags.String("ref", "", "reference in FASTA")
	n := flags.Int("n", 1000, "number of pairs")
	seed := flags.Uint64("seed", 1, "another seed gives other pairs")
	output := flags.String("o", "-", "file of name, forward and reverse primer")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	ref, err := fasta.LoadReference(context.Background(), *reference, 2)
	if err != nil {
		return err
	}
	c := primerCutter{ref, rand.New(rand.NewPCG(*seed, 2))}
	return writeFile(*output, func(w *bufio.Writer) error {
		for i := range *n {
			forward, reverse, err := c.cut()
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "p%d\t%s\t%s\n", i, forward, reverse); err != nil {
				return err
			}
		}
		return nil
	})
}

// The sizes of products and of primers that are cut, all as likely.
const (
	leastProduct, mostProduct = 100, 1000
	leastPrimer, mostPrimer   = 18, 24
)

type primerCutter struct {
	ref  *dna.Reference
	rand *rand.Rand
}

// cut draws a product from all places of the reference, and returns its ends as primers, if these
// have no ambiguous letter.
func (c *primerCutter) cut() (forward, reverse []byte, err error) {
	const most = 100_000
	for range most {
		size := leastProduct + c.rand.IntN(mostProduct-leastProduct+1)
		at := c.rand.IntN(c.ref.Bases.Length)
		contig := &c.ref.Contigs[c.ref.ContigAt(at)]
		if at+size > contig.End() {
			continue
		}
		forward = c.letters(at, at+leastPrimer+c.rand.IntN(mostPrimer-leastPrimer+1))
		reverse = c.letters(at+size-leastPrimer-c.rand.IntN(mostPrimer-leastPrimer+1), at+size)
		slices.Reverse(reverse)
		for i, letter := range reverse {
			reverse[i] = dna.Complement(letter)
		}
		if isDNA(forward) && isDNA(reverse) {
			return forward, reverse, nil
		}
	}
	return nil, nil, fmt.Errorf("%d places were drawn and none had a product of up to %d bases", most, mostProduct)
}

func (c *primerCutter) letters(from, to int) (letters []byte) {
	for at := from; at < to; at++ {
		letters = append(letters, c.ref.Letter(at))
	}
	return letters
}

func isDNA(letters []byte) bool {
	return !slices.ContainsFunc(letters, func(letter byte) bool {
		_, ok := dna.Code(letter)
		return !ok
	})
}
