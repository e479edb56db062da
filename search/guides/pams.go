package guides

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"scanmap/locate"
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
	// Each mismatch counts as MismatchCost edits, and each letter of a gap as GapCost edits. Places
	// have at most k edits in all.
	MismatchCost, GapCost int
}

// A Form is a PAM with mismatches and a gap in certain places.
type Form struct {
	// Letters are IUPAC letters beside the guide, the gap's among them: N. For a letter that does
	// not fit they have all other letters, so that no two forms of one PAM fit the same letters.
	Letters string
	// PAM is the PAM, and Index its number, of Own and then Aside.
	PAM   string
	Index int
	// Mismatches and Gap are how many letters do not fit, or lie between. Cost is in edits.
	Mismatches, Gap, Cost int
}

// The usual lengths of guides: 20 letters for SpCas9, and 20 to 23 for others.
const leastUsual, mostUsual = 20, 23

// GivenWith returns the PAM of Own with which a guide seems to have been given: its letters end in
// letters that fit the PAM, or begin in them if it is First, and have a usual length without them.
// It is empty for none; a PAM of N alone says nothing.
func (p *PAMs) GivenWith(letters string) string {
	for _, pam := range p.Own {
		rest := len(letters) - len(pam)
		if rest < leastUsual || rest > mostUsual || strings.Trim(pam, "Nn") == "" {
			continue
		}
		beside := letters[rest:]
		if p.First {
			beside = letters[:len(pam)]
		}
		if fits([]byte(beside), withT([]byte(strings.ToUpper(pam))), search.Matches) {
			return pam
		}
	}
	return ""
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

// mismatchedPAM is a PAM; some of its letters stand for the bases that do not fit it.
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

// another tells whether a form before this one fits a place as well: the place belongs to that
// form. The letters are read from the guide outward, and may be more than the form has.
func (g *guide) another(outward []byte) bool {
	return slices.ContainsFunc(g.before, func(form []byte) bool {
		return len(form) <= len(outward) && fits(outward, form, g.matches)
	})
}

// A neighbourhood chooses among the places of all forms of a guide, as search does among the places
// of one. In the order of cost, edits, bulges and form, a place is dropped if a kept one on its
// strand starts within k of its start or ends within k of its end.
type neighbourhood struct {
	k          int
	places     []search.Location
	operations []locate.Operation // of these, in part
	// starts and ends have the starts and ends of kept places. No two starts lie within k, and no
	// two ends, so that k + 1 bases have one of each at most.
	starts, ends map[stretch]int
}

// A stretch is k + 1 bases of a strand.
type stretch struct {
	contig, number int
	reverse        bool
}

// operationsTogether is how many operations have one piece of memory.
const operationsTogether = 1 << 14

// hold holds a place.
func (h *neighbourhood) hold(l *search.Location) {
	if n := len(l.Operations); cap(h.operations)-len(h.operations) < n {
		h.operations = make([]locate.Operation, 0, max(n, operationsTogether))
	}
	from := len(h.operations)
	h.operations = append(h.operations, l.Operations...)
	held := *l
	if held.Operations = nil; l.Operations != nil {
		held.Operations = h.operations[from:len(h.operations):len(h.operations)]
	}
	h.places = append(h.places, held)
}

// choose returns the kept places, in the order of search.Run. cost is the cost of the form of a
// pattern.
func (h *neighbourhood) choose(cost func(pattern int) int) []search.Location {
	h.starts, h.ends = map[stretch]int{}, map[stretch]int{}
	bulges := func(l *search.Location) int {
		classes := l.Classes()
		return classes.DNABulges + classes.RNABulges
	}
	slices.SortFunc(h.places, func(a, b search.Location) int {
		return cmp.Or(cmp.Compare(a.Distance+cost(a.Pattern), b.Distance+cost(b.Pattern)), cmp.Compare(a.Distance, b.Distance),
			cmp.Compare(bulges(&a), bulges(&b)), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.End, b.End),
			cmp.Compare(a.Start, b.Start), strand(siteOf(&a))-strand(siteOf(&b)))
	})
	kept := h.places[:0]
	for i := range h.places {
		l := h.places[i]
		if h.near(h.starts, &l, l.Start) || h.near(h.ends, &l, l.End) {
			continue
		}
		h.starts[h.stretch(&l, l.Start)], h.ends[h.stretch(&l, l.End)] = l.Start, l.End
		kept = append(kept, l)
	}
	slices.SortFunc(kept, func(a, b search.Location) int {
		return cmp.Or(cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
			strand(siteOf(&a))-strand(siteOf(&b)))
	})
	return kept
}

func (h *neighbourhood) stretch(l *search.Location, at int) stretch {
	return stretch{l.Contig, at / (h.k + 1), l.Reverse}
}

// near tells whether a kept position of a place's strand lies within k.
func (h *neighbourhood) near(kept map[stretch]int, l *search.Location, at int) bool {
	s := h.stretch(l, at)
	for s.number--; s.number <= at/(h.k+1)+1; s.number++ {
		if other, ok := kept[s]; ok && max(other-at, at-other) <= h.k {
			return true
		}
	}
	return false
}

// forget forgets all places; memory of many is given back.
func (h *neighbourhood) forget() { *h = neighbourhood{k: h.k} }
