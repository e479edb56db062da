package primers

import (
	"cmp"
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/search"
)

// plainRings are all amplicons and the sites of each primer by brute force on texts in which
// circular contigs are written several times.
func plainRings(contigs []string, pairs []Pair, o Options) (all []Amplicon, counts []Count) {
	texts := slices.Clone(contigs)
	from := make([]int, len(contigs))
	for _, c := range o.Circular {
		n := len(contigs[c])
		from[c] = (n + 63) / 64 * 64
		turns := strings.Repeat(contigs[c], 2+from[c]/n)
		texts[c] = turns[len(turns)-from[c]:] + strings.Repeat(contigs[c], 3+o.Most/n)
	}
	// inside tells whether a site starts in its contig and goes around once at most.
	turns := func(c int) bool { return slices.Contains(o.Circular, c) }
	fits := func(s *plainSite) bool { return !turns(s.contig) || s.End-s.Start <= len(contigs[s.contig]) }
	inside := func(s *plainSite) bool {
		return fits(s) && s.Start >= from[s.contig] && s.Start < from[s.contig]+len(contigs[s.contig])
	}
	type keyed struct {
		Amplicon
		left, right Primer
	}
	var found []keyed
	counts = make([]Count, len(pairs))
	var sites []plainSite
	for p := range Primer(2 * len(pairs)) {
		alike := string(pairs[p/2].Forward) == string(pairs[p/2].Reverse)
		list := plainSites(texts, pairs, p, &o)
		for i := range list {
			switch {
			case !inside(&list[i]):
			case p.IsReverse():
				counts[p/2].Reverse++
			default:
				counts[p/2].Forward++
			}
		}
		if !p.IsReverse() || !alike {
			sites = append(sites, list...)
		}
	}
	for _, l := range sites {
		for _, r := range sites {
			size := r.End - l.Start
			if l.contig != r.contig || l.reverse || !r.reverse || l.Start > r.Start || l.End > r.End || size < o.Least || size > o.Most ||
				!o.Multiplex && l.Primer/2 != r.Primer/2 || !inside(&l) || !fits(&r) || turns(l.contig) && size > len(contigs[l.contig]) {
				continue
			}
			first := from[l.contig]
			left, right := l.Site, r.Site
			left.Start, left.End, right.Start, right.End = l.Start-first, l.End-first, r.Start-first, r.End-first
			a := Amplicon{Contig: l.contig, Start: left.Start, End: right.End, Forward: left, Reverse: right}
			if l.Primer%2 == 1 && r.Primer%2 == 0 {
				a.Minus, a.Forward, a.Reverse = true, right, left
			}
			found = append(found, keyed{a, l.Primer, r.Primer})
		}
	}
	slices.SortFunc(found, func(a, b keyed) int {
		return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, a.End-b.End, int(a.left-b.left), int(a.right-b.right))
	})
	for _, f := range found {
		all = append(all, f.Amplicon)
		if f.left/2 == f.right/2 {
			c := &counts[f.left/2]
			c.Products++
			if f.left != f.right || string(pairs[f.left/2].Forward) == string(pairs[f.left/2].Reverse) {
				c.Both++
			}
		}
	}
	return all, counts
}

// TestRingsAreBruteForce has circular contigs of few letters to some hundred among others, primers
// that are cut out of the contigs, also at their ends, and windows that end anywhere.
func TestRingsAreBruteForce(t *testing.T) {
	effort.Cases(t, 25)
	spanning, chained := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		k, substitutions := rapid.IntRange(0, 2).Draw(rt, "k"), rapid.Bool().Draw(rt, "substitutions")
		gapped := k > 0 && !substitutions
		contigs := drawText(r)
		if r.IntN(3) == 0 {
			contigs = append(contigs, truth.Random(r, 1+r.IntN(30), "ACGT"))
		}
		around := make([]string, len(contigs))
		for i, c := range contigs {
			around[i] = c + c
		}
		pairs := drawPairs(r, around, 2, !gapped)
		if slices.ContainsFunc(pairs, func(p Pair) bool { return min(len(p.Forward), len(p.Reverse)) <= k }) {
			return // it would match everywhere
		}
		o := Options{Multiplex: rapid.Bool().Draw(rt, "multiplex"), Least: rapid.IntRange(1, 60).Draw(rt, "least")}
		o.Most = o.Least + rapid.IntRange(0, effort.Pick(400, 200)).Draw(rt, "more")
		o.Search = search.Options{Distance: k, Substitutions: substitutions, Threads: rapid.IntRange(1, 2).Draw(rt, "threads")}
		for i := range contigs {
			if r.IntN(4) > 0 {
				o.Circular = append(o.Circular, i)
			}
		}
		o.bounds = bounds{first: 64 * rapid.IntRange(1, 4).Draw(rt, "first"), most: 64 * rapid.IntRange(1, 8).Draw(rt, "most"),
			sites: rapid.IntRange(1, 400).Draw(rt, "sites"), margin: rapid.IntRange(1, 64).Draw(rt, "margin"),
			grain: rapid.IntRange(1, 8).Draw(rt, "grain")}
		want, counts := plainRings(contigs, pairs, o)
		ref := truth.Reference(rt, contigs...)
		got, stats := run(rt, ref, pairs, o)
		around = around[:0]
		for _, c := range contigs {
			around = append(around, strings.Repeat(c, 2))
		}
		withoutAlignments(rt, around, pairs, got, gapped)
		if !reflect.DeepEqual(want, got) {
			rt.Fatal(contigs, pairs, o, gocmp.Diff(want, got))
		}
		for i := range counts {
			counts[i].Emitted = counts[i].Products
		}
		if diff := gocmp.Diff(counts, stats.Counts); diff != "" {
			rt.Fatal(contigs, pairs, o, diff)
		}
		for i := range want {
			if want[i].End > len(contigs[want[i].Contig]) {
				spanning++
				if gapped {
					chained++
				}
			}
		}
	})
	if spanning == 0 || chained == 0 {
		t.Error("no product spans the end of a contig", spanning, chained)
	}
}

// TestRingRows has a product and a primer over the end of a contig in each format.
func TestRingRows(t *testing.T) {
	ref := truth.Reference(t, "CGAGGTTTTACGACCTGAT") // ACCTGAT|CGAGG
	pairs := []Pair{{Name: "p", Forward: []byte("ACCTGATCGAGG"), Reverse: []byte("CGTAAAAC")}}
	for format, want := range map[Format]string{
		TSV:   tsvHeader + "p/F\tp/R\tc0\t12\t31\t+\t19\t0\t0\t0\t0\t12=\t8=\n",
		BED:   "c0\t12\t31\tp\t1000\t+\t12\t31\t0\t1\t19,\t0,\n",
		FASTA: ">c0:13+31 p 19bp ACCTGATCGAGG CGTAAAAC\nACCTGATCGAGGTTTTACG\n",
	} {
		var b strings.Builder
		rows, err := NewRows(&b, ref, pairs, format)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		o := Options{Least: 1, Most: 50, Circular: []int{0, 0}, Search: search.Options{Device: device.Choice{Kind: device.CPU}}}
		if _, err := Run(ctx, ref, pairs, o, func(a *Amplicon) error { return rows.Add(ctx, a) }); err != nil {
			t.Fatal(err)
		}
		if err := rows.Finish(ctx); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s: %q, not %q", format, b.String(), want)
		}
	}
}

// TestLongRing is refused, as positions would not fit.
func TestLongRing(t *testing.T) {
	ref := &dna.Reference{Contigs: []dna.Contig{{Name: "c", Length: 1 << 30}}}
	o := Options{Least: 1, Most: 50, Circular: []int{0}}
	_, err := Run(context.Background(), ref, []Pair{{Name: "p", Forward: []byte("ACGT"), Reverse: []byte("ACCT")}}, o, nil)
	if err == nil || !strings.HasPrefix(err.Error(), `the circular contig "c" has 1073741824 bases and is searched as 2147483`) {
		t.Error(err)
	}
}

// TestRingInParts has a circular contig in several parts of text, with a product in each part and
// one over the contig's end.
func TestRingInParts(t *testing.T) {
	letters := truth.Random(rand.New(rand.NewPCG(8, 8)), 150_000, "ACGT")
	around := letters + letters[:1000]
	starts := []int{10, 65_500, 131_000, 149_900}
	var pairs []Pair
	for _, at := range starts {
		pairs = append(pairs, Pair{Name: "p", Forward: []byte(around[at : at+20]), Reverse: []byte(truth.ReverseComplement(around[at+180 : at+200]))})
	}
	got, _ := run(t, truth.Reference(t, letters), pairs, Options{Least: 1, Most: 300, Circular: []int{0}})
	if len(got) != len(starts) {
		t.Fatalf("%d products, want %d", len(got), len(starts))
	}
	for i, at := range starts {
		if a := got[i]; a.Start != at || a.End != at+200 || a.Minus {
			t.Errorf("%+v, want a start of %d", a, at)
		}
	}
}

// TestManySitesOfRing has a circular contig with too many sites behind its 301st base: the error
// counts bases from the first of the contig, and not of the text that is searched.
func TestManySitesOfRing(t *testing.T) {
	contig := strings.Repeat("CA", 150) + strings.Repeat("T", 300)
	pairs := []Pair{{Name: "t", Forward: []byte("TTTTTTTT"), Reverse: []byte("TTTTTTTT")}}
	for _, circular := range [][]int{nil, {0}} {
		o := Options{Least: 1, Most: 50, Circular: circular, bounds: bounds{first: 64, most: 64, leastSites: 20}}
		_, err := Run(t.Context(), truth.Reference(t, contig), pairs, o, func(*Amplicon) error { return nil })
		if err == nil || !strings.Contains(err.Error(), ` bases of position 321 of contig "c0"`) {
			t.Errorf("circular %v: %v", circular, err)
		}
	}
}
