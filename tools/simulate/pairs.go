package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"scanmap/dna"
	"scanmap/fasta"
)

// pairFlags are the options of -pairs.
type pairFlags struct {
	mates, vcf, contig string
	variants           variantRates
	sequencing         sequencing
}

// sequencing says how pairs are made of a sample.
type sequencing struct {
	length                int // bases of a mate
	insertMean, insertSD  float64
	chimeras              float64 // share of pairs
	errorFirst, errorLast float64 // shares of errors
}

// check refuses what no pair can be made with.
func (s *sequencing) check() error {
	for name, share := range map[string]float64{"-chimera": s.chimeras, "-error-first": s.errorFirst, "-error-last": s.errorLast} {
		if math.IsNaN(share) || share < 0 || share > 1 {
			return fmt.Errorf("%s %g: expected a share from 0 to 1", name, share)
		}
	}
	if s.length < 1 || s.insertSD < 0 || s.insertMean+8*s.insertSD < float64(s.length) {
		return fmt.Errorf("-length %d -insert-mean %g -insert-sd %g: expected fragments at least as long as a read", s.length, s.insertMean, s.insertSD)
	}
	return nil
}

// run writes the pairs, and the variants of the sample.
func (p *pairFlags) run(reference string, n int, seed uint64, first string) error {
	if p.mates == "" {
		return errors.New("-pairs needs -mates FILE for the second mates")
	}
	if err := p.sequencing.check(); err != nil {
		return err
	}
	ref, err := fasta.LoadReference(context.Background(), reference, 2)
	if err != nil {
		return err
	}
	sample, err := makeSample(ref, p.variants, p.contig, rand.New(rand.NewPCG(seed, 2)))
	if err != nil {
		return err
	}
	if p.vcf != "" {
		if err := writeFile(p.vcf, func(w *bufio.Writer) error { return writeVCF(w, ref, sample) }); err != nil {
			return err
		}
	}
	s := sequencer{sequencing: p.sequencing, sample: sample}
	for i := range sample {
		s.total += sample[i].length
	}
	s.cycles = s.newCycles(s.length)
	return writeFile(first, func(one *bufio.Writer) error {
		return writeFile(p.mates, func(two *bufio.Writer) error {
			return writeBlocks(n, []*bufio.Writer{one, two}, func(block int) drawer {
				s := s
				s.rand = rand.New(rand.NewPCG(seed, uint64(block)<<8|3))
				return s.write
			})
		})
	})
}

// A sequencer makes pairs of a sample.
type sequencer struct {
	sequencing
	sample []sampleContig
	total  int // bases of the sample
	rand   *rand.Rand
	cycles []cycle // of the bases of a read
}

// A mate is one end of a fragment, in the direction of the sequencer.
type mate struct {
	letters []byte
	place   Place
}

// write draws a pair.
func (s *sequencer) write(files []*bytes.Buffer, i int) error {
	mates, err := s.fragment()
	if err == nil && s.rand.Float64() < s.chimeras {
		var other [2]mate
		other, err = s.fragment()
		mates[1] = other[1]
	}
	if err != nil {
		return err
	}
	pair := Pair{Number: i, Mates: [2]Place{mates[0].place, mates[1].place}}
	for j, w := range files {
		qualities := s.sequence(mates[j].letters)
		if _, err := fmt.Fprintf(w, "@%s\n%s\n+\n%s\n", pair.Name(), mates[j].letters, qualities); err != nil {
			return err
		}
	}
	return nil
}

// fragment draws the ends of a fragment, on either strand.
func (s *sequencer) fragment() ([2]mate, error) {
	insert := 0
	for insert < s.length {
		insert = int(math.Round(s.insertMean + s.insertSD*s.rand.NormFloat64()))
	}
	const most = 100000
	for range most {
		c, at := s.place()
		if at+insert > c.length {
			continue
		}
		mates := [2]mate{s.end(c, at, '+'), s.end(c, at+insert-s.length, '-')}
		if !plain(mates[0].letters) || !plain(mates[1].letters) {
			continue
		}
		if s.rand.IntN(2) == 1 {
			mates[0], mates[1] = mates[1], mates[0]
		}
		return mates, nil
	}
	return [2]mate{}, fmt.Errorf("no fragment of %d bases without ambiguous letters at its ends was found in %d tries", insert, most)
}

// place draws a base of the sample.
func (s *sequencer) place() (*sampleContig, int) {
	at := s.rand.IntN(s.total)
	for i := range s.sample {
		c := &s.sample[i]
		if at < c.length {
			return c, at
		}
		at -= c.length
	}
	return nil, 0 // not reached: at was less than the sum
}

// end copies an end of a fragment.
func (s *sequencer) end(c *sampleContig, at int, strand byte) mate {
	letters, from := c.cut(at, s.length)
	m := mate{letters, Place{Contig: c.name, Position: from + 1, Strand: strand}}
	if strand == '-' {
		dna.ReverseComplement(m.letters)
	}
	return m
}

// sequence puts errors into letters and returns the qualities. Qualities are whole, so that one of
// the two next to the share of errors is drawn, each as often as gives that share; errors are then
// drawn with the probability that the quality stands for.
func (s *sequencer) sequence(letters []byte) []byte {
	qualities := make([]byte, len(letters))
	if len(s.cycles) != len(letters) {
		s.cycles = s.newCycles(len(letters))
	}
	for i := range letters {
		q := s.cycles[i].draw(s.rand.Float64())
		qualities[i] = byte('!' + q)
		if s.rand.Float64() < probabilities[q] && s.cycles[i].rate > 0 {
			letters[i] = otherLetter(letters[i], s.rand)
		}
	}
	return qualities
}

// newCycles returns the cycles of n bases.
func (s *sequencer) newCycles(n int) (cycles []cycle) {
	for i := range n {
		rate := s.errorFirst
		if n > 1 {
			rate += (s.errorLast - s.errorFirst) * float64(i) / float64(n-1)
		}
		cycles = append(cycles, newCycle(rate))
	}
	return cycles
}

// mostQuality is the best that Illumina's sequencers give.
const mostQuality = 41

// A cycle reads one base of each read. Its share of errors lies between the shares of two whole
// qualities: the worse is drawn with probability `chance`, otherwise the next better one.
type cycle struct {
	rate, chance float64
	worse        int
}

func newCycle(rate float64) cycle {
	if rate <= probabilities[mostQuality] {
		return cycle{rate, 1, mostQuality}
	}
	q := min(int(-10*math.Log10(rate)), mostQuality-1) // rounding may lead to the next one
	worse, better := probabilities[q], probabilities[q+1]
	return cycle{rate, (rate - better) / (worse - better), q}
}

// draw returns a quality; x is drawn from [0, 1).
func (c *cycle) draw(x float64) int {
	if x < c.chance {
		return c.worse
	}
	return c.worse + 1
}

// probabilities are the probabilities of an error, by quality.
var probabilities = func() (p [mostQuality + 1]float64) {
	for q := range p {
		p[q] = math.Pow(10, -float64(q)/10)
	}
	return p
}()
