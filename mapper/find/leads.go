package find

import (
	"scanmap/locate"
	"scanmap/parallel"
)

// leads tells whether a local location, or a part, of a read may go through the diagonal of a
// candidate, by bounds. Each that does not would be left out with the read's others. But of some
// reads there are many, and those of a read are one worker's; here they are of all workers.
func (b *Batch) leads(l *locate.Local, c *locate.Candidate) bool {
	read, strand := int(c.Read), b.strand(int(c.Read), c.Place.Strand())
	if b.local.Parts {
		return l.LeadsToPart(b.Length(read), strand, c.Place, int(c.Diagonal))
	}
	return l.Leads(b.Length(read), b.K(read), b.Sought(read), strand, c.Place, int(c.Diagonal))
}

// A refuser leaves out candidates that lead to nothing.
type refuser struct {
	locals []locate.Local // one for each worker
	left   []int          // of each grain
}

// refuseGrain is the number of candidates in one unit of parallel work: some 2 ms.
const refuseGrain = 1 << 10

// refuse moves those candidates of a batch that may lead to local locations to the front, and
// returns them.
func (r *refuser) refuse(of *shared, b *Batch, candidates []locate.Candidate) []locate.Candidate {
	threads := of.options.Threads
	r.locals = parallel.Resize(r.locals, threads)
	for i := range r.locals {
		r.locals[i].Reference, r.locals[i].Cap = of.ref, b.local.Cap
	}
	r.left = parallel.Resize(r.left, (len(candidates)+refuseGrain-1)/refuseGrain)
	parallel.Ranges(threads, len(r.left), 1, func(worker, grain, _ int) {
		all := candidates[grain*refuseGrain : min((grain+1)*refuseGrain, len(candidates))]
		n := 0
		for i := range all {
			if b.leads(&r.locals[worker], &all[i]) {
				all[n] = all[i]
				n++
			}
		}
		r.left[grain] = n
	})
	n := 0
	for grain, left := range r.left {
		n += copy(candidates[n:], candidates[grain*refuseGrain:][:left])
	}
	return candidates[:n]
}
