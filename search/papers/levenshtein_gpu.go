package papers

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/search"
)

var _ = [1]struct{}{}[search.MaxLength-kernels.WavefrontLongest] // Patterns fit the kernel's rows.
// The letters of a window before its last piece fit the padding.
var _ = [1]struct{}{}[2*search.MaxLength/(kernels.SearchPadding+1)]
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
func diagonalGPU(g search.GPU, n search.Needle) {
	before := n.Length() + n.Distance()
	segments := wavefrontGroups(n) * diagonalGroups * g.Queue().GPU.Info().Multiprocessors
	own := max((g.Letters()+segments-1)/segments, shortestSegment*before)
	wavefrontGPU(g, n, "levenshtein_diagonal", min(own, longestSegment), before)
}

// blocksGPU launches a group of m threads for each window of three times m letters.
func blocksGPU(g search.GPU, n search.Needle) {
	wavefrontGPU(g, n, "levenshtein_blocks", n.Length(), 2*n.Length())
}

// wavefrontGroups is the number of segments that a block takes.
func wavefrontGroups(n search.Needle) int { return max(kernels.WavefrontThreads/n.Length(), 1) }

// wavefrontGPU launches a kernel for segments that report their own letters and compute some before
// them.
func wavefrontGPU(g search.GPU, n search.Needle, name string, own, before int) {
	if n.Single() {
		name += "_letters"
	} else {
		name += "_sets"
	}
	share := own * wavefrontGroups(n)
	device.LaunchBlocks(g.Queue(), name, (g.Letters()+share-1)/share, &kernels.WavefrontParams{
		Text: g.Text(), Needle: g.Needle(n), Flags: g.Flags(),
		Length: uint32(n.Length()), Most: uint32(n.Distance()), Own: uint32(own), Before: uint32(before),
	})
}

func rowsGPU(g search.GPU, n search.Needle)        { launchRows(g, n, "levenshtein_rows") }
func rowsShuffleGPU(g search.GPU, n search.Needle) { launchRows(g, n, "levenshtein_rows_shuffle") }

// launchRows launches one thread for each letter of the text, and m + k more a block.
func launchRows(g search.GPU, n search.Needle, name string) {
	m, before := n.Length(), n.Length()+n.Distance()
	places, letters := distinct(n)
	uploaded := g.Upload(append(places, letters...))
	own := kernels.RowsThreads - before
	sets := uint32(1)
	if n.Single() {
		sets = 0
	}
	device.LaunchBlocks(g.Queue(), name, (g.Letters()+own-1)/own, &kernels.RowsParams{
		Text: g.Text(), Places: uploaded, Letters: uploaded + uint64(m), Flags: g.Flags(),
		Length: uint32(m), Distinct: uint32(len(letters)), Most: uint32(n.Distance()), Before: uint32(before),
		Sets: sets,
	})
}
