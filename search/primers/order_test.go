package primers

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/gpu/device"
	"scanmap/internal/truth"
	"scanmap/search"
)

// TestSameStartOfContigs has products that start at one position of several contigs, all of one
// window: each is one of its contig, which come in order.
func TestSameStartOfContigs(t *testing.T) {
	const f, v = "ACCTGATCGA", "GGCATTCAGT"
	var contigs []string
	for _, between := range []int{30, 10, 20} {
		contigs = append(contigs, f+strings.Repeat("C", between)+truth.ReverseComplement(v))
	}
	pairs := []Pair{{Name: "p", Forward: []byte(f), Reverse: []byte(v)}, {Name: "q", Forward: []byte(v), Reverse: []byte(f)}}
	for _, multiplex := range []bool{false, true} {
		o := Options{Least: 1, Most: 100, Multiplex: multiplex}
		want := plain(contigs, pairs, o)
		got, stats := run(t, truth.Reference(t, contigs...), pairs, o)
		if diff := gocmp.Diff(want, got); diff != "" || int(stats.Amplicons) != len(want) || len(want) < 6 {
			t.Errorf("multiplex %v, %d amplicons: %s", multiplex, len(want), diff)
		}
	}
}

// TestOrderOfPrimers has many primers with places at one start and one end.
func TestOrderOfPrimers(t *testing.T) {
	const f = "ACCTGATCGA"
	text := f + strings.Repeat("C", 20) + truth.ReverseComplement(f)
	var pairs []Pair
	for i := range 10 {
		// Other letters of a primer, which all fit.
		one, two := []byte(f), []byte(f)
		one[i], two[(i+1)%10] = 'N', 'N'
		pairs = append(pairs, Pair{Name: fmt.Sprint(i), Forward: two, Reverse: one})
	}
	slices.Reverse(pairs)
	for _, multiplex := range []bool{false, true} {
		o := Options{Least: 1, Most: 100, Multiplex: multiplex}
		want := plain([]string{text}, pairs, o)
		got, _ := run(t, truth.Reference(t, text), pairs, o)
		if diff := gocmp.Diff(want, got); diff != "" || len(want) < 40 {
			t.Errorf("multiplex %v, %d amplicons: %s", multiplex, len(want), diff)
		}
	}
}

// TestCountedAsEmitted has sites with gaps. One ends before another that starts before it: as many
// products are counted where none is emitted.
func TestCountedAsEmitted(t *testing.T) {
	const f = "ACGGTTCAGC"
	for _, inserted := range []string{"", "A", "TT", "AA"} {
		site := f[:5] + inserted + f[5:]
		for from := range 3 {
			for to := len(site) - 3; to <= len(site); to++ {
				text := strings.Repeat("T", 70) + site + strings.Repeat("A", 70)
				pairs := []Pair{{Name: "p", Forward: []byte(f), Reverse: []byte(truth.ReverseComplement(site[from:to]))}}
				o := Options{Least: 1, Most: 200, Search: search.Options{Distance: 2, Device: device.Choice{Kind: device.CPU}}}
				all, emitted := run(t, truth.Reference(t, text), pairs, o)
				counted, err := Run(context.Background(), truth.Reference(t, text), pairs, o, nil)
				if err != nil {
					t.Fatal(err)
				}
				if int(counted.Amplicons) != len(all) || emitted.Counts[0].Products != counted.Counts[0].Products {
					t.Errorf("%s, %s: %d are emitted, %d counted", site, site[from:to], len(all), counted.Amplicons)
				}
			}
		}
	}
}

// TestRowsOfManyBuffers has rows of more than three buffers: each is written once.
func TestRowsOfManyBuffers(t *testing.T) {
	const f, v = "ACCTGATCGA", "GGCATTCAGT"
	text := f + strings.Repeat("C", 300) + truth.ReverseComplement(v)
	pairs := []Pair{{Name: "p", Forward: []byte(f), Reverse: []byte(v)}}
	ref := truth.Reference(t, text)
	all, _ := run(t, ref, pairs, Options{Least: 1, Most: 1000})
	for _, format := range []Format{TSV, BED, FASTA} {
		var one, many bytes.Buffer
		for _, c := range []struct {
			to    *bytes.Buffer
			times int
		}{{&one, 1}, {&many, 6000}} {
			rows, err := NewRows(c.to, ref, pairs, format)
			if err != nil {
				t.Fatal(err)
			}
			for range c.times {
				if err := rows.Add(t.Context(), &all[0]); err != nil {
					t.Fatal(err)
				}
			}
			if err := rows.Finish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		header, row := "", one.String()
		if format == TSV {
			header, row = row[:strings.IndexByte(row, '\n')+1], row[strings.IndexByte(row, '\n')+1:]
		}
		if want := header + strings.Repeat(row, 6000); many.String() != want || len(want) < 3*flushAt {
			t.Errorf("%s: %d bytes, want %d", format, many.Len(), len(want))
		}
	}
}

// TestNamesAndScores has what BED calls an amplicon of one primer at both ends, of a pair whose
// primers are alike, and of a pair; and scores that are rounded.
func TestNamesAndScores(t *testing.T) {
	const f, v, middle = "ACCTGATCGA", "GGCATTCAGT", "CCGGAAGTCTACGGAC"
	for _, c := range []struct {
		left, right      string
		forward, reverse string
		want             string
	}{
		{f, f, f, v, "p/F+p/F\t1000\t+"}, {v, v, f, v, "p/R+p/R\t1000\t+"}, {f, f, f, f, "p\t1000\t+"}, {f, v, f, v, "p\t1000\t+"}, {v, f, f, v, "p\t1000\t-"},
		// 19, 18 and 17 of 20 letters, and 28 and 29 of 30: 933.3 and 966.7 thousandths.
		{"ACCTCATCGA", v, f, v, "p\t950\t+"}, {"ACCTCATCGA", "GGCAATCAGT", f, v, "p\t900\t+"},
		{"ACCTCATCGA" + f, v, f + f, v, "p\t967\t+"}, {"ACCTCATCGA" + "ACCTCATCGA", v, f + f, v, "p\t933\t+"},
	} {
		ref := truth.Reference(t, c.left+middle+truth.ReverseComplement(c.right))
		pairs := []Pair{{Name: "p", Forward: []byte(c.forward), Reverse: []byte(c.reverse)}}
		all, _ := run(t, ref, pairs, Options{Least: 30, Most: 100, Search: search.Options{Distance: 2, Substitutions: true}})
		var text bytes.Buffer
		rows, err := NewRows(&text, ref, pairs, BED)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if err := rows.Add(t.Context(), &all[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Finish(t.Context()); err != nil || !strings.Contains(text.String(), "\t"+c.want+"\t") || len(all) != 1 {
			t.Errorf("%s and %s: %v, %q, want %q", c.left, c.right, err, text.String(), c.want)
		}
	}
}
