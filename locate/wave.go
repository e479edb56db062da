package locate

import (
	"math/bits"

	"scanmap/internal/parallel"
)

// A localWave finds what alignments lose at least that go through a diagonal and others beside it:
// loss by loss, from the bases that are furthest from the first one on each diagonal (Marco-Sola et
// al. 2021, "Fast gap-affine pairwise alignment using the wavefront algorithm").
//
// Lemma 17. Let an alignment go through a diagonal, with no gap that costs the cap, and let a
// segment win as in lemma 10. Then it loses no less, net of what the threshold forgives, than some
// way of the following kind that goes through the diagonal and on which all segments are on it or
// on others that have some that win. Bases before the first segment lose 1 each, as those after the
// last, a mismatch 5. From base i of one diagonal it goes on
//
//	by a gap, with base i, g diagonals further up, for lossOpen + g,
//	by a gap, with base i + g, g diagonals further down, for lossOpen + g, or lossOpen + 2 g where
//	inserted bases are not forgiven,
//	by a leap, n bases after where such a gap ends, for n more, and no less than lossOpen more,
//	by a leap, with base i + n, on the same one, for lossOpen + 1 + n, or lossOpen + 2 + n where
//	inserted bases are not forgiven, and no less than with 7 bases.
//
// Proof. Take the segments that win, and the segments on the diagonal. If other segments are before
// the first of these or after the last, each scores lossOpen at most, and there is a gap for each:
// to lose 1 for each base instead is no more. Between two that are left let there be s others, so s
// + 1 gaps, with x bases deleted and y inserted, and n bases in all. The gaps cost lossOpen (s + 1)
// + x and each inserted base 1, or 2. If s is 0, this is the first or the second case. Otherwise
// there are two gaps or more, so that 2 lossOpen + x + y or more is lost, or 2 lossOpen + x + 2 y.
// The s segments score lossOpen s at most, and each other base loses 1, the score of a match, so
// that lossOpen + x + n or more is lost, or lossOpen + x + y + n. If the second is on a diagonal g
// further up, x is g or more; if it is g further down, y is, and n is no less than y; if it is on
// the same one, x and y are the same, and 1 or more. ∎
//
// Lemma 16. Let two ways end on the same diagonal. The way that ends further on, for no more, leads
// to whatever the other leads to, for no more. Proof. Let the first end before base x and the other
// before y < x, and let the other go on. If it ends before base x, it loses more bases at the end.
// Otherwise the first goes straight to the diagonal on which the other passes base x, and then on
// as the other does: one step costs no more than several, and it lands no earlier. Where the other
// leaps over base x, the first leaps over fewer bases. ∎
//
// If a way has a segment that ends before base x, lemma 6 holds from there on, for the diagonals at
// hand. A step that leaves out n bases loses lossOpen + n or more, and no more than (n - 2) / 4 + 2
// blocks have some of these bases, or one block if n is 1 or 0. Each block of four from there on
// that is broken on all the diagonals loses 4, less 3 in all; and less 6 from the first base on.
//
// Only the ways that end furthest therefore matter, for each loss, each diagonal, and whether the
// way has been on the diagonal in question.
type localWave struct {
	at      []int32 // the diagonals in order, from the one in question
	through int     // its number
	cells   []waveCell
	// furthest are the bases before which ways end, as cells have them, with any loss so far.
	furthest []int32
	broken   []uint64 // a bit for each block of four that is broken on all diagonals
}

// A waveCell has the furthest bases of a loss on a diagonal: after a segment, after gaps that lead
// from diagonals further down and further up, and after leaps.
type waveCell struct{ on, up, down, leap int32 }

const neverOn = -1 << 20

// least returns what alignments lose at least, or most + 1 if that is more than `most`. differs has
// a bit for each base that differs on each of the diagonals.
func (v *localWave) least(differs []uint64, b *localBudget, most int) int {
	n, m := len(v.at), int32(b.m)
	words := len(differs) / n
	if v.setBroken(differs, words, b.m); 4*v.brokenFrom(0)-6 > most {
		return most + 1
	}
	row := 2 * n // of cells: first the cells of ways that have not been on the diagonal
	v.cells = parallel.Resize(v.cells, row*(most+1))
	v.furthest = parallel.Resize(v.furthest, row)
	for k := range v.furthest {
		v.furthest[k] = -1
	}
	inserted := 1
	if b.bounded {
		inserted = 2
	}
	detour := lossOpen + inserted + winRun // what a leap over that many bases loses on a diagonal
	least, joining := most+1, int32(neverOn)
	for lost := 0; lost < least; lost++ {
		cells := v.cells[:row*(lost+1)]
		for k := range row {
			i, been := k, k >= n
			if been {
				i -= n
			}
			at := row*lost + k
			c := waveCell{neverOn, neverOn, neverOn, neverOn}
			if i > 0 {
				g := int(v.at[i] - v.at[i-1])
				if lost >= g {
					c.up = cells[at-row*g-1].up
				}
				if lost >= lossOpen+g {
					c.up = max(c.up, cells[at-row*(lossOpen+g)-1].on)
				}
			}
			if i < n-1 {
				g := int(v.at[i+1] - v.at[i])
				if loss := inserted * g; lost >= loss {
					c.down = cells[at-row*loss+1].down + int32(g)
				}
				if loss := lossOpen + inserted*g; lost >= loss {
					c.down = max(c.down, cells[at-row*loss+1].on+int32(g))
				}
			}
			if lost > 0 {
				c.leap = cells[at-row].leap + 1
			}
			if lost >= lossOpen {
				before := &cells[at-row*lossOpen]
				c.leap = max(c.leap, max(before.up, before.down)+lossOpen)
			}
			if lost >= detour {
				c.leap = max(c.leap, cells[at-row*detour].on+winRun)
			}
			steps := max(c.up, c.down, c.leap)
			if k == v.through {
				joining = steps
			}
			if i != v.through || been {
				on := steps
				if !been || i == v.through {
					on = max(on, int32(lost))
				}
				if been && i == v.through {
					on = max(on, joining)
				}
				if lost >= lossMismatch {
					on = max(on, cells[at-row*lossMismatch].on+1)
				}
				// One that ends no further than with less lost leads to nothing more.
				if on > v.furthest[k] {
					c.on = int32(nextBit(differs[i*words:][:words], int(on), int(m)))
					v.furthest[k] = c.on
					if lost+4*v.brokenFrom(int(c.on))-3 >= least {
						c.on = neverOn
					}
				}
				if been && c.on >= 0 {
					least = min(least, lost+int(m-c.on))
				}
			}
			cells[at] = c
		}
	}
	return least
}

// setBroken sets broken.
func (v *localWave) setBroken(differs []uint64, words, m int) {
	v.broken = parallel.Resize(v.broken, words)
	for w := range v.broken {
		broken := uint64(0x1111111111111111)
		if n := m - 64*w; n < 64 {
			broken &= 1<<(n&^3) - 1
		}
		for k := w; k < len(differs); k += words {
			x := differs[k]
			x |= x >> 1
			broken &= x | x>>2
		}
		v.broken[w] = broken
	}
}

// brokenFrom counts the broken blocks that begin at a base or after it.
func (v *localWave) brokenFrom(at int) (n int) {
	w := at >> 6
	if w >= len(v.broken) {
		return 0
	}
	n = bits.OnesCount64(v.broken[w] >> (at & 63))
	for _, x := range v.broken[w+1:] {
		n += bits.OnesCount64(x)
	}
	return n
}
