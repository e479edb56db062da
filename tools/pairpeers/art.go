package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/tools/command"
	"scanmap/tools/origin"
	"scanmap/tools/sidebyside"
)

// art simulates pairs with art_illumina and its profile of HiSeq 2500, and names them by the origin
// that its SAM file says.
func (s *set) art() (int, error) {
	var bases int
	if _, err := fmt.Sscan(command.Output("sh", "-c", "grep -v '>' "+s.reference()+" | tr -d 'Nn\\n' | wc -c"), &bases); err != nil {
		return 0, fmt.Errorf("%s: %w", s.reference(), err)
	}
	prefix := s.path(".art") // of PREFIX.sam, PREFIX1.fq and PREFIX2.fq
	coverage := float64(2*s.length*s.pairs) / float64(bases)
	if err := command.Shell(fmt.Sprintf("art_illumina -q -ss HS25 -p -sam -na -rs 1 -l %d -f %.4f -m 350 -s 50 -i %s -o %s", s.length, coverage, s.reference(), prefix)); err != nil {
		return 0, err
	}
	var pairs int
	if err := itself(&pairs, "-name", prefix+".sam", s.path("")); err != nil {
		return 0, err
	}
	return pairs, sidebyside.Remove(prefix+".sam", prefix+"1.fq", prefix+"2.fq")
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
	var first *artRecord
	err = artRecords(file, func(r *artRecord) error {
		if first == nil {
			first = r
			return nil
		}
		if first.name != r.name || first.second || !r.second {
			return fmt.Errorf("%s and %s: expected first and second mate of a pair", first.name, r.name)
		}
		pair := origin.Pair{Number: pairs, Mates: [2]origin.Place{first.place, r.place}}
		for i, mate := range []*artRecord{first, r} {
			if _, err := fmt.Fprintf(out[i], "@%s\n%s\n+\n%s\n", pair.Name(), mate.letters, mate.qualities); err != nil {
				return err
			}
		}
		first, pairs = nil, pairs+1
		return nil
	})
	if err == nil && first != nil {
		err = fmt.Errorf("%s: %s has no second mate", file, first.name)
	}
	for i := range out {
		err = errors.Join(err, out[i].Flush(), files[i].Close())
	}
	return pairs, err
}

// An artRecord is a mate, in the direction of the sequencer.
type artRecord struct {
	name               string
	second             bool
	place              origin.Place
	letters, qualities []byte
}

// artRecords calls visit with each record. ART writes some whose CIGAR is longer than the read,
// which sam.Reader refuses, and a CIGAR is not needed here.
func artRecords(file string, visit func(*artRecord) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "@") {
			continue
		}
		r, err := parseART(lines.Text())
		if err == nil {
			err = visit(r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return lines.Err()
}

func parseART(line string) (*artRecord, error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 11 || len(fields[9]) != len(fields[10]) {
		return nil, fmt.Errorf("%q: expected a SAM record with as many qualities as letters", line)
	}
	bits, err := strconv.ParseUint(fields[1], 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%q: flag: %w", line, err)
	}
	position, err := strconv.Atoi(fields[3])
	if err != nil {
		return nil, fmt.Errorf("%q: position: %w", line, err)
	}
	flags := sam.Flags(bits)
	r := &artRecord{name: fields[0], second: flags&sam.Read2 != 0, place: origin.Place{Contig: fields[2], Position: position, Strand: '+'},
		letters: []byte(fields[9]), qualities: []byte(fields[10])}
	if flags&sam.Reverse != 0 {
		r.place.Strand = '-'
		slices.Reverse(r.letters)
		slices.Reverse(r.qualities)
		for i, letter := range r.letters {
			r.letters[i] = dna.Complement(letter)
		}
	}
	return r, nil
}
