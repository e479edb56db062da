package variants

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/search"
)

// standsFor is the letter of the contig that the one at an offset is or replaces, -1 for none.
func (h *haplotype) standsFor(offset int) int {
	if offset < 0 || offset >= len(h.letters) {
		return -1
	}
	l := h.letters[offset]
	if l.change != nil && l.in >= l.change.end-l.change.start {
		return -1
	}
	return l.position
}

// changeKey is all of a change but who has it.
func changeKey(kind Kind, pattern, contig, start, end, strand int, haplotype, reference, alleles string) string {
	return fmt.Sprintf("p%d c%d %d %d %c %s: %s for %s: %s", pattern, contig, start, end, "+-"[strand], kind, haplotype, reference, alleles)
}

// drawCrossed draws a case with records that often lie near each other, whose alleles may overlap
// whatever their calls, with the frequency of each, -1 for none.
func drawCrossed(rt *rapid.T) (c *testCase, frequencies map[*record][]float64) {
	c = &testCase{samples: rapid.IntRange(0, 2).Draw(rt, "samples")}
	frequencies = map[*record][]float64{}
	loose := rapid.Bool().Draw(rt, "loose")
	for contig := range rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "contigs") {
		text := drawText(rt, 4, 50, "contig")
		c.contigs = append(c.contigs, text)
		ploidies := make([]int, c.samples)
		for i := range ploidies {
			ploidies[i] = rapid.SampledFrom([]int{2, 2, 2, 1, 3}).Draw(rt, "ploidy")
		}
		var positions []int
		center := rapid.IntRange(0, len(text)-1).Draw(rt, "center")
		for range rapid.IntRange(0, 4).Draw(rt, "records") {
			p := 0
			switch rapid.IntRange(0, 5).Draw(rt, "where") {
			case 0:
			case 1:
				p = len(text) - 1
			case 2:
				p = rapid.IntRange(0, len(text)-1).Draw(rt, "position")
			default:
				p = min(len(text)-1, center+rapid.IntRange(0, 6).Draw(rt, "near"))
			}
			positions = append(positions, p)
		}
		slices.Sort(positions)
		names := map[string]bool{}
		for i, p := range positions {
			rec := &record{contig: contig, position: p}
			rec.ref = text[p:min(p+rapid.SampledFrom([]int{1, 1, 2, 3, 5, 20}).Draw(rt, "ref"), len(text))]
			for letter, bases := range iupacBases { // a VCF has a base of such a letter
				rec.ref = strings.ReplaceAll(rec.ref, string(letter), bases[:1])
			}
			for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "alts") {
				alt := ""
				switch rapid.IntRange(0, 3).Draw(rt, "kind") {
				case 0: // an insertion or a deletion behind the first letter
					alt = rec.ref[:1] + rapid.StringMatching("[ACGT]{0,4}").Draw(rt, "inserted")
				case 1: // an insertion before all, or a deletion of the first letters
					alt = rapid.StringMatching("[ACGT]{0,3}").Draw(rt, "before") + rec.ref[len(rec.ref)-1:]
				case 2: // as many letters
					alt = rapid.StringMatching(fmt.Sprintf("[ACGT]{%d}", len(rec.ref))).Draw(rt, "replaced")
				default:
					alt = rapid.StringMatching("[ACGT]{1,6}").Draw(rt, "alt")
				}
				if !slices.Contains(rec.alts, alt) {
					rec.alts = append(rec.alts, alt)
				}
			}
			rec.makeChanges(i)
			if slices.ContainsFunc(rec.changes, func(a *change) bool { return a != nil && names[a.name] }) {
				continue // such changes look the same
			}
			for _, a := range rec.changes {
				if a != nil {
					names[a.name] = true
				}
				f := float64(rapid.IntRange(-1, 8).Draw(rt, "frequency")) / 8
				frequencies[rec] = append(frequencies[rec], max(f, -1))
			}
			if slices.Min(frequencies[rec]) < 0 {
				for i := range frequencies[rec] {
					frequencies[rec][i] = -1
				}
			}
			for i := range c.samples {
				ploidy := ploidies[i]
				if !loose {
					ploidy = rapid.IntRange(1, ploidy).Draw(rt, "copies")
				}
				rec.calls = append(rec.calls, drawCall(rt, len(rec.alts), ploidy, loose))
			}
			c.records = append(c.records, rec)
		}
	}
	return c, frequencies
}

// withFrequencies is the VCF of a case with AF.
func withFrequencies(c *testCase, frequencies map[*record][]float64) string {
	lines := strings.Split(c.vcf(), "\n")
	first := len(lines) - 1 - len(c.records)
	for i, rec := range c.records {
		var values []string
		for _, f := range frequencies[rec] {
			values = append(values, fmt.Sprint(f))
		}
		if frequencies[rec][0] >= 0 {
			f := strings.SplitN(lines[first+i], "\t", 9)
			f[7] = "DP=3;AF=" + strings.Join(values, ",")
			lines[first+i] = strings.Join(f, "\t")
		}
	}
	return strings.Join(lines, "\n")
}

// A rule is how places of a haplotype and of the reference are compared.
type rule struct {
	k     int
	edits bool
	iupac bool // letters of the text stand for their bases
}

// A located is a location on a haplotype with the alleles that it touches.
type located struct {
	search.Location
	spot
	startsAt, endsAt int // the contig's letters that its ends stand for; -1 for none
}

// locatedOn are the locations of all patterns on haplotypes, by haplotype and pattern.
func locatedOn(rt *rapid.T, haplotypes []*haplotype, contigs []string, patterns []search.Pattern, r rule) [][][]located {
	var texts []string
	for _, h := range haplotypes {
		texts = append(texts, h.text)
	}
	all := make([][][]located, len(haplotypes))
	for i := range all {
		all[i] = make([][]located, len(patterns))
	}
	o := search.Options{Distance: r.k, Substitutions: !r.edits, ReferenceIUPAC: r.iupac, Device: device.Choice{Kind: device.CPU}, Threads: 1}
	if _, err := search.Run(tContext, search.NewDNA(truthReference(rt, texts)), patterns, o, func(found []search.Location) error {
		for _, l := range found {
			l.Operations = slices.Clone(l.Operations)
			strand := map[bool]int{true: 1}[l.Reverse]
			h := haplotypes[l.Contig]
			f := located{Location: l, spot: h.spotOf(contigs[h.contig], l.Start, l.End, strand, l.Distance)}
			f.startsAt, f.endsAt = h.standsFor(l.Start), h.standsFor(l.End-1)
			all[l.Contig][l.Pattern] = append(all[l.Contig][l.Pattern], f)
		}
		return nil
	}); err != nil {
		rt.Fatalf("%v", err)
	}
	// Locations of patterns without a PAM are those of package truth.
	for i := range patterns {
		p := &patterns[i]
		if p.Exact != nil || strings.Trim(string(p.Letters), "ACGT") != "" {
			continue
		}
		for n, text := range texts {
			if r.iupac && strings.Trim(text, "ACGTN") != "" {
				continue
			}
			var want, got []truth.Location
			if r.edits && r.k > 0 {
				want = truth.Find([]string{text}, string(p.Letters), r.k)
			} else {
				want = truth.FindSubstituted([]string{text}, string(p.Letters), r.k)
			}
			for j := range want {
				want[j].Gaps = 0
			}
			for _, l := range all[n][i] {
				got = append(got, truth.Location{Strand: l.strand, Start: l.hapStart, End: l.hapEnd, Distance: l.distance})
			}
			inOrder := func(a, b truth.Location) int { return cmp.Or(a.Strand-b.Strand, a.End-b.End) }
			slices.SortFunc(got, inOrder)
			slices.SortFunc(want, inOrder)
			if !slices.Equal(got, want) {
				rt.Fatalf("%s in %s: %v, want %v", p.Letters, text, got, want)
			}
		}
	}
	return all
}

// apart is how many letters a place of a haplotype and one of the reference are apart, at the end
// where they are nearer: with edits of their positions; without 0 if one end stands for the same
// letter of the contig.
func (r rule) apart(f, at *located) int {
	switch {
	case r.edits && r.k > 0:
		return min(distance(f.start, at.start), distance(f.end, at.end))
	case f.startsAt == at.startsAt || f.endsAt == at.endsAt:
		return 0
	}
	return math.MaxInt
}

// beside tells whether places of a haplotype and of the reference are compared.
func (r rule) beside(f, at *located) bool { return f.strand == at.strand && r.apart(f, at) <= r.k }

// sideText is a side of a change.
func sideText(distance int, letters []byte, operations []locate.Operation, start, end int) string {
	return fmt.Sprintf("%d %s %v %d-%d", distance, letters, operations, start, end)
}

func (l *located) side() string {
	return sideText(l.distance, []byte(truth.Strand(l.letters, l.strand)), l.Operations, l.start, l.end)
}

// best is the stretch of a text that starts at an offset or ends at another, as long as a pattern,
// that fits it best, in the pattern's direction.
func (r rule) best(p *search.Pattern, text string, strand, start, end int) (letters []byte) {
	m := len(p.Letters)
	rank := func(site string) (mismatches int) {
		bad := 0
		for i := range site {
			if !r.fits(p.Letters[i], site[i]) {
				mismatches++
				if p.Exact != nil && p.Exact[i] {
					bad = 1000
				}
			}
		}
		return mismatches + bad
	}
	for i, at := range [2]int{start, end - m} {
		if at < 0 || at+m > len(text) || i == 1 && end < 0 {
			continue
		}
		site := truth.Strand(text[at:at+m], strand)
		if letters == nil || rank(site) < rank(string(letters)) {
			letters = []byte(site)
		}
	}
	return letters
}

// fits tells whether a letter of a pattern and one of a text match.
func (r rule) fits(pattern, text byte) bool {
	bases, ok := iupacBases[text]
	if !ok || !r.iupac {
		return stands(pattern, text)
	}
	return strings.ContainsFunc(bases, func(base rune) bool { return stands(pattern, byte(base)) })
}

// A made change is a change by the definition, with the alleles by which samples have the change.
type madeChange struct {
	key     string
	alleles []*change
	place   *located // nil if it is lost
}

// changesBy are the changes of a pattern that a haplotype makes.
func changesBy(h *haplotype, text string, number, reach int, p *search.Pattern, places, reference []located, r rule) (all []madeChange) {
	m := len(p.Letters)
	for i := range places {
		f := &places[i]
		if !f.touches || f.inReference {
			continue
		}
		var at *located
		for j := range reference {
			if g := &reference[j]; r.beside(f, g) && (at == nil ||
				cmp.Or(g.distance-at.distance, r.apart(f, g)-r.apart(f, at)) < 0) {
				at = g
			}
		}
		kind, other := Changed, ""
		if at != nil {
			other = at.side()
		} else {
			kind = Made
			var letters []byte
			if !gapped(f.Operations) {
				end := f.endsAt
				if end >= 0 {
					end++
				}
				letters = r.best(p, text, f.strand, f.startsAt, end)
			}
			other = sideText(-1, letters, nil, 0, 0)
		}
		all = append(all, madeChange{changeKey(kind, number, h.contig, f.start, f.end, f.strand, f.side(), other, f.alleles), f.touched, f})
	}
	for i := range reference {
		at := &reference[i]
		var decide []*change
		for _, a := range h.changes {
			if a.start < at.end && a.end > at.start {
				decide = append(decide, a)
			}
		}
		if len(decide) == 0 || slices.ContainsFunc(places, func(f located) bool { return r.beside(&f, at) }) {
			continue
		}
		first, last := -1, -1
		for offset := range h.text {
			if h.standsFor(offset) == at.startsAt {
				first = offset
			}
			if h.standsFor(offset) == at.endsAt {
				last = offset + 1
			}
		}
		// All alleles of the letters that may stand there, also beyond an end of the contig.
		touches := func(from, to int) {
			for j, a := range h.changes {
				if from < h.at[j]+len(a.letters) && h.at[j] < to && !slices.Contains(decide, a) {
					decide = append(decide, a)
				}
			}
		}
		from, to := len(h.text), 0
		if first >= 0 {
			from, to = first, first+m
		}
		if last >= 0 {
			from, to = min(from, last-m), max(to, last)
		}
		if r.edits && r.k > 0 && (first < 0 || last < 0) {
			// A place may start before the deletion, or end after it.
			for j, a := range h.changes {
				if slices.Contains(decide, a) {
					from, to = min(from, h.at[j]-reach), max(to, h.at[j]+len(a.letters)+reach)
				}
			}
		}
		if from < to {
			if r.edits { // a place that is compared may start or end further away
				from, to = from-2*r.k, to+2*r.k
			}
			touches(max(-1, from), min(to, len(h.text)+1))
		}
		var letters []byte
		if !gapped(at.Operations) {
			letters = r.best(p, h.text, at.strand, first, last)
		}
		decide = ordered(decide)
		all = append(all, madeChange{changeKey(Lost, number, h.contig, at.start, at.end, at.strand, sideText(-1, letters, nil, 0, 0),
			at.side(), namesOf(decide)), decide, nil})
	}
	return all
}

// has tells whether a haplotype has the letters of a place of another, and no other alleles there.
func (h *haplotype) has(place *located, on *haplotype) bool {
	i, first := slices.Index(h.changes, place.touched[0]), slices.Index(on.changes, place.touched[0])
	if i < 0 {
		return false
	}
	start := h.at[i] + place.hapStart - on.at[first]
	end := start + place.hapEnd - place.hapStart
	return start >= 0 && end <= len(h.text) && slices.Equal(h.spot(start, end).touched, place.touched)
}

// hidesAnother tells whether a sample may have an allele on a copy that hides one that is not in a
// list.
func (c *testCase) hidesAnother(contig, sample int, list []*change) bool {
	var all []*change
	for _, rec := range c.records {
		if rec.contig != contig {
			continue
		}
		for _, n := range rec.calls[sample].alleles {
			if n > 0 && rec.changes[n-1] != nil {
				all = append(all, rec.changes[n-1])
			}
		}
	}
	return slices.ContainsFunc(all, func(a *change) bool {
		return !slices.Contains(list, a) && slices.ContainsFunc(all, func(b *change) bool { return b.record < a.record && b.overlaps(a) })
	})
}

// wantedChange says who has a change, and on how many copies: on `copies` at most and, where
// alleles hide each other, on `least` at least.
type wantedChange struct {
	samples               []string
	copies, least, called int
	frequency             float64
}

// TestChangesAgainstBruteForce compares all changes with the changes of all haplotypes of whole
// contigs. It has substitutions and edits, and alleles of any kind overlap.
func TestChangesAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	kinds := map[string]int{}
	check(t, effort.Pick(10, 5), func(rt *rapid.T) { compareCase(rt, folder, kinds) })
	if !testing.Short() {
		for _, kind := range []Kind{Made, Changed, Lost} {
			for _, edits := range []bool{false, true} {
				if kinds[fmt.Sprint(kind, edits)] == 0 {
					t.Errorf("no %s, edits %v", kind, edits)
				}
			}
		}
	}
}

func compareCase(rt *rapid.T, folder string, kinds map[string]int) {
	c, frequencies := drawCrossed(rt)
	r := rule{k: rapid.IntRange(0, 3).Draw(rt, "k"), edits: rapid.Bool().Draw(rt, "edits"), iupac: rapid.Bool().Draw(rt, "iupac")}
	// The haplotypes of each contig, each once.
	type aCopy struct{ haplotype, sample, way int }
	var haplotypes []*haplotype
	var copies []aCopy
	reference := make([]int, len(c.contigs))
	for contig, text := range c.contigs {
		numbers := map[string]int{}
		add := func(changes []*change) int {
			key := namesOf(changes)
			n, ok := numbers[key]
			if !ok {
				n = len(haplotypes)
				numbers[key] = n
				haplotypes = append(haplotypes, makeHaplotype(contig, text, changes))
			}
			return n
		}
		reference[contig] = add(nil)
		if c.samples == 0 {
			var all []*change
			for _, rec := range c.records {
				for _, a := range rec.changes {
					if a != nil && rec.contig == contig {
						all = append(all, a)
					}
				}
			}
			for _, set := range sets(ordered(all)) {
				copies = append(copies, aCopy{add(ordered(set)), 0, 0})
			}
		}
		for sample := range c.samples {
			for way, of := range c.phasings(contig, sample) {
				for _, list := range of {
					copies = append(copies, aCopy{add(onHaplotype(list)), sample, way})
				}
			}
		}
	}
	if slices.ContainsFunc(haplotypes, func(h *haplotype) bool { return h.text == "" }) {
		return // there is no window of a contig that is deleted whole
	}
	var patterns []search.Pattern
	longest := 0
	for range rapid.IntRange(1, 3).Draw(rt, "patterns") {
		h := haplotypes[rapid.IntRange(0, len(haplotypes)-1).Draw(rt, "of haplotype")]
		text := strings.ReplaceAll(h.text, "N", "A")
		if rapid.IntRange(0, 4).Draw(rt, "other") == 0 || len(text) < r.k+3 {
			text = rapid.StringMatching("[ACGT]{6,14}").Draw(rt, "pattern")
		}
		n := rapid.IntRange(min(2*r.k+2, len(text)), min(len(text), 2*r.k+12)).Draw(rt, "length")
		from := rapid.IntRange(0, len(text)-n).Draw(rt, "from")
		letters := truth.Strand(text[from:from+n], rapid.IntRange(0, 1).Draw(rt, "strand"))
		if rapid.IntRange(0, 3).Draw(rt, "sets") == 0 {
			at := rapid.IntRange(0, n-1).Draw(rt, "set at")
			letters = letters[:at] + rapid.SampledFrom([]string{"R", "Y", "N"}).Draw(rt, "set") + letters[at+1:]
		}
		p, err := search.NewPattern(fmt.Sprintf("p%d", len(patterns)), []byte(letters), search.DNA)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		var target search.Target
		if pam := rapid.SampledFrom([]string{"", "", "G", "NG"}).Draw(rt, "PAM"); pam != "" {
			target.PAMs = []string{pam}
			target.PAMFirst = rapid.Bool().Draw(rt, "first")
		}
		list, err := target.Patterns([]search.Pattern{p})
		if err != nil {
			rt.Fatalf("%v", err)
		}
		patterns = append(patterns, list...)
		longest = max(longest, len(patterns[len(patterns)-1].Letters))
	}
	// Whether an occurrence with edits is a location may depend on others far away. A long pattern
	// makes windows of whole haplotypes.
	for _, h := range haplotypes {
		if n := (len(h.text) + 1) / 2; r.edits && n > longest {
			longest = n
		}
	}
	if r.edits {
		p, err := search.NewPattern("long", []byte(strings.Repeat("ACTG", 20)[:longest]), search.DNA)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		patterns = append(patterns, p)
	}
	reach := longest
	if r.edits {
		reach += r.k
	}
	text := withFrequencies(c, frequencies)
	o := Options{Haplotypes: 1 << 20, Samples: -1, VCF: filepath.Join(folder, "v.vcf"), Temporary: temporary.In(folder),
		bounds: bounds{batch: 500, calls: 100, rows: spilling(1000)}}
	o.Search = search.Options{Distance: r.k, Substitutions: !r.edits, ReferenceIUPAC: r.iupac, Threads: 2, Device: device.Choice{Kind: device.CPU}}
	if err := os.WriteFile(o.VCF, []byte(text), 0o666); err != nil {
		rt.Fatalf("%v", err)
	}
	describe := func() string {
		s := fmt.Sprintf("k %d, edits %v, reach %d\n%v\n%s", r.k, r.edits, reach, c.contigs, text)
		for i := range patterns {
			s += fmt.Sprintf("%s %s %v\n", patterns[i].Letters, patterns[i].PAM, patterns[i].PAMFirst)
		}
		return s
	}
	got := map[string]*Change{}
	if _, err := Compare(tContext, truthReference(rt, c.contigs), patterns, o, func(x *Change) error {
		side := func(s *Side) string { return sideText(s.Distance, s.Letters, s.Operations, s.Start, s.End) }
		start, end := x.Haplotype.Start, x.Haplotype.End
		if x.Kind == Lost {
			start, end = x.Reference.Start, x.Reference.End
		}
		key := changeKey(x.Kind, x.Pattern, x.Contig, start, end, map[bool]int{true: 1}[x.Reverse], side(&x.Haplotype), side(&x.Reference), x.Alleles)
		if got[key] != nil && x.Kind == Lost { // places in inserted letters may look the same
			return fmt.Errorf("%s comes twice", key)
		}
		got[key] = x
		kinds[fmt.Sprint(x.Kind, r.edits && r.k > 0)]++
		return nil
	}); err != nil {
		rt.Fatalf("%v\n%s", err, describe())
	}

	locations := locatedOn(rt, haplotypes, c.contigs, patterns, r)
	frequencyOf := map[*change]float64{}
	calledOf := map[*change]int{}
	for _, rec := range c.records {
		n := 0
		for i := range rec.calls {
			n += len(rec.calls[i].alleles)
		}
		for i, a := range rec.changes {
			frequencyOf[a], calledOf[a] = frequencies[rec][i], n
		}
	}
	want := map[string]*wantedChange{}
	changes := map[string]madeChange{}
	on := map[string]int{} // a haplotype of each change
	by := make([]map[string]bool, len(haplotypes))
	for i, h := range haplotypes {
		by[i] = map[string]bool{}
		for n := range patterns {
			for _, x := range changesBy(h, c.contigs[h.contig], n, reach, &patterns[n], locations[i][n], locations[reference[h.contig]][n], r) {
				if c.samples == 0 {
					// With any alleles, haplotypes have only alleles that one place can touch, and a
					// place that touches some is one of the haplotype with these alone.
					last := len(h.changes) - 1
					if len(x.alleles) != len(h.changes) || last > 0 && h.at[last]-h.at[0]-len(h.changes[0].letters) > reach-2 {
						continue
					}
				}
				by[i][x.key] = true
				changes[x.key], on[x.key] = x, i
			}
		}
	}
	for key, x := range changes {
		w := &wantedChange{frequency: 1, called: calledOf[x.alleles[0]]}
		for _, a := range x.alleles {
			if w.frequency = min(w.frequency, frequencyOf[a]); frequencyOf[a] < 0 {
				w.frequency = -1
			}
		}
		most := map[int]map[int]int{} // of samples, ways
		for _, of := range copies {
			if h := haplotypes[of.haplotype]; h.contig == haplotypes[on[key]].contig &&
				(by[of.haplotype][key] || x.place != nil && c.samples > 0 && h.has(x.place, haplotypes[on[key]])) {
				if most[of.sample] == nil {
					most[of.sample] = map[int]int{}
				}
				most[of.sample][of.way]++
			}
		}
		for sample := range max(1, c.samples) {
			n := 0
			for _, count := range most[sample] {
				n = max(n, count)
			}
			if n > 0 {
				w.samples = append(w.samples, fmt.Sprintf("s%d", sample))
				w.copies += n
				if w.least += n; c.samples > 0 && c.hidesAnother(haplotypes[on[key]].contig, sample, x.alleles) {
					w.least += 1 - n
				}
			}
		}
		if len(w.samples) > 0 {
			want[key] = w
		}
	}
	for key, w := range want {
		x := got[key]
		if x == nil {
			rt.Fatalf("%s is missing\n%s%s", key, describe(), strings.Join(slices.Sorted(maps.Keys(got)), "\n"))
		}
		if c.samples == 0 {
			if x.Samples != "." || x.Called != 0 || x.Copies != 0 || w.frequency < 0 != math.IsNaN(x.Frequency) || w.frequency >= 0 && x.Frequency != w.frequency {
				rt.Fatalf("%s: %+v, want %+v\n%s", key, x, w, describe())
			}
			continue
		}
		if x.Kind == Lost && r.edits && r.k > 0 {
			// In a repeat alleles far away decide, too, which occurrences are locations. A copy with the
			// same alleles nearby may have a location beside the place.
			named := strings.Split(x.Samples, ",")
			if !slices.ContainsFunc(w.samples, func(name string) bool { return !slices.Contains(named, name) }) && x.Copies <= w.called {
				w.samples, w.copies = named, max(w.copies, x.Copies)
			}
		}
		if x.Samples != strings.Join(w.samples, ",") || x.Copies < w.least || x.Copies > w.copies ||
			x.Called != w.called || x.Frequency != float64(x.Copies)/float64(w.called) {
			rt.Fatalf("%s: %+v, want %+v\n%s", key, x, w, describe())
		}
	}
	for key := range got {
		if want[key] == nil {
			rt.Fatalf("%s should not be there\n%s", key, describe())
		}
	}
}
