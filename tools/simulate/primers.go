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
	"scanmap/internal/bed"
)

// primers is the command "simulate primers": pairs of primers that are cut out of a reference.
func primers(arguments []string) error {
	flags := flag.NewFlagSet("simulate primers", flag.ExitOnError)
	reference := flags.String("ref", "", "reference in FASTA")
	n := flags.Int("n", 1000, "number of pairs")
	seed := flags.Uint64("seed", 1, "another seed gives other pairs")
	outside := flags.String("outside", "", "BED file that no primer may touch, such as one of repeats")
	output := flags.String("o", "-", "file of name, forward and reverse primer")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	ref, err := fasta.LoadReference(context.Background(), *reference, 2)
	if err != nil {
		return err
	}
	c := primerCutter{ref, rand.New(rand.NewPCG(*seed, 2)), nil}
	if *outside != "" {
		if c.outside, err = readBED(*outside, ref); err != nil {
			return err
		}
	}
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
	ref     *dna.Reference
	rand    *rand.Rand
	outside []stretch // sorted, not touching each other
}

// A stretch is positions [from, to) of a reference.
type stretch struct{ from, to int }

// readBED reads intervals of contigs.
func readBED(path string, ref *dna.Reference) (all []stretch, err error) {
	const most = 4 << 30 // of text
	text, err := fasta.ReadText(context.Background(), path, most)
	if err != nil {
		return nil, err
	}
	regions, err := bed.Parse(text, ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range regions {
		start := ref.Contigs[r.Contig].Start
		all = append(all, stretch{start + r.Start, start + r.End})
	}
	return merged(all), nil
}

// merged sorts stretches, and joins stretches that overlap or touch.
func merged(all []stretch) (some []stretch) {
	slices.SortFunc(all, func(a, b stretch) int { return a.from - b.from })
	for _, s := range all {
		if n := len(some); n > 0 && s.from <= some[n-1].to {
			some[n-1].to = max(some[n-1].to, s.to)
		} else {
			some = append(some, s)
		}
	}
	return some
}

// isOutside tells whether positions touch none of the stretches.
func (c *primerCutter) isOutside(from, to int) bool {
	first, _ := slices.BinarySearchFunc(c.outside, from+1, func(s stretch, end int) int { return s.to - end })
	return first == len(c.outside) || c.outside[first].from >= to
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
		left := at + leastPrimer + c.rand.IntN(mostPrimer-leastPrimer+1)
		right := at + size - leastPrimer - c.rand.IntN(mostPrimer-leastPrimer+1)
		if !c.isOutside(at, left) || !c.isOutside(right, at+size) {
			continue
		}
		forward, reverse = c.letters(at, left), c.letters(right, at+size)
		dna.ReverseComplement(reverse)
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
