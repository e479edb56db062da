// Command scanmap maps reads to a reference, and searches it for patterns, without an index.
// Without arguments it shows its help.
//
// It exits with 0 when everything was done and written, 1 when the run failed, 2
// when it was called wrongly, 3 when the device failed, and 128 and the number of
// the signal that stopped it (130 for SIGINT, 143 for SIGTERM). A reader that
// closes standard output early, as head does, has what it wanted: the run ends
// quietly with 0. Messages are one line each on standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/sam"
)

// version is what --version prints and headers name.
const version = "0.1.0"

func main() {
	// Writing to a closed pipe must be an error of the write, not the end of the process, so that
	// temporary files are removed.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(start())
}

// start tells what this process is for, and does that: it returns the exit code.
func start() int {
	if isProbe() {
		return probe()
	}
	if isKeeper() {
		return keep()
	}
	if w := newWorker(); w != nil {
		collectWithinLimits()
		ctx, stop := w.begin(context.Background())
		defer stop()
		return runIn(ctx, os.Args, os.Stdout, w.stderr)
	}
	if err := enoughDescriptors(); err != nil {
		return fail(context.Background(), os.Stderr, err)
	}
	if l, ok := memoryLimitOfProcess(); ok {
		shareArena()
		if code, err := supervise(l); err == nil {
			return code
		}
		// Without a second process the work is done here: it may well fit.
	}
	collectWithinLimits()
	return run(os.Args, os.Stdout, os.Stderr)
}

// run is the program without the process: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := cancelOnSignal(context.Background())
	defer stop()
	return runIn(ctx, args, stdout, stderr)
}

// runIn is run for a context that signals cancel.
func runIn(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := process{args: args, stdout: &sink{name: "standard output", w: stdout}, stderr: stderr}
	_, err := waitFor(ctx, 2*patience, func() (struct{}, error) {
		err := p.run(ctx)
		if err == nil {
			err = p.stdout.err() // help and version are written without a check
		}
		return struct{}{}, err
	}, func() bool { return leftovers.Load() == 0 })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // a signal explains every other error
	}
	return fail(ctx, stderr, err)
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

// process is what the program uses of its process.
type process struct {
	args   []string
	stdout *sink
	stderr io.Writer
}

func (p process) run(ctx context.Context) error {
	app := newApp(p)
	args, err := normalize(app, p.args)
	if err == nil {
		err = suggestValue(app, app.RunContext(ctx, args), args)
	}
	return asTyped(app, err, p.args)
}

func newApp(p process) *cli.App {
	cli.VersionPrinter = func(c *cli.Context) {
		// The sink keeps the error.
		_, _ = fmt.Fprintf(c.App.Writer, "%s %s\n", c.App.Name, c.App.Version)
	}
	cli.HelpPrinter = printHelp
	return &cli.App{
		Name:            "scanmap",
		Usage:           "find every place where a read or a pattern fits a reference within k edits, without an index",
		UsageText:       "scanmap map [options] REF.fa READS.fq\nscanmap search [options] PATTERN REF.fa\nscanmap COMMAND --help",
		Version:         version,
		HideHelpCommand: true,
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		Commands: []*cli.Command{mapCommand(p), searchCommand(p), filterCommand(p), demultiplexCommand(p), primersCommand(p),
			insertSizeCommand(p), mergeStatsCommand(p), mappabilityCommand(p), copiesCommand(p), guidesCommand(p), benchCommand(p),
			devicesCommand(p), completionCommand(p), manCommand(p), versionCommand(p)},
		Action: func(c *cli.Context) error {
			return usagef("no command is given; see scanmap --help")
		},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return usageError{err} },
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
	}
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

// listen has a channel get the signals that ask the program to stop, but for those that the parent
// process has switched off (nohup, a job in the background), which stay off.
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
// look. What a run leaves then goes with the process: results have temporary names, which the
// caller removes, and temporary files have none. A command that holds no such result, and reads or
// writes, is waited for twice as long, and standard error once more: all has to be over within a
// second.
const patience = 250 * time.Millisecond

// leftovers is how many results have temporary names, which somebody still has to remove.
var leftovers atomic.Int32

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

// maxMessage is the most bytes of a message, less those that escapes add: room for two names of
// files, which have at most 4 KiB each.
const maxMessage = 10_000

// oneLine keeps a message on one line of bounded length, and control characters from the terminal,
// whatever the names in it hold.
func oneLine(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage-1000] + " ... " + s[len(s)-1000:]
	}
	columns := strings.Split(s, "\t")
	for i := range columns {
		columns[i] = sam.EscapeCommandLine(columns[i : i+1])
	}
	return strings.Join(columns, "\t")
}
