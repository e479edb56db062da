package sam

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	hts "github.com/biogo/hts/sam"
)

// duplicates is a sorter that marks duplicates: records that are likely copies of one fragment.
// samtools markdup --use-read-groups marks the same in sorted records, but has a window.
//
// An end is a primary record with an alignment. Its outer ends are the first and the last position
// of the alignment with its clips, hard and soft. Ends are compared by keys:
//
//   - The key of an end with a mapped mate is read group, contig and outer end of both mates, their
//     orientation, and whether it is the left mate. Among ends of one key, the end whose pair has
//     the largest QualitySum is kept, and among equals the end with the least name.
//   - The key of a single end, which is any other, is read group, contig, strand and 5' outer end.
//     No single end is kept where an end of a pair has the same. Elsewhere the end with the largest
//     QualitySum is kept, and among equals the first in the sorted file.
//
// The other ends are duplicates.
//
// Append puts a trailer with its key behind each end. add sorts a small record of each end, so that
// ends of a key come together, and replaces the trailer by the number of the end. finish decides
// before it merges the records, and notes a bit for each end.
type duplicates struct {
	records, ends *sorter
	count         uint64   // of ends
	marked        []uint64 // a bit for each end
	found         Duplicates

	record, end []byte // scratch

	// The ends of one place in the order of the sorter.
	place  uint64
	first  []byte
	others bool // first is not alone
	index  map[endKey]int
	kept   []keptEnd
}

// Duplicates counts records.
type Duplicates struct {
	// Examined are the primary records with an alignment. Pairs are the duplicates with a mapped mate,
	// and Singles the other duplicates.
	Examined, Pairs, Singles int64
}

// Add adds counts of other records.
func (d *Duplicates) Add(e *Duplicates) {
	d.Examined += e.Examined
	d.Pairs += e.Pairs
	d.Singles += e.Singles
}

// The offsets of the fields of a record of an end, little-endian. keyOf reads the first ones.
const (
	offsetGroup        = 12 // uint32
	offsetKind         = offsetFlags
	offsetQualities    = 20           // uint32, QualitySum of the record and its mate
	offsetOtherContig  = 24           // int32
	offsetOther        = 28           // int32, outer end of the mate, or the position of a single end
	offsetNumber       = 32           // uint64
	offsetEndName      = 40           // of an end of a pair
	offsetFivePrime    = offsetNumber // int32, in a trailer
	trailerLength      = offsetFivePrime + 4
	shortTrailerLength = 8 // the number
)

// The kind of an end: bits of the field at offsetKind, which also has hts.Reverse.
const (
	kindPair = 1 << iota
	kindLeft
	kindSameStrand // of both mates; then hts.Reverse is not set
	kindForward    // of such a pair, if the left mate is the first one and forward, or neither
	_              // hts.Reverse
	kindPlace      // tells that an end of a pair has its 5' end here
)

// unexamined are the flags of records that are no ends.
const unexamined = hts.Unmapped | hts.Secondary | hts.Supplementary | hts.QCFail

// leastQuality is the least quality that counts for QualitySum.
const leastQuality = 15

// QualitySum is the sum of the base qualities that are 15 or more, by which one of several
// duplicates is kept. Qualities are the characters '!' to '~'; a missing one is 255.
func QualitySum(bases, qualities []byte) int {
	n := min(len(bases), len(qualities))
	sum := noQuality * (len(bases) - n)
	qualities = qualities[:n]
	for ; len(qualities) >= 8; qualities = qualities[8:] {
		const each, pairs = 0x0101010101010101, 0x00ff00ff00ff00ff
		eight := binary.LittleEndian.Uint64(qualities)
		if eight&(0x80*each) != 0 {
			break
		}
		count := (eight + (0x80-'!'-leastQuality)*each) >> 7 & each // 1 for a byte that counts
		eight = eight&(count*0xff) - '!'*count
		sum += int((eight&pairs + eight>>8&pairs) * 0x0001000100010001 >> 48)
	}
	for _, q := range qualities {
		if q >= '!'+leastQuality {
			sum += int(q - '!')
		}
	}
	return sum
}

// outerEnds are the first and the last position of an alignment, with its clips.
func outerEnds(pos int, cigar []hts.CigarOp) (start, end int) {
	clip := func(op hts.CigarOp) int {
		if t := op.Type(); t == hts.CigarSoftClipped || t == hts.CigarHardClipped {
			return op.Len()
		}
		return 0
	}
	start, end = pos, pos+referenceLength(cigar)-1
	for _, op := range cigar {
		n := clip(op)
		if n == 0 {
			break
		}
		start -= n
	}
	for _, op := range slices.Backward(cigar) {
		n := clip(op)
		if n == 0 {
			break
		}
		end += n
	}
	return start, end
}

// appendTrailer appends the trailer of the record that starts at an index of b, if it is an end. An
// outer end of 2^31 or more wraps around, and meets no other: no read is that long.
func (r *Record) appendTrailer(b []byte, start int) []byte {
	if r.Flags&unexamined != 0 {
		return b
	}
	var t [trailerLength]byte
	reverse := r.Flags&hts.Reverse != 0
	from, to := outerEnds(r.Pos, r.Cigar)
	fivePrime := from
	if reverse {
		fivePrime = to
	}
	contig, pos := place(r.Contig, r.ContigIndex, r.Pos)
	position, kind := fivePrime, int(r.Flags&hts.Reverse)
	otherContig, other := 0, pos
	qualities := QualitySum(r.Bases, r.Qualities)
	if r.Flags&hts.Paired != 0 && r.Flags&hts.MateUnmapped == 0 {
		qualities += r.MateQualities
		otherContig = r.MateContigIndex
		position, other, kind = r.pairKey(from, to)
	}
	putInt32(t[offsetContig:], contig)
	putInt32(t[offsetPos:], position)
	binary.LittleEndian.PutUint32(t[offsetGroup:], uint32(r.ReadGroupIndex))
	binary.LittleEndian.PutUint16(t[offsetKind:], uint16(kind))
	binary.LittleEndian.PutUint32(t[offsetQualities:], uint32(qualities))
	putInt32(t[offsetOtherContig:], otherContig)
	putInt32(t[offsetOther:], other)
	putInt32(t[offsetFivePrime:], fivePrime)
	b = append(b, t[:]...)
	putInt32(b[start:], len(b)-start-offsetContig)
	return b
}

// pairKey returns the outer end by which an end with a mapped mate is sorted, the outer end of the
// mate, and the kind. from and to are the outer ends of the record. Mates on opposite strands count
// by their 5' ends, mates on one strand by the start of the left one and the end of the right one.
// The 5' end of the left mate comes first; if both are one position, each mate is a left one.
func (r *Record) pairKey(from, to int) (position, other, kind int) {
	forward, mateForward := r.Flags&hts.Reverse == 0, r.Flags&hts.MateReverse == 0
	mateFrom, mateTo := outerEnds(r.MatePos, r.MateCigar)
	own, mate := from, mateFrom
	if !forward {
		own = to
	}
	if !mateForward {
		mate = mateTo
	}
	left := own <= mate
	if r.ContigIndex != r.MateContigIndex {
		left = r.ContigIndex < r.MateContigIndex
	}
	kind = kindPair
	if left {
		kind |= kindLeft
	}
	if forward != mateForward {
		return own, mate, kind | int(r.Flags&hts.Reverse)
	}
	kind |= kindSameStrand
	if first := r.Flags&hts.Read1 != 0; (first == forward) == left {
		kind |= kindForward
	}
	if left {
		return from, mateTo, kind
	}
	return to, mateFrom, kind
}

// newDuplicates shares out the memory of sorting: a quarter is for ends.
func newDuplicates(o *WriterOptions) *duplicates {
	return &duplicates{
		records: newSorter(o.Temporary, o.SortMemory-o.SortMemory/4, o.Threads),
		ends:    newSorter(o.Temporary, o.SortMemory/4, o.Threads),
		index:   map[endKey]int{},
	}
}

func flagsOf(record []byte) hts.Flags {
	return hts.Flags(binary.LittleEndian.Uint16(record[offsetFlags:]))
}

// Add takes a copy of a record, which has its trailer.
func (d *duplicates) Add(record []byte) error {
	if flagsOf(record)&unexamined != 0 {
		return d.records.Add(record)
	}
	n := len(record) - trailerLength
	if n < keyedHeader {
		return fmt.Errorf("a record of %d bytes has nothing to find duplicates by", len(record))
	}
	trailer := record[n:]
	d.record = binary.LittleEndian.AppendUint64(append(d.record[:0], record[:n]...), d.count)
	putInt32(d.record, len(d.record)-offsetContig)
	if err := d.records.Add(d.record); err != nil {
		return err
	}
	kind := binary.LittleEndian.Uint16(trailer[offsetKind:])
	d.end = binary.LittleEndian.AppendUint64(append(d.end[:0], trailer[:offsetNumber]...), d.count)
	if kind&kindPair != 0 {
		name, err := nameOf(record[:n])
		if err != nil {
			return err
		}
		d.end = append(d.end, name...)
	}
	d.count++
	if err := d.addEnd(); err != nil || kind&kindSameStrand == 0 {
		return err
	}
	// Single ends have to meet it at its 5' end, by which it is not sorted.
	copy(d.end[offsetPos:], trailer[offsetFivePrime:])
	binary.LittleEndian.PutUint16(d.end[offsetKind:], kindPlace|uint16(flagsOf(record)&hts.Reverse))
	d.end = d.end[:offsetNumber]
	return d.addEnd()
}

func (d *duplicates) addEnd() error {
	putInt32(d.end, len(d.end)-offsetContig)
	return d.ends.Add(d.end)
}

// nameOf is the name of a record of either encoding. In text it follows the fields that order
// records.
func nameOf(record []byte) ([]byte, error) {
	length := int(record[offsetNameLength])
	if length == 0 {
		name, _, _ := bytes.Cut(record[keyedHeader:], []byte{'\t'})
		return name, nil
	}
	if binaryHeader+length > len(record) {
		return nil, fmt.Errorf("a record of %d bytes has a name of %d", len(record), length)
	}
	return record[binaryHeader : binaryHeader+length-1], nil
}

// endKey is the key of an end within a contig. The key of a single end has no other.
type endKey struct {
	position           int32
	group              uint32
	kind               uint16
	otherContig, other int32
}

// keptEnd is the end of a key that is kept so far.
type keptEnd struct {
	some      bool // there is one
	pairs     bool // an end of a pair has the key of single ends
	qualities uint32
	other     int32 // the position of a single end
	number    uint64
	name      []byte
}

// finish decides which ends are duplicates, and gives all records in order, marked and without a
// trailer. They are the emitter's until it returns.
func (d *duplicates) finish(to emitter) error {
	d.found.Examined = int64(d.count)
	d.marked = make([]uint64, d.count/64+1)
	if err := d.ends.finish(emitter{record: d.take}); err != nil {
		return err
	}
	err := d.ends.Discard()
	if d.ends = nil; err != nil {
		return err
	}
	to.prepare = d.mark
	return d.records.finish(to)
}

// Discard is as in a sorter.
func (d *duplicates) Discard() error {
	err := d.records.Discard()
	if d.ends != nil {
		err = errors.Join(d.ends.Discard(), err)
	}
	return err
}

// take takes the ends in their order. Most are alone at their place, and are not looked at.
func (d *duplicates) take(end []byte) error {
	if key := keyOf(end); d.first == nil || key != d.place {
		d.place, d.others = key, false
		d.first = append(d.first[:0], end...)
		return nil
	}
	if !d.others {
		d.others = true
		if len(d.index) > 8 { // emptying a map takes longer the more it once held
			d.index, d.kept = map[endKey]int{}, nil
		}
		clear(d.index)
		d.kept = d.kept[:0]
		d.decide(d.first)
	}
	d.decide(end)
	return nil
}

// decide compares an end with those before it at its place.
func (d *duplicates) decide(end []byte) {
	kind := binary.LittleEndian.Uint16(end[offsetKind:])
	key := endKey{
		position: getInt32(end[offsetPos:]), group: binary.LittleEndian.Uint32(end[offsetGroup:]),
		kind: kind & uint16(hts.Reverse),
	}
	if kind&kindSameStrand == 0 {
		single := d.at(key)
		if kind&(kindPair|kindPlace) == 0 {
			d.decideSingle(single, end)
			return
		}
		if single.some {
			d.setMarked(single.number)
			d.found.Singles++
		}
		single.some, single.pairs = false, true
	}
	if kind&kindPair == 0 {
		return
	}
	key.kind = kind
	key.otherContig, key.other = getInt32(end[offsetOtherContig:]), getInt32(end[offsetOther:])
	kept, name := d.at(key), end[offsetEndName:]
	if d.keep(kept, end, bytes.Compare(name, kept.name) < 0, &d.found.Pairs) {
		kept.name = append(kept.name[:0], name...)
	}
}

func (d *duplicates) decideSingle(kept *keptEnd, end []byte) {
	if kept.pairs {
		d.setMarked(numberOf(end))
		d.found.Singles++
		return
	}
	d.keep(kept, end, getInt32(end[offsetOther:]) < kept.other, &d.found.Singles)
}

// keep keeps an end if it is the first or a better one, and says so. before tells whether it is
// better than an equal one. The other end is marked.
func (d *duplicates) keep(kept *keptEnd, end []byte, before bool, marked *int64) bool {
	qualities := binary.LittleEndian.Uint32(end[offsetQualities:])
	if kept.some {
		*marked++
		if qualities < kept.qualities || qualities == kept.qualities && !before {
			d.setMarked(numberOf(end))
			return false
		}
		d.setMarked(kept.number)
	}
	kept.some, kept.number = true, numberOf(end)
	kept.qualities, kept.other = qualities, getInt32(end[offsetOther:])
	return true
}

// at returns the kept end of a key, valid until the next call.
func (d *duplicates) at(key endKey) *keptEnd {
	i, ok := d.index[key]
	if !ok {
		i = len(d.kept)
		d.index[key] = i
		if i == cap(d.kept) {
			d.kept = append(d.kept, keptEnd{})
		} else { // with the memory of its name
			d.kept = d.kept[:i+1]
			d.kept[i] = keptEnd{name: d.kept[i].name[:0]}
		}
	}
	return &d.kept[i]
}

func numberOf(end []byte) uint64 { return binary.LittleEndian.Uint64(end[offsetNumber:]) }

func (d *duplicates) setMarked(number uint64) { d.marked[number/64] |= 1 << (number % 64) }

// mark takes the trailer off a record, and sets the flag of a duplicate, once all are known.
func (d *duplicates) mark(record []byte) []byte {
	flags := flagsOf(record)
	if flags&unexamined != 0 {
		return record
	}
	n := len(record) - shortTrailerLength
	number := binary.LittleEndian.Uint64(record[n:])
	if d.marked[number/64]>>(number%64)&1 != 0 {
		n = setFlags(record, n, flags|hts.Duplicate)
	}
	putInt32(record, n-offsetContig)
	return record[:n]
}

// setFlags sets the flags of a record of n bytes with some bytes after it, and returns its new
// length: text grows with the number of digits.
func setFlags(record []byte, n int, flags hts.Flags) int {
	binary.LittleEndian.PutUint16(record[offsetFlags:], uint16(flags))
	if record[offsetNameLength] > 0 {
		return n // of BAM
	}
	from := keyedHeader + bytes.IndexByte(record[keyedHeader:n], '\t') + 1
	to := from + bytes.IndexByte(record[from:n], '\t')
	var digits [5]byte
	text := strconv.AppendUint(digits[:0], uint64(flags), 10)
	copy(record[from+len(text):], record[to:n])
	copy(record[from:], text)
	return n + len(text) - (to - from)
}
