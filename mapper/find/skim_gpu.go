package find

import (
	"math/bits"

	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/locate"
)

// A gpuSkim is the pass of one finder over a chunk, and its queues of hits and of candidates
// (kernels/skim.cu).
type gpuSkim struct {
	counters, totals device.Buffer
	hits             device.Buffer // a piece and a position as two words each
	candidates       device.Buffer // kernels.Candidate as two words each
	hitRoom, room    int           // hits and candidates that have room
	found            int           // candidates that there are
	tried            int           // likewise, of the last step, also some that had no room
	pace             skimPace
	hostCounters     device.Pinned[uint32]
	hostTotals       device.Pinned[uint64]
}

// A gpuCandidate is a read, with kernels.Strand for its reverse strand, and a diagonal as a
// position of a chunk, modulo 2^32 because long reads may hang over the chunk's start.
type gpuCandidate struct{ read, diagonal uint32 }

// hitBytes is the size of a hit.
const hitBytes = 8

// A skimPace says how much a step of a pass does at a time: as much as is likely to have room, as
// the steps before taught. fewer, smaller and shorter are how often something was halved.
type skimPace struct {
	fewer   int // hits after which no stretch is begun
	smaller int // stretches, because stretches begun by then may find many more
	shorter int // positions of a step, where all warps together find too many
	stretch int // of the step before, as a power of two
	// dense is the number of hits per position in the step before.
	dense float64
}

// enough is the number of hits after which no stretch is begun.
func (s *skimPace) enough(hitRoom int) int { return hitRoom / 2 >> s.fewer }

// next returns how many of the positions that are left a step looks at, and sets the size of the
// stretches that warps take: 2^least at least, and so small that all warps end at about the same
// time. Each warp has several, with few hits, because stretches of a satellite may have a thousand
// times as many hits as others.
func (s *skimPace) next(left, warps, least int) (positions int) {
	positions = left
	if s.shorter > 0 {
		positions = min(left, max(warps>>s.shorter, 1)<<least)
	}
	each := positions / (stretchesOfWarp * warps)
	if s.dense > 0 {
		each = int(min(float64(each), hitsOfStretch/s.dense))
	}
	s.stretch = max(min(bits.Len(uint(each))-1, kernels.SkimMost)-s.smaller, least)
	return positions
}

// stretchesOfWarp is how many stretches a warp takes at least, and hitsOfStretch how many hits one
// has on average at most, where they can be so small.
const (
	stretchesOfWarp = 8
	hitsOfStretch   = 256
)

// slow has steps do less. It returns false when they do the least already.
func (s *skimPace) slow(warps, least int) bool {
	s.fewer = min(s.fewer+2, 31)
	switch less := min(s.stretch-least, 2); {
	case less > 0:
		s.smaller += less
		s.stretch -= less
	case warps>>s.shorter > 1:
		s.shorter += 2
	default:
		return false
	}
	return true
}

// learn has steps do more, where the hits and candidates of a step show that twice as much has
// room. Twice the candidates may take half of their room. Twice the hits of the stretches that all
// warps have begun at a time may take an eighth of the room for hits, because some stretches have
// many more hits than others.
func (s *skimPace) learn(hits, candidates, positions, warps, hitRoom, room int) {
	s.dense = float64(hits) / float64(positions)
	if 2*s.enough(hitRoom)*candidates <= room/2*max(hits, 1) {
		s.fewer = max(s.fewer-1, 0)
	}
	begun := hits
	if s.shorter == 0 {
		begun = int(s.dense * float64(warps<<s.stretch))
	}
	switch {
	case 2*begun > hitRoom/8:
	case s.shorter > 0:
		s.shorter--
	case s.smaller > 0:
		s.smaller--
	}
}

// part returns positions [from, to) of the chunk, as a chunk in the same memory: it owns the
// windows that start there, and what others may add to is left to the host.
func (c *gpuChunk) part(from, to uint32) gpuChunk {
	part := *c
	if from > c.from {
		part.from, part.lowCut = from, from
	}
	if to < c.to {
		part.to, part.highCut = to, to
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

// pass adds the candidates that the reads of a class have in the chunk from a position on, and
// returns the position where it stopped: the chunk's end, or a position where candidates are likely
// to have no room, or where hits have none even in the smallest step.
func (s *gpuSkim) pass(p *gpuPass, from uint32) uint32 {
	for c := p.chunk; from < c.to; {
		before := s.found
		next, ok := s.step(p, from, c.to)
		switch {
		case ok:
			from = next
			if s.found+(s.found-before) > s.room {
				return from
			}
		case p.queue.Err != nil || s.tried > s.room || !s.slow(p):
			return from
		}
	}
	return from
}

// slow has steps do less. It returns false when they do the least already.
func (s *gpuSkim) slow(p *gpuPass) bool {
	_, warps := skimGrid(p.queue)
	return s.pace.slow(warps, p.table.leastStretch())
}

// leastStretch is the size of the smallest stretches, as a power of two.
func (t *gpuTable) leastStretch() int {
	if t.direct {
		return kernels.SkimLeast
	}
	return kernels.SkimStepBits
}

// skimGrid returns how many blocks, and warps in all, skim has on the GPU of a queue.
func skimGrid(q *device.Queue) (blocks, warps int) {
	blocks = skimBlocks * q.GPU.Info().Multiprocessors
	return blocks, blocks * kernels.SkimThreads / 32
}

// step adds the candidates of positions [from, next). When hits or candidates have no room it adds
// none and returns false.
func (s *gpuSkim) step(p *gpuPass, from, to uint32) (next uint32, ok bool) {
	q, table, c := p.queue, &p.table, p.chunk
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
	blocks, warps := skimGrid(q)
	to = from + uint32(s.pace.next(int(to-from), warps, table.leastStretch()))
	device.LaunchBlocks(q, kernel, blocks, &kernels.SkimParams{
		Text: c.params(p.text), Buckets: table.buckets.At(0), Heads: table.heads.At(0), Entries: table.entries.At(0),
		Filter: table.filter.At(0), Counters: s.counters.At(0), Hits: s.hits.At(0), Totals: s.totals.At(0),
		Capacity: uint32(s.hitRoom), Q: uint32(table.q), BucketShift: table.bucketShift, SlotShift: table.slotShift,
		Begin: from, End: to, Stretch: uint32(s.pace.stretch), Enough: uint32(s.pace.enough(s.hitRoom)),
	})
	device.LaunchBlocks(q, p.judge(), min((s.hitRoom+kernels.SkimThreads-1)/kernels.SkimThreads, judgeBlocks*q.GPU.Info().Multiprocessors),
		&kernels.JudgeParams{
			Text: c.params(p.text), Reads: p.reads, PiecesAt: table.piecesAt.At(0), PiecesRead: table.reads.At(0),
			Hits: s.hits.At(0), Counters: s.counters.At(0), Candidates: s.candidates.At(0),
			HitCapacity: uint32(s.hitRoom), Capacity: uint32(s.room), Q: uint32(table.q), Begin: c.from, End: c.to, Local: p.local,
		})
	device.Download(q, counters, &s.counters, 0)
	if q.Wait() != nil {
		return from, false
	}
	hits := int(counters[kernels.SkimHits])
	s.tried = int(counters[kernels.SkimCandidates])
	if hits > s.hitRoom || s.tried > s.room {
		return from, false
	}
	taken := uint64(from)>>s.pace.stretch + uint64(counters[kernels.SkimNext])
	next = uint32(min(taken<<s.pace.stretch, uint64(to)))
	s.pace.learn(hits, s.tried-s.found, int(next-from), warps, s.hitRoom, s.room)
	s.found = s.tried
	return next, true
}

// skimBlocks is the number of blocks for each multiprocessor: as many as KERNEL_BLOCKS in skim.cu
// makes room for. Warps take stretches until there are none.
const skimBlocks = 4

// judgeBlocks is the number of blocks of judge for each multiprocessor: as many as its registers
// leave room for.
const judgeBlocks = 6

// judge returns the name of the kernel that judges hits.
func (p *gpuPass) judge() string {
	if p.local.Lost != 0 {
		return "judge_local"
	}
	return byMetric(p.options.Metric, "judge", "judge_mismatches")
}

// byMetric returns the name of a kernel: the one for edits, or the other for substitutions alone.
func byMetric(metric locate.Metric, edits, substitutions string) string {
	if metric == locate.Substitutions {
		return substitutions
	}
	return edits
}

// compared returns how many entries equalled a window in the passes since begin.
func (s *gpuSkim) compared(q *device.Queue) int64 {
	totals := s.hostTotals.Resize(q, kernels.SkimTotals)
	device.Download(q, totals, &s.totals, 0)
	if q.Wait() != nil {
		return 0
	}
	return int64(totals[kernels.SkimCompared])
}
