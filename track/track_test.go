package track

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/bgzf"
	"scanmap/internal/effort"
)

// An interval is one of a file.
type interval struct {
	Contig     string
	Start, End int
	Value      float32
}

// A table is values as tests have them: contigs, and the intervals of each.
type table struct {
	contigs []Contig
	of      [][]interval
}

// newTable puts intervals under their contigs.
func newTable(contigs []Contig, intervals ...interval) *table {
	t := &table{contigs, make([][]interval, len(contigs))}
	for _, v := range intervals {
		i := slices.IndexFunc(contigs, func(c Contig) bool { return c.Name == v.Contig })
		t.of[i] = append(t.of[i], v)
	}
	return t
}

// values gives more than is asked for where there is little.
func (t *table) values(contig, from, to int, yield func(start, end int, value float32) error) error {
	list := t.of[contig]
	if len(list) > 100 {
		first, _ := slices.BinarySearchFunc(list, from, func(v interval, from int) int { return v.End - from - 1 })
		end, _ := slices.BinarySearchFunc(list, to, func(v interval, to int) int { return v.Start - to })
		list = list[first:end]
	}
	for _, v := range list {
		if err := yield(v.Start, v.End, v.Value); err != nil {
			return err
		}
	}
	return nil
}

// joined has the intervals that files have of the table, by another way than joiner: base by base
// at the borders.
func (t *table) joined() []interval {
	var all []interval
	for i, list := range t.of {
		for _, v := range list {
			v.Contig = t.contigs[i].Name
			if n := len(all); n > 0 && all[n-1].Contig == v.Contig && all[n-1].End == v.Start && all[n-1].Value == v.Value {
				all[n-1].End = v.End
			} else {
				all = append(all, v)
			}
		}
	}
	return all
}

// memoryFile is a file in memory.
type memoryFile struct {
	data []byte
	at   int
}

func (m *memoryFile) Write(p []byte) (int, error) {
	if more := m.at + len(p) - len(m.data); more > 0 {
		m.data = append(m.data, make([]byte, more)...)
	}
	copy(m.data[m.at:], p)
	m.at += len(p)
	return len(p), nil
}

func (m *memoryFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		m.at = int(offset)
	case io.SeekEnd:
		m.at = len(m.data) + int(offset)
	default:
		return 0, errors.New("not used")
	}
	return int64(m.at), nil
}

// write writes a file of a format.
func write(format Format, contigs []Contig, v Values, threads int) ([]byte, error) {
	var m memoryFile
	var err error
	switch format {
	case BedGraph:
		err = WriteBedGraph(&m, contigs, v, threads)
	case BedGraphBGZF:
		err = WriteBGZF(&m, io.Discard, contigs, v, threads)
	case BigWig:
		err = WriteBigWig(&m, contigs, v, threads)
	}
	return m.data, err
}

// allFormats are the formats that every test of files goes through.
var allFormats = []Format{BedGraph, BedGraphBGZF, BigWig}

func mustWrite(t testing.TB, format Format, table *table, threads int) []byte {
	t.Helper()
	data, err := write(format, table.contigs, table.values, threads)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return data
}

// read reads a file.
func read(data []byte) ([]interval, error) {
	var all []interval
	err := Read(bytes.NewReader(data), func(contig string, start, end int, value float32) error {
		all = append(all, interval{contig, start, end, value})
		return nil
	})
	return all, err
}

// roundTrip writes a table in all formats, reads it again and compares.
func roundTrip(t testing.TB, table *table, threads int) {
	t.Helper()
	want := table.joined()
	for _, format := range allFormats {
		got, err := read(mustWrite(t, format, table, threads))
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if !slices.Equal(got, want) {
			if len(want) > 100 {
				t.Fatalf("%s: %d intervals, want %d, or others", format, len(got), len(want))
			}
			t.Fatalf("%s: read back (-want +got):\n%s", format, cmp.Diff(want, got))
		}
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"a.bedGraph": BedGraph, "a.bedgraph": BedGraph, "a.bg": BedGraph, "x/a.bdg": BedGraph, ".bg": BedGraph,
		"a.bedGraph.gz": BedGraphBGZF, "a.bg.bgz": BedGraphBGZF, "a.BDG.GZ": BedGraphBGZF,
		"a.bw": BigWig, "a.bigWig": BigWig, "a.BW": BigWig,
		"a.bw.gz": "", "a.gz": "", "a.bed": "", "bg": "", "": "", "a.wig": "",
	} {
		got, err := FormatOf(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), ".bw or .bigwig") {
			t.Errorf("%q: %v does not say what is allowed", name, err)
		}
	}
}

func TestValues(t *testing.T) {
	for value, want := range map[float32]string{
		0: "0", 1: "1", -1: "-1", 12345678: "12345678", 1<<24 - 1: "16777215", 1 << 24: "16777216", -1 << 24: "-16777216",
		0.5: "0.5", 0.1: "0.1", 1.0 / 3: "0.33333334", -2.5: "-2.5", 1e10: "10000000000", 1e-5: "0.00001",
		math.MaxFloat32: "340282350000000000000000000000000000000", 1 << 30: "1073741800", 1 << 31: "2147483600", 1e20: "100000000000000000000",
	} {
		if got := string(appendValue(nil, value)); got != want {
			t.Errorf("%g: %s, want %s", value, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float32(), rapid.Map(rapid.Int32(), func(v int32) float32 { return float32(v) })).Draw(t, "value")
		text := appendValue(nil, value)
		if got, err := parseValue(text); err != nil || got != value {
			t.Fatalf("%g is written as %s, which is %g, %v", value, text, got, err)
		}
		if bytes.ContainsAny(text, "eE") || value == float32(math.Trunc(float64(value))) && bytes.ContainsRune(text, '.') {
			t.Fatalf("%g is written as %s", value, text)
		}
	})
}

// TestExample has the example of the format's page: the written file is exactly this.
func TestExample(t *testing.T) {
	table := newTable([]Contig{{"b", 10}, {"a", 5}, {"none", 7}},
		interval{"b", 0, 1, 2}, interval{"b", 1, 4, 2}, interval{"b", 4, 5, 0.25}, interval{"b", 9, 10, float32(math.Copysign(0, -1))},
		interval{"a", 0, 5, -3})
	const want = "b\t0\t4\t2\nb\t4\t5\t0.25\nb\t9\t10\t0\na\t0\t5\t-3\n"
	if got := string(mustWrite(t, BedGraph, table, 1)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	roundTrip(t, table, 1)
}

func TestBorders(t *testing.T) {
	long := strings.Repeat("n", 255)
	for _, c := range []struct {
		name  string
		table *table
	}{
		{"no contigs", newTable(nil)},
		{"no values", newTable([]Contig{{"a", 5}, {long, 0}})},
		{"one base", newTable([]Contig{{"a", 1}}, interval{"a", 0, 1, 1})},
		{"long name", newTable([]Contig{{"a", 2}, {long, 2}, {"b", 2}}, interval{long, 1, 2, 1}, interval{"b", 0, 1, 1})},
		{"longest name", newTable([]Contig{{strings.Repeat("n", longestName), 2}}, interval{strings.Repeat("n", longestName), 0, 2, -math.MaxFloat32})},
		{"first and last base", newTable([]Contig{{"a", 100}, {"b", 100}},
			interval{"a", 0, 1, 1}, interval{"a", 99, 100, 1}, interval{"b", 0, 1, 1}, interval{"b", 99, 100, 1})},
		{"longest contig", newTable([]Contig{{"a", math.MaxUint32}},
			interval{"a", 0, 1, 1}, interval{"a", math.MaxUint32 - 1, math.MaxUint32, 2})},
		{"whole longest contig", newTable([]Contig{{"a", math.MaxUint32}}, interval{"a", 0, math.MaxUint32, math.MaxFloat32})},
		{"reach of TBI", newTable([]Contig{{"a", bgzf.Reach}}, interval{"a", bgzf.Reach - 1, bgzf.Reach, 1})},
	} {
		t.Run(c.name, func(t *testing.T) { roundTrip(t, c.table, 2) })
	}
}

// kinds are values of n intervals that each type of section can take.
var kinds = []struct {
	name string
	make func(i int) (start, end int, value float32)
	kind byte
}{
	{"bedGraph", func(i int) (int, int, float32) { return 10 * i, 10*i + 1 + i%7, float32(i % 5) }, sectionBedGraph},
	{"variable step", func(i int) (int, int, float32) { return 10*i + i%7, 10*i + i%7 + 3, float32(i) }, sectionVarStep},
	{"fixed step", func(i int) (int, int, float32) { return 10 * i, 10*i + 5, float32(i) / 3 }, sectionFixed},
	{"each base", func(i int) (int, int, float32) { return i, i + 1, float32(i) / 7 }, sectionFixed},
	{"without gaps", func(i int) (int, int, float32) { return 3*i/2 + i%2, 3*(i+1)/2 + (i+1)%2, float32(i) }, sectionFixed},
	{"long without gaps", func(i int) (int, int, float32) { return i * (i + 1) / 2, (i + 1) * (i + 2) / 2, float32(i) }, sectionBedGraph},
}

func TestNumbersOfItems(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{1, 2, 3, blockItems - 1, blockItems, blockItems + 1, 2 * blockItems, 2*blockItems + 1} {
			table := newTable([]Contig{{"empty", 3}, {"a", effort.Pick(math.MaxInt32, 1<<24)}, {"b", 1}})
			for i := range n {
				start, end, value := k.make(i)
				table.of[1] = append(table.of[1], interval{"", start, end, value})
			}
			table.of[2] = []interval{{"", 0, 1, 1}}
			t.Run(fmt.Sprintf("%s/%d", k.name, n), func(t *testing.T) { roundTrip(t, table, 2) })
		}
	}
}

// TestTypesOfSections checks which type a block takes, and that it has no more bytes than others.
func TestTypesOfSections(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{3, blockItems} {
			b := &block{}
			table := newTable([]Contig{{"a", math.MaxInt32}})
			for i := range n {
				start, end, value := k.make(i)
				table.of[0] = append(table.of[0], interval{"", start, end, value})
				for _, v := range []uint32{uint32(start), uint32(end), math.Float32bits(value)} {
					b.Data = append(b.Data, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
				}
				b.Note.extent.end = uint32(end)
			}
			section := appendSection(nil, b)
			if n == blockItems && section[20] != k.kind {
				t.Errorf("%s: %d items are of type %d, want %d", k.name, n, section[20], k.kind)
			}
			if len(section) > sectionHead+n*itemBytes {
				t.Errorf("%s: %d items take %d bytes", k.name, n, len(section))
			}
			if most := map[string]int{"variable step": 8 * n, "fixed step": 4 * n, "each base": 4 * n, "without gaps": 6*n + 4}[k.name]; most > 0 && len(section) > sectionHead+most {
				t.Errorf("%s: %d items take %d bytes, want at most %d and the head", k.name, n, len(section), most)
			}
		}
	}
}

// TestManyContigs crosses the fan-out of the tree of contigs, and of the index, whose blocks are of
// one contig each.
func TestManyContigs(t *testing.T) {
	for _, n := range []int{fanOut - 1, fanOut, fanOut + 1, fanOut * fanOut, fanOut*fanOut + 1, 70_000}[:effort.Pick(6, 5)] {
		table := &table{make([]Contig, n), make([][]interval, n)}
		for i := range n {
			table.contigs[i] = Contig{fmt.Sprintf("contig%d", i), 1 + i%5}
			if i%3 > 0 {
				table.of[i] = []interval{{"", 0, 1, float32(i)}}
			}
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) { roundTrip(t, table, 2) })
	}
}

// drawTable draws values near borders: blocks are small beside it, but windows, zoom levels and
// ends of contigs are crossed.
func drawTable(t *rapid.T) *table {
	contigs := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Contig {
		return Contig{
			rapid.StringMatching(`[a-c!~=*][a-cX#|]{0,4}`).Draw(t, "name"),
			rapid.OneOf(rapid.IntRange(0, 50), rapid.IntRange(1<<14-2, 1<<14+2), rapid.IntRange(1<<20, effort.Pick(1<<29+1, 1<<22)), rapid.Just(effort.Pick(math.MaxUint32, 1<<14))).Draw(t, "length"),
		}
	}), 0, 5, func(c Contig) string { return c.Name }).Draw(t, "contigs")
	table := newTable(contigs)
	for i, c := range contigs {
		n := rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(0, 300), rapid.Just(3*blockItems)).Draw(t, "intervals")
		gap := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3), rapid.IntRange(0, 1<<15), rapid.IntRange(0, 1<<29))
		length := rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 3), rapid.IntRange(1, 1<<15), rapid.IntRange(1, 1<<28))
		value := rapid.OneOf(rapid.Map(rapid.IntRange(0, 2), func(v int) float32 { return float32(v) / 2 }), rapid.Float32())
		if n > 300 {
			gap, length = rapid.Just(0), rapid.Just(1)
		}
		for at := 0; n > 0; n-- {
			start := at + gap.Draw(t, "gap")
			at = start + length.Draw(t, "length")
			if at > c.Length {
				break
			}
			table.of[i] = append(table.of[i], interval{"", start, at, value.Draw(t, "value")})
		}
	}
	return table
}

func TestRoundTrip(t *testing.T) {
	effort.CasesEither(t, 60, 40)
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		want := table.joined()
		for _, format := range allFormats {
			data, err := write(format, table.contigs, table.values, 1)
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			for _, threads := range []int{0, 3} {
				if again, err := write(format, table.contigs, table.values, threads); err != nil || !bytes.Equal(again, data) {
					t.Fatalf("%s: other bytes with %d threads, %v", format, threads, err)
				}
			}
			got, err := read(data)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %v, read back (-want +got):\n%s", format, err, cmp.Diff(want, got))
			}
		}
	})
}

// TestStretches has intervals that end, begin and go on where stretches and their portions do, and
// values that give more than is asked for.
func TestStretches(t *testing.T) {
	var contigs []Contig
	for i, n := range []int{stretchBases - 1, 5 * stretchBases, 0, stretchBases, 3, stretchBases + 1, 9 * stretchBases} {
		contigs = append(contigs, Contig{fmt.Sprint("c", i), n})
	}
	for range 2*mostStretches + 1 {
		contigs = append(contigs, Contig{fmt.Sprint("c", len(contigs)), 1 + len(contigs)%3})
	}
	for gap := range 3 {
		for values := 1; values < 4; values++ {
			table := newTable(contigs)
			for i, c := range contigs {
				for border := 0; border <= c.Length; border += stretchBases {
					for at := -6; at < 6; at += 2 + gap {
						// Few values, so that neighbours are equal; about every other border they are not.
						number := border / stretchBases
						v := interval{"", border + at, border + at + 2, float32((number + (at+6)/(2+2*(number%2))) % values)}
						if border == 2*stretchBases && at >= -2 {
							v.End = border + 2*stretchBases - 6 // over a whole stretch
						}
						if v.Start < 0 || v.End > c.Length {
							continue
						}
						if n := len(table.of[i]); n > 0 && table.of[i][n-1].End > v.Start {
							continue
						}
						table.of[i] = append(table.of[i], v)
					}
				}
			}
			roundTrip(t, table, 3)
			all := func(contig, _, _ int, yield func(start, end int, value float32) error) error {
				return table.values(contig, 0, math.MaxInt, yield)
			}
			for _, format := range allFormats {
				data := mustWrite(t, format, table, 1)
				if again, err := write(format, contigs, all, 5); err != nil || !bytes.Equal(again, data) {
					t.Errorf("%s: other bytes where values give all that there is, %v", format, err)
				}
				if format == BigWig {
					checkZooms(t, table, data)
				}
			}
		}
	}
}

// TestCuts checks that files do not depend on how intervals were cut.
func TestCuts(t *testing.T) {
	effort.CasesEither(t, 60, 40)
	rapid.Check(t, func(t *rapid.T) {
		whole := drawTable(t)
		cut := newTable(whole.contigs)
		for i, list := range whole.of {
			for _, v := range list {
				for v.End-v.Start > 1 && rapid.Bool().Draw(t, "cut") {
					at := rapid.IntRange(v.Start+1, v.End-1).Draw(t, "at")
					cut.of[i] = append(cut.of[i], interval{"", v.Start, at, v.Value})
					v.Start = at
				}
				cut.of[i] = append(cut.of[i], v)
			}
		}
		for _, format := range allFormats {
			a, errA := write(format, whole.contigs, whole.values, 1)
			b, errB := write(format, cut.contigs, cut.values, 1)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Fatalf("%s: other bytes, %v, %v", format, errA, errB)
			}
		}
	})
}

func TestWrongValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name      string
		intervals []interval
		want      string
	}{
		{"overlap", []interval{{"a", 0, 5, 1}, {"a", 4, 6, 1}}, "contig a: interval 4 to 6 begins before 5, where the one before it ends"},
		{"descent", []interval{{"a", 5, 6, 1}, {"a", 0, 1, 1}}, "contig a: interval 0 to 1 begins before 6"},
		{"the same", []interval{{"a", 5, 6, 1}, {"a", 5, 6, 1}}, "begins before 6"},
		{"empty", []interval{{"a", 5, 5, 1}}, "interval 5 to 5 is empty"},
		{"backwards", []interval{{"a", 5, 4, 1}}, "interval 5 to 4 is empty"},
		{"before the contig", []interval{{"a", -1, 4, 1}}, "interval -1 to 4 begins before base 0"},
		{"after the contig", []interval{{"a", 0, 11, 1}}, "interval 0 to 11 ends after the contig, which has 10 bases"},
		{"NaN", []interval{{"a", 0, 1, nan}}, "interval 0 to 1 has the value NaN, which is not a finite number"},
		{"infinity", []interval{{"a", 0, 1, inf}}, "has the value +Inf"},
		{"less than all", []interval{{"a", 0, 1, -inf}}, "has the value -Inf"},
	} {
		for _, format := range allFormats {
			table := newTable([]Contig{{"a", 10}}, c.intervals...)
			_, err := write(format, table.contigs, table.values, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, want %s", c.name, format, err, c.want)
			}
			// Also if the values lose the error.
			_, err = write(format, table.contigs, func(i, from, to int, yield func(int, int, float32) error) error {
				_ = table.values(i, from, to, yield)
				return nil
			}, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s, lost: %v, want %s", c.name, format, err, c.want)
			}
		}
	}
}

func TestWrongContigs(t *testing.T) {
	for _, c := range []struct {
		contigs []Contig
		want    string
	}{
		{[]Contig{{"", 1}}, "contig 1: its name is empty"},
		{[]Contig{{"a", 1}, {"b c", 1}}, `contig 2: its name, "b c", has white space`},
		{[]Contig{{"a\n", 1}}, "white space"},
		{[]Contig{{"a\x00", 1}}, "control character"},
		{[]Contig{{"a", 1}, {"a", 1}}, "contig 2: there is another of the name a"},
		{[]Contig{{"track", 1}}, "is no interval"},
		{[]Contig{{"browser", 1}}, "is no interval"},
		{[]Contig{{"#a", 1}}, "is no interval"},
		{[]Contig{{strings.Repeat("n", longestName+1), 1}}, "32769 bytes"},
		{[]Contig{{"a", -1}}, "contig 1, a, has -1 bases"},
		{[]Contig{{"a", math.MaxUint32 + 1}}, "not in 0 to 4294967295"},
	} {
		for _, format := range allFormats {
			_, err := write(format, c.contigs, newTable(c.contigs).values, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", format, err, c.want)
			}
		}
	}
}

// TestErrorOfValues checks that the error of values comes back, wherever it is.
func TestErrorOfValues(t *testing.T) {
	mine := errors.New("mine")
	for _, format := range allFormats {
		for at := range 3 { // bigWig asks for data, and then for zoom levels
			calls := 0
			_, err := write(format, []Contig{{"a", 100}}, func(_, _, _ int, yield func(int, int, float32) error) error {
				calls++
				if calls > at {
					return mine
				}
				return yield(0, 100, 1)
			}, 2)
			if at < 1 && !errors.Is(err, mine) || at == 1 && format == BigWig && !errors.Is(err, mine) {
				t.Errorf("%s, call %d: %v", format, at, err)
			}
		}
	}
	// Other values in another call.
	for _, second := range []int{1, 3} {
		calls := 0
		_, err := write(BigWig, []Contig{{"a", 100}}, func(_, _, _ int, yield func(int, int, float32) error) error {
			n := 2
			if calls++; calls > 1 {
				n = second
			}
			for i := range n {
				if err := yield(20*i, 20*i+1, float32(i)); err != nil {
					return err
				}
			}
			return nil
		}, 1)
		if calls > 1 && second != 2 && !errors.Is(err, errDiffer) {
			t.Errorf("%d intervals in place of 2: %v", second, err)
		}
	}
}

// A failing file takes a number of bytes, and then fails, or takes less than it is given.
type failing struct {
	memoryFile
	left  int
	short bool
	seek  bool // seeking fails
}

var errFull = errors.New("no space")

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.left)
	f.left -= n
	_, _ = f.memoryFile.Write(p[:n])
	if n < len(p) && !f.short {
		return n, errFull
	}
	return n, nil
}

func (f *failing) Seek(offset int64, whence int) (int64, error) {
	if f.seek {
		return 0, errFull
	}
	return f.memoryFile.Seek(offset, whence)
}

func TestFailedWrites(t *testing.T) {
	table := newTable([]Contig{{"a", math.MaxInt32}})
	for i := range effort.Pick(200_000, 30_000) {
		table.of[0] = append(table.of[0], interval{"", 3 * i, 3*i + 1 + i%2, float32(i*i%1000) / 7})
	}
	for _, format := range allFormats {
		whole := len(mustWrite(t, format, table, 2))
		for _, left := range []int{0, 1, 100, whole / 2, whole - 1} {
			for _, short := range []bool{false, true} {
				f := &failing{left: left, short: short}
				var err error
				switch format {
				case BedGraph:
					err = WriteBedGraph(f, table.contigs, table.values, 2)
				case BedGraphBGZF:
					err = WriteBGZF(f, nil, table.contigs, table.values, 2)
				case BigWig:
					err = WriteBigWig(f, table.contigs, table.values, 2)
				}
				if want := map[bool]error{false: errFull, true: io.ErrShortWrite}[short]; !errors.Is(err, want) {
					t.Errorf("%s with %d of %d bytes: %v, want %v", format, left, whole, err, want)
				}
			}
		}
	}
	if err := WriteBigWig(&failing{left: math.MaxInt, seek: true}, table.contigs, table.values, 1); !errors.Is(err, errFull) {
		t.Errorf("a file that cannot seek: %v", err)
	}
	if err := WriteBGZF(io.Discard, &failing{left: 10}, table.contigs, table.values, 1); !errors.Is(err, errFull) {
		t.Errorf("an index that fails: %v", err)
	}
}
