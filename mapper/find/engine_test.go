package find

import (
	"testing"

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
