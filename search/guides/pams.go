package guides

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"scanmap/search"
)

// PAMs say beside which letters places stand.
type PAMs struct {
	// Own are the PAMs that a target may have, and Aside further ones, of off-targets alone. All
	// have one length. First has them before the guide.
	Own, Aside []string
	First      bool
	// Off-targets stand beside a PAM with up to Mismatches letters that do not fit it, and with up to
	// Gap letters between it and the guide.
	Mismatches, Gap int
	// Each mismatch and each letter of a gap counts as so many edits: places have at most k in all.
	MismatchCost, GapCost int
}

// A Form is a PAM with mismatches and a gap in certain places.
type Form struct {
	// Letters are IUPAC letters beside the guide, the gap's among them: N. Of a letter that does not
	// fit they have all others, so that no two forms of one PAM fit the same letters.
	Letters string
	// PAM is the PAM, and Index its number, of Own and then Aside.
	PAM   string
	Index int
	// Mismatches and Gap are how many letters do not fit, or lie between. Cost is in edits.
	Mismatches, Gap, Cost int
}

// maxForms is the most forms: each takes a search of its own.
const maxForms = 200

// otherBases are the IUPAC letters of the bases that a letter does not stand for.
var otherBases = map[byte]byte{
	'A': 'B', 'C': 'D', 'G': 'H', 'T': 'V', 'B': 'A', 'D': 'C', 'H': 'G', 'V': 'T',
	'R': 'Y', 'Y': 'R', 'S': 'W', 'W': 'S', 'K': 'M', 'M': 'K',
}

// Forms returns the forms of all PAMs: by cost, then mismatches, gap and PAM, so that Own is first.
func (p *PAMs) Forms() ([]Form, error) {
	var forms []Form
	for index, pam := range slices.Concat(p.Own, p.Aside) {
		for _, letters := range mismatched(withT([]byte(strings.ToUpper(pam))), p.Mismatches) {
			for gap := range p.Gap + 1 {
				f := Form{PAM: pam, Index: index, Mismatches: letters.mismatches, Gap: gap,
					Cost: letters.mismatches*p.MismatchCost + gap*p.GapCost, Letters: strings.Repeat("N", gap) + letters.text}
				if p.First {
					f.Letters = letters.text + strings.Repeat("N", gap)
				}
				forms = append(forms, f)
			}
			if len(forms) > maxForms {
				return nil, fmt.Errorf("with mismatches and gaps the PAMs have more than %d forms, and each is searched for", maxForms)
			}
		}
	}
	slices.SortStableFunc(forms, func(a, b Form) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Mismatches, b.Mismatches), cmp.Compare(a.Gap, b.Gap), cmp.Compare(a.Index, b.Index))
	})
	return forms, nil
}

// mismatchedPAM is a PAM some letters of which stand for the bases that do not fit it.
type mismatchedPAM struct {
	text       string
	mismatches int
}

// mismatched returns a PAM with each choice of up to most letters that do not fit.
func mismatched(pam []byte, most int) []mismatchedPAM {
	all := []mismatchedPAM{{"", 0}}
	for _, letter := range pam {
		var next []mismatchedPAM
		for _, p := range all {
			next = append(next, mismatchedPAM{p.text + string(letter), p.mismatches})
			if other := otherBases[letter]; other != 0 && p.mismatches < most {
				next = append(next, mismatchedPAM{p.text + string(other), p.mismatches + 1})
			}
		}
		all = next
	}
	return all
}

// shown are the letters of a form as alignments have them: its PAM, with a - for each letter of the
// gap.
func (f *Form) shown(first bool) []byte {
	gap, pam := strings.Repeat("-", f.Gap), strings.ToUpper(f.PAM)
	if first {
		return withT([]byte(pam + gap))
	}
	return withT([]byte(gap + pam))
}

// outward returns the letters of a site's PAM, the one beside the guide first.
func (g *guide) outward(dst, site []byte) []byte {
	if !g.pamFirst {
		return append(dst, site[max(0, len(site)-len(g.pam)):]...)
	}
	from := len(dst)
	dst = append(dst, site[:min(len(g.pam), len(site))]...)
	slices.Reverse(dst[from:])
	return dst
}

// another tells whether a form before this one fits a place as well: the place belongs to that. The
// letters are those beside the guide, outward, and may be more than the form has.
func (g *guide) another(outward []byte) bool {
	return slices.ContainsFunc(g.before, func(form []byte) bool {
		return len(form) <= len(outward) && fits(outward, form)
	})
}

// bordered computes distances between a guide and the letters between the far end of a site and its
// PAM, some of which next to the PAM are a gap.
type bordered struct {
	limits search.Limits
	k      int
	// costs are the fewest mismatches by letters of the guide, DNA bulges and RNA bulges.
	costs []int32
}

const outOfReach = 1 << 20

// distances writes, for each number of letters of a gap, the fewest edits of the guide with the
// others, -1 if they are more than k or beyond the limits. letters and exact come from the far end
// of the guide on, and so does site.
func (b *bordered) distances(to []int, letters []byte, exact []bool, site []byte) {
	dna, rna := b.limits.DNABulges, b.limits.RNABulges
	cell := func(i, d, r int) int { return (i*(dna+1)+d)*(rna+1) + r }
	m := len(letters)
	n := cell(m, dna, rna) + 1
	b.costs = slices.Grow(b.costs[:0], n)[:n]
	for i := range b.costs {
		b.costs[i] = outOfReach
	}
	b.costs[0] = 0
	fixed := func(i int) bool { return len(exact) > 0 && i >= 0 && i < m && exact[i] }
	for i := range to {
		to[i] = -1
	}
	for i := 0; i <= m; i++ {
		for d := 0; d <= dna; d++ {
			for r := 0; r <= rna; r++ {
				cost, j := b.costs[cell(i, d, r)], i+d-r
				total := int(cost) + d + r
				if int(cost) > b.limits.Mismatches || total > b.k || j > len(site) {
					continue
				}
				if gap := len(site) - j; i == m && gap < len(to) && (to[gap] < 0 || total < to[gap]) {
					to[gap] = total
				}
				between := fixed(i-1) && (i == m || fixed(i))
				if d < dna && j < len(site) && !between {
					at := cell(i, d+1, r)
					b.costs[at] = min(b.costs[at], cost)
				}
				if i == m {
					continue
				}
				if r < rna && !fixed(i) {
					at := cell(i+1, d, r+1)
					b.costs[at] = min(b.costs[at], cost)
				}
				if j < len(site) {
					at, step := cell(i+1, d, r), int32(0)
					if !search.Matches(letters[i], site[j]) {
						step = 1
					}
					if step == 0 || !fixed(i) {
						b.costs[at] = min(b.costs[at], cost+step)
					}
				}
			}
		}
	}
}

// otherGap tells whether a place with edits is one of another gap: of the letters between the far
// end of the site and the PAM some next to the PAM may be bulges of the guide or a gap. The fewest
// edits and cost decide, then the fewest edits of the guide, then the shorter gap.
func (c *Counter) otherGap(g *guide, l *search.Location, site []byte) bool {
	if c.options.Substitutions || c.options.Gap == 0 {
		return false
	}
	o, pam := &c.options, len(g.form.PAM)
	b := &c.border
	b.k, b.limits = o.Distance, search.Limits{Mismatches: o.Distance, DNABulges: o.Distance, RNABulges: o.Distance}
	if x := o.Limits; x != nil {
		b.limits = search.Limits{Mismatches: min(x.Mismatches, o.Distance), DNABulges: min(x.DNABulges, o.Distance), RNABulges: min(x.RNABulges, o.Distance)}
	}
	c.far = append(c.far[:0], site...)
	if g.pamFirst {
		slices.Reverse(c.far)
	}
	c.gaps = slices.Grow(c.gaps[:0], o.Gap+1)[:o.Gap+1]
	b.distances(c.gaps, g.fromFar, g.exactFromFar, c.far[:len(c.far)-pam])
	without := g.form.Cost - g.form.Gap*o.GapCost
	for gap, distance := range c.gaps {
		cost := distance + without + gap*o.GapCost
		if gap != g.form.Gap && distance >= 0 && cost <= o.Distance &&
			cmp.Or(cmp.Compare(cost, l.Distance+g.form.Cost), cmp.Compare(distance, l.Distance), cmp.Compare(gap, g.form.Gap)) < 0 {
			return true
		}
	}
	return false
}
