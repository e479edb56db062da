package papers

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/search"
)

// A thread block has room for a block of places.
var _ = [1]struct{}{}[(search.MaxLength+1)/2/(kernels.WitnessPositions+1)]

// witnessSlice is the most letters whose candidates are in memory at a time: at four bytes each
// they take 64 MB, which gpuChunk does not count.
const witnessSlice = 1 << 24

// WitnessOnGPU is a scheme of witness on a GPU, global or shared. For each slice of the text it
// launches the duels and then the comparison of the places that are left. In scheme global,
// candidates stay where the duels had them, in the first of the words of each block of places. A
// slice has at most `most` letters, but no fewer than a thread block takes.
func WitnessOnGPU(scheme string, most int) func(g search.GPU, n search.Needle) {
	return func(g search.GPU, n search.Needle) { witnessGPU(g, n, "witness_"+scheme, scheme == "global", most) }
}

func witnessGPU(g search.GPU, n search.Needle, name string, buffer bool, most int) {
	m := n.Length()
	period, places := witnesses(n.Letters())
	if periodic(period, m) {
		g.Plain(n)
		return
	}
	q := g.Queue()
	table := make([]uint32, len(places))
	for shift, at := range places {
		table[shift] = uint32(at) | uint32(n.Letters()[at])<<16
	}
	candidates, uploaded := g.Scratch(0), g.Scratch(1)
	device.Upload(q, uploaded, table)
	size := (m + 1) / 2
	groups := kernels.WitnessPositions / size
	stride := 1
	if buffer {
		stride = size
	}
	letters := g.Letters()
	flags, needle, text := g.Flags(), g.Needle(n), g.Text()
	g.ClearFlags()
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
