package search

import (
	"math"
	"math/bits"
	"sync/atomic"

	"scanmap/dna"
)

// A tilesFinder computes the matrix of edit distances row by row, 64 columns of each of several
// parts of the text at a time, and only as many rows as it needs: most text differs from the first
// letters of a needle by more than k edits.
//
// # Which rows are left out
//
// D[i][j] is the least distance of the first i letters of the needle to text that ends with column
// j. A block is computed down to a row R such that D[R][j] > k in all its columns j, and that in
// the column before the block D[i] > k for all rows i >= R. Below, D is taken to grow by 1 a row.
//
// Lemma: a computed distance is never less than D, and equals D wherever D <= k.
//
// Proof, by induction over blocks. An alignment is a path through the matrix along which costs do
// not decrease, so D <= k at its end means D <= k on a best path to it. Where D <= k in the block,
// that path comes from row 0 of the block or from the column before it: there the distance taken is
// D by induction, so the computed one is at most D. It does not pass below row R: it would have to
// enter there through row R of the block or through the column before it at row R or below, and all
// have D > k. Thus no cell below R in this block has D <= k, and the distance taken for the last
// column there, D[R] + i - R, is more than k, and not less than D, since D grows by at most 1 a
// row. A distance computed from values that are not less than D is not less than D.
//
// The first block of a part begins with D[i] = i, as if no text came before. D[i] = i is not less
// than D, and equals D where no alignment with at most k edits comes from before. An alignment from
// before spans at most m + k letters. The reported ends therefore lie at least m + k letters after
// the start.
type tilesFinder struct {
	sweeper sweeper
	needles []*tilesNeedle
	// sets has the sets of bases that letters stand for, in the order of their masks.
	sets []uint8
	warm int // the most of needles
}

type tilesNeedle struct {
	n    *needle
	rows []uint32
	// warm is the number of blocks before a part that may hold letters of an alignment.
	warm int
	// depth is the row at which blocks are first looked at: the best one lately.
	depth atomic.Int32
}

// tileBlocks is the number of blocks of a part of a segment, tileStride with those before it.
const (
	tileBlocks = segment / 64 / tileLanes
	tileStride = tileBlocks + 1 + (MaxLength+MaxDistance+63)/64
)

func newTiles(_ *Text, needles []*needle, _ int) (finder, error) {
	all := sweepers()
	return newTilesOn(all[len(all)-1], needles), nil
}

func newTilesOn(sweeper sweeper, needles []*needle) *tilesFinder {
	f := &tilesFinder{sweeper: sweeper}
	var numbers [16]int // of a set, plus 1
	for _, n := range needles {
		p := &tilesNeedle{n: n, warm: (n.length() + n.k + 63) / 64}
		f.warm = max(f.warm, p.warm)
		for _, set := range n.sets {
			if numbers[set] == 0 {
				f.sets = append(f.sets, set)
				numbers[set] = len(f.sets)
			}
			p.rows = append(p.rows, uint32((numbers[set]-1)*tileStride))
		}
		p.depth.Store(int32(firstDepth(n)))
		f.needles = append(f.needles, p)
	}
	return f
}

// firstDepth estimates the first row in which random text has no column of a block within k edits:
// from the number of words within k edits of a prefix of the needle.
func firstDepth(n *needle) int {
	sizes := make([]float64, n.k+1) // shares of the words, by edits
	sizes[0] = 1
	for i, set := range n.sets {
		match := float64(bits.OnesCount8(set))
		sum := 0.0
		for e := n.k; e >= 0; e-- {
			sizes[e] *= match / 4
			if e > 0 {
				sizes[e] += (4 - match + 7) / 4 * sizes[e-1]
			}
			sum += sizes[e]
		}
		if i >= n.k && sum*64*tileLanes < 0.2 || math.IsInf(sum, 1) {
			return i + 1
		}
	}
	return n.length()
}

func (f *tilesFinder) find(s *scratch, r textRange, found func(needle, end int)) {
	for from := r.from; from < r.to; from += segment {
		part := r
		part.from, part.to = from, min(from+segment, r.to)
		t := f.newTile(&s.text.ref.Bases, &s.tiles, part)
		for i, p := range f.needles {
			p.find(f, &s.tiles, &t)
			for lane := range s.tiles.ends {
				for _, end := range s.tiles.ends[lane] {
					found(i, end)
				}
			}
		}
	}
}

// A tile is a part of the text for which masks are made.
type tile struct {
	r textRange
	// Lane l has the words of the text from first + l*blocks on: before them are `warm` others.
	first, blocks int
}

func (f *tilesFinder) newTile(b *dna.Sequence, s *tilesScratch, r textRange) tile {
	t := tile{r: r, first: r.from >> 6}
	last := (r.to - 1) >> 6
	t.blocks = (last - t.first + tileLanes) / tileLanes
	if len(s.masks) < len(f.sets)*tileStride {
		s.masks = make([]lanesWord, len(f.sets)*tileStride)
	}
	var low, high, nothing lanesWord
	for i := range f.warm + t.blocks {
		for lane := range tileLanes {
			w := t.first + lane*t.blocks - f.warm + i
			if w < r.first>>6 || w > last {
				nothing[lane] = ^uint64(0)
				continue
			}
			low[lane], high[lane], nothing[lane] = b.Low[w], b.High[w], b.Ambiguous[w]
			if 64*w < r.first {
				nothing[lane] |= 1<<(r.first-64*w) - 1
			}
		}
		for j, set := range f.sets {
			setMasks(s.masks[j*tileStride+i][:], set, low[:], high[:], nothing[:])
		}
	}
	return t
}

// deeper is how many rows more are computed at a time where the first ones are not enough; retune
// is the number of blocks after which the first row that is looked at is chosen again.
const (
	deeper = 3
	retune = 32
)

// A descent is a search for one needle in a tile.
type descent struct {
	*tilesNeedle
	sweeper sweeper
	masks   []lanesWord
	carries []rowCarry
	state   sweepState
	k       int
	// depth is the row that blocks are first looked at in, and that state.score is of. In the last
	// column so far no row from `need` on has a distance of at most k. Carries of rows from
	// `reached` on are steps up.
	depth, need, reached int
}

// find leaves the ends in s.ends.
func (p *tilesNeedle) find(f *tilesFinder, s *tilesScratch, t *tile) {
	m, k := p.n.length(), p.n.k
	if len(s.carries) < m {
		s.carries = make([]rowCarry, m)
	}
	d := descent{tilesNeedle: p, sweeper: f.sweeper, masks: s.masks, carries: s.carries[:m], k: k, reached: m}
	d.depth = min(max(int(p.depth.Load()), k+1), m)
	d.need = d.depth
	for lane := range tileLanes {
		s.ends[lane] = s.ends[lane][:0]
		d.state.score[lane] = uint64(d.depth)
	}
	d.reset(0)
	blocks := f.warm + t.blocks
	for b := f.warm - p.warm; b < blocks; {
		stop, deep := min(b+retune, blocks), 0
		for b < stop {
			if d.need <= d.depth {
				d.reset(d.depth)
				d.reached = d.depth
				if b = d.sweep(b, stop, 0, d.depth); b == stop {
					break
				}
			}
			deep++
			row, ends := d.down(b, d.need <= d.depth)
			if ends && b >= f.warm {
				d.report(s, t, b-f.warm)
			}
			d.leave(row, ends)
			b++
		}
		d.retune(deep)
	}
	p.depth.Store(int32(d.depth))
}

func (d *descent) sweep(from, to, first, depth int) int {
	return d.sweeper.sweep(d.masks, d.rows, d.carries, &d.state, from, to, first, depth, d.k)
}

// reset sets the carries of rows from `row` on to steps up.
func (d *descent) reset(row int) {
	for i := row; i < d.reached; i++ {
		c := &d.carries[i]
		for lane := range tileLanes {
			c.up[lane] = 1 << d.sweeper.carry
		}
		for lane := range tileLanes {
			c.down[lane] = 0
		}
	}
	d.reached = min(d.reached, row)
}

// move changes state.score from a row of the last column to another.
func (d *descent) move(from, to int) {
	bit := d.sweeper.carry
	for i := from; i < to; i++ {
		c := &d.carries[i]
		for lane := range tileLanes {
			d.state.score[lane] += c.up[lane]>>bit&1 - c.down[lane]>>bit&1
		}
	}
	for i := from - 1; i >= to; i-- {
		c := &d.carries[i]
		for lane := range tileLanes {
			d.state.score[lane] -= c.up[lane]>>bit&1 - c.down[lane]>>bit&1
		}
	}
}

// down computes a block down to the row that it returns, from row depth on if it has been computed
// so far. If that is row m and has ends, state has its steps. Otherwise state.score is the score of
// the row after the block.
func (d *descent) down(b int, begun bool) (row int, ends bool) {
	row = d.depth
	dead := false
	if !begun {
		d.move(row, d.need)
		row = d.need
		dead = d.sweep(b, b+1, 0, row) > b
	}
	for !dead && row < len(d.rows) {
		next := min(row+deeper, len(d.rows))
		d.move(row, next)
		dead = d.sweep(b, b+1, row, next) > b
		row = next
	}
	return row, !dead
}

// leave goes on to the next block, after one that was computed down to a row.
func (d *descent) leave(row int, ends bool) {
	for lane := range tileLanes {
		if ends {
			d.state.score[lane] = uint64(uint32(d.score(lane) + total(d.state.up[lane], d.state.down[lane])))
		}
		d.state.up[lane], d.state.down[lane] = 0, 0
	}
	d.reset(row)
	d.reached = row
	for row > d.depth && !d.within() {
		d.move(row, row-1)
		row--
	}
	d.need = d.depth
	if d.within() {
		d.need = min(row+1, len(d.rows))
	}
	d.move(row, d.depth)
}

// score is state.score of a lane.
func (d *descent) score(lane int) int { return int(int32(d.state.score[lane])) }

// within tells whether state.score is at most k in any lane.
func (d *descent) within() bool {
	for lane := range tileLanes {
		if d.score(lane) <= d.k {
			return true
		}
	}
	return false
}

// retune chooses depth again, after `retune` blocks, some not dead there. A block that is not dead
// takes about as long as 15 more rows. One more row leaves less than half as many.
func (d *descent) retune(deep int) {
	depth := d.depth
	switch {
	case deep > retune/16:
		depth = min(depth+1, len(d.rows))
	case deep == 0:
		depth = max(depth-1, min(d.k+1, len(d.rows)))
	}
	d.move(d.depth, depth)
	if depth < d.depth {
		d.need = max(d.need, d.depth)
	}
	d.depth = depth
}

// report adds the ends of a block, which state has row m of.
func (d *descent) report(s *tilesScratch, t *tile, block int) {
	for lane := range tileLanes {
		up, down := d.state.up[lane], d.state.down[lane]
		score := d.score(lane)
		if score-bits.OnesCount64(down) > d.k {
			continue
		}
		end := 64 * (t.first + lane*t.blocks + block)
		for range 8 {
			if score-bits.OnesCount8(uint8(down)) > d.k {
				score += bits.OnesCount8(uint8(up)) - bits.OnesCount8(uint8(down))
				up, down, end = up>>8, down>>8, end+8
				continue
			}
			for range 8 {
				score += int(up&1) - int(down&1)
				up, down = up>>1, down>>1
				if end++; score <= d.k && end > t.r.from && end <= t.r.to {
					s.ends[lane] = append(s.ends[lane], end)
				}
			}
		}
	}
}
