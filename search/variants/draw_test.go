package variants

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A genotype is the call of a sample: numbers of alleles, -1 for missing ones.
type genotype struct {
	alleles []int
	phased  bool
	set     int // 0 for none
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
	letters := rapid.SampledFrom([]string{"ACGT", "ACGT", "AC", "AAAT", "ACGTN", "ACGTACGTACRACK"}).Draw(rt, label+" letters")
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
			for letter, bases := range iupacBases { // a VCF has a base of such a letter
				r.ref = strings.ReplaceAll(r.ref, string(letter), bases[p%2:p%2+1])
			}
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

// drawAny draws a case with records anywhere, or mostly near each other.
func drawAny(rt *rapid.T) *testCase {
	if rapid.Bool().Draw(rt, "anywhere") {
		return drawCase(rt)
	}
	c, _ := drawCrossed(rt)
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
