package truth

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// fataler is a testing.T, or one that shrinks.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// TestText compares with Find on some thousands of cases.
func TestText(t *testing.T) {
	compare := func(t fataler, contigs, reads []string, k func(int) int) (found int) {
		text := NewText(contigs)
		for _, read := range reads {
			want := Find(contigs, read, k(len(read)))
			got, err := text.Find(read, k(len(read)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("%d edits, read %s, contigs %q: (-plain +quick)\n%s", k(len(read)), read, contigs, cmp.Diff(want, got))
			}
			found += len(want)
		}
		return found
	}
	t.Run("Cases", func(t *testing.T) {
		found := 0
		for seed := effort.Pick[uint64](0, 8); seed < 12; seed++ { // the last have most locations
			c := NewCases(rand.New(rand.NewPCG(seed, 2)), 3000)
			found += compare(t, c.Contigs, c.Reads, c.K)
		}
		if found < 1500 {
			t.Errorf("%d locations", found)
		}
	})
	t.Run("Families", func(t *testing.T) {
		for seed := range uint64(effort.Pick(50, 8)) {
			contigs, reads, k := Families(rand.New(rand.NewPCG(seed, 3)))
			compare(t, contigs, reads, func(int) int { return k })
		}
	})
	t.Run("Repeats", func(t *testing.T) {
		effort.Cases(t, 40)
		rapid.Check(t, func(rt *rapid.T) {
			contigs, reads, k := Draw(rt)
			compare(rt, contigs, reads, func(int) int { return k })
		})
	})
}
