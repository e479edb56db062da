package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"scanmap/dna"
	"scanmap/fasta"
)

// repeated are the numbers of occurrences that words reports.
var repeated = [...]int{2, 10, 100, 1000}

// composition is what words finds in a reference.
type composition struct {
	positions int                // where a word is without ambiguous letters
	repeats   [len(repeated)]int // positions of words that occur so often or more
	bases     [4]int
	cpg       int // C before G
}

// words is the command "simulate words": how often the words of references occur.
func words(arguments []string) error {
	flags := flag.NewFlagSet("simulate words", flag.ExitOnError)
	k := flags.Int("k", 31, "bases of a word, up to 32")
	threads := flags.Int("threads", runtime.NumCPU(), "threads; each takes up to half a byte a base")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *k < 1 || *k > 32 || flags.NArg() == 0 {
		return fmt.Errorf("words of %d bases in %d references: expected 1 to 32 bases, and at least one file", *k, flags.NArg())
	}
	return writeFile("-", func(w *bufio.Writer) error {
		for _, file := range flags.Args() {
			ref, err := fasta.LoadReference(context.Background(), file, *threads)
			if err != nil {
				return err
			}
			c := compose(ref, *k, *threads)
			gc := c.bases[1] + c.bases[2]
			total := c.bases[0] + gc + c.bases[3]
			fmt.Fprintf(w, "%s\t%d bases\tGC %.1f %%\tCpG %.2f of chance", file, total, share(gc, total),
				float64(c.cpg)*float64(total)/max(float64(c.bases[1])*float64(c.bases[2]), 1))
			for i, n := range repeated {
				fmt.Fprintf(w, "\t>= %d: %.2f %%", n, share(c.repeats[i], c.positions))
			}
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// share is part of whole in percent.
func share(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// wordParts is the number of parts that words are counted in, so that only the words of a few parts
// are in memory.
const wordParts = 32

// compose counts the words of k bases, each together with its reverse complement.
func compose(ref *dna.Reference, k, threads int) composition {
	var all composition
	var lock sync.Mutex
	var group sync.WaitGroup
	next := make(chan uint64, wordParts)
	for part := range uint64(wordParts) {
		next <- part
	}
	close(next)
	for range threads {
		group.Go(func() {
			var list []uint64
			for part := range next {
				c := composition{}
				list = list[:0]
				scan(ref, k, func(word uint64) {
					if word*0x9e3779b97f4a7c15>>59 == part {
						list = append(list, word)
					}
				})
				slices.Sort(list)
				for i := 0; i < len(list); {
					j := i + 1
					for j < len(list) && list[j] == list[i] {
						j++
					}
					for r, n := range repeated {
						if j-i >= n {
							c.repeats[r] += j - i
						}
					}
					i = j
				}
				lock.Lock()
				all.positions += len(list)
				for r := range repeated {
					all.repeats[r] += c.repeats[r]
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	last := byte(4)
	for i := range ref.Bases.Length {
		code, ok := dna.Code(ref.Bases.Letter(i))
		if !ok {
			last = 4
			continue
		}
		all.bases[code]++
		if last == 1 && code == 2 {
			all.cpg++
		}
		last = code
	}
	return all
}

// scan calls do for each word without ambiguous letters, as the smaller of itself and its reverse
// complement.
func scan(ref *dna.Reference, k int, do func(word uint64)) {
	mask := ^uint64(0) >> (64 - 2*k)
	forward, reverse, n := uint64(0), uint64(0), 0
	b := &ref.Bases
	for i := range b.Length {
		w, bit := i/dna.WordBases, i%dna.WordBases
		if b.Ambiguous[w]>>bit&1 != 0 {
			n = 0
			continue
		}
		code := b.Low[w]>>bit&1 | b.High[w]>>bit&1<<1
		forward = (forward<<2 | code) & mask
		reverse = reverse>>2 | (3-code)<<(2*(k-1))
		if n++; n >= k {
			do(min(forward, reverse))
		}
	}
}
