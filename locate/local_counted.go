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
	// The row at hand has the costs by inserted bases and column: from lowest on, before beyond.
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

// lower lowers the cost of a cell of the row at hand, of n columns.
func (c *countedCells) lower(n, inserted, j int, cost localCost) {
	row, lowest, beyond := c.next[inserted*n:][:n], &c.lowest[inserted], &c.beyond[inserted]
	if *lowest == *beyond {
		*lowest, *beyond = int32(j), int32(j)
	}
	for ; int(*lowest) > j; *lowest-- {
		row[*lowest-1] = noLocal
	}
	for ; int(*beyond) <= j; *beyond++ {
		row[*beyond] = noLocal
	}
	row[j] = min(row[j], cost)
}

// fillCounted finds all cells of w.inserts.
func (w *localWindow) fillCounted() {
	m, n, c := len(w.read), len(w.text), &w.inserts
	layers, budget := c.most+1, (m-w.least)*m
	c.cells, c.from = c.cells[:0], append(c.from[:0], 0)
	c.next = parallel.Resize(c.next, layers*n)
	c.lowest, c.beyond = parallel.Resize(c.lowest, layers), parallel.Resize(c.beyond, layers)
	for i := range m {
		clear(c.lowest)
		clear(c.beyond)
		if i*m <= budget {
			for j := max(0, i+w.low); j < min(n, i+w.high); j++ {
				c.lower(n, 0, j, localCost(i)*lostUnit+localCost(j)*startUnit)
			}
		}
		w.goOn(i)
		for inserted := range layers {
			row := c.next[inserted*n:][:n]
			for j := int(c.lowest[inserted]); j < int(c.beyond[inserted]); j++ {
				cost := row[j]
				if cost == noLocal {
					continue
				}
				cost += w.pair(i, j)
				if cost.lost()*m-w.least*inserted+w.after(i+1) <= budget && !w.masked(i, j) {
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
	to := func(inserted, j int, cost localCost) {
		if j-i >= w.low && j-i < w.high {
			c.lower(n, inserted, j, cost)
		}
	}
	if i > 0 {
		for _, from := range c.row(i - 1) {
			j, net := int(from.column), from.cost.lost()*m-w.least*int(from.inserted)
			if j+1 == n {
				continue
			}
			to(int(from.inserted), j+1, from.cost)
			most := min(budget-net-w.after(i), i*m-net-1)
			for g := 1; g <= min(LongestGap, n-2-j) && min(lossOpen+g, w.cap)*m <= most; g++ {
				to(int(from.inserted), j+1+g, from.cost+w.deletion(g))
			}
		}
	}
	for g := 1; g <= min(LongestGap, i-1, c.most); g++ {
		// Net of the forgiven score.
		gap := min(lossOpen+g, w.cap)*m + g*(m-w.least)
		most := min(budget-w.after(i), i*m-1) - gap
		for _, from := range c.row(i - 1 - g) {
			j, inserted := int(from.column), int(from.inserted)
			if inserted+g <= c.most && j+1 < n && from.cost.lost()*m-w.least*inserted <= most {
				to(inserted+g, j+1, from.cost+w.insertion1(g))
			}
		}
	}
}

// after returns what the bases from base i on lose at least.
func (w *localWindow) after(i int) int {
	if w.rest == nil {
		return 0
	}
	return int(w.rest[i])
}
