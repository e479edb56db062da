package fasta

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"scanmap/internal/effort"
	"scanmap/internal/leaks"
)

// TestPairsStop: no goroutine stays after Close, after an error even without it, or after
// cancelling.
func TestPairsStop(t *testing.T) {
	text := bytes.Repeat(randomFASTQ(1_000), 25) // more than is read ahead
	for name, form := range map[string]func(testing.TB, []byte) []byte{
		"plain": func(_ testing.TB, text []byte) []byte { return text },
		"gzip":  gzipped,
		"bgzf":  bgzipped,
	} {
		t.Run(name, func(t *testing.T) {
			whole := form(t, text)
			reads, mates := writeFile(t, "r1", whole), writeFile(t, "r2", whole)
			other := writeFile(t, "other", form(t, text[:len(text)/20]))
			before := runtime.NumGoroutine()
			for _, second := range []string{mates, ""} {
				for i := range effort.Pick(20, 4) { // at any moment
					p, err := OpenPairs(context.Background(), reads, second, ReadOptions{Threads: 3})
					if err != nil {
						t.Fatal(err)
					}
					if second != "" {
						for range i % 4 {
							if _, err := p.Next(); err != nil {
								t.Error(err)
							}
						}
					}
					for range 2 {
						if err := p.Close(); err != nil {
							t.Error(err)
						}
					}
					for err == nil {
						_, err = p.Next()
					}
					var e *Error
					if !errors.As(err, &e) {
						t.Errorf("Next after Close: %v", err)
					}
				}
			}
			leaks.Goroutines(t, before)

			p, err := OpenPairs(context.Background(), reads, other, ReadOptions{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = p.Next()
			}
			if _, again := p.Next(); again != err || err == io.EOF {
				t.Errorf("%v, then %v", err, again)
			}
			leaks.Goroutines(t, before)
			if err := p.Close(); err != nil {
				t.Error(err)
			}

			ctx, cancel := context.WithCancel(context.Background())
			if p, err = OpenPairs(ctx, reads, mates, ReadOptions{Threads: 2}); err != nil {
				t.Fatal(err)
			}
			cancel()
			for err == nil {
				_, err = p.Next()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel: %v", err)
			}
			leaks.Goroutines(t, before)
		})
	}
}

// TestPairsOfFIFOs reads two FIFOs whose writer opens the second first, and stops while they wait
// for more.
func TestPairsOfFIFOs(t *testing.T) {
	dir := t.TempDir()
	paths := [2]string{filepath.Join(dir, "r1"), filepath.Join(dir, "r2")}
	for _, path := range paths {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
	}
	text := randomFASTQ(3000)
	half := make(chan [2]*os.File, 1)
	write := func(parts ...[]byte) {
		var files [2]*os.File
		for _, i := range []int{1, 0} {
			var err error
			if files[i], err = os.OpenFile(paths[i], os.O_WRONLY, 0); err != nil {
				t.Error(err)
			}
		}
		for _, part := range parts {
			for _, f := range files {
				if _, err := f.Write(part); err != nil {
					t.Error(err)
				}
			}
		}
		half <- files
	}
	closeAll := func(files [2]*os.File) {
		for _, f := range files {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	go func() {
		var parts [][]byte
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 10_000)
			parts, rest = append(parts, rest[:n]), rest[n:]
		}
		write(parts...)
		closeAll(<-half)
	}()
	got, err := allPairs(paths[0], paths[1], ReadOptions{Threads: 2}, 5000)
	if err != nil || len(got) != 6000 {
		t.Errorf("%d reads, %v", len(got), err)
	}

	go write(text[:1000])
	p, err := OpenPairs(context.Background(), paths[0], paths[1], ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	files := <-half
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("Next after Close: %v", err)
	}
	closeAll(files)
}

// TestPairsOfStandardInput reads the first mates from a pipe as standard input, and the second from
// a file.
func TestPairsOfStandardInput(t *testing.T) {
	text := randomFASTQ(3000)
	mates := writeFile(t, "mates", text[:len(text)/2])
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	written := make(chan struct{})
	go func() {
		_, _ = w.Write(text) // its reader stops
		close(written)
	}()
	_, err = allPairs("-", mates, ReadOptions{Threads: 2}, 5000)
	if err == nil || !strings.Contains(err.Error(), mates+": ") {
		t.Errorf("got %v", err)
	}
	if err := w.SetWriteDeadline(time.Now()); err != nil {
		t.Error(err)
	}
	<-written
	_ = w.Close()
	_ = r.Close()
}

// TestPairsBudget: two files read ahead no more than one, whatever the threads, from four on.
func TestPairsBudget(t *testing.T) {
	path, mates := writeFile(t, "r1", nil), writeFile(t, "r2", nil)
	for _, threads := range []int{4, 8, 64} {
		p, err := OpenPairs(context.Background(), path, mates, ReadOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if got := cap(p.files[0].reads.budget) + cap(p.files[1].reads.budget); got != budgetUnits*threads {
			t.Errorf("%d threads: %d units", threads, got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
