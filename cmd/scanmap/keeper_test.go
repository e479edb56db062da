package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// holders are the other processes that have a file open.
func holders(t *testing.T, file *os.File) (processes []string) {
	t.Helper()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		process := filepath.Base(filepath.Dir(filepath.Dir(fd)))
		if other, err := os.Stat(fd); err == nil && os.SameFile(info, other) && process != own && !slices.Contains(processes, process) {
			processes = append(processes, process)
		}
	}
	return processes
}

// TestKeeper has another process keep the large files that are written, for as long as the test
// waits for it, and no others.
func TestKeeper(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not list descriptors as Linux does")
	}
	open := func(name string, bytes, flag int) *os.File {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, make([]byte, bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	const large = 4 << 20
	small, input, output := open("small", 4096, os.O_WRONLY), open("input", large, os.O_RDONLY), open("output", large, os.O_RDWR)
	if held := leaveFiles(1 << 40); held != nil {
		t.Error("a keeper of no files")
	}
	held := leaveFiles(large)
	if held == nil {
		t.Fatal("no keeper")
	}
	if got := holders(t, output); len(got) != 1 {
		t.Errorf("processes %q have the file open", got)
	}
	if got := slices.Concat(holders(t, small), holders(t, input)); len(got) != 0 {
		t.Errorf("processes %q have small files and inputs open", got)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	for begun := time.Now(); len(holders(t, output)) > 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > deadline {
			t.Fatal("the keeper does not end")
		}
	}
}
