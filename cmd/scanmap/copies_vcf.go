package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scanmap/genome/copies"
	"scanmap/report"
)

// mostLikelihoods is how many numbers of copies have their likelihood in a VCF: with more, none
// has.
const mostLikelihoods = 33

// writeVCF writes the regions or, if there are none, the windows as VCF with one sample, in the
// order of the reference.
func (n *copyNumbers) writeVCF(w io.Writer, sample string) error {
	normal := strconv.Itoa(int(n.options.Copies))
	for _, p := range n.ploidyOf {
		normal += fmt.Sprintf(" (%s: %d)", p.contig, p.copies)
	}
	b := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(b, "##fileformat=VCFv4.3\n##source=scanmap %s\n##scanmap_copies=%s\n", version, n.describe())
	for _, c := range n.ref.Contigs {
		_, _ = fmt.Fprintf(b, "##contig=<ID=%s,length=%d>\n", c.Name, c.Length)
	}
	_, _ = fmt.Fprintf(b, `##ALT=<ID=DEL,Description="Fewer than %[1]s copies">
##ALT=<ID=DUP,Description="More than %[1]s copies">
##FILTER=<ID=bound,Description="The correction for GC content is at its bound for more than a tenth of the bases">
##FILTER=<ID=differ,Description="Mean and median of the region differ: a part of it has other copies">
##FILTER=<ID=between,Description="CNF is more than 4 standard deviations from CN: a part of the bases or cells has other copies">
##INFO=<ID=END,Number=1,Type=Integer,Description="Last base">
##INFO=<ID=SVTYPE,Number=1,Type=String,Description="DEL or DUP">
##INFO=<ID=SVLEN,Number=A,Type=Integer,Description="Bases, with a minus for DEL">
##FORMAT=<ID=CN,Number=1,Type=Integer,Description="Most likely number of copies">
##FORMAT=<ID=CNQ,Number=1,Type=Float,Description="-10 log10 of the probability of another number, at most 99">
##FORMAT=<ID=CNL,Number=.,Type=Float,Description="log10 of the likelihoods of 0, 1, 2 and more copies, less that of CN">
##FORMAT=<ID=CNF,Number=1,Type=Float,Description="Copies as measured">
##FORMAT=<ID=CNE,Number=1,Type=Float,Description="Standard error of CNF by counting">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	%[2]s
`, normal, sample)
	if len(n.Regions) == 0 {
		for i := range n.Windows {
			o := &n.Windows[i]
			n.writeVariant(b, copies.Interval{Contig: o.Contig, Start: o.Start, End: o.End}, "", o.Copies, &o.Count, false)
		}
		return b.Flush() // which has the errors of all writes
	}
	order := make([]int, len(n.Regions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &n.Regions[a], &n.Regions[b]
		return cmp.Or(cmp.Compare(x.Contig, y.Contig), cmp.Compare(x.Start, y.Start))
	})
	for _, i := range order {
		r := &n.Regions[i]
		n.writeVariant(b, r.Interval, n.names[i], r.Copies, &r.Count, r.Differ)
	}
	return b.Flush()
}

// writeVariant writes a record. POS is the base before, as symbolic alleles have it, or the first
// one where there is none before.
func (n *copyNumbers) writeVariant(b *bufio.Writer, at copies.Interval, name string, number float64, of *copies.Count, differ bool) {
	ploidy := int(n.options.Copies)
	contig := &n.ref.Contigs[at.Contig]
	pos := max(at.Start, 1)
	letter := n.ref.Letter(contig.Start + pos - 1)
	if !strings.ContainsRune("ACGT", rune(letter)) {
		letter = 'N'
	}
	if name == "" || strings.ContainsAny(name, " ;\t") {
		name = "."
	}
	filters := report.CopiesFlags(of, differ)
	alternative, info, values := ".", "END="+strconv.Itoa(at.End), ".:.:.:.:."
	if g, known := n.Genotype(number, of, ploidy); known {
		likelihoods := "."
		if len(g.Likelihoods) <= mostLikelihoods {
			var all []string
			for _, l := range g.Likelihoods {
				all = append(all, strconv.FormatFloat(math.Round(max(l, -999)*100)/100+0, 'f', -1, 64))
			}
			likelihoods = strings.Join(all, ",")
		}
		values = fmt.Sprintf("%d:%s:%s:%s:%s", g.Copies, decimal(g.Quality, 1), likelihoods, decimal(number, 3), decimal(of.Error, 3))
		if g.Between {
			filters = append(filters, "between")
		}
		for _, p := range n.ploidyOf {
			if p.contig == contig.Name {
				ploidy = p.copies
			}
		}
		switch {
		case g.Copies < ploidy:
			alternative, info = "<DEL>", fmt.Sprintf("%s;SVTYPE=DEL;SVLEN=-%d", info, at.End-at.Start)
		case g.Copies > ploidy:
			alternative, info = "<DUP>", fmt.Sprintf("%s;SVTYPE=DUP;SVLEN=%d", info, at.End-at.Start)
		}
	}
	filter := cmp.Or(strings.Join(filters, ";"), "PASS")
	_, _ = fmt.Fprintf(b, "%s\t%d\t%s\t%c\t%s\t.\t%s\t%s\tCN:CNQ:CNL:CNF:CNE\t%s\n", contig.Name, pos, name, letter, alternative, filter, info, values)
}

// sampleOf is the name of the sample of a file: its name up to the first point.
func sampleOf(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	if name == "" || name == "-" || strings.ContainsAny(name, " \t") {
		return "sample"
	}
	return name
}
