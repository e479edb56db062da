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
	"scanmap/internal/programs"
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

func compress(t testing.TB, data []byte, level, threads, step int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := newBGZF(&b, level, threads, false)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := min(step, len(data))
		if m, err := z.Write(data[:n]); m != n || err != nil {
			t.Fatalf("%d bytes of %d, error %v", m, n, err)
		}
		data = data[n:]
	}
	if err := z.close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBGZFReadsBack(t *testing.T) {
	data := letters(4 * bgzfMost)
	for level := range 10 {
		if level > 7 && !effort.Full() {
			continue
		}
		for _, n := range []int{0, 1, bgzfMost - 1, bgzfMost, bgzfMost + 1, 2 * bgzfMost, len(data)} {
			file := compress(t, data[:n], level, 2, 1<<20)
			if !bytes.Equal(decompress(t, file), data[:n]) {
				t.Errorf("level %d, %d bytes: other bytes come back", level, n)
			}
		}
	}
	if got := compress(t, nil, 5, 1, 1); string(got) != bgzfEnd {
		t.Errorf("nothing becomes %q", got)
	}
}

// A compressor that was used before, and any number of them, make the same bytes.
func TestBGZFDoesNotDependOnThreads(t *testing.T) {
	data := letters(700_000)
	for _, level := range []int{0, 1, 2, 3, 4, 5, 6, 7} {
		want := compress(t, data, level, 1, len(data))
		for _, threads := range []int{1, 2, 7} {
			if !bytes.Equal(compress(t, data, level, threads, 1000*threads+7), want) {
				t.Errorf("level %d, %d threads: other bytes", level, threads)
			}
		}
	}
}

func TestBGZFRefusesLevels(t *testing.T) {
	for _, level := range []int{-1, 10} {
		if _, err := newBGZF(io.Discard, level, 1, false); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
}

// htslib's own program finds the blocks in order.
func TestBgzipReadsBGZF(t *testing.T) {
	bgzip := programs.Find(t, "bgzip")
	data := letters(300_000)
	for _, level := range []int{0, 5} {
		file := compress(t, data, level, 2, 1<<20)
		if !bytes.Equal(output(t, file, bgzip, "-d", "-c"), data) {
			t.Errorf("level %d: other bytes come back", level)
		}
	}
}

func TestBGZFKeepsRecordsWhole(t *testing.T) {
	var b bytes.Buffer
	z, err := newBGZF(&b, 0, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{bgzfMost - 10, 11, bgzfMost - 11, 1, 3 * bgzfMost, 5} {
		if err := z.writeRecord(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.close(); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	var sizes []int
	for i, offset := range z.offsets {
		if i+1 < len(z.offsets) {
			end := file[z.offsets[i+1]-4 : z.offsets[i+1]]
			sizes = append(sizes, int(getInt32(end)))
		} else if string(file[offset:]) != bgzfEnd {
			t.Errorf("the last offset, %d, is not that of the end", offset)
		}
	}
	want := []int{bgzfMost - 10, bgzfMost, 1, bgzfMost, bgzfMost, bgzfMost, 5}
	if fmt.Sprint(sizes) != fmt.Sprint(want) {
		t.Errorf("blocks of %v bytes, want %v", sizes, want)
	}
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

// goroutinesEnd fails the test if more goroutines are left than before, after they had
// the time to end.
func goroutinesEnd(t testing.TB, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
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
	records := manyRecords(3000)
	before := runtime.NumGoroutine()
	for _, o := range []WriterOptions{
		{Format: FormatSAM}, {Format: FormatSAM, Sort: true}, {Format: FormatSAMGZ, Threads: 2},
		{Format: FormatBAM}, {Format: FormatBAM, Compression: 1, Threads: 3}, {Format: FormatBAM, Sort: true, Compression: 1, Threads: 2},
	} {
		blocks := blocksOf(records, encodingOf(t, sorted, o), 50)
		size := len(write(t, sorted, o, blocks...))
		offsets := []int{0, 1, 20, 100, 200, 300, size - 29, size - 28, size - 1}
		for at := 1000; at < size; at += size / 7 {
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
	goroutinesEnd(t, before)
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
	goroutinesEnd(t, before)
}
