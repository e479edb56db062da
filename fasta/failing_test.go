package fasta

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// failingFile gives some bytes with each read, and fails once, at the read with a number, from 1.
type failingFile struct {
	*bytes.Reader
	step, reads, fails int
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.reads++; f.reads == f.fails {
		return 0, &fs.PathError{Op: "read", Path: "in", Err: syscall.EIO}
	}
	return f.Reader.Read(p[:min(len(p), f.step)])
}

func (f *failingFile) Stat() (fs.FileInfo, error) { return nil, syscall.EIO }

func (f *failingFile) Close() error { return nil }

// TestReadThatFailsOnce has each read of a file fail, wherever that is in its blocks: the file is
// not read on, though it could be.
func TestReadThatFailsOnce(t *testing.T) {
	text := []byte(">a\n" + strings.Repeat("ACGT", 100) + "\n>b\n" + strings.Repeat("TTGCA", 100) + "\n")
	half := len(text) / 2
	for name, file := range map[string][]byte{
		"plain": text, "gzip": gzipped(t, text), "BGZF": bgzipped(t, text), "zstd": zstandard(t, text),
		"gzip after BGZF": append(bgzipped(t, text[:half]), gzipped(t, text[half:])...),
	} {
		failing := &failingFile{step: 10}
		ctx := WithOpener(context.Background(), func(string) (File, error) {
			failing.Reader, failing.reads = bytes.NewReader(file), 0
			return failing, nil
		})
		if got, err := ReadText(ctx, "in", 1<<20); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
		all := failing.reads
		for failing.fails = 1; failing.fails <= all; failing.fails++ {
			_, err := ReadText(ctx, "in", 1<<20)
			if !errors.Is(err, syscall.EIO) || err.Error() != "in: input/output error" {
				t.Errorf("%s, read %d of %d: error %v", name, failing.fails, all, err)
			}
		}
	}
}
