package track

import (
	"encoding/binary"
	"hash/adler32"

	"scanmap/internal/bgzf"
)

// A block of data is a section: a head of 24 bytes, which has contig, start, end, step, span, type
// and number of items, and its items, in one of three types. It takes the type with the fewest
// bytes that can hold its intervals.

// The types of sections, and how many bytes an item of each has.
const (
	sectionBedGraph = 1 // start, end, value
	sectionVarStep  = 2 // start, value; all of length span
	sectionFixed    = 3 // value; all of length span, each step bases after the one before

	sectionHead  = 24
	itemBytes    = 12
	varStepBytes = 8
	fixedBytes   = 4
)

// newSectionPacker makes blocks of data, from intervals as bedGraph items.
func newSectionPacker() packer {
	c := bgzf.NewCompressor(zlibLevel)
	var section []byte
	return func(out []byte, b *block) ([]byte, error) {
		section = appendSection(section[:0], b)
		b.Note.plain = len(section)
		return appendZlib(out, c, section)
	}
}

// A shape is what the type of a section depends on.
type shape struct {
	items, bases int
	span, step   uint32
	sameSpan     bool // all intervals are of length span
	sameStep     bool // and each begins step bases after the one before
	gapless      bool // each begins where the one before ends
}

func shapeOf(b *block) shape {
	get := binary.LittleEndian.Uint32
	d := b.Data
	s := shape{items: len(d) / itemBytes, bases: int(b.Note.extent.end - b.Note.extent.start), sameSpan: true, sameStep: true, gapless: true}
	s.span = get(d[4:]) - get(d)
	s.step = s.span
	if s.items > 1 {
		s.step = get(d[itemBytes:]) - get(d)
	}
	for d := d; len(d) >= 2*itemBytes; d = d[itemBytes:] {
		start, end, next, nextEnd := get(d), get(d[4:]), get(d[itemBytes:]), get(d[itemBytes+4:])
		s.sameSpan = s.sameSpan && nextEnd-next == s.span
		s.sameStep = s.sameStep && next-start == s.step
		s.gapless = s.gapless && next == end
	}
	return s
}

// appendSection appends the section of a block. Intervals without gaps may be cut into single
// bases, each with its value, if that takes fewer bytes: depth changes at every other base.
func appendSection(out []byte, b *block) []byte {
	s := shapeOf(b)
	kind, items, step, span := sectionBedGraph, s.items, uint32(0), uint32(0)
	least := s.items * itemBytes
	single := false
	if s.sameSpan && s.sameStep {
		kind, step, span = sectionFixed, s.step, s.span
	} else {
		if s.sameSpan {
			kind, span, least = sectionVarStep, s.span, s.items*varStepBytes
		}
		if s.gapless && s.bases < least/fixedBytes {
			kind, items, step, span, single = sectionFixed, s.bases, 1, 1, true
		}
	}

	put := binary.LittleEndian.AppendUint32
	for _, field := range []uint32{b.Note.extent.contig, b.Note.extent.start, b.Note.extent.end, step, span} {
		out = put(out, field)
	}
	out = append(out, byte(kind), 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(items))
	switch {
	case kind == sectionBedGraph:
		return append(out, b.Data...)
	case single:
		for d := b.Data; len(d) > 0; d = d[itemBytes:] {
			for range binary.LittleEndian.Uint32(d[4:]) - binary.LittleEndian.Uint32(d) {
				out = append(out, d[8:12]...)
			}
		}
		return out
	}
	for d := b.Data; len(d) > 0; d = d[itemBytes:] {
		if kind == sectionVarStep {
			out = append(out, d[:4]...)
		}
		out = append(out, d[8:12]...)
	}
	return out
}

// newZlibPacker makes blocks of zlib of bytes as they are.
func newZlibPacker() packer {
	c := bgzf.NewCompressor(zlibLevel)
	return func(out []byte, b *block) ([]byte, error) { return appendZlib(out, c, b.Data) }
}

// appendZlib appends zlib (RFC 1950).
func appendZlib(out []byte, c *bgzf.Compressor, plain []byte) ([]byte, error) {
	out = append(out, 0x78, 0x9c) // DEFLATE with a window of 32 KiB, default level
	out, err := c.AppendDeflate(out, plain)
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(plain)), err
}
