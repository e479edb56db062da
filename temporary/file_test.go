package temporary

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestFile writes and reads files of both kinds, in folders that are empty before and after.
func TestFile(t *testing.T) {
	for name, create := range map[string]func(folder, name string) (*File, error){"create": Create, "named": named} {
		folder := t.TempDir()
		f, err := create(folder, "x")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := f.WriteAt([]byte("text"), 3); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text, err := io.ReadAll(f)
		if string(text) != "\x00\x00\x00text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		left, err := os.ReadDir(folder)
		if len(left) > 0 || err != nil {
			t.Errorf("%s: the folder holds %v while the file is open, %v", name, left, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := create(filepath.Join(folder, "missing"), "x"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: in a folder that is not there: %v", name, err)
		}
	}
}

// TestNamedFile closes a file whose name could not be removed while it was open.
func TestNamedFile(t *testing.T) {
	folder := t.TempDir()
	f, err := os.CreateTemp(folder, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&File{f, true}).Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); len(left) > 0 || err != nil {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}
