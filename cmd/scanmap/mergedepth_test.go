package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
)

// depthInputs writes a reference with repeats, and reads cut from the reference, and returns the
// number of reads.
func depthInputs(t *testing.T, r *rand.Rand, folder string) int {
	t.Helper()
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[r.IntN(4)]
		}
		return string(b)
	}
	unit := letters(60)
	var ref, reads strings.Builder
	var contigs []string
	for i := range 1 + r.IntN(4) {
		var c strings.Builder
		for range 1 + r.IntN(5) {
			c.WriteString(letters(r.IntN(200)))
			c.WriteString(unit[:20+r.IntN(41)])
		}
		contigs = append(contigs, c.String())
		fmt.Fprintf(&ref, ">c%d\n%s\n", i, c.String())
	}
	ref.WriteString(">short\nAC\n")
	n := 1 + r.IntN(60)
	for i := range n {
		c := contigs[r.IntN(len(contigs))]
		read := letters(16)
		if r.IntN(10) > 0 {
			at := r.IntN(len(c) - 16)
			read = c[at : at+16]
		}
		fmt.Fprintf(&reads, "@r%d\n%s\n+\n%s\n", i, read, strings.Repeat("I", 16))
	}
	copiesFile(t, folder, "ref.fa", ref.String())
	copiesFile(t, folder, "reads.fq", reads.String())
	copiesFile(t, folder, "regions.bed", "c0\t3\t17\tb\nshort\t0\t2\nc0\t0\t20\ta\nc0\t10\t11\n")
	return n
}

// depthOf is the depth of a file of JSON.
func depthOf(t *testing.T, file string) any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(readFile(t, file)), &s); err != nil {
		t.Fatal(err)
	}
	return s["depth"]
}

// TestMergeDepth maps random reads at once and in parts: tracks, regions, windows, abundances and
// the depth of the statistics are the same bytes.
func TestMergeDepth(t *testing.T) {
	names := []string{"bedgraph", "bw", "bedgraph.gz"}
	for n := range effort.Pick(100, 12) {
		r, folder := rand.New(rand.NewPCG(uint64(n), 31)), t.TempDir()
		reads := depthInputs(t, r, folder)
		in := func(format string, args ...any) string { return filepath.Join(folder, fmt.Sprintf(format, args...)) }
		windows := []string{in("regions.bed"), "1", "7", "100000"}[n%4]
		run := func(name, ending string, options ...string) {
			args := append([]string{"-o", "none", "-e", "2", "--weights", []string{"all", "best", "equal", "primary"}[n/2%4],
				"--depth-of", []string{"covered", "starts"}[n%2], "--stats", in("%s.json", name), "--depth", in("%s.%s", name, ending)}, options...)
			quietly(t, append(append([]string{"map"}, args...), in("ref.fa"), in("reads.fq"))...)
		}
		ending := names[n%3]
		files := []string{ending, "bed"}
		abundance := func(name string) []string { return nil }
		if n%2 == 0 { // covered bases
			files = append(files, "contigs", "genomes")
			genomes := [][]string{{"--genome-definition", copiesFile(t, folder, "genomes.txt", "a\tc0\nb\tshort\n")}, {"--genome-separator", "c"}}[n/2%2]
			if genomes[0] == "--genome-separator" {
				ref := strings.ReplaceAll(readFile(t, in("ref.fa")), ">short", ">cshort")
				copiesFile(t, folder, "regions.bed", strings.ReplaceAll(readFile(t, in("regions.bed")), "short", "cshort"))
				copiesFile(t, folder, "ref.fa", strings.ReplaceAll(ref, ">c", ">gc"))
				copiesFile(t, folder, "regions.bed", "g"+strings.ReplaceAll(readFile(t, in("regions.bed")), "\nc", "\ngc"))
			}
			abundance = func(name string) []string {
				return append([]string{"--abundance", in("%s.contigs", name), "--genome-abundance", in("%s.genomes", name)}, genomes...)
			}
		}
		run("whole", ending, append(abundance("whole"), "--regions", windows, "--region-depth", in("whole.bed"))...)
		parts := 1 + r.IntN(5)
		var jsons, tracks []string
		for i := range parts {
			options := []string{"--skip", fmt.Sprint(i * reads / parts)}
			if i < parts-1 {
				take := (i+1)*reads/parts - i*reads/parts
				if take == 0 {
					continue
				}
				options = append(options, "--take", fmt.Sprint(take))
			}
			name, of := fmt.Sprint("part", i), names[r.IntN(3)]
			run(name, of, options...)
			jsons, tracks = append(jsons, in("%s.json", name)), append(tracks, in("%s.%s", name, of))
		}
		args := []string{"merge-stats", "--stats", in("sum.json"), "--depth", in("sum.%s", ending), "--regions", windows, "--region-depth", in("sum.bed")}
		quietly(t, slices.Concat(args, abundance("sum"), jsons, tracks)...)
		for _, name := range files {
			if whole, sum := readFile(t, in("whole.%s", name)), readFile(t, in("sum.%s", name)); whole != sum {
				t.Fatalf("case %d, %d parts, %s: (-whole +parts)\n%.2000s", n, parts, name, cmp.Diff(whole, sum))
			}
		}
		if diff := cmp.Diff(depthOf(t, in("whole.json")), depthOf(t, in("sum.json"))); diff != "" {
			t.Fatalf("case %d, %d parts: (-whole +parts)\n%s", n, parts, diff)
		}
	}
}

// TestMergeDepthExact has two reads, one with two locations, in two parts. A table of regions, on
// standard output, has what docs/depth.md shows of one run.
func TestMergeDepthExact(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	ref := copiesFile(t, folder, "ref.fa", ">c\nCTTTATCAAGATACTGCACTCTTTATCAAGGGGGG\n>d\nAC\n")
	reads := copiesFile(t, folder, "reads.fq", "@a\nCTTTATCAAG\n+\nIIIIIIIIII\n@b\nTTACTGCACT\n+\nIIIIIIIIII\n")
	for _, part := range [][]string{{"1", "--take"}, {"2", "--skip"}} {
		quietly(t, "map", "-e", "1", "-o", "none", "--weights", "equal", "--depth", in(part[0]+".bw"), "--stats", in(part[0]+".json"), part[1], "1", ref, reads)
	}
	got := quietly(t, "merge-stats", "--stats", in("s.json"), "--depth", in("s.bg"), "--regions", "20", "--region-depth", "-",
		in("1.json"), in("2.json"), in("1.bw"), in("2.bw"))
	want := "#contig\tstart\tend\tname\tcovered_bases\tmean_depth\nc\t0\t20\t.\t20\t0.75\nc\t20\t35\t.\t10\t0.333333\nd\t0\t2\t.\t0\t0\n"
	if got != want || readFile(t, in("s.bg")) != "c\t0\t10\t0.5\nc\t10\t20\t1\nc\t20\t30\t0.5\nc\t30\t35\t0\nd\t0\t2\t0\n" {
		t.Errorf("%s\n%s", got, readFile(t, in("s.bg")))
	}
}

// TestMergeDeep has parts with more units of depth than float32 holds: abundance and the JSON are
// as in one run, and a track is refused.
func TestMergeDeep(t *testing.T) {
	folder := t.TempDir()
	in := func(text string) string { return strings.ReplaceAll(text, "F/", folder+"/") }
	unit := "CTTTATCAAGATACTGCACT"
	copiesFile(t, folder, "ref.fa", ">x~1\n"+strings.Repeat(unit, 3)+"\n>y~1\nGATTACAGATTACAGATTACA"+strings.Repeat(unit, 4)+"\n")
	var reads strings.Builder
	for i := range 18000 {
		fmt.Fprintf(&reads, "@r%d\n%s\n+\nIIIIIIIIII\n", i, []string{"CTTTATCAAG", "ATACTGCACT", "GATTACAGAT"}[i%7%3])
	}
	copiesFile(t, folder, "reads.fq", reads.String())
	options := "-e 0 -o none --weights equal --depth F/NAME.bw --stats F/NAME.json F/ref.fa F/reads.fq "
	abundance := " --abundance F/NAME.tsv --genome-separator ~ --genome-abundance F/NAME.genomes"
	run := func(command, name, more string) {
		quietly(t, strings.Fields(command+" "+in(strings.ReplaceAll(more, "NAME", name)))...)
	}
	run("map", "whole", options+abundance)
	run("map", "1", options+"--take 9601")
	run("map", "2", options+"--skip 9601")
	run("merge-stats", "sum", "--stats F/NAME.json F/1.json F/2.json F/1.bw F/2.bw"+abundance)
	for _, name := range []string{"tsv", "genomes"} {
		if whole, sum := readFile(t, in("F/whole."+name)), readFile(t, in("F/sum."+name)); whole != sum {
			t.Errorf("(-whole +parts)\n%s", cmp.Diff(whole, sum))
		}
	}
	if diff := cmp.Diff(depthOf(t, in("F/whole.json")), depthOf(t, in("F/sum.json"))); diff != "" {
		t.Errorf("(-whole +parts)\n%s", diff)
	}
	code, _, stderr := call(strings.Fields(in("merge-stats --depth F/x.bw --stats F/x.json F/1.json F/2.json F/1.bw F/2.bw"))...)
	if code != 1 || !strings.Contains(stderr, "is not below 256, up to which a track has exact values with --weights equal") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestMergeDepthFailures has parts that do not belong together: one line, and no file.
func TestMergeDepthFailures(t *testing.T) {
	folder := t.TempDir()
	in := func(text string) string { return strings.ReplaceAll(text, "F/", folder+"/") }
	bases := strings.Repeat("GATTACAGCGT", 20)
	copiesFile(t, folder, "ref.fa", ">c1\n"+bases+"\n>c2\nACGTACGTAC\n")
	copiesFile(t, folder, "other.fa", ">c1\n"+strings.Repeat("A", 30)+bases[30:]+"\n>c2\nACGTACGTAC\n")
	copiesFile(t, folder, "longer.fa", ">c1\n"+bases+"A\n>c2\nACGTACGTAC\n")
	copiesFile(t, folder, "reads.fq", "@a\nGATTACAGCGTGATTAC\n+\nIIIIIIIIIIIIIIIII\n@b\nACAGCGTGATTACAGCGTG\n+\nIIIIIIIIIIIIIIIIIII\n@c\nTTTTTTTTTTTTTTTTT\n+\nIIIIIIIIIIIIIIIII\n")
	part := func(name, ref, options string) {
		quietly(t, append(strings.Fields(in("map -o none -e 0 --stats F/"+name+".json "+options)), in("F/"+ref+".fa"), in("F/reads.fq"))...)
	}
	part("1", "ref", "--take 1 --depth F/1.bw")
	part("2", "ref", "--skip 1 --depth F/2.bedgraph")
	part("middle", "ref", "--skip 1 --take 1 --depth F/middle.bw")
	part("late", "ref", "--skip 2 --depth F/late.bw")
	part("best", "ref", "--skip 1 --weights best --depth F/best.bw")
	part("starts", "ref", "--skip 1 --depth-of starts --depth F/starts.bw")
	part("1starts", "ref", "--take 1 --depth-of starts --depth F/1starts.bw")
	copiesFile(t, folder, "older.json", strings.Replace(readFile(t, in("F/2.json")), "by_contig", "other", 1))
	part("other", "other", "--skip 1 --depth F/other.bw")
	part("longer", "longer", "--skip 1 --depth F/longer.bw")
	part("none", "ref", "--skip 1")
	track := readFile(t, in("F/2.bedgraph"))
	lines := strings.SplitAfter(track, "\n")
	copiesFile(t, folder, "cut.bedgraph", strings.Join(lines[:len(lines)-2], ""))
	copiesFile(t, folder, "swapped.bedgraph", lines[len(lines)-2]+strings.Join(lines[:len(lines)-2], ""))
	copiesFile(t, folder, "more.bedgraph", track+"c3\t0\t1\t0\n")
	copiesFile(t, folder, "long.bedgraph", strings.Replace(track, "c2\t0\t10", "c2\t0\t11", 1))
	copiesFile(t, folder, "half.bedgraph", strings.Replace(track, "c2\t0\t10\t0", "c2\t0\t10\t0.5", 1))
	copiesFile(t, folder, "less.bedgraph", strings.Replace(track, "c2\t0\t10\t0", "c2\t0\t10\t-1", 1))
	copiesFile(t, folder, "deep.bedgraph", strings.Replace(track, "c2\t0\t10\t0", "c2\t0\t10\t16777216", 1))
	copiesFile(t, folder, "words.bedgraph", "c1 0 many\n")
	if err := syscall.Mkfifo(in("F/fifo.bw"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, folder)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"F/1.json F/2.json", 2, "options of depth and abundance need the --depth of each part, as in 1.json 2.json 1.bw 2.bw"},
		{"F/1.json F/2.json F/1.bw", 2, "2 files of JSON and 1 of depth are given, but each part has one of both"},
		{"F/1.bw F/2.bedgraph", 2, "takes the JSON of one part or more"},
		{"--abundance F/a.tsv F/1.json F/2.json", 2, "options of depth and abundance need the --depth of each part, as in 1.json 2.json 1.bw 2.bw"},
		{"--abundance F/a.tsv --genome-separator x F/1.json F/2.json F/1.bw F/2.bedgraph", 2, "option --genome-separator is for --genome-abundance, which is not given"},
		{"--genome-abundance F/a.tsv --genome-separator x F/1.json F/2.json F/1.bw F/2.bedgraph", 1, "option --genome-separator: the contig \"c1\" has no genome before \"x\" in its name"},
		{"--abundance F/a.tsv F/1starts.json F/starts.json F/1starts.bw F/starts.bw", 1, "option --abundance tells of covered bases, but F/1starts.json is of --depth-of starts"},
		{"--abundance F/a.tsv F/1.json F/older.json F/1.bw F/2.bedgraph", 1, "F/older.json: has no counts of contigs for --abundance: an older scanmap wrote it"},
		{"--regions 10 F/1.json F/2.json F/1.bw F/2.bedgraph", 2, "options --regions and --region-depth need each other"},
		{"--depth F/sum.wig F/1.json F/2.json F/1.bw F/2.bedgraph", 2, "option --depth: F/sum.wig: the name does not end with"},
		{"--depth F/1.bw F/1.json F/2.json F/1.bw F/2.bedgraph", 2, "F/1.bw is an input and would be overwritten"},
		{"--regions F/words.bedgraph --region-depth F/words.bedgraph F/1.json F/2.json F/1.bw F/2.bedgraph", 2, "F/words.bedgraph is an input and would be overwritten"},
		{"F/1.json F/2.json F/fifo.bw F/2.bedgraph", 1, "F/fifo.bw: is no regular file, and a track of a part is read more than once"},
		{"F/1.json F/2.json F/1.bw F/nothing.bw", 1, "F/nothing.bw: no such file or directory"},
		{"F/1.json F/late.json F/1.bw F/late.bw", 1, "up to 1 and F/late.json those behind 2: a part between them is missing"},
		{"F/1.json F/middle.json F/1.bw F/middle.bw", 1, "the last part is missing"},
		{"F/2.json F/2.bedgraph", 1, "the first part is missing"},
		{"F/1.json F/best.json F/1.bw F/best.bw", 1, "F/best.json: option --weights was best, but all for F/1.json: their depths do not add up"},
		{"F/1.json F/starts.json F/1.bw F/starts.bw", 1, "F/starts.json: option --depth-of was starts, but covered for F/1.json"},
		{"F/1.json F/none.json F/1.bw F/2.bedgraph", 1, "F/none.json: has no depth: its map had no --depth beside --stats"},
		{"F/1.json F/other.json F/1.bw F/other.bw", 1, "F/other.json: the reference has 1 windows with 33 % of G and C, but 0 in F/1.json: their depths do not add up"},
		{"F/1.json F/longer.json F/1.bw F/longer.bw", 1, "F/longer.json: contig 1 is \"c1\" of 221 bases, but in F/1.json \"c1\" of 220"},
		{"F/1.json F/2.json F/2.bedgraph F/1.bw", 1, "F/2.bedgraph: has"},
		{"F/1.json F/2.json F/1.bw F/middle.bw --regions nowhere.bed --region-depth F/r.bed", 1, "nowhere.bed: no such file"},
		{"F/1.json F/2.json F/1.bw F/longer.bw", 1, "F/longer.bw: contig \"c1\" has bases up to 221, but 220 of them in F/1.json"},
		{"F/1.json F/2.json F/1.bw F/cut.bedgraph", 1, "F/cut.bedgraph: ends before base 0 of contig \"c2\"; map --depth writes a value for every base"},
		{"F/1.json F/2.json F/1.bw F/swapped.bedgraph", 1, "F/swapped.bedgraph: goes on at base 0 of contig \"c2\", but a depth of the reference of F/1.json at base 0 of \"c1\""},
		{"F/1.json F/2.json F/1.bw F/more.bedgraph", 1, "F/more.bedgraph: has contig \"c3\" behind the last one of F/1.json"},
		{"F/1.json F/2.json F/1.bw F/long.bedgraph", 1, "F/long.bedgraph: contig \"c2\" has bases up to 11, but 10 of them in F/1.json"},
		{"F/1.json F/2.json F/1.bw F/half.bedgraph", 1, "F/half.bedgraph: contig \"c2\", base 0: 0.5 is no depth of --weights all"},
		{"F/1.json F/2.json F/1.bw F/less.bedgraph", 1, "F/less.bedgraph: contig \"c2\", base 0: -1 is no depth of --weights all"},
		{"F/1.json F/2.json F/1.bw F/deep.bedgraph", 1, "F/deep.bedgraph: contig \"c2\", base 0: the depth 1.6777216e+07 is not below 16777216"},
		{"F/1.json F/2.json F/1.bw F/words.bedgraph", 1, "F/words.bedgraph: line 1: expected contig, start, end and value"},
	} {
		args := strings.Fields(in(c.args))
		if !strings.Contains(c.args, "--depth") {
			args = append([]string{"--depth", in("F/sum.bw")}, args...)
		}
		code, stdout, stderr := call(append([]string{"merge-stats", "--quiet", "--stats", in("F/sum.json")}, args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, in(c.want)) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", c.args, code, stderr, c.want)
		}
		if after := names(t, folder); after != before {
			t.Errorf("%s: the folder holds %s", c.args, after)
		}
	}
	if _, err := os.Stat(in("F/sum.bw")); err == nil {
		t.Error("a sum was left")
	}
}
