package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A score counts variants of one kind. As text it is the three numbers.
type score struct {
	Known, Called, Both int
}

// MarshalText writes the numbers in their order.
func (s score) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d %d %d", s.Known, s.Called, s.Both), nil
}

// UnmarshalText reads them.
func (s *score) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &s.Known, &s.Called, &s.Both)
	return err
}

// Calls are the variants that were called from the pairs of a program.
type calls struct {
	Set, Program string
	Against      string // what is taken for known
	SNPs, Indels score
}

func (c *calls) key() string { return c.Set + "/" + c.Program }

// called calls the variants of a set from the pairs of each program.
func (b *bench) called(s set) error {
	if _, err := s.prepare(b.data); err != nil {
		return err
	}
	known, against := s.path(".known.vcf"), "the simulated sample"
	if s.simulator == "" {
		against = truthBy
		vcf, err := truth(func(p program) (string, error) { return b.call(p, &s) })
		if errors.Is(err, errNoTruth) {
			b.LeaveOut(s.Name, err)
			return nil
		}
		if err != nil {
			return err
		}
		known = vcf
	} else if err := command.Shell(fmt.Sprintf("bcftools norm -m -any -f %s -o %s %s", s.reference(), known, s.truth())); err != nil {
		return err
	}
	expected, err := readVariants(known)
	if err != nil {
		return err
	}
	for _, p := range b.programs {
		vcf := known
		if against != p.Name {
			if vcf, err = b.call(p, &s); err != nil {
				if err := b.skip(p, err); err != nil {
					return err
				}
				continue
			}
		}
		found, err := readVariants(vcf)
		if err != nil {
			return err
		}
		x := &calls{Set: s.Name, Program: p.Name, Against: against}
		x.compare(expected, found)
		fmt.Fprintf(os.Stderr, "%s: %s: SNPs %+v, indels %+v\n", s.Name, p.Name, x.SNPs, x.Indels)
		b.Variants = put(b.Variants, x, (*calls).key)
	}
	return nil
}

// call maps the pairs and calls variants of them, with bcftools, from records of MAPQ 20 or more.
func (b *bench) call(p program, s *set) (string, error) {
	if _, err := b.ready(p, s, false); err != nil {
		return "", err
	}
	sam, base := s.samOf(p), strings.TrimSuffix(s.samOf(p), ".sam")
	if p.sorts {
		p.Line = strings.Replace(p.Line, " map ", " map --sort ", 1)
		if err := b.maps(p, s, base+".bam"); err != nil {
			return "", err
		}
	} else {
		if err := b.maps(p, s, sam); err != nil {
			return "", err
		}
		if err := command.Shell(fmt.Sprintf("samtools sort -@ %d -o %s.bam %s && samtools index %s.bam", b.Threads-1, base, sam, base)); err != nil {
			return "", err
		}
	}
	vcf := base + ".vcf"
	err := command.Shell(fmt.Sprintf("bcftools mpileup -q 20 -f %s -r '%s' -Ob -o %s.pileup.bcf %s.bam && bcftools call -mv --ploidy %d -Ob -o %s.calls.bcf %s.pileup.bcf && "+
		"bcftools norm -m -any -f %s -Ob -o %s.norm.bcf %s.calls.bcf && bcftools view -i 'QUAL>=20' -o %s %s.norm.bcf",
		s.reference(), s.region, base, base, s.ploidy, base, base, s.reference(), base, base, vcf, base))
	if err != nil {
		return "", err
	}
	return vcf, sidebyside.Remove(sam, base+".pileup.bcf", base+".calls.bcf", base+".norm.bcf")
}

// readVariants returns the variants of a VCF file with one alternative a line, each as contig,
// position, and both alleles, and whether it is one of a single base.
func readVariants(file string) (map[string]bool, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all := map[string]bool{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.SplitN(lines.Text(), "\t", 6)
		if len(fields) < 6 {
			return nil, fmt.Errorf("%s: %q: expected six columns", file, lines.Text())
		}
		old, changed := strings.ToUpper(fields[3]), strings.ToUpper(fields[4])
		all[fields[0]+" "+fields[1]+" "+old+" "+changed] = len(old) == 1 && len(changed) == 1
	}
	return all, lines.Err()
}

// compare counts the variants that are known, called, and both.
func (c *calls) compare(known, called map[string]bool) {
	of := func(single bool) *score {
		if single {
			return &c.SNPs
		}
		return &c.Indels
	}
	for name, single := range known {
		of(single).Known++
		if _, found := called[name]; found {
			of(single).Both++
		}
	}
	for _, single := range called {
		of(single).Called++
	}
}
