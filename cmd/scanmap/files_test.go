package main

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipeAsInputAndOutput names a pipe as input and as output of one run, which would wait for
// itself.
func TestPipeAsInputAndOutput(t *testing.T) {
	folder := t.TempDir()
	pipe, other := filepath.Join(folder, "pipe"), filepath.Join(folder, "other")
	for _, name := range []string{pipe, other} {
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := keepInputs(pipe, other, pipe); err == nil || err.Error() != pipe+" is an input and would be overwritten" {
		t.Errorf("the same pipe: %v", err)
	}
	if err := keepInputs(pipe, other); err != nil {
		t.Errorf("another pipe: %v", err)
	}
}

// TestLibraryNamedReads has a file with the name of the column, after the first library.
func TestLibraryNamedReads(t *testing.T) {
	libraries, _, err := parseSamples("reads\tmates\na.fq\nreads\n", false, anyFiles)
	if err != nil || len(libraries) != 2 || libraries[1].Reads != "reads" {
		t.Errorf("%+v, %v", libraries, err)
	}
}
