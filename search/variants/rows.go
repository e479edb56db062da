package variants

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"scanmap/internal/extsort"
	"scanmap/search"
)

// A row is a line of the output with the fields that decide its order.
type row struct {
	pattern, contig, start, end int
	reverse                     bool
	distance                    int
	startIn, endIn              int // as place has them
	alleles                     string
	line                        []byte // without its end
}

// samePlace tells whether rows are of one pattern and place, whatever the alleles.
func samePlace(a, b *row) bool {
	return a.pattern == b.pattern && a.contig == b.contig && a.start == b.start && a.end == b.end && a.reverse == b.reverse
}

const (
	// rowMemory is the most bytes of rows in memory.
	rowMemory = 64 << 20
	// rowEnd are the bytes behind the line of a row in its record: the distance.
	rowEnd = 8
)

// newSorter returns a sorter of rows, by pattern, contig, start, end and strand. Rows of the
// reference come before others of the same place, and others are in the order of alleles and lines.
// Rows that are there already are left out: the same place with the same alleles is the same row,
// whatever window it is of. Alleles of two records that say the same may have samples of their own.
func newSorter(o *Options, threads int) *extsort.Sorter {
	sizes := cmp.Or(o.bounds.rows, extsort.Share(rowMemory, threads))
	return extsort.New(extsort.Options{Files: o.Temporary, Purpose: "places with variants", Key: rowKey, Tie: compareRows,
		Threads: threads, Sizes: sizes})
}

// rowKey is the pattern and the contig of a record of a row.
func rowKey(record []byte) uint64 { return binary.BigEndian.Uint64(record[extsort.LengthBytes:]) }

// compareRows is the order of records of rows: by their bytes without the distance.
func compareRows(a, b []byte) int {
	return bytes.Compare(a[extsort.LengthBytes:len(a)-rowEnd], b[extsort.LengthBytes:len(b)-rowEnd])
}

// append appends a row as a record whose bytes are in the order of rows: numbers with their most
// significant byte first, and a zero byte after the alleles, which have none.
func (r *row) append(b []byte) []byte {
	from := len(b)
	b = append(b, make([]byte, extsort.LengthBytes)...)
	b = binary.BigEndian.AppendUint32(b, uint32(r.pattern))
	b = binary.BigEndian.AppendUint32(b, uint32(r.contig))
	b = binary.BigEndian.AppendUint64(b, uint64(r.start))
	b = binary.BigEndian.AppendUint64(b, uint64(r.end))
	if r.reverse {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = append(append(b, r.alleles...), 0)
	b = binary.BigEndian.AppendUint64(b, uint64(r.startIn))
	b = binary.BigEndian.AppendUint64(b, uint64(r.endIn))
	b = append(b, r.line...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.distance))
	binary.LittleEndian.PutUint32(b[from:], uint32(len(b)-from-extsort.LengthBytes))
	return b
}

// read reads what append made. The line is valid as long as the record.
func (r *row) read(record []byte) {
	number := func(b []byte) int { return int(binary.BigEndian.Uint64(b)) }
	b := record[extsort.LengthBytes:]
	r.pattern, r.contig = int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	r.start, r.end, r.reverse = number(b[8:]), number(b[16:]), b[24] == 1
	alleles, b, _ := bytes.Cut(b[25:], []byte{0})
	r.alleles = string(alleles)
	r.startIn, r.endIn, r.distance = number(b), number(b[8:]), number(b[len(b)-rowEnd:])
	r.line = b[16 : len(b)-rowEnd]
}

// A merger gives the rows of a sorter in order.
type merger struct {
	from *extsort.Merger
	// head is the next row, and record its record; they are valid if there is one.
	head   row
	record []byte
	valid  bool
}

// merge ends adding to a sorter.
func merge(s *extsort.Sorter) (*merger, error) {
	if err := s.Finish(); err != nil {
		return nil, err
	}
	m := &merger{from: s.Merge(extsort.All)}
	return m, m.next()
}

// next goes on to the next row.
func (m *merger) next() (err error) {
	m.record, err = m.from.Next()
	if m.valid = m.record != nil; m.valid {
		m.head.read(m.record)
	}
	return err
}

// appendName appends a name with \xNN instead of each byte that is not printable ASCII, and of
// blank, comma and backslash.
func appendName(b []byte, name string) []byte { return search.AppendEscaped(b, name, " ,") }

// cutColumns returns the line after its first n columns.
func cutColumns(line []byte, n int) []byte {
	for range n {
		at := bytes.IndexByte(line, '\t')
		if at < 0 {
			return nil
		}
		line = line[at+1:]
	}
	return line
}
