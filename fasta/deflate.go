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
	if !d.literals.set(ofLengths[:], entriesOfLengths[:]) {
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
	if !d.literals.set(d.lengths[:literals], entriesOfLiterals[:]) || !d.copies.set(d.lengths[literals:all], entriesOfCopies[:]) {
		return errCorrupt
	}
	d.literals.double()
	return nil
}

// symbol decodes one symbol of a code.
func (d *deflater[S]) symbol(h *huffman) (uint32, error) {
	if d.n < maxCode {
		d.fill()
	}
	e := h.of(d.bits)
	length := e.length()
	if length == 0 {
		return 0, errCorrupt
	}
	if length > d.n {
		return 0, errInputEnd
	}
	d.bits >>= length
	d.n -= length
	return e.value(), nil
}

// The entries of symbols, without their codes, and the fixed codes.
var (
	entriesOfLengths           [19]entry
	entriesOfLiterals          [288]entry
	entriesOfCopies            [32]entry
	fixedLiterals, fixedCopies huffman
)

func init() {
	for i := range entriesOfLengths {
		entriesOfLengths[i] = entry(i) << valueOfEntry
	}
	for i := range 256 {
		entriesOfLiterals[i] = literalEntry | entry(i)<<valueOfEntry
	}
	entriesOfLiterals[256] = endEntry
	length := entry(3)
	for i := range entriesOfLiterals[257:maxLiterals] {
		extra := entry(max(i/4-1, 0))
		entriesOfLiterals[257+i] = length<<valueOfEntry | extra
		length += 1 << extra
	}
	entriesOfLiterals[maxLiterals-1] = longestCopy << valueOfEntry
	distance := entry(1)
	for i := range entriesOfCopies[:maxCopies] {
		extra := entry(max(i/2-1, 0))
		entriesOfCopies[i] = distance<<valueOfEntry | extra
		distance += 1 << extra
	}
	for _, unused := range [][]entry{entriesOfLiterals[maxLiterals:], entriesOfCopies[maxCopies:]} {
		for i := range unused {
			unused[i] = unusedEntry
		}
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
	fixedLiterals.set(lengths, entriesOfLiterals[:])
	fixedLiterals.double()
	for i := range 32 {
		lengths[i] = 5
	}
	fixedCopies.set(lengths[:32], entriesOfCopies[:])
}

// symbols decodes the symbols of a block, up to its end.
func (d *deflater[S]) symbols() error {
	for {
		d.many()
		if cap(d.out)-len(d.out) < roomOfMany {
			if err := d.room(); err != nil {
				return err
			}
			if cap(d.out)-len(d.out) < roomOfMany {
				bigger := make([]S, len(d.out), 2*cap(d.out)+roomOfMany)
				copy(bigger, d.out)
				d.out = bigger
			}
		}
		if end, err := d.one(); end || err != nil {
			return err
		}
	}
}

// one decodes one symbol, and a copy to its end, or finds the end of the block. out has room.
func (d *deflater[S]) one() (end bool, err error) {
	d.fill()
	e, n, err := d.number(d.literals)
	switch {
	case err != nil:
		return false, err
	case e >= literalEntry:
		d.out = append(d.out, S(n))
		return false, nil
	case e&endEntry != 0:
		return true, nil
	}
	_, distance, err := d.number(d.copies)
	if err != nil {
		return false, err
	}
	from := len(d.out) - distance
	if from < 0 {
		return false, errCorrupt
	}
	for range n { // copied bytes may be copied again
		d.out = append(d.out, d.out[from])
		from++
	}
	return false, nil
}

// number decodes a symbol of a code and the number that it stands for.
func (d *deflater[S]) number(h *huffman) (e entry, n int, err error) {
	e = h.of(d.bits).first()
	length, extra := e.length(), e.all()-e.length()
	switch {
	case length == 0:
		return e, 0, errCorrupt
	case length > d.n:
		return e, 0, errInputEnd
	case e&unusedEntry != 0:
		return e, 0, errCorrupt
	case length+extra > d.n:
		return e, 0, errInputEnd
	}
	n = int(e.value()) + int(d.bits>>length&(1<<extra-1))
	d.bits >>= length + extra
	d.n -= length + extra
	return e, n, nil
}

// roomOfMany is the room that many needs: for a copy and what it copies beyond.
const (
	atOnce     = 16
	roomOfMany = longestCopy + atOnce
)

// many decodes symbols as long as there is room, and input for any symbol. The end of the block and
// anything wrong is left to one.
func (d *deflater[S]) many() {
	// Fields of d are variables here, which is faster.
	in, b, n := d.in[d.at:], d.bits, d.n
	out, to := d.out[:cap(d.out)], len(d.out)
	literals, copies := d.literals, d.copies
	firstLiterals, firstCopies := (*[1 << firstBits]entry)(literals.table), (*[1 << firstBits]entry)(copies.table)
	for len(in) >= 8 && len(out)-to >= roomOfMany {
		// A code, its bits, another code and its bits are 15 + 5 + 15 + 13, 48 in all. Three entries of
		// literals are 27 at most.
		b |= binary.LittleEndian.Uint64(in) << (n & 63)
		in = in[(63-n)>>3&7:]
		n |= 56
		e := firstLiterals[b%(1<<firstBits)]
		if e >= literalEntry {
			for i := 0; i < 3 && e >= literalEntry; i++ {
				out[to], out[to+1] = S(e.literal()), S(e.second())
				to += e.literals()
				b >>= e.all()
				n -= e.all()
				e = firstLiterals[b%(1<<firstBits)]
			}
			continue
		}
		if e&longer != 0 {
			if e = literals.part(e, b); e >= literalEntry {
				out[to] = S(e.literal())
				to++
				b >>= e.all()
				n -= e.all()
				continue
			}
		}
		if e.length() == 0 || e&(endEntry|unusedEntry) != 0 {
			break
		}
		before, ofBefore := b, n
		size := e.number(b)
		b >>= e.all()
		n -= e.all()
		if e = firstCopies[b%(1<<firstBits)]; e&longer != 0 {
			e = copies.part(e, b)
		}
		distance := e.number(b)
		b >>= e.all()
		n -= e.all()
		if e.length() == 0 || e&unusedEntry != 0 || distance > to {
			b, n = before, ofBefore
			break
		}
		text := out[to-distance : to+roomOfMany]
		if to += size; distance < atOnce {
			copyNear(text[:distance+size], distance)
			continue
		}
		for from := 0; from < size; from += atOnce {
			*(*[atOnce]S)(text[from+distance:]) = *(*[atOnce]S)(text[from:])
		}
	}
	d.at = len(d.in) - len(in)
	d.bits, d.n, d.out = b, n, out[:to]
}

// copyNear fills text with copies of its first symbols, up to a distance.
func copyNear[S byte | uint16](text []S, distance int) {
	for distance < len(text) { // what is copied is copied again
		distance += copy(text[distance:], text[:distance])
	}
}

// An entry is a symbol that bits begin with, or two literals. From its lowest bits on, an entry has
// the number of all its bits, with the bits of a number; the number of bits of the first code; and
// the least number, or the literals. An entry of bits that are no code is 0.
type entry uint32

const (
	codeOfEntry, valueOfEntry, secondOfEntry = 5, 10, 18
	// longer is for longer codes: they are in a part of the table, which begins at the value and looks
	// at as many bits as all.
	longer entry = 1 << 9
	// An entry with two literals has bit doubleShift, endEntry ends the block, and an unused one is
	// wrong. An entry with literals is literalEntry or more.
	doubleShift        = 28
	endEntry     entry = 1 << 29
	unusedEntry  entry = 1 << 30
	literalEntry entry = 1 << 31
)

func (e entry) all() uint      { return uint(e & 31) }
func (e entry) length() uint   { return uint(e >> codeOfEntry & 15) }
func (e entry) value() uint32  { return uint32(e >> valueOfEntry & 0xffff) }
func (e entry) literal() uint8 { return uint8(e >> valueOfEntry) }
func (e entry) second() uint8  { return uint8(e >> secondOfEntry) }
func (e entry) literals() int  { return 1 + int(e>>doubleShift&1) }

// number is what a symbol stands for whose bits come first in b.
func (e entry) number(b uint64) int {
	return int(e.value()) + int(b&(1<<e.all()-1)>>e.length())
}

// first is e without a second literal.
func (e entry) first() entry {
	if e < literalEntry {
		return e
	}
	return literalEntry | entry(e.literal())<<valueOfEntry | entry(e.length())<<codeOfEntry | entry(e.length())
}

// A huffman is a code: table[i] is the entry of what the lowest bits of i are, or of a part of the
// table for longer codes that begin so.
type huffman struct {
	table []entry
}

// maxCode is the most bits of a code, and firstBits the bits that the first part of a table looks
// at.
const maxCode, firstBits = 15, 9

// of returns the entry of the symbol that bits begin with; its length is 0 if there is none.
func (h *huffman) of(b uint64) entry {
	e := h.table[b&(1<<firstBits-1)]
	if e&longer == 0 {
		return e
	}
	return h.part(e, b)
}

// part returns the entry of a longer code.
func (h *huffman) part(e entry, b uint64) entry {
	return h.table[uint64(e.value())+b>>firstBits&(1<<e.all()-1)]
}

// double has entries of the first part stand for two literals where both codes fit.
func (h *huffman) double() {
	first := h.table[:1<<firstBits]
	for i := len(first) - 1; i >= 0; i-- { // the entry of what follows is not changed yet
		e := first[i]
		if e < literalEntry {
			continue
		}
		next := first[i>>e.length()]
		if both := e.length() + next.length(); next >= literalEntry && both <= firstBits {
			first[i] = e&^31 | entry(both) | entry(next.literal())<<secondOfEntry | 1<<doubleShift
		}
	}
}

// set makes a code of the lengths of its symbols' codes, and of their entries. It returns false if
// there is no such code, or if codes are left over; only a code of one symbol of one bit, and a
// code of no symbol, may leave some.
func (h *huffman) set(lengths []uint8, entries []entry) bool {
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
		e := entries[symbol] + entry(n)<<codeOfEntry + entry(n)
		if n <= firstBits {
			for ; code < 1<<firstBits; code += 1 << n {
				h.table[code] = e
			}
			continue
		}
		first := code & (1<<firstBits - 1)
		if h.table[first] == 0 {
			h.table[first] = entry(len(h.table))<<valueOfEntry | longer | entry(more)
			h.table = append(h.table, make([]entry, 1<<more)...)
		}
		part := h.table[h.table[first].value():]
		for code >>= firstBits; code < 1<<more; code += 1 << (n - firstBits) {
			part[code] = e
		}
	}
	return true
}

var emptyTable [1 << firstBits]entry
