// Package genome makes references that are like the human genome to whoever looks for where reads
// fit: as much is repeated, as often, and copies are as far apart. It knows nothing of genes.
//
// A genome is cut into blocks of at most about 64 kb, and each is made from the seed and its
// position alone. Therefore the bytes do not depend on threads, a genome is written in the memory
// of a few blocks, and the source of a segmental duplication is made again where its copy is
// needed. There are four kinds of blocks:
//
//   - ordinary sequence (ordinary.go): an isochore's background, and elements (families.go)
//     inserted into it, oldest first, so that younger ones interrupt older ones;
//   - an array of alpha satellite in each contig, in higher orders (satellite.go);
//   - segmental duplications (duplication.go), copies of ordinary sequence anywhere;
//   - gaps, which are runs of N, if asked for.
//
// Left out are target site duplications, conversion between copies, other satellites, ribosomal
// genes, and any order among the genomic places of a family but by isochore.
package genome

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"scanmap/dna"
)

// Profile names the shares of a genome before any are changed.
type Profile string

// The profiles.
const (
	Human  Profile = "human"  // all that the package knows, at published shares
	Random Profile = "random" // independent bases, each with probability 1/4
)

// Options say what to make.
type Options struct {
	Bases   int64
	Contigs int
	Seed    uint64
	Profile Profile
	// Shares replace the shares of groups (Groups has the names), as shares of all bases.
	Shares map[string]float64
	// Element is one more family, the youngest, if its Length is not 0.
	Element Element
}

// Element is a family of full-length copies.
type Element struct {
	Length      int     // in bases
	Share       float64 // of all bases
	Least, Most float64 // divergence of the copies, drawn evenly between the two
}

// Names of groups that the package has to know.
const (
	groupAlpha   = "alpha"   // arrays of alpha satellite
	groupSegdup  = "segdup"  // copies of segmental duplications; as much again is their sources
	groupGap     = "gap"     // runs of N
	groupElement = "element" // Options.Element
	groupAlu     = "Alu"
)

// Human's shares of groups that are no families.
const (
	// Altemose et al. 2022 (Science 376, eabl4178): alpha satellite is 2.8 % of T2T-CHM13.
	shareAlpha = 0.028
	// Bailey et al. 2002 (Science 297, 1003) count 5 % in duplications of at least 1 kb and 90 %
	// identity, Nurk et al. 2022 (Science 376, 44) 6.6 % of T2T-CHM13: copies and sources, so that
	// copies are half.
	shareSegdup = 0.033
)

// A Contig is one sequence of a genome.
type Contig struct {
	Name   string
	Length int64

	ordinary int64 // bases of ordinary sequence
	isochore int64 // number of its first isochore
	blocks   []block
}

// Genome is what will be written.
type Genome struct {
	Contigs []Contig

	options  Options
	families []family
	shares   map[string]float64 // of groups
	layers   [len(isochores)]layer
	alpha    []byte // the monomer that all are from
}

// Groups returns the names that Options.Shares may have.
func Groups() []string {
	names := []string{groupAlpha, groupSegdup, groupGap}
	for _, f := range humanFamilies() {
		if !slices.Contains(names, f.group) {
			names = append(names, f.group)
		}
	}
	return names
}

// humanLengths are the lengths of chromosomes 1 to 22, X and Y of GRCh38, in Mb.
var humanLengths = [...]float64{
	248.96, 242.19, 198.30, 190.21, 181.54, 170.81, 159.35, 145.14, 138.39, 133.80, 135.09, 133.28,
	114.36, 107.04, 101.99, 90.34, 83.26, 80.37, 58.62, 64.44, 46.71, 50.82, 156.04, 57.23,
}

// leastContig is the mean length of contigs below which there is nothing to lay out.
const leastContig = 100

// New lays a genome out. Options that cannot be are an error.
func New(o Options) (*Genome, error) {
	if o.Contigs < 1 || o.Bases < leastContig*int64(o.Contigs) {
		return nil, fmt.Errorf("%d bases in %d contigs: expected at least one contig, and %d bases for each", o.Bases, o.Contigs, leastContig)
	}
	g := &Genome{options: o, shares: map[string]float64{}}
	switch o.Profile {
	case Human:
		g.families = humanFamilies()
		g.shares[groupAlpha], g.shares[groupSegdup] = shareAlpha, shareSegdup
	case Random:
		for _, f := range humanFamilies() {
			f.share = 0
			g.families = append(g.families, f)
		}
	default:
		return nil, fmt.Errorf("profile %q is not one of %s, %s", o.Profile, Human, Random)
	}
	if err := g.setShares(); err != nil {
		return nil, err
	}
	g.makeElements()
	if err := g.makeLayers(); err != nil {
		return nil, err
	}
	total := 0.0
	for i := range o.Contigs {
		total += humanLengths[i%len(humanLengths)]
	}
	sum, done := 0.0, int64(0)
	for i := range o.Contigs {
		sum += humanLengths[i%len(humanLengths)]
		end := int64(math.Round(float64(o.Bases) * (sum / total)))
		if i == o.Contigs-1 {
			end = o.Bases
		}
		if end-done > dna.MaxContigLength {
			return nil, fmt.Errorf("contig %d would have %d bases, more than the %d that SAM can name: expected more contigs", i+1, end-done, dna.MaxContigLength)
		}
		g.Contigs = append(g.Contigs, Contig{Name: fmt.Sprintf("chr%d", i+1), Length: end - done})
		done = end
	}
	g.layOut()
	return g, nil
}

// setShares takes what Options say of shares into families and groups.
func (g *Genome) setShares() error {
	o := &g.options
	names := Groups()
	for _, name := range slices.Sorted(maps.Keys(o.Shares)) {
		share := o.Shares[name]
		if !slices.Contains(names, name) {
			return fmt.Errorf("group %q is not one of %s", name, strings.Join(names, ", "))
		}
		if !(share >= 0 && share < 1) {
			return fmt.Errorf("a share of %g for %s: expected 0 to less than 1", share, name)
		}
		g.shares[name] = share
		scale(g.families, name, share)
	}
	if e := o.Element; e.Length != 0 {
		if e.Length < 10 || e.Length > blockBases/8 {
			return fmt.Errorf("an element of %d bases: expected 10 to %d", e.Length, blockBases/8)
		}
		if !(e.Share >= 0 && e.Share < 1 && e.Least >= 0 && e.Least <= e.Most && e.Most <= 0.5) {
			return fmt.Errorf("an element on %g of the bases, %g to %g diverged: expected a share below 1 and divergences from 0 to 0.5", e.Share, e.Least, e.Most)
		}
		g.families = append(g.families, family{
			name: groupElement, group: groupElement, share: e.Share, length: e.Length, least: e.Least, most: e.Most,
			composition: [4]float64{0.25, 0.25, 0.25, 0.25}, variants: 1, full: 1,
		})
	}
	if special := g.shares[groupAlpha] + g.shares[groupSegdup] + g.shares[groupGap]; special > 0.5 {
		return fmt.Errorf("shares of %s, %s and %s are %g together: expected at most 0.5", groupAlpha, groupSegdup, groupGap, special)
	}
	return nil
}

// scale gives the families of a group a share together, split as before; families that had none get
// equal parts.
func scale(families []family, group string, share float64) {
	human := humanFamilies()
	before := 0.0
	for _, f := range human {
		if f.group == group {
			before += f.share
		}
	}
	for i := range families {
		if families[i].group == group {
			families[i].share = share * human[i].share / before
		}
	}
}
