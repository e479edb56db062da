package report

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/search/primers"
)

// PrimersInfo has the facts of the page of products.
type PrimersInfo struct {
	Version     string   // of scanmap
	CommandLine []string // the program's name and its arguments
	Reference   string   // name of the file
	Pairs       string   // name of the file
	Options     primers.Options
}

// Products collects counts for the page, of any number of products, and the best products of each
// pair.
type Products struct {
	pairs []primers.Pair
	ref   *dna.Reference
	each  int                  // most products of a pair that are kept
	best  [][]primers.Amplicon // of each pair; products of two pairs are the last
	all   []int64              // of each of best, how many there were
	edits []int64              // by the edits of both primers
	sizes sizeCounts
	count int64
}

// The page has at most this many products, and of a pair.
const (
	maxProducts       = 5000
	maxProductsOfPair = 100
)

// NewProducts collects nothing yet.
func NewProducts(ref *dna.Reference, pairs []primers.Pair) *Products {
	n := len(pairs) + 1
	return &Products{pairs: pairs, ref: ref, best: make([][]primers.Amplicon, n), all: make([]int64, n),
		each: max(1, min(maxProductsOfPair, maxProducts/min(n, maxRows)))}
}

// productEdits are the edits of both primers.
func productEdits(a *primers.Amplicon) int { return a.Forward.Edits + a.Reverse.Edits }

// Add counts a product, and keeps it if few of its pair have as few edits. The first of equal ones
// are kept.
func (p *Products) Add(a *primers.Amplicon) {
	p.count++
	p.sizes.add(a.End - a.Start)
	edits := productEdits(a)
	for len(p.edits) <= edits {
		p.edits = append(p.edits, 0)
	}
	p.edits[edits]++
	of := a.Forward.Primer.Pair()
	if of != a.Reverse.Primer.Pair() {
		of = len(p.pairs)
	}
	p.all[of]++
	best := p.best[of]
	if len(best) == p.each && productEdits(&best[len(best)-1]) <= edits {
		return
	}
	at, _ := slices.BinarySearchFunc(best, edits+1, func(b primers.Amplicon, edits int) int { return cmp.Compare(productEdits(&b), edits) })
	kept := *a
	kept.Forward.Operations, kept.Reverse.Operations = nil, nil
	best = slices.Insert(best, at, kept)
	p.best[of] = best[:min(len(best), p.each)]
}

// sizeBins is how many bins sizeCounts have.
const sizeBins = 40

// sizeCounts count sizes in bins of one width. A size beyond the last bin doubles the width.
type sizeCounts struct {
	width int
	bins  [sizeBins]int64
}

func (c *sizeCounts) add(size int) {
	c.width = max(1, c.width)
	for size >= c.width*sizeBins {
		for i := range c.bins {
			sum := int64(0)
			if 2*i < sizeBins {
				sum = c.bins[2*i] + c.bins[2*i+1]
			}
			c.bins[i] = sum
		}
		c.width *= 2
	}
	c.bins[size/c.width]++
}

// primersPage has the values for html/primers.html.
type primersPage struct {
	frame
	Bars     []barChart
	Sizes    *histogram // nil for no products
	Pairs    *table
	Products *table
	Note     string
}

// PrimersHTML writes products as one page without other files, the network or scripts. The same
// products give the same bytes.
func PrimersHTML(w io.Writer, p *Products, s *primers.Stats, info PrimersInfo) error {
	f, err := newFrame("Primer pairs: "+inputName(info.Pairs), info.Version, "style.css")
	if err != nil {
		return err
	}
	f.Facts, f.Tiles = p.facts(info), p.tiles(s)
	page := primersPage{
		frame: f,
		Bars:  []barChart{p.pairBars(s), p.editBars(info)}, Sizes: p.sizeChart(), Pairs: p.pairTable(s, info), Products: p.productTable(info),
	}
	if p.count < s.Amplicons {
		page.Note = fmt.Sprintf("Sizes, edits and products are those of the %s that were written (--max-products).", plural(p.count, "product"))
	}
	return writePage(w, "primers", &page)
}

// editsName is the name of an edit.
func (i *PrimersInfo) editsName() string {
	if i.Options.Search.Substitutions {
		return "substitution"
	}
	return "edit"
}

func (p *Products) facts(info PrimersInfo) []fact {
	o := &info.Options
	within := "exact sites"
	if o.Search.Distance > 0 {
		within = fmt.Sprintf("up to %s in each primer", plural(int64(o.Search.Distance), info.editsName()))
	}
	product := fmt.Sprintf("%s to %s, %s", grouped(int64(o.Least)), plural(int64(o.Most), "base"), within)
	if t := o.ThreePrime; t.Letters > 0 {
		product += fmt.Sprintf(", up to %d in its last %s", t.Edits, plural(int64(t.Letters), "base"))
	}
	if o.Multiplex {
		product += "; of any two primers"
	}
	facts := []fact{
		{"Primers", fmt.Sprintf("%s (%s)", inputName(info.Pairs), plural(int64(len(p.pairs)), "pair")), false},
		{"Reference", fmt.Sprintf("%s (%s)", inputName(info.Reference), sizeOf(int64(p.ref.TotalLength()), int64(len(p.ref.Contigs)))), false},
		{"Products", product, false},
	}
	if len(o.Circular) > 0 {
		facts = append(facts, fact{"Circular", p.circular(o) + "; a product past the end of a contig goes on at its start", false})
	}
	if m := o.Melting; m != nil {
		facts = append(facts, fact{"Melting temperatures", fmt.Sprintf("by %s, with %g nM of each primer, %g mM of monovalent and %g mM of divalent cations, "+
			"and %g mM of dNTPs", m.Stacks, m.Primer, m.Monovalent, m.Divalent, m.DNTP), false})
	}
	return append(facts,
		fact{"Command line", printable(shorten(ShellLine(info.CommandLine), maxCommandLine)), true},
		fact{"Version", info.Version, false})
}

// circular names the circular contigs, or says how many there are.
func (p *Products) circular(o *primers.Options) string {
	const most = 5
	switch n := len(o.Circular); {
	case n == len(p.ref.Contigs) && n > 1:
		return "all contigs"
	case n > most:
		return plural(int64(n), "contig")
	}
	names := make([]string, len(o.Circular))
	for i, contig := range o.Circular {
		names[i] = p.ref.Contigs[contig].Name
	}
	return strings.Join(names, ", ")
}

func (p *Products) tiles(s *primers.Stats) []tile {
	one, specific := int64(0), int64(0)
	for i := range s.Counts {
		if c := &s.Counts[i]; c.Products == 1 && c.Both == 1 {
			one++
			if c.Forward == 1 && c.Reverse == 1 {
				specific++
			}
		}
	}
	n := int64(len(p.pairs))
	tiles := []tile{
		{ofNumber(n, "pair"), grouped(n), plural(int64(s.FoundPairs), "pair") + " with a product of both primers"},
		{"one product", unbroken(one, n), plural(one, "pair")},
		{"specific", unbroken(specific, n), plural(specific, "pair") + " with one site of each primer and one product"},
		{ofNumber(s.Amplicons, "product"), grouped(s.Amplicons), average(s.Amplicons-p.all[len(p.pairs)], n) + " per pair"},
	}
	if mixed := p.all[len(p.pairs)]; mixed > 0 {
		tiles = append(tiles, tile{"products of two pairs", grouped(mixed), "with primers of different pairs"})
	}
	return tiles
}

// pairBars counts pairs by how many products they have.
func (p *Products) pairBars(s *primers.Stats) barChart {
	perPair := []int64{0}
	for i := range s.Counts {
		of := 0
		if n := s.Counts[i].Products; n > 0 {
			of = bits.Len64(uint64(n-1)) + 1
		}
		for len(perPair) <= of {
			perPair = append(perPair, 0)
		}
		perPair[of]++
	}
	bars := make([]bar, 0, len(perPair))
	for _, b := range buckets(perPair) {
		bars = append(bars, bar{Label: b.String(), Share: percent(b.Reads, int64(len(p.pairs))), number: b.Reads})
	}
	return newBarChart("per-pair", "Pairs by products", "products, pairs, share of pairs", bars)
}

func (p *Products) editBars(info PrimersInfo) barChart {
	bars := make([]bar, len(p.edits))
	for edits, n := range p.edits {
		bars[edits] = bar{Label: strconv.Itoa(edits), Share: percent(n, p.count), number: n}
	}
	name := info.editsName() + "s"
	return newBarChart("edits", "Products by "+name+" of both primers", name+", products, share", bars)
}

// sizeChart returns nil if there are no products.
func (p *Products) sizeChart() *histogram {
	if p.count == 0 {
		return nil
	}
	bins, width := p.sizes.bins[:], p.sizes.width
	first := slices.IndexFunc(bins, func(n int64) bool { return n > 0 })
	past := len(bins)
	for bins[past-1] == 0 {
		past--
	}
	c := &histogram{Label: "Sizes of products", AxisName: "size in bases", Height: 204, Axes: newAxes(48, 350, 26, 160),
		Summary: fmt.Sprintf("%s, in bins of %s.", plural(p.count, "product"), plural(int64(width), "base"))}
	from, to := float64(max(0, first-1)*width), float64((past+1)*width)
	top := niceTop(float64(slices.Max(bins)))
	place := func(size int) unit {
		return c.Axes.Left + (c.Axes.Right-c.Axes.Left)*unit((float64(size)-from)/(to-from))
	}
	for i := first; i < past; i++ {
		if bins[i] == 0 {
			continue
		}
		x, height := place(i*width), (c.Axes.Bottom-c.Axes.Top)*unit(float64(bins[i])/top)
		c.Bars = append(c.Bars, insertBar{X: x, Y: c.Axes.Bottom - height, Width: max(0.5, place((i+1)*width)-x-0.3), Height: height,
			Title: fmt.Sprintf("%s bases: %s", bucket{int64(i * width), int64((i+1)*width - 1), 0}, plural(bins[i], "product"))})
	}
	c.Axes.horizontal(from, to, func(x, _ float64) string { return grouped(int64(x)) })
	c.Axes.vertical(top, "products", "")
	c.AxisX, c.AxisY = (c.Axes.Left+c.Axes.Right)/2, c.Axes.Bottom+38
	return c
}

// pairTable has the pairs in the order of their file.
func (p *Products) pairTable(s *primers.Stats, info PrimersInfo) *table {
	t := &table{Title: "Pairs", Header: columns("pair", "products#", "of both primers#", "forward sites#", "reverse sites#",
		"fewest "+info.editsName()+"s#", "forward primer", "reverse primer"), Left: left(len(p.pairs)-maxRows, "pair", "")}
	for i := range p.pairs[:min(maxRows, len(p.pairs))] {
		c, fewest := &s.Counts[i], ""
		if len(p.best[i]) > 0 {
			fewest = strconv.Itoa(productEdits(&p.best[i][0]))
		}
		t.row(0, p.pairs[i].Name, grouped(c.Products), grouped(c.Both), grouped(c.Forward), grouped(c.Reverse), fewest,
			string(p.pairs[i].Forward), string(p.pairs[i].Reverse))
	}
	return t
}

// productTable has the products of each pair with the fewest edits, or is nil without products.
func (p *Products) productTable(info PrimersInfo) *table {
	name := info.editsName() + "s"
	header := []string{"product", "contig", "start#", "end#", "strand", "size#", "forward " + name + "#", "reverse " + name + "#",
		"forward, last 5#", "reverse, last 5#"}
	if info.Options.Melting != nil {
		header = append(header, "forward Tm, °C#", "reverse Tm, °C#")
	}
	t := &table{Title: "Products", Header: columns(header...)}
	shown := 0
	for i, best := range p.best {
		if i >= maxRows && i < len(p.pairs) || len(best) == 0 {
			continue
		}
		for j := range best {
			a := &best[j]
			strand := "+"
			if a.Minus {
				strand = "−"
			}
			cells := []string{p.productName(a), p.ref.Contigs[a.Contig].Name, grouped(int64(a.Start) + 1), grouped(int64(a.End)), strand,
				grouped(int64(a.End - a.Start)), strconv.Itoa(a.Forward.Edits), strconv.Itoa(a.Reverse.Edits),
				strconv.Itoa(a.Forward.Last), strconv.Itoa(a.Reverse.Last)}
			if info.Options.Melting != nil {
				cells = append(cells, a.Forward.TmText(), a.Reverse.TmText())
			}
			t.row(0, cells...)
		}
		shown += len(best)
	}
	if shown == 0 {
		return nil
	}
	t.Left = left(int(p.count)-shown, "product", "of each pair not with fewer "+name+" than these")
	return t
}

// productName is the name of the pair, or the names of both primers.
func (p *Products) productName(a *primers.Amplicon) string {
	name := func(x primers.Primer) string {
		if x.IsReverse() {
			return p.pairs[x.Pair()].Name + "/R"
		}
		return p.pairs[x.Pair()].Name + "/F"
	}
	if f, r := a.Forward.Primer, a.Reverse.Primer; f.Pair() != r.Pair() || f == r {
		return name(f) + " + " + name(r)
	}
	return p.pairs[a.Forward.Primer.Pair()].Name
}
