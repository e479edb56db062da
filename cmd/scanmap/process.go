package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"scanmap/gpu/device"
)

// process is what the program uses of its process.
type process struct {
	args   []string
	stdout *sink
	stderr io.Writer
}

// fail says what went wrong, if anything did, and returns the exit code.
func fail(ctx context.Context, stderr io.Writer, err error) int {
	code := exitCode(err)
	if code != 0 {
		// If even this cannot be written, the exit code remains.
		_, _ = untilStopped(ctx, func() (int, error) {
			return fmt.Fprintf(stderr, "scanmap: %s\n", oneLine(err.Error()))
		})
	}
	return code
}

// usageError is a wrong call: exit code 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// signalError is the signal that stopped the run.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped by a signal: " + e.signal.String() }

// exitCode returns the exit code for an error. It is 0 also if the reader of the output went away.
func exitCode(err error) int {
	var stopped signalError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &stopped):
		return 128 + int(stopped.signal)
	case errors.As(err, new(usageError)):
		return 2
	case errors.As(err, new(*device.Error)):
		return 3
	case errors.As(err, new(*outputError)) && errors.Is(err, syscall.EPIPE):
		return 0
	}
	return 1
}

// stopSignals ask the program to stop.
func stopSignals() []os.Signal { return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} }

// listen has a channel get the signals that ask the program to stop. Signals that the parent
// process has switched off (nohup, a job in the background) stay off.
func listen(signals chan<- os.Signal) {
	for _, s := range stopSignals() {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
}

// signalsTogether is how long after a signal others change nothing: timeout sends two, and batch
// systems may. It is the time in which the run stops, so that it removes what it would leave.
const signalsTogether = time.Second

// cancelOnSignal returns a context that signals cancel, with a signalError as the cause. A signal
// that comes more than a while after the first ends the process at once.
func cancelOnSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	listen(signals)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			if s, ok := s.(syscall.Signal); ok {
				cancel(signalError{s})
			}
			// Also when the run is over: the process ends soon.
			stopped(func() { time.Sleep(signalsTogether) })
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// patience is how long a run may take to stop after a signal; then the process ends without it. It
// stops sooner unless it waits for a read or a write of a pipe, which nothing interrupts, or is at
// work on a pass over the reference or on a read with very many locations, within which it does not
// look. Files of the run then go with the process: results have temporary names, which the caller
// removes, and temporary files have no names. A command that holds no such result, and reads or
// writes, is waited for twice as long, and standard error once more: all has to be over within a
// second.
const patience = 250 * time.Millisecond

// untilStopped returns what f returns or, if f has not ended a while after ctx was cancelled, the
// cause.
func untilStopped[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return waitFor(ctx, patience, f, func() bool { return true })
}

// waitFor returns what f returns or, if f has not ended so long after ctx was cancelled, and may be
// left, the cause.
func waitFor[T any](ctx context.Context, long time.Duration, f func() (T, error), mayLeave func() bool) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	for {
		select {
		case r := <-done:
			return r.value, r.err
		case <-time.After(long):
		}
		if mayLeave() {
			var none T
			return none, context.Cause(ctx)
		}
		long = patience / 10
	}
}

// commandLine is what @PG tells: without the folder of the program, which is of no use
// elsewhere.
func commandLine(args []string) []string {
	return append([]string{filepath.Base(args[0])}, args[1:]...)
}

// loud hides from exitCode that an error is a closed pipe, which would end the run with exit code
// 0.
func loud(err error) error {
	if exitCode(err) == 0 {
		return errors.New(err.Error())
	}
	return err
}
