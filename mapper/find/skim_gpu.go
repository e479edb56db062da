package find

import (
	"scanmap/device"
	"scanmap/kernels"
)

// A gpuSkim is the pass of one finder over a chunk, and its queue of candidates (kernels/skim.cu).
type gpuSkim struct {
	counters, totals      device.Buffer
	stretches, unfinished device.Buffer
	candidates            device.Buffer // kernels.Candidate as two words each
	capacity, found       int           // candidates that have room, and that there are
	hostCounters          device.Pinned[uint32]
	hostTotals            device.Pinned[uint64]
	hostStretches         device.Pinned[uint32]
	hostCandidates        device.Pinned[gpuCandidate]
}

// A gpuCandidate is a read, with kernels.Strand for its reverse strand, and a diagonal as a
// position of a chunk, modulo 2^32 because long reads may hang over the chunk's start.
type gpuCandidate struct{ read, diagonal uint32 }

// stretches returns the number of the first stretch that has windows of the chunk, and how many
// have.
func (c *gpuChunk) stretches() (first, count int) {
	first = int(c.from) / kernels.SkimStretch
	return first, (int(c.to)+kernels.SkimStretch-1)/kernels.SkimStretch - first
}

// begin empties the queue.
func (s *gpuSkim) begin(q *device.Queue, capacity int) {
	s.capacity, s.found = capacity, 0
	q.Reserve(&s.counters, 4*kernels.SkimCounters)
	q.Reserve(&s.totals, 8*kernels.SkimTotals)
	q.Reserve(&s.candidates, 8*capacity)
	q.Clear(&s.totals, 8*kernels.SkimTotals)
}

// pass adds the candidates of a class to the queue: from stretches, or from the first count of the
// chunk when there is no list. It returns those that did not come to their end because the queue
// was full.
func (s *gpuSkim) pass(p *gpuPass, stretches []uint32, count int) (unfinished []uint32) {
	q, c, table := p.queue, p.chunk, &p.table
	first, _ := c.stretches()
	q.Reserve(&s.unfinished, 4*count)
	// The counters of stretches start from 0, that of candidates goes on.
	counters := s.hostCounters.Resize(q, kernels.SkimCounters)
	clear(counters)
	counters[kernels.SkimCandidates] = uint32(s.found)
	device.Upload(q, &s.counters, counters)
	params := &kernels.SkimParams{
		Text: c.params(p.text), Reads: p.reads, Buckets: table.buckets.At(0), Heads: table.heads.At(0), Entries: table.entries.At(0), Filter: table.filter.At(0),
		PiecesAt: table.piecesAt.At(0), PiecesRead: table.reads.At(0), Unfinished: s.unfinished.At(0), Counters: s.counters.At(0),
		Candidates: s.candidates.At(0), Totals: s.totals.At(0), Capacity: uint32(s.capacity),
		StretchCount: uint32(count), FirstStretch: uint32(first), Q: uint32(table.q),
		BucketShift: table.bucketShift, SlotShift: table.slotShift, Begin: c.from, End: c.to,
	}
	if stretches != nil {
		device.Upload(q, &s.stretches, stretches)
		params.Stretches = s.stretches.At(0)
	}
	warps := kernels.SkimThreads / 32
	kernel := "skim"
	if table.direct() {
		kernel = "skim_direct"
	}
	device.LaunchBlocks(q, kernel, min((count+warps-1)/warps, skimBlocks*q.GPU.Info().Multiprocessors), params)
	device.Download(q, counters, &s.counters, 0)
	if q.Wait() != nil {
		return nil
	}
	s.found = min(int(counters[kernels.SkimCandidates]), s.capacity)
	unfinished = s.hostStretches.Resize(q, int(counters[kernels.SkimUnfinished]))
	device.Download(q, unfinished, &s.unfinished, 0)
	if q.Wait() != nil {
		return nil
	}
	return unfinished
}

// skimBlocks is the number of blocks for each multiprocessor: as many as KERNEL_BLOCKS in skim.cu
// makes room for. Warps take stretches until there are none.
const skimBlocks = 4

// drain moves what the queue holds to the host. The list is valid until the next call.
func (s *gpuSkim) drain(q *device.Queue) []gpuCandidate {
	list := s.hostCandidates.Resize(q, s.found)
	device.Download(q, list, &s.candidates, 0)
	s.found = 0
	if q.Wait() != nil {
		return nil
	}
	return list
}

// grow makes room for twice as many candidates, when the queue is empty.
func (s *gpuSkim) grow(q *device.Queue) {
	s.capacity *= 2
	q.Reserve(&s.candidates, 8*s.capacity)
}

// compared returns how many pieces the passes since begin compared with the text.
func (s *gpuSkim) compared(q *device.Queue) int64 {
	totals := s.hostTotals.Resize(q, kernels.SkimTotals)
	device.Download(q, totals, &s.totals, 0)
	if q.Wait() != nil {
		return 0
	}
	return int64(totals[kernels.SkimCompared])
}
