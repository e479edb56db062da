package docs

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibrary builds the example of a module of its own that requires this one, and runs it.
func TestLibrary(t *testing.T) {
	program := filepath.Join(t.TempDir(), "library")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../docs/library"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(program, "../../testdata/phix.fa", "../../testdata/phix_R1.fastq").Output()
	if err != nil {
		t.Fatal(err)
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
