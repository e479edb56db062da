package track

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"scanmap/internal/effort"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/bgzf"
	"scanmap/internal/programs"
)

// someTable has intervals of many lengths and gaps in contigs of given lengths.
func someTable(seed uint64, lengths ...int) *table {
	random := rand.New(rand.NewPCG(seed, 3))
	var contigs []Contig
	for i, n := range lengths {
		contigs = append(contigs, Contig{fmt.Sprintf("%c%d", "zyx"[i%3], i), n})
	}
	table := newTable(contigs)
	for i, c := range contigs {
		for at := 0; len(table.of[i]) < 20_000; {
			start := at + random.IntN(1<<random.IntN(16))*random.IntN(2)
			at = start + 1 + random.IntN(1<<random.IntN(14))
			if random.IntN(5000) == 0 {
				at += random.IntN(1 << 25)
			}
			if at > c.Length {
				break
			}
			table.of[i] = append(table.of[i], interval{"", start, at, float32(random.IntN(40)) / float32(1+random.IntN(3))})
		}
	}
	return table
}

// TestTabix compares what tabix finds in regions with a look at all lines.
func TestTabix(t *testing.T) {
	effort.OnlyAll(t, "another program runs beside")
	tabix := programs.Find(t, "tabix")
	for _, c := range []struct {
		ending string
		table  *table
	}{
		{".tbi", someTable(1, 100_000_000, 50, 1<<29, 1<<14, 30_000_000)},
		{".csi", someTable(2, 100_000_000, math.MaxUint32, 7, 1<<29+1)},
		{".tbi", newTable([]Contig{{"a", bgzf.Reach}}, interval{"a", 0, bgzf.Reach, 1})},
		{".csi", newTable([]Contig{{"a", bgzf.Reach + 1}}, interval{"a", 0, 1, 1}, interval{"a", bgzf.Reach, bgzf.Reach + 1, 1})},
		{".tbi", newTable([]Contig{{"a", 5}})},
	} {
		name := filepath.Join(t.TempDir(), "a.bg.gz")
		var file, index bytes.Buffer
		if err := WriteBGZF(&file, &index, c.table.contigs, c.table.values, 2); err != nil {
			t.Fatal(err)
		}
		if got := IndexEnding(c.table.contigs); got != c.ending {
			t.Errorf("the index ends with %s, want %s", got, c.ending)
		}
		for name, data := range map[string][]byte{name: file.Bytes(), name + c.ending: index.Bytes()} {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}

		var used []string
		for i, list := range c.table.of {
			if len(list) > 0 {
				used = append(used, c.table.contigs[i].Name)
			}
		}
		if got, err := exec.Command(tabix, "-l", name).Output(); err != nil || !slices.Equal(strings.Fields(string(got)), used) {
			t.Errorf("contigs %q, %v, want %q", got, err, used)
		}
		if len(used) == 0 {
			continue
		}

		all := c.table.joined()
		random := rand.New(rand.NewPCG(7, 7))
		var regions []string
		var want []byte
		for range 300 {
			v := all[random.IntN(len(all))]
			start := max(0, v.Start+random.IntN(5)-2)
			switch random.IntN(4) {
			case 0:
				start = start &^ (1<<14 - 1)
			case 1:
				start = random.IntN(v.End)
			}
			end := start + 1 + random.IntN(1<<random.IntN(22))
			regions = append(regions, fmt.Sprintf("%s:%d-%d", v.Contig, start+1, end))
			for _, v2 := range all {
				if v2.Contig == v.Contig && v2.Start < end && start < v2.End {
					want = appendLine(want, v2.Contig, v2.Start, v2.End, v2.Value)
				}
			}
		}
		got, err := exec.Command(tabix, append([]string{name}, regions...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: tabix finds %d bytes, want %d", c.ending, len(got), len(want))
		}
	}
}

// pyBigWig prints, for each file that it is given, the readings of libBigWig: its contigs, its
// summary, intervals with the bits of their values, and means by zoom levels beside exact ones.
// libBigWig compares the names of all contigs for each contig, so in files with many contigs the
// program looks into every 997th. libBigWig sums up base by base, so that stats are of short
// contigs. pyBigWig gives positions as signed 32-bit numbers.
const pyBigWig = `
import sys, struct
try:
    import pyBigWig
except ImportError:
    sys.exit(77)
def num(v):
    return "none" if v is None else repr(v)
for name in sys.argv[1:]:
    f = pyBigWig.open(name)
    h = f.header()
    print("file", h["nLevels"], h["nBasesCovered"], h["minVal"], h["maxVal"], h["sumData"])
    contigs = f.chroms()
    for i, (contig, length) in enumerate(contigs.items()):
        print("contig", contig, length)
        if len(contigs) > 1000 and i % 997:
            continue
        for start, end, value in f.intervals(contig) or ():
            print(start & 0xffffffff, end & 0xffffffff, struct.unpack("<I", struct.pack("<f", value))[0])
        if length <= 1 << 20:
            for kind in ("mean", "max", "coverage"):
                print("stats", kind, *[num(f.stats(contig, 0, length, type=kind, exact=exact)[0])
                    for exact in (False, True)])
`

// TestPyBigWig has pyBigWig, which is libBigWig, read files; it is skipped where python3 has none.
func TestPyBigWig(t *testing.T) {
	effort.OnlyAll(t, "another program runs beside")
	python := programs.Find(t, "python3")
	many := &table{}
	for i := range 70_000 {
		many.contigs = append(many.contigs, Contig{fmt.Sprintf("contig%d", i*7919%70_000), 3})
		many.of = append(many.of, nil)
		if i%4 == 0 {
			many.of[i] = []interval{{"", i % 3, i%3 + 1, float32(i)}}
		}
	}
	bases := newTable([]Contig{{"each", 500_000}, {"name" + strings.Repeat("n", 251), 1}, {"empty", 10}, {"b", math.MaxUint32}},
		interval{"name" + strings.Repeat("n", 251), 0, 1, 5}, interval{"b", math.MaxUint32 - 1, math.MaxUint32, 3})
	for i := range 500_000 {
		bases.of[0] = append(bases.of[0], interval{"", i, i + 1, float32(i%1000) / 7})
	}
	tables := []*table{someTable(4, 100_000_000, 50, 1<<30, 1<<14, 1_000_000), bases, many, newTable([]Contig{{"a", 100}}), newTable([]Contig{{"a", 100}}, interval{"a", 5, 6, 1})}
	for _, k := range kinds {
		table := newTable([]Contig{{"a", math.MaxInt32}})
		for i := range 3*blockItems + 1 {
			start, end, value := k.make(i)
			table.of[0] = append(table.of[0], interval{"", start, end, value})
		}
		tables = append(tables, table)
	}
	folder := t.TempDir()
	arguments := []string{"-c", pyBigWig}
	for i, table := range tables {
		name := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(name, mustWrite(t, BigWig, table, 2), 0o644); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, name)
	}
	command := exec.Command(python, arguments...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if command.ProcessState != nil && command.ProcessState.ExitCode() == 77 {
		t.Skip("SKIPPED: python3 has no pyBigWig")
	}
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.Bytes())
	}
	for _, table := range tables {
		out = comparePyBigWig(t, table, out)
	}
	if len(out) > 0 {
		t.Errorf("%d bytes are left", len(out))
	}
}

// comparePyBigWig compares a table with the output on its file, and returns what follows.
func comparePyBigWig(t *testing.T, table *table, out []byte) []byte {
	t.Helper()
	all := table.joined()
	covered, sum := 0, 0.0
	for _, v := range all {
		covered += v.End - v.Start
		sum += float64(v.End-v.Start) * float64(v.Value)
	}
	lengths := map[string]int{}
	got := newTable(table.contigs)
	contig, length := -1, 0
	first := true
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 1<<20)
	used := 0
lines:
	for in.Scan() {
		fields := strings.Fields(in.Text())
		number := func(i int) float64 {
			if fields[i] == "none" {
				return math.NaN()
			}
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				t.Fatal(in.Text())
			}
			return v
		}
		switch fields[0] {
		case "file":
			if !first {
				break lines
			}
			first = false
			if levels := number(1); (levels == 0) != (len(all) == 0) || int(number(2)) != covered || math.Abs(number(5)-sum) > 1 {
				t.Errorf("%s, want %d and %g", in.Text(), covered, sum)
			}
		case "contig":
			contig = slices.IndexFunc(table.contigs, func(c Contig) bool { return c.Name == fields[1] })
			length = int(number(2))
			lengths[fields[1]] = length
		case "stats":
			zoomed, exact := number(2), number(3)
			if math.IsNaN(zoomed) != math.IsNaN(exact) || math.Abs(zoomed-exact) > 1e-5*math.Abs(exact) {
				t.Errorf("contig %s of %d: %s by zoom %g, exactly %g", table.contigs[contig].Name, length, fields[1], zoomed, exact)
			}
		default:
			start, end, bits := int(number(0)), int(number(1)), uint32(number(2))
			got.of[contig] = append(got.of[contig], interval{"", start, end, math.Float32frombits(bits)})
		}
		used += len(in.Bytes()) + 1
	}
	for _, c := range table.contigs {
		if lengths[c.Name] != c.Length {
			t.Fatalf("contig %s has %d bases, want %d", c.Name, lengths[c.Name], c.Length)
		}
	}
	some := *table
	some.of = slices.Clone(table.of)
	for i := range some.of {
		if len(some.of) > 1000 && i%997 > 0 {
			some.of[i] = nil
		}
	}
	chosen := some.joined()
	again := got.joined()
	if len(again) != len(chosen) {
		t.Fatalf("pyBigWig reads %d intervals, want %d", len(again), len(chosen))
	}
	for i, v := range chosen {
		if again[i] != v {
			t.Fatalf("pyBigWig reads %v, want %v", again[i], v)
		}
	}
	return out[used:]
}
