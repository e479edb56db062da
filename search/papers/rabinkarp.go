package papers

import "scanmap/search"

// Rabin-Karp compares fingerprints of the pattern and of every window of the text as long as it
// (Ashkiani, Amenta and Owens 2016). All of its schemes are exact. A fingerprint modulo a prime may
// agree by chance: there the paper accepts a small probability of false matches and draws the prime
// at random, whereas all schemes here then compare the letters, with a fixed prime. It can search
// neither with edits or substitutions nor for letters that stand for several bases.
var rabinKarpMethod = &search.Method{
	Name:    "rabin-karp",
	Source:  "Ashkiani, Amenta and Owens 2016",
	Summary: "compares fingerprints of the pattern and of the text at every place",
	Schemes: []*search.Scheme{{
		Name: "two-stage", Summary: "skims for up to 16 bases or 8 bytes of the pattern, then verifies (DRK-2S, section 7.2)",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newTwoStage,
		ByFlags: twoStageGPU,
	}, {
		Name: "divide-exact", Summary: "rolls the window itself, in a word of 32 or 64 bits (DRK-WOM, section 6.2)",
		Alphabets: bothAlphabets, Longest: 64 / exactBits(search.DNA), LongestOf: func(a search.Alphabet) int { return 64 / exactBits(a) },
		ByCodes: newDivideExact,
		ByFlags: divideExactGPU,
	}, {
		Name: "divide", Summary: "rolls a number modulo a prime (DRK, sections 4 and 6.2)",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newDivide,
		ByFlags: divideGPU,
	}, {
		Name: "cooperative", Summary: "combines matrices of all letters in two scans over the text (CRK, sections 3.3 and 6.1)",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newCooperative,
		ByFlags: CooperativeOnGPU(cooperativePiece),
	}, {
		Name: "hybrid", Summary: "combines matrices in two scans over each part of the text (HRK, section 6.3)",
		Alphabets: bothAlphabets, Longest: search.MaxLength,
		ByCodes: newHybrid,
		ByFlags: hybridGPU,
	}},
}

// exactBits are the bits of a letter in a fingerprint that is the window itself: 2 for codes of
// bases, since letters that match nothing are handled apart.
func exactBits(a search.Alphabet) int {
	if a == search.Bytes {
		return 8
	}
	return 2
}

// fingerprintBits are the bits of a letter in other fingerprints, whose letters may be any code.
func fingerprintBits(a search.Alphabet) int {
	if a == search.Bytes {
		return 8
	}
	return 3
}

// The largest primes below 2^(31 - bits) for letters of 3 and of 8 bits: section 7.1 has that
// bound, for which no step of the update overflows 32 bits.
const (
	divideBasePrime = 268435399
	divideBytePrime = 8388593
)

// A rolling is the first class of fingerprints: a window read as a number, with `bits` bits a
// letter, modulo a prime.
type rolling struct {
	bits        int
	prime       uint32
	base        uint32 // what the first letter of a window is multiplied by
	fingerprint uint32 // of the needle
}

// newRolling is for windows as long as letters.
func newRolling(a search.Alphabet, letters []byte) rolling {
	h := rolling{bits: fingerprintBits(a), prime: divideBasePrime, base: 1}
	if a == search.Bytes {
		h.prime = divideBytePrime
	}
	for i, code := range letters {
		if i > 0 {
			h.base = h.base << h.bits % h.prime
		}
		h.fingerprint = h.add(h.fingerprint, code)
	}
	return h
}

// add appends a letter to a window whose fingerprint is f, which is less than twice the prime.
func (h *rolling) add(f uint32, code byte) uint32 { return (f<<h.bits + uint32(code)) % h.prime }

// drop takes the first letter off a window of the needle's length. The prime keeps the difference
// from falling below 0.
func (h *rolling) drop(f uint32, code byte) uint32 { return f + h.prime - h.base*uint32(code)%h.prime }

// An exactWindow is the last letters of the text as one number, the last letter in its lowest bits.
// It is a fingerprint that needs no modulus and that no two windows share.
type exactWindow struct {
	alphabet     search.Alphabet
	letters      int
	bits         int
	mask, needle uint64
}

// newExactWindow takes letters that fit 64 bits.
func newExactWindow(a search.Alphabet, letters []byte) exactWindow {
	w := exactWindow{alphabet: a, letters: len(letters), bits: exactBits(a)}
	w.mask = ^uint64(0) >> (64 - w.bits*w.letters)
	for _, code := range letters {
		w.needle = w.needle<<w.bits | uint64(code)
	}
	return w
}

// skimmedLetters are how many letters two-stage skims for: as many bases as fit 32 bits, or bytes
// as fit 64.
func skimmedLetters(n search.Needle) int {
	if n.Alphabet() == search.Bytes {
		return min(n.Length(), 8)
	}
	return min(n.Length(), 16)
}

// skimmed is the end of a needle that two-stage skims for. Section 7.2 allows any part; with the
// end, a potential match ends where the occurrence would.
func skimmed(n search.Needle) exactWindow {
	return newExactWindow(n.Alphabet(), n.Letters()[n.Length()-skimmedLetters(n):])
}

// matrixPrime is the modulus of matrices.
const matrixPrime = 1<<31 - 1

// A matrix is a fingerprint of the second class: the rows of a 2 x 2 matrix modulo matrixPrime, one
// after the other.
type matrix [4]uint32

var identity = matrix{1, 0, 0, 1}

// bitMatrices are K(0) and K(1) of equation (1), bitInverses their inverses.
var (
	bitMatrices = [2]matrix{{1, 0, 1, 1}, {1, 1, 0, 1}}
	bitInverses = [2]matrix{{1, 0, matrixPrime - 1, 1}, {1, matrixPrime - 1, 0, 1}}
)

// times is the product a b.
func (a matrix) times(b matrix) matrix {
	entry := func(p, q, r, s uint32) uint32 {
		return uint32((uint64(p)*uint64(q) + uint64(r)*uint64(s)) % matrixPrime)
	}
	return matrix{
		entry(a[0], b[0], a[1], b[2]), entry(a[0], b[1], a[1], b[3]),
		entry(a[2], b[0], a[3], b[2]), entry(a[2], b[1], a[3], b[3]),
	}
}

// letterMatrix is K of a letter: the product of the matrices of its bits, the highest first
// (section 7.1).
func letterMatrix(code byte, bits int) matrix {
	k := identity
	for bit := bits - 1; bit >= 0; bit-- {
		k = k.times(bitMatrices[code>>bit&1])
	}
	return k
}

// letterInverse is A of a letter, the inverse of K.
func letterInverse(code byte, bits int) matrix {
	a := identity
	for bit := range bits {
		a = a.times(bitInverses[code>>bit&1])
	}
	return a
}

// fingerprint is the product of the matrices of letters.
func fingerprint(letters []byte, bits int) matrix {
	f := identity
	for _, code := range letters {
		f = f.times(letterMatrix(code, bits))
	}
	return f
}
