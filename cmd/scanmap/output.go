package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"scanmap/internal/temporary"
)

// sink passes writes on and keeps the first error, with the name of the target.
type sink struct {
	name   string
	w      io.Writer
	mu     sync.Mutex
	failed *outputError
}

// A resultFile is what an output needs of an *os.File.
type resultFile interface {
	io.WriteCloser
	Chmod(mode fs.FileMode) error
}

// A fileLayer makes files of results and names them.
type fileLayer interface {
	// open is os.OpenFile with 0666. The file is nil after an error.
	open(name string, flag int) (resultFile, error)
	// rename is os.Rename.
	rename(from, to string) error
	// temporary is temporary.In.
	temporary(folder string) temporary.Files
}

// systemFiles are the files of the system.
type systemFiles struct{}

func (systemFiles) open(name string, flag int) (resultFile, error) {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err // not a nil *os.File, which is no nil interface
	}
	return f, nil
}

func (systemFiles) rename(from, to string) error { return os.Rename(from, to) }

func (systemFiles) temporary(folder string) temporary.Files { return temporary.In(folder) }

// layerKey is the key of a context's fileLayer, which tests set.
type layerKey struct{}

// layerOf returns the files of a context: the system's, unless it has others.
func layerOf(ctx context.Context) fileLayer {
	if l, ok := ctx.Value(layerKey{}).(fileLayer); ok {
		return l
	}
	return systemFiles{}
}

// outputError is an error of writing.
type outputError struct {
	name string
	err  error
}

// leftovers is how many results have temporary names, which somebody still has to remove.
var leftovers atomic.Int32

func (e *outputError) Error() string { return e.name + ": " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return n, s.fail(err)
	}
	return n, nil
}

// fail keeps and returns an error.
func (s *sink) fail(err error) error {
	e := &outputError{s.name, cause(err)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = e
	}
	return e
}

func (s *sink) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		return nil
	}
	return s.failed
}

// output is where results go. A regular file is written under a temporary name beside
// its target and appears under its own name when publish is called. Devices and FIFOs
// are written to as they are, and so is standard output.
type output struct {
	*sink
	file      resultFile // nil for standard output
	layer     fileLayer
	target    string // the file that publish makes
	published bool
	temporary string // its name until then; empty when there is none to rename
}

// openOutput opens a result file by its name. Opening a FIFO waits for a reader, until ctx
// is cancelled.
func openOutput(ctx context.Context, name string, stdout *sink) (*output, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err // so that nothing is made that nobody waits to remove
	}
	if isStandardOutput(name) {
		if stdout != nil && stdout.w == io.Writer(os.Stdout) && wasClosed(unix.Stdout) {
			return nil, stdout.fail(errClosed) // before the work, not after it
		}
		return &output{sink: stdout}, nil
	}
	o := &output{sink: &sink{name: name}, target: name, layer: layerOf(ctx)}
	var err error
	info, statErr := os.Stat(name)
	switch {
	case isStream(name, unix.Stderr) && wasClosed(unix.Stderr):
		err = errClosed
	case openFiles.MatchString(name):
		err = o.openDirect(ctx, name, os.O_APPEND)
	case statErr != nil && !errors.Is(statErr, fs.ErrNotExist):
		err = statErr // such as a name that is too long, which the temporary one need not be
	case statErr == nil && info.IsDir():
		err = errors.New("is a directory")
	case statErr == nil && !info.Mode().IsRegular():
		err = o.openDirect(ctx, name, 0)
	default:
		err = o.createTemporary(ctx, info)
	}
	if err != nil {
		return nil, o.fail(err)
	}
	o.w = o.file
	return o, nil
}

// openDirect opens a file that exists.
func (o *output) openDirect(ctx context.Context, name string, flag int) error {
	type result struct {
		file resultFile
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		file, err := o.layer.open(name, os.O_WRONLY|flag)
		opened <- result{file, err}
	}()
	select {
	case r := <-opened:
		o.file = r.file
		return r.err
	case <-ctx.Done():
		go func() {
			if r := <-opened; r.err == nil {
				_ = r.file.Close() // nothing was written
			}
		}()
		return context.Cause(ctx)
	}
}

// createTemporary creates the file beside its target. Symbolic links are followed, also to a file
// that does not exist yet, and the permissions of a target that exists (info is not nil) are kept.
func (o *output) createTemporary(ctx context.Context, info fs.FileInfo) error {
	target, err := place(o.target)
	if err != nil {
		return err
	}
	o.target = target
	folder, base := filepath.Split(o.target)
	base = strings.ToValidUTF8(base[:min(len(base), 200)], "") // file names end at 255 bytes
	const attempts = 100
	for range attempts {
		name := filepath.Join(folder, fmt.Sprintf("%s.%08x.tmp", base, rand.Uint32()))
		if err = announce(ctx, name); err != nil {
			return err
		}
		o.file, err = o.layer.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		o.temporary = name
		leftovers.Add(1)
		if info != nil {
			if err := o.file.Chmod(info.Mode().Perm()); err != nil {
				o.discard()
				return err
			}
		}
		return nil
	}
	return err
}

// finish closes the file after the last write. It does not wait for the disk, which would cost more
// than mapping a small file: after a crash of the machine the file may be incomplete, as with any
// other tool of a pipeline.
func (o *output) finish() error {
	if o.file == nil {
		return nil
	}
	err := o.file.Close()
	o.file = nil
	if err != nil {
		return o.fail(err)
	}
	return nil
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// publish gives a finished file its name.
func (o *output) publish() error {
	if o.temporary == "" {
		return nil
	}
	if err := o.layer.rename(o.temporary, o.target); err != nil {
		return o.fail(err)
	}
	o.temporary, o.published = "", true
	leftovers.Add(-1)
	return nil
}

// withdraw removes a published output.
func (o *output) withdraw() {
	if o.published {
		_ = os.Remove(o.target) // there is nothing more to do about a file that stays
		o.published = false
	}
}

// discard removes an output that has not been published. It may be called at any time.
func (o *output) discard() {
	if o.file != nil {
		_ = o.file.Close() // its bytes do not matter any more
		o.file = nil
	}
	if o.temporary != "" {
		_ = os.Remove(o.temporary) // there is nothing more to do about a file that stays
		o.temporary = ""
		leftovers.Add(-1)
	}
}

// announceKey is the key of a context's func(name string) error.
type announceKey struct{}

// announce tells the supervisor, if there is one, the name of a temporary file that is about to be
// made.
func announce(ctx context.Context, name string) error {
	if f, ok := ctx.Value(announceKey{}).(func(string) error); ok {
		return f(name)
	}
	return nil
}
