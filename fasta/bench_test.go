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
	"syscall"
	"testing"
	"time"
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
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
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
		ways(b, f.name, func(b *testing.B, by readers, threads int) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			before := processorTime(b)
			for b.Loop() {
				r, err := OpenReads(context.Background(), f.path, ReadOptions{Threads: threads, by: by})
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
			cpu := float64(processorTime(b) - before)
			b.ReportMetric(cpu/float64(b.N)/records, "CPU-ns/read")
		})
	}
}

// ways runs a benchmark in bulk and through biogo alone, on one thread and on two.
func ways(b *testing.B, name string, run func(b *testing.B, by readers, threads int)) {
	for _, way := range []struct {
		name string
		by   readers
	}{{"biogo", biogoAlone}, {"bulk", bulkAndBiogo}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%s/threads=%d", name, way.name, threads), func(b *testing.B) {
				run(b, way.by, threads)
			})
		}
	}
}

// processorTime is what all threads of the process have computed so far, which other work on the
// machine changes less than the time that passes.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPairs reads two files of mates, together and one after the other, and one file in which
// mates alternate.
func BenchmarkPairs(b *testing.B) {
	const records = 1_000_000
	text := randomFASTQ(records)
	first, second := writeFile(b, "r1.fq", text), writeFile(b, "r2.fq", text)
	var both []byte
	for rest := text; len(rest) > 0; {
		_, size, _ := cutFourLines(rest, 0)
		both = append(append(both, rest[:size]...), rest[:size]...)
		rest = rest[size:]
	}
	alternating := writeFile(b, "both.fq", both)
	type reader interface {
		Next() ([]Read, error)
		Close() error
	}
	read := func(b *testing.B, in reader, err error) (n int) {
		for err == nil {
			var reads []Read
			reads, err = in.Next()
			n += len(reads)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		if err := in.Close(); err != nil {
			b.Fatal(err)
		}
		return n
	}
	ctx := context.Background()
	for _, threads := range []int{1, 2} {
		o := ReadOptions{Threads: threads}
		for _, way := range []struct {
			name string
			read func(b *testing.B) int
		}{
			{"one after the other", func(b *testing.B) int {
				n := 0
				for _, path := range []string{first, second} {
					in, err := OpenReads(ctx, path, o)
					n += read(b, in, err)
				}
				return n
			}},
			{"two files", func(b *testing.B) int {
				in, err := OpenPairs(ctx, first, second, o)
				return read(b, in, err)
			}},
			{"one file", func(b *testing.B) int {
				in, err := OpenPairs(ctx, alternating, "", o)
				return read(b, in, err)
			}},
		} {
			b.Run(fmt.Sprintf("%s/threads=%d", way.name, threads), func(b *testing.B) {
				b.SetBytes(2 * int64(len(text)))
				before := processorTime(b)
				for b.Loop() {
					if n := way.read(b); n != 2*records {
						b.Fatal(n)
					}
				}
				b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "CPU-s/op")
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
		in := &feed{ctx: context.Background(), r: bytes.NewReader(text), block: chunkText, limits: ReadOptions{}.limits()}
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
		ways(b, f.name, func(b *testing.B, by readers, threads int) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			before := processorTime(b)
			for b.Loop() {
				ref, err := loadReference(context.Background(), f.path, threads, referenceBlock, by)
				if err != nil || ref.TotalLength() != length {
					b.Fatal(err)
				}
			}
			cpu := float64(processorTime(b) - before)
			b.ReportMetric(cpu/float64(b.N)/length, "CPU-ns/base")
		})
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

// bgzipped returns text as BGZF with the block that ends it.
func bgzipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out []byte
	for len(text) > 0 {
		n := min(len(text), 0xff00)
		out = append(out, bgzfMember(tb, text[:n])...)
		text = text[n:]
	}
	return append(out, bgzfEnd...)
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
