package search

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
)

var _ = [1]struct{}{}[MaxLength-kernels.WavefrontLongest] // Patterns fit the kernel's rows.
// What a window has before its last piece fits the padding.
var _ = [1]struct{}{}[2*MaxLength/(reachable+1)]
var _ = [1]struct{}{}[longestByRows-kernels.RowsLongest]

const (
	// diagonalGroups is the number of blocks for each multiprocessor between which the text is
	// divided.
	diagonalGroups = 8
	// shortestSegment times m + k letters is the least that a segment reports: the m + k before
	// them are computed too, and the m diagonals at either end are not full.
	shortestSegment = 4
	// longestSegment keeps the numbers of diagonals far below 32 bits.
	longestSegment = 1 << 24
)

// diagonalGPU launches a group of m threads for each segment.
func diagonalGPU(g *gpuSearch, n *needle) {
	before := n.length() + n.k
	segments := wavefrontGroups(n) * diagonalGroups * g.queue.GPU.Info().Multiprocessors
	own := max((g.text.letters()+segments-1)/segments, shortestSegment*before)
	wavefrontGPU(g, n, "levenshtein_diagonal", min(own, longestSegment), before)
}

// blocksGPU launches a group of m threads for each window of three times m letters.
func blocksGPU(g *gpuSearch, n *needle) {
	wavefrontGPU(g, n, "levenshtein_blocks", n.length(), 2*n.length())
}

// wavefrontGroups is the number of segments that a block takes.
func wavefrontGroups(n *needle) int { return max(kernels.WavefrontThreads/n.length(), 1) }

// wavefrontGPU launches a kernel for segments that report their own letters and compute some before
// them.
func wavefrontGPU(g *gpuSearch, n *needle, name string, own, before int) {
	if n.single {
		name += "_letters"
	} else {
		name += "_sets"
	}
	share := own * wavefrontGroups(n)
	device.LaunchBlocks(g.queue, name, (g.text.letters()+share-1)/share, &kernels.WavefrontParams{
		Text: g.text.oneByte(g.queue), Needle: g.uploadNeedle(n), Flags: g.flagged(),
		Length: uint32(n.length()), Most: uint32(n.k), Own: uint32(own), Before: uint32(before),
	})
}

func rowsGPU(g *gpuSearch, n *needle)        { launchRows(g, n, "levenshtein_rows") }
func rowsShuffleGPU(g *gpuSearch, n *needle) { launchRows(g, n, "levenshtein_rows_shuffle") }

// launchRows launches one thread for each letter of the text, and m + k more a block.
func launchRows(g *gpuSearch, n *needle, name string) {
	m, before := n.length(), n.length()+n.k
	places, letters := n.distinct()
	g.uploadOnce(append(places, letters...))
	own := kernels.RowsThreads - before
	device.LaunchBlocks(g.queue, name, (g.text.letters()+own-1)/own, &kernels.RowsParams{
		Text: g.text.oneByte(g.queue), Places: g.needle.At(0), Letters: g.needle.At(m), Flags: g.flagged(),
		Length: uint32(m), Distinct: uint32(len(letters)), Most: uint32(n.k), Before: uint32(before),
		Sets: uint32(boolean(!n.single)),
	})
}
