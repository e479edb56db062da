package primers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/search"
)

// lettersOf has the bases that each letter of a primer stands for (NC-IUB 1984, table 1).
var lettersOf = map[byte]string{
	'A': "A", 'C': "C", 'G': "G", 'T': "T", 'R': "AG", 'Y': "CT", 'S': "CG", 'W': "AT", 'K': "GT", 'M': "AC",
	'B': "CGT", 'D': "AGT", 'H': "ACT", 'V': "ACG", 'N': "ACGT",
}

// oriented returns what a site covers, 5' to 3' of its primer.
func oriented(contig string, start, end int, reverse bool) string {
	if reverse {
		return truth.ReverseComplement(contig[start:end])
	}
	return contig[start:end]
}

// fits tells whether a letter of a primer matches one of the reference.
func fits(letter, base byte) bool { return strings.IndexByte(lettersOf[letter], base) >= 0 }

// A plainSite is a site by brute force.
type plainSite struct {
	contig  int
	reverse bool
	Site
}

// plainSites are all sites of a primer: with substitutions by comparing every place, with edits by
// dynamic programming, which takes A, C, G and T.
func plainSites(contigs []string, pairs []Pair, primer Primer, o *Options) (sites []plainSite) {
	letters := string(primer.letters(pairs))
	if o.Search.Distance > 0 && !o.Search.Substitutions {
		for _, l := range truth.Find(contigs, letters, o.Search.Distance) {
			sites = append(sites, plainSite{l.Contig, l.Strand == 1, Site{Primer: primer, Start: l.Start, End: l.End, Edits: l.Distance}})
		}
		return sites
	}
	m := len(letters)
	for c, contig := range contigs {
		for start := 0; start+m <= len(contig); start++ {
			for _, reverse := range []bool{false, true} {
				s := Site{Primer: primer, Start: start, End: start + m}
				near := 0
				for i, base := range []byte(oriented(contig, start, start+m, reverse)) {
					if fits(letters[i], base) {
						continue
					}
					s.Edits++
					if i >= m-5 {
						s.Last++
					}
					if i >= m-o.ThreePrime.Letters {
						near++
					}
				}
				if s.Edits <= o.Search.Distance && (o.ThreePrime.Letters == 0 || near <= o.ThreePrime.Edits) {
					sites = append(sites, plainSite{c, reverse, s})
				}
			}
		}
	}
	return sites
}

// plain are all amplicons by a double loop over all sites.
func plain(contigs []string, pairs []Pair, o Options) (all []Amplicon) {
	var sites []plainSite
	for p := range Primer(2 * len(pairs)) {
		if !p.IsReverse() || string(pairs[p/2].Forward) != string(pairs[p/2].Reverse) {
			sites = append(sites, plainSites(contigs, pairs, p, &o)...)
		}
	}
	type keyed struct {
		Amplicon
		left, right Primer
	}
	var found []keyed
	for _, l := range sites {
		for _, r := range sites {
			size := r.End - l.Start
			if l.contig != r.contig || l.reverse || !r.reverse || l.Start > r.Start || l.End > r.End || size < o.Least || size > o.Most ||
				!o.Multiplex && l.Primer/2 != r.Primer/2 {
				continue
			}
			a := Amplicon{Contig: l.contig, Start: l.Start, End: r.End, Forward: l.Site, Reverse: r.Site}
			if l.Primer%2 == 1 && r.Primer%2 == 0 {
				a.Minus, a.Forward, a.Reverse = true, r.Site, l.Site
			}
			found = append(found, keyed{a, l.Primer, r.Primer})
		}
	}
	slices.SortFunc(found, func(a, b keyed) int {
		return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, a.End-b.End, int(a.left-b.left), int(a.right-b.right))
	})
	for _, f := range found {
		all = append(all, f.Amplicon)
	}
	return all
}

// limited returns the amplicons that a limit leaves, and the counts of each pair.
func limited(contigs []string, pairs []Pair, o *Options, all []Amplicon) (some []Amplicon, counts []Count) {
	counts = make([]Count, len(pairs))
	for i := range pairs {
		p := Primer(2 * i)
		counts[i].Forward = int64(len(plainSites(contigs, pairs, p, o)))
		counts[i].Reverse = int64(len(plainSites(contigs, pairs, p+1, o)))
	}
	for _, a := range all {
		pair := a.Forward.Primer.Pair()
		if pair == a.Reverse.Primer.Pair() {
			c := &counts[pair]
			c.Products++
			if a.Forward.Primer != a.Reverse.Primer || string(pairs[pair].Forward) == string(pairs[pair].Reverse) {
				c.Both++
			}
			if o.Limit > 0 && c.Emitted == o.Limit {
				continue
			}
			c.Emitted++
		}
		some = append(some, a)
	}
	return some, counts
}

// run collects what Run emits.
func run(t interface{ Fatal(...any) }, ref *dna.Reference, pairs []Pair, o Options) (all []Amplicon, stats *Stats) {
	o.Search.Device = device.Choice{Kind: device.CPU}
	stats, err := Run(context.Background(), ref, pairs, o, func(a *Amplicon) error {
		all = append(all, *a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, stats
}

// withoutAlignments takes off the fields that brute force does not know with edits, after a replay
// has checked them: the alignments, and the edits of the last letters.
func withoutAlignments(t interface{ Fatal(...any) }, contigs []string, pairs []Pair, all []Amplicon, gapped bool) {
	for i := range all {
		a := &all[i]
		for _, side := range []struct {
			site    *Site
			reverse bool
		}{{&a.Forward, a.Minus}, {&a.Reverse, !a.Minus}} {
			s := side.site
			if s.Edits > 0 && gapped {
				replay(t, oriented(contigs[a.Contig], s.Start, s.End, side.reverse), string(s.Primer.letters(pairs)), s)
				s.Last = 0
			}
			s.Operations = nil
		}
	}
}

// replay goes through the alignment of a site letter by letter.
func replay(t interface{ Fatal(...any) }, text, primer string, s *Site) {
	operations := s.Operations
	if operations == nil {
		operations = []locate.Operation{{Kind: locate.Diagonal, Length: int32(len(primer))}}
	}
	q, r, edits, last, m := 0, 0, 0, 0, len(primer)
	for n, o := range operations {
		for range o.Length {
			edit, near := true, q >= m-5
			switch o.Kind {
			case locate.Diagonal:
				edit = !fits(primer[q], text[r])
				q, r = q+1, r+1
			case locate.Insertion:
				q++
			case locate.Deletion:
				near = q > m-5
				r++
			}
			if edit {
				edits++
				if near {
					last++
				}
			}
		}
		length := int(o.Length)
		switch { // a gap that could go on towards the 5' end
		case n == 0 || operations[n-1].Kind != locate.Diagonal:
		case o.Kind == locate.Insertion && primer[q-1] == primer[q-length-1],
			o.Kind == locate.Deletion && text[r-1] == text[r-length-1]:
			t.Fatal("gap not as near to the 5' end as it goes", primer, text, operations)
		}
	}
	if q != m || r != len(text) || edits != s.Edits || last != s.Last {
		t.Fatal(primer, text, operations, "replayed", q, r, edits, last, "but", s.Edits, s.Last)
	}
}

// drawText returns contigs of a few hundred letters with tandem repeats, so that chains of
// locations reach over the borders of windows.
func drawText(r *rand.Rand) (contigs []string) {
	for range 1 + r.IntN(4) {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			switch r.IntN(3) {
			case 0:
				b.WriteString(truth.Random(r, 1+r.IntN(80), "ACGT"))
			case 1:
				b.WriteString(truth.Random(r, 1+r.IntN(40), "ACN"))
			case 2:
				unit := truth.Random(r, 1+r.IntN(9), "ACGT")
				b.WriteString(truth.Edited(r, strings.Repeat(unit, 1+r.IntN(200)/len(unit)), r.IntN(4)))
			}
		}
		contigs = append(contigs, b.String()+"A")
	}
	return contigs
}

// drawPairs returns primers of at least some letters that are cut out of contigs, or of few kinds
// of letters, with edits.
func drawPairs(r *rand.Rand, contigs []string, least int, sets bool) (pairs []Pair) {
	primer := func() []byte {
		m := least + r.IntN(16-least)
		contig := contigs[r.IntN(len(contigs))]
		s := truth.Random(r, m, "AC")
		if at := r.IntN(len(contig)); at+m <= len(contig) && r.IntN(5) > 0 {
			s = truth.Edited(r, strings.ReplaceAll(contig[at:at+m], "N", "G"), r.IntN(2))
		}
		if r.IntN(2) == 0 {
			s = truth.ReverseComplement(s)
		}
		b := []byte(s)
		if sets && r.IntN(2) == 0 {
			b[r.IntN(len(b))] = "RYSWKMBDHVN"[r.IntN(11)]
		}
		return b
	}
	for i := range 1 + r.IntN(4) {
		p := Pair{Name: fmt.Sprint("p", i), Forward: primer(), Reverse: primer()}
		if r.IntN(6) == 0 {
			p.Reverse = p.Forward
		}
		if len(pairs) > 0 && r.IntN(4) == 0 {
			p.Forward = pairs[0].Reverse
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func TestRunIsBruteForce(t *testing.T) {
	small := effort.Pick(1, 0)
	cut, found := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		k, substitutions := rapid.IntRange(0, 2+small).Draw(rt, "k"), rapid.Bool().Draw(rt, "substitutions")
		gapped := k > 0 && !substitutions
		contigs := drawText(r)
		pairs := drawPairs(r, contigs, 2, !gapped)
		o := Options{Multiplex: rapid.Bool().Draw(rt, "multiplex"), Least: rapid.IntRange(1, 60).Draw(rt, "least")}
		o.Most = o.Least + rapid.IntRange(0, 200).Draw(rt, "more")
		o.Search = search.Options{Distance: k, Substitutions: substitutions, Threads: rapid.SampledFrom([]int{1, 2, 3, 12}).Draw(rt, "threads")}
		if !gapped && rapid.Bool().Draw(rt, "limit") {
			o.ThreePrime = ThreePrime{rapid.IntRange(1, 20).Draw(rt, "letters"), rapid.IntRange(0, 2).Draw(rt, "edits")}
		}
		o.bounds = bounds{first: 64 * rapid.IntRange(1, 4).Draw(rt, "first"), most: 64 * rapid.IntRange(1, 8).Draw(rt, "most"),
			sites: rapid.IntRange(1, 400).Draw(rt, "sites"), margin: rapid.IntRange(1, 64).Draw(rt, "margin"),
			grain: rapid.IntRange(1, 8).Draw(rt, "grain")}
		if slices.ContainsFunc(pairs, func(p Pair) bool { return min(len(p.Forward), len(p.Reverse)) <= k }) {
			return // it would match everywhere
		}
		if !o.Multiplex {
			o.Limit = int64(rapid.IntRange(0, 4).Draw(rt, "limit"))
		}
		all := plain(contigs, pairs, o)
		want, counts := limited(contigs, pairs, &o, all)
		ref := truth.Reference(rt, contigs...)
		got, stats := run(rt, ref, pairs, o)
		withoutAlignments(rt, contigs, pairs, got, gapped)
		if diff := gocmp.Diff(want, got); diff != "" {
			rt.Fatal(contigs, pairs, diff)
		}
		wantStats := &Stats{Device: stats.Device, Schemes: stats.Schemes, Pairs: len(pairs), Amplicons: int64(len(all)), Emitted: int64(len(want)),
			TextLetters: stats.TextLetters, Counts: counts}
		for _, c := range counts {
			if c.Both > 0 {
				wantStats.FoundPairs++
			}
		}
		if diff := gocmp.Diff(wantStats, stats); diff != "" {
			rt.Fatal(contigs, pairs, diff)
		}
		o.Search.Device = device.Choice{Kind: device.CPU}
		stats, err := Run(context.Background(), ref, pairs, o, nil)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range counts {
			counts[i].Emitted = 0
		}
		if diff := gocmp.Diff(counts, stats.Counts); diff != "" || stats.Emitted != 0 || stats.Amplicons != int64(len(all)) {
			rt.Fatal(contigs, pairs, diff, stats)
		}
		if !o.Multiplex {
			o.Limit, o.Unwanted = 0, make([]bool, len(pairs))
			o.Unwanted[r.IntN(len(pairs))] = true
			wanted := slices.DeleteFunc(slices.Clone(all), func(a Amplicon) bool { return o.Unwanted[a.Forward.Primer.Pair()] })
			got, stats := run(rt, ref, pairs, o)
			withoutAlignments(rt, contigs, pairs, got, gapped)
			if len(wanted) == 0 {
				wanted = nil // as Diff tells them apart
			}
			for i := range counts {
				if counts[i].Emitted = counts[i].Products; o.Unwanted[i] {
					counts[i].Emitted = 0
				}
			}
			if diff := gocmp.Diff(wanted, got) + gocmp.Diff(counts, stats.Counts); diff != "" {
				rt.Fatal(contigs, pairs, diff)
			}
		}
		found += len(want)
		if slices.ContainsFunc(contigs, func(c string) bool { return len(c) > o.bounds.first }) {
			cut++
		}
	})
	if cut == 0 || found == 0 {
		t.Error("no window was cut, or nothing was found", cut, found)
	}
}

// TestChains has tandem repeats in which each location keeps the next ones off, from the start of
// the repeat on, while windows begin in it.
func TestChains(t *testing.T) {
	const before = "CGGCATTCGGCTCCGCTAGG"
	for _, unit := range []string{"A", "AC", "AAC"} {
		for from := range effort.Pick(6, 2) {
			contigs := []string{"TTGC", before[:from+3] + strings.Repeat(unit, 144/len(unit)) + before + strings.Repeat("T", 100+from) + before}
			forward := strings.Repeat(unit, 9)[:9]
			pairs := []Pair{{Name: "p", Forward: []byte(forward), Reverse: []byte("AAAAAAAAAA")}, {Name: "q", Forward: []byte(before[:10]), Reverse: []byte("TTTTTTTTTT")}}
			for k := 1; k <= 3; k++ {
				o := Options{Multiplex: true, Least: 1, Most: 40, Search: search.Options{Distance: k}}
				want := plain(contigs, pairs, o)
				o.bounds = bounds{first: 64, most: 64, margin: 1}
				got, _ := run(t, truth.Reference(t, contigs...), pairs, o)
				withoutAlignments(t, contigs, pairs, got, true)
				if diff := gocmp.Diff(want, got); diff != "" || len(want) == 0 {
					t.Fatal(unit, from, k, len(want), diff)
				}
			}
		}
	}
}

// TestChainsThatEnd has tandem repeats that end in a window: the cut text has its last location
// before the window, and the whole text has one in it, as the first one keeps others off.
func TestChainsThatEnd(t *testing.T) {
	const after = "CCGTCCTGCCTTCGCTGCCGTTCCGTCGCC"
	pairs := []Pair{{Name: "p", Forward: []byte("AAGAAGA"), Reverse: []byte(truth.ReverseComplement(after[10:25]))}}
	found := 0
	for length := 150; length < effort.Pick(280, 180); length++ {
		for start := range 3 {
			contigs := []string{strings.Repeat("C", 20+start) + strings.Repeat("A", length) + after}
			for k := 1; k <= 2; k++ {
				o := Options{Least: 1, Most: 60, Search: search.Options{Distance: k}}
				want := plain(contigs, pairs, o)
				o.bounds = bounds{first: 64, most: 64, margin: 1}
				got, _ := run(t, truth.Reference(t, contigs...), pairs, o)
				withoutAlignments(t, contigs, pairs, got, true)
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatal(length, start, k, diff)
				}
				found += len(got)
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

// TestOpenPattern has a primer that is searched for again, since a chain of its sites reaches over
// the start of a window, and that has a site on the other strand before the first site of the chain
// there.
func TestOpenPattern(t *testing.T) {
	const primer, back = "ACAACCAA", "TTGGTTGT" // each other's reverse complement
	for _, spaced := range []string{
		strings.Repeat("GGGGGGGG"+primer, 20),
		"GGGGGGGG" + strings.Repeat("GGGGGGGGG"+primer, 20), // back is kept before the pattern is open
	} {
		text := []byte(spaced)
		copy(text[128:], back)
		contigs := []string{string(text)}
		pairs := []Pair{{Name: "p", Forward: []byte(primer), Reverse: []byte(back[:6])}}
		o := Options{Least: 1, Most: 40, Search: search.Options{Distance: 2}}
		want := plain(contigs, pairs, o)
		o.bounds = bounds{first: 64, most: 64, margin: 1}
		got, _ := run(t, truth.Reference(t, contigs...), pairs, o)
		withoutAlignments(t, contigs, pairs, got, true)
		diff := gocmp.Diff(want, got)
		if !slices.ContainsFunc(want, func(a Amplicon) bool { return a.Start == 128 && a.End == 136 }) || diff != "" {
			t.Fatal(len(want), diff)
		}
	}
}

// TestAfterWindow has sites of few letters, which keep each other off, at the end of the longest
// product that starts with the last base of a window.
func TestAfterWindow(t *testing.T) {
	const forward = "GGTTGATCGAGG"
	r := rand.New(rand.NewPCG(1, 1))
	for range effort.Pick(300, 60) {
		text := truth.Random(r, 63, "GT") + forward + truth.Random(r, 60, "AC")
		at := 85 + r.IntN(20)
		pairs := []Pair{{Name: "p", Forward: []byte(forward), Reverse: []byte(truth.ReverseComplement(truth.Edited(r, text[at:at+10], 1)))}}
		for most := 20; most < 60; most += 3 {
			o := Options{Least: 1, Most: most, Search: search.Options{Distance: 2}}
			want := plain([]string{text}, pairs, o)
			o.bounds = bounds{first: 64, most: 64}
			got, _ := run(t, truth.Reference(t, text), pairs, o)
			withoutAlignments(t, []string{text}, pairs, got, true)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatal(text, pairs, most, diff)
			}
		}
	}
}

// TestBorders has cases whose amplicons are counted by hand, the limits of products among them.
func TestBorders(t *testing.T) {
	const f, v, middle = "ACCTGATCGA", "GGCATTCAGT", "CCGGAAGTCTACGGAC" // of 10, 10 and 16 letters
	rc := truth.ReverseComplement
	product := f + middle + rc(v) // 36 letters
	for _, c := range []struct {
		name, text       string
		forward, reverse string
		least, most      int
		want             []string
	}{
		{"all of a contig", product, f, v, 1, 100, []string{"0-36+"}},
		{"the least size", product, f, v, 36, 36, []string{"0-36+"}},
		{"too small", product, f, v, 37, 100, nil},
		{"too large", product, f, v, 1, 35, nil},
		{"the other strand", "G" + rc(product) + "T", f, v, 1, 100, []string{"1-37-"}},
		{"looking away", rc(v) + middle + f, f, v, 1, 100, nil},
		{"the same strand", f + middle + v, f, v, 1, 100, nil},
		{"touching", f + rc(v), f, v, 1, 100, []string{"0-20+"}},
		{"overlapping", "ACCTGATCGACC", "ACCTGATCGA", "GGTCGATC", 1, 100, []string{"0-12+"}},
		{"one inside the other", "ACCTGATCGACC", "ACCTGATCGACC", "TCGATC", 1, 100, nil},
		{"the same ends", "ACCTGATCGACC", "ACCTGATCGACC", "GGTCGATCAGGT", 12, 12, []string{"0-12+"}},
		{"a forward primer alone", f + middle + rc(f), f, v, 1, 100, []string{"0-36+"}},
		{"a reverse primer alone", v + middle + rc(v), f, v, 1, 100, []string{"0-36+"}},
		{"one primer twice", f + middle + rc(f), f, f, 1, 100, []string{"0-36+"}},
		{"an N in a site", f[:3] + "N" + f[4:] + middle + rc(v), f, v, 1, 100, nil},
		{"IUPAC", product, "RCCTGATCGA", "GGCATTCAGK", 1, 100, []string{"0-36+"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pairs := []Pair{{Name: "p", Forward: []byte(c.forward), Reverse: []byte(c.reverse)}}
			var got []string
			all, _ := run(t, truth.Reference(t, c.text), pairs, Options{Least: c.least, Most: c.most})
			for _, a := range all {
				got = append(got, fmt.Sprintf("%d-%d%c", a.Start, a.End, a.strand()))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, not %v", got, c.want)
			}
		})
	}
}

// TestLast has the edits of the last five letters, counted by hand, on both strands.
func TestLast(t *testing.T) {
	const primer, other = "ACGTTGCAACCTGAT", "GGGCCATTATGCCGA"
	for _, c := range []struct {
		site, cigar string
		last        int
	}{
		{"ACGTTGCAACCTGAT", "15=", 0},
		{"ACGTTGCAACCTGAA", "14=1X", 1},
		{"ACGTTGCAACGTGAT", "10=1X4=", 1},
		{"ACGTTGCAAGCTGAT", "9=1X5=", 0},
		{"ACGTTGCAACCTAT", "12=1I2=", 1},
		{"ACGTTGCACCTGAT", "7=1I7=", 0},
		{"ACGTTGCAACCTTGAT", "11=1D4=", 1}, // a T more: in front of the other
		{"ACGTTGCAACGCTGAT", "10=1D5=", 0}, // before the first of the five
		{"ACGTTGCAACCCTGAT", "9=1D6=", 0},  // a C more, as near to the 5' end as it goes
		{"ACGTTGCAACTGAT", "9=1I5=", 0},    // a C less
	} {
		product := "GATTACA" + c.site + "CCGGAAGTCTACGGAC" + truth.ReverseComplement(other) + "TTAGACA"
		pairs := []Pair{{Name: "p", Forward: []byte(primer), Reverse: []byte(other)}}
		for _, text := range []string{product, truth.ReverseComplement(product)} {
			ref := truth.Reference(t, text)
			for limit := range 2 {
				o := Options{Least: 30, Most: 100, Search: search.Options{Distance: 2}, ThreePrime: ThreePrime{5, limit}}
				all, _ := run(t, ref, pairs, o)
				if (len(all) == 1) != (c.last <= limit) {
					t.Fatal(c.site, text, limit, all)
				}
				if len(all) == 0 {
					continue
				}
				rows, err := NewRows(nil, ref, pairs, TSV)
				if err != nil {
					t.Fatal(err)
				}
				rows.align(&all[0], &all[0].Forward)
				if got := string(rows.alignment.appendCIGAR(nil)); got != c.cigar || all[0].Forward.Last != c.last {
					t.Errorf("%s: %s with %d, not %s with %d", c.site, got, all[0].Forward.Last, c.cigar, c.last)
				}
			}
		}
	}
}

// TestManySites has primers that fit everywhere: windows get smaller, and the same is found, until
// there is a number that is refused.
func TestManySites(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("AT", 80)+strings.Repeat("A", 70)+strings.Repeat("T", 70))
	pairs := []Pair{{Name: "at", Forward: []byte("ATATATAT"), Reverse: []byte("TATATATA")}, {Name: "a", Forward: []byte("AAAAAA"), Reverse: []byte("AAAAAA")}}
	for _, s := range []search.Options{{}, {Distance: 2}, {Distance: 1, Substitutions: true}} {
		o := Options{Least: 20, Most: 100, Multiplex: true, Search: s}
		want, _ := run(t, ref, pairs, o)
		o.bounds.sites = 10
		got, _ := run(t, ref, pairs, o)
		if diff := gocmp.Diff(want, got); diff != "" || len(want) < 500 {
			t.Error(len(want), diff)
		}
		o.bounds.leastSites = 50
		_, err := Run(context.Background(), ref, pairs, o, func(*Amplicon) error { return nil })
		if err == nil || !strings.Contains(err.Error(), `have more than 50 sites within `) {
			t.Error(err)
		}
	}
}

// TestTooManySitesLast has windows with products before one with too many sites, which come first.
// An error of emit comes before it too, and is the last that emit is called for.
func TestTooManySitesLast(t *testing.T) {
	const forward, reverse = "GATTACAGCC", "GGCTTCGACA"
	product := forward + strings.Repeat("C", 10) + truth.ReverseComplement(reverse)
	contigs := []string{product, product, product + strings.Repeat("CA", 100) + strings.Repeat("T", 300)}
	pairs := []Pair{{Name: "p", Forward: []byte(forward), Reverse: []byte(reverse)}, {Name: "t", Forward: []byte("TTTTTTTT"), Reverse: []byte("TTTTTTTT")}}
	for _, s := range []search.Options{{}, {Distance: 1}} {
		o := Options{Least: 1, Most: 50, Search: s}
		o.Search.Threads = 2
		o.bounds = bounds{first: 64, most: 64, leastSites: 20}
		wrong := errors.New("wrong")
		for stop := range 4 {
			calls := 0
			_, err := Run(t.Context(), truth.Reference(t, contigs...), pairs, o, func(*Amplicon) error {
				if calls++; calls == stop {
					return wrong
				}
				return nil
			})
			switch {
			case stop > 0 && (err != wrong || calls != stop):
				t.Error(stop, calls, err)
			case stop == 0 && (err == nil || !strings.Contains(err.Error(), `of contig "c2"`) || calls != 3):
				t.Error(calls, err)
			}
		}
	}
}

// TestGPU finds the same on a GPU, on which windows are searched one by one, also where some have
// too many sites and are searched in parts.
func TestGPU(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for i, s := range []search.Options{{Distance: 2}, {Distance: 2, Substitutions: true}, {Distance: 2}, {Distance: 1}} {
		o := Options{Least: 1, Most: 100, Multiplex: true, Search: s, bounds: bounds{first: 128, most: 128}}
		if i > 1 {
			o.bounds = bounds{first: 1024, most: 1024, sites: 2}
		}
		var contigs []string
		var pairs []Pair
		var want []Amplicon
		for len(want) == 0 {
			contigs = drawText(r)
			pairs = drawPairs(r, contigs, 4, false)
			want, _ = run(t, truth.Reference(t, contigs...), pairs, o)
		}
		o.Search.Device = device.Choice{Kind: device.CUDA, Driver: driver}
		opened := driver.Calls()["cuDevicePrimaryCtxRetain"]
		var got []Amplicon
		stats, err := Run(t.Context(), truth.Reference(t, contigs...), pairs, o, func(a *Amplicon) error {
			got = append(got, *a)
			return nil
		})
		if err != nil || stats.Device != "cuda:0" {
			t.Fatal(stats, err)
		}
		// Chains of sites take it once more.
		if n := driver.Calls()["cuDevicePrimaryCtxRetain"] - opened; n > 2 {
			t.Errorf("the GPU is opened %d times", n)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestWindows has every place of a reference in the parts of one window, in order.
func TestWindows(t *testing.T) {
	contigs := []string{strings.Repeat("A", 300), "A", strings.Repeat("A", 63), strings.Repeat("A", 64), strings.Repeat("A", 65), strings.Repeat("A", 128)}
	r := &runner{ref: truth.Reference(t, contigs...), options: Options{Most: 100}}
	if err := r.makeRings(); err != nil {
		t.Fatal(err)
	}
	for _, letters := range []int{64, 128, 256, 512, 1024} {
		at, want := (place{}), (place{})
		for windows := 0; at.contig < len(contigs); windows++ {
			w, next := r.window(at, letters)
			total := 0
			for _, p := range w {
				if (place{p.contig, p.from}) != want || p.last != min(p.to+100, len(contigs[p.contig])) || p.from%64 != 0 {
					t.Fatal(letters, w)
				}
				total += p.to - p.from
				if want = (place{p.contig, p.to}); p.to == len(contigs[p.contig]) {
					want = place{p.contig + 1, 0}
				}
			}
			if next != want || len(w) == 0 || total > letters {
				t.Fatal(letters, w, next, want)
			}
			at = next
		}
	}
	// Sites that start in the last position may be longer than products.
	r.longest, r.options.Most, r.options.Search.Distance = 40, 20, 2
	if w, _ := r.window(place{}, 64); w[0].last != 64+40+2+locate.Reach(2) {
		t.Error("sites with deletions:", w)
	}
	r.options.Search.Substitutions = true
	if w, _ := r.window(place{}, 64); w[0].last != 64+40 {
		t.Error("sites with substitutions:", w)
	}
}

// TestLettersOfNextWindow has the letters of a window after one with few sites, with none, and with
// as many as it may have.
func TestLettersOfNextWindow(t *testing.T) {
	r := &runner{options: Options{bounds: bounds{sites: 1000}}}
	for _, c := range []struct{ letters, sites, want int }{
		{1024, 0, 4096}, {1024, 1, 4096}, {1024, 125, 4096}, {1024, 126, 4032}, {1024, 500, 1024}, {1024, 1000, 512}, {1024, 4000, 128},
		{1024, 8000, 64}, {1024, 1 << 20, 64}, {64, 1000, 64}, {64, 0, 256},
	} {
		if got := r.after(c.letters, c.sites); got != c.want {
			t.Errorf("after %d letters with %d sites: %d, want %d", c.letters, c.sites, got, c.want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	ref := truth.Reference(t, "ACGTACGT")
	pairs := []Pair{{Name: "p", Forward: []byte("ACG"), Reverse: []byte("GTA")}}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Least: 0, Most: 5}, "a product of 0 to 5 bases is not in 1 to 2147483647"},
		{Options{Least: 6, Most: 5}, "a product of 6 to 5 bases is not in 1 to 2147483647"},
		{Options{Least: 1, Most: 1 << 31}, "a product of 1 to 2147483648 bases is not in 1 to 2147483647"},
		{Options{Least: 1, Most: 5, Search: search.Options{Distance: 3}}, `pattern "p/F": it has 3 letters and would match everywhere with 3 edits`},
	} {
		c.o.Search.Device = device.Choice{Kind: device.CPU}
		if _, err := Run(context.Background(), ref, pairs, c.o, nil); err == nil || err.Error() != c.want {
			t.Error(err, "not", c.want)
		}
	}
}
