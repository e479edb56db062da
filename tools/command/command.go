// Package command runs other programs for the tools, says what they took and on what machine, and
// finds the data that they get.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A Usage is what a process took, with all of its children that it waited for.
type Usage struct {
	Seconds      float64 // by the clock
	User, System float64 // CPU seconds, of all threads
	// PeakMB is MiB of resident memory, of the largest process. It is at least the memory of the
	// process that starts the command, which has to stay small.
	PeakMB float64
}

// Run runs a command to its end and returns what it took. An error has the end of what it printed.
func Run(args ...string) (Usage, error) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	u := Usage{Seconds: time.Since(start).Seconds()}
	if err != nil {
		said := strings.TrimSpace(string(text))
		return u, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said[max(0, len(said)-1000):])
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.User, u.System = seconds(usage.Utime), seconds(usage.Stime)
		u.PeakMB = float64(usage.Maxrss) / 1024
	}
	return u, nil
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// Output returns what a program writes to standard output, without white space around it;
// empty when it fails or is not there.
func Output(name string, args ...string) string {
	text, err := exec.CommandContext(context.Background(), name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
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

// Exit ends a tool: with 1 and a message if something failed.
func Exit(tool string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", tool, err)
		os.Exit(1)
	}
}
