package guides

import (
	"bytes"
	"cmp"
	"slices"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// A guide is a pattern, taken apart.
type guide struct {
	letters  []byte // with T for U
	pam      []byte
	pamFirst bool
	// scored tells that the scores of its nuclease are defined for it.
	scored   bool
	nuclease Nuclease
	// form is the form of the PAM, and shown its letters in alignments. before are the letters of
	// the forms that the guide has before this one, outward.
	form   Form
	shown  []byte
	before [][]byte
	// matches tells whether a letter of the guide or the PAM matches a letter of a site. With iupac
	// letters of a site stand for their bases.
	matches func(letter, base byte) bool
	iupac   bool
}

// newGuide takes a pattern apart.
func newGuide(p *search.Pattern, n Nuclease) guide {
	g := guide{letters: withT(p.WithoutPAM()), pam: withT([]byte(p.PAM)), pamFirst: p.PAMFirst, nuclease: n}
	if n.IsCas12a() {
		g.scored = cas12aGuide(g.letters) && g.pamFirst
		return g
	}
	g.scored = len(g.letters) == Length && plain(g.letters) && 0 < len(g.pam) && len(g.pam) <= pamLength && !g.pamFirst
	return g
}

// newGuides takes the patterns of guides apart, one guide a pattern.
func newGuides(patterns []search.Pattern, o *Options) []guide {
	all := make([]guide, len(patterns))
	for i := range patterns {
		p := &patterns[i]
		all[i] = newGuide(p, o.Nuclease)
		g, j := &all[i], i%o.PAMs
		g.iupac, g.matches = o.ReferenceIUPAC, (&search.Options{ReferenceIUPAC: o.ReferenceIUPAC}).Matcher()
		if g.form = (Form{PAM: p.PAM, Index: j}); o.Forms != nil {
			g.form = o.Forms[j]
		}
		g.shown = g.form.shown(g.pamFirst)
		g.scored = g.scored && g.form.Gap == 0
		for j := i - j; j < i; j++ {
			g.before = append(g.before, all[j].outward(nil, all[j].pam))
		}
	}
	return all
}

// withT returns letters with T for U.
func withT(letters []byte) []byte { return bytes.ReplaceAll(letters, []byte("U"), []byte("T")) }

// A Place is where a guide fits.
type Place struct {
	search.Location
	// Mismatches, DNABulges and RNABulges add up to Distance.
	Mismatches, DNABulges, RNABulges int
	// Guide and Site are aligned, in the direction of the guide and with the PAM: a '-'
	// stands in Guide for each letter of a DNA bulge, in Site for each of an RNA bulge. In Site
	// letters that the guide does not match or lacks are in lower case.
	Guide, Site string
	// PAM is how many letters of both belong to the PAM and its gap: the last ones or, with PAMFirst,
	// the first. Form is the one of several that the place belongs to.
	PAM      int
	PAMFirst bool
	Form     Form
	// MIT and CFD are the hit scores, from 0 to 100 and from 0 to 1, NaN where they are not defined:
	// with bulges and, of SpCas9, for guides other than of 20 letters A, C, G, T before a PAM of one
	// to three, and where the site, or the letters that CFD needs behind a shorter PAM, has another
	// letter or ends.
	MIT, CFD float64
	// Regions are the numbers of the regions that it shares bases with.
	Regions []int
	// Target tells that it is the target, as far as that is known while places come: a place
	// that the guide was taken from, or an exact one before all others.
	Target bool
}

// Parts returns the alignments of the guide and of the PAM.
func (p *Place) Parts() (guide, site, guidePAM, sitePAM string) {
	if p.PAMFirst {
		return p.Guide[p.PAM:], p.Site[p.PAM:], p.Guide[:p.PAM], p.Site[:p.PAM]
	}
	border := len(p.Guide) - p.PAM
	return p.Guide[:border], p.Site[:border], p.Guide[border:], p.Site[border:]
}

// AppendCIGAR appends the alignment along the reference, as search.TSV has it.
func (p *Place) AppendCIGAR(dst []byte) []byte {
	operations := p.Operations
	if operations == nil {
		operations = []locate.Operation{{Kind: locate.Diagonal, Length: int32(p.End - p.Start)}}
	}
	return locate.AppendCIGAR(dst, operations)
}

// A reader reads sites. It is the scratch memory of a Counter.
type reader struct {
	ref         *dna.Reference
	codes       []byte
	site        []byte
	pam         []byte
	guide, text []byte // aligned
	operations  []locate.Operation
}

// read returns the letters of a location's site, in the direction of the guide. They are valid
// until the next call.
func (r *reader) read(l *search.Location) []byte {
	start := r.ref.Contigs[l.Contig].Start
	from, to := start+l.Start, start+l.End
	r.codes = r.ref.Bases.AppendCodes(r.codes[:0], from, to)
	r.site = r.site[:0]
	for i, code := range r.codes {
		c := "ACGT"[code&3]
		if code == dna.AmbiguousCode {
			c = r.ref.Letter(from + i)
		}
		r.site = append(r.site, c)
	}
	if l.Reverse {
		dna.ReverseComplement(r.site)
	}
	return r.site
}

// beside returns n letters beside a guide on a site that read returned, outward, or as many as the
// contig has: its PAM, and letters beyond. They are valid until the next call.
func (r *reader) beside(g *guide, l *search.Location, site []byte, n int) []byte {
	r.pam = g.outward(r.pam[:0], site)
	contig := &r.ref.Contigs[l.Contig]
	for i := range n - len(g.pam) {
		at := l.End + i
		if l.Reverse != g.pamFirst {
			at = l.Start - 1 - i
		}
		if at < 0 || at >= contig.Length {
			break
		}
		letter := r.ref.Letter(contig.Start + at)
		if l.Reverse {
			letter = dna.Complement(letter)
		}
		r.pam = append(r.pam, letter)
	}
	return r.pam
}

// scores returns the hit scores of a site that read returned. pam has at least the three letters
// after the guide, if they are there. A letter that stands for several bases counts as the base by
// which the score is highest.
func (g *guide) scores(site, pam []byte, bulges bool) (mit, cfd float64) {
	if !g.scored || bulges || len(site) != len(g.letters)+len(g.pam) {
		return MITHit(nil, nil), CFDHit(nil, nil, nil)
	}
	n := len(g.letters)
	if g.nuclease.IsCas12a() {
		return MITHit(nil, nil), Cas12aHit(g.nuclease, g.letters, g.highest(site[len(g.pam):]))
	}
	pam = pam[:min(pamLength, len(pam))]
	if g.iupac && !plain(pam) {
		pam = g.highestPAM(pam)
	}
	site = g.highest(site[:n])
	return MITHit(g.letters, site), CFDHit(g.letters, site, pam)
}

// highest returns the letters of a site, with one base for each letter that stands for several: the
// base of the guide, because a mismatch scores no more, or else the base with the highest CFD. MIT
// is the same for all mismatches.
func (g *guide) highest(site []byte) []byte {
	if !g.iupac || plain(site) {
		return site
	}
	site = slices.Clone(site)
	for i, letter := range g.letters {
		c, best := site[i], -1.0
		if g.matches(letter, c) {
			site[i] = letter
			continue
		}
		for _, base := range []byte("ACGT") {
			if activity := g.nuclease.activity(letter, base, i); activity > best && g.matches(base, c) {
				site[i], best = base, activity
			}
		}
	}
	return site
}

// highestPAM is highest for the letters after a guide of SpCas9, with bases that fit its PAM.
func (g *guide) highestPAM(pam []byte) []byte {
	all := [][]byte{nil}
	for i, c := range pam {
		var longer [][]byte
		for _, base := range []byte("ACGT") {
			if g.matches(base, c) && (i >= len(g.pam) || search.Matches(g.pam[i], base)) {
				for _, start := range all {
					longer = append(longer, append(slices.Clone(start), base))
				}
			}
		}
		all = longer
	}
	if len(all) == 0 {
		return pam
	}
	return slices.MaxFunc(all, func(a, b []byte) int {
		return cmp.Compare(CFDHit(g.letters, g.letters, a), CFDHit(g.letters, g.letters, b))
	})
}

// align returns a guide with its PAM and a site that read returned as Place.Guide and Place.Site
// have them.
func (r *reader) align(g *guide, l *search.Location, site []byte) (string, string) {
	r.operations = append(r.operations[:0], l.Operations...)
	if len(r.operations) == 0 {
		r.operations = append(r.operations, locate.Operation{Kind: locate.Diagonal, Length: int32(len(site))})
	}
	if l.Reverse {
		slices.Reverse(r.operations)
	}
	r.guide, r.text = r.guide[:0], r.text[:0]
	letters := slices.Concat(g.letters, g.shown)
	if g.pamFirst {
		letters = slices.Concat(g.shown, g.letters)
	}
	q, at := 0, 0
	for _, o := range r.operations {
		for range o.Length {
			shown, facing := byte('-'), byte('-')
			if o.Kind != locate.Deletion {
				shown = letters[q]
				q++
			}
			if o.Kind != locate.Insertion {
				facing = site[at]
				at++
				if o.Kind == locate.Deletion || !g.matches(shown, facing) {
					facing |= 0x20
				}
			}
			r.guide, r.text = append(r.guide, shown), append(r.text, facing)
		}
	}
	return string(r.guide), string(r.text)
}
