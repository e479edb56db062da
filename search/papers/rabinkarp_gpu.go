package papers

import (
	"math/bits"

	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/search"
)

// The kernels have the same primes, and room for the longest needle.
var (
	_ = [1]struct{}{}[divideBasePrime-kernels.DivideBasePrime]
	_ = [1]struct{}{}[divideBytePrime-kernels.DivideBytePrime]
	_ = [1]struct{}{}[matrixPrime-kernels.MatrixPrime]
	_ = [1]struct{}{}[(search.MaxLength-1)/(kernels.DivideOverlap+1)]
	_ = [1]struct{}{}[search.MaxLength/(kernels.HybridBlock+1)]
)

// rabinKarpKernel is the name of a kernel that exists once for each alphabet.
func rabinKarpKernel(name string, a search.Alphabet) string {
	if a == search.Bytes {
		return "rabin_karp_" + name + "_bytes"
	}
	return "rabin_karp_" + name + "_bases"
}

// divided is the number of threads of kernels that give each kernels.DivideLetters letters.
func divided(g search.GPU) int {
	return (g.Letters() + kernels.DivideLetters - 1) / kernels.DivideLetters
}

// divideGPU rolls a fingerprint modulo a prime.
func divideGPU(g search.GPU, n search.Needle) {
	h := newRolling(n.Alphabet(), n.Letters())
	device.Launch(g.Queue(), rabinKarpKernel("divide", n.Alphabet()), divided(g), &kernels.RabinKarpDivideParams{
		Text: g.Text(), Needle: g.Needle(n), Flags: g.Flags(),
		Length: uint32(n.Length()), Fingerprint: h.fingerprint, Base: h.base,
	})
}

// divideExactGPU rolls the window in the shorter word that holds it.
func divideExactGPU(g search.GPU, n search.Needle) {
	w := newExactWindow(n.Alphabet(), n.Letters())
	name := rabinKarpKernel("exact", n.Alphabet()) + "_64"
	if w.bits*w.letters <= 32 {
		name = rabinKarpKernel("exact", n.Alphabet()) + "_32"
	}
	device.Launch(g.Queue(), name, divided(g), &kernels.RabinKarpExactParams{
		Text: g.Text(), Flags: g.Flags(), Needle: w.needle, Mask: w.mask, Length: uint32(n.Length()),
	})
}

// twoStageGPU skims and verifies in one kernel, which compares bytes in the order that they have in
// memory.
func twoStageGPU(g search.GPU, n search.Needle) {
	w := skimmed(n)
	if n.Alphabet() == search.Bytes {
		w.needle, w.mask = bits.ReverseBytes64(w.needle), bits.ReverseBytes64(w.mask)
	}
	device.Launch(g.Queue(), rabinKarpKernel("two_stage", n.Alphabet()), divided(g), &kernels.RabinKarpTwoStageParams{
		Text: g.Text(), Needle: g.Needle(n), Flags: g.Flags(),
		Skimmed: w.needle, Mask: w.mask, Length: uint32(n.Length()), SkimmedLength: uint32(w.letters),
	})
}

// onGPU is a matrix as kernels take it.
func (a matrix) onGPU() kernels.Matrix { return kernels.Matrix{X: a[0], Y: a[1], Z: a[2], W: a[3]} }

// cooperativePiece is the number of windows that cooperative takes at a time: S and T take 32 bytes
// a letter, half a gigabyte.
const cooperativePiece = 1 << 24

// CooperativeOnGPU is rabin-karp/cooperative on a GPU. It makes S and T of piece windows at a time
// in three launches, as running sums are made, and compares in a fourth. Pieces overlap by the
// letters that windows share.
func CooperativeOnGPU(piece int) func(g search.GPU, n search.Needle) {
	return func(g search.GPU, n search.Needle) {
		text, needle, flags, m := g.Text(), g.Needle(n), g.Flags(), n.Length()
		width := fingerprintBits(n.Alphabet())
		want := fingerprint(n.Letters(), width).onGPU()
		const matrixBytes = 16
		for from := 0; from < g.Letters(); from += piece {
			windows := min(piece, g.Letters()-from)
			letters := windows + m - 1
			parts := (letters + kernels.CooperativePart - 1) / kernels.CooperativePart
			for i, matrices := range []int{letters, letters, parts, parts} {
				g.Queue().Reserve(g.Scratch(i), matrixBytes*matrices)
			}
			p := kernels.RabinKarpCooperativeParams{
				Text:   kernels.Letters{Codes: text.Codes + uint64(from) - uint64(m-1), Count: uint64(letters)},
				Needle: needle, Flags: flags + uint64(from),
				S: g.Scratch(0).At(0), T: g.Scratch(1).At(0), Parts: g.Scratch(2).At(0), Inverses: g.Scratch(3).At(0),
				Fingerprint: want, Length: uint32(m), Bits: uint32(width),
			}
			device.LaunchBlocks(g.Queue(), "rabin_karp_parts", parts, &p)
			device.LaunchBlocks(g.Queue(), "rabin_karp_across", 1, &p)
			device.LaunchBlocks(g.Queue(), "rabin_karp_inside", parts, &p)
			device.Launch(g.Queue(), "rabin_karp_match", windows, &p)
		}
	}
}

// hybridGPU gives each block the windows whose letters its shared memory has room for.
func hybridGPU(g search.GPU, n search.Needle) {
	width := fingerprintBits(n.Alphabet())
	windows := kernels.HybridBlock - (n.Length() - 1)
	device.LaunchBlocks(g.Queue(), "rabin_karp_hybrid", (g.Letters()+windows-1)/windows, &kernels.RabinKarpHybridParams{
		Text: g.Text(), Needle: g.Needle(n), Flags: g.Flags(),
		Fingerprint: fingerprint(n.Letters(), width).onGPU(), Length: uint32(n.Length()), Bits: uint32(width),
	})
}
