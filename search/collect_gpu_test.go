package search

import (
	"testing"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// TestCollectAtTheEnd has flags set after the last letter too, which may be anything.
func TestCollectAtTheEnd(t *testing.T) {
	g, err := device.OpenGPU(emulator.Driver(t, emulator.Address, gpu.EmulatorOptions{}), 0, true)
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	flags := make([]byte, 128)
	for i := range flags {
		flags[i] = 1
	}
	var all, queue, counter device.Buffer
	for _, count := range []int{1, 31, 32, 33, 63, 64, 65, 96} {
		device.Upload(q, &all, flags)
		q.Reserve(&queue, 8*8)
		q.Reserve(&counter, 8)
		q.Clear(&counter, 8)
		device.Launch(q, "collect", (count+31)/32, &kernels.CollectParams{
			Flags: all.At(0), Count: uint64(count), Hits: kernels.Hits{Queue: queue.At(0), Counter: counter.At(0), Capacity: 8},
		})
		words, hits := make([]uint64, 1), make([][2]uint32, 8)
		device.Download(q, words, &counter, 0)
		device.Download(q, hits, &queue, 0)
		if err := q.Wait(); err != nil {
			t.Fatal(err)
		}
		var got [128]bool
		for _, hit := range hits[:words[0]] {
			for bit := range 32 {
				got[32*hit[0]+uint32(bit)] = hit[1]>>bit&1 != 0
			}
		}
		for i, is := range got {
			if is != (i < count) {
				t.Errorf("%d letters: letter %d is the last of an occurrence: %t", count, i, is)
			}
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
