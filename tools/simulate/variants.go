package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/bgzf"
)

// variants is the command "simulate variants": the variants of a population, with the genotypes of
// its samples.
func variants(arguments []string) error {
	flags := flag.NewFlagSet("simulate variants", flag.ExitOnError)
	reference := flags.String("ref", "", "reference in FASTA")
	p := population{}
	flags.IntVar(&p.samples, "samples", 2504, "number of samples, with two copies each; 0 gives a VCF without genotypes")
	flags.Float64Var(&p.every, "every", 35, "mean number of bases from one record to the next")
	flags.BoolVar(&p.unphased, "unphased", false, "write genotypes as 0/1")
	seed := flags.Uint64("seed", 1, "another seed gives other variants")
	threads := flags.Int("threads", runtime.NumCPU(), "threads that compress; they do not change the output")
	output := flags.String("o", "-", "VCF file; BGZF if the name ends with .gz")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	if p.samples < 0 || !(p.every >= 1) {
		return errors.New("-samples is at least 0, and -every at least 1")
	}
	ref, err := fasta.LoadReference(context.Background(), *reference, 2)
	if err != nil {
		return err
	}
	p.ref, p.rand = ref, rand.New(rand.NewPCG(*seed, 3))
	return writeFile(*output, func(w *bufio.Writer) error {
		if !strings.HasSuffix(*output, ".gz") {
			return p.write(w)
		}
		z, err := bgzf.NewWriter(w, bgzf.DefaultLevel, *threads)
		if err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(z, 1<<20)
		if err := errors.Join(p.write(buffered), buffered.Flush()); err != nil {
			z.Discard()
			return err
		}
		return z.Close()
	})
}

const (
	// founders is the number of haplotypes that the copies of a population are made of.
	founders = 48
	// founderBlock is the mean number of bases that a copy takes from one founder, and founderStep
	// how often another one may be taken.
	founderBlock, founderStep = 20000, 1000
	// shareSNV is the share of alleles that replace one base; shareSecond the share of records that
	// have one more allele.
	shareSNV, shareSecond = 0.85, 0.03
	// mostIndel is the longest insertion or deletion.
	mostIndel = 50
)

// A population has records along a reference, at distances drawn from an exponential distribution.
//
// An allele is on x of its n copies of a chromosome with a probability that falls as 1/x, as in a
// population of constant size without selection (Fu 1995, Theor. Popul. Biol. 48:172). Most alleles
// are rare.
//
// Copies are mosaics of founders. An allele that is on more copies than one founder has is one of
// some founders, so that such alleles are linked; a rarer one is on some copies of one founder.
type population struct {
	ref      *dna.Reference
	rand     *rand.Rand
	samples  int
	every    float64
	unphased bool

	founder []int // of each copy
	line    []byte
}

// write writes the VCF.
func (p *population) write(w *bufio.Writer) error {
	var b strings.Builder
	b.WriteString("##fileformat=VCFv4.2\n")
	for i := range p.ref.Contigs {
		fmt.Fprintf(&b, "##contig=<ID=%s,length=%d>\n", p.ref.Contigs[i].Name, p.ref.Contigs[i].Length)
	}
	if p.samples > 0 {
		b.WriteString("##INFO=<ID=AC,Number=A,Type=Integer,Description=\"Copies with each allele\">\n" +
			"##INFO=<ID=AN,Number=1,Type=Integer,Description=\"Copies\">\n" +
			"##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n")
	}
	b.WriteString("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
	if p.samples > 0 {
		b.WriteString("\tFORMAT")
		for i := range p.samples {
			fmt.Fprintf(&b, "\tS%04d", i+1)
		}
	}
	b.WriteByte('\n')
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	p.founder = make([]int, 2*p.samples)
	for i := range p.ref.Contigs {
		if err := p.writeContig(w, &p.ref.Contigs[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeContig writes the records of a contig.
func (p *population) writeContig(w *bufio.Writer, c *dna.Contig) error {
	for i := range p.founder {
		p.founder[i] = p.rand.IntN(founders)
	}
	step := 0
	for at := p.gap() - 1; at < c.Length; at += p.gap() {
		for ; step < at/founderStep; step++ {
			for i := range p.founder {
				if p.rand.IntN(founderBlock/founderStep) == 0 {
					p.founder[i] = p.rand.IntN(founders)
				}
			}
		}
		ref, alts := p.alleles(c, at)
		if ref == nil {
			continue
		}
		if _, err := w.Write(p.record(c.Name, at, ref, alts)); err != nil {
			return err
		}
	}
	return nil
}

// gap draws the bases from one record to the next.
func (p *population) gap() int { return 1 + int((p.every-0.5)*p.rand.ExpFloat64()) }

// alleles draws REF and ALT at a position; REF is nil if letters are not A, C, G or T.
func (p *population) alleles(c *dna.Contig, at int) (ref []byte, alts [][]byte) {
	count := 1
	if p.rand.Float64() < shareSecond {
		count = 2
	}
	// Each allele replaces the first `deleted` letters after the first one of REF, or that one.
	type drawn struct {
		deleted int
		letters []byte
	}
	var all []drawn
	longest := 0
	first := p.ref.Letter(c.Start + at)
	for range count {
		var a drawn
		switch x := p.rand.Float64(); {
		case x < shareSNV:
			a.letters = []byte{p.substituted(first)}
		case x < (1+shareSNV)/2:
			a.letters = []byte{first}
			for range p.indel() {
				a.letters = append(a.letters, dna.Letters[p.rand.IntN(4)])
			}
		default:
			a.letters, a.deleted = []byte{first}, p.indel()
		}
		longest = max(longest, a.deleted)
		all = append(all, a)
	}
	if at+longest >= c.Length {
		return nil, nil
	}
	for i := range longest + 1 {
		ref = append(ref, p.ref.Letter(c.Start+at+i))
	}
	if !isDNA(ref) {
		return nil, nil
	}
	for i, a := range all {
		alt := append(a.letters, ref[1+a.deleted:]...)
		if i > 0 && string(alt) == string(alts[0]) {
			break
		}
		alts = append(alts, alt)
	}
	return ref, alts
}

// substituted draws another base: the other purine or pyrimidine twice as often as one of the
// others together.
func (p *population) substituted(base byte) byte {
	if p.rand.IntN(3) < 2 {
		if i := strings.IndexByte("AGCT", base); i >= 0 {
			return "GATC"[i]
		}
	}
	return otherLetter(base, p.rand)
}

// indel draws a length: l with a probability that falls as 1/l^2, as lengths of indels do about.
func (p *population) indel() int {
	for {
		if n := int(1 / (1 - p.rand.Float64())); n <= mostIndel {
			return n
		}
	}
}

// record makes a line.
func (p *population) record(contig string, at int, ref []byte, alts [][]byte) []byte {
	b := append(p.line[:0], contig...)
	b = strconv.AppendInt(append(b, '\t'), int64(at+1), 10)
	b = append(append(append(b, "\t.\t"...), ref...), '\t')
	for i, alt := range alts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, alt...)
	}
	b = append(b, "\t.\tPASS\t"...)
	if p.samples == 0 {
		b = append(b, ".\n"...)
		p.line = b
		return b
	}
	copies := 2 * p.samples
	has := make([]byte, copies) // the number of the allele that each copy has
	counts := make([]int, len(alts))
	for i := range alts {
		for _, c := range p.carriers(copies) {
			if has[c] == 0 {
				has[c] = byte(i + 1)
				counts[i]++
			}
		}
	}
	b = append(b, "AC="...)
	for i, n := range counts {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	b = strconv.AppendInt(append(b, ";AN="...), int64(copies), 10)
	b = append(b, "\tGT"...)
	sign := byte('|')
	if p.unphased {
		sign = '/'
	}
	for i := 0; i < copies; i += 2 {
		one, two := has[i], has[i+1]
		if p.unphased && one > two {
			one, two = two, one
		}
		b = append(b, '\t', '0'+one, sign, '0'+two)
	}
	b = append(b, '\n')
	p.line = b
	return b
}

// carriers draws the copies that have an allele.
func (p *population) carriers(copies int) (carriers []int) {
	count := int(math.Pow(float64(copies), p.rand.Float64())) // 1 to copies-1, or copies by rounding
	if n := (count*founders + copies/2) / copies; n > 1 {
		var chosen [founders]bool
		for _, f := range p.rand.Perm(founders)[:min(n, founders)] {
			chosen[f] = true
		}
		for c, f := range p.founder {
			if chosen[f] {
				carriers = append(carriers, c)
			}
		}
		return carriers
	}
	founder := p.founder[p.rand.IntN(copies)]
	for c, f := range p.founder {
		if f == founder {
			carriers = append(carriers, c)
		}
	}
	p.rand.Shuffle(len(carriers), func(i, j int) { carriers[i], carriers[j] = carriers[j], carriers[i] })
	return carriers[:min(count, len(carriers))]
}
