package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const phixVariants = "../../testdata/phix.vcf"

// TestVariants searches with a VCF, from a file and from standard input, and compares formats.
func TestVariants(t *testing.T) {
	args := []string{"-k", "4", "--pam", "NGG", "--quiet", "TCTTAGACGAATCACCAGAA", phixFile}
	want := searchQuietly(t, append(args, "--vcf", phixVariants, "-t", "1")...)
	lines := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	if len(lines) != 7 || !strings.HasSuffix(lines[0], "\ttext\talleles\tsamples") && !strings.HasSuffix(lines[0], "\talleles\tsamples") {
		t.Fatalf("%s", want)
	}
	for _, more := range []string{"-t 3", "--max-samples 0", "--max-haplotypes 4"} {
		if got := searchQuietly(t, append(append(args, "--vcf", phixVariants), strings.Fields(more)...)...); got != want {
			t.Errorf("%s:\n%swant\n%s", more, got, want)
		}
	}
	bed := strings.Split(searchQuietly(t, append(args, "--vcf", phixVariants, "--format", "bed")...), "\n")
	for i, line := range lines[1:] {
		f, b := strings.Split(line, "\t"), strings.Split(bed[i], "\t")
		if n, m := len(f), len(b); strings.Join(b[:3], " ") != strings.Join(f[1:4], " ") || b[5] != f[4] || b[m-2] != f[n-2] || b[m-1] != f[n-1] {
			t.Errorf("%q of BED, %q of TSV", bed[i], line)
		}
	}
	// Without a variant in reach all is as without a VCF, except for the columns.
	plain := strings.ReplaceAll(searchQuietly(t, "GAGTTTTATCGCTTCCATGAC", phixFile, "--quiet"), "\n", "\t.\t.\n")
	none := searchQuietly(t, "GAGTTTTATCGCTTCCATGAC", phixFile, "--quiet", "--vcf", phixVariants)
	if got := strings.Replace(none, "\talleles\tsamples", "\t.\t.", 1); got != plain {
		t.Errorf("%swant\n%s", got, plain)
	}
}

// TestVariantsSummary has a line about the variants that were searched, and one line about the
// others.
func TestVariantsSummary(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"ref.fa": ">a\nACGTACGTAAGGCTTAACRCC\n",
		"v.vcf": "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n" +
			"a\t2\t.\tC\tT\t.\t.\t.\na\t3\t.\tG\t<DEL>\t.\t.\t.\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"--vcf v.vcf GTAC ref.fa", []string{
			"scanmap: warning: v.vcf: left out alleles: 1 symbolic or breakend; the first symbolic or long one is at a:3\n",
			"scanmap: v.vcf: 1 site, 1 allele; 1 window of haplotypes, 5 letters; 0 locations with an allele\n",
		}},
		{"--reference-iupac AACAC ref.fa", []string{
			"scanmap: IUPAC letters of ref.fa: 1 site, 2 alleles; 2 windows of haplotypes, 14 letters; 1 location with an allele\n",
		}},
	} {
		code, _, stderr := searchCall(strings.Fields(c.args)...)
		for _, want := range c.want {
			if code != 0 || !strings.Contains(stderr, want) {
				t.Errorf("%s: exit code %d, standard error\n%swant\n%s", c.args, code, stderr, want)
			}
		}
	}
}

func TestVariantsErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	head := "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
	for name, text := range map[string]string{
		"ref.fa": ">a\nACGTRYACGT\n",
		"v.vcf":  head,
		"bad.vcf": head +
			"a\t2\t.\tA\tT\t.\t.\t.\n",
		"many.vcf": head +
			"a\t1\t.\tA\tC,G,T\t.\t.\t.\na\t2\t.\tC\tA,G,T\t.\t.\t.\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"ACGT ref.fa --vcf=", 2, "option --vcf: the name is empty"},
		{"ACGT ref.fa --vcf v.vcf --reference-iupac", 2, "options --vcf and --reference-iupac do not go together"},
		{"ACGT ref.fa --max-haplotypes 3", 2, "option --max-haplotypes needs --vcf or --reference-iupac"},
		{"ACGT ref.fa --max-samples 3", 2, "option --max-samples needs --vcf"},
		{"ACGT ref.fa --reference-iupac --max-samples 3", 2, "option --max-samples needs --vcf"},
		{"ACGT ref.fa --vcf v.vcf --max-haplotypes 0", 2, `option --max-haplotypes: "0" is not a whole number from 1 to 16777216`},
		{"ACGT ref.fa --vcf v.vcf --alphabet bytes", 2, "options --vcf and --reference-iupac are for DNA"},
		{"ACGT ref.fa --vcf v.vcf -o x.sam", 2, "SAM has no place for alleles: with --vcf and --reference-iupac --format is tsv or bed"},
		{"ACGT ref.fa --vcf v.vcf -o v.vcf", 2, "v.vcf is an input and would be overwritten"},
		{"ACGT - --vcf -", 2, "variants and reference cannot both come from standard input"},
		{"-f - ref.fa --vcf -", 2, "variants and patterns cannot both come from standard input"},
		{"ACGT ref.fa --vcf missing.vcf -o x.tsv", 1, "missing.vcf: no such file or directory"},
		{"ACGT ref.fa --vcf bad.vcf -o x.tsv", 1, `bad.vcf: line 3: REF is "A", but the reference has "C" at a:2: is it another reference?`},
		{"ACGT ref.fa --vcf many.vcf --max-haplotypes 3 -o x.tsv", 1,
			"many.vcf: a:1:A>C is on more than 3 haplotypes of 7 letters; --max-haplotypes allows more, and takes longer"},
		{"ACGT ref.fa --reference-iupac --max-haplotypes 1 -o x.tsv", 1,
			"a:5:R>A is on more than 1 haplotypes of 7 letters; --max-haplotypes allows more, and takes longer"},
	} {
		code, stdout, stderr := searchCall(strings.Fields(c.args)...)
		if want := "scanmap: " + c.want + "\n"; code != c.code || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
	if left, err := filepath.Glob("x.*"); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}
