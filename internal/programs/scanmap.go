package programs

import (
	"fmt"
	"os"
	"os/exec"
)

// WithScanmap builds scanmap from the source of its command into a folder, which is there while
// run runs, and returns what that returned, or 1 where something fails: for TestMain.
func WithScanmap(source string, run func(folder string) (code int)) int {
	folder, err := os.MkdirTemp("", "scanmap-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := 1
	if text, err := exec.Command("go", "build", "-o", folder, source).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, text)
	} else {
		code = run(folder)
	}
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}
