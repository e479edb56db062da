package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/mapper"
	"scanmap/report"
)

// Where standard error is not a terminal, a line is written after firstLine, and then one every
// lineInterval.
const (
	firstLine    = time.Second
	lineInterval = 10 * time.Second
)

// progress shows how far a run has come: a line that moves on a terminal, and single lines
// elsewhere. Until it is told what to show, that is the file that is read.
type progress struct {
	stderr  io.Writer
	start   time.Time
	bars    *mpb.Progress // nil where standard error is not a terminal
	bar     *mpb.Bar
	stopped chan struct{}
	once    sync.Once // for stop
	lines   sync.WaitGroup

	mu    sync.Mutex
	now   func(elapsed time.Duration) string // the text to show, nil for files
	files []*inputFile                       // in the order in which they were opened
}

// inputFile is a file that is read.
type inputFile struct {
	path   string
	size   int64 // 0 if it is not known
	opened time.Time
	read   atomic.Int64
}

// share is the share of the file that was read.
func (f *inputFile) share() float64 {
	if f.size <= 0 {
		return 0
	}
	return min(1, float64(f.read.Load())/float64(f.size))
}

// text says which share of the file was read.
func (f *inputFile) text() string {
	if f.size <= 0 {
		return "reading " + shownInput(f.path)
	}
	return report.Share("reading "+shownInput(f.path), f.share(), time.Since(f.opened))
}

// showProgress shows progress of a command until stop is called, if that is wanted: on a terminal
// unless quiet, and elsewhere if asked for. The context that it returns has it know which files are
// read. p is nil, which has all methods, where nothing is shown.
func showProgress(ctx context.Context, stderr io.Writer, asked, quiet bool) (p *progress, watched context.Context) {
	terminal := isTerminal(stderr)
	if !asked && (!terminal || quiet) {
		return nil, ctx
	}
	p = startProgress(stderr, terminal)
	return p, fasta.WithMeter(ctx, p.meter)
}

func startProgress(stderr io.Writer, terminal bool) *progress {
	p := &progress{stderr: stderr, start: time.Now(), stopped: make(chan struct{})}
	if terminal {
		p.bars = mpb.New(mpb.WithOutput(stderr), mpb.WithAutoRefresh())
		p.bar = p.bars.New(0, mpb.SpinnerStyle().PositionLeft(), mpb.BarWidth(1),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.text() })))
		return p
	}
	p.lines.Go(func() {
		for wait := firstLine; ; wait = lineInterval {
			select {
			case <-p.stopped:
				if wait == firstLine { // of a short run
					p.line()
				}
				return
			case <-time.After(wait):
				p.line()
			}
		}
	})
	return p
}

// line writes a line. Progress that cannot be shown is no reason to stop.
func (p *progress) line() { _, _ = fmt.Fprintf(p.stderr, "scanmap: %s\n", p.text()) }

func (p *progress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return p.reading()
	}
	return p.now(time.Since(p.start))
}

// reading says how much was read of the file that was opened last among the files at work, or that
// all were read.
func (p *progress) reading() string {
	for i := len(p.files) - 1; i >= 0; i-- {
		if f := p.files[i]; f.size > 0 && f.share() < 1 || f.size == 0 && len(p.files) == 1 {
			return f.text()
		}
	}
	return fmt.Sprintf("at work for %d s", int(time.Since(p.start).Seconds()))
}

// file is the file of a path that was opened last, nil for none.
func (p *progress) file(path string) *inputFile {
	for i := len(p.files) - 1; i >= 0; i-- {
		if p.files[i].path == path {
			return p.files[i]
		}
	}
	return nil
}

// meter is told of files that are opened.
func (p *progress) meter(path string, size int64) func(n int) {
	f := &inputFile{path: path, size: size, opened: time.Now()}
	p.mu.Lock()
	p.files = append(p.files, f)
	p.mu.Unlock()
	return func(n int) { f.read.Add(int64(n)) }
}

// show has something else shown from now on.
func (p *progress) show(now func(elapsed time.Duration) string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = now
}

// mapping shows a run of the mapper on the reads of some files.
func (p *progress) mapping(w *mapper.Watch, reference string, libraries []mapper.Library) {
	p.show(func(elapsed time.Duration) string {
		now := w.Now()
		now.Expected = p.expected(now.Parsed, libraries)
		reading := "beginning"
		if f := p.file(reference); f != nil {
			reading = f.text()
		}
		return report.Progress(now, elapsed, reading)
	})
}

// expected is how many reads some files have, by the reads of the part that was read, 0 if that is
// not known.
func (p *progress) expected(parsed int64, libraries []mapper.Library) int64 {
	var read, size int64
	for i := range libraries {
		l := &libraries[i]
		if l.Skip > 0 || l.Take > 0 {
			return 0
		}
		for _, path := range []string{l.Reads, l.Mates} {
			if path == "" {
				continue
			}
			if f := p.file(path); f != nil && f.size > 0 {
				read, size = read+f.read.Load(), size+f.size
				continue
			}
			info := stat(path) // of a file that is opened later
			if path == "-" || info == nil || !info.Mode().IsRegular() {
				return 0
			}
			size += info.Size()
		}
	}
	if read == 0 || parsed == 0 {
		return 0
	}
	return int64(float64(parsed) * float64(size) / float64(min(read, size)))
}

// searching returns a share, in which a search tells how much is done. It shows the share, and
// files until the search begins.
func (p *progress) searching() *measure.Share {
	if p == nil {
		return nil
	}
	share := &measure.Share{}
	var began time.Time
	last := 0.0
	p.show(func(elapsed time.Duration) string {
		now := share.Of()
		if now < last || began.IsZero() {
			began = time.Now() // of another search
		}
		if last = now; now == 0 {
			return p.reading()
		}
		return report.Share("searching", now, time.Since(began))
	})
	return share
}

// stop takes the moving line off the terminal.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		close(p.stopped)
		if p.bars != nil {
			p.bar.Abort(true)
			p.bars.Wait()
		}
		p.lines.Wait()
	})
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}
