// Package command runs other programs for the tools, with their time and memory, and says on what.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
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

// Timed runs a command and returns its wall-clock seconds and its peak resident memory in MiB, for
// a pipeline that of its largest process. The peak of a child is at least that of the process that
// starts it, which so has to stay small.
func Timed(args ...string) (seconds, peak float64, err error) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, 0, failed(args, err, text)
	}
	return seconds, peakOf(cmd), nil
}

// TimedPipe runs two commands, the output of the first being the input of the second, and returns
// the seconds until both have ended and the peak of each as Timed does.
func TimedPipe(first, second []string) (seconds float64, peaks [2]float64, err error) {
	from := exec.CommandContext(context.Background(), first[0], first[1:]...)
	to := exec.CommandContext(context.Background(), second[0], second[1:]...)
	var said [2]bytes.Buffer
	from.Stderr, to.Stderr = &said[0], &said[1]
	r, w, err := os.Pipe()
	if err != nil {
		return 0, peaks, err
	}
	from.Stdout, to.Stdin = w, r
	start := time.Now()
	var errs [2]error
	errs[0], errs[1] = from.Start(), to.Start()
	// Each process has its end, so that either sees when the other has closed its own.
	err = errors.Join(w.Close(), r.Close())
	for i, cmd := range []*exec.Cmd{from, to} {
		if errs[i] == nil {
			errs[i] = cmd.Wait()
		}
		if errs[i] != nil {
			err = errors.Join(err, failed(cmd.Args, errs[i], said[i].Bytes()))
		}
	}
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, peaks, err
	}
	return seconds, [2]float64{peakOf(from), peakOf(to)}, nil
}

// peakOf is the largest resident memory in MiB of a process that has ended.
func peakOf(cmd *exec.Cmd) float64 {
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return float64(usage.Maxrss) / 1024
	}
	return 0
}

// failed is an error with what a command printed.
func failed(args []string, err error, text []byte) error {
	return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
}
