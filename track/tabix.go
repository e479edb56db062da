package track

import (
	"encoding/binary"
	"io"

	"scanmap/internal/bgzf"
)

// IndexEnding is the ending of the name of the index of a BGZF file, after the name of the file:
// .tbi, or .csi where a contig is longer than the 2^29 bases that TBI reaches.
func IndexEnding(contigs []Contig) string {
	if _, csi := bgzf.DepthFor(longest(contigs)); csi {
		return ".csi"
	}
	return ".tbi"
}

func longest(contigs []Contig) int {
	most := 0
	for _, c := range contigs {
		most = max(most, c.Length)
	}
	return most
}

// tabix makes the index of the lines of a bedGraph in their order. Its places are numbers of blocks
// where files have offsets; write has both.
//
// biogo/hts has tabix too. Its tabix.Index.Add takes every record for one of a new contig, because
// it never writes down the names that it has seen; and it needs offsets as records come, before
// their blocks are compressed. Package sam has the same for BAM.
type tabix struct {
	bgzf.Index
	contigs []Contig
	// used has the contigs that have lines, as tabix numbers them: by their first line.
	used []*usedContig
}

type usedContig struct {
	bgzf.Contig
	contig int
}

func newTabix(contigs []Contig) *tabix {
	x := &tabix{Index: bgzf.NewIndex(longest(contigs)), contigs: contigs}
	x.ByBlock = true
	return x
}

// add takes a line of bases start to end that lies in the file from begin to before after.
func (x *tabix) add(contig, start, end int, begin, after bgzf.Place) {
	if n := len(x.used); n == 0 || x.used[n-1].contig != contig {
		c := &usedContig{contig: contig}
		x.used = append(x.used, c)
		x.Start(&c.Contig)
	}
	x.Add(start, end, begin, after)
}

// write writes the index as files have it, in BGZF. offsets are the offsets of the blocks and of
// the end.
func (x *tabix) write(w io.Writer, offsets bgzf.Offsets) error {
	z, err := bgzf.NewWriter(w, bgzfLevel, 1)
	if err != nil {
		return err
	}
	defer z.Discard()
	if _, err := z.Write(x.appendHead(nil)); err != nil {
		return err
	}
	var b []byte
	for _, c := range x.used {
		b = x.AppendBins(b[:0], &c.Contig, 0, offsets)
		b = x.AppendWindows(b, &c.Contig, offsets)
		if _, err := z.Write(b); err != nil {
			return err
		}
	}
	if _, err := z.Write(make([]byte, 8)); err != nil { // number of lines without a place
		return err
	}
	return z.Close()
}

// appendHead appends what comes before the contigs.
func (x *tabix) appendHead(b []byte) []byte {
	put := binary.LittleEndian.AppendUint32
	var names []byte
	for _, c := range x.used {
		names = append(append(names, x.contigs[c.contig].Name...), 0)
	}
	if x.CSI {
		b = append(b, "CSI\x01"...)
		b = put(b, bgzf.Shift)
		b = put(b, uint32(x.Depth))
		b = put(b, uint32(28+len(names)))
	} else {
		b = append(b, "TBI\x01"...)
		b = put(b, uint32(len(x.used)))
	}
	// The generic format with 0-based begins; columns of contig, start and end; header lines begin
	// with #, and no others are skipped.
	for _, field := range []uint32{0x10000, 1, 2, 3, '#', 0, uint32(len(names))} {
		b = put(b, field)
	}
	b = append(b, names...)
	if x.CSI {
		b = put(b, uint32(len(x.used)))
	}
	return b
}
