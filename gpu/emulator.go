package gpu

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// EmulatorOptions say what devices an emulator has.
type EmulatorOptions struct {
	Devices int   // 1 if it is 0
	Memory  int64 // of each, in bytes; 1 GiB if it is 0
}

// NewEmulator starts a program made of kernels for the host and of kernels/emulator, and returns a
// driver whose devices are that program. It is for tests: what runs on libcuda runs on it
// unchanged.
//
// Work in a stream is delayed until something waits for it, so that a result read too early is not
// there yet. Memory is full of rubbish at first. A thread without a current context is refused, as
// libcuda does. Whatever a kernel does wrong as far as the program notices (see
// kernels/emulator/runtime.cpp) makes the call that waits for it fail, with IllegalAddress if
// AddressSanitizer or the processor complained, otherwise with LaunchFailed; the error has the
// complaint as its detail.
func NewEmulator(program string, o EmulatorOptions) (*Driver, error) {
	if o.Devices == 0 {
		o.Devices = 1
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	e := &emulator{options: o, next: 1, current: map[int]int32{}, memory: map[uint64]emulatedMemory{}, host: map[unsafe.Pointer][]byte{},
		modules: map[uintptr]bool{}, functions: map[uintptr]string{}, streams: map[uintptr]*emulatedStream{}, events: map[uintptr]*emulatedEvent{}}
	if err := e.start(program); err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	return newDriver(e.calls(), e.close)
}

// emulator is the Go side: contexts, streams and events. The program has memory and kernels.
type emulator struct {
	options EmulatorOptions
	program *exec.Cmd
	pipes   []io.Closer // to its standard input, and from its standard output
	to      *bufio.Writer
	from    *bufio.Reader
	report  bytes.Buffer  // what the program wrote to standard error
	ended   chan struct{} // closed when the report is complete

	mu        sync.Mutex // guards what follows; it is held while the program works
	next      uintptr    // handle
	current   map[int]int32
	memory    map[uint64]emulatedMemory
	host      map[unsafe.Pointer][]byte
	modules   map[uintptr]bool
	functions map[uintptr]string
	streams   map[uintptr]*emulatedStream
	events    map[uintptr]*emulatedEvent
	owed      [][]byte // what takes the bytes read, for each request that nothing waited for yet
	owedBytes int      // of the answers to them
	failed    Result   // what every call returns once the program has ended
}

type emulatedMemory struct {
	bytes  uint64
	device int32
}

// emulatedStream is work to be done in order. Item i is number done + i.
type emulatedStream struct {
	device int32
	done   int
	work   []func() Result
}

// emulatedEvent is a place in a stream.
type emulatedEvent struct {
	stream *emulatedStream // nil if it was never recorded
	number int             // of the work that records it
	time   time.Time       // zero until it happened
}

// The requests that kernels/emulator/runtime.cpp understands.
const (
	requestAllocate = iota + 1
	requestFree
	requestWrite
	requestRead
	requestCopy
	requestFill
	requestLaunch
	requestFind
)

// request is the header of one.
type request struct {
	Operation, NameBytes uint32
	To, From, Bytes      uint64
	Grid, Block          uint32
}

// start starts the program.
func (e *emulator) start(program string) error {
	e.program = exec.Command(program)
	// The first complaint counts.
	e.program.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1",
		"UBSAN_OPTIONS=print_stacktrace=0", "TSAN_OPTIONS=halt_on_error=1:report_signal_unsafe=0:exitcode=66")
	complaints, err := e.program.StderrPipe()
	if err != nil {
		return err
	}
	itsIn, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, itsOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, itsIn.Close(), to.Close())
	}
	e.program.Stdin, e.program.Stdout = itsIn, itsOut
	err = e.program.Start()
	if err := errors.Join(err, itsIn.Close(), itsOut.Close()); err != nil {
		return errors.Join(err, to.Close(), from.Close())
	}
	// Fd has reads and writes block their thread. A caller is locked to its thread, and parking it
	// would cost two changes of thread for each answer.
	_, _ = to.Fd(), from.Fd()
	e.pipes, e.to, e.from, e.ended = []io.Closer{to, from}, bufio.NewWriterSize(to, 1<<16), bufio.NewReaderSize(from, 1<<16), make(chan struct{})
	go func() {
		defer close(e.ended)
		// Output that cannot be read any more would only have made the report longer.
		_, _ = io.Copy(&e.report, complaints)
	}()
	return nil
}

// close ends the program.
func (e *emulator) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := errors.Join(e.to.Flush(), e.pipes[0].Close())
	<-e.ended
	waited := errors.Join(e.program.Wait(), e.pipes[1].Close())
	if e.failed != Success {
		return nil // that is known already
	}
	return errors.Join(err, waited)
}

// mostOwed is how many bytes of answers may wait in the pipe, which holds more.
const mostOwed = 16 << 10

// send sends a request with what follows it, and leaves its answer to settle, since whatever waits
// for an answer wakes two processes. into takes the bytes that are read. e.mu is held.
func (e *emulator) send(r request, name string, payload, into []byte) Result {
	if e.owedBytes > mostOwed { // neither side may wait for the other to read
		if r := e.settle(); r != Success {
			return r
		}
	}
	if e.failed != Success {
		return e.failed
	}
	r.NameBytes = uint32(len(name))
	header, err := binary.Append(nil, binary.LittleEndian, r)
	if err != nil {
		return Unknown
	}
	for _, part := range [][]byte{append(header, name...), payload} {
		if _, err := e.to.Write(part); err != nil {
			return e.fail()
		}
	}
	e.owed, e.owedBytes = append(e.owed, into), e.owedBytes+8+len(into)
	return Success
}

// settle waits for the answers that the emulator owes, and returns the first that is no success.
func (e *emulator) settle() Result {
	first := Success
	for len(e.owed) > 0 {
		answer, r := e.answer()
		if r != Success {
			return r
		}
		if first == Success {
			first = map[uint64]Result{0: Success, 1: NotFound, 2: InvalidValue, 3: 701}[answer]
		}
	}
	return first
}

// answer waits for the next one.
func (e *emulator) answer() (uint64, Result) {
	if e.failed != Success {
		return 0, e.failed
	}
	into := e.owed[0]
	e.owed, e.owedBytes = e.owed[1:], e.owedBytes-8-len(into)
	var answer [8]byte
	if e.to.Flush() != nil {
		return 0, e.fail()
	}
	for _, part := range [][]byte{answer[:], into} {
		if _, err := io.ReadFull(e.from, part); err != nil {
			return 0, e.fail()
		}
	}
	return binary.LittleEndian.Uint64(answer[:]), Success
}

// ask sends a request and waits for its answer.
func (e *emulator) ask(r request, name string) (uint64, Result) {
	if r := e.settle(); r != Success {
		return 0, r
	}
	if r := e.send(r, name, nil, nil); r != Success {
		return 0, r
	}
	return e.answer()
}

// fail finds out how the program ended.
func (e *emulator) fail() Result {
	<-e.ended
	e.failed = LaunchFailed
	text := e.report.String()
	if strings.Contains(text, "AddressSanitizer") || strings.Contains(text, "refused an access") {
		e.failed = IllegalAddress
	}
	return e.failed
}

// detail is the complaint with which the program ended.
func (e *emulator) detail(string, Result) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == Success {
		return ""
	}
	return complaint(e.report.String())
}

// complaint picks the lines of a sanitizer's report, or of the runtime's, that say what and where
// it was.
func complaint(report string) string {
	var what, kernel, frame string
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		if _, address, ok := strings.Cut(line, "ERROR: AddressSanitizer: "); ok && what == "" {
			address, _, _ = strings.Cut(address, " (pc ")
			address, _, _ = strings.Cut(address, " at pc ")
			what = "AddressSanitizer: " + address
		}
		if race, ok := strings.CutPrefix(line, "WARNING: ThreadSanitizer: "); ok && what == "" {
			race, _, _ = strings.Cut(race, " (pid")
			what = "ThreadSanitizer: " + race
		}
		if place, message, ok := strings.Cut(line, ": runtime error: "); ok && what == "" {
			what = filepath.Base(place) + ": " + message
		}
		if ours, ok := strings.CutPrefix(line, "scanmap emulator: "); ok {
			if strings.HasPrefix(ours, "in kernel ") {
				kernel = ours
			} else if what == "" {
				what = ours
			}
		}
		if strings.HasPrefix(line, "#") && strings.Contains(line, ".cu") && frame == "" {
			place := strings.Fields(line)
			frame = "at " + filepath.Base(place[len(place)-1])
			if strings.HasPrefix(place[len(place)-1], "(") { // the module, after the place
				frame = "at " + filepath.Base(place[len(place)-2])
			}
		}
	}
	parts := slices.DeleteFunc([]string{what, kernel, frame}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "the emulator ended without a word"
	}
	return strings.Join(parts, ", ")
}

// handle makes one.
func (e *emulator) handle() uintptr {
	e.next++
	return e.next
}

// device is the device whose context is current in this thread.
func (e *emulator) device() (int32, Result) {
	device, ok := e.current[threadID()]
	if !ok {
		return 0, 201 // invalid device context
	}
	return device, e.failed
}

// within tells whether a stretch lies in memory of a device.
func (e *emulator) within(pointer, bytes uint64) bool {
	for start, m := range e.memory {
		if pointer >= start && pointer-start <= m.bytes && bytes <= m.bytes-(pointer-start) {
			return true
		}
	}
	return false
}

// put puts work into a stream.
func (e *emulator) put(stream uintptr, work func() Result) Result {
	s := e.streams[stream]
	switch {
	case e.failed != Success:
		return e.failed
	case s == nil:
		return 400
	}
	s.work = append(s.work, work)
	return Success
}

// until does the work of a stream before the item of a number.
func (e *emulator) until(s *emulatedStream, number int) Result {
	for s.done < number && len(s.work) > 0 {
		work := s.work[0]
		s.work = s.work[1:]
		s.done++
		if r := work(); r != Success {
			return r
		}
	}
	return e.failed
}

// finish does the work of a stream, and waits for it.
func (e *emulator) finish(s *emulatedStream) Result {
	return cmp.Or(e.until(s, s.done+len(s.work)), e.settle())
}

// finishAll does the work of all streams, as calls do that wait for a device.
func (e *emulator) finishAll() Result {
	for _, s := range e.streams {
		if r := e.finish(s); r != Success {
			return r
		}
	}
	return e.failed
}

// locked has the calls of several threads follow each other.
func (e *emulator) locked(f func() Result) Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	return f()
}

// launch runs a kernel.
func (e *emulator) launch(name string, grid, block uint32, parameters []byte) Result {
	return e.send(request{Operation: requestLaunch, Bytes: uint64(len(parameters)), Grid: grid, Block: block}, name, parameters, nil)
}
