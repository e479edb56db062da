package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"scanmap/internal/effort"
)

// names lists a folder.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func open(t *testing.T, name string) *output {
	t.Helper()
	o, err := openOutput(context.Background(), name, &sink{name: "standard output", w: &bytes.Buffer{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.discard)
	return o
}

func write(t *testing.T, o *output, text string) {
	t.Helper()
	if _, err := o.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func publish(t *testing.T, o *output) {
	t.Helper()
	if err := firstError(o.finish(), o.publish()); err != nil {
		t.Fatal(err)
	}
}

func TestOutputAppearsWhenPublished(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.sam")
	o := open(t, name)
	write(t, o, "text")
	if got := names(t, folder); !strings.HasPrefix(got, "out.sam.") || !strings.HasSuffix(got, ".tmp") {
		t.Errorf("the folder holds %s", got)
	}
	if err := o.finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there before it is published: %v", err)
	}
	if err := o.publish(); err != nil {
		t.Fatal(err)
	}
	o.discard() // has nothing to do any more
	if got, err := os.ReadFile(name); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if got := names(t, folder); got != "out.sam" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestOutputDiscarded(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.sam")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, finished := range []bool{false, true} {
		o := open(t, name)
		write(t, o, "new")
		if finished {
			if err := o.finish(); err != nil {
				t.Fatal(err)
			}
		}
		o.discard()
		if got := names(t, folder); got != "out.sam" {
			t.Errorf("the folder holds %s", got)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestOutputReplacesFile(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	if err := os.WriteFile(file, []byte("old and longer"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	o := open(t, link)
	write(t, o, "new")
	publish(t, o)
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
}

// TestOutputThroughDanglingLinks has links to files that do not exist: they stay, and what they
// point to is made.
func TestOutputThroughDanglingLinks(t *testing.T) {
	for _, c := range []struct{ target, want string }{
		{"file", "file"},
		{"other/file", "other/file"},
		{"second", "other/file"},         // a link to other/file
		{"folder/../file", "other/file"}, // of other, which folder/.. is
		{"folder/up", "other/file"},      // a link in other/deep to ../file
		{"/", ""},                        // stands for the whole path of other/file
		{"missing/file", "no such file or directory"},
		{"other/file/", "no such file or directory"},
	} {
		root := t.TempDir()
		t.Chdir(root)
		if err := errors.Join(os.MkdirAll("other/deep", 0o777), os.Symlink("other/deep", "folder"),
			os.Symlink("other/file", "second"), os.Symlink("../file", "other/deep/up")); err != nil {
			t.Fatal(err)
		}
		target, want := c.target, c.want
		if target == "/" {
			target, want = filepath.Join(root, "other", "file"), "other/file"
		}
		if err := os.Symlink(target, "link"); err != nil {
			t.Fatal(err)
		}
		o, err := openOutput(t.Context(), "link", nil)
		if err != nil {
			if !strings.HasSuffix(err.Error(), ": "+want) {
				t.Errorf("%s: %v", target, err)
			}
			continue
		}
		if where, err := place("link"); err != nil || !sameFile(where, want) && !sameTarget(where, want) {
			t.Errorf("%s: the place is %s, %v", target, where, err)
		}
		write(t, o, "text")
		publish(t, o)
		if got, err := os.ReadFile(want); err != nil || string(got) != "text" {
			t.Errorf("%s: %q, %v", target, got, err)
		}
		if got, err := os.Readlink("link"); err != nil || got != target {
			t.Errorf("%s: the link is %q, %v", target, got, err)
		}
	}
}

func TestOutputDirect(t *testing.T) {
	o := open(t, os.DevNull)
	write(t, o, "text")
	publish(t, o)
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	var b bytes.Buffer
	for _, name := range []string{"-", "/dev/stdout", "/dev/fd/1"} {
		o, err := openOutput(context.Background(), name, &sink{name: "standard output", w: &b})
		if err != nil {
			t.Fatal(err)
		}
		write(t, o, "x")
		publish(t, o)
		o.discard()
	}
	if b.String() != "xxx" {
		t.Errorf("standard output got %q", b.String())
	}
}

func TestOutputFIFO(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	// Without a reader the open waits until it is cancelled.
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(signalError{syscall.SIGTERM})
	if _, err := openOutput(ctx, name, nil); exitCode(err) != 143 {
		t.Errorf("got error %v", err)
	}
	// This reader also serves the open that was given up, which may close before the next one opens:
	// it reads an empty file then, and opens the next.
	read := make(chan string, 1)
	go func() {
		for {
			text, err := os.ReadFile(name)
			if err != nil {
				text = []byte(err.Error())
			}
			if len(text) > 0 {
				read <- string(text)
				return
			}
		}
	}()
	o := open(t, name)
	write(t, o, "text")
	publish(t, o)
	if got := <-read; got != "text" {
		t.Errorf("the reader got %q", got)
	}
	if got := names(t, folder); got != "fifo" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestOutputErrors(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{
		folder:                                "is a directory",
		filepath.Join(folder, "no", "out"):    "no such file or directory",
		filepath.Join(folder, "a\x00b"):       "invalid argument",
		"/dev/fd/987":                         "no such file or directory",
		filepath.Join("/dev/null", "out.sam"): "not a directory",
	} {
		o, err := openOutput(context.Background(), name, nil)
		if err == nil {
			o.discard()
			t.Errorf("%s: no error", name)
		} else if err.Error() != name+": "+want {
			t.Errorf("%s: got error %v, want %s", name, err, want)
		}
	}
	// A long name leaves room for the ending of the temporary one.
	o := open(t, filepath.Join(folder, strings.Repeat("n", 255)))
	publish(t, o)
}

// TestOutputCloseFails closes a file that is closed already. The output says so, and stays under
// its temporary name until it is discarded.
func TestOutputCloseFails(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.sam")
	o := open(t, name)
	write(t, o, "text")
	if err := o.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := o.finish(); !errors.Is(err, fs.ErrClosed) || !strings.HasPrefix(err.Error(), name+": ") {
		t.Errorf("got error %v", err)
	}
	if got := names(t, folder); !strings.HasPrefix(got, "out.sam.") || !strings.HasSuffix(got, ".tmp") {
		t.Errorf("the folder holds %q", got)
	}
	o.discard()
	if got := names(t, folder); got != "" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestSinkKeepsFirstError(t *testing.T) {
	s := &sink{name: "x", w: failingWriter{syscall.ENOSPC}}
	for range 2 {
		if _, err := s.Write([]byte("a")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got error %v", err)
		}
		s.w = failingWriter{syscall.ENOSPC}
	}
	s.w = failingWriter{nil} // writes nothing
	if _, err := s.Write([]byte("a")); err == nil {
		t.Error("a short write is no error")
	}
	if err := s.err(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("kept %v", err)
	}
}

// TestNamesOfForms has each named output of each command end in what tells of compressed or binary
// files: the file is of this kind, or the name is refused before anything is written.
func TestNamesOfForms(t *testing.T) {
	inputs := faultInputs(t)
	magic := map[string]string{"gz": "\x1f\x8b", "bgz": "\x1f\x8b", "BZ2": "BZh", "zst": "\x28\xb5\x2f\xfd", "xz": "\xfd7zXZ", "bam": "\x1f\x8b",
		"bw": "\x26\xfc\x8f\x88", "bcf": "BCF"}
	compressed := []string{"BZ2", "zst", "xz", "bgz"} // beside gz
	n := 0
	for _, command := range eachCommand() {
		for _, o := range command.options {
			n++
			writes := slices.Contains([]string{categoryOutput, categoryCounts, categoryReports}, o.category) || o.name() == "discordant"
			calls := faultCalls[command.name]
			if !writes || o.placeholder != "FILE" || o.name() == "genome-definition" || command.name == "bench device" {
				continue
			}
			chosen, at := faultCall{}, -1
			for _, c := range calls {
				at = slices.IndexFunc(strings.Fields(c.args), func(a string) bool { return a == "--"+o.name() || o.name() == "output" && a == "-o" })
				if chosen = c; at >= 0 {
					break
				}
			}
			if at < 0 {
				t.Errorf("scanmap %s: no call of faultCalls has --%s", command.name, o.name())
				continue
			}
			for ending, begins := range magic {
				if of := slices.Index(compressed, ending); !effort.Full() && of >= 0 && of != n%len(compressed) {
					continue // by turns
				}
				folder := t.TempDir()
				args := chosen.arguments(inputs, folder)
				args[at+1] += "." + ending
				name := args[at+1]
				code, _, stderr := call(args...)
				text, err := os.ReadFile(name)
				switch {
				case code == 0 && err == nil && strings.HasPrefix(string(text), begins):
				case code == 2 && strings.HasPrefix(stderr, "scanmap: option --"+o.name()+": "+name+": ") && strings.Count(stderr, "\n") == 1 &&
					names(t, folder) == "":
				default:
					t.Errorf("scanmap %s --%s %s: exit code %d, %q, the file begins with %.4q", command.name, o.name(), name, code, stderr, text)
				}
			}
		}
	}
}
