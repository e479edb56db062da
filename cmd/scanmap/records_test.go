package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"scanmap/internal/programs"
)

// The records of the tests below: a has the barcode one at its start, b two with an edit, c the
// reverse complement of one at its end, d nothing, e two barcodes that are as good.
const (
	recordA  = "@a x y\nACGTTGCATTAGGGGGGGGGGGGGGGGGG\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n"
	recordB  = "@b/1\nGGATTCCAGACCCCCCCCCCCCCCCC\n+\nIIIIIIIIIIIIIIIIIIIIIIIIII\n"
	recordC  = "@c\nGGGGGGGGGGGGCTAATGCAACGT\n+\nIIIIIIIIIIIIIIIIIIIIIIII\n"
	recordD  = "@d\nGGGGGGGGGGGG\n+\nIIIIIIIIIIII\n"
	recordE  = "@e\nACGTTGCATTAGGGATTTCCAGACCCCC\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIII\n"
	barcodes = "one ACGTTGCATTAG\ntwo GGATTTCCAGAC\n"

	// The records without their barcodes.
	cutA = "@a x y\nGGGGGGGGGGGGGGGGG\n+\nIIIIIIIIIIIIIIIII\n"
	cutB = "@b/1\nCCCCCCCCCCCCCCC\n+\nIIIIIIIIIIIIIII\n"
	cutC = "@c\nGGGGGGGGGGGG\n+\nIIIIIIIIIIII\n"
	cutE = "@e\nGGATTTCCAGACCCCC\n+\nIIIIIIIIIIIIIIII\n"
)

// recordsFolder has the files of the tests below.
func recordsFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	all := recordA + recordB + recordC + recordD + recordE
	for name, text := range map[string]string{
		"r.fq": all, "empty": "", "bars": barcodes, "same": "one ACGT\none ACGG\n", "bad.fq": all + "@x\nAC\n+\nI\n",
		"mates": strings.ReplaceAll(recordA, "@a", "@p") + strings.ReplaceAll(recordD, "@d", "@p"),
		"r.fa":  ">a  z\nacgttgcat\ntaggg\n>b\nCC\n",
		"d.fq":  recordD,
		"d1.fq": strings.Repeat(recordD, 3), "d2.fq": recordD + strings.ReplaceAll(recordA, "@a", "@d") + recordD,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestFilter filters: standard output, and standard error without its times.
func TestFilter(t *testing.T) {
	folder := recordsFolder(t)
	for _, c := range []struct{ args, want string }{
		{"ACGTTGCATTAG r.fq", recordA + recordC + recordE},
		{"--forward-only ACGTTGCATTAG r.fq", recordA + recordE},
		{"--invert -f bars r.fq", recordB + recordD},
		{"-k 1 -f bars r.fq", recordA + recordB + recordC + recordE},
		{"-k 1 --within 0 --end 5 -f bars r.fq", recordA + recordB + recordE},
		{"-k 1 --within 0 --end 3 -f bars r.fq", recordC},
		{"-k 1 --within 0 --forward-only -f bars r.fq", recordA + recordB + recordE},
		{"--within 11 GGATTTCCAGAC r.fq", ""},
		{"--within 12 GGATTTCCAGAC r.fq", recordE},
		{"--max-mismatches 2 --pam CCC GGATTTCCAG r.fq", ""},
		{"--max-mismatches 2 --pam ACC GGATTTCCAG r.fq", recordE},
		{"ACGT empty", ""},
		{"--invert ACGT empty", ""},
		{"ACGTTGCATTAG r.fa", ">a z\nACGTTGCATTAGGG\n"},
		{"--interleaved ACGTTGCATTAG mates", strings.ReplaceAll(recordA, "@a", "@p") + strings.ReplaceAll(recordD, "@d", "@p")},
		{"--interleaved --mate 2 ACGTTGCATTAG mates", ""},
		{"ACGTTGCATTAG d1.fq d2.fq", recordD + strings.ReplaceAll(recordA, "@a", "@d")},
		{"--mate 1 ACGTTGCATTAG d1.fq d2.fq", ""},
		{"--output-mates /dev/null ACGTTGCATTAG d1.fq d2.fq", recordD},
		{"--output-mates /dev/null --interleaved ACGTTGCATTAG mates", strings.ReplaceAll(recordA, "@a", "@p")},
		{"--trim --within 12 -k 1 -f bars r.fq", cutA + cutB + cutC + cutE},
		{"--trim --within 12 --end 5 GGATTTCCAGAC r.fq", "@e\nCCCC\n+\nIIII\n"},
		{"--trim --within 0 --end 3 ACGTTGCATTAG r.fq", cutC},
		{"--trim --within 2 --max-mismatches 12 GGGGGGGGGGGGA d.fq", ""},
		{"--trim --within 2 GGGGGGGGGGGG d.fq", "@d\n\n+\n\n"},
		{"--mate 1 --invert ACGTTGCATTAG d1.fq d2.fq",
			recordD + recordD + recordD + strings.ReplaceAll(recordA, "@a", "@d") + recordD + recordD},
	} {
		args := []string{"filter", "--quiet"}
		for _, a := range strings.Fields(c.args) {
			if _, err := os.Stat(filepath.Join(folder, a)); err == nil {
				a = filepath.Join(folder, a)
			}
			args = append(args, a)
		}
		if got := quietly(t, args...); got != c.want {
			t.Errorf("%s: wrote\n%s, want\n%s", c.args, got, c.want)
		}
		// By a pipe, and with the other methods that take it.
		command := exec.Command("sh", "-c", fmt.Sprintf(`cd %q && f=%s && cat $f | "$0" filter --quiet %s`, folder,
			last(c.args), strings.TrimSuffix(c.args, last(c.args))+"-"), binary)
		if !strings.Contains(c.args, "d1.fq") {
			if out, err := command.Output(); err != nil || string(out) != c.want {
				t.Errorf("%s from a pipe: %v, wrote\n%s", c.args, err, out)
			}
		}
	}
}

func last(args string) string {
	words := strings.Fields(args)
	return words[len(words)-1]
}

// TestRecordFiles writes files: compressed ones, counts, and one for each barcode.
func TestRecordFiles(t *testing.T) {
	folder := recordsFolder(t)
	run := func(script string) string {
		t.Helper()
		command := exec.Command("sh", "-c", `scanmap() { "$0" "$@"; }; `+script, binary)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	if got := run("scanmap filter -o x.fq.gz ACGTTGCATTAG r.fq 2>err && gzip -dc x.fq.gz"); got != recordA+recordC+recordE {
		t.Errorf("compressed\n%s", got)
	}
	summary := readFile(t, filepath.Join(folder, "err"))
	if want := "scanmap: 1 pattern, 5 records, 3 matched; "; !strings.HasPrefix(summary, want) || strings.Count(summary, "\n") != 1 {
		t.Errorf("the summary is %q, want %q", summary, want)
	}
	if got := run("scanmap filter --quiet -k 1 -o /dev/null --pattern-counts n.tsv -f bars r.fq && cat n.tsv"); got !=
		"pattern\treads\none\t3\ntwo\t2\n" {
		t.Errorf("counts\n%s", got)
	}
	const table = "barcode\tfile\trecords\tdistance_0\tdistance_1\n" +
		"one\tone.fq\t2\t2\t0\ntwo\ttwo.fq\t1\t0\t1\nambiguous\tambiguous.fq\t1\t.\t.\nunassigned\tunassigned.fq\t1\t.\t.\n"
	for _, options := range []string{"", "--gzip", "-t 1", "-t 3"} {
		got := run("mkdir d; scanmap demultiplex -o d -k 1 --within 12 -f bars " + options + " r.fq 2>&1 && cat d/barcodes.tsv; ls d")
		ending := ".fq"
		if options == "--gzip" {
			ending = ".fq.gz"
		}
		files := "ambiguous.fq\nbarcodes.tsv\none.fq\ntwo.fq\nunassigned.fq\n"
		if !strings.HasPrefix(got, "scanmap: 2 barcodes, 5 records, 3 with a barcode, 1 ambiguous, 1 unassigned; ") ||
			!strings.HasSuffix(got, strings.ReplaceAll(table+files, ".fq", ending)) {
			t.Errorf("%s: split\n%s", options, got)
		}
		for name, want := range map[string]string{"one": recordA + recordC, "two": recordB, "ambiguous": recordE, "unassigned": recordD} {
			if got := run("gzip -dcf d/" + name + ending); got != want {
				t.Errorf("%s: %s has\n%s", options, name, got)
			}
		}
		run("rm -r d")
	}
	pageOfBarcodes(t, run("scanmap demultiplex --quiet -o d -k 1 --within 12 -f bars --report-html - r.fq"), run("cat d/barcodes.tsv; rm -r d"))
	page := run("scanmap filter --quiet -k 1 --invert -o /dev/null --report-html p.html -f bars r.fq && cat p.html && rm p.html")
	for _, want := range []string{"Reads by patterns: r.fq", "those without a pattern", ">80.00\u00a0%<", "<bdi>3</bdi>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of filter lacks %s", want)
		}
	}
	got := run("scanmap demultiplex -o d -k 1 --within 12 --trim -f bars r.fq 2>/dev/null && cat d/one.fq d/two.fq d/ambiguous.fq && rm -r d")
	if want := cutA + cutC + cutB + recordE; got != want {
		t.Errorf("trimmed\n%s, want\n%s", got, want)
	}
	// Mates in two files, each compressed by its name.
	mateA := strings.ReplaceAll(recordA, "@a", "@d")
	for _, output := range []string{"-o 1.fq", "-o 1.fq.gz", "> 1.fq"} {
		for _, mates := range []string{"2.fq", "2.fq.gz"} {
			got := run("scanmap filter --quiet --output-mates " + mates + " " + output + " -f bars d1.fq d2.fq && " +
				"gzip -dcf 1.* && echo == && gzip -dcf 2.* && ls 1.* 2.* && rm 1.* 2.*")
			if want := recordD + "==\n" + mateA + last(output) + "\n" + mates + "\n"; got != want {
				t.Errorf("%s and %s: wrote\n%s, want\n%s", output, mates, got, want)
			}
		}
	}
	for ending, options := range map[string]string{"": "--mates-apart", ".gz": "--mates-apart --gzip"} {
		got := run("scanmap demultiplex --quiet -o d " + options + " -f bars d1.fq d2.fq && ls d && gzip -dcf d/one_R1* && gzip -dcf d/one_R2* && " +
			"cat d/barcodes.tsv && rm -r d")
		want := strings.ReplaceAll("barcodes.tsv\none_R1.fq\none_R2.fq\nunassigned_R1.fq\nunassigned_R2.fq\n"+recordD+mateA+
			"barcode\tfile\trecords\tdistance_0\tmates_file\none\tone_R1.fq\t1\t1\tone_R2.fq\ntwo\t.\t0\t0\t.\n"+
			"ambiguous\t.\t0\t.\t.\nunassigned\tunassigned_R1.fq\t2\t.\tunassigned_R2.fq\n", ".fq", ".fq"+ending)
		if got != want {
			t.Errorf("%s: wrote\n%s, want\n%s", options, got, want)
		}
	}
	// Margins that a record has and has not, and reads of FASTA.
	for margin, want := range map[string]string{"4": "one\tone.fa\t1\t1\n", "12": "ambiguous\tambiguous.fa\t1\t.\n"} {
		got := run("scanmap demultiplex --quiet -o d --margin " + margin + " -f bars r.fa && cat d/barcodes.tsv && cat d/*.fa && rm -r d")
		if !strings.Contains(got, want) || !strings.HasSuffix(got, ">a z\nACGTTGCATTAGGG\n>b\nCC\n") {
			t.Errorf("margin %s\n%s", margin, got)
		}
	}
	if got := names(t, folder); strings.Contains(got, "tmp") {
		t.Errorf("the folder holds %s", got)
	}
}

// TestFilterCompresses has each of two outputs compressed by its own name, and escapes names of
// patterns in their counts.
func TestFilterCompresses(t *testing.T) {
	folder := recordsFolder(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	patterns := copiesFile(t, folder, "named.fa", ">a\\b\nACGTTGCATTAG\n>c\nGGATTTCCAGAC\n")
	for _, output := range []string{"1.fq", "1.fq.gz"} {
		for _, mates := range []string{"2.fq", "2.fq.GZ"} {
			quietly(t, "filter", "-o", in(output), "--output-mates", in(mates), "--pattern-counts", in("n.tsv"), "-f", patterns, in("d1.fq"), in("d2.fq"))
			for _, name := range []string{output, mates} {
				if got := strings.HasPrefix(readFile(t, in(name)), "\x1f\x8b"); got != isGzip(name) {
					t.Errorf("%s beside %s: compressed %v", name, output+" "+mates, got)
				}
			}
			if got := readFile(t, in("n.tsv")); got != "pattern\treads\na\\x5cb\t1\nc\t0\n" {
				t.Errorf("counts %q", got)
			}
		}
	}
}

// TestRecordSummaries has exact lines for reads, for pairs, and for mates that alternate.
func TestRecordSummaries(t *testing.T) {
	folder := recordsFolder(t)
	for args, want := range map[string]string{
		"filter -o /dev/null -f bars r.fq":                "2 patterns, 5 records, 3 matched; ",
		"filter -o /dev/null -f bars d1.fq d2.fq":         "2 patterns, 3 pairs, 1 matched; ",
		"filter -o /dev/null --interleaved -f bars mates": "2 patterns, 1 pair, 1 matched; ",
		"demultiplex -o d --interleaved -f bars mates":    "2 barcodes, 1 pair, 1 with a barcode, 0 ambiguous, 0 unassigned; ",
	} {
		command := exec.Command("sh", "-c", `"$0" `+args, binary)
		command.Dir = folder
		if text, err := command.CombinedOutput(); err != nil || !strings.HasPrefix(string(text), "scanmap: "+want) {
			t.Errorf("%s: %v, %s", args, err, text)
		}
	}
}

// TestHintAnywhereExactly has ten records, the fewest with a hint, of 34 letters each: two strands
// of a barcode of 3 letters have 32 places, each with a chance of a 64th, so that 1 - 1/e have it.
// One mate of a pair is searched as reads without mates are, and both count as a read of 68
// letters.
func TestHintAnywhereExactly(t *testing.T) {
	t.Chdir(t.TempDir())
	const read = ">r\nACACACACACACACACACACACACACACACACAC\n"
	copiesFile(t, ".", "10.fa", strings.Repeat(read, 10))
	copiesFile(t, ".", "9.fa", strings.Repeat(read, 9))
	copiesFile(t, ".", "mates.fa", strings.Repeat(read, 10))
	copiesFile(t, ".", "9mates.fa", strings.Repeat(read, 9))
	copiesFile(t, ".", "bars", "x GGT\n")
	const hint = "\nscanmap: hint: barcodes may lie anywhere in a read, and 63 % of records of random letters have one by chance; " +
		"0 of 10 records are ambiguous. Where reads begin with their barcode, give --within 0 --end 5\n"
	for i, c := range []struct{ args, want string }{
		{"10.fa", hint}, {"9.fa", ""}, {"--mate 2 10.fa mates.fa", hint}, {"10.fa mates.fa", strings.Replace(hint, "63 %", "87 %", 1)}, {"9.fa 9mates.fa", ""},
	} {
		code, _, stderr := call(append([]string{"demultiplex", "-o", fmt.Sprint("d", i), "-k", "0", "-f", "bars"}, strings.Fields(c.args)...)...)
		if _, got, _ := strings.Cut(stderr, " s\n"); code != 0 || got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// TestHintOfAmbiguous has ten records with two long barcodes each, which none has by chance.
func TestHintOfAmbiguous(t *testing.T) {
	t.Chdir(t.TempDir())
	copiesFile(t, ".", "r.fa", strings.Repeat(">r\nACGTTGCATTAGCCATAAGGATTTCCAGACTTGA\n", 10))
	copiesFile(t, ".", "bars", "x ACGTTGCATTAGCCAT\ny GGATTTCCAGACTTGA\n")
	_, _, stderr := call("demultiplex", "-o", "d", "-k", "0", "-f", "bars", "r.fa")
	if want := " by chance; 10 of 10 records are ambiguous. Where reads begin with their barcode, give --within 0 --end 5\n"; !strings.HasSuffix(stderr, want) {
		t.Errorf("%s, want %s", stderr, want)
	}
}

// pageOfBarcodes compares the table of a page with the one of the folder.
func pageOfBarcodes(t *testing.T, page, table string) {
	t.Helper()
	for _, row := range rowsOf(table, "")[1:] {
		cells := strings.Split(row, "\t")
		_, shown, found := strings.Cut(page, `<th scope="row" class="indent-0"><bdi>`+cells[0]+"</bdi></th>")
		shown, _, _ = strings.Cut(shown, "</tr>")
		var numbers []string
		for _, cell := range strings.Split(shown, "<bdi>")[1:] {
			number, _, _ := strings.Cut(cell, "</bdi>")
			numbers = append(numbers, number)
		}
		// Letters and share are on the page alone, the file in the table.
		want := append([]string{cells[2]}, cells[3:]...)
		if !found || len(numbers) != len(want)+2 {
			t.Fatalf("%s: the page has %v, want %v", cells[0], numbers, want)
		}
		for i, number := range append(numbers[1:2:2], numbers[3:]...) {
			if number != strings.TrimSuffix(want[i], ".") {
				t.Errorf("%s: the page has %v, want %v", cells[0], numbers, want)
			}
		}
	}
}

// TestRecordErrors makes calls that fail: one line, and nothing is left.
func TestRecordErrors(t *testing.T) {
	folder := recordsFolder(t)
	if err := os.MkdirAll(filepath.Join(folder, "full", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := names(t, folder)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"filter ACGT", 2, "scanmap filter takes PATTERN (or --patterns), READS.fq and, of pairs, MATES.fq, " +
			"but the number of arguments is 1; see scanmap filter --help"},
		{"filter -f bars r.fq r.fa x", 2, "scanmap filter takes READS.fq and, of pairs, MATES.fq, besides --patterns, " +
			"but the number of arguments is 3; see scanmap filter --help"},
		{"demultiplex -o d -f bars", 2, "scanmap demultiplex takes READS.fq and, of pairs, MATES.fq, besides --barcodes, " +
			"but the number of arguments is 0; see scanmap demultiplex --help"},
		{"demultiplex -o d r.fq", 2, "scanmap demultiplex needs --barcodes FILE; see scanmap demultiplex --help"},
		{"demultiplex -f bars r.fq", 2, "scanmap demultiplex needs --output DIR; see scanmap demultiplex --help"},
		{"demultiplex -f= -o d r.fq", 2, "option --barcodes: the name is empty"},
		{"filter bad.fq r.fq", 2, `pattern "bad.fq": letter 4 is ".", which is not an IUPAC letter of DNA; a file of patterns is given with -f`},
		{"filter -f r.fq bars", 1, "r.fq: is FASTQ; patterns are FASTA, or lines of a pattern or of a name and a pattern"},
		{"filter -f bars r.fq -o x.fq.zst", 2, "option --output: x.fq.zst: scanmap filter writes plain FASTQ and FASTA, or .gz"},
		{"filter -f bars r.fq -o x.bam", 2, "option --output: x.bam: scanmap filter writes plain FASTQ and FASTA, or .gz"},
		{"filter -f bars d1.fq d2.fq --output-mates x.fq.bz2", 2,
			"option --output-mates: x.fq.bz2: scanmap filter writes plain FASTQ and FASTA, or .gz"},
		{"filter -f bars r.fq -o x --pattern-counts n.tsv.gz", 2, "option --pattern-counts: n.tsv.gz: scanmap writes plain TSV"},
		{"demultiplex -o - -f bars r.fq", 2, "option --output: - is standard output, and barcodes need a folder"},
		{"filter --end 5 ACGT r.fq", 2, "option --end needs --within"},
		{"filter --within 3 --end 4 ACGT r.fq", 2, `option --end: "4" is not both, 5 or 3`},
		{"filter --within x ACGT r.fq", 2, `option --within: "x" is not a whole number from 0 to 1048576`},
		{"filter --within 3 --pam NGG ACGT r.fq", 2, "options --within and --pam contradict each other: near an end all letters may have any edits"},
		{"filter --within 3 --end 3 --forward-only ACGT r.fq", 2,
			"options --forward-only and --end contradict each other: only --end 5 is forward"},
		{"filter --mate 1 ACGT r.fq", 2, "option --mate is for pairs: give MATES.fq or --interleaved"},
		{"filter --mate x ACGT r.fq r.fa", 2, `option --mate: "x" is not either, 1 or 2`},
		{"filter --interleaved ACGT r.fq r.fa", 2, "option --interleaved says that mates alternate in one file, but two are given"},
		{"demultiplex -o d --margin 0 -f bars r.fq", 2, `option --margin: "0" is not a whole number from 1 to 63`},
		{"filter -o r.fq ACGT r.fq", 2, "r.fq is an input and would be overwritten"},
		{"filter -o x --pattern-counts x ACGT r.fq", 2, "options --output and --pattern-counts name the same file"},
		{"filter -o x --output-mates x ACGT d1.fq d2.fq", 2, "options --output and --output-mates name the same file"},
		{"filter -o x --output-mates ./x ACGT d1.fq d2.fq", 2, "options --output and --output-mates name the same file"},
		{"filter --output-mates - ACGT d1.fq d2.fq", 2, "option --output-mates: standard output is taken by --output"},
		{"filter -o x --output-mates y --pattern-counts y ACGT d1.fq d2.fq", 2, "options --output-mates and --pattern-counts name the same file"},
		{"filter --output-mates x ACGT r.fq", 2, "option --output-mates is for pairs: give MATES.fq or --interleaved"},
		{"filter -o x --output-mates d1.fq ACGT d1.fq d2.fq", 2, "d1.fq is an input and would be overwritten"},
		{"filter -o x --output-mates bars --interleaved -f bars mates", 2, "bars is an input and would be overwritten"},
		{"filter --output-mates= ACGT d1.fq d2.fq", 2, "option --output-mates: the name is empty"},
		{"demultiplex -o d --mates-apart -f bars r.fq", 2, "option --mates-apart is for pairs: give MATES.fq or --interleaved"},
		{"filter --trim ACGT r.fq", 2, "option --trim needs --within"},
		{"filter --trim --within 3 --invert ACGT r.fq", 2,
			"options --invert and --trim contradict each other: reads without a pattern have nothing to cut"},
		{"demultiplex -o d --pam AGG,TGG -f bars r.fq", 2,
			"option --pam: barcodes stand beside one PAM; IUPAC letters, as in NRG, stand for several"},
		{"filter -o x --output-mates none/y ACGT d1.fq d2.fq", 1, "none/y: no such file or directory"},
		{"filter -o x --output-mates y -f bars d1.fq bad.fq", 1, "bad.fq: "},
		{"filter --seed-exact 1-13 -f bars r.fq", 1,
			`bars: line 1: pattern "one": it has 12 letters, but those up to 13 have to match`},
		{"filter --seed-exact 1-11 -k 2 -f bars r.fq", 1,
			`bars: line 1: pattern "one": only 1 of its letters need not match, too few for 2 edits`},
		{"filter -f - r.fq -", 2, "patterns and mates cannot both come from standard input"},
		{"filter -f bars - -", 2, "reads and mates cannot both come from standard input"},
		{"demultiplex -o full/d --report-html full -f bars r.fq", 1, "full: is a directory"},
		{"filter ACGT ''", 2, "the name of an input file is empty"},
		{"filter ACGT r.fq ''", 2, "the name of an input file is empty"},
		{"filter -f - -", 2, "patterns and reads cannot both come from standard input"},
		{"demultiplex -o full -f bars r.fq", 1, "full: is not empty; files of an earlier run would stay among the new ones"},
		{"demultiplex -o r.fq -f bars r.fq", 1, "r.fq: is not a folder"},
		{"demultiplex -o d --report-html d/x/page -f bars r.fq", 2,
			"option --report-html: d/x/page lies in the folder of --output, which appears when it is complete; name a file outside"},
		{"demultiplex -o ./d/ --html d -f bars r.fq", 2, "option --html: d lies in the folder of --output"},
		{"demultiplex -o d --report-html bars -f bars r.fq", 2, "bars is an input and would be overwritten"},
		{"demultiplex -o d --report-html page -f bars bad.fq", 1, `bad.fq: record 6 "x": 2 bases but 1 qualities`},
		{"demultiplex -o full --report-html page -f bars r.fq", 1, "full: is not empty"},
		{"demultiplex -o d --report-html no/page -f bars r.fq", 1, "no/page: no such file or directory"},
		{"filter -o x --report-html x -f bars r.fq", 2, "options --output and --report-html name the same file"},
		{"filter --report-html - -f bars r.fq", 2, "option --report-html: standard output is taken by --output"},
		{"demultiplex -o a/b -f bars r.fq", 1, "a/b: no such file or directory"},
		{"demultiplex -o d -f same r.fq", 1, `same: line 2: pattern "one": a barcode before it has the same name`},
		{"demultiplex -o d -k 12 -f bars r.fq", 1, `bars: line 1: pattern "one": it has 12 letters and would match everywhere with 12 edits`},
		{"demultiplex -o d -k 60 --margin 5 -f bars r.fq", 2, "option --margin: 5 with a distance of 60 is more than 64 together"},
		{"demultiplex -o d -k 6 --margin 7 -f bars r.fq", 1, `bars: line 1: pattern "one": it has 12 letters, too few for a distance of 6 with a margin of 7`},
		{"demultiplex -o d -f bars bad.fq", 1, `bad.fq: record 6 "x": 2 bases but 1 qualities`},
		{"filter -o x.fq --pattern-counts n -f bars bad.fq", 1, `bad.fq: record 6 "x": 2 bases but 1 qualities`},
		{"filter -o x.fq.gz --max-read-length 20 -f bars r.fq", 1, "r.fq: record 1"},
		{"demultiplex -o d -f bars missing", 1, "missing: no such file or directory"},
		{"filter ACGT r.fq d1.fq", 1, "d1.fq: record 1"},
	} {
		var stdout, stderr bytes.Buffer
		command := exec.Command("sh", "-c", `exec "$0" `+c.args, binary)
		command.Dir, command.Stdout, command.Stderr = folder, &stdout, &stderr
		code := programs.ExitCode(t, command.Run())
		if text := stderr.String(); code != c.code || !strings.HasPrefix(text, "scanmap: "+c.want) || strings.Count(text, "\n") != 1 || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, standard error %q, want %q", c.args, code, text, c.want)
		}
		if got := names(t, folder); got != before {
			t.Fatalf("%s: the folder holds %s", c.args, got)
		}
	}
}

// TestRecordFaults has each operation on a file of results fail in turn: exit code 1, one line, and
// no file is left.
func TestRecordFaults(t *testing.T) {
	source := recordsFolder(t)
	in := func(name string) string { return filepath.Join(source, name) }
	for _, c := range []struct {
		args string
		code syscall.Errno
	}{
		{"filter -o F/x.fq", syscall.ENOSPC},
		{"filter -o F/x.fq.gz --pattern-counts F/n.tsv", syscall.ENOSPC},
		{"filter -o F/x.fq --output-mates F/y.fq.gz --interleaved", syscall.ENOSPC},
		{"demultiplex -o F/d --mates-apart --interleaved", syscall.ENOSPC},
		{"demultiplex -o F/d", syscall.ENOSPC},
		{"demultiplex -o F/d --report-html F/p.html", syscall.ENOSPC},
		{"demultiplex -o F/d", syscall.EPIPE},
		{"demultiplex -o F/d --gzip", syscall.ENOSPC},
	} {
		args := c.args
		done := false
		for fails := 1; !done; fails++ {
			folder := t.TempDir()
			files := &faultyFiles{fails: fails, code: c.code}
			reads := "r.fq"
			if strings.Contains(args, "--interleaved") {
				reads = "mates"
			}
			code, stdout, stderr := callOn(files, strings.Fields(strings.ReplaceAll(args, "F", folder)+" --quiet -t 1 -k 1 -f "+in("bars")+" "+
				in(reads))...)
			if done = files.failed == ""; done {
				if code != 0 || stderr != "" || fails < 5 {
					t.Errorf("%s, no fault of %d: exit code %d, %s", args, fails, code, stderr)
				}
				break
			}
			if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, folder) ||
				!strings.Contains(stderr, c.code.Error()) {
				t.Errorf("%s, %s fails: exit code %d, %q", args, files.failed, code, stderr)
			}
			if got := names(t, folder); got != "" {
				t.Errorf("%s, %s fails: the folder holds %s", args, files.failed, got)
			}
		}
	}
}

// TestRecordSignal stops runs that wait for more reads.
func TestRecordSignal(t *testing.T) {
	for _, args := range []string{"filter -o x.fq", "filter -o x.fq --output-mates y.fq --interleaved", "demultiplex -o d"} {
		folder := recordsFolder(t)
		if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := names(t, folder)
		command := exec.Command("sh", "-c", `exec "$0" `+args+` -f bars fifo`, binary)
		command.Dir = folder
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		fifo, err := os.OpenFile(filepath.Join(folder, "fifo"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fifo.WriteString(recordA); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); names(t, folder) == before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the run did not begin")
			}
		}
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := programs.ExitCode(t, command.Wait()); code != 143 {
			t.Errorf("%s: exit code %d", args, code)
		}
		if err := fifo.Close(); err != nil {
			t.Fatal(err)
		}
		if got := names(t, folder); got != before {
			t.Errorf("%s: the folder holds %s", args, got)
		}
	}
}

// TestDemultiplexAnywhere hints to --within where random reads have barcodes, and nowhere else.
func TestDemultiplexAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	letters := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "ACGT"[r.IntN(4)]
		}
		return string(text)
	}
	var reads, bars, long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&reads, ">r%d\n%s\n", i, letters(150))
	}
	for i := range 12 {
		fmt.Fprintf(&bars, "b%d %s\n", i, letters(8))
		fmt.Fprintf(&long, "b%d %s\n", i, letters(24))
	}
	for name, text := range map[string]string{"r.fa": reads.String(), "bars": bars.String(), "long": long.String()} {
		copiesFile(t, ".", name, text)
	}
	for i, c := range []struct {
		options string
		hint    bool
	}{
		{"--max-mismatches 1 -f bars", true}, {"-k 1 -f bars", true}, {"-k 1 --within 0 --end 5 -f bars", false}, {"-k 3 -f long", false},
		{"-k 1 --quiet -f bars", false},
	} {
		code, _, stderr := call(append(strings.Fields("demultiplex -o "+fmt.Sprint("d", i)+" "+c.options), "r.fa")...)
		if code != 0 || strings.Contains(stderr, "\nscanmap: hint: barcodes may lie anywhere in a read, and ") != c.hint ||
			strings.Contains(stderr, "give --within 0 --end 5\n") != c.hint {
			t.Errorf("%s: exit code %d, %s", c.options, code, stderr)
		}
	}
}
