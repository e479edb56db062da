package locate

import (
	"cmp"
	"slices"

	"scanmap/internal/parallel"
)

// countedCells has the cells of a window from which alignments that qualify may go on: by row, and
// of each in order of (inserted bases, column).
type countedCells struct {
	most  int // inserted bases
	cells []countedCell
	// from has where the cells of each number of inserted bases begin, row by row, and where the
	// last end.
	from []int32
	// The row at hand has the costs by inserted bases and diagonal: from lowest on, before beyond.
	next           []localCost
	lowest, beyond []int32
}

// A countedCell has the least cost of an alignment with a number of inserted bases that ends with a
// pair.
type countedCell struct {
	cost             localCost
	inserted, column int32
}

// row returns the cells of a row.
func (c *countedCells) row(i int) []countedCell {
	layers := c.most + 1
	return c.cells[c.from[i*layers]:c.from[(i+1)*layers]]
}

// cell returns the cost of a cell, or noLocal.
func (c *countedCells) cell(inserted, i, j int) localCost {
	at := i*(c.most+1) + inserted
	cells := c.cells[c.from[at]:c.from[at+1]]
	n, found := slices.BinarySearchFunc(cells, int32(j), func(c countedCell, j int32) int { return cmp.Compare(c.column, j) })
	if !found {
		return noLocal
	}
	return cells[n].cost
}

// lower lowers the cost of a cell of the row at hand, on diagonal k of n.
func (c *countedCells) lower(n, inserted, k int, cost localCost) {
	row, lowest, beyond := c.next[inserted*n:][:n], &c.lowest[inserted], &c.beyond[inserted]
	if *lowest == *beyond {
		*lowest, *beyond = int32(k), int32(k)
	}
	for ; int(*lowest) > k; *lowest-- {
		row[*lowest-1] = noLocal
	}
	for ; int(*beyond) <= k; *beyond++ {
		row[*beyond] = noLocal
	}
	row[k] = min(row[k], cost)
}

// A countedBound leaves out cells from which, by lemma 20, no alignment goes on that qualifies.
type countedBound struct {
	rests *localRests // nil where cells are left out by what they cost alone
	costs *localCosts // net of what the threshold forgives
	// longest is the most bases of a gap, less than LongestGap where none costs the cap.
	longest int
}

// fillCounted finds all cells of w.inserts from which alignments that qualify may go on.
func (w *localWindow) fillCounted() {
	m, n, c := len(w.read), len(w.text), &w.inserts
	if b, most := &w.bound, m-w.least; b.rests != nil {
		b.rests.begin(w, b.costs, w.low, w.high-w.low, b.longest)
		b.rests.to(most)
	}
	layers, width, budget := c.most+1, w.high-w.low, (m-w.least)*m
	c.cells, c.from = c.cells[:0], append(c.from[:0], 0)
	c.next = parallel.Resize(c.next, layers*width)
	c.lowest, c.beyond = parallel.Resize(c.lowest, layers), parallel.Resize(c.beyond, layers)
	for i := range m {
		clear(c.lowest)
		clear(c.beyond)
		if i*m <= budget {
			for j := max(0, i+w.low); j < min(n, i+w.high); j++ {
				w.goTo(0, i, j, localCost(i)*lostUnit+localCost(j)*startUnit)
			}
		}
		w.goOn(i)
		for inserted := range layers {
			row := c.next[inserted*width:][:width]
			for k := int(c.lowest[inserted]); k < int(c.beyond[inserted]); k++ {
				cost := row[k]
				if cost == noLocal {
					continue
				}
				j := w.low + i + k
				cost += w.pair(i, j)
				if w.mayGoOn(inserted, i+1, j-i, cost) && !w.masked(i, j) {
					c.cells = append(c.cells, countedCell{cost, int32(inserted), int32(j)})
				}
			}
			c.from = append(c.from, int32(len(c.cells)))
		}
	}
}

// goOn lowers the cells of row i to which cells of rows before lead. Where an alignment may as well
// begin, none goes on.
func (w *localWindow) goOn(i int) {
	m, n, c := len(w.read), len(w.text), &w.inserts
	budget := (m - w.least) * m
	if i > 0 {
		for _, from := range c.row(i - 1) {
			j, net := int(from.column), from.cost.lost()*m-w.least*int(from.inserted)
			if j+1 == n {
				continue
			}
			w.goTo(int(from.inserted), i, j+1, from.cost)
			most := min(budget-net, i*m-net-1)
			for g := 1; g <= min(LongestGap, n-2-j) && min(lossOpen+g, w.cap)*m <= most; g++ {
				w.goTo(int(from.inserted), i, j+1+g, from.cost+w.deletion(g))
			}
		}
	}
	for g := 1; g <= min(LongestGap, i-1, c.most); g++ {
		// Net of the forgiven score.
		gap := min(lossOpen+g, w.cap)*m + g*(m-w.least)
		most := min(budget, i*m-1) - gap
		for _, from := range c.row(i - 1 - g) {
			j, inserted := int(from.column), int(from.inserted)
			if inserted+g <= c.most && j+1 < n && from.cost.lost()*m-w.least*inserted <= most {
				w.goTo(inserted+g, i, j+1, from.cost+w.insertion1(g))
			}
		}
	}
}

// goTo lowers a cell of row i, if its diagonal is in the window and an alignment may go on there.
func (w *localWindow) goTo(inserted, i, j int, cost localCost) {
	if on := j - i; on >= w.low && on < w.high && w.mayGoOn(inserted, i, on, cost) {
		w.inserts.lower(w.high-w.low, inserted, on-w.low, cost)
	}
}

// mayGoOn tells whether an alignment of a cost may qualify that goes on from base i on a diagonal.
func (w *localWindow) mayGoOn(inserted, i, diagonal int, cost localCost) bool {
	m := len(w.read)
	left := (m-w.least-cost.lost())*m + w.least*inserted
	return left >= 0 && (w.bound.rests == nil || w.bound.rests.may(localCost(left/m), i, diagonal-w.low))
}
