package locate

import (
	"slices"

	"scanmap/internal/parallel"
)

// A localBand finds the best alignment on some neighbouring diagonals: row by row, from those cells
// alone whose alignments may still be the best. Cell (i, k) is base i on diagonal low + k.
type localBand struct {
	low, width int
	// cells have noLocal less the cost, so that 0 is none.
	cells          []localCost
	lowest, beyond []int32 // of the cells of a row that may not be 0
	best           localCost
	end            localPair // with a column of the window
	rests          localRests
}

// find finds the best alignment of a window on diagonals [low, low+width), columns of base 0, with
// gaps of no more than `longest` bases, of less than a limit, and tells whether there is one. By
// lemma 20 it first knows how much this one loses at least, and mostly it loses no more.
func (b *localBand) find(w *localWindow, costs *localCosts, low, width, longest int, limit localCost) bool {
	b.best = noLocal
	w.lookAt(low, low+width)
	b.low, b.width = low, width
	r, most := &b.rests, int((limit-1)/costs.clip)
	r.begin(w, costs, low, width, longest)
	if r.search(most); r.least > most {
		return false
	}
	if first := localCost(r.least+1) * costs.clip; first < limit {
		if b.fill(w, costs, longest, first) {
			return true
		}
		r.to(most)
	}
	return b.fill(w, costs, longest, limit)
}

// fill is find with the losses of b.rests that are less than the limit. It leaves out cells from
// which by lemma 20 no alignment goes on that costs so little.
func (b *localBand) fill(w *localWindow, costs *localCosts, longest int, limit localCost) bool {
	m, n, low, width := len(w.read), len(w.text), b.low, b.width
	b.cells = parallel.Resize(b.cells, m*width)
	clear(b.cells)
	b.lowest, b.beyond = parallel.Resize(b.lowest, m), parallel.Resize(b.beyond, m)
	for i := range m {
		b.lowest[i], b.beyond[i] = int32(width), 0
	}
	for i := range m {
		first, beyond := int(b.lowest[i]), int(b.beyond[i])
		begin := localCost(i) * costs.clip
		fresh := begin < limit && int(b.rests.firsts[(limit-1-begin)/costs.clip].base) <= i
		if fresh {
			first, beyond = 0, width
		}
		first, beyond = max(first, -low-i), min(beyond, n-low-i)
		row := b.cells[i*width:][:width]
		rest := localCost(m-1-i) * costs.clip
		letter := w.read[i]
		for k := first; k < beyond; k++ {
			j := low + i + k
			c := noLocal - row[k]
			if fresh {
				c = min(c, begin+localCost(j)*costs.start)
			}
			if c >= limit {
				row[k] = 0
				continue
			}
			if letter != w.text[j] || letter > 3 {
				c += costs.mismatch
			}
			if c >= limit || !b.rests.may((limit-1-c)/costs.clip, i+1, k) || w.masked(i, j) {
				row[k] = 0
				continue
			}
			row[k] = noLocal - c
			if total := c + rest; total < b.best && total < limit || total == b.best && j <= b.end.j {
				b.best, b.end = total, localPair{i, j}
				limit = min(limit, total+1)
			}
			if i+1 < m {
				b.push(i, k, c, costs, longest, limit)
			}
		}
	}
	return b.best < noLocal
}

// push lowers the cells that a cell leads to, except cells at which an alignment may as well begin.
// A deletion before a pair that is equal without it, too, may come after that pair only where no
// gap follows: two deletions may be longer together than LongestGap.
func (b *localBand) push(i, k int, c localCost, costs *localCosts, longest int, limit localCost) {
	next := b.cells[(i+1)*b.width:][:b.width]
	next[k] = max(next[k], noLocal-c)
	r, last := &b.rests, k
	left := -1 // after the cheapest gap
	if d := c + costs.deletion[1]; d < limit {
		left = int((limit - 1 - d) / costs.clip)
	}
	other := r.other(left, k)
	for g := 1; g <= longest && k+g < b.width && other <= i+1; g++ {
		d := c + costs.deletion[g]
		if d >= limit || d >= localCost(i+1)*costs.clip {
			break
		}
		if !r.may((limit-1-d)/costs.clip, i+1, k+g) {
			continue
		}
		last = k + g
		next[last] = max(next[last], noLocal-d)
	}
	b.lowest[i+1], b.beyond[i+1] = min(b.lowest[i+1], int32(k)), max(b.beyond[i+1], int32(last+1))
	for g := max(1, other-i-1); g <= longest && g <= k && i+1+g < len(b.lowest); g++ {
		d := c + costs.insertion[g]
		if d >= limit {
			break
		}
		if d >= localCost(i+1+g)*costs.clip || !r.may((limit-1-d)/costs.clip, i+1+g, k-g) {
			continue
		}
		at := &b.cells[(i+1+g)*b.width+k-g]
		*at = max(*at, noLocal-d)
		b.lowest[i+1+g], b.beyond[i+1+g] = min(b.lowest[i+1+g], int32(k-g)), max(b.beyond[i+1+g], int32(k-g+1))
	}
}

// trace leaves the path of what find found in a window, as localWindow.trace does.
func (b *localBand) trace(w *localWindow, costs *localCosts) {
	w.lookAt(b.low, b.low+b.width)
	w.path, w.cost = append(w.path[:0], b.end), b.best
	at := b.end
	cost := b.best - localCost(len(w.read)-1-at.i)*costs.clip
	from := func(i, j int, left localCost) bool {
		k := j - i - b.low
		if i < 0 || j < 0 || k < 0 || k >= b.width || left < 0 || b.cells[i*b.width+k] != noLocal-left {
			return false
		}
		at, cost = localPair{i, j}, left
		return true
	}
	for {
		if w.pair(at.i, at.j) > 0 {
			cost -= costs.mismatch
		}
		i, j := at.i-1, at.j-1
		found := from(i, j, cost)
		for g := 1; g <= min(LongestGap, j) && !found && costs.deletion[g] <= cost; g++ {
			found = from(i, j-g, cost-costs.deletion[g])
		}
		for g := 1; g <= min(LongestGap, i) && !found && costs.insertion[g] <= cost; g++ {
			found = from(i-g, j, cost-costs.insertion[g])
		}
		if !found {
			break
		}
		w.path = append(w.path, at)
	}
	slices.Reverse(w.path)
	w.shiftLeft()
}

// before tells whether, of two alignments of the same cost, b's comes first.
func (b *localBand) before(a *localBand) bool {
	return b.end.j < a.end.j || b.end.j == a.end.j && b.end.i > a.end.i
}
