package sidebyside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits are what a program may take before it is killed; 0 is no limit.
type Limits struct {
	Seconds float64 // by the clock
	MB      float64 // MiB of resident memory of the process that is started, looked at each 0.1 s
}

// A Usage is what a process and all of its children that it waited for have taken.
type Usage struct {
	Seconds      float64 // by the clock
	User, System float64 // CPU seconds, of all threads
	// PeakMB is MiB of resident memory, of the largest process. It is at least that of the process
	// that starts the command, which so has to stay small.
	PeakMB float64
}

// An ExceededError says which limit a program was killed for.
type ExceededError struct{ Limits }

func (e *ExceededError) Error() string {
	if e.MB > 0 {
		return fmt.Sprintf("> %g MB", e.MB)
	}
	return fmt.Sprintf("> %g s", e.Seconds)
}

// RunWithin runs a command and returns what it took, also if it fails or is killed. The error is an
// ExceededError if it passed a limit, or has the last part of what it printed.
func RunWithin(limits Limits, args ...string) (Usage, error) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	// A group of its own, so that its children are killed with it. It dies with the thread that starts
	// it, which so has to last until it has ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	ended := make(chan struct{})
	watched := make(chan error)
	go func() { watched <- limits.watch(cmd.Process.Pid, start, ended) }()
	err := cmd.Wait()
	u := Usage{Seconds: time.Since(start).Seconds()}
	close(ended)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.User, u.System = seconds(usage.Utime), seconds(usage.Stime)
		u.PeakMB = float64(usage.Maxrss) / 1024
	}
	if exceeded := <-watched; exceeded != nil {
		return u, exceeded
	}
	if err != nil {
		text := strings.TrimSpace(said.String())
		return u, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text[max(0, len(text)-1000):])
	}
	return u, nil
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// watch kills a group of processes that passes a limit, and returns nil if it ended before.
func (l Limits) watch(group int, start time.Time, ended <-chan struct{}) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return nil
		case <-tick.C:
		}
		var exceeded *ExceededError
		switch {
		case l.Seconds > 0 && time.Since(start).Seconds() > l.Seconds:
			exceeded = &ExceededError{Limits{Seconds: l.Seconds}}
		case l.MB > 0 && resident(group) > l.MB:
			exceeded = &ExceededError{Limits{MB: l.MB}}
		default:
			continue
		}
		if err := syscall.Kill(-group, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
			return nil // it has just ended
		}
		return exceeded
	}
}

// resident returns the memory of a process in MiB, 0 if it has ended.
func resident(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}
