package find

import (
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// leads tells whether a local location, or a part, of a read may go through the diagonal of a
// candidate, by bounds. Candidates without one would be left out later, all of a read by the same
// worker. Some reads have many; here all workers share them. It sets the candidate's Differences.
func (b *Batch) leads(l *locate.Local, c *locate.Candidate) bool {
	read, strand := int(c.Read), b.strand(int(c.Read), c.Place.Strand())
	if b.local.Parts {
		return l.LeadsToPart(b.Length(read), strand, c.Place, int(c.Diagonal))
	}
	differences, may := l.MayLead(b.Length(read), b.K(read), b.Sought(read), strand, c.Place, int(c.Diagonal))
	c.Differences = differences
	return may
}

// A refuser makes candidates, and leaves out the ones leading to nothing.
type refuser struct {
	locals  []locate.Local       // one for each worker
	made    [][]locate.Candidate // of each grain
	touched []uint64             // keeps loads that only warm the cache
	// refused is how many candidates were left out.
	refused int64
}

// refuseGrain is the number of items in one unit of parallel work: some 2 ms.
const refuseGrain = 1 << 10

// add adds the candidates of a batch that n items make, in the order of the items. It leaves out
// candidates that cannot lead to local locations, or parts. item appends the candidates of one
// item.
func (r *refuser) add(
	to []locate.Candidate, of *shared, b *Batch, n int, item func(to []locate.Candidate, i int) []locate.Candidate,
) []locate.Candidate {
	threads := of.options.Threads
	r.locals, r.touched = parallel.Resize(r.locals, threads), parallel.Resize(r.touched, threads)
	for i := range r.locals {
		r.locals[i].Reference, r.locals[i].Cap = of.ref, b.local.Cap
	}
	grains := (n + refuseGrain - 1) / refuseGrain
	for len(r.made) < grains {
		r.made = append(r.made, nil)
	}
	var refused atomic.Int64
	parallel.Ranges(threads, grains, 1, func(worker, grain, _ int) {
		made := r.made[grain][:0]
		for i := grain * refuseGrain; i < min((grain+1)*refuseGrain, n); i++ {
			made = item(made, i)
		}
		// The processor waits for all fetches of a grain together.
		local, touched := &r.locals[worker], uint64(0)
		for i := range made {
			c := &made[i]
			offset := of.ref.Contigs[c.Place.Contig()].Start + int(c.Diagonal)
			touched |= dna.WindowOrZero(of.ref.Bases.Low, offset) | dna.WindowOrZero(of.ref.Bases.High, offset) | b.strand(int(c.Read), c.Place.Strand())[0]
		}
		r.touched[worker] = touched
		left := made[:0]
		for _, c := range made {
			if b.leads(local, &c) {
				left = append(left, c)
			}
		}
		refused.Add(int64(len(made) - len(left)))
		r.made[grain] = left
	})
	r.refused += refused.Load()
	for _, made := range r.made[:grains] {
		to = append(to, made...)
	}
	return to
}
