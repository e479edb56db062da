// Package temporary makes temporary files of which nothing is left, however the process ends.
package temporary

import (
	"cmp"
	"errors"
	"os"
)

// A File is a temporary file. Closing it removes it.
type File struct {
	*os.File
	named bool // it has kept its name
}

// Create opens a temporary file for reading and writing in a folder, the system's if that is empty.
// It has no name from the beginning, where the system has such files (O_TMPFILE of Linux).
// Elsewhere it loses a name that begins so at once or, on systems that keep the names of open
// files, when it is closed.
func Create(folder, name string) (*File, error) {
	if f := nameless(cmp.Or(folder, os.TempDir())); f != nil {
		return &File{File: f}, nil
	}
	return named(folder, name)
}

// named is Create by a name that goes.
func named(folder, name string) (*File, error) {
	f, err := os.CreateTemp(folder, name+"-*.tmp")
	if err != nil {
		return nil, err
	}
	return &File{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes the file and removes it.
func (f *File) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
