package papers

import (
	"bytes"

	"scanmap/dna"
	"scanmap/search"
)

// newDivide makes SRK, which each thread of DRK does (section 3.2, update (11) of section 7.1): a
// letter comes in, the fingerprint is compared, and the oldest letter goes out.
func newDivide(n search.Needle) search.ByteFinder {
	h := newRolling(n.Alphabet(), n.Letters())
	return func(codes []byte, found func(end int)) {
		f := uint32(0)
		for i, code := range codes {
			f = h.add(f, code)
			start := i + 1 - n.Length()
			if start < 0 {
				continue
			}
			if f == h.fingerprint && bytes.Equal(codes[start:i+1], n.Letters()) {
				found(i + 1)
			}
			f = h.drop(f, codes[start])
		}
	}
}

// newDivideExact makes SRK without modulo.
func newDivideExact(n search.Needle) search.ByteFinder {
	w := newExactWindow(n.Alphabet(), n.Letters())
	return w.find
}

// find rolls the window over codes. It counts the letters since the last that matches nothing, so
// that no window holds one.
func (w *exactWindow) find(codes []byte, found func(end int)) {
	f, since := uint64(0), 0
	for i, code := range codes {
		if w.alphabet == search.DNA && code == dna.AmbiguousCode {
			since = 0
			continue
		}
		f = (f<<w.bits | uint64(code)) & w.mask
		since++
		if f == w.needle && since >= w.letters {
			found(i + 1)
		}
	}
}

// newTwoStage skims for the end of the needle, and compares the letters before it where that was
// found.
func newTwoStage(n search.Needle) search.ByteFinder {
	skimmed := skimmed(n)
	return func(codes []byte, found func(end int)) {
		skimmed.find(codes, func(end int) {
			start, before := end-n.Length(), n.Length()-skimmed.letters
			if start >= 0 && bytes.Equal(codes[start:start+before], n.Letters()[:before]) {
				found(end)
			}
		})
	}
}

// newCooperative computes S and T over all codes.
func newCooperative(n search.Needle) search.ByteFinder {
	want := fingerprint(n.Letters(), fingerprintBits(n.Alphabet()))
	return func(codes []byte, found func(end int)) { byProducts(n, want, codes, found) }
}

// hybridLetters are the windows of a part of the text. (On a GPU what fits the shared memory of a
// block bounds them.)
const hybridLetters = 1024

// newHybrid computes S and T over one part after the other; each has the length - 1 letters more
// that its last windows need.
func newHybrid(n search.Needle) search.ByteFinder {
	want := fingerprint(n.Letters(), fingerprintBits(n.Alphabet()))
	return func(codes []byte, found func(end int)) {
		for from := 0; from < len(codes); from += hybridLetters {
			part := codes[from:min(from+hybridLetters+n.Length()-1, len(codes))]
			byProducts(n, want, part, func(end int) { found(from + end) })
		}
	}
}

// byProducts finds the windows whose fingerprint, by equation (4) T[r] S[r + m - 1], is the
// needle's, and compares their letters.
func byProducts(n search.Needle, want matrix, codes []byte, found func(end int)) {
	m := n.Length()
	if len(codes) < m {
		return
	}
	s, t := products(codes, n.Alphabet())
	for r := 0; r+m <= len(codes); r++ {
		if t[r].times(s[r+m-1]) == want && bytes.Equal(codes[r:r+m], n.Letters()) {
			found(r + m)
		}
	}
}

// products returns S, S[i] = K(y[0]) ... K(y[i]), and T, T[i] = A(y[i-1]) ... A(y[0]) (section
// 3.3).
func products(codes []byte, a search.Alphabet) (s, t []matrix) {
	bits := fingerprintBits(a)
	letters, inverses := make([]matrix, a.Codes()), make([]matrix, a.Codes())
	for code := range letters {
		letters[code], inverses[code] = letterMatrix(byte(code), bits), letterInverse(byte(code), bits)
	}
	s, t = make([]matrix, len(codes)), make([]matrix, len(codes))
	product, inverse := identity, identity
	for i, code := range codes {
		t[i] = inverse
		product, inverse = product.times(letters[code]), inverses[code].times(inverse)
		s[i] = product
	}
	return s, t
}
