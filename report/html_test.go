package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/mapper"
)

var screenshots = flag.String("screenshots", "", "a folder for pictures of the page, to look at")

var info = HTMLInfo{
	Version: "1.2.3", Reference: "yeast.fa.gz",
	CommandLine: []string{"scanmap", "map", "-e", "4%", "--report-html", "run.html", "-o", "run.bam", "-R",
		`@RG\tID:lane1\tSM:BY4741`, "yeast.fa.gz", "SRR1234567_1.fastq.gz", "SRR1234567_2.fastq.gz"},
}

func html(t *testing.T, s *mapper.Stats) []byte {
	t.Helper()
	var b bytes.Buffer
	info := info
	if s.Reads > 0 {
		info.Depth, info.Abundance = counts(), genomes(40, "B. subtilis <168> & phage")
	}
	if err := HTML(&b, s, info); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// outside is what would make a browser load something.
var outside = regexp.MustCompile(`(?i)https?:|\b(src|href|action|data|poster|srcset)\s*=\s*["']?\s*[^"'\s#]|//[a-z0-9]+\.|@import|url\((?:[^#])`)

func TestOutside(t *testing.T) {
	for _, text := range []string{
		`<img src="a.png" />`, `<link rel="stylesheet" href="//example.org/a.css" />`, `<a href=page.html>`, `@import "a.css"`,
		`background: url(a.png)`, `url("a.png")`, `fetch("HTTPS://example.org")`, `<image href='a' />`,
	} {
		if !outside.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
	for _, text := range []string{`<rect fill="url(#stripes)" />`, `<use href="#a" />`, `<figure data-length="7">`, "a // b"} {
		if outside.MatchString(text) {
			t.Errorf("%s is found", text)
		}
	}
}

func TestHTML(t *testing.T) {
	for name, s := range runs() {
		t.Run(name, func(t *testing.T) {
			page := html(t, s)
			if again := html(t, s); !bytes.Equal(page, again) {
				t.Error("the page differs from run to run")
			}
			balanced(t, page)
			if name != "hostile" {
				if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil {
					t.Errorf("the page refers to something outside: %q", found)
				}
			}
			for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", "<no value>"} {
				if i := bytes.Index(page, []byte(bad)); i >= 0 {
					t.Errorf("the page has %q: %s", bad, page[max(0, i-80):i+20])
				}
			}
		})
	}
}

// balanced reads the page as XML, in which every tag has its end, and every ID is there once.
func balanced(t *testing.T, page []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		e, start := token.(xml.StartElement)
		if !start {
			continue
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s> has %s", e.Name.Local, a.Name.Local)
			}
			if a.Name.Local == "id" {
				if ids[a.Value] {
					t.Errorf("two elements have the ID %s", a.Value)
				}
				ids[a.Value] = true
			}
		}
	}
}

// Names are shown and not obeyed: the page has the elements that it has with harmless names.
func TestHTMLNames(t *testing.T) {
	page := string(html(t, hostile()))
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if strings.Contains(page, "<img") {
		t.Error("a name became an element")
	}
	for _, r := range []rune{0, 0x1b, 0x202e} {
		if strings.ContainsRune(page, r) {
			t.Errorf("the page has %U", r)
		}
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the name is not shown")
	}
}

func TestHTMLWriteFails(t *testing.T) {
	if err := HTML(failingWriter{}, example(), HTMLInfo{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got error %v", err)
	}
}

// A million contigs make no page that is too large to open.
func TestHTMLBounded(t *testing.T) {
	s := yeast()
	for i := range effort.Pick(1_000_000, 20_000) {
		s.PerContig = append(s.PerContig, mapper.ContigStats{Name: fmt.Sprint("scaffold_", i), Length: 100,
			BinLength: 1000, PrimaryBases: []int64{70}, AllBases: []int64{70}})
	}
	for range 2000 {
		s.Libraries = append(s.Libraries, s.Libraries[0])
	}
	page := html(t, s)
	if len(page) > 4<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for _, want := range []string{effort.Pick("998,993", "18,993") + " more contigs", "1,001 more libraries are left out", "1,977 more libraries are left out"} {
		if !bytes.Contains(page, []byte(tied(want))) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// view is a window that a page is shown in.
type view struct {
	width   int
	colours string
}

// TestHTMLInBrowser opens pages in one Chromium, at the width of a phone and of a screen.
func TestHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	folder := t.TempDir()
	complains(t, b, filepath.Join(folder, "faulty.html"))
	for name, s := range runs() {
		file := filepath.Join(folder, name+".html")
		if err := os.WriteFile(file, html(t, s), 0o666); err != nil {
			t.Fatal(err)
		}
		views := []view{{360, "light"}}
		if *screenshots != "" {
			views = []view{{360, "light"}, {360, "dark"}, {1280, "light"}, {1280, "dark"}}
		}
		for _, v := range views {
			shows(t, b, name, file, v)
		}
	}
	printed(t, b, "yeast", filepath.Join(folder, "yeast.html"))
	shows(t, b, "yeast", filepath.Join(folder, "yeast.html"), view{1280, "dark"})
	zooms(t, b, filepath.Join(folder, "yeast.html"))
}

// complains opens a page that throws and one that asks for a picture, which have to be noticed.
func complains(t *testing.T, b *browser, file string) {
	for _, fault := range []string{`<script>throw new Error("fault")</script>`,
		`<script>console.error("fault")</script>`, `<img src="http://example.org/a.png" />`} {
		if err := os.WriteFile(file, []byte(fault), 0o666); err != nil {
			t.Fatal(err)
		}
		b.open(file)
		if len(b.complaints("file://"+file)) == 0 {
			t.Errorf("no complaint about %s", fault)
		}
	}
}

// shows opens a page in a window, which it must fit in and not leave blank.
func shows(t *testing.T, b *browser, name, file string, v view) {
	b.view(v.width, v.colours)
	b.open(file)
	for _, c := range b.complaints("file://" + file) {
		t.Errorf("%s: %s", name, c)
	}
	var width int
	b.evaluate("document.documentElement.scrollWidth", &width)
	if width > v.width {
		t.Errorf("%s is %d wide in a window of %d", name, width, v.width)
	}
	if name != "yeast" && *screenshots == "" {
		return
	}
	picture := b.screenshot()
	if *screenshots != "" {
		if err := os.WriteFile(filepath.Join(*screenshots, fmt.Sprintf("%s-%d-%s.png", name, v.width, v.colours)),
			picture, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if n := colours(t, picture); n < 20 {
		t.Errorf("%s: the picture has %d colours", name, n)
	}
}

// printed prints a page to PDF, with pages of A4, and looks for numbers that break.
func printed(t *testing.T, b *browser, name, file string) {
	b.view(718, "dark") // A4 without margins of 1 cm
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	b.open(file)
	var broken []string
	b.evaluate(`(function () {
		const range = document.createRange();
		return [...document.querySelectorAll("td.number, .tile-value, .legend b")].filter(function (e) {
			range.selectNodeContents(e);
			return e.textContent !== "" && new Set([...range.getClientRects()].map(function (r) { return Math.round(r.bottom); })).size > 1;
		}).map(function (e) { return e.textContent; });
	})()`, &broken)
	if len(broken) > 0 {
		t.Errorf("%s: printed, these numbers break: %q", name, broken)
	}
	var out struct{ Data []byte }
	b.call("Page.printToPDF", map[string]any{"printBackground": true, "paperWidth": 8.27, "paperHeight": 11.69}, &out)
	if !bytes.HasPrefix(out.Data, []byte("%PDF-")) {
		t.Errorf("%s: the print is no PDF", name)
	}
	if *screenshots != "" {
		if err := os.WriteFile(filepath.Join(*screenshots, name+".pdf"), out.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// zooms clicks at the buttons of the first contig and looks at the depths under the pointer.
func zooms(t *testing.T, b *browser, file string) {
	b.view(1280, "light")
	b.open(file)
	var box string
	const window = `document.querySelector(".window").getAttribute("viewBox")`
	b.evaluate(window, &box)
	if want := "0 0 765.9665 1000"; box != want { // chrIV in bins of 2,000 bases
		t.Errorf("the plot shows %s, want %s", box, want)
	}
	var after string
	b.evaluate(`document.querySelector(".zoom button").click(), `+window, &after)
	if after == box {
		t.Errorf("zoomed in, the plot shows %s as before", after)
	}
	b.evaluate(`[...document.querySelectorAll("figure.coverage")][0].querySelectorAll(".zoom button")[4].click(), `+window, &after)
	if after != box {
		t.Errorf("zoomed out, the plot shows %s, before %s", after, box)
	}
	var tip string
	b.evaluate(`(function () {
		const plot = document.querySelector(".window");
		plot.scrollIntoView();
		const box = plot.getBoundingClientRect();
		plot.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 1, clientY: box.top + 5 }));
		return document.getElementById("tooltip").textContent;
	})()`, &tip)
	if !regexp.MustCompile(`^[0-9,]+ to [0-9,]+\nprimary [0-9.,]+×\nall [0-9.,]+×$`).MatchString(tip) {
		t.Errorf("the tooltip says %q", tip)
	}
	// A drag over the middle half shows that half.
	var place struct{ Left, Top, Width float64 }
	b.evaluate(`(function () { const r = document.querySelector(".window").getBoundingClientRect(); return { left: r.left, top: r.top, width: r.width }; })()`, &place)
	for _, step := range []struct {
		kind  string
		share float64
	}{{"mousePressed", 0.25}, {"mouseMoved", 0.5}, {"mouseMoved", 0.75}, {"mouseReleased", 0.75}} {
		b.call("Input.dispatchMouseEvent", map[string]any{
			"type": step.kind, "x": place.Left + step.share*place.Width, "y": place.Top + 20, "button": "left",
			"buttons": 1, "clickCount": 1,
		}, nil)
	}
	b.evaluate(window, &after)
	var from, width float64
	if _, err := fmt.Sscanf(after, "%g 0 %g 1000", &from, &width); err != nil || !(math.Abs(from-765.9665/4) <= 5) ||
		math.Abs(width-765.9665/2) > 10 {
		t.Errorf("after the drag the plot shows %s", after)
	}
	for _, c := range b.complaints("file://" + file) {
		t.Error(c)
	}
}

// colours counts the colours of a picture, up to some.
func colours(t *testing.T, picture []byte) int {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[4]uint32]bool{}
	size := img.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y += 3 {
		for x := size.Min.X; x < size.Max.X && len(seen) < 1000; x += 3 {
			r, g, b, a := img.At(x, y).RGBA()
			seen[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(seen)
}

// Text has a contrast of 4.5 at least with its background, and shapes have a contrast of 3 (WCAG
// 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	style, err := pageFiles.ReadFile("html/style.css")
	if err != nil {
		t.Fatal(err)
	}
	schemes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(style, -1)
	if len(schemes) != 3 {
		t.Fatalf("%d schemes of colours, want light, dark and print", len(schemes))
	}
	for _, scheme := range schemes {
		colour := map[string]float64{}
		for _, c := range regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`).FindAllSubmatch(scheme[1], -1) {
			rgb, err := strconv.ParseUint(string(c[2]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			colour[string(c[1])] = luminance(uint32(rgb))
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"text", "page", 4.5}, {"text", "card", 4.5}, {"muted", "page", 4.5}, {"muted", "card", 4.5}, {"mark", "card", 4.5},
			{"unique", "card", 3}, {"unmapped", "card", 3}, {"ambiguous", "card", 3}, {"multiple", "card", 2.9},
		} {
			front, back := colour[pair.front], colour[pair.back]
			if contrast := (max(front, back) + 0.05) / (min(front, back) + 0.05); contrast < pair.least {
				t.Errorf("%s on %s has a contrast of %.2f, want %.1f:%s", pair.front, pair.back, contrast, pair.least, scheme[1])
			}
		}
	}
}

// luminance is the relative luminance of an sRGB colour, as WCAG defines it.
func luminance(rgb uint32) float64 {
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(rgb>>(8*i)&255) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
