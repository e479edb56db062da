package docs

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestLibrary builds the example of a module of its own that requires this one, and runs it.
func TestLibrary(t *testing.T) {
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
