package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/biogo/hts/sam"

	"scanmap/tools/command"
)

// A concordance is what was measured of a program on real pairs.
type concordance struct {
	Set, Program, Command string
	Mates, Mapped, Proper int // by samtools flagstat, primary records
	agreement
}

func (c *concordance) key() string { return c.Set + "/" + c.Program }

// An agreement compares mates with those of bwa mem.
type agreement struct {
	// mates of pairs of which bwa aligns both mates end to end within k, and those with flag 2
	Fitting, FittingProper int
	// mates that bwa gives MAPQ 30 or more, and those at the same place
	Sure, SureAlike               int
	SureFitting, SureFittingAlike int // the same of fitting pairs
}

// sure is the mapping quality from which on bwa's place counts.
const sure = 30

// sequenced runs all programs on real pairs.
func (b *bench) sequenced(s set) error {
	if _, err := s.prepare(b.data); err != nil {
		return err
	}
	theirs, err := truth(func(p program) (string, error) { return b.once(p, &s) })
	if errors.Is(err, errNoTruth) {
		b.LeaveOut(s.Name, err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		sam := theirs
		if p.Name != truthBy {
			if sam, err = b.once(p, &s); err != nil {
				if err := b.skip(p, err); err != nil {
					return err
				}
				continue
			}
		}
		x := &concordance{Set: s.Name, Program: p.Name, Command: b.words(&s, sam).Fill(p.Line)}
		if err := x.flagstat(sam); err != nil {
			return err
		}
		if err := itself(&x.agreement, "-compare", sam, theirs); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %s: %d of %d mates properly paired\n", s.Name, p.Name, x.Proper, x.Mates)
		b.Real = put(b.Real, x, (*concordance).key)
	}
	return nil
}

// flagstat counts primary records.
func (c *concordance) flagstat(file string) error {
	var counts struct {
		Passed map[string]any `json:"QC-passed reads"`
	}
	if err := json.Unmarshal([]byte(command.Output("samtools", "flagstat", "-O", "json", file)), &counts); err != nil {
		return fmt.Errorf("samtools flagstat %s: %w", file, err)
	}
	for name, count := range map[string]*int{"primary": &c.Mates, "primary mapped": &c.Mapped, "properly paired": &c.Proper} {
		number, ok := counts.Passed[name].(float64)
		if !ok {
			return fmt.Errorf("samtools flagstat %s does not say %q", file, name)
		}
		*count = int(number)
	}
	return nil
}

// A spot is where a mate is.
type spot struct {
	mapped, reverse, fits, sure bool
	contig                      string
	start                       int
}

// spotOf returns where a record is; it fits if it has no clipping and at most 4 % of its bases in
// edits.
func spotOf(r *sam.Record) (spot, error) {
	if r.Flags&sam.Unmapped != 0 {
		return spot{}, nil
	}
	s := spot{mapped: true, reverse: r.Flags&sam.Reverse != 0, sure: r.MapQ >= sure, contig: r.Ref.Name(), start: unclippedStart(r)}
	edits, err := editsOf(r)
	if err != nil {
		return s, err
	}
	s.fits = edits <= r.Seq.Length*4/100
	for _, c := range r.Cigar {
		if t := c.Type(); t == sam.CigarSoftClipped || t == sam.CigarHardClipped {
			s.fits = false
		}
	}
	return s, nil
}

// editsOf returns NM.
func editsOf(r *sam.Record) (int, error) {
	tag, ok := r.Tag([]byte("NM"))
	if !ok {
		return 0, fmt.Errorf("%s: no NM", r.Name)
	}
	switch n := tag.Value().(type) {
	case uint8:
		return int(n), nil
	case int8:
		return int(n), nil
	case uint16:
		return int(n), nil
	case int16:
		return int(n), nil
	case uint32:
		return int(n), nil
	case int32:
		return int(n), nil
	}
	return 0, fmt.Errorf("%s: %v, expected a number", r.Name, tag)
}

// compare compares a SAM file with bwa's.
func compare(file, truth string) (*agreement, error) {
	theirs := map[string]*[2]spot{}
	err := primaries(truth, func(r *sam.Record) error {
		s, err := spotOf(r)
		if theirs[r.Name] == nil {
			theirs[r.Name] = &[2]spot{}
		}
		theirs[r.Name][mateOf(r)] = s
		return err
	})
	if err != nil {
		return nil, err
	}
	a := &agreement{}
	err = primaries(file, func(r *sam.Record) error {
		pair := theirs[r.Name]
		if pair == nil {
			return fmt.Errorf("%s is not in %s", r.Name, truth)
		}
		want := pair[mateOf(r)]
		fits := pair[0].fits && pair[1].fits
		if fits {
			a.Fitting++
			a.FittingProper += count(r.Flags&sam.ProperPair != 0)
		}
		if !want.sure {
			return nil
		}
		alike := count(r.Flags&sam.Unmapped == 0 && r.Ref.Name() == want.contig && (r.Flags&sam.Reverse != 0) == want.reverse && distance(unclippedStart(r), want.start) <= near)
		a.Sure++
		a.SureAlike += alike
		if fits {
			a.SureFitting++
			a.SureFittingAlike += alike
		}
		return nil
	})
	return a, err
}
