package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	refFile   = "testdata/ref.fa"
	readsFile = "testdata/reads.fq"
)

// mapSmall maps the test data.
func mapSmall(options ...string) (code int, stdout, stderr string) {
	return call(append([]string{"map", refFile, readsFile}, options...)...)
}

// mapQuietly is mapSmall for runs that succeed and say nothing.
func mapQuietly(t *testing.T, options ...string) string {
	t.Helper()
	return quietly(t, append([]string{"map", refFile, readsFile}, options...)...)
}

func TestMapGolden(t *testing.T) {
	for _, c := range []struct{ name, options string }{
		{"default", ""},
		{"k0", "-e 0"},
		{"mismatches", "--max-mismatches 5 --crop 14 --cigar eqx"},
		{"eqx", "--cigar eqx --full-secondary --omit-unmapped"},
		{"one", "--report one --crop 40"},
		{"unit", "--gaps unit"},
		{"mismatches-unit", "--gaps unit --max-mismatches 5 --crop 14 --cigar eqx"},
		{"readgroup", `-R @RG\tID:x\tSM:y\tDT:2020-02-29 --max-locations 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := append(strings.Fields(c.options), "--no-pg")
			golden(t, c.name+".sam", []string{
				"-t 1", "-t 3", "--batch-reads 1", "--batch-reads 2 -t 2", "--engine scan", "--engine skim", "--device cpu",
			}, func(more ...string) string { return mapQuietly(t, slices.Concat(options, more)...) })
		})
	}
}

// TestGaps has a read with a deletion of 6 bases 8 bases from its end, which costs fewer edits as
// mismatches.
func TestGaps(t *testing.T) {
	const before, deleted, after = "GATTACAGGCATCCGTTAGCCTGAACGTCTCG", "CATGTA", "CTTGCAGA"
	folder := t.TempDir()
	reference, reads, none := filepath.Join(folder, "gap.fa"), filepath.Join(folder, "gap.fq"), filepath.Join(folder, "none.json")
	for file, text := range map[string]string{
		reference: ">c\n" + before + deleted + after + "CCAGATTGCCA\n", reads: "@r\n" + before + after + "\n+\n" + strings.Repeat("F", 40) + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const (
		affine = "\t32M6D8M\t*\t0\t0\tS\tQ\tNM:i:6\tMD:Z:32^CATGTA8\tAS:i:28\tXE:i:4\tNH:i:1\tHI:i:1\n"
		unit   = "\t40M\t*\t0\t0\tS\tQ\tNM:i:4\tMD:Z:33A2T1C0T0\tAS:i:-4\tNH:i:1\tHI:i:1\n"
		capped = "\t40M\t*\t0\t0\tS\tQ\tNM:i:4\tMD:Z:33A2T1C0T0\tAS:i:20\tXE:i:4\tNH:i:1\tHI:i:1\n"
	)
	shorter := strings.NewReplacer(before+after, "S", strings.Repeat("F", 40), "Q")
	for _, c := range []struct{ options, want string }{
		{"-e 4", affine},
		{"-e 4 --gaps affine", affine},
		{"-e 4 --gaps=unit", unit},
		{"-e 4 --gaps affine --cigar eqx", strings.Replace(affine, "32M6D8M", "32=6D8=", 1)},
		{"--max-mismatches 4", capped},
		{"--max-mismatches 4 --gaps unit", unit},
	} {
		got := quietly(t, slices.Concat([]string{"map", reference, reads, "--no-pg"}, strings.Fields(c.options))...)
		if got = shorter.Replace(got); !strings.HasSuffix(got, "\nr\t0\tc\t1\t25"+c.want) {
			t.Errorf("%s: got %q, want %q", c.options, got, c.want)
		}
	}
	for _, c := range []struct{ options, want string }{
		{"--gaps linear", `option --gaps: cost "linear" is not one of affine, unit`},
		{"--gaps affin", `option --gaps: cost "affin" is not one of affine, unit (did you mean affine?)`},
		{"--gaps=", `option --gaps: cost "" is not one of affine, unit`},
		{"--gaps unit --gaps affine", `option --gaps is given twice, as "unit" and as "affine"`},
		{"--gaps unit -o none --stats " + none, "option --gaps is for records, of which --output none writes none"},
	} {
		code, stdout, stderr := call(slices.Concat([]string{"map", reference, reads}, strings.Fields(c.options))...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "scanmap: "+c.want) {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q, want %q", c.options, code, stdout, stderr, c.want)
		}
	}
}

func TestMapHeader(t *testing.T) {
	got, _, _ := strings.Cut(mapQuietly(t, "--rg", "x", "--sample", "a b", "--library", "l"), "exact")
	want := "@HD\tVN:1.6\tSO:unsorted\tGO:query\n@SQ\tSN:c1\tLN:400\n@SQ\tSN:c2\tLN:200\n@RG\tID:x\tSM:a b\tLB:l\n" +
		"@PG\tID:scanmap\tPN:scanmap\tVN:" + version + "\tCL:scanmap map testdata/ref.fa testdata/reads.fq --rg x --sample a b --library l --quiet\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// A real tab on the command line stays inside its field.
	got = mapQuietly(t, "-R", "@RG\tID:x\tSM:y")
	if !strings.Contains(got, "\n@RG\tID:x\tSM:y\n@PG\t") || !strings.Contains(got, ` -R @RG\tID:x\tSM:y --quiet`+"\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestMapToFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "out.sam")
	want := mapQuietly(t, "--no-pg")
	for range 2 { // the second run replaces the file
		if got := mapQuietly(t, "--no-pg", "-o", file); got != "" {
			t.Errorf("standard output %q", got)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%v, got\n%s", err, got)
		}
	}
	if got := names(t, folder); got != "out.sam" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestMapStatistics(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "stats.json")
	want := mapQuietly(t, "--no-pg")
	if got := mapQuietly(t, "--no-pg", "--stats", file); got != want {
		t.Errorf("standard output changes:\n%s", got)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// With the SAM in a file, the statistics may go to standard output.
	stdout := mapQuietly(t, "--no-pg", "--stats", "-", "-o", filepath.Join(folder, "out.sam"))
	for _, text := range []string{string(text), stdout} {
		var stats struct {
			Schema, Version                  string
			Reads, Mappings                  int
			Mapped_reads, Unmapped_reads     int
			Mapping_ratio                    float64
			Reads_by_distance                []int
			Search_throughput_tbps           float64
			Unique_reads, Multiple_reads     int
			Reported, Reference_bases, Bases int
		}
		if err := json.Unmarshal([]byte(text), &stats); err != nil {
			t.Fatal(err)
		}
		if stats.Schema != "scanmap-stats/1" || stats.Version != version || stats.Reads != 5 || stats.Mapped_reads != 4 ||
			stats.Unmapped_reads != 1 || stats.Mapping_ratio != 0.8 || stats.Mappings != 5 || stats.Reported != 5 ||
			stats.Unique_reads != 3 || stats.Multiple_reads != 1 || !slices.Equal(stats.Reads_by_distance, []int{3, 1}) ||
			stats.Reference_bases != 600 || stats.Bases != 250 || stats.Search_throughput_tbps <= 0 {
			t.Errorf("got %+v", stats)
		}
	}
	if got := names(t, folder); got != "out.sam stats.json" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestMapTalksToStandardError(t *testing.T) {
	want := mapQuietly(t, "--no-pg")
	for _, c := range []struct {
		options  []string
		progress bool
	}{{nil, false}, {[]string{"--progress"}, true}} {
		code, stdout, stderr := mapSmall(append(c.options, "--no-pg")...)
		if code != 0 || stdout != want {
			t.Errorf("exit code %d, standard output\n%s", code, stdout)
		}
		if progress := strings.HasPrefix(stderr, "scanmap: 5 reads, 80.00 % mapped, "); progress != c.progress {
			t.Errorf("%q: progress %v:\n%s", c.options, progress, stderr)
		}
		if !strings.Contains(stderr, "  mapped       4  80.00 %\n") {
			t.Errorf("no table:\n%s", stderr)
		}
	}
}

func TestMapProfiles(t *testing.T) {
	folder := t.TempDir()
	cpu, memory := filepath.Join(folder, "cpu"), filepath.Join(folder, "memory")
	mapQuietly(t, "--cpuprofile", cpu, "--memprofile", memory)
	for _, file := range []string{cpu, memory} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A run that fails says why in one line and leaves no file.
func TestMapFailures(t *testing.T) {
	folder := t.TempDir()
	bad := map[string]string{
		"short.fq":  "@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIII\n",
		"twice.fa":  ">a\nACGT\n>a\nACGT\n",
		"comma.fa":  ">a,b\nACGTACGT\n",
		"empty.fa":  "",
		"reads.fq":  "@a\nACGT\n+\nIIII\n",
		"long.fq":   "@a\nACGT\n+\nIIII\n@b\nACGTA\n+\nIIIII\n",
		"binary.fq": "\x00\x01\x02",
	}
	for name, text := range bad {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, folder)
	in := func(name string) string { return filepath.Join(folder, name) }
	for _, c := range []struct {
		ref, reads string
		options    string
		want       []string // parts of the message
	}{
		{refFile, in("short.fq"), "", []string{in("short.fq") + `: record 2 "b": `}},
		{refFile, in("long.fq"), "--max-read-length 4 --crop 2", []string{in("long.fq") +
			`: record 2 "b": the read has more than 4 bases; --max-read-length allows more`}},
		{refFile, in("binary.fq"), "", []string{in("binary.fq") + ": "}},
		{refFile, in("none.fq"), "", []string{in("none.fq") + ": no such file or directory\n"}},
		{in("none.fa"), readsFile, "", []string{in("none.fa") + ": no such file or directory\n"}},
		{in("twice.fa"), readsFile, "", []string{in("twice.fa") + ": ", `"a"`}},
		{in("comma.fa"), readsFile, "", []string{`"a,b"`}},
		{in("empty.fa"), readsFile, "", []string{in("empty.fa") + ": "}},
		{folder, readsFile, "", []string{folder + ": "}},
		{refFile, folder, "", []string{folder + ": "}},
		{refFile, readsFile, "--stats " + in("no/stats.json"), []string{in("no/stats.json") + ": no such file or directory\n"}},
		{refFile, readsFile, "--stats /dev/full", []string{"statistics: /dev/full: no space left on device\n"}},
		{refFile, readsFile, "--cpuprofile " + in("no/cpu"), []string{in("no/cpu") + ": no such file or directory\n"}},
	} {
		args := append([]string{"map", c.ref, c.reads, "-o", in("out.sam")}, strings.Fields(c.options)...)
		code, stdout, stderr := call(args...)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "scanmap: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, standard output %q, standard error\n%s", args, code, stdout, stderr)
		}
		for _, part := range c.want {
			if !strings.Contains(stderr, part) {
				t.Errorf("%q: %q is not in the message\n%s", args, part, stderr)
			}
		}
		if got := names(t, folder); got != before {
			t.Errorf("%q: the folder holds %s", args, got)
		}
	}
	// The same for targets that are bad.
	for _, c := range []struct{ output, want string }{
		{folder, "is a directory"},
		{in("no/out.sam"), "no such file or directory"},
		{"/dev/full", "no space left on device"},
	} {
		code, stdout, stderr := mapSmall("-o", c.output, "--stats", in("stats.json"))
		if want := fmt.Sprintf("scanmap: %s: %s\n", c.output, c.want); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", c.output, code, stdout, stderr)
		}
		if got := names(t, folder); got != before {
			t.Errorf("%s: the folder holds %s", c.output, got)
		}
	}
}

func TestMapStandardOutputFails(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"scanmap", "map", refFile, readsFile},
		failingWriter{&os.PathError{Op: "write", Path: "|1", Err: os.ErrClosed}}, &stderr)
	if want := "scanmap: standard output: file already closed\n"; code != 1 || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
}

// TestMapSenseless ends runs that would write locations by chance, and runs with the reads given as
// the reference, with one line and no file.
func TestMapSenseless(t *testing.T) {
	folder := t.TempDir()
	var reads, long strings.Builder
	text := truth.Random(rand.New(rand.NewPCG(7, 8)), 20_000, "ACGT")
	for i := range 100 {
		_, _ = fmt.Fprintf(&reads, ">read%d\n%s\n", i, text[100*i:100*i+100])
	}
	_, _ = fmt.Fprintf(&long, ">a\n%s\n>b\n%s\n", text[:9000], text)
	readsFile, ref := copiesFile(t, folder, "reads.fa", reads.String()), copiesFile(t, folder, "ref.fa", long.String())
	out := filepath.Join(folder, "out.sam")
	const data = "../../testdata/"
	for _, c := range []struct{ args, want string }{
		{ref + " " + readsFile + " -e 150", readsFile + ": with 150 edits a read of 100 bases (the median of the first ones) lies at some 384 locations of " +
			ref + " by chance: allow fewer edits, or limit the locations of a read (--max-locations) to map it nevertheless"},
		{ref + " " + readsFile + " -e 60% --report one", "with 60 edits a read of 100 bases"},
		{data + "phix.fa " + data + "phix_R1.fastq -e 150", "with 150 edits a read of 301 bases (the median of the first ones) lies at some 6"},
		{data + "portiera.fa.gz " + data + "portiera_101bp.fastq.gz -e 40", "with 40 edits a read of 101 bases (the median of the first ones) lies at some 202 locations"},
		{readsFile + " " + ref, ref + ": reads of 9000 bases (the median of the first ones) cannot lie on " + readsFile +
			", whose longest contig has 100: the reference is named before the reads"},
		{"-x variants " + readsFile + " " + ref, "the reference is named before the reads"},
	} {
		code, stdout, stderr := call(append([]string{"map", "-o", out}, strings.Fields(c.args)...)...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, code, stderr, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: left a file", c.args)
		}
	}
	quietly(t, "map", ref, readsFile, "--crop", "20", "-e", "50%", "--max-locations", "1", "--take", "10", "-o", out)
	for _, c := range []string{"phix.fa phix_R1.fastq -e 15%", "portiera.fa.gz portiera_101bp.fastq.gz -e 15%", "portiera.fa.gz portiera_36bp.fastq.gz -e 15%",
		"portiera.fa.gz portiera_101bp.fastq.gz --crop 20 -e 4", "portiera.fa.gz portiera_101bp.fastq.gz --crop 20 -e 5"} {
		args := strings.Fields(c)
		quietly(t, append([]string{"map", data + args[0], data + args[1], "--take", "20", "-o", out}, args[2:]...)...)
	}
}

// TestMapHint says what may be tried where many reads are unmapped: on standard error, in the JSON
// and on the page.
func TestMapHint(t *testing.T) {
	folder := t.TempDir()
	var reads strings.Builder
	text := truth.Random(rand.New(rand.NewPCG(7, 8)), 20_000, "ACGT")
	for i := range 400 {
		read := text[40*i : 40*i+100]
		if i < 120 {
			read = read[:85] + "AGATCGGAAGAGCAC"
		}
		_, _ = fmt.Fprintf(&reads, ">read%d\n%s\n", i, read)
	}
	readsFile, ref := copiesFile(t, folder, "reads.fa", reads.String()), copiesFile(t, folder, "ref.fa", ">a\n"+text+"\n")
	stats, page := filepath.Join(folder, "stats.json"), filepath.Join(folder, "page.html")
	args := []string{"map", "-o", filepath.Join(folder, "out.sam"), "--stats", stats, "--report-html", page, ref, readsFile}
	const want = "30.00 % of the reads are unmapped; of a sample of 120 of these 120 have an adapter (mostly AGATCGGAAGAGC), " +
		"120 map with --local, 86 map with -e 8%: cut adapters off, or try --local"
	code, _, stderr := call(args...)
	if code != 0 || !strings.HasSuffix(stderr, "\nscanmap: hint: "+want+"\n") || !strings.Contains(stderr, "\nallowed                edits 4%\nreport                      all\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if text := readFile(t, stats); !strings.Contains(text, want) || !strings.Contains(text, `"allowed": "edits 4%"`) {
		t.Error("the JSON has no hint")
	}
	if text := untied(readFile(t, page)); !strings.Contains(text, want+".") || !strings.Contains(text, "edits 4%") {
		t.Error("the page has no hint")
	}
	quietly(t, args...)
}
