package report

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/genome/mappability"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// repetitive returns contigs of random letters: one comes again with changes, one is too
// short for K-mers, and one is ambiguous.
func repetitive(t *testing.T, name string, length int) (ref *dna.Reference, texts [2]string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	letters := []byte(truth.Random(r, length, "ACGT"))
	again := slices.Clone(letters[length/4 : length/2])
	for i := 0; i < len(again); i += 17 {
		again[i] = 'A'
	}
	ref, err := fasta.PackReference([]fasta.Contig{{Name: name, Bases: letters}, {Name: "again", Bases: again},
		{Name: "short", Bases: []byte("ACG")}, {Name: "unknown", Bases: []byte(strings.Repeat("N", 90))}})
	if err != nil {
		t.Fatal(err)
	}
	return ref, [2]string{string(letters), string(again)}
}

func frequencies(t *testing.T, ref *dna.Reference, o mappability.Options) *mappability.Frequencies {
	t.Helper()
	o.Metric = mappability.Substitutions
	f, err := mappability.Run(context.Background(), []*dna.Reference{ref}, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMappabilitySums compares the sums of bins and contigs with the sums of all pairs of K-mers,
// letter by letter.
func TestMappabilitySums(t *testing.T) {
	ref, texts := repetitive(t, "chr1", 1500)
	for _, own := range []bool{false, true} {
		o := mappability.Options{Length: 9, Edits: 1, ForwardOnly: true, ExcludeSelf: own}
		f := frequencies(t, ref, o)
		var got []int64
		contigs := []contigKMers{newContigKMers(f, 0, &ref.Contigs[0], &got), newContigKMers(f, 1, &ref.Contigs[1], &got)}
		var want []int64
		for i := range texts {
			var sums mappability.Summary
			for start := 0; start+o.Length <= len(texts[i]); start++ {
				n := 0
				for _, text := range texts {
					for other := 0; other+o.Length <= len(text); other++ {
						differ := 0
						for x := range o.Length {
							if texts[i][start+x] != text[other+x] {
								differ++
							}
						}
						if differ <= o.Edits {
							n++
						}
					}
				}
				sums.KMers++
				sums.Mappability += 1 / float64(n)
				if n == 1 {
					sums.Unique++
				}
				if own {
					n--
				}
				sums.Places += uint64(n)
				at := n // the bucket: 0, 1, 2, 3 to 4, 5 to 8
				for b := 3; n > 2 && at > b; b++ {
					if n <= 1<<(b-1) {
						at = b
					}
				}
				for len(want) <= at {
					want = append(want, 0)
				}
				want[at]++
			}
			c := contigs[i]
			if c.KMers != sums.KMers || c.Unique != sums.Unique || c.Places != sums.Places || !(math.Abs(c.Mappability-sums.Mappability) <= 1e-9) {
				t.Errorf("contig %d, own places left out: %t: %+v, want %+v", i, own, c.Summary, sums)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by frequency %v, want %v", got, want)
		}
	}
}

func mappabilityPageOf(t *testing.T, name string, o mappability.Options) []byte {
	t.Helper()
	ref, _ := repetitive(t, "chr1", 3000)
	f := frequencies(t, ref, o)
	var b bytes.Buffer
	if err := MappabilityHTML(&b, f, ref, &o, MappabilityInfo{Version: "1.2.3", CommandLine: info.CommandLine, Reference: name,
		Against: []string{"other.fa", "-"}, Regions: "r.bed"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMappabilityHTML has a page without other files, and with hostile names.
func TestMappabilityHTML(t *testing.T) {
	o := mappability.Options{Length: 20, Edits: 1, Metric: mappability.Substitutions}
	page := mappabilityPageOf(t, "chr1", o)
	balanced(t, page)
	if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil {
		t.Errorf("the page loads %s", found)
	}
	text := string(page)
	for _, want := range []string{
		"<title>Mappability: chr1</title>", "<h3><bdi>chr1</bdi></h3>", "<h3><bdi>again</bdi></h3>", "other.fa, standard input", "r.bed",
		"mean mappability", "unique share", "K-mers by frequency", tied("3,000 bases, 2,981 K-mers, "), tied("(bins of 3 bases)"),
		"locations on both strands with up to 1 substitution<", ">unknown<",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, other := range []string{"NaN", "Inf", "<h3><bdi>short", "<h3><bdi>unknown"} {
		if strings.Contains(text, other) {
			t.Errorf("the page has %s", other)
		}
	}
	if again := mappabilityPageOf(t, "chr1", o); !bytes.Equal(page, again) {
		t.Error("the same frequencies gave other bytes")
	}
	hostile := mappabilityPageOf(t, `</title><script>alert(1)</script>`, o)
	balanced(t, hostile)
	if bytes.Count(hostile, []byte("<script")) != 1 {
		t.Error("a name is obeyed")
	}
	o.MinInsert, o.MaxInsert = 30, 51
	fragments := string(mappabilityPageOf(t, "chr1", o))
	for _, want := range []string{
		"Fragments by frequency", tied("3,000 bases, 2,961 fragments, "), "40 bases, combinations from 30 to 51", "share of fragments that are unique",
		"the least of both ends and of their combinations: locations on both strands",
	} {
		if !strings.Contains(fragments, want) {
			t.Errorf("the page of fragments lacks %s", want)
		}
	}
	o.MinInsert, o.MaxInsert = 0, 0
	o.ExcludeSelf, o.Genomes = true, true
	if others := mappabilityPageOf(t, "chr1", o); bytes.Contains(others, []byte("mean mappability")) || !bytes.Contains(others, []byte("unique share")) {
		t.Error("the page has a mappability that the frequencies do not tell")
	}
	o.Length = 4000
	if none := mappabilityPageOf(t, "chr1", o); !bytes.Contains(none, []byte("No contig has a K-mer that was counted.")) {
		t.Error("a page of no K-mers does not say so")
	}
}

// TestSharePath has a step without a known value, and a shorter last one.
func TestSharePath(t *testing.T) {
	if got, want := sharePath([]float64{1, math.NaN(), 0.25}, 2.5), "M0 1000V0H1V1000h1V750H2.5V1000Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMappabilityHTMLInBrowser opens the page at the width of a phone and of a screen.
func TestMappabilityHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "mappability.html")
	if err := os.WriteFile(file, mappabilityPageOf(t, "chr1", mappability.Options{Length: 20, Edits: 1}), 0o666); err != nil {
		t.Fatal(err)
	}
	shows(t, b, "mappability", file, view{360, "light"})
	shows(t, b, "mappability", file, view{1280, "dark"})
	var found []string
	b.evaluate(`(function () {
		const plot = document.querySelector("figure.coverage .window");
		plot.scrollIntoView();
		const box = plot.getBoundingClientRect();
		plot.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 1, clientY: box.top + 5 }));
		return [document.getElementById("tooltip").textContent];
	})()`, &found)
	if len(found) != 1 || !strings.Contains(found[0], "\nunique share 1\nmean mappability 1") {
		t.Errorf("under the pointer there is %q", found)
	}
	printed(t, b, "mappability", file)
}
