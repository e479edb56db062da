package mapper

import (
	"sync/atomic"
	"time"

	"scanmap/mapper/find"
)

// Progress is how far a run has come.
type Progress struct {
	// Reads is the number of reads whose records are made, and Mapped the number of mapped ones among
	// these.
	Reads, Mapped int64
	// Loaded tells that the reference is loaded; Mapping is for how long reads have been mapped
	// since then.
	Loaded  bool
	Mapping time.Duration
	// Parsed are the reads that were read from files, and Expected is how many there are in all, 0 if
	// that is not known; the mapper leaves it so.
	Parsed, Expected int64
	// Batch are the reads that the CPU is at work on, and Pass is how much of its passes over the
	// reference is done for them, from 0 to 1.
	Batch int64
	Pass  float64
}

// A Watch shows the progress of one run.
type Watch struct {
	halt                  *find.Halt
	began                 atomic.Pointer[time.Time]
	reads, mapped, parsed atomic.Int64
	batch                 atomic.Int64
}

// takeOver is how long it takes GPUs to begin with a batch of the CPU, and to give them back.
const takeOver = 200 * time.Millisecond

// NewWatch makes one.
func NewWatch() *Watch { return &Watch{halt: find.NewHalt(takeOver)} }

// Now is how far the run has come.
func (w *Watch) Now() Progress {
	p := Progress{Reads: w.reads.Load(), Mapped: w.mapped.Load(), Parsed: w.parsed.Load()}
	if began := w.began.Load(); began != nil {
		p.Loaded, p.Mapping = true, time.Since(*began)
		if p.Batch = w.batch.Load(); p.Batch > 0 {
			p.Pass = w.halt.Share()
		}
	}
	return p
}

// loaded tells that the reference is there.
func (w *Watch) loaded() {
	if w != nil {
		now := time.Now()
		w.began.Store(&now)
	}
}

// parse tells that more reads were read, by their number.
func (w *Watch) parse(reads int) {
	if w != nil {
		w.parsed.Add(int64(reads))
	}
}

// begin tells that a finder of the CPU begins with a number of reads.
func (w *Watch) begin(reads int) {
	if w != nil {
		w.batch.Store(int64(reads))
	}
}

// made tells how many reads have records.
func (w *Watch) made(reads, mapped int64) {
	if w != nil {
		w.reads.Store(reads)
		w.mapped.Store(mapped)
		w.batch.Store(0)
	}
}
