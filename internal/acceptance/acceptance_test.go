// Package acceptance tests the built program on whole files: awkward input, other tools'
// opinion of its output, and equal bytes whatever the threads, batches and engines.
package acceptance

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	hts "github.com/biogo/hts/sam"
	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

const (
	root   = "../.."
	shared = "../../../shared"
)

var scanmap string

func TestMain(m *testing.M) {
	os.Exit(programs.WithScanmap(root+"/cmd/scanmap", func(folder string) int {
		scanmap = filepath.Join(folder, "scanmap")
		return m.Run()
	}))
}

// result is what a run of scanmap left.
type result struct {
	stdout, stderr string
	code           int
}

func run(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, scanmap, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("scanmap %v took more than a minute", args)
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// data returns a copy of a file of testdata, decompressed: tools write their indexes beside it.
func data(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".gz"))
	if err := os.WriteFile(plain, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return plain
}

// head copies the first n lines of a file.
func head(t *testing.T, name string, n int) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	short := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(short, bytes.Join(lines[:min(n, len(lines))], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return short
}

// fastq is in the names of files of FASTQ.
var fastq = regexp.MustCompile(`\.(fq|fastq)\b`)

// TestAwkwardFiles maps every awkward file, as reads and, if it is FASTA, as reference:
// it is mapped, or refused with one line and no output.
func TestAwkwardFiles(t *testing.T) {
	effort.OnlyAll(t, "fasta reads the same files, and this calls the programs on them")
	folder := filepath.Join(shared, "data/awkward")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("SKIPPED: " + folder + " is not there")
	}
	reference := head(t, data(t, "portiera.fa.gz"), effort.Pick(math.MaxInt, 300))
	few := head(t, data(t, "portiera_36bp.fastq.gz"), 40)
	mapped, refused := 0, 0
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		t.Run(entry.Name(), func(t *testing.T) {
			code := tryFile(t, reference, path)
			if strings.HasPrefix(entry.Name(), "error_") && code != 1 {
				t.Errorf("a malformed file ended with exit code %d", code)
			}
			if code == 0 {
				mapped++
			} else {
				refused++
			}
			if effort.Full() || !fastq.MatchString(entry.Name()) { // FASTQ is refused by its first letter
				tryFile(t, path, few)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files were mapped as reads, %d refused", mapped, refused)
	if mapped < 60 || refused < 30 {
		t.Errorf("%d files were mapped as reads, %d refused: too few of either", mapped, refused)
	}
}

// tryFile maps and checks what every run must keep. It returns the exit code.
func tryFile(t *testing.T, reference, reads string) int {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.sam")
	r := run(t, "map", "--quiet", "--report", "one", "-e", "2", "-o", out, reference, reads)
	if r.stdout != "" {
		t.Errorf("something came to standard output: %.200s", r.stdout)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
	if err != nil {
		t.Fatal(err)
	}
	switch r.code {
	case 0:
		if r.stderr != "" {
			t.Errorf("mapped, but said %q", r.stderr)
		}
		if len(left) != 1 {
			t.Errorf("left %v", left)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		checkSAM(t, text)
	case 1:
		if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "scanmap: ") {
			t.Errorf("refused with %q, not with one line", r.stderr)
		}
		if len(left) != 0 {
			t.Errorf("refused, but left %v", left)
		}
	default:
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	return r.code
}

// checkSAM reads all records by biogo/hts.
func checkSAM(t *testing.T, text []byte) {
	t.Helper()
	r, err := hts.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Errorf("header: %v", err)
		return
	}
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("record: %v", err)
			return
		}
		if rec.Flags&hts.Unmapped == 0 && rec.End() > rec.Ref.Len() {
			t.Errorf("%s ends at %d of %d bases of %s", rec.Name, rec.End(), rec.Ref.Len(), rec.Ref.Name())
		}
	}
}

// TestSameBytes maps real reads with each engine, number of threads and size of batches.
func TestSameBytes(t *testing.T) {
	portiera := data(t, "portiera.fa.gz")
	for _, set := range [][2]string{
		{portiera, head(t, data(t, "portiera_36bp.fastq.gz"), 4*effort.Pick(80, 40))},
		{portiera, head(t, data(t, "portiera_101bp.fastq.gz"), 4*effort.Pick(40, 20))},
		{data(t, "phix.fa"), data(t, "phix_R1.fastq")},
	} {
		reference, reads := set[0], set[1]
		want := ""
		for _, engine := range []string{"skim", "scan"} {
			for _, threads := range effort.Pick([]string{"1", "2", "7"}, []string{"1", "7"}) {
				batches := []string{"0", "7", "1"}
				if threads == "1" { // no two batches are at work at a time
					batches = batches[:effort.Pick(2, 1)]
				}
				for _, batch := range batches {
					if engine == "scan" && batch == "1" && threads != "7" {
						continue // a pass for each read: once is enough
					}
					r := run(t, "map", "--quiet", "--no-pg", "--engine", engine, "-t", threads, "--batch-reads", batch, reference, reads)
					if r.code != 0 {
						t.Fatalf("exit code %d: %s", r.code, r.stderr)
					}
					if want == "" {
						want = r.stdout
					}
					if r.stdout != want {
						t.Fatalf("%s, %s threads, batches of %s: other bytes\n%s", engine, threads, batch,
							cmp.Diff(strings.Split(want, "\n"), strings.Split(r.stdout, "\n")))
					}
				}
			}
		}
		if !strings.Contains(want, "\tNM:i:") {
			t.Errorf("no read of %s is mapped", reads)
		}
	}
}

// TestShardsAddUp maps the parts of a file: without @PG their records, one after the other, are the
// records of the whole.
func TestShardsAddUp(t *testing.T) {
	reference, reads := data(t, "portiera.fa.gz"), head(t, data(t, "portiera_36bp.fastq.gz"), effort.Pick(math.MaxInt, 4*1300))
	text, err := os.ReadFile(reads)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	whole := run(t, "map", "--quiet", "--no-pg", reference, reads)
	joined := ""
	for i, part := range []string{strings.Join(lines[:4*1000], ""), strings.Join(lines[4*1000:4*1007], ""),
		strings.Join(lines[4*1007:], "")} {
		shard := filepath.Join(t.TempDir(), "shard.fq")
		if err := os.WriteFile(shard, []byte(part), 0o600); err != nil {
			t.Fatal(err)
		}
		r := run(t, "map", "--quiet", "--no-pg", reference, shard)
		if r.code != 0 {
			t.Fatal(r.stderr)
		}
		for line := range strings.Lines(r.stdout) {
			if i == 0 || !strings.HasPrefix(line, "@") {
				joined += line
			}
		}
	}
	if whole.code != 0 || whole.stdout != joined {
		t.Errorf("the parts differ from the whole: %s", cmp.Diff(strings.Split(whole.stdout, "\n"), strings.Split(joined, "\n")))
	}
}
