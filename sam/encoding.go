package sam

import (
	"encoding/binary"
	"slices"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/bgzf"
)

// Encoding is the form of a record in memory.
type Encoding int

const (
	// Text is a line of SAM: AppendText.
	Text Encoding = iota
	// Binary is a record of BAM: AppendBinary.
	Binary
	// KeyedText is a line of SAM after keyedHeader bytes, in which the fields that order records
	// have the places that they have in a BAM record. It exists only in memory and in temporary
	// files: a Writer that sorts cuts the bytes off.
	KeyedText
	// MarkedBinary and MarkedText are Binary and KeyedText for a Writer that marks duplicates: a
	// trailer by which duplicates are found follows the records that may be duplicates.
	MarkedBinary
	MarkedText
)

// Marked tells whether records are for a Writer that marks duplicates.
func (e Encoding) Marked() bool { return e == MarkedBinary || e == MarkedText }

// The offsets of the fixed fields of a BAM record (SAMv1, section 4.2), all little-endian.
// KeyedText has the first three and the flags.
const (
	offsetContig     = 4  // int32, after the int32 of the bytes that follow
	offsetPos        = 8  // int32
	offsetNameLength = 12 // uint8, with the NUL
	offsetMapQ       = 13 // uint8
	offsetBin        = 14 // uint16
	offsetCigarCount = 16 // uint16
	offsetFlags      = 18 // uint16
	keyedHeader      = 20
	offsetBases      = 20 // int32, a number of letters
	offsetMateContig = 24 // int32
	offsetMatePos    = 28 // int32
	offsetTemplate   = 32 // int32
	binaryHeader     = 36
)

// Append appends the record in an encoding.
func (r *Record) Append(b []byte, e Encoding) []byte {
	switch e {
	case Binary:
		return r.AppendBinary(b)
	case KeyedText:
		return r.appendKeyedText(b)
	case MarkedBinary:
		return r.appendTrailer(r.AppendBinary(b), len(b))
	case MarkedText:
		return r.appendTrailer(r.appendKeyedText(b), len(b))
	default:
		return r.AppendText(b)
	}
}

func (r *Record) appendKeyedText(b []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, keyedHeader)...)
	b = r.AppendText(b)
	r.putOrder(b[start:])
	return b
}

// putOrder writes the length and the fields that order records.
func (r *Record) putOrder(b []byte) {
	contig, pos := place(r.Contig, r.ContigIndex, r.Pos)
	putInt32(b, len(b)-offsetContig)
	putInt32(b[offsetContig:], contig)
	putInt32(b[offsetPos:], pos)
	binary.LittleEndian.PutUint16(b[offsetFlags:], uint16(r.Flags))
}

// place is a contig and a position as BAM has them: -1 and -1 where text has '*' and 0.
func place(contig string, index, pos int) (int, int) {
	if contig == "" {
		return -1, -1
	}
	return index, pos
}

func putInt32(b []byte, v int) { binary.LittleEndian.PutUint32(b, uint32(int32(v))) }

// mostCigar is the largest number of operations that n_cigar_op can tell.
const mostCigar = 1<<16 - 1

// AppendBinary appends the BAM record (SAMv1, section 4.2), its length first. samtools makes the
// same bytes from the line of AppendText. Only the first MaxNameLength bytes of a name are kept,
// because BAM has no room for more.
//
// A CIGAR of more operations than BAM has room for goes to the tag CG, and the
// field gets two operations of the same lengths (section 4.2.2).
func (r *Record) AppendBinary(b []byte) []byte {
	// One check of the capacity, so that no append below has to move the record.
	b = slices.Grow(b, fixedText+len(r.Name)+4*len(r.Cigar)+2*len(r.Bases)+r.tagRoom())
	start := len(b)
	b = append(b, make([]byte, binaryHeader)...)

	name := r.Name[:min(len(r.Name), MaxNameLength)]
	b = appendOrStar(b, name)
	b = append(b, 0)
	nameLength := len(b) - start - binaryHeader

	length := referenceLength(r.Cigar)
	cigarCount := len(r.Cigar)
	if cigarCount > mostCigar {
		b = appendUint32(b, uint32(hts.NewCigarOp(hts.CigarSoftClipped, len(r.Bases))))
		b = appendUint32(b, uint32(hts.NewCigarOp(hts.CigarSkipped, length)))
		cigarCount = 2
	} else {
		b = appendOperations(b, r.Cigar)
	}
	b = appendBases(b, r.Bases)
	b = r.appendQualities(b)
	b = r.appendTags(b, Binary)
	if len(r.Cigar) > mostCigar {
		b = append(b, "CGBI"...)
		b = appendUint32(b, uint32(len(r.Cigar)))
		b = appendOperations(b, r.Cigar)
	}

	fixed := b[start:]
	r.putOrder(fixed)
	_, pos := place(r.Contig, r.ContigIndex, r.Pos)
	fixed[offsetNameLength] = byte(nameLength)
	fixed[offsetMapQ] = r.MapQ
	end := pos + alignedLength(r.Flags, length)
	binary.LittleEndian.PutUint16(fixed[offsetBin:], uint16(bgzf.Bin(pos, end, bgzf.Depth)))
	binary.LittleEndian.PutUint16(fixed[offsetCigarCount:], uint16(cigarCount))
	putInt32(fixed[offsetBases:], len(r.Bases))
	mateContig, matePos := place(r.MateContig, r.MateContigIndex, r.MatePos)
	putInt32(fixed[offsetMateContig:], mateContig)
	putInt32(fixed[offsetMatePos:], matePos)
	putInt32(fixed[offsetTemplate:], r.TemplateLength)
	return b
}

// consumesReference has a bit for each operation that takes bases of the reference:
// M, D, N, = and X.
const consumesReference = 1<<hts.CigarMatch | 1<<hts.CigarDeletion | 1<<hts.CigarSkipped |
	1<<hts.CigarEqual | 1<<hts.CigarMismatch

func referenceLength(cigar []hts.CigarOp) int {
	n := 0
	for _, op := range cigar {
		n += operationLength(op)
	}
	return n
}

// operationLength is the number of bases of the reference under an operation.
func operationLength(op hts.CigarOp) int {
	return op.Len() * int(consumesReference>>(op&15)&1)
}

// alignedLength is the length by which a record is put into bins: 1 for one without
// an alignment (SAMv1, section 4.2.1).
func alignedLength(flags hts.Flags, length int) int {
	if flags&hts.Unmapped != 0 || length == 0 {
		return 1
	}
	return length
}

func appendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

// appendOperations appends operations as BAM has them, which is how hts.CigarOp has them.
func appendOperations(b []byte, cigar []hts.CigarOp) []byte {
	for _, op := range cigar {
		b = appendUint32(b, uint32(op))
	}
	return b
}

// baseCodes are the four bits of each letter (SAMv1, section 4.2: "=ACMGRSVTWYHKDBN"); any other
// letter is N.
var baseCodes = func() (codes [256]byte) {
	for i := range codes {
		codes[i] = 15
	}
	for i, c := range []byte("=ACMGRSVTWYHKDBN") {
		codes[c] = byte(i)
		if c != '=' {
			codes[c+'a'-'A'] = byte(i)
		}
	}
	codes['U'], codes['u'] = codes['T'], codes['T']
	return codes
}()

// appendBases appends two letters a byte, the first in the upper half.
func appendBases(b, bases []byte) []byte {
	n := len(b)
	b = append(b, bases[:(len(bases)+1)/2]...) // room for as many bytes
	codes := b[n:]
	for i := range len(bases) / 2 {
		codes[i] = baseCodes[bases[2*i]]<<4 | baseCodes[bases[2*i+1]]
	}
	if i := len(bases) / 2; i < len(codes) {
		codes[i] = baseCodes[bases[2*i]] << 4
	}
	return b
}

// noQuality stands for each quality of a record with bases and without qualities.
const noQuality = 0xff

func (r *Record) appendQualities(b []byte) []byte {
	n := len(b)
	b = append(b, r.Bases...) // room for as many qualities
	q := b[n : n+copy(b[n:], r.Qualities)]
	for i := n + len(q); i < len(b); i++ {
		b[i] = noQuality
	}
	for ; len(q) >= 8; q = q[8:] { // letters are '!' and up, so no byte borrows
		binary.LittleEndian.PutUint64(q, binary.LittleEndian.Uint64(q)-'!'*0x0101010101010101)
	}
	for i := range q {
		q[i] -= '!'
	}
	return b
}
