package find

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestSkimPiece has pieces as long as they can be, and reads scanned for where these are too short.
func TestSkimPiece(t *testing.T) {
	for _, c := range []struct {
		engine  Engine
		m, k    int
		want    int
		because string
	}{
		{EngineAuto, 100, 5, 16, "the longest"},
		{EngineAuto, 98, 7, 12, "as long as they fit"},
		{EngineAuto, 150, 12, 11, "odd lengths are as good"},
		{EngineAuto, 30, 5, 5, "short, and yet faster than a scan"},
		{EngineAuto, 29, 5, 0, "too short"},
		{EngineSkim, 29, 5, 0, "too short"},
		{EngineScan, 100, 5, 0, "asked for"},
	} {
		if got := skimPiece(c.engine, locate.Edits, c.m, c.k); got != c.want {
			t.Errorf("%s, %d bases, %d edits: pieces of %d, want %d: %s", c.engine, c.m, c.k, got, c.want, c.because)
		}
	}
}

// TestMergeClasses has classes of few pieces join the next one below.
func TestMergeClasses(t *testing.T) {
	for _, c := range []struct {
		total map[int]int
		want  map[int]int
	}{
		{map[int]int{16: 1}, map[int]int{16: 16}},
		{map[int]int{16: 7, 11: 13}, map[int]int{16: 11, 11: 11}},
		{map[int]int{16: 1_000_000, 11: 13}, map[int]int{16: 16, 11: 11}},
		{map[int]int{12: 1_000_000, 11: 1_000_000, 10: 1_000_000}, map[int]int{12: 12, 11: 11, 10: 10}},
		{map[int]int{12: 1000, 11: 1000, 10: 1000}, map[int]int{12: 10, 11: 10, 10: 10}},
		{map[int]int{12: 100, 11: 10_000_000, 5: 1}, map[int]int{12: 11, 11: 11, 5: 5}},
	} {
		var total [maxPiece + 1]int
		for q, n := range c.total {
			total[q] = n
		}
		into := mergeClasses(total)
		for q, want := range c.want {
			if into[q] != want {
				t.Errorf("pieces %v: those of %d join %d, want %d", c.total, q, into[q], want)
			}
		}
	}
}

// TestKindsOfReads has reads of some lengths, sought to some distances, in any order. Each has the
// pieces that it has alone.
func TestKindsOfReads(t *testing.T) {
	ref := truth.Reference(t, strings.Repeat("ACGTTGCATTAGCC", 20))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "reads")
		var texts []string
		var sought []int
		for range n {
			texts = append(texts, strings.Repeat("A", rapid.SampledFrom([]int{0, 7, 30, 100, 150}).Draw(t, "length")))
			sought = append(sought, rapid.SampledFrom([]int{0, 5, 10, 19, 25, 40}).Draw(t, "sought"))
		}
		kind := func(texts []string, sought []int, i int) (seeds, known int32, pieces int) {
			var b Batch
			b.local = &Local{Cap: locate.DefaultCap}
			words := b.layOut(truth.Reads(texts...), 1, func(m int) int { return m / 5 }, func(read, _, _ int) int { return sought[read] })
			b.packed = make([]uint64, words)
			b.fill(1)
			var c classes
			s := newShared(ref, Options{Local: b.local, Times: &Times{}})
			c.sort(&b, &s)
			pieces = -1
			for q := range c.skimmed {
				if slices.Contains(c.skimmed[q], uint32(i)) {
					pieces = q
				}
			}
			return b.seeds[i], b.sought[i], pieces
		}
		for i := range n {
			seeds, known, pieces := kind(texts, sought, i)
			aloneSeeds, aloneKnown, alonePieces := kind(texts[i:i+1], sought[i:i+1], 0)
			if seeds != aloneSeeds || known != aloneKnown || pieces != alonePieces {
				t.Fatalf("read %d of %d bases, sought to %d: %d, %d, %d; alone %d, %d, %d", i, len(texts[i]), sought[i],
					seeds, known, pieces, aloneSeeds, aloneKnown, alonePieces)
			}
		}
	})
}
