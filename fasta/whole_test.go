package fasta

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
)

// TestWholeFileAhead reads files that end at each border of blocks that are read ahead, also past
// all that wait, and a file that is cut while it is read.
func TestWholeFileAhead(t *testing.T) {
	text := make([]byte, aheadFrom+4*(blocksOfFile+2)*fileBlock)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	path := filepath.Join(t.TempDir(), "text")
	open := func(size int) *source {
		t.Helper()
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openSource(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		s.readAhead()
		return s
	}
	for _, size := range []int{0, 1, aheadFrom - 1, aheadFrom, aheadFrom + 1, aheadFrom + fileBlock - 1,
		aheadFrom + fileBlock, aheadFrom + fileBlock + 1, len(text) - 1, len(text)} {
		s := open(size)
		got, err := io.ReadAll(s.content)
		if err != nil || !bytes.Equal(got, text[:size]) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	// By bytes, so that the end of the text is no end of a read.
	s := open(aheadFrom + 2*fileBlock + 3)
	if got, err := io.ReadAll(iotest.HalfReader(s.content)); err != nil || !bytes.Equal(got, text[:len(got)]) || len(got) != aheadFrom+2*fileBlock+3 {
		t.Errorf("by halves: %d bytes, %v", len(got), err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	s = open(len(text))
	first := make([]byte, aheadFrom+1)
	if _, err := io.ReadFull(s.content, first); err != nil {
		t.Fatal(err)
	}
	cut := len(text) - 3*fileBlock - 7 // no block from here on is being read yet
	if err := os.Truncate(path, int64(cut)); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(s.content)
	if !errors.Is(err, errShorter) || !bytes.Equal(got, text[len(first):cut]) {
		t.Errorf("cut while it is read: %d bytes, %v", len(got), err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	// A pipe has no size, and cannot be read at an offset.
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = out.Write(text[:aheadFrom+fileBlock])
		_ = out.Close()
	}()
	s = &source{content: WholeFile(in)}
	s.readAhead()
	if got, err := io.ReadAll(s.content); err != nil || !bytes.Equal(got, text[:aheadFrom+fileBlock]) {
		t.Errorf("a pipe: %d bytes, %v", len(got), err)
	}
	_ = in.Close()
	// A reader that is given up leaves no goroutine: close waits for them.
	s = open(len(text))
	if _, err := io.ReadFull(s.content, first); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if n, err := io.ReadAll(s.content); err == nil {
		t.Errorf("%d bytes are read after the end", len(n))
	}
}

// failingAt is a file in which the first read at an offset ends there with an error.
type failingAt struct {
	*os.File
	offset int64
	failed atomic.Bool
}

func (f *failingAt) ReadAt(p []byte, at int64) (int, error) {
	if at <= f.offset && f.offset < at+int64(len(p)) && f.failed.CompareAndSwap(false, true) {
		n, _ := f.File.ReadAt(p[:f.offset-at], at)
		return n, syscall.EIO
	}
	return f.File.ReadAt(p, at)
}

// TestReadAheadThatFailsOnce has a block that cannot be read ahead, once: the file is read on where
// the block broke off, and no byte is left out.
func TestReadAheadThatFailsOnce(t *testing.T) {
	text := make([]byte, aheadFrom+12*fileBlock)
	for i := range text {
		text[i] = byte(i * i >> 10)
	}
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, offset := range []int64{aheadFrom + 6*fileBlock, aheadFrom + 8*fileBlock + 7, aheadFrom + 12*fileBlock - 1} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		failing := &failingAt{File: file, offset: offset}
		s, err := openSource(WithOpener(t.Context(), func(string) (File, error) { return failing, nil }), path)
		if err != nil {
			t.Fatal(err)
		}
		s.readAhead()
		if got, err := io.ReadAll(s.content); err != nil || !bytes.Equal(got, text) || !failing.failed.Load() {
			t.Errorf("an error at %d: %d bytes of %d, %v", offset, len(got), len(text), err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}
