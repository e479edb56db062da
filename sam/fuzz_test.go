package sam

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/biogo/hts/bam"
	"github.com/biogo/hts/bgzf"
	"github.com/biogo/hts/bgzf/index"
	"github.com/biogo/hts/csi"
	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/internal/fuzzing"
)

// fuzzContigs are contigs that need an index of the kind CSI, because of the last one.
var fuzzContigs = []dna.Contig{{Name: "c", Length: 100_000}, {Name: "d*1:2-3", Length: 1 << 29}, {Name: "e", Length: 1}, {Name: "f", Length: 1 << 30}}

// drawRecord chooses a record that is valid SAM. Some are long, so that files have several blocks.
func drawRecord(c *fuzzing.Choices, contigs []dna.Contig) Record {
	r := Record{
		Name: c.Letters(1+c.Below(3), "ab!~+5"), Flags: hts.Flags(c.Below(1<<12)) &^ hts.Unmapped, MapQ: byte(c.Below(256)),
		TemplateLength: c.Below(1<<16) - 1<<15, Pos: -1, MatePos: -1,
		EditDistance: c.Below(1 << 14), Score: -c.Below(1 << 14), HasSecondScore: c.Yes(), SecondScore: -c.Below(1 << 14),
		Hits: c.Below(300), HitIndex: c.Below(300), Mismatches: []byte(c.Letters(1+c.Below(3), "123")),
		ReadGroup: c.Letters(c.Below(3), "xy"),
	}
	place := func() (string, int, int) {
		i := c.Below(len(contigs) + 1)
		if i == len(contigs) {
			return "", -1, -1
		}
		// About the borders of windows and of blocks.
		pos := 1<<14*c.Below(1<<16) + c.Below(7) - 3
		return contigs[i].Name, i, max(0, min(pos, contigs[i].Length-1))
	}
	r.Contig, r.ContigIndex, r.Pos = place()
	r.MateContig, r.MateContigIndex, r.MatePos = place()
	room := 0
	if r.Contig == "" || c.Below(6) == 1 {
		r.Flags |= hts.Unmapped
	} else {
		room = contigs[r.ContigIndex].Length - r.Pos
	}
	n := c.Below(40)
	if c.Below(3) == 1 {
		n = c.Below(1 << 13)
	}
	r.Bases = []byte(c.Letters(n, "ACGTNRYKMSWBDHV"))
	if n > 0 && c.Yes() {
		r.Qualities = []byte(c.Letters(n, "!#5~I"))
	}
	if r.Flags&hts.Unmapped != 0 {
		return r
	}
	for left := n; left > 0 && room > 0; {
		m := min(1+c.Below(left), room)
		kind := []hts.CigarOpType{hts.CigarMatch, hts.CigarInsertion, hts.CigarEqual, hts.CigarMismatch}[c.Below(4)]
		if kind != hts.CigarInsertion {
			room -= m
		}
		r.Cigar = append(r.Cigar, hts.NewCigarOp(kind, m))
		left -= m
		if left > 0 && room > 1 && c.Below(3) == 1 {
			gap := min(1+c.Below(1<<16), room-1)
			if c.Below(4) == 1 {
				gap = min(gap*200, room-1, 1<<28-1)
			}
			r.Cigar = append(r.Cigar, hts.NewCigarOp(hts.CigarDeletion, gap))
			room -= gap
		}
		if len(r.Cigar) > 60 || room == 0 { // the rest
			if left > 0 {
				r.Cigar = append(r.Cigar, hts.NewCigarOp(hts.CigarInsertion, left))
			}
			break
		}
	}
	return r
}

// recordReader is a reader of SAM or of BAM.
type recordReader interface {
	Read() (*hts.Record, error)
}

// linesOf reads records to the end, as text.
func linesOf(t *testing.T, r recordReader) (all []string, records []*hts.Record) {
	t.Helper()
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, records
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := record.MarshalSAM(0)
		if err != nil {
			t.Fatal(err)
		}
		all, records = append(all, string(line)), append(records, record)
	}
}

// readBAM reads a BAM file.
func readBAM(t *testing.T, file []byte) (lines []string, records []*hts.Record) {
	t.Helper()
	r, err := bam.NewReader(bytes.NewReader(file), 1)
	if err != nil {
		t.Fatal(err)
	}
	lines, records = linesOf(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return lines, records
}

// query returns the records that an index leads to and that overlap [begin, end) of a contig.
func query(t *testing.T, file, indexed []byte, kind IndexKind, contig, begin, end int) (lines []string) {
	t.Helper()
	r, err := bam.NewReader(bytes.NewReader(file), 1)
	if err != nil {
		t.Fatal(err)
	}
	var chunks []bgzf.Chunk
	if kind == BAI {
		x, err := bam.ReadIndex(bytes.NewReader(indexed))
		if err != nil {
			t.Fatal(err)
		}
		chunks, err = x.Chunks(r.Header().Refs()[contig], begin, end)
		if err != nil && !errors.Is(err, index.ErrInvalid) && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	} else {
		z, err := bgzf.NewReader(bytes.NewReader(indexed), 1)
		if err != nil {
			t.Fatal(err)
		}
		x, err := csi.ReadFrom(z)
		if err != nil {
			t.Fatal(err)
		}
		chunks = x.Chunks(contig, begin, end)
	}
	// Chunks may overlap: each record counts once, by where it begins.
	seen := map[bgzf.Offset]bool{}
	slices.SortFunc(chunks, func(a, b bgzf.Chunk) int { return int(a.Begin.File - b.Begin.File) })
	for _, chunk := range chunks {
		if err := r.Seek(chunk.Begin); err != nil {
			t.Fatal(err)
		}
		for {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			at := r.LastChunk().Begin
			if at.File > chunk.End.File || at.File == chunk.End.File && at.Block >= chunk.End.Block {
				break
			}
			if line := overlapping(t, record, contig, begin, end); line != "" && !seen[at] {
				seen[at] = true
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// overlapping is the line of a record that overlaps [begin, end) of a contig, empty of another. One
// without bases of the reference takes one base (SAMv1, section 4.2.1).
func overlapping(t *testing.T, r *hts.Record, contig, begin, end int) string {
	t.Helper()
	length, _ := r.Cigar.Lengths()
	if r.Flags&hts.Unmapped != 0 {
		length = 1
	}
	if r.Ref.ID() != contig || r.Pos >= end || r.Pos+max(length, 1) <= begin {
		return ""
	}
	line, err := r.MarshalSAM(0)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// FuzzRecords takes bytes for records and writes them in every format, sorted and not. biogo/hts
// reads them as they went in, the same from all formats, in the order that sorting makes. By the
// index it finds the same records in any region as by looking at all records.
func FuzzRecords(f *testing.F) {
	fuzzing.AddBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		contigs := fuzzContigs[:3+c.Below(2)]
		h := testHeader(t, HeaderOptions{SortOrder: hts.Coordinate}, contigs...)
		threads, inBlock := 1+c.Below(3), 1+c.Below(4)
		regions := [][3]int{{c.Below(len(contigs)), 0, 1 << 30}}
		for range 3 {
			i, from := c.Below(len(contigs)), 1<<14*c.Below(1<<16)+c.Below(5)-2
			from = max(0, min(from, contigs[i].Length-1))
			regions = append(regions, [3]int{i, from, from + 1 + c.Below(1<<16)})
		}
		var records []Record
		for range c.Below(16) {
			records = append(records, drawRecord(c, contigs))
		}
		file := func(o WriterOptions) []byte {
			o.Threads = threads
			return write(t, h, o, blocksOf(records, encodingOf(t, h, o), inBlock)...)
		}
		text := file(WriterOptions{})
		r, err := hts.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want, got := linesOf(t, r)
		if len(got) != len(records) {
			t.Fatalf("%d records of %d", len(got), len(records))
		}
		for i := range records {
			compare(t, &records[i], got[i])
		}
		if !bytes.Equal(decompress(t, file(WriterOptions{Format: FormatSAMGZ, Compression: 1})), text) {
			t.Fatal("sam.gz has another text")
		}
		if lines, _ := readBAM(t, file(WriterOptions{Format: FormatBAM, Compression: 1})); !slices.Equal(lines, want) {
			t.Fatalf("BAM has\n%.3000q, SAM\n%.3000q", lines, want)
		}
		records = inOrder(records)
		ordered := file(WriterOptions{})
		if !bytes.Equal(file(WriterOptions{Sort: true}), ordered) {
			t.Fatal("sorted SAM has another order")
		}
		var indexed bytes.Buffer
		sorted := file(WriterOptions{Format: FormatBAM, Compression: 1, Sort: true, Index: &indexed})
		_, all := readBAM(t, sorted)
		if len(all) != len(records) {
			t.Fatalf("%d sorted records of %d", len(all), len(records))
		}
		for i := range records {
			compare(t, &records[i], all[i])
		}
		for _, region := range regions {
			end := min(region[2], contigs[region[0]].Length)
			var linear []string
			for _, r := range all {
				if line := overlapping(t, r, region[0], region[1], end); line != "" {
					linear = append(linear, line)
				}
			}
			if found := query(t, sorted, indexed.Bytes(), IndexKindFor(h), region[0], region[1], end); !slices.Equal(found, linear) {
				t.Fatalf("contig %d, %d to %d: the index leads to\n%.2000q, and there is\n%.2000q", region[0], region[1], end, found, linear)
			}
		}
	})
}
