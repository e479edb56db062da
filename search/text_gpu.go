package search

import (
	"math"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// A gpuText is a chunk of text on a GPU: letters [from, to) of the text, with a padding of
// kernels.SearchPadding letters on each side, of the text around as far as that belongs to the same
// search, or of what matches nothing (of bytes, 0). Kernels count letters from 0 at from.
type gpuText struct {
	text     *Text
	from, to int
	// low, high and ambiguous are the planes of DNA, 32 letters a word with the padding.
	low, high, ambiguous device.Buffer
	codes                device.Buffer // one a byte with the padding; made when first asked for
	hasCodes             bool
	strided              device.Buffer // as in planes.cu; made when first asked for
	hasStrided           bool
	lanes                device.Buffer // as in packed.cu; made when first asked for
	hasLanes             bool
}

// most letters of a gpuText: 32 bits count them, padding included.
const maxGPUText = math.MaxUint32 - 4*kernels.SearchPadding

func (t *gpuText) letters() int { return t.to - t.from }

// paddedWords is the number of words of 32 letters with the padding.
func (t *gpuText) paddedWords() int {
	return (t.letters()+63)/64*2 + 2*kernels.SearchPadding/32
}

// upload brings [from, to) of a text to the GPU. In DNA, from is a multiple of 64, as the start of
// a contig is. Letters outside [first, last) are not of this search.
func (t *gpuText) upload(q *device.Queue, text *Text, r textRange) {
	t.text, t.from, t.to = text, r.from, r.to
	t.hasCodes, t.hasStrided, t.hasLanes = false, false, false
	before, after := max(r.first, r.from-kernels.SearchPadding), min(r.last, r.to+kernels.SearchPadding)
	if text.alphabet == Bytes {
		bytes := 32 * t.paddedWords()
		q.Reserve(&t.codes, bytes)
		q.Clear(&t.codes, bytes)
		if q.Err == nil && after > before {
			q.Try(q.Stream.Upload(t.codes.Memory, kernels.SearchPadding-(r.from-before), text.bytes[before:after]))
		}
		t.hasCodes = true
		return
	}
	bytes := 4 * t.paddedWords()
	first, words := before/dna.WordBases, (after+dna.WordBases-1)/dna.WordBases-before/dna.WordBases
	for _, plane := range []struct {
		to    *device.Buffer
		words []uint64
		fill  byte
	}{
		{&t.low, text.ref.Bases.Low, 0}, {&t.high, text.ref.Bases.High, 0}, {&t.ambiguous, text.ref.Bases.Ambiguous, 0xff},
	} {
		q.Reserve(plane.to, bytes)
		if q.Err == nil {
			q.Try(q.Stream.Fill(plane.to.Memory, 0, bytes, plane.fill))
		}
		if q.Err == nil && words > 0 {
			q.Try(q.Stream.Upload(plane.to.Memory, (kernels.SearchPadding-(r.from-before))/8, gpu.Bytes(plane.words[first:first+words])))
		}
	}
}

// bits is the text as kernels take it that read planes.
func (t *gpuText) bits() kernels.Bits {
	return kernels.Bits{Low: t.low.At(0), High: t.high.At(0), Ambiguous: t.ambiguous.At(0), Count: uint64(t.letters())}
}

// oneByte returns the text with one code a byte.
func (t *gpuText) oneByte(q *device.Queue) kernels.Letters {
	if !t.hasCodes {
		words := t.paddedWords()
		q.Reserve(&t.codes, 32*words)
		device.Launch(q, "unpack", words, &kernels.UnpackParams{Text: t.bits(), Codes: t.codes.At(0), Words: uint64(words)})
		t.hasCodes = q.Err == nil
	}
	return kernels.Letters{Codes: t.codes.At(kernels.SearchPadding), Count: uint64(t.letters())}
}
