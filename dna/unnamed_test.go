package dna

import (
	"strings"
	"testing"
)

// TestAppendUnnamed has contigs around whole words, and gaps that fit behind them or do not.
func TestAppendUnnamed(t *testing.T) {
	var r Reference
	for _, gap := range []int{0, 1, 3, 64} {
		for _, length := range []int{1, 60, 61, 63, 64, 65, 128} {
			letters := strings.Repeat("ACGTN", 26)[:length]
			r.Reset()
			for range 3 {
				r.AppendUnnamed([]byte(letters), gap)
			}
			r.Finish()
			end := 0
			for i := range r.Contigs {
				c := &r.Contigs[i]
				if c.Start%WordBases != 0 || c.Length != length || i > 0 && (c.Start < end+gap || c.Start >= end+gap+WordBases) {
					t.Fatalf("gap %d, length %d: contig %d is %+v, after %d", gap, length, i, *c, end)
				}
				for at := end; at < c.Start; at++ {
					if r.Letter(at) != 'N' {
						t.Fatalf("gap %d, length %d: %c between contigs", gap, length, r.Letter(at))
					}
				}
				for j := range length {
					if r.Letter(c.Start+j) != letters[j] {
						t.Fatalf("gap %d, length %d: letter %d of contig %d is %c", gap, length, j, i, r.Letter(c.Start+j))
					}
				}
				end = c.End()
			}
		}
	}
}
