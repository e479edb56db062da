// Package command runs other programs for the tools, and says on what.
package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
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

// Timed runs a command and returns its wall-clock seconds and its peak resident memory in MB, for a pipeline that of its
// largest process. The peak of a child is at least that of the process that starts it, which so has to stay small.
func Timed(args ...string) (seconds, peakMB float64, err error) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = float64(usage.Maxrss) / 1024
	}
	return seconds, peakMB, nil
}

// Median returns the middle of some numbers, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Versions returns that of Go and those of Debian's packages that are installed.
func Versions(packages ...string) map[string]string {
	v := map[string]string{"go": runtime.Version()}
	for _, name := range packages {
		if text := Output("dpkg-query", "-W", "-f", "${Version}", name); text != "" {
			v[name] = text
		}
	}
	return v
}

// List writes versions in one line, in the order of the names.
func List(versions map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		all = append(all, name+" "+versions[name])
	}
	return strings.Join(all, ", ")
}

// SaveJSON writes a value to a file as indented JSON.
func SaveJSON(file string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
