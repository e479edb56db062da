package depth

import (
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/mapper"
)

// Counts are the counts of a reference. Several goroutines may count at a time, each with a Counter
// of its own. Counts are read when all are done.
type Counts struct {
	options Options
	unit    int64 // the weight of a read
	ref     *dna.Reference
	first   []int // cell of each contig
	// cells are the numbers of all contigs, each with one more than it has bases, modulo 2^32.
	cells []int32
	// carried[i] is how often cells[i] has gone over an end of its range, upwards less downwards.
	carrying sync.Mutex
	carried  map[int]int64
	totals   []*totals // of the counters
	marks    marks     // made when all is counted
	sharing  *sharing  // nil for none
	summed   []amount  // of the contigs, nil before amounts
}

// unitsOfRead is the weight of a read that is shared out.
const unitsOfRead = 1 << 16

// Memory is the memory of counts of a reference, in bytes, without names.
func Memory(bases, contigs int64) int64 {
	// Cells and marks; totals; and when counts are read, pieces, amounts and abundances, some as
	// garbage that is not collected yet.
	return 4*bases + 8*bases/markBases + 512*contigs
}

// New returns counts that have no reference yet: a run of mapper gives it to them.
func New(o Options) *Counts {
	return &Counts{options: o, unit: o.Unit(), carried: map[int]int64{}}
}

// Begin takes the reference, with nothing counted. It has no error.
func (c *Counts) Begin(ref *dna.Reference) error {
	c.ref = ref
	n := 0
	for i := range ref.Contigs {
		c.first = append(c.first, n)
		n += ref.Contigs[i].Length + 1
	}
	c.cells = make([]int32, n)
	return nil
}

// Contigs returns the contigs of the reference; none before Begin.
func (c *Counts) Contigs() []dna.Contig {
	if c.ref == nil {
		return nil
	}
	return c.ref.Contigs
}

// totals are the sums of each contig.
type totals struct{ reads, weight []atomic.Int64 }

// ownTotals is the number of contigs up to which each counter has totals of its own; with more, all
// share them, so that memory does not grow with threads.
const ownTotals = 1 << 14

// Counter returns what one goroutine counts with.
func (c *Counts) Counter() mapper.Counter {
	if len(c.totals) == 0 || len(c.first) <= ownTotals {
		n := len(c.first)
		c.totals = append(c.totals, &totals{make([]atomic.Int64, n), make([]atomic.Int64, n)})
	}
	return &counter{counts: c, totals: c.totals[len(c.totals)-1]}
}

// A counter counts the locations of reads. It is the scratch memory of one goroutine.
type counter struct {
	counts *Counts
	totals *totals
	within []int32 // regions of the read at hand
}

// Count counts the locations of a read.
func (r *counter) Count(locations []mapper.Reported) {
	counted := r.counts.options.Weights.counted(locations)
	if s := r.counts.sharing; s != nil {
		r.within = s.count(counted, r.within)
	}
	unit := r.counts.unit
	if !r.counts.options.Weights.shared() {
		for i := range counted {
			if !counted[i].Counted {
				r.add(&counted[i], unit)
			}
		}
	} else {
		// Location i gets the units between i/n and (i + 1)/n of all, rounded down: shares differ by
		// one unit at most, and add up to all.
		n := int64(len(counted))
		for i := range counted {
			if counted[i].Counted {
				break // and so are all of the read
			}
			r.add(&counted[i], unit*int64(i+1)/n-unit*int64(i)/n)
		}
	}
	r.totals.reads[locations[0].Contig].Add(1)
}

// counted are the locations of a read that have a weight, the first ones. They are in order of
// their distance, except that the primary one of a mate is first and may have more edits than
// others.
func (w Weights) counted(locations []mapper.Reported) []mapper.Reported {
	switch w {
	case WeighPrimary:
		return locations[:1]
	case WeighBest:
		least := locations[0].Distance
		if len(locations) > 1 && locations[1].Distance < least {
			least = locations[1].Distance
			locations = locations[1:]
		}
		n := 1
		for n < len(locations) && locations[n].Distance == least {
			n++
		}
		return locations[:n]
	case WeighAll, WeighEqual:
	}
	return locations
}

// add adds the weight of a location.
func (r *counter) add(l *mapper.Reported, weight int64) {
	c, first := r.counts, r.counts.first[l.Contig]
	r.totals.weight[l.Contig].Add(weight)
	c.add(first+l.Start, weight)
	if c.options.Of == Starts {
		return
	}
	for _, d := range l.Deleted {
		c.add(first+d.Start, -weight)
		c.add(first+d.End, weight)
	}
	c.add(first+l.End, -weight)
}

// add adds to a cell. The weight fits into 31 bits.
func (c *Counts) add(i int, weight int64) {
	w := int32(weight)
	now := atomic.AddInt32(&c.cells[i], w)
	if before := now - w; (before^now)&(w^now) < 0 { // both had another sign than the sum
		up := int64(1)
		if w < 0 {
			up = -1
		}
		c.carrying.Lock()
		c.carried[i] += up
		c.carrying.Unlock()
	}
}

// Cells says what counts, for GPUs.
func (c *Counts) Cells() mapper.Cells {
	return mapper.Cells{Starts: c.options.Of == Starts, Weights: weightsOfCells[c.options.Weights], Unit: c.unit}
}

// weightsOfCells are the weights as package mapper has them.
var weightsOfCells = map[Weights]mapper.Weights{
	WeighAll: mapper.WeighEach, WeighBest: mapper.WeighBest, WeighEqual: mapper.WeighEqual, WeighPrimary: mapper.WeighPrimary,
}

// AddCells adds numbers that a GPU has for bases of a contig.
func (c *Counts) AddCells(contig, base int, numbers []int32) {
	from := c.first[contig] + base
	for i, n := range numbers {
		if n != 0 {
			c.add(from+i, int64(n))
		}
	}
}

// CarryCell adds 2^32 to the number of a base a number of times.
func (c *Counts) CarryCell(contig, base, times int) {
	c.carrying.Lock()
	defer c.carrying.Unlock()
	c.carried[c.first[contig]+base] += int64(times)
}

// AddWeight adds the weights of the locations that these numbers are from.
func (c *Counts) AddWeight(contig int, weight int64) { c.totals[0].weight[contig].Add(weight) }
