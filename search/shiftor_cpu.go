package search

// newShiftOrSegment makes Shift-Or with as many words as the needle needs. A bit that leaves a word
// at its top enters the next at its bottom.
func newShiftOrSegment(n *needle) ByteFinder {
	m := n.length()
	if m <= 64 {
		masks := n.masks(0, m, 64)
		return func(codes []byte, found func(end int)) {
			state := masks[len(masks)-1]
			for at, code := range codes {
				state = state<<1 | masks[code]
				if state>>63 == 0 {
					found(at + 1)
				}
			}
		}
	}
	masks := n.wordMasks()
	return func(codes []byte, found func(end int)) {
		state := make([]uint64, len(masks))
		for i := range state {
			state[i] = masks[i][len(masks[i])-1]
		}
		for at, code := range codes {
			carry := uint64(0)
			for i := range state {
				next := state[i]<<1 | carry | masks[i][code]
				carry, state[i] = state[i]>>63, next
			}
			if state[len(state)-1]>>63 == 0 {
				found(at + 1)
			}
		}
	}
}

// lanes is the number of lanes of a warp, and laneLetters what each folds, as on a GPU.
const (
	lanes       = 32
	laneLetters = 16
)

// newShiftOrScan makes the inclusive scan of the paper's Algorithm 1, as a warp computes it: each
// lane folds 16 letters, the lanes' values are scanned in steps of 1, 2, 4 lanes and so on as long
// as a shift leaves anything, and each lane goes through its letters again with the value of the
// lane before. Lanes are a loop here. Needles of more than 64 letters take newShiftOrSegment's
// words.
func newShiftOrScan(n *needle) ByteFinder {
	m := n.length()
	if m > 64 {
		return newShiftOrSegment(n)
	}
	masks := n.masks(0, m, 64)
	return func(codes []byte, found func(end int)) {
		last := masks[len(masks)-1] // after the letters before
		var folded [lanes]uint64
		for from := 0; from < len(codes); from += lanes * laneLetters {
			tile := codes[from:min(from+lanes*laneLetters, len(codes))]
			for l := range folded {
				folded[l] = 0
				for _, code := range laneOf(tile, l) {
					folded[l] = folded[l]<<1 | masks[code]
				}
			}
			folded[0] |= last << laneLetters
			for step := 1; step*laneLetters < 64; step *= 2 {
				// Downwards, so that lane l - step is as it was before the step.
				for l := lanes - 1; l >= step; l-- {
					folded[l] |= folded[l-step] << (step * laneLetters)
				}
			}
			for l := range folded {
				state := last
				if l > 0 {
					state = folded[l-1]
				}
				for i, code := range laneOf(tile, l) {
					state = state<<1 | masks[code]
					if state>>63 == 0 {
						found(from + l*laneLetters + i + 1)
					}
				}
			}
			last = folded[lanes-1]
		}
	}
}

// laneOf returns the letters of a lane, fewer or none at the end of the text: then nothing is read
// of the lane's value.
func laneOf(tile []byte, lane int) []byte {
	from := min(lane*laneLetters, len(tile))
	return tile[from:min(from+laneLetters, len(tile))]
}

// masks returns the masks of a part of the needle, [from, to), for each code and for one more that
// matches nothing: a 0 for each letter that matches, the letters in the upper bits of `bits` and
// only zeros below.
func (n *needle) masks(from, to, bits int) []uint64 {
	codes := n.alphabet.Codes()
	if n.iupac {
		codes = len(codeSets)
	}
	masks := make([]uint64, codes+1)
	for c := range masks {
		for i := from; i < to; i++ {
			if c == codes || !n.matches(i, byte(c)) {
				masks[c] |= 1 << (bits - to + i)
			}
		}
	}
	return masks
}

// wordMasks returns the masks of a needle for each of as many words of 64 bits as it needs: the
// first has the 1 to 64 letters that leave a multiple of 64, in its upper bits, and the others are
// full.
func (n *needle) wordMasks() [][]uint64 {
	var all [][]uint64
	from, to := 0, (n.length()-1)%64+1
	for ; to <= n.length(); from, to = to, to+64 {
		all = append(all, n.masks(from, to, 64))
	}
	return all
}
