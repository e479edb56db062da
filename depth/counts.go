package depth

import (
	"slices"
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/mapper"
)

// Counts are those of a reference. Several goroutines may count at a time, each with a Counter of
// its own. What was counted is read when all are done.
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
}

// unitsOfRead is the weight of a read that is shared out.
const unitsOfRead = 1 << 16

// Memory is what counts of a reference of so many bases and contigs take in bytes, but for names.
func Memory(bases, contigs int64) int64 { return 4*bases + 64*contigs }

// New returns counts that have no reference yet: a run of mapper gives it to them.
func New(o Options) *Counts {
	c := &Counts{options: o, unit: 1, carried: map[int]int64{}}
	if o.Weights.shared() {
		c.unit = unitsOfRead
	}
	return c
}

// Begin takes the reference, with nothing counted.
func (c *Counts) Begin(ref *dna.Reference) {
	c.ref = ref
	n := 0
	for i := range ref.Contigs {
		c.first = append(c.first, n)
		n += ref.Contigs[i].Length + 1
	}
	c.cells = make([]int32, n)
}

// Contigs are those of the reference; none before Begin.
func (c *Counts) Contigs() []dna.Contig {
	if c.ref == nil {
		return nil
	}
	return c.ref.Contigs
}

// totals are what is counted of each contig.
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
	seen   []int // contigs of the read at hand
}

// Count counts the locations of a read.
func (r *counter) Count(locations []mapper.Reported) {
	counted := r.counts.options.Weights.counted(locations)
	unit := r.counts.unit
	if !r.counts.options.Weights.shared() {
		for i := range counted {
			r.add(&counted[i], unit)
		}
	} else {
		// Location i gets what is between i/n and (i + 1)/n of the units, rounded down: so all get as
		// much, but for one unit, and together as many as there are.
		n := int64(len(counted))
		for i := range counted {
			r.add(&counted[i], unit*int64(i+1)/n-unit*int64(i)/n)
		}
	}
	r.countReads(counted)
}

// counted are the locations of a read that have a weight, the first ones. They are in order of their
// distance, but for the primary one of a mate, which may have more edits than others.
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

// countReads counts the read once for each contig that it has a location on.
func (r *counter) countReads(locations []mapper.Reported) {
	if len(locations) == 1 {
		r.totals.reads[locations[0].Contig].Add(1)
		return
	}
	r.seen = r.seen[:0]
	for i := range locations {
		r.seen = append(r.seen, locations[i].Contig)
	}
	slices.Sort(r.seen)
	for i, contig := range r.seen {
		if i == 0 || contig != r.seen[i-1] {
			r.totals.reads[contig].Add(1)
		}
	}
}

// at is the number of a cell.
func (c *Counts) at(i int) int64 {
	n := int64(c.cells[i])
	if len(c.carried) > 0 {
		n += c.carried[i] << 32
	}
	return n
}

// units gives the depth of each base of a contig, in units, as runs of equal depth [start, end).
func (c *Counts) units(number int, yield func(start, end int, depth int64) error) error {
	first, length := c.first[number], c.ref.Contigs[number].Length
	depth, start := int64(0), 0
	for i := range length {
		cell := c.at(first + i)
		next := depth + cell
		if c.options.Of == Starts {
			next = cell
		}
		if next == depth {
			continue
		}
		if i > start {
			if err := yield(start, i, depth); err != nil {
				return err
			}
		}
		depth, start = next, i
	}
	if start < length {
		return yield(start, length, depth)
	}
	return nil
}

// Depths gives the depth of each base of a contig, whose number is that of the reference, as runs of
// equal depth: positions are 0-based, and end is excluded. Together they are the whole contig. It
// stops at the first error of yield, and returns it.
func (c *Counts) Depths(number int, yield func(start, end int, depth float32) error) error {
	return c.units(number, func(start, end int, depth int64) error {
		return yield(start, end, float32(float64(depth)/float64(c.unit)))
	})
}
