package mapper

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/temporary"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// faultyFiles are temporary files with one operation that fails: the one of a kind with a number,
// from 1.
type faultyFiles struct {
	temporary.Files
	mu     sync.Mutex
	made   map[string]int
	fails  string
	number int
	open   int
}

func (f *faultyFiles) do(kind string, opens int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[kind]++
	if kind == f.fails && f.made[kind] == f.number {
		f.open += min(opens, 0)
		return syscall.EIO
	}
	f.open += opens
	return nil
}

func (f *faultyFiles) Create(name string) (temporary.File, error) {
	if err := f.do("create", 1); err != nil {
		return nil, err
	}
	file, err := f.Files.Create(name)
	return &faultyFile{file, f}, err
}

type faultyFile struct {
	temporary.File
	files *faultyFiles
}

func (f *faultyFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.files.do("write", 0); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, offset)
}

func (f *faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.files.do("read", 0); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

func (f *faultyFile) Close() error {
	return errors.Join(f.files.do("close", -1), f.File.Close())
}

// TestFaultsOfCandidates has each operation on the temporary file for candidates fail, the first, a
// middle and the last time. The run ends, with an error that names the folder and the use of the
// file, and the file is closed.
func TestFaultsOfCandidates(t *testing.T) {
	folder := t.TempDir()
	reference, reads := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "reads.fq")
	for file, text := range map[string]string{
		reference: ">c\n" + strings.Repeat("ACGTTGCAAGTCCTGA", 2000) + "\n",
		reads:     strings.Repeat("@r\nACGTTGCAAGTCCTGAACGTTGCA\n+\nIIIIIIIIIIIIIIIIIIIIIIII\n", 30),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, engine := range effort.Pick([]Engine{EngineSkim, EngineScan}, []Engine{EngineAuto}) {
		run := func(f *faultyFiles) error {
			f.Files, f.made = temporary.In(t.TempDir()), map[string]int{}
			o := Options{
				Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1},
				Engine: engine, Threads: 2, BatchReads: 10, Temporary: f,
				limits: limits{find: find.Limits{Found: 1, Handed: 1000}},
			}
			_, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: io.Discard})
			return err
		}
		counting := &faultyFiles{}
		if err := run(counting); err != nil || counting.open != 0 {
			t.Fatalf("%v, %d files are open", err, counting.open)
		}
		for _, kind := range []string{"create", "write", "read", "close"} {
			n := counting.made[kind]
			if n < 3 {
				t.Errorf("%s: %d times", kind, n)
			}
			for _, number := range []int{1, (n + 1) / 2, n} {
				f := &faultyFiles{fails: kind, number: number}
				err := run(f)
				if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "candidates, temporary folder "+f.Folder()) {
					t.Errorf("%s, %s %d of %d: error %v", engine, kind, number, n, err)
				}
				if f.open != 0 {
					t.Errorf("%s, %s %d of %d: %d files are open", engine, kind, number, n, f.open)
				}
			}
		}
	}
}
