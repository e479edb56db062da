package variants

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	vcfHead      = "##fileformat=VCFv4.2\n" + columnNames + "\n"
	vcfSamples   = "##fileformat=VCFv4.2\n" + columnNames + "\tFORMAT\ts0\ts1\n"
	vcfReference = "ACGTACGTNNRC" // of contig c0; c1 is the reverse
)

// readVCF reads a text as a VCF named v.vcf of the reference c0, c1.
func readVCF(t interface{ Fatalf(string, ...any) }, text string) ([]*site, *vcfReader, error) {
	b := []byte(vcfReference)
	slices.Reverse(b)
	v := newVCFReader("v.vcf", strings.NewReader(text), truthReference(t, []string{vcfReference, string(b)}))
	if err := v.header(); err != nil {
		return nil, nil, err
	}
	var sites []*site
	for {
		s, err := v.site()
		if err != nil || s == nil {
			return sites, v, err
		}
		sites = append(sites, s)
	}
}

// show is a site in one line.
func show(s *site) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d", s.contig, s.position)
	for _, a := range s.alleles {
		fmt.Fprintf(&b, " %d-%d:%s%v", a.start, a.end, a.letters, a.carriers)
	}
	samples := make([]int, 0, len(s.loose))
	for i := range s.loose {
		samples = append(samples, i)
	}
	slices.Sort(samples)
	for _, i := range samples {
		fmt.Fprintf(&b, " s%d%v", i, s.loose[i])
	}
	return b.String()
}

// TestRecords reads records of all kinds.
func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		left       LeftOut
	}{
		{"none", vcfHead, nil, LeftOut{}},
		{"SNV", vcfHead + "c0\t1\t.\tA\tG\t.\t.\t.\n", []string{"0:0 0-1:G[]"}, LeftOut{}},
		{"the last base, without the last line feed", vcfHead + "c0\t12\t.\tC\tG\t.\t.\t.", []string{"0:11 11-12:G[]"}, LeftOut{}},
		{"CR LF and lower case", strings.ReplaceAll(vcfHead, "\n", "\r\n") + "c0\t2\t.\tc\tt\t.\t.\t.\r\n", []string{"0:1 1-2:T[]"}, LeftOut{}},
		{"several alleles", vcfHead + "c0\t1\t.\tAC\tA,GC,ACTT,TT\t.\t.\t.\n", []string{"0:0 1-2:[] 0-1:G[] 2-2:TT[] 0-2:TT[]"}, LeftOut{}},
		{"a deletion at the start", vcfHead + "c0\t1\t.\tACG\tG\t.\t.\t.\n", []string{"0:0 0-2:[]"}, LeftOut{}},
		{"an insertion in a run goes to its start", vcfHead + "c0\t1\t.\tA\tAA\t.\t.\t.\n", []string{"0:0 0-0:A[]"}, LeftOut{}},
		{"N and IUPAC letters of the reference", vcfHead + "c0\t8\t.\tTN\tT\t.\t.\t.\nc0\t11\t.\tA\tT\t.\t.\t.\nc0\t11\t.\tN\tT\t.\t.\t.\n",
			[]string{"0:7 8-9:[]", "0:10 10-11:T[]", "0:10 10-11:T[]"}, LeftOut{}},
		{"no alleles", vcfHead + "c0\t1\t.\tA\t.\t.\t.\t.\nc0\t1\t.\tA\t*\t.\t.\t.\nc0\t1\t.\tA\t<*>\t.\t.\t.\nc0\t1\t.\tA\tA\t.\t.\t.\n\n", nil, LeftOut{}},
		{"left out", vcfHead + "c0\t2\t.\tC\t<DEL>,G\t.\t.\t.\nc0\t3\t.\tG\tG[c1:2[\t.\t.\t.\nc0\t4\t.\tT\tT" + strings.Repeat("A", 51) + "\t.\t.\t.\n",
			[]string{"0:1 1-2:G[]"}, LeftOut{Symbolic: 2, Long: 1, First: "c0:2"}},
		{"telomeres", vcfHead + "c0\t0\t.\tN\t<INS>\t.\t.\t.\nc0\t13\t.\tN\t<INS>\t.\t.\t.\n", nil, LeftOut{Symbolic: 2, First: "c0:0"}},
		{"contigs in another order", vcfHead + "c1\t1\t.\tC\tA\t.\t.\t.\nc0\t1\t.\tA\tC\t.\t.\t.\n", []string{"1:0 0-1:A[]", "0:0 0-1:C[]"}, LeftOut{}},
		{"phased", vcfSamples + "c0\t1\t.\tA\tG,T\t.\t.\t.\tGT\t0|2\t1|1\n", []string{"0:0 0-1:G[16 17] 0-1:T[1]"}, LeftOut{}},
		{"the same on both copies", vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tDP:GT\t7:1/1\t7:1:9\n", []string{"0:0 0-1:G[0 1 16]"}, LeftOut{}},
		{"a sign before", vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t|0|1\t/0/1\n", []string{"0:0 0-1:G[1] s1{[-1 0] 0}"}, LeftOut{}},
		{"unphased, missing and phase sets", vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT:PS\t./1:.\t1|0:77\n", []string{"0:0 0-1:G[] s0{[-1 0] 0} s1{[0 -1] 1}"}, LeftOut{}},
		{"that no sample has", vcfSamples + "c0\t1\t.\tA\tC,G,T\t.\t.\t.\tGT\t0/3\t0|0\n", []string{"0:0 0-1:T[] s0{[-1 0] 0}"}, LeftOut{Uncarried: 2}},
		{"overlapping", vcfSamples + "c0\t1\t.\tACG\tA\t.\t.\t.\tGT\t1|0\t1|1\nc0\t3\t.\tG\tT\t.\t.\t.\tGT\t1|1\t0|0\n",
			[]string{"0:0 1-3:[0 16 17]", "0:2 2-3:T[1]"}, LeftOut{Overlapping: 1}},
		{"side by side", vcfSamples + "c0\t1\t.\tACG\tA\t.\t.\t.\tGT\t1|0\t0|0\nc0\t4\t.\tT\tA\t.\t.\t.\tGT\t1|0\t0|0\n",
			[]string{"0:0 1-3:[0]", "0:3 3-4:A[0]"}, LeftOut{}},
	} {
		sites, v, err := readVCF(t, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, s := range sites {
			got = append(got, show(s))
		}
		if !slices.Equal(got, test.want) || v.left != test.left {
			t.Errorf("%s: %q %+v, want %q %+v", test.name, got, v.left, test.want, test.left)
		}
	}
}

// TestWrongRecords compares messages.
func TestWrongRecords(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "v.vcf: is empty, and a VCF begins with ##fileformat=VCFv4"},
		{"BCF\x02\x02\x30\x00\x00\x00##fileformat=VCFv4.2\n", "v.vcf: is BCF; expected VCF, which bcftools view makes of it"},
		{">chr1\nACGT\n", `v.vcf: line 1: it is ">chr1", and a VCF begins with ##fileformat=VCFv4`},
		{"##fileformat=VCFv4.2\n", "v.vcf: line 2: the file ends before the line that begins with #CHROM"},
		{"##fileformat=VCFv4.2\n#CHROM\tPOS\n", `v.vcf: line 2: it is "#CHROM\tPOS", and should have the columns #CHROM POS ID REF ALT QUAL FILTER INFO`},
		{strings.Replace(vcfSamples, "FORMAT", "s2", 1), `v.vcf: line 2: column 9 is "s2", not FORMAT`},
		{strings.Replace(vcfSamples, "s1", "s0", 1), `v.vcf: line 2: the sample "s0" occurs twice`},
		{vcfHead + "c0\t1\t.\tA\tG\t.\t.\n", "v.vcf: line 3: 7 columns, and the header has 8"},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t0|1\n", "v.vcf: line 3: 10 columns, and the header has 11"},
		{vcfHead + "chr0\t1\t.\tA\tG\t.\t.\t.\n", `v.vcf: line 3: the reference has no contig "chr0"; its first is "c0"`},
		{vcfHead + "c0\tx\t.\tA\tG\t.\t.\t.\n", `v.vcf: line 3: POS is "x", not a number from 1 to 12, the length of "c0"`},
		{vcfHead + "c0\t14\t.\tA\tG\t.\t.\t.\n", `v.vcf: line 3: POS is "14", not a number from 1 to 12, the length of "c0"`},
		{vcfHead + "c0\t0\t.\tA\tG\t.\t.\t.\n", `v.vcf: line 3: POS 0 is outside "c0"`},
		{vcfHead + "c0\t12\t.\tCA\tC\t.\t.\t.\n", `v.vcf: line 3: REF has 2 letters, and reaches over the end of "c0" of 12`},
		{vcfHead + "c0\t3\t.\tG\tA\t.\t.\t.\nc0\t2\t.\tC\tA\t.\t.\t.\n", "v.vcf: line 4: position 2 comes after 3: the file has to be sorted, as by bcftools sort"},
		{vcfHead + "c0\t3\t.\tG\tA\t.\t.\t.\nc1\t1\t.\tC\tA\t.\t.\t.\nc0\t3\t.\tG\tA\t.\t.\t.\n",
			`v.vcf: line 5: "c0" comes again after other contigs: the file has to be sorted, as by bcftools sort`},
		{vcfHead + "c0\t1\t.\tG\tA\t.\t.\t.\n", `v.vcf: line 3: REF is "G", but the reference has "A" at c0:1: is it another reference?`},
		{vcfHead + "c0\t11\t.\tC\tA\t.\t.\t.\n", `v.vcf: line 3: REF is "C", but the reference has "R" at c0:11: is it another reference?`},
		{vcfHead + "c0\t1\t.\tR\tA\t.\t.\t.\n", `v.vcf: line 3: REF is "R", and may have A, C, G, T and N alone`},
		{vcfHead + "c0\t1\t.\t\tA\t.\t.\t.\n", "v.vcf: line 3: REF is empty"},
		{vcfHead + "c0\t1\t.\tA\tC,\t.\t.\t.\n", `v.vcf: line 3: ALT is "C,", which has an empty allele`},
		{vcfHead + "c0\t1\t.\tA\tR\t.\t.\t.\n", `v.vcf: line 3: the allele "R" of ALT may have A, C, G, T and N alone`},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tDP\t1\t1\n", `v.vcf: line 3: FORMAT is "DP", without GT: what haplotypes there are is not known; ` +
			"without any genotypes, as after bcftools view -G, all combinations of alleles are"},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t0|2\t.\n", `v.vcf: line 3: the genotype "0|2" has an allele that ALT, with 1, has not`},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t0-1\t.\n", `v.vcf: line 3: the genotype "0-1" is not of the form 0|1, 0/1, 1 or ./.`},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t0|\t.\n", `v.vcf: line 3: the genotype "0|" is not of the form 0|1, 0/1, 1 or ./.`},
		{vcfSamples + "c0\t1\t.\tA\tG\t.\t.\t.\tGT\t" + strings.Repeat("0|", 16) + "1\t.\n",
			`v.vcf: line 3: the genotype "` + strings.Repeat("0|", 16) + `1" has more than 16 alleles`},
	} {
		_, _, err := readVCF(t, test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// FuzzVCF reads any bytes. Sites that are read are inside the reference and in order; other input
// is an error of one line.
func FuzzVCF(f *testing.F) {
	f.Add([]byte(vcfHead + "c0\t1\t.\tAC\tA,GC,ACTT,TT\t.\t.\t.\nc0\t2\t.\tC\t<DEL>,G\t.\t.\t.\n"))
	f.Add([]byte(vcfSamples + "c0\t1\t.\tACG\tA\t.\t.\t.\tGT:PS\t1|0:5\t1/1\nc0\t3\t.\tG\tT\t.\t.\t.\tGT\t1|1\t./.\nc1\t1\t.\tC\t*,A\t.\t.\t.\tGT\t2\t0|.\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		sites, v, err := readVCF(t, string(text))
		if err != nil && (!strings.HasPrefix(err.Error(), "v.vcf: ") || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q", err)
		}
		for i, s := range sites {
			if i > 0 && s.contig == sites[i-1].contig && s.position < sites[i-1].position {
				t.Fatalf("%s after %s", show(s), show(sites[i-1]))
			}
			for _, a := range s.alleles {
				if a.start < s.position || a.start > a.end || a.end > min(s.last, len(vcfReference)) || a.start == a.end && len(a.letters) == 0 ||
					max(a.end-a.start, len(a.letters)) > MaxAllele || !slices.IsSorted(a.carriers) {
					t.Fatalf("%s", show(s))
				}
				for _, c := range a.carriers {
					if int(c) >= len(v.samples)*copiesOfSample {
						t.Fatalf("%s of %d samples", show(s), len(v.samples))
					}
				}
			}
			for sample, call := range s.loose {
				if sample >= len(v.samples) || slices.Max(call.alleles) >= len(s.alleles) || slices.Max(call.alleles) < 0 {
					t.Fatalf("%s", show(s))
				}
			}
		}
	})
}
