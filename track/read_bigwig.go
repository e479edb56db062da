package track

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	// mostDepth is how deep a tree may be. One of 2^32 contigs is 32 deep if each node has two.
	mostDepth = 33
	// mostKey is the longest key of the tree of contigs.
	mostKey = 1 << 16
	// mostSection is the largest section, of as many items as two bytes can count, and mostPacked its
	// size in the file: DEFLATE makes a block longer by 5 bytes at most for every 16 KiB or so.
	mostSection = sectionHead + math.MaxUint16*itemBytes
	mostPacked  = mostSection + 1<<16
)

// readBigWig reads the blocks of data in the order of the index, which is by the contigs' numbers
// and positions. Zoom levels are not looked at. It is kept because a bigWig is the smallest input
// of scanmap copies, and because the tests of the writer read with it. The starts of 100,000 reads
// of 50 bases in yeast take 1,169,674 bytes of bigWig, 1,638,725 of bedGraph in BGZF and 6,157,658
// of bedGraph.
func readBigWig(r io.ReadSeeker, yield func(contig string, start, end int, value float32) error) error {
	b := bigWigReader{file: r, contigs: map[uint32]Contig{}, names: map[string]bool{}, contig: -1}
	var failed error
	b.j.emit = func(start, end int, value float32) error {
		failed = yield(b.contigs[uint32(b.contig)].Name, start, end, value)
		return failed
	}
	err := b.read()
	if err == nil {
		err = b.j.finish()
	}
	if failed != nil {
		return failed
	}
	return err
}

// bigWigReader reads a bigWig.
type bigWigReader struct {
	file    io.ReadSeeker
	contigs map[uint32]Contig // by their numbers
	names   map[string]bool   // of contigs
	plain   bool              // blocks are not compressed

	j      joiner
	contig int64 // the number of the contig that is read; -1 before the first

	packed, section []byte
	source          bytes.Reader
	z               io.ReadCloser
}

// at reads bytes at an offset; errors name the part of the file with these bytes.
func (b *bigWigReader) at(offset uint64, bytes []byte, what string) error {
	if offset > math.MaxInt64 {
		return fmt.Errorf("offset %d: a bigWig has %s there, but no file is so long", offset, what)
	}
	if _, err := b.file.Seek(int64(offset), io.SeekStart); err != nil {
		return fmt.Errorf("a bigWig has to be a file that can be read at any offset: %w", err)
	}
	_, err := io.ReadFull(b.file, bytes)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("offset %d: the file ends before the end of %s: it is truncated", offset, what)
	}
	return err
}

func (b *bigWigReader) read() error {
	var head [headerBytes]byte
	if err := b.at(0, head[:], "the header"); err != nil {
		return err
	}
	if v := binary.LittleEndian.Uint16(head[4:]); v < 1 || v > bigWigVersion {
		return fmt.Errorf("offset 4: bigWig of version %d, expected 1 to %d", v, bigWigVersion)
	}
	b.plain = binary.LittleEndian.Uint32(head[52:]) == 0
	if err := b.readContigs(binary.LittleEndian.Uint64(head[8:])); err != nil {
		return err
	}
	return b.readIndex(binary.LittleEndian.Uint64(head[24:]))
}

// readContigs reads the B+ tree of contigs.
func (b *bigWigReader) readContigs(offset uint64) error {
	var head [32]byte
	if err := b.at(offset, head[:], "the head of the tree of contigs"); err != nil {
		return err
	}
	key, value := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	count := binary.LittleEndian.Uint64(head[16:])
	switch magic := binary.LittleEndian.Uint32(head[:]); {
	case magic != treeMagic:
		return fmt.Errorf("offset %d: expected a tree of contigs, which begins with %#x, but found %#x", offset, treeMagic, magic)
	case key > mostKey:
		return fmt.Errorf("offset %d: names of contigs have %d bytes, expected at most %d", offset, key, mostKey)
	case value != 8:
		return fmt.Errorf("offset %d: values of the tree of contigs have %d bytes, expected 8", offset, value)
	}
	if count > 0 {
		if err := b.contigNode(offset+32, key, count, 0); err != nil {
			return err
		}
	}
	if uint64(len(b.contigs)) != count {
		return fmt.Errorf("offset %d: the tree has %d contigs, expected %d", offset, len(b.contigs), count)
	}
	return nil
}

// node reads the head of a node that has items.
func (b *bigWigReader) node(offset uint64, depth int) (leaf bool, items int, err error) {
	var head [nodeHead]byte
	if err := b.at(offset, head[:], "a node of a tree"); err != nil {
		return false, 0, err
	}
	items = int(binary.LittleEndian.Uint16(head[2:]))
	switch {
	case depth == mostDepth:
		return false, 0, fmt.Errorf("offset %d: a tree is more than %d nodes deep", offset, mostDepth)
	case head[0] > 1:
		return false, 0, fmt.Errorf("offset %d: expected a node of a tree, which begins with 0 or 1, but found %d", offset, head[0])
	case items == 0:
		// Each node leads to an item then, and none twice: so reading ends.
		return false, 0, fmt.Errorf("offset %d: a node of a tree is empty", offset)
	}
	return head[0] == 1, items, nil
}

// contigNode reads the contigs below a node.
func (b *bigWigReader) contigNode(offset uint64, key uint32, count uint64, depth int) error {
	leaf, items, err := b.node(offset, depth)
	if err != nil {
		return err
	}
	item := make([]byte, key+8)
	for i := range uint64(items) {
		at := offset + nodeHead + i*uint64(len(item))
		if err := b.at(at, item, "a node of the tree of contigs"); err != nil {
			return err
		}
		value := item[key:]
		if !leaf {
			if err := b.contigNode(binary.LittleEndian.Uint64(value), key, count, depth+1); err != nil {
				return err
			}
			continue
		}
		name, _, _ := bytes.Cut(item[:key], []byte{0})
		id, length := binary.LittleEndian.Uint32(value), binary.LittleEndian.Uint32(value[4:])
		_, again := b.contigs[id]
		switch {
		case len(name) == 0:
			return fmt.Errorf("offset %d: the name of a contig is empty", at)
		case uint64(id) >= count:
			return fmt.Errorf("offset %d: contig %d, counted from 0, of %d", at, id, count)
		case again:
			return fmt.Errorf("offset %d: contig %d is there twice", at, id)
		case b.names[string(name)]:
			return fmt.Errorf("offset %d: contig %s is there twice", at, clip(string(name)))
		case length > farthest:
			return fmt.Errorf("offset %d: contig %d has %d bases, too many for this machine", at, id, length)
		}
		b.contigs[id], b.names[string(name)] = Contig{string(name), int(length)}, true
	}
	return nil
}

// readIndex reads the blocks that an R tree leads to.
func (b *bigWigReader) readIndex(offset uint64) error {
	var head [48]byte
	if err := b.at(offset, head[:], "the head of the index"); err != nil {
		return err
	}
	if magic := binary.LittleEndian.Uint32(head[:]); magic != indexMagic {
		return fmt.Errorf("offset %d: expected an index, which begins with %#x, but found %#x", offset, indexMagic, magic)
	}
	if binary.LittleEndian.Uint64(head[8:]) == 0 {
		return nil
	}
	return b.indexNode(offset+48, 0)
}

// indexNode reads the blocks below a node.
func (b *bigWigReader) indexNode(offset uint64, depth int) error {
	leaf, items, err := b.node(offset, depth)
	if err != nil {
		return err
	}
	size := 24
	if leaf {
		size = 32
	}
	node := make([]byte, items*size)
	if err := b.at(offset+nodeHead, node, "a node of the index"); err != nil {
		return err
	}
	for ; len(node) > 0; node = node[size:] {
		at := binary.LittleEndian.Uint64(node[16:])
		if leaf {
			err = b.block(at, binary.LittleEndian.Uint64(node[24:]))
		} else {
			err = b.indexNode(at, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block reads a block of data.
func (b *bigWigReader) block(offset, size uint64) error {
	if size > mostPacked {
		return fmt.Errorf("offset %d: a block of data has %d bytes, expected at most %d", offset, size, mostPacked)
	}
	if uint64(cap(b.packed)) < size {
		b.packed = make([]byte, size)
	}
	b.packed = b.packed[:size]
	if err := b.at(offset, b.packed, "a block of data"); err != nil {
		return err
	}
	section, err := b.inflate()
	if err == nil {
		err = b.items(section)
	}
	if err != nil {
		return fmt.Errorf("block at offset %d: %w", offset, err)
	}
	return nil
}

// inflate returns the one section of the block in b.packed, good until the next call.
func (b *bigWigReader) inflate() ([]byte, error) {
	b.source.Reset(b.packed)
	in := io.Reader(&b.source)
	if !b.plain {
		var err error
		if b.z == nil {
			b.z, err = zlib.NewReader(&b.source)
		} else {
			err = b.z.(zlib.Resetter).Reset(&b.source, nil)
		}
		if err != nil {
			return nil, inflateError(err)
		}
		in = b.z
	}
	if b.section == nil {
		b.section = make([]byte, mostSection+1)
	}
	for n := 0; n < len(b.section); {
		k, err := in.Read(b.section[n:])
		n += k
		if err == io.EOF && n < len(b.section) {
			return b.section[:n], nil
		}
		if err != nil && err != io.EOF {
			return nil, inflateError(err)
		}
	}
	return nil, fmt.Errorf("has more than %d bytes, which no section has", mostSection)
}

func inflateError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the zlib data is truncated")
	}
	return fmt.Errorf("the zlib data is corrupt: %w", err)
}

// items reads the items of a section.
func (b *bigWigReader) items(section []byte) error {
	get := binary.LittleEndian.Uint32
	if len(section) < sectionHead {
		return fmt.Errorf("has %d bytes, expected the %d of a section's head or more", len(section), sectionHead)
	}
	id, start, step, span := get(section), uint64(get(section[4:])), uint64(get(section[12:])), uint64(get(section[16:]))
	kind, items := section[20], int(binary.LittleEndian.Uint16(section[22:]))
	size := map[byte]int{sectionBedGraph: itemBytes, sectionVarStep: varStepBytes, sectionFixed: fixedBytes}[kind]
	switch {
	case size == 0:
		return fmt.Errorf("has a section of type %d, expected 1, 2 or 3", kind)
	case len(section) != sectionHead+items*size:
		return fmt.Errorf("has %d bytes, expected %d: a head of %d, and %d items of %d each",
			len(section), sectionHead+items*size, sectionHead, items, size)
	case items == 0:
		return errors.New("has a section without items") // a file could have any number of these
	}
	if err := b.enter(id); err != nil {
		return err
	}
	for d := section[sectionHead:]; len(d) > 0; d = d[size:] {
		end, value := start+span, d[size-4:]
		switch kind {
		case sectionBedGraph:
			start, end = uint64(get(d)), uint64(get(d[4:]))
		case sectionVarStep:
			start = uint64(get(d))
			end = start + span
		}
		if max(start, end) > farthest {
			return fmt.Errorf("interval %d to %d ends after base %d", start, end, uint64(farthest))
		}
		if err := b.j.add(int(start), int(end), math.Float32frombits(get(value))); err != nil {
			return fmt.Errorf("contig %s: %w", clip(b.contigs[id].Name), err)
		}
		if kind == sectionFixed {
			start += step
		}
	}
	return nil
}

// enter makes sure that the contig of a section is the one at hand.
func (b *bigWigReader) enter(id uint32) error {
	c, ok := b.contigs[id]
	switch {
	case int64(id) == b.contig:
		return nil
	case !ok:
		return fmt.Errorf("is of contig %d, counted from 0, which the tree of contigs does not have", id)
	case int64(id) < b.contig:
		return fmt.Errorf("is of contig %d, after one of contig %d: contigs do not ascend", id, b.contig)
	}
	if err := b.j.finish(); err != nil {
		return err
	}
	b.contig = int64(id)
	b.j.begin(0, c.Length, c.Length)
	return nil
}
