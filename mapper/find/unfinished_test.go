package find

import (
	"testing"

	"pgregory.net/rapid"
)

// TestUntilFinished has items of any size share room that ends somewhere in every run: each comes
// to its end, unless nobody wants more runs.
func TestUntilFinished(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 50).Draw(rt, "sizes")
		room := rapid.IntRange(1, 100).Draw(rt, "room")
		done := make([]bool, len(sizes))
		runs, most := 0, rapid.SampledFrom([]int{1 << 20, 1 << 20, 1, 3}).Draw(rt, "most")
		run := func(items []uint32, count int) (unfinished []uint32) {
			left := room
			for i := range count {
				item := uint32(i)
				if items != nil {
					item = items[i]
				}
				if sizes[item] > left {
					unfinished = append(unfinished, item)
					continue
				}
				left -= sizes[item]
				done[item] = true
			}
			return unfinished
		}
		finished := untilFinished(len(sizes), run, func() { room *= 2 }, func() bool { runs++; return runs <= most })
		if finished != (runs <= most) {
			rt.Fatalf("finished %v after %d runs of %d at most", finished, runs, most)
		}
		for i, ok := range done {
			if finished && !ok {
				rt.Fatalf("item %d of size %d has not come to its end, the room is %d", i, sizes[i], room)
			}
		}
	})
}
