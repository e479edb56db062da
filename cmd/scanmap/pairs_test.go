package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/biogo/hts/bam"
	"github.com/google/go-cmp/cmp"
)

const (
	firstFile  = "testdata/pairs_1.fq"
	secondFile = "testdata/pairs_2.fq"
)

// mapPairs maps the pairs of the test data; it succeeds and says nothing.
func mapPairs(t *testing.T, options ...string) string {
	t.Helper()
	return mapFiles(t, append([]string{refFile, firstFile, secondFile}, options...)...)
}

// mapFiles is mapPairs with all arguments.
func mapFiles(t *testing.T, args ...string) string {
	t.Helper()
	return quietly(t, append([]string{"map"}, args...)...)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPairsGolden(t *testing.T) {
	for _, c := range []struct{ name, options string }{
		{"pairs", "--max-insert 300"},
		{"pairs-one", "--max-insert 300 --report one --rescue-distance 0 --omit-unmapped -R @RG\\tID:x"},
		{"pairs-unique", "--min-insert 100 --max-insert 300 --report unique"},
		{"pairs-estimated", "-e 0"},
		{"pairs-mismatches", "--max-mismatches 2 --rescue-distance 6 --max-insert 300"},
		{"pairs-unit", "--gaps unit --max-insert 300"},
		{"pairs-mismatches-unit", "--gaps unit --max-mismatches 2 --rescue-distance 6 --max-insert 300"},
		{"pairs-rf", "--orientation rf --max-insert 300"},
		{"pairs-ff", "--orientation ff --max-insert 300"},
		{"pairs-local", "--local --max-insert 300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			discordant, unmapped := filepath.Join(folder, "discordant.sam"), filepath.Join(folder, "unmapped.fq")
			options := append(strings.Fields(c.options), "--no-pg", "--discordant", discordant, "--unmapped", unmapped)
			ways := []string{"-t 1", "-t 3", "--batch-reads 1", "--batch-reads 3 -t 2"}
			if c.name != "pairs-local" { // which has one engine
				ways = append(ways, "--engine scan", "--engine skim")
			}
			golden(t, c.name+".txt", ways, func(more ...string) string {
				records := mapPairs(t, slices.Concat(options, more)...)
				return records + "--discordant--\n" + readFile(t, discordant) + "--unmapped--\n" + readFile(t, unmapped)
			})
		})
	}
}

// TestInterleaved has both mates in one file.
func TestInterleaved(t *testing.T) {
	want := mapPairs(t, "--no-pg")
	first, second := strings.SplitAfter(readFile(t, firstFile), "\n"), strings.SplitAfter(readFile(t, secondFile), "\n")
	var both strings.Builder
	for i := 0; i+3 < len(first); i += 4 {
		both.WriteString(strings.Join(first[i:i+4], "") + strings.Join(second[i:i+4], ""))
	}
	file := filepath.Join(t.TempDir(), "both.fq")
	if err := os.WriteFile(file, []byte(both.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := mapFiles(t, "--no-pg", "--interleaved", refFile, file); got != want {
		t.Errorf("interleaved:\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// TestSamples maps pairs, single reads and interleaved ones of three read groups in one run, which
// gives what each gives alone.
func TestSamples(t *testing.T) {
	folder := t.TempDir()
	table := filepath.Join(folder, "samples.tsv")
	text := "reads\tmates\tread group\n# a comment\n\n" +
		firstFile + "\t" + secondFile + "\t@RG\\tID:a\\tSM:one\n" +
		readsFile + "\t\tb\r\n" +
		firstFile + "\t" + secondFile + "\t@RG\\tID:a\\tSM:one\n"
	if err := os.WriteFile(table, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	records := func(args ...string) string {
		_, body, ok := strings.Cut(mapFiles(t, append([]string{"--no-pg"}, args...)...), "@RG\tID:")
		if !ok {
			t.Fatal("no @RG")
		}
		return body[strings.Index(body, "\n")+1:]
	}
	pairs, single := records("-R", `@RG\tID:a\tSM:one`, refFile, firstFile, secondFile), records("--rg", "b", refFile, readsFile)
	want := "@RG\tID:b\n" + pairs + single + pairs
	for _, more := range []string{"-t 1", "-t 3", "--batch-reads 1", "--batch-reads 5"} {
		if got := records(append(strings.Fields(more), "--samples", table, refFile)...); got != want {
			t.Errorf("%s:\n%s", more, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

func TestBadSamples(t *testing.T) {
	folder := t.TempDir()
	table := filepath.Join(folder, "samples.tsv")
	for _, c := range []struct{ text, want string }{
		{"", "there are no libraries; a line has reads, mates or nothing, and a read group, separated by tabs"},
		{"reads\tmates\n", "there are no libraries; a line has reads, mates or nothing, and a read group, separated by tabs"},
		{"sample,fastq_1,fastq_2\nx,r1.fq,r2.fq\n", "line 1: sample,fastq_1,fastq_2: no such file or directory; " +
			"a line has three columns separated by tabs, and this one has commas"},
		{"r1.fq r2.fq x\n", "line 1: r1.fq r2.fq x: no such file or directory; " +
			"a line has three columns separated by tabs, and this one has blanks"},
		{"r1.fq,r2.fq\tr2.fq\n", "line 1: r1.fq,r2.fq: no such file or directory"},
		{"reads\tmates\n# a comment\n\nr1.fq\tr2.fq\n", "line 4: r1.fq: no such file or directory"},
		{"\tr2.fq\n", "line 1: there is no file of reads in the first column"},
		{"r1.fq\tr2.fq\tx\nr1.fq\n", "line 2: either all lines have a read group or none has, and line 1 is the other way"},
		{"r1.fq\n\nr1.fq\tr2.fq\tx\n", "line 3: either all lines have a read group or none has, and line 1 is the other way"},
		{"r1.fq\tr2.fq\t@RG\\tSM:x\n", `line 1: read group "@RG\\tSM:x": it has no ID`},
		{"r1.fq\t\tx\nr2.fq\t\t@RG\\tID:x\\tSM:y\n", `line 2: read group "@RG\tID:x\tSM:y" is "@RG\tID:x" elsewhere`},
	} {
		if err := os.WriteFile(table, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call("map", refFile, "--samples", table)
		if want := fmt.Sprintf("scanmap: %s: %s\n", table, c.want); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: exit code %d, standard error %swant %s", c.text, code, stderr, want)
		}
	}
}

func TestBadPairs(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for name, text := range map[string]string{
		"ref.fa": ">a\nACGTACGTAC\n", "r1.fq": "@a\nACGT\n+\nFFFF\n@b\nACGT\n+\nFFFF\n", "short.fq": "@a\nACGT\n+\nFFFF\n",
		"other.fq": "@a\nACGT\n+\nFFFF\n@c\nACGT\n+\nFFFF\n", "bad.fa": "not a reference\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("ref.fa", "link.fa"); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"insert-size ref.fa r1.fq link.fa", "bench map --device cpu ref.fa link.fa"} {
		code, _, stderr := call(strings.Fields(args)...)
		if want := "scanmap: link.fa: is the same file as ref.fa; expected reads\n"; code != 1 || stderr != want {
			t.Errorf("%s: exit code %d, standard error %swant %s", args, code, stderr, want)
		}
	}
	for _, options := range []string{"", "--max-insert 9"} {
		code, _, stderr := call(append(strings.Fields("map bad.fa short.fq --interleaved"), strings.Fields(options)...)...)
		if want := "scanmap: bad.fa: expected FASTA ('>'), found \"n\"\n"; code != 1 || stderr != want {
			t.Errorf("a bad reference, %s: exit code %d, standard error %swant %s", options, code, stderr, want)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"r1.fq other.fq", `other.fq: record 2 "c": its mate in r1.fq, record 2, is "b"`},
		{"r1.fq short.fq", "short.fq: ends after 1 records, but r1.fq has more"},
		{"short.fq r1.fq", "short.fq: ends after 1 records, but r1.fq has more"},
		{"--interleaved short.fq", `short.fq: record 1 "a": the file ends without its mate`},
		{"--interleaved r1.fq", `r1.fq: record 2 "b": the record before it, "a", is not its mate`},
		{"r1.fq r1.fq", "r1.fq: is the same file as r1.fq; expected the mates of its reads"},
		{"ref.fa", "ref.fa: is the same file as ref.fa; expected reads"},
		{"--interleaved ./ref.fa", "./ref.fa: is the same file as ref.fa; expected reads"},
		{"r1.fq link.fa", "link.fa: is the same file as ref.fa; expected reads"},
	} {
		for _, output := range []string{"out.sam", "out.bam", "out.sam.gz"} {
			code, stdout, stderr := call(append(strings.Fields("map ref.fa -o "+output), strings.Fields(c.args)...)...)
			if want := "scanmap: " + c.want + "\n"; code != 1 || stdout != "" || stderr != want {
				t.Errorf("%s: exit code %d, standard error %swant %s", c.args, code, stderr, want)
			}
		}
	}
	if got := names(t, folder); got != "bad.fa link.fa other.fq r1.fq ref.fa short.fq" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestFormats compares all formats, sorted and not, with the SAM.
func TestFormats(t *testing.T) {
	folder := t.TempDir()
	for _, sorted := range []string{"", "--sort", "--sort --sort-memory 1"} {
		options := append(strings.Fields(sorted), "--no-pg", "--max-insert", "300")
		want := mapPairs(t, options...)
		for _, name := range []string{"x.sam", "x.sam.gz", "x.bam"} {
			file := filepath.Join(folder, name)
			if got := mapPairs(t, append(options, "-o", file)...); got != "" {
				t.Errorf("standard output %q", got)
			}
			written := readFile(t, file)
			for _, more := range []string{"-t 1", "-t 3", "--batch-reads 1"} {
				mapPairs(t, append(append(options, "-o", file), strings.Fields(more)...)...)
				if readFile(t, file) != written {
					t.Errorf("%s %s: %s changes the output", name, sorted, more)
				}
			}
			piped := mapPairs(t, append(options, "--format", strings.TrimPrefix(name, "x."))...)
			if piped != written {
				t.Errorf("%s %s: standard output gets something else", name, sorted)
			}
			stored := piped
			if name != "x.sam" {
				stored = mapPairs(t, append(options, "--compression", "0", "--format", strings.TrimPrefix(name, "x."))...)
			}
			for _, text := range []string{written, stored} {
				if got := asSAM(t, name, text); got != want {
					t.Errorf("%s %s:\n%s", name, sorted, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
				}
			}
		}
		wanted := "x.bam x.sam x.sam.gz"
		if sorted != "" {
			wanted = "x.bam x.bam.bai x.sam x.sam.gz"
		}
		if got := names(t, folder); got != wanted {
			t.Errorf("%s: the folder holds %s", sorted, got)
		}
	}
}

// asSAM turns a file into SAM.
func asSAM(t *testing.T, name, text string) string {
	t.Helper()
	switch name {
	case "x.sam.gz":
		z, err := gzip.NewReader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return string(plain)
	case "x.bam":
		r, err := bam.NewReader(strings.NewReader(text), 1)
		if err != nil {
			t.Fatal(err)
		}
		header, err := r.Header().MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		out := bytes.NewBuffer(header)
		for {
			record, err := r.Read()
			if err == io.EOF {
				return out.String()
			}
			if err != nil {
				t.Fatal(err)
			}
			line, err := record.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			out.Write(line)
			out.WriteByte('\n')
		}
	}
	return text
}

// TestUnmappedCompressed reads back what --unmapped writes.
func TestUnmappedCompressed(t *testing.T) {
	folder := t.TempDir()
	plain, packed := filepath.Join(folder, "u.fq"), filepath.Join(folder, "u.fq.gz")
	mapPairs(t, "-u", plain)
	mapPairs(t, "-u", packed)
	want := readFile(t, plain)
	if got := asSAM(t, "x.sam.gz", readFile(t, packed)); got != want || !strings.Contains(want, "@nowhere/1\n") ||
		!strings.Contains(want, "@anchored/2\n") {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFailuresOfLibraries has libraries that cannot be read, the first or a later one; no output is
// left.
func TestFailuresOfLibraries(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for name, text := range map[string]string{
		"ref.fa": ">a\nACGTACGTAC\n", "r1.fq": "@a\nACGT\n+\nFFFF\n", "r2.fq": "@a\nACGT\n+\nFFFF\n", "bad.fq": "@a\nAC*T\n+\nFFFF\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ table, want string }{
		{"r1.fq\tr2.fq\tA\nr1.fq\tr1.fq\tB\n", "s.tsv: line 2: r1.fq is given for both mates"},
		{"r1.fq\tr2.fq\tA\nr1.fq\tmissing.fq\tB\n", "s.tsv: line 2: missing.fq: no such file or directory"},
		{"r1.fq r2.fq A\n", "s.tsv: line 1: r1.fq r2.fq A: no such file or directory; a line has three columns separated by tabs, and this one has blanks"},
		{"r1.fq\tr2.fq\tA\nr1.fq\tfolder\tB\n", "folder: is a directory"},
		{"r1.fq\t\tA\nfolder\t\tB\n", "folder: is a directory"},
		{"r1.fq\t\tA\nbad.fq\t\tB\n", `bad.fq: record 1 "a": the byte "*" at position 3 is not a base`},
		{"r\x00\n", "s.tsv: is UTF-16 or binary; expected text"},
	} {
		if err := os.WriteFile("s.tsv", []byte(c.table), 0o666); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(strings.Fields("map --quiet --samples s.tsv --sort -o o.bam --stats s.json ref.fa")...)
		if want := "scanmap: " + c.want + "\n"; code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: exit code %d, standard error %swant %s", c.table, code, stderr, want)
		}
		if got := names(t, folder); got != "bad.fq folder r1.fq r2.fq ref.fa s.tsv" {
			t.Fatalf("%q: the folder holds %s", c.table, got)
		}
	}
}

// TestOutputsThatCannotBe have names or folders that fail; all is well known before the run, or
// nothing appears.
func TestOutputsThatCannotBe(t *testing.T) {
	folder := t.TempDir()
	long := filepath.Join(folder, strings.Repeat("n", 300))
	// The name of its index is too long.
	almost := filepath.Join(folder, strings.Repeat("n", 248)+".bam")
	for _, c := range []struct {
		args string
		want string
	}{
		{"-o " + long + ".sam", long + ".sam: file name too long"},
		{"--sort -o " + almost, almost + ".bai: file name too long"},
		{"-o " + filepath.Join(folder, "x.sam") + " --stats " + long, long + ": file name too long"},
		{"--sort --tmpdir " + filepath.Join(folder, "nowhere"), "temporary folder " +
			filepath.Join(folder, "nowhere") + " (--tmpdir): no such file or directory"},
	} {
		code, stdout, stderr := call(append([]string{"map", "--quiet", refFile, readsFile}, strings.Fields(c.args)...)...)
		if want := "scanmap: " + c.want + "\n"; code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard error %swant %s", c.args, code, stderr, want)
		}
		if got := names(t, folder); got != "" {
			t.Fatalf("%s: the folder holds %s", c.args, got)
		}
	}
}

// TestPublishTogether has a rename fail after others: files that have appeared go again.
func TestPublishTogether(t *testing.T) {
	folder := t.TempDir()
	r := &resultFiles{ctx: t.Context()}
	var files []*output
	for _, name := range []string{"a", "b", "c"} {
		o, err := r.open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, o)
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files[0].temporary); err != nil { // so that it has nothing to rename
		t.Fatal(err)
	}
	if err := r.publish(); err == nil {
		t.Error("no error")
	}
	r.discard()
	if got := names(t, folder); got != "" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestStaleIndexes has indexes of an earlier BAM beside the new one.
func TestStaleIndexes(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "x.bam")
	silent := func(string) string { return "" }
	for _, c := range []struct {
		options, want string
		says          func(file string) string
	}{
		{"", "x.bam", silent},
		{"--sort", "x.bam x.bam.bai", silent},
		{"--sort --format sam", "x.bam", func(file string) string {
			return "scanmap: warning: " + file + ": holds sam, by --format, and not bam\n"
		}},
	} {
		for _, index := range []string{".bai", ".csi"} {
			if err := os.WriteFile(file+index, []byte("stale"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		code, _, stderr := call(append([]string{"map", "--quiet", refFile, firstFile, secondFile, "-o", file}, strings.Fields(c.options)...)...)
		if want := c.says(file); code != 0 || stderr != want {
			t.Errorf("%q: exit code %d, standard error %q, want %q", c.options, code, stderr, want)
		}
		if got := names(t, folder); got != c.want || strings.Contains(c.want, "bai") && readFile(t, file+".bai") == "stale" {
			t.Errorf("%q: the folder holds %s", c.options, got)
		}
	}
}

// TestMinInsertBeyondTheLibrary has pairs of one insert size, and a least one beyond.
func TestMinInsertBeyondTheLibrary(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "1.fq"), filepath.Join(folder, "2.fq")
	for from, to := range map[string]string{firstFile: first, secondFile: second} {
		record := strings.Join(strings.SplitAfter(readFile(t, from), "\n")[:4], "")
		if err := os.WriteFile(to, []byte(strings.Repeat(record, 30)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := call("map", refFile, first, second, "--min-insert", "1000", "-o", filepath.Join(folder, "x.bam"))
	want := "scanmap: " + first + ": the first pairs have insert sizes of at most 204, but the least allowed is 1000\n"
	if code != 1 || stdout != "" || stderr != want {
		t.Errorf("exit code %d, standard error %swant %s", code, stderr, want)
	}
	if got := names(t, folder); got != "1.fq 2.fq" {
		t.Errorf("the folder holds %s", got)
	}
}
