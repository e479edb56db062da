package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"scanmap/internal/programs"
)

// TestReadOnlyFolders has each command write to a folder that its user may not write to: exit code
// 1, one line that names the file, and nothing left. Root may write anywhere, so for root the calls
// run as a user without rights.
func TestReadOnlyFolders(t *testing.T) {
	inputs := faultInputs(t)
	var user *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
		// The folders of inputs, and of the program, belong to root alone.
		for _, folder := range []string{inputs, filepath.Dir(inputs), filepath.Dir(binary)} {
			if err := os.Chmod(folder, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, entry := range entries(t, inputs) {
			if err := os.Chmod(filepath.Join(inputs, entry.Name()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, calls := range faultCalls {
		for _, c := range calls {
			if len(c.outputs()) == 0 || strings.HasPrefix(c.args, "bench") {
				continue
			}
			t.Run(c.args, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				if err := errors.Join(os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, 0o555)); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = os.Chmod(folder, 0o755) }()
				var stdout, stderr bytes.Buffer
				command := exec.Command(binary, c.arguments(inputs, folder)...)
				command.Dir, command.Stdout, command.Stderr, command.SysProcAttr = "/", &stdout, &stderr, user
				code := programs.ExitCode(t, command.Run())
				if code != 1 || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "scanmap: ") ||
					!strings.Contains(stderr.String(), folder) || !strings.HasSuffix(stderr.String(), ": permission denied\n") {
					t.Errorf("exit code %d, standard output %.100q, standard error %q", code, stdout.String(), stderr.String())
				}
				if left := names(t, folder); left != "" {
					t.Errorf("the folder holds %s", left)
				}
			})
		}
	}
}

func entries(t *testing.T, folder string) []fs.DirEntry {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
