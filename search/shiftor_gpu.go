package search

import (
	"fmt"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// uploadMasks brings the masks of a needle of at most 64 letters to the GPU and returns their
// address, and the number of bits of the vectors that kernels are to use.
func (g *gpuSearch) uploadMasks(n *needle) (masks uint64, bits int) {
	bits = 64
	if n.length() <= 32 {
		bits = 32
	}
	return g.uploadOnce(gpu.Bytes(n.masks(0, n.length(), bits))), bits
}

func (g *gpuSearch) shiftOrParams(n *needle) (p *kernels.ShiftOrParams, bits int) {
	masks, bits := g.uploadMasks(n)
	return &kernels.ShiftOrParams{
		Text: g.text.oneByte(g.queue), Masks: masks, Flags: g.flagged(), Codes: uint32(n.alphabet.Codes()), Halo: uint32(n.length() - 1),
	}, bits
}

// kernelFor appends the number of bits to a kernel's name.
func kernelFor(name string, bits int) string {
	if bits == 32 {
		return name + "_32"
	}
	return name + "_64"
}

// blocks is the number of blocks of threads for letters. Each block searches the same number.
func blocks(letters, each int) int { return (letters + each - 1) / each }

// shiftOrScanGPU gives each warp a stretch. Long needles are Wu-Manber's with k = 0, part by part.
func shiftOrScanGPU(g *gpuSearch, n *needle) {
	if n.length() > 64 {
		wuManberScanGPU(g, n)
		return
	}
	p, bits := g.shiftOrParams(n)
	count := blocks(g.text.letters(), kernels.ShiftOrStretch*kernels.ShiftOrThreads/32)
	device.LaunchBlocks(g.queue, kernelFor("shift_or_scan", bits), count, p)
}

// shiftOrScanOfGPU is shiftOrScanGPU with fewer letters a thread.
func shiftOrScanOfGPU(g *gpuSearch, n *needle, letters int) {
	p, _ := g.shiftOrParams(n)
	name := fmt.Sprintf("shift_or_scan_%d", letters)
	device.LaunchBlocks(g.queue, name, blocks(g.text.letters(), kernels.ShiftOrStretch*kernels.ShiftOrThreads/32), p)
}

func shiftOrSegmentGPU(g *gpuSearch, n *needle) {
	p, bits := g.shiftOrParams(n)
	count := blocks(g.text.letters(), kernels.SegmentLetters*kernels.SegmentThreads)
	device.LaunchBlocks(g.queue, kernelFor("shift_or_segment", bits), count, p)
}

func shiftOrTiledGPU(g *gpuSearch, n *needle) {
	p, bits := g.shiftOrParams(n)
	count := blocks(g.text.letters(), kernels.TiledLetters*kernels.SegmentThreads)
	device.LaunchBlocks(g.queue, kernelFor("shift_or_tiled", bits), count, p)
}
