// Package temporary makes temporary files that leave nothing behind, however the process ends.
package temporary

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// A File is a temporary file. Closing it removes it.
type File interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// Files makes temporary files in one folder.
type Files interface {
	// Create opens a new file for reading and writing. Where it has to have a name, name is how that
	// begins.
	Create(name string) (File, error)
	// Folder is where the files are.
	Folder() string
}

// In returns the files of a folder, the system's if that is empty.
//
// A file has no name from the beginning, where the system has such files (O_TMPFILE of Linux).
// Elsewhere it loses a name that begins so at once or, on systems that keep the names of open
// files, when it is closed.
func In(name string) Files { return folder(cmp.Or(name, os.TempDir())) }

// Explain says of an error, if there is one, that it is of files that have a purpose, such as
// "sorting", and in which folder they are.
func Explain(files Files, purpose string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) && err == error(e) {
		err = fmt.Errorf("%s: %w", e.Op, e.Err) // its path is the folder's, or of no use
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("temporary folder %s is full: %s needs more room than is left there: %w", files.Folder(), purpose, err)
	}
	return fmt.Errorf("%s, temporary folder %s: %w", purpose, files.Folder(), err)
}

// Close closes all files, whatever fails, and returns the first error.
func Close(files ...File) error {
	var first error
	for _, f := range files {
		if err := f.Close(); first == nil {
			first = err
		}
	}
	return first
}

type folder string

func (in folder) Folder() string { return string(in) }

func (in folder) Create(name string) (File, error) {
	if f := nameless(string(in)); f != nil {
		return f, nil
	}
	return in.named(name)
}

// named is Create by a name that goes.
func (in folder) named(name string) (File, error) {
	f, err := os.CreateTemp(string(in), name+"-*.tmp")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		return &namedFile{f}, nil
	}
	return f, nil
}

// namedFile is a file that has kept its name.
type namedFile struct{ *os.File }

// Close closes the file and removes it.
func (f *namedFile) Close() error {
	err := f.File.Close()
	if removed := os.Remove(f.Name()); err == nil {
		err = removed
	}
	return err
}
