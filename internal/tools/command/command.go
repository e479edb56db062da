// Package command runs other programs for the tools, and says on what.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Output returns what a program writes to standard output, without white space around it;
// empty when it fails or is not there.
func Output(name string, args ...string) string {
	text, err := exec.CommandContext(context.Background(), name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Shell runs a line of shell; an error has what it printed.
func Shell(line string) error {
	text, err := exec.CommandContext(context.Background(), "sh", "-c", line).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", line, err, text)
	}
	return nil
}

// Processor returns the model of the processor, or what Go calls its architecture.
func Processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
