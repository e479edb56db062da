package primers

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/truth"
	"scanmap/search"
)

// TestRows has each format of products on both strands: with substitutions and gaps, with sites
// that overlap, with one primer on both sides, and with names that need escapes.
func TestRows(t *testing.T) {
	const middle = "CCGGAAGTCTANRGACTTGCATGGCATCCGTA"
	rc := truth.ReverseComplement
	first := "TT" + "ACCTGTTCGAGG" + middle + rc("GGCATCAGTCCA") // a T for an A; a T less
	second := rc("ACCTGATCGAGG"+middle+rc("GGCATTCAGTCCA")) + "GATTTACCATTGACCAA" + rc("ATTGACCAATT") + "C"
	ref, err := fasta.PackReference([]fasta.Contig{{Name: "one", Bases: []byte(first)}, {Name: "two", Bases: []byte(second)}})
	if err != nil {
		t.Fatal(err)
	}
	pairs := []Pair{{Name: `p q\`, Forward: []byte("ACCTGATCGAGG"), Reverse: []byte("GGCATTCAGTCCA")}, {Name: "over", Forward: []byte("ATTTACCATTGA"), Reverse: []byte("CAATTGGTCAAT")}}
	for _, c := range []struct {
		format Format
		want   string
	}{
		{TSV, tsvHeader +
			"p\\x20q\\x5c/F\tp\\x20q\\x5c/R\tone\t2\t58\t+\t56\t1\t1\t0\t0\t5=1X6=\t4=1I8=\n" +
			"p\\x20q\\x5c/F\tp\\x20q\\x5c/R\ttwo\t0\t57\t-\t57\t0\t0\t0\t0\t12=\t13=\n"},
		{BED, "one\t2\t58\tp\\x20q\\x5c\t920\t+\t2\t58\t0\t2\t12,12,\t0,44,\n" +
			"two\t0\t57\tp\\x20q\\x5c\t1000\t-\t0\t57\t0\t2\t13,12,\t0,45,\n"},
		{FASTA, ">one:3+58 p\\x20q\\x5c 56bp ACCTGATCGAGG GGCATTCAGTCCA\n" +
			"ACCTGtTCGAGGccggaagtctanrgacttgcatggcatccgtaTGGACT\nGATGCC\n" +
			">two:1-57 p\\x20q\\x5c 57bp ACCTGATCGAGG GGCATTCAGTCCA\n" +
			"ACCTGATCGAGGccggaagtctanrgacttgcatggcatccgtaTGGACT\nGAATGCC\n"},
	} {
		var b strings.Builder
		rows, err := NewRows(&b, ref, pairs, c.format)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Least: 40, Most: 200, Search: search.Options{Distance: 1, Device: device.Choice{Kind: device.CPU}}}
		_, err = Run(context.Background(), ref, pairs, o, func(a *Amplicon) error { return rows.Add(context.Background(), a) })
		if err := errors.Join(err, rows.Finish(context.Background())); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != c.want {
			t.Errorf("%s:\n%s\nnot\n%s", c.format, got, c.want)
		}
	}
}

// TestSitesThatTouch have one block in BED, and letters of both primers in FASTA.
func TestSitesThatTouch(t *testing.T) {
	ref := truth.Reference(t, "GACCTGATCGATTGG")
	pairs := []Pair{{Name: "p", Forward: []byte("ACCTGATC"), Reverse: []byte("CAATCGA")}, {Name: "s", Forward: []byte("ACCT"), Reverse: []byte("CCAA")}, {Name: "t", Forward: []byte("ACCTGA"), Reverse: []byte("CCAATCGA")}}
	got := map[Format]string{}
	for _, format := range Formats {
		var b strings.Builder
		rows, err := NewRows(&b, ref, pairs, Format(format))
		if err != nil {
			t.Fatal(err)
		}
		all, _ := run(t, ref, pairs, Options{Least: 1, Most: 20})
		for i := range all {
			if err := rows.Add(context.Background(), &all[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Finish(context.Background()); err != nil {
			t.Fatal(err)
		}
		got[Format(format)] = b.String()
	}
	const bed = "c0\t1\t14\tp\t1000\t+\t1\t14\t0\t1\t13,\t0,\n" +
		"c0\t1\t15\ts\t1000\t+\t1\t15\t0\t2\t4,4,\t0,10,\n" +
		"c0\t1\t15\tt\t1000\t+\t1\t15\t0\t1\t14,\t0,\n"
	const fa = ">c0:2+14 p 13bp ACCTGATC CAATCGA\nACCTGATCGATTG\n" +
		">c0:2+15 s 14bp ACCT CCAA\nACCTgatcgaTTGG\n" +
		">c0:2+15 t 14bp ACCTGA CCAATCGA\nACCTGATCGATTGG\n"
	if got[BED] != bed || got[FASTA] != fa {
		t.Errorf("%s\n%s", got[BED], got[FASTA])
	}
}

// TestMultiplexNames has products of primers of different pairs.
func TestMultiplexNames(t *testing.T) {
	const f, g = "ACCTGATCGA", "GGCATTCAGT"
	ref := truth.Reference(t, f+"CCGGAAGTC"+truth.ReverseComplement(g))
	pairs := []Pair{{Name: "a", Forward: []byte("TTTTTTTTTT"), Reverse: []byte(f)}, {Name: "b", Forward: []byte(g), Reverse: []byte("CCCCCCCCCC")}, {Name: "c", Forward: []byte(f), Reverse: []byte("CCCCCCCCCC")}}
	var b strings.Builder
	rows, err := NewRows(&b, ref, pairs, BED)
	if err != nil {
		t.Fatal(err)
	}
	all, stats := run(t, ref, pairs, Options{Least: 1, Most: 100, Multiplex: true})
	for i := range all {
		rows.bed(&all[i])
	}
	const want = "c0\t0\t29\tb/F+a/R\t1000\t-\t0\t29\t0\t2\t10,10,\t0,19,\n" +
		"c0\t0\t29\tc/F+b/F\t1000\t+\t0\t29\t0\t2\t10,10,\t0,19,\n"
	if string(rows.buffer) != want || stats.FoundPairs != 0 {
		t.Errorf("%s%v", rows.buffer, stats)
	}
}

func TestRowsRefuse(t *testing.T) {
	if _, err := NewRows(io.Discard, nil, nil, "sam"); err == nil || err.Error() != `format "sam" is not one of tsv, bed, fasta` {
		t.Error(err)
	}
	if _, err := ParseFormat("sam"); err == nil || err.Error() != `format "sam" is not one of tsv, bed, fasta` {
		t.Error(err)
	}
}
