package track

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/bgzf"
	"scanmap/internal/fuzzing"
)

func TestReadBedGraph(t *testing.T) {
	long := strings.Repeat("x", readBuffer)
	for _, c := range []struct {
		text string
		want []interval
		err  string // a part of the error; "" for none
	}{
		{"", nil, ""},
		{"a\t0\t1\t2\n", []interval{{"a", 0, 1, 2}}, ""},
		{"a\t0\t1\t2", []interval{{"a", 0, 1, 2}}, ""},
		{"a 0 1 2\r\na  1\t2 -2.5e-1 \r\n", []interval{{"a", 0, 1, 2}, {"a", 1, 2, -0.25}}, ""},
		{"track type=bedGraph name=\"a b c d\"\nbrowser position a:1-5\n#x\n\n \t\ntrack\na 0 1 2\n", []interval{{"a", 0, 1, 2}}, ""},
		{"tracks 0 1 2\n", []interval{{"tracks", 0, 1, 2}}, ""},
		{"a 0 1 2\na 1 3 2\nb 0 1 2\n", []interval{{"a", 0, 3, 2}, {"b", 0, 1, 2}}, ""},
		{"a 0 4294967295 1\n", []interval{{"a", 0, math.MaxUint32, 1}}, ""},
		{"a 0 1 340282350000000000000000000000000000000\n", []interval{{"a", 0, 1, math.MaxFloat32}}, ""},
		{"a 0 1 1e-60\n", []interval{{"a", 0, 1, 0}}, ""},

		{"a 0 1 2\na 0 1\n", []interval(nil), "line 2: expected contig, start, end and value, but found 3 fields"},
		{"a 0 1 2 3\n", nil, "line 1: expected contig, start, end and value, but found more fields"},
		{"a 0 1 2\n\na 0 1 3\n", nil, "line 3: interval 0 to 1 begins before 1, where the one before it ends"},
		{"a 5 5 2\n", nil, "line 1: interval 5 to 5 is empty"},
		{"a 0 4294967296 1\n", nil, `line 1: end "4294967296" is not a number from 0 to 4294967295`},
		{"a 0 18446744073709551617 1\n", nil, `line 1: end "18446744073709551617" is not`},
		{"a -1 1 1\n", nil, `line 1: start "-1" is not a number`},
		{"a +1 2 1\n", nil, `line 1: start "+1" is not a number`},
		{"a 0 1 nan\n", nil, `line 1: value "nan" is not a finite decimal number`},
		{"a 0 1 Inf\n", nil, `value "Inf" is not`},
		{"a 0 1 1e39\n", nil, `value "1e39" is not`},
		{"a 0 1 0x1p4\n", nil, `value "0x1p4" is not`},
		{"a 0 1 1_0\n", nil, `value "1_0" is not`},
		{"a 0 1 .\n", nil, `value "." is not`},
		{"a 0 1 1\nb 0 1 1\na 5 6 1\n", nil, `line 3: contig "a" is there again`},
		{"a 0 1 1\n" + long + "\n", nil, "line 2: is longer than 65536 bytes"},
		{"fixedStep chrom=a start=1 step=1\n1\n", nil, `line 1: start "chrom=a" is not`},
		{strings.Repeat("\x00", 100), nil, ""},
	} {
		for _, pack := range []func(string) []byte{func(s string) []byte { return []byte(s) }, gzipped, blockGzipped} {
			got, err := read(pack(c.text))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%.60q: %v, want %s", c.text, err, c.err)
				}
			} else if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%.60q: %v, %v, want %v", c.text, got, err, c.want)
			}
		}
	}
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func blockGzipped(text string) []byte {
	var b bytes.Buffer
	z, _ := bgzf.NewWriter(&b, 3, 1)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// TestReadCompressed has gzip data that are cut, changed, or joined.
func TestReadCompressed(t *testing.T) {
	text := "a 0 1 2\n"
	one, blocks := gzipped(text), blockGzipped(text)
	changed := slices.Clone(one)
	changed[len(changed)-5] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		err  string
	}{
		{"joined", append(gzipped(text), gzipped("b 0 1 2\n")...), ""},
		{"joined blocks", append(blockGzipped(text), blockGzipped("b 0 1 2\n")...), ""},
		{"cut", one[:len(one)-9], "line 2: the gzip data is truncated"},
		{"cut in its head", one[:5], "the gzip data is truncated"},
		{"cut in the end", one[:len(one)-1], "the gzip data is truncated"},
		{"cut between blocks", blocks[:len(blocks)-len(bgzf.End)], "the end-of-file block of the BGZF data is missing"},
		{"another checksum", changed, "the checksum is wrong"},
		{"something after it", append(slices.Clone(one), "abcdefghijklmn"...), "the gzip data is corrupt"},
		{"bzip2", []byte("BZh91AY&SY4"), "is compressed with bzip2, which is not supported here; use gzip or BGZF"},
		{"xz", []byte("\xfd7zXZ\x00"), "is compressed with xz"},
		{"zstd", []byte("\x28\xb5\x2f\xfd"), "is compressed with zstd"},
		{"no gzip", []byte("\x1f\x8b\x07aaaaaaaaaaaaaaa"), "the gzip data is corrupt"},
	} {
		got, err := read(c.data)
		switch {
		case c.err == "" && (err != nil || len(got) != 2):
			t.Errorf("%s: %v, %v", c.name, got, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
	}
}

// smallBigWig has two contigs, of one block each.
func smallBigWig(t testing.TB) []byte {
	return mustWrite(t, BigWig, newTable([]Contig{{"b", 100}, {"a", 50}},
		interval{"b", 1, 3, 2}, interval{"b", 10, 20, 3}, interval{"a", 0, 50, -1}), 1)
}

// TestReadWrongBigWig changes fields of a file, one at a time.
func TestReadWrongBigWig(t *testing.T) {
	data := smallBigWig(t)
	index := binary.LittleEndian.Uint64(data[24:])
	node := index + 48
	for _, c := range []struct {
		name   string
		at     uint64
		change string
		err    string
	}{
		{"version", 4, "\x05", "offset 4: bigWig of version 5, expected 1 to 4"},
		{"tree's offset", 8, "\xff\xff\xff", "offset 16777215: the file ends before the end of the head of the tree of contigs"},
		{"tree's offset", 15, "\xff", "but no file is so long"},
		{"tree's magic", treeOffset, "x", "offset 344: expected a tree of contigs"},
		{"bytes of keys", treeOffset + 11, "\x01", "names of contigs have 16777217 bytes"},
		{"bytes of values", treeOffset + 12, "\x09", "values of the tree of contigs have 9 bytes, expected 8"},
		{"number of contigs", treeOffset + 16, "\x03", "the tree has 2 contigs, expected 3"},
		{"kind of node", treeOffset + 32, "\x02", "expected a node of a tree, which begins with 0 or 1, but found 2"},
		{"empty node", treeOffset + 34, "\x00", "a node of a tree is empty"},
		{"empty name", treeOffset + 36, "\x00", "the name of a contig is empty"},
		{"number of a contig", treeOffset + 37, "\x02", "contig 2, counted from 0, of 2"},
		{"twice", treeOffset + 37, "\x00", "contig 0 is there twice"},
		{"name twice", treeOffset + 36, "b", `contig "b" is there twice`},
		{"length", treeOffset + 41, "\x01", "ends after the contig, which has 1 bases"},
		{"index's magic", index, "x", "expected an index"},
		{"kind of node", node, "\x07", "but found 7"},
		{"empty node", node + 2, "\x00", "a node of a tree is empty"},
		{"loop", node, "\x00", ""},
		{"size of a block", node + 4 + 24, "\x03", "the zlib data is truncated"},
		{"size of a block", node + 4 + 24 + 3, "\x03", "a block of data has 503"},
		{"place of a block", node + 4 + 16, "\x00", "block at offset"},
		{"blocks that descend", node + 4 + 16, string(data[node+4+32+16 : node+4+32+32]), "contigs do not ascend"},
	} {
		changed := slices.Clone(data)
		copy(changed[c.at:], c.change)
		if c.name == "blocks that descend" {
			copy(changed[node+4+32+16:], data[node+4+16:node+4+32])
		}
		_, err := read(changed)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
	}
	// A node that leads to itself.
	changed := slices.Clone(data)
	changed[node], changed[node+2] = 0, 1
	binary.LittleEndian.PutUint64(changed[node+4+16:], node)
	if _, err := read(changed); err == nil || !strings.Contains(err.Error(), "more than 33 nodes deep") {
		t.Errorf("a loop: %v", err)
	}
	for n := range int(index) + 100 {
		if got, err := read(data[:n]); n > 0 && err == nil {
			t.Fatalf("%d of %d bytes: %v", n, len(data), got)
		}
	}
	for magic, want := range map[string]string{"\x88\x8f\xfc\x26": "big-endian", "\xeb\xf2\x89\x87": "bigBed", "\x87\x89\xf2\xeb": "bigBed"} {
		if _, err := read([]byte(magic + "0123")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", magic, err, want)
		}
	}
}

// TestReadOtherFormats names formats that have no values along a reference, plain and compressed.
func TestReadOtherFormats(t *testing.T) {
	for text, want := range map[string]string{
		"BAM\x01\x40\x00\x00\x00@HD\tVN:1.6\n": "BAM", "CRAM\x03\x00": "CRAM", "@HD\tVN:1.6\n": "SAM", "@SQ\tSN:a\tLN:9\n": "SAM",
		"BCF\x02\x02": "BCF", "##fileformat=VCFv4.2\n": "VCF",
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		for _, data := range []string{text, packed.String()} {
			err := Read(strings.NewReader(data), func(string, int, int, float32) error { return nil })
			if want := "is " + want + "; expected bigWig or bedGraph, with a value per base"; err == nil || err.Error() != want {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		}
	}
}

// TestReadSections has sections as others could write them.
func TestReadSections(t *testing.T) {
	head := func(contig, start, step, span uint32, kind byte, items uint16) []byte {
		var b []byte
		for _, v := range []uint32{contig, start, 0, step, span} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return binary.LittleEndian.AppendUint16(append(b, kind, 0), items)
	}
	numbers := func(b []byte, v ...uint32) []byte {
		for _, v := range v {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	one := math.Float32bits(1)
	for _, c := range []struct {
		section []byte
		want    []interval
		err     string
	}{
		{numbers(head(0, 5, 10, 3, 3, 2), one, one), []interval{{"a", 5, 8, 1}, {"a", 15, 18, 1}}, ""},
		{numbers(head(0, 5, 1, 1, 3, 2), one, one), []interval{{"a", 5, 7, 1}}, ""},
		{numbers(head(0, 5, 0, 4, 2, 1), 7, one), []interval{{"a", 7, 11, 1}}, ""},
		{numbers(head(0, 5, 0, 0, 1, 1), 7, 9, one), []interval{{"a", 7, 9, 1}}, ""},
		{numbers(head(0, 5, 0, 1, 3, 2), one, one), nil, `contig "a": interval 5 to 6 begins before 6`},
		{numbers(head(0, 5, 1, 0, 3, 2), one, one), nil, "interval 5 to 5 is empty"},
		{numbers(head(0, 99, 1, 1, 3, 2), one, one), nil, "interval 100 to 101 ends after the contig, which has 100 bases"},
		{numbers(head(0, math.MaxUint32, math.MaxUint32, math.MaxUint32, 3, 2), one, one), nil, "ends after base 4294967295"},
		{numbers(head(0, 5, 1, 1, 3, 1), math.Float32bits(float32(math.NaN()))), nil, "not a finite number"},
		{numbers(head(0, 5, 1, 1, 4, 1), one), nil, "section of type 4, expected 1, 2 or 3"},
		{numbers(head(0, 5, 1, 1, 3, 2), one), nil, "has 28 bytes, expected 32"},
		{head(0, 5, 1, 1, 3, 0), nil, "a section without items"},
		{numbers(head(1, 5, 1, 1, 3, 1), one), nil, "is of contig 1, counted from 0, which the tree of contigs does not have"},
		{nil, nil, "has 0 bytes, expected the 24"},
		{make([]byte, mostSection+1), nil, "has more than 786444 bytes"},
	} {
		for _, plain := range []bool{false, true} {
			b := bigWigReader{file: bytes.NewReader(nil), contigs: map[uint32]Contig{0: {"a", 100}}, plain: plain, contig: -1}
			var got []interval
			b.j.emit = func(start, end int, value float32) error {
				got = append(got, interval{"a", start, end, value})
				return nil
			}
			packed := c.section
			if !plain {
				var err error
				if packed, err = newZlibPacker()(nil, &block{Data: c.section}); err != nil {
					t.Fatal(err)
				}
			}
			b.file = bytes.NewReader(packed)
			err := b.block(0, uint64(len(packed)))
			if err == nil {
				err = b.j.finish()
			}
			if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || c.err == "" && (err != nil || !slices.Equal(got, c.want)) {
				t.Errorf("%x: %v, %v, want %v, %s", c.section[:min(len(c.section), 40)], got, err, c.want, c.err)
			}
		}
	}
}

// TestErrorOfYield checks that the error ends reading, and comes back unchanged.
func TestErrorOfYield(t *testing.T) {
	mine := errors.New("mine")
	table := newTable([]Contig{{"b", 100}, {"a", 50}}, interval{"b", 1, 3, 2}, interval{"b", 10, 20, 3}, interval{"a", 0, 50, -1})
	for _, format := range allFormats {
		for at := range 3 {
			calls := 0
			err := Read(bytes.NewReader(mustWrite(t, format, table, 1)), func(string, int, int, float32) error {
				if calls++; calls > at {
					return mine
				}
				return nil
			})
			if err != mine || calls != at+1 {
				t.Errorf("%s, call %d of %d: %v", format, at, calls, err)
			}
		}
	}
}

// TestReadPipe reads text where nothing can seek.
func TestReadPipe(t *testing.T) {
	for _, c := range []struct {
		data []byte
		err  string
	}{
		{[]byte("a 0 1 2\n"), ""}, {gzipped("a 0 1 2\n"), ""}, {smallBigWig(t), "a bigWig has to be a file that can be read at any offset"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = w.Write(c.data)
			_ = w.Close()
		}()
		err = Read(r, func(string, int, int, float32) error { return nil })
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v, want %q", err, c.err)
		}
		_ = r.Close()
	}
}

// checkRead reads anything, and checks that the intervals are as Read says.
func checkRead(t *testing.T, data []byte) {
	last := interval{}
	seen := map[string]bool{}
	err := Read(bytes.NewReader(data), func(contig string, start, end int, value float32) error {
		if contig != last.Contig {
			if seen[contig] {
				t.Fatalf("contig %q is there twice", contig)
			}
			seen[contig] = true
			last = interval{Contig: contig}
		}
		if start < last.End || end <= start || end > math.MaxUint32 || value-value != 0 || start == last.End && value == last.Value && start > 0 && last.End > last.Start {
			t.Fatalf("%q %d %d %g after %v", contig, start, end, value, last)
		}
		last = interval{contig, start, end, value}
		return nil
	})
	if err != nil && (strings.Contains(err.Error(), "\n") || err == io.EOF) {
		t.Fatalf("error %q", err)
	}
}

func FuzzReadBedGraph(f *testing.F) {
	for _, text := range []string{"a 0 1 2\nb\t5\t6\t-1.5e3\n", "track x\n#\na 0 1 2\na 1 2 2\n", "a 0 1 nan\n"} {
		f.Add([]byte(text))
		f.Add(gzipped(text))
		f.Add(blockGzipped(text))
	}
	f.Fuzz(checkRead)
}

func FuzzReadBigWig(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte{30, 0, 4}, false)
	for i := range 20 {
		f.Add(bytes.Repeat([]byte{byte(i), byte(37 * i), 1}, i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, changes []byte, plain bool) {
		// Changes of bytes of a file, whose blocks are not compressed, so that they get into items.
		data := smallBigWig(t)
		if plain {
			data = uncompressed(t, data)
		}
		c := fuzzing.New(changes)
		for !c.Ended() {
			at, value := c.Below(len(data)), c.Below(256)
			data[at] = byte(value)
		}
		data[0] = 0x26
		checkRead(t, data)
	})
}

// uncompressed writes a small bigWig without compression: blocks are put after its end.
func uncompressed(t testing.TB, data []byte) []byte {
	out := slices.Clone(data)
	binary.LittleEndian.PutUint32(out[52:], 0)
	node := binary.LittleEndian.Uint64(data[24:]) + 48
	for i := range uint64(binary.LittleEndian.Uint16(data[node+2:])) {
		item := out[node+4+32*i:]
		offset, size := binary.LittleEndian.Uint64(item[16:]), binary.LittleEndian.Uint64(item[24:])
		b := bigWigReader{packed: data[offset : offset+size]}
		section, err := b.inflate()
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint64(item[16:], uint64(len(out)))
		binary.LittleEndian.PutUint64(item[24:], uint64(len(section)))
		out = append(out, section...)
	}
	return out
}

// TestReadUncompressed reads files without compression.
func TestReadUncompressed(t *testing.T) {
	data := smallBigWig(t)
	want, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(uncompressed(t, data)); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
