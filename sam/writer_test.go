package sam

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/bgzf"
	"scanmap/internal/effort"
	"scanmap/internal/programs"
	"scanmap/internal/temporary"
)

const coordinate = hts.Coordinate

func cigarOfLength(n int) hts.CigarOp { return hts.NewCigarOp(hts.CigarMatch, n) }

// blocksOf encodes records, n in a block.
func blocksOf(records []Record, e Encoding, n int) [][]byte {
	var blocks [][]byte
	for i := range records {
		if i%n == 0 {
			blocks = append(blocks, nil)
		}
		last := &blocks[len(blocks)-1]
		*last = records[i].Append(*last, e)
	}
	return blocks
}

// encodingOf is what a writer of the options takes.
func encodingOf(t testing.TB, h *hts.Header, o WriterOptions) Encoding {
	t.Helper()
	w, err := NewWriter(io.Discard, h, o)
	if err != nil {
		t.Fatal(err)
	}
	w.Discard()
	return w.Encoding()
}

// writeBlocks returns the first error.
func writeBlocks(to io.Writer, o WriterOptions, h *hts.Header, blocks [][]byte) error {
	w, err := NewWriter(to, h, o)
	if err != nil {
		return err
	}
	defer w.Discard()
	for _, block := range blocks {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return w.Close()
}

// The same records are the same file however they are spread over blocks and threads.
func TestWriterDoesNotDependOnBlocks(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	records := manyRecords(3000)
	for _, sorted := range []bool{false, true} {
		for _, format := range []Format{FormatSAM, FormatSAMGZ, FormatBAM} {
			var want []byte
			for _, c := range []struct{ threads, records int }{{1, 1}, {2, 7}, {5, 3000}} {
				o := WriterOptions{Format: format, Compression: -1, Threads: c.threads, Sort: sorted}
				got := write(t, h, o, blocksOf(records, encodingOf(t, h, o), c.records)...)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s, sorted %v, %d threads, blocks of %d: other bytes", format, sorted, c.threads, c.records)
				}
			}
		}
	}
}

// All formats say the same.
func TestFormatsAgree(t *testing.T) {
	path := programs.Find(t, "samtools")
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	records := manyRecords(500)
	for _, sorted := range []bool{false, true} {
		text := write(t, h, WriterOptions{Sort: sorted}, blocksOf(records, encodingOf(t, h, WriterOptions{Sort: sorted}), 3)...)
		for _, format := range []Format{FormatSAMGZ, FormatBAM} {
			for compression := -1; compression < 10; compression++ {
				o := WriterOptions{Format: format, Compression: compression, Sort: sorted}
				file := write(t, h, o, blocksOf(records, encodingOf(t, h, o), 3)...)
				if got := output(t, file, path, "view", "--no-PG", "-h", "-"); !bytes.Equal(got, text) {
					t.Errorf("%s, compression %d, sorted %v: other text", format, compression, sorted)
				}
			}
		}
	}
}

func TestTextReadsByGzip(t *testing.T) {
	h := testHeader(t, HeaderOptions{}, testContigs...)
	blocks := blocksOf(manyRecords(2000), Text, 10)
	r, err := gzip.NewReader(bytes.NewReader(write(t, h, WriterOptions{Format: FormatSAMGZ, Compression: -1}, blocks...)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, write(t, h, WriterOptions{}, blocks...)) {
		t.Error("other text comes back")
	}
}

func TestWriterOfNothing(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	var header bytes.Buffer
	if err := WriteHeader(&header, h); err != nil {
		t.Fatal(err)
	}
	for _, sorted := range []bool{false, true} {
		if got := write(t, h, WriterOptions{Sort: sorted}); !bytes.Equal(got, header.Bytes()) {
			t.Errorf("sam, sorted %v: %q", sorted, got)
		}
		if got := decompress(t, write(t, h, WriterOptions{Format: FormatSAMGZ, Sort: sorted})); !bytes.Equal(got, header.Bytes()) {
			t.Errorf("sam.gz, sorted %v: %q", sorted, got)
		}
		if got := body(t, write(t, h, WriterOptions{Format: FormatBAM, Sort: sorted})); len(got) != 0 {
			t.Errorf("bam, sorted %v: %q", sorted, got)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	unsorted, sorted := testHeader(t, HeaderOptions{}, testContigs...),
		testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	for _, c := range []struct {
		header  *hts.Header
		options WriterOptions
		want    string
	}{
		{unsorted, WriterOptions{Format: "cram"}, `format "cram" is not one of sam, sam.gz, bam`},
		{unsorted, WriterOptions{Format: FormatBAM, Compression: 10}, "compression level 10 is not one of 0 to 9"},
		{unsorted, WriterOptions{Sort: true}, "records must be sorted by coordinate, but the header says SO:unsorted"},
		{sorted, WriterOptions{Sort: true, SortMemory: -1}, "-1 bytes of memory for sorting, expected at most 17592186044416"},
		{sorted, WriterOptions{Format: FormatBAM, Index: io.Discard}, "only a sorted BAM can have an index"},
		{sorted, WriterOptions{Sort: true, Index: io.Discard}, "only a sorted BAM can have an index"},
	} {
		if _, err := NewWriter(io.Discard, c.header, c.options); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v, want %s", c.options, err, c.want)
		}
	}
	for _, c := range []struct {
		block string
		want  string
	}{
		{"1234", "4 bytes are no record"},
		{"\xff\x00\x00\x00" + string(make([]byte, 20)), "a record of 259 bytes where 24 are left"},
		{"\xf0\xff\xff\xff" + string(make([]byte, 20)), "a record of -12 bytes where 24 are left"},
	} {
		if err := writeBlocks(io.Discard, WriterOptions{Format: FormatBAM}, unsorted,
			[][]byte{[]byte(c.block)}); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.block, err, c.want)
		}
	}
}

// Close ends the output once, and keeps the error that there was.
func TestCloseAgain(t *testing.T) {
	h := testHeader(t, HeaderOptions{}, testContigs...)
	for _, c := range []struct {
		block string
		want  string
	}{{"", ""}, {"1234", "4 bytes are no record"}} {
		var b bytes.Buffer
		w, err := NewWriter(&b, h, WriterOptions{Format: FormatBAM})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(c.block)); fmt.Sprint(err) != cmp.Or(c.want, "<nil>") {
			t.Errorf("%q: error %v", c.block, err)
		}
		length := -1
		for range 2 {
			if err := w.Close(); fmt.Sprint(err) != cmp.Or(c.want, "<nil>") {
				t.Errorf("%q: Close returns %v", c.block, err)
			}
			w.Discard()
			if length >= 0 && b.Len() != length {
				t.Errorf("%q: %d bytes, and then %d", c.block, length, b.Len())
			}
			length = b.Len()
		}
		if complete := bytes.HasSuffix(b.Bytes(), []byte(bgzf.End)); complete != (c.want == "") {
			t.Errorf("%q: has the end: %v", c.block, complete)
		}
	}
}

// Whatever bytes are taken for records, there is an error or a file, and no panic.
func FuzzWrite(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte("\x10\x00\x00\x00"+strings.Repeat("\x00", 16)), true)
	f.Add([]byte("\x10\x00\x00\x00"+strings.Repeat("\xff", 16)), false)
	for _, r := range manyRecords(3) {
		f.Add(r.AppendBinary(nil), true)
		f.Add(r.Append(nil, KeyedText), false)
	}
	h := testHeader(f, HeaderOptions{SortOrder: hts.Coordinate}, testContigs...)
	f.Fuzz(func(t *testing.T, block []byte, binary bool) {
		o := WriterOptions{Sort: true}
		if binary {
			o.Format, o.Index = FormatBAM, io.Discard
		}
		var b bytes.Buffer
		if err := writeBlocks(&b, o, h, [][]byte{block}); err == nil && binary && len(body(t, b.Bytes())) != len(block) {
			t.Errorf("%d bytes of %d", len(body(t, b.Bytes())), len(block))
		}
	})
}

// TestTake compares what Take writes, by blocks of any size that others copy, with Write of one
// record after another on one thread. Some records are longer than a block of BGZF.
func TestTake(t *testing.T) {
	records := manyRecords(3000)
	for i := range records {
		switch i {
		case 7, 8, 1500, 2999:
			records[i].Bases = bytes.Repeat([]byte("ACGTT"), 20_000)
			records[i].Qualities = bytes.Repeat([]byte("I"), 100_000)
			records[i].Cigar = nil
		}
	}
	full := &records[2000] // fills a block of BGZF, and its end is in the index as the end of a contig
	full.Contig, full.ContigIndex, full.Pos = testContigs[0].Name, 0, 2100
	for n := 40_000; len(full.AppendBinary(nil)) < 0xff00; n++ {
		full.Bases, full.Qualities, full.Cigar = bytes.Repeat([]byte("A"), n), bytes.Repeat([]byte("I"), n), nil
	}
	for len(full.AppendBinary(nil)) > 0xff00 {
		full.Name = full.Name[1:]
	}
	h := testHeader(t, HeaderOptions{NoProgram: true}, testContigs...)
	sorted := testHeader(t, HeaderOptions{SortOrder: coordinate, NoProgram: true}, testContigs...)
	write := func(o WriterOptions, take int) (file, index []byte) {
		t.Helper()
		var to, indexed bytes.Buffer
		header := h
		if o.Sort {
			header = sorted
			if o.Format == FormatBAM {
				o.Index = &indexed
			}
		}
		w, err := NewWriter(&to, header, o)
		if err != nil {
			t.Fatal(err)
		}
		if o.Threads > 1 { // the last merge goes by ranges, and chunks are shorter than a block of BGZF
			s, _ := w.sorter.(*sorter)
			if w.marker != nil {
				s = w.marker.records
			}
			if s != nil {
				s.chunkBytes = 9_000
				s.Sizes.Merge, s.Sizes.Range, s.Sizes.Indexed = 1<<30, 100_000, 1
			}
		}
		backs := int64(0)
		var given atomic.Int64
		for first := 0; first < len(records); first += max(take, 1) {
			var block []byte
			for i := first; i < min(first+max(take, 1), len(records)); i++ {
				block = records[i].Append(block, w.Encoding())
			}
			if take == 0 {
				if _, err := w.Write(block); err != nil {
					t.Fatal(err)
				}
				continue
			}
			lengths, err := Lengths(nil, block)
			if err != nil || !w.Takes() {
				t.Fatal(err, w.Takes())
			}
			backs++
			if err := w.Take(block, lengths, func() { given.Add(1); clear(block); clear(lengths) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if given.Load() != backs {
			t.Errorf("%d of %d blocks came back", given.Load(), backs)
		}
		return to.Bytes(), indexed.Bytes()
	}
	for _, o := range []WriterOptions{
		{Format: FormatBAM, Compression: 1},
		{Format: FormatBAM, Compression: 1, Sort: true},
		{Format: FormatSAM, Sort: true},
		{Format: FormatBAM, Compression: 1, Sort: true, MarkDuplicates: true},
		{Format: FormatSAM, Sort: true, MarkDuplicates: true},
	} {
		o.Threads, o.Temporary = 1, temporary.In(t.TempDir())
		want, index := write(o, 0)
		for i, threads := range []int{1, 2, 9} {
			for j, memory := range []int64{0, 3 << 20} {
				for k, take := range []int{1, 50, 3000} {
					// By default two of three sizes of blocks, by each number of threads all, and one where
					// they are the same.
					if !effort.Full() && (o.MarkDuplicates && k > 0 || !o.MarkDuplicates && (i+j+k)%3 == 2) {
						continue
					}
					if o.MarkDuplicates { // which Take does not do
						take = 0
					}
					o.Threads, o.SortMemory = threads, memory
					if got, i := write(o, take); !bytes.Equal(got, want) || !bytes.Equal(i, index) {
						t.Errorf("%s, sorted %v, %d threads, %d bytes of memory, by %d: other bytes", o.Format, o.Sort, threads, memory, take)
					}
				}
			}
		}
	}
}
