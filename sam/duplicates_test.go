package sam

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	hts "github.com/biogo/hts/sam"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/extsort"
	"scanmap/internal/leaks"
	"scanmap/internal/programs"
	"scanmap/internal/temporary"
)

// fragment is a read, or two mates, in words: a name, the place of each as contig, position from 1,
// strand and CIGAR, or * for an unmapped mate, then the quality of all bases, and the read group.
//
//	a c:101+50M c:301-40M10S 30 x
//	b d:7-50M 20
func fragment(t testing.TB, line string) []Record {
	t.Helper()
	fields := strings.Fields(line)
	group := ""
	if last := len(fields) - 1; !strings.ContainsAny(fields[last], "0123456789") {
		group, fields = fields[last], fields[:last]
	}
	quality, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	for _, at := range fields[1 : len(fields)-1] {
		r := Record{Name: fields[0], Pos: -1, MatePos: -1, ReadGroup: group, ReadGroupIndex: len(group)}
		if at == "*" {
			r.Flags, r.Bases = hts.Unmapped, []byte("ACGT")
		} else {
			contig, rest, _ := strings.Cut(at, ":")
			strand := strings.IndexAny(rest, "+-")
			if r.Pos, err = strconv.Atoi(rest[:strand]); err != nil {
				t.Fatal(err)
			}
			r.Contig, r.Pos, r.Cigar = contig, r.Pos-1, cigar(t, rest[strand+1:])
			if rest[strand] == '-' {
				r.Flags = hts.Reverse
			}
			r.Bases = bytes.Repeat([]byte("A"), basesOf(r.Cigar))
		}
		r.Qualities = bytes.Repeat([]byte{byte('!' + quality)}, len(r.Bases))
		records = append(records, r)
	}
	if len(records) == 2 {
		pair(records)
	}
	for i := range records {
		setIndices(&records[i])
	}
	return records
}

// basesOf is how many bases a record with the CIGAR has.
func basesOf(cigar []hts.CigarOp) (n int) {
	for _, op := range cigar {
		n += op.Len() * op.Type().Consumes().Query
	}
	return n
}

// pair has two mates tell of each other.
func pair(mates []Record) {
	for i := range mates {
		r, mate := &mates[i], &mates[1-i]
		r.Flags |= hts.Paired | []hts.Flags{hts.Read1, hts.Read2}[i]
		switch {
		case mate.Flags&hts.Unmapped != 0:
			r.Flags |= hts.MateUnmapped
			r.MateContig, r.MatePos = r.Contig, r.Pos
			continue
		case r.Flags&hts.Unmapped != 0:
			r.Contig, r.Pos = mate.Contig, mate.Pos
		}
		if mate.Flags&hts.Reverse != 0 {
			r.Flags |= hts.MateReverse
		}
		r.MateContig, r.MatePos, r.MateCigar = mate.Contig, mate.Pos, mate.Cigar
		r.MateQualities = QualitySum(mate.Bases, mate.Qualities)
	}
}

// marked returns the records as a Writer marks them, as text without a header, and how many.
func marked(t testing.TB, o WriterOptions, records []Record, inBlock int) (string, Duplicates) {
	t.Helper()
	h := testHeader(t, HeaderOptions{SortOrder: coordinate, NoProgram: true}, testContigs...)
	o.Sort, o.MarkDuplicates, o.SortMemory = true, true, 1
	var file bytes.Buffer
	w, err := NewWriter(&file, h, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	for _, block := range blocksOf(records, w.Encoding(), inBlock) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(file.String(), "LN:2147483647\n@SQ\tSN:d\tLN:2147483647\n@SQ\tSN:chr1|x:1-2\tLN:2147483647\n")
	return text, w.Duplicates()
}

// duplicatesOf are the names of marked lines, with /1 or /2 for mates, in order.
func duplicatesOf(text string) string {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Split(line, "\t")
		flags, _ := strconv.Atoi(fields[1])
		if flags&int(hts.Duplicate) != 0 {
			names = append(names, fields[0]+map[int]string{0: "", 64: "/1", 128: "/2"}[flags&192])
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestMarkDuplicates has fragments, separated by commas, and which of their records are duplicates
// by the definition of samtools markdup.
func TestMarkDuplicates(t *testing.T) {
	for _, c := range []struct{ fragments, want string }{
		{"a c:101+50M c:301-50M 30", ""},
		// Both outer ends, contigs and strands have to be the same.
		{"a c:101+50M c:301-50M 30, b c:101+50M c:301-50M 31", "a/1 a/2"},
		{"a c:101+50M c:301-50M 31, b c:101+50M c:301-50M 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:101+50M c:302-50M 30", ""},
		{"a c:101+50M c:301-50M 31, b d:101+50M d:301-50M 30", ""},
		{"a c:101+50M c:301-50M 31, b c:301-50M c:101+50M 30", "b/1 b/2"},
		// Lengths may differ, and then sums do.
		{"a c:101+50M c:301-50M 31, b c:101+40M c:311-40M 31", "b/1 b/2"},
		// Clips and deletions count with the ends that they belong to.
		{"a c:101+50M c:301-50M 31, b c:106+5S45M c:301-45M5S 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:111+10H40M c:301-40M10H 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:116+5H10S35M c:306-5S40M2S3H 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:101+45M5S c:306-5S45M 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:101+20M9D30M c:293-30M8D20M 30", "b/1 b/2"},
		{"a c:101+50M c:301-50M 31, b c:101+20M5I25M c:301-25M5I20M 30", ""},
		// A clip may reach to before the contig.
		{"a c:1+50M c:301-50M 31, b c:6+10S40M c:301-50M 30, d c:8+11S39M c:301-50M 29", ""},
		{"a c:1+5S45M c:301-50M 31, b c:6+10S40M c:301-50M 30", "b/1 b/2"},
		// Every orientation is its own kind.
		{"a c:101+50M c:301-50M 31, b c:101-50M c:301+50M 30, d c:101+50M c:301+50M 29, e c:101-50M c:301-50M 28", ""},
		{"a c:101-50M c:301+50M 31, b c:101-50M c:301+50M 30", "b/1 b/2"},
		{"a c:101-50M c:301+50M 31, b c:301+50M c:101-50M 30", "b/1 b/2"},
		{"a c:101+50M c:301+50M 31, b c:101+50M c:301+50M 30", "b/1 b/2"},
		{"a c:101-50M c:301-50M 31, b c:101-50M c:301-50M 30", "b/1 b/2"},
		// On one strand it counts which mate is the first, unless the fragment is turned as a whole.
		{"a c:101+50M c:301+50M 31, b c:301+50M c:101+50M 30", ""},
		{"a c:101+50M c:301+50M 31, b c:301-50M c:101-50M 30", "b/1 b/2"},
		{"a c:101+50M c:301+50M 31, b c:101-50M c:301-50M 30", ""},
		// For mates on one strand the start of the left and the end of the right one count.
		{"a c:101+50M c:301+50M 31, b c:101+40M c:311+40M 30", "b/1 b/2"},
		{"a c:101+50M c:301+50M 31, b c:101+40M c:301+40M 30", ""},
		{"a c:101+50M c:201+50M 31, b c:101+50M c:201+50M 30, d c:201+50M d:1+50M 29", "b/1 b/2"},
		// Mates on two contigs, in either order.
		{"a c:101+50M d:301-50M 31, b c:101+50M d:301-50M 30, e d:301-50M c:101+50M 29", "b/1 b/2 e/1 e/2"},
		{"a d:101+50M c:301+50M 31, b d:101+50M c:301+50M 30, e c:301+50M d:101+50M 29", "b/1 b/2"},
		// Both are the left mate where their 5' ends are one position.
		{"a c:101+50M c:101+60M 31, b c:101+50M c:101+60M 30", "b/1 b/2"},
		{"a c:101+50M c:101+60M 31, b c:101+45M c:101+60M 30", "b/1"},
		{"a c:101-50M c:150+50M 31, b c:101-50M c:150+50M 30, d c:150+50M c:101-50M 29", "b/1 b/2 d/1 d/2"},
		{"a c:101-50M c:91-60M 31, b c:101-50M c:91-60M 30", "b/1 b/2"},
		// Qualities below 15 do not count, and qualities of both mates count together.
		{"a c:101+50M c:301-50M 14, b c:101+50M c:301-50M 13", "b/1 b/2"},
		{"b c:101+50M c:301-50M 13, a c:101+50M c:301-50M 14", "b/1 b/2"},
		{"a c:101+50M c:301-50M 14, b c:101+50M c:301-50M 15", "a/1 a/2"},
		// Among equals the least name is kept, wherever it stands.
		{"b c:101+50M c:301-50M 30, a c:101+50M c:301-50M 30, ab c:101+50M c:301-50M 30", "ab/1 ab/2 b/1 b/2"},
		{"r10 c:101+50M c:301-50M 30, r9 c:101+50M c:301-50M 30, R9 c:101+50M c:301-50M 30", "r10/1 r10/2 r9/1 r9/2"},
		// Single reads: the 5' end alone.
		{"a c:101+50M 30, b c:101+40M 31, d c:102+50M 30, e c:101-50M 30, f d:101+50M 30", "b"},
		{"a c:101-50M 30, b c:111-40M 38, d c:101-45M5S 29, e c:101-49M 40", "a d"},
		{"a c:106+5S45M 30, b c:101+50M 30", "a"}, // of equals the first by position
		{"b c:101+50M 30, a c:101+50M 30", "a"},   // or in the input
		{"a c:1+50M 30, b c:6+10S40M 31, d c:3+7S43M 29, e c:1+2S48M 20", "d"},
		{"a c:101+50M * 30, b * c:101+50M 31, d c:101+50M 29", "a/1 d"},
		// An end of a pair at their 5' end makes all single ends duplicates, and never is one itself.
		{"a c:101+50M 40, b c:101+50M c:301-50M 20, d c:101+50M * 30", "a d/1"},
		{"b c:101+50M c:301-50M 20, a c:101+50M 40, d c:301-50M 30, e c:301+50M 30", "a d"},
		{"a c:101+50M 40, b c:101+50M 30, d c:101+50M c:301+50M 20, e c:301+50M 30, f c:301-50M 30", "a b e"},
		{"a c:101-50M 40, b c:101-50M c:301-50M 20, d c:101-50M 39, e c:251+50M c:101-50M 20", "a d"},
		// Read groups are libraries of their own.
		{"a c:101+50M c:301-50M 31 x, b c:101+50M c:301-50M 30 xx, d c:101+50M c:301-50M 29 x, e c:101+50M c:301-50M 28", "d/1 d/2"},
		{"a c:101+50M 31 x, b c:101+50M 30 xx, d c:101+50M 29 x, e c:101+50M c:301-50M 28 xx", "b d"},
	} {
		var records []Record
		for _, line := range strings.Split(c.fragments, ", ") {
			records = append(records, fragment(t, line)...)
		}
		text, d := marked(t, WriterOptions{}, records, 1)
		if got := duplicatesOf(text); got != c.want {
			t.Errorf("%s:\n%s are duplicates, want %s", c.fragments, got, c.want)
		}
		pairs := int64(0)
		for name := range strings.FieldsSeq(c.want) {
			r := records[slices.IndexFunc(records, func(r Record) bool {
				first, of := strings.CutSuffix(name, "/2")
				return r.Name == strings.TrimSuffix(first, "/1") && (r.Flags&hts.Read2 != 0) == of
			})]
			if r.Flags&hts.Paired != 0 && r.Flags&hts.MateUnmapped == 0 {
				pairs++
			}
		}
		examined := int64(0)
		for i := range records {
			if records[i].Flags&hts.Unmapped == 0 {
				examined++
			}
		}
		if want := (Duplicates{examined, pairs, int64(len(strings.Fields(c.want))) - pairs}); d != want {
			t.Errorf("%s: counted %+v, want %+v", c.fragments, d, want)
		}
		if plain := plainDuplicates(records); duplicatesOf(string(sortedLines(plain))) != c.want {
			t.Errorf("%s: the plain definition has others than %s", c.fragments, c.want)
		}
	}
}

// Records that are no ends stay as they are, and ends are found beside them.
func TestOtherRecordsAreNoDuplicates(t *testing.T) {
	records := fragment(t, "a c:101+50M c:301-50M 30")
	for _, flags := range []hts.Flags{hts.Secondary, hts.Supplementary, hts.QCFail} {
		for _, r := range fragment(t, "b c:101+50M c:301-50M 40") {
			r.Flags |= flags
			records = append(records, r)
		}
	}
	records = append(records, fragment(t, "z c:101+50M c:301-50M 20")...)
	text, d := marked(t, WriterOptions{}, records, 3)
	if got := duplicatesOf(text); got != "z/1 z/2" || d != (Duplicates{4, 2, 0}) {
		t.Errorf("%s are duplicates, %+v", got, d)
	}
}

// plainEnd is an end as the definition of samtools markdup has it, written out in words.
type plainEnd struct {
	index        int // of records
	paired       bool
	pair, single string // keys
	score        int
	name         string
	pos          int
}

// plainDuplicates marks duplicates by comparing each end with each.
func plainDuplicates(records []Record) []Record {
	out := slices.Clone(records)
	var ends []plainEnd
	for i := range records {
		if records[i].Flags&(hts.Unmapped|hts.Secondary|hts.Supplementary|hts.QCFail) == 0 {
			ends = append(ends, newPlainEnd(records, i))
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			if a.index == b.index {
				continue
			}
			better := false
			switch {
			case a.paired:
				better = b.paired && a.pair == b.pair && (b.score > a.score || b.score == a.score && b.name < a.name)
			case a.single != b.single:
			case b.paired || b.score > a.score:
				better = true
			case b.score == a.score:
				better = b.pos < a.pos || b.pos == a.pos && b.index < a.index
			}
			if better {
				out[a.index].Flags |= hts.Duplicate
			}
		}
	}
	return out
}

func newPlainEnd(records []Record, i int) plainEnd {
	r := &records[i]
	start, end := plainOuterEnds(r.Pos, r.Cigar)
	e := plainEnd{index: i, name: r.Name, pos: r.Pos, score: plainScore(r)}
	five := start
	if r.Flags&hts.Reverse != 0 {
		five = end
	}
	e.single = fmt.Sprint(r.Contig, five, r.Flags&hts.Reverse != 0, r.ReadGroup)
	if r.Flags&hts.Paired == 0 || r.Flags&hts.MateUnmapped != 0 {
		return e
	}
	e.paired = true
	mate := slices.IndexFunc(records, func(m Record) bool {
		const which = hts.Read1 | hts.Read2 | hts.Secondary | hts.Supplementary
		return m.Name == r.Name && m.Flags&which == r.Flags&which^(hts.Read1|hts.Read2)
	})
	e.score += plainScore(&records[mate])
	mateStart, mateEnd := plainOuterEnds(r.MatePos, r.MateCigar)
	reverse, mateReverse, first := r.Flags&hts.Reverse != 0, r.Flags&hts.MateReverse != 0, r.Flags&hts.Read1 != 0
	var left bool
	switch {
	case r.Contig != r.MateContig:
		left = r.ContigIndex < r.MateContigIndex
	case !reverse && !mateReverse:
		left = start <= mateStart
	case reverse && mateReverse:
		left = end <= mateEnd
	case reverse:
		left = end <= mateStart
	default:
		left = start <= mateEnd
	}
	own, other, way := 0, 0, ""
	switch {
	case reverse == mateReverse && left:
		own, other, way = start, mateEnd, map[bool]string{true: "FF", false: "RR"}[reverse != first]
	case reverse == mateReverse:
		own, other, way = end, mateStart, map[bool]string{true: "RR", false: "FF"}[reverse != first]
	case left && !reverse:
		own, other, way = start, mateEnd, "FR"
	case left:
		own, other, way = end, mateStart, "RF"
	case reverse:
		own, other, way = end, mateStart, "FR"
	default:
		own, other, way = start, mateEnd, "RF"
	}
	e.pair = fmt.Sprint(r.Contig, own, r.MateContig, other, left, way, r.ReadGroup)
	return e
}

func plainOuterEnds(pos int, cigar []hts.CigarOp) (start, end int) {
	start, end = pos, pos-1
	before := true
	for _, op := range cigar {
		switch op.Type() {
		case hts.CigarSoftClipped, hts.CigarHardClipped:
			if before {
				start -= op.Len()
			} else {
				end += op.Len()
			}
			continue
		case hts.CigarMatch, hts.CigarDeletion:
			end += op.Len()
		}
		before = false
	}
	return start, end
}

func plainScore(r *Record) (sum int) {
	for i := range r.Bases {
		q := 255
		if len(r.Qualities) > 0 {
			q = int(r.Qualities[i]) - 33
		}
		if q >= 15 {
			sum += q
		}
	}
	return sum
}

// crowd are fragments so near to each other that many are duplicates, of each kind, some in several
// records.
func crowd(t testing.TB, r *rand.Rand, fragments, positions int) []Record {
	var records []Record
	place := func() string {
		if r.IntN(8) == 0 {
			return "*"
		}
		shape := []string{"20M", "20M", "20M", "2S18M", "18M2S", "1H1S18M", "10M1D10M", "10M1I9M", "1S18M1S", "19M"}[r.IntN(10)]
		return fmt.Sprintf("%c:%d%c%s", "cccd"[r.IntN(4)], 1+r.IntN(positions), "+-"[r.IntN(2)], shape)
	}
	for i := range fragments {
		name := fmt.Sprintf("r%04d", i)
		if r.IntN(4) == 0 {
			name = fmt.Sprintf("Q%04d", fragments-i)
		}
		line := name + " " + place()
		if r.IntN(3) > 0 {
			line += " " + place()
		}
		line += fmt.Sprint(" ", []int{10, 14, 15, 30}[r.IntN(4)]) + []string{"", " x", " xx"}[r.IntN(3)]
		of := fragment(t, line)
		for j := range of {
			if r.IntN(3) == 0 {
				of[j].Qualities = slices.Clone(of[j].Qualities)
				of[j].Qualities[0] = byte('!' + r.IntN(40))
			}
			if r.IntN(20) == 0 {
				of[j].Qualities = nil
			}
		}
		if len(of) == 2 {
			for j, mate := range []*Record{&of[1], &of[0]} {
				of[j].MateQualities = QualitySum(mate.Bases, mate.Qualities)
			}
		}
		for j := range of {
			records = append(records, of[j])
			if of[j].Flags&hts.Unmapped == 0 && r.IntN(4) == 0 {
				other := of[j]
				other.Flags |= []hts.Flags{hts.Secondary, hts.Supplementary}[r.IntN(2)]
				other.Bases, other.Qualities = nil, nil
				records = append(records, other)
			}
		}
	}
	return records
}

// TestMarkDuplicatesProperty compares with the plain definition, in every format: except for the
// flag each byte is as in records that are only sorted.
func TestMarkDuplicatesProperty(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: coordinate, NoProgram: true}, testContigs...)
	effort.Cases(t, 25)
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		fragments, positions := rapid.IntRange(0, 60).Draw(rt, "fragments"), rapid.IntRange(1, 12).Draw(rt, "positions")
		records := crowd(t, rand.New(rand.NewPCG(seed, 5)), fragments, positions)
		plain := plainDuplicates(records)
		o := WriterOptions{Sort: true, SortMemory: 1, Temporary: temporary.In(folder)}
		o.Threads = rapid.IntRange(1, 3).Draw(rt, "threads")
		o.Format = rapid.SampledFrom([]Format{FormatSAM, FormatSAMGZ, FormatBAM}).Draw(rt, "format")
		want := write(t, h, o, blocksOf(plain, encodingOf(t, h, o), 100)...)
		o.MarkDuplicates = true
		var file bytes.Buffer
		w, err := NewWriter(&file, h, o)
		if err != nil {
			rt.Fatal(err)
		}
		defer w.Discard()
		tiny := func(name string) *sorter {
			return tinySorter(folder, rapid.IntRange(1, 4000).Draw(rt, name), 1+rapid.IntRange(0, 2).Draw(rt, "half"), 2, o.Threads)
		}
		w.marker.records, w.marker.ends = tiny("records"), tiny("ends")
		for _, block := range blocksOf(records, w.Encoding(), rapid.IntRange(1, 9).Draw(rt, "in a block")) {
			if _, err := w.Write(block); err != nil {
				rt.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(file.Bytes(), want) {
			text, _ := marked(t, WriterOptions{}, records, 1)
			rt.Fatalf("other bytes; as SAM %s are duplicates, by the definition %s",
				duplicatesOf(text), duplicatesOf(string(sortedLines(plain))))
		}
	})
}

// samtools markdup marks the same records.
func TestSamtoolsAgreesOnDuplicates(t *testing.T) {
	path := programs.Find(t, "samtools")
	for seed, c := range []struct{ fragments, positions int }{{40, 3}, {300, 8}, {3000, 12}, {3000, 60}, {20000, 200}}[:effort.Pick(5, 4)] {
		records := crowd(t, rand.New(rand.NewPCG(uint64(seed), 6)), c.fragments, c.positions)
		o := HeaderOptions{NoProgram: true}
		for _, id := range []string{"x", "xx"} {
			g, err := NewReadGroup(id, "", "")
			if err != nil {
				t.Fatal(err)
			}
			o.ReadGroups = append(o.ReadGroups, g)
		}
		h := testHeader(t, o, testContigs...)
		input := write(t, h, WriterOptions{}, blocksOf(records, Text, 100)...)
		mates := output(t, input, path, "fixmate", "-m", "-O", "bam", "-", "-")
		sorted := output(t, mates, path, "sort", "-O", "bam", "-")
		// Before 1.17 there is no --use-read-groups.
		done := output(t, sorted, path, "markdup", "--barcode-tag", "RG", "-O", "bam", "-", "-")
		want := string(output(t, done, path, "view", "-"))
		got, _ := marked(t, WriterOptions{}, records, 7)
		if seed == 0 && duplicatesOf(want) == "" {
			t.Fatal("samtools marks nothing")
		}
		if marks(got) != marks(want) {
			t.Errorf("%d fragments, %d positions: other records\n%s\nare duplicates, of samtools\n%s",
				c.fragments, c.positions, duplicatesOf(got), duplicatesOf(want))
		}
	}
}

// marks has name, flags that no mate decides, contig and position of each line.
func marks(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		fields := strings.Split(line, "\t")
		flags, _ := strconv.Atoi(fields[1])
		const own = hts.Unmapped | hts.Reverse | hts.Read1 | hts.Read2 | hts.Secondary | hts.Supplementary | hts.Duplicate
		lines = append(lines, fmt.Sprintln(fields[0], flags&int(own), fields[2], fields[3], fields[5]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Faults of temporary files come out, whichever of the two kinds has them, and nothing is left.
func TestMarkDuplicatesReportsFaults(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: coordinate}, testContigs...)
	records := crowd(t, rand.New(rand.NewPCG(1, 2)), 500, 50)
	for _, c := range []struct {
		name string
		of   func(d *duplicates) *sorter
	}{
		{"records", func(d *duplicates) *sorter { return d.records }},
		{"ends", func(d *duplicates) *sorter { return d.ends }},
	} {
		for _, fault := range []faultyFile{{err: syscall.ENOSPC}, {left: 5000, err: syscall.ENOSPC}, {flip: true}} {
			within(t, c.name, func() {
				before := runtime.NumGoroutine()
				w, err := NewWriter(io.Discard, h, WriterOptions{Sort: true, MarkDuplicates: true, SortMemory: 1})
				if err != nil {
					t.Fatal(err)
				}
				folder := t.TempDir()
				w.marker.records, w.marker.ends = tinySorter(folder, 1000, 2, 3, 2), tinySorter(folder, 1000, 2, 3, 2)
				faulty := c.of(w.marker)
				faulty.Files = faultyFiles{faulty.Files, fault}
				for _, block := range blocksOf(records, w.Encoding(), 10) {
					if _, err = w.Write(block); err != nil {
						break
					}
				}
				if closed := w.Close(); err == nil {
					err = closed
				}
				if err == nil || !strings.Contains(err.Error(), "temporary folder "+folder) {
					t.Errorf("%s, %+v: error %v", c.name, fault, err)
				}
				leaks.Goroutines(t, before)
			})
		}
	}
}

// Both sorters together have buffers within the given memory.
func TestMarkDuplicatesSharesMemory(t *testing.T) {
	for _, memory := range []int64{8 << 20, DefaultSortMemory} {
		d := newDuplicates(&WriterOptions{SortMemory: memory, Temporary: temporary.In(""), Threads: 2})
		records, ends := extsort.Share(memory*3/4, 2), extsort.Share(memory/4, 2)
		if d.records.Sizes != records || d.ends.Sizes != ends {
			t.Errorf("%d bytes: %+v for records and %+v for ends, want %+v and %+v", memory, d.records.Sizes, d.ends.Sizes, records, ends)
		}
	}
}

// A Writer that marks duplicates refuses wrong options and records.
func TestMarkDuplicatesRefuses(t *testing.T) {
	h := testHeader(t, HeaderOptions{SortOrder: coordinate}, testContigs...)
	if _, err := NewWriter(&bytes.Buffer{}, h, WriterOptions{MarkDuplicates: true}); err == nil {
		t.Error("marks duplicates that are not sorted")
	}
	r := fragment(t, "a c:101+50M 30")[0]
	short := (&Record{Name: "*"}).Append(nil, KeyedText)[:keyedHeader]
	putInt32(short, keyedHeader-offsetContig)
	named := r.Append(nil, MarkedBinary)
	named[offsetNameLength] = 255
	named[len(named)-trailerLength+offsetKind] |= kindPair
	for _, block := range [][]byte{short, named} {
		w, err := NewWriter(&bytes.Buffer{}, h, WriterOptions{Format: FormatBAM, Sort: true, MarkDuplicates: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(block); err == nil || !strings.Contains(err.Error(), "a record of ") {
			t.Errorf("takes a record of %d bytes, error %v", len(block), err)
		}
		w.Discard()
	}
}

// TestQualitySum compares sums with the rule, quality by quality: of all that may count or not, of
// bytes that are no qualities, and of lengths around a word.
func TestQualitySum(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 33))
	for n := range 3000 {
		bases, qualities := make([]byte, n%37), make([]byte, n%37)
		for i := range qualities {
			qualities[i] = '!' + byte(r.IntN(94))
			if n%5 == 0 {
				qualities[i] = byte(r.IntN(256))
			}
		}
		qualities = qualities[:len(qualities)-r.IntN(min(len(qualities), 2)+1)]
		want := noQuality * (len(bases) - len(qualities))
		for _, q := range qualities {
			if q >= '0' {
				want += int(q) - '!'
			}
		}
		if got := QualitySum(bases, qualities); got != want {
			t.Fatalf("%d bases, %q: %d, want %d", len(bases), qualities, got, want)
		}
	}
}
