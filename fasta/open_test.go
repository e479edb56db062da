package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// gzipMember returns one gzip member with every optional field of the header.
func gzipMember(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "reads.fq", "a comment", []byte("XY\x01\x00z")
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(tb testing.TB, text []byte) []byte {
	tb.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}

// noBGZFEnd is said of a file that was cut between two blocks.
const noBGZFEnd = "the end-of-file block of the BGZF data is missing: the file is probably truncated"

// blocks returns the first n blocks of a BGZF file.
func blocks(file []byte, n int) []byte {
	at := 0
	for range n {
		at += int(binary.LittleEndian.Uint16(file[at+16:])) + 1
	}
	return file[:at]
}

// TestBGZFCutBetweenBlocks: a reference, reads and a file of text that end at the border of a block
// are refused, however short; a file that holds nothing is accepted.
func TestBGZFCutBetweenBlocks(t *testing.T) {
	small := []byte(">a\nACGT\n>b\nACGT\n")
	large := slices.Concat([]byte(">a\n"), bytes.Repeat([]byte("ACGTTGCA\n"), 100_000))
	for _, c := range []struct {
		name   string
		text   []byte
		blocks int // 0 = all
		want   string
	}{
		{"small, cut", small, 1, noBGZFEnd},
		{"small", small, 0, ""},
		{"large, cut", large, 3, noBGZFEnd},
		{"large, cut after a group", large, bgzfGroup, noBGZFEnd},
		{"large, cut before the end", large, (len(large) + 0xfeff) / 0xff00, noBGZFEnd},
		{"large", large, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := bgzipped(t, c.text)
			if c.blocks > 0 {
				file = blocks(file, c.blocks)
			}
			path := writeFile(t, "text.gz", file)
			for threads := range 3 {
				_, err := LoadReference(context.Background(), path, threads)
				if got := said(t, path, err); got != c.want {
					t.Errorf("reference: got the error %q, want %q", got, c.want)
				}
				_, err = readAll(path, ReadOptions{Threads: threads}, chunkText)
				if got := said(t, path, err); got != c.want {
					t.Errorf("reads: got the error %q, want %q", got, c.want)
				}
			}
			_, err := ReadText(context.Background(), path, 1<<30)
			if got := said(t, path, err); got != c.want {
				t.Errorf("text: got the error %q, want %q", got, c.want)
			}
		})
	}
	joined := writeFile(t, "joined.gz", slices.Concat(bgzipped(t, small), blocks(bgzipped(t, large), 3)))
	_, err := readAll(joined, ReadOptions{}, chunkText)
	if got := said(t, joined, err); got != noBGZFEnd {
		t.Errorf("a whole file and one that is cut: got the error %q, want %q", got, noBGZFEnd)
	}
	for _, empty := range []string{"", bgzfEnd, bgzfEnd + bgzfEnd} {
		if reads, err := readAll(writeFile(t, "empty.gz", []byte(empty)), ReadOptions{}, chunkText); err != nil || len(reads) > 0 {
			t.Errorf("%q: %d reads and the error %v", empty, len(reads), err)
		}
	}
}

func TestCompression(t *testing.T) {
	text := randomFASTQ(3000)
	want, err := readAll(writeFile(t, "plain", text), ReadOptions{}, chunkText)
	if err != nil || len(want) != 3000 {
		t.Fatal(len(want), err)
	}
	a, b := text[:len(text)/3], text[len(text)/3:]
	eof := []byte(bgzfEnd)
	zipped, zippedA, zippedB := gzipped(t, text), gzipped(t, a), gzipped(t, b)
	whole, wholeA, wholeB := bgzipped(t, text), bgzipped(t, a), bgzipped(t, b)
	frame := zstandard(t, text)
	cut := whole[:len(whole)-len(eof)]
	emptyBlockSize := func(m []byte) []byte { // says that it is shorter than it is
		m = slices.Clone(m)
		m[16], m[17] = 30, 0
		return m
	}
	wrongSum := func(m []byte) []byte {
		m = slices.Clone(m)
		m[len(m)-8] ^= 1
		return m
	}
	wrongLength := func(m []byte) []byte {
		m = slices.Clone(m)
		m[len(m)-4] ^= 1
		return m
	}
	small := text[:bytes.LastIndex(text[:60_000], []byte("\n@SRR"))+1]
	for _, c := range []struct {
		name    string
		file    []byte
		refused string // a part of the message
		part    bool   // some reads come before the error
	}{
		{name: "gzip", file: zipped},
		{name: "members", file: slices.Concat(gzipMember(t, a), gzipped(t, nil), zippedB, gzipMember(t, nil))},
		{name: "BGZF", file: whole},
		{name: "BGZF files joined", file: slices.Concat(wholeA, wholeB)},
		{name: "empty blocks", file: slices.Concat(eof, eof, wholeA, eof, eof, wholeB, eof)},
		{name: "BGZF, then gzip", file: slices.Concat(wholeA, zippedB)},
		{name: "BGZF, then gzip, then an end block", file: slices.Concat(wholeA, zippedB, eof)},
		{name: "gzip, then BGZF", file: slices.Concat(zippedA, wholeB)},
		{name: "an empty block that ends nothing", file: slices.Concat(bgzfMember(t, nil), whole)},
		{name: "zstd", file: frame},
		{name: "zstd frames", file: slices.Concat(zstandard(t, a), zstandard(t, b))},
		{name: "gzip, truncated", file: zipped[:100_000], refused: "the gzip data is truncated", part: true},
		{name: "gzip, truncated in the trailer", file: zipped[:len(zipped)-3], refused: "the gzip data is truncated", part: true},
		{name: "gzip, truncated in the second header", file: slices.Concat(zippedA, gzipMember(t, b)[:5]), refused: "the gzip data is truncated", part: true},
		{name: "gzip, three bytes", file: zipped[:3], refused: "the gzip data is truncated"},
		{name: "gzip, bytes behind", file: slices.Concat(zipped, []byte("junk")), refused: "bytes that are not gzip follow the end of the gzip data", part: true},
		{name: "gzip, zeros behind", file: slices.Concat(zipped, make([]byte, 512)), refused: "bytes that are not gzip follow", part: true},
		{name: "gzip, checksum", file: wrongSum(zipped), refused: "the gzip data is corrupt: the checksum is wrong", part: true},
		{name: "BGZF, truncated", file: whole[:200_000], refused: "the BGZF data is truncated", part: true},
		{name: "BGZF, truncated in a header", file: slices.Concat(whole, eof[:13]), refused: "the gzip data is truncated", part: true},
		{name: "BGZF, truncated between blocks", file: cut, refused: noBGZFEnd, part: true},
		{name: "BGZF, truncated after one group", file: blocks(whole, bgzfGroup), refused: noBGZFEnd, part: true},
		{name: "BGZF, truncated after two blocks", file: blocks(whole, 2), refused: noBGZFEnd, part: true},
		{name: "BGZF, the second truncated", file: slices.Concat(wholeA, blocks(wholeB, 1)), refused: noBGZFEnd, part: true},
		{name: "gzip, then BGZF truncated", file: slices.Concat(zippedA, blocks(wholeB, 1)), refused: noBGZFEnd, part: true},
		{name: "BGZF, another empty block", file: slices.Concat(cut, bgzfMember(t, nil)), refused: noBGZFEnd, part: true},
		{name: "BGZF, bytes behind", file: slices.Concat(whole, []byte("junk")), refused: "bytes that are not gzip follow", part: true},
		{name: "BGZF, checksum", file: wrongSum(bgzfMember(t, small)), refused: "the BGZF data is corrupt: the checksum of a block is wrong"},
		{name: "BGZF, length", file: wrongLength(bgzfMember(t, small)), refused: "the BGZF data is corrupt: the length of a block is wrong"},
		{name: "BGZF, block size", file: emptyBlockSize(bgzfMember(t, small)), refused: "the BGZF data is corrupt"},
		{name: "zstd, truncated", file: frame[:100_000], refused: "the zstd data is truncated", part: true},
		{name: "bzip2, broken", file: []byte("BZh91AY&SYjunkjunkjunkjunk"), refused: "the bzip2 data is"},
		{name: "compressed twice", file: gzipped(t, zipped), refused: `expected FASTA ('>') or FASTQ ('@'), found "\x1f"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "reads", c.file)
			got, err := readAll(path, ReadOptions{Threads: 2}, chunkText)
			if text := said(t, path, err); !strings.Contains(text, c.refused) || (c.refused == "") != (err == nil) {
				t.Errorf("got the error %q, want %q", text, c.refused)
			}
			if c.part != (err != nil && len(got) > 0) {
				t.Errorf("%d reads", len(got))
			}
			if err != nil {
				if len(got) > 0 && !reflect.DeepEqual(want[:len(got)], got) {
					t.Error("the reads before the error differ")
				}
				return
			}
			if !reflect.DeepEqual(want, got) {
				t.Error("the reads differ")
			}
		})
	}
}

// TestWithMeter is told how much is read of each file.
func TestWithMeter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ref.fa")
	text := ">a\n" + strings.Repeat("ACGT\n", 1000)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var size, read int64
	ctx := WithMeter(context.Background(), func(path string, bytes int64) func(n int) {
		if path != file {
			t.Errorf("the path is %s", path)
		}
		size += bytes
		return func(n int) { atomic.AddInt64(&read, int64(n)) }
	})
	if _, err := LoadReference(ctx, file, 2); err != nil || size != int64(len(text)) || read != size {
		t.Errorf("%v, %d of %d bytes were read", err, read, size)
	}
}
