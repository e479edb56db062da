package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/programs"
)

// binary is the program, for the tests that need a process.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if isProbe() { // of a test that looks for GPUs
		return probe()
	}
	if isKeeper() { // of a test that stops a run
		return keep()
	}
	if os.Getenv(hugeVariable) != "" {
		return tryHugePages()
	}
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" || flag.Lookup("test.list").Value.String() != "" {
		return m.Run() // needs no process, and may run where no Go is
	}
	return programs.WithScanmap(".", func(folder string) int {
		binary = filepath.Join(folder, "scanmap")
		return m.Run()
	})
}

// call runs the program in this process, and gives back what GOMAXPROCS was.
func call(args ...string) (code int, stdout, stderr string) {
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	var out, err bytes.Buffer
	code = run(append([]string{"scanmap"}, args...), &out, &err)
	return code, out.String(), err.String()
}

// quietly is call with --quiet, for runs that succeed and say nothing.
func quietly(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(append(args, "--quiet")...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d, standard error %q", args, code, stderr)
	}
	return stdout
}

// golden compares what run writes with a golden file, or makes that with -update. The options of
// same, a call each, must not change it.
func golden(t *testing.T, name string, same []string, run func(more ...string) string) {
	t.Helper()
	got := run()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want := readFile(t, file); got != want {
		t.Errorf("differs from %s (-update accepts it):\n%s", file,
			cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
	for _, options := range same {
		if again := run(strings.Fields(options)...); again != got {
			t.Errorf("%s changes the output:\n%s", options, again)
		}
	}
}

func TestVersion(t *testing.T) {
	code, stdout, stderr := call("--version")
	if code != 0 || stdout != "scanmap "+version+"\n" || stderr != "" {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{
		nil, {"--help"}, {"-h"}, {"help"}, {"map", "--help"}, {"map", "-h"}, {"help", "map"},
		{"map", "ref.fa", "reads.fq", "--help"},
	} {
		code, stdout, stderr := call(args...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "scanmap map [options] REF.fa READS.fq") {
			t.Errorf("%q: exit code %d, standard error %q, standard output\n%s", args, code, stderr, stdout)
		}
	}
}

// Every option that is not hidden is in the help with a text, and nothing else is.
func TestHelpOfMap(t *testing.T) {
	_, stdout, _ := call("map", "--help")
	for _, f := range mapCommand(process{}).Flags {
		shown := strings.Contains(stdout, "--"+f.Names()[0]+" ") || strings.Contains(stdout, "--"+f.Names()[0]+",")
		if visible := f.(cli.VisibleFlag).IsVisible(); shown != visible {
			t.Errorf("--%s: shown %v, want %v", f.Names()[0], shown, visible)
		}
		if f.(cli.DocGenerationFlag).GetUsage() == "" {
			t.Errorf("--%s has no text", f.Names()[0])
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatFails(t *testing.T) {
	for _, c := range []struct {
		err     error
		code    int
		message string
	}{
		{syscall.ENOSPC, 1, "scanmap: standard output: no space left on device\n"},
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EIO}, 1, "scanmap: standard output: input/output error\n"},
		{syscall.EPIPE, 0, ""},
	} {
		for _, arg := range []string{"--version", "--help"} {
			var stderr bytes.Buffer
			code := run([]string{"scanmap", arg}, failingWriter{c.err}, &stderr)
			if code != c.code || stderr.String() != c.message {
				t.Errorf("%s, %v: exit code %d, standard error %q", arg, c.err, code, stderr.String())
			}
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{syscall.EPIPE, 1}, // not of an output
		{fmt.Errorf("x: %w", &outputError{"o", syscall.EPIPE}), 0},
		{&outputError{"o", syscall.ENOSPC}, 1},
		{usagef("x"), 2},
		{&device.Error{Err: errors.New("x")}, 3},
		{signalError{syscall.SIGINT}, 130},
		{fmt.Errorf("x: %w", signalError{syscall.SIGTERM}), 143},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}

func TestSignalCancels(t *testing.T) {
	ctx, stop := cancelOnSignal(context.Background())
	defer stop()
	// Not SIGHUP, nor SIGINT: they are switched off under nohup, and in the background.
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if err := context.Cause(ctx); err != (signalError{syscall.SIGTERM}) {
		t.Errorf("got %v", err)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"ref.fa", "reads.fq", "x.bam.bai", "x.bam.csi"} {
		if err := os.WriteFile(name, []byte(">a\nACGT\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo("fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("reads.fq", "link"), os.Symlink("nowhere", "dangling")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"--", "no command is given; see scanmap --help"},
		{"mapp", `unknown command "mapp" (did you mean map?); see scanmap --help`},
		{"mappa", `unknown command "mappa" (did you mean mappability?); see scanmap --help`},
		{"mop", `unknown command "mop" (did you mean map?); see scanmap --help`},
		{"mpa", `unknown command "mpa" (did you mean map?); see scanmap --help`},
		{"serch", `unknown command "serch" (did you mean search?); see scanmap --help`},
		{"--versoin", "unknown option --versoin (did you mean --version?); see scanmap --help"},
		{"map", "scanmap map takes two files, REF.fa and READS.fq, or three with MATES.fq, but 0 are given; see scanmap map --help"},
		{"map ref.fa", "scanmap map takes two files, REF.fa and READS.fq, or three with MATES.fq, but 1 are given; see scanmap map --help"},
		{"map ref.fa reads.fq mates.fq more.fq",
			"scanmap map takes two files, REF.fa and READS.fq, or three with MATES.fq, but 4 are given; see scanmap map --help"},
		{"map ref.fa r1.fq r2.fq --interleaved", "option --interleaved says that mates alternate in one file, but two are given"},
		{"map ref.fa reads.fq --max-insert 5", "option --max-insert is for pairs: give MATES.fq or --interleaved"},
		{"map ref.fa reads.fq --discordant x.sam", "option --discordant is for pairs: give MATES.fq or --interleaved"},
		{"map ref.fa reads.fq --interleaved --max-insert 0", "option --max-insert: 0 is less than 1"},
		{"map ref.fa reads.fq --interleaved --min-insert 10 --max-insert 9", "option --max-insert: 9 is less than 10"},
		{"map ref.fa reads.fq --interleaved --orientation fw",
			`option --orientation: orientation "fw" is not one of fr, rf, ff (did you mean fr?)`},
		{"map ref.fa reads.fq --interleaved --rescue-distance x",
			`option --rescue-distance: distance "x" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, nor numbers by length such as 17:2,38:3`},
		{"map --samples s.tsv ref.fa reads.fq",
			"scanmap map takes one file, REF.fa, besides --samples, but 2 are given; see scanmap map --help"},
		{"map --max-distanc 5 ref.fa reads.fq", "unknown option --max-distanc (did you mean --max-distance?); see scanmap map --help"},
		{"map ref.fa reads.fq --bananas=5", "unknown option --bananas; see scanmap map --help"},
		{"map ref.fa reads.fq -y", "unknown option -y; see scanmap map --help"},
		{"map ref.fa reads.fq --sort --sort=false", `option --sort is given twice, as "true" and as "false"`},
		{"map ref.fa reads.fq -o", "option --output needs a value"},
		{"map ref.fa reads.fq --quiet=yes", "option --quiet takes no value"},
		{"map ref.fa reads.fq -e -1",
			`option --max-distance: distance "-1" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, nor numbers by length such as 17:2,38:3`},
		{"map ref.fa reads.fq -e 2 -k 3", `option --max-distance is given twice, as "2" and as "3"`},
		{"map ref.fa reads.fq -k x",
			`option --max-distance: distance "x" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, nor numbers by length such as 17:2,38:3`},
		{"map ref.fa reads.fq -e 101%", `option --max-distance: distance "101%" is not a percentage between 0% and 100%`},
		{"map ref.fa reads.fq --max-mismatches 2 -e 2", "option --max-mismatches replaces --max-distance"},
		{"map ref.fa reads.fq --max-mismatches x",
			`option --max-mismatches: distance "x" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, ` +
				`nor numbers by length such as 17:2,38:3`},
		{"map ref.fa reads.fq -e five",
			`option --max-distance: distance "five" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, nor numbers by length such as 17:2,38:3`},
		{"map ref.fa reads.fq --report some", `option --report: report "some" is not one of all, best, one, unique, strata:S`},
		{"map ref.fa reads.fq --engine fast", `option --engine: engine "fast" is not one of auto, skim, scan`},
		{"map ref.fa reads.fq --cigar x", `option --cigar: form "x" is not one of m, eqx`},
		{"map ref.fa reads.fq --device gpu",
			`option --device: device "gpu" is not one of auto, cpu, cuda, cuda:N, cuda:N,M (did you mean cuda?)`},
		{"map ref.fa reads.fq --device cuda:", `option --device: device "cuda:": "" is not the number of a GPU (did you mean cuda:0?)`},
		{"map ref.fa reads.fq --device cuda:1,1", `option --device: device "cuda:1,1" names GPU 1 twice`},
		{"map ref.fa reads.fq -t 0", `option --threads: "0" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq -t 99999", `option --threads: "99999" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq -t two", `option --threads: "two" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq -t 0x10", `option --threads: "0x10" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq -t 99999999999999999999", `option --threads: "99999999999999999999" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq --crop -5", `option --crop: "-5" is not a whole number from 0 to 2147483647`},
		{"map ref.fa reads.fq --max-read-length 0", `option --max-read-length: "0" is not a whole number from 1 to 2147483647`},
		{"map ref.fa reads.fq --max-locations -5", `option --max-locations: "-5" is not a whole number from 0 to 2147483647`},
		{"map ref.fa reads.fq --batch-reads -5", `option --batch-reads: "-5" is not a whole number from 0 to 2147483647`},
		{"map ref.fa reads.fq --seed -5", `option --seed: "-5" is not a whole number from 0 to 18446744073709551615`},
		{"map ref.fa reads.fq --quiet --progress", "options --quiet and --progress contradict each other"},
		{"map ref.fa reads.fq -o out.cram", "option --output: out.cram: scanmap writes .sam, .sam.gz and .bam"},
		{"map ref.fa reads.fq -o out.gz", "option --output: out.gz: scanmap writes .sam, .sam.gz and .bam"},
		{"map ref.fa reads.fq --interleaved --discordant out.sam.zst",
			"option --discordant: out.sam.zst: scanmap writes .sam, .sam.gz and .bam"},
		{"map ref.fa reads.fq --compression 1", "option --compression is for sam.gz and bam, and the output is plain SAM"},
		{"map ref.fa reads.fq -o x.bam --compression 10", `option --compression: "10" is not a whole number from 0 to 9`},
		{"map ref.fa reads.fq --mark-duplicates", "option --mark-duplicates needs --sort"},
		{"map ref.fa reads.fq --sort-memory 1G", "option --sort-memory needs --sort"},
		{"map ref.fa reads.fq --sort --sort-memory 1X",
			`option --sort-memory: "1X" is not a number of bytes such as 768M or 2G, at most 16T`},
		{"map ref.fa reads.fq --sort --sort-memory 9999999T",
			`option --sort-memory: "9999999T" is not a number of bytes such as 768M or 2G, at most 16T`},
		{"map ref.fa reads.fq --sort --sort-memory 8000000T",
			`option --sort-memory: "8000000T" is not a number of bytes such as 768M or 2G, at most 16T`},
		{"map ref.fa reads.fq --sort -o x.bam --stats x.bam.bai", "options --stats and --output (its index) name the same file"},
		{"map ref.fa reads.fq -o x.bam --stats x.bam.bai", "options --stats and --output (its index) name the same file"},
		{"map ref.fa reads.fq -o x.bam --stats ./x.bam.csi", "options --stats and --output (its index) name the same file"},
		{"map x.bam.bai reads.fq -o x.bam", "x.bam.bai is an input, but has the name of an index of x.bam and would be removed"},
		{"map ref.fa x.bam.bai -o ./x.bam", "./x.bam.bai is an input, but has the name of an index of ./x.bam and would be removed"},
		{"map ref.fa reads.fq x.bam.csi -o x.bam", "x.bam.csi is an input, but has the name of an index of x.bam and would be removed"},
		{"map ref.fa x.bam.csi --sort -o x.bam", "x.bam.csi is an input, but has the name of an index of x.bam and would be removed"},
		{"map x.bam.bai reads.fq -o x.bam --stats x.bam.bai",
			"x.bam.bai is an input, but has the name of an index of x.bam and would be removed"},
		{"map ref.fa reads.fq --cpuprofile ref.fa", "ref.fa is an input and would be overwritten"},
		{"map ref.fa reads.fq --memprofile ./reads.fq", "./reads.fq is an input and would be overwritten"},
		{"map ref.fa reads.fq --memprofile link", "link is an input and would be overwritten"},
		{"map ref.fa reads.fq --stats x --cpuprofile x", "options --stats and --cpuprofile name the same file"},
		{"map ref.fa reads.fq --memprofile x --cpuprofile x", "options --cpuprofile and --memprofile name the same file"},
		{"map ref.fa reads.fq -o x --memprofile -", "option --memprofile: a profile cannot go to standard output"},
		{"map ref.fa reads.fq --cpuprofile=", "option --cpuprofile: the name is empty"},
		{"bench map ref.fa reads.fq --device cpu --json ref.fa", "ref.fa is an input and would be overwritten"},
		{"bench map ref.fa reads.fq --device cpu --json link", "link is an input and would be overwritten"},
		{"map ref.fa reads.fq --multiqc z.json", "option --multiqc: z.json: the name does not end in _mqc.json, by which MultiQC finds the file"},
		{"map ref.fa reads.fq --abundance x.tsv.gz", "option --abundance: x.tsv.gz: scanmap writes plain TSV"},
		{"map ref.fa reads.fq -u x.fq.bz2", "option --unmapped: x.fq.bz2: scanmap writes plain FASTQ, or .gz"},
		{"map ref.fa reads.fq --stats fifo --multiqc fifo", "options --stats and --multiqc name the same file"},
		{"map --samples - -", "two inputs cannot both come from standard input"},
		{"map ref.fa reads.fq --report-html -", "option --report-html: standard output is taken by --output"},
		{"map ref.fa reads.fq --stats x_mqc.json --multiqc x_mqc.json", "options --stats and --multiqc name the same file"},
		{"map ref.fa reads.fq -o=", "option --output: the name is empty"},
		{"map ref.fa reads.fq --stats=", "option --stats: the name is empty"},
		{"map ref.fa reads.fq --stats -", "option --stats: standard output is taken by --output"},
		{"map ref.fa reads.fq -o /dev/stdout --stats -", "option --stats: standard output is taken by --output"},
		{"map ref.fa reads.fq -o x --stats ./x", "options --output and --stats name the same file"},
		{"map ref.fa reads.fq -o dangling --stats nowhere", "options --output and --stats name the same file"},
		{"map ref.fa reads.fq -o reads.fq", "reads.fq is an input and would be overwritten"},
		{"map ref.fa reads.fq -o link", "link is an input and would be overwritten"},
		{"map ref.fa reads.fq -o x --stats ./ref.fa", "./ref.fa is an input and would be overwritten"},
		{"map - -", "two inputs cannot both come from standard input"},
		{"map fifo ./fifo", "fifo and ./fifo are the same stream, which can be read once only"},
		{"map ref.fa reads.fq --rg x -R @RG\\tID:x", "option --read-group replaces --rg, --sample and --library"},
		{"map ref.fa reads.fq --sample x", "options --sample and --library need the ID of a read group: --rg"},
		{"map ref.fa reads.fq --rg x --sample=", "option --sample: the name is empty or blank"},
		{"map ref.fa reads.fq --rg x --library=", "option --library: the name is empty or blank"},
		{"map ref.fa reads.fq --tmpdir=", "option --tmpdir: the name is empty"},
		{"map ref.fa reads.fq --sort --tmpdir=", "option --tmpdir: the name is empty"},
		{"map ref.fa reads.fq --rg=", `read group "": ID: its value is empty`},
		{"map ref.fa reads.fq -R @RG\\tSM:x", `read group "@RG\\tSM:x": it has no ID`},
	} {
		code, stdout, stderr := call(strings.Fields(c.args)...)
		if want := "scanmap: " + c.want + "\n"; code != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
	for _, option := range []string{"sample", "library"} {
		for _, name := range []string{"", " ", " \t", "\u00a0"} {
			code, stdout, stderr := call("map", "ref.fa", "reads.fq", "--rg", "x", "--"+option, name)
			if want := "scanmap: option --" + option + ": the name is empty or blank\n"; code != 2 || stdout != "" || stderr != want {
				t.Errorf("--%s %q: exit code %d, standard output %q, standard error %q", option, name, code, stdout, stderr)
			}
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 7 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}

func TestNoCUDA(t *testing.T) {
	if _, err := gpu.LoadDriver(); err == nil {
		t.Skip("a CUDA driver is here")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"ref.fa", "reads.fq"} {
		if err := os.WriteFile(name, []byte(">a\nACGT\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, device := range []string{"cuda", "cuda:0", "cuda:0,2"} {
		code, stdout, stderr := call("map", "ref.fa", "reads.fq", "--device", device)
		if want := "scanmap: " + gpu.ErrNoDriver.Error(); code != 3 || stdout != "" ||
			!strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
		}
	}
	if code, _, stderr := call("map", "ref.fa", "reads.fq", "--device", "auto", "--quiet"); code != 0 || stderr != "" {
		t.Errorf("auto: exit code %d, standard error %q", code, stderr)
	}
}

// A name with a line break does not break a message.
func TestMessagesAreOneLine(t *testing.T) {
	code, _, stderr := call("map", "no\nsuch\r.fa", "reads.fq")
	if want := "scanmap: no\\nsuch\\r.fa: no such file or directory\n"; code != 1 || stderr != want {
		t.Errorf("exit code %d, standard error %q, want %q", code, stderr, want)
	}
}
