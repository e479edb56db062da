package find

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"scanmap/fasta"
	"scanmap/internal/truth"
)

// TestHalt halts long work, and lets nearly finished work end.
func TestHalt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unit  time.Duration
		asked int // after this number of units
		want  int // are done
	}{
		{time.Second, 100, 10}, // not asked
		{time.Second, -1, 1},   // before it begins
		{time.Second, 0, 1},
		{time.Second, 4, 5},
		{time.Second, 8, 9},
		{time.Second, 9, 10},
		{100 * time.Millisecond, 4, 10}, // half a second is left
		{100 * time.Millisecond, 2, 3},
		{100 * time.Millisecond, 3, 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := NewHalt(550 * time.Millisecond)
			if c.asked < 0 {
				h.Ask()
			}
			h.Begin(10)
			done := 0
			for ; done < 10 && !h.Over(); done++ {
				if done == c.asked {
					h.Ask()
				}
				time.Sleep(c.unit)
				h.Unit()
			}
			if done != c.want {
				t.Errorf("%+v: %d units", c, done)
			}
		})
	}
	var none *Halt
	none.Begin(1)
	if none.Unit(); none.Over() {
		t.Error("nobody halts")
	}
}

// TestHaltedFinder halts finders, for reads that are skimmed and scanned for. They find all of the
// next batch.
func TestHaltedFinder(t *testing.T) {
	t.Parallel()
	ref := truth.Reference(t, "ACGTTGCAAGGCTTAACCGGATATCCGTTAGACCAGTTGACCAT")
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		h := NewHalt(-time.Hour)
		o := Options{Engine: engine, Threads: 2, Times: &Times{}, Halt: h}
		f := OnCPU(ref, o)
		var found Found
		reads := []fasta.Read{{Bases: []byte("ACGTTGCAAGGCTTAACCGG")}, {Bases: []byte("TTGCAAGGCTTAACCGGATA")}}
		seek := func() (int, error) {
			b, err := f.Pack(reads, 1, func(int) int { return 1 })
			if err != nil {
				t.Fatal(err)
			}
			n, err := f.Find(b, &found)
			return n + found.Count(0, n), err
		}
		all, err := seek()
		if err != nil || all < 4 {
			t.Fatalf("%s: %d, %v", engine, all, err)
		}
		h.Ask()
		if n, err := seek(); !errors.Is(err, ErrHalted) {
			t.Errorf("%s, halted: %d, %v", engine, n, err)
		}
		h.asked.Store(false)
		if n, err := seek(); err != nil || n != all {
			t.Errorf("%s, after that: %d of %d, %v", engine, n, all, err)
		}
	}
}

// TestLeft estimates how long the rest of a batch will take, by the units done.
func TestLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHalt(time.Second)
		if left := h.Left(); left != 0 {
			t.Errorf("%v of nothing", left)
		}
		for range 2 {
			h.Begin(10)
			time.Sleep(3 * time.Second)
			for range 2 {
				h.Unit()
			}
			if left := h.Left(); left != 7*time.Second {
				t.Errorf("%v are left of 10", left)
			}
		}
	})
}
