package fasta

import (
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
func (f *fragment) reserve(n int) { f.use(make([]uint64, 3*dna.Words(n))) }

// use makes room in planes; each plane gets a third.
func (f *fragment) use(planes []uint64) {
	words := len(planes) / 3
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
	at := f.bases.Length
	f.bases.Append(letters)
	for from := at; from < f.bases.Length; {
		// The ambiguous letters of one word, as runs from bit i to bit j.
		word, bit := from/dna.WordBases, from%dna.WordBases
		n := min(dna.WordBases-bit, f.bases.Length-from)
		rest := f.bases.Ambiguous[word] >> bit
		if n < dna.WordBases {
			rest &= 1<<n - 1
		}
		for rest != 0 {
			i := bits.TrailingZeros64(rest)
			j := i + bits.TrailingZeros64(^(rest >> i))
			f.exceptRun(from, i, j, letters[from-at:])
			if j == dna.WordBases {
				break
			}
			rest = rest >> j << j
		}
		from += n
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
