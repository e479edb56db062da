// Package programs gives tests the programs of others, and what processes end with.
package programs

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Find returns the path of a program, or skips the test; in CI, which installs it, its absence is a
// failure.
func Find(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("SKIPPED: %s is not installed", name)
	}
	return path
}

// ExitCode is the exit code of a process, from the error that waiting for it gave. A process that a
// signal ended fails the test.
func ExitCode(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		t.Fatalf("the process died of %v", status.Signal())
	}
	return exit.ExitCode()
}
