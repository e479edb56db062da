package variants

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"io"
	"slices"

	"scanmap/internal/temporary"
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

// byPlace is the order of rows. Rows of the reference come before others of the same place. Alleles
// of two records that say the same may have samples of their own.
func byPlace(a, b *row) int {
	return cmp.Or(a.pattern-b.pattern, a.contig-b.contig, a.start-b.start, a.end-b.end, boolean(a.reverse)-boolean(b.reverse),
		cmp.Compare(a.alleles, b.alleles), a.startIn-b.startIn, a.endIn-b.endIn,
		bytes.Compare(a.line, b.line))
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rowOverhead is the memory of a row without its texts.
const rowOverhead = 160

// A sorter gives rows back in order. Rows that do not fit its memory wait in a temporary file, in
// runs that are sorted.
//
// Package sam sorts records in temporary files too, and cannot sort rows. Its records compare by a
// key of 64 bits and else by the order in which they came, which is what makes ranges of keys that
// goroutines merge side by side. Rows compare by more fields and by texts, equal ones are dropped.
// A merge of sam hands records to a function; rows are taken one by one, between rows of the
// reference that a search finds meanwhile. Only a heap would be in common.
type sorter struct {
	files  temporary.Files
	memory int // bytes of rows that are held
	rows   []row
	held   int
	file   temporary.File
	to     *bufio.Writer // to file
	size   int64
	runs   []int64 // the ends of the runs in the file
}

// add takes a row, whose texts the sorter keeps.
func (s *sorter) add(r row) error {
	s.rows = append(s.rows, r)
	if s.held += rowOverhead + len(r.alleles) + len(r.line); s.held > s.memory {
		return s.spill()
	}
	return nil
}

// spill writes the rows that are held as a run.
func (s *sorter) spill() error {
	if s.file == nil {
		var err error
		if s.file, err = s.files.Create("scanmap-variants"); err != nil {
			return s.explain(err)
		}
	}
	s.sort()
	if s.to == nil {
		s.to = bufio.NewWriterSize(s.file, 1<<20)
	}
	var b []byte
	for i := range s.rows {
		b = s.rows[i].append(b[:0])
		if _, err := s.to.Write(b); err != nil {
			return s.explain(err)
		}
		s.size += int64(len(b))
	}
	if err := s.to.Flush(); err != nil {
		return s.explain(err)
	}
	s.runs = append(s.runs, s.size)
	clear(s.rows)
	s.rows, s.held = s.rows[:0], 0
	return nil
}

func (s *sorter) explain(err error) error {
	return temporary.Explain(s.files, "places with variants", err)
}

// sort sorts the rows that are held, and leaves out rows that are there already: the same place
// with the same alleles is the same row, whatever window it is of.
func (s *sorter) sort() {
	slices.SortFunc(s.rows, func(a, b row) int { return byPlace(&a, &b) })
	s.rows = slices.CompactFunc(s.rows, func(a, b row) bool { return byPlace(&a, &b) == 0 })
}

// close removes the temporary file.
func (s *sorter) close() error {
	if s.file == nil {
		return nil
	}
	return s.explain(s.file.Close())
}

// append appends a row as numbers and texts.
func (r *row) append(b []byte) []byte {
	for _, n := range r.numbers() {
		b = binary.AppendUvarint(b, uint64(*n))
	}
	b = binary.AppendUvarint(b, uint64(boolean(r.reverse)))
	for _, text := range []string{r.alleles, string(r.line)} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

func (r *row) numbers() []*int {
	return []*int{&r.pattern, &r.contig, &r.start, &r.end, &r.distance, &r.startIn, &r.endIn}
}

// read reads what append made.
func (r *row) read(in *bufio.Reader) error {
	for _, n := range r.numbers() {
		v, err := binary.ReadUvarint(in)
		if err != nil {
			return err // io.EOF at the first number is the end
		}
		*n = int(v)
	}
	reverse, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	r.reverse = reverse == 1
	var texts [2][]byte
	for i := range texts {
		length, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		texts[i] = make([]byte, length)
		if _, err := io.ReadFull(in, texts[i]); err != nil {
			return err
		}
	}
	r.alleles, r.line = string(texts[0]), texts[1]
	return nil
}

// A run is a part of the temporary file, or the rows that are held, from which the next row was
// taken.
type run struct {
	row  row
	in   *bufio.Reader // nil for rows that are held
	held []row
}

// advance takes the next row; io.EOF is the end.
func (r *run) advance() error {
	if r.in != nil {
		return r.row.read(r.in)
	}
	if len(r.held) == 0 {
		return io.EOF
	}
	r.row, r.held = r.held[0], r.held[1:]
	return nil
}

// runs are a heap by their next rows.
type runs []*run

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return byPlace(&r[i].row, &r[j].row) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(x any)        { *r = append(*r, x.(*run)) }
func (r *runs) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// A merger gives the rows of a sorter in order.
type merger struct {
	sorter *sorter
	runs   runs
	// head is the next row; it is valid if there is one.
	head  row
	valid bool
}

// merge ends adding.
func (s *sorter) merge() (*merger, error) {
	s.sort()
	m := &merger{sorter: s}
	from := int64(0)
	for _, to := range s.runs {
		m.runs = append(m.runs, &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, from, to-from), 1<<16)})
		from = to
	}
	m.runs = append(m.runs, &run{held: s.rows})
	kept := m.runs[:0]
	for _, r := range m.runs {
		err := r.advance()
		if err == nil {
			kept = append(kept, r)
		} else if err != io.EOF {
			return nil, s.explain(err)
		}
	}
	m.runs = kept
	heap.Init(&m.runs)
	return m, m.next()
}

// next sets the head to the next row that is not the same again.
func (m *merger) next() error {
	last, was := m.head, m.valid
	for {
		if m.valid = len(m.runs) > 0; !m.valid {
			return nil
		}
		m.head = m.runs[0].row
		switch err := m.runs[0].advance(); err {
		case nil:
			heap.Fix(&m.runs, 0)
		case io.EOF:
			heap.Pop(&m.runs)
		default:
			return m.sorter.explain(err)
		}
		if !was || byPlace(&last, &m.head) != 0 {
			return nil
		}
	}
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
