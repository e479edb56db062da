package track

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/bgzf"
)

// A plainIndex is a TBI or CSI as its tables in SAMv1 and CSIv1 say.
type plainIndex struct {
	csi          bool
	shift, depth int
	contigs      map[string]plainContig
}

type plainContig struct {
	bins    map[uint32][][2]uint64
	offsets map[uint32]uint64 // of each bin, for CSI
	linear  []uint64          // for TBI
}

// readIndex reads an index.
func readIndex(t *testing.T, packed []byte) (x plainIndex) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	get32 := func() int {
		n := binary.LittleEndian.Uint32(data)
		data = data[4:]
		return int(n)
	}
	get64 := func() uint64 {
		n := binary.LittleEndian.Uint64(data)
		data = data[8:]
		return n
	}
	magic := string(data[:4])
	data = data[4:]
	x = plainIndex{csi: magic == "CSI\x01", shift: 14, depth: 5, contigs: map[string]plainContig{}}
	n := 0
	if x.csi {
		x.shift, x.depth = get32(), get32()
		get32() // bytes of what follows
	} else if n = get32(); magic != "TBI\x01" {
		t.Fatalf("magic %q", magic)
	}
	data = data[24:] // format, columns, the sign of comments, lines to skip
	bytesOfNames := get32()
	names := strings.Split(strings.TrimSuffix(string(data[:bytesOfNames]), "\x00"), "\x00")
	data = data[bytesOfNames:]
	if x.csi {
		n = get32()
	}
	for i := range n {
		c := plainContig{bins: map[uint32][][2]uint64{}, offsets: map[uint32]uint64{}}
		for range get32() {
			bin := uint32(get32())
			if x.csi {
				c.offsets[bin] = get64()
			}
			for range get32() {
				c.bins[bin] = append(c.bins[bin], [2]uint64{get64(), get64()})
			}
		}
		if !x.csi {
			for range get32() {
				c.linear = append(c.linear, get64())
			}
		}
		x.contigs[names[i]] = c
	}
	return x
}

// find returns the lines of a file that overlap [start, end) as a reader finds them. They are in
// the chunks of all bins that touch this stretch, from the first offset on that the linear index
// allows, or for CSI the bin of the first window.
func (x *plainIndex) find(t *testing.T, file []byte, contig string, start, end int) (lines []string) {
	t.Helper()
	c := x.contigs[contig]
	least := uint64(0)
	if w := start >> x.shift; !x.csi && w < len(c.linear) {
		least = c.linear[w]
	} else if !x.csi {
		return nil
	}
	var chunks [][2]uint64
	first := 0
	for level := 0; level <= x.depth; level++ {
		shift := x.shift + 3*(x.depth-level)
		for bin := first + start>>shift; bin <= first+(end-1)>>shift; bin++ {
			for _, k := range c.bins[uint32(bin)] {
				if k[1] > least {
					chunks = append(chunks, [2]uint64{max(k[0], least), k[1]})
				}
			}
		}
		first += 1 << (3 * level)
	}
	slices.SortFunc(chunks, func(a, b [2]uint64) int { return int(int64(a[0] - b[0])) })
	for i, k := range chunks {
		if i > 0 { // chunks of other bins may have a part
			chunks[i][1] = max(k[1], chunks[i-1][1])
			k = [2]uint64{max(k[0], chunks[i-1][1]), k[1]}
		}
		if k[0] >= k[1] {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(file[k[0]>>16:]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		// The end, in the text from the block of the begin on.
		to, at := int(k[1]&0xffff), k[0]>>16
		for at < k[1]>>16 {
			size := uint64(binary.LittleEndian.Uint16(file[at+16:])) + 1
			to += int(binary.LittleEndian.Uint32(file[at+size-4:]))
			at += size
		}
		for line := range strings.Lines(string(text[k[0]&0xffff : to])) {
			var name string
			var from, past int
			if _, err := fmt.Sscan(line, &name, &from, &past); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if name == contig && from < end && start < past {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// TestIndexFinds looks up regions in an index, by the rules of the formats, and compares with a
// look at all lines. Lines lie in bins of all levels.
func TestIndexFinds(t *testing.T) {
	for _, lengths := range [][]int{{600_000, 50, 1 << 21}, {300_000, 7, bgzf.Reach + 1}} {
		random := rand.New(rand.NewPCG(1, 2))
		table := newTable([]Contig{{"b", lengths[0]}, {"c", lengths[1]}, {"a", lengths[2]}})
		for i, c := range table.contigs {
			for at := 0; at < min(c.Length, 2_000_000); {
				end := min(at+1+random.IntN(1<<random.IntN(15)), c.Length)
				table.of[i] = append(table.of[i], interval{"", at, end, float32(len(table.of[i])%1000) + 0.25})
				at = end + random.IntN(3)
				if random.IntN(300) == 0 {
					at += 1 << 17 // windows without a line
				}
			}
		}
		var file, index bytes.Buffer
		if err := WriteBGZF(&file, &index, table.contigs, table.values, 2); err != nil {
			t.Fatal(err)
		}
		x := readIndex(t, index.Bytes())
		if csi := lengths[2] > bgzf.Reach; x.csi != csi {
			t.Fatalf("CSI: %v", x.csi)
		}
		all := table.joined()
		levels := map[int]bool{}
		for range 120 {
			v := all[random.IntN(len(all))]
			start := max(0, v.Start-random.IntN(20_000))
			end := start + 1 + random.IntN(40_000)
			var want []string
			for _, o := range all {
				if o.Contig == v.Contig && o.Start < end && start < o.End {
					want = append(want, string(appendLine(nil, o.Contig, o.Start, o.End, o.Value)))
				}
			}
			if got := x.find(t, file.Bytes(), v.Contig, start, end); !slices.Equal(got, want) {
				t.Fatalf("%s:%d-%d: %d lines, want %d", v.Contig, start, end, len(got), len(want))
			}
		}
		for name, c := range x.contigs {
			for bin, chunks := range c.bins {
				for i := range chunks[1:] {
					if chunks[i][1]>>16 >= chunks[i+1][0]>>16 {
						t.Errorf("%s, bin %d: chunks %d and %d meet in a block", name, bin, i, i+1)
					}
				}
				level := 0
				for first := uint32(0); bin >= first+1<<(3*level); level++ {
					first += 1 << (3 * level)
				}
				levels[level] = true
			}
		}
		if len(levels) < 3 {
			t.Errorf("bins are of levels %v", levels)
		}
	}
}

// TestIndexOfLengths has lengths about the reach of TBI, and of a depth of CSI.
func TestIndexOfLengths(t *testing.T) {
	for _, c := range []struct {
		length int
		ending string
		depth  int
	}{
		{1, ".tbi", 5}, {1<<29 - 1, ".tbi", 5}, {1 << 29, ".tbi", 5}, {1<<29 + 1, ".csi", 6},
		{1<<32 - 256, ".csi", 6}, {1<<32 - 255, ".csi", 7}, // as htslib, which adds 256
	} {
		contigs := []Contig{{"a", 5}, {"b", c.length}, {"c", 5}}
		x := newTabix(contigs)
		if IndexEnding(contigs) != c.ending || x.CSI != (c.ending == ".csi") || x.Depth != c.depth {
			t.Errorf("%d bases: %s, CSI %v of depth %d; want %s, %d", c.length, IndexEnding(contigs), x.CSI, x.Depth, c.ending, c.depth)
		}
	}
}

// TestLastBaseOfStretch has contigs that end one base after a stretch, at its end, and before it.
func TestLastBaseOfStretch(t *testing.T) {
	for _, length := range []int{stretchBases - 1, stretchBases, stretchBases + 1, 2*stretchBases + 1} {
		table := newTable([]Contig{{"a", length}, {"b", 1}, {"c", 2}}, interval{"a", length - 1, length, 3}, interval{"b", 0, 1, 4}, interval{"c", 1, 2, 5})
		roundTrip(t, table, 2)
	}
}

// TestMostLevels has as many levels as a file may have, and values that would have more.
func TestMostLevels(t *testing.T) {
	var s scales
	for i := range s.records {
		s.records[i] = int64(1000 - i)
	}
	levels := s.choose(math.MaxInt64)
	if len(levels) != 10 || levels[0] != (level{reduction: 10, records: 1000}) || levels[9] != (level{reduction: 10 << 18, records: 991}) {
		t.Errorf("%d levels: %v", len(levels), levels)
	}
}

// TestSumsBeyondFloats has sums that no float32 has, of either sign.
func TestSumsBeyondFloats(t *testing.T) {
	for _, value := range []float32{math.MaxFloat32, -math.MaxFloat32} {
		var s summary
		s.add(10, 20, value)
		b := s.appendRecord(nil, 7)
		get := func(i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
		if len(b) != recordBytes || get(4) != value || get(5) != value || get(6) != value || get(7) != math.MaxFloat32 {
			t.Errorf("%g: %v %v %v %v", value, get(4), get(5), get(6), get(7))
		}
	}
}

// TestOtherValuesOfOneSum has values that differ when they are asked for again, and have the same
// sum.
func TestOtherValuesOfOneSum(t *testing.T) {
	calls := 0
	_, err := write(BigWig, []Contig{{"a", 1000}}, func(_, _, _ int, yield func(int, int, float32) error) error {
		one, two := float32(1), float32(3)
		if calls++; calls > 1 {
			one, two = 2, 2.0000000
		}
		for i := range 200 {
			if err := yield(5*i, 5*i+1, one); err != nil {
				return err
			}
			if err := yield(5*i+1, 5*i+2, two); err != nil {
				return err
			}
		}
		return nil
	}, 1)
	if calls < 2 || err == nil {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestLostErrors has values that go on after an interval was refused, and end well.
func TestLostErrors(t *testing.T) {
	for _, format := range allFormats {
		_, err := write(format, []Contig{{"a", 100}}, func(_, _, _ int, yield func(int, int, float32) error) error {
			_ = yield(0, 5, 1)
			_ = yield(7, 7, 1) // is empty
			_ = yield(8, 9, 1)
			return nil
		}, 1)
		if err == nil || !strings.Contains(err.Error(), "interval 7 to 7 is empty") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
