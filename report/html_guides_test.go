package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/search"
	"scanmap/search/guides"
)

// someGuides are guides with a number of places each, drawn at random; every third has a bulge.
func someGuides(t *testing.T, number, places int, name string) (Guides, *dna.Reference) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	ref := truth.Reference(t, truth.Random(r, 20_000, "ACGT"))
	g := Guides{Ref: ref}
	regions := []guides.Region{{Contig: 0, Start: 0, End: 9000, Name: name}}
	for i := range 8 {
		regions = append(regions, guides.Region{Contig: 0, Start: 100 * i, End: 5000, Name: fmt.Sprintf("exon %d", i+1)})
	}
	g.Regions = guides.NewRegions(ref, regions)
	var patterns []search.Pattern
	for i := range number {
		letters := truth.Random(r, 20-i/7%2, "ACGT") // some are too short for scores
		p, err := search.NewPattern(fmt.Sprint(name, i+1), []byte(letters), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
		g.Names = append(g.Names, p.Name)
	}
	target := search.Target{PAMs: []string{"NGG"}}
	patterns, err := target.Patterns(patterns)
	if err != nil {
		t.Fatal(err)
	}
	c := guides.NewCounter(ref, patterns, guides.Options{Distance: 4, Regions: g.Regions, Keep: GuidePlaces(number)})
	for i := range patterns {
		m := len(patterns[i].Letters)
		for range places {
			start := r.IntN(19_900)
			l := search.Location{Pattern: i, Start: start, End: start + m, Distance: min(4, r.IntN(20)), Reverse: r.IntN(2) == 1}
			if l.Distance > 0 && r.IntN(3) == 0 {
				l.Operations = []locate.Operation{{Kind: locate.Diagonal, Length: 9}, {Kind: locate.Deletion, Length: 1},
					{Kind: locate.Diagonal, Length: int32(m - 9)}}
				l.End++
			}
			if l.Distance > 1 && r.IntN(3) == 0 {
				l.Operations = []locate.Operation{{Kind: locate.Diagonal, Length: 9}, {Kind: locate.Insertion, Length: 1},
					{Kind: locate.Diagonal, Length: int32(m - 10)}}
				l.End = start + m - 1
			}
			one := []search.Location{l}
			if err := c.Count(one, nil); err != nil {
				t.Fatal(err)
			}
			if l.Operations == nil {
				c.Score(one)
			}
		}
	}
	g.Summaries = c.Summaries()
	return g, ref
}

func guidesHTML(t *testing.T, number, places int, name string) []byte {
	t.Helper()
	g, _ := someGuides(t, number, places, name)
	return guidesPageOf(t, g, name, false)
}

func guidesPageOf(t *testing.T, g Guides, name string, substitutions bool) []byte {
	t.Helper()
	info := GuidesInfo{Version: "1.2.3", CommandLine: info.CommandLine, Reference: "ref.fa", Guides: name, PAM: "NGG", Distance: 4, Scored: 4, Nuclease: "SpCas9",
		Substitutions: substitutions, Judged: len(g.Names)}
	if g.Regions != nil {
		info.Regions = "genes.bed"
	}
	var b bytes.Buffer
	if err := GuidesHTML(&b, g, info); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGuidesHTML has a page that needs nothing else, whatever names say.
func TestGuidesHTML(t *testing.T) {
	page := guidesHTML(t, 12, 30, "guide")
	balanced(t, page)
	if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil {
		t.Errorf("the page loads %s", found)
	}
	text := string(page)
	for _, want := range []string{
		"<title>Guides: guide</title>", ">guide12</bdi>", "DNA bulge after letter ", "RNA bulge at letter ", "mismatch at letter ",
		"exon 1, exon 2, exon 3, exon 4, and 4 more", ">NA<", "up to 4 edits, then NGG", "genes.bed (9)", "median CFD specificity",
		"Specificities are of SpCas9, and count the off-targets with up to 4 substitutions",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "are left out") {
		i := strings.Index(text, "are left out")
		t.Errorf("the page has NaN, or leaves out something of little: %s", text[max(0, i-80):max(i, 0)])
	}
	if again := guidesHTML(t, 12, 30, "guide"); !bytes.Equal(page, again) {
		t.Error("the same guides gave other bytes")
	}
	hostile := guidesHTML(t, 3, 3, `</title><script>alert(1)</script>`)
	balanced(t, hostile)
	if n := bytes.Count(hostile, []byte("<script")); n != 1 {
		t.Errorf("%d scripts", n)
	}
	// Without regions, bulges, scores and places there is nothing to say about these.
	p, err := search.NewPattern("short", []byte("ACGTACGT"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	ref := truth.Reference(t, "ACGTACGTACGTACGT")
	none := guides.NewCounter(ref, []search.Pattern{p}, guides.Options{Distance: 4}).Summaries()
	plain := guidesPageOf(t, Guides{Ref: ref, Names: []string{"short"}, Summaries: none}, "-", true)
	balanced(t, plain)
	for _, other := range []string{"NaN", "bulges</th>", "regions</th>", "CFD specificity", "Specificities are"} {
		if bytes.Contains(plain, []byte(other)) {
			t.Errorf("the page has %s", other)
		}
	}
	if !bytes.Contains(plain, []byte("No locations.")) {
		t.Error("the page does not say that there are no locations")
	}
	empty := guidesPageOf(t, Guides{Ref: ref}, "none", true)
	balanced(t, empty)
}

// TestGuidesHTMLChanges has guides whose targets alleles take away or leave, with and without a
// known frequency, and places that they make.
func TestGuidesHTMLChanges(t *testing.T) {
	g, _ := someGuides(t, 4, 3, "guide")
	g.Changes = []guides.ChangeSummary{
		{Made: 3, Changed: 2, Lost: 1, MadeCFD: 0.25, TargetLost: 1, TargetFrequency: 0.125},
		{MadeCFD: math.NaN()},
		{Made: 1, MadeCFD: math.NaN(), TargetLost: 2, TargetFrequency: math.NaN()},
		{Lost: 1, MadeCFD: math.NaN(), TargetLost: 1, TargetFrequency: 1},
	}
	var b bytes.Buffer
	if err := GuidesHTML(&b, g, GuidesInfo{Guides: "x", PAM: "NGG", Distance: 4, Variants: "<v>.vcf", Judged: 4}); err != nil {
		t.Fatal(err)
	}
	balanced(t, b.Bytes())
	text := strings.ReplaceAll(b.String(), "\u00a0", " ")
	for _, want := range []string{
		"; target lost on 12.5 % of the copies; alleles make 3 locations of CFD up to 0.25<", "; alleles take the target away; alleles make 1 location<",
		"; target lost on 100 % of the copies<", "Alleles of &lt;v&gt;.vcf: 3 guides without an exact target on some haplotypes; 4 locations made.",
		`<td class="number">0.125</td><td class="number">3</td><td class="number">0.25</td><td class="number">2</td><td class="number">1</td>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Count(text, "target lost on") != 2 {
		t.Error("the page has NaN, or tells of other targets")
	}
}

// TestGuideTiles has the lower one of two specificities in the middle, and one exact location of a
// guide that has no other.
func TestGuideTiles(t *testing.T) {
	g := Guides{}
	for i, cfd := range []float64{80, math.NaN(), 20, 40, 60} {
		s := guides.Summary{CFD: cfd, ByEdits: []int64{int64(i % 3), 2, int64(i)}}
		if i%3 > 0 {
			s.Target = &guides.Site{}
		}
		g.Summaries = append(g.Summaries, s)
	}
	var got []string
	for _, tile := range guideTiles(&g) {
		got = append(got, fmt.Sprint(tile.Name, ": ", tile.Value, ", ", tile.Note))
	}
	want := []string{"guides: 5, 2 with one exact location", "off-targets: 21, 4.20 per guide", "median CFD specificity: 40.00, of 4 guides"}
	if text := strings.ReplaceAll(strings.Join(got, "; "), "\u00a0", " "); text != strings.Join(want, "; ") {
		t.Errorf("%s", text)
	}
}

// TestAligned cuts alignments into pieces of letters that are alike.
func TestAligned(t *testing.T) {
	const guide, site = "ACG-TACNGG", "AtGaT-CTGG"
	for _, c := range []struct{ row, want string }{
		{guide, " A,mismatch C, G,dna-bulge -, T,rna-bulge A, CNGG"},
		{site, " A,mismatch T, G,dna-bulge A, T,rna-bulge -, CTGG"},
	} {
		var parts []string
		for _, p := range aligned(guide, site, c.row) {
			parts = append(parts, p.Kind+" "+p.Text)
		}
		if got := strings.Join(parts, ","); got != c.want {
			t.Errorf("%s: %q, want %q", c.row, got, c.want)
		}
	}
	if got, want := alignmentLabel(guide[:7], site[:7]),
		"mismatch at letter 2; RNA bulge at letter 5; DNA bulge after letter 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := alignmentLabel("AC", "AC"); got != "all letters match" {
		t.Error(got)
	}
}

// TestGuidesHTMLBounded has more guides and places than are shown, and says how many.
func TestGuidesHTMLBounded(t *testing.T) {
	for _, c := range []struct{ guides, places, most int }{{maxGuides + 5, 4, 8 << 20}, {1, 1200, 1 << 20}, {20, 500, 6 << 20}} {
		page := guidesHTML(t, c.guides, c.places, "g")
		shownGuides := min(c.guides, maxGuides)
		if n := bytes.Count(page, []byte("<details")); n != shownGuides {
			t.Errorf("%d guides: %d are shown", c.guides, n)
		}
		n := bytes.Count(page, []byte(`role="img" aria-label="mismatch`)) + bytes.Count(page, []byte("bulge at letter")) +
			bytes.Count(page, []byte("bulge after letter"))
		if n == 0 || bytes.Count(page, []byte("<span class=\"pam\">"))-shownGuides > 2*maxGuidePlaces || len(page) > c.most {
			t.Errorf("%d guides of %d places: %d bytes, %d edited places", c.guides, c.places, len(page), n)
		}
		if left := c.places - GuidePlaces(c.guides); left > 0 && !bytes.Contains(page, []byte(tied(fmt.Sprintf("%d more locations, not with fewer edits than these, are left out.", left)))) {
			t.Errorf("%d guides of %d places: the page does not say that %d places are left out", c.guides, c.places, left)
		}
		if c.guides > maxGuides && !bytes.Contains(page, []byte(tied("5 more guides are left out."))) {
			t.Error("the page does not say that guides are left out")
		}
	}
}

// TestGuidesHTMLInBrowser opens a page of many places at the width of a phone and of a screen,
// sorts, filters and follows a link.
func TestGuidesHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "guides.html")
	if err := os.WriteFile(file, guidesHTML(t, 100, effort.Pick(100, 10), "guide"), 0o666); err != nil {
		t.Fatal(err)
	}
	views := []view{{390, "light"}, {1280, "dark"}}
	if *screenshots != "" {
		views = append(views, view{390, "dark"}, view{1280, "light"})
	}
	for _, v := range views {
		shows(t, b, "guides", file, v)
	}
	const names = `[...document.querySelectorAll("#guide-table tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[0].textContent)`
	const column = `(name) => [...document.querySelectorAll("#guide-table thead th")].find((h) => h.textContent === name)`
	var first []string
	b.evaluate(names+".slice(0, 3)", &first)
	if strings.Join(first, " ") != "guide1 guide2 guide3" {
		t.Errorf("at first the order is %v", first)
	}
	// From the greatest down, and then up; NA is last both times.
	for _, way := range []string{"descending", "ascending"} {
		var sorted struct {
			Way    string
			Values []string
		}
		b.evaluate(`(function () {
			const head = (`+column+`)("CFD");
			head.querySelector("button").click();
			const at = head.cellIndex;
			return { way: head.getAttribute("aria-sort"), values: [...document.querySelectorAll("#guide-table tbody tr")].map((r) => r.cells[at].textContent) };
		})()`, &sorted)
		if sorted.Way != way || len(sorted.Values) != 100 || sorted.Values[99] != "NA" {
			t.Fatalf("%+v", sorted)
		}
		last := -1.0
		for i, text := range sorted.Values {
			var x float64
			if _, err := fmt.Sscan(text, &x); err != nil {
				if strings.Join(sorted.Values[i:], "") != strings.Repeat("NA", 100-i) {
					t.Errorf("%s: %v", way, sorted.Values[i:])
				}
				break
			}
			if last >= 0 && (way == "ascending" && x < last || way == "descending" && x > last) {
				t.Errorf("%s: %v after %v", way, x, last)
			}
			last = x
		}
	}
	b.evaluate(`(`+column+`)("guide").querySelector("button").click(), `+names+".slice(0, 3)", &first)
	if strings.Join(first, " ") != "guide1 guide2 guide3" {
		t.Errorf("sorted by name the order is %v", first)
	}
	var filtered struct {
		Names, Sections []string
		Count           string
	}
	b.evaluate(`(function () {
		const input = document.getElementById("filter-text");
		input.value = " GUIDE9";
		input.dispatchEvent(new Event("input"));
		return { names: `+names+`, sections: [...document.querySelectorAll("details.guide")].filter((d) => !d.hidden).map((d) => d.querySelector("h3").textContent),
			count: document.querySelector("#filter output").textContent };
	})()`, &filtered)
	const want = "guide9 guide90 guide91 guide92 guide93 guide94 guide95 guide96 guide97 guide98 guide99"
	if strings.Join(filtered.Names, " ") != want || strings.Join(filtered.Sections, " ") != want || filtered.Count != "11 of 100" {
		t.Errorf("filtered: %+v", filtered)
	}
	var open bool
	b.evaluate(`document.getElementById("guide-95").parentElement.open`, &open)
	if open {
		t.Error("the places of guide95 are open")
	}
	b.evaluate(`document.querySelector('a[href="#guide-95"]').click(), false`, &open)
	for range 100 { // the hash changes a moment later
		b.evaluate(`document.getElementById("guide-95").parentElement.open`, &open)
		if open {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !open {
		t.Error("the link to the places of guide95 does not open them")
	}
	for _, c := range b.complaints("file://" + file) {
		t.Error(c)
	}
}
