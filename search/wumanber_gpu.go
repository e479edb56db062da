package search

import (
	"fmt"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// wuManberParams are the parameters for a needle of at most 64 letters.
func (g *gpuSearch) wuManberParams(n *needle) (p *kernels.WuManberParams, bits int) {
	masks, bits := g.uploadMasks(n)
	return &kernels.WuManberParams{
		Text: g.text.oneByte(g.queue), Masks: masks, Flags: g.flagged(), Codes: uint32(n.alphabet.Codes()),
		K: uint32(n.k), Halo: uint32(n.length() + n.k), Substitutions: uint32(boolean(n.substitutions)),
	}, bits
}

// wuManberScanGPU gives each warp a stretch.
func wuManberScanGPU(g *gpuSearch, n *needle) {
	if n.length() > 64 {
		wuManberPartsGPU(g, n)
		return
	}
	p, bits := g.wuManberParams(n)
	device.LaunchBlocks(g.queue, kernelFor("wu_manber_scan", bits), scanBlocks(g.text.letters()), p)
}

func scanBlocks(letters int) int {
	return blocks(letters, kernels.WuManberStretch*kernels.WuManberThreads/32)
}

// partsBefore is how many letters before the text parts of a long needle are searched too, so that
// the last one knows what began there: more than m + k, and a multiple of what a lane searches.
const partsBefore = MaxLength + 512

// wuManberPartsGPU searches for a long needle part by part. A part leaves its matches for the next,
// in flags with the same padding as the text's codes.
func wuManberPartsGPU(g *gpuSearch, n *needle) {
	q := g.queue
	text := g.text.oneByte(q)
	bytes := 32 * g.text.paddedWords()
	for _, carry := range []*device.Buffer{&g.scratch[0], &g.scratch[1]} {
		q.Reserve(carry, bytes)
		q.Clear(carry, bytes)
	}
	p := kernels.WuManberParams{
		Codes: uint32(n.alphabet.Codes()), K: uint32(n.k), Substitutions: uint32(boolean(n.substitutions)), AllLevels: 1,
	}
	p.Text = kernels.Letters{Codes: text.Codes - partsBefore, Count: text.Count + partsBefore}
	own, next := &g.scratch[0], &g.scratch[1]
	parts := n.wordMasks()
	for i, masks := range parts {
		p.Masks, p.Flags = g.uploadOnce(gpu.Bytes(masks)), own.At(kernels.SearchPadding-partsBefore)
		if i == len(parts)-1 {
			p.AllLevels, p.Text, p.Flags = 0, text, g.flagged()
			if p.Carry != 0 {
				p.Carry += partsBefore
			}
		}
		device.LaunchBlocks(q, "wu_manber_scan_long", scanBlocks(int(p.Text.Count)), &p)
		p.Carry = p.Flags
		own, next = next, own
	}
}

// kernelForDistance appends to a kernel's name the least k of its variants that is enough.
func kernelForDistance(name string, k int, variants ...int) string {
	for _, most := range variants {
		if k <= most {
			return fmt.Sprintf("%s_%d", name, most)
		}
	}
	return name
}

func wuManberSegmentGPU(g *gpuSearch, n *needle) {
	if n.k == 0 {
		shiftOrSegmentGPU(g, n)
		return
	}
	p, bits := g.wuManberParams(n)
	variants := []int{1, 2, kernels.MostWuManber}
	if bits == 64 {
		variants = []int{kernels.MostWuManber}
	}
	name := kernelForDistance(kernelFor("wu_manber_segment", bits), n.k, variants...)
	device.LaunchBlocks(g.queue, name, blocks(g.text.letters(), kernels.WuManberSegment*kernels.WuManberSegmentThreads), p)
}

func wuManberTiledGPU(g *gpuSearch, n *needle) {
	if n.k == 0 {
		shiftOrTiledGPU(g, n)
		return
	}
	p, bits := g.wuManberParams(n)
	name := kernelForDistance(kernelFor("wu_manber_tiled", bits), n.k, 1, 2, kernels.MostWuManber)
	device.LaunchBlocks(g.queue, name, blocks(g.text.letters(), kernels.WuManberTiled*kernels.WuManberSegmentThreads), p)
}

// packedResident is how many warps a multiprocessor runs at a time, as their registers allow.
const packedResident = 40

// fewLetters are searched one by one.
const fewLetters = 6

// packedSegment returns the words of a segment: as many as can be while there are warps for the
// whole GPU.
func packedSegment(blocks, warps int) int {
	words := 32
	for words > 8 && blocks*32/words < 2*warps {
		words /= 2
	}
	return words
}

// wuManberPackedGPU gives each thread a segment of words.
func wuManberPackedGPU(g *gpuSearch, n *needle) {
	masks, bits := g.uploadMasks(n)
	planes, ambiguous, blocks := g.text.inLanes(g.queue)
	segment := packedSegment(blocks, g.queue.GPU.Info().Multiprocessors*packedResident)
	halo := (n.length() + n.k + 31) / 32
	// A few letters are searched one by one in less time than the word that they are in.
	first := 32*halo - n.length() - n.k
	if 32-first > fewLetters {
		first = 0
	}
	name := kernelFor("shift_or_packed", bits)
	if n.k > 0 {
		variants := []int{1, 2, 3, 4, kernels.MostWuManber}
		if bits == 64 {
			variants = []int{1, 2, kernels.MostWuManber}
		}
		name = kernelForDistance(kernelFor("wu_manber_packed", bits), n.k, variants...)
	}
	device.Launch(g.queue, name, blocks*32/segment*32, &kernels.WuManberPackedParams{
		Planes: planes, Ambiguous: ambiguous, Masks: masks, Hits: g.hits(), Count: uint64(g.text.letters()), Blocks: uint32(blocks),
		Words: uint32(segment), Halo: uint32(halo), First: uint32(first), K: uint32(n.k), Substitutions: uint32(boolean(n.substitutions)),
	})
}

// inLanes returns the text in the layout of packed.cu.
func (t *gpuText) inLanes(q *device.Queue) (planes, ambiguous uint64, blocks int) {
	words := t.paddedWords()
	blocks = (words + kernels.PackedBlock - 1) / kernels.PackedBlock
	laid := (blocks + 1) * kernels.PackedBlock
	if !t.hasLanes {
		q.Reserve(&t.lanes, 12*laid)
		device.Launch(q, "lanes", laid, &kernels.LanesParams{
			Text: t.bits(), Planes: t.lanes.At(0), Ambiguous: t.lanes.At(8 * laid), Words: uint32(words), Blocks: uint32(blocks + 1),
		})
		t.hasLanes = q.Err == nil
	}
	return t.lanes.At(0), t.lanes.At(8 * laid), blocks
}
