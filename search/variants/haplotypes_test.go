package variants

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/internal/truth"
)

// Below is the definition of the package comment by brute force: haplotypes of whole contigs as
// strings.

// A change is an allele of a record, with the number that genotypes give it.
type change struct {
	contig, record, number int
	start, end             int
	letters, name          string
}

func (a *change) overlaps(b *change) bool {
	if a.record == b.record && a.contig == b.contig {
		return true
	}
	if a.start == a.end && b.start == b.end {
		return a.start == b.start
	}
	return a.start < b.end && b.start < a.end
}

// A haplotype is a contig with changes in it.
type haplotype struct {
	contig  int
	changes []*change
	at      []int // of the letters of each change
	text    string
	letters []letter
}

// A letter of a haplotype is one of the contig at a position or letter number in of a change.
type letter struct {
	position int
	change   *change
	in       int
}

func makeHaplotype(contig int, text string, changes []*change) *haplotype {
	h := &haplotype{contig: contig, changes: changes}
	var b strings.Builder
	at := 0
	copyTo := func(to int) {
		for ; at < to; at++ {
			b.WriteByte(text[at])
			h.letters = append(h.letters, letter{position: at})
		}
	}
	for _, c := range changes {
		copyTo(c.start)
		h.at = append(h.at, b.Len())
		for i := range len(c.letters) {
			h.letters = append(h.letters, letter{c.start + min(i, c.end-c.start), c, i})
		}
		b.WriteString(c.letters)
		at = c.end
	}
	copyTo(len(text))
	h.text = b.String()
	return h
}

// A spot is a place on a haplotype with the columns of its row.
type spot struct {
	pattern, contig      int
	start, end           int
	strand               int
	distance             int
	letters, alleles     string
	hapStart, hapEnd     int
	touched              []*change
	inReference, touches bool
}

// spot says what lies at [start, end) of a haplotype.
func (h *haplotype) spot(start, end int) spot {
	s := spot{contig: h.contig, hapStart: start, hapEnd: end, letters: h.text[start:end]}
	first, last := h.letters[start], h.letters[end-1]
	s.start = first.position
	switch c := last.change; {
	case c == nil:
		s.end = last.position + 1
	case last.in == len(c.letters)-1:
		s.end = c.end
	default:
		s.end = c.start + min(last.in+1, c.end-c.start)
	}
	var names []string
	for i, c := range h.changes {
		if start < h.at[i]+len(c.letters) && h.at[i] < end {
			s.touched = append(s.touched, c)
			names = append(names, c.name)
		}
	}
	s.touches = len(names) > 0
	s.alleles = strings.Join(names, ",")
	return s
}

// key has the columns of a row without the samples.
func (s *spot) key() string {
	return fmt.Sprintf("p%d c%d %d %d %c %d %s %s", s.pattern, s.contig, s.start, s.end, "+-"[s.strand], s.distance, truth.Strand(s.letters, s.strand), s.alleles)
}

// sets are all sets of changes of a contig that one haplotype can have.
func sets(all []*change) [][]*change {
	found := [][]*change{nil}
	for _, c := range all {
		for _, set := range found[:len(found):len(found)] {
			if !slices.ContainsFunc(set, c.overlaps) {
				found = append(found, append(slices.Clone(set), c))
			}
		}
	}
	return found
}

func ordered(changes []*change) []*change {
	slices.SortStableFunc(changes, func(a, b *change) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	return changes
}

// onHaplotype are the changes of a copy on its haplotype: of overlapping ones the first, in the
// order of records.
func onHaplotype(all []*change) (kept []*change) {
	slices.SortStableFunc(all, func(a, b *change) int { return a.record - b.record })
	for _, a := range all {
		if !slices.ContainsFunc(kept, a.overlaps) {
			kept = append(kept, a)
		}
	}
	return ordered(kept)
}

// permutations are the different orders of a list.
func permutations(list []int) (all [][]int) {
	if len(list) == 0 {
		return [][]int{nil}
	}
	for i, first := range list {
		if slices.Contains(list[:i], first) {
			continue
		}
		for _, rest := range permutations(slices.Concat(list[:i], list[i+1:])) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// phasings are the ways in which the calls of a sample may lie on its copies: of each way, the
// changes of each copy.
func (c *testCase) phasings(contig, sample int) (ways [][][]*change) {
	type placing struct {
		records []*record
		calls   [][]int
		orders  [][]int // of copies
	}
	var placings []*placing
	sets := map[int]*placing{}
	ploidy := 1
	// Calls whose copies are known hide each other first.
	known := map[int][]*change{} // by copy
	for _, rec := range c.records {
		if rec.contig != contig {
			continue
		}
		g := &rec.calls[sample]
		called := g.called()
		for i, n := range called {
			if n > 0 && rec.changes[n-1] == nil {
				called[i] = 0
			}
		}
		ploidy = max(ploidy, len(called))
		numbers := make([]int, len(called))
		for i := range numbers {
			numbers[i] = i
		}
		p := &placing{records: []*record{rec}, calls: [][]int{called}}
		switch {
		case slices.Min(called) == slices.Max(called) || g.phased && g.set == 0:
			p.orders = [][]int{numbers}
			for i, n := range called {
				if n == 0 {
					continue
				}
				if a := rec.changes[n-1]; slices.ContainsFunc(known[i], a.overlaps) {
					called[i] = 0
				} else {
					known[i] = append(known[i], a)
				}
			}
		case !g.phased:
			p.calls = nil
			p.orders = permutations(called)
		case sets[g.set] != nil:
			sets[g.set].records = append(sets[g.set].records, rec)
			sets[g.set].calls = append(sets[g.set].calls, called)
			continue
		default:
			p.orders = permutations(numbers)
			sets[g.set] = p
		}
		placings = append(placings, p)
	}
	ways = [][][]*change{make([][]*change, ploidy)}
	for _, p := range placings {
		var more [][][]*change
		for _, way := range ways {
			for _, order := range p.orders {
				copies := make([][]*change, ploidy)
				for i := range copies {
					copies[i] = slices.Clone(way[i])
				}
				for i, n := range order {
					if p.calls == nil { // the order is that of the alleles themselves
						if n > 0 {
							copies[i] = append(copies[i], p.records[0].changes[n-1])
						}
						continue
					}
					for j, rec := range p.records {
						if a := p.calls[j][n]; a > 0 {
							copies[i] = append(copies[i], rec.changes[a-1])
						}
					}
				}
				more = append(more, copies)
			}
		}
		ways = more
	}
	return ways
}

// namesOf are the names of changes.
func namesOf(changes []*change) string {
	var names []string
	for _, a := range changes {
		names = append(names, a.name)
	}
	return strings.Join(names, ",")
}

// haplotypes are the haplotypes of the family, by the samples that have them; in a VCF without
// samples, sample 0 has all.
func (c *testCase) haplotypes(contig int) [][]*haplotype {
	text := c.contigs[contig]
	if c.samples == 0 {
		var all []*change
		for _, r := range c.records {
			if r.contig == contig {
				for _, a := range r.changes {
					if a != nil {
						all = append(all, a)
					}
				}
			}
		}
		var found []*haplotype
		for _, set := range sets(ordered(all)) {
			found = append(found, makeHaplotype(contig, text, ordered(set)))
		}
		return [][]*haplotype{found}
	}
	bySample := make([][]*haplotype, c.samples)
	for sample := range c.samples {
		seen := map[string]bool{}
		for _, way := range c.phasings(contig, sample) {
			for _, list := range way {
				h := makeHaplotype(contig, text, onHaplotype(list))
				if name := namesOf(h.changes); !seen[name] {
					seen[name] = true
					bySample[sample] = append(bySample[sample], h)
				}
			}
		}
	}
	return bySample
}

// samples are the samples that have the letters of a spot.
func (s *spot) samples(bySample [][]*haplotype, on *haplotype) string {
	first := slices.Index(on.changes, s.touched[0])
	var names []string
	for sample, list := range bySample {
		if slices.ContainsFunc(list, func(h *haplotype) bool {
			i := slices.Index(h.changes, s.touched[0])
			if i < 0 {
				return false
			}
			start := h.at[i] + s.hapStart - on.at[first]
			end := start + s.hapEnd - s.hapStart
			return start >= 0 && end <= len(h.text) && slices.Equal(h.spot(start, end).touched, s.touched)
		}) {
			names = append(names, fmt.Sprintf("s%d", sample))
		}
	}
	return strings.Join(names, ",")
}

// cuts are the windows of a haplotype, as offsets in its text: around each allele or, of those with
// any alleles, around all if one place can touch them.
func (h *haplotype) cuts(flank, reach int, called bool) (cuts [][2]int) {
	n := len(h.changes)
	if n == 0 {
		return nil
	}
	add := func(first, last int) {
		from, to := max(0, h.at[first]-flank), min(len(h.text), h.at[last]+len(h.changes[last].letters)+flank)
		if from < to {
			cuts = append(cuts, [2]int{from, to})
		}
	}
	if called {
		for i := range n {
			add(i, i)
		}
	} else if n == 1 || h.at[n-1]-h.at[0]-len(h.changes[0].letters) <= reach-2 {
		add(0, n-1)
	}
	return cuts
}
