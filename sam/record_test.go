package sam

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode"

	hts "github.com/biogo/hts/sam"
	"pgregory.net/rapid"

	"scanmap/dna"
)

func cigar(t testing.TB, s string) []hts.CigarOp {
	t.Helper()
	c, err := hts.ParseCigar([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAppendText(t *testing.T) {
	for _, c := range []struct {
		name   string
		record Record
		want   string
	}{
		{"specification, section 1.1", Record{
			Name: "r001", Flags: 99, Contig: "ref", Pos: 6, MapQ: 30, Cigar: cigar(t, "8M2I4M1D3M"),
			MateContig: "ref", MatePos: 36, TemplateLength: 39, Bases: []byte("TTAGATAAAGGATACTG"),
			EditDistance: 3, Mismatches: []byte("12^C3"), Score: -3,
		}, "r001\t99\tref\t7\t30\t8M2I4M1D3M\t=\t37\t39\tTTAGATAAAGGATACTG\t*\tNM:i:3\tMD:Z:12^C3\tAS:i:-3\n"},
		{"specification, mate", Record{
			Name: "r001", Flags: 147, Contig: "ref", Pos: 36, MapQ: 30, Cigar: cigar(t, "9M"),
			MateContig: "ref", MatePos: 6, TemplateLength: -39, Bases: []byte("CAGCGGCAT"),
			EditDistance: 1, Mismatches: []byte("5C3"), Score: -1,
		}, "r001\t147\tref\t37\t30\t9M\t=\t7\t-39\tCAGCGGCAT\t*\tNM:i:1\tMD:Z:5C3\tAS:i:-1\n"},
		{"primary", Record{
			Name: "read/x", Contig: "chr1", Pos: 0, MapQ: 255, Cigar: cigar(t, "2=1X1D1="), MatePos: -1,
			Bases: []byte("ACGT"), Qualities: []byte("!~I*"),
			EditDistance: 2, Mismatches: []byte("2A0^G1"), Score: -2, SecondScore: -5, HasSecondScore: true,
			Hits: 12, HitIndex: 1, ReadGroup: "x",
		}, "read/x\t0\tchr1\t1\t255\t2=1X1D1=\t*\t0\t0\tACGT\t!~I*\tNM:i:2\tMD:Z:2A0^G1\tAS:i:-2\tXS:i:-5\tNH:i:12\tHI:i:1\tRG:Z:x\n"},
		{"secondary without bases", Record{
			Name: "r", Flags: hts.Secondary | hts.Reverse, Contig: "c", Pos: 1<<31 - 2, Cigar: cigar(t, "4M"), MatePos: -1,
			Mismatches: []byte("4"), Hits: 2, HitIndex: 2,
		}, "r\t272\tc\t2147483647\t0\t4M\t*\t0\t0\t*\t*\tNM:i:0\tMD:Z:4\tAS:i:0\tNH:i:2\tHI:i:2\n"},
		{"qualities without bases are left out", Record{
			Name: "r", Flags: hts.Unmapped, Pos: -1, MatePos: -1, Qualities: []byte("II"),
		}, "r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\n"},
		{"unmapped", Record{
			Name: "r", Flags: hts.Unmapped, Pos: -1, MatePos: -1, Bases: []byte("ANT"), Qualities: []byte("III"),
			EditDistance: 9, Mismatches: []byte("9"), Hits: 3, HasSecondScore: true, ReadGroup: "x",
		}, "r\t4\t*\t0\t0\t*\t*\t0\t0\tANT\tIII\tRG:Z:x\n"},
		{"unmapped, beside its mate", Record{
			Name: "r", Flags: 133, Contig: "c", Pos: 9, MateContig: "c", MatePos: 9, Bases: []byte("A"),
		}, "r\t133\tc\t10\t0\t*\t=\t10\t0\tA\t*\n"},
		{"mate on another contig", Record{
			Name: "r", Flags: 65, Contig: "c", Pos: 9, Cigar: cigar(t, "1M"), MateContig: "d", MatePos: 0, Mismatches: []byte("1"),
		}, "r\t65\tc\t10\t0\t1M\td\t1\t0\t*\t*\tNM:i:0\tMD:Z:1\tAS:i:0\n"},
		{"zero value", Record{}, "*\t0\t*\t0\t0\t*\t*\t0\t0\t*\t*\tNM:i:0\tAS:i:0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.record.AppendText(nil)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if got := string(c.record.AppendText([]byte("before\n"))); got != "before\n"+c.want {
				t.Errorf("after other text: %q", got)
			}
		})
	}
}

// record draws a record that is valid SAM.
func record(t *rapid.T) Record {
	text := func(least, most int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.RuneFrom(nil, printable), least, most, -1)
	}
	place := func(label string) (string, int) {
		contig := rapid.SampledFrom([]string{"", "c", "d", "chr1|x:1-2"}).Draw(t, label)
		if contig == "" {
			return "", -1
		}
		return contig, rapid.IntRange(0, dna.MaxContigLength-1).Draw(t, label+" position")
	}
	r := Record{
		Name:           text(1, 254).Draw(t, "name"),
		Flags:          hts.Flags(rapid.IntRange(0, 1<<12-1).Draw(t, "flags")),
		MapQ:           rapid.Byte().Draw(t, "mapq"),
		TemplateLength: rapid.IntRange(-1<<31, 1<<31-1).Draw(t, "template length"),
		EditDistance:   rapid.IntRange(0, 1<<14).Draw(t, "edit distance"),
		Score:          rapid.IntRange(-1<<31, 1<<31-1).Draw(t, "score"),
		HasSecondScore: rapid.Bool().Draw(t, "has second score"),
		Hits:           rapid.IntRange(0, 1<<31-1).Draw(t, "hits"),
		Mismatches:     []byte(rapid.StringMatching(`[0-9]+(([A-Z]|\^[A-Z]+)[0-9]+)*`).Draw(t, "mismatches")),
		ReadGroup:      text(0, 20).Draw(t, "read group"),
	}
	r.SecondScore = rapid.IntRange(-1<<31, r.Score).Draw(t, "second score")
	r.HitIndex = rapid.IntRange(0, r.Hits).Draw(t, "hit index")
	r.Contig, r.Pos = place("contig")
	r.MateContig, r.MatePos = place("mate contig")
	r.Bases = []byte(rapid.StringMatching(`[ACGTNRYKMSWBDHV]*`).Draw(t, "bases"))
	if len(r.Bases) > 0 && rapid.Bool().Draw(t, "has qualities") {
		r.Qualities = make([]byte, len(r.Bases))
		for i := range r.Qualities {
			r.Qualities[i] = byte(rapid.IntRange('!', '~').Draw(t, "quality"))
		}
		if len(r.Qualities) == 1 && r.Qualities[0] == '*' {
			r.Qualities[0] = '+' // SAM cannot tell one '*' from no qualities
		}
	}
	for left := len(r.Bases); left > 0; {
		n := rapid.IntRange(1, left).Draw(t, "operation length")
		op := rapid.SampledFrom([]hts.CigarOpType{hts.CigarMatch, hts.CigarInsertion, hts.CigarEqual,
			hts.CigarMismatch}).Draw(t, "operation")
		r.Cigar = append(r.Cigar, hts.NewCigarOp(op, n))
		left -= n
		if left > 0 && rapid.Bool().Draw(t, "deletion") {
			r.Cigar = append(r.Cigar, hts.NewCigarOp(hts.CigarDeletion, rapid.IntRange(1, 1<<28-1).Draw(t, "deletion length")))
		}
	}
	return r
}

// Every line is read by biogo/hts with the values that went in.
func TestAppendTextReadsBack(t *testing.T) {
	header, err := NewHeader(reference(dna.Contig{Name: "c", Length: 1 << 30}, dna.Contig{Name: "d", Length: 1},
		dna.Contig{Name: "chr1|x:1-2", Length: 7}), HeaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := record(t)
		line := want.AppendText(nil)
		if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("%q is not one line", line)
		}
		var got hts.Record
		if err := got.UnmarshalSAM(header, line[:len(line)-1]); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		compare(t, &want, &got)
	})
}

func compare(t interface{ Fatalf(string, ...any) }, want *Record, got *hts.Record) {
	check := func(field string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s is %v, want %v", field, got, want)
		}
	}
	star := func(s string) string {
		if s == "" {
			return "*"
		}
		return s
	}
	check("name", got.Name, want.Name)
	check("flags", uint16(got.Flags), uint16(want.Flags))
	check("contig", got.Ref.Name(), star(want.Contig))
	check("position", got.Pos, want.Pos)
	check("mapq", got.MapQ, want.MapQ)
	check("cigar", got.Cigar, hts.Cigar(want.Cigar))
	check("mate contig", got.MateRef.Name(), star(want.MateContig))
	check("mate position", got.MatePos, want.MatePos)
	check("template length", got.TempLen, want.TemplateLength)
	check("bases", string(got.Seq.Expand()), string(want.Bases))
	for i, q := range got.Qual {
		if want.Qualities == nil {
			check("quality", q, 0xff)
		} else {
			check("quality", q, want.Qualities[i]-'!')
		}
	}
	tags := map[string]any{}
	if want.Flags&hts.Unmapped == 0 {
		tags["NM"], tags["MD"], tags["AS"] = want.EditDistance, string(want.Mismatches), want.Score
		if want.HasSecondScore {
			tags["XS"] = want.SecondScore
		}
		if want.Hits > 0 {
			tags["NH"], tags["HI"] = want.Hits, want.HitIndex
		}
	}
	if want.ReadGroup != "" {
		tags["RG"] = want.ReadGroup
	}
	check("number of tags", len(got.AuxFields), len(tags))
	for _, tag := range got.AuxFields {
		check(tag.Tag().String(), tag.Value(), tags[tag.Tag().String()])
	}
}

// A file of header and lines is read whole.
func TestReaderReadsLines(t *testing.T) {
	text := headerText(t, reference(dna.Contig{Name: "c", Length: 100}), HeaderOptions{Version: "1"})
	b := []byte(text)
	const n = 50
	for i := range n {
		r := Record{Name: fmt.Sprint("r", i), Contig: "c", Pos: i, Cigar: cigar(t, "3M"), MatePos: -1,
			Bases: []byte("ACG"), Mismatches: []byte("3")}
		b = r.AppendText(b)
	}
	reader, err := hts.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for it := hts.NewIterator(reader); ; i++ {
		if !it.Next() {
			if err := it.Error(); err != nil {
				t.Fatal(err)
			}
			break
		}
		if it.Record().Pos != i {
			t.Errorf("record %d has position %d", i, it.Record().Pos)
		}
	}
	if i != n {
		t.Errorf("%d records, want %d", i, n)
	}
}

// sample is a record of 100 bases as a run writes it.
func sample(t testing.TB) Record {
	return Record{
		Name: "SRR1234567.1234567", Flags: hts.Reverse, Contig: "chr12", Pos: 123456789, MapQ: 60, Cigar: cigar(t, "40M1I59M"),
		MatePos: -1, Bases: []byte(strings.Repeat("ACGTTGCAGT", 10)), Qualities: []byte(strings.Repeat("IIIIFFFFF#", 10)),
		EditDistance: 3, Mismatches: []byte("12A30C56"), Score: -3, SecondScore: -5, HasSecondScore: true, Hits: 4,
		HitIndex: 1, ReadGroup: "run1",
	}
}

func TestAppendTextDoesNotAllocate(t *testing.T) {
	r := sample(t)
	b := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { b = r.AppendText(b[:0]) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}

// printable are the characters '!' to '~', which names and read groups may hold.
var printable = &unicode.RangeTable{R16: []unicode.Range16{{Lo: '!', Hi: '~', Stride: 1}}, LatinOffset: 1}

// TestEnd counts the bases of the reference that operations take; operations unknown to SAM take
// none.
func TestEnd(t *testing.T) {
	r := Record{Pos: 5}
	if r.End() != 5 {
		t.Errorf("without an alignment: %d", r.End())
	}
	for op := range hts.CigarOpType(16) {
		r.Cigar = append(r.Cigar, hts.NewCigarOp(op, 10))
	}
	if got := r.End(); got != 5+5*10-10 { // M, D, N, = and X, and B, which goes back
		t.Errorf("after all operations: %d", got)
	}
}
