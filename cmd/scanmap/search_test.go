package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"scanmap/fasta"
	"scanmap/gpu"
	"scanmap/internal/programs"
	"scanmap/internal/truth"
	"scanmap/search"
)

const (
	phixFile     = "../../testdata/phix.fa"
	patternsFile = "testdata/patterns.fa"
)

func searchCall(args ...string) (code int, stdout, stderr string) {
	return call(append([]string{"search"}, args...)...)
}

// searchQuietly is searchCall for runs that succeed and say nothing.
func searchQuietly(t *testing.T, args ...string) string {
	t.Helper()
	return quietly(t, append([]string{"search"}, args...)...)
}

func TestSearchGolden(t *testing.T) {
	for _, c := range []struct{ name, options string }{
		{"search-k0.tsv", ""},
		{"search-k0.bed", "--forward-only"},
		{"search-k2.tsv", "-k 2"},
		{"search-k2.bed", "-e 2"},
		{"search-k2.sam", "-k 2"},
		{"search-mismatches.tsv", "--max-mismatches 4"},
		{"search-mismatches.sam", "--max-mismatches 5"},
		{"search-pam.tsv", "--max-mismatches 5 --pam NGG"},
		{"search-pam-k4.tsv", "-k 4 --pam NGG"},
		{"search-pam.sam", "-k 4 --pam NGG"},
		{"search-limits.tsv", "-k 4 --mismatches 3 --dna-bulges 1 --rna-bulges 2"},
		{"search-limits.bed", "--mismatches 2 --dna-bulges 1"},
		{"search-pams.tsv", "-k 4 --pam NGG,NAG --seed-exact 9-18"},
		{"search-pams.bed", "-k 4 --pam NGG,NAG --rna-bulges 1"},
		{"search-pam-first.tsv", "-k 5 --pam TTTV --pam-side 5"},
		{"search-pam-first.sam", "-k 5 --pam TTTV,NTTN --pam-side 5 --seed-exact 1-6"},
		{"search-pam-edits.tsv", "-k 4 --pam NGG --pam-edits --mismatches 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(strings.Fields(c.options), "-f", patternsFile, phixFile, "--no-pg", "--format", filepath.Ext(c.name)[1:])
			golden(t, c.name, []string{"-t 1", "-t 3", "--device cpu"},
				func(more ...string) string { return searchQuietly(t, slices.Concat(args, more)...) })
		})
	}
}

// TestSearchMethods has every scheme that takes the patterns write the same.
func TestSearchMethods(t *testing.T) {
	for _, distance := range []string{"-k 0", "-k 1", "--max-mismatches 1"} {
		args := append(strings.Fields(distance), "GTGCCGGGATGAAGATTTGA", phixFile)
		want := searchQuietly(t, args...)
		tried := 0
		for _, m := range search.Methods() {
			for _, s := range m.Schemes {
				code, stdout, stderr := searchCall(append(args, "--method", m.Name, "--scheme", s.Name, "--device", "cpu", "--quiet")...)
				switch {
				// A scheme that refuses says why.
				case code == 1 && stdout == "" && strings.Contains(stderr, s.FullName()):
				case code != 0 || stdout != want:
					t.Errorf("%s, %s: exit code %d, standard error %q, standard output\n%s", s.FullName(), distance, code, stderr, stdout)
				default:
					tried++
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s: every scheme refuses", distance)
		}
	}
}

// locationsOfSAM returns name, contig, position, strand, distance and CIGAR of each location.
func locationsOfSAM(t *testing.T, text string) (rows []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '@' || f[2] == "*" {
			continue
		}
		strand, distance := "+", ""
		if slices.Contains([]string{"16", "272"}, f[1]) {
			strand = "-"
		}
		for _, tag := range f[11:] {
			if strings.HasPrefix(tag, "NM:i:") {
				distance = tag
			}
		}
		rows = append(rows, strings.Join([]string{f[0], f[2], f[3], strand, distance, f[5]}, " "))
	}
	slices.Sort(rows)
	return rows
}

// startDecides makes reads with two occurrences that end more than k apart and start together: a
// base is missing k bases before the end of a read, so that all k may be inserted bases as well.
// Every other read is a reverse complement.
func startDecides(t *testing.T, reference string, k int) (reads string) {
	t.Helper()
	ref, err := fasta.LoadReference(context.Background(), reference, 1)
	if err != nil {
		t.Fatal(err)
	}
	contig := &ref.Contigs[0]
	for i := range 12 {
		var read []byte
		at := contig.Start + 1000 + i*contig.Length/13
		for j := range 36 + k {
			if j != 35 {
				read = append(read, ref.Letter(at+j))
			}
		}
		letters := string(read)
		if i%2 == 1 {
			letters = truth.ReverseComplement(letters)
		}
		reads += fmt.Sprintf(">start%d\n%s\n", i, letters)
	}
	return reads
}

// TestSearchIsMapping finds for reads as patterns what scanmap map finds for them.
func TestSearchIsMapping(t *testing.T) {
	const reference, file = "../../testdata/portiera.fa.gz", "../../testdata/portiera_36bp.fastq.gz"
	in, err := fasta.OpenReads(context.Background(), file, fasta.ReadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	all, err := in.Next()
	if err != nil {
		t.Fatal(err)
	}
	var chosen bytes.Buffer
	left := 24
	for i := 0; i < len(all) && left > 0; i += 7 {
		if strings.Trim(string(all[i].Bases), "ACGT") == "" {
			fmt.Fprintf(&chosen, ">%s\n%s\n", all[i].Name, all[i].Bases)
			left--
		}
	}
	if left > 0 {
		t.Fatalf("%d reads too few", left)
	}
	reads := filepath.Join(t.TempDir(), "reads.fa")
	for _, k := range []string{"0", "2", "5"} {
		planted := startDecides(t, reference, int(k[0]-'0'))
		if err := os.WriteFile(reads, append(chosen.Bytes(), planted...), 0o600); err != nil {
			t.Fatal(err)
		}
		code, mapped, stderr := call("map", "-e", k, "--gaps", "unit", "--report", "all", "--device", "cpu", "--quiet", reference, reads)
		if code != 0 {
			t.Fatalf("exit code %d, standard error %q", code, stderr)
		}
		want := locationsOfSAM(t, mapped)
		if len(want) < 12 {
			t.Fatalf("k = %s: %d locations are too few", k, len(want))
		}
		for i := range 12 {
			name := fmt.Sprintf("start%d ", i)
			found := slices.DeleteFunc(slices.Clone(want), func(row string) bool { return !strings.HasPrefix(row, name) })
			if k != "0" && len(found) != 1 {
				t.Errorf("k = %s: one of two that start together is a location, but %q are found", k, found)
			}
		}
		got := locationsOfSAM(t, searchQuietly(t, "-k", k, "--format", "sam", "-f", reads, reference))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("k = %s (-map +search):\n%s", k, d)
		}
	}
}

// TestSearchCalmd has samtools compute NM and MD once more, IUPAC letters in SEQ included.
func TestSearchCalmd(t *testing.T) {
	samtools := programs.Find(t, "samtools")
	folder := t.TempDir()
	text, err := os.ReadFile(phixFile)
	if err != nil {
		t.Fatal(err)
	}
	// Letters of the reference that are not A, C, G or T too.
	text = bytes.Replace(text, []byte("GAGTTTTATCGCTTCC"), []byte("GAGTTTTRTCGCNTCC"), 1)
	reference := filepath.Join(folder, "ref.fa")
	if err := os.WriteFile(reference, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, options := range []string{"-k 3", "-k 4 --pam NGG", "-k 5 --pam TTTV,NTTN --pam-side 5 --dna-bulges 1", "--max-mismatches 5 --pam NRG", ""} {
		file := filepath.Join(folder, fmt.Sprintf("%d.sam", i))
		searchQuietly(t, append(strings.Fields(options), "-f", patternsFile, reference, "-o", file)...)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var complaints bytes.Buffer
		command := exec.Command(samtools, "calmd", "--no-PG", file, reference)
		command.Stderr = &complaints
		got, err := command.Output()
		if err != nil {
			t.Fatalf("calmd: %v %s", err, complaints.String())
		}
		if d := cmp.Diff(sortedTags(string(want)), sortedTags(string(got))); d != "" {
			t.Errorf("%s: calmd has other records (-scanmap +calmd):\n%s", options, d)
		}
		if out, err := exec.Command(samtools, "quickcheck", file).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("quickcheck: %v %s", err, out)
		}
	}
}

// sortedTags returns records with their tags in order: calmd puts the tags that it changes last.
func sortedTags(text string) (records []string) {
	for line := range strings.Lines(text) {
		if line[0] == '@' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		slices.Sort(f[11:])
		records = append(records, strings.Join(f, " "))
	}
	return records
}

// Every option is in the help with a text, and so does every method.
func TestHelpOfSearch(t *testing.T) {
	code, stdout, stderr := call("search", "--help")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
	for _, f := range searchCommand(process{}).Flags {
		if name := "--" + f.Names()[0]; !strings.Contains(stdout, name+" ") && !strings.Contains(stdout, name+",") {
			t.Errorf("%s is not shown", name)
		}
		if f.(cli.DocGenerationFlag).GetUsage() == "" {
			t.Errorf("--%s has no text", f.Names()[0])
		}
	}
	for _, m := range search.Methods() {
		for _, s := range m.Schemes {
			if !strings.Contains(stdout, m.Name) || !strings.Contains(stdout, s.Name) {
				t.Errorf("%s is not shown", s.FullName())
			}
		}
	}
}

func TestSearchUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"ref.fa", "p.fa"} {
		if err := os.WriteFile(name, []byte(">a\nACGT\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"", "scanmap search takes two arguments, PATTERN and REF.fa, but 0 are given; see scanmap search --help"},
		{"ACGT", "scanmap search takes two arguments, PATTERN and REF.fa, but 1 are given; see scanmap search --help"},
		{"ACGT ref.fa -f p.fa", "scanmap search takes one file, REF.fa, besides --patterns, but 2 are given; see scanmap search --help"},
		{"-f p.fa", "scanmap search takes one file, REF.fa, besides --patterns, but 0 are given; see scanmap search --help"},
		{"-f - -", "patterns and reference cannot both come from standard input"},
		{"-f= ref.fa", "option --patterns: the name is empty"},
		{"ACGX ref.fa", `pattern "ACGX": letter 4 is "X", which is not an IUPAC letter of DNA`},
		{"ACGT ref.fa -k 64", `option --max-distance: "64" is not a whole number from 0 to 63`},
		{"ACGT ref.fa -k -1", `option --max-distance: "-1" is not a whole number from 0 to 63`},
		{"ACGT ref.fa -e -1", `option --max-distance: "-1" is not a whole number from 0 to 63`},
		{"ACGT ref.fa -e 4%", `option --max-distance: "4%" is a percentage, and a search takes a number of edits from 0 to 63`},
		{"ACGT ref.fa --max-mismatches 4%",
			`option --max-mismatches: "4%" is a percentage, and a search takes a number of edits from 0 to 63`},
		{"ACGT ref.fa -e 1 -k 2", `option --max-distance is given twice, as "1" and as "2"`},
		{"ACGT ref.fa --max-mismatches x", `option --max-mismatches: "x" is not a whole number from 0 to 63`},
		{"ACGT ref.fa -k 1 --max-mismatches 1", "option --max-mismatches replaces --max-distance"},
		{"ACGT ref.fa --both-strands --forward-only", "options --both-strands and --forward-only contradict each other"},
		{"ACGT ref.fa --alphabet rna", `option --alphabet: alphabet "rna" is not one of dna, bytes (did you mean dna?)`},
		{"ACGT ref.fa --alphabet bytes --both-strands", "option --both-strands: text of bytes has one strand"},
		{"ACGT ref.fa --alphabet bytes --pam NGG", "option --pam is for DNA"},
		{"ACGT ref.fa --alphabet bytes --format sam", "SAM holds DNA: with --alphabet bytes --format is tsv or bed"},
		{"ACGT ref.fa --alphabet bytes -o x.sam", "SAM holds DNA: with --alphabet bytes --format is tsv or bed"},
		{"ACGT ref.fa --pam NG!", `option --pam: pattern "NG!": letter 3 is "!", which is not an IUPAC letter of DNA`},
		{"ACGT ref.fa --pam NGG,,NAG", `option --pam: pattern "": it has no letters`},
		{"ACGT ref.fa --pam NGG,ngg", "option --pam: ngg is there twice"},
		{"ACGT ref.fa --pam-side 5", "option --pam-side needs --pam"},
		{"ACGT ref.fa --pam-edits", "option --pam-edits needs --pam"},
		{"ACGT ref.fa --pam NGG --pam-side left", `option --pam-side: "left" is not 5 or 3`},
		{"ACGT ref.fa --seed-exact 0-2", `option --seed-exact: "0-2" is not the first and the last letter that has to match, such as 1-12, from 1 to 2048`},
		{"ACGT ref.fa --seed-exact 3-2", `option --seed-exact: "3-2" is not the first and the last letter that has to match, such as 1-12, from 1 to 2048`},
		{"ACGT ref.fa --seed-exact 1-2,x", `option --seed-exact: "x" is not the first and the last letter that has to match, such as 1-12, from 1 to 2048`},
		{"ACGT ref.fa --alphabet bytes --seed-exact 1-2", "option --seed-exact is for DNA"},
		{"ACGT ref.fa --alphabet bytes --mismatches 1", "option --mismatches is for DNA"},
		{"ACGT ref.fa --max-mismatches 2 --dna-bulges 1", "option --dna-bulges: with --max-mismatches there are no other edits"},
		{"ACGT ref.fa --rna-bulges 64", `option --rna-bulges: "64" is not a whole number from 0 to 63`},
		{"ACGT ref.fa --mismatches 40 --dna-bulges 40", "options --mismatches, --dna-bulges and --rna-bulges: their sum of 80 is more than 63 edits; --max-distance gives less in all"},
		{"ACGT ref.fa --scheme plain", "option --scheme needs --method"},
		{"ACGT ref.fa --method brute-force --scheme x",
			`option --method or --scheme: scheme "x" of method brute-force is not one of auto, plain`},
		{"ACGT ref.fa --format gff", `option --format: format "gff" is not one of tsv, bed, sam`},
		{"ACGT ref.fa -o x.bam",
			"option --output: x.bam: scanmap search writes plain TSV, BED and SAM; name the file .tsv, .bed or .sam, or pipe standard output to samtools or gzip"},
		{"ACGT ref.fa -o x.tsv.gz",
			"option --output: x.tsv.gz: scanmap search writes plain TSV, BED and SAM; name the file .tsv, .bed or .sam, or pipe standard output to samtools or gzip"},
		{"ACGT ref.fa -o=", "option --output: the name is empty"},
		{"ACGT ref.fa -o ref.fa", "ref.fa is an input and would be overwritten"},
		{"-f p.fa ref.fa -o ./p.fa", "./p.fa is an input and would be overwritten"},
		{"ACGT ref.fa --device gpu", `option --device: device "gpu" is not one of auto, cpu, cuda, cuda:N, cuda:N,M (did you mean cuda?)`},
		{"ACGT ref.fa -t 0", `option --threads: "0" is not a whole number from 1 to 4096`},
		{"ACGT ref.fa --patern x", "unknown option --patern (did you mean --patterns?); see scanmap search --help"},
	} {
		code, stdout, stderr := searchCall(strings.Fields(c.args)...)
		if want := "scanmap: " + c.want + "\n"; code != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
	if code, _, stderr := searchCall("ACGT", "ref.fa", "--method", "x"); code != 2 ||
		!strings.HasPrefix(stderr, `scanmap: option --method or --scheme: method "x" is not one of auto, `) {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
	if got := names(t, "."); got != "p.fa ref.fa" {
		t.Errorf("the folder holds %s", got)
	}
}

// A search that fails says why in one line and leaves no file.
func TestSearchFailures(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"letter.fa": ">a\nACGT\n>b\nACXT\n", "empty.txt": "\n", "three.txt": "a b ACGT\n",
		"long.txt": strings.Repeat("A", search.MaxLength+1),
		"tab.txt":  "a\xff ACGT\n", "ref.fa": ">c\nACGTACGT\n",
	} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, folder)
	for _, c := range []struct{ args, want string }{
		{"-f " + in("letter.fa") + " " + in("ref.fa"), in("letter.fa") +
			`: record 2 "b": letter 3 is "X", which is not an IUPAC letter of DNA`},
		{"-f " + in("empty.txt") + " " + in("ref.fa"), in("empty.txt") + ": holds no patterns"},
		{"-f " + in("three.txt") + " " + in("ref.fa"), in("three.txt") +
			": line 1: it has 3 words, but a line is a pattern, or a name and a pattern"},
		{"-f " + in("none") + " " + in("ref.fa"), in("none") + ": no such file or directory"},
		{"-f " + in("tab.txt") + " --format sam " + in("ref.fa"),
			`pattern 1 "a\xff": the byte "\xff" at position 2 of the name is not allowed in SAM`},
		{"ACGT " + in("none"), in("none") + ": no such file or directory"},
		{"ACGT " + folder, folder + ": is a directory"},
		{"ACGT --alphabet bytes " + folder, folder + ": is a directory"},
		{"ACGT " + in("empty.txt"), in("empty.txt") + ": no contigs; expected FASTA with at least one record"},
		{"GATTACAGATTACAGATTACA -k 15 " + in("ref.fa"),
			`pattern "GATTACAGATTACAGATTACA": with 15 edits its 21 letters lie at 100 % of all positions by chance: allow fewer`},
		{"GATTACAGATTACAGATTACA --max-mismatches 16 " + in("ref.fa"),
			`pattern "GATTACAGATTACAGATTACA": with 16 substitutions its 21 letters lie at 63 % of all positions by chance: allow fewer`},
		{"ACGT -k 4 " + in("ref.fa"), `pattern "ACGT": it has 4 letters and would match everywhere with 4 edits`},
		{"ACGT --max-mismatches 4 " + in("ref.fa"), `pattern "ACGT": it has 4 letters and would match everywhere with 4 substitutions`},
		{"ACGT -k 1 --method brute-force " + in("ref.fa"), `pattern "ACGT": brute-force/plain is exact, and does not allow edits`},
	} {
		args := append(strings.Fields(c.args), "-o", in("out.tsv"))
		if strings.Contains(c.args, "sam") {
			args[len(args)-1] = in("out.sam")
		}
		code, stdout, stderr := searchCall(args...)
		if want := "scanmap: " + c.want + "\n"; code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
		if got := names(t, folder); got != before {
			t.Fatalf("%s: the folder holds %s", c.args, got)
		}
	}
	for _, c := range []struct{ output, want string }{
		{folder, "is a directory"}, {in("no/out.tsv"), "no such file or directory"}, {"/dev/full", "no space left on device"},
	} {
		code, stdout, stderr := searchCall("ACGT", in("ref.fa"), "-o", c.output)
		if want := fmt.Sprintf("scanmap: %s: %s\n", c.output, c.want); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", c.output, code, stdout, stderr)
		}
	}
	var stderr bytes.Buffer
	if code := run([]string{"scanmap", "search", "ACGT", in("ref.fa"), "--quiet"}, failingWriter{syscall.EPIPE},
		&stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("a closed pipe: exit code %d, standard error %q", code, stderr.String())
	}
}

func TestSearchToFile(t *testing.T) {
	folder := t.TempDir()
	for name, format := range map[string]string{"out.tsv": "tsv", "out.BED": "bed", "out.sam": "sam", "out": "tsv", "out.txt": "tsv"} {
		file := filepath.Join(folder, name)
		if got := searchQuietly(t, "GTGCC", phixFile, "--no-pg", "-o", file); got != "" {
			t.Errorf("standard output %q", got)
		}
		want := searchQuietly(t, "GTGCC", phixFile, "--no-pg", "--format", format)
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%s", name, err, got)
		}
	}
	if got := names(t, folder); got != "out out.BED out.sam out.tsv out.txt" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestSearchBytes(t *testing.T) {
	folder := t.TempDir()
	text, patterns := filepath.Join(folder, "a\tb"), filepath.Join(folder, "patterns")
	for name, content := range map[string]string{text: "one\ttwo \\three\r\nfour", patterns: "e\tt\r\n \\t\nfour\nfive\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := "pattern\tcontig\tstart\tend\tstrand\tdistance\tcigar\ttext\n" +
		`e\x09t a\x09b 2 5 + 0 3M e\x09t` + "\n" + `_\x5ct a\x09b 7 10 + 0 3M _\x5ct` + "\n" + `four a\x09b 16 20 + 0 4M four` + "\n"
	want = strings.NewReplacer(" ", "\t", "_", " ").Replace(want)
	if got := searchQuietly(t, "--alphabet", "bytes", "-f", patterns, text); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// An empty file holds nothing.
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := searchQuietly(t, "--alphabet", "bytes", "--format", "bed", "x", empty); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestSearchSummary(t *testing.T) {
	code, _, stderr := searchCall("-f", patternsFile, phixFile, "--device", "cpu", "--method", "brute-force")
	if want := "scanmap: 8 patterns, 5 found, 5 locations; brute-force/plain on cpu, "; code != 0 ||
		!strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}

func TestSearchStandardInput(t *testing.T) {
	want := searchQuietly(t, "-f", patternsFile, phixFile)
	wantBytes := strings.ReplaceAll(searchQuietly(t, "--alphabet", "bytes", "GATTC", phixFile), "phix.fa", "stdin")
	for _, c := range []struct{ args, stdin, want string }{
		{"-f - " + phixFile, patternsFile, want},
		{"-f " + patternsFile + " -", phixFile, want},
		{"GATTC - --alphabet bytes", phixFile, wantBytes},
	} {
		text, err := os.ReadFile(c.stdin)
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command(binary, append([]string{"search", "--quiet"}, strings.Fields(c.args)...)...)
		command.Stdin, command.Stderr = bytes.NewReader(text), os.Stderr
		if got, err := command.Output(); err != nil || string(got) != c.want {
			t.Errorf("%s: %v, got\n%s", c.args, err, got)
		}
	}
}

// A signal stops a search that waits for its input; no file is left.
func TestSearchSignals(t *testing.T) {
	stop, code, said := syscall.SIGINT, 130, "interrupt"
	if signal.Ignored(stop) { // as by the shell of a job in the background: scanmap does, too
		stop, code, said = syscall.SIGTERM, 143, "terminated"
	}
	for _, args := range []string{"-f - " + phixFile, "ACGT -", "ACGT - --alphabet bytes"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var stderr bytes.Buffer
			command := exec.Command(binary, append([]string{"search", "-o", filepath.Join(folder, "out.tsv")}, strings.Fields(args)...)...)
			command.Stderr = &stderr
			stdin, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = stdin.Close() }()
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(stdin, ">a\nACGT\n"); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(20 * time.Second); names(t, folder) == ""; {
				if time.Now().After(deadline) {
					_ = command.Process.Kill()
					t.Fatal("the run did not begin")
				}
				time.Sleep(5 * time.Millisecond)
			}
			if err := command.Process.Signal(stop); err != nil {
				t.Fatal(err)
			}
			hung := time.AfterFunc(20*time.Second, func() { _ = command.Process.Kill() })
			defer hung.Stop()
			got := programs.ExitCode(t, command.Wait())
			if want := "scanmap: stopped by a signal: " + said + "\n"; got != code || stderr.String() != want {
				t.Errorf("exit code %d, standard error %q", got, stderr.String())
			}
			if got := names(t, folder); got != "" {
				t.Errorf("the folder holds %s", got)
			}
		})
	}
}

// TestSearchOnDevice searches on a GPU as on the CPU, and has calls of the driver fail: exit code 3
// and no file.
func TestSearchOnDevice(t *testing.T) {
	args := []string{"--max-mismatches", "2", "-f", patternsFile, phixFile}
	want := searchQuietly(t, args...)
	benchDriver(t)
	code, stdout, stderr := searchCall(append(args, "--device", "cuda:0", "--gpu-sync")...)
	if code != 0 || stdout != want || !strings.Contains(stderr, " on cuda:0, ") || strings.Count(stderr, "\n") < 2 {
		t.Errorf("exit code %d, standard error %q, standard output\n%s", code, stderr, stdout)
	}
	for _, name := range []string{"cuCtxSynchronize", "cuStreamSynchronize", "cuLaunchKernel", "cuMemAlloc_v2", "cuModuleLoadDataEx"} {
		if !slices.Contains(gpu.Functions(), name) {
			continue
		}
		benchDriver(t) // a new one counts from its start
		driver.Inject(name, 1, gpu.LaunchFailed)
		folder := t.TempDir()
		code, stdout, stderr := searchCall(append(args, "--device", "cuda", "--quiet", "-o", filepath.Join(folder, "out.tsv"))...)
		if driver.Calls()[name] == 0 {
			continue
		}
		if code != 3 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, name) {
			t.Errorf("%s: exit code %d, standard error %q", name, code, stderr)
		}
		if got := names(t, folder); got != "" {
			t.Errorf("%s: the folder holds %s", name, got)
		}
	}
	if code, _, stderr := searchCall("ACGT", phixFile, "--device", "cuda:99"); code != 3 || !strings.Contains(stderr, "cuda:99") {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}
