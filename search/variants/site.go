package variants

import (
	"bytes"
	"cmp"
	"slices"

	"scanmap/dna"
)

// MaxAllele is the most letters that an allele may replace, and the most that may replace them,
// after the letters that both have in common at their ends are taken off. Longer variants are
// structural ones by the usual border of 50 bases.
const MaxAllele = 50

// An allele replaces letters of a contig.
type allele struct {
	id         int // in the order in which alleles were read
	site       *site
	start, end int // of the replaced letters, on the contig; start is end where letters are inserted
	letters    []byte
	name       string // such as chr1:1234:A>G
	// frequency is what AF of INFO says, where there are no genotypes; a negative number is unknown.
	frequency float64
	// carriers are the copies of chromosomes that have it, in ascending order, of the samples
	// whose call is not loose.
	carriers []uint32
	batch    int // the last one that counted them
}

// A site is a record of a VCF, or an IUPAC letter of a reference.
type site struct {
	contig   int
	position int // of the record's first letter; no allele starts before
	last     int // after the last letter that an allele replaces
	alleles  []*allele
	loose    map[int]looseCall // by sample
	samples  []int             // the samples of loose, in ascending order
	copies   int               // of the chromosome, of all samples
}

// A looseCall is the call of a sample, unphased or of a phase set: it is not known which alleles of
// other sites are on the same copy of the chromosome.
type looseCall struct {
	alleles []int // of each copy: one of the site, or -1 for the reference's
	set     int   // its phase set; 0 if it is unphased
}

// copiesOfSample is the number of copies of a chromosome that a sample may have.
const copiesOfSample = 16

// copyOf is the number of a sample's copy, as carriers have it.
func copyOf(sample, i int) uint32 { return uint32(sample*copiesOfSample + i) }

// carriedBy tells whether a copy has an allele.
func (a *allele) carriedBy(c uint32) bool {
	_, ok := slices.BinarySearch(a.carriers, c)
	return ok
}

// copiesOf returns the carriers that are copies of a sample.
func (a *allele) copiesOf(sample int) []uint32 {
	from, _ := slices.BinarySearch(a.carriers, copyOf(sample, 0))
	to := from
	for to < len(a.carriers) && a.carriers[to] < copyOf(sample+1, 0) {
		to++
	}
	return a.carriers[from:to]
}

// overlaps tells whether no haplotype can have both alleles. Two that touch can be on one
// haplotype, except two insertions at one place, whose order nothing says.
func (a *allele) overlaps(b *allele) bool {
	return a.site == b.site || overlap(a.start, a.end, b.start, b.end)
}

func overlap(aStart, aEnd, bStart, bEnd int) bool {
	if aStart == aEnd && bStart == bEnd {
		return aStart == bStart
	}
	return aStart < bEnd && bStart < aEnd
}

// inOrder is the order of alleles along a contig: alleles that do not overlap follow each other.
func inOrder(a, b *allele) int {
	return cmp.Or(a.start-b.start, a.end-b.end, a.id-b.id)
}

// trim takes off what both alleles of a record have in common, first at the end and then at the
// start, and returns how many letters at the start.
func trim(ref, alt []byte) (r, a []byte, before int) {
	for len(ref) > 0 && len(alt) > 0 && ref[len(ref)-1] == alt[len(alt)-1] {
		ref, alt = ref[:len(ref)-1], alt[:len(alt)-1]
	}
	for before < len(ref) && before < len(alt) && ref[before] == alt[before] {
		before++
	}
	return ref[before:], alt[before:], before
}

// with returns the elements of a list that are in another too, and without the others, both lists
// being in ascending order. They use the memory of the list.
func with(list, other []uint32) []uint32 {
	n := 0
	shared(list, other, func(i int) {
		list[n] = list[i]
		n++
	})
	return list[:n]
}

func without(list, other []uint32) []uint32 {
	n, next := 0, 0
	shared(list, other, func(i int) {
		n += copy(list[n:], list[next:i])
		next = i + 1
	})
	return list[:n+copy(list[n:], list[next:])]
}

// appendLetters appends the letters [from, to) of a contig.
func appendLetters(b []byte, ref *dna.Reference, contig, from, to int) []byte {
	at := len(b)
	start := ref.Contigs[contig].Start
	b = ref.Bases.AppendCodes(b, start+from, start+to)
	for i, code := range b[at:] {
		if code == dna.AmbiguousCode {
			b[at+i] = ref.Letter(start + from + i)
		} else {
			b[at+i] = "ACGT"[code]
		}
	}
	return b
}

// saved returns the most letters by which a haplotype may be shorter than the contig, by alleles of
// the sites that start at `from` or after it. An allele that reaches over `to` counts as if it
// ended there.
//
// It is the best weight of intervals that do not overlap, by dynamic programming over their ends.
func saved(sites []*site, from, to int) int {
	type gain struct{ start, end, letters int }
	var gains []gain
	for _, s := range sites {
		for _, a := range s.alleles {
			end := min(a.end, to)
			if n := end - a.start - len(a.letters); a.start >= from && n > 0 {
				gains = append(gains, gain{a.start, end, n})
			}
		}
	}
	slices.SortFunc(gains, func(a, b gain) int { return cmp.Compare(a.end, b.end) })
	best := make([]int, len(gains)+1)
	for i, g := range gains {
		before, _ := slices.BinarySearchFunc(gains[:i], g.start+1, func(g gain, at int) int { return cmp.Compare(g.end, at) })
		best[i+1] = max(best[i], best[before]+g.letters)
	}
	return best[len(gains)]
}

// iupacBases has the bases of each IUPAC letter that stands for two or three (NC-IUB 1984).
var iupacBases = map[byte]string{
	'M': "AC", 'R': "AG", 'W': "AT", 'S': "CG", 'Y': "CT", 'K': "GT",
	'V': "ACG", 'H': "ACT", 'D': "AGT", 'B': "CGT",
}

// fits tells whether a letter of REF may stand where the reference has another: VCF has no IUPAC
// letters, so that one of their bases, or N, stands for them.
func fits(vcf, reference byte) bool {
	if vcf == reference {
		return true
	}
	bases, ok := iupacBases[reference]
	return vcf == 'N' && ok || ok && bytes.IndexByte([]byte(bases), vcf) >= 0
}
