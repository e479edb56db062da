package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Where memory ends, the runtime of Go ends the process wherever it is, with a trace and exit code
// 2, and no part of the program is asked. Where the system limits the memory of the process (ulimit
// -v, -d), a second process, the worker, therefore does the work. This one, the supervisor, says
// what happened and removes the files that the worker left. The worker has the same arguments,
// standard input and output, and beside them
//
//   - its standard error, by another number. The runtime writes to number 2, a pipe to the
//     supervisor;
//   - a pipe to the supervisor with the names of temporary files, before they are made;
//   - a pipe from the supervisor with the numbers of signals. Both processes get the signals of a
//     terminal; the worker heeds the pipe alone. It stops when the pipe ends, because the
//     supervisor has.

// workerVariable is the environment's variable with the descriptors of a worker.
const workerVariable = "SCANMAP_WORKER"

// A worker is this process, if it was started by a supervisor.
type worker struct {
	stderr, names, signals *os.File
}

// newWorker returns nil in a process that no supervisor has started.
func newWorker() *worker {
	text := os.Getenv(workerVariable)
	if text == "" {
		return nil
	}
	_ = os.Unsetenv(workerVariable) // not for the processes that this one starts
	w := &worker{}
	numbers := strings.Split(text, ",")
	files := []**os.File{&w.stderr, &w.names, &w.signals}
	if len(numbers) != len(files) {
		return nil
	}
	for i, number := range numbers {
		fd, err := strconv.Atoi(number)
		if err != nil {
			return nil
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
			return nil // someone else has set the variable
		}
		*files[i] = os.NewFile(uintptr(fd), "descriptor "+number)
	}
	return w
}

// begin returns a context that the supervisor's signals cancel.
func (w *worker) begin(parent context.Context) (context.Context, func()) {
	signal.Ignore(stopSignals()...)
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, announceKey{}, w.announce))
	go func() {
		var number [1]byte
		if _, err := w.signals.Read(number[:]); err != nil {
			number[0] = byte(syscall.SIGTERM)
		}
		cancel(signalError{syscall.Signal(number[0])})
		stopped(func() { <-parent.Done() }) // until the process ends
	}()
	return ctx, func() { cancel(nil) }
}

func (w *worker) announce(name string) error {
	_, err := w.names.WriteString(name + "\x00")
	return err
}

// A supervisor is this process while a worker does its work.
type supervisor struct {
	limit   memoryLimit
	process *os.Process
	// names and errors are what the worker writes there, signals what it reads.
	names, errors, signals *os.File
	trace                  []byte // what the runtime of the worker wrote
	made                   []string
}

// arenaVariable is the environment's variable by which glibc shares memory among threads.
const arenaVariable = "MALLOC_ARENA_MAX"

// shareArena starts the program again in this process, unless that was done: with one arena of
// glibc for all threads. The default sets aside 128 MiB of address space for each thread, and uses
// nothing, so that under a limit of 1.5 GB even the supervisor ended for want of memory.
func shareArena() {
	if os.Getenv(arenaVariable) != "" {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	// On success it does not return.
	_ = syscall.Exec(program, os.Args, append(os.Environ(), arenaVariable+"=1"))
}

// supervise does the work in a second process, and returns the exit code. An error means that there
// is none. With an exit code this process goes on to take signals, and to drop them: one that comes
// while it ends would change the code.
func supervise(limit memoryLimit) (code int, err error) {
	s := &supervisor{limit: limit}
	signals := make(chan os.Signal, 2)
	listen(signals)
	if err := s.start(); err != nil {
		signal.Stop(signals)
		return 0, err
	}
	ended := make(chan struct{})
	defer close(ended)
	go s.passSignals(signals, ended, func() { _ = s.process.Kill() })
	var readers sync.WaitGroup
	readers.Go(func() { s.made = readNames(s.names) })
	readers.Go(func() { s.trace = passOn(os.Stderr, s.errors) })
	state, err := s.process.Wait()
	readers.Wait()
	if err != nil {
		signal.Stop(signals)
		return 1, fmt.Errorf("waiting for the second process: %w", err)
	}
	return s.end(state, os.Stderr), nil
}

// passSignals passes the first signal on to the worker, until it has ended. One that comes more
// than a while after it kills the worker, as it ends a process that has none.
func (s *supervisor) passSignals(signals <-chan os.Signal, ended <-chan struct{}, kill func()) {
	var first time.Time
	for {
		select {
		case got := <-signals:
			switch number, ok := got.(syscall.Signal); {
			case ok && first.IsZero():
				first = time.Now()
				_, _ = s.signals.Write([]byte{byte(number)}) // a worker that has ended needs none
			case time.Since(first) >= signalsTogether:
				kill()
			}
		case <-ended:
			return
		}
	}
}

// start starts the worker.
func (s *supervisor) start() error {
	var mine, its []*os.File
	defer func() {
		for _, f := range its {
			_ = f.Close() // the worker has its own
		}
	}()
	pipe := func(workerReads bool) (my, workers *os.File, err error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		my, workers = r, w
		if workerReads {
			my, workers = w, r
		}
		mine, its = append(mine, my), append(its, workers)
		return my, workers, nil
	}
	giveUp := func(err error) error {
		for _, f := range mine {
			_ = f.Close()
		}
		return err
	}
	var names, errs, signals *os.File
	var err error
	if s.names, names, err = pipe(false); err != nil {
		return giveUp(err)
	}
	if s.errors, errs, err = pipe(false); err != nil {
		return giveUp(err)
	}
	if s.signals, signals, err = pipe(true); err != nil {
		return giveUp(err)
	}
	stderr, err := unix.Dup(unix.Stderr)
	if err != nil {
		return giveUp(err)
	}
	its = append(its, os.NewFile(uintptr(stderr), "stderr"))
	numbers := []string{strconv.Itoa(stderr)}
	for _, f := range []*os.File{names, signals} {
		// The worker gets it by the number that it has here, which no file that was there before
		// can have: a shell may have opened those for names such as /dev/fd/3.
		fd := f.Fd()
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return giveUp(err)
		}
		numbers = append(numbers, strconv.Itoa(int(fd)))
	}
	program, err := os.Executable()
	if err != nil {
		return giveUp(err)
	}
	s.process, err = os.StartProcess(program, os.Args, &os.ProcAttr{
		Env:   append(os.Environ(), workerVariable+"="+strings.Join(numbers, ",")),
		Files: []*os.File{os.Stdin, os.Stdout, errs},
	})
	if err != nil {
		return giveUp(err)
	}
	return nil
}

// outOfMemory is what the runtime of Go writes, among other lines, where the system refuses memory
// or a thread.
var outOfMemory = regexp.MustCompile(`(?m)^(fatal error|runtime|runtime/cgo|panic): .*(out of memory|cannot allocate|` +
	`failed to (reserve|allocate|map|create new OS thread)|pthread_create failed|newosproc|errno=1[12])`)

// end removes what a worker left, says what ended it if it could not do so, and returns the exit
// code.
func (s *supervisor) end(state *os.ProcessState, stderr io.Writer) int {
	status, ok := state.Sys().(syscall.WaitStatus)
	killed := ok && status.Signaled()
	if state.Success() {
		return 0
	}
	for _, name := range s.made {
		_ = os.Remove(name) // most are not there any more
	}
	switch {
	case outOfMemory.Match(s.trace):
		return fail(context.Background(), stderr, fmt.Errorf("out of memory: %v is too low for this call; fewer --threads take less", s.limit))
	case killed && len(s.trace) == 0:
		return fail(context.Background(), stderr, signalError{status.Signal()})
	}
	_, _ = stderr.Write(s.trace) // a fault of the program, shown unchanged
	if killed {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// readNames returns the names that were announced.
func readNames(r io.Reader) []string {
	text, _ := io.ReadAll(r) // names before an error count
	var names []string
	for _, name := range bytes.Split(text, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names
}

// traceStart is how the runtime begins to write that it ends the process.
var traceStart = regexp.MustCompile(`^(fatal error|runtime|runtime/cgo|panic): `)

// passOn copies lines, and returns from the first one on that the runtime has written.
func passOn(w io.Writer, r io.Reader) (trace []byte) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadSlice('\n')
		if traceStart.Match(line) {
			trace = append(trace, line...)
			rest, _ := io.ReadAll(lines)
			return append(trace, rest...)
		}
		_, _ = w.Write(line) // as it was written without this process between
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil
		}
	}
}
