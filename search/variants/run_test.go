package variants

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/temporary"
	"scanmap/search"
)

var tContext = context.Background()

// truthReference packs contigs c0, c1, ...
func truthReference(t interface{ Fatalf(string, ...any) }, contigs []string) *dna.Reference {
	var list []fasta.Contig
	for i, text := range contigs {
		list = append(list, fasta.Contig{Name: "c" + strconv.Itoa(i), Bases: []byte(text)})
	}
	ref, err := fasta.PackReference(list)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ref
}

// check tests a property by a multiple of the number of cases that rapid takes.
func check(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	for range times {
		rapid.Check(t, property)
	}
}

// added searches for one pattern, and returns columns 3 to 10 of the rows with alleles. k is of
// edits or, if it is negative, less one, of substitutions.
func added(t *testing.T, contig, vcf, pattern string, k int) (rows []string) {
	t.Helper()
	o := Options{VCF: filepath.Join(t.TempDir(), "v.vcf"), Samples: 2, Rows: search.RowOptions{Format: search.TSV}, Temporary: temporary.In(t.TempDir())}
	o.Search.Distance, o.Search.Device = k, device.Choice{Kind: device.CPU}
	if k < 0 {
		o.Search.Distance, o.Search.Substitutions = -1-k, true
	}
	o.Search.ForwardOnly = true
	if err := os.WriteFile(o.VCF, []byte(vcf), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := search.NewPattern("p", []byte(pattern), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Run(tContext, truthReference(t, []string{contig}), []search.Pattern{p}, o, &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if alleles := f[len(f)-2]; alleles != "." && alleles != "alleles" {
			rows = append(rows, strings.Join(slices.Concat(f[2:8], f[len(f)-2:]), " "))
		}
	}
	return rows
}

// TestAdded has the examples of docs/variants.md's words.
func TestAdded(t *testing.T) {
	for _, test := range []struct {
		name, contig, vcf, pattern string
		k                          int
		want                       []string
	}{
		{"SNV at the first base", "ACGTACG", vcfHead + "c0\t1\t.\tA\tG\t.\t.\t.\n", "GCG", 0, []string{"0 3 + 0 3M GCG c0:1:A>G ."}},
		{"SNV at the last base", "ACGTACG", vcfHead + "c0\t7\t.\tG\tC\t.\t.\t.\n", "ACC", 0, []string{"4 7 + 0 3M ACC c0:7:G>C ."}},
		{"a deletion spans what it deletes", "ACGTTTGCA", vcfHead + "c0\t3\t.\tGTTT\tG\t.\t.\t.\n", "CGGC", 0, []string{"1 8 + 0 4M CGGC c0:3:GTTT>G ."}},
		{"a deletion in a run, up to its end", "ACTTTTGCA", vcfHead + "c0\t2\t.\tCT\tC\t.\t.\t.\n", "CTTTG", 0, []string{"1 7 + 0 5M CTTTG c0:2:CT>C ."}},
		{"a deletion in a run, not up to its end", "ACTTTTGCA", vcfHead + "c0\t2\t.\tCT\tC\t.\t.\t.\n", "CTTT", 0, nil},
		{"inside an insertion", "ACGT", vcfHead + "c0\t2\t.\tC\tCAAGGA\t.\t.\t.\n", "AGG", 0, []string{"2 2 + 0 3M AGG c0:2:C>CAAGGA ."}},
		{"into an insertion", "ACGT", vcfHead + "c0\t2\t.\tC\tCAAGGA\t.\t.\t.\n", "CAA", 0, []string{"1 2 + 0 3M CAA c0:2:C>CAAGGA ."}},
		{"out of an insertion", "ACGT", vcfHead + "c0\t2\t.\tC\tCAAGGA\t.\t.\t.\n", "GAGT", 0, []string{"2 4 + 0 4M GAGT c0:2:C>CAAGGA ."}},
		{"several bases of one record", "ACGTAC", vcfHead + "c0\t2\t.\tCGT\tTGA\t.\t.\t.\n", "TGAAC", 0, []string{"1 6 + 0 5M TGAAC c0:2:CGT>TGA ."}},
		{
			"side by side", "AACCGGTT", vcfSamples + "c0\t4\t.\tC\tA\t.\t.\t.\tGT\t0|1\t1|0\nc0\t5\t.\tG\tT\t.\t.\t.\tGT\t0|1\t0|1\n", "CATG", 0,
			[]string{"2 6 + 0 4M CATG c0:4:C>A,c0:5:G>T s0"},
		},
		{
			"the other phase", "AACCGGTT", vcfSamples + "c0\t4\t.\tC\tA\t.\t.\t.\tGT\t0|1\t1|0\nc0\t5\t.\tG\tT\t.\t.\t.\tGT\t0|1\t0|1\n", "CAGG", 0,
			[]string{"2 6 + 0 4M CAGG c0:4:C>A s1"},
		},
		{
			"more samples than are named", "AACCGGTT",
			"##fileformat=VCFv4.2\n" + columnNames + "\tFORMAT\ta\tb,c\td\te\nc0\t4\t.\tC\tA\t.\t.\t.\tGT\t0|1\t1|0\t1\t0/1\n", "ACAG", 0,
			[]string{`1 5 + 0 4M ACAG c0:4:C>A a,b\x2cc,+2`},
		},
		{
			"unphased, the earlier record counts, whatever starts first", "ACGTACGT",
			vcfSamples + "c0\t1\t.\tACGTA\tACGTC\t.\t.\t.\tGT\t0/1\t0/0\nc0\t3\t.\tGTA\tG\t.\t.\t.\tGT\t1/1\t0/0\n", "GTCC", 0,
			[]string{"2 6 + 0 4M GTCC c0:1:ACGTA>ACGTC s0"},
		},
		{
			"unphased, an allele beside the place hides one that would be in it", "ACGTACGTTT",
			vcfSamples + "c0\t1\t.\tACGT\tA\t.\t.\t.\tGT\t0/1\t0/0\nc0\t3\t.\tGTAC\tG\t.\t.\t.\tGT\t1/1\t0/0\n" +
				"c0\t5\t.\tA\tT\t.\t.\t.\tGT\t0/1\t0/0\n", "TCGTT", 0,
			[]string{"4 9 + 0 5M TCGTT c0:5:A>T s0"},
		},
		{
			"an unphased allele beside the place hides one that would be in it, all others are known", "ACGTACGTTT",
			vcfSamples + "c0\t1\t.\tACGT\tA\t.\t.\t.\tGT\t0/1\t0/0\nc0\t3\t.\tGTAC\tG\t.\t.\t.\tGT\t1/1\t0/0\n" +
				"c0\t5\t.\tA\tT\t.\t.\t.\tGT\t0|0\t0|0\nc0\t8\t.\tT\tC\t.\t.\t.\tGT\t1/1\t0/0\n", "ACGCT", 0,
			[]string{"4 9 + 0 5M ACGCT c0:8:T>C s0"},
		},
		{
			"unphased alleles beside the place hide its own", "ACGTACGTTT",
			vcfSamples + "c0\t1\t.\tACGT\tA,AC\t.\t.\t.\tGT\t1/2\t0/0\nc0\t4\t.\tTAC\tGCA\t.\t.\t.\tGT\t1/1\t0/1\n", "CAGTT", 0,
			[]string{"4 9 + 0 5M CAGTT c0:4:TAC>GCA s1"},
		},
		{
			"unphased, an insertion hides another where a place starts", "ACGTACGT",
			vcfSamples + "c0\t2\t.\tC\tCA\t.\t.\t.\tGT\t1/1\t0/0\nc0\t2\t.\tC\tCTTG\t.\t.\t.\tGT\t0/1\t0/1\n", "TTGGT", 0,
			[]string{"2 4 + 0 5M TTGGT c0:2:C>CTTG s1"},
		},
		{
			"alleles at both ends of a place", "AACCGGTT", vcfHead + "c0\t3\t.\tC\tA\t.\t.\t.\nc0\t6\t.\tG\tT\t.\t.\t.\n", "ACGT", 0,
			[]string{"2 6 + 0 4M ACGT c0:3:C>A,c0:6:G>T ."},
		},
		{"the contig has the letters up to the same end", "ATATGCC", vcfHead + "c0\t2\t.\tT\tTAT\t.\t.\t.\n", "ATATG", 0, nil},
		{
			"other phase sets of other samples", "AACCGGTT",
			vcfSamples + "c0\t4\t.\tC\tA\t.\t.\t.\tGT:PS\t0|1:1\t0|1:2\nc0\t5\t.\tG\tT\t.\t.\t.\tGT:PS\t0|0:1\t0|1:2\n", "CAGG", 0,
			[]string{"2 6 + 0 4M CAGG c0:4:C>A s0"},
		},
		{"the reference fits better", "AACCGGTT", vcfHead + "c0\t4\t.\tC\tA\t.\t.\t.\n", "ACCG", -2, []string{"1 5 + 1 4M ACaG c0:4:C>A ."}},
	} {
		if got := added(t, test.contig, test.vcf, test.pattern, test.k); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestAllelesOfOneRecord has two alleles of a record that do not overlap, with another allele
// between them: they are not on one haplotype.
func TestAllelesOfOneRecord(t *testing.T) {
	vcf := vcfHead + "c0\t1\t.\tA\tAGAG,CA\t.\t.\t.\nc0\t1\t.\tA\tC\t.\t.\t.\n"
	if got := added(t, "A", vcf, "CCGAG", 0); got != nil {
		t.Errorf("%q", got)
	}
	want := []string{"0 1 + 0 4M CGAG c0:1:A>C,c0:1:A>AGAG ."}
	if got := added(t, "A", vcf, "CGAG", 0); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStartOfWindow has two alleles on one haplotype, so far from each other that the window of the
// second begins among the letters of a place with the first.
func TestStartOfWindow(t *testing.T) {
	const pattern, k = "ACGTCA", 1
	flank, _ := Flank(len(pattern), k, false)
	for between := flank - 9; between <= flank; between++ {
		contig := "TTTTTTTTTTACGTGA" + strings.Repeat("T", between) + "GTTTTTTTTTTTTTTTTTTT"
		second := strconv.Itoa(17 + between)
		vcf := vcfSamples + "c0\t15\t.\tG\tC\t.\t.\t.\tGT\t0|1\t0|0\nc0\t" + second + "\t.\tG\tA\t.\t.\t.\tGT\t0|1\t0|0\n"
		want := []string{"10 16 + 0 6M ACGTCA c0:15:G>C s0"}
		if got := added(t, contig, vcf, pattern, k); !slices.Equal(got, want) {
			t.Errorf("%d bases between: %q, want %q", between, got, want)
		}
	}
}
