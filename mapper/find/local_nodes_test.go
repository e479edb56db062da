package find

import (
	"math/rand/v2"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestLocalNodes plants alignments that qualify: of each, some piece lies unchanged and passes its
// flank and node (lemma 6).
func TestLocalNodes(t *testing.T) {
	t.Parallel()
	hits, refused := 0, 0
	for n := range effort.Pick(100000, 60000) {
		r := rand.New(rand.NewPCG(uint64(n), 31))
		m := 36 + r.IntN(215)
		rules := truth.LocalRules{Least: m * (60 + r.IntN(36)) / 100, Cap: []int{20, 20, 20, 8, 30}[r.IntN(5)], Longest: 100}
		c := locate.CutLocal(m, rules.Least, rules.Cap)
		if c.Number == 0 {
			continue
		}
		starts := placed(r, &c, m)
		var near []int
		for i, at := range starts {
			near = append(near, int(at), int(at)+c.Bases, cut(starts, i/2, m, c.Bases))
		}
		p := truth.DrawPlanted(r, m, rules, near)
		var read dna.Sequence
		read.Append([]byte(p.Read))
		strand := make(locate.Planes, locate.PlanesLength(m))
		strand.Pack(&read)
		text := truth.Reference(t, p.Text).Bases
		kept, whole := false, 0
		for i, at := range starts {
			diagonal, ok := p.Equal(int(at), c.Bases)
			if !ok {
				continue
			}
			whole++
			flipped := r.IntN(2) == 0
			entry, f := newLocalPiece(&c, strand, starts, i, m, c.Bases, 0, flipped)
			around := surround(&text, diagonal+int(at), c.Bases, flipped)
			var d diagonals
			d.fill(&text, diagonal+int(at), c.Bases, flipped)
			if around.fits(f) && entry.fitsLocal(&d) {
				kept = true
			} else {
				refused++
			}
		}
		if hits += whole; !kept {
			t.Fatalf("case %d: %d bases, least %d, cap %d: none of %d whole pieces at %v is kept: read %s in %s, %v",
				n, m, rules.Least, rules.Cap, whole, starts, p.Read, p.Text, p.Segments)
		}
	}
	if refused < hits/100 {
		t.Errorf("%d of %d hits refused: the test shows little", refused, hits)
	}
}

// placed returns where the pieces of a read start: as evenly as choose has them, or anywhere.
func placed(r *rand.Rand, c *locate.LocalPieces, m int) (starts []int32) {
	if r.IntN(2) == 0 {
		var even pieceChooser
		return even.choose(nil, nil, m, c.Number-1, c.Bases, c.Inset)
	}
	free, at := m-2*c.Inset-c.Number*c.Bases, c.Inset
	for range c.Number {
		skip := r.IntN(free+1) * r.IntN(2)
		free -= skip
		at += skip
		starts = append(starts, int32(at))
		at += c.Bases
	}
	return starts
}
