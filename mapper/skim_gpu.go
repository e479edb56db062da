package mapper

import (
	"scanmap/kernels"
)

// A gpuSkim is the pass of one worker over a chunk, and its queue of candidates (kernels/skim.cu).
type gpuSkim struct {
	counters, totals      gpuBuffer
	stretches, unfinished gpuBuffer
	candidates            gpuBuffer // kernels.Candidate as two words each
	capacity, found       int       // candidates that have room, and that there are
	hostCounters          pinned[uint32]
	hostTotals            pinned[uint64]
	hostStretches         pinned[uint32]
	hostCandidates        pinned[gpuCandidate]
}

// A gpuCandidate is a read, with kernels.Strand for its reverse strand, and a diagonal as a position of a chunk, modulo
// 2^32 because long reads may hang over the chunk's start.
type gpuCandidate struct{ read, diagonal uint32 }

// stretches returns the number of the first stretch that has windows of the chunk, and how many have.
func (c *gpuChunk) stretches() (first, count int) {
	first = int(c.from) / kernels.SkimStretch
	return first, (int(c.to)+kernels.SkimStretch-1)/kernels.SkimStretch - first
}

// begin empties the queue.
func (s *gpuSkim) begin(q *gpuQueue, capacity int) {
	s.capacity, s.found = capacity, 0
	q.reserve(&s.counters, 4*kernels.SkimCounters)
	q.reserve(&s.totals, 8*kernels.SkimTotals)
	q.reserve(&s.candidates, 8*capacity)
	q.clear(&s.totals, 8*kernels.SkimTotals)
}

// pass adds the candidates of a class to the queue: from stretches, or from the first count of the chunk when there is no list. It
// returns those that did not come to their end because the queue was full.
func (s *gpuSkim) pass(q *gpuQueue, c *gpuChunk, t *gpuText, table *gpuTable, reads kernels.Reads, stretches []uint32, count int) (unfinished []uint32) {
	first, _ := c.stretches()
	q.reserve(&s.unfinished, 4*count)
	// The counters of stretches start anew, that of candidates goes on.
	counters := s.hostCounters.resize(q, kernels.SkimCounters)
	clear(counters)
	counters[kernels.SkimCandidates] = uint32(s.found)
	upload(q, &s.counters, counters)
	p := &kernels.SkimParams{
		Text: c.params(t), Reads: reads, Buckets: table.buckets.at(0), Entries: table.entries.at(0), Filter: table.filter.at(0),
		PiecesAt: table.piecesAt.at(0), PiecesRead: table.reads.at(0), Unfinished: s.unfinished.at(0), Counters: s.counters.at(0),
		Candidates: s.candidates.at(0), Totals: s.totals.at(0), Capacity: uint32(s.capacity),
		StretchCount: uint32(count), FirstStretch: uint32(first), Q: uint32(table.q),
		BucketShift: table.bucketShift, SlotShift: table.slotShift, Begin: c.from, End: c.to,
	}
	if stretches != nil {
		upload(q, &s.stretches, stretches)
		p.Stretches = s.stretches.at(0)
	}
	warps := kernels.SkimThreads / 32
	launchBlocks(q, "skim", min((count+warps-1)/warps, skimBlocks*q.device.device.Info().Multiprocessors), p)
	download(q, counters, &s.counters, 0)
	if q.wait() != nil {
		return nil
	}
	s.found = min(int(counters[kernels.SkimCandidates]), s.capacity)
	unfinished = s.hostStretches.resize(q, int(counters[kernels.SkimUnfinished]))
	download(q, unfinished, &s.unfinished, 0)
	if q.wait() != nil {
		return nil
	}
	return unfinished
}

// skimBlocks is the number of blocks for each multiprocessor.
const skimBlocks = 4

// drain moves what the queue holds to the host. The list is valid until the next call.
func (s *gpuSkim) drain(q *gpuQueue) []gpuCandidate {
	list := s.hostCandidates.resize(q, s.found)
	download(q, list, &s.candidates, 0)
	s.found = 0
	if q.wait() != nil {
		return nil
	}
	return list
}

// grow makes room for twice as many candidates, when the queue is empty.
func (s *gpuSkim) grow(q *gpuQueue) {
	s.capacity *= 2
	q.reserve(&s.candidates, 8*s.capacity)
}

// end adds what the passes did to f.
func (s *gpuSkim) end(q *gpuQueue, f *found) {
	totals := s.hostTotals.resize(q, kernels.SkimTotals)
	download(q, totals, &s.totals, 0)
	if q.wait() == nil {
		f.compared += int64(totals[kernels.SkimCompared])
	}
}
