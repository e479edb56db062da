package fasta

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAppendFASTQ(t *testing.T) {
	for _, c := range []struct {
		name, suffix, want string
		read               Read
	}{
		{"FASTQ", "", "@a\nAC\n+\nIJ\n", fq("a", "", "AC", "IJ")},
		{"suffix and comment", "/2", "@a/2 x  y\nAC\n+\nIJ\n", fq("a", "x  y", "AC", "IJ")},
		{"no bases", "/1", "@a/1\n\n+\n\n", fq("a", "", "", "")},
		{"FASTA", "", ">a x\nAC\n", fa("a", "x", "AC")},
		{"FASTA, no bases", "", ">a\n\n", fa("a", "", "")},
		{"no name", "", "@*\nA\n+\n@\n", fq("*", "", "A", "@")},
	} {
		if got := string(AppendFASTQ([]byte("before "), &c.read, c.suffix)); got != "before "+c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWrittenAndRead: written reads are read back equal, with the suffix of a mate or none.
func TestWrittenAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reads")
	rapid.Check(t, func(rt *rapid.T) {
		want := drawReads(rt, rapid.Bool().Draw(rt, "FASTQ"))
		suffix := rapid.SampledFrom([]string{"", "/1", "/2"}).Draw(rt, "suffix")
		var text []byte
		for i := range want {
			text = AppendFASTQ(text, &want[i], suffix)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			rt.Fatal(err)
		}
		got, err := readAll(path, ReadOptions{Threads: 2}, rapid.SampledFrom([]int{1, 50, chunkText}).Draw(rt, "chunk"))
		if err != nil {
			rt.Fatal(err)
		}
		if len(want) == 0 {
			want = nil
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("(-want +got):\n%s", d)
		}
	})
}
