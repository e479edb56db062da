package docs

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLibrary builds the example of a module of its own that requires this one, and runs it. The
// page of the library shows a part of the program.
func TestLibrary(t *testing.T) {
	page, errPage := os.ReadFile("../../docs/library.md")
	code, errCode := os.ReadFile("../../docs/library/main.go")
	_, shown, _ := strings.Cut(string(page), "```go\n")
	shown, _, closed := strings.Cut(shown, "```")
	if errPage != nil || errCode != nil || !closed || len(shown) < 100 || !strings.Contains(string(code), "\n"+shown) {
		t.Errorf("docs/library.md shows other code than docs/library/main.go has: %v, %v\n%s", errPage, errCode, shown)
	}
	run := exec.Command("go", "run", ".", "../../testdata/phix.fa", "../../testdata/phix_R1.fastq")
	run.Dir = "../../docs/library"
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("go run: %v\n%s", err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	mapped := 0
	for _, line := range lines {
		name, places, ok := strings.Cut(line, "\t")
		if !ok || name == "" {
			t.Fatalf("line %q", line)
		}
		if places == "1" {
			mapped++
		}
	}
	if len(lines) < 40 || mapped < 30 {
		t.Errorf("%d reads, %d with one place:\n%s", len(lines), mapped, out)
	}
}
