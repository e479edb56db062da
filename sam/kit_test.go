package sam

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/biogo/hts/bgzf"

	"scanmap/internal/effort"
	"scanmap/internal/leaks"
	"scanmap/internal/temporary"
)

// decompress reads BGZF by biogo/hts, and demands the block that ends it.
func decompress(t testing.TB, file []byte) []byte {
	t.Helper()
	if ok, err := bgzf.HasEOF(bytes.NewReader(file)); err != nil || !ok {
		t.Fatalf("the end is missing (error %v)", err)
	}
	r, err := bgzf.NewReader(bytes.NewReader(file), 1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// letters are bases, which compress, and noise, which does not.
func letters(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		if i>>17&1 == 0 {
			b[i] = "ACGT"[random.IntN(4)]
		} else {
			b[i] = byte(random.Uint32())
		}
	}
	return b
}

var errFull = errors.New("no space left on device")

// limitedWriter fails after a number of bytes, in one of two ways.
type limitedWriter struct {
	left  int
	short bool // without an error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	n := w.left
	w.left = 0
	if w.short {
		return n, nil
	}
	return n, errFull
}

// within fails the test if f hangs. The limit is far beyond what any machine takes.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s hangs", what)
	}
}

// manyRecords are n placed records in random order with some ties and some without a place.
func manyRecords(n int) []Record {
	random := rand.New(rand.NewPCG(3, 4))
	records := make([]Record, n)
	for i := range records {
		r := Record{Name: fmt.Sprint("r", i), ContigIndex: random.IntN(3), Pos: random.IntN(2000), MatePos: -1,
			Bases: letters(100)[random.IntN(50):], EditDistance: i}
		r.Contig = testContigs[r.ContigIndex].Name
		r.Cigar = append(r.Cigar, cigarOfLength(len(r.Bases)))
		switch random.IntN(8) {
		case 0:
			r.Flags |= 16
		case 1:
			r.Flags, r.Cigar = 4, nil // placed beside its mate
		case 2:
			r.Flags, r.Cigar, r.Contig, r.Pos = 4, nil, "", -1
		}
		records[i] = r
	}
	return records
}

// The error of the underlying writer comes out wherever it fails, and nothing hangs.
func TestWriterReportsErrors(t *testing.T) {
	sorted := testHeader(t, HeaderOptions{SortOrder: coordinate, NoProgram: true}, testContigs...)
	records := manyRecords(effort.Pick(3000, 1500))
	before := runtime.NumGoroutine()
	for _, o := range []WriterOptions{
		{Format: FormatSAM}, {Format: FormatSAM, Sort: true}, {Format: FormatSAMGZ, Threads: 2},
		{Format: FormatBAM}, {Format: FormatBAM, Compression: 1, Threads: 3}, {Format: FormatBAM, Sort: true, Compression: 1, Threads: 2},
	} {
		blocks := blocksOf(records, encodingOf(t, sorted, o), 50)
		size := len(write(t, sorted, o, blocks...))
		offsets := []int{0, 1, 20, 100, 200, 300, size - 29, size - 28, size - 1}
		for at := 1000; at < size; at += size / effort.Pick(7, 3) {
			offsets = append(offsets, at)
		}
		for _, at := range offsets {
			for _, short := range []bool{false, true} {
				var err error
				within(t, fmt.Sprintf("%+v, offset %d", o, at), func() {
					err = writeBlocks(&limitedWriter{left: at, short: short}, o, sorted, blocks)
				})
				want := errFull
				if short {
					want = io.ErrShortWrite
				}
				if !errors.Is(err, want) {
					t.Errorf("%+v, failing at byte %d of %d: error %v", o, at, size, err)
				}
			}
		}
	}
	leaks.Goroutines(t, before)
}

func TestDiscardEndsGoroutines(t *testing.T) {
	sorted := testHeader(t, HeaderOptions{SortOrder: coordinate}, testContigs...)
	before := runtime.NumGoroutine()
	for _, o := range []WriterOptions{
		{Format: FormatSAM, Sort: true}, {Format: FormatSAMGZ, Threads: 3}, {Format: FormatBAM, Threads: 3},
		{Format: FormatBAM, Sort: true, SortMemory: 1, Threads: 2, Temporary: temporary.In(t.TempDir())},
	} {
		for _, n := range []int{0, 10, 20_000} {
			blocks := blocksOf(manyRecords(n), encodingOf(t, sorted, o), 100)
			within(t, fmt.Sprintf("%+v, %d records", o, n), func() {
				w, err := NewWriter(io.Discard, sorted, o)
				if err != nil {
					t.Error(err)
					return
				}
				for _, block := range blocks {
					if _, err := w.Write(block); err != nil {
						t.Error(err)
					}
				}
				w.Discard()
				w.Discard()
				if _, err := w.Write(nil); !errors.Is(err, errFinished) {
					t.Errorf("written to after Discard: %v", err)
				}
			})
		}
	}
	leaks.Goroutines(t, before)
}
