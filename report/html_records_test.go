package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/search"
	"scanmap/search/records"
)

// sorted are statistics of n barcodes with up to k edits: barcode i has 100 - i reads, or none. One
// read has k edits, one k - 1, and so on, and the others none.
func sorted(n, k int, paired bool) (*records.Stats, records.Options) {
	s := &records.Stats{Paired: paired, Ambiguous: 7, ByDistance: make([]int64, k+1)}
	var o records.Options
	for i := range n {
		o.Patterns = append(o.Patterns, search.Pattern{Name: fmt.Sprintf("bc%d", i), Letters: []byte("ACGT")})
		byEdits := make([]int64, k+1)
		byEdits[0] = max(0, int64(100-i))
		s.Counts = append(s.Counts, byEdits[0])
		for d := k; d > 0 && byEdits[0] > 0; d-- {
			byEdits[0], byEdits[d] = byEdits[0]-1, 1
		}
		for d, m := range byEdits {
			s.ByDistance[d] += m
		}
		s.Distances = append(s.Distances, byEdits...)
	}
	s.Matched = sum(s.Counts)
	s.Records = s.Matched + s.Ambiguous + 13
	if s.Reads = s.Records; paired {
		s.Reads *= 2
	}
	o.Search.Distance, o.Within, o.Reads = k, records.Anywhere, "r.fq"
	return s, o
}

// recordsHTML is the page of a run, twice the same.
func recordsHTML(t *testing.T, s *records.Stats, o records.Options, filter bool) []byte {
	t.Helper()
	write := DemultiplexHTML
	if filter {
		write = FilterHTML
	}
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		if err := write(w, s, RecordsInfo{Version: "1.2.3", CommandLine: info.CommandLine, Patterns: "bars.fa", Options: o}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same statistics gave other bytes")
	}
	return b.Bytes()
}

func recordsPageOf(t *testing.T, s *records.Stats, o records.Options, filter bool) string {
	t.Helper()
	page := recordsHTML(t, s, o, filter)
	balanced(t, page)
	if found := outside.Find(bytes.Replace(page, []byte(`href="data:,"`), nil, 1)); found != nil || bytes.Contains(page, []byte("<script")) {
		t.Errorf("the page loads %s, or has a script", found)
	}
	for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page has %q", bad)
		}
	}
	return strings.NewReplacer("\u00a0", " ", "&nbsp;", " ", "<bdi>", "", "</bdi>", "").Replace(string(page))
}

// TestRecordsHTML has the numbers of each page: single reads and pairs, few patterns and many.
func TestRecordsHTML(t *testing.T) {
	two, o := sorted(2, 1, false)
	trimmed := o
	trimmed.Within, trimmed.End, trimmed.Trim, trimmed.Margin, trimmed.Mate, trimmed.Search.Substitutions = 0, records.Five, true, 2, 1, true
	pairs, ofPairs := sorted(2, 1, true)
	ofPairs.Interleaved, ofPairs.Within, ofPairs.Invert = true, 5, true
	many, ofMany := sorted(1200, 12, false)
	all, ofAll := sorted(maxPlots+1, 0, false)
	others, ofOthers := sorted(maxPlots+2, 0, false)
	mate, ofMate := sorted(2, 1, true)
	ofMate.Mate = 1
	nothing, exact := sorted(1, 0, false)
	*nothing = records.Stats{Counts: []int64{0}, Distances: []int64{0}, ByDistance: []int64{0}}
	for _, c := range []struct {
		name        string
		page        string
		wants, bads []string
	}{
		{"demultiplex", recordsPageOf(t, two, o, false), []string{
			"<title>Reads by barcodes: r.fq</title>", "bars.fa (2 barcodes)", "up to 1 edit, anywhere in a read, on either strand<",
			">219</span>", ">90.87 %<", "199 reads", ">3.20 %<", "7 reads", ">5.94 %<", "13 reads", ">2 of 2<", "each has a read", ">0.5 %<",
			"with an exact barcode", ">197<", "with edits", ">2<", ">0 edits<", ">1 edit<", ">bc0<", ">100<", ">99<", ">98<", ">ambiguous<", ">unassigned<",
			"Shares of all reads, with an exact barcode 89.95 %, with edits 0.91 %, ambiguous 3.20 %, unassigned 5.94 %",
		}, []string{"others", "left out", "pair", "Reads of all barcodes", "Trimming"}},
		{"demultiplex with options", recordsPageOf(t, two, trimmed, false), []string{
			"up to 1 substitution, right at the start of a read; of mate 1; all other barcodes have at least 2 substitutions more<", "Trimming",
		}, nil},
		{"filter", recordsPageOf(t, two, o, true), []string{
			"<title>Reads by patterns: r.fq</title>", "with a pattern", "without a pattern", "20 reads", ">9.13 %<", "those with a pattern", ">45.66 %<",
		}, []string{"unassigned", "variation", "ambiguous<"}},
		{"filter of pairs", recordsPageOf(t, pairs, ofPairs, true), []string{
			"r.fq, in which mates alternate", "at most 5 bases from either end of a read", "438 reads", "199 pairs", "those without a pattern", ">22.83 %<",
			"Reads by pattern", "edits, pairs, share of those with a pattern"}, nil},
		{"many", recordsPageOf(t, many, ofMany, false), []string{
			"1,200 barcodes", ">100 of 1,200<", "1,100 barcodes without a read", ">1,176 others<", ">9 or more<", "200 more barcodes are left out.",
			"Reads of all barcodes", "Most 100, median 0, fewest 0 reads.", "ranks 1 to 8: 96.50 reads of each, in the mean"}, []string{">10 edits<", ">bc1000<"}},
		{"a bar each", recordsPageOf(t, all, ofAll, false), []string{">bc24<"}, []string{"others<", "Reads of all barcodes"}},
		{"a bar more", recordsPageOf(t, others, ofOthers, false), []string{">2 others<", "Most 100, median 88, fewest 75 reads."}, nil},
		{"filter of one mate", recordsPageOf(t, mate, ofMate, true), []string{">45.66 %<"}, []string{">22.83 %<"}},
		{"nothing", recordsPageOf(t, nothing, exact, false), []string{">0 of 1<", "exact, anywhere", ">0.00 %<"}, []string{"with edits", "variation"}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(c.page, want) {
				t.Errorf("%s: the page lacks %s", c.name, want)
			}
		}
		for _, bad := range c.bads {
			if strings.Contains(c.page, bad) {
				t.Errorf("%s: the page has %s", c.name, bad)
			}
		}
	}
	hostile, ofHostile := sorted(1, 0, false)
	ofHostile.Patterns[0].Name, ofHostile.Reads = `</td><script>alert(1)</script>`, `</title><script>alert(2)</script>`
	recordsPageOf(t, hostile, ofHostile, true)
}

// TestRecordsTable has the last column of edits, which counts more edits, too.
func TestRecordsTable(t *testing.T) {
	for k, want := range map[int]string{9: "bc0 ACGT 100 82.64 % 91 1 1 1 1 1 1 1 1 1", 11: "bc0 ACGT 100 82.64 % 89 1 1 1 1 1 1 1 1 3"} {
		s, o := sorted(1, k, false)
		s.Records++ // 121
		p := pickedRecords{s, RecordsInfo{Options: o}, "barcode", "read", "read"}
		var got []string
		for _, c := range p.table().Rows[0] {
			got = append(got, c.Text)
		}
		if text := strings.ReplaceAll(strings.Join(got, " "), "\u00a0", " "); text != want {
			t.Errorf("%d edits: %s, want %s", k, text, want)
		}
	}
}

// TestVariation has the coefficient of variation of counts.
func TestVariation(t *testing.T) {
	if got := variation([]int64{1, 3}); !(math.Abs(got-0.5) <= 1e-12) {
		t.Error(got)
	}
	if got := variation([]int64{7, 7, 7}); got != 0 {
		t.Error(got)
	}
}

// TestRecordsHTMLInBrowser opens the page at the width of a phone and of a screen.
func TestRecordsHTMLInBrowser(t *testing.T) {
	effort.OnlyAll(t, "a browser opens a page of each kind")
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "records.html")
	s, o := sorted(96, 5, true)
	o.Patterns[3].Name = "a-sample-with-a-name-that-is-longer-than-any-column-has-room-for"
	var page bytes.Buffer
	if err := DemultiplexHTML(&page, s, RecordsInfo{CommandLine: info.CommandLine, Patterns: "bars.fa", Options: o}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	shows(t, b, "records", file, view{360, "light"})
	shows(t, b, "records", file, view{1280, "dark"})
	printed(t, b, "records", file)
}
