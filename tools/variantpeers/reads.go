package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"scanmap/dna"
	"scanmap/tools/origin"
)

// sequencing says how pairs are made of a donor.
type sequencing struct {
	length               int // bases of a read
	coverage, errors     float64
	insertMean, insertSD float64
	adapters             float64 // share of fragments that are shorter than a read
}

// complete fills in what depends on the length, and refuses what no pair can be made with.
func (s *sequencing) complete() error {
	mean, sd := 350., 50.
	if s.length > 200 {
		mean, sd = 500, 80
	}
	if s.insertMean == 0 {
		s.insertMean = mean
	}
	if s.insertSD == 0 {
		s.insertSD = sd
	}
	if s.length < 3 || s.insertMean < float64(s.length) || s.insertSD < 0 {
		return errors.New("expected reads of at least 3 bases, and fragments at least as long")
	}
	if !(s.coverage > 0) || !(s.errors >= 0 && s.errors <= 0.1) || !(s.adapters >= 0 && s.adapters <= 1) {
		return errors.New("expected -coverage above 0, -errors from 0 to 0.1 and -adapters from 0 to 1")
	}
	return nil
}

// adapters are those that mates read into, of TruSeq; after them a sequencer of two colours sees G.
var adapters = [2]string{
	"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG",
	"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT",
}

// A sequencer makes the pairs of a donor.
type sequencer struct {
	sequencing
	donor *donor
	rand  *rand.Rand
}

func newSequencer(s sequencing, d *donor, seed uint64) *sequencer {
	return &sequencer{s, d, rand.New(rand.NewPCG(seed, 2))}
}

// write writes all pairs.
func (s *sequencer) write(one, two *bufio.Writer) error {
	bases := 0 // of both haplotypes
	for i := range s.donor.haplotypes {
		letters := s.donor.haplotypes[i].letters
		bases += len(letters) - bytes.Count(letters, []byte("N"))
	}
	// Both haplotypes share the depth, and each pair has two reads.
	pairs := int(s.coverage * float64(bases) / 4 / float64(s.length))
	for i := range pairs {
		which := s.rand.IntN(2)
		h := &s.donor.haplotypes[which]
		ends, at, n, err := s.fragment(h)
		if err != nil {
			return err
		}
		left, right := h.lift(at)+1, h.lift(at+n-min(n, s.length))+1
		pair := origin.Pair{Number: 2*i + which, Mates: [2]origin.Place{{Contig: s.donor.region.contig, Position: left, Strand: '+'}, {Contig: s.donor.region.contig, Position: right, Strand: '-'}}}
		if s.rand.IntN(2) == 1 {
			ends[0], ends[1] = ends[1], ends[0]
			pair.Mates[0], pair.Mates[1] = pair.Mates[1], pair.Mates[0]
		}
		for j, w := range []*bufio.Writer{one, two} {
			letters, qualities := s.read(ends[j] + adapters[j])
			if _, err := fmt.Fprintf(w, "@%s\n%s\n+\n%s\n", pair.Name(), letters, qualities); err != nil {
				return err
			}
		}
	}
	return nil
}

// spare is the number of letters that a read may need because errors leave some out.
const spare = 20

// fragment draws n letters of a haplotype. Its ends are as the sequencer reads them, with spare
// letters.
func (s *sequencer) fragment(h *haplotype) (ends [2]string, at, n int, err error) {
	const most = 1000000
	for range most {
		if s.rand.Float64() < s.adapters {
			n = s.length/3 + s.rand.IntN(s.length-s.length/3)
		} else if n = int(math.Round(s.insertMean + s.insertSD*s.rand.NormFloat64())); n < s.length {
			continue
		}
		if n > len(h.letters) {
			continue
		}
		at = s.rand.IntN(len(h.letters) - n + 1)
		long := min(n, s.length+spare)
		left, right := h.letters[at:at+long], slices.Clone(h.letters[at+n-long:at+n])
		if !plain(left) || !plain(right) {
			continue
		}
		slices.Reverse(right)
		for i, letter := range right {
			right[i] = dna.Complement(letter)
		}
		return [2]string{string(left), string(right)}, at, n, nil
	}
	return ends, 0, 0, fmt.Errorf("no fragment without ambiguous letters at its ends was found in %d tries", most)
}

// read returns a read of letters, with errors. Errors are more frequent towards the end, and most
// are at the few bases that are poor; qualities are the probabilities that they were drawn with.
func (s *sequencer) read(from string) (letters, qualities []byte) {
	const (
		poorShare, poorRate = 0.04, 15.
		goodRate            = (1 - poorShare*poorRate) / (1 - poorShare)
		bases               = "ACGT"
	)
	for at := 0; len(letters) < s.length; at++ {
		rate := s.errors * (0.5 + float64(len(letters))/float64(s.length)) * goodRate
		if s.rand.Float64() < poorShare {
			rate *= poorRate / goodRate
		}
		letter := byte('G')
		if at < len(from) {
			letter = from[at]
		}
		if s.rand.Float64() < rate {
			switch s.rand.IntN(40) {
			case 0:
				continue // the base is missing
			case 1:
				letter = bases[s.rand.IntN(4)] // there is one more
				at--
			default:
				for was := letter; letter == was; {
					letter = bases[s.rand.IntN(4)]
				}
			}
		}
		letters = append(letters, letter)
		quality := math.Round(-10 * math.Log10(rate))
		qualities = append(qualities, byte('!'+max(2, min(41, quality))))
	}
	return letters, qualities
}
