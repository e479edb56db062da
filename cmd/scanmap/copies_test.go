package main

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/genome/copies"
	"scanmap/internal/effort"
)

// copiesFile writes a file of a test, and returns its name.
func copiesFile(t *testing.T, folder, name, text string) string {
	t.Helper()
	name = filepath.Join(folder, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCopies has windows, regions and a page of a reference of three contigs: one copy of each
// window's values is 10 starts.
func TestCopies(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+strings.Repeat("ACGTACGTAC", 10)+"\n>b\n"+strings.Repeat("ACGTACGTAC", 4)+"NNNNN\n>c\nNNN\n")
	depth := "track type=bedGraph\n"
	for start := 0; start < 100; start += 10 {
		depth += fmt.Sprintf("a\t%d\t%d\t2\n", start, start+10)
	}
	depth += "b\t0\t10\t3\nb\t10\t15\t8\nb\t30\t40\t20\n"
	starts := copiesFile(t, folder, "starts.bedgraph", depth)
	regions := copiesFile(t, folder, "regions.bed", "b\t5\t15\tgene\nb\t40\t45\nc\t0\t3\nb\t0\t40\n")
	mask := copiesFile(t, folder, "mask.bed", "b 0 10\n")

	const header = "# controls (found in 2 rounds): 10 windows, 100 bases, depth 2.000000, standard deviation 0.000000, 2 copies; gc none\n" +
		"#contig\tstart\tend\tcopies\tdepth\tcorrected\tgc\tunmasked\tcontrol\tstarts\terror\tflags\n"
	code, stdout, stderr := call("copies", "--window", "10", "--gc", "none", "--exclude", "b", ref, starts)
	want := strings.Replace(header, "2 rounds", "1 round", 1)
	for start := 0; start < 100; start += 10 {
		want += fmt.Sprintf("a\t%d\t%d\t2.000\t2.000000\t2.000000\t0.%d000\t10\t1\t20\t0.447\t.\n", start, start+10, 5)
	}
	want += "b\t0\t10\t3.000\t3.000000\t3.000000\t0.5000\t10\t0\t30\t0.548\t.\nb\t10\t20\t4.000\t4.000000\t4.000000\t0.5000\t10\t0\t40\t0.632\t.\n" +
		"b\t20\t30\t0.000\t0.000000\t0.000000\t0.5000\t10\t0\t0\t0.100\t.\nb\t30\t45\t20.000\t20.000000\t20.000000\t0.5000\t10\t0\t200\t1.414\t.\n" +
		"c\t0\t3\t.\t.\t.\t.\t0\t0\t0\t.\t.\n"
	if code != 0 || stdout != want {
		t.Errorf("exit %d, %s\n%s, want\n%s", code, stderr, stdout, want)
	}
	if want := "scanmap: 15 windows; controls (found in 1 round): 10 windows, 100 bases, depth 2.000000, standard deviation 0.000000, " +
		"2 copies; gc none\n" + "scanmap: warning: the depth is low: windows of the controls have 20 starts on average, so that counting alone " +
		"makes a standard error of 0.45 copies; windows of 32 bases (--window) would have 0.25\n"; stderr != want {
		t.Errorf("%q, want %q", stderr, want)
	}

	page, genes := filepath.Join(folder, "x.html"), filepath.Join(folder, "genes.bed")
	bedGraph := filepath.Join(folder, "x.bedGraph")
	quietly(t, "copies", "--window", "10", "--gc", "none", "--ploidy", "1", "--exclude", "b", "--regions", regions, "--region-copies", genes,
		"--report-html", page, "-o", bedGraph, "--quiet", ref, starts)
	want = "gene 2.750 . 10 2 55 0.371 .\n" + "b:41-45 . . 0 0 0 . .\n" + "c:1-3 . . 0 0 0 . .\n" + "b:1-40 3.375 1.500 40 4 270 0.205 differ\n"
	if got := fields(readFile(t, genes), 3); got != want {
		t.Errorf("regions\n%s, want\n%s", got, want)
	}
	if got, want := readFile(t, bedGraph), "a\t0\t100\t1\nb\t0\t10\t1.5\nb\t10\t20\t2\nb\t20\t30\t0\nb\t30\t45\t10\n"; got != want {
		t.Errorf("bedGraph\n%s, want\n%s", got, want)
	}
	if text := readFile(t, page); !strings.Contains(text, "gene") || !strings.Contains(text, "--report-html") || !strings.Contains(text, "Copies along b") {
		t.Error("the page lacks something")
	}
	// A bigWig, bedGraph that is compressed, and their like as input, have the same.
	for _, name := range []string{"x.bw", "x.bg.gz"} {
		file := filepath.Join(folder, name)
		quietly(t, "copies", "--window", "10", "--gc", "none", "--exclude", "b", "-o", file, "--quiet", ref, starts)
		got := quietly(t, "copies", "--window", "10", "--gc", "none", "--exclude", "b", "--quiet", ref, file)
		// Each base of windows with 2 copies has 2.
		if !strings.Contains(got, "\nb\t0\t10\t3.000\t3.000000\t") || !strings.Contains(got, "\nb\t10\t20\t4.000\t4.000000\t") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "x.bg.gz.tbi")); err != nil {
		t.Error(err)
	}
	// VCF of windows, and of regions in order; some copies are not known.
	vcf := filepath.Join(folder, "x.vcf")
	for _, c := range []struct{ options, want string }{
		{"--mask " + mask,
			"a\t90\t.\tC\t.\t.\tPASS\tEND=100\tCN:CNQ:CNL:CNF:CNE\t2:8.4:-86.21,-2.02,0,-0.81,-2.32,-4.11:2.000:0.447\n" +
				"b\t1\t.\tA\t<DUP>\t.\tPASS\tEND=20;SVTYPE=DUP;SVLEN=20\tCN:CNQ:CNL:CNF:CNE\t" +
				"4:4.4:-346.63,-19.24,-4.19,-0.66,0,-0.48,-1.54,-2.91,-4.49:4.000:0.632\n" +
				"b\t20\t.\tC\t<DEL>\t.\tPASS\tEND=30;SVTYPE=DEL;SVLEN=-10\tCN:CNQ:CNL:CNF:CNE\t0:26.7:0,-2.67,-4.99,-7.25,-9.49:0.000:0.100\n" +
				"b\t30\t.\tC\t<DUP>\t.\tPASS\tEND=45;SVTYPE=DUP;SVLEN=15\tCN:CNQ:CNL:CNF:CNE\t20:1.4:-999,-783.25,-351.28,-208.77,-138.62," +
				"-97.42,-70.67,-52.2,-38.89,-29.02,-21.56,-15.86,-11.47,-8.09,-5.51,-3.56,-2.12,-1.11,-0.46,-0.1,0,-0.11,-0.42,-0.88,-1.49,-2.22," +
				"-3.06,-4.01:20.000:1.414\nc\t1\t.\tN\t.\t.\tPASS\tEND=3\tCN:CNQ:CNL:CNF:CNE\t.:.:.:.:.\n"},
		{"--regions " + regions + " --sample one",
			"FORMAT\tone\nb\t1\t.\tA\t<DUP>\t.\tdiffer\tEND=40;SVTYPE=DUP;SVLEN=40\tCN:CNQ:CNL:CNF:CNE\t" +
				"7:7.4:-999,-286.68,-97.64,-40.45,-16.22,-5.17,-0.7,0,-1.65,-4.86,-9.17:6.750:0.411\n" +
				"b\t5\tgene\tA\t<DUP>\t.\tPASS\tEND=15;SVTYPE=DUP;SVLEN=10\tCN:CNQ:CNL:CNF:CNE\t" +
				"5:2.5:-655.91,-43.51,-12.99,-4.3,-1.06,0,-0.02,-0.66,-1.69,-2.97,-4.44:5.500:0.742\n" +
				"b\t40\t.\tC\t.\t.\tPASS\tEND=45\tCN:CNQ:CNL:CNF:CNE\t.:.:.:.:.\nc\t1\t.\tN\t.\t.\tPASS\tEND=3\tCN:CNQ:CNL:CNF:CNE\t.:.:.:.:.\n"},
	} {
		quietly(t, slices.Concat([]string{"copies", "--window", "10", "--gc", "none", "--exclude", "b", "--vcf", vcf, "-o", bedGraph, "--quiet"},
			strings.Fields(c.options), []string{ref, starts})...)
		_, got, _ := strings.Cut(readFile(t, vcf), "#CHROM")
		if got = got[strings.Index(got, "FORMAT"):]; !strings.HasSuffix(got, c.want) {
			t.Errorf("%s:\n%s, want the end\n%s", c.options, got, c.want)
		}
		checkVCF(t, vcf)
	}
	// A mask moves windows.
	got := quietly(t, "copies", "--window", "10", "--gc", "none", "--exclude", "b", "--mask", mask, ref, starts)
	if !strings.Contains(got, "\nb\t0\t20\t4.000\t4.000000\t4.000000\t0.5000\t10\t0\t40\t0.632\t.\nb\t20\t30\t") {
		t.Errorf("masked\n%s", got)
	}
	// Controls that are given.
	got = quietly(t, "copies", "--window", "10", "--gc", "none", "--control-copies", "3", "--controls", mask, ref, starts)
	if !strings.HasPrefix(got, "# controls (given): 1 window, 10 bases, depth 3.000000") || !strings.Contains(got, "\na\t0\t10\t2.000\t") {
		t.Errorf("controls\n%s", got)
	}
}

// TestPloidyOf has a contig with an = in its name, and 3 copies of its own: it has no controls, and
// is compared with 3.
func TestPloidyOf(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+strings.Repeat("ACGTACGTAC", 10)+"\n>b=1\n"+strings.Repeat("ACGTACGTAC", 4)+"\n")
	starts := copiesFile(t, folder, "starts.bedgraph", "a\t0\t100\t200\nb=1\t0\t30\t200\nb=1\t30\t40\t300\n")
	vcf := filepath.Join(folder, "x.vcf")
	got := quietly(t, "copies", "--window", "10", "--gc", "none", "--ploidy-of", "b=1=3", "--vcf", vcf, ref, starts)
	if !strings.HasPrefix(got, "# controls (found in 1 round): 10 windows, 100 bases, ") {
		t.Errorf("%.200s", got)
	}
	text := readFile(t, vcf)
	if !strings.Contains(text, `Description="Fewer than 2 (b=1: 3) copies"`) || strings.Count(text, "b=1\t") != 4 ||
		strings.Count(text, "<DEL>\t") != 3 || strings.Contains(text, "<DUP>\t") {
		t.Errorf("%s", text)
	}
}

// TestMostLikelihoods has 33 numbers of copies with their likelihoods, and 34 without.
func TestMostLikelihoods(t *testing.T) {
	ref, err := fasta.PackReference([]fasta.Contig{{Name: "a", Bases: []byte("ACGT")}})
	if err != nil {
		t.Fatal(err)
	}
	n := &copyNumbers{Result: &copies.Result{Controls: copies.Controls{Mean: 1}}, ref: ref, options: &copies.Options{Copies: 16}}
	for number, want := range map[float64]int{2: 33, 30.5: 33, 31.5: 1} {
		var text bytes.Buffer
		b := bufio.NewWriter(&text)
		n.writeVariant(b, copies.Interval{End: 4}, "", number, &copies.Count{Starts: 1e9, Error: 1e-9}, false)
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		likelihoods := strings.Split(last(strings.ReplaceAll(text.String(), "\t", " ")), ":")[2]
		if got := len(strings.Split(likelihoods, ",")); got != want || (likelihoods == ".") != (want == 1) {
			t.Errorf("%v copies: %s", number, likelihoods)
		}
	}
}

// TestVariantFields has names that a VCF cannot hold, and copies between whole numbers.
func TestVariantFields(t *testing.T) {
	ref, err := fasta.PackReference([]fasta.Contig{{Name: "a", Bases: []byte("ACGT")}})
	if err != nil {
		t.Fatal(err)
	}
	n := &copyNumbers{Result: &copies.Result{Controls: copies.Controls{Mean: 1}}, ref: ref, options: &copies.Options{Copies: 2}}
	for _, c := range []struct {
		name   string
		number float64
		want   string
	}{
		{"gene", 2, "a 1 gene A . . PASS "}, {"a;b", 2, "a 1 . A . . PASS "}, {"a b", 3, "a 1 . A <DUP> . PASS "}, {"", 2.5, "a 1 . A . . between "},
		{"x", 1.5, "a 1 x A <DEL> . between "},
	} {
		var text bytes.Buffer
		b := bufio.NewWriter(&text)
		n.writeVariant(b, copies.Interval{End: 4}, c.name, c.number, &copies.Count{Starts: 1e9, Error: 1e-9}, false)
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(text.String(), "\t", " "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, %v copies: %s, want %s", c.name, c.number, got, c.want)
		}
	}
	for file, want := range map[string]string{"a.bw": "a", "d.e/x.y.bw": "x", "-": "sample", ".bw": "sample", "my reads.bw": "sample"} {
		if got := sampleOf(file); got != want {
			t.Errorf("%s: sample %s, want %s", file, got, want)
		}
	}
}

// checkVCF has bcftools read a file, where there is one.
func checkVCF(t *testing.T, file string) {
	t.Helper()
	bcftools, err := exec.LookPath("bcftools")
	if err != nil {
		t.Log("SKIPPED: no bcftools here, which reads the VCF")
		return
	}
	if out, err := exec.Command(bcftools, "query", "-f", "%POS %END[ %CN %CNQ %CNL]\n", file).CombinedOutput(); err != nil || strings.Contains(string(out), "[W::") {
		t.Errorf("bcftools: %v\n%s", err, out)
	}
}

// TestCopiesWindowAuto has one start in ten bases, and a window of 2 copies needs 64 starts. The
// table, standard error and the page say so.
func TestCopiesWindowAuto(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+strings.Repeat("ACGTACGTAC", 400)+"\n")
	var depth strings.Builder
	for at := 0; at < 4000; at += 10 {
		_, _ = fmt.Fprintf(&depth, "a\t%d\t%d\t1\n", at, at+1)
	}
	starts, page := copiesFile(t, folder, "starts.bedgraph", depth.String()), filepath.Join(folder, "x.html")
	code, stdout, stderr := call("copies", "--window", "auto", "--gc", "none", "--report-html", page, ref, starts)
	const want = "controls (found in 1 round): 6 windows, 3840 bases, depth 0.100000, standard deviation 0.000000, 2 copies; gc none; " +
		"windows of 640 bases (auto), standard error 0.250 of 0.25 copies\n"
	if code != 0 || !strings.HasPrefix(stdout, "# "+want) || stderr != "scanmap: 7 windows; "+want || !strings.Contains(stdout, "\na\t640\t1280\t2.000\t") {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
	if !strings.Contains(untied(readFile(t, page)), "640 unmasked bases (chosen for a standard error of 0.25 copies; found: 0.25)") {
		t.Error("the page does not say how windows were chosen")
	}
	stdout = quietly(t, "copies", "--window", "auto:0.5", "--gc", "none", "--quiet", ref, starts)
	if !strings.Contains(stdout, "; windows of 160 bases (auto), standard error 0.500 of 0.5 copies\n") {
		t.Errorf("auto:0.5: %.300s", stdout)
	}
}

// TestCopiesBound warns where the correction for GC content is at its bound, in the table, on
// standard error and on the page.
func TestCopiesBound(t *testing.T) {
	folder := t.TempDir()
	var letters, depth strings.Builder
	for i := range 100 {
		letter, value := "A", 10
		if i%5 == 4 {
			letter, value = "C", 1
		}
		letters.WriteString(strings.Repeat(letter, 1000))
		_, _ = fmt.Fprintf(&depth, "a\t%d\t%d\t%d\n", 1000*i, 1000*(i+1), value)
	}
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+letters.String()+"\n")
	all := copiesFile(t, folder, "all.bed", "a\t0\t100000\n")
	starts := copiesFile(t, folder, "starts.bedgraph", depth.String())
	page := filepath.Join(folder, "page.html")
	code, stdout, stderr := call("copies", "--gc", "strata", "--gc-window", "4", "--controls", all, "--report-html", page, ref, starts)
	const want = "the factor for GC content is at its bound, 1/3 or 3, for more than a tenth of the bases of windows: " +
		"20 of 100 (flag bound); their copies are not to be trusted"
	if code != 0 || strings.Count(stdout, "\tbound\n") != 20 || strings.Count(stdout, "\t.\n") != 80 ||
		!strings.HasSuffix(stderr, "scanmap: warning: "+want+"\n") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
	if !strings.Contains(untied(readFile(t, page)), "Warning: "+want+".") {
		t.Error("the page does not warn")
	}
}

// TestCopiesOfCoveredBases maps real reads of 36 and of 101 bases, and warns on standard error and
// on the page of covered bases, and not of starts.
func TestCopiesOfCoveredBases(t *testing.T) {
	folder := t.TempDir()
	const data = "../../testdata/"
	ref := data + "portiera.fa.gz"
	for _, reads := range []string{"portiera_36bp", "portiera_101bp"} {
		for _, of := range []string{"covered", "starts"} {
			depth, page := filepath.Join(folder, reads+of+".bw"), filepath.Join(folder, "page.html")
			quietly(t, "map", "-e", "2", "--depth", depth, "--depth-of", of, "-o", "none", "--quiet", ref, data+reads+".fastq.gz")
			code, _, stderr := call("copies", "--window", "5000", "--ploidy", "1", "--report-html", page, ref, depth)
			const want = "the depth looks like covered bases and not like starts of reads"
			if warns := of == "covered"; code != 0 || strings.Contains(stderr, "scanmap: warning: "+want) != warns ||
				strings.Contains(readFile(t, page), want) != warns {
				t.Errorf("%s, %s: exit code %d, %s", reads, of, code, stderr)
			}
			t.Log(stderr)
		}
	}
}

// fields are the columns from one on of lines that are no comments.
func fields(text string, from int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line[0] != '#' {
			out.WriteString(strings.Join(strings.Split(line, "\t")[from:], " "))
		}
	}
	return out.String()
}

// TestCopiesFailures has one line for each, and no file.
func TestCopiesFailures(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\nACGTACGTAC\n>b\nACGT\n")
	starts := copiesFile(t, folder, "starts.bedgraph", "a\t0\t10\t1\nb\t0\t4\t1\n")
	gap := copiesFile(t, folder, "gap.bedgraph", "a\t0\t1\t1\n")
	write := func(text string) string {
		return copiesFile(t, folder, fmt.Sprintf("%x.bed", []byte(text)), text)
	}
	out := filepath.Join(folder, "out.bed")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "takes two files, REF.fa and DEPTH.bw, but 0 are given"},
		{ref, 2, "but 1 are given"},
		{"- -", 2, "cannot both come from standard input"},
		{"--mask - - " + starts, 2, "cannot both come from standard input"},
		{ref + " " + starts + " --window 0", 2, `option --window: "0" is not a whole number from 1`},
		{ref + " " + starts + " --window auto:", 2, `option --window: "auto:" is not auto, or auto: and a standard error above 0 and at most 1`},
		{ref + " " + starts + " --window auto0.2", 2, `option --window: "auto0.2" is not auto`},
		{ref + " " + starts + " --window auto:2", 2, `option --window: "auto:2" is not auto`},
		{ref + " - --window auto", 2, "option --window auto reads standard input several times, so it has to be a regular file"},
		{ref + " " + starts + " --window auto", 1, starts + ": windows of 100 bases, for a standard error of 0.25 copies: no window can be a control"},
		{ref + " " + starts + " --gc lowess", 2, `option --gc: "lowess" is not loess, strata or none (did you mean loess?)`},
		{ref + " " + starts + " --span 0", 2, `option --span: "0" is not a share`},
		{ref + " " + starts + " --span x", 2, `option --span: "x" is not a share`},
		{ref + " " + starts + " --span 0.5 --gc none", 2, "option --span is for --gc loess"},
		{ref + " " + starts + " --ploidy 0", 2, `option --ploidy: "0" is not a whole number`},
		{ref + " " + starts + " --ploidy=0", 2, `option --ploidy: "0" is not a whole number`},
		{ref + " " + starts + " --control-copies 0", 2, `option --control-copies: "0" is not a whole number`},
		{ref + " " + starts + " --ploidy 2 --ploidy 3", 2, `option --ploidy is given twice`},
		{ref + " " + starts + " --ploidy 2 --control-copies 3", 2, `option --control-copies is given twice`},
		{ref + " " + starts + " --exclude a,", 2, "option --exclude: the name of a contig is empty"},
		{ref + " " + starts + " --region-copies x.tsv", 2, "option --region-copies needs --regions FILE"},
		{ref + " " + starts + " --regions " + gap, 2, "option --regions needs --region-copies FILE or --vcf FILE"},
		{ref + " " + starts + " --shared " + gap, 2, "option --shared needs --regions FILE, as scanmap map had them"},
		{ref + " " + starts + " --family-copies x", 2, "options --family-copies and --family-share need --shared FILE"},
		{ref + " " + starts + " --family-share 0.2", 2, "options --family-copies and --family-share need --shared FILE"},
		{ref + " " + starts + " --family-share 0", 2, `option --family-share: "0" is not a share above 0 and at most 1`},
		{ref + " " + starts + " --family-copies x --regions " + write("a\t0\t4\n") + " --shared " + write("a\t0\t1\n"), 1, "line 1: has 3 columns; scanmap map --region-shared writes 12"},
		{ref + " " + starts + " --family-copies x --regions " + write("a\t0\t4\n") + " --shared " + write("a\t0\t4\tb\t0\t4\t.\t1\t.\t.\t1\t1\n"), 1,
			"line 1: b:0-4 (BED) is not in --regions, which has to be the file that scanmap map had"},
		{ref + " " + starts + " --family-copies x --regions " + write("a\t0\t4\nb\t0\t4\n") + " --shared " + write("a\t0\t4\tb\t0\t4\t.\t1\t.\t.\t0\t1\n"), 1,
			`line 1: "0" is not a number of reads from 1 on`},
		{ref + " " + starts + " --family-copies x --regions " + write("a\t0\t4\nb\t0\t4\n") + " --shared " + write("a\t0\t4\tb\t0\t4\t.\t5\t.\t.\t4\t6\n"), 1,
			"line 1: a region and itself, or more shared reads than reads"},
		{ref + " " + starts + " --family-copies x --regions " + write("a\t0\t4\nb\t0\t4\n") + " --shared " + write("a\t0\t4\tb\t0\t4\t.\t4\t.\t.\t9\t9\n"), 1,
			"is not a whole file of scanmap map --region-shared: its first line is missing"},
		{ref + " " + starts + " --vcf x.vcf.gz", 2, "option --vcf: x.vcf.gz: scanmap copies writes plain VCF; bcftools view compresses it"},
		{ref + " " + starts + " --sample x", 2, "option --sample is for --vcf FILE"},
		{ref + " " + starts + " --vcf x.vcf --sample=", 2, `option --sample: "" is no name of a sample: it is empty, or has tabs or ends of lines`},
		{ref + " " + starts + " -o x.bed.gz", 2, "writes plain BED"},
		{ref + " " + starts + " -o " + out + ".bg.gz --report-html " + out + ".bg.gz.tbi", 2, "name the same file"},
		{ref + " " + starts + " -o " + starts, 2, starts + " is an input and would be overwritten"},
		{ref + " " + starts + " -o " + out + " --report-html " + out, 2, "name the same file"},
		{ref + " nowhere.bedgraph", 1, "nowhere.bedgraph: no such file or directory"},
		{ref + " " + starts + " --window 4 --exclude a,chrX", 1, `option --exclude: ` + ref + ` has no contig "chrX"; its first is "a"`},
		{ref + " " + starts + " --mask " + write("a\t1\n"), 1, "line 1: has 2 columns"},
		{ref + " " + starts + " --mask " + write("#\nchr1\t0\t1\n"), 1, `line 2: the reference has no contig "chr1"; its first is "a"`},
		{ref + " " + starts + " --region-copies x --regions " + write("a\t0\t11\n"), 1, "line 1: ends at 11, but a has 10 bases"},
		{ref + " " + starts + " --region-copies x --regions " + write("# nothing\n"), 1, "has no intervals"},
		{ref + " " + starts + " --controls " + write("a\t0\t3\n"), 1, starts + ": no window lies in the controls"},
		{ref + " " + write("a\t0\t1\n"), 1, "line 1: expected contig, start, end and value, but found 3 fields"},
		{ref + " " + write("a\t0\t1\t1\nchr2\t0\t1\t1\n"), 1, `.bed: ` + ref + ` has no contig "chr2"; its first is "a"`},
		{ref + " " + write("a\t0\t11\t1\n"), 1, "base 11 is past the end of a, which has 10 bases"},
		{ref + " " + write("a\t0\tx\t1\n"), 1, `line 1: end "x" is not a number`},
		{ref + " " + write("a\t0\t1\tx\n"), 1, `line 1: value "x" is not a finite decimal number`},
		{ref + " " + write("a\t0\t1\t-1\n"), 1, "the value -1 is not a depth"},
		{ref + " " + write("a\t4\t5\t1\na\t3\t4\t1\n"), 1, "line 2: interval 3 to 4 begins before 5"},
		{ref + " " + ref, 1, "line 1: expected contig, start, end and value"},
		{ref + " " + write("#\n"), 1, "no unmasked base has a depth above 0"},
		{ref + " " + gap + " --window 2", 1, "windows have too few reads for controls"},
		{ref + " " + starts + " --window 2 --exclude a,b", 1, "no window can be a control: all contigs are excluded or masked"},
		{ref + " " + starts + " --window 9 --exclude a", 1, "no window can be a control: windows have 9 unmasked bases, and the contig with the " +
			"most of those that are not excluded, b, has 4, less than half a window: take smaller windows"},
	} {
		args := append([]string{"copies"}, strings.Fields(c.args)...)
		if !strings.Contains(c.args, "-o ") {
			args = append(args, "-o", out)
		}
		if !strings.Contains(c.args, "--window") {
			args = append(args, "--window", "4")
		}
		code, stdout, stderr := call(args...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q", c.args, code, stdout, stderr, c.code, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: left a file", c.args)
			os.Remove(out)
		}
	}
}

// event is a stretch of the simulated reference with its copies in the sample.
type event struct {
	start, end int
	copies     int // of both haplotypes; 2 elsewhere
}

// copiesGenome is a reference of one contig whose GC content goes up and down, and its sample.
type copiesGenome struct {
	reference  string
	haplotypes [2]string
	events     []event
}

// newCopiesGenome has deletions of both copies and of one, duplications to 3, 4 and 10 copies, and
// a duplication that stands twice in the reference, so that each of its places has 4 copies.
func newCopiesGenome(r *rand.Rand, length int) copiesGenome {
	letters := make([]byte, length)
	for i := range letters {
		// Islands of 5,000 bases of 30 % to 60 % GC.
		gc := 0.45 + 0.15*math.Sin(2*math.Pi*float64(i)/10_000)
		pair := "AT"
		if r.Float64() < gc {
			pair = "GC"
		}
		letters[i] = pair[r.IntN(2)]
	}
	g := copiesGenome{}
	unit := length / 32
	for i, copies := range []int{0, 1, 3, 4, 10} {
		g.events = append(g.events, event{(4*i + 2) * unit, (4*i + 3) * unit, copies})
	}
	copy(letters[27*unit:28*unit], letters[23*unit:24*unit])
	g.events = append(g.events, event{23 * unit, 24 * unit, 4}, event{27 * unit, 28 * unit, 4})
	g.reference = string(letters)
	for h := range g.haplotypes {
		var b strings.Builder
		at := 0
		for _, e := range g.events[:5] {
			b.WriteString(g.reference[at:e.start])
			b.WriteString(strings.Repeat(g.reference[e.start:e.end], (e.copies+h)/2)) // the second has more
			at = e.end
		}
		b.WriteString(g.reference[at:])
		g.haplotypes[h] = b.String()
	}
	return g
}

// truth is the copies of a window, and false if it lies on the border of an event.
func (g *copiesGenome) truth(start, end int) (float64, bool) {
	for _, e := range g.events {
		if start >= e.start && end <= e.end {
			return float64(e.copies), true
		}
		if start < e.end && end > e.start {
			return 0, false
		}
	}
	return 2, true
}

// reads draws n reads of 50 bases, on both strands, with an error in a hundred bases. The share of
// reads that is kept depends on the GC content of 400 bases around the start: all at 45 %, and 40 %
// at 30 % and at 60 %.
func (g *copiesGenome) reads(r *rand.Rand, n int) string {
	const length = 50
	var prefix [2][]int
	for h, letters := range g.haplotypes {
		prefix[h] = make([]int, len(letters)+1)
		for i := range letters {
			prefix[h][i+1] = prefix[h][i]
			if letters[i] == 'G' || letters[i] == 'C' {
				prefix[h][i+1]++
			}
		}
	}
	var b strings.Builder
	total := len(g.haplotypes[0]) + len(g.haplotypes[1])
	for kept := 0; kept < n; {
		h, at := 0, r.IntN(total)
		if at >= len(g.haplotypes[0]) {
			h, at = 1, at-len(g.haplotypes[0])
		}
		letters := g.haplotypes[h]
		from, to := max(0, at-200), min(len(letters), at+200)
		gc := float64(prefix[h][to]-prefix[h][from]) / float64(to-from)
		if at+length > len(letters) || r.Float64() > max(0.1, 1-4*math.Abs(gc-0.45)) {
			continue
		}
		read := []byte(letters[at : at+length])
		for i := range read {
			if r.IntN(100) == 0 {
				read[i] = "ACGT"[r.IntN(4)]
			}
		}
		if r.IntN(2) == 0 {
			slices.Reverse(read)
			for i, c := range read {
				read[i] = "TGCA"[strings.IndexByte("ACGT", c)]
			}
		}
		kept++
		fmt.Fprintf(&b, ">%d\n%s\n", kept, read)
	}
	return b.String()
}

// TestCopiesOfSimulatedGenome maps reads of a sample with known copy numbers, and compares: every
// window is within the error that counting leaves, and correction makes it less. docs/benchmarks
// has what it prints in all sizes.
func TestCopiesOfSimulatedGenome(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	const window = 1000
	g := newCopiesGenome(r, effort.Pick(640_000, 96_000))
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">sim\n"+g.reference+"\n")
	reads := copiesFile(t, folder, "reads.fa", g.reads(r, effort.Pick(1_600_000, 60_000)))
	starts := filepath.Join(folder, "starts.bw")
	quietly(t, "map", "--max-mismatches", "2", "--depth", starts, "--depth-of", "starts", "-o", "none", "--quiet", ref, reads)
	errs := map[string]float64{}
	for _, gc := range []string{"none", "strata", "loess"} {
		bed := quietly(t, "copies", "--gc", gc, "--window", strconv.Itoa(window), "--mask-margin", "50", ref, starts)
		byTruth := map[float64][]float64{}
		n := 0
		worst := 0.0
		for line := range strings.Lines(bed) {
			if line[0] == '#' {
				continue
			}
			var w struct {
				contig                          string
				start, end                      int
				copies, depth, corrected, share float64
				unmasked, control               int
			}
			if _, err := fmt.Sscan(line, &w.contig, &w.start, &w.end, &w.copies, &w.depth, &w.corrected, &w.share, &w.unmasked, &w.control); err != nil {
				t.Fatal(line, err)
			}
			want, clear := g.truth(w.start, w.end)
			if !clear || w.unmasked < window {
				continue
			}
			if w.control == 1 && want != 2 && gc != "none" {
				t.Errorf("--gc %s: a control of %v copies: %s", gc, want, line)
			}
			byTruth[want] = append(byTruth[want], w.copies)
			if want == 0 {
				if w.copies > 0.05 {
					t.Errorf("--gc %s: of a deletion: %s", gc, line)
				}
				continue
			}
			off := math.Abs(w.copies/want - 1)
			errs[gc] += off
			n++
			worst = max(worst, off)
			// 4 standard deviations of a Poisson count, and what a curve through strata leaves.
			if most := 0.05 + 4/math.Sqrt(w.depth*window); gc != "none" && off > most {
				t.Errorf("--gc %s: off by %.3f, at most %.3f: %s", gc, off, most, line)
			}
		}
		errs[gc] /= float64(n)
		t.Logf("--gc %s: mean error %.1f %%, largest %.1f %%, of %d windows", gc, 100*errs[gc], 100*worst, n)
		for _, want := range slices.Sorted(maps.Keys(byTruth)) {
			copies := byTruth[want]
			slices.Sort(copies)
			sum := 0.0
			for _, c := range copies {
				sum += c
			}
			t.Logf("| %s | %v | %d | %.3f | %.3f | %.3f |", gc, want, len(copies), sum/float64(len(copies)), copies[0], copies[len(copies)-1])
		}
	}
	if errs["loess"] > 0.5*errs["none"] || errs["strata"] > 0.5*errs["none"] {
		t.Errorf("mean errors %v: correction does not help", errs)
	}
}

// TestCopiesOfEmptyFiles has files of intervals without any: there may be nothing to mask, but
// controls and regions without intervals are a mistake.
func TestCopiesOfEmptyFiles(t *testing.T) {
	folder := t.TempDir()
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+strings.Repeat("ACGT", 20)+"\n>b\n"+strings.Repeat("ACGT", 5)+"\n>c\n"+strings.Repeat("ACGT", 5)+"\n")
	depth := copiesFile(t, folder, "depth.bedgraph", "a\t0\t80\t2\nb\t0\t20\t2\nc\t0\t20\t2\n")
	empty := copiesFile(t, folder, "empty.bed", "# nothing\n")
	args := []string{"copies", "--window", "10", ref, depth}
	if got, want := quietly(t, append(args, "--mask", empty)...), quietly(t, args...); got != want {
		t.Errorf("with an empty mask\n%s, want\n%s", got, want)
	}
	for _, options := range []string{"--controls " + empty, "--regions " + empty + " --region-copies " + filepath.Join(folder, "r.bed")} {
		code, stdout, stderr := call(append(args, strings.Fields(options)...)...)
		if code != 1 || stdout != "" || stderr != "scanmap: "+empty+": has no intervals\n" {
			t.Errorf("%s: exit code %d, %q, %q", options, code, stdout, stderr)
		}
	}
	for line := range strings.Lines(quietly(t, append(args, "--exclude", "b,c")...)) {
		if columns := strings.Split(line, "\t"); line[0] != '#' && (columns[8] == "1") != (line[0] == 'a') {
			t.Errorf("b and c are excluded, but %q", line)
		}
	}
}
