package bgzf

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Bins are as in the specification's reg2bin.
func TestBin(t *testing.T) {
	reg2bin := func(beg, end int) int { // SAMv1, section 5.3
		end--
		switch {
		case beg>>14 == end>>14:
			return ((1<<15)-1)/7 + (beg >> 14)
		case beg>>17 == end>>17:
			return ((1<<12)-1)/7 + (beg >> 17)
		case beg>>20 == end>>20:
			return ((1<<9)-1)/7 + (beg >> 20)
		case beg>>23 == end>>23:
			return ((1<<6)-1)/7 + (beg >> 23)
		case beg>>26 == end>>26:
			return ((1<<3)-1)/7 + (beg >> 26)
		}
		return 0
	}
	random := rand.New(rand.NewPCG(1, 1))
	if got := Bin(-1, 0, Depth); got != 4680 {
		t.Errorf("bin %d without a place", got)
	}
	for range 100_000 {
		begin := random.IntN(1 << 29)
		end := begin + 1 + random.IntN(1<<random.IntN(29))
		if got := Bin(begin, end, Depth); int(got) != reg2bin(begin, end) {
			t.Fatalf("[%d,%d): bin %d, want %d", begin, end, got, reg2bin(begin, end))
		}
		if begin>>14 == (end-1)>>14 {
			continue
		}
		bin := Bin(begin, end, 6)
		if first := firstWindow(bin, 6); first<<14 > begin {
			t.Fatalf("bin %d of [%d,%d) begins at window %d", bin, begin, end, first)
		}
	}
}

// TestDepth has the depth of BAI, and the depths of CSI that hts_idx_init of htslib gives, which
// allows for 256 bases more.
func TestDepth(t *testing.T) {
	for length, want := range map[int]int{
		1: 5, 1<<29 - 1: 5, 1 << 29: 5, 1<<29 + 1: 6, 1<<31 - 1: 6, 1<<32 - 256: 6, 1<<32 - 255: 7,
	} {
		if got, csi := DepthFor(length); got != want || csi != (length > 1<<29) {
			t.Errorf("%d bases: CSI %v, depth %d, not %d", length, csi, got, want)
		}
	}
}

// TestWindows compares the linear index with its definition in SAMv1, section 5.1.3: for each
// window of 16,384 bases, where the first record that overlaps it begins. Records start and end at,
// before and after the first base of a window.
func TestWindows(t *testing.T) {
	const window, windows = 1 << 14, 6
	random := rand.New(rand.NewPCG(9, 10))
	border := func() int { return window*random.IntN(windows) + random.IntN(5) - 2 }
	for range 200 {
		var spans [][2]int // first and last base
		for range 1 + random.IntN(6) {
			first := max(border(), 0)
			spans = append(spans, [2]int{first, max(first, min(border(), windows*window-1))})
		}
		slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
		want := []Place{}
		x, c := NewIndex(1<<20), Contig{}
		x.Start(&c)
		for i, s := range spans {
			x.Add(s[0], s[1]+1, Place(100*i), Place(100*i+100))
			for w := range s[1]/window + 1 {
				if w == len(want) {
					want = append(want, noPlace)
				}
				if w >= s[0]/window {
					want[w] = min(want[w], Place(100*i))
				}
			}
		}
		if got := c.windows; !slices.Equal(got, want) {
			t.Fatalf("spans %v: windows begin at %v, want %v", spans, got, want)
		}
	}
}
