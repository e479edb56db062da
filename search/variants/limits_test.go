package variants

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/gpu/device"
	"scanmap/internal/extsort"
	"scanmap/internal/temporary"
	"scanmap/internal/truth"
	"scanmap/search"
)

// TestLimitsOfCalls has genotypes of as many alleles as a sample may have, and of one more.
func TestLimitsOfCalls(t *testing.T) {
	for n, want := range map[int]string{1: "", 2: "", 15: "", 16: "", 17: "has more than 16 alleles"} {
		for _, sign := range []string{"|", "/"} {
			call := strings.Repeat("0"+sign, n-1) + "1"
			sites, _, err := readVCF(t, vcfSamples+"c0\t1\t.\tA\tG\t.\t.\t.\tGT\t"+call+"\t"+strings.ReplaceAll(call, "0", "1")+"\n")
			if want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d alleles: %v, want %s", n, err, want)
				}
				continue
			}
			if err != nil || len(sites) != 1 {
				t.Fatalf("%d alleles: %v, %v", n, sites, err)
			}
			var carriers []uint32
			if sign == "|" || n == 1 {
				carriers = append(carriers, uint32(n-1))
			}
			for i := range n { // the second sample has it on all of its copies
				carriers = append(carriers, uint32(16+i))
			}
			if a := sites[0].alleles[0]; !slices.Equal(a.carriers, carriers) {
				t.Errorf("%d alleles with %s: carriers %d, want %d", n, sign, a.carriers, carriers)
			}
		}
	}
}

// TestMixedSigns has calls of three alleles with signs of both kinds: one that is unphased is
// enough.
func TestMixedSigns(t *testing.T) {
	for call, want := range map[string]string{
		"0|1|0": "0:0 0-1:G[1 16]", "0/1|0": "0:0 0-1:G[16] s0{[-1 0 -1] 0}", "0|1/0": "0:0 0-1:G[16] s0{[-1 0 -1] 0}",
		"0/1/0": "0:0 0-1:G[16] s0{[-1 0 -1] 0}", "1|1/1": "0:0 0-1:G[0 1 2 16]",
	} {
		sites, _, err := readVCF(t, vcfSamples+"c0\t1\t.\tA\tG\t.\t.\t.\tGT\t"+call+"\t1\n")
		if err != nil || len(sites) != 1 || show(sites[0]) != want {
			t.Errorf("%s: %v, %s, want %s", call, err, show(sites[0]), want)
		}
	}
}

// TestCallsOfManyAlleles has records of more alleles than have one digit.
func TestCallsOfManyAlleles(t *testing.T) {
	record := "c0\t1\t.\tA\t" + strings.Repeat("G,T,C,", 4) + "G\t.\t.\t.\tGT\t"
	for call, want := range map[string]string{"0|9": "", "9|9": "", "12|13": "", "13|0": "", "1|:": "is not of the form", ":|1": "",
		"1|14": "has an allele that ALT, with 13, has not", "0|": "is not of the form", "0|1|": "is not of the form"} {
		if _, _, err := readVCF(t, vcfSamples+record+call+"\t0|0\n"); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// TestLimitsOfAlleles has alleles as long as they may be, and a letter longer, in the letters that
// are replaced and in the letters that replace them.
func TestLimitsOfAlleles(t *testing.T) {
	r := strings.Repeat("ACGT", 30)
	for _, c := range []struct {
		ref, alt string
		long     bool
	}{
		{r[:51], "A", false}, {r[:52], "A", true}, // 50 and 51 letters are deleted
		{"A", "A" + strings.Repeat("G", 50), false}, {"A", "A" + strings.Repeat("G", 51), true},
		{r[:50], strings.Repeat("T", 50), false}, {r[:51], strings.Repeat("T", 51), true},
	} {
		got, err := readChunks(t, []string{r}, vcfHead+"c0\t1\t.\t"+c.ref+"\t"+c.alt+"\t.\t.\t.\n", 1, 100)
		if err != nil {
			t.Fatal(err)
		}
		if long := strings.Contains(got[len(got)-1], "Long:1"); long != c.long || len(got) != 2 && !c.long || len(got) != 1 && c.long {
			t.Errorf("%d letters for %d: %q", len(c.alt), len(c.ref), got)
		}
	}
}

// TestLimitsOfPlaces has records at both ends of a contig, and beside them.
func TestLimitsOfPlaces(t *testing.T) {
	for _, c := range []struct{ record, want string }{
		{"c0\t-1\t.\tN\t<DEL>", "POS is"}, {"c0\t0\t.\tN\t<DEL>", ""}, {"c0\t12\t.\tC\t<DEL>", ""}, {"c0\t13\t.\tN\t<DEL>", ""}, {"c0\t14\t.\tN\t<DEL>", "POS is"},
		{"c0\t12\t.\tC\tG", ""}, {"c0\t12\t.\tG\tC", "REF is"}, {"c0\t12\t.\tCA\tC", "reaches over the end"}, {"c0\t13\t.\tA\tG", "is outside"},
		{"c0\t0\t.\tA\tG", "is outside"}, {"c0\t11\t.\tA\tG", ""}, {"c0\t11\t.\tC\tG", "REF is"},
	} {
		if _, _, err := readVCF(t, vcfHead+c.record+"\t.\t.\t.\n"); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.record, err, c.want)
		}
	}
	// A ninth column is the column of formats, also without samples.
	for column, want := range map[string]string{"FORMAT": "", "OTHER": "column 9 is \"OTHER\", not FORMAT"} {
		text := "##fileformat=VCFv4.2\n" + columnNames + "\t" + column + "\nc0\t1\t.\tA\tG\t.\t.\t.\tGT\n"
		if _, _, err := readVCF(t, text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
	// As many columns as there are samples, and one more or less.
	for _, calls := range []string{"\t0|1\t1|1", "\t0|1", "\t0|1\t1|1\t0|1"} {
		if _, _, err := readVCF(t, vcfSamples+"c0\t1\t.\tA\tG\t.\t.\t.\tGT"+calls+"\n"); (err == nil) != (strings.Count(calls, "\t") == 2) {
			t.Errorf("%q: %v", calls, err)
		}
	}
}

// runOn searches for a pattern, and returns the rows without a header.
func runOn(t *testing.T, reference, vcf, pattern string, o Options) (rows []string, stats *Stats, err error) {
	t.Helper()
	o.VCF = filepath.Join(t.TempDir(), "v.vcf")
	if err := os.WriteFile(o.VCF, []byte(vcf), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := search.NewPattern("p", []byte(pattern), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	o.Rows.Format = search.TSV
	if o.Temporary == nil {
		o.Temporary = temporary.In(t.TempDir())
	}
	o.Search.Device, o.Search.Threads, o.Search.ForwardOnly = device.Choice{Kind: device.CPU}, 2, true
	var out bytes.Buffer
	stats, err = Run(tContext, truth.Reference(t, reference), []search.Pattern{p}, o, &out)
	lines := strings.SplitAfter(out.String(), "\n")
	if err == nil && lines[len(lines)-1] == "" {
		rows = lines[1 : len(lines)-1]
	}
	return rows, stats, err
}

// TestLimitOfHaplotypes has an allele on as many haplotypes as are allowed, and on one more: of
// alleles without genotypes, of IUPAC-like choices, and of unphased calls.
func TestLimitOfHaplotypes(t *testing.T) {
	const sites = 5
	text := "TT" + strings.Repeat("A", sites) + "GG"
	without, unphased := vcfHead, strings.Replace(vcfSamples, "\ts1", "", 1)
	for i := range sites {
		record := fmt.Sprintf("c0\t%d\t.\tA\tC\t.\t.\t.", 3+i)
		without += record + "\n"
		unphased += record + "\tGT\t0/1\n"
	}
	pattern := "T" + strings.Repeat("M", sites) + "G"
	// With the first allele of five there are 2^4 windows.
	for _, vcf := range []string{without, unphased} {
		for most, fails := range map[int]bool{15: true, 16: false, 17: false} {
			rows, stats, err := runOn(t, text, vcf, pattern, Options{Haplotypes: most, Samples: 1})
			if fails != (err != nil) || err != nil && !strings.Contains(err.Error(), "is on more than 15 haplotypes") {
				t.Errorf("at most %d: %v", most, err)
			}
			if err == nil && (len(rows) != 32 || stats.Places != 31 || stats.Locations != 32 || stats.FoundPatterns != 1 || stats.Sites != sites || stats.Alleles != sites) {
				t.Errorf("at most %d: %d rows, %+v", most, len(rows), stats)
			}
		}
	}
}

// TestLimitOfCopiesAlike has unphased calls beside one that both copies have: a haplotype counts
// once, on whichever copy it is.
func TestLimitOfCopiesAlike(t *testing.T) {
	vcf := strings.Replace(vcfSamples, "\ts1", "", 1)
	for i, call := range []string{"0/1", "0/1", "1/1", "0/1", "0/1"} {
		vcf += fmt.Sprintf("c0\t%d\t.\tA\tC\t.\t.\t.\tGT\t%s\n", 3+i, call)
	}
	// The allele that both copies have is on 2^4 haplotypes.
	for most, fails := range map[int]bool{15: true, 16: false} {
		rows, _, err := runOn(t, "TTAAAAAGG", vcf, "TMMCMMG", Options{Haplotypes: most, Samples: 1})
		if fails != (err != nil) || err == nil && len(rows) != 16 {
			t.Errorf("at most %d: %d rows, %v", most, len(rows), err)
		}
	}
}

// TestNamesOfSamples has as many samples as are named, one more, and none.
func TestNamesOfSamples(t *testing.T) {
	vcf := strings.TrimSuffix(vcfSamples, "\n") + "\ts2\nc0\t3\t.\tA\tC\t.\t.\t.\tGT\t1|1\t0|1\t1|0\n"
	for most, want := range map[int]string{0: "+3", 1: "s0,+2", 2: "s0,s1,+1", 3: "s0,s1,s2", 4: "s0,s1,s2", -1: "s0,s1,s2"} {
		rows, _, err := runOn(t, "TTAGG", vcf, "TTCGG", Options{Samples: most})
		if err != nil || len(rows) != 1 || !strings.HasSuffix(rows[0], "\tc0:3:A>C\t"+want+"\n") {
			t.Errorf("at most %d: %q, %v", most, rows, err)
		}
	}
}

// spilling has rows in runs of a number of bytes. Two runs are merged at a time.
func spilling(bytes int) extsort.Sizes {
	return extsort.Sizes{Segment: bytes, Half: 1, FanIn: 2, Merge: 1 << 20, Range: bytes, Indexed: 1}
}

// TestRowsOfManyBuffers has rows with and without alleles of more than three buffers, and of runs
// in a temporary file: each is there once, in order.
func TestRowsOfManyBuffers(t *testing.T) {
	const places = 4000
	text, vcf := "", vcfHead
	for i := range places {
		text += "ACGTTAGC"
		vcf += fmt.Sprintf("c0\t%d\t.\tT\tG\t.\t.\t.\n", 8*i+4)
	}
	var want []string
	for _, memory := range []extsort.Sizes{{}, spilling(20_000), extsort.Share(1<<30, 2)} {
		rows, stats, err := runOn(t, text, vcf, "GKTAG", Options{bounds: bounds{rows: memory, batch: 5000}})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(rows)
		if n := len(slices.Compact(slices.Clone(rows))); n != 2*places || len(rows) != n || stats.Locations != 2*places || stats.Places != places {
			t.Errorf("%+v: %d rows, %d differ, %+v", memory, len(rows), n, stats)
		}
		if size := len(strings.Join(rows, "")); size < 3<<16 {
			t.Errorf("%d bytes", size)
		}
		if want == nil {
			want = rows
		}
		if !slices.Equal(rows, want) {
			t.Errorf("%+v: others", memory)
		}
	}
}

// TestIUPACBases compares the bases of each letter with the bases that package search has for it.
func TestIUPACBases(t *testing.T) {
	for letter := byte('A'); letter <= 'Z'; letter++ {
		want := ""
		for _, base := range []byte("ACGT") {
			if _, err := search.NewPattern("p", []byte{letter}, search.DNA); err == nil && search.Matches(letter, base) {
				want += string(base)
			}
		}
		if n := len(want); n < 2 || n > 3 {
			want = "" // a base, or any
		}
		if got := iupacBases[letter]; got != want {
			t.Errorf("%c is %q, want %q", letter, got, want)
		}
		for _, base := range []byte("ACGTN") {
			if got := fits(base, letter); got != (base == letter || want != "" && (base == 'N' || strings.IndexByte(want, base) >= 0)) {
				t.Errorf("%c fits %c: %v", base, letter, got)
			}
		}
	}
}

// TestLettersAfterPlainContigs has contigs without IUPAC letters, several in a row, between some
// that have them.
func TestLettersAfterPlainContigs(t *testing.T) {
	p, err := search.NewPattern("p", []byte("TTGA"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	for _, contigs := range [][]string{{"CCRC", "ACC", "ACG", "CC", "GTTRAC"}, {"CC", "CC", "CC", "CC", "GTTRAC"}} {
		o := Options{Rows: search.RowOptions{Format: search.TSV}, Temporary: temporary.In(t.TempDir())}
		o.Search.Device, o.Search.Threads, o.Search.ForwardOnly = device.Choice{Kind: device.CPU}, 1, true
		var out bytes.Buffer
		stats, err := Run(tContext, truth.Reference(t, contigs...), []search.Pattern{p}, o, &out)
		if err != nil || stats.Locations != 1 || !strings.Contains(out.String(), "\np\tc4\t1\t5\t+\t0\t") || !strings.Contains(out.String(), "\tc4:4:R>G\t") {
			t.Errorf("%q: %v, %+v\n%s", contigs, err, stats, out.String())
		}
	}
}
