package temporary

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFile writes and reads files of both kinds, in folders that are empty before and after.
func TestFile(t *testing.T) {
	for name, create := range map[string]func(in, name string) (File, error){
		"create": func(in, name string) (File, error) { return In(in).Create(name) },
		"named":  func(in, name string) (File, error) { return folder(in).named(name) },
	} {
		in := t.TempDir()
		f, err := create(in, "x")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := f.WriteAt([]byte("text"), 3); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := make([]byte, 7)
		if _, err := f.ReadAt(text, 0); string(text) != "\x00\x00\x00text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		left, err := os.ReadDir(in)
		if len(left) > 0 || err != nil {
			t.Errorf("%s: the folder holds %v while the file is open, %v", name, left, err)
		}
		if err := Close(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := create(filepath.Join(in, "missing"), "x"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: in a folder that is not there: %v", name, err)
		}
	}
}

// TestNamedFile closes a file whose name could not be removed while it was open.
func TestNamedFile(t *testing.T) {
	in := t.TempDir()
	f, err := os.CreateTemp(in, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&namedFile{f}).Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(in); len(left) > 0 || err != nil {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// TestExplain has the errors that files of the system return, and one of another kind.
func TestExplain(t *testing.T) {
	files := In("here")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "read", Path: "here", Err: syscall.EIO}, "x, temporary folder here: read: input/output error"},
		{&fs.PathError{Op: "write", Path: "here", Err: syscall.ENOSPC},
			"temporary folder here is full: x needs more room than is left there: write: no space left on device"},
		{errors.New("broken"), "x, temporary folder here: broken"},
	} {
		err := Explain(files, "x", c.err)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: got %v, want %s", c.err, err, c.want)
		}
	}
	if err := Explain(files, "x", nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// closing is a file that notes that it was closed, which fails.
type closing struct {
	File
	closed bool
	err    error
}

func (c *closing) Close() error { c.closed = true; return c.err }

// TestClose closes all files, and returns the first error.
func TestClose(t *testing.T) {
	a, b, c := &closing{}, &closing{err: syscall.EIO}, &closing{err: syscall.ENOSPC}
	if err := Close(a, b, c); !errors.Is(err, syscall.EIO) || !a.closed || !b.closed || !c.closed {
		t.Errorf("error %v, closed %v %v %v", err, a.closed, b.closed, c.closed)
	}
}
