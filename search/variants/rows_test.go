package variants

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/extsort"
	"scanmap/internal/temporary"
)

// byPlace is the order of rows, field by field.
func byPlace(a, b row) int {
	number := map[bool]int{true: 1}
	return cmp.Or(a.pattern-b.pattern, a.contig-b.contig, a.start-b.start, a.end-b.end, number[a.reverse]-number[b.reverse],
		cmp.Compare(a.alleles, b.alleles), a.startIn-b.startIn, a.endIn-b.endIn, bytes.Compare(a.line, b.line))
}

// rowsOf sorts rows, and returns them.
func rowsOf(o *Options, rows []row) (got []row, err error) {
	s := newSorter(o, 2)
	defer func() { err = cmp.Or(err, s.Discard()) }()
	for _, r := range rows {
		if err := s.Add(r.append(nil)); err != nil {
			return nil, err
		}
	}
	m, err := merge(s)
	for ; err == nil && m.valid; err = m.next() {
		r := m.head
		r.line = slices.Clone(r.line)
		got = append(got, r)
	}
	return got, err
}

// TestRowsInOrder compares the order of rows with an order of their fields, in memory and in runs.
// Fields have values around the borders of their bytes, and alleles and lines begin with others.
func TestRowsInOrder(t *testing.T) {
	effort.Cases(t, 40)
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.SampledFrom([]int{0, 1, 2, 127, 128, 255, 256, 257, 65535, 65536, 1<<31 - 1})
		text := rapid.SampledFrom([]string{"", "c:3:A>C", "c:3:A>CC", "c:3:A>C,c:4:A>C", "c", "\x7f"})
		rows := make([]row, rapid.IntRange(0, 60).Draw(rt, "rows"))
		for i := range rows {
			number := func(name string) int {
				if rapid.Bool().Draw(rt, "zero") {
					return 0
				}
				return number.Draw(rt, name)
			}
			rows[i] = row{pattern: number("pattern"), contig: number("contig"), start: number("start"), end: number("end"),
				reverse: rapid.Bool().Draw(rt, "reverse"), startIn: number("start in"), endIn: number("end in"), distance: number("distance"),
				alleles: text.Draw(rt, "alleles"), line: []byte(text.Draw(rt, "line"))}
			if i > 0 && rapid.IntRange(0, 3).Draw(rt, "again") == 0 {
				rows[i] = rows[i/2]
			}
		}
		want := slices.Clone(rows)
		slices.SortStableFunc(want, byPlace)
		want = slices.CompactFunc(want, func(a, b row) bool { return byPlace(a, b) == 0 })
		for _, sizes := range []extsort.Sizes{{}, spilling(300)} {
			got, err := rowsOf(&Options{Temporary: temporary.In(folder), bounds: bounds{rows: sizes}}, rows)
			if err != nil || !slices.EqualFunc(got, want, func(a, b row) bool { return byPlace(a, b) == 0 }) {
				rt.Fatalf("%+v: %v, %v, want %v", sizes, got, err, want)
			}
			for i, r := range got { // of equal rows, which may differ in this alone, any
				if !slices.ContainsFunc(rows, func(a row) bool { return byPlace(a, r) == 0 && a.distance == r.distance }) {
					rt.Fatalf("row %d has %d differences", i, r.distance)
				}
			}
		}
	})
}

// TestRecordOfRow has the bytes of a row.
func TestRecordOfRow(t *testing.T) {
	r := row{pattern: 1, contig: 258, start: 3, end: 4, reverse: true, distance: 7, startIn: 5, endIn: 6, alleles: "a", line: []byte("line")}
	want := "\x37\x00\x00\x00" + "\x00\x00\x00\x01" + "\x00\x00\x01\x02" + "\x00\x00\x00\x00\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x04" +
		"\x01" + "a\x00" + "\x00\x00\x00\x00\x00\x00\x00\x05" + "\x00\x00\x00\x00\x00\x00\x00\x06" + "line" + "\x00\x00\x00\x00\x00\x00\x00\x07"
	if got := string(r.append(nil)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// countedFiles counts files that are open, and fails to write from a time on, unless that is 0.
type countedFiles struct {
	temporary.Files
	open, most, made, written atomic.Int64
	fails                     int64
}

type countedFile struct {
	temporary.File
	files *countedFiles
}

func (c *countedFiles) Create(name string) (temporary.File, error) {
	f, err := c.Files.Create(name)
	c.made.Add(1)
	c.most.Store(max(c.most.Load(), c.open.Add(1)))
	return countedFile{f, c}, err
}

func (f countedFile) Write(b []byte) (int, error) {
	if n := f.files.written.Add(1); f.files.fails > 0 && n >= f.files.fails {
		return 0, syscall.ENOSPC
	}
	return f.File.Write(b)
}

func (f countedFile) Close() error {
	f.files.open.Add(-1)
	return f.File.Close()
}

// TestMemoryOfManyRuns has thousands of runs. Few are open at a time: memory does not grow.
func TestMemoryOfManyRuns(t *testing.T) {
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := live()
	files := &countedFiles{Files: temporary.In(t.TempDir())}
	sizes := spilling(1000)
	sizes.FanIn = 8
	s := newSorter(&Options{Temporary: files, bounds: bounds{rows: sizes}}, 2)
	n := effort.Pick(20_000, 8000)
	for i := range n {
		r := row{start: i * 7919 % n, alleles: "c:3:A>C", line: []byte("p\tc\t1\t5\t+\t0\tACGTACGTACGTACGTACGTACGT")}
		if err := s.Add(r.append(nil)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := merge(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if !m.valid || m.head.start != i {
			t.Fatalf("row %d: %+v", i, m.head)
		}
		if i == n/2 {
			if held := live() - before; held > 2<<20 {
				t.Errorf("%d bytes are held", held)
			}
		}
		if err := m.next(); err != nil {
			t.Fatal(err)
		}
	}
	if made, most := files.made.Load(), files.most.Load(); m.valid || made < int64(n/10) || most > 40 {
		t.Errorf("%d files, %d at a time; more rows: %v", made, most, m.valid)
	}
	if err := s.Discard(); err != nil || files.open.Load() != 0 {
		t.Errorf("%v, %d files are open", err, files.open.Load())
	}
}

// TestFullFolder has no room for rows, from any write on: the run ends with one line about it, and
// no file is left.
func TestFullFolder(t *testing.T) {
	text, vcf := "", vcfHead
	for i := range 100 {
		text += "ACGTTAGC"
		vcf += fmt.Sprintf("c0\t%d\t.\tT\tG\t.\t.\t.\n", 8*i+4)
	}
	for fails := int64(1); fails < 200; fails += effort.Pick[int64](9, 22) {
		files := &countedFiles{Files: temporary.In(t.TempDir()), fails: fails}
		rows, _, err := runOn(t, text, vcf, "GKTAG", Options{Temporary: files, bounds: bounds{rows: spilling(500), batch: 500}})
		want := "temporary folder " + files.Folder() + " is full: places with variants needs more room than is left there: no space left on device"
		if failed := files.written.Load() >= fails; failed != (err != nil) || failed && (err.Error() != want || len(rows) > 0) || fails == 1 && !failed {
			t.Errorf("write %d: %v, want %s", fails, err, want)
		}
		if files.open.Load() != 0 {
			t.Errorf("write %d: %d files are open", fails, files.open.Load())
		}
	}
}
