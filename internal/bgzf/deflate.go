package bgzf

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// SharedLevel has a compressor of its own. A GPU does the same (kernels/deflate.cu), a warp for
// each block, and makes the same bytes: nothing depends on the order in which the positions of a
// round are looked at.
//
//   - A round has 32 positions. Two tables have the last position of the rounds before, for each
//     value of a hash of 4 bytes, and of a hash of 8.
//   - A position has up to three candidates: the position before it, the one of the hash of 8
//     bytes, and, unless one of these has niceMatch bytes, the one of the hash of 4. The longest
//     match is taken, the first of equal ones. Four bytes far away are no match.
//   - A match shorter than lazyMatch is deferred if the next position of the round has a longer
//     one.
//   - A block of DEFLATE is one dynamic block (RFC 1951, section 3.2.7). Huffman codes are made
//     with two queues (van Leeuwen 1976): counts in order, ties by symbol, and leaves before nodes.
const (
	roundBytes  = 32
	hashBits    = 13
	hashed      = 8     // bytes from a position on that it needs to be looked up
	leastMatch  = 4     // bytes
	mostMatch   = 258   // bytes, RFC 1951
	niceMatch   = 32    // bytes: a match of 8 or more that is long enough
	lazyMatch   = 16    // bytes: no match that is as long is deferred
	nearMatch   = 4096  // the largest distance of a match of leastMatch
	mostOffset  = 32768 // the largest distance, RFC 1951
	hashFactor4 = 0x9e3779b1
	hashFactor8 = 0x9e3779b97f4a7c15
)

// The alphabets of DEFLATE: bytes, the end of the block and lengths; distances; lengths of codes.
const (
	literals, distances, codeLengths = 286, 30, 19
	endOfBlock                       = 256
	mostCode, mostCodeLength         = 15, 7 // bits
	headerBits                       = 3 + 5 + 5 + 4
)

// A token is a byte, or a match: isMatch, the length, and the distance less 1.
const (
	isMatch     = 1 << 31
	lengthShift = 16
)

// deflater makes the blocks of SharedLevel.
type deflater struct {
	// text has the data from text[1] on: places count from 1, so that 0 is none.
	text        [1 << 16]byte
	n           int                   // bytes
	short, long [1 << hashBits]uint16 // the last place of a hash
	inserted    int                   // all places before it are in the tables
	tokens      []uint32

	literal  code
	distance code
	lengths  code
	runs     []uint16 // the lengths of codes, as they are written: symbol, extra bits << 8
	builder  builder
}

// A code is a Huffman code.
type code struct {
	count  [literals]uint32
	length [literals]uint8
	bits   [literals]uint16 // reversed, as they are written
}

// appendBlock appends data as one block of DEFLATE, unless it is longer than a stored one would be.
func (d *deflater) appendBlock(b, data []byte) []byte {
	d.parse(data)
	size := d.encode()
	bytes := (size + 7) / 8
	if bytes > storedHead+len(data) {
		return b
	}
	from := len(b)
	b = slices.Grow(b, bytes+8)[:from+bytes+8] // flush writes 8 bytes at a time
	d.write(b, from)
	return b[:from+bytes]
}

// parse finds the tokens of data, of 0xff00 bytes at most.
func (d *deflater) parse(data []byte) {
	d.n = copy(d.text[1:], data)
	clear(d.short[:])
	clear(d.long[:])
	clear(d.literal.count[:])
	clear(d.distance.count[:])
	d.inserted = 1
	d.tokens = slices.Grow(d.tokens[:0], len(data))
	for p := 1; p <= d.n; {
		match := d.match(p)
		// p is also the next position, counted from 0.
		for match != 0 && match>>lengthShift < lazyMatch && p%roundBytes != 0 {
			next := d.match(p + 1)
			if next>>lengthShift <= match>>lengthShift {
				break
			}
			d.addByte(d.text[p])
			p++
			match = next
		}
		if match == 0 {
			d.addByte(d.text[p])
			p++
			continue
		}
		d.tokens = append(d.tokens, isMatch|match)
		n := match >> lengthShift
		d.literal.count[lengthCodes[n]]++
		d.distance.count[distanceCode(match&(mostOffset-1))]++
		p += int(n)
	}
	d.literal.count[endOfBlock] = 1
}

func (d *deflater) addByte(b byte) {
	d.tokens = append(d.tokens, uint32(b))
	d.literal.count[b]++
}

// match returns the match at a place as a token has it, 0 for none.
func (d *deflater) match(p int) uint32 {
	if p+hashed > d.n+1 {
		return 0
	}
	if (p-1)&^(roundBytes-1) >= d.inserted {
		d.insert((p-1)&^(roundBytes-1) + 1)
	}
	v := binary.LittleEndian.Uint64(d.text[p:])
	best, distance := 0, 0
	if uint32(v) == uint32(d.text[p-1])*0x01010101 && p > 1 {
		best, distance = d.common(p-1, p), 1
	}
	// These two are written out: a function for both takes a twentieth of the time more.
	if c := d.long[hash8(v)]; c != 0 && binary.LittleEndian.Uint32(d.text[c:]) == uint32(v) && p-int(c) <= mostOffset {
		if n := d.common(int(c), p); n > best {
			best, distance = n, p-int(c)
		}
	}
	if best < niceMatch {
		if c := d.short[hash4(v)]; c != 0 && binary.LittleEndian.Uint32(d.text[c:]) == uint32(v) && p-int(c) <= mostOffset {
			if n := d.common(int(c), p); n > best {
				best, distance = n, p-int(c)
			}
		}
	}
	if best < leastMatch || best == leastMatch && distance > nearMatch {
		return 0
	}
	return uint32(best)<<lengthShift | uint32(distance-1)
}

// insert puts the places before `end`, which have the bytes that a hash takes, into the tables.
func (d *deflater) insert(end int) {
	for p := d.inserted; p < end; p++ {
		v := binary.LittleEndian.Uint64(d.text[p:])
		d.short[hash4(v)] = uint16(p)
		d.long[hash8(v)] = uint16(p)
	}
	d.inserted = end
}

func hash4(v uint64) uint32 { return uint32(v) * hashFactor4 >> (32 - hashBits) }
func hash8(v uint64) uint64 { return v * hashFactor8 >> (64 - hashBits) }

// common is how many bytes are equal after a place and a later one, as far as a match may reach.
func (d *deflater) common(a, b int) int {
	most := min(mostMatch, d.n+1-b)
	for n := 0; n < most; n += 8 { // text has room after its last byte
		if differ := binary.LittleEndian.Uint64(d.text[a+n:]) ^ binary.LittleEndian.Uint64(d.text[b+n:]); differ != 0 {
			return min(n+bits.TrailingZeros64(differ)/8, most)
		}
	}
	return most
}

// encode makes the codes, and returns the bits of the block.
func (d *deflater) encode() int {
	size := d.builder.build(&d.literal, literals, mostCode) + d.builder.build(&d.distance, distances, mostCode)
	for i, extra := range lengthExtra {
		size += int(d.literal.count[endOfBlock+1+i]) * int(extra)
	}
	for i := range distances {
		size += int(d.distance.count[i]) * int(distanceExtra(uint32(i)))
	}
	d.encodeLengths()
	size += d.builder.build(&d.lengths, codeLengths, mostCodeLength)
	size += headerBits + 3*d.lengthsWritten()
	for _, run := range d.runs {
		size += int(runExtra(run & 0xff))
	}
	return size
}

// used is how many symbols of a code are written, at least `least`.
func (c *code) used(n, least int) int {
	for n > least && c.length[n-1] == 0 {
		n--
	}
	return n
}

// encodeLengths makes runs of the lengths of both codes (RFC 1951, section 3.2.7).
func (d *deflater) encodeLengths() {
	d.runs = d.runs[:0]
	clear(d.lengths.count[:])
	nl, nd := d.literal.used(literals, endOfBlock+1), d.distance.used(distances, 1)
	at := func(i int) uint8 {
		if i < nl {
			return d.literal.length[i]
		}
		return d.distance.length[i-nl]
	}
	add := func(symbol, extra int) {
		d.runs = append(d.runs, uint16(symbol|extra<<8))
		d.lengths.count[symbol]++
	}
	for i := 0; i < nl+nd; {
		length := at(i)
		same := 1
		for i+same < nl+nd && at(i+same) == length {
			same++
		}
		i += same
		if length != 0 {
			add(int(length), 0)
			same--
			for ; same >= 3; same -= min(same, 6) {
				add(16, min(same, 6)-3)
			}
		} else {
			for ; same >= 11; same -= min(same, 138) {
				add(18, min(same, 138)-11)
			}
			if same >= 3 {
				add(17, same-3)
				same = 0
			}
		}
		for ; same > 0; same-- {
			add(int(length), 0)
		}
	}
}

// runExtra is the number of extra bits of a symbol of the lengths of codes.
func runExtra(symbol uint16) uint {
	switch symbol {
	case 16:
		return 2
	case 17:
		return 3
	case 18:
		return 7
	}
	return 0
}

// codeLengthOrder is the order in which lengths of codeLengths are written.
var codeLengthOrder = [codeLengths]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthsWritten is how many lengths of codeLengths are written.
func (d *deflater) lengthsWritten() int {
	n := codeLengths
	for n > 4 && d.lengths.length[codeLengthOrder[n-1]] == 0 {
		n--
	}
	return n
}

// builder makes Huffman codes.
type builder struct {
	keys   []uint32 // the count of a symbol << 9 | the symbol, ascending
	weight [literals]uint32
	parent [2 * literals]uint16 // of the leaves, as keys has them, and from literals on of the nodes
}

// build makes the code of the first n symbols by their counts, and returns the bits that all take.
// It has two symbols at least, as some readers want it. Where a code would be longer than `most`
// bits, counts are halved until none is.
func (h *builder) build(c *code, n, most int) int {
	used := 0
	for _, count := range c.count[:n] {
		if count > 0 {
			used++
		}
	}
	counts := c.count
	for s := 0; used < 2; s++ {
		if counts[s] == 0 {
			counts[s] = 1
			used++
		}
	}
	for !h.lengths(c, counts[:n], most) {
		for s := range n {
			if counts[s] > 0 {
				counts[s] = counts[s]>>1 | 1
			}
		}
	}
	var next [mostCode + 2]uint16
	for _, length := range c.length[:n] {
		next[length+1]++
	}
	next[1] = 0 // no code
	for length := 1; length < len(next); length++ {
		next[length] = (next[length] + next[length-1]) << 1
	}
	total := 0
	for s, length := range c.length[:n] {
		if length > 0 {
			c.bits[s] = bits.Reverse16(next[length]) >> (16 - length)
			next[length]++
		}
		total += int(c.count[s]) * int(length)
	}
	return total
}

// lengths makes the lengths of codes, and tells whether all are at most `most`.
func (h *builder) lengths(c *code, counts []uint32, most int) bool {
	clear(c.length[:])
	h.keys = h.keys[:0]
	for s, count := range counts {
		if count > 0 {
			h.keys = append(h.keys, count<<9|uint32(s))
		}
	}
	slices.Sort(h.keys)
	leaf, node, made := 0, 0, 0
	for ; made < len(h.keys)-1; made++ {
		h.weight[made] = 0
		for range 2 {
			if leaf < len(h.keys) && (node == made || h.keys[leaf]>>9 <= h.weight[node]) {
				h.weight[made] += h.keys[leaf] >> 9
				h.parent[leaf] = uint16(made)
				leaf++
			} else {
				h.weight[made] += h.weight[node]
				h.parent[literals+node] = uint16(made)
				node++
			}
		}
	}
	// Parents come after their nodes. The weight of a node gives way to its depth.
	h.weight[made-1] = 0
	for i := made - 2; i >= 0; i-- {
		h.weight[i] = h.weight[h.parent[literals+i]] + 1
	}
	longest := 0
	for i, key := range h.keys {
		depth := int(h.weight[h.parent[i]]) + 1
		c.length[key&(1<<9-1)] = uint8(depth)
		longest = max(longest, depth)
	}
	return longest <= most
}

// A bitWriter puts bits into bytes, the lowest first.
type bitWriter struct {
	b     []byte
	at    int
	word  uint64
	count uint // bits of word, less than 8 after flush
}

func (w *bitWriter) put(v uint64, n uint) {
	w.word |= v << w.count
	w.count += n
}

// flush makes room for 56 bits.
func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.b[w.at:], w.word)
	n := w.count / 8
	w.at += int(n)
	w.word >>= 8 * n
	w.count &= 7
}

// write writes the block from a place of b on, which has 8 bytes more than the block.
func (d *deflater) write(b []byte, from int) {
	w := bitWriter{b: b, at: from}
	ordered := d.lengthsWritten()
	w.put(1|2<<1, 3) // the last block, and a dynamic one
	w.put(uint64(d.literal.used(literals, endOfBlock+1)-endOfBlock-1), 5)
	w.put(uint64(d.distance.used(distances, 1)-1), 5)
	w.put(uint64(ordered-4), 4)
	w.flush()
	for _, s := range codeLengthOrder[:ordered] {
		w.put(uint64(d.lengths.length[s]), 3)
		w.flush()
	}
	for _, run := range d.runs {
		s := run & 0xff
		w.put(uint64(d.lengths.bits[s]), uint(d.lengths.length[s]))
		w.put(uint64(run>>8), runExtra(s))
		w.flush()
	}
	for _, t := range d.tokens {
		if t < isMatch {
			w.put(uint64(d.literal.bits[t]), uint(d.literal.length[t]))
		} else {
			n := t &^ isMatch >> lengthShift
			s := lengthCodes[n]
			w.put(uint64(d.literal.bits[s]), uint(d.literal.length[s]))
			w.put(uint64(n-lengthBase[s-endOfBlock-1]), uint(lengthExtra[s-endOfBlock-1]))
			w.flush()
			offset := t & (mostOffset - 1)
			s = distanceCode(offset)
			w.put(uint64(d.distance.bits[s]), uint(d.distance.length[s]))
			extra := distanceExtra(uint32(s))
			w.put(uint64(offset&(1<<extra-1)), extra)
		}
		w.flush()
	}
	w.put(uint64(d.literal.bits[endOfBlock]), uint(d.literal.length[endOfBlock]))
	w.flush()
}

// lengthExtra has the extra bits of the symbols of lengths, and lengthBase their first lengths (RFC
// 1951, section 3.2.5). lengthCodes has the symbol of each length.
var (
	lengthExtra = [29]uint8{8: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5}
	lengthBase  [29]uint32
	lengthCodes [mostMatch + 1]uint16
)

func init() {
	n := uint32(3)
	for i := range lengthExtra {
		lengthBase[i] = n
		for range 1 << lengthExtra[i] {
			if n <= mostMatch {
				lengthCodes[n] = uint16(endOfBlock + 1 + i)
			}
			n++
		}
	}
	lengthBase[28] = mostMatch
	lengthCodes[mostMatch] = endOfBlock + 29
}

// distanceCode is the symbol of a distance less 1.
func distanceCode(offset uint32) uint16 {
	if offset < 4 {
		return uint16(offset)
	}
	k := uint32(bits.Len32(offset)) - 1
	return uint16(2*k + offset>>(k-1)&1)
}

// distanceExtra is the number of extra bits of a symbol of distances.
func distanceExtra(symbol uint32) uint { return uint(max(symbol, 2)/2 - 1) }
