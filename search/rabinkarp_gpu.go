package search

import (
	"math/bits"

	"scanmap/gpu/device"
	"scanmap/kernels"
)

// The kernels have the same primes, and room for the longest needle.
var (
	_ = [1]struct{}{}[divideBasePrime-kernels.DivideBasePrime]
	_ = [1]struct{}{}[divideBytePrime-kernels.DivideBytePrime]
	_ = [1]struct{}{}[matrixPrime-kernels.MatrixPrime]
	_ = [1]struct{}{}[(MaxLength-1)/(kernels.DivideOverlap+1)]
	_ = [1]struct{}{}[MaxLength/(kernels.HybridBlock+1)]
)

// rabinKarpKernel is the name of a kernel that exists once for each alphabet.
func rabinKarpKernel(name string, a Alphabet) string {
	if a == Bytes {
		return "rabin_karp_" + name + "_bytes"
	}
	return "rabin_karp_" + name + "_bases"
}

// divided is the number of threads of kernels that give each kernels.DivideLetters letters.
func (g *gpuSearch) divided() int {
	return (g.text.letters() + kernels.DivideLetters - 1) / kernels.DivideLetters
}

// divideGPU rolls a fingerprint modulo a prime.
func divideGPU(g *gpuSearch, n *needle) {
	h := newRolling(n)
	device.Launch(g.queue, rabinKarpKernel("divide", n.alphabet), g.divided(), &kernels.RabinKarpDivideParams{
		Text: g.text.oneByte(g.queue), Needle: g.uploadNeedle(n), Flags: g.flagged(),
		Length: uint32(n.length()), Fingerprint: h.fingerprint, Base: h.base,
	})
}

// divideExactGPU rolls the window in the shorter word that holds it.
func divideExactGPU(g *gpuSearch, n *needle) {
	w := newExactWindow(n.alphabet, n.letters)
	name := rabinKarpKernel("exact", n.alphabet) + "_64"
	if w.bits*w.letters <= 32 {
		name = rabinKarpKernel("exact", n.alphabet) + "_32"
	}
	device.Launch(g.queue, name, g.divided(), &kernels.RabinKarpExactParams{
		Text: g.text.oneByte(g.queue), Flags: g.flagged(), Needle: w.needle, Mask: w.mask, Length: uint32(n.length()),
	})
}

// twoStageGPU skims and verifies in one kernel, which compares bytes in the order that they have in
// memory.
func twoStageGPU(g *gpuSearch, n *needle) {
	w := n.skimmed()
	if n.alphabet == Bytes {
		w.needle, w.mask = bits.ReverseBytes64(w.needle), bits.ReverseBytes64(w.mask)
	}
	device.Launch(g.queue, rabinKarpKernel("two_stage", n.alphabet), g.divided(), &kernels.RabinKarpTwoStageParams{
		Text: g.text.oneByte(g.queue), Needle: g.uploadNeedle(n), Flags: g.flagged(),
		Skimmed: w.needle, Mask: w.mask, Length: uint32(n.length()), SkimmedLength: uint32(w.letters),
	})
}

// onGPU is a matrix as kernels take it.
func (a matrix) onGPU() kernels.Matrix { return kernels.Matrix{X: a[0], Y: a[1], Z: a[2], W: a[3]} }

// cooperativePiece is the number of windows that cooperative takes at a time: S and T take 32 bytes
// a letter, half a gigabyte.
const cooperativePiece = 1 << 24

// cooperativeGPU makes S and T of piece windows at a time in three launches, as running sums are
// made, and compares in a fourth. Pieces overlap by the letters that windows share.
func cooperativeGPU(piece int) func(g *gpuSearch, n *needle) {
	return func(g *gpuSearch, n *needle) {
		text, needle, flags, m := g.text.oneByte(g.queue), g.uploadNeedle(n), g.flagged(), n.length()
		width := fingerprintBits(n.alphabet)
		want := fingerprint(n.letters, width).onGPU()
		const matrixBytes = 16
		for from := 0; from < g.text.letters(); from += piece {
			windows := min(piece, g.text.letters()-from)
			letters := windows + m - 1
			parts := (letters + kernels.CooperativePart - 1) / kernels.CooperativePart
			for i, matrices := range []int{letters, letters, parts, parts} {
				g.queue.Reserve(&g.scratch[i], matrixBytes*matrices)
			}
			p := kernels.RabinKarpCooperativeParams{
				Text:   kernels.Letters{Codes: text.Codes + uint64(from) - uint64(m-1), Count: uint64(letters)},
				Needle: needle, Flags: flags + uint64(from),
				S: g.scratch[0].At(0), T: g.scratch[1].At(0), Parts: g.scratch[2].At(0), Inverses: g.scratch[3].At(0),
				Fingerprint: want, Length: uint32(m), Bits: uint32(width),
			}
			device.LaunchBlocks(g.queue, "rabin_karp_parts", parts, &p)
			device.LaunchBlocks(g.queue, "rabin_karp_across", 1, &p)
			device.LaunchBlocks(g.queue, "rabin_karp_inside", parts, &p)
			device.Launch(g.queue, "rabin_karp_match", windows, &p)
		}
	}
}

// hybridGPU gives each block the windows whose letters its shared memory has room for.
func hybridGPU(g *gpuSearch, n *needle) {
	width := fingerprintBits(n.alphabet)
	windows := kernels.HybridBlock - (n.length() - 1)
	device.LaunchBlocks(g.queue, "rabin_karp_hybrid", (g.text.letters()+windows-1)/windows, &kernels.RabinKarpHybridParams{
		Text: g.text.oneByte(g.queue), Needle: g.uploadNeedle(n), Flags: g.flagged(),
		Fingerprint: fingerprint(n.letters, width).onGPU(), Length: uint32(n.length()), Bits: uint32(width),
	})
}
