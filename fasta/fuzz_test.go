package fasta

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeReads writes reads in the plain form. A mate suffix is added to every name, because reading
// cuts one off.
func writeReads(reads []Read) []byte {
	var b []byte
	for i := range reads {
		b = AppendFASTQ(b, &reads[i], "/1")
	}
	return b
}

// FuzzReads: no input makes a panic, small chunks change nothing, and accepted records read the
// same when they are written and read again.
func FuzzReads(f *testing.F) {
	for _, s := range []string{
		"@a b\nACGT\n+\nIIII\n", ">a\nAC\nGT\n", "@a\nAC\nGT\n+a\nII\nII\n@b\n+\n", "\xef\xbb\xbf\n>a\r\nA C\r\n >x\n",
		"# c\n>a\n", "@a\nA\v\n+\nI\v\n", "@a\n\xc2\n\xa0>\n+\nIII\n", ">a\n\xc2\n\xa0>x\nA",
	} {
		f.Add([]byte(s))
		f.Add(gzipped(f, []byte(s)))
		f.Add(bgzipped(f, []byte(s)))
		f.Add(bgzfMember(f, []byte(s)))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "reads")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		reads, err := readAll(path, ReadOptions{Threads: 1}, chunkText)
		text := said(t, path, err)
		small, err := readAll(path, ReadOptions{Threads: 2}, 5)
		if d := cmp.Diff(text, said(t, path, err)); d != "" {
			t.Fatalf("small chunks change the error:\n%s", d)
		}
		if d := cmp.Diff(reads, small); d != "" {
			t.Fatalf("small chunks change the reads:\n%s", d)
		}
		if err := os.WriteFile(path, writeReads(reads), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := readAll(path, ReadOptions{Threads: 1}, chunkText)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(reads, again); d != "" {
			t.Fatalf("written and read again:\n%s", d)
		}
	})
}

// FuzzReference: the same for references.
func FuzzReference(f *testing.F) {
	for _, s := range []string{
		">a b\nACGT\nNNRY\n>b\nA C\n", ">a\r\nAC\r\n", ";c\n>a\nA>C\n", ">a\n\v\n >x\nA", ">a\n\xc2\n\xa0>x\nA", ">a\n>b\n",
	} {
		f.Add([]byte(s))
		f.Add(bgzipped(f, []byte(s)))
		f.Add(bgzfMember(f, []byte(s)))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "ref")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ref, err := loadReference(context.Background(), path, 1, referenceBlock, bulkAndBiogo)
		text := said(t, path, err)
		small, err := loadReference(context.Background(), path, 2, 4, bulkAndBiogo)
		if d := cmp.Diff(text, said(t, path, err)); d != "" {
			t.Fatalf("small blocks change the error:\n%s", d)
		}
		if ref == nil {
			return
		}
		want := contigsOf(ref)
		if d := cmp.Diff(want, contigsOf(small)); d != "" {
			t.Fatalf("small blocks change the contigs:\n%s", d)
		}
		var b bytes.Buffer
		for _, c := range want {
			b.WriteString(">" + c.Name + " " + c.Comment + "\n" + c.Letters + "\n")
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := LoadReference(context.Background(), path, 1)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, contigsOf(again)); d != "" {
			t.Fatalf("written and read again:\n%s", d)
		}
	})
}
