package track

import (
	"bytes"
	"io"

	"scanmap/internal/bgzf"
)

// The levels of DEFLATE. For the text of depth 3 makes files as small as 6 does, in three quarters
// of the time. For sections of a bigWig 5 does, in nine tenths; 3 makes them half as large again.
const (
	bgzfLevel = 3
	zlibLevel = 5
)

// WriteBGZF writes the values of all contigs as bedGraph in BGZF, compressed by threads goroutines,
// and its index as tabix makes it: the file's name with IndexEnding after it. Without an index,
// index is nil.
func WriteBGZF(w, index io.Writer, contigs []Contig, v Values, threads int) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	x := newTabix(contigs)
	z, err := bgzf.NewWriter(w, bgzfLevel, threads)
	if err != nil {
		return err
	}
	defer z.Discard()
	z.KeepOffsets()
	err = writeLines(contigs, v, threads, func(contig int, lines []byte, groups []group) error {
		for _, g := range groups {
			put := func(begin, after bgzf.Place) { x.add(contig, g.start, g.end, begin, after) }
			if err := writeGroup(z, lines[:g.bytes], put); err != nil {
				return err
			}
			lines = lines[g.bytes:]
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := z.Close(); err != nil || index == nil {
		return err
	}
	return x.write(index, z.Offsets())
}

// writeGroup writes lines, none into two blocks, and tells the places of those in each block.
func writeGroup(z *bgzf.Writer, lines []byte, put func(begin, after bgzf.Place)) error {
	for len(lines) > 0 {
		n := len(lines)
		if room := z.Room(); n > room {
			n = bytes.LastIndexByte(lines[:room], '\n') + 1
		}
		if n == 0 {
			if err := z.Flush(); err != nil {
				return err
			}
			continue
		}
		begin := z.Place()
		if _, err := z.Write(lines[:n]); err != nil {
			return err
		}
		put(begin, begin+bgzf.Place(n))
		lines = lines[n:]
	}
	return nil
}
