package track

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// A zoomRecord is one of a file.
type zoomRecord struct {
	Contig, Start, End, Covered uint32
	Min, Max, Sum, Squares      float32
}

// A checker is a test, or one of rapid.
type checker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// plainRecords sums up a table window by window.
func plainRecords(table *table, reduction int) []zoomRecord {
	var all []zoomRecord
	for i, list := range table.of {
		var sums [][2]float64
		var of []zoomRecord
		window := -1
		for _, v := range list {
			for start := v.Start; start < v.End; {
				end := min(v.End, (start/reduction+1)*reduction)
				if start/reduction != window {
					window = start / reduction
					of = append(of, zoomRecord{Contig: uint32(i), Start: uint32(start), Min: v.Value, Max: v.Value})
					sums = append(sums, [2]float64{})
				}
				r, s, n, x := &of[len(of)-1], &sums[len(of)-1], float64(end-start), float64(v.Value)
				r.End = uint32(end)
				r.Covered += uint32(end - start)
				r.Min, r.Max = min(r.Min, v.Value), max(r.Max, v.Value)
				s[0], s[1] = s[0]+n*x, s[1]+n*x*x
				r.Sum, r.Squares = float32(min(math.MaxFloat32, s[0])), float32(min(math.MaxFloat32, s[1]))
				start = end
			}
		}
		all = append(all, of...)
	}
	return all
}

// near allows for sums that were added up in another order.
func near(a, b float32) bool {
	return a == b || math.Abs(float64(a)-float64(b)) <= 1e-6*max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// fileLevels reads the zoom levels of a file by the tables of the format, and checks where their
// parts lie.
func fileLevels(t checker, data []byte) (reductions []int, records [][]zoomRecord) {
	t.Helper()
	get16, get32, get64 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	end := get64(data[24:]) // the index of the data
	_, end = fileBlocks(t, data, end)
	for i := range int(get16(data[6:])) {
		h := data[64+24*i:]
		reductions = append(reductions, int(get32(h)))
		if get64(h[8:]) != end {
			t.Fatalf("level %d begins at %d, want %d, where the part before ends", i, get64(h[8:]), end)
		}
		var leaves []leaf
		leaves, end = fileBlocks(t, data, get64(h[16:]))
		var of []zoomRecord
		at := int64(get64(h[8:])) + 4
		for _, l := range leaves {
			if l.offset != at {
				t.Fatalf("a block of level %d begins at %d, want %d", i, l.offset, at)
			}
			at += int64(l.size)
			z, err := zlib.NewReader(bytes.NewReader(data[l.offset:at]))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil || len(plain) > int(get32(data[52:])) {
				t.Fatal(len(plain), err)
			}
			block := make([]zoomRecord, len(plain)/32)
			if err := binary.Read(bytes.NewReader(plain), binary.LittleEndian, block); err != nil {
				t.Fatal(err)
			}
			last := block[len(block)-1]
			if want := (extent{block[0].Contig, block[0].Start, last.Contig, last.End}); l.extent != want {
				t.Fatalf("a block of level %d has the extent %v, want %v", i, l.extent, want)
			}
			of = append(of, block...)
		}
		if at != int64(get64(h[16:])) || int(get32(data[get64(h[8:]):])) != len(of) {
			t.Fatalf("level %d: blocks end at %d, the index begins at %d; %d records, says %d",
				i, at, get64(h[16:]), len(of), get32(data[get64(h[8:]):]))
		}
		records = append(records, of)
	}
	if end != uint64(len(data)-4) || get32(data[end:]) != bigWigMagic {
		t.Fatalf("the last part ends at %d of %d", end, len(data))
	}
	return reductions, records
}

// fileBlocks reads an R tree, and returns what it leads to and where it ends.
func fileBlocks(t checker, data []byte, offset uint64) (leaves []leaf, end uint64) {
	t.Helper()
	get32, get64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	at := func(b []byte) extent { return extent{get32(b), get32(b[4:]), get32(b[8:]), get32(b[12:])} }
	if get64(data[offset+32:]) != offset {
		t.Fatalf("the index at %d says that data end at %d", offset, get64(data[offset+32:]))
	}
	var node func(offset uint64) extent
	node = func(offset uint64) extent {
		n := uint64(binary.LittleEndian.Uint16(data[offset+2:]))
		size := uint64(24)
		if data[offset] == 1 {
			size = 32
		}
		var whole extent
		for i := range n {
			item := data[offset+4+i*size:]
			e := at(item)
			if i == 0 {
				whole = e
			}
			whole.lastContig, whole.end = e.lastContig, e.end
			if size == 32 {
				leaves = append(leaves, leaf{e, int64(get64(item[16:])), int(get64(item[24:]))})
			} else if below := node(get64(item[16:])); below != e {
				t.Fatalf("a node says that below lies %v, but there lies %v", e, below)
			}
		}
		end = max(end, offset+4+n*size)
		return whole
	}
	if whole := node(offset + 48); whole != at(data[offset+16:]) {
		t.Fatalf("the index says that it has %v, but it has %v", at(data[offset+16:]), whole)
	}
	if uint64(len(leaves)) != get64(data[offset+8:]) {
		t.Fatalf("the index has %d blocks, and says %d", len(leaves), get64(data[offset+8:]))
	}
	return leaves, end
}

// checkZooms compares the zoom levels and the total summary of a file with plain sums.
func checkZooms(t checker, table *table, data []byte) {
	t.Helper()
	reductions, records := fileLevels(t, data)
	joined := newTable(table.contigs, table.joined()...)
	if len(joined.joined()) > 0 && len(reductions) == 0 {
		t.Fatal("there is no zoom level")
	}
	for i, reduction := range reductions {
		want := plainRecords(joined, reduction)
		if !slices.EqualFunc(records[i], want, func(a, b zoomRecord) bool {
			same := near(a.Sum, b.Sum) && near(a.Squares, b.Squares)
			a.Sum, a.Squares = b.Sum, b.Squares
			return same && a == b
		}) {
			t.Fatalf("level of %d (-want +got):\n%s", reduction, cmp.Diff(want, records[i]))
		}
		if i > 0 && (reduction != 4*reductions[i-1] || len(records[i]) >= len(records[i-1])) {
			t.Fatalf("level of %d has %d records after one of %d with %d", reduction, len(records[i]), reductions[i-1], len(records[i-1]))
		}
	}

	var total struct {
		Covered                uint64
		Min, Max, Sum, Squares float64
	}
	if err := binary.Read(bytes.NewReader(data[binary.LittleEndian.Uint64(data[44:]):]), binary.LittleEndian, &total); err != nil {
		t.Fatal(err)
	}
	covered, sum, squares := 0, 0.0, 0.0
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range joined.joined() {
		n, x := v.End-v.Start, float64(v.Value)
		covered, sum, squares = covered+n, sum+float64(n)*x, squares+float64(n)*x*x
		least, most = min(least, x), max(most, x)
	}
	if covered == 0 {
		least, most = 0, 0
	}
	if int(total.Covered) != covered || total.Min != least || total.Max != most ||
		math.Abs(total.Sum-sum) > 1e-9*math.Abs(sum) || math.Abs(total.Squares-squares) > 1e-9*squares {
		t.Fatalf("the summary is %+v, want %d %g %g %g %g", total, covered, least, most, sum, squares)
	}
}

// positive draws a table without negative values, whose sums could be next to nothing.
func positive(t *rapid.T) *table {
	table := drawTable(t)
	for _, list := range table.of {
		for i := range list {
			list[i].Value = float32(math.Abs(float64(list[i].Value)))
		}
	}
	return table
}

func TestZooms(t *testing.T) {
	effort.CasesEither(t, 60, 40)
	rapid.Check(t, func(t *rapid.T) {
		table := positive(t)
		data, err := write(BigWig, table.contigs, table.values, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkZooms(t, table, data)
		// Each level in a pass of its own, and some together.
		for _, memory := range []int64{-1, 200} {
			var m memoryFile
			if err := writeBigWig(&m, table.contigs, table.values, 1, memory); err != nil || !bytes.Equal(m.data, data) {
				t.Fatalf("other bytes with %d bytes of memory, %v", memory, err)
			}
		}
	})
}

// TestZoomBorders has intervals that begin and end where windows do, and numbers of records about a
// block and about a node of the index.
func TestZoomBorders(t *testing.T) {
	for _, n := range []int{1, 2, 4, 5, 16, blockItems - 1, blockItems, blockItems + 1, 2*blockItems + 1, 10 * blockItems} {
		shifts := []int{-1, 0, 1}
		if n == 10*blockItems { // no border of its own
			shifts = shifts[:effort.Pick(3, 1)]
		}
		for _, shift := range shifts {
			table := newTable([]Contig{{"first", 100}, {"a", math.MaxInt32}, {"last", 100}},
				interval{"first", 5, 6, 2}, interval{"last", 0, 100, 1})
			for i := range n {
				table.of[1] = append(table.of[1], interval{"", 40*i + 38 + shift, 40*i + 41 + shift, float32(i % 10)},
					interval{"", 40*i + 50 + shift, 40*i + 70, float32(i%10) + 0.5})
			}
			checkZooms(t, table, mustWrite(t, BigWig, table, 2))
		}
	}
}

// TestZoomLevels says which levels values have.
func TestZoomLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bases := effort.Pick(1<<20, (fanOut+1)*blockItems) // more blocks than a node has
	each := newTable([]Contig{{"a", bases}})
	for i := range bases {
		each.of[0] = append(each.of[0], interval{"", i, i + 1, random.Float32()})
	}
	for _, c := range []struct {
		name  string
		table *table
		want  []int
	}{
		{"nothing", newTable([]Contig{{"a", 100}}), nil},
		{"one base", newTable([]Contig{{"a", 100}}, interval{"a", 0, 1, 1}), []int{10}},
		{"two contigs", newTable([]Contig{{"a", 100}, {"b", 100}}, interval{"a", 0, 1, 1}, interval{"b", 0, 1, 1}), []int{10}},
		{"a window of 10", newTable([]Contig{{"a", 100}}, interval{"a", 0, 10, 1}), []int{10}},
		{"windows of 10 that are next to each other", newTable([]Contig{{"a", 100}}, interval{"a", 9, 11, 1}), []int{40}},
		{"each base", each, []int{40, 160, 640, 2560, 10240, 40960, 163840, 655360, 2621440}[:effort.Pick(9, 8)]},
		{"a long interval", newTable([]Contig{{"a", 1 << 30}}, interval{"a", 0, 1 << 30, 1}), []int{2684354560}},
	} {
		data := mustWrite(t, BigWig, c.table, 1)
		reductions, _ := fileLevels(t, data)
		if !slices.Equal(reductions, c.want) {
			t.Errorf("%s: levels %v, want %v", c.name, reductions, c.want)
		}
		checkZooms(t, c.table, data)
	}
}
