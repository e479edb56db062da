package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

// genomes are the abundances of n genomes, the last one the most abundant, and one with a name of
// its own.
func genomes(n int, name string) *Abundances {
	a := &Abundances{Genomes: true}
	for i := range n {
		x := depth.Abundance{Name: fmt.Sprintf("GCF_%09d.1_a_long_name_%d", i, i), Contigs: i + 1, Length: 1_000_000, Reads: int64(10 * i), Weighted: float64(10 * i),
			Covered: int64(i), Mean: float64(i) / 10, RPKM: 1234.56, TPM: 1e6 / float64(n), Relative: float64(i) / float64(n*n)}
		if i == n/2 {
			x.Name = name
		}
		a.All = append(a.All, x)
	}
	return a
}

// TestAbundanceHTML has bars of the most abundant genomes, one of all others, and rows in the same
// order.
func TestAbundanceHTML(t *testing.T) {
	const hostile = "</td><script>alert(1)</script>"
	a := newAbundanceSection(genomes(30, hostile))
	if n := len(a.Bars.Bars); n != maxPlots+1 {
		t.Fatalf("%d bars", n)
	}
	first, last := a.Bars.Bars[0], a.Bars.Bars[maxPlots]
	if first.Label != "GCF_0000…name_29" || first.Name != "GCF_000000029.1_a_long_name_29" || first.Value != "290" || first.Share != "3.22 %" {
		t.Errorf("the first bar is %+v", first)
	}
	// Genomes 0 to 5: reads 10 (1 + ... + 5), shares 15/900.
	if last.Label != "6 others" || last.Value != "150" || last.Share != "1.67 %" {
		t.Errorf("the last bar is %+v", last)
	}
	// 10 (0 + ... + 29) reads, and shares 435/900.
	if !strings.HasPrefix(a.Summary, "29 of 30 genomes with depth.") || !strings.Contains(a.Summary, "of the 48.33 % of all reads (4,350 reads)") {
		t.Errorf("the summary says %q", a.Summary)
	}
	var texts []string
	for _, c := range a.Table.Rows[0] {
		texts = append(texts, c.Text)
	}
	if got, want := strings.Join(texts, "|"), "GCF_000000029.1_a_long_name_29|30|1,000,000|290|290.0|0.00 %|2.9×|1,234.6|33,333.3|3.22 %"; got != want {
		t.Errorf("the first row is %s, want %s", got, want)
	}
	one := newAbundanceSection(&Abundances{All: []depth.Abundance{{Name: "c", Contigs: 1, Length: 9, Reads: 1}}})
	if !strings.HasPrefix(one.Summary, "0 of 1 contig with depth.") || !strings.Contains(one.Summary, "(1 read)") || len(one.Table.Header) != len(one.Table.Rows[0]) || one.Table.Header[1].Text != "bases" {
		t.Errorf("a contig has %+v", one)
	}
	for _, none := range []*Abundances{nil, {}} {
		if newAbundanceSection(none) != nil {
			t.Error("a section of nothing")
		}
	}

	var page bytes.Buffer
	if err := HTML(&page, example(), HTMLInfo{Abundance: genomes(2000, hostile)}); err != nil {
		t.Fatal(err)
	}
	balanced(t, page.Bytes())
	if n := strings.Count(page.String(), "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, want := range []string{"1,000 more genomes, not more abundant than these, are left out.", "1,976 others", "&lt;script&gt;alert(1)"} {
		if !strings.Contains(page.String(), tied(want)) && !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if page.Len() > 1<<20 {
		t.Errorf("the page has %d bytes", page.Len())
	}
}

// TestPlurals has one of everything, and several.
func TestPlurals(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{plural(0, "read"), "0 reads"}, {plural(1, "read"), "1 read"}, {plural(2, "read"), "2 reads"}, {plural(1234, "base"), "1,234 bases"},
		{plural(1, "library"), "1 library"}, {plural(2, "library"), "2 libraries"},
		{left(0, "contig", ""), ""}, {left(-3, "contig", ""), ""}, {left(1, "contig", ""), "1 more contig is left out."},
		{left(2000, "library", ""), "2,000 more libraries are left out."},
		{left(1, "place", "not with fewer edits than these"), "1 more place, not with fewer edits than these, is left out."},
		{sizeOf(1, 1), "1 base, 1 contig"}, {sizeOf(2000, 3), "2,000 bases, 3 contigs"},
		{pageTitle([]string{"a", "b"}), "Mapping report: 2 libraries"},
		{insertSource(&mapper.InsertStats{Estimated: true, From: 1}), "from the first 1 pair"},
		{tied("12 % of 3 kb, c 1 and 5 x"), "12\u00a0% of 3\u00a0kb, c 1\u00a0and 5\u00a0x"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	s := &mapper.Stats{Reads: 1, Mapped: 1, Unique: 1, Bases: 1, Mappings: 1, Libraries: make([]mapper.LibraryStats, 4), ReferenceBases: 1}
	for _, tile := range tiles(s) {
		if strings.HasPrefix(tile.Note, "1 ") && strings.HasSuffix(tile.Note, "s") {
			t.Errorf("the note of %s is %q", tile.Name, tile.Note)
		}
	}
	if got := coverageOf(1).Summary; !strings.HasPrefix(got, "1 base, mean depth 1× (") {
		t.Errorf("a contig of a base has %q", got)
	}
}

// coverageOf is the plot of a contig whose bases all have depth 1.
func coverageOf(bases int) coverageChart {
	return newCoverageChart(&mapper.ContigStats{Name: "c", Length: bases, BinLength: bases, PrimaryBases: []int64{int64(bases)}, AllBases: []int64{int64(bases)}}, "")
}

// TestOnlyContig has a plot of the width of the page, and one for a phone; beside contigs without
// records too, but not beside others.
func TestOnlyContig(t *testing.T) {
	with := mapper.ContigStats{Name: "c", Length: 10, BinLength: 10, PrimaryBases: []int64{7}, AllBases: []int64{7}}
	without := mapper.ContigStats{Name: "d", Length: 10, BinLength: 10, PrimaryBases: []int64{0}, AllBases: []int64{0}}
	for _, c := range []struct {
		contigs []mapper.ContigStats
		want    string
	}{{[]mapper.ContigStats{with}, "wide narrow"}, {[]mapper.ContigStats{without, with}, "wide narrow"}, {[]mapper.ContigStats{with, with}, ""}, {nil, ""}} {
		charts, _ := coverage(&mapper.Stats{PerContig: c.contigs})
		var classes []string
		for _, chart := range charts {
			classes = append(classes, chart.Class)
		}
		if got := strings.TrimSpace(strings.Join(classes, " ")); got != c.want {
			t.Errorf("%d contigs have plots %q, want %q", len(c.contigs), got, c.want)
		}
	}
}
