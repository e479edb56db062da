package dna

import "encoding/binary"

//go:generate go run -C ../tools ./makepack -out ../dna/pack_amd64.s -stubs ../dna/pack_amd64.go -pkg dna

// packWord packs at most 64 letters into one word of each plane. Bits past the last are as at the
// end of a sequence: 0 in low and high, 1 in ambiguous.
func packWord(letters []byte) (low, high, ambiguous uint64) {
	var planes [3]uint64
	if len(letters) < WordBases {
		var padded [WordBases]byte // 0 is no letter
		copy(padded[:], letters)
		packWords(padded[:], planes[0:1], planes[1:2], planes[2:3])
	} else {
		packWords(letters[:WordBases], planes[0:1], planes[1:2], planes[2:3])
	}
	return planes[0], planes[1], planes[2]
}

// packWordsPlain packs 64 letters into each word of three planes of the same length. It is the
// version for every processor, and faster versions are compared with it.
func packWordsPlain(letters []byte, low, high, ambiguous []uint64) {
	for w := range low {
		part := letters[w*WordBases:][:WordBases]
		var l, h, a uint64
		for i := 0; i < WordBases; i += 8 {
			l8, h8, a8 := packEight(binary.LittleEndian.Uint64(part[i:]))
			l |= l8 << (i & 63)
			h |= h8 << (i & 63)
			a |= a8 << (i & 63)
		}
		low[w], high[w], ambiguous[w] = l, h, a
	}
}

const (
	everyByte = 0x0101010101010101
	lowBits7  = 0x7f * everyByte
)

// packEight packs the eight letters of x, the first in its lowest byte, to eight
// bits for each plane.
//
//	letter  in binary   bit 2  bit 1   high  low
//	A       010 00001     0      0       0    0
//	C       010 00011     0      1       0    1
//	G       010 00111     1      1       1    0
//	T       010 10100     1      0       1    1
//	U       010 10101     1      0       1    1
//
// Thus high is bit 2 and low is bit 1 xor bit 2. A letter that is not the one which these two bits
// stand for is ambiguous.
func packEight(x uint64) (low, high, ambiguous uint64) {
	b1 := x >> 1 & everyByte
	b2 := x >> 2 & everyByte
	t := b2 &^ b1
	expected := 0x41*everyByte + b1<<1 + (b1&b2)<<2 + (t<<4 | t<<1 | t)
	// Case is bit 5; bit 0 tells U from T.
	wrong := (x &^ (0x20 * everyByte)) ^ expected
	wrong &^= t
	low, high = b1^b2, b2
	if wrong != 0 {
		w := ((wrong&lowBits7 + lowBits7) | wrong) >> 7 & everyByte
		low &^= w
		high &^= w
		ambiguous = gather(w)
	}
	return gather(low), gather(high), ambiguous
}

// gather moves bit 0 of byte i to bit i.
func gather(x uint64) uint64 { return x * 0x0102040810204080 >> 56 }
