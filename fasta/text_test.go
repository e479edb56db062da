package fasta

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadTextLimit reads text up to the limit, which counts what is decompressed.
func TestReadTextLimit(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(strings.Repeat("A", 101))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, content string
		refused       bool
	}{
		{"at", strings.Repeat("A", 100), false},
		{"over", strings.Repeat("A", 101), true},
		{"over.gz", packed.String(), true},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := readText(context.Background(), path, 100)
		switch {
		case !c.refused && (err != nil || string(text) != c.content):
			t.Errorf("%s: %d bytes, %v", c.name, len(text), err)
		case c.refused && (err == nil || err.Error() != path+": holds more than 100 bytes of text"):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
