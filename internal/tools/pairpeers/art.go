package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/internal/tools/command"
	"scanmap/internal/tools/origin"
)

// art simulates pairs with art_illumina and its profile of HiSeq 2500, and names them by the origin that its SAM file says.
func (s *set) art() (int, error) {
	var bases int
	if _, err := fmt.Sscan(command.Output("sh", "-c", "grep -v '>' "+s.reference()+" | tr -d 'Nn\\n' | wc -c"), &bases); err != nil {
		return 0, fmt.Errorf("%s: %w", s.reference(), err)
	}
	prefix := s.path(".art.")
	coverage := float64(2*s.length*s.pairs) / float64(bases)
	if err := command.Shell(fmt.Sprintf("art_illumina -q -ss HS25 -p -sam -na -rs 1 -l %d -f %.4f -m 350 -s 50 -i %s -o %s", s.length, coverage, s.reference(), prefix)); err != nil {
		return 0, err
	}
	var pairs int
	if err := itself(&pairs, "-name", prefix+"sam", s.path("")); err != nil {
		return 0, err
	}
	return pairs, remove(prefix+"sam", prefix+"1.fq", prefix+"2.fq")
}

// nameByOrigin writes the pairs of ART's SAM file as FASTQ, and returns how many there are.
func nameByOrigin(file, base string) (pairs int, err error) {
	var out [2]*bufio.Writer
	var files [2]*os.File
	for i := range out {
		if files[i], err = os.Create(fmt.Sprintf("%s.%d.fq", base, i+1)); err != nil {
			return 0, err
		}
		out[i] = bufio.NewWriter(files[i])
	}
	var waiting *sam.Record
	err = primaries(file, func(r *sam.Record) error {
		if mateOf(r) == 0 {
			waiting = r
			return nil
		}
		if waiting == nil || waiting.Name != r.Name {
			return fmt.Errorf("%s: expected its first mate before it", r.Name)
		}
		pair := origin.Pair{Number: pairs, Mates: [2]origin.Place{placeOf(waiting), placeOf(r)}}
		for i, mate := range []*sam.Record{waiting, r} {
			letters, qualities := asSequenced(mate)
			if _, err := fmt.Fprintf(out[i], "@%s\n%s\n+\n%s\n", pair.Name(), letters, qualities); err != nil {
				return err
			}
		}
		waiting, pairs = nil, pairs+1
		return nil
	})
	for i := range out {
		err = errors.Join(err, out[i].Flush(), files[i].Close())
	}
	return pairs, err
}

func placeOf(r *sam.Record) origin.Place {
	p := origin.Place{Contig: r.Ref.Name(), Position: r.Pos + 1, Strand: '+'}
	if r.Flags&sam.Reverse != 0 {
		p.Strand = '-'
	}
	return p
}

// asSequenced returns the letters and qualities of a record in the direction of the sequencer.
func asSequenced(r *sam.Record) (letters, qualities []byte) {
	letters = r.Seq.Expand()
	for _, q := range r.Qual {
		qualities = append(qualities, '!'+q)
	}
	if r.Flags&sam.Reverse != 0 {
		slices.Reverse(letters)
		slices.Reverse(qualities)
		for i, letter := range letters {
			letters[i] = dna.Complement(letter)
		}
	}
	return letters, qualities
}
