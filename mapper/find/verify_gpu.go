package find

import (
	"math"
	"slices"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/kernels"
	"scanmap/locate"
)

// A gpuVerify is what a finder needs to go from candidates to locations (kernels/verify.cu,
// kernels/lead.cu, kernels/align.cu and kernels/order.cu).
type gpuVerify struct {
	grouped, marks, contig, locations, windows, left, operations device.Buffer // see buffers
	// kept are operations of the locations that keep hands on.
	kept                                 device.Buffer
	places, parts, counters, moves, many device.Buffer
	hostCounters                         device.Pinned[uint32]
	hostLocations                        device.Pinned[gpuOrdered]
	hostPlaces                           device.Pinned[uint32]
	hostOperations                       device.Pinned[uint32]
	hostLeft                             device.Pinned[gpuCandidate]
}

// gpuVerified is what candidates of a pass led to, in host memory.
type gpuVerified struct {
	locations []gpuOrdered
	// places are after the last location of each read, or after its last one of left where these are
	// in order. Where nothing is handed on they are nil.
	places     []uint32
	operations []uint32
	left       []gpuCandidate // to the host
	refused    int64          // candidates that were left, but lead to nothing
}

// A gpuLocation is a location as the kernels describe it.
type gpuLocation struct{ read, end, word, operations uint32 }

// A gpuOrdered is a location that order.cu has brought to its read. See describe; operations is
// where those of an alignment begin.
type gpuOrdered struct{ place, end, word, operations uint32 }

// A group of candidates has at most locationsEach locations for each (kernels/align.cu), in one of
// windowClasses classes of windows. The alignments of n candidates have room for n operationsEach +
// someOperations operations; the host aligns the locations without room.
const (
	locationsEach  = 3
	windowClasses  = 3
	operationsEach = 4
	someOperations = 1024
)

// A candidateBuffer has room for something of each candidate.
type candidateBuffer struct {
	buffer *device.Buffer
	bytes  int // for each candidate
	more   int // bytes besides
}

// buffers lists what grows with the candidates, where all locations are wanted or not. Memory is
// planned and reserved by this table.
func (v *gpuVerify) buffers(thin bool) []candidateBuffer {
	list := []candidateBuffer{
		{buffer: &v.grouped, bytes: 8},
		{buffer: &v.marks, bytes: 4},
		{buffer: &v.contig, bytes: 4},
		{buffer: &v.locations, bytes: 16 * locationsEach},
		{buffer: &v.windows, bytes: 16 * windowClasses},
		{buffer: &v.left, bytes: 8},
		{buffer: &v.operations, bytes: 4 * operationsEach, more: 4 * someOperations},
	}
	if thin {
		list = append(list, candidateBuffer{buffer: &v.kept, bytes: 4 * operationsEach, more: 4 * someOperations})
	}
	return list
}

// verifyCounters are the counters of verify.cu and align.cu, then of keep.cu, then of order.cu.
const verifyCounters = kernels.EmitCounters + kernels.KeepCounters + kernels.OrderCounters

// moveBytes bounds the scratch memory of align, which has a column for each thread.
func (d *gpuDevice) moveBytes() int { return min(256<<20, d.share()/8) }

// alignBlocks is the number of blocks of align for each multiprocessor, 1,024 threads. Each has a
// column of moves in memory, so that more blocks would take more memory. Other numbers were not
// measured.
const alignBlocks = 8

// sortBlocks is the number of blocks of sort_many, order_many and order_leads_many for each
// multiprocessor. Blocks take reads until there are none. Other numbers were not measured.
const sortBlocks = 4

// verify turns n candidates at an address of the device into locations. It returns these, the
// operations of their alignments and the candidates that are left to the host, in host memory that
// is valid until the next call. total counts locations and candidates; where the part would exceed
// its limit with these, out has none.
func (v *gpuVerify) verify(p *gpuPass, candidates uint64, n int) (out gpuVerified, total int64) {
	if n == 0 {
		return gpuVerified{}, 0
	}
	q, reads := p.queue, len(p.batch.Reads)
	for _, b := range v.buffers(p.thin) {
		q.Reserve(b.buffer, b.bytes*n+b.more)
	}
	q.Reserve(&v.places, 4*reads)
	q.Reserve(&v.many, 4*reads)
	q.Reserve(&v.counters, 4*verifyCounters)
	q.Clear(&v.places, 4*reads)
	q.Clear(&v.counters, 4*verifyCounters)
	// Near locations do not decide whether candidates are too many, as the CPU counts all.
	before := p.looked
	if p.looked += int64(n); p.looked > p.limit && p.near > 0 {
		if before > 0 {
			return gpuVerified{}, p.limit + 1
		}
		p.near = 0
	}
	v.group(q, candidates, n, reads)
	v.mark(p, n, reads)
	switch {
	case p.looks():
		v.lead(p, n)
	case p.options.Metric == locate.Edits:
		v.align(p, n) // without gaps there is nothing to align
	}
	switch {
	case p.sharing:
		p.share.retain(p, v, n)
	case p.thin:
		p.keep.keep(p, v, n)
	}
	switch {
	case v.hands(p):
		v.order(p, n)
	case p.looks():
		v.orderLeads(p, n)
	}
	return v.collect(p, n)
}

// hands tells whether locations may be handed on. The host finds locations of reads that may be
// clipped, and other locations stay where the GPU counts their cover, unless they are of mates.
func (v *gpuVerify) hands(p *gpuPass) bool { return p.options.Local == nil && (!p.sharing || p.mates) }

// group brings the candidates of each read together.
func (v *gpuVerify) group(q *device.Queue, candidates uint64, n, reads int) {
	group := &kernels.GroupParams{Candidates: candidates, Places: v.places.At(0), Grouped: v.grouped.At(0), Count: uint32(n)}
	device.Launch(q, "group_count", n, group)
	runningSums(q, &v.places, &v.parts, reads)
	device.Launch(q, "group_place", n, group)
}

// mark finds the groups of neighbouring diagonals and hands them out: locations, windows to align,
// and candidates for the host.
func (v *gpuVerify) mark(p *gpuPass, n, reads int) {
	q, c := p.queue, p.chunk
	windows := &kernels.WindowsParams{
		Text: c.params(p.text), Reads: p.reads, Contigs: c.contigParams(p.text), Places: v.places.At(0), Grouped: v.grouped.At(0),
		Marks: v.marks.At(0), Contig: v.contig.At(0), Many: v.many.At(0), Counters: v.counters.At(0),
		Count: uint32(reads), LowCut: c.lowCut, HighCut: c.highCut, Local: number(p.options.Local != nil),
	}
	device.Launch(q, byMetric(p.options.Metric, "windows", "diagonals"), reads, windows)
	if n > kernels.MostSorted {
		blocks := min(n/kernels.MostSorted, sortBlocks*q.GPU.Info().Multiprocessors)
		device.LaunchBlocks(q, "sort_many", blocks, &kernels.SortParams{
			Grouped: v.grouped.At(0), Scratch: v.left.At(0), Places: v.places.At(0), Many: v.many.At(0), Counters: v.counters.At(0),
		})
		many := *windows
		many.Count = uint32(n)
		device.Launch(q, byMetric(p.options.Metric, "windows_many", "diagonals_many"), n, &many)
	}
	device.Launch(q, "emit", n, &kernels.EmitParams{
		Reads: p.reads, Grouped: v.grouped.At(0), Marks: v.marks.At(0), Contig: v.contig.At(0), Locations: v.locations.At(0),
		Windows: v.windows.At(0), Left: v.left.At(0), Counters: v.counters.At(0),
		Count: uint32(n), Middle: uint32(n), Wide: uint32(2 * n),
	})
}

// Parts are the same for the host and for lead. Where they are not, this array has no element of
// that index, and the package does not compile.
var _ = [1]struct{}{}[(locate.LeastPart-kernels.LeastPart)|(locate.PartPercent-kernels.PartPercent)]

// Likewise the most bases of a piece.
var _ = [1]struct{}{}[maxPiece-kernels.LongestPiece]

// looks tells whether candidates of local locations are looked at here, so that the host need not.
func (p *gpuPass) looks() bool {
	return p.options.Local != nil && p.longest <= kernels.LeadWords*dna.WordBases
}

// lead drops those candidates of local locations, or of parts, that lead to nothing.
func (v *gpuVerify) lead(p *gpuPass, n int) {
	each := uint64(0) // of parts
	if p.local.Parts == 0 {
		each = p.onGPU.each.At(0)
	}
	params := &kernels.LeadParams{
		Text: p.chunk.params(p.text), Reads: p.reads, Local: p.local, Each: each,
		Candidates: v.left.At(0), Leading: v.grouped.At(0),
		Count: v.counters.At(4 * kernels.EmitLeft), Kept: v.counters.At(4 * kernels.EmitLeads),
		Waves: v.windows.At(0), Waiting: v.counters.At(4 * kernels.EmitWaves),
		Wide: v.windows.At(8 * n), Widest: v.counters.At(4 * kernels.EmitWidest),
	}
	if p.near > 0 {
		params.Best, params.Near = p.keep.best.At(0), p.near
		device.LaunchBlocks(p.queue, "lead_best", blocksFor(p.queue, "lead_best", n), params)
	}
	device.LaunchBlocks(p.queue, "lead", blocksFor(p.queue, "lead", n), params)
	if p.local.Parts == 0 {
		device.LaunchBlocks(p.queue, "lead_waves", blocksFor(p.queue, "lead_waves", 32*n), params)
		device.LaunchBlocks(p.queue, "lead_wide", blocksFor(p.queue, "lead_wide", 32*n), params)
	}
}

// found returns the buffer of the locations that are handed on, a free buffer in which they can be
// put in order, and their counter.
func (v *gpuVerify) found(p *gpuPass) (locations, free *device.Buffer, counter int) {
	if p.thin {
		return v.keptLocations(), &v.locations, kernels.EmitCounters + kernels.KeepLocations
	}
	return &v.locations, v.keptLocations(), kernels.EmitLocations
}

// order brings the locations that are handed on together by read.
func (v *gpuVerify) order(p *gpuPass, n int) {
	reads, most := len(p.batch.Reads), locationsEach*n
	locations, ordered, counter := v.found(p)
	params := &kernels.OrderParams{
		Contigs: p.chunk.contigParams(p.text), Locations: locations.At(0), Count: v.counters.At(4 * counter), Places: v.places.At(0),
		Ordered: ordered.At(0), Scratch: locations.At(0), Many: v.many.At(0),
		Counters: v.counters.At(4 * (kernels.EmitCounters + kernels.KeepCounters)), Capacity: uint32(most), Reads: uint32(reads),
		FirstContig: uint32(p.chunk.firstContig), Skipped: uint32(p.chunk.skipped(p.ref)),
	}
	putInOrder(v, p, "order", params, most)
}

// orderLeads brings the candidates that lead left together by read, in order of (strand, diagonal).
func (v *gpuVerify) orderLeads(p *gpuPass, n int) {
	params := &kernels.OrderLeadsParams{
		Leads: v.grouped.At(0), Count: v.counters.At(4 * kernels.EmitLeads), Places: v.places.At(0),
		Ordered: v.left.At(0), Scratch: v.grouped.At(0), Many: v.many.At(0),
		Counters: v.counters.At(4 * (kernels.EmitCounters + kernels.KeepCounters)), Reads: uint32(len(p.batch.Reads)),
	}
	putInOrder(v, p, "order_leads", params, n)
}

// putInOrder has the kernels of order.cu with a name bring up to `most` items together by read.
func putInOrder[P any](v *gpuVerify, p *gpuPass, name string, params *P, most int) {
	q, reads := p.queue, len(p.batch.Reads)
	q.Clear(&v.places, 4*reads)
	device.LaunchBlocks(q, name+"_count", blocksFor(q, name+"_count", most), params)
	runningSums(q, &v.places, &v.parts, reads)
	device.LaunchBlocks(q, name+"_place", blocksFor(q, name+"_place", most), params)
	device.Launch(q, name+"_few", reads, params)
	if most > kernels.OrderSorted {
		device.LaunchBlocks(q, name+"_many", min(most/kernels.OrderSorted, sortBlocks*q.GPU.Info().Multiprocessors), params)
	}
}

// align turns windows into locations with their alignments.
func (v *gpuVerify) align(p *gpuPass, n int) {
	q := p.queue
	rows := max(min(p.longest, kernels.MaxBoundLength), 1)
	for i, class := range [windowClasses]struct {
		name    string
		counter int
		words   int // of moves in a row
	}{
		{"align_narrow", kernels.EmitNarrow, 1},
		{"align_middle", kernels.EmitMiddle, 2},
		{"align_wide", kernels.EmitWide, 4},
	} {
		perBlock := kernels.AlignThreads * rows * class.words * 4
		blocks := min((n+kernels.AlignThreads-1)/kernels.AlignThreads,
			alignBlocks*q.GPU.Info().Multiprocessors, max(p.device.moveBytes()/perBlock, 1))
		q.Reserve(&v.moves, blocks*perBlock)
		device.LaunchBlocks(q, class.name, blocks, &kernels.AlignParams{
			Text: p.chunk.params(p.text), Reads: p.reads, Starts: p.text.starts.At(0), Ends: p.text.ends.At(0),
			Windows: v.windows.At(16 * n * i), Moves: v.moves.At(0), Locations: v.locations.At(0), Operations: v.operations.At(0),
			LocationCounter: v.counters.At(4 * kernels.EmitLocations), OperationCounter: v.counters.At(4 * kernels.EmitOperations),
			Count: v.counters.At(4 * class.counter), Rows: uint32(rows),
			LocationCapacity: uint32(locationsEach * n), OperationCapacity: uint32(operationsEach*n + someOperations),
		})
	}
}

// collect brings the results to the host.
func (v *gpuVerify) collect(p *gpuPass, n int) (out gpuVerified, total int64) {
	q := p.queue
	counters := v.hostCounters.Resize(q, verifyCounters)
	device.Download(q, counters, &v.counters, 0)
	if q.Wait() != nil {
		return gpuVerified{}, 0
	}
	_, ordered, counter := v.found(p)
	count, ofOperations, runs := counters[counter], &v.operations, counters[kernels.EmitOperations]
	switch {
	case !v.hands(p):
		count, runs = 0, 0 // they stay
	case p.thin:
		ofOperations, runs = &v.kept, counters[kernels.EmitCounters+kernels.KeepOperations]
	}
	left := counters[kernels.EmitLeft]
	if p.looks() {
		out.refused = int64(left - counters[kernels.EmitLeads])
		left = counters[kernels.EmitLeads]
	}
	total = int64(count) + int64(left)
	if p.found.count()+total > p.limit {
		return gpuVerified{}, total // and no memory for them
	}
	out.locations = v.hostLocations.Resize(q, min(int(count), locationsEach*n))
	out.operations = v.hostOperations.Resize(q, min(int(runs), operationsEach*n+someOperations))
	out.left = v.hostLeft.Resize(q, int(left))
	device.Download(q, out.locations, ordered, 0)
	if count > 0 || p.looks() {
		out.places = v.hostPlaces.Resize(q, len(p.batch.Reads))
		device.Download(q, out.places, &v.places, 0)
	}
	device.Download(q, out.operations, ofOperations, 0)
	device.Download(q, out.left, &v.left, 0)
	if q.Wait() != nil {
		return gpuVerified{}, total
	}
	return out, total
}

// The kinds of operations have the same numbers in Go and in CUDA. Where they differ, this array
// has no element of that index, and the package does not compile.
var _ = [1]struct{}{}[(locate.Diagonal-kernels.OperationDiagonal)|
	(locate.Insertion-kernels.OperationInsertion)|(locate.Deletion-kernels.OperationDeletion)]

// add adds locations, which are in order of the reads, with their operations. places are after the
// last one of each read.
func (p *gpuPass) add(locations []gpuOrdered, places, operations []uint32) {
	if len(locations) == 0 {
		return
	}
	found := &p.found
	from := len(found.ordered)
	first := uint32(p.addOperations(p.result, operations))
	found.rounds = rounds{append(found.rounds.from, from), append(found.rounds.places, places...)}
	found.ordered = extend(found.ordered, len(locations))
	all := found.ordered[from:]
	parallel.Ranges(p.options.Threads, len(locations), convertGrain, func(_, lo, hi int) {
		copy(all[lo:hi], locations[lo:hi])
		if first > 0 {
			for i := lo; i < hi; i++ {
				all[i].operations += first
			}
		}
	})
}

// addOperations appends operations to f.Operations, and returns where they start.
func (w *gpuFinder) addOperations(f *Found, operations []uint32) (first int32) {
	first = int32(len(f.Operations))
	f.Operations = extend(f.Operations, len(operations))
	parallel.Ranges(w.options.Threads, len(operations), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			o := operations[i]
			f.Operations[int(first)+i] = locate.Operation{
				Kind: locate.OperationKind(o >> kernels.OperationShift), Length: int32(o & (1<<kernels.OperationShift - 1)),
			}
		}
	})
	return first
}

// longer is the length of a location's stretch of the text less the read's, of its word.
func longer(word uint32) int32 { return int32(word>>16&0xff) - 128 }

// describe returns what a location's word says: its distance, its gaps and how many operations it
// has, unless it is not aligned.
func describe(word uint32) (distance, gaps, operations int32, aligned bool) {
	operations = int32(word >> 24)
	return int32(word & 0xff), int32(word >> 8 & 0xff), operations, operations != kernels.AlignLater
}

// strandOf returns the strand in a read's number, as kernels have it.
func strandOf(read uint32) int {
	if read&kernels.Strand != 0 {
		return locate.Reverse
	}
	return locate.Forward
}

// extend makes a slice longer by n elements, whose contents are arbitrary.
func extend[T any](s []T, n int) []T {
	return slices.Grow(s, n)[:len(s)+n]
}

// convertGrain is the number of items converted by one unit of parallel work.
const convertGrain = 4096

// take adds candidates that a GPU left to the host.
func (p *gpuPass) take(left []gpuCandidate) {
	found := &p.found
	from := len(found.candidates)
	if p.options.Local != nil {
		found.candidates = p.refuser.add(found.candidates, &p.shared, p.batch, len(left), func(to []locate.Candidate, i int) []locate.Candidate {
			return p.localCandidates(to, left[i], -1)
		})
		return
	}
	found.candidates = extend(found.candidates, len(left))
	taken := found.candidates[from:]
	parallel.Ranges(p.options.Threads, len(left), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			taken[i] = p.candidate(left[i])
		}
	})
	taken = slices.DeleteFunc(taken, func(c locate.Candidate) bool { return c.Read == noRead })
	found.candidates = found.candidates[:from+len(taken)]
}

// takeOrdered adds candidates of local locations that a GPU has looked at and put in order. The
// candidates of a read end before its place.
func (p *gpuPass) takeOrdered(left []gpuCandidate, places []uint32) {
	if len(left) == 0 {
		return
	}
	found, reads := &p.found, len(places)
	from := len(found.candidates)
	found.candidates = extend(found.candidates, len(left))
	taken := found.candidates[from:]
	units := (reads + CutReads - 1) / CutReads
	p.made, p.reverse = parallel.Resize(p.made, units), parallel.Resize(p.reverse, p.options.Threads)
	before := func(read int) int { // the candidates of reads before one
		if read == 0 {
			return 0
		}
		return int(places[read-1])
	}
	var others atomic.Bool // whether a candidate is none of the reference, or several
	parallel.Ranges(p.options.Threads, units, 1, func(worker, unit, _ int) {
		first, beyond := unit*CutReads, min((unit+1)*CutReads, reads)
		begin, end := before(first), before(beyond)
		made := taken[begin:begin:end] // may move elsewhere
		for i, at := first, begin; i < beyond; i++ {
			to := int(places[i])
			made = p.ofRead(made, left[at:to], &p.reverse[worker])
			if at = to; len(made) != at-begin {
				others.Store(true)
			}
		}
		p.made[unit] = made
	})
	first := len(found.leads.places)
	found.leads = rounds{append(found.leads.from, from), append(found.leads.places, places...)}
	if !others.Load() {
		return
	}
	starts := make([]int, units+1) // of the candidates of each unit
	for unit, made := range p.made {
		starts[unit+1] = starts[unit] + len(made)
	}
	p.moved = parallel.Resize(p.moved, starts[units])
	parallel.Ranges(p.options.Threads, units, 1, func(_, unit, _ int) {
		made, n := p.made[unit], 0
		copy(p.moved[starts[unit]:], made)
		for i := unit * CutReads; i < min((unit+1)*CutReads, reads); i++ {
			for n < len(made) && int(made[n].Read) == i {
				n++
			}
			found.leads.places[first+i] = uint32(starts[unit] + n)
		}
	})
	found.candidates = extend(found.candidates[:from], len(p.moved))
	parallel.Ranges(p.options.Threads, len(p.moved), convertGrain, func(_, lo, hi int) {
		copy(found.candidates[from+lo:from+hi], p.moved[lo:hi])
	})
}

// ofRead appends the candidates of the reference for candidates of a read by (strand, diagonal).
// They come in order of (place, diagonal), except where contigs meet. scratch is memory.
func (p *gpuPass) ofRead(to []locate.Candidate, left []gpuCandidate, scratch *[]locate.Candidate) []locate.Candidate {
	first, reverse, contig := len(to), -1, 0
	for _, l := range left {
		if reverse < 0 && l.read&kernels.Strand != 0 {
			reverse, contig = len(to), 0
		}
		before := len(to)
		if to = p.localCandidates(to, l, contig); len(to) > before {
			contig = to[len(to)-1].Place.Contig()
		}
	}
	if reverse > first && reverse < len(to) && to[reverse].Place < to[reverse-1].Place {
		*scratch = append((*scratch)[:0], to[reverse:]...)
		mergeByPlace(to[first:], *scratch)
	}
	return to
}

// mergeByPlace sets the last candidates to others, and merges them with those before. Either are in
// order of their places.
func mergeByPlace(all, others []locate.Candidate) {
	n := len(all) - len(others)
	for at := len(all); len(others) > 0; {
		at--
		if last := len(others) - 1; n > 0 && all[n-1].Place > others[last].Place {
			n--
			all[at] = all[n]
		} else {
			all[at], others = others[last], others[:last]
		}
	}
}

// localCandidates appends the candidates of the reference for a candidate of the chunk, where a
// read may be clipped. There is one for each contig with as many bases on the diagonal as a piece
// has, because the middle of the read may lie in no contig, or in another. `contig` is likely to be
// the first, or -1.
func (p *gpuPass) localCandidates(to []locate.Candidate, l gpuCandidate, contig int) []locate.Candidate {
	read, strand := l.index(), strandOf(l.read)
	from := int(l.position()) - kernels.TextPadding + p.chunk.offset
	end := from + int(p.batch.length[read])
	contigs := p.ref.Contigs
	if contig < 0 || contigs[contig].Start > from || contig+1 < len(contigs) && contigs[contig+1].Start <= from {
		contig = max(p.ref.ContigAt(from), 0)
	}
	for i := contig; i < len(contigs) && contigs[i].Start < end; i++ {
		c := &contigs[i]
		if min(end, c.End())-max(from, c.Start) >= minPiece {
			candidate := locate.Candidate{Read: read, Place: locate.At(i, strand), Diagonal: int32(from - c.Start), Differences: locate.OffContig}
			if least := l.least(); least < 0 && from >= c.Start && end <= c.End() {
				candidate.Differences = least
			}
			to = append(to, candidate)
		}
	}
	return to
}

// position returns the position of a candidate's diagonal, which may hang over the chunk's start.
func (l gpuCandidate) position() int64 {
	if l.diagonal > maxChunk {
		return int64(l.diagonal) - 1<<32
	}
	return int64(l.diagonal)
}

// index returns the read's index.
func (l gpuCandidate) index() uint32 { return l.read & (1<<kernels.LeastShift - 1) }

// least returns Differences of a locate.Candidate that a GPU knows, or 0 for none.
func (l gpuCandidate) least() int32 {
	least := int32(l.read &^ kernels.Strand >> kernels.LeastShift)
	switch {
	case least >= kernels.Whole:
		return locate.GaplessWhole(int(least) - kernels.Whole)
	case least >= kernels.GaplessLoss:
		return locate.GaplessLoss(int(least) - kernels.GaplessLoss)
	case least == kernels.Gapless:
		return locate.Gapless
	}
	return -least
}

// noRead marks a candidate that leads nowhere.
const noRead = math.MaxUint32

// candidate turns a candidate of the chunk into one of the reference.
func (p *gpuPass) candidate(l gpuCandidate) locate.Candidate {
	read, strand := l.read&^kernels.Strand, strandOf(l.read)
	diagonal := l.position()
	// The middle of a strand that hangs over by k bases at most lies in its contig, because the
	// pieces make it longer than 2k. Others lead nowhere.
	length := int(p.batch.length[read])
	contig, middle := p.chunk.place(p.ref, diagonal+int64(length/2))
	if contig < 0 {
		return locate.Candidate{Read: noRead}
	}
	c := &p.ref.Contigs[contig]
	differences, at := int32(locate.OffContig), middle-length/2
	if at >= 0 && at+length <= c.Length {
		differences = int32(p.batch.strand(int(read), strand).Hamming(&p.ref.Bases, length, c.Start+at))
	}
	return locate.Candidate{Read: read, Place: locate.At(contig, strand), Diagonal: int32(at), Differences: differences}
}
