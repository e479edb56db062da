package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/genome/copies"
	"scanmap/internal/effort"
)

// copiesOf returns copy numbers of a reference of random bases: a contig with a duplication, one
// that is masked, and short ones that have no plot.
func copiesOf(t *testing.T, gc copies.GC, short int) (*copies.Result, *dna.Reference, *copies.Options) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, 60_000)
	for i := range letters {
		letters[i] = "AATTACGT"[r.IntN(8)]
	}
	contigs := []fasta.Contig{{Name: "chr1", Bases: letters}, {Name: "masked", Bases: []byte("NNNN")}}
	for i := range short {
		contigs = append(contigs, fasta.Contig{Name: strings.Repeat("s", i+1), Bases: letters[:100]})
	}
	ref, err := fasta.PackReference(contigs)
	if err != nil {
		t.Fatal(err)
	}
	o := &copies.Options{Window: 50, GC: gc, GCWindow: 100, Span: 0.15, Copies: 2,
		Regions: []copies.Interval{{Contig: 0, Start: 30_000, End: 31_000}, {Contig: 1, Start: 0, End: 4}}}
	c, err := copies.New(ref, *o)
	if err != nil {
		t.Fatal(err)
	}
	for start := 0; start < len(letters); start += 10 {
		depth := 20 + r.IntN(5)
		if start >= 30_000 && start < 31_000 {
			depth *= 60
		}
		if err := c.Add(0, start, start+10, float64(depth)); err != nil {
			t.Fatal(err)
		}
	}
	result, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return result, ref, o
}

func copiesHTML(t *testing.T, name string, gc copies.GC, short int) []byte {
	t.Helper()
	result, ref, o := copiesOf(t, gc, short)
	var b bytes.Buffer
	if err := CopiesHTML(&b, result, ref, o, CopiesInfo{Version: "1.2.3", CommandLine: info.CommandLine, Reference: "ref.fa",
		Depth: name, Regions: []string{name, "none"}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCopiesHTML has a page that needs nothing else, whatever names say.
func TestCopiesHTML(t *testing.T) {
	page := copiesHTML(t, "chr1", copies.Loess, 30)
	balanced(t, page)
	if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil {
		t.Errorf("the page loads %s", found)
	}
	text := string(page)
	for _, want := range []string{
		"<title>Copy numbers: chr1</title>", "<h3><bdi>chr1</bdi></h3>", ", cut off at ", tied("(2 windows together)"), "<polyline", "unknown",
		tied("7 more contigs, not longer than these, are left out."), "10 or more", "standard error", "starts", "of counting alone",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, other := range []string{"NaN", "Inf", "<bdi>masked</bdi></h3>"} {
		if strings.Contains(text, other) {
			t.Errorf("the page has %s", other)
		}
	}
	if again := copiesHTML(t, "chr1", copies.Loess, 30); !bytes.Equal(page, again) {
		t.Error("the same copy numbers gave other bytes")
	}
	hostile := copiesHTML(t, `</title><script>alert(1)</script>`, copies.Strata, 0)
	balanced(t, hostile)
	if bytes.Count(hostile, []byte("<script")) != 1 || bytes.Contains(hostile, []byte("<polyline")) {
		t.Error("a name is obeyed, or the means of strata have a curve")
	}
	if plain := copiesHTML(t, "chr1", copies.None, 0); bytes.Contains(plain, []byte("GC content around")) {
		t.Error("a plot of GC content without correction")
	}
}

// TestCopiesPath has a window without a known value, which has no absolute step, and one far above
// the top.
func TestCopiesPath(t *testing.T) {
	windows := []copies.Window{{Start: 0, End: 10, Copies: 1, Unmasked: 10}, {Start: 10, End: 25, Copies: math.NaN()}, {Start: 25, End: 30, Copies: 8, Unmasked: 5}}
	for join, want := range map[int]string{
		1: "M0 1000V750H10V1000h15V-1000H30V1000Z",
		2: "M0 1000V750H25V-1000H30V1000Z",
		3: "M0 1000V167H30V1000Z", // (10 x 1 + 5 x 8) / 15 copies
	} {
		if got := copiesPath(windows, join, 4); got != want {
			t.Errorf("%d together: %s, want %s", join, got, want)
		}
	}
}

// TestRegionMarks names the regions that have room, and says how many are left out.
func TestRegionMarks(t *testing.T) {
	var regions []copies.Region
	var names []string
	add := func(name string, contig, start, end int) {
		regions = append(regions, copies.Region{Interval: copies.Interval{Contig: contig, Start: start, End: end}})
		names = append(names, name)
	}
	add("right", 0, 900, 1000)
	add("middle", 0, 400, 600)
	add("beside", 0, 450, 600)
	add("elsewhere", 1, 0, 10)
	add(strings.Repeat("long", 30), 0, 0, 10)
	c := copiesChart{Length: 1000}
	c.Width, c.Height, c.Axes = alongContig("")
	c.mark(regions, names, 0)
	var labels []string
	for _, l := range c.Labels {
		labels = append(labels, l.Name)
		if half := unit(textWidth(l.Name) / 2); l.X-half < c.Axes.Left-0.1 || l.X+half > c.Axes.Right+0.1 {
			t.Errorf("%s is beside the plot: %v", l.Name, l.X)
		}
		if middle := (c.Axes.Left + c.Axes.Right) / 2; l.Name == "middle" && l.X != middle {
			t.Errorf("%s is at %v, want %v", l.Name, l.X, middle)
		}
	}
	if got := strings.Join(labels, " "); got != "middle right" || len(c.Regions) != 4 || c.RegionsLeft != "" {
		t.Errorf("labels %q, %d regions, %q", got, len(c.Regions), c.RegionsLeft)
	}
	for range maxMarks - 3 {
		add("more", 0, 5, 6)
	}
	c = copiesChart{Length: 1000, Axes: c.Axes}
	c.mark(regions, names, 0)
	if len(c.Regions) != maxMarks || c.RegionsLeft != "1 more region is left out." {
		t.Errorf("%d regions, %q", len(c.Regions), c.RegionsLeft)
	}
}

// TestCopiesHTMLInBrowser opens the page at the width of a phone and of a screen.
func TestCopiesHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "copies.html")
	if err := os.WriteFile(file, copiesHTML(t, "gene", copies.Loess, 3), 0o666); err != nil {
		t.Fatal(err)
	}
	shows(t, b, "copies", file, view{360, "light"})
	shows(t, b, "copies", file, view{1280, "dark"})
	// Zoomed in on the region, the plot names the region and the window under the pointer.
	var found []string
	b.evaluate(`(function () {
		const figure = document.querySelector("figure.coverage");
		for (let i = 0; i < 4; i++) { figure.querySelector(".zoom button").click(); }
		const plot = figure.querySelector(".window");
		plot.scrollIntoView();
		const box = figure.querySelector(".region").getBoundingClientRect();
		plot.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 2, clientY: box.top + 5 }));
		return [plot.getAttribute("viewBox"), figure.querySelector(".region-names").textContent, document.getElementById("tooltip").textContent];
	})()`, &found)
	if len(found) != 3 || found[0] != "28125 0 3750 1000" || found[1] != "gene" || !regexp.MustCompile(`^30,[0-9]{3} to 30,[0-9]{3}\ncopies [0-9.,]+\ngene$`).MatchString(found[2]) {
		t.Errorf("zoomed in, the plot has %q", found)
	}
	printed(t, b, "copies", file)
}

// TestCopiesWarnings has each warning of copy numbers as a whole with its numbers, at its border
// and beyond.
func TestCopiesWarnings(t *testing.T) {
	for _, c := range []struct {
		controls copies.Controls
		o        copies.Options
		want     string
	}{
		{copies.Controls{Noise: 0.3, Error: 0.2}, copies.Options{Window: 700, Error: 0.3}, ""},
		{copies.Controls{Noise: 0.31, Error: 0.2}, copies.Options{Window: 700, Error: 0.3}, "controls scatter by 0.31 copies between neighbouring windows, " +
			"more than --window auto was to reach (0.3): the windows, of 700 bases, are the last ones that were tried"},
		{copies.Controls{Noise: 9, Error: 0.25}, copies.Options{Window: 700}, ""},
		{copies.Controls{Noise: 0.1, Error: 0.5, Starts: 16}, copies.Options{Window: 700}, "the depth is low: windows of the controls have 16 starts on average, " +
			"so that counting alone makes a standard error of 0.50 copies; windows of 2800 bases (--window) would have 0.25"},
		{copies.Controls{Covered: 100}, copies.Options{Window: 700}, "the depth looks like covered bases and not like starts of reads, because neighbouring " +
			"bases have almost the same: starts are some 100 times too many or more, and errors 10.0 times too small; count starts by scanmap map --depth-of starts"},
	} {
		if got := strings.Join(CopiesWarnings(&copies.Result{Controls: c.controls}, &c.o), "\n"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.controls, got, c.want)
		}
	}
}

// TestCopiesAtBound has a warning of windows whose factor is at its bound, of those with bases.
func TestCopiesAtBound(t *testing.T) {
	r := &copies.Result{Windows: []copies.Window{{Unmasked: 5}, {Copies: math.NaN()}, {Unmasked: 1}, {Copies: math.NaN()}}}
	if got := CopiesWarnings(r, &copies.Options{Window: 700}); got != nil {
		t.Errorf("%q", got)
	}
	for i := range r.Windows { // those without bases are none that is not to be trusted
		r.Windows[i].Bounded = 0.11
	}
	r.Windows[0].Bounded = 0.1
	want := "the factor for GC content is at its bound, 1/3 or 3, for more than a tenth of the bases of windows: " +
		"1 of 2 (flag bound); their copies are not to be trusted"
	if got := strings.Join(CopiesWarnings(r, &copies.Options{Window: 700}), "\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCopiesBars counts windows by the nearest number of copies, and none without bases.
func TestCopiesBars(t *testing.T) {
	r := &copies.Result{}
	for _, number := range []float64{0.49, 0.5, 1.49, 1.6, 2, 9.4, 9.5, 10, 1e9} {
		r.Windows = append(r.Windows, copies.Window{Unmasked: 1, Copies: number})
	}
	r.Windows = append(r.Windows, copies.Window{Copies: math.NaN()})
	for i, want := range []int64{1, 2, 2, 0, 0, 0, 0, 0, 0, 1, 3} {
		if b := copiesBars(r).Bars[i]; b.number != want {
			t.Errorf("%s: %d windows, want %d", b.Label, b.number, want)
		}
	}
}
