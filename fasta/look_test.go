package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/bgzf"
)

// TestLook estimates files, plain and compressed, by their heads, and counts files that are no
// longer than a head.
func TestLook(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[r.IntN(4)]
		}
		return string(b)
	}
	const records = 12_000
	var reads, reference strings.Builder
	bases := int64(0)
	for i := range records {
		n := 80 + r.IntN(41)
		bases += int64(n)
		fmt.Fprintf(&reads, "@read%d\n%s\n+\n%s\n", i, letters(n), strings.Repeat("I", n))
	}
	const contig = 600_000
	for i := range 2 {
		fmt.Fprintf(&reference, ">c%d\n", i)
		for range contig / 60 {
			reference.WriteString(letters(60) + "\n")
		}
	}
	near := func(got, want int64) bool { return got > want*9/10 && got < want*11/10 }
	for _, compressed := range []string{"", "gzip", "BGZF"} {
		put := func(name, text string) string {
			var b bytes.Buffer
			switch compressed {
			case "":
				b.WriteString(text)
			case "gzip":
				z := gzip.NewWriter(&b)
				_, _ = z.Write([]byte(text))
				_ = z.Close()
			case "BGZF":
				z, err := bgzf.NewWriter(&b, bgzf.DefaultLevel, 1)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = z.Write([]byte(text))
				_ = z.Close()
			}
			file := filepath.Join(folder, name)
			if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
		readsFile, refFile := put("reads.fq", reads.String()), put("ref.fa", reference.String())
		ctx := context.Background()
		whole, err := LookAtReads(ctx, readsFile, ReadOptions{})
		if err != nil || !whole.Whole || whole.Records != records || whole.Bases != bases || slices.Min(slices.Collect(maps.Keys(whole.Lengths))) != 80 ||
			slices.Max(slices.Collect(maps.Keys(whole.Lengths))) != 120 {
			t.Errorf("%s: %+v, %v; want %d records of %d bases", compressed, whole, err, records, bases)
		}
		count := func(s *source, sample *Sample) error {
			r := newReads(s, ReadOptions{Threads: 2}, 10_000)
			for {
				reads, err := r.Next()
				sample.Records += int64(len(reads))
				sample.Bases += basesOf(reads)
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
			}
		}
		part, err := look(ctx, readsFile, 300_000, count)
		if err != nil || part.Whole || !near(part.Records, records) || !near(part.Bases, bases) {
			t.Errorf("%s: the head says %+v, %v; want %d records of %d bases", compressed, part, err, records, bases)
		}
		if got, err := LookAtReference(ctx, refFile, 2); err != nil || !got.Whole || got.Bases != 2*contig || got.Records != 2 {
			t.Errorf("%s: reference %+v, %v", compressed, got, err)
		}
		got, err := look(ctx, refFile, 200_000, lookAtReference(2))
		if err != nil || got.Whole || !near(got.Bases, 2*contig) {
			t.Errorf("%s: the head of the reference says %+v, %v", compressed, got, err)
		}
	}
	if _, err := LookAtReads(context.Background(), "/dev/null", ReadOptions{}); err == nil {
		t.Error("a device was looked at")
	}
}

func basesOf(reads []Read) (n int64) {
	for i := range reads {
		n += int64(len(reads[i].Bases))
	}
	return n
}
