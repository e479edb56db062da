package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
)

// A drawnCall is a call whose options are drawn, two or three at a time. Names of files are
// relative.
type drawnCall struct {
	name    string
	args    []string // one of these
	options []string
	draws   int // twice as many as in a fast test
	// check looks at what a call left that succeeded: files, "-" for standard output and "!" for
	// standard error.
	check func(t *testing.T, args []string, left map[string]string)
}

// togetherFiles writes the inputs of drawn calls into a folder, changed in some way.
func togetherFiles(t *testing.T, change func([]byte) []byte) (folder string) {
	t.Helper()
	folder = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	two := ">two\n"
	for range 700 {
		two += "ACGT"[random.IntN(4):][:1]
	}
	copiesFile(t, folder, "ref.fa", string(change([]byte(readFile(t, phixFile)+two+"\n"))))
	for from, to := range map[string]string{"phix_R1.fastq": "r1.fq", "phix_R2.fastq": "r2.fq", "phix.vcf": "v.vcf"} {
		copiesFile(t, folder, to, string(change([]byte(readFile(t, "../../testdata/"+from)))))
	}
	first, second := fastqRecords(readFile(t, "../../testdata/phix_R1.fastq")), fastqRecords(readFile(t, "../../testdata/phix_R2.fastq"))
	var pairs, depth strings.Builder
	for i := range first {
		pairs.WriteString(first[i] + second[i])
	}
	for at := 0; at+20 <= 5380; at += 20 {
		fmt.Fprintf(&depth, "NC_001422.1\t%d\t%d\t%d\n", at, at+20, 1+at/20%4)
	}
	depth.WriteString("two\t0\t700\t2\n")
	bars := ""
	for i := range 4 {
		bars += fmt.Sprintf("b%d %s\n", i, strings.Split(first[3*i], "\n")[1][:12])
	}
	for name, text := range map[string]string{
		"pairs.fq": pairs.String(), "depth.bedgraph": depth.String(), "bars": bars, "other.fa": ">o\n" + strings.Repeat("ACGTTGCAAT", 30) + "\n",
		"regions.bed": "NC_001422.1\t100\t2000\tone\nNC_001422.1\t1500\t3000\ttwo\n", "mask.bed": "NC_001422.1\t700\t790\n",
		"samples.tsv":  "r1.fq\tr2.fq\tx\nr1.fq\tr2.fq\ty\n",
		"primers":      readFile(t, "testdata/primers.tsv"),
		"patterns.fa":  readFile(t, patternsFile),
		"controls.bed": "NC_001422.1\t0\t2500\n",
		"halves.bed":   "NC_001422.1\t0\t2500\tone\ntwo\t0\t600\n",
		"shared.bedpe": sharedLeft + "0\nNC_001422.1\t0\t2500\ttwo\t0\t600\t.\t1000\t.\t.\t9000\t2000\n",
	} {
		copiesFile(t, folder, name, string(change([]byte(text))))
	}
	return folder
}

// fastqRecords cuts FASTQ into records of four lines.
func fastqRecords(text string) (all []string) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i+4 <= len(lines); i += 4 {
		all = append(all, strings.Join(lines[i:i+4], ""))
	}
	return all
}

func asTheyAre(text []byte) []byte { return text }

func withCRLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text) // to memory
	_ = z.Close()
	return b.Bytes()
}

// tookTime are the times of summaries.
var tookTime = regexp.MustCompile(`, [0-9.]+ s\n`)

// callIn makes a call in a folder, and returns what it left: the new files, standard output as "-"
// and standard error, without times, as "!".
func callIn(t *testing.T, folder string, args []string) (code int, left map[string]string) {
	t.Helper()
	t.Chdir(folder)
	before := names(t, folder)
	code, stdout, stderr := call(args...)
	left = map[string]string{"-": stdout, "!": tookTime.ReplaceAllString(stderr, "\n")}
	err := filepath.WalkDir(".", func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(strings.Split(before, " "), strings.Split(name, "/")[0]) {
			return err
		}
		left[name] = readFile(t, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range left {
		if name != "-" && name != "!" {
			if err := os.RemoveAll(strings.Split(name, "/")[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return code, left
}

// exceptTimes replaces statistics by their lasting fields.
func exceptTimes(t *testing.T, left map[string]string) map[string]string {
	t.Helper()
	if text, ok := left["s.json"]; ok {
		lasts, err := json.MarshalIndent(lasting(t, text), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		left["s.json"] = string(lasts)
	}
	return left
}

// otherInputs are a folder of the same inputs in another form, and threads to read them with.
type otherInputs struct{ what, folder, threads string }

// TestOptionsTogether draws options two or three at a time. Whatever they are, a call does the same
// with one thread and with three, with ends of lines of either kind and with inputs that are
// compressed; and what it writes agrees with what it counts.
func TestOptionsTogether(t *testing.T) {
	plain, crlf, packed := togetherFiles(t, asTheyAre), togetherFiles(t, withCRLF), togetherFiles(t, gzipped)
	for _, d := range drawnCalls {
		t.Run(d.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(effort.Pick(7, 1)), 2))
			worked, refused := 0, 0
			for range effort.Pick(4*d.draws, d.draws/3) {
				var drawn []string
				for _, i := range random.Perm(len(d.options))[:2+random.IntN(2)] {
					drawn = append(drawn, strings.Fields(d.options[i])...)
				}
				args := slices.Concat(strings.Fields(d.args[random.IntN(len(d.args))]), drawn)
				if slices.Contains(args, "--samples") { // its files stand for r1.fq and r2.fq
					args = slices.DeleteFunc(args, func(a string) bool { return a == "r1.fq" || a == "r2.fq" })
				}
				code, left := callIn(t, plain, append(slices.Clone(args), "-t", "1"))
				if code == 2 {
					refused++
					if strings.Count(left["!"], "\n") != 1 || len(left) != 2 || left["-"] != "" {
						t.Errorf("%q: refused with %q", args, left)
					}
					continue
				}
				if code != 0 {
					t.Errorf("%q: exit code %d, %q", args, code, left["!"])
					continue
				}
				worked++
				exceptTimes(t, left)
				others := []otherInputs{{"CRLF, 3 threads", crlf, "3"}, {"gzip, 2 threads", packed, "2"}}
				if !effort.Full() { // by turns
					others = others[worked%2:][:1]
				}
				for _, other := range others {
					code, again := callIn(t, other.folder, append(slices.Clone(args), "-t", other.threads))
					if exceptTimes(t, again); code != 0 || !maps.Equal(left, again) {
						t.Errorf("%q, %s: exit code %d, (-plain +other)\n%.3000s", args, other.what, code, cmp.Diff(left, again))
					}
				}
				d.check(t, args, left)
			}
			if worked < d.draws/12 {
				t.Errorf("%d calls worked, %d were refused", worked, refused)
			}
		})
	}
}

// rowsOf are the lines of a text that do not begin with any of some letters.
func rowsOf(text, without string) (rows []string) {
	for line := range strings.Lines(text) {
		if !strings.ContainsRune(without, rune(line[0])) {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	return rows
}

// numberIn is the number that an expression finds in a text.
func numberIn(t *testing.T, text, expression string) int {
	t.Helper()
	m := regexp.MustCompile(expression).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q has no %s", text, expression)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sumOf adds up a column of rows.
func sumOf(t *testing.T, rows []string, column int) (sum int) {
	t.Helper()
	for _, row := range rows {
		n, err := strconv.Atoi(strings.Split(row, "\t")[column])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

var drawnCalls = []drawnCall{
	{"map", []string{"map --quiet --no-pg -o x.sam --stats s.json ref.fa r1.fq"}, slices.Concat(mapOptions, []string{"--unmapped u.fq"}), 5, checkMap},
	{"map pairs", []string{"map --quiet --no-pg -o x.sam --stats s.json ref.fa r1.fq r2.fq",
		"map --quiet --no-pg -o x.sam --stats s.json --interleaved --max-insert 500 ref.fa pairs.fq",
		"map --quiet --no-pg -o x.sam --stats s.json --samples samples.tsv --max-insert 500 ref.fa"}, slices.Concat(mapOptions, []string{
		"--discordant d.sam", "--max-insert 400", "--rescue-distance 3", "--orientation ff", "--samples samples.tsv", "--min-insert 50",
		"--unmapped u.fq"}), 5, checkMap},
	{"search", []string{"search -f patterns.fa ref.fa", "search -k 2 ACGTTGGCTGACGACCG ref.fa", "search -k 1 -f patterns.fa --vcf v.vcf ref.fa"},
		[]string{"-k 1", "--max-mismatches 2", "--mismatches 1", "--dna-bulges 1", "--rna-bulges 0", "--pam NGG",
			"--pam NGG,NAG", "--pam-side 5", "--pam-edits", "--seed-exact 1-4", "--forward-only", "--both-strands", "--method neighbours",
			"--format bed", "--format sam --no-pg", "--reference-iupac", "--max-haplotypes 100", "--max-samples 0", "-o x.tsv"}, 24, checkSearch},
	{"primers", []string{"primers -f primers ref.fa"}, []string{"-k 2", "--max-mismatches 2", "--product 30-300", "--product 1-5000", "--multiplex",
		"--three-prime 5:1", "--max-products 1", "--pair-counts c.tsv", "--format bed", "-o x.fa", "-o none --pair-counts c.tsv", "-o x.tsv",
		"--circular all", "--background other.fa", "--tm santalucia2004", "--dna-conc 200"}, 12, checkPairs},
	{"filter", []string{"filter -f bars r1.fq", "filter -f bars r1.fq r2.fq", "filter -f bars --interleaved pairs.fq",
		"filter -f bars --within 2 -k 1 r1.fq r2.fq"},
		[]string{"-k 1", "--max-mismatches 2", "--invert", "--within 3", "--within 0 --end 5", "--end 3", "--trim", "--mate 1", "--mate 2",
			"--output-mates m.fq -o x.fq", "--pattern-counts c.tsv", "--forward-only", "-o x.fq"}, 20, checkRecords},
	{"demultiplex", []string{"demultiplex -o s -f bars r1.fq", "demultiplex -o s -f bars r1.fq r2.fq", "demultiplex -o s -f bars --interleaved pairs.fq",
		"demultiplex -o s -f bars --within 2 -k 1 r1.fq r2.fq"},
		[]string{"-k 1", "--max-mismatches 2", "--within 3", "--within 0 --end 5", "--end 3", "--trim", "--mate 1", "--mate 2", "--mates-apart",
			"--margin 2", "--forward-only", "-k 2"}, 16, checkSplit},
	{"mappability", []string{"mappability -K 12 ref.fa"}, []string{"--max-mismatches 1", "-e 1", "--forward-only", "--bisulfite both", "--bisulfite reverse", "--exclude-self", "--against other.fa",
		"--genomes", "--min-insert 40 --max-insert 60", "--regions regions.bed", "--engine reads", "--engine shared", "--value frequency", "--raw x.freq16", "--raw x.map",
		"--unique u.bed", "-o x.bedgraph"}, 6, checkMappability},
	{"copies", []string{"copies --window 100 ref.fa depth.bedgraph"}, []string{"--gc none", "--gc strata", "--gc-window 77", "--span 0.5", "--control-copies 1",
		"--controls controls.bed", "--mask mask.bed", "--mask-margin 10", "--regions regions.bed --region-copies r.bed", "-o x.bed", "--window 250", "--window auto:0.4",
		"--regions halves.bed --shared shared.bedpe --family-copies f.tsv",
		"--exclude two", "--ploidy-of two=3"}, 14, checkCopies},
	{"guides", []string{"guides --in NC_001422.1:100-400 ref.fa", "guides --in regions.bed --length 12 -k 0 ref.fa", "guides --max-mismatches 2 -f bars ref.fa"},
		[]string{"-k 2", "--max-mismatches 3", "--mismatches 1", "--dna-bulges 0", "--rna-bulges 1", "--pam NRG", "--pam NRG,NGN,TTN", "--off-target-pam NAG,NGA", "--pam-mismatches 1", "--pam-mismatches 2 --pam-mismatch-cost 1", "--pam-gap 2 --pam-gap-cost 1", "--reference-iupac", "--pam-side 5 --pam TTN", "--nuclease enAsCas12a --pam TTN", "--seed-exact 1-4",
			"--length 18", "--regions regions.bed", "--best 2", "--best 1", "--locations p.tsv", "--locations p.tsv --max-locations 2",
			"--vcf v.vcf", "--vcf v.vcf --changes c.tsv --max-samples 1"}, 6, checkGuides},
}

// mapOptions are the options of single reads and of pairs.
var mapOptions = []string{"-e 2", "-e 8%", "--max-mismatches 3", "--report best", "--report one", "--report unique", "--report strata:1",
	"--max-locations 1", "--over drop --max-locations 1", "--crop 30", "--omit-unmapped", "--full-secondary", "--cigar eqx", "--gaps affine", "--seed 5",
	"--engine scan", "--local", "--local --split", "--sort", "--batch-reads 3", "--rg x", "--skip 5", "--take 9", "-x variants",
	"--depth d.bedgraph", "--depth d.bedgraph --depth-of starts", "--abundance a.tsv --weights equal", "--regions 50 --region-depth r.bed",
	"--regions controls.bed --region-shared s.bedpe --weights equal"}

// checkMap compares records with statistics, and counts with records.
func checkMap(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	var s struct {
		Reads, Reported int
		Mapped          int `json:"mapped_reads"`
		Unmapped        int `json:"unmapped_reads"`
		Dropped         int `json:"dropped_reads"`
	}
	if err := json.Unmarshal([]byte(left["s.json"]), &s); err != nil {
		t.Fatal(err)
	}
	located, primary, unmapped := 0, 0, 0
	records, apart := rowsOf(left["x.sam"], "@"), rowsOf(left["d.sam"], "@")
	for _, row := range apart {
		if !slices.Contains(records, row) {
			t.Errorf("%q: of discordant pairs alone: %s", args, row)
		}
	}
	if _, ok := left["d.sam"]; ok {
		for _, row := range records {
			if flags, err := strconv.Atoi(strings.Split(row, "\t")[1]); err == nil && flags&0x900 == 0 &&
				strings.Contains(row, "\tXD:Z:") && !slices.Contains(apart, row) {
				t.Errorf("%q: of no discordant pair: %s", args, row)
			}
		}
	}
	for _, row := range records {
		flag, err := strconv.Atoi(strings.Split(row, "\t")[1])
		switch {
		case err != nil:
			t.Fatal(err)
		case flag&4 != 0:
			unmapped++
		case flag&0x800 == 0:
			located++
			if flag&0x100 == 0 {
				primary++
			}
		}
	}
	if located != s.Reported || primary != s.Mapped-s.Dropped || s.Mapped+s.Unmapped != s.Reads {
		t.Errorf("%q: %d records with a location, %d of them primary; statistics %+v", args, located, primary, s)
	}
	if want := s.Reads - primary; unmapped != want && !slices.Contains(args, "--omit-unmapped") && !slices.Contains(args, "--unmapped") {
		t.Errorf("%q: %d records without a location, want %d", args, unmapped, want)
	}
	joinParts(t, args, left)
}

// joinParts maps in two parts, which together have the records and the statistics of the whole,
// unless insert sizes are estimated.
func joinParts(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	paired := slices.Contains(args, "r2.fq") || slices.Contains(args, "pairs.fq") || slices.Contains(args, "--samples")
	if slices.Contains(args, "--skip") || slices.Contains(args, "--take") || slices.Contains(args, "--sort") || paired && !slices.Contains(args, "--max-insert") {
		return
	}
	records := func(of map[string]string) []string {
		return append(rowsOf(of["x.sam"], "@"), rowsOf(of["d.sam"], "@")...)
	}
	folder, again := t.TempDir(), []string{}
	merge := []string{"merge-stats", "--quiet"}
	for _, part := range []string{"--take 8", "--skip 8 --take 1", "--skip 9"} {
		code, of := callIn(t, ".", append(slices.Clone(args), strings.Fields(part)...))
		if code != 0 {
			t.Fatalf("%q %s: %q", args, part, of["!"])
		}
		again = append(again, records(of)...)
		name := strings.ReplaceAll(part, " ", "_")
		merge = append(merge, copiesFile(t, folder, name, of["s.json"]))
		if track, counted := of["d.bedgraph"]; counted {
			merge = append(merge, copiesFile(t, folder, name+".bedgraph", track))
		}
	}
	sumOfDepth, counted := filepath.Join(folder, "sum.bedgraph"), left["d.bedgraph"] != ""
	if counted {
		merge = append(merge, "--depth", sumOfDepth)
	}
	sumOfContigs, abundant := filepath.Join(folder, "sum.tsv"), counted && left["a.tsv"] != ""
	if abundant {
		merge = append(merge, "--abundance", sumOfContigs)
	}
	whole := records(left)
	slices.Sort(whole)
	slices.Sort(again)
	if diff := cmp.Diff(whole, again); diff != "" {
		t.Errorf("%q: (-whole +parts)\n%.3000s", args, diff)
	}
	var one map[string]any
	if err := json.Unmarshal([]byte(left["s.json"]), &one); err != nil {
		t.Fatal(err)
	}
	sum := lasting(t, quietly(t, slices.Delete(merge, 1, 2)...))
	for _, of := range []map[string]any{one, sum} {
		if !counted {
			delete(of, "depth") // which is not added up without tracks
		}
		delete(of, "refused_candidates") // which may depend on batches, as candidates do
	}
	if diff := cmp.Diff(one, sum); diff != "" {
		t.Errorf("%q: (-whole +parts)\n%.3000s", args, diff)
	}
	if counted && readFile(t, sumOfDepth) != left["d.bedgraph"] {
		t.Errorf("%q: depth of parts is not that of the whole", args)
	}
	if abundant && readFile(t, sumOfContigs) != left["a.tsv"] {
		t.Errorf("%q: abundance of parts is not that of the whole", args)
	}
}

func checkSearch(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	rows := rowsOf(left["-"]+left["x.tsv"], "@")
	if !slices.Contains(args, "bed") && !slices.Contains(args, "sam") {
		rows = rows[1:]
	}
	if slices.Contains(args, "sam") { // which has patterns without a location too
		rows = slices.DeleteFunc(rows, func(row string) bool { return strings.Split(row, "\t")[1] == "4" })
	}
	if n := numberIn(t, left["!"], `, ([0-9]+) locations?;`); n != len(rows) {
		t.Errorf("%q: %d rows, and %q", args, len(rows), left["!"])
	}
}

func checkPairs(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	rows := 0
	switch {
	case left["x.fa"] != "" && !slices.Contains(args, "bed"):
		rows = strings.Count(left["x.fa"], ">")
	case slices.Contains(args, "bed"):
		rows = strings.Count(left["-"]+left["x.fa"]+left["x.tsv"], "\n")
	default:
		rows = max(strings.Count(left["-"]+left["x.tsv"], "\n")-1, 0)
	}
	all := numberIn(t, left["!"], `, ([0-9]+) amplicons?[,;]`)
	written := all
	if strings.Contains(left["!"], " of them written") {
		written = numberIn(t, left["!"], `, ([0-9]+) of them written`)
	}
	if slices.Contains(args, "none") && written != 0 && all != 0 || rows != written {
		t.Errorf("%q: %d amplicons, %d written, and %q", args, all, rows, left["!"])
	}
	if counts := left["c.tsv"]; counts != "" && !slices.Contains(args, "--multiplex") {
		if lines := rowsOf(counts, "")[1:]; sumOf(t, lines, 3) != all || sumOf(t, lines, 5) != written {
			t.Errorf("%q: %d amplicons, %d written, and\n%s", args, all, written, counts)
		}
	}
}

func checkRecords(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	records := numberIn(t, left["!"], `, ([0-9]+) (?:record|pair)s?,`)
	matched := numberIn(t, left["!"], `, ([0-9]+) matched`)
	want, mates := matched, 1
	if slices.Contains(args, "--invert") {
		want = records - matched
	}
	if strings.Contains(left["!"], " pair") {
		mates = 2
	}
	if n := strings.Count(left["-"]+left["x.fq"]+left["m.fq"], "\n"); n != 4*want*mates || left["m.fq"] != "" && 4*want != strings.Count(left["m.fq"], "\n") {
		t.Errorf("%q: %d lines, %q", args, n, left["!"])
	}
	if counts := left["c.tsv"]; counts != "" {
		if sum := sumOf(t, rowsOf(counts, "")[1:], 1); sum < matched || len(rowsOf(counts, "")) != 5 {
			t.Errorf("%q: %q, and\n%s", args, left["!"], counts)
		}
	}
}

func checkSplit(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	rows := rowsOf(left["s/barcodes.tsv"], "")[1:]
	total := numberIn(t, left["!"], `, ([0-9]+) (?:record|pair)s?,`)
	mates := 1
	if strings.Contains(left["!"], " pair") {
		mates = 2
	}
	lines := 0
	for name, text := range left {
		if strings.HasSuffix(name, ".fq") {
			lines += strings.Count(text, "\n")
		}
	}
	if sumOf(t, rows, 2) != total || lines != 4*mates*total {
		t.Errorf("%q: %d lines, %q, and\n%s", args, lines, left["!"], left["s/barcodes.tsv"])
	}
	for _, row := range rows[:len(rows)-2] {
		columns := strings.Split(row, "\t")
		sum := 0
		for _, c := range columns[3:] {
			n, err := strconv.Atoi(c)
			if err != nil {
				break // the file of mates
			}
			sum += n
		}
		if strconv.Itoa(sum) != columns[2] {
			t.Errorf("%q: %q", args, row)
		}
	}
}

func checkMappability(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	kmers, unique := numberIn(t, left["!"], `, ([0-9]+) (?:K-mers|fragments)`), numberIn(t, left["!"], `, ([0-9]+) unique`)
	lengths := func(rows []string) int { return sumOf(t, rows, 2) - sumOf(t, rows, 1) }
	if rows := rowsOf(left["-"]+left["x.bedgraph"], ""); len(rows) > 0 && lengths(rows) != kmers {
		t.Errorf("%q: values of %d K-mers, and %q", args, lengths(rows), left["!"])
	}
	if rows, asked := left["u.bed"]; asked && lengths(rowsOf(rows, "")) != unique {
		t.Errorf("%q: %d unique, and %q", args, lengths(rowsOf(rows, "")), left["!"])
	}
}

func checkCopies(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	text := left["-"] + left["x.bed"]
	rows := rowsOf(text, "#")
	if windows := numberIn(t, left["!"], `: ([0-9]+) windows?;`); windows != len(rows) {
		t.Errorf("%q: %d windows, and %q", args, len(rows), left["!"])
	}
	controls, bases, at, contig := 0, 0, 0, ""
	for _, row := range rows {
		columns := strings.Split(row, "\t")
		if columns[0] != contig {
			at, contig = 0, columns[0]
		}
		if columns[1] != strconv.Itoa(at) {
			t.Errorf("%q: a window begins at %s, not at %d", args, columns[1], at)
		}
		at = sumOf(t, []string{row}, 2)
		if columns[8] == "1" {
			controls++
			bases += sumOf(t, []string{row}, 7)
		}
	}
	if n := numberIn(t, text, `: ([0-9]+) windows?,`); n != controls || numberIn(t, text, `, ([0-9]+) bases?,`) != bases || at != 700 {
		t.Errorf("%q: %d windows with %d bases are controls, windows up to %d, and %q", args, controls, bases, at, left["!"])
	}
}

func checkGuides(t *testing.T, args []string, left map[string]string) {
	t.Helper()
	rows := rowsOf(left["-"], "")
	heads := strings.Split(rows[0], "\t")
	places, targets, written := 0, 0, 0
	for _, row := range rows[1:] {
		columns := strings.Split(row, "\t")
		on, off := sumOf(t, []string{row}, 7), sumOf(t, []string{row}, 8)
		sum, classes := 0, 0
		for i := slices.Index(heads, "edits_0"); i < len(columns); i++ {
			sum += sumOf(t, []string{row}, i)
		}
		for class := range strings.SplitSeq(columns[15], ",") {
			if _, n, ok := strings.Cut(class, ":"); ok {
				classes += numberIn(t, n, `^([0-9]+)$`)
			}
		}
		target := 0
		if columns[3] != "." {
			target = 1
		}
		if sum != off+target || classes != sum || on > sum {
			t.Errorf("%q: %s", args, row)
		}
		places, targets = places+sum, targets+target
		if slices.Contains(args, "--max-locations") {
			sum = min(sum, 2)
		}
		written += sum
	}
	if len(rows) == 1 {
		return
	}
	if numberIn(t, left["!"], `, ([0-9]+) locations?;`) != places || numberIn(t, left["!"], `, ([0-9]+) with a target`) != targets {
		t.Errorf("%q: %d places, %d targets, and %q", args, places, targets, left["!"])
	}
	if text, asked := left["c.tsv"]; asked {
		kinds := map[string]int{}
		for _, row := range rowsOf(text, "")[1:] {
			kinds[strings.Split(row, "\t")[5]]++
		}
		for _, kind := range []string{"made", "changed", "lost"} {
			if sum := sumOf(t, rows[1:], slices.Index(heads, kind)); sum != kinds[kind] {
				t.Errorf("%q: %d %s in the table, %d lines", args, sum, kind, kinds[kind])
			}
		}
	}
	if text, asked := left["p.tsv"]; asked {
		if lines := rowsOf(text, "")[1:]; len(lines) != written || sumOf(t, lines, 14) != targets {
			t.Errorf("%q: %d lines of places, %d of targets, and %d, %d", args, len(lines), sumOf(t, lines, 14), written, targets)
		}
	}
}
