package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"scanmap/mapper"
	"scanmap/report"
)

// lineInterval is the least time between two lines of progress where standard error is
// not a terminal.
const lineInterval = 10 * time.Second

// progress shows how far a run has come: a line that moves on a terminal, and
// single lines elsewhere.
type progress struct {
	stderr io.Writer
	start  time.Time
	bars   *mpb.Progress // nil where standard error is not a terminal
	bar    *mpb.Bar

	mu      sync.Mutex
	now     func(elapsed time.Duration) string // what is to be shown
	printed time.Time                          // when the last line was written
}

func startProgress(stderr io.Writer, terminal bool) *progress {
	p := &progress{stderr: stderr, start: time.Now(), now: func(elapsed time.Duration) string {
		return report.Progress(mapper.Progress{}, elapsed)
	}}
	if terminal {
		p.bars = mpb.New(mpb.WithOutput(stderr), mpb.WithAutoRefresh())
		p.bar = p.bars.New(0, mpb.SpinnerStyle().PositionLeft(), mpb.BarWidth(1),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.text() })))
	}
	return p
}

func (p *progress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now(time.Since(p.start))
}

// update is called after each batch of a run of the mapper.
func (p *progress) update(now mapper.Progress) {
	p.show(func(elapsed time.Duration) string { return report.Progress(now, elapsed) })
}

// show has something else shown from now on.
func (p *progress) show(now func(elapsed time.Duration) string) {
	p.mu.Lock()
	p.now = now
	due := p.bars == nil && time.Since(p.printed) >= lineInterval
	if due {
		p.printed = time.Now()
	}
	p.mu.Unlock()
	if due {
		// Progress that cannot be shown is no reason to stop.
		_, _ = fmt.Fprintf(p.stderr, "scanmap: %s\n", p.text())
	}
}

// stop takes the moving line off the terminal.
func (p *progress) stop() {
	if p.bars != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}
