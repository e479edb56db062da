package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
)

// TestOtherPloidy has the names of several species' contigs.
func TestOtherPloidy(t *testing.T) {
	for _, c := range []struct{ name, contigs, want string }{
		{"human, UCSC", "chr1 chr2 chrX chrY chrM chr1_KI270706v1_random chrY_KI270740v1_random chrUn_GL000195v1", "chrX chrY chrM chrY_KI270740v1_random"},
		{"human, Ensembl", "1 2 22 X Y MT KI270728.1", "X Y MT"},
		{"human, RefSeq", "NC_000001.11|Homo sapiens chromosome 1, GRCh38.p14 Primary Assembly NC_000023.11|Homo sapiens chromosome X, GRCh38.p14 Primary Assembly " +
			"NC_012920.1|Homo sapiens mitochondrion, complete genome", "NC_000023.11 NC_012920.1"},
		{"yeast, SGD and UCSC", "chrI chrV chrIX chrX chrXI chrM", "chrM"},
		{"yeast, Ensembl", "I V IX X XI Mito", "Mito"},
		{"yeast, RefSeq", "NC_001141.2|Saccharomyces cerevisiae S288C chromosome IX, complete sequence NC_001142.9|Saccharomyces cerevisiae S288C chromosome X, complete sequence",
			""},
		{"Roman numbers and a Y", "chrI chrIX chrX chrY", "chrY"},
		{"C. elegans", "I II III IV V X MtDNA", "X MtDNA"},
		{"Arabidopsis, TAIR", "Chr1 Chr5 ChrC ChrM", "ChrC ChrM"},
		{"Arabidopsis, Ensembl", "1 5 Mt Pt", "Mt Pt"},
		{"chicken", "chr1 chrW chrZ", "chrW chrZ"},
		{"fruit fly", "2L 2R 4 X Y mitochondrion_genome", "X Y mitochondrion_genome"},
		{"others", "a c C xyz scaffold_X contig1 chr chr_", ""},
	} {
		var contigs []dna.Contig
		text := c.contigs
		if strings.Contains(text, "|") { // headers with blanks
			for part := range strings.SplitSeq(strings.ReplaceAll(text, " NC_", "\nNC_"), "\n") {
				name, comment, _ := strings.Cut(part, "|")
				contigs = append(contigs, dna.Contig{Name: name, Comment: comment})
			}
		} else {
			for name := range strings.FieldsSeq(text) {
				contigs = append(contigs, dna.Contig{Name: name})
			}
		}
		if got := strings.Join(otherPloidy(contigs), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestCopiesDryRun prints commands of a genome whose X is there once, and runs them: its windows
// have half of the copies of others. With --ploidy-of X=1 the VCF has no deletion there.
func TestCopiesDryRun(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	folder := t.TempDir()
	t.Chdir(folder)
	letters := make([]byte, 60_000)
	for i := range letters {
		letters[i] = "ACGT"[r.IntN(4)]
	}
	auto, x := string(letters[:40_000]), string(letters[40_000:])
	var reads strings.Builder
	for range 20_000 {
		of, at := auto, r.IntN(len(auto)-50)
		if r.IntN(5) == 0 {
			of, at = x, r.IntN(len(x)-50)
		}
		reads.WriteString(">r\n" + of[at:at+50] + "\n")
	}
	copiesFile(t, folder, "ref.fa", ">1\n"+auto+"\n>X\n"+x+strings.Repeat("N", 600)+"\n")
	copiesFile(t, folder, "READS.fq", reads.String())
	const want = `# ref.fa: 2 contigs, 60600 bases, 1.0 % of them masked (not A, C, G or T)
# Starts of reads, of all their locations. READS.fq stands for your reads, and for both files of pairs.
scanmap map --max-mismatches 2 --depth-of starts --depth starts.bw -o none ref.fa READS.fq
# By their names these may have other copies than 2, and make no controls: X
# Where you know their copies, as of X in males, write --ploidy-of X=1 for the VCF.
# Copy numbers. GC content and controls come from the files themselves.
scanmap copies --window auto --exclude X -o copies.bed --vcf 'my copies.vcf' ref.fa starts.bw
# To leave out what occurs more than 20 times, make a mask first, and add --mask repeats.bed:
# scanmap mappability -K 36 --max-mismatches 2 --value frequency -o frequency.bedgraph ref.fa
# awk '$4 > 20' frequency.bedgraph > repeats.bed
`
	_, got, _ := call("copies", "--dry-run", "--vcf", "my copies.vcf", "ref.fa", "starts.bw")
	if got != want {
		t.Errorf("printed\n%s, want\n%s", got, want)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("--dry-run wrote %v, %v", left, err)
	}
	for line := range strings.Lines(got) {
		if line[0] != '#' {
			quietly(t, append(strings.Fields(strings.ReplaceAll(line, "'my copies.vcf'", "my.vcf"))[1:], "--quiet")...)
		}
	}
	sums, n := map[string]float64{}, map[string]float64{}
	for _, row := range rowsOf(readFile(t, "copies.bed"), "#") {
		columns := strings.Split(row, "\t")
		sums[columns[0]] += float64(sumOf(t, []string{strings.ReplaceAll(columns[3], ".", "")}, 0)) / 1000
		n[columns[0]]++
	}
	if a, b := sums["1"]/n["1"], sums["X"]/n["X"]; a < 1.9 || a > 2.1 || b < 0.9 || b > 1.1 {
		t.Errorf("%.3f copies of 1, %.3f of X", a, b)
	}
	if text := readFile(t, "my.vcf"); !strings.Contains(text, "X\t1\t.\t"+x[:1]+"\t<DEL>") {
		t.Errorf("X is no deletion: %.3000s", text)
	}
	// Then the counts are there.
	_, got, _ = call("copies", "--dry-run", "--window", "500", "--ploidy-of", "X=1", "--mask", "READS.fq", "-o", "x.bed", "ref.fa", "starts.bw")
	if got != "# ref.fa: 2 contigs, 60600 bases, 1.0 % of them masked (not A, C, G or T)\n"+
		"# By their names these may have other copies than 2, and make no controls: X\n# Copy numbers. GC content and controls come from the files themselves.\n"+
		"scanmap copies --exclude X --window 500 --ploidy-of X=1 --mask READS.fq -o x.bed ref.fa starts.bw\n" {
		t.Errorf("printed\n%s", got)
	}
	// Where all contigs are such, none is excluded.
	copiesFile(t, folder, "x.fa", ">X\n"+x+"\n")
	if _, got, _ = call("copies", "--dry-run", "-o", "x.bed", "x.fa", "starts.bw"); !strings.Contains(got, "\nscanmap copies --window auto -o x.bed x.fa starts.bw\n") {
		t.Errorf("printed\n%s", got)
	}
	// Excluded contigs are excluded once, and standard input has no windows by its depth.
	for args, want := range map[string]string{
		"--exclude 1 -o x.bed ref.fa starts.bw": "scanmap copies --window auto --exclude 1 -o x.bed ref.fa starts.bw\n",
		"-o x.bed ref.fa -":                     "scanmap copies --exclude X -o x.bed ref.fa -\n",
	} {
		if _, got, _ = call(append([]string{"copies", "--dry-run"}, strings.Fields(args)...)...); !strings.Contains(got, "\n"+want) || strings.Contains(got, "scanmap map ") {
			t.Errorf("%s: printed\n%s", args, got)
		}
	}
	quietly(t, "copies", "--window", "800", "--ploidy-of", "X=1", "--vcf", "male.vcf", "-o", filepath.Join(folder, "x.bed"), "--quiet", "ref.fa", "starts.bw")
	text := readFile(t, "male.vcf")
	rows := rowsOf(text, "#")
	deleted := slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "<DEL>") })
	if deleted || len(rows) != 50+25 || !strings.Contains(text, `Description="Fewer than 2 (X: 1) copies"`) {
		t.Errorf("%d rows, deletions %v: %.2000s", len(rows), deleted, text)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--ploidy-of X ref.fa starts.bw", `option --ploidy-of: "X" is not a contig, = and a whole number from 0 to 1000`, 2},
		{"--ploidy-of X=1,=2 ref.fa starts.bw", `option --ploidy-of: "=2" is not a contig, = and a whole number from 0 to 1000`, 2},
		{"--ploidy-of X=-1 ref.fa starts.bw", `option --ploidy-of: "X=-1" is not a contig`, 2},
		{"--ploidy-of X=1,X=2 ref.fa starts.bw", "option --ploidy-of: X is given twice", 2},
		{"--ploidy-of Z=1 ref.fa starts.bw", `option --ploidy-of: ref.fa has no contig "Z"; its first is "1"`, 1},
		{"--dry-run ref.fa none.txt", "--dry-run: scanmap map --depth makes none.txt: none.txt: the name does not end with", 1},
		{"--dry-run none.fa starts.bw", "none.fa: no such file or directory", 1},
	} {
		code, stdout, stderr := call(append([]string{"copies"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}
