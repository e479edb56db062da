package variants

import (
	"bytes"
	"errors"
	"slices"

	"scanmap/dna"
	"scanmap/search"
)

// A window is a part of a haplotype that is searched.
type window struct {
	contig int
	text   []byte // until it is in a batch
	// start is the position on the contig of the text's first letter, unless that is one of an
	// allele.
	start int
	// whole tells that nothing of the contig comes before the text.
	whole  bool
	placed []placed
	near   []*allele // in order: all that may touch a place of the window
	// crossed tells that some of near overlap, and most is how many combinations of a sample's
	// calls are then tried.
	crossed bool
	most    int
	// For Compare: the alleles that the window was made for, and all near it that its haplotype
	// has, in order.
	central, haplotype []*allele
}

// placed is an allele with the offset of its letters in the text of a window. It is negative if the
// text starts among them.
type placed struct {
	*allele
	at int
}

// after is the offset after the letters.
func (p *placed) after() int { return p.at + len(p.letters) }

// build makes the window of a haplotype with the alleles of list: flank letters, alleles first to
// last with the letters between, and flank letters. It is nil if there are no letters.
func build(ref *dna.Reference, flank int, list []*allele, first, last int) *window {
	w := &window{contig: list[first].site.contig}
	// Go back.
	at, need, i, skip := list[first].start, flank, first-1, -1
	for skip < 0 {
		end := 0
		if i >= 0 {
			end = list[i].end
		}
		if i < 0 || at-end >= need {
			w.start = max(at-need, end)
			w.whole = w.start == 0
			break
		}
		need -= at - end
		if n := len(list[i].letters); n >= need {
			skip = n - need
			break
		}
		need -= len(list[i].letters)
		at = list[i].start
		i--
	}
	// Go forth.
	at = w.start
	if skip >= 0 {
		a := list[i]
		w.placed = append(w.placed, placed{a, -skip})
		w.text = append(w.text, a.letters[skip:]...)
		at = a.end
	}
	for i++; i <= last; i++ {
		w.text = appendLetters(w.text, ref, w.contig, at, list[i].start)
		w.placed = append(w.placed, placed{list[i], len(w.text)})
		w.text = append(w.text, list[i].letters...)
		at = list[i].end
	}
	for need = flank; need > 0; i++ {
		end := ref.Contigs[w.contig].Length
		if i < len(list) {
			end = list[i].start
		}
		n := min(need, end-at)
		w.text = appendLetters(w.text, ref, w.contig, at, at+n)
		need -= n
		if need == 0 || i == len(list) {
			break
		}
		w.placed = append(w.placed, placed{list[i], len(w.text)})
		n = min(need, len(list[i].letters))
		w.text = append(w.text, list[i].letters[:n]...)
		need -= n
		at = list[i].end
	}
	if len(w.text) == 0 {
		return nil
	}
	return w
}

// A place is a location of a window on the contig.
type place struct {
	// start and end are positions of the contig. Among the letters of an allele they are the
	// positions that the allele replaces, as far as there are any; startIn and endIn are then how
	// many letters of the allele come before, and otherwise 0.
	start, end     int
	startIn, endIn int
	touched        []*allele
}

// place returns where a location is. It touches an allele if it has one of its letters or, where
// the allele has no letters, both letters beside.
func (w *window) place(l *search.Location) place {
	var p place
	for i := range w.placed {
		if a := &w.placed[i]; l.Start < a.after() && a.at < l.End {
			p.touched = append(p.touched, a.allele)
		}
	}
	p.start, p.startIn = w.position(l.Start, func(a *placed) bool { return a.at <= l.Start })
	p.end, p.endIn = w.position(l.End, func(a *placed) bool { return a.at < l.End })
	return p
}

// position returns the position of an offset; before tells the alleles that start there or before.
func (w *window) position(offset int, before func(*placed) bool) (position, in int) {
	position = w.start + offset
	for i := range w.placed {
		a := &w.placed[i]
		if !before(a) {
			break
		}
		in = offset - a.at
		if in < len(a.letters) {
			position = a.start + min(in, a.end-a.start)
			continue
		}
		position, in = a.end+in-len(a.letters), 0
	}
	return position, in
}

// reports tells whether a location of the window is a row: it touches an allele, enough letters
// come before its end that its distance is as on the haplotype, and the contig has not the same
// letters at the place's start or end.
func (w *window) reports(ref *dna.Reference, reach int, l *search.Location, p *place, letters []byte) bool {
	if len(p.touched) == 0 || l.End < reach && !w.whole {
		return false
	}
	length, n := ref.Contigs[w.contig].Length, len(letters)
	if p.start+n <= length && bytes.Equal(letters, appendLetters(nil, ref, w.contig, p.start, p.start+n)) {
		return false
	}
	return p.end < n || !bytes.Equal(letters, appendLetters(nil, ref, w.contig, p.end-n, p.end))
}

// touches tells whether a haplotype with an allele that does not overlap the alleles of a place has
// the allele in the place. The place starts before the end of the first allele that it touches.
func (p *place) touches(a *allele) bool {
	if inOrder(a, p.touched[0]) > 0 {
		return a.start < p.end
	}
	return a.end > p.start
}

// samples returns the samples that have a haplotype with the letters of a place, in order: the
// alleles that it touches are all of its alleles there. Copies is how many copies of chromosomes
// have it: of samples whose calls do not say it, the most that may.
func (w *window) samples(p *place) (samples []int, copies int) {
	// Only other alleles of the place matter, and alleles that would hide an allele of the place. An
	// allele that overlaps an allele of an earlier record is not on the haplotype.
	var others []*allele
	for _, a := range w.near {
		hidden := func(t *allele) bool { return t == a || t.site != a.site && t.overlaps(a) && t.id < a.id }
		hides := func(t *allele) bool { return t.site != a.site && t.overlaps(a) && a.id < t.id }
		if (p.touches(a) || w.crossed && slices.ContainsFunc(p.touched, hides)) && !slices.ContainsFunc(p.touched, hidden) {
			others = append(others, a)
		}
	}
	near := w.near // what decides about a sample
	if !w.crossed {
		near = slices.Concat(p.touched, others)
	}
	var loose groups
	loose.find(near)
	for _, c := range having(p.touched, others) {
		if sample := int(c / copiesOfSample); !loose.has(sample) {
			samples = append(samples, sample)
			copies++
		}
	}
	known := make([]int, len(loose.samples)) // by group: 1 more than the copies, 0 if not known
	for _, sample := range loose.samples {
		group := loose.of(sample)
		if known[group] == 0 {
			known[group] = 1 + w.copies(p, others, sample)
		}
		if n := known[group] - 1; n > 0 {
			samples = append(samples, sample)
			copies += n
		}
	}
	slices.Sort(samples)
	return slices.Compact(samples), copies
}

// having returns the copies that have all of some alleles, and none of the others.
func having(all, others []*allele) []uint32 {
	rarest := slices.MinFunc(all, func(a, b *allele) int { return len(a.carriers) - len(b.carriers) })
	copies := slices.Clone(rarest.carriers)
	for _, a := range all {
		copies = with(copies, a.carriers)
	}
	for _, a := range others {
		copies = without(copies, a.carriers)
	}
	return copies
}

// hasAll tells whether something has all of some alleles, and none of the others.
func hasAll(all, others []*allele, has func(*allele) bool) bool {
	for _, a := range all {
		if !has(a) {
			return false
		}
	}
	return !slices.ContainsFunc(others, has)
}

// copies returns how many copies of a sample with loose genotypes may have a haplotype with the
// alleles of a place, and no others there.
//
// Where alleles of the sample overlap, one that is on a copy may be hidden on its haplotype by one
// that is not in the place, and hide one that is. All combinations are therefore tried, unless they
// are too many: then the others count as if nothing but the place's alleles hid them.
func (w *window) copies(p *place, others []*allele, sample int) int {
	if w.crossed && w.crossedOf(sample) {
		tried := 0
		err := combine(w.near, p.touched[0], sample, func(list []*allele) error {
			if tried++; tried > w.most {
				return errTooMany
			}
			kept := apart(list)
			other := func(a *allele) bool { return !slices.Contains(p.touched, a) && p.touches(a) }
			if hasAll(p.touched, nil, func(a *allele) bool { return slices.Contains(kept, a) }) && !slices.ContainsFunc(kept, other) {
				return errFound
			}
			return nil
		})
		switch err {
		case nil:
			return 0
		case errFound:
			return max(1, copiesWith(p.touched, others, sample))
		}
	}
	return copiesWith(p.touched, others, sample)
}

// The errors that end the search for a combination.
var (
	errFound   = errors.New("found")
	errTooMany = errors.New("too many combinations")
)

// crossedOf tells whether alleles near the window that a sample has are crossed.
func (w *window) crossedOf(sample int) bool {
	return crossed(filter(w.near, func(a *allele) bool {
		if call, ok := a.site.loose[sample]; ok {
			return slices.ContainsFunc(call.alleles, func(n int) bool { return n >= 0 && a.site.alleles[n] == a })
		}
		return len(a.copiesOf(sample)) > 0
	}))
}

// crossed tells whether alleles of different sites overlap, in a list that is in order.
func crossed(list []*allele) bool {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if b.start > a.end {
				break
			}
			if b.site != a.site && b.overlaps(a) {
				return true
			}
		}
	}
	return false
}

// copiesWith returns how many copies of a sample, whose alleles do not overlap, may have all of
// some alleles, and none of the others. The calls of a phase set, or one unphased call, stay
// together on a copy, and may be on any copies. The result is therefore the least number that any
// of these sets allows.
func copiesWith(all, others []*allele, sample int) int {
	sets := map[int]bool{0: true}
	ploidy, most := 0, copiesOfSample
	for _, a := range slices.Concat(all, others) {
		for _, c := range a.copiesOf(sample) {
			ploidy = max(ploidy, int(c%copiesOfSample)+1)
		}
		if call, ok := a.site.loose[sample]; ok {
			ploidy = max(ploidy, len(call.alleles))
			if call.set > 0 {
				sets[call.set] = true
				continue
			}
			count := 0
			for _, n := range call.alleles {
				if hasAll(only(all, a.site), only(others, a.site), func(b *allele) bool { return n >= 0 && a.site.alleles[n] == b }) {
					count++
				}
			}
			most = min(most, count)
		}
	}
	for set := range sets {
		member := func(a *allele) bool {
			call, ok := a.site.loose[sample]
			return ok && call.set == set && set > 0 || !ok && set == 0
		}
		wanted, unwanted := filter(all, member), filter(others, member)
		count := 0
		for c := range ploidy {
			if hasAll(wanted, unwanted, func(a *allele) bool {
				if set == 0 {
					return a.carriedBy(copyOf(sample, c))
				}
				call := a.site.loose[sample]
				return c < len(call.alleles) && call.alleles[c] >= 0 && a.site.alleles[call.alleles[c]] == a
			}) {
				count++
			}
		}
		most = min(most, count)
	}
	return most
}

// only returns the alleles of a site.
func only(alleles []*allele, s *site) []*allele {
	return filter(alleles, func(a *allele) bool { return a.site == s })
}

func filter(alleles []*allele, keep func(*allele) bool) []*allele {
	var kept []*allele
	for _, a := range alleles {
		if keep(a) {
			kept = append(kept, a)
		}
	}
	return kept
}
