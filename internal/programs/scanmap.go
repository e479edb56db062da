package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// WithScanmap builds scanmap from the source of its command into a folder, which is there while
// run runs, and returns what that returned, or 1 where something fails: for TestMain. The program
// collects its garbage as a user's does, however the tests do (GOGC).
func WithScanmap(source string, run func(folder string) (code int)) int {
	folder, err := os.MkdirTemp("", "scanmap-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 1
	if err := os.Unsetenv("GOGC"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The cache of Go keeps a linked program for "go run" alone, and linking takes seconds.
	build := exec.Command("go", "run", "-exec", "cp", source, filepath.Join(folder, "scanmap"))
	if text, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go run: %v\n%s", err, text)
	} else {
		code = run(folder)
	}
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}
