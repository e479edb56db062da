package search

import "math/bits"

//go:generate go run -C ../tools ./makeplanes -out ../search/planes_amd64.s -stubs ../search/planes_amd64.go -pkg search

// tileLanes is the number of texts that a sweep searches side by side. A block is 64 columns of
// each.
const tileLanes = 16

// A lanesWord has a word of each lane.
type lanesWord [tileLanes]uint64

// sweepState is the state of a block: for each of its columns, in a row of the matrix, whether the
// distance steps up or down from the column before (bit j is column j of the block); and for each
// lane the distance in the column before the block, in the row `depth` of the sweep.
type sweepState struct{ up, down, score lanesWord }

// A rowCarry has for each lane the step from one row to the next in the last column of a block.
// Bit sweeper.carry tells; others mean nothing.
type rowCarry struct{ up, down lanesWord }

// tilesScratch is what a goroutine keeps.
type tilesScratch struct {
	masks   []lanesWord
	carries []rowCarry
	ends    [tileLanes][]int
}

// A sweeper computes blocks of the matrix of edit distances by the recurrence of Myers 1999 turned
// around: a word does not hold a column of the matrix, but a row for 64 columns (as in Beeloo and
// Groot Koerkamp 2025, Sassy: Searching Short DNA Strings in the 2020s). Block by block it computes
// rows first + 1 to depth from row `first`, whose steps are in state. It stops at a block in which
// row depth has a distance of at most k, leaves the steps of row depth in state, and returns the
// block's number; otherwise it returns `to`. For each block that it leaves behind, state.score goes
// from the column before it to its last one. Steps in state have to be 0 if first is 0, and more
// than one block may be asked for only then.
//
// masks has, for each set of bases, the columns of each block that match; rows has where the
// columns of each letter of the needle begin, in words.
type sweeper struct {
	name  string
	carry uint // the bit of a carry
	sweep func(masks []lanesWord, rows []uint32, carries []rowCarry, state *sweepState, from, to, first, depth, k int) int
}

// plainSweeper is for any processor.
func plainSweeper() sweeper { return sweeper{"plain", 63, sweepPlain} }

func sweepPlain(masks []lanesWord, rows []uint32, carries []rowCarry, state *sweepState, from, to, first, depth, k int) int {
	for block := from; block < to; block++ {
		up, down := state.up, state.down
		for i := first; i < depth; i++ {
			letters, carry := &masks[int(rows[i])+block], &carries[i]
			for lane := range tileLanes {
				up[lane], down[lane] = nextRow(up[lane], down[lane], letters[lane], &carry.up[lane], &carry.down[lane])
			}
		}
		score := state.score
		alive := false
		for lane := range tileLanes {
			least, sum := prefixes(up[lane], down[lane])
			alive = alive || int(int32(score[lane]))+least <= k
			score[lane] = uint64(uint32(int(int32(score[lane])) + sum))
		}
		if alive {
			state.up, state.down = up, down
			return block
		}
		state.score = score
	}
	return to
}

// nextRow computes the steps along a row from those along the row before, the columns that match,
// and the steps from row to row in the column before, in the highest bits of carries. It replaces
// these by those in all columns.
func nextRow(up, down, match uint64, carryUp, carryDown *uint64) (uint64, uint64) {
	vertical := match | down
	match |= *carryDown >> 63
	horizontal := (match&up + up) ^ up | match
	more := down | ^(horizontal | up)
	less := up & horizontal
	nextUp, nextDown := more<<1|*carryUp>>63, less<<1|*carryDown>>63
	*carryUp, *carryDown = more, less
	return nextDown | ^(vertical | nextUp), nextUp & vertical
}

// prefixes returns the least sum of the steps up to one of 64 columns, and the sum of all.
func prefixes(up, down uint64) (least, sum int) {
	least = tileLanes * 64
	for range 64 {
		sum += int(up&1) - int(down&1)
		least = min(least, sum)
		up, down = up>>1, down>>1
	}
	return least, sum
}

// total is the sum of all steps.
func total(up, down uint64) int { return bits.OnesCount64(up) - bits.OnesCount64(down) }
