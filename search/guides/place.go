package guides

import (
	"bytes"
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
	// before are the PAMs that the guide has before this one.
	before [][]byte
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

// newGuides takes the patterns of guides with some PAMs each apart, one guide a pattern.
func newGuides(patterns []search.Pattern, pams int, n Nuclease) []guide {
	all := make([]guide, len(patterns))
	for i := range patterns {
		all[i] = newGuide(&patterns[i], n)
		for j := i - i%pams; j < i; j++ {
			all[i].before = append(all[i].before, all[j].pam)
		}
	}
	return all
}

// pamOf returns the letters of a site that belong to the PAM.
func (g *guide) pamOf(site []byte) []byte {
	if g.pamFirst {
		return site[:min(len(g.pam), len(site))]
	}
	return site[max(0, len(site)-len(g.pam)):]
}

// another tells whether a PAM before this one fits a site as well: its place is one of that PAM.
func (g *guide) another(site []byte) bool {
	at := g.pamOf(site)
	return slices.ContainsFunc(g.before, func(pam []byte) bool { return fits(at, pam) })
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
	// PAM is how many letters of both belong to the PAM: the last ones or, with PAMFirst, the first.
	// Which PAM of several it is says the pattern.
	PAM      int
	PAMFirst bool
	// MIT and CFD are the hit scores, from 0 to 100 and from 0 to 1, NaN where they are not defined:
	// with bulges and, of SpCas9, for guides other than of 20 letters A, C, G, T before a PAM of one
	// to three, and where the site, or the letters that CFD needs behind a shorter PAM, has another
	// letter or ends.
	MIT, CFD float64
	// Regions are the numbers of those that it shares bases with.
	Regions []int
	// Target tells that it is the target, as far as that is known while places come: a place
	// that the guide was taken from, or an exact one before all others.
	Target bool
}

// Parts returns the alignment of the guide, and that of the PAM.
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
		slices.Reverse(r.site)
		for i, c := range r.site {
			r.site[i] = dna.Complement(c)
		}
	}
	return r.site
}

// whole returns the three letters after a guide on a site that read returned, or as many as the
// contig has: a PAM, with letters behind it that a shorter one leaves out. They are valid until the
// next call.
func (r *reader) whole(g *guide, l *search.Location, site []byte) []byte {
	r.pam = append(r.pam[:0], g.pamOf(site)...)
	contig := &r.ref.Contigs[l.Contig]
	for n := range pamLength - len(g.pam) {
		at, inside := l.End+n, l.End+n < contig.Length
		if l.Reverse {
			at = l.Start - 1 - n
			inside = at >= 0
		}
		if !inside {
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

// scores returns the hit scores of a site that read returned, with the three letters after it as
// whole returns them.
func (g *guide) scores(site, pam []byte, bulges bool) (mit, cfd float64) {
	if !g.scored || bulges {
		return MITHit(nil, nil), CFDHit(nil, nil, nil)
	}
	if g.nuclease.IsCas12a() {
		return MITHit(nil, nil), Cas12aHit(g.nuclease, g.letters, site[len(g.pam):])
	}
	n := len(g.letters)
	return MITHit(g.letters, site[:n]), CFDHit(g.letters, site[:n], pam)
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
	letters := slices.Concat(g.letters, g.pam)
	if g.pamFirst {
		letters = slices.Concat(g.pam, g.letters)
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
				if o.Kind == locate.Deletion || !search.Matches(shown, facing) {
					facing |= 0x20
				}
			}
			r.guide, r.text = append(r.guide, shown), append(r.text, facing)
		}
	}
	return string(r.guide), string(r.text)
}
