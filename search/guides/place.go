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
	// scored tells that both rules of score.go are defined for it.
	scored bool
}

// newGuide takes a pattern apart.
func newGuide(p *search.Pattern) guide {
	g := guide{letters: withT(p.WithoutPAM()), pam: withT([]byte(p.PAM)), pamFirst: p.PAMFirst}
	g.scored = len(g.letters) == Length && plain(g.letters) && len(g.pam) == pamLength && !g.pamFirst
	return g
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
	PAM      int
	PAMFirst bool
	// MIT and CFD are the hit scores, from 0 to 100 and from 0 to 1, NaN where they are not defined:
	// with bulges, for guides other than of 20 letters A, C, G, T before a PAM of three, and where
	// the site has another letter.
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

// scores returns the hit scores of a site that read returned.
func (g *guide) scores(site []byte, bulges bool) (mit, cfd float64) {
	if !g.scored || bulges {
		return MITHit(nil, nil), CFDHit(nil, nil, nil)
	}
	n := len(g.letters)
	return MITHit(g.letters, site[:n]), CFDHit(g.letters, site[:n], site[n:])
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
