package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/search/primers"
)

const primersFile = "testdata/primers.tsv"

func TestPrimersGolden(t *testing.T) {
	for _, c := range []struct{ name, options string }{
		{"primers-k0.tsv", ""},
		{"primers-mismatches.tsv", "--max-mismatches 3 --three-prime 5:1"},
		{"primers-tm.tsv", "--max-mismatches 3 --tm santalucia1998"},
		{"primers-k2.bed", "-k 2"},
		{"primers-k2.fasta", "-k 2 --product 100-400"},
		{"primers-multiplex.tsv", "--max-mismatches 2 --multiplex --product 1-1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(strings.Fields("primers "+c.options), "--pairs", primersFile, phixFile, "--format", filepath.Ext(c.name)[1:])
			golden(t, c.name, []string{"-t 1", "-t 3", "--device cpu"},
				func(more ...string) string { return quietly(t, slices.Concat(args, more)...) })
		})
	}
}

// TestPairsFormat has the format by the output's name.
func TestPrimersFormat(t *testing.T) {
	folder := t.TempDir()
	for name, start := range map[string]string{"o.tsv": "forward\t", "o": "forward\t", "o.BED": "NC_001422.1\t", "o.fa": ">NC_001422.1:", "o.fasta": ">", "o.fna": ">"} {
		file := filepath.Join(folder, name)
		quietly(t, "primers", "-f", primersFile, "-o", file, phixFile)
		if text := readFile(t, file); !strings.HasPrefix(text, start) {
			t.Errorf("%s: %.20q", name, text)
		}
	}
}

// TestPrimersCounts has the counts of each pair. A limit of written products does not change them.
func TestPrimersCounts(t *testing.T) {
	args := []string{"primers", "--pairs", primersFile, "--max-mismatches", "6", "-o", "none", "--pair-counts", "-", phixFile}
	golden(t, "primers-counts.tsv", []string{"-t 1", "-t 3"}, func(more ...string) string { return quietly(t, slices.Concat(args, more)...) })
	code, stdout, stderr := call("primers", "--pairs", primersFile, "--max-mismatches", "6", "--max-products", "1", phixFile)
	if code != 0 || strings.Count(stdout, "\n") != 1+5 || !strings.Contains(stderr, ", 7 amplicons, 5 of them written; ") {
		t.Error(code, stdout, stderr)
	}
}

// TestPrimersCircular has a product over the end of phiX, which is circular, and names of contigs.
func TestPrimersCircular(t *testing.T) {
	folder := t.TempDir()
	pairs := filepath.Join(folder, "p.tsv")
	if err := os.WriteFile(pairs, []byte("p\tAAGTTACTGTAGCCGACGTT\tTAAACAAGCAGTAGTAATTC\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, names := range []string{"all", "NC_001422.1", "NC_001422.1,NC_001422.1"} {
		got := quietly(t, "primers", "-f", pairs, "--circular", names, "--format", "bed", phixFile)
		if want := "NC_001422.1\t5286\t5486\tp\t1000\t+\t5286\t5486\t0\t2\t20,20,\t0,180,\n"; got != want {
			t.Errorf("%s: %q, not %q", names, got, want)
		}
	}
	if got := quietly(t, "primers", "-f", pairs, "--format", "bed", phixFile); got != "" {
		t.Error(got)
	}
	// A background that is circular too: there a product is over the end.
	header, bases, _ := strings.Cut(readFile(t, phixFile), "\n")
	bases = strings.ReplaceAll(bases, "\n", "")
	turned := copiesFile(t, folder, "turned.fa", header+"\n"+bases[2000:]+bases[:2000]+"\n")
	for args, want := range map[string]string{"": "1 amplicon, 0 left out for a product in ", "--circular all": "1 amplicon, 0 of them written, 1 left out for a product in "} {
		_, _, stderr := call(append([]string{"primers", "-f", pairs, "--background", phixFile, turned}, strings.Fields(args)...)...)
		if !strings.HasPrefix(stderr, "scanmap: 1 primer pair, 1 with a product, "+want+phixFile+"; ") {
			t.Errorf("%s: %s", args, stderr)
		}
	}
	code, _, stderr := call("primers", "-f", pairs, "--circular", "NC_001422.1,chrM", phixFile)
	if want := `option --circular: ` + phixFile + ` has no contig "chrM"; its first is "NC_001422.1"`; code != 1 || !strings.Contains(stderr, want) {
		t.Error(code, stderr)
	}
}

// TestPrimersBackground leaves out pairs by the products that a run on the background alone counts.
func TestPrimersBackground(t *testing.T) {
	folder := t.TempDir()
	pairs, background := filepath.Join(folder, "p.tsv"), filepath.Join(folder, "b.fa")
	const inBoth, alone = "both\tGAGTTTTATCGCTTCCATGAC\tAACACAATGTGACTCATATCT\n", "alone\tGCGGTCAAAAAGCCGCCTCC\tAGCCTGCAACGTACCTTCAA\n"
	text := readFile(t, phixFile)
	for name, text := range map[string]string{pairs: inBoth + alone, background: text[:2000]} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	counts := filepath.Join(folder, "c.tsv")
	code, got, stderr := call("primers", "-f", pairs, "--max-mismatches", "1", "--background", background, "--pair-counts", counts, "--format", "bed", phixFile)
	if want := "NC_001422.1\t3000\t3200\talone\t1000\t+\t3000\t3200\t0\t2\t20,20,\t0,180,\n"; got != want || code != 0 {
		t.Errorf("%d: %q, not %q", code, got, want)
	}
	if want := "2 primer pairs, 2 with a product, 2 amplicons, 1 of them written, 1 left out for a product in " + background; !strings.Contains(stderr, want) {
		t.Errorf("%s, not %s", stderr, want)
	}
	const table = "pair\tforward_sites\treverse_sites\tproducts\tproducts_of_both\twritten\tbackground_products\n" +
		"both\t1\t1\t1\t1\t0\t1\nalone\t1\t1\t1\t1\t1\t0\n"
	if got := readFile(t, counts); got != table {
		t.Errorf("%q, not %q", got, table)
	}
	if code, _, stderr := call("primers", "-f", pairs, "--background", filepath.Join(folder, "none.fa"), phixFile); code != 1 || !strings.Contains(stderr, "none.fa") {
		t.Error(code, stderr)
	}
}

func TestPrimersSummary(t *testing.T) {
	quietly(t, "primers", "--pairs", primersFile, "--tm", "santalucia1998", "--dna-conc", "1000000", phixFile)
	code, _, stderr := call("primers", "--pairs", primersFile, "--device", "cpu", phixFile)
	if !strings.HasPrefix(stderr, "scanmap: 5 primer pairs, 3 with a product, 3 amplicons; ") || code != 0 {
		t.Error(code, stderr)
	}
}

func TestPrimersUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--pairs " + primersFile, "scanmap primers takes one file, REF.fa, besides --pairs, but 0 are given"},
		{"--pairs " + primersFile + " ACGT ref.fa", "scanmap primers takes one file, REF.fa, besides --pairs, but 2 are given"},
		{"ref.fa", "scanmap primers needs --pairs FILE; see scanmap primers --help"},
		{"--pairs= ref.fa", "option --pairs: the name is empty"},
		{"--pairs - -", "primer pairs and reference cannot both come from standard input"},
		{"--pairs - --background - ref.fa", "primer pairs and background cannot both come from standard input"},
		{"--pairs p.tsv --background - -", "reference and background cannot both come from standard input"},
		{"--pairs p.tsv --tm santalucia1998 --dna-conc 1000001 ref.fa", `option --dna-conc: "1000001" is not a number from 0 to 1000000`},
		{"--pairs p.tsv --product 50 ref.fa", `option --product: "50" is not two numbers of bases from 1 to`},
		{"--pairs p.tsv --product 0-9 ref.fa", `option --product: "0-9" is not two numbers of bases`},
		{"--pairs p.tsv --product 10-9 ref.fa", `option --product: "10-9" is not two numbers of bases`},
		{"--pairs p.tsv --product 1-2147483648 ref.fa", `option --product: "1-2147483648" is not two numbers of bases from 1 to 2147483647`},
		{"--pairs p.tsv --three-prime 5 ref.fa", `option --three-prime: "5" is not a number of bases from 1 to 2048 and one of edits, such as 5:1`},
		{"--pairs p.tsv --three-prime 0:1 ref.fa", `option --three-prime: "0:1" is not a number of bases`},
		{"--pairs p.tsv --format sam ref.fa", `option --format: format "sam" is not one of tsv, bed, fasta`},
		{"--pairs p.tsv -o x.bam ref.fa", "option --output: x.bam: scanmap primers writes plain TSV, BED and FASTA"},
		{"--pairs p.tsv -o x.sam ref.fa", "option --output: x.sam: scanmap primers writes plain TSV, BED and FASTA"},
		{"--pairs p.tsv -o p.tsv ref.fa", "p.tsv is an input and would be overwritten"},
		{"--pairs p.tsv -k 64 ref.fa", `option --max-distance: "64" is not a whole number from 0 to 63`},
		{"--pairs p.tsv --max-products 0 ref.fa", `option --max-products: "0" is not a whole number from 1 to 2147483647`},
		{"--pairs p.tsv --max-products 1 --multiplex ref.fa", "options --max-products and --multiplex contradict each other: the limit is one of each pair"},
		{"--pairs p.tsv --max-products 1 -o none ref.fa", "option --max-products is for products, of which --output none writes none"},
		{"--pairs p.tsv --tm breslauer ref.fa", `option --tm: parameters "breslauer" are not one of santalucia1998, santalucia2004`},
		{"--pairs p.tsv --tm santalucia1998 --format bed ref.fa", "option --tm is for products as TSV or for the page of --report-html"},
		{"--pairs p.tsv --tm santalucia1998 -o none ref.fa", "which have columns for melting temperatures, and neither is written"},
		{"--pairs p.tsv --tm santalucia1998 --dna-conc 0 ref.fa", "option --tm: melting temperatures need primer and salt"},
		{"--pairs p.tsv --tm santalucia1998 --mv-conc -1 ref.fa", `option --mv-conc: "-1" is not a number from 0 to 1000000`},
		{"--pairs p.tsv --dv-conc 2 ref.fa", "option --dv-conc is for melting temperatures, which --tm NAME writes"},
		{"--pairs p.tsv --background= ref.fa", "option --background: the name is empty"},
		{"--pairs p.tsv --background b.fa --multiplex ref.fa", "options --background and --multiplex contradict each other"},
		{"--pairs p.tsv --background - -", "reference and background cannot both come from standard input"},
		{"--pairs p.tsv --background b.fa -o b.fa ref.fa", "b.fa is an input and would be overwritten"},
		{"--pairs p.tsv --circular= ref.fa", "option --circular: the name is empty"},
		{"--pairs p.tsv --pair-counts= ref.fa", "option --pair-counts: the name is empty"},
		{"--pairs p.tsv --pair-counts c.tsv.gz ref.fa", "option --pair-counts: c.tsv.gz: scanmap writes plain TSV"},
		{"--pairs p.tsv --pair-counts - ref.fa", "option --pair-counts: standard output is taken by --output"},
		{"--pairs p.tsv --pair-counts x -o x ref.fa", "options --output and --pair-counts name the same file"},
		{"--pairs p.tsv --pair-counts p.tsv ref.fa", "p.tsv is an input and would be overwritten"},
	} {
		if code, _, stderr := call(strings.Fields("primers " + c.args)...); code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
		}
	}
}

// TestPrimersEverywhere refuses primers that would be at most places by chance.
func TestPrimersEverywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	copiesFile(t, ".", "p.tsv", "phix\tGAGTTTTATCGCTTCCATGAC\tAACACAATGTGACTCATATCT\n")
	copiesFile(t, ".", "ref.fa", ">c\nACGTACGTACGT\n")
	code, stdout, stderr := call(strings.Fields("primers -f p.tsv -k 12 -o x.tsv ref.fa")...)
	const want = "scanmap: p.tsv: line 1: pattern \"phix\": with 12 edits its 21 letters lie at 98 % of all positions by chance: allow fewer\n"
	if code != 1 || stdout != "" || stderr != want || names(t, ".") != "p.tsv ref.fa" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, _, stderr := call(strings.Fields("primers -f p.tsv -k 12 --three-prime 12:0 -o x.tsv ref.fa")...); code != 0 {
		t.Errorf("with --three-prime: exit code %d, %s", code, stderr)
	}
}

// TestPrimersPage writes products, counts and the page in one run, and the page alone.
func TestPrimersPage(t *testing.T) {
	folder := t.TempDir()
	pairs, page, rows := filepath.Join(folder, "p.tsv"), filepath.Join(folder, "p.html"), filepath.Join(folder, "p.bed")
	if err := os.WriteFile(pairs, []byte("phix\tGAGTTTTATCGCTTCCATGAC\tAACACAATGTGACTCATATCT\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const phix = "../../testdata/phix.fa"
	quietly(t, "primers", "-f", pairs, "--max-mismatches", "2", "--report-html", page, "-o", rows, "--pair-counts", filepath.Join(folder, "c"), phix)
	if text := readFile(t, page); !strings.Contains(text, "1 pair with one site") || !strings.Contains(text, "--report-html") {
		t.Errorf("the page is %s", text)
	}
	if text := readFile(t, rows); strings.Count(text, "\n") != 1 {
		t.Errorf("the products are %s", text)
	}
	quietly(t, "primers", "-f", pairs, "--max-mismatches", "2", "--html", page, "-o", "none", phix)
	if text := readFile(t, page); !strings.Contains(text, ">300<") || strings.Contains(text, ">55.05<") {
		t.Errorf("the page without products is %s", text)
	}
	for _, output := range []string{"none", rows, filepath.Join(folder, "p.tsv2")} {
		quietly(t, "primers", "-f", pairs, "--max-mismatches", "2", "--tm", "santalucia1998", "--html", page, "-o", output, phix)
		if text := readFile(t, page); !strings.Contains(text, ">55.05<") || !strings.Contains(text, ">44.22<") {
			t.Errorf("-o %s: the page with temperatures is %s", output, text)
		}
	}
	if text := readFile(t, rows); len(strings.Fields(text)) != 12 {
		t.Errorf("BED beside temperatures on the page is %q", text)
	}
}

// TestEachOf hands an amplicon on until a use fails.
func TestEachOf(t *testing.T) {
	called := 0
	use := func(err error) func(*primers.Amplicon) error {
		return func(*primers.Amplicon) error { called++; return err }
	}
	each := eachOf([]func(*primers.Amplicon) error{use(nil), use(io.ErrClosedPipe), use(nil)})
	if err := each(nil); err != io.ErrClosedPipe || called != 2 {
		t.Errorf("%v after %d uses, want 2", err, called)
	}
	if eachOf(nil) != nil {
		t.Error("no uses need amplicons")
	}
}
