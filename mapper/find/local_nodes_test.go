package find

import (
	"math"
	"math/bits"
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
			if around.fits(f) && localNodes([]piece{entry}, 1, &d, new([fittingBlock]uint64)) == 1 {
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

// TestWinningTwins compares winning on this machine with winningPlain, and localNodes with the sum
// of all losses and wins, on pieces beside which runs of a few bases equal the text.
func TestWinningTwins(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(73, 74))
	winners, passed := 0, 0
	for range effort.Pick(20000, 2000) {
		d, pieces := drawDiagonals(r), make([]piece, 1+r.IntN(fittingBlock))
		for i := range pieces {
			p := &pieces[i]
			const bases = uint64(1)<<sideBases - 1
			for side := range 2 {
				p[side], p[2+side] = r.Uint64()&bases, r.Uint64()&bases
				for range r.IntN(4) {
					diagonal := 2*r.IntN(spreadDiagonals) + side
					if r.IntN(4) == 0 {
						diagonal = 2*spreadMiddle + side
					}
					at := r.IntN(sideBases)
					run := (uint64(1)<<[]int{4, 5, 5, 6, 7, 8, 40}[r.IntN(7)] - 1) << at & bases
					ends := (run<<1 | run>>1) &^ run & bases
					p[side] = p[side]&^(run|ends) | d[diagonal]&run | ^d[diagonal]&ends
					p[2+side] = p[2+side]&^run | d[2*spreadDiagonals+diagonal]&run
				}
				n := r.Uint64N(sideBases + 1)
				if r.IntN(3) == 0 { // an end of the node is unlike the text
					n = 4 * r.Uint64N(sideBases/4+1)
					like := ^uint64(0) >> (64 - n) >> r.IntN(10)
					p[side] = (d[2*spreadMiddle+side] ^ ^like) & bases
					p[2+side] = d[2*(spreadDiagonals+spreadMiddle)+side] & bases
				}
				p[side] |= n<<48 | r.Uint64N(2)<<54 | r.Uint64N(32)<<55
			}
			p[1] |= r.Uint64N(mostLost+1) << 60
		}
		fitting := r.Uint64() >> (64 - len(pieces))
		var wins, plain [fittingBlock]uint64
		winning(pieces, fitting, &d, &wins)
		winningPlain(pieces, fitting, &d, &plain)
		if wins != plain {
			t.Fatalf("%x, plain %x", wins, plain)
		}
		want := uint64(0)
		for i := range pieces {
			winners += bits.OnesCount64(wins[i])
			if lost := lostAndWon(&pieces[i], &d); fitting>>i&1 != 0 && lost <= pieces[i].mayLose() {
				want |= 1 << i
			}
		}
		if got := localNodes(pieces, fitting, &d, &wins); got != want {
			t.Fatalf("%b of %b, by what is lost %b", got, fitting, want)
		}
		passed += bits.OnesCount64(want)
	}
	if winners < 1000 || passed < 1000 {
		t.Error("too one-sided:", winners, passed)
	}
}

// lostAndWon returns the loss of a node on its diagonal, less the wins of segments on all others.
func lostAndWon(p *piece, d *diagonals) (lost int) {
	for i := range spreadDiagonals {
		for side := range 2 {
			n := int(p[side] >> 48 & 63)
			equal := ^((p[side] ^ d[2*i+side]) | (p[2+side] ^ d[2*(spreadDiagonals+i)+side])) & (1<<n - 1)
			if i != spreadMiddle {
				lost -= locate.Wins(equal)
				continue
			}
			flat, slope := n, 32
			if p[side]>>54&1 != 0 {
				flat, slope = int(p[0]>>55&31), int(p[1]>>55&31)
				if flat == 31 {
					flat = sideBases
				}
			}
			lost += lostBeside(^equal&(1<<n-1), n, flat, slope, math.MaxInt)
		}
	}
	return lost
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
