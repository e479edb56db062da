package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"scanmap/internal/programs"
)

// faultyFiles are files of the system with one operation that fails. Its number counts from 1.
type faultyFiles struct {
	systemFiles
	mu     sync.Mutex
	fails  int
	made   int
	failed string // which operation it was
	code   syscall.Errno
}

// do counts an operation, and fails if it is its turn.
func (f *faultyFiles) do(what, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	if f.made != f.fails {
		return nil
	}
	f.failed = what + " " + filepath.Base(name)
	return &fs.PathError{Op: what, Path: name, Err: f.code}
}

func (f *faultyFiles) open(name string, flag int) (resultFile, error) {
	if err := f.do("open", name); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faultyFiles) rename(from, to string) error {
	if err := f.do("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

type faultyFile struct {
	*os.File
	files *faultyFiles
}

// Write writes half before it fails, as a disk does that becomes full.
func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.files.do("write", f.Name()); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *faultyFile) Close() error {
	err := f.files.do("close", f.Name())
	if e := f.File.Close(); err == nil {
		err = e
	}
	return err
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.files.do("chmod", f.Name()); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}

// callOn is call with files of its own.
func callOn(files fileLayer, args ...string) (code int, stdout, stderr string) {
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	var out, err bytes.Buffer
	ctx := context.WithValue(context.Background(), layerKey{}, files)
	code = runIn(ctx, append([]string{"scanmap"}, args...), &out, &err)
	return code, out.String(), err.String()
}

// TestFileFaults has each operation on a file of results fail in turn, the first, the last and all
// between: exit code 1, one line, which names the file, nothing on standard output, and no file,
// neither under its name nor under a temporary one.
func TestFileFaults(t *testing.T) {
	reads := strings.Fields("--quiet --batch-reads 10 " + refFile + " " + readsFile)
	for _, c := range []struct {
		args, files string // F stands for the folder
		pairs       bool
	}{
		{"map -o F/x.sam", "x.sam", false},
		{"map -o F/x.sam.gz", "x.sam.gz", false},
		{"map -o F/x.bam --compression 0", "x.bam", false},
		{"map -o F/x.sam --sort", "x.sam", false},
		{"map -o F/x.bam --sort", "x.bam x.bam.bai", false},
		{"map -o F/x.bam --sort --sort-memory 1 --tmpdir F", "x.bam x.bam.bai", false},
		{"map -o F/x.sam --unmapped F/u.fq", "u.fq x.sam", false},
		{"map -o F/x.sam --unmapped F/u.fq.gz", "u.fq.gz x.sam", false},
		{"map -o F/x.sam --stats F/s.json --multiqc F/s_mqc.json --report-html F/s.html", "s.html s.json s_mqc.json x.sam", false},
		{"map -o F/x.bam --sort -u F/u.fq --stats F/s.json --report-html F/s.html", "s.html s.json u.fq x.bam x.bam.bai", false},
		{"map -o F/x.bam --interleaved --discordant F/d.bam --stats F/s.json", "d.bam s.json x.bam", true},
		{"map -o none --depth F/d.bw", "d.bw", false},
		{"map -o none --depth F/d.bedgraph --weights best", "d.bedgraph", false},
		{"map -o F/x.sam --depth F/d.bg.gz --regions 100 --region-depth F/r.bed --abundance F/a.tsv", "a.tsv d.bg.gz d.bg.gz.tbi r.bed x.sam", false},
		{"search -o F/x.tsv", "x.tsv", false},
		{"search -o F/x.bed", "x.bed", false},
		{"search -o F/x.sam", "x.sam", false},
	} {
		t.Run(c.args, func(t *testing.T) {
			calling := func(folder string) []string {
				args := strings.Fields(strings.ReplaceAll(c.args, "F/", folder+"/"))
				for i := range args {
					if args[i] == "F" {
						args[i] = folder
					}
				}
				if args[0] == "search" {
					return append(args, "--quiet", "ACGT", refFile)
				}
				if c.pairs {
					return append(args, "--quiet", "--min-insert", "1", "--max-insert", "500", refFile, evenReads(t))
				}
				return append(args, reads...)
			}
			folder := t.TempDir()
			counting := &faultyFiles{}
			if code, _, stderr := callOn(counting, calling(folder)...); code != 0 || names(t, folder) != c.files {
				t.Fatalf("exit code %d, standard error %q, the folder holds %s", code, stderr, names(t, folder))
			}
			kinds := map[string]bool{}
			for n := 1; n <= counting.made; n++ {
				kind := "write"
				for _, code := range []syscall.Errno{syscall.ENOSPC, syscall.EPIPE} {
					if code == syscall.EPIPE && kind != "write" {
						continue // which only writes return
					}
					folder := t.TempDir()
					files := &faultyFiles{fails: n, code: code}
					got, stdout, stderr := callOn(files, calling(folder)...)
					if files.failed == "" {
						continue // how many writes there are may differ by a few
					}
					kind, _, _ = strings.Cut(files.failed, " ")
					kinds[kind] = true
					want := 1
					if code == syscall.EPIPE && !strings.Contains(c.files, " ") && !strings.Contains(c.args, " none ") {
						want = 0 // the reader of the only output went away
					}
					if got != want || stdout != "" || want == 1 && (strings.Count(stderr, "\n") != 1 ||
						!strings.HasPrefix(stderr, "scanmap: ") || !strings.Contains(stderr, folder) ||
						!strings.Contains(stderr, code.Error())) {
						t.Errorf("operation %d, %s: exit code %d, standard output %q, standard error %q",
							n, files.failed, got, stdout, stderr)
					}
					if left := names(t, folder); left != "" {
						t.Errorf("operation %d, %s: the folder holds %s", n, files.failed, left)
					}
				}
			}
			for _, kind := range []string{"open", "write", "close", "rename"} {
				if !kinds[kind] {
					t.Errorf("no %s failed", kind)
				}
			}
		})
	}
}

// evenReads writes the reads of readsFile, without a last one whose mate would be missing, under
// names that mates share.
func evenReads(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	lines := strings.Split(strings.TrimSuffix(readFile(t, readsFile), "\n"), "\n")
	for i := 0; i+8 <= len(lines); i += 8 {
		for x := range 2 {
			fmt.Fprintf(&text, "@pair%d\n%s\n+\n%s\n", i, lines[i+4*x+1], lines[i+4*x+3])
		}
	}
	file := filepath.Join(t.TempDir(), "pairs.fq")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLimitsOfProcess runs the program under limits of the system (ulimit): exit code 1, one line,
// and no file.
func TestLimitsOfProcess(t *testing.T) {
	const few, large, memory = "too many open files", "file too large", "out of memory: the limit of"
	mib := func(n int) string { return fmt.Sprint(n << 10) } // ulimit -v and -d count KiB
	folder := t.TempDir()
	sparse := filepath.Join(folder, "sparse")
	if err := errors.Join(os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 2<<30-1)); err != nil {
		t.Fatal(err)
	}
	small := refFile + " " + readsFile
	many := reads(t, folder)
	for _, c := range []struct{ limit, args, want string }{
		{"-n 6", "map --quiet -o x.sam " + small, few},
		{"-n 9", "map --quiet -o x.bam --sort --tmpdir . " + small, few},
		{"-n 12", "search -o x.tsv ACGT " + refFile, few},
		{"-n 16", "version", few},
		{"-n 64", "map --quiet -o x.bam --sort --sort-memory 1 --tmpdir . " + small, ""},
		{"-f 1", "map --quiet -o x.sam " + refFile + " " + many, large},
		{"-f 1", "map --quiet -o x.bam --compression 0 " + refFile + " " + many, large},
		{"-f 1", "map --quiet -o x.bam --sort " + refFile + " " + many, large},
		{"-f 1", "search -o x.tsv -k 1 ACGT " + refFile, large},
		{"-v " + mib(2000), "map --quiet -o x.sam " + small, ""},
		{"-v " + mib(2000), "search -o x.sam ACGT " + refFile, ""},
		// A segment of sorting is a sixteenth of its memory; a file of bytes is held as a whole.
		{"-v " + mib(1800), "map --sort --sort-memory 32G -o x.sam --stats x.json --report-html x.html " + small, memory},
		{"-v " + mib(1800), "map --sort --sort-memory 32G --tmpdir . -o x.bam -u u.fq.gz " + small, memory},
		{"-v " + mib(1800), "map --sort --sort-memory 32G " + small, memory},
		{"-v " + mib(1800), "search --alphabet bytes -o x.tsv ACGT " + sparse, memory},
	} {
		t.Run(c.limit+" "+c.args[:min(len(c.args), 30)], func(t *testing.T) {
			folder := t.TempDir()
			var stdout, stderr bytes.Buffer
			args := append([]string{"-c", `ulimit ` + c.limit + ` && exec "$0" "$@"`, binary}, strings.Fields(c.args)...)
			for i, arg := range args {
				if arg == refFile || arg == readsFile {
					args[i] = absolute(t, arg)
				}
			}
			command := exec.Command("sh", args...)
			command.Dir, command.Stdout, command.Stderr = folder, &stdout, &stderr
			code := programs.ExitCode(t, command.Run())
			if c.want == "" {
				if code != 0 || strings.Contains(names(t, folder), ".tmp") {
					t.Errorf("exit code %d, standard error %q, the folder holds %s", code, stderr.String(), names(t, folder))
				}
				return
			}
			if code != 1 || stdout.Len() > 0 && strings.Contains(c.args, " -o ") || strings.Count(stderr.String(), "\n") != 1 ||
				!strings.HasPrefix(stderr.String(), "scanmap: ") || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("exit code %d, standard output %.40q, standard error %.400q", code, stdout.String(), stderr.String())
			}
			if left := names(t, folder); left != "" {
				t.Errorf("the folder holds %s", left)
			}
		})
	}
}

// reads writes enough reads for more than a block of output.
func reads(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(folder, "some.fq")
	if err := os.WriteFile(file, bytes.Repeat([]byte(readFile(t, readsFile)), 20), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
