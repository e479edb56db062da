package guides

import (
	"slices"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// A guide is a pattern, taken apart.
type guide struct {
	letters []byte // with T for U
	pam     []byte
	// scored tells that both rules of score.go are defined for it.
	scored bool
}

// newGuide takes a pattern apart: that the PAM lies behind it is known here, to guide.scores,
// reader.align and Candidates, and to report by Place.PAM.
func newGuide(p *search.Pattern) guide {
	letters := slices.Clone(p.Letters)
	for i, c := range letters {
		if c == 'U' {
			letters[i] = 'T'
		}
	}
	border := len(letters) - p.Fixed
	g := guide{letters: letters[:border:border], pam: letters[border:]}
	g.scored = len(g.letters) == Length && plain(g.letters) && len(g.pam) == pamLength
	return g
}

// A Place is where a guide fits.
type Place struct {
	search.Location
	// Mismatches, DNABulges and RNABulges add up to Distance.
	Mismatches, DNABulges, RNABulges int
	// Guide and Site are aligned, in the direction of the guide and with the PAM at the end: a '-'
	// stands in Guide for each letter of a DNA bulge, in Site for each of an RNA bulge. In Site
	// letters that the guide does not match or lacks are in lower case.
	Guide, Site string
	// PAM is how many letters of both belong to the PAM.
	PAM int
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

// AppendCIGAR appends the alignment along the reference, as search.TSV has it.
func (p *Place) AppendCIGAR(dst []byte) []byte {
	operations := p.Operations
	if operations == nil {
		operations = []locate.Operation{{Kind: locate.Diagonal, Length: int32(p.End - p.Start)}}
	}
	return locate.AppendCIGAR(dst, operations)
}

// classes returns how the edits of a location divide.
func classes(l *search.Location) (mismatches, dnaBulges, rnaBulges int) {
	for _, o := range l.Operations {
		switch o.Kind {
		case locate.Deletion:
			dnaBulges += int(o.Length)
		case locate.Insertion:
			rnaBulges += int(o.Length)
		case locate.Diagonal:
		}
	}
	return l.Distance - dnaBulges - rnaBulges, dnaBulges, rnaBulges
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
	letter := func(q int) byte {
		if q < len(g.letters) {
			return g.letters[q]
		}
		return g.pam[q-len(g.letters)]
	}
	q, at := 0, 0
	for _, o := range r.operations {
		for range o.Length {
			shown, facing := byte('-'), byte('-')
			if o.Kind != locate.Deletion {
				shown = letter(q)
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
