package sam

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/biogo/hts/bam"
	hts "github.com/biogo/hts/sam"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/programs"
)

// output runs a command and returns what it writes.
func output(t testing.TB, stdin []byte, name string, arguments ...string) []byte {
	t.Helper()
	c := exec.Command(name, arguments...)
	var stderr bytes.Buffer
	c.Stdin, c.Stderr = bytes.NewReader(stdin), &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, arguments, err, stderr.Bytes())
	}
	return out
}

// testContigs are the contigs of drawn records.
var testContigs = []dna.Contig{{Name: "c", Length: dna.MaxContigLength}, {Name: "d", Length: dna.MaxContigLength},
	{Name: "chr1|x:1-2", Length: dna.MaxContigLength}}

func testHeader(t testing.TB, o HeaderOptions, contigs ...dna.Contig) *hts.Header {
	t.Helper()
	h, err := NewHeader(reference(contigs...), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func setIndices(r *Record) {
	r.ContigIndex, r.MateContigIndex = -1, -1
	for i, c := range testContigs {
		if r.Contig == c.Name {
			r.ContigIndex = i
		}
		if r.MateContig == c.Name {
			r.MateContigIndex = i
		}
	}
}

// write writes blocks by a Writer and returns the file.
func write(t testing.TB, h *hts.Header, o WriterOptions, blocks ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, h, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	for _, block := range blocks {
		if n, err := w.Write(block); err != nil || n != len(block) {
			t.Fatalf("%d bytes of %d taken, error %v", n, len(block), err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// edgeRecords are records whose binary form has something of its own.
func edgeRecords(t testing.TB) []Record {
	long := Record{Name: "long", Contig: "d", Pos: 1000, MatePos: -1}
	for range 40_000 {
		long.Cigar = append(long.Cigar, hts.NewCigarOp(hts.CigarEqual, 1), hts.NewCigarOp(hts.CigarMismatch, 1))
	}
	long.Bases = bytes.Repeat([]byte("AC"), 40_000)
	// The most operations that the field has room for, and one more.
	widest := Record{Name: "widest", Contig: "d", Pos: 1000, Cigar: long.Cigar[:mostCigar], MatePos: -1}
	wider := Record{Name: "wider", Contig: "d", Pos: 1000, Cigar: long.Cigar[:mostCigar+1], MatePos: -1}
	bare := long
	bare.Name, bare.Bases, bare.Flags = "long without bases", nil, hts.Secondary
	bare.Name = "bare"
	full := sample(t)
	full.Contig, full.MateContig, full.MatePos, full.TemplateLength = "c", "chr1|x:1-2", 7, -39
	full.MateCigar, full.MateMapQ, full.HasMateMapQ = cigar(t, "10M2D3S"), 254, true
	full.Rescued, full.Discordant = true, "far"
	records := []Record{
		{Contig: "c", Cigar: cigar(t, "1M")},
		{Name: "no bases", Contig: "c", Cigar: cigar(t, "4M"), MatePos: -1},
		{Name: "no qualities", Contig: "c", Cigar: cigar(t, "3M"), Bases: []byte("ACG")},
		{Name: "odd", Contig: "c", Cigar: cigar(t, "5M"), Bases: []byte("ACGTA"), Qualities: []byte("!~IJK")},
		{Name: "iupac", Contig: "c", Cigar: cigar(t, "16M"), Bases: []byte("=ACMGRSVTWYHKDBN"), Qualities: []byte("IIIIIIIIIIIIIIII")},
		{Name: "unplaced", Flags: hts.Unmapped, Pos: -1, Bases: []byte("ACG")},
		{Name: "placed", Flags: 133, Contig: "c", Pos: 1 << 20, MateContig: "c", MatePos: 1 << 20, Bases: []byte("ACG"),
			MateCigar: cigar(t, "9="), HasMateMapQ: true, Discordant: "anchored", Rescued: true},
		{Name: "far", Contig: "d", Pos: dna.MaxContigLength - 4, Cigar: cigar(t, "4M"), TemplateLength: -1 << 31},
		{Name: strings.Repeat("n", MaxNameLength), Contig: "c", Pos: 1<<14 - 2, Cigar: cigar(t, "4M")},
		full, long, bare, widest, wider,
	}
	for _, v := range []int{-129, -128, -1, 0, 127, 128, 255, 256, 32767, 32768, 65535, 65536, -32768, -32769, 1<<31 - 1, -1 << 31} {
		records = append(records, Record{Name: "integer", Contig: "c", Pos: 5, Cigar: cigar(t, "1M"), Score: v})
	}
	for i := range records {
		records[i].Name = strings.ReplaceAll(records[i].Name, " ", "_")
		setIndices(&records[i])
	}
	return records
}

// TestBaseCodes has the code of every letter, in upper and lower case.
func TestBaseCodes(t *testing.T) {
	const letters = "=ACMGRSVTWYHKDBN"
	for c := range 256 {
		letter := strings.ToUpper(string(rune(c)))
		if letter == "U" {
			letter = "T"
		}
		want := strings.Index(letters, letter)
		if want < 0 {
			want = 15
		}
		if got := int(baseCodes[c]); got != want {
			t.Errorf("%q: %d, want %d", rune(c), got, want)
		}
	}
}

func TestAppendMateTags(t *testing.T) {
	for _, c := range []struct {
		flags hts.Flags
		want  string
	}{
		{0, "r\t0\tc\t1\t0\t*\t*\t0\t0\t*\t*\tNM:i:0\tAS:i:0\tNH:i:1\tHI:i:1\tMC:Z:3M\tMQ:i:0\tXR:i:1\tXD:Z:near\tRG:Z:g\n"},
		{hts.Unmapped, "r\t4\tc\t1\t0\t*\t*\t0\t0\t*\t*\tMC:Z:3M\tMQ:i:0\tXD:Z:near\tRG:Z:g\n"},
	} {
		r := Record{Name: "r", Flags: c.flags, Contig: "c", Hits: 1, HitIndex: 1, ReadGroup: "g", MateCigar: cigar(t, "3M"),
			HasMateMapQ: true, Rescued: true, Discordant: "near"}
		if got := string(r.AppendText(nil)); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}

// samtools makes the same bytes of text as AppendBinary makes of records, and the same
// text of those bytes.
func TestSamtoolsAgreesOnBinary(t *testing.T) {
	path := programs.Find(t, "samtools")
	h := testHeader(t, HeaderOptions{}, testContigs...)
	records := edgeRecords(t)
	generator := rapid.Custom(pairedRecord)
	for i := range 2000 {
		r := generator.Example(i)
		if r.Contig == "" || len(r.Cigar) == 0 {
			r.Flags |= hts.Unmapped // which samtools would set
		}
		records = append(records, r)
	}
	var text, binary bytes.Buffer
	if err := WriteHeader(&text, h); err != nil {
		t.Fatal(err)
	}
	for i := range records {
		text.Write(records[i].AppendText(nil))
		binary.Write(records[i].AppendBinary(nil))
	}
	ours := write(t, h, WriterOptions{Format: FormatBAM}, binary.Bytes())
	theirs := output(t, text.Bytes(), path, "view", "--no-PG", "-b", "-")
	compareBinary(t, records, body(t, ours), body(t, theirs))

	lines := output(t, ours, path, "view", "--no-PG", "-h", "-")
	again := output(t, theirs, path, "view", "--no-PG", "-h", "-")
	if !bytes.Equal(lines, again) {
		t.Error("samtools reads the two files differently")
	}
}

// body returns the records of a BAM file.
func body(t testing.TB, file []byte) []byte {
	t.Helper()
	data := decompress(t, file)
	h, err := hts.NewHeader(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(data)
	if err := h.DecodeBinary(r); err != nil {
		t.Fatal(err)
	}
	return data[len(data)-r.Len():]
}

func compareBinary(t *testing.T, records []Record, ours, theirs []byte) {
	t.Helper()
	cut := func(b []byte) (all [][]byte) {
		if _, err := eachRecord(b, func(r []byte) error { all = append(all, r); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	a, b := cut(ours), cut(theirs)
	if len(a) != len(records) || len(b) != len(records) {
		t.Fatalf("%d records, and samtools has %d, of %d", len(a), len(b), len(records))
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Fatalf("%.200s: got\n%.600q, samtools has\n%.600q", records[i].AppendText(nil), a[i], b[i])
		}
	}
}

// pairedRecord draws a record with what the mate adds.
func pairedRecord(t *rapid.T) Record {
	r := record(t)
	if rapid.Bool().Draw(t, "has mate cigar") {
		r.MateCigar = []hts.CigarOp{hts.NewCigarOp(hts.CigarMatch, rapid.IntRange(1, 1<<28-1).Draw(t, "mate length"))}
	}
	r.HasMateMapQ, r.MateMapQ = rapid.Bool().Draw(t, "has mate mapq"), rapid.Byte().Draw(t, "mate mapq")
	r.Rescued = rapid.Bool().Draw(t, "rescued")
	r.Dropped = rapid.SampledFrom([]int{0, 1, 256, 1 << 20}).Draw(t, "dropped")
	r.Discordant = rapid.SampledFrom([]string{"", "contig", "anchored"}).Draw(t, "discordant")
	setIndices(&r)
	return r
}

// biogo/hts reads from BAM what it reads from text.
func TestBinaryReadsAsText(t *testing.T) {
	h := testHeader(t, HeaderOptions{}, testContigs...)
	check := func(t interface{ Fatalf(string, ...any) }, file []byte, r *Record) {
		reader, err := bam.NewReader(bytes.NewReader(file), 1)
		if err != nil {
			t.Fatalf("%v", err)
		}
		got, err := reader.Read()
		if err != nil {
			t.Fatalf("%v", err)
		}
		line := r.AppendText(nil)
		var want hts.Record
		if err := want.UnmarshalSAM(reader.Header(), line[:len(line)-1]); err != nil {
			t.Fatalf("%.300q: %v", line, err)
		}
		a, err := got.MarshalSAM(0)
		if err != nil {
			t.Fatalf("%v", err)
		}
		b, err := want.MarshalSAM(0)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("got\n%.300q\nwant\n%.300q", a, b)
		}
		if err := reader.Close(); err != nil {
			t.Fatalf("%v", err)
		}
	}
	t.Run("edge", func(t *testing.T) {
		for _, r := range edgeRecords(t) {
			if len(r.Cigar) > mostCigar {
				continue // biogo/hts does not know the tag CG
			}
			check(t, write(t, h, WriterOptions{Format: FormatBAM}, r.AppendBinary(nil)), &r)
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		r := pairedRecord(rt)
		check(rt, write(t, h, WriterOptions{Format: FormatBAM}, r.AppendBinary(nil)), &r)
	})
}

func TestKeyedTextIsTextBehindKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := pairedRecord(t)
		keyed, binary := r.Append([]byte("before"), KeyedText)[6:], r.Append([]byte("before"), Binary)[6:]
		if !bytes.Equal(keyed[keyedHeader:], r.Append(nil, Text)) {
			t.Fatalf("%q", keyed)
		}
		if keyOf(keyed) != keyOf(binary) {
			t.Fatalf("keys %x and %x", keyOf(keyed), keyOf(binary))
		}
		if int(getInt32(keyed)) != len(keyed)-4 || int(getInt32(binary)) != len(binary)-4 {
			t.Fatalf("lengths %d and %d of %d and %d", getInt32(keyed), getInt32(binary), len(keyed), len(binary))
		}
	})
}

func TestLongNameIsCut(t *testing.T) {
	r := Record{Name: strings.Repeat("n", MaxNameLength+1)}
	b := r.AppendBinary(nil)
	if n := int(b[offsetNameLength]); n != MaxNameLength+1 || b[binaryHeader+n-1] != 0 {
		t.Errorf("name of %d bytes with its end", n)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	r := sample(t)
	r.MateCigar, r.HasMateMapQ, r.Discordant = cigar(t, "40M1I59M"), true, "far"
	b := make([]byte, 0, 4096)
	for _, e := range []Encoding{Text, Binary, KeyedText} {
		if n := testing.AllocsPerRun(100, func() { b = r.Append(b[:0], e) }); n != 0 {
			t.Errorf("encoding %d: %v allocations a record", e, n)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		name string
		want Format
		ok   bool
	}{
		{"x.sam", FormatSAM, true}, {"a/x.SAM.GZ", FormatSAMGZ, true}, {"x.sam.bgz", FormatSAMGZ, true},
		{"x.Bam", FormatBAM, true}, {"bam", "", false}, {"x.gz", "", false}, {"-", "", false}, {"", "", false},
	} {
		if got, ok := FormatOf(c.name); got != c.want || ok != c.ok {
			t.Errorf("%q: %q, %v", c.name, got, ok)
		}
	}
	for _, f := range []Format{FormatSAM, FormatSAMGZ, FormatBAM} {
		if got, err := ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("%q: %q, %v", f, got, err)
		}
	}
	if _, err := ParseFormat("cram"); err == nil || err.Error() != `format "cram" is not one of sam, sam.gz, bam` {
		t.Errorf("cram: %v", err)
	}
}
