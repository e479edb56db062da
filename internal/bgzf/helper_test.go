package bgzf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A fakeGPU compresses as the CPU does, and fails from some call on.
type fakeGPU struct {
	most   int
	calls  *atomic.Int32 // of all
	fails  int32         // the number of the call; 0 never
	waits  func()        // for other blocks to come, before it fails
	texts  [][]byte
	packed [][]byte
}

func (g *fakeGPU) Most() int { return g.most }
func (g *fakeGPU) Text(i int) []byte {
	for len(g.texts) <= i {
		g.texts = append(g.texts, make([]byte, 1<<16))
	}
	return g.texts[i]
}
func (g *fakeGPU) Packed(i int) []byte { return g.packed[i] }
func (g *fakeGPU) Deflate(lengths []uint32) error {
	if n := g.calls.Add(1); g.fails > 0 && n >= g.fails {
		g.waits()
		return errors.New("the GPU is lost")
	}
	g.packed = nil
	for i, n := range lengths {
		g.packed = append(g.packed, new(deflater).appendBlock(nil, g.texts[i][:n]))
	}
	if len(lengths) > g.most {
		return errors.New("too many blocks")
	}
	return nil
}

// TestHelper writes the same bytes with and without deflaters, with several, with some that fail,
// at once and later, and from several writers.
func TestHelper(t *testing.T) {
	t.Parallel()
	const blockBytes, blocks = 700, 70
	// Bases, and noise that is stored.
	data := letters(1<<17 + blocks*blockBytes/3)[1<<17-blocks*blockBytes*2/3:]
	write := func(h *Helper) []byte {
		var b bytes.Buffer
		z, err := NewHelpedWriter(&b, SharedLevel, 2, h)
		if err != nil {
			t.Error(err)
			return nil
		}
		for part := range slices.Chunk(data, blockBytes) {
			h.Expect(len(part))
			if _, err := z.Write(part); err != nil {
				t.Error(err)
			}
			if err := z.Flush(); err != nil {
				t.Error(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
		return b.Bytes()
	}
	want := write(nil)
	if got := decompress(t, want); !bytes.Equal(got, data) {
		t.Fatal("without a helper it is another text")
	}
	for _, c := range []struct{ jobs, after, gpus, most, writers, fails int }{
		{8, 0, 1, 3, 1, 0}, {1, 0, 1, 1, 1, 0}, {64, 0, 3, 4, 1, 0}, {8, blocks / 2 * blockBytes, 2, 3, 1, 0},
		{8, 1 << 30, 2, 3, 1, 0}, {8, 0, 0, 3, 1, 0}, {8, 0, 2, 3, 3, 0},
		{8, 0, 1, 3, 1, 1}, {8, 0, 2, 3, 1, 2}, {8, 0, 3, 3, 2, 7},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			h := newHelper(1, 2*c.jobs+2, c.jobs, c.after)
			var calls, made atomic.Int32
			waits := func() {
				for range 50 {
					if time.Sleep(time.Millisecond); len(h.jobs) == cap(h.jobs) {
						return
					}
				}
			}
			offer := func() (all []Deflater) {
				made.Add(1)
				for range c.gpus {
					all = append(all, &fakeGPU{most: c.most, calls: &calls, fails: int32(c.fails), waits: waits})
				}
				return all
			}
			h.Offer(offer)
			helps := c.after == 0 && c.gpus > 0
			if helps {
				h.Expect(1)
				for h.working.Load() == 0 && calls.Load() == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			var writers sync.WaitGroup
			for range c.writers {
				writers.Go(func() {
					if got := write(h); !bytes.Equal(got, want) {
						t.Errorf("%d bytes, and %d without a helper", len(got), len(want))
					}
				})
			}
			done := make(chan struct{})
			go func() { writers.Wait(); close(done) }()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("writers wait forever")
			}
			h.Stop()
			expected := c.after < len(data)
			if made.Load() != map[bool]int32{true: 1}[expected] {
				t.Errorf("deflaters were made %d times", made.Load())
			}
			if helps && calls.Load() == 0 {
				t.Error("deflaters were not used")
			}
			if c.gpus == 0 || !expected {
				if calls.Load() != 0 {
					t.Error("deflaters were used that were not there")
				}
			}
		})
	}
	var none *Helper
	none.Expect(1)
}

// TestHelperOfOtherLevels leaves all levels but one alone.
func TestHelperOfOtherLevels(t *testing.T) {
	t.Parallel()
	data := letters(10_000)
	for level := range 10 {
		h := newHelper(1, 9, 4, 0)
		var calls atomic.Int32
		h.Offer(func() []Deflater { return []Deflater{&fakeGPU{most: 2, calls: &calls}} })
		var b bytes.Buffer
		z, err := NewHelpedWriter(&b, level, 1, h)
		if err != nil {
			t.Fatal(err)
		}
		h.Expect(1)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		h.Stop()
		if !bytes.Equal(b.Bytes(), compress(t, data, level, 1, len(data))) {
			t.Errorf("level %d has other bytes with a helper", level)
		}
		if calls.Load() > 0 {
			t.Errorf("level %d uses deflaters of another one", level)
		}
	}
}
