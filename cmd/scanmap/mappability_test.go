package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/truth"
	"scanmap/track"
)

// kmerFiles puts small genomes and regions into a folder, which becomes the working one.
func kmerFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"ref.fa": ">one of two\nACGTTTNAACGTT\n>two\nACG\n>short\nAC\n", "other.fa": ">x\nTTACGTTAA\n", "regions.bed": "one\t0\t2\none\t8\t9\n",
		"bad.bed": "one\t0\t2\nthree\t0\t1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMappability has what each option makes of a genome that can be counted by hand.
func TestMappability(t *testing.T) {
	kmerFiles(t)
	for _, c := range []struct{ options, want string }{
		// ACGT lies twice, and is its own reverse complement; AACG begins once, CGTT twice, which are
		// the reverse complement of AACG.
		{"-K 4 --value frequency", "one 0 1 4; one 1 2 3; one 2 3 1; one 7 8 3; one 8 9 4; one 9 10 3"},
		{"-K 4", "one 0 1 0.25; one 1 2 0.33333334; one 2 3 1; one 7 8 0.33333334; one 8 9 0.25; one 9 10 0.33333334"},
		{"-K 4 --forward-only --value frequency", "one 0 2 2; one 2 3 1; one 7 8 1; one 8 10 2"},
		// ATGTTTNAATGTT and AATGTTNAAATGT together have ATGT four times, TGTT and AATG three times, and
		// GTTT once. Strand - has AAAT once, in the place of GTTT.
		{"-K 4 --bisulfite forward --value frequency", "one 0 1 4; one 1 2 3; one 2 3 1; one 7 8 3; one 8 9 4; one 9 10 3"},
		{"-K 4 --bisulfite reverse --value frequency", "one 0 1 4; one 1 2 3; one 2 3 1; one 7 8 3; one 8 9 4; one 9 10 3"},
		{"-K 4 --bisulfite both --value frequency", "one 0 1 4; one 1 2 3; one 2 3 1; one 7 8 3; one 8 9 4; one 9 10 3"},
		{"-K 4 --exclude-self", "one 0 1 3; one 1 2 2; one 2 3 0; one 7 8 2; one 8 9 3; one 9 10 2"},
		{"-K 4 --regions regions.bed", "one 0 1 0.25; one 1 2 0.33333334; one 8 9 0.25"},
		{"-K 4 --against other.fa --forward-only --value frequency", "one 0 2 3; one 2 3 1; one 7 8 1; one 8 10 3"},
		{"-K 4 --against other.fa --against other.fa --genomes --forward-only --value frequency", "one 0 2 3; one 2 3 1; one 7 8 1; one 8 10 3"},
		// GTTT, an end of ACGTTT, lies once. AACGTT is its own reverse complement: two combinations,
		// of ends with three locations each.
		{"-K 4 --min-insert 6 --max-insert 6 --value frequency", "one 0 1 1; one 7 8 2"},
		{"-K 4 --min-insert 6 --max-insert 6", "one 0 1 1; one 7 8 0.5"},
		{"-K 4 --min-insert 6 --max-insert 6 --exclude-self", "one 0 1 0; one 7 8 1"},
		{"-K 4 --min-insert 6 --max-insert 6 --forward-only --value frequency", "one 0 1 1; one 7 8 1"},
		{"-K 4 --min-insert 6 --max-insert 6 --against other.fa --value frequency", "one 0 1 1; one 7 8 2"},
		{"-K 4 --min-insert 4 --max-insert 22 --value frequency --regions regions.bed", "one 0 1 3"},
		{"-K 4 --min-insert 6 --max-insert 6 --bisulfite both --value frequency", "one 0 1 1; one 7 8 2"},
		{"-K 4 --max-mismatches 1 --forward-only --value frequency", "one 0 2 2; one 2 8 1; one 8 10 2"},
	} {
		for _, engine := range []string{"reads", "shared", "auto"} {
			args := slices.Concat([]string{"mappability", "ref.fa", "--engine", engine, "--device", "cpu"}, strings.Fields(c.options))
			got := strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(quietly(t, args...)), "\t", " "), "\n", "; ")
			if got != c.want {
				t.Errorf("%s, %s\n got %s\nwant %s", c.options, engine, got, c.want)
			}
		}
	}
}

// TestMappabilityFiles compares files of one run with each other, for any number of threads.
func TestMappabilityFiles(t *testing.T) {
	reference, err := filepath.Abs("../../testdata/phix.fa")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var before string
	for _, options := range []string{"--engine reads -t 1", "--engine reads -t 3", "--engine shared -t 1", "--engine shared -t 3"} {
		code, stdout, stderr := call(slices.Concat([]string{"mappability", reference, "-K", "12", "--max-mismatches", "2", "--device", "cpu",
			"-o", "p.bedgraph", "--raw", "p.freq16", "--unique", "u.bed", "--wig", "w.wig", "--window", "500", "--value", "frequency"}, strings.Fields(options))...)
		if code != 0 || stdout != "" || !strings.HasPrefix(stderr, "scanmap: 5375 positions, 5375 K-mers, ") {
			t.Fatalf("%s: exit code %d, %q, %q", options, code, stdout, stderr)
		}
		var all []string
		for _, name := range []string{"p.bedgraph", "p.freq16", "u.bed", "w.wig"} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
		if now := strings.Join(all, "|"); before != "" && now != before {
			t.Errorf("%s: other files", options)
		} else {
			before = now
		}
		// The other files say what the raw numbers do.
		var track, unique, wig strings.Builder
		fmt.Fprintf(&wig, "fixedStep chrom=NC_001422.1 start=1 step=500 span=500\n")
		for numbers := range slices.Chunk([]byte(all[1]), 1000) {
			sum := 0
			for p := 0; p < len(numbers); p += 2 {
				sum += int(numbers[p]) | int(numbers[p+1])<<8
			}
			fmt.Fprintf(&wig, "%.6g\n", float64(sum)/float64(len(numbers)/2))
		}
		from, last := 0, uint16(0)
		for p := range len(all[1])/2 + 1 {
			now := uint16(0)
			if p < len(all[1])/2 {
				now = uint16(all[1][2*p]) | uint16(all[1][2*p+1])<<8
			}
			if now == last {
				continue
			}
			if last > 0 {
				fmt.Fprintf(&track, "NC_001422.1\t%d\t%d\t%d\n", from, p, last)
			}
			if last == 1 {
				fmt.Fprintf(&unique, "NC_001422.1\t%d\t%d\n", from, p)
			}
			from, last = p, now
		}
		if track.String() != all[0] || unique.String() != all[2] || unique.Len() == 0 || wig.String() != all[3] {
			t.Errorf("%s: the raw numbers are others", options)
		}
	}
}

// TestMappabilitySummary has means and numbers that are true of the counts. The genome has ACGTC
// twice and CCCCC once.
func TestMappabilitySummary(t *testing.T) {
	t.Chdir(t.TempDir())
	copiesFile(t, ".", "ref.fa", ">a\nACGTC\n>b\nACGTC\n>c\nCCCCC\n")
	for _, c := range []struct{ options, want string }{
		{"", "3 positions, 3 K-mers, 1 unique (33.33 %), mean frequency 1.667, largest 2, mean mappability 0.6667; "},
		{"--exclude-self", "3 positions, 3 K-mers, 1 unique (33.33 %), mean frequency without own locations 0.6667, largest 1, " +
			"mean mappability with them 0.6667; "},
		{"--genomes", "3 positions, 3 K-mers, 1 unique (33.33 %), mean number of genomes 1, largest 1, mean mappability 1.0000; "},
		{"--genomes --exclude-self", "3 positions, 3 K-mers, 1 unique (33.33 %), mean number of genomes with another location 0.6667, largest 1; "},
	} {
		for _, engine := range []string{"--max-mismatches=0", "-e=0"} {
			args := append([]string{"mappability", "-K", "5", "ref.fa", "-o", "x.bedgraph", engine}, strings.Fields(c.options)...)
			if code, _, stderr := call(args...); code != 0 || !strings.HasPrefix(stderr, "scanmap: "+c.want) {
				t.Errorf("%s: exit code %d, %q, want %q", c.options, code, stderr, c.want)
			}
		}
	}
}

// TestMappabilityTracks reads the same values back from each format, with an index beside BGZF.
func TestMappabilityTracks(t *testing.T) {
	kmerFiles(t)
	var first string
	for _, name := range []string{"x.bedgraph", "x.bg.gz", "x.bw"} {
		quietly(t, "mappability", "ref.fa", "-K", "4", "--device", "cpu", "-o", name)
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		err = track.Read(file, func(contig string, start, end int, value float32) error {
			values = append(values, fmt.Sprint(contig, start, end, value))
			return nil
		})
		file.Close()
		if got := strings.Join(values, "; "); err != nil || got == "" || first != "" && got != first {
			t.Errorf("%s: %s, %v, want %s", name, got, err, first)
		} else {
			first = got
		}
	}
	files, err := filepath.Glob("x.*")
	if err != nil || !slices.Equal(files, []string{"x.bedgraph", "x.bg.gz", "x.bg.gz.tbi", "x.bw"}) {
		t.Errorf("files %q, %v", files, err)
	}
	if code, _, stderr := call("mappability", "ref.fa", "-K", "4", "-o", "x.bg.gz", "--unique", "x.bg.gz.tbi"); code != 2 {
		t.Errorf("an index that is another output: exit code %d, %s", code, stderr)
	}
}

// TestMappabilityWithEdits compares a sample of positions with dynamic programming.
func TestMappabilityWithEdits(t *testing.T) {
	text, err := os.ReadFile("../../testdata/phix.fa")
	if err != nil {
		t.Fatal(err)
	}
	_, bases, _ := strings.Cut(string(text), "\n")
	bases = strings.ReplaceAll(bases, "\n", "")
	lines := strings.Split(quietly(t, "mappability", "-K", "14", "-e", "3", "--value", "frequency", "--device", "cpu", "../../testdata/phix.fa"), "\n")
	for i := 0; i < len(lines)-1; i += 200 {
		var name string
		var start, end, n int
		if _, err := fmt.Sscan(lines[i], &name, &start, &end, &n); err != nil {
			t.Fatal(lines[i], err)
		}
		if want := len(truth.Find([]string{bases}, bases[end-1:end+13], 3)); n != want {
			t.Errorf("position %d: %d locations, want %d", end-1, n, want)
		}
	}
}

// TestMappabilityErrors has one line for each, and no file after it.
func TestMappabilityErrors(t *testing.T) {
	kmerFiles(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"ref.fa", 2, "scanmap mappability needs the length of K-mers: -K LENGTH"},
		{"-K 4", 2, "scanmap mappability takes one file, REF.fa, but 0 are given; see scanmap mappability --help"},
		{"-K 0 ref.fa", 2, `option --length: "0" is not a whole number from 1 to 65536`},
		{"-K 4 -e 4 ref.fa", 2, "option --max-distance: 4 is not less than the length of K-mers, 4"},
		{"-K 4 -e 4% ref.fa", 2, `option --max-distance: "4%" is a percentage, and K-mers all have one length`},
		{"-K 4 -e 1 --max-mismatches 1 ref.fa", 2, "option --max-mismatches replaces --max-distance"},
		{"-K 4 -e 1 --engine shared ref.fa", 2, "option --engine: shared is for --max-mismatches"},
		{"-K 4 --engine shared --device cuda ref.fa", 2, "option --engine: shared runs on the CPU, and reads on GPUs"},
		{"-K 4 --engine share ref.fa", 2, `option --engine: "share" is not auto, reads or shared (did you mean shared?)`},
		{"-K 4 --bisulfite x ref.fa", 2, `option --bisulfite: "x" is not both, forward or reverse`},
		{"-K 4 --bisulfite both --genomes ref.fa", 2, "option --bisulfite counts locations on both strands, and excludes --forward-only and --genomes"},
		{"-K 4 --bisulfite both --forward-only ref.fa", 2, "option --bisulfite counts locations on both strands, and excludes --forward-only and --genomes"},
		{"-K 4 --min-insert 6 ref.fa", 2, "options --min-insert and --max-insert need each other"},
		{"-K 4 --max-insert 6 ref.fa", 2, "options --min-insert and --max-insert need each other"},
		{"-K 4 --min-insert 0 --max-insert 6 ref.fa", 2, `option --min-insert: "0" is not a whole number from 1 to 2147483647`},
		{"-K 4 --min-insert 4 --max-insert 6x ref.fa", 2, `option --max-insert: "6x" is not a whole number from 1 to 2147483647`},
		{"-K 4 --min-insert 3 --max-insert 6 ref.fa", 2, "option --min-insert: 3 is less than the length of K-mers, 4"},
		{"-K 4 --min-insert 6 --max-insert 5 ref.fa", 2, "option --max-insert: 5 is less than 6"},
		{"-K 4 --min-insert 6 --max-insert 6 --genomes ref.fa", 2,
			"option --genomes counts genomes that have a K-mer, and excludes --min-insert and --max-insert"},
		{"-K 4 --value x ref.fa", 2, `option --value: "x" is not mappability or frequency`},
		{"-K 4 --exclude-self --value mappability ref.fa", 2,
			"option --exclude-self needs --value frequency: 1/frequency is infinite for unique K-mers"},
		{"-K 4 -o x.txt ref.fa", 2, "option --output: x.txt: the name does not end with .bedgraph, .bg or .bdg, one of them with .gz or .bgz, .bw or .bigwig"},
		{"-K 4 --window 5 ref.fa", 2, "option --window is for --wig FILE"},
		{"-K 4 --wig x.wig --window 0 ref.fa", 2, `option --window: "0" is not a whole number from 1 to 2147483647`},
		{"-K 4 --raw x.raw ref.fa", 2, "option --raw: x.raw: the name ends in none of .freq8, .freq16, .map"},
		{"-K 4 --unique x.bed -o x.bed ref.fa", 2, "option --output: x.bed: the name does not end with .bedgraph, .bg or .bdg, one of them with .gz or .bgz, .bw or .bigwig"},
		{"-K 4 --unique ref.fa ref.fa", 2, "ref.fa is an input and would be overwritten"},
		{"-K 4 --against - -", 2, "two inputs cannot both come from standard input"},
		{"-K 14 -o x.bg ref.fa", 1, "ref.fa: K-mers of 14 bases (--length) cannot lie on it, whose longest contig has 13"},
		{"-K 4 --min-insert 13 --max-insert 15 -o x.bg ref.fa", 1,
			"ref.fa: fragments of 14 bases (--min-insert, --max-insert) cannot lie on it, whose longest contig has 13"},
		{"-K 4 -o x.bg none.fa", 1, "none.fa: no such file or directory"},
		{"-K 4 -o x.bg --regions bad.bed ref.fa", 1, `bad.bed: line 2: the reference has no contig "three"; its first is "one"`},
		{"-K 4 -o x.bg --raw no/x.freq8 ref.fa", 1, "no/x.freq8: no such file or directory"},
	} {
		code, stdout, stderr := call(append([]string{"mappability"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || stderr != "scanmap: "+c.want+"\n" {
			t.Errorf("%s: exit code %d, %q, %q, want %s", c.args, code, stdout, stderr, c.want)
		}
	}
	if files, err := filepath.Glob("x*"); err != nil || len(files) > 0 {
		t.Errorf("%q are left, %v", files, err)
	}
}

// TestMappabilityPage writes the page alone, without values on standard output.
func TestMappabilityPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	if out := quietly(t, "mappability", "-K", "36", "--max-mismatches", "2", "--html", page, "../../testdata/phix.fa"); out != "" {
		t.Errorf("standard output has %.80q", out)
	}
	if text := readFile(t, page); !strings.Contains(text, ">5,351<") || !strings.Contains(text, "Along contigs") {
		t.Errorf("the page is %s", text)
	}
}
