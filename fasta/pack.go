package fasta

import (
	"encoding/binary"
	"math/bits"

	"scanmap/dna"
)

// fragment is a stretch of one contig, packed. Positions are relative to it.
type fragment struct {
	start         bool // a contig starts here: name and comment are set
	name, comment string
	bases         dna.Sequence
	exceptions    []dna.Run
	// wrong is a byte that is not a letter, and wrongAt its position; -1 if all are.
	wrong   byte
	wrongAt int
}

// reserve makes room for n bases in one allocation.
func (f *fragment) reserve(n int) {
	words := dna.Words(n)
	planes := make([]uint64, 3*words)
	f.bases = dna.Sequence{
		Low:       planes[:words:words],
		High:      planes[words : 2*words : 2*words],
		Ambiguous: planes[2*words:],
	}
}

// trim drops the words that reserve gave and nothing needed.
func (f *fragment) trim() {
	words := dna.Words(f.bases.Length)
	f.bases.Low = f.bases.Low[:words]
	f.bases.High = f.bases.High[:words]
	f.bases.Ambiguous = f.bases.Ambiguous[:words]
}

// append packs letters to the end of the fragment, whole words at a time as long as its length
// is a multiple of 64.
func (f *fragment) append(letters []byte) {
	for len(letters) > 0 {
		n := min(len(letters), dna.WordBases)
		at := f.bases.Length
		if at%dna.WordBases != 0 {
			n = min(n, dna.WordBases-at%dna.WordBases)
			f.bases.Append(letters[:n])
			for i, c := range letters[:n] {
				if _, ok := dna.Code(c); !ok {
					f.except(at+i, at+i+1, c)
				}
			}
			letters = letters[n:]
			continue
		}
		word := at / dna.WordBases
		if word >= len(f.bases.Low) {
			f.bases.Reserve(at + len(letters))
		}
		low, high, amb := packWord(letters[:n])
		for rest := amb; rest != 0; {
			// Runs of ambiguous letters, from bit i to bit j.
			i := bits.TrailingZeros64(rest)
			j := i + bits.TrailingZeros64(^(rest >> i))
			f.exceptRun(at, i, j, letters)
			if j == dna.WordBases {
				break
			}
			rest = rest >> j << j
		}
		if n < dna.WordBases {
			amb |= ^uint64(0) << n
		}
		f.bases.Low[word], f.bases.High[word], f.bases.Ambiguous[word] = low, high, amb
		f.bases.Length += n
		letters = letters[n:]
	}
}

// exceptRun notes the ambiguous letters[i:j], which are at offset at+i of the fragment.
func (f *fragment) exceptRun(at, i, j int, letters []byte) {
	for i < j {
		k := i + 1
		for k < j && letters[k] == letters[i] {
			k++
		}
		f.except(at+i, at+k, letters[i])
		i = k
	}
}

// except notes that one ambiguous letter takes up [start, end).
func (f *fragment) except(start, end int, c byte) {
	letter := referenceLetters[c]
	if letter == 0 {
		if f.wrongAt < 0 {
			f.wrong, f.wrongAt = c, start
		}
		return
	}
	if n := len(f.exceptions); n > 0 {
		if last := &f.exceptions[n-1]; last.End == start && last.Letter == letter {
			last.End = end
			return
		}
	}
	f.exceptions = append(f.exceptions, dna.Run{Start: start, End: end, Letter: letter})
}

const (
	everyByte = 0x0101010101010101
	lowBits7  = 0x7f * everyByte
)

// packWord packs at most 64 letters into one word of each plane. Bits past the
// last are 0.
func packWord(letters []byte) (low, high, amb uint64) {
	i := 0
	for ; i+8 <= len(letters); i += 8 {
		l, h, a := pack8(binary.LittleEndian.Uint64(letters[i:]))
		low |= l << i
		high |= h << i
		amb |= a << i
	}
	for ; i < len(letters); i++ {
		code, ok := dna.Code(letters[i])
		if !ok {
			amb |= 1 << i
			continue
		}
		low |= uint64(code&1) << i
		high |= uint64(code>>1) << i
	}
	return low, high, amb
}

// pack8 packs the eight letters of x, the first in its lowest byte, to eight
// bits for each plane.
//
//	letter  in binary   bit 2  bit 1   high  low
//	A       010 00001     0      0       0    0
//	C       010 00011     0      1       0    1
//	G       010 00111     1      1       1    0
//	T       010 10100     1      0       1    1
//	U       010 10101     1      0       1    1
//
// So high is bit 2 and low is bit 1 xor bit 2. A letter that is not the one which these two
// bits stand for is ambiguous.
func pack8(x uint64) (low, high, amb uint64) {
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
		amb = gather(w)
	}
	return gather(low), gather(high), amb
}

// gather moves bit 0 of byte i to bit i.
func gather(x uint64) uint64 { return x * 0x0102040810204080 >> 56 }
