package fasta

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestFileThatGetsShorter cuts files between opening and reading them, between two records and
// where no decompressor sees it: half of a reference is no reference.
func TestFileThatGetsShorter(t *testing.T) {
	half := []byte(">a\n" + strings.Repeat("ACGT", 50_000) + "\n")
	text := slices.Concat(half, []byte(">b\n"+strings.Repeat("TTGCA", 50_000)+"\n"))
	compressed := slices.Concat(gzipMember(t, half), gzipMember(t, text[len(half):]))
	frames := slices.Concat(zstandard(t, half), zstandard(t, text[len(half):]))
	// Two contigs, from bzip2; Go has no writer of bzip2.
	bzip2, err := hex.DecodeString("425a68393141592653590400f0270000024f00001000012880040030002000508604054a9e2652bd" +
		"bd8dc90aa90e2348c22c8b2288b90ce7e2ee48a70a1200801e04e0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		cut  int
	}{
		{"to nothing", text, 0},
		{"to one byte", text, 1},
		{"to one contig", text, len(half)},
		{"inside a contig", text, len(half) / 2},
		{"by one byte", text, len(text) - 1},
		{"gzip, to one member", compressed, len(gzipMember(t, half))},
		{"gzip, inside a member", compressed, len(compressed) - 9},
		{"BGZF, to some blocks", bgzipped(t, text), len(blocks(bgzipped(t, text), 3))},
		{"BGZF, inside a block", bgzipped(t, text), 1000},
		{"zstd, to one frame", frames, len(zstandard(t, half))},
		{"zstd, inside a frame", frames, len(frames) - 9},
		{"bzip2, inside a stream", bzip2, len(bzip2) - 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, what := range []string{"reference", "reads", "text"} {
				path := writeFile(t, what, c.file)
				s, err := openSource(context.Background(), path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, int64(c.cut)); err != nil {
					t.Fatal(err)
				}
				switch what {
				case "reference":
					ref, e := readReference(s, 2, 1000, bulkAndBiogo)
					if err = e; ref != nil {
						t.Errorf("a reference of %d contigs", len(ref.Contigs))
					}
				case "reads":
					reads := newReads(s, ReadOptions{Threads: 2}, 1000)
					for err == nil {
						_, err = reads.Next()
					}
					if err := reads.Close(); err != nil {
						t.Error(err)
					}
				case "text":
					_, err = readText(s, 1<<30)
				}
				if got := said(t, path, err); got != errShorter.Error() {
					t.Errorf("%s: got the error %q, want %q", what, got, errShorter)
				}
			}
		})
	}
}

// A file that stays the same, that gets longer, or that another replaces is read to its end;
// standard input is read from its offset on.
func TestFileThatDoesNotGetShorter(t *testing.T) {
	text := []byte("@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIIII\n")
	for name, change := range map[string]func(path string) error{
		"nothing": func(string) error { return nil },
		"longer":  func(path string) error { return os.WriteFile(path, slices.Concat(text, text), 0o666) },
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", text[:15], 0o666); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		path := writeFile(t, "reads.fq", text)
		s, err := openSource(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		got, err := readText(s, 1000)
		if err != nil || !bytes.HasPrefix(got, text) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	file, err := os.Open(writeFile(t, "reads.fq", text))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if _, err := file.Seek(15, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(WholeFile(file)); err != nil || !bytes.Equal(got, text[15:]) {
		t.Errorf("from the middle: %q, %v", got, err)
	}
}

func TestReadTextLimit(t *testing.T) {
	for _, size := range []int{0, 1, 9, 10, 11, 1000} {
		text := bytes.Repeat([]byte("#"), size)
		for name, file := range map[string][]byte{"text": text, "text.gz": gzipped(t, text)} {
			path := writeFile(t, name, file)
			got, err := ReadText(context.Background(), path, 10)
			want := ""
			if size > 10 {
				want = "has more than 10 bytes of text"
			}
			if said(t, path, err) != want || err == nil && !bytes.Equal(got, text) {
				t.Errorf("%s of %d bytes: %d bytes, %v", name, size, len(got), err)
			}
		}
	}
	endless := memorySource(&endless{start: "#", repeated: "#\n"})
	if _, err := readText(endless, 1<<20); fmt.Sprint(err) != "in: has more than 1048576 bytes of text" {
		t.Errorf("without end: %v", err)
	}
}
