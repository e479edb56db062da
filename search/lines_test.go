package search

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestLinesOfBytes has lines with each kind of end, and a CR that is no part of one.
func TestLinesOfBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "patterns")
	if err := os.WriteFile(name, []byte("ab\r\ncd\n\r\nef\rg\nhi\r"), 0o600); err != nil {
		t.Fatal(err)
	}
	patterns, err := ReadPatterns(context.Background(), name, Bytes)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range patterns {
		got = append(got, string(p.Letters))
	}
	want := []string{"ab", "cd", "ef\rg", "hi"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("pattern %d is %q, not %q", i+1, got[i], want[i])
		}
	}
}
