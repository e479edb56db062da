package fasta

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// source is an open input and the goroutines that read it.
type source struct {
	name    string // for messages
	file    File
	memory  io.Reader // the text of a source without a file; nil with a file
	stdin   bool
	content io.Reader // the bytes of the file
	head    *head     // the beginning that alone is read; nil for the whole file
	// compressed is set by text, if it is.
	compressed bool
	ctx        context.Context
	cancel     context.CancelFunc
	running    sync.WaitGroup
	once       sync.Once
	err        error // of closing
}

// openSource opens a path, or standard input for "-". The open itself can be cancelled, because
// opening a FIFO waits for a writer.
func openSource(ctx context.Context, path string) (*source, error) {
	s := &source{name: path, stdin: path == "-"}
	if s.stdin {
		s.name = "standard input"
	}
	file, err := OpenFile(ctx, path)
	if err != nil {
		return nil, fileError(s.name, err)
	}
	s.file = file
	if info, err := s.file.Stat(); err == nil && info.IsDir() {
		_ = s.close()
		return nil, &Error{File: s.name, Err: errors.New("is a directory")}
	}
	s.content = WholeFile(s.file)
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s, nil
}

// A File has the methods of *os.File that are used.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// openerKey is the key of a context's func(path string) (File, error).
type openerKey struct{}

// WithOpener returns a context for which files are opened by open: by their path, and - for
// standard input.
func WithOpener(ctx context.Context, open func(path string) (File, error)) context.Context {
	return context.WithValue(ctx, openerKey{}, open)
}

// meterKey is the key of a context's func(path string, size int64) func(n int).
type meterKey struct{}

// WithMeter returns a context for which meter is told of each file that is opened: its path and its
// size in bytes, 0 if it is no regular file. The function that meter returns is told how many bytes
// were read, each time some were. Goroutines may call both at the same time.
func WithMeter(ctx context.Context, meter func(path string, size int64) func(n int)) context.Context {
	return context.WithValue(ctx, meterKey{}, meter)
}

// metered tells the meter of a context, if there is one, how much is read of a file.
func metered(ctx context.Context, path string, file File) File {
	meter, ok := ctx.Value(meterKey{}).(func(path string, size int64) func(n int))
	if !ok {
		return file
	}
	size := int64(0)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return &meteredFile{file, meter(path, size)}
}

// meteredFile tells how much is read.
type meteredFile struct {
	File
	read func(n int)
}

func (m *meteredFile) Read(p []byte) (int, error) {
	n, err := m.File.Read(p)
	m.read(n)
	return n, err
}

// openSystem opens a file of the system. The file is nil after an error.
func openSystem(path string) (File, error) {
	if path == "-" {
		return os.Stdin, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // not a nil *os.File, which is no nil interface
	}
	return f, nil
}

// OpenFile opens a file to be read, "-" being standard input, which should stay open. It returns
// when ctx is cancelled, which matters for a FIFO without a writer.
func OpenFile(ctx context.Context, path string) (File, error) {
	open, ok := ctx.Value(openerKey{}).(func(path string) (File, error))
	if !ok {
		open = openSystem
	}
	type result struct {
		file File
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		file, err := open(path)
		opened <- result{file, err}
	}()
	select {
	case r := <-opened:
		if r.err != nil {
			return nil, r.err
		}
		return metered(ctx, path, r.file), nil
	case <-ctx.Done():
		go func() {
			if r := <-opened; r.err == nil && path != "-" {
				_ = r.file.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// run starts a goroutine that close waits for.
func (s *source) run(f func()) {
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		f()
	}()
}

// close stops the goroutines and closes the file. Standard input stays open, and a
// goroutine that waits for it is left to end with its next read.
func (s *source) close() error {
	s.once.Do(func() {
		if s.cancel != nil {
			s.cancel()
		}
		if s.stdin {
			return
		}
		if s.file == nil {
			s.running.Wait()
			return
		}
		if err := s.file.Close(); err != nil {
			s.err = fileError(s.name, err)
		}
		s.running.Wait()
	})
	return s.err
}

// mostSize is the largest size that is believed: a file may have holes.
const mostSize = 1 << 34

// size is the size of a regular file that is not compressed, and 0 of anything else.
func (s *source) size() int {
	if s.file == nil {
		return 0
	}
	info, err := s.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	var start [6]byte
	n, err := s.file.ReadAt(start[:], 0)
	if err != nil && err != io.EOF || compression(start[:n]) != "" {
		return 0
	}
	return int(min(info.Size(), mostSize))
}

// magic numbers of formats that are read only decompressed, or not at all.
var magics = []struct {
	start string
	name  string
}{
	{"\x1f\x8b", "gzip"},
	{"BZh", "bzip2"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"\xfd7zXZ\x00", "xz"},
	{"\x04\x22\x4d\x18", "lz4"},
	{"\x1f\x9d", "compress (.Z)"},
	{"PK\x03\x04", "zip"},
	{"7z\xbc\xaf", "7-zip"},
	{"LZIP", "lzip"},
	{"\x5d\x00\x00", "lzma"},
}

// compression names the format of compression that data starts with, "" if none.
func compression(data []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(data, []byte(m.start)) {
			return m.name
		}
	}
	return ""
}

// text returns the decompressed text, up to where a head ends. Inflating runs ahead in goroutines
// of its own, up to `threads` goroutines where the file is BGZF.
func (s *source) text(threads int) (io.Reader, error) {
	text, err := s.inflate(threads)
	if err == nil && s.head != nil {
		text = &headText{text, s.head}
	}
	return text, err
}

func (s *source) inflate(threads int) (io.Reader, error) {
	if s.memory != nil {
		return s.memory, nil
	}
	in := bufio.NewReaderSize(s.content, 65<<10) // the longest header of a member fits
	start, err := in.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	name := compression(start)
	s.compressed = name != ""
	switch name {
	case "":
		s.readAhead()
		return in, nil
	case "gzip":
		size, err := bgzfBlockSize(in)
		if err != nil {
			return nil, err
		}
		if size > 0 {
			s.readAhead()
			return newBGZF(s, in, threads), nil
		}
		return s.ahead(&gzipReader{in: in, s: s, threads: threads, sizes: usualSizes}), nil
	case "bzip2":
		return s.ahead(&namedErrors{"bzip2", bzip2.NewReader(in)}), nil
	case "zstd":
		// The window is what a frame asks for; 128 MiB is zstd's own limit for --long.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, err
		}
		return s.ahead(&namedErrors{"zstd", z.IOReadCloser()}), nil
	default:
		return nil, fmt.Errorf("is compressed with %s, which is not supported; use gzip, BGZF, bzip2 or zstd", name)
	}
}

// namedErrors adds the name of the format to the errors of a decompressor.
type namedErrors struct {
	format string
	r      io.Reader
}

func (n *namedErrors) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	return k, inflateError(n.format, err)
}

// inflateError describes the error of a decompressor; io.EOF stays io.EOF.
func inflateError(format string, err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data is truncated", format)
	case errors.Is(err, os.ErrClosed), errors.Is(err, errShorter), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the %s data is corrupt: the checksum is wrong", format)
	}
	return fmt.Errorf("the %s data is corrupt: %w", format, err)
}

// gzipReader reads all members of a gzip file and tells a truncated member and
// bytes after the last one from a broken one. If the last member is BGZF it must be bgzfEnd.
type gzipReader struct {
	in     *bufio.Reader
	z      *gzip.Reader
	inside bool // z is inside a member
	// A long member is read by this many threads, from its first block on.
	s       *source
	threads int
	sizes   memberSizes
	member  *memberReader
	beneath io.Reader // what in reads from behind a long member
	any     bool      // a member has been read
	bgzf    bool      // the last member is BGZF, and not bgzfEnd
	err     error
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for g.err == nil {
		if !g.inside {
			if g.err = g.nextMember(); g.err != nil {
				break
			}
		}
		n, err := g.read(p)
		if err == io.EOF {
			g.inside, g.any, err = false, true, nil
		}
		if err != nil {
			g.err = inflateError("gzip", err)
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// read reads from the member at hand.
func (g *gzipReader) read(p []byte) (int, error) {
	if g.member == nil {
		return g.z.Read(p)
	}
	n, err := g.member.Read(p)
	if err == io.EOF {
		g.beneath = g.member.rest()
		g.in, g.member = bufio.NewReaderSize(g.beneath, g.in.Size()), nil
	}
	return n, err
}

// nextMember starts the next member; io.EOF after the last.
func (g *gzipReader) nextMember() error {
	start, err := g.in.Peek(2)
	switch {
	case err == io.EOF && len(start) == 0 && g.bgzf:
		return errBGZFEnd
	case err == io.EOF && len(start) == 0:
		return io.EOF
	case err != nil && err != io.EOF:
		return err
	case g.any && compression(start) != "gzip":
		return errors.New("bytes that are not gzip follow the end of the gzip data")
	}
	size, err := bgzfBlockSize(g.in)
	if err != nil {
		return err
	}
	end, _ := g.in.Peek(len(bgzfEnd)) // an error comes again below
	g.bgzf = size > 0 && (size != len(bgzfEnd) || string(end) != bgzfEnd)
	if g.threads > 1 {
		g.in = bufio.NewReaderSize(g.in, g.sizes.least) // the same one, if it is large enough
	}
	if g.z == nil {
		g.z, err = gzip.NewReader(g.in)
	} else {
		err = g.z.Reset(g.in)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return inflateError("gzip", err)
	}
	g.z.Multistream(false)
	g.inside = true
	if g.threads > 1 {
		if _, err := g.in.Peek(g.sizes.least); err == nil {
			g.member = newMemberReader(g.s, &buffered{g.in, g.beneath}, g.threads, g.sizes)
		}
	}
	return nil
}

// aheadBlock and aheadBlocks bound the text that is inflated ahead: 2 MiB.
const (
	aheadBlock  = 256 << 10
	aheadBlocks = 8
)

// inflated is some text, or the error that ends it.
type inflated struct {
	text []byte
	err  error
}

// aheadReader reads the text that a goroutine has inflated.
type aheadReader struct {
	s    *source
	from <-chan inflated
	now  inflated
}

// ahead reads r in a goroutine of its own.
func (s *source) ahead(r io.Reader) io.Reader {
	blocks := make(chan inflated, aheadBlocks)
	s.run(func() {
		if c, ok := r.(io.Closer); ok {
			defer func() { _ = c.Close() }()
		}
		for {
			b := inflated{text: make([]byte, aheadBlock)}
			n, err := io.ReadFull(r, b.text)
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			b.text, b.err = b.text[:n], err
			select {
			case blocks <- b:
			case <-s.ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	return &aheadReader{s: s, from: blocks}
}

func (a *aheadReader) Read(p []byte) (int, error) {
	for len(a.now.text) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		select {
		case a.now = <-a.from:
		case <-a.s.ctx.Done():
			return 0, a.s.ctx.Err()
		}
	}
	n := copy(p, a.now.text)
	a.now.text = a.now.text[n:]
	return n, nil
}
