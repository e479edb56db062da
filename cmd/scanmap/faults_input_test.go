package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"scanmap/fasta"
	"scanmap/internal/bgzf"
	"scanmap/internal/effort"
	"scanmap/internal/temporary"
)

// faults count operations by kind, and have one operation fail, or all from that one on.
type faults struct {
	mu     sync.Mutex
	made   map[string]int // by kind of operation and file, such as "read reads.fq"
	fails  string         // which kind; empty for none
	number int            // of the operation that fails, from 1
	onward bool
	code   syscall.Errno
	failed bool
	opened int // files that are not closed yet
}

func (f *faults) do(what string, opens int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[what]++
	if what != f.fails || f.made[what] < f.number || f.made[what] > f.number && !f.onward {
		f.opened += opens
		return nil
	}
	f.opened += min(opens, 0) // a file is closed even if that fails
	f.failed = true
	operation, _, _ := strings.Cut(what, " ")
	return &fs.PathError{Op: operation, Path: "path", Err: f.code}
}

// outcome tells whether an operation failed, and how many files are open.
func (f *faults) outcome() (failed bool, opened int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed, f.opened
}

// faultyTemporary are files of results of the system, and temporary ones with faults.
type faultyTemporary struct {
	systemFiles
	*faults
}

func (f faultyTemporary) temporary(folder string) temporary.Files {
	return temporaryFaults{f.systemFiles.temporary(folder), f.faults}
}

type temporaryFaults struct {
	temporary.Files
	faults *faults
}

func (f temporaryFaults) Create(name string) (temporary.File, error) {
	if err := f.faults.do("create", 1); err != nil {
		return nil, err
	}
	file, err := f.Files.Create(name)
	return temporaryFault{file, f.faults}, err
}

type temporaryFault struct {
	temporary.File
	faults *faults
}

// Write writes half before it fails, as a disk does that becomes full.
func (f temporaryFault) Write(p []byte) (int, error) {
	if err := f.faults.do("write", 0); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f temporaryFault) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.faults.do("write", 0); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], offset)
		return n, err
	}
	return f.File.WriteAt(p, offset)
}

func (f temporaryFault) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.faults.do("read", 0); err != nil {
		n, _ := f.File.ReadAt(p[:len(p)/2], offset)
		return n, err
	}
	return f.File.ReadAt(p, offset)
}

func (f temporaryFault) Close() error {
	err := f.faults.do("close", -1)
	return errors.Join(f.File.Close(), err)
}

// openInput opens inputs whose reads have faults. Standard input is the file stdin.
func (f *faults) openInput(stdin string) func(path string) (fasta.File, error) {
	return func(path string) (fasta.File, error) {
		name, opened := path, 1
		if path == "-" {
			path, name, opened = stdin, "standard input", 0 // which stays open
		}
		if err := f.do("open "+name, opened); err != nil {
			return nil, err
		}
		file, err := os.Open(path)
		return inputFault{file, name, f}, err
	}
}

type inputFault struct {
	*os.File
	name   string
	faults *faults
}

func (f inputFault) Read(p []byte) (int, error) {
	if err := f.faults.do("read "+f.name, 0); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f inputFault) Close() error {
	err := f.faults.do("close "+f.name, -1)
	return errors.Join(f.File.Close(), err)
}

// callFaulty calls the program with the files of a context. It fails the test where the call hangs,
// or leaves goroutines.
func callFaulty(t *testing.T, ctx context.Context, args []string) (code int, stdout, stderr string) {
	t.Helper()
	before := runtime.NumGoroutine()
	processors := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(processors)
	var out, err bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- runIn(ctx, append([]string{"scanmap"}, args...), &out, &err) }()
	select {
	case code = <-done:
	case <-time.After(deadline):
		t.Fatalf("%q hangs", args)
	}
	for begun := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(begun) > deadline {
			t.Fatalf("%q leaves %d goroutines", args, runtime.NumGoroutine()-before)
		}
	}
	return code, out.String(), err.String()
}

// eachFault runs a call without faults, to count its operations, and then for each kind with the
// first, the middle and the last one failing, once and from then on. By turns, and in a fast test,
// the second of these fails from then on and the others once. In a fast test the middle one of
// three does not fail. The call is made in an empty folder each time. Its message has to be one
// line with the texts that want returns.
func eachFault(t *testing.T, turns bool, call func(t *testing.T, f *faults, folder string) (code int, stdout, stderr string),
	codes map[string]syscall.Errno, want func(folder, kind string, code syscall.Errno) []string,
) (made map[string]int) {
	t.Helper()
	folder := t.TempDir()
	counting := &faults{made: map[string]int{}}
	code, _, stderr := call(t, counting, folder)
	if _, opened := counting.outcome(); code != 0 || opened != 0 {
		t.Fatalf("exit code %d, standard error %q, %d files are open", code, stderr, opened)
	}
	counting.mu.Lock() // goroutines that have ended wrote it
	defer counting.mu.Unlock()
	for kind, n := range counting.made {
		operation, _, _ := strings.Cut(kind, " ")
		cause, ok := codes[operation]
		if !ok {
			continue
		}
		middle := (n + 1) / 2
		if n <= 3 && !effort.Full() {
			middle = 1
		}
		for i, number := range slices.Compact([]int{1, middle, n}) {
			onwards := []bool{false, true}
			if turns || !effort.Full() {
				onwards = onwards[i%2:][:1]
			}
			for _, onward := range onwards {
				folder := t.TempDir()
				f := &faults{made: map[string]int{}, fails: kind, number: number, onward: onward, code: cause}
				code, stdout, stderr := call(t, f, folder)
				what := fmt.Sprintf("%s %d of %d, and all after it %v", kind, number, n, onward)
				failed, opened := f.outcome()
				if !failed {
					// A run of sorting is not written to its end where that is not needed any more.
					if code != 0 || f.made[kind] >= number {
						t.Errorf("%s: there was none, exit code %d", what, code)
					}
					continue
				}
				line, ends := strings.CutSuffix(stderr, "\n")
				if code != 1 || stdout != "" || !ends || strings.Contains(line, "\n") || strings.Contains(line, `\n`) ||
					!strings.HasPrefix(line, "scanmap: ") || strings.Count(line, cause.Error()) != 1 {
					t.Errorf("%s: exit code %d, standard output %.100q, standard error %q", what, code, stdout, stderr)
				}
				for _, part := range want(folder, kind, cause) {
					if !strings.Contains(line, part) {
						t.Errorf("%s: standard error %q lacks %q", what, stderr, part)
					}
				}
				if left := names(t, folder); left != "" || opened != 0 {
					t.Errorf("%s: the folder holds %s, %d files are open", what, left, opened)
				}
			}
		}
	}
	return counting.made
}

// TestTemporaryFaults has operations on temporary files fail, the first, a middle and the last one
// of each kind: exit code 1, one line, which names the folder and the use of the files, no file,
// and no goroutine left.
func TestTemporaryFaults(t *testing.T) {
	inputs := t.TempDir()
	ref, reads := repeats(t, inputs, effort.Pick(4000, 2000), 40), ""
	for _, c := range []struct {
		args  string // F stands for the folder
		reads int
		full  string // why it is tried in full only
		what  string // that the files are for
	}{
		{"map -o F/x.sam --sort --sort-memory 1 --tmpdir F", 6, "", "sorting"},
		{"map --interleaved --max-insert 500 -o F/x.bam --sort --sort-memory 1 --tmpdir F --discordant F/d.bam -u F/u.fq", 6, "", "sorting"},
		{"map -o F/x.sam.gz --sort --sort-memory 1 --tmpdir F --stats F/s.json", 6, "as others", "sorting"},
		{"map --tmpdir F --report one -o F/x.sam", 1100, "takes 8 seconds", "candidates"},
	} {
		t.Run(c.args, func(t *testing.T) {
			if c.full != "" {
				effort.OnlyFull(t, c.full)
			}
			reads = short(t, inputs, c.reads)
			made := eachFault(t, c.reads > 1000, func(t *testing.T, f *faults, folder string) (int, string, string) {
				args := strings.Fields(strings.NewReplacer("F/", folder+"/", " F", " "+folder).Replace(c.args))
				args = append(args, "--quiet", "-e", "0", "-t", "2", ref, reads)
				return callFaulty(t, context.WithValue(context.Background(), layerKey{}, fileLayer(faultyTemporary{faults: f})), args)
			}, map[string]syscall.Errno{"create": syscall.EMFILE, "write": syscall.ENOSPC, "read": syscall.EIO, "close": syscall.EIO},
				func(folder, kind string, _ syscall.Errno) []string {
					return []string{"temporary folder " + folder}
				})
			for _, kind := range []string{"create", "write", "read", "close"} {
				if made[kind] < 2 { // a trial of the folder is one file
					t.Errorf("%s: %d times", kind, made[kind])
				}
			}
		})
	}
}

// repeats writes a reference of copies of a text of `length` bases.
func repeats(t *testing.T, folder string, copies, length int) string {
	t.Helper()
	file := filepath.Join(folder, "ref.fa")
	unit := strings.Repeat("ACGTTGCAAGTCCTGA", length/16+1)[:length]
	if err := os.WriteFile(file, []byte(">c\n"+strings.Repeat(unit, copies)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// short writes reads with a location in each copy of what repeats writes.
func short(t *testing.T, folder string, n int) string {
	t.Helper()
	file := filepath.Join(folder, "short.fq")
	if err := os.WriteFile(file, []byte(strings.Repeat("@r\nACGTTGCAAGTCCTGAACGTTGCA\n+\nIIIIIIIIIIIIIIIIIIIIIIII\n", n)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReadFaults has the reading of inputs fail at the first, a middle and the last read of each:
// exit code 1, one line, which names the file and the cause, and no output.
func TestReadFaults(t *testing.T) {
	inputs := t.TempDir()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(inputs, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Noise, so that the compressed files need several reads, too.
	letters := make([]byte, 400_000)
	for i, x := 0, uint32(1); i < len(letters); i++ {
		x = x*1664525 + 1013904223
		letters[i] = "ACGT"[x>>30]
	}
	var ref, reads, mates, patterns bytes.Buffer
	for i := 0; i < len(letters); i += len(letters) / 4 {
		fmt.Fprintf(&ref, ">c%d\n%s\n", i, letters[i:i+len(letters)/4])
	}
	for i := range len(letters) / 50 {
		for _, w := range []*bytes.Buffer{&reads, &mates} {
			fmt.Fprintf(w, "@r%d\n%s\n+\n%s\n", i/2, letters[i*50:i*50+50], strings.Repeat("I", 50))
		}
	}
	for i := range 300 {
		fmt.Fprintf(&patterns, ">p%d\n%s\n", i, letters[i*300:i*300+300])
	}
	for name, text := range map[string][]byte{
		"ref.fa": ref.Bytes(), "reads.fq": reads.Bytes(), "mates.fq": mates.Bytes(), "patterns.fa": patterns.Bytes(),
	} {
		write(name, text)
		if name == "mates.fq" {
			continue // which no call has in another form
		}
		var plain, blocks, frames bytes.Buffer
		z, err := gzip.NewWriterLevel(&plain, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bgzf.NewWriter(&blocks, bgzf.DefaultLevel, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := zstd.NewWriter(&frames)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []interface {
			Write([]byte) (int, error)
			Close() error
		}{z, b, f} {
			_, err := w.Write(text)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		write(name+".gz", plain.Bytes())
		write(name+".bgz", blocks.Bytes())
		write(name+".zst", frames.Bytes())
	}
	t.Chdir(inputs)
	write("samples.tsv", []byte(strings.Repeat("# nothing but a comment\n", 4000)+"reads.fq\tmates.fq\n"))
	for _, c := range []struct {
		args  string // O stands for the output, and a file after < is standard input
		reads string // inputs that have to be read several times
		full  bool   // in full only
	}{
		{"map -o O ref.fa reads.fq", "ref.fa reads.fq", false},
		{"map -o O ref.fa.gz reads.fq.gz", "ref.fa.gz reads.fq.gz", false},
		{"map -o O ref.fa.bgz reads.fq.bgz", "ref.fa.bgz reads.fq.bgz", false},
		{"map -o O --max-insert 500 ref.fa reads.fq mates.fq", "reads.fq mates.fq", true},
		{"map -o O --max-insert 500 ref.fa reads.fq.gz mates.fq", "reads.fq.gz mates.fq", false},
		{"map -o O --interleaved --max-insert 500 ref.fa - < reads.fq", "standard input", true},
		{"map -o O ref.fa - < reads.fq.gz", "standard input", false},
		{"map -o O --sort ref.fa.gz reads.fq", "ref.fa.gz reads.fq", true},
		{"map -o O ref.fa.zst reads.fq.zst", "ref.fa.zst reads.fq.zst", false},
		{"map -o O - reads.fq < ref.fa.bgz", "standard input", true},
		{"map -o O --max-insert 500 --samples samples.tsv ref.fa", "samples.tsv", false},
		{"map -o O --samples - ref.fa < samples.tsv", "standard input", true},
		{"search -o O --patterns patterns.fa ref.fa", "patterns.fa ref.fa", false},
		{"search -o O --patterns patterns.fa.gz ref.fa.gz", "ref.fa.gz", true},
		{"search -o O --patterns - ref.fa.bgz < patterns.fa", "standard input ref.fa.bgz", true},
		{"search -o O ACGT - < ref.fa", "standard input", true},
		{"search --alphabet bytes -o O ACGTACGT ref.fa", "", false},
		{"search --alphabet bytes -o O ACGTACGT - < ref.fa", "", true},
	} {
		t.Run(c.args, func(t *testing.T) {
			if c.full {
				effort.OnlyFull(t, "much as others")
			}
			made := eachFault(t, false, func(t *testing.T, f *faults, folder string) (int, string, string) {
				text, stdin, _ := strings.Cut(c.args, " < ")
				args := strings.Fields(strings.ReplaceAll(text, " O ", " "+filepath.Join(folder, "x.tsv")+" "))
				args = append(args, "--quiet")
				return callFaulty(t, fasta.WithOpener(context.Background(), f.openInput(stdin)), args)
			}, map[string]syscall.Errno{"open": syscall.EACCES, "read": syscall.EIO},
				func(_, kind string, code syscall.Errno) []string {
					_, name, _ := strings.Cut(kind, " ")
					return []string{"scanmap: " + name + ": " + code.Error()}
				})
			for _, name := range strings.Fields(strings.ReplaceAll(c.reads, "standard input", "standard_input")) {
				if name = strings.ReplaceAll(name, "_", " "); made["read "+name] < 3 {
					t.Errorf("%s: %d reads", name, made["read "+name])
				}
			}
		})
	}
}
