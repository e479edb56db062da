package mappability

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/truth"
)

// crowd is strings of one length, each with a weight, the wanted ones marked.
type crowd struct {
	strings []string
	weights []uint32
	wanted  []bool
	edits   int
	order   []int // of the strings of the last group
}

// drawnCrowd draws strings that are near each other: copies with few substitutions, low complexity,
// letters that match nothing, and equal strings.
func drawnCrowd(t *rapid.T) *crowd {
	c := &crowd{edits: rapid.IntRange(1, 3).Draw(t, "e")}
	k := 2*c.edits + rapid.SampledFrom([]int{0, 1, 3, 8, 30, 64, 100, 190}).Draw(t, "more") + rapid.IntRange(0, 5).Draw(t, "K")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	unit := truth.Random(r, k, rapid.SampledFrom([]string{"A", "AT", "ACGT"}).Draw(t, "letters"))
	others := rapid.SampledFrom([]string{"ACGT", "ACGTACGTN", "ACGTNNN"}).Draw(t, "substituted")
	for range rapid.IntRange(1, 40).Draw(t, "strings") {
		s := []byte(unit)
		for range r.IntN(2*c.edits + 2) {
			s[r.IntN(k)] = others[r.IntN(len(others))]
		}
		if len(c.strings) > 0 && r.IntN(8) == 0 {
			s = []byte(c.strings[r.IntN(len(c.strings))])
		}
		c.strings = append(c.strings, string(s))
		c.weights = append(c.weights, uint32(r.IntN(5)))
		c.wanted = append(c.wanted, r.IntN(3) > 0)
	}
	return c
}

// differ is the bases in which two strings differ, those included that match nothing.
func differ(a, b string) (at []int) {
	for i := range a {
		if a[i] != b[i] || a[i] == 'N' {
			at = append(at, i)
		}
	}
	return at
}

// has tells whether a mask has a base.
func has(mask []uint64, base int) bool { return mask[base/64]>>(base%64)&1 == 1 }

// touches tells whether a mask has one of some bases.
func touches(mask []uint64, bases []int) bool {
	return slices.ContainsFunc(bases, func(base int) bool { return has(mask, base) })
}

// matcher returns a matcher of the strings of c, and a group of some strings.
func (c *crowd) matcher(t interface{ Fatal(...any) }, members []int) (*matcher, *group) {
	k := len(c.strings[0])
	bases := make([]uint64, dna.Words(k))
	for w := range bases {
		bases[w] = firstBases(k - 64*w)
	}
	m := newMatcher(bases, &Options{Length: k, Edits: c.edits})
	c.order = nil
	ref := truth.Reference(t, c.strings...)
	all := textOf(ref)
	g := &group{}
	for _, wanted := range []bool{true, false} {
		for _, i := range members {
			if c.wanted[i] != wanted {
				continue
			}
			g.refs = append(g.refs, uint32(len(g.refs)))
			if m.weights = append(m.weights, c.weights[i]); wanted {
				g.wanted++
			}
			c.order = append(c.order, i)
			for w := range bases {
				g.letters = append(g.letters, all.planes.letters(ref.Contigs[i].Start+64*w, bases[w]))
			}
		}
	}
	m.found = make([]uint32, len(g.refs))
	return &m, g
}

// found is the counts of the wanted strings of the last group, by string.
func (c *crowd) found(m *matcher, g *group) []uint32 {
	all := make([]uint32, len(c.strings))
	for number, i := range c.order[:g.wanted] {
		all[i] = m.found[number]
	}
	return all
}

// TestOwnedPairs compares pairs with the definition, in groups with some equal pieces.
func TestOwnedPairs(t *testing.T) {
	t.Parallel()
	possible := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := drawnCrowd(rt)
		k := len(c.strings[0])
		all := make([]uint64, dna.Words(k))
		for w := range all {
			all[w] = firstBases(k - 64*w)
		}
		by := newPath(all, c.edits)
		var steps [][][]uint64 // of each the piece that is equal, and those before it
		for by.pieces != nil && len(steps) < 7 && rapid.IntRange(0, 5).Draw(rt, "end") > 0 {
			piece := rapid.IntRange(0, min(c.edits, 1+len(steps))).Draw(rt, "piece") % (c.edits + 1)
			step := [][]uint64{by.piece(piece)}
			for before := range piece {
				step = append(step, by.piece(before))
			}
			steps = append(steps, step)
			by = by.step(piece)
		}
		owned := func(at []int) bool {
			return len(at) <= c.edits && !slices.ContainsFunc(steps, func(s [][]uint64) bool {
				return touches(s[0], at) || slices.ContainsFunc(s[1:], func(before []uint64) bool { return !touches(before, at) })
			})
		}
		var members []int // equal letters in the pieces, or letters that match nothing
		first := c.strings[0]
		for i, s := range c.strings {
			if !slices.ContainsFunc(differ(first, s), func(base int) bool { return has(by.equal, base) && s[base] != 'N' }) {
				members = append(members, i)
			}
		}
		if touches(by.equal, differ(first, first)) {
			members = nil
		}
		want := make([]uint32, len(c.strings))
		for _, i := range members {
			for _, j := range members {
				if i != j && c.wanted[i] && owned(differ(c.strings[i], c.strings[j])) {
					want[i] += c.weights[j]
					if !by.possible {
						rt.Fatal("a pair is owned where none is possible")
					}
				}
			}
		}
		if by.possible {
			possible++
		}
		m, g := c.matcher(rt, members)
		if m.compare(g, by); !slices.Equal(c.found(m, g), want) {
			rt.Fatalf("pairs: %d, not %d", c.found(m, g), want)
		}
	})
	if possible == 0 {
		t.Error("no group has pairs that are possible")
	}
}

// TestImpossiblePath asks of each path of three pieces whether two differences can be as it wants
// them, and tries all.
func TestImpossiblePath(t *testing.T) {
	t.Parallel()
	by := newPath([]uint64{firstBases(36)}, 2)
	possible := 0
	for way := range 27 {
		p := by.step(way / 9).step(way / 3 % 3).step(way % 3)
		want := p.owns([]uint64{0})
		for a := range 36 {
			for b := range 36 {
				want = want || p.owns([]uint64{1<<a | 1<<b})
			}
		}
		if p.possible != want {
			t.Errorf("path %d: possible is %v", way, p.possible)
		}
		if want {
			possible++
		}
	}
	if possible != 24 {
		t.Errorf("%d of 27 paths are possible", possible)
	}
}

// TestUnequalPieces has strings of one hash whose pieces differ, which are not counted.
func TestUnequalPieces(t *testing.T) {
	t.Parallel()
	for _, k := range []int{36, 90} {
		c := &crowd{edits: 2, weights: []uint32{1, 2, 4}, wanted: []bool{true, true, true}}
		unit := strings.Repeat("ACGTTG", k/6)
		c.strings = []string{unit, unit[:k-2] + "AG", unit[:k-1] + "T"}
		m, g := c.matcher(t, []int{0, 1, 2})
		by := m.path.step(2)
		by.required = nil
		if m.compare(g, by); !slices.Equal(c.found(m, g), []uint32{0, 0, 0}) {
			t.Errorf("K %d: pairs: %d", k, c.found(m, g))
		}
	}
}
