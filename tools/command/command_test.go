package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	// A child's time counts too.
	u, err := Run("sh", "-c", "sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'; true")
	if err != nil || u.Seconds <= 0 || u.User <= 0 || u.PeakMB <= 0 {
		t.Errorf("%+v, %v", u, err)
	}
	_, err = Run("sh", "-c", "echo what went wrong >&2; exit 3")
	if !errors.As(err, new(*exec.ExitError)) || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("%v, expected what it printed", err)
	}
	if _, err := Run("here-is-no-program"); err == nil {
		t.Error("a program that is not there is no error")
	}
}

func TestData(t *testing.T) {
	t.Setenv("SCANMAP_DATA", filepath.Join(t.TempDir(), "not-there"))
	if d := FindData(); d.Larger || d.Folder != "testdata" || Choose(d, []int{1}, []int{2})[0] != 2 {
		t.Errorf("%+v", d)
	}
	t.Setenv("SCANMAP_DATA", "../../testdata")
	d := FindData()
	if !d.Larger || Choose(d, []int{1}, []int{2})[0] != 1 {
		t.Errorf("%+v", d)
	}
	for name, begins := range map[string]string{"portiera.fa.gz": ">", "phix_R1.fastq": "@"} {
		file, err := d.Unpack(name, filepath.Join(t.TempDir(), "a folder"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), begins) || strings.HasSuffix(file, ".gz") {
			t.Errorf("%s: %v, %.20q", file, err, text)
		}
	}
	if _, err := d.Unpack("not-there.fa", t.TempDir()); err == nil {
		t.Error("a file that is not there is no error")
	}
}
