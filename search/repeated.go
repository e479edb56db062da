package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"scanmap/dna"
	"scanmap/gpu/device"
)

// Repeated searches for the same patterns in one text after another, such as batches of reads, on
// the CPU or on GPUs. Tables and masks, which Run makes of the patterns, are made once, and GPUs
// are opened once. One goroutine may use it; others, beside it, one of Beside each.
type Repeated struct {
	s searcher
	// text is what finders refer to. Each text that is searched is put in its place.
	text    Text
	ref     dna.Reference
	planned bool
}

// NewRepeated prepares searches for patterns of DNA: on GPUs if Options.Device says CUDA, otherwise
// on the CPU. Announce is not called. GPUs take texts of NewDNA of a reference with names alone.
func NewRepeated(patterns []Pattern, o Options) (*Repeated, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.bounds = o.bounds.orDefault(0)
	if err := o.limit(); err != nil {
		return nil, err
	}
	o.Announce = nil
	if o.Device.Kind != device.CUDA {
		o.Device = device.Choice{Kind: device.CPU}
	}
	if o.Distance < 0 || o.Distance > MaxDistance {
		return nil, fmt.Errorf("a distance of %d is not from 0 to %d", o.Distance, MaxDistance)
	}
	r := &Repeated{s: searcher{patterns: patterns, options: o}}
	r.text = Text{alphabet: DNA, ref: &r.ref, iupac: o.ReferenceIUPAC}
	r.s.text = &r.text
	if len(patterns) <= o.bounds.patterns {
		r.s.kept = &kept{threads: o.Threads, finders: map[needleRange]keptFinder{}, runs: map[needleRange]keptRuns{}}
	}
	return r, nil
}

// Beside returns a Repeated for another goroutine. It searches with a number of threads, and shares
// tables and GPUs with r. On GPUs both search by turns. Prepare has to be called first, and Close
// for r alone, when all others are done.
func (r *Repeated) Beside(threads int) *Repeated {
	b := &Repeated{s: r.s, planned: true}
	b.text = Text{alphabet: DNA, ref: &b.ref, iupac: r.text.iupac, expected: r.text.expected}
	b.s.text, b.s.found = &b.text, make([]bool, len(r.s.patterns))
	b.s.needles, b.s.locators, b.s.best = slices.Clone(r.s.needles), nil, bestFirst{}
	b.s.options.Threads = threads
	return b
}

// Expecting returns a text as if it had that many letters, or its own if they are more, for Settle:
// others follow it.
func (t *Text) Expecting(letters int) *Text {
	with := *t
	with.expected = letters
	return &with
}

// Settle returns options whose device is no longer auto but the device on which Run would search a
// text for these patterns, and tells whether it is the CPU, where a Repeated can replace Run. Its
// errors are as Run's.
func Settle(ctx context.Context, text *Text, patterns []Pattern, o Options) (settled Options, onCPU bool, err error) {
	if o.Device.Kind == device.Auto {
		s, err := plannedSearcher(ctx, text, patterns, o, nil)
		if err != nil {
			return Options{}, false, err
		}
		o.Device = s.options.Device
	}
	return o, o.Device.Kind != device.CUDA, nil
}

// Expect says about how many letters all texts have together, if many more than the first. Searches
// may become faster, because more work on the patterns pays; nothing else changes. It has to be
// called before the first Run.
func (r *Repeated) Expect(letters int) { r.text.expected = letters }

// Run is as the function Run for a text of DNA, which is not used after it. Schemes that are chosen
// by their speed are those for the first text.
func (r *Repeated) Run(ctx context.Context, text *Text, emit func([]Location) error) (*Stats, error) {
	if text.alphabet != DNA {
		return nil, errors.New("the text is not DNA")
	}
	if err := r.Prepare(text); err != nil {
		return nil, err
	}
	s := &r.s
	s.ctx, s.emit = ctx, emit
	clear(s.found)
	if len(s.gpus) > 0 {
		s.chunk = s.gpuChunk()
	}
	if err := s.all(); err != nil {
		return nil, err
	}
	stats := s.stats
	return &stats, nil
}

// Prepare chooses schemes and opens GPUs, unless that is done. The text is the first to be
// searched, or one that all are parts of.
func (r *Repeated) Prepare(text *Text) error {
	r.ref = *text.ref
	r.text.contigs = text.contigs
	s := &r.s
	schemes, on := s.stats.Schemes, s.stats.Device
	s.stats = Stats{Device: on, Schemes: schemes, Patterns: len(s.patterns), TextLetters: int64(text.TotalLength())}
	if r.planned {
		return nil
	}
	if err := r.plan(); err != nil {
		return err
	}
	if s.kept != nil {
		s.makeNeedles(0, len(s.patterns))
	}
	return s.open()
}

// Close gives GPUs back, if there are any. Run may not be called after it.
func (r *Repeated) Close() error { return r.s.close() }

// plan chooses schemes for the texts that are expected.
func (r *Repeated) plan() error {
	letters := r.s.stats.TextLetters
	r.s.stats.TextLetters = max(letters, int64(r.text.expected))
	err := r.s.plan()
	r.s.stats.TextLetters = letters
	r.planned = err == nil
	return err
}
