package depth

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"scanmap/internal/parallel"
)

// With Covered the depth of a base is the sum of all cells of its contig up to its own. Marks have
// some of these sums, so that a sweep can begin anywhere, and several go side by side.
const (
	// markBases is how far marks are from each other. A sweep adds up fewer cells than markBases
	// before it begins, and a mark takes 8 bytes.
	markBases = 1 << 14
	// pieceBases is about how many bases one goroutine sweeps at a time.
	pieceBases = 1 << 20
)

// marks have the sums of the cells before bases markBases, 2 markBases and so on of each contig.
type marks struct {
	once  sync.Once
	first []int // of each contig, and the end
	sums  []int64
	// carried are the cells that have carried, in ascending order.
	carried []carry
}

// A carry is how often a cell has carried, upwards less downwards.
type carry struct {
	cell  int
	times int64
}

// swept returns the marks, which the first call makes.
func (c *Counts) swept() *marks {
	c.marks.once.Do(func() { c.marks.make(c) })
	return &c.marks
}

// make sums up the cells between marks, side by side, and then these sums.
func (m *marks) make(c *Counts) {
	for cell, times := range c.carried {
		m.carried = append(m.carried, carry{cell, times})
	}
	slices.SortFunc(m.carried, func(a, b carry) int { return cmp.Compare(a.cell, b.cell) })
	if c.options.Of == Starts {
		return // each cell is the depth of its base
	}
	m.first = make([]int, len(c.first)+1)
	for i := range c.first {
		m.first[i+1] = m.first[i] + max(0, c.ref.Contigs[i].Length-1)/markBases
	}
	m.sums = make([]int64, m.first[len(c.first)])
	parallel.Ranges(c.options.Threads, len(m.sums), 64, func(_, from, to int) {
		contig := sort.Search(len(c.first), func(i int) bool { return m.first[i+1] > from })
		for i := from; i < to; i++ {
			for i >= m.first[contig+1] {
				contig++
			}
			cell := c.first[contig] + (i-m.first[contig])*markBases
			m.sums[i] = m.sum(c, cell, cell+markBases)
		}
	})
	for contig := range c.first {
		sum := int64(0)
		for i := m.first[contig]; i < m.first[contig+1]; i++ {
			sum += m.sums[i]
			m.sums[i] = sum
		}
	}
}

// sum adds up cells [from, to).
func (m *marks) sum(c *Counts, from, to int) (sum int64) {
	for _, cell := range c.cells[from:to] {
		sum += int64(cell)
	}
	for _, k := range m.carriedFrom(from) {
		if k.cell >= to {
			break
		}
		sum += k.times << 32
	}
	return sum
}

// carriedFrom are the carries of a cell and of those after it.
func (m *marks) carriedFrom(cell int) []carry {
	i, _ := slices.BinarySearchFunc(m.carried, cell, func(k carry, cell int) int { return cmp.Compare(k.cell, cell) })
	return m.carried[i:]
}

// before is the sum of the cells of a contig before a base.
func (c *Counts) before(contig, base int) int64 {
	m, sum := c.swept(), int64(0)
	from := 0
	// There is no mark at the contig's end.
	if n := min(base/markBases, m.first[contig+1]-m.first[contig]); n > 0 {
		sum, from = m.sums[m.first[contig]+n-1], n*markBases
	}
	return sum + m.sum(c, c.first[contig]+from, c.first[contig]+base)
}

// sweep gives the depth of bases [from, to) of a contig, in units, as runs of equal depth
// [start, end).
func (c *Counts) sweep(contig, from, to int, yield func(start, end int, depth int64) error) error {
	first, depth := c.first[contig]+from, int64(0)
	starts := c.options.Of == Starts
	carried := c.swept().carriedFrom(first)
	if !starts {
		depth = c.before(contig, from)
	}
	start := from
	for i, cell := range c.cells[first : first+to-from] {
		n := int64(cell)
		if len(carried) > 0 && carried[0].cell == first+i {
			n += carried[0].times << 32
			carried = carried[1:]
		}
		if !starts {
			n += depth
		}
		if n == depth {
			continue
		}
		if at := from + i; at > start {
			if err := yield(start, at, depth); err != nil {
				return err
			}
			start = at
		}
		depth = n
	}
	if start < to {
		return yield(start, to, depth)
	}
	return nil
}

// Depths gives the depth of bases [from, to) of a contig, given by its number in the reference, as
// runs of equal depth: positions are 0-based, and end is excluded. Together they are all these
// bases. It stops at the first error of yield, and returns it. Several goroutines may call it at a
// time.
func (c *Counts) Depths(contig, from, to int, yield func(start, end int, depth float32) error) error {
	return c.sweep(contig, from, to, func(start, end int, depth int64) error {
		return yield(start, end, float32(float64(depth)/float64(c.unit)))
	})
}

// A piece is bases [from, to) of a contig with their sums.
type piece struct {
	contig, from, to int
	sum, covered     int64
	borders          []border // that lie in it; with those at its end if it is a contig's last
}

// pieces cuts contigs [first, end) into pieces of about pieceBases. Each begins at a multiple of n.
func (c *Counts) pieces(first, end, n int) (all []piece) {
	grain := n * max(1, pieceBases/n)
	for contig := first; contig < end; contig++ {
		length := c.ref.Contigs[contig].Length
		for from := 0; from < length; from += grain {
			all = append(all, piece{contig: contig, from: from, to: min(from+grain, length)})
		}
	}
	return all
}

// each does something with each of n pieces, side by side.
func (c *Counts) each(n int, do func(worker, i int)) {
	// Pieces are small where contigs are.
	grain := max(1, n/(64*max(1, c.options.Threads)))
	parallel.Ranges(c.options.Threads, n, grain, func(worker, from, to int) {
		for i := from; i < to; i++ {
			do(worker, i)
		}
	})
}

// measure sets the sums of pieces, and the sums from each one's begin to its borders.
func (c *Counts) measure(pieces []piece) {
	c.each(len(pieces), func(_, i int) {
		p, passed := &pieces[i], 0
		_ = c.sweep(p.contig, p.from, p.to, func(start, end int, depth int64) error {
			passed = p.add(passed, start, end, depth)
			return nil
		})
	})
}

// add adds a run of depth, in units, that follows the runs before. passed is the number of borders
// that were passed before; add returns the number passed now.
func (p *piece) add(passed, start, end int, depth int64) int {
	for ; passed < len(p.borders) && p.borders[passed].at <= end; passed++ {
		b := &p.borders[passed]
		b.sum, b.covered = p.sum, p.covered
		if depth > 0 {
			b.sum += depth * int64(b.at-start)
			b.covered += int64(b.at - start)
		}
	}
	if depth > 0 {
		p.sum += depth * int64(end-start)
		p.covered += int64(end - start)
	}
	return passed
}
