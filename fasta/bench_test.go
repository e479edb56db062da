package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// randomBases returns n random bases.
func randomBases(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ACGT"[r.IntN(4)]
	}
	return b
}

// randomFASTQ returns records of 100 bases.
func randomFASTQ(records int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := range records {
		fmt.Fprintf(&b, "@SRR000001.%d 30BB2AAXX:4:1:%d:%d length=100\n", i, r.IntN(1000), r.IntN(1000))
		b.Write(randomBases(r, 100))
		b.WriteString("\n+\n")
		for range 100 {
			b.WriteByte('!' + byte(r.IntN(41)))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// wrapped returns text in lines of width bytes.
func wrapped(text []byte, width int) []byte {
	var b bytes.Buffer
	for ; len(text) > width; text = text[width:] {
		b.Write(text[:width])
		b.WriteByte('\n')
	}
	b.Write(text)
	b.WriteByte('\n')
	return b.Bytes()
}

func writeFile(tb testing.TB, name string, text []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func gzipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func BenchmarkReads(b *testing.B) {
	const records = 200_000
	text := randomFASTQ(records)
	files := []struct {
		name, path string
	}{
		{"plain", writeFile(b, "reads.fq", text)},
		{"gzip", writeFile(b, "reads.fq.gz", gzipped(b, text))},
		{"bgzf", writeFile(b, "reads.fq.bgz", bgzipped(b, text))},
	}
	for _, f := range files {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", f.name, threads), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := OpenReads(context.Background(), f.path, ReadOptions{Threads: threads})
					if err != nil {
						b.Fatal(err)
					}
					n := 0
					for err == nil {
						var reads []Read
						reads, err = r.Next()
						n += len(reads)
					}
					if err != io.EOF || n != records {
						b.Fatal(n, err)
					}
					if err := r.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "reads/s")
			})
		}
	}
}

// BenchmarkFraming is the part of reading that one goroutine does.
func BenchmarkFraming(b *testing.B) {
	const records = 200_000
	text := randomFASTQ(records)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		in := &feed{ctx: context.Background(), r: bytes.NewReader(text), block: chunkText}
		n := 0
		for {
			c := frameFASTQ(in, 1)
			if c.records == 0 {
				break
			}
			n += c.records
		}
		if n != records {
			b.Fatal(n)
		}
	}
}

func BenchmarkReference(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const length = 16 << 20
	text := append([]byte(">chr\n"), wrapped(randomBases(r, length), 60)...)
	files := []struct{ name, path string }{
		{"plain", writeFile(b, "ref.fa", text)},
		{"bgzf", writeFile(b, "ref.fa.gz", bgzipped(b, text))},
	}
	for _, f := range files {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", f.name, threads), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					ref, err := LoadReference(context.Background(), f.path, threads)
					if err != nil || ref.TotalLength() != length {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkPack(b *testing.B) {
	letters := randomBases(rand.New(rand.NewPCG(1, 2)), 1<<20)
	b.SetBytes(int64(len(letters)))
	for b.Loop() {
		var f fragment
		f.reserve(len(letters))
		f.append(letters)
	}
}

// bgzipped returns text as BGZF with its empty last block.
func bgzipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out []byte
	for {
		n := min(len(text), 0xff00)
		out = append(out, bgzfMember(tb, text[:n])...)
		text = text[n:]
		if n == 0 {
			return out
		}
	}
}

// bgzfMember returns one BGZF block.
func bgzfMember(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	w.Extra = []byte("BC\x02\x00\x00\x00")
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	m := b.Bytes()
	size := len(m) - 1
	m[16], m[17] = byte(size), byte(size>>8)
	return m
}
