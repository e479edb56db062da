package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"scanmap/dna"
	"scanmap/gpu/device"
)

// Repeated searches for the same patterns in one text after another, such as batches of reads, on
// the CPU. Tables and masks, which Run makes of the patterns, are made once. One goroutine may use
// it.
type Repeated struct {
	s searcher
	// text is what finders refer to. Each text that is searched is put in its place.
	text    Text
	ref     dna.Reference
	planned bool
}

// NewRepeated prepares searches for patterns of DNA. Options.Device is not looked at, and Announce
// is not called.
func NewRepeated(patterns []Pattern, o Options) (*Repeated, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.bounds = o.bounds.orDefault(0)
	if err := o.limit(); err != nil {
		return nil, err
	}
	o.Device, o.Announce = device.Choice{Kind: device.CPU}, nil
	if o.Distance < 0 || o.Distance > MaxDistance {
		return nil, fmt.Errorf("a distance of %d is not from 0 to %d", o.Distance, MaxDistance)
	}
	r := &Repeated{s: searcher{patterns: patterns, options: o}}
	r.text = Text{alphabet: DNA, ref: &r.ref, iupac: o.ReferenceIUPAC}
	r.s.text = &r.text
	if len(patterns) <= o.bounds.patterns {
		r.s.kept = map[needleRange]keptFinder{}
	}
	return r, nil
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
	r.ref = *text.ref
	r.text.contigs = text.contigs
	s := &r.s
	s.ctx, s.emit = ctx, emit
	schemes := s.stats.Schemes
	s.stats = Stats{Device: string(device.CPU), Schemes: schemes, Patterns: len(s.patterns), TextLetters: int64(text.TotalLength())}
	if r.planned {
		clear(s.found)
	} else if err := r.plan(); err != nil {
		return nil, err
	}
	if err := s.all(); err != nil {
		return nil, err
	}
	stats := s.stats
	return &stats, nil
}

// plan chooses schemes for the texts that are expected.
func (r *Repeated) plan() error {
	letters := r.s.stats.TextLetters
	r.s.stats.TextLetters = max(letters, int64(r.text.expected))
	err := r.s.plan()
	r.s.stats.TextLetters = letters
	r.planned = err == nil
	return err
}
