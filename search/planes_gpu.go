package search

import (
	"errors"
	"fmt"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// onPlanes returns the text in the layout of planes.cu.
func (t *gpuText) onPlanes(q *device.Queue) (address uint64, blocks int) {
	blocks = (32*t.paddedWords()+kernels.PlanesBlock-1)/kernels.PlanesBlock + 1
	if !t.hasStrided {
		q.Reserve(&t.strided, 8*blocks*kernels.PlanesWords)
		device.Launch(q, "stride", 32*32*blocks, &kernels.StrideParams{
			Text: t.bits(), Strided: t.strided.At(0), Words: uint64(t.paddedWords()), Blocks: uint32(blocks),
		})
		t.hasStrided = q.Err == nil
	}
	// The last block is only read for what follows the one before it.
	return t.strided.At(0), blocks - 1
}

// A gpuPiece is a piece of a needle with the place of its filter.
type gpuPiece struct{ from, length, filter, letters int }

// pieces cuts a needle into k + 1 pieces: every occurrence with k edits has an intact piece. The
// filter of each is its longest run of letters that stand for one base, of at most kernels.AtOnce.
func (n *needle) pieces() []gpuPiece {
	var all []gpuPiece
	m, count := n.length(), n.k+1
	for i := range count {
		p := gpuPiece{from: i * m / count}
		p.length = (i+1)*m/count - p.from
		run := 0
		for at := p.from; at < p.from+p.length; at++ {
			run++
			if s := n.sets[at]; s&(s-1) != 0 {
				run = 0
			}
			if run = min(run, kernels.AtOnce); run > p.letters {
				p.filter, p.letters = at+1-run, run
			}
		}
		all = append(all, p)
	}
	return all
}

// survivors is the share of places of random text that pass the filters of pieces.
func survivors(pieces []gpuPiece) float64 {
	sum := 0.0
	for _, p := range pieces {
		share := 1.0
		for range p.letters {
			share /= 4
		}
		sum += share
	}
	return sum
}

// manySurvivors is the share from which on counting the differences at all places takes less time
// than comparing what passes filters.
const manySurvivors = 1.0 / 512

// refusePlanes refuses needles without a filter whose differences cannot be counted either.
func refusePlanes(n *needle) error {
	if n.k > 0 && n.substitutions && n.k <= kernels.MostCounted {
		return nil
	}
	for _, p := range n.pieces() {
		if p.letters == 0 {
			return errors.New("a piece of the pattern has no letter that stands for one base")
		}
	}
	return nil
}

// filter is a piece's filter as the kernel takes it.
func (n *needle) filter(p gpuPiece) kernels.PlanesFilter {
	var low, high [kernels.AtOnce]uint32
	for i := range p.letters {
		code := uint32(n.letters[p.filter+i])
		low[i], high[i] = -(code & 1), -(code >> 1)
	}
	return kernels.PlanesFilter{
		Low0: low[0], Low1: low[1], Low2: low[2], Low3: low[3], Low4: low[4], Low5: low[5], Low6: low[6], Low7: low[7],
		High0: high[0], High1: high[1], High2: high[2], High3: high[3], High4: high[4], High5: high[5], High6: high[6], High7: high[7],
		Letters: uint32(p.letters),
	}
}

// differing has a bit for each letter of the needle that differs from a base, 32 letters a word.
func (n *needle) differing() []uint32 {
	words := make([]uint32, 4*((n.length()+31)/32))
	for i, set := range n.sets {
		for code := range 4 {
			if set>>code&1 == 0 {
				words[i/32*4+code] |= 1 << (i % 32)
			}
		}
	}
	return words
}

// equal has the letters of a needle of at most 64 that are equal to each base.
func (n *needle) equal() []uint64 {
	words := make([]uint64, 4)
	if n.length() > 64 {
		return words
	}
	for i, set := range n.sets {
		for code := range words {
			words[code] |= uint64(set>>code&1) << i
		}
	}
	return words
}

// parcel is several slices that are uploaded at once.
type parcel struct{ bytes []byte }

// put appends a slice and returns its offset.
func put[T any](p *parcel, s []T) int {
	for len(p.bytes)%16 != 0 {
		p.bytes = append(p.bytes, 0)
	}
	at := len(p.bytes)
	p.bytes = append(p.bytes, gpu.Bytes(s)...)
	return at
}

// planesGPU searches by filters, or counts.
func planesGPU(g *gpuSearch, n *needle) {
	q := g.queue
	strided, blocks := g.text.onPlanes(q)
	pieces := n.pieces()
	var filters []kernels.PlanesFilter
	var described []kernels.PlanesPiece
	full := len(pieces) <= 3
	for _, p := range pieces {
		filters = append(filters, n.filter(p))
		described = append(described, kernels.PlanesPiece{Filter: uint32(p.filter), From: uint32(p.from), Length: uint32(p.length)})
		full = full && p.letters == kernels.AtOnce
	}
	head := []kernels.PlanesNeedle{{
		Text: g.text.bits(), Hits: g.hits(), Length: uint32(n.length()), K: uint32(n.k), Compare: kernels.CompareSubstitutions,
	}}
	if n.k > 0 && !n.substitutions {
		head[0].Compare = kernels.CompareEdits
	}
	var p parcel
	put(&p, head)
	differing, equal := put(&p, n.differing()), put(&p, n.equal())
	piecesAt, filtersAt := put(&p, described), put(&p, filters)
	letters := put(&p, n.letterWords())
	g.reserveNeedle(len(p.bytes))
	head[0].Differing, head[0].Equal = g.needle.At(differing), g.needle.At(equal)
	head[0].Pieces, head[0].Filters = g.needle.At(piecesAt), g.needle.At(filtersAt)
	copy(p.bytes, gpu.Bytes(head))
	g.uploadOnce(p.bytes)

	if n.k > 0 && n.substitutions && n.k <= kernels.MostCounted && survivors(pieces) > manySurvivors {
		name := kernelForDistance("planes_count", n.k, 1, 2, 4, kernels.MostCounted)
		device.LaunchBlocks(q, name, g.planesBlocks(blocks*8, countResident), &kernels.PlanesCountParams{
			Strided: strided, Needle: g.needle.At(0), Letters: g.needle.At(letters), Blocks: uint32(blocks),
		})
		return
	}
	groups := g.planesBlocks(blocks, planesResident)
	params := &kernels.PlanesParams{
		Strided: strided, Needle: g.needle.At(0), Blocks: uint32(blocks), Pieces: uint32(len(pieces)),
	}
	for i, to := range []*kernels.PlanesFilter{&params.Filter0, &params.Filter1, &params.Filter2} {
		if i < len(filters) {
			*to = filters[i]
		}
	}
	name := "planes_any"
	if full {
		name = fmt.Sprintf("planes_%d", len(pieces))
	}
	device.LaunchBlocks(q, name, groups, params)
}

// letterWords has for each letter of the needle words of ones for the bases that differ from it.
func (n *needle) letterWords() []uint32 {
	words := make([]uint32, 4*n.length())
	for i, set := range n.sets {
		for code := range 4 {
			words[4*i+code] = uint32(set>>code&1) - 1
		}
	}
	return words
}

const (
	// planesResident and countResident are how many blocks of threads are launched for each
	// multiprocessor; of the former half run at a time at most. More than run at a time are a
	// little faster than as many.
	planesResident = 32
	countResident  = 8
)

// planesBlocks is the number of blocks of threads for a number of items, one a warp: at most
// resident for each multiprocessor.
func (g *gpuSearch) planesBlocks(items, resident int) int {
	return max(min(blocks(items*32, kernels.PlanesThreads), g.queue.GPU.Info().Multiprocessors*resident), 1)
}
