package variants

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/search"
)

// aPattern is a pattern of a case.
type aPattern struct {
	letters, fixed string
	iupac          bool // letters of the text stand for their bases
}

// readings are the texts of one with ambiguous letters: itself or, with iupac, all. N stays.
func (p *aPattern) readings(text string) []string {
	for i := range text {
		bases, ok := iupacBases[text[i]]
		if !ok || !p.iupac {
			continue
		}
		var all []string
		for _, base := range bases {
			for _, rest := range p.readings(text[i+1:]) {
				all = append(all, text[:i]+string(base)+rest)
			}
		}
		return all
	}
	return []string{text}
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
			fewest := k + 1
			for _, reading := range p.readings(h.text[start : start+len(s)]) {
				distance := 0
				for i := range len(s) {
					if !stands(s[i], reading[i]) {
						if distance++; from <= i && i < to {
							distance = k + 1
							break
						}
					}
				}
				fewest = min(fewest, distance)
			}
			if fewest <= k {
				found = append(found, h.spotOf(reference, start, start+len(s), strand, fewest))
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
	list := prepare(t, folder, c, iupac, patterns, &o)
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

// prepare makes the patterns of a case, writes its VCF and completes the options.
func prepare(t interface {
	Fatalf(string, ...any)
}, folder string, c *testCase, iupac bool, patterns []aPattern, o *Options,
) (list []search.Pattern) {
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
	return list
}

// orderOf is a text by which rows are in order: pattern, contig, start, end, strand, alleles.
func orderOf(f []string) string {
	pad := func(s string) string { return fmt.Sprintf("%6s", s) }
	return strings.Join([]string{f[0], f[1], pad(f[2]), pad(f[3]), f[4], f[len(f)-2]}, "\x00")
}

// TestSubstitutionsAgainstBruteForce compares all rows with the rows of all haplotypes of whole
// contigs.
func TestSubstitutionsAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(5, 3), func(rt *rapid.T) {
		c := drawAny(rt)
		k := rapid.IntRange(0, 4).Draw(rt, "k")
		patterns := drawPatterns(rt, c, k, true)
		o := Options{Haplotypes: 1 << 20, Samples: -1, bounds: bounds{batch: 500, calls: 100, rows: spilling(1000)}}
		o.Search.Distance, o.Search.Substitutions = k, true
		compare(rt, c, runCase(rt, folder, c, false, patterns, o), substitutedRows(c, patterns, k))
	})
}

// substitutedRows are the rows with up to k substitutions of all haplotypes of whole contigs, with
// their samples.
func substitutedRows(c *testCase, patterns []aPattern, k int) map[string]string {
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
	return want
}

// TestSitesThatDeletionsBringTogether has deletions of many letters between sites, so that places
// and windows reach further along the contig than along a haplotype, and more sites than are
// dropped at a time.
func TestSitesThatDeletionsBringTogether(t *testing.T) {
	folder := t.TempDir()
	for seed := range uint64(effort.Pick(200, 30)) {
		r := rand.New(rand.NewPCG(seed, 31))
		c := &testCase{contigs: []string{truth.Random(r, 260, "ACGT")}, samples: 1}
		text := c.contigs[0]
		for at := r.IntN(6); at < len(text)-50; {
			rec := &record{position: at, ref: text[at : at+1]}
			rec.alts = []string{truth.SubstitutedAt(rec.ref, 0)}
			if r.IntN(4) == 0 {
				rec.ref = text[at : at+1+r.IntN(45)]
				rec.alts[0] = rec.ref[:1] + truth.Random(r, r.IntN(2), "ACGT")
			}
			at += len(rec.ref) + 1 + r.IntN(9)
			if rec.makeChanges(len(c.records)); rec.changes[0] == nil {
				continue
			}
			rec.calls = []genotype{{alleles: []int{r.IntN(5) / 4, min(r.IntN(5), 1)}, phased: true}}
			c.records = append(c.records, rec)
		}
		// Patterns are of the second copy, or of one that lacks what comes before or after an allele,
		// as a window would without these sites.
		all := c.haplotypes(0)[0][1].changes
		var patterns []aPattern
		for range 10 {
			i := r.IntN(len(all))
			h := makeHaplotype(0, text, [][]*change{all, all[:i+1], all[i:]}[r.IntN(3)])
			at := h.at[slices.Index(h.changes, all[i])] - 1 - r.IntN(18)
			at = min(max(0, at), len(h.text)-20)
			patterns = append(patterns, aPattern{letters: h.text[at : at+20]})
		}
		o := Options{Haplotypes: 1 << 20, Samples: -1}
		o.Search.Substitutions = true
		want := substitutedRows(c, patterns, 0)
		got := runCase(t, folder, c, false, patterns, o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: rows (-want +got)\n%s\n%v\n%s", seed, diff, c.contigs, c.vcf())
		}
	}
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
			text := strings.NewReplacer("N", "A", "R", "G", "K", "T").Replace(h.text)
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

// TestEditsAgainstBruteForce compares all rows with the rows of the windows of all haplotypes, cut
// out of whole contigs, and tests that each occurrence has a row as near as the package comment
// says.
func TestEditsAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	check(t, effort.Pick(5, 3), func(rt *rapid.T) {
		c := drawAny(rt)
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		patterns := drawPatterns(rt, c, k, false)
		o := Options{Haplotypes: 1 << 20, Samples: -1, bounds: bounds{batch: 500, calls: 100, rows: spilling(1000)}}
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
