package search

// newWuManberSegment makes Wu-Manber's automata with as many words as the needle needs.
func newWuManberSegment(n *needle) ByteFinder {
	m, k := n.length(), n.k
	if m > 64 {
		return newWuManberWords(n)
	}
	masks := n.masks(0, m, 64)
	return func(codes []byte, found func(end int)) {
		levels := make([]uint64, k+1)
		for d := range levels {
			levels[d] = masks[len(masks)-1] << d // the first d letters are deleted
		}
		for at, code := range codes {
			mask := masks[code]
			before := levels[0]
			after := before<<1 | mask
			levels[0] = after
			for d := 1; d <= k; d++ {
				own := levels[d]
				level := (own<<1 | mask) & (before << 1)
				if !n.substitutions {
					level &= before & (after << 1)
				}
				levels[d] = level
				before, after = own, level
			}
			if after>>63 == 0 {
				found(at + 1)
			}
		}
	}
}

// newWuManberWords is for needles of more than 64 letters: word 0 has the first letters, in its
// upper bits, the others are full, and what leaves a word at its top enters the next at its bottom.
func newWuManberWords(n *needle) ByteFinder {
	k, masks := n.k, n.wordMasks()
	return func(codes []byte, found func(end int)) {
		before, after := make([][]uint64, k+1), make([][]uint64, k+1)
		for d := range before {
			before[d], after[d] = make([]uint64, len(masks)), make([]uint64, len(masks))
			for w := range masks {
				before[d][w] = masks[w][len(masks[w])-1]
			}
			for range d { // the first d letters are deleted
				for w := len(masks) - 1; w >= 0; w-- {
					before[d][w] = shifted(before[d], w)
				}
			}
		}
		for at, code := range codes {
			for d := range before {
				for w := range masks {
					level := shifted(before[d], w) | masks[w][code]
					if d > 0 {
						level &= shifted(before[d-1], w)
						if !n.substitutions {
							level &= before[d-1][w] & shifted(after[d-1], w)
						}
					}
					after[d][w] = level
				}
			}
			before, after = after, before
			if before[k][len(masks)-1]>>63 == 0 {
				found(at + 1)
			}
		}
	}
}

// shifted is word w of a vector that is shifted by one.
func shifted(vector []uint64, w int) uint64 {
	if w == 0 {
		return vector[0] << 1
	}
	return vector[w]<<1 | vector[w-1]>>63
}

// pair is what a level's scan is over: (x, y) of the paper's operator.
type pair struct{ x, y uint64 }

// after returns the pair of letters whose last `letters` letters have the pair p and whose first
// letters have b.
func (p pair) after(b pair, letters int) pair {
	return pair{b.x<<letters | p.x, b.y<<letters&^p.x | p.y}
}

// newWuManberScan makes the paper's Algorithm 2 as a warp computes it, one inclusive scan a level;
// see newShiftOrScan. Needles of more than 64 letters take newWuManberWords.
func newWuManberScan(n *needle) ByteFinder {
	m := n.length()
	if m > 64 {
		return newWuManberWords(n)
	}
	masks := n.masks(0, m, 64)
	return func(codes []byte, found func(end int)) {
		// last[d] is level d after the letters before.
		last := make([]uint64, n.k+1)
		for d := range last {
			last[d] = masks[len(masks)-1] << d
		}
		var below, level [lanes * laneLetters]uint64 // levels d - 1 and d at each letter
		for from := 0; from < len(codes); from += lanes * laneLetters {
			tile := codes[from:min(from+lanes*laneLetters, len(codes))]
			lastBelow := uint64(0)
			for d := range last {
				start := last[d]
				// notMatching is N of a letter.
				notMatching := func(i int) uint64 {
					if d == 0 {
						return ^uint64(0)
					}
					before := lastBelow
					if i > 0 {
						before = below[i-1]
					}
					if n.substitutions {
						return before << 1
					}
					return before & (before << 1) & (below[i] << 1)
				}
				scanLevel(tile, masks, start, notMatching, level[:])
				lastBelow, last[d] = start, level[len(tile)-1]
				below, level = level, below
			}
			for i := range tile {
				if below[i]>>63 == 0 {
					found(from + i + 1)
				}
			}
		}
	}
}

// scanLevel computes one level at the letters of a warp's tile; start is the level before them.
func scanLevel(tile []byte, masks []uint64, start uint64, notMatching func(i int) uint64, level []uint64) {
	var folded [lanes]pair
	for l := range folded {
		for i, code := range laneOf(tile, l) {
			not := notMatching(l*laneLetters + i)
			folded[l] = pair{^not, not & masks[code]}.after(folded[l], 1)
		}
	}
	folded[0] = folded[0].after(pair{0, start}, laneLetters)
	for step := 1; step*laneLetters < 64; step *= 2 {
		// Downwards, so that lane l - step is as it was before the step.
		for l := lanes - 1; l >= step; l-- {
			folded[l] = folded[l].after(folded[l-step], step*laneLetters)
		}
	}
	for l := range folded {
		state := start
		if l > 0 {
			state = folded[l-1].y
		}
		for i, code := range laneOf(tile, l) {
			at := l*laneLetters + i
			state = notMatching(at) & (state<<1 | masks[code])
			level[at] = state
		}
	}
}
