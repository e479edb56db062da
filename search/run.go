package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"scanmap/device"
	"scanmap/measure"
	"scanmap/parallel"
)

// Options say how patterns are searched for.
type Options struct {
	// Method and Scheme are names, or Auto for the fastest.
	Method, Scheme string
	// Distance is k; Substitutions tells that only substitutions count towards it.
	Distance      int
	Substitutions bool
	// ForwardOnly leaves out the reverse complements; text of bytes has none.
	ForwardOnly bool
	// Threads is the number of goroutines; 0 is one for each processor.
	Threads int
	Device  device.Choice
	// stretch is the most letters that are searched at a time. 0 is a good number; for tests.
	stretch int
	// most is the most ends of several patterns at a time: with more they are searched for in
	// smaller groups. 0 is a good number; for tests.
	most int
}

// Stats says how a search went.
type Stats struct {
	Device        string // such as cpu or cuda:0
	Schemes       []string
	Patterns      int
	FoundPatterns int // that have a location
	Locations     int64
	TextLetters   int64
	Kernels       []KernelTime // with Options.Device.Sync, the longest first
}

// KernelTime is what one kernel took in all its launches.
type KernelTime = measure.KernelTime

const (
	// defaultStretch bounds what is held of a search for one pattern: contigs are not cut.
	defaultStretch = 1 << 28
	// defaultMost ends take 0.4 GB on the CPU, and as many locations 1.2 GB, of which there are two
	// copies for a while.
	defaultMost = 1 << 24
	// segment is the text that a goroutine searches at a time: its codes stay in a cache.
	segment = 1 << 17
)

// Run finds the locations of patterns and gives them to emit, pattern by pattern, those of one in
// order of contig, start, end and strand, in pieces of any size, which emit must not keep. An error
// of a GPU is a device.Error. Of several GPUs the first is used.
func Run(ctx context.Context, text *Text, patterns []Pattern, o Options, emit func([]Location) error) (*Stats, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.stretch <= 0 {
		o.stretch = defaultStretch
	}
	if o.most <= 0 {
		o.most = defaultMost
	}
	if o.Distance < 0 || o.Distance > MaxDistance {
		return nil, fmt.Errorf("a distance of %d is not from 0 to %d", o.Distance, MaxDistance)
	}
	s := &searcher{ctx: ctx, text: text, patterns: patterns, options: o, emit: emit}
	s.stats.Patterns = len(patterns)
	s.stats.TextLetters = int64(text.TotalLength())
	if err := s.plan(); err != nil {
		return nil, err
	}
	err := s.open()
	if err == nil {
		err = s.group(0, len(patterns))
	}
	if closed := s.close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return &s.stats, nil
}

// searcher is a call of Run.
type searcher struct {
	ctx      context.Context
	text     *Text
	patterns []Pattern
	options  Options
	emit     func([]Location) error
	stats    Stats
	// needles has the strands of each pattern: one, or two.
	needles [][]*needle
	schemes []*Scheme // of each pattern
	chosen  map[needleKind]chosenScheme
	gpu     *gpuSearch
	chunk   int    // letters that are on the GPU at a time
	found   []bool // of each pattern
}

// plan makes the needles and chooses the schemes.
func (s *searcher) plan() error {
	o := &s.options
	s.found = make([]bool, len(s.patterns))
	for i := range s.patterns {
		p := &s.patterns[i]
		if m := len(p.Letters) - p.Fixed; o.Distance >= m {
			what := "edits"
			if o.Substitutions {
				what = "substitutions"
			}
			return fmt.Errorf("pattern %q of %d letters would match everywhere with %d %s", p.Name, m, o.Distance, what)
		}
		forward := newNeedle(p, s.text.alphabet, o.Distance, o.Substitutions)
		strands := []*needle{forward}
		if s.text.alphabet == DNA && !o.ForwardOnly {
			strands = append(strands, forward.reverseComplement())
		}
		s.needles = append(s.needles, strands)
	}
	return s.choose()
}

// choose sets the device and the scheme of each pattern.
func (s *searcher) choose() error {
	o := &s.options
	if err := s.chooseDevice(); err != nil {
		return err
	}
	onGPU := o.Device.Kind == device.CUDA
	for i := range s.patterns {
		chosen, err := s.chooseScheme(s.needles[i][0], onGPU)
		if err != nil {
			return fmt.Errorf("pattern %q: %w", s.patterns[i].Name, err)
		}
		s.schemes = append(s.schemes, chosen.Scheme)
		if name := chosen.FullName(); !slices.Contains(s.stats.Schemes, name) {
			s.stats.Schemes = append(s.stats.Schemes, name)
		}
	}
	return nil
}

// A chosenScheme is a scheme with the letters that it searches in a second for one needle.
type chosenScheme struct {
	*Scheme
	rate float64
}

// needleKind is what a choice depends on, of a needle whose letters stand for one base each.
type needleKind struct {
	length int
	onGPU  bool
}

// chooseScheme returns the scheme that was named or, of auto, the fastest one. This is settled once
// for all needles of a kind.
func (s *searcher) chooseScheme(n *needle, onGPU bool) (chosenScheme, error) {
	kind := needleKind{n.length(), onGPU}
	if chosen, ok := s.chosen[kind]; ok && n.single {
		return chosen, nil
	}
	o := &s.options
	var scheme *Scheme
	var err error
	if o.Method == Auto || o.Method == "" {
		scheme, err = fastest(n, s.stats.TextLetters, len(s.patterns), onGPU)
	} else if scheme, err = FindScheme(o.Method, cmp.Or(o.Scheme, Auto)); err == nil {
		err = scheme.refusal(n, onGPU)
	}
	if err != nil {
		return chosenScheme{}, err
	}
	chosen := chosenScheme{scheme, scheme.rate(n, s.stats.TextLetters, len(s.patterns), onGPU)}
	if n.single {
		if s.chosen == nil {
			s.chosen = map[needleKind]chosenScheme{}
		}
		s.chosen[kind] = chosen
	}
	return chosen, nil
}

// group searches for patterns [from, to), all at once if they do not have too many ends.
func (s *searcher) group(from, to int) error {
	if from == to {
		return nil
	}
	var all []Location
	first := true
	for _, stretch := range s.text.stretches(s.options.stretch) {
		ends, few, err := s.ends(stretch, from, to)
		if err != nil {
			return err
		}
		if !few && to-from > 1 {
			middle := (from + to) / 2
			if err := s.group(from, middle); err != nil {
				return err
			}
			return s.group(middle, to)
		}
		locations := s.locate(ends, from, to)
		if first {
			all, first = locations, false
		} else {
			all = append(all, locations...)
		}
		if to-from == 1 {
			if err := s.give(all); err != nil {
				return err
			}
			all = all[:0]
		} else if len(all) > s.options.most {
			middle := (from + to) / 2
			if err := s.group(from, middle); err != nil {
				return err
			}
			return s.group(middle, to)
		}
	}
	slices.SortStableFunc(all, func(a, b Location) int { return a.Pattern - b.Pattern })
	return s.give(all)
}

// give emits locations.
func (s *searcher) give(locations []Location) error {
	if len(locations) == 0 {
		return nil
	}
	s.stats.Locations += int64(len(locations))
	for i := range locations {
		if p := locations[i].Pattern; !s.found[p] {
			s.found[p] = true
			s.stats.FoundPatterns++
		}
	}
	return s.emit(locations)
}

// strandEnds are the ends of each strand of a pattern.
type strandEnds [2][]int

// ends finds the ends of patterns [from, to) in a stretch; few is false if it gave up because
// there are too many ends, or patterns, for a search of several patterns.
func (s *searcher) ends(stretch stretch, from, to int) (ends []strandEnds, few bool, err error) {
	if s.gpu != nil {
		return s.endsOnGPU(stretch, from, to)
	}
	ends = make([]strandEnds, to-from)
	for i := from; i < to; {
		j := i + 1
		for j < to && s.schemes[j] == s.schemes[i] {
			j++
		}
		few, err := s.endsOnCPU(stretch, i, j, ends[i-from:j-from])
		if err != nil || !few {
			return nil, few, err
		}
		i = j
	}
	return ends, true, nil
}

// endsOnCPU finds the ends of patterns [from, to), which have one scheme.
func (s *searcher) endsOnCPU(stretch stretch, from, to int, ends []strandEnds) (few bool, err error) {
	var needles []*needle
	type owner struct{ pattern, strand int }
	var owners []owner
	for i := from; i < to; i++ {
		for strand, n := range s.needles[i] {
			needles = append(needles, n)
			owners = append(owners, owner{i - from, strand})
		}
	}
	f, err := s.schemes[from].cpu(s.text, needles)
	if errors.As(err, new(*tooManyError)) && to-from > 1 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	type end struct{ needle, end int }
	found := make([][]end, stretch.segments())
	var total atomic.Int64
	most := int64(s.options.most)
	if to-from == 1 {
		most = int64(^uint64(0) >> 1)
	}
	more := func() bool { return total.Load() <= most && s.ctx.Err() == nil }
	stretch.inSegments(s.options.Threads, more, func(i int, scratch *scratch, r textRange) {
		f.find(scratch, r, func(needle, at int) { found[i] = append(found[i], end{needle, at}) })
		total.Add(int64(len(found[i])))
	})
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	if total.Load() > most {
		return false, nil
	}
	for _, list := range found {
		for _, e := range list {
			o := owners[e.needle]
			ends[o.pattern][o.strand] = append(ends[o.pattern][o.strand], e.end)
		}
	}
	return true, nil
}

// segments is the number of segments of a stretch.
func (s stretch) segments() int { return (s.to - s.from + segment - 1) / segment }

// inSegments has goroutines search the numbered segments of a stretch, as long as more is wanted.
// Each goroutine has a scratch of its own.
func (s stretch) inSegments(threads int, more func() bool, search func(i int, scratch *scratch, r textRange)) {
	scratches := make([]scratch, min(threads, s.segments()))
	parallel.Ranges(threads, s.segments(), 1, func(worker, i, _ int) {
		if more() {
			from := s.from + i*segment
			r := textRange{first: s.from, last: s.to, from: from, to: min(from+segment, s.to)}
			search(i, &scratches[worker], r)
		}
	})
}

// A locatePart is some ends of a strand of a pattern, which are located without the others.
type locatePart struct {
	pattern, strand int
	ends            []int
}

// endsOfPart is the least number of ends of a part, unless there are no more.
const endsOfPart = 2048

// locate makes the locations of patterns from their ends, pattern by pattern and in order of
// contig, start, end and strand.
func (s *searcher) locate(ends []strandEnds, first, last int) []Location {
	var parts []locatePart
	firsts := make([]int, last-first+1) // of the parts of each pattern
	for i := range last - first {
		for strand, n := range s.needles[first+i] {
			for all := ends[i][strand]; len(all) > 0; {
				count := n.apart(all, endsOfPart)
				parts = append(parts, locatePart{first + i, strand, all[:count]})
				all = all[count:]
			}
		}
		firsts[i+1] = len(parts)
	}
	lists := make([][]Location, len(parts))
	locators := make([]locator, min(s.options.Threads, len(parts)))
	parallel.Ranges(s.options.Threads, len(parts), 1, func(worker, i, _ int) {
		l := &locators[worker]
		l.text = s.text
		lists[i] = s.locatePart(l, parts[i])
	})
	all := slices.Concat(lists...)
	from := 0
	for i := range last - first {
		to := from
		for _, list := range lists[firsts[i]:firsts[i+1]] {
			to += len(list)
		}
		slices.SortFunc(all[from:to], func(a, b Location) int {
			return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, a.End-b.End, boolean(a.Reverse)-boolean(b.Reverse))
		})
		from = to
	}
	return all
}

// locatePart makes the locations of a part.
func (s *searcher) locatePart(l *locator, p locatePart) []Location {
	var locations []Location
	n, all := s.needles[p.pattern][p.strand], p.ends
	for i := 0; i < len(all); {
		contig := s.text.contigAt(all[i])
		if contig < 0 {
			i++
			continue
		}
		j := i
		for last := s.text.contigs[contig].End(); j < len(all) && all[j] <= last; {
			j++
		}
		l.locate(n, contig, all[i:j], func(found Location) {
			found.Pattern, found.Reverse = p.pattern, p.strand == 1
			locations = append(locations, found)
		})
		i = j
	}
	return locations
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
