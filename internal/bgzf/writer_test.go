package bgzf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/biogo/hts/bgzf"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
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
	z, err := NewWriter(&b, level, threads)
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
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadsBack(t *testing.T) {
	data := letters(4 * mostData)
	for level := range 10 {
		if level > 7 && !effort.Full() {
			continue
		}
		for _, n := range []int{0, 1, mostData - 1, mostData, mostData + 1, 2 * mostData, len(data)} {
			file := compress(t, data[:n], level, 2, 1<<20)
			if !bytes.Equal(decompress(t, file), data[:n]) {
				t.Errorf("level %d, %d bytes: other bytes come back", level, n)
			}
		}
	}
	if got := compress(t, nil, 5, 1, 1); string(got) != End {
		t.Errorf("nothing becomes %q", got)
	}
}

// A compressor that was used before, and any number of compressors, make the same bytes.
func TestDoesNotDependOnThreads(t *testing.T) {
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

func TestRefusesLevels(t *testing.T) {
	for _, level := range []int{-2, 10} {
		if _, err := NewWriter(io.Discard, level, 1); err == nil {
			t.Errorf("level %d is taken", level)
		}
	}
}

// htslib's own program finds the blocks in order.
func TestBgzipReads(t *testing.T) {
	bgzip := programs.Find(t, "bgzip")
	data := letters(300_000)
	for _, level := range []int{0, 5} {
		file := compress(t, data, level, 2, 1<<20)
		c := exec.Command(bgzip, "-d", "-c")
		c.Stdin = bytes.NewReader(file)
		if got, err := c.Output(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("level %d: other bytes come back, error %v", level, err)
		}
	}
}

func TestKeepsRecordsWhole(t *testing.T) {
	var b bytes.Buffer
	z, err := NewWriter(&b, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	z.KeepOffsets()
	for _, n := range []int{mostData - 10, 11, mostData - 11, 1, 3 * mostData, 5} {
		if _, _, err := z.WriteWhole(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	var sizes []int
	for i, offset := range z.offsets {
		if i+1 < len(z.offsets) {
			end := file[z.offsets[i+1]-4 : z.offsets[i+1]]
			sizes = append(sizes, int(binary.LittleEndian.Uint32(end)))
		} else if string(file[offset:]) != End {
			t.Errorf("the last offset, %d, is not that of the end", offset)
		}
	}
	want := []int{mostData - 10, mostData, 1, mostData, mostData, mostData, 5}
	if fmt.Sprint(sizes) != fmt.Sprint(want) {
		t.Errorf("blocks of %v bytes, want %v", sizes, want)
	}
}

// TestBlocks writes texts around the size of a block one after another, and reads them back.
func TestBlocks(t *testing.T) {
	c := NewCompressor(DefaultLevel)
	var file, want []byte
	for _, n := range []int{0, 1, mostData - 1, mostData, mostData + 1, 3 * mostData} {
		text := letters(n)
		want = append(want, text...)
		var err error
		if file, err = c.AppendBlocks(file, text); err != nil {
			t.Fatal(err)
		}
	}
	file = append(file, End...)
	if got := decompress(t, file); !bytes.Equal(got, want) {
		t.Errorf("%d bytes came back as %d others", len(want), len(got))
	}
}
