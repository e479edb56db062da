package sam

import (
	"bytes"
	"io"
	"testing"

	"github.com/biogo/hts/bgzf"
)

// decompress reads BGZF by biogo/hts, and demands the block that ends it.
func decompress(t testing.TB, file []byte) []byte {
	t.Helper()
	if ok, err := bgzf.HasEOF(bytes.NewReader(file)); err != nil || !ok {
		t.Fatalf("the end is missing (error %v)", err)
	}
	r, err := bgzf.NewReader(bytes.NewReader(file), 1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
