package find

import (
	"math/bits"

	"scanmap/device"
	"scanmap/kernels"
)

// A gpuSkim is the pass of one finder over a chunk, and its queues of hits and of candidates
// (kernels/skim.cu).
type gpuSkim struct {
	counters, totals device.Buffer
	hits             device.Buffer // a piece and a position as two words each
	candidates       device.Buffer // kernels.Candidate as two words each
	hitRoom, room    int           // hits and candidates that have room
	found            int           // candidates that there are
	// hitsFound and tried are the hits and candidates of the last pass, also some that had no room.
	hitsFound, tried int
	// stretches is how many of the text are likely to fit at a time; 0 for all.
	stretches    int
	hostCounters device.Pinned[uint32]
	hostTotals   device.Pinned[uint64]
}

// A gpuCandidate is a read, with kernels.Strand for its reverse strand, and a diagonal as a
// position of a chunk, modulo 2^32 because long reads may hang over the chunk's start.
type gpuCandidate struct{ read, diagonal uint32 }

// hitBytes is the size of a hit.
const hitBytes = 8

// skimStretch is the number of positions by which a chunk is cut into parts.
const skimStretch = 1 << kernels.SkimMost

// stretches returns the number of the first stretch that has windows of the chunk, and how many
// have.
func (c *gpuChunk) stretches() (first, count int) {
	first = int(c.from) / skimStretch
	return first, (int(c.to)+skimStretch-1)/skimStretch - first
}

// stretchBits is the size of the stretches that warps take, as a power of two: small enough that
// each warp has several, so that all end at about the same time.
func (c *gpuChunk) stretchBits(warps int) int {
	each := int(c.to-c.from) / (stretchesOfWarp * warps)
	return min(max(bits.Len(uint(each)), kernels.SkimLeast+1)-1, kernels.SkimMost)
}

// stretchesOfWarp is how many stretches a warp takes at least, where they can be so small.
const stretchesOfWarp = 8

// part returns count stretches of the chunk, from one on, as a chunk in the same memory: it owns
// the windows that start there, and what others may add to is left to the host.
func (c *gpuChunk) part(first, count int) gpuChunk {
	part := *c
	if from := uint32(first * skimStretch); from > c.from {
		part.from, part.lowCut = from, from
	}
	if to := uint64(first+count) * skimStretch; to < uint64(c.to) {
		part.to, part.highCut = uint32(to), uint32(to)
	}
	return part
}

// begin empties the queues.
func (s *gpuSkim) begin(q *device.Queue, room, hitRoom int) {
	s.room, s.hitRoom, s.found = max(s.room, room), max(s.hitRoom, hitRoom), 0
	q.Reserve(&s.counters, 4*kernels.SkimCounters)
	q.Reserve(&s.totals, 8*kernels.SkimTotals)
	q.Clear(&s.totals, 8*kernels.SkimTotals)
}

// pass adds the candidates that the reads of a class have in a chunk, or in a part of one. It
// returns false, and adds none, when hits or candidates have no room.
func (s *gpuSkim) pass(p *gpuPass, c *gpuChunk) bool {
	q, table := p.queue, &p.table
	q.Reserve(&s.hits, hitBytes*s.hitRoom)
	// Their room grows only where there are none.
	q.Reserve(&s.candidates, candidateBytes*s.room)
	counters := s.hostCounters.Resize(q, kernels.SkimCounters)
	clear(counters)
	counters[kernels.SkimCandidates] = uint32(s.found)
	device.Upload(q, &s.counters, counters)
	kernel := "skim"
	if table.direct {
		kernel = "skim_direct"
	}
	blocks := skimBlocks * q.GPU.Info().Multiprocessors
	stretch := c.stretchBits(blocks * kernels.SkimThreads / 32)
	device.LaunchBlocks(q, kernel, blocks, &kernels.SkimParams{
		Text: c.params(p.text), Buckets: table.buckets.At(0), Heads: table.heads.At(0), Entries: table.entries.At(0),
		Filter: table.filter.At(0), Counters: s.counters.At(0), Hits: s.hits.At(0), Totals: s.totals.At(0),
		Capacity: uint32(s.hitRoom), Q: uint32(table.q), BucketShift: table.bucketShift, SlotShift: table.slotShift,
		Begin: c.from, End: c.to, Stretch: uint32(stretch),
	})
	device.LaunchBlocks(q, "judge", min((s.hitRoom+kernels.SkimThreads-1)/kernels.SkimThreads, judgeBlocks*q.GPU.Info().Multiprocessors),
		&kernels.JudgeParams{
			Text: c.params(p.text), Reads: p.reads, PiecesAt: table.piecesAt.At(0), PiecesRead: table.reads.At(0),
			Hits: s.hits.At(0), Counters: s.counters.At(0), Candidates: s.candidates.At(0),
			HitCapacity: uint32(s.hitRoom), Capacity: uint32(s.room), Q: uint32(table.q), Begin: c.from, End: c.to,
		})
	device.Download(q, counters, &s.counters, 0)
	if q.Wait() != nil {
		return false
	}
	s.hitsFound, s.tried = int(counters[kernels.SkimHits]), int(counters[kernels.SkimCandidates])
	if s.hitsFound > s.hitRoom || s.tried > s.room {
		return false
	}
	s.found = s.tried
	return true
}

// skimBlocks is the number of blocks for each multiprocessor: as many as KERNEL_BLOCKS in skim.cu
// makes room for. Warps take stretches until there are none.
const skimBlocks = 4

// judgeBlocks is the number of blocks of judge for each multiprocessor: as many as its registers
// leave room for.
const judgeBlocks = 5

// compared returns how many entries equalled a window in the passes since begin.
func (s *gpuSkim) compared(q *device.Queue) int64 {
	totals := s.hostTotals.Resize(q, kernels.SkimTotals)
	device.Download(q, totals, &s.totals, 0)
	if q.Wait() != nil {
		return 0
	}
	return int64(totals[kernels.SkimCompared])
}
