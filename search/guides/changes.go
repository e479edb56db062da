package guides

import (
	"math"

	"scanmap/search"
	"scanmap/search/variants"
)

// A Change is what the alleles of a haplotype do to a place of a guide, with scores.
type Change struct {
	*variants.Change
	// Alternative and Reference are both sides.
	Alternative, Reference ChangeSide
	// PAM says that alleles made the PAM of the place, or took it away, by the name of the kind: the
	// letters that stand there on the other side do not fit it. Otherwise it is empty.
	PAM string
	// Target tells that the reference's place is the target of the guide.
	Target bool
}

// A ChangeSide is one side of a change.
type ChangeSide struct {
	// Letters are the site as Place.Site has it, empty if there is none. CIGAR is the alignment
	// along the contig, empty where there is no place.
	Letters, CIGAR string
	// MIT and CFD are the hit scores of the letters as Place has them, also where they are no place.
	// CFD of SpCas9 is NaN beside a PAM of fewer than three letters.
	MIT, CFD float64
}

// A ChangeSummary is what all changes of a guide come to.
type ChangeSummary struct {
	// Made, Changed and Lost are the numbers of changes by their kind. A place has one for each
	// combination of alleles that haplotypes have there.
	Made, Changed, Lost int64
	// PAMMade is how many made places have a PAM that alleles make, and PAMLost how many lost
	// places have a PAM that alleles take away.
	PAMMade, PAMLost int64
	// MadeCFD is the highest CFD of the made places, NaN if none has one.
	MadeCFD float64
	// TargetLost is the number of haplotypes that have no exact place at the target, and
	// TargetFrequency the share of copies of the chromosome that have one of these, 1 at most. It is
	// NaN where a frequency is not known.
	TargetLost      int64
	TargetFrequency float64
}

// A ChangeCounter scores changes and sums them up. Changes come as variants.Compare hands them
// over.
type ChangeCounter struct {
	pams    int     // of each guide
	aside   int     // the last ones, of off-targets alone
	guides  []guide // by pattern
	targets []*Site
	all     []ChangeSummary
	reader  reader
	// The guide whose changes come, and its target on each haplotype, by the alleles.
	current int
	target  map[string]targetHaplotype
}

// A targetHaplotype is a haplotype at a target.
type targetHaplotype struct {
	exact     bool
	frequency float64
}

// NewChangeCounter makes a counter for the patterns of a search, with the PAMs and the nuclease of
// options, and the targets of the guides on the reference. Some targets may be nil.
func NewChangeCounter(patterns []search.Pattern, targets []*Site, o Options) *ChangeCounter {
	o.PAMs = max(o.PAMs, 1)
	pams := o.PAMs
	c := &ChangeCounter{pams: pams, aside: o.Aside, guides: newGuides(patterns, &o), targets: targets,
		all: make([]ChangeSummary, len(patterns)/pams), target: map[string]targetHaplotype{}}
	for i := range c.all {
		c.all[i].MadeCFD = math.NaN()
	}
	return c
}

// Count counts a change, and returns it with scores. Each of several PAMs has changes of its own:
// alleles that exchange one PAM for another take a place away and make one. Changes are not
// counted, and false is returned, if PAMs before fit all their sides.
func (c *ChangeCounter) Count(v *variants.Change) (Change, bool) {
	if of := v.Pattern / c.pams; of != c.current {
		c.finish()
		c.current = of
	}
	g, s := &c.guides[v.Pattern], &c.all[c.current]
	if (v.Haplotype.Distance < 0 || g.another(g.outward(nil, v.Haplotype.Letters))) && (v.Reference.Distance < 0 || g.another(g.outward(nil, v.Reference.Letters))) {
		return Change{}, false
	}
	x := Change{Change: v, Alternative: c.side(g, v, &v.Haplotype), Reference: c.side(g, v, &v.Reference)}
	switch v.Kind {
	case variants.Made:
		s.Made++
		if g.lacksPAM(v.Reference.Letters) {
			x.PAM = v.Kind.String()
			s.PAMMade++
		}
		if above(x.Alternative.CFD, s.MadeCFD) {
			s.MadeCFD = x.Alternative.CFD
		}
	case variants.Changed:
		s.Changed++
	case variants.Lost:
		s.Lost++
		if g.lacksPAM(v.Haplotype.Letters) {
			x.PAM = v.Kind.String()
			s.PAMLost++
		}
	}
	at, mayBe := c.targets[c.current], v.Pattern%c.pams < c.pams-c.aside
	x.Target = mayBe && at != nil && v.Kind != variants.Made &&
		*at == Site{v.Contig, v.Reference.Start, v.Reference.End, v.Reverse}
	// Another PAM of the target, which alleles made.
	remade := mayBe && at != nil && v.Kind == variants.Made && v.Haplotype.Distance == 0 &&
		*at == Site{v.Contig, v.Haplotype.Start, v.Haplotype.End, v.Reverse}
	if x.Target || remade {
		h := c.target[v.Alleles]
		h.exact = h.exact || v.Haplotype.Distance == 0
		h.frequency = v.Frequency
		c.target[v.Alleles] = h
	}
	return x, true
}

// side scores a side, and shows its letters.
func (c *ChangeCounter) side(g *guide, v *variants.Change, s *variants.Side) ChangeSide {
	out := ChangeSide{MIT: math.NaN(), CFD: math.NaN()}
	if len(s.Letters) == 0 {
		return out
	}
	location := search.Location{Reverse: v.Reverse, Operations: s.Operations}
	classes := location.Classes()
	out.MIT, out.CFD = g.scores(s.Letters, g.outward(nil, s.Letters), classes.DNABulges+classes.RNABulges > 0)
	_, out.Letters = c.reader.align(g, &location, s.Letters)
	if s.Distance >= 0 {
		location.End = len(s.Letters)
		out.CIGAR = string((&Place{Location: location}).AppendCIGAR(nil))
	}
	return out
}

// lacksPAM tells whether letters, if there are any, neither begin nor end with the PAM as the guide
// has it.
func (g *guide) lacksPAM(site []byte) bool {
	if len(site) < len(g.pam) {
		return false
	}
	if !g.pamFirst {
		site = site[len(site)-len(g.pam):]
	}
	return !fits(site, g.pam, g.matches)
}

// finish sums up the target of the current guide on all haplotypes.
func (c *ChangeCounter) finish() {
	if len(c.all) == 0 {
		return
	}
	s := &c.all[c.current]
	for _, h := range c.target {
		if !h.exact {
			s.TargetLost++
			s.TargetFrequency += h.frequency
		}
	}
	s.TargetFrequency = min(s.TargetFrequency, 1)
	clear(c.target)
}

// Summaries returns the summary of each guide, after all changes.
func (c *ChangeCounter) Summaries() []ChangeSummary {
	c.finish()
	return c.all
}
