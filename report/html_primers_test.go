package report

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/search/primers"
)

// TestProducts compares kept products and counts with the sorted list of all products.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		pairs := make([]primers.Pair, 1+r.IntN(4))
		p := NewProducts(truth.Reference(t, "ACGT"), pairs)
		p.each = 1 + r.IntN(8)
		of := make([][]primers.Amplicon, len(pairs)+1)
		var sizes []int
		for i := range r.IntN(300) {
			a := primers.Amplicon{Start: i, End: i + 1 + r.IntN(1<<r.IntN(20))}
			a.Forward = primers.Site{Primer: primers.Primer(r.IntN(2 * len(pairs))), Edits: r.IntN(3)}
			a.Reverse = primers.Site{Primer: primers.Primer(r.IntN(2 * len(pairs))), Edits: r.IntN(3)}
			n := a.Forward.Primer.Pair()
			if n != a.Reverse.Primer.Pair() {
				n = len(pairs)
			}
			of[n] = append(of[n], a)
			sizes = append(sizes, a.End-a.Start)
			p.Add(&a)
		}
		for n := range of {
			want := slices.Clone(of[n])
			slices.SortStableFunc(want, func(a, b primers.Amplicon) int {
				return cmp.Compare(a.Forward.Edits+a.Reverse.Edits, b.Forward.Edits+b.Reverse.Edits)
			})
			want = want[:min(p.each, len(want))]
			starts := func(all []primers.Amplicon) (out []int) {
				for i := range all {
					out = append(out, all[i].Start)
				}
				return out
			}
			if !slices.Equal(starts(p.best[n]), starts(want)) || p.all[n] != int64(len(of[n])) {
				t.Fatalf("pair %d keeps %v of %d, want %v of %d", n, starts(p.best[n]), p.all[n], starts(want), len(of[n]))
			}
		}
		var bins [sizeBins]int64
		for _, size := range sizes {
			bins[size/p.sizes.width]++
		}
		if bins != p.sizes.bins || sum(p.edits) != int64(len(sizes)) {
			t.Fatalf("sizes %v, want %v", p.sizes.bins, bins)
		}
	}
}

// primersPageOf has pairs with 1, 16 and no products, the last ones within an edit.
func primersPageOf(t *testing.T, name string, o primers.Options) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 10))
	once := truth.Random(r, 60, "ACGT")
	text := truth.Random(r, 500, "ACGT") + once
	repeat := truth.Random(r, 60, "ACGT")
	text += strings.Repeat(repeat, 4) + truth.Random(r, 500, "ACGT")
	pair := func(name, letters string) primers.Pair {
		return primers.Pair{Name: name, Forward: []byte(letters[:18]), Reverse: []byte(truth.ReverseComplement(letters[40:58]))}
	}
	pairs := []primers.Pair{pair(name, once), pair("repeat", repeat), {Name: "none", Forward: []byte("ACGTTTTTTTTTTTTTTTA"), Reverse: []byte("AACCCCCCCCCCCCCCCCA")}}
	ref := truth.Reference(t, text)
	o.Least, o.Most, o.Search.Distance, o.Search.Threads = 20, 2000, 1, 1
	products := NewProducts(ref, pairs)
	stats, err := primers.Run(context.Background(), ref, pairs, o, func(a *primers.Amplicon) error { products.Add(a); return nil })
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := PrimersHTML(&b, products, stats, PrimersInfo{Version: "1.2.3", CommandLine: info.CommandLine, Reference: "-", Pairs: name, Options: o}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSizeChart begins a bin before the shortest products, and ends a bin after the longest.
func TestSizeChart(t *testing.T) {
	p := &Products{count: 5}
	p.sizes.width = 10
	for bin, n := range map[int]int64{20: 1, 21: 3, 25: 1} {
		p.sizes.bins[bin] = n
	}
	c := p.sizeChart()
	first, last := c.Bars[0], c.Bars[len(c.Bars)-1]
	left, right := float64(first.X-c.Axes.Left), float64(c.Axes.Right-last.X-last.Width)
	if bin := float64(c.Axes.Right-c.Axes.Left) / 8; len(c.Bars) != 3 || math.Abs(left-bin) > 1 || math.Abs(right-bin) > 1 {
		t.Errorf("%d bars, %g to their left and %g to their right; want 3, and %g for a bin", len(c.Bars), left, right, bin)
	}
}

// TestPrimersHTML has a page without other files, and with hostile names.
func TestPrimersHTML(t *testing.T) {
	page := primersPageOf(t, "once", primers.Options{})
	balanced(t, page)
	if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil || bytes.Contains(page, []byte("<script")) {
		t.Errorf("the page loads %s, or has a script", found)
	}
	text := string(page)
	for _, want := range []string{
		"<title>Primer pairs: once</title>", "standard input", "20 to 2,000 bases, up to 1 edit in each primer", "Products by edits of both primers",
		`<span class="tile-value">11</span>`, "size in bases", "<bdi>repeat</bdi>", "1 pair with one site of each primer and one product",
		">501<", ">558<",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "left out") {
		t.Error("the page has no number, or leaves products out")
	}
	if again := primersPageOf(t, "once", primers.Options{}); !bytes.Equal(page, again) {
		t.Error("the same products gave other bytes")
	}
	hostile := primersPageOf(t, `</title><script>alert(1)</script>`, primers.Options{Multiplex: true})
	balanced(t, hostile)
	if bytes.Contains(hostile, []byte("<script")) {
		t.Error("a name is obeyed")
	}
	if !bytes.Contains(hostile, []byte("products of two pairs")) {
		t.Error("products of two pairs are not counted")
	}
	if limited := primersPageOf(t, "once", primers.Options{Limit: 2}); !bytes.Contains(limited, []byte(tied("those of the 3 products that were written"))) {
		t.Error("the page does not say which products it has")
	}
}

// TestPrimersHTMLInBrowser opens the page at the width of a phone and of a screen.
func TestPrimersHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "primers.html")
	if err := os.WriteFile(file, primersPageOf(t, "pair", primers.Options{Multiplex: true}), 0o666); err != nil {
		t.Fatal(err)
	}
	shows(t, b, "primers", file, view{360, "light"})
	shows(t, b, "primers", file, view{1280, "dark"})
	printed(t, b, "primers", file)
}

// TestPrimersTemperatures compares the temperatures of the page and of the rows, also of a product
// around the end of a circular contig.
func TestPrimersTemperatures(t *testing.T) {
	text := truth.Random(rand.New(rand.NewPCG(11, 12)), 600, "ACGT")
	ref := truth.Reference(t, text)
	var reverse dna.Sequence
	reverseOf := func(letters string) []byte {
		var s dna.Sequence
		s.Append([]byte(letters))
		s.ReverseComplement(&reverse)
		var out []byte
		for i := range reverse.Length {
			out = append(out, reverse.Letter(i))
		}
		return out
	}
	pairs := []primers.Pair{
		{Name: "inside", Forward: []byte(text[100:120]), Reverse: reverseOf(text[300:320])},
		{Name: "around", Forward: []byte(text[520:540]), Reverse: reverseOf(text[40:60])},
	}
	o := primers.Options{Least: 40, Most: 300, Circular: []int{0}, Melting: &primers.DefaultMelting}
	var rows bytes.Buffer
	writer, err := primers.NewRows(&rows, ref, pairs, primers.TSV)
	if err == nil {
		err = writer.Melt()
	}
	if err != nil {
		t.Fatal(err)
	}
	products := NewProducts(ref, pairs)
	stats, err := primers.Run(context.Background(), ref, pairs, o, func(a *primers.Amplicon) error {
		products.Add(a)
		return writer.Add(context.Background(), a)
	})
	if err == nil {
		err = writer.Finish(context.Background())
	}
	var page bytes.Buffer
	if err == nil {
		err = PrimersHTML(&page, products, stats, PrimersInfo{Reference: "ref.fa", Pairs: "p.tsv", Options: o})
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(rows.String()), "\n")[1:]
	if len(lines) != 2 {
		t.Fatalf("%d products: %s", len(lines), rows.String())
	}
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		for _, want := range cells[len(cells)-2:] {
			if want == "." || !strings.Contains(page.String(), ">"+want+"<") {
				t.Errorf("the page lacks %s of %s", want, line)
			}
		}
	}
	for _, want := range []string{"forward Tm, °C", "c0; a product past the end of a contig goes on at its start", "by santalucia1998, with 50 nM of each primer"} {
		if !strings.Contains(strings.NewReplacer("\u00a0", " ", "&nbsp;", " ").Replace(page.String()), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
