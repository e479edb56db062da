package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenText reads lines of any format, plain and compressed, and names the file where it cannot.
func TestOpenText(t *testing.T) {
	folder := t.TempDir()
	text := strings.Repeat("##any line\n", 1000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, content, wrong string }{
		{"plain", text, ""},
		{"empty", "", ""},
		{"whole.gz", packed.String(), ""},
		{"cut.gz", packed.String()[:packed.Len()-9], "cut.gz: the gzip data is truncated"},
		{"other.xz", "\xfd7zXZ\x00", "other.xz: is compressed with xz, which is not supported; use gzip, BGZF, bzip2 or zstd"},
	} {
		name := filepath.Join(folder, c.name)
		if err := os.WriteFile(name, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []byte
		in, err := OpenText(context.Background(), name, 2)
		if err == nil {
			got, err = io.ReadAll(in)
			if closed := in.Close(); closed != nil {
				t.Errorf("%s: %v", c.name, closed)
			}
		}
		switch {
		case c.wrong != "":
			if err == nil || err.Error() != folder+"/"+c.wrong {
				t.Errorf("%s: %v, want %s", c.name, err, c.wrong)
			}
		case err != nil || c.content != "" && string(got) != text:
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
	if _, err := OpenText(context.Background(), folder+"/missing", 1); err == nil || err.Error() != folder+"/missing: no such file or directory" {
		t.Error(err)
	}
}
