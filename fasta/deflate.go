package fasta

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// A deflater decodes DEFLATE (RFC 1951). With symbols of 16 bits it decodes from any block on,
// before the text in front is known: a copy from there gives markers, which stand for the bytes of
// the window that a later step fills in (Kerbiriou and Chikhi 2019, pugz; Knespel and Brunst 2023,
// rapidgzip). It refuses the same streams as compress/flate.
type deflater[S byte | uint16] struct {
	in   []byte // bytes at hand
	at   int    // index of the next byte
	base int64  // offset of in[0]
	bits uint64 // n bits taken from in and not used
	n    uint
	// more returns the bytes that follow, none at the end; nil where there are none to be had.
	more func() []byte
	// out has the window, which has `window` symbols, and behind it the decoded ones: bytes, or marker
	// and up.
	out    []S
	window int
	// most is the most symbols that may be decoded, 0 for any number.
	most int
	// flush, when set, is called where out has more than flushed symbols, and empties it.
	flush func()
	// literals and copies are the codes of the block at hand, and may be own's.
	literals, copies *huffman
	own              [2]huffman
	lengths          [maxLiterals + maxCopies]uint8
}

const (
	// windowSize is how far a copy may reach back.
	windowSize = 32 << 10
	// marker stands for the first byte of a window that is not known, marker + 1 for the second, and
	// so on.
	marker = 256
	// flushed is how much is decoded before it is handed on.
	flushed = 1 << 20
	// maxLiterals and maxCopies are how many codes there are, and longestCopy is the most bytes of
	// one.
	maxLiterals, maxCopies = 286, 30
	longestCopy            = 258
)

var (
	errCorrupt  = errors.New("flate: corrupt input")
	errTooLong  = errors.New("more is decoded than may be")
	errInputEnd = errors.New("the input ends")
)

// position is the offset in bits of the next symbol.
func (d *deflater[S]) position() int64 { return 8*(d.base+int64(d.at)) - int64(d.n) }

// begin prepares for a block at an offset in bits of data, which begins at an offset in bytes.
func (d *deflater[S]) begin(data []byte, base, position int64) {
	d.in, d.base, d.bits, d.n = data, base, 0, 0
	d.at = int(position/8 - base)
	if skip := uint(position % 8); skip > 0 {
		d.bits, d.n = uint64(data[d.at]>>skip), 8-skip
		d.at++
	}
}

// fill has 48 bits or more at hand, or all that are left.
func (d *deflater[S]) fill() {
	for d.n < 48 {
		if len(d.in)-d.at >= 8 {
			d.bits |= binary.LittleEndian.Uint64(d.in[d.at:]) << d.n
			d.at += int((63 - d.n) >> 3)
			d.n |= 56
			return
		}
		if d.at == len(d.in) {
			if !d.next() {
				return
			}
			continue
		}
		d.bits |= uint64(d.in[d.at]) << d.n
		d.at++
		d.n += 8
	}
	// Bits above n may be set by the load of eight bytes, and are the same ones again.
}

// next has more bytes at hand when all are taken. It tells whether there are more.
func (d *deflater[S]) next() bool {
	if d.more == nil {
		return false
	}
	next := d.more()
	if len(next) == 0 {
		d.more = nil
		return false
	}
	d.base += int64(len(d.in))
	d.in, d.at = next, 0
	return true
}

// take returns the next k bits, 32 at most.
func (d *deflater[S]) take(k uint) (uint32, error) {
	if d.n < k {
		if d.fill(); d.n < k {
			return 0, errInputEnd
		}
	}
	v := uint32(d.bits & (1<<k - 1))
	d.bits >>= k
	d.n -= k
	return v, nil
}

// block decodes a block, and tells whether it is the last one.
func (d *deflater[S]) block() (final bool, err error) {
	head, err := d.take(3)
	if err != nil {
		return false, err
	}
	switch final = head&1 != 0; head >> 1 {
	case 0:
		return final, d.stored()
	case 1:
		d.literals, d.copies = &fixedLiterals, &fixedCopies
	case 2:
		if err := d.codes(); err != nil {
			return false, err
		}
	default:
		return false, errCorrupt
	}
	if err := d.symbols(); err != nil {
		return false, err
	}
	return final, d.room()
}

// stored copies a block that is not compressed.
func (d *deflater[S]) stored() error {
	if _, err := d.take(d.n % 8); err != nil {
		return err
	}
	sizes, err := d.take(32)
	if err != nil {
		return err
	}
	size := int(sizes & 0xffff)
	if size != int(^sizes>>16&0xffff) {
		return errCorrupt
	}
	for ; size > 0 && d.n > 0; size-- { // bytes that are taken
		b, err := d.take(8)
		if err != nil {
			return err
		}
		d.out = append(d.out, S(b))
	}
	if size > 0 {
		d.bits = 0
	}
	for size > 0 {
		if d.at == len(d.in) && !d.next() {
			return errInputEnd
		}
		bytes := d.in[d.at:min(len(d.in), d.at+size)]
		for _, b := range bytes {
			d.out = append(d.out, S(b))
		}
		d.at += len(bytes)
		size -= len(bytes)
	}
	return d.room()
}

// room hands decoded symbols on if they are many, or tells that they are too many.
func (d *deflater[S]) room() error {
	if decoded := len(d.out) - d.window; d.most > 0 && decoded > d.most {
		return errTooLong
	} else if d.flush != nil && decoded > flushed {
		d.flush()
	}
	return nil
}

// codeOrder is the order of the lengths of the code of lengths.
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes reads the codes of a block.
func (d *deflater[S]) codes() error {
	counts, err := d.take(14)
	if err != nil {
		return err
	}
	literals, copies, lengths := int(counts&31)+257, int(counts>>5&31)+1, int(counts>>10)+4
	if literals > maxLiterals || copies > maxCopies {
		return errCorrupt
	}
	var ofLengths [19]uint8
	for _, of := range codeOrder[:lengths] {
		length, err := d.take(3)
		if err != nil {
			return err
		}
		ofLengths[of] = uint8(length)
	}
	d.literals, d.copies = &d.own[0], &d.own[1]
	if !d.literals.set(ofLengths[:]) {
		return errCorrupt
	}
	all := literals + copies
	for i := 0; i < all; {
		symbol, err := d.symbol(d.literals)
		if err != nil {
			return err
		}
		if symbol < 16 {
			d.lengths[i] = uint8(symbol)
			i++
			continue
		}
		repeated, extra, least := uint8(0), uint(2), 3
		switch symbol {
		case 16:
			if i == 0 {
				return errCorrupt
			}
			repeated = d.lengths[i-1]
		case 17:
			extra = 3
		case 18:
			extra, least = 7, 11
		}
		more, err := d.take(extra)
		if err != nil {
			return err
		}
		n := least + int(more)
		if i+n > all {
			return errCorrupt
		}
		for range n {
			d.lengths[i] = repeated
			i++
		}
	}
	if !d.literals.set(d.lengths[:literals]) || !d.copies.set(d.lengths[literals:all]) {
		return errCorrupt
	}
	return nil
}

// symbol decodes one symbol of a code.
func (d *deflater[S]) symbol(h *huffman) (uint32, error) {
	if d.n < maxCode {
		d.fill()
	}
	e := h.of(d.bits)
	length := uint(e & lengthOfEntry)
	if length == 0 {
		return 0, errCorrupt
	}
	if length > d.n {
		return 0, errInputEnd
	}
	d.bits >>= length
	d.n -= length
	return e >> symbolOfEntry, nil
}

// The meaning of symbols of lengths and distances: a number, and bits that are added.
var (
	copyLength, copyLengthBits     [maxLiterals - 257]uint16
	copyDistance, copyDistanceBits [maxCopies]uint16
	fixedLiterals, fixedCopies     huffman
)

func init() {
	length := uint16(3)
	for i := range copyLength {
		extra := uint16(max(i/4-1, 0))
		copyLength[i], copyLengthBits[i] = length, extra
		length += 1 << extra
	}
	copyLength[28], copyLengthBits[28] = longestCopy, 0
	distance := 1
	for i := range copyDistance {
		extra := max(i/2-1, 0)
		copyDistance[i], copyDistanceBits[i] = uint16(distance), uint16(extra)
		distance += 1 << extra
	}
	lengths := make([]uint8, 288)
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	fixedLiterals.set(lengths)
	for i := range 32 {
		lengths[i] = 5
	}
	fixedCopies.set(lengths[:32])
}

// symbols decodes the symbols of a block, up to its end.
func (d *deflater[S]) symbols() (err error) {
	// Fields of d are variables here, which is faster.
	out, in, at, b, n := d.out, d.in, d.at, d.bits, d.n
	literals, copies := d.literals, d.copies
	for {
		if cap(out)-len(out) < longestCopy {
			d.out = out
			err = d.room()
			if out = d.out; err != nil {
				break
			}
			if cap(out)-len(out) < longestCopy {
				bigger := make([]S, len(out), 2*cap(out)+longestCopy)
				copy(bigger, out)
				out = bigger
			}
		}
		// A code, its bits, another code and its bits are 15 + 5 + 15 + 13, 48 in all.
		if n < 48 {
			if len(in)-at >= 8 {
				b |= binary.LittleEndian.Uint64(in[at:]) << (n & 63)
				at += int((63 - n) >> 3)
				n |= 56
			} else {
				d.in, d.at, d.bits, d.n = in, at, b, n
				d.fill()
				in, at, b, n = d.in, d.at, d.bits, d.n
			}
		}
		e := literals.of(b)
		length := uint(e & lengthOfEntry)
		if length == 0 || length > n {
			err = missing(length)
			break
		}
		b >>= length & 63
		n -= length
		symbol := e >> symbolOfEntry
		if symbol < 256 {
			out = append(out, S(symbol))
			continue
		}
		if symbol == 256 {
			break
		}
		symbol -= 257
		if symbol >= maxLiterals-257 {
			err = errCorrupt
			break
		}
		size, extra := int(copyLength[symbol]), uint(copyLengthBits[symbol])
		size += int(b & (1<<(extra&63) - 1))
		b >>= extra & 63
		if n < extra {
			err = errInputEnd
			break
		}
		n -= extra
		e = copies.of(b)
		if length = uint(e & lengthOfEntry); length == 0 || length > n {
			err = missing(length)
			break
		}
		b >>= length & 63
		n -= length
		symbol = e >> symbolOfEntry
		if symbol >= maxCopies {
			err = errCorrupt
			break
		}
		distance, extra := int(copyDistance[symbol]), uint(copyDistanceBits[symbol])
		distance += int(b & (1<<(extra&63) - 1))
		b >>= extra & 63
		if n < extra {
			err = errInputEnd
			break
		}
		n -= extra
		from := len(out) - distance
		if from < 0 {
			err = errCorrupt
			break
		}
		to, end := len(out), len(out)+size
		out = out[:end]
		if size < 16 {
			for ; to < end; to, from = to+1, from+1 {
				out[to] = out[from]
			}
			continue
		}
		for to < end { // copied bytes may be copied again
			to += copy(out[to:end], out[from:to])
		}
	}
	d.out, d.in, d.at, d.bits, d.n = out, in, at, b, n
	return err
}

// missing is the error of a code whose symbol does not follow, or not all of a symbol.
func missing(length uint) error {
	if length == 0 {
		return errCorrupt
	}
	return errInputEnd
}

// A huffman is a code: table[i] is the entry of the symbol whose code the lowest bits of i are, or
// of a part of the table for longer codes that begin so.
type huffman struct {
	table []uint32
}

const (
	// maxCode is the most bits of a code, and firstBits the bits that the first part of a table
	// looks at.
	maxCode, firstBits = 15, 10
	// An entry has the length of the code, or longer and the number of bits of a part, and above them
	// the symbol, or where the part begins.
	lengthOfEntry, longer, symbolOfEntry = 15, 16, 5
)

// of returns the entry of the symbol that bits begin with; its length is 0 if there is none.
func (h *huffman) of(b uint64) uint32 {
	e := h.table[b&(1<<firstBits-1)]
	if e&longer == 0 {
		return e
	}
	return h.table[uint64(e>>symbolOfEntry)+b>>firstBits&(1<<(e&lengthOfEntry)-1)]
}

// set makes a code of the lengths of its symbols' codes. It returns false if there is no such code,
// or if codes are left over; only a code of one symbol of one bit, and a code of no symbol, may
// leave some.
func (h *huffman) set(lengths []uint8) bool {
	var count [maxCode + 1]int
	longest := 0
	for _, n := range lengths {
		count[n]++
		longest = max(longest, int(n))
	}
	h.table = append(h.table[:0], emptyTable[:]...)
	if longest == 0 {
		return true
	}
	code := 0
	var next [maxCode + 1]int
	for n := 1; n <= longest; n++ {
		code <<= 1
		next[n] = code
		code += count[n]
	}
	if code != 1<<longest && (code != 1 || longest != 1) {
		return false
	}
	more := max(longest-firstBits, 0) // bits of a part
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		code := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		entry := uint32(symbol)<<symbolOfEntry | uint32(n)
		if n <= firstBits {
			for ; code < 1<<firstBits; code += 1 << n {
				h.table[code] = entry
			}
			continue
		}
		first := code & (1<<firstBits - 1)
		if h.table[first] == 0 {
			h.table[first] = uint32(len(h.table))<<symbolOfEntry | longer | uint32(more)
			h.table = append(h.table, make([]uint32, 1<<more)...)
		}
		part := h.table[h.table[first]>>symbolOfEntry:]
		for code >>= firstBits; code < 1<<more; code += 1 << (n - firstBits) {
			part[code] = entry
		}
	}
	return true
}

var emptyTable [1 << firstBits]uint32
