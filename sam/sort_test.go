package sam

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	hts "github.com/biogo/hts/sam"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/extsort"
	"scanmap/internal/programs"
	"scanmap/internal/temporary"
)

// inOrder is the order that sorting has to make, by a stable sort of records.
func inOrder(records []Record) []Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int {
		if a.Contig == "" || b.Contig == "" {
			return cmp.Compare(len(b.Contig), len(a.Contig)) * btoi(a.Contig == "" != (b.Contig == ""))
		}
		return cmp.Or(cmp.Compare(a.ContigIndex, b.ContigIndex), cmp.Compare(a.Pos, b.Pos),
			cmp.Compare(a.Flags&hts.Reverse, b.Flags&hts.Reverse))
	})
	return sorted
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sortedLines(records []Record) []byte {
	var b []byte
	for _, r := range inOrder(records) {
		b = r.AppendText(b)
	}
	return b
}

// tinySorter has segments of some records. Half of the segments make a run, and fanIn runs are
// merged.
func tinySorter(folder string, segmentBytes, half, fanIn, threads int) *sorter {
	// Several ranges of some records, and chunks of one or two.
	sizes := extsort.Sizes{Segment: segmentBytes, Half: half, FanIn: fanIn, Merge: 1 << 30, Range: 2 * segmentBytes, Indexed: 1}
	s := sorterOf(temporary.In(folder), sizes, threads)
	s.chunkBytes = 300
	return s
}

func sortBy(t interface{ Fatal(...any) }, s *sorter, records []Record) []byte {
	defer func() {
		if err := s.Discard(); err != nil {
			t.Fatal(err)
		}
	}()
	for i := range records {
		if err := s.Add(records[i].Append(nil, KeyedText)); err != nil {
			t.Fatal(err)
		}
	}
	var got []byte
	if err := s.finish(emitter{record: func(r []byte) error { got = append(got, r[keyedHeader:]...); return nil }}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSort(t *testing.T) {
	folder := t.TempDir()
	for _, n := range []int{0, 1, 2, 7, 8, 9, 100, effort.Pick(5000, 1500)} {
		records := manyRecords(n)
		want := sortedLines(records)
		for _, c := range []struct{ segmentBytes, half, fanIn, threads int }{
			{1 << 20, 8, 64, 1},
			{1, 1, 2, 1}, // segments of one record, which is larger than they are
			{1000, 1, 2, 2},
			{1000, 3, 3, 3},
			{4000, 2, 64, 2},
		} {
			if n > 1000 && c.segmentBytes == 1 {
				continue
			}
			s := tinySorter(folder, c.segmentBytes, c.half, c.fanIn, c.threads)
			if got := sortBy(t, s, records); !bytes.Equal(got, want) {
				t.Errorf("%d records, %+v: other order", n, c)
			}
		}
	}
}

func TestSortProperty(t *testing.T) {
	effort.Cases(t, 25)
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		records := manyRecords(rapid.IntRange(0, 400).Draw(t, "records"))
		positions := rapid.IntRange(1, 50).Draw(t, "positions")
		for i := range records {
			if records[i].Contig != "" {
				records[i].Pos %= positions
			}
		}
		s := tinySorter(folder, rapid.IntRange(1, 5000).Draw(t, "segment"), rapid.IntRange(1, 4).Draw(t, "half"),
			rapid.IntRange(2, 5).Draw(t, "fan in"), rapid.IntRange(1, 4).Draw(t, "threads"))
		if !bytes.Equal(sortBy(t, s, records), sortedLines(records)) {
			t.Fatal("other order")
		}
	})
}

// TestRanges has the last merge go by several ranges, over runs and segments, also where most
// records have one key, and compares it with one merge of all. An error of emit ends it.
func TestRanges(t *testing.T) {
	folder := t.TempDir()
	for _, alike := range []bool{false, true} {
		records := manyRecords(20_000)
		if alike {
			for i := range records[:15_000] {
				records[i].Contig, records[i].ContigIndex, records[i].Pos = testContigs[0].Name, 0, 70
			}
		}
		sorter := func() *sorter {
			s := tinySorter(folder, 100_000, 3, 3, 4)
			for i := range records {
				if err := s.Add(records[i].Append(nil, KeyedText)); err != nil {
					t.Fatal(err)
				}
			}
			return s
		}
		s := sorter()
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		if parts := len(s.Ranges()); parts < 4 {
			t.Errorf("alike %v: %d ranges", alike, parts)
		}
		if !bytes.Equal(sortBy(t, s, nil), sortedLines(records)) {
			t.Errorf("alike %v: other order", alike)
		}
		s = sorter()
		n, full := 0, errors.New("full")
		err := s.finish(emitter{record: func([]byte) error {
			if n++; n == 5000 {
				return full
			}
			return nil
		}})
		if !errors.Is(err, full) || n != 5000 {
			t.Errorf("alike %v: error %v after %d records", alike, err, n)
		}
		if err := s.Discard(); err != nil {
			t.Error(err)
		}
	}
}

// TestRangesTellFaults has runs that have changed when their ranges are merged.
func TestRangesTellFaults(t *testing.T) {
	folder := t.TempDir()
	s := tinySorter(folder, 10_000, 3, 100, 4)
	s.Files = faultyFiles{s.Files, faultyFile{flip: true}}
	for _, r := range manyRecords(2000) {
		if err := s.Add(r.Append(nil, KeyedText)); err != nil {
			t.Fatal(err)
		}
	}
	want := "sorting, temporary folder " + folder + ": reading back: a block has changed since it was written"
	if err := s.finish(emitter{record: func([]byte) error { return nil }}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := s.Discard(); err != nil {
		t.Error(err)
	}
}

func TestKeyOrder(t *testing.T) {
	last := uint64(0)
	for i, r := range []Record{
		{Contig: "c", Pos: 0}, {Contig: "c", Pos: 0, Flags: hts.Reverse}, {Contig: "c", Pos: 1},
		{Contig: "c", Pos: 1<<31 - 2, Flags: hts.Reverse}, {Contig: "d", ContigIndex: 1, Pos: 0},
		{Contig: "z", ContigIndex: 1<<31 - 1, Pos: 1<<31 - 2, Flags: hts.Reverse}, {Pos: -1},
	} {
		key := keyOf(r.AppendBinary(nil))
		if i > 0 && key <= last {
			t.Errorf("record %d has key %x after %x", i, key, last)
		}
		last = key
	}
	if a, b := keyOf((&Record{Flags: 4}).AppendBinary(nil)), keyOf((&Record{Flags: 20}).AppendBinary(nil)); a != b {
		t.Errorf("strands of records without a place have keys %x and %x", a, b)
	}
}

// The whole writer with little memory makes what it makes with much.
func TestSortMemory(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	records := manyRecords(20_000)
	blocks := blocksOf(records, Binary, 100)
	huge := Record{Name: "huge", Contig: "c", Pos: 100, Cigar: []hts.CigarOp{cigarOfLength(3 << 20)}, Bases: letters(3 << 20)}
	blocks = append(blocks, huge.AppendBinary(nil))
	o := WriterOptions{Format: FormatBAM, Sort: true, Threads: 2, Temporary: temporary.In(t.TempDir())}
	want := write(t, h, o, blocks...)
	o.SortMemory = 1
	if !bytes.Equal(write(t, h, o, blocks...), want) {
		t.Error("other bytes with little memory")
	}
}

// samtools sort makes the same order, of made records and of mapped ones.
func TestSamtoolsAgreesOnOrder(t *testing.T) {
	path := programs.Find(t, "samtools")
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate, NoProgram: true}, testContigs...)
	var text bytes.Buffer
	if err := WriteHeader(&text, h); err != nil {
		t.Fatal(err)
	}
	records := manyRecords(5000)
	for i := range records {
		text.Write(records[i].AppendText(nil))
	}
	inputs := map[string][]byte{"made": text.Bytes()}
	files, err := filepath.Glob("../cmd/scanmap/testdata/golden/*.sam")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mapped records, error %v", err)
	}
	for _, name := range files {
		if inputs[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, input := range inputs {
		sam, err := hts.NewReader(bytes.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		h := sam.Header()
		h.SortOrder, h.GroupOrder = hts.Coordinate, hts.GroupUnspecified
		unsorted := body(t, output(t, input, path, "view", "--no-PG", "-b", "-"))
		want := body(t, output(t, input, path, "sort", "--no-PG", "-O", "bam", "-"))
		for _, memory := range []int64{0, 1} {
			o := WriterOptions{Format: FormatBAM, Sort: true, SortMemory: memory, Threads: 2, Temporary: temporary.In(t.TempDir())}
			if got := body(t, write(t, h, o, unsorted)); !bytes.Equal(got, want) {
				t.Errorf("%s, memory %d: samtools sort has another order", name, memory)
			}
		}
	}
}

func TestNothingSpilledNeedsNoFolder(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	o := WriterOptions{Sort: true, Temporary: temporary.In(filepath.Join(t.TempDir(), "missing"))}
	blocks := blocksOf(manyRecords(20_000), KeyedText, 100)
	write(t, h, o, blocks...)

	o.SortMemory = 1
	err := writeBlocks(io.Discard, o, h, blocks)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "temporary folder "+o.Temporary.Folder()) {
		t.Errorf("missing folder: error %v", err)
	}
}

// faultyFile fails with err after a number of bytes, and gives other bytes back if flip.
type faultyFile struct {
	temporary.File
	left int
	err  error
	flip bool
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 && f.err != nil {
		return 0, f.err
	}
	return f.File.Write(p)
}

func (f *faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	if f.flip && n > 12 { // no header of a block
		p[n/2] ^= 1
	}
	return n, err
}

// faultyFiles are files with a fault.
type faultyFiles struct {
	temporary.Files
	fault faultyFile
}

func (f faultyFiles) Create(name string) (temporary.File, error) {
	faulty := f.fault
	var err error
	faulty.File, err = f.Files.Create(name)
	return &faulty, err
}

func TestSortReportsFaultsOfFiles(t *testing.T) {
	folder := t.TempDir()
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		name  string
		fault faultyFile
		want  string
	}{
		{"full at once", faultyFile{err: full}, "temporary folder " + folder + " is full: sorting needs more room than is left there"},
		{"full later", faultyFile{left: 5000, err: full}, "temporary folder " + folder + " is full"},
		{"broken", faultyFile{left: 100, err: io.ErrClosedPipe}, "sorting, temporary folder " + folder + ": io: read/write on closed pipe"},
		{"changed", faultyFile{flip: true}, "sorting, temporary folder " + folder +
			": reading back: a block has changed since it was written"},
	} {
		within(t, c.name, func() {
			s := tinySorter(folder, 1000, 2, 3, 2)
			s.Files = faultyFiles{s.Files, c.fault}
			var err error
			for i, r := range manyRecords(2000) {
				if err = s.Add(r.Append(nil, KeyedText)); err != nil {
					break
				}
				if i == 1999 {
					err = s.finish(emitter{record: func([]byte) error { return nil }})
				}
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Count(err.Error(), "folder") != 1 {
				t.Errorf("%s: error %v, want %s", c.name, err, c.want)
			}
			if err := s.Discard(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	block := bytes.Join(blocksOf(manyRecords(100_000), Binary, 100), nil)
	for _, memory := range []int64{DefaultSortMemory, 8 << 20} {
		b.Run(fmt.Sprint(memory>>20, "MiB"), func(b *testing.B) {
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				s := newSorter(temporary.In(""), memory, 2)
				if _, err := eachRecord(block, s.Add); err != nil {
					b.Fatal(err)
				}
				if err := s.finish(emitter{record: func([]byte) error { return nil }}); err != nil {
					b.Fatal(err)
				}
				if err := s.Discard(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
