package depth

import (
	"bytes"
	"testing"

	"scanmap/dna"
)

// TestShortContigsInARow has contigs too short for marks, several in a row, between long ones whose
// marks are of one range of work.
func TestShortContigsInARow(t *testing.T) {
	for _, lengths := range [][]int{{3*markBases + 1, 5, 0, 7, 3*markBases + 1}, {3 * markBases, 9, 9, 9, 2 * markBases}} {
		c := longCounts(Covered, 2, lengths)
		for contig, length := range lengths {
			want := plainUnits(c, contig)
			for _, from := range []int{0, markBases, 2*markBases + 5} {
				if from >= length {
					continue
				}
				at := from
				err := c.sweep(contig, from, length, func(start, end int, depth int64) error {
					for ; at < end; at++ {
						if start > at || want[at] != depth {
							t.Fatalf("%v: base %d of contig %d has %d, want %d", lengths, at, contig, depth, want[at])
						}
					}
					return nil
				})
				if err != nil || at != length {
					t.Errorf("%v: contig %d ends at %d, %v", lengths, contig, at, err)
				}
			}
		}
	}
}

// TestGCPercent changes one base of a window, at either end, or the base after the window.
func TestGCPercent(t *testing.T) {
	for _, c := range []struct {
		at     int
		letter byte
		n      int
		ok     bool
	}{
		{0, 'G', 1, true}, {63, 'C', 1, true}, {64, 'G', 1, true}, {99, 'C', 1, true}, {100, 'G', 0, true}, {127, 'G', 0, true},
		{0, 'N', 0, false}, {64, 'N', 0, false}, {99, 'N', 0, false}, {100, 'N', 0, true}, {127, 'N', 0, true},
	} {
		for _, before := range []int{0, 1, 60} {
			text := bytes.Repeat([]byte("AT"), 100)
			text[before+c.at] = c.letter
			var s dna.Sequence
			s.Append(text)
			if n, ok := gcPercent(&s, before); ok != c.ok || ok && n != c.n {
				t.Errorf("%c at %d of a window from %d on: %d, %v", c.letter, c.at, before, n, ok)
			}
		}
	}
}

// TestCarriedTwice has two GPUs carry the number of one base, and the CPU too.
func TestCarriedTwice(t *testing.T) {
	for _, of := range []Of{Covered, Starts} {
		c := New(Options{Of: of, Weights: WeighAll, Threads: 1})
		if err := c.Begin(reference(5)); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			c.AddCells(0, 2, []int32{1 << 30, 0, -5})
			c.CarryCell(0, 2, 1)
		}
		c.CarryCell(0, 2, -1)
		var got []int64
		if err := c.sweep(0, 2, 4, func(start, end int, depth int64) error {
			for range end - start {
				got = append(got, depth)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := int64(3<<30 + 2<<32)
		if len(got) != 2 || got[0] != want || of == Covered && got[1] != want || of == Starts && got[1] != 0 {
			t.Errorf("%s: %d, want %d", of, got, want)
		}
	}
}
