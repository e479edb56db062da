package search

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// A thread block has room for a block of places.
var _ = [1]struct{}{}[(MaxLength+1)/2/(kernels.WitnessPositions+1)]

// witnessSlice is the most letters whose candidates are in memory at a time: at four bytes each
// they take 64 MB, which gpuChunk does not count.
const witnessSlice = 1 << 24

func witnessGlobalGPU(g *gpuSearch, n *needle) {
	witnessGPU(g, n, "witness_global", true, witnessSlice)
}
func witnessSharedGPU(g *gpuSearch, n *needle) {
	witnessGPU(g, n, "witness_shared", false, witnessSlice)
}

// witnessGPU launches, for each slice of the text, the duels and then the comparison of what they
// leave. With buffer, candidates stay where the duels had them, in the first of the words of each
// block of places. A slice has at most `most` letters, but no fewer than those of a thread block.
func witnessGPU(g *gpuSearch, n *needle, name string, buffer bool, most int) {
	m := n.length()
	period, places := witnesses(n.letters)
	if periodic(period, m) {
		bruteForceGPU(g, n)
		return
	}
	q := g.queue
	table := make([]uint32, len(places))
	for shift, at := range places {
		table[shift] = uint32(at) | uint32(n.letters[at])<<16
	}
	candidates, uploaded := &g.scratch[0], &g.scratch[1]
	device.Upload(q, uploaded, table)
	size := (m + 1) / 2
	groups := kernels.WitnessPositions / size
	stride := 1
	if buffer {
		stride = size
	}
	letters := g.text.letters()
	flags, needle, text := g.flagged(), g.uploadNeedle(n), g.text.oneByte(q)
	q.Clear(&g.flags, letters)
	share := groups * size // places of a thread block
	slice := max(most/share, 1) * share
	for first := 0; first < letters; first += slice {
		count := min(slice, letters-first)
		blocks := (count + share - 1) / share
		q.Reserve(candidates, 4*blocks*groups*stride)
		device.LaunchBlocks(q, name, blocks, &kernels.DuelParams{
			Text: text, Witnesses: uploaded.At(0), Candidates: candidates.At(0), First: uint64(first),
			Length: uint32(m), Size: uint32(size), Groups: uint32(groups), Count: uint32(count),
		})
		left := (count + size - 1) / size
		device.Launch(q, "witness_check", left, &kernels.CandidateParams{
			Text: text, Needle: needle, Candidates: candidates.At(0), Flags: flags, First: uint64(first),
			Length: uint32(m), Stride: uint32(stride), Count: uint32(left),
		})
	}
}
