package variants

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/device"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/search"
	"scanmap/temporary"
)

// What follows is the definition of the package comment by brute force: haplotypes of whole contigs
// as strings.

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

// A genotype is the call of a sample: numbers of alleles, -1 for missing ones.
type genotype struct {
	alleles []int
	phased  bool
	set     int // 0 for none
}

// tight tells whether the copies that have the alleles are those of other tight calls.
func (g *genotype) tight() bool {
	return g.phased && g.set == 0 || slices.Max(g.called()) == slices.Min(g.called())
}

// called are the alleles with 0 for missing ones.
func (g *genotype) called() []int {
	all := slices.Clone(g.alleles)
	for i := range all {
		all[i] = max(all[i], 0)
	}
	return all
}

func (g *genotype) String() string {
	sign := "/"
	if g.phased {
		sign = "|"
	}
	var parts []string
	for _, a := range g.alleles {
		if a < 0 {
			parts = append(parts, ".")
		} else {
			parts = append(parts, fmt.Sprint(a))
		}
	}
	set := "."
	if g.set > 0 {
		set = fmt.Sprint(g.set)
	}
	return strings.Join(parts, sign) + ":" + set
}

// A record is a line of a VCF with what it says.
type record struct {
	contig, position int // 0-based
	ref              string
	alts             []string
	changes          []*change // of each alt, nil if it changes nothing
	calls            []genotype
}

// A case is a reference with records.
type testCase struct {
	contigs []string
	samples int
	records []*record
}

func (c *testCase) vcf() string {
	var b strings.Builder
	b.WriteString("##fileformat=VCFv4.2\n" + columnNames)
	if c.samples > 0 {
		b.WriteString("\tFORMAT")
		for i := range c.samples {
			fmt.Fprintf(&b, "\ts%d", i)
		}
	}
	b.WriteByte('\n')
	for _, r := range c.records {
		fmt.Fprintf(&b, "c%d\t%d\t.\t%s\t%s\t.\t.\t.", r.contig, r.position+1, r.ref, strings.Join(r.alts, ","))
		if c.samples > 0 {
			b.WriteString("\tGT:PS")
			for i := range r.calls {
				b.WriteString("\t" + r.calls[i].String())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// drawText draws letters, often of few kinds.
func drawText(rt *rapid.T, least, most int, label string) string {
	letters := rapid.SampledFrom([]string{"ACGT", "ACGT", "AC", "AAAT", "ACGTN"}).Draw(rt, label+" letters")
	n := rapid.IntRange(least, most).Draw(rt, label+" length")
	var b strings.Builder
	for b.Len() < n {
		b.WriteByte(letters[rapid.IntRange(0, len(letters)-1).Draw(rt, label)])
	}
	return b.String()
}

func drawCase(rt *rapid.T) *testCase {
	c := &testCase{samples: rapid.IntRange(0, 3).Draw(rt, "samples")}
	for range rapid.IntRange(1, 2).Draw(rt, "contigs") {
		c.contigs = append(c.contigs, drawText(rt, 1, 60, "contig"))
	}
	// Unphased calls of alleles that overlap contradict each other; which of them counts is another
	// test's matter.
	unphased := rapid.Bool().Draw(rt, "unphased")
	for contig, text := range c.contigs {
		var positions []int
		for range rapid.IntRange(0, 5).Draw(rt, "records") {
			p := rapid.IntRange(0, len(text)-1).Draw(rt, "position")
			switch rapid.IntRange(0, 5).Draw(rt, "where") {
			case 0:
				p = 0
			case 1:
				p = len(text) - 1
			case 2:
				if n := len(positions); n > 0 {
					p = min(positions[n-1]+1, len(text)-1)
				}
			}
			positions = append(positions, p)
		}
		slices.Sort(positions)
		var before []*change
		ploidies := make([]int, c.samples)
		for i := range ploidies {
			ploidies[i] = rapid.SampledFrom([]int{2, 2, 2, 1, 3}).Draw(rt, "ploidy")
		}
		for i, p := range positions {
			r := &record{contig: contig, position: p, ref: text[p:min(p+rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(rt, "ref"), len(text))]}
			for range rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "alts") {
				alt := r.ref[:1] + drawAlt(rt)
				if rapid.Bool().Draw(rt, "other first") {
					alt = rapid.StringMatching("[ACGT]{1,4}").Draw(rt, "alt")
				}
				if !slices.Contains(r.alts, alt) {
					r.alts = append(r.alts, alt)
				}
			}
			r.makeChanges(i)
			if slices.ContainsFunc(r.changes, func(a *change) bool {
				return a != nil && slices.ContainsFunc(before, func(b *change) bool { return a.name == b.name })
			}) {
				continue // rows of both have the same key here
			}
			if unphased && slices.ContainsFunc(r.changes, func(a *change) bool {
				return a != nil && slices.ContainsFunc(before, func(b *change) bool { return a.overlaps(b) || a.start < b.start })
			}) {
				continue
			}
			for _, a := range r.changes {
				if a != nil {
					before = append(before, a)
				}
			}
			for i := range c.samples {
				if !unphased && ploidies[i] < 3 { // such as at the border of a pseudoautosomal region
					ploidies[i] = rapid.IntRange(1, 2).Draw(rt, "haploid")
				}
				r.calls = append(r.calls, drawCall(rt, len(r.alts), ploidies[i], unphased))
			}
			c.records = append(c.records, r)
		}
	}
	return c
}

func drawAlt(rt *rapid.T) string { return rapid.StringMatching("[ACGT]{0,3}").Draw(rt, "more") }

func drawCall(rt *rapid.T, alts, ploidy int, unphased bool) genotype {
	g := genotype{phased: true}
	for range ploidy {
		g.alleles = append(g.alleles, rapid.IntRange(-1, alts).Draw(rt, "called"))
	}
	if len(g.alleles) > 1 && unphased {
		switch rapid.IntRange(0, 3).Draw(rt, "phase") {
		case 0, 1:
			g.phased = false
		case 2:
			g.set = rapid.IntRange(1, 2).Draw(rt, "set")
		}
	}
	return g
}

// makeChanges compares REF and ALT letter by letter.
func (r *record) makeChanges(number int) {
	for i, alt := range r.alts {
		ref, start := r.ref, r.position
		a := alt
		for ref != "" && a != "" && ref[len(ref)-1] == a[len(a)-1] {
			ref, a = ref[:len(ref)-1], a[:len(a)-1]
		}
		for ref != "" && a != "" && ref[0] == a[0] {
			ref, a, start = ref[1:], a[1:], start+1
		}
		if ref == "" && a == "" {
			r.changes = append(r.changes, nil)
			continue
		}
		r.changes = append(r.changes, &change{contig: r.contig, record: number, number: i + 1, start: start, end: start + len(ref), letters: a,
			name: fmt.Sprintf("c%d:%d:%s>%s", r.contig, r.position+1, r.ref, alt)})
	}
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

// A spot is a place on a haplotype with what a row says of it.
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

// key is what a row shows, but for the samples.
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

// haplotypes are those of the family, by the samples that have them; of a VCF without samples
// sample 0 has all.
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
		// tight are the changes of each copy; variables those of other calls, of which each has an
		// option.
		tight := make([][]*change, 1)
		var variables [][][]*change
		ofSet := map[int]int{}
		for _, r := range c.records {
			if r.contig != contig {
				continue
			}
			g := &r.calls[sample]
			called := g.called()
			put := func(n int) []*change {
				if n == 0 || r.changes[n-1] == nil {
					return nil
				}
				return r.changes[n-1 : n]
			}
			// Alleles that change nothing are the reference's.
			for i, n := range called {
				if put(n) == nil {
					called[i] = 0
				}
			}
			h := genotype{alleles: called, phased: g.phased, set: g.set}
			switch {
			case h.tight():
				for i, n := range called {
					for len(tight) <= i {
						tight = append(tight, nil)
					}
					if a := put(n); a != nil && !slices.ContainsFunc(tight[i], a[0].overlaps) {
						tight[i] = append(tight[i], a[0])
					}
				}
			case !g.phased:
				var options [][]*change
				for _, n := range called {
					options = append(options, put(n))
				}
				variables = append(variables, options)
			default:
				v, ok := ofSet[g.set]
				if !ok {
					v = len(variables)
					ofSet[g.set] = v
					variables = append(variables, nil)
				}
				for i, n := range called {
					if len(variables[v]) <= i {
						variables[v] = append(variables[v], nil)
					}
					variables[v][i] = append(variables[v][i], put(n)...)
				}
			}
		}
		lists := [][]*change{nil}
		for _, options := range append(variables, tight) {
			var longer [][]*change
			for _, list := range lists {
				for _, o := range options {
					longer = append(longer, append(slices.Clone(list), o...))
				}
			}
			lists = longer
		}
		for _, list := range lists {
			bySample[sample] = append(bySample[sample], makeHaplotype(contig, text, ordered(list)))
		}
	}
	return bySample
}

// samples are those that have the letters of a spot.
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

// aPattern is a pattern of a case.
type aPattern struct {
	letters, fixed string
}

// substituted are the spots of a haplotype where a pattern fits with at most k substitutions.
func (p *aPattern) substituted(h *haplotype, reference string, k int) (found []spot) {
	for strand := range 2 {
		s := p.letters + p.fixed
		from, to := len(p.letters), len(s) // of the fixed letters
		if strand == 1 {
			s = reversed(s)
			from, to = 0, len(p.fixed)
		}
		for start := 0; start+len(s) <= len(h.text); start++ {
			distance := 0
			for i := range len(s) {
				if !stands(s[i], h.text[start+i]) {
					if distance++; from <= i && i < to {
						distance = k + 1
						break
					}
				}
			}
			if distance <= k {
				found = append(found, h.spotOf(reference, start, start+len(s), strand, distance))
			}
		}
	}
	return found
}

func (h *haplotype) spotOf(reference string, start, end, strand, distance int) spot {
	s := h.spot(start, end)
	s.strand, s.distance = strand, distance
	n := len(s.letters)
	s.inReference = strings.HasPrefix(reference[min(s.start, len(reference)):], s.letters) ||
		s.end >= n && reference[s.end-n:s.end] == s.letters
	return s
}

// edited are all occurrences of a pattern within k edits.
func (p *aPattern) edited(h *haplotype, reference string, k int) (found []spot) {
	for strand := range 2 {
		s := truth.Strand(p.letters, strand)
		for _, o := range truth.Ends(h.text, s, k) {
			if start := truth.Start(h.text, s, o); start < o.End {
				found = append(found, h.spotOf(reference, start, o.End, strand, o.Distance))
			}
		}
	}
	return found
}

// stands tells whether a letter of a pattern matches one of the text.
func stands(pattern, text byte) bool {
	bases := map[byte]string{'N': "ACGT"}[pattern]
	if b, ok := iupacBases[pattern]; ok {
		bases = b
	}
	return strings.IndexByte("ACGT", text) >= 0 && (pattern == text || strings.IndexByte(bases, text) >= 0)
}

func reversed(s string) string {
	complement := map[byte]byte{'A': 'T', 'C': 'G', 'G': 'C', 'T': 'A', 'R': 'Y', 'Y': 'R', 'N': 'N', 'K': 'M', 'M': 'K'}
	b := []byte(s)
	slices.Reverse(b)
	for i := range b {
		b[i] = complement[b[i]]
	}
	return string(b)
}

// runCase writes the VCF of a case and searches.
func runCase(t interface {
	Fatalf(string, ...any)
}, folder string, c *testCase, iupac bool, patterns []aPattern, o Options,
) map[string]string {
	var list []search.Pattern
	for i, p := range patterns {
		made, err := search.NewPattern(fmt.Sprintf("p%d", i), []byte(p.letters), search.DNA)
		if err != nil {
			t.Fatalf("%v", err)
		}
		var target search.Target
		if p.fixed != "" {
			target.PAMs = []string{p.fixed}
		}
		with, err := target.Patterns([]search.Pattern{made})
		if err != nil {
			t.Fatalf("%v", err)
		}
		list = append(list, with...)
	}
	if !iupac {
		o.VCF = filepath.Join(folder, "v.vcf")
		if err := os.WriteFile(o.VCF, []byte(c.vcf()), 0o666); err != nil {
			t.Fatalf("%v", err)
		}
	}
	o.Rows = search.RowOptions{Format: search.TSV, Distance: o.Search.Distance}
	o.Search.Device = device.Choice{Kind: device.CPU}
	o.Search.Threads = 2
	o.Temporary = temporary.In(folder)
	var out bytes.Buffer
	if _, err := Run(tContext, truthReference(t, c.contigs), list, o, &out); err != nil {
		t.Fatalf("%v\n%s", err, c.vcf())
	}
	rows := map[string]string{}
	previous := ""
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		n := len(f)
		if order := orderOf(f); order < previous {
			t.Fatalf("rows are out of order:\n%s", out.String())
		} else {
			previous = order
		}
		alleles := strings.TrimPrefix(f[n-2], ".")
		letters := strings.ToUpper(strings.ReplaceAll(f[7], "-", ""))
		key := fmt.Sprintf("%s %s %s %s %s %s %s %s", f[0], f[1], f[2], f[3], f[4], f[5], letters, alleles)
		rows[key] = f[n-1]
	}
	return rows
}

// orderOf is a text by which rows are in order: pattern, contig, start, end, strand, alleles.
func orderOf(f []string) string {
	pad := func(s string) string { return fmt.Sprintf("%6s", s) }
	return strings.Join([]string{f[0], f[1], pad(f[2]), pad(f[3]), f[4], f[len(f)-2]}, "\x00")
}

// TestSubstitutionsAgainstBruteForce compares all rows with those of all haplotypes of whole
// contigs.
func TestSubstitutionsAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(20, 3), func(rt *rapid.T) {
		c := drawCase(rt)
		k := rapid.IntRange(0, 4).Draw(rt, "k")
		patterns := drawPatterns(rt, c, k, true)
		o := Options{Haplotypes: 1 << 20, Samples: -1, bounds: bounds{batch: 500, calls: 100, rows: 1000}}
		o.Search.Distance, o.Search.Substitutions = k, true
		got := runCase(rt, folder, c, false, patterns, o)
		want := map[string]string{}
		for contig, text := range c.contigs {
			bySample := c.haplotypes(contig)
			plain := makeHaplotype(contig, text, nil)
			for i := range patterns {
				for _, s := range patterns[i].substituted(plain, text, k) {
					s.pattern = i
					want[s.key()] = "."
				}
				for _, list := range bySample {
					for _, h := range list {
						for _, s := range patterns[i].substituted(h, text, k) {
							s.pattern = i
							if s.touches && !s.inReference {
								want[s.key()] = samplesOf(c, &s, bySample, h)
							}
						}
					}
				}
			}
		}
		compare(rt, c, got, want)
	})
}

func samplesOf(c *testCase, s *spot, bySample [][]*haplotype, h *haplotype) string {
	if c.samples == 0 {
		return "."
	}
	return s.samples(bySample, h)
}

// compare reports rows that are missing, too many, or of other samples.
func compare(rt *rapid.T, c *testCase, got, want map[string]string) {
	for key, samples := range want {
		if have, ok := got[key]; !ok || have != samples {
			rt.Fatalf("%s: samples %q, want %q (found: %v)\n%v\n%s", key, have, samples, ok, c.contigs, c.vcf())
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			rt.Fatalf("%s should not be there\n%v\n%s", key, c.contigs, c.vcf())
		}
	}
}

// drawPatterns draws stretches of haplotypes with changes, and others. With iupac some letters are
// sets, and some patterns have a PAM.
func drawPatterns(rt *rapid.T, c *testCase, k int, iupac bool) (patterns []aPattern) {
	for range rapid.IntRange(1, 3).Draw(rt, "patterns") {
		p := aPattern{letters: rapid.StringMatching(fmt.Sprintf("[ACGT]{%d,%d}", k+1, k+9)).Draw(rt, "pattern")}
		if rapid.IntRange(0, 3).Draw(rt, "cut") > 0 {
			contig := rapid.IntRange(0, len(c.contigs)-1).Draw(rt, "of contig")
			all := c.haplotypes(contig)
			list := all[rapid.IntRange(0, len(all)-1).Draw(rt, "of sample")]
			h := list[rapid.IntRange(0, len(list)-1).Draw(rt, "of haplotype")]
			text := strings.ReplaceAll(h.text, "N", "A")
			if len(text) > k+1 {
				n := rapid.IntRange(k+1, min(len(text), k+12)).Draw(rt, "length")
				from := rapid.IntRange(0, len(text)-n).Draw(rt, "from")
				p.letters = truth.Strand(text[from:from+n], rapid.IntRange(0, 1).Draw(rt, "strand"))
			}
		}
		if iupac {
			p.fixed = rapid.SampledFrom([]string{"", "", "G", "NG"}).Draw(rt, "PAM")
			if rapid.IntRange(0, 3).Draw(rt, "sets") == 0 {
				at := rapid.IntRange(0, len(p.letters)-1).Draw(rt, "set at")
				p.letters = p.letters[:at] + rapid.SampledFrom([]string{"R", "Y", "N"}).Draw(rt, "set") + p.letters[at+1:]
			}
		}
		patterns = append(patterns, p)
	}
	return patterns
}

// TestEditsAgainstBruteForce compares all rows with those of the windows of all haplotypes, cut out
// of whole contigs, and tests that each occurrence has a row as near as the package comment says.
func TestEditsAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(20, 3), func(rt *rapid.T) {
		c := drawCase(rt)
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		patterns := drawPatterns(rt, c, k, false)
		o := Options{Haplotypes: 1 << 20, Samples: -1, bounds: bounds{batch: 500, calls: 100, rows: 1000}}
		o.Search.Distance = k
		got := runCase(rt, folder, c, false, patterns, o)
		longest := 0
		for i := range patterns {
			longest = max(longest, len(patterns[i].letters))
		}
		flank, reach := longest+4*k, longest+k
		want := map[string]string{}
		for contig, text := range c.contigs {
			bySample := c.haplotypes(contig)
			for i := range patterns {
				for _, l := range truth.Find([]string{text}, patterns[i].letters, k) {
					if l.Start == l.End {
						continue
					}
					s := makeHaplotype(contig, text, nil).spotOf(text, l.Start, l.End, l.Strand, l.Distance)
					s.pattern = i
					want[s.key()] = "."
				}
				for _, list := range bySample {
					for _, h := range list {
						for _, w := range h.cuts(flank, reach, c.samples > 0) {
							for _, l := range truth.Find([]string{h.text[w[0]:w[1]]}, patterns[i].letters, k) {
								if l.Start == l.End || l.End < reach && w[0] > 0 {
									continue
								}
								s := h.spotOf(text, w[0]+l.Start, w[0]+l.End, l.Strand, l.Distance)
								s.pattern = i
								if s.touches && !s.inReference {
									want[s.key()] = samplesOf(c, &s, bySample, h)
								}
							}
						}
					}
				}
				// Each occurrence that needs alleles has a better place near it on the same
				// haplotype, which is a row or one of the reference.
				for _, list := range bySample {
					for _, h := range list {
						guaranteed(rt, c, i, &patterns[i], h, text, k, got)
					}
				}
			}
		}
		compare(rt, c, got, want)
	})
}

// guaranteed tests what the package comment guarantees of the occurrences of a haplotype.
func guaranteed(rt *rapid.T, c *testCase, number int, p *aPattern, h *haplotype, text string, k int, got map[string]string) {
	all := p.edited(h, text, k)
	for _, s := range all {
		if !s.touches || s.inReference {
			continue
		}
		on, others := s, all
		if c.samples == 0 { // the haplotype with these alleles alone
			only := makeHaplotype(h.contig, text, s.touched)
			others = p.edited(only, text, k)
			i := slices.Index(h.changes, s.touched[0])
			on.hapStart = s.hapStart - h.at[i] + only.at[0]
			on.hapEnd = on.hapStart + s.hapEnd - s.hapStart
		}
		if !slices.ContainsFunc(others, func(o spot) bool {
			o.pattern = number
			_, row := got[o.key()]
			// The occurrence that ends there may start elsewhere on a haplotype with fewer alleles.
			near := slices.ContainsFunc(others, func(at spot) bool {
				return at.strand == s.strand && at.hapEnd == on.hapEnd && (distance(o.hapStart, at.hapStart) <= k || distance(o.hapEnd, at.hapEnd) <= k)
			})
			return o.strand == s.strand && o.distance <= s.distance && near && (row || !o.touches || o.inReference)
		}) {
			s.pattern = number
			rt.Fatalf("no row near %s\n%v\n%s", s.key(), c.contigs, c.vcf())
		}
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

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
