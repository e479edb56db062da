package main

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/fasta"
)

// TestGuidesChangesOfPAMs has an allele that puts one PAM in the place of another, and one that two
// PAMs fit.
func TestGuidesChangesOfPAMs(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\nTTTTTTTTTTATGGTCGGACTCCCTGCCAGAGGTTTTTTTTTT\n")
	list := copiesFile(t, folder, "guides.txt", "g ATGGTCGGACTCCCTGCCAG\n")
	vcf := copiesFile(t, folder, "v.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n"+
		"a\t31\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|0\na\t32\t.\tG\tA\t.\t.\t.\tGT\t0|0\t0|1\n")
	changes := filepath.Join(folder, "changes.tsv")
	for _, c := range []struct {
		options, summary string // made, changed, lost, pam_made, pam_lost, target_lost
		rows             []string
	}{
		{"--pam NGG", "0 1 1 0 1 1", []string{"changed . 1 ATGGTCGGACTCCCTGCCAGCGG", "lost lost 1 ATGGTCGGACTCCCTGCCAGAaG"}},
		{"--pam NGG,NAG", "1 1 1 1 1 0", []string{"changed . 1 ATGGTCGGACTCCCTGCCAGCGG NGG", "lost lost 1 ATGGTCGGACTCCCTGCCAGAaG NGG",
			"made made 0 ATGGTCGGACTCCCTGCCAGAAG NAG"}},
		{"--off-target-pam NAG", "1 1 1 1 1 1", []string{"changed . 1 ATGGTCGGACTCCCTGCCAGCGG NGG", "lost lost 1 ATGGTCGGACTCCCTGCCAGAaG NGG",
			"made made 0 ATGGTCGGACTCCCTGCCAGAAG NAG"}},
		{"--off-target-pam NGN", "0 1 1 0 1 1", []string{"changed . 1 ATGGTCGGACTCCCTGCCAGCGG NGG", "lost lost 1 ATGGTCGGACTCCCTGCCAGAaG NGG"}},
		{"--pam NRG", "0 2 0 0 0 0", []string{"changed . 1 ATGGTCGGACTCCCTGCCAGCGG", "changed . 1 ATGGTCGGACTCCCTGCCAGAAG"}},
	} {
		args := append([]string{"guides", "--max-mismatches", "2", "-f", list, "--vcf", vcf, "--changes", changes, ref}, strings.Fields(c.options)...)
		columns := strings.Split(rowsOf(quietly(t, args...), "")[1], "\t")
		if got := strings.Join(append(columns[18:23:23], columns[24]), " "); got != c.summary {
			t.Errorf("%s: %s, want %s", c.options, got, c.summary)
		}
		var rows []string
		for _, row := range rowsOf(readFile(t, changes), "")[1:] {
			columns := strings.Split(row, "\t")
			rows = append(rows, strings.Join(slices.Concat(columns[5:8], columns[10:11], columns[22:]), " "))
		}
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%s: %q, want %q", c.options, rows, c.rows)
		}
	}
}

// TestGuidesChangesOfCas12a has an allele beside the PAM of a target of Cas12a, and one in the PAM.
func TestGuidesChangesOfCas12a(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\nCCCCCCCCCCTTTAGGACTCCCTGCCAGATGGTCACGCCCCCCCCCC\n")
	list := copiesFile(t, folder, "guides.txt", "g GGACTCCCTGCCAGATGGTCACG\n")
	vcf := copiesFile(t, folder, "v.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n"+
		"a\t13\t.\tT\tC\t.\t.\t.\tGT\t0|0\t0|1\na\t15\t.\tG\tA\t.\t.\t.\tGT\t0|1\t0|0\n")
	changes := filepath.Join(folder, "changes.tsv")
	quietly(t, "guides", "--max-mismatches", "2", "--nuclease", "enAsCas12a", "-f", list, "--vcf", vcf, "--changes", changes, ref)
	var got []string
	for _, row := range rowsOf(readFile(t, changes), "")[1:] {
		columns := strings.Split(row, "\t")
		got = append(got, strings.Join(slices.Concat(columns[5:8], columns[10:11], columns[14:18]), " "))
	}
	want := []string{ // rG:dT at position 1 is 0.300000 in the authors' file
		"lost lost 1 TTcAGGACTCCCTGCCAGATGGTCACG NA NA 1.000000 1.000000",
		"changed . 1 TTTAaGACTCCCTGCCAGATGGTCACG NA NA 0.300000 1.000000",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGuidesChangesOfInsertion has an allele that inserts a letter behind the second of a target:
// the place of the haplotype begins a letter later, as its row has it.
func TestGuidesChangesOfInsertion(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\nTTTTTTTTTTGATGGTCGGACTCCCTGCCAAGGTTTTTTTTTT\n")
	list := copiesFile(t, folder, "guides.txt", "g GATGGTCGGACTCCCTGCCA\n")
	vcf := copiesFile(t, folder, "v.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\n"+
		"a\t12\t.\tA\tAC\t.\t.\t.\tGT\t0|1\n")
	changes := filepath.Join(folder, "changes.tsv")
	quietly(t, "guides", "--max-mismatches", "2", "-f", list, "--vcf", vcf, "--changes", changes, ref)
	var got []string
	for _, row := range rowsOf(readFile(t, changes), "")[1:] {
		got = append(got, strings.Join(strings.Split(row, "\t")[1:12], " "))
	}
	if want := []string{"a 11 33 + changed . 1 2 0 acTGGTCGGACTCCCTGCCAAGG GATGGTCGGACTCCCTGCCAAGG"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestGuidesChangesOnPage has targets of real data, one lost on all copies: the page
// says so, and has the columns.
func TestGuidesChangesOnPage(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "page.html")
	const reference, vcf = "../../testdata/na12878.fa.gz", "../../testdata/na12878.vcf"
	args := []string{"guides", "--in", "chr20_10M:2000-2300", "--max-mismatches", "4", "--report-html", page, reference}
	rows := rowsOf(quietly(t, append(args, "--vcf", vcf)...), "")
	lost := 0
	text := untied(readFile(t, page))
	for _, row := range rows[1:] {
		columns := strings.Split(row, "\t")
		if columns[24] != "0" {
			lost++
		}
		if columns[0] == "chr20_10M:2141-2163:+" && (columns[25] != "1.000000" || !strings.Contains(text, "CFD 100.00; target lost on 100 % of the copies")) {
			t.Errorf("%q, and the page lacks it", row)
		}
	}
	for _, want := range []string{">target lost<", ">CFD of made<", "Alleles of " + vcf + ": " + counted(lost, "guide") + " without an exact target on some haplotypes; 0 locations made."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if lost == 0 || strings.Count(text, "; target lost on ") != lost {
		t.Errorf("%d guides have lost their target, the page has %d", lost, strings.Count(text, "; target lost on "))
	}
	quietly(t, args...)
	if text := readFile(t, page); strings.Contains(text, "target lost") || strings.Contains(text, "Alleles of") {
		t.Error("the page tells of alleles without a VCF")
	}
	// No guides.
	quietly(t, "guides", "--in", "chr20_10M:1-20", "--vcf", vcf, "--report-html", page, reference)
}

// TestGuidesChanges has a target that two samples have lost, a place that an allele makes with its
// PAM, and one that it takes away.
func TestGuidesChanges(t *testing.T) {
	folder := t.TempDir()
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTTTT"
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+spacer+guide+"AGG"+spacer+"ATGCTCGGACTCCCTGCCAGTGC"+spacer+"CCTCTGGCAGGGAGTCCGTCCAT\n>b\n"+spacer+
		"ATGCTCGCACTGCCTGCCAGAGG\n")
	list := copiesFile(t, folder, "guides.txt", "g1 "+guide+"\ng2 TTTTTTTTTTATGGTCGGAC\n")
	vcf := copiesFile(t, folder, "v.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts,2\n"+
		"a\t14\t.\tG\tC\t.\t.\t.\tGT\t0|1\t1|1\n"+
		"a\t33\t.\tG\tGT,A\t.\t.\t.\tGT\t2|0\t0|0\n"+
		"a\t66\t.\tC\tG\t.\t.\t.\tGT\t0|0\t1|0\n"+
		"a\t78\t.\tC\tG\t.\t.\t.\tGT\t0|1\t0|0\n"+
		"b\t18\t.\tC\tG\t.\t.\t.\tGT\t0|1\t0|0\n")
	changes := filepath.Join(folder, "changes.tsv")
	const header = "guide contig start end strand change pam target distance ref_distance text ref_text cigar ref_cigar mit ref_mit " +
		"cfd ref_cfd frequency copies alleles samples"
	want := []string{header,
		"g1 a 10 33 + changed . 1 1 0 ATGcTCGGACTCCCTGCCAGAGG ATGGTCGGACTCCCTGCCAGAGG 23M 23M 100.0000 100.0000 0.529412 1.000000 " +
			"0.750000 3/4 a:14:G>C s1,s\\x2c2",
		"g1 a 10 33 + lost lost 1 . 0 ATGGTCGGACTCCCTGCCAGAGa ATGGTCGGACTCCCTGCCAGAGG . 23M 100.0000 100.0000 0.069444 1.000000 " +
			"0.250000 1/4 a:33:G>A s1",
		"g1 a 43 66 + made made 0 1 . ATGcTCGGACTCCCTGCCAGTGG ATGcTCGGACTCCCTGCCAGTGc 23M . 100.0000 100.0000 0.529412 0.011765 " +
			"0.250000 1/4 a:66:C>G s\\x2c2",
		"g1 a 76 99 - lost lost 0 . 1 ATGGaCGGACTCCCTGCCAGAcG ATGGaCGGACTCCCTGCCAGAGG . 23M 100.0000 100.0000 0.053571 0.500000 " +
			"0.250000 1/4 a:78:C>G s1",
		"g1 b 10 33 + made . 0 2 . ATGcTCGGACTgCCTGCCAGAGG ATGcTCGcACTgCCTGCCAGAGG 23M . 3.7095 1.3148 0.235294 0.144796 " +
			"0.250000 1/4 b:18:C>G s1",
	}
	args := []string{"guides", "--max-mismatches", "2", "-f", list, "--vcf", vcf, "--changes", changes, ref}
	code, stdout, stderr := call(args...)
	if code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var got []string
	for line := range strings.Lines(readFile(t, changes)) {
		got = append(got, strings.ReplaceAll(strings.TrimSpace(line), "\t", " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows := rowsOf(stdout, "")
	column := func(row string) string { return strings.Join(strings.Split(row, "\t")[18:26], " ") }
	if got, want := column(rows[0]), "made changed lost pam_made pam_lost made_cfd target_lost target_lost_frequency"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got, want := column(rows[1]), "2 1 2 1 2 0.529412 2 1.000000"; got != want {
		t.Errorf("g1: %s, want %s", got, want)
	}
	if got, want := column(rows[2]), "0 0 0 0 0 NA 0 0.000000"; got != want {
		t.Errorf("g2: %s, want %s", got, want)
	}
	if !strings.Contains(stderr, "v.vcf: 5 sites, 5 alleles; ") || !strings.Contains(stderr, "; 5 changes of locations\n") ||
		!strings.Contains(stderr, "v.vcf: left out alleles: 1 that no sample has\n") {
		t.Errorf("%s", stderr)
	}
	// The table is the same without the file, and all other columns as without a VCF.
	if again := quietly(t, "guides", "--max-mismatches", "2", "-f", list, "--vcf", vcf, "-t", "1", ref); again != stdout {
		t.Errorf("%s\nwant\n%s", again, stdout)
	}
	plain := rowsOf(quietly(t, "guides", "--max-mismatches", "2", "-f", list, ref), "")
	for i, row := range rows {
		columns := strings.Split(row, "\t")
		if without := strings.Join(slices.Delete(columns, 18, 26), "\t"); without != plain[i] {
			t.Errorf("%s\nwant\n%s", without, plain[i])
		}
	}
}

// TestGuidesReferenceIUPAC has IUPAC letters in a guide's site and in its PAM, with alleles of the
// VCF that have one of their bases.
func TestGuidesReferenceIUPAC(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\nTTTTTTTTTTATGRTCGGACTCCCTGCCAGARGTTTTTTTTTTATGGTCGGAYTCCCTNCCAGARGTTTTTTTTTT\n")
	list := copiesFile(t, folder, "guides.txt", "g ATGGTCGGACTCCCTGCCAG\n")
	vcf := copiesFile(t, folder, "v.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n"+
		"a\t14\t.\tA\tG\t.\t.\t.\tGT\t0|1\t0|0\na\t32\t.\tG\tA\t.\t.\t.\tGT\t0|0\t0|1\na\t53\t.\tT\tG\t.\t.\t.\tGT\t1|1\t0|1\n")
	places, changes := filepath.Join(folder, "places.tsv"), filepath.Join(folder, "changes.tsv")
	for _, c := range []struct {
		options, guide  string // on_target, off_targets, mit, cfd
		places, changes []string
	}{
		{"--max-mismatches 2", "0 0 NA NA", nil, nil},
		{"--max-mismatches 2 --reference-iupac", "1 1 100.00 100.00", []string{"10 0 ATGRTCGGACTCCCTGCCAGARG 100.0000 1.000000", "43 1 ATGGTCGGAYTCCCTnCCAGARG NA NA"}, []string{
			"changed . 1 0 0 ATGGTCGGACTCCCTGCCAGARG ATGRTCGGACTCCCTGCCAGARG 1.000000 1.000000",
			"lost lost 1 . 0 ATGRTCGGACTCCCTGCCAGAaG ATGRTCGGACTCCCTGCCAGARG 0.259259 1.000000",
			"changed . 0 2 1 ATGGTCGGAgTCCCTnCCAGARG ATGGTCGGAYTCCCTnCCAGARG NA NA",
		}},
		{"-k 1 --reference-iupac", "1 1 100.00 100.00", []string{"10 0 ATGRTCGGACTCCCTGCCAGARG 100.0000 1.000000", "43 1 ATGGTCGGAYTCCCTnCCAGARG NA NA"}, []string{
			"changed . 1 0 0 ATGGTCGGACTCCCTGCCAGARG ATGRTCGGACTCCCTGCCAGARG 1.000000 1.000000",
			"lost lost 1 . 0 ATGRTCGGACTCCCTGCCAGAaG ATGRTCGGACTCCCTGCCAGARG 0.259259 1.000000",
			"lost . 0 . 1 ATGGTCGGAgTCCCTnCCAGARG ATGGTCGGAYTCCCTnCCAGARG NA NA",
		}},
	} {
		args := append([]string{"guides", "-f", list, "--vcf", vcf, "--changes", changes, "--locations", places, ref}, strings.Fields(c.options)...)
		columns := strings.Split(rowsOf(quietly(t, args...), "")[1], "\t")
		if got := strings.Join(columns[7:11], " "); got != c.guide {
			t.Errorf("%s: %s, want %s", c.options, got, c.guide)
		}
		for _, f := range []struct {
			name    string
			columns []int
			want    []string
		}{{places, []int{2, 5, 7, 12, 13}, c.places}, {changes, []int{5, 6, 7, 8, 9, 10, 11, 16, 17}, c.changes}} {
			var got []string
			for _, row := range rowsOf(readFile(t, f.name), "")[1:] {
				columns := strings.Split(row, "\t")
				var some []string
				for _, i := range f.columns {
					some = append(some, columns[i])
				}
				got = append(got, strings.Join(some, " "))
			}
			if !slices.Equal(got, f.want) {
				t.Errorf("%s: %q, want %q", c.options, got, f.want)
			}
		}
	}
}

// TestGuidesOnGPU has the same files on the CPU and a GPU, for real variants of a reference with
// some IUPAC letters. A small search stays on the CPU where the device is not named.
func TestGuidesOnGPU(t *testing.T) {
	benchDriver(t)
	folder := t.TempDir()
	file, err := fasta.OpenText(t.Context(), "../../testdata/na12878.fa.gz", 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n"))
	letters := bytes.ToUpper(bytes.ReplaceAll(text, []byte("\n"), nil))
	for i := 50; i < len(letters); i += 97 {
		letters[i] = map[byte]byte{'A': 'R', 'C': 'Y', 'G': 'R', 'T': 'Y', 'N': 'N'}[letters[i]]
	}
	ref := copiesFile(t, folder, "ref.fa", ">chr20_10M\n"+string(letters[:6000])+"\n")
	var vcf strings.Builder
	for line := range strings.Lines(readFile(t, "../../testdata/na12878.vcf")) {
		if columns := strings.Split(line, "\t"); strings.HasPrefix(line, "#") || len(columns[1]) < 4 {
			vcf.WriteString(line) // up to position 999
		}
	}
	variants := copiesFile(t, folder, "v.vcf", vcf.String())
	files, lines := []string{"changes.tsv", "places.tsv", "page.html"}, 0
	for _, options := range []string{
		"--max-mismatches 4", "--max-mismatches 3 --reference-iupac --off-target-pam NAG,NGA", "-k 2 --reference-iupac",
		"-k 3 --mismatches 2 --dna-bulges 1 --rna-bulges 0 --max-locations 2", "--max-mismatches 4 --nuclease enAsCas12a --reference-iupac --best 20",
	} {
		args := append(strings.Fields(options), "--in", "chr20_10M:1-1000", "--vcf", variants, "--quiet")
		for _, name := range files {
			args = append(args, map[string]string{"changes.tsv": "--changes", "places.tsv": "--locations", "page.html": "--report-html"}[name], filepath.Join(folder, name))
		}
		var want []string
		for _, name := range []string{"cpu", "cuda", "auto"} {
			before := driver.Calls()["cuLaunchKernel"]
			got := []string{quietly(t, append([]string{"guides", ref, "--device", name}, args...)...)}
			for _, file := range files {
				text := readFile(t, filepath.Join(folder, file))
				got = append(got, strings.ReplaceAll(text, "--device "+name, "--device cpu"))
			}
			if launched := driver.Calls()["cuLaunchKernel"] > before; launched != (name == "cuda") {
				t.Errorf("%s on %s: a kernel ran: %v", options, name, launched)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s on %s: other files", options, name)
			}
		}
		lines += strings.Count(want[1], "\n")
	}
	if lines < 25 {
		t.Errorf("%d lines of changes are too few", lines)
	}
}
