package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/internal/parallel"
)

// BenchOptions say what Bench measures.
type BenchOptions struct {
	// Method and Scheme are names, or All.
	Method, Scheme string
	Device         device.Choice // the CPU, or one GPU
	Alphabet       Alphabet
	// AlphabetSize is the number of byte values that a text of Bytes is made of; DNA has four
	// letters.
	AlphabetSize int
	// Letters is n, from MinBenchLetters to MaxBenchLetters.
	Letters int
	// PatternLengths and Distances are m and k; each m is measured with each k.
	PatternLengths, Distances []int
	Substitutions             bool
	// Patterns is the number of patterns that one run searches for; 0 is one.
	Patterns int
	// Threads is the number of goroutines on the CPU; 0 is one.
	Threads int
	// Repetitions is the number of measurements, after one that is not counted; results are their
	// medians.
	Repetitions int
}

// All is the name that stands for every method, or every scheme.
const All = "all"

// Limits of BenchOptions.
const (
	MinBenchLetters = 4 << 10
	MaxBenchLetters = 1 << 31
)

// Bench measures how fast schemes find the ends of patterns in a random text, without making
// locations. A case that its scheme refuses is left out; no case at all is an error. The text and
// the patterns, which are parts of the text, are the same for the same options. Rates count the
// text once for each pattern, as if they were searched for one after the other.
//
// On a GPU a run is everything that a scheme puts into the queue, timed by events: its kernels and
// the upload of the needle from pinned memory, all queued before the first begins unless the scheme
// waits in between; but not the upload of the text, the layout of the text that it reads, and the
// download of hits. The result also has the best that the same GPU does with memory of the same
// size. On the CPU a run is the search of the whole text in segments.
func Bench(ctx context.Context, o BenchOptions) (*measure.Result, error) {
	b, err := newBench(ctx, o)
	if err != nil {
		return nil, err
	}
	cases, err := b.cases()
	if err != nil {
		return nil, err
	}
	b.result.Letters = int64(b.options.Letters)
	if b.onGPU() {
		err = b.measureOnGPU(cases)
	} else {
		err = b.measureOnCPU(cases)
	}
	if err != nil {
		return nil, err
	}
	return &b.result, nil
}

// bench is a measurement of searches.
type bench struct {
	ctx     context.Context
	options BenchOptions
	text    *Text
	result  measure.Result
}

// A benchCase is a scheme and what it searches for.
type benchCase struct {
	scheme  *Scheme
	needles []*needle
}

func (b *bench) onGPU() bool { return b.options.Device.Kind == device.CUDA }

// newBench checks options, as far as the schemes do not matter, and makes the text.
func newBench(ctx context.Context, o BenchOptions) (*bench, error) {
	o.Patterns, o.Threads, o.Repetitions = max(o.Patterns, 1), max(o.Threads, 1), max(o.Repetitions, 1)
	if o.Letters < MinBenchLetters || o.Letters > MaxBenchLetters {
		return nil, fmt.Errorf("a text of %d letters is not from %d to %d", o.Letters, MinBenchLetters, MaxBenchLetters)
	}
	for _, m := range o.PatternLengths {
		if m < 1 || m > MaxLength {
			return nil, fmt.Errorf("a pattern of %d letters is not from 1 to %d", m, MaxLength)
		}
	}
	for _, k := range o.Distances {
		if k < 0 || k > MaxDistance {
			return nil, fmt.Errorf("a distance of %d is not from 0 to %d", k, MaxDistance)
		}
	}
	b := &bench{ctx: ctx, options: o}
	switch o.Alphabet {
	case DNA:
		b.options.AlphabetSize = 4
		ref, err := dna.Random(o.Letters, benchThreads)
		if err != nil {
			return nil, err
		}
		b.text = NewDNA(ref)
	case Bytes:
		if o.AlphabetSize < 1 || o.AlphabetSize > 256 {
			return nil, fmt.Errorf("an alphabet of %d letters is not from 1 to 256", o.AlphabetSize)
		}
		// NewBytes takes a letter less than MaxBenchLetters.
		b.text = &Text{
			alphabet: Bytes, bytes: randomBytes(o.Letters, o.AlphabetSize),
			contigs: []dna.Contig{{Name: "made", Length: o.Letters}},
		}
	default:
		return nil, fmt.Errorf("alphabet %q is neither dna nor bytes", o.Alphabet)
	}
	return b, nil
}

// benchThreads make the text.
const benchThreads = 16

// randomGrain is the number of letters made with one random generator, so that the text does not
// depend on threads.
const randomGrain = 1 << 20

// randomBytes draws n letters evenly from size byte values, from A on.
func randomBytes(n, size int) []byte {
	letters := make([]byte, n)
	parallel.Ranges(benchThreads, n, randomGrain, func(_, from, to int) {
		r := rand.New(rand.NewPCG(uint64(from), 5))
		bits := uint64(0)
		part := letters[from:to]
		for i := range part {
			if i%4 == 0 {
				bits = r.Uint64()
			}
			part[i] = 'A' + byte(uint32(bits&0xffff)*uint32(size)>>16)
			bits >>= 16
		}
	})
	return letters
}

// needles makes the needles of patterns of m letters: parts of the text, evenly apart, so that each
// occurs in it.
func (b *bench) needles(m, k int) ([]*needle, error) {
	contig := &b.text.contigs[0]
	count := b.options.Patterns
	if k >= m {
		return nil, fmt.Errorf("a pattern of %d letters would match everywhere with a distance of %d", m, k)
	}
	var needles []*needle
	for i := range count {
		letters := make([]byte, m)
		at := contig.Start + (contig.Length-m)/(count+1)*(i+1)
		for j := range letters {
			letters[j] = b.text.Letter(at + j)
		}
		p, err := NewPattern(fmt.Sprintf("part%d", i+1), letters, b.text.alphabet)
		if err != nil {
			return nil, err
		}
		needles = append(needles, newNeedle(&p, b.text.alphabet, k, b.options.Substitutions))
	}
	return needles, nil
}

// cases are the cases that are asked for and can be measured, m by m and k by k.
func (b *bench) cases() ([]benchCase, error) {
	o := &b.options
	chosen, err := FindSchemes(o.Method, o.Scheme)
	if err != nil {
		return nil, err
	}
	var cases []benchCase
	var refusal error
	for _, m := range o.PatternLengths {
		for _, k := range o.Distances {
			needles, err := b.needles(m, k)
			if err != nil {
				refusal = err
				continue
			}
			for _, s := range chosen {
				if err := s.benchRefusal(needles, b.onGPU()); err != nil {
					refusal = err
					continue
				}
				cases = append(cases, benchCase{s, needles})
			}
		}
	}
	switch {
	case len(cases) > 0:
		return cases, nil
	case refusal == nil:
		return nil, errors.New("there is no pattern length or no distance to measure with")
	case len(chosen) > 1 && (o.Method == All || o.Method == ""):
		return nil, fmt.Errorf("no scheme searches such a text for such a pattern: %w", refusal)
	}
	return nil, refusal
}

// FindSchemes returns the schemes with a name, or All, of a method, or of All methods.
func FindSchemes(method, scheme string) ([]*Scheme, error) {
	var chosen []*Scheme
	methodNames, schemeNames := []string{All}, []string{All}
	for _, m := range methods {
		methodNames = append(methodNames, m.Name)
		if method != All && method != "" && method != m.Name {
			continue
		}
		for _, s := range m.Schemes {
			if scheme == All || scheme == "" || scheme == s.Name {
				chosen = append(chosen, s)
			}
			if !slices.Contains(schemeNames, s.Name) {
				schemeNames = append(schemeNames, s.Name)
			}
		}
	}
	switch {
	case len(chosen) > 0:
		return chosen, nil
	case len(schemeNames) == 1:
		return nil, fmt.Errorf("method %q is not one of %s", method, strings.Join(methodNames, ", "))
	}
	return nil, fmt.Errorf("scheme %q is not one of %s", scheme, strings.Join(schemeNames, ", "))
}

// benchRefusal says why a scheme is not measured with needles, nil if it is.
func (s *Scheme) benchRefusal(needles []*needle, onGPU bool) error {
	for _, n := range needles {
		if err := s.refusal(n, onGPU); err != nil {
			return err
		}
	}
	return nil
}

// row adds the row of a case that took these times.
func (b *bench) row(c benchCase, times []time.Duration) *measure.Row {
	n := c.needles[0]
	o := &b.options
	letters := int64(o.Letters) * int64(o.Patterns)
	name := fmt.Sprintf("%s, m = %d, k = %d", c.scheme.FullName(), n.length(), n.k)
	row := rateRow(name, "letters/s", letters, times)
	row.Operations = letters
	row.Search = &measure.Search{
		Method: c.scheme.Method, Scheme: c.scheme.Name,
		Alphabet: string(o.Alphabet), AlphabetSize: o.AlphabetSize, Letters: int64(o.Letters),
		PatternLength: n.length(), Distance: n.k, Substitutions: n.substitutions && n.k > 0, Patterns: o.Patterns,
	}
	if !b.onGPU() {
		row.Search.Threads = o.Threads
	}
	b.result.Rows = append(b.result.Rows, row)
	return &b.result.Rows[len(b.result.Rows)-1]
}

// rateRow is the median of rates of the same work.
func rateRow(name, unit string, work int64, times []time.Duration) measure.Row {
	var runs [][]measure.Row
	for _, t := range times {
		runs = append(runs, []measure.Row{{Name: name, Unit: unit, Value: measure.PerSecond(float64(work), t.Seconds())}})
	}
	return measure.Medians(runs)[0]
}

// A missedError tells that a scheme found nothing, although patterns are parts of the text.
type missedError struct{ scheme *Scheme }

func (e *missedError) Error() string {
	return fmt.Sprintf("%s found nothing, although what it sought is in the text", e.scheme.FullName())
}

// repeated calls run once to warm up, and then takes times.
func (b *bench) repeated(run func() (time.Duration, error)) ([]time.Duration, error) {
	var times []time.Duration
	for range b.options.Repetitions + 1 {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		t, err := run()
		if err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	return times[1:], nil
}

// measureOnCPU measures cases on the CPU.
func (b *bench) measureOnCPU(cases []benchCase) error {
	b.result.Device = measure.Device{ID: string(device.CPU), Name: string(device.CPU)}
	for _, c := range cases {
		f, err := c.scheme.cpu(b.text, c.needles, b.options.Threads)
		if err != nil {
			return err
		}
		times, err := b.repeated(func() (time.Duration, error) {
			start := time.Now()
			ends := b.findOnCPU(f)
			elapsed := time.Since(start)
			if err := b.ctx.Err(); err != nil {
				return 0, err
			}
			if ends == 0 {
				return 0, &missedError{c.scheme}
			}
			return elapsed, nil
		})
		if err != nil {
			return err
		}
		b.row(c, times)
	}
	return nil
}

// findOnCPU searches the whole text and returns the number of ends.
func (b *bench) findOnCPU(f finder) int64 {
	var total atomic.Int64
	all := stretch{to: b.text.Length()}.all()
	all.inSegments(b.text, b.options.Threads, func() bool { return b.ctx.Err() == nil }, func(_ int, scratch *scratch, r textRange) {
		ends := int64(0)
		f.find(scratch, r, func(int, int) { ends++ })
		total.Add(ends)
	})
	return total.Load()
}
