package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"scanmap/gpu/device"
	"scanmap/internal/parallel"
)

// Run finds the locations of patterns and gives them to emit, pattern by pattern, each pattern's in
// order of contig, start, end and strand (or as Options.Announce says), in pieces of any size,
// which emit must not keep. Memory does not grow with the number of locations. An error of a GPU is
// a device.Error. Chunks of the text are shared out among several GPUs.
func Run(ctx context.Context, text *Text, patterns []Pattern, o Options, emit func([]Location) error) (*Stats, error) {
	s, err := plannedSearcher(ctx, text, patterns, o, emit)
	if err != nil {
		return nil, err
	}
	if err = s.open(); err == nil {
		err = s.all()
	}
	if closed := s.close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return &s.stats, nil
}

// plannedSearcher checks and plans a call of Run.
func plannedSearcher(ctx context.Context, text *Text, patterns []Pattern, o Options, emit func([]Location) error) (*searcher, error) {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.bounds = o.bounds.orDefault(text.Length())
	if o.Distance < 0 || o.Distance > MaxDistance {
		return nil, fmt.Errorf("a distance of %d is not from 0 to %d", o.Distance, MaxDistance)
	}
	if err := o.limit(); err != nil {
		return nil, err
	}
	if o.ReferenceIUPAC {
		text = text.withIUPAC()
	}
	s := &searcher{ctx: ctx, text: text, patterns: patterns, options: o, emit: emit}
	s.stats.Patterns = len(patterns)
	s.stats.TextLetters = int64(max(text.TotalLength(), text.expected))
	if err := s.plan(); err != nil {
		return nil, err
	}
	return s, nil
}

// plan checks the patterns and chooses the schemes.
func (s *searcher) plan() error {
	o := &s.options
	s.found = make([]bool, len(s.patterns))
	s.needles = make([][]*needle, len(s.patterns))
	for i := range s.patterns {
		p := &s.patterns[i]
		if m := p.free(); o.Distance >= m {
			what := "edit"
			if o.Substitutions {
				what = "substitution"
			}
			if o.Distance != 1 {
				what += "s"
			}
			if p.Exact != nil && m != len(p.WithoutPAM()) {
				return p.Errorf("only %d of its letters need not match, too few for %d %s", m, o.Distance, what)
			}
			return p.Errorf("it has %d letters and would match everywhere with %d %s", m, o.Distance, what)
		}
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
		chosen, err := s.chooseScheme(s.forward(i), onGPU)
		if err != nil {
			return s.patterns[i].Errorf("%w", err)
		}
		s.schemes = append(s.schemes, chosen.Scheme)
		if name := chosen.FullName(); !slices.Contains(s.stats.Schemes, name) {
			s.stats.Schemes = append(s.stats.Schemes, name)
		}
	}
	return nil
}

// all searches for all patterns, not too many at a time.
func (s *searcher) all() error {
	s.options.Share.Begin(s.stats.TextLetters * int64(len(s.patterns)))
	for from := 0; from < len(s.patterns); {
		to := min(from+s.options.bounds.patterns, len(s.patterns))
		s.makeNeedles(from, to)
		if err := s.group(from, to); err != nil {
			return err
		}
		if s.kept == nil {
			clear(s.needles[from:to])
		}
		from = to
	}
	return nil
}

// makeNeedles makes the needles of patterns [from, to) that are not there.
func (s *searcher) makeNeedles(from, to int) {
	for i := from; i < to; i++ {
		if s.needles[i] != nil {
			continue
		}
		n := s.forward(i)
		s.needles[i] = append(s.needles[i], n)
		if s.strands() == 2 {
			s.needles[i] = append(s.needles[i], n.reverseComplement())
		}
	}
}

// group searches for patterns [from, to), all at once if they do not have too many ends.
func (s *searcher) group(from, to int) error {
	switch to - from {
	case 0:
		return nil
	case 1:
		return s.alone(from)
	}
	ends, few, err := s.ends(from, to)
	if err != nil {
		return err
	}
	if few {
		return s.deliver(ends, from, to)
	}
	middle := (from + to) / 2
	if err := s.group(from, middle); err != nil {
		return err
	}
	return s.group(middle, to)
}

// deliver gives the locations of patterns [from, to), from all their ends.
func (s *searcher) deliver(ends []strandEnds, from, to int) error {
	batch := s.options.bounds.batch
	for i := from; i < to; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		count, j := ends[i-from].count(), i+1
		if count > batch {
			if err := s.deliverAlone(i, ends[i-from]); err != nil {
				return err
			}
			ends[i-from] = strandEnds{}
			i = j
			continue
		}
		for ; j < to && count+ends[j-from].count() <= batch; j++ {
			count += ends[j-from].count()
		}
		if err := s.give(s.locate(ends[i-from:j-from], i, j)); err != nil {
			return err
		}
		clear(ends[i-from : j-from])
		i = j
	}
	return nil
}

// give emits all locations of some patterns.
func (s *searcher) give(locations []Location) error {
	if s.options.Announce == nil {
		return s.put(locations)
	}
	for len(locations) > 0 {
		pattern, n := locations[0].Pattern, 1
		for n < len(locations) && locations[n].Pattern == pattern {
			n++
		}
		s.best.add(s, locations[:n])
		if err := s.best.finish(s, pattern); err != nil {
			return err
		}
		locations = locations[n:]
	}
	return nil
}

// ends finds the ends of patterns [from, to); few is false if it gave up because there are too many
// ends, or patterns, for a search of several patterns.
func (s *searcher) ends(from, to int) (ends []strandEnds, few bool, err error) {
	ends = make([]strandEnds, to-from)
	total := 0
	var runs []gpuRun
	if len(s.gpus) > 0 {
		runs, err = s.gpuRuns(from, to)
		if errors.As(err, new(*tooManyError)) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	for _, stretch := range s.text.stretches(s.options.bounds.stretch) {
		if len(s.gpus) > 0 {
			few, err = s.endsOnGPU(stretch, runs, from, ends, &total)
			if err != nil || !few {
				return nil, few, err
			}
		}
		for i := from; i < to && len(s.gpus) == 0; {
			j := i + 1
			for j < to && s.schemes[j] == s.schemes[i] {
				j++
			}
			few, err = s.endsOnCPU(stretch, i, j, ends[i-from:j-from], &total)
			if err != nil || !few {
				return nil, few, err
			}
			i = j
		}
		if total += s.endsByIUPAC(stretch.all(), from, ends); total > s.options.bounds.ends {
			return nil, false, nil
		}
	}
	return ends, true, nil
}

// endsOnCPU finds the ends of patterns [from, to), which have one scheme, and adds their number to
// total.
func (s *searcher) endsOnCPU(stretch stretch, from, to int, ends []strandEnds, total *int) (few bool, err error) {
	var needles []*needle
	type owner struct{ pattern, strand int }
	var owners []owner
	for i := from; i < to; i++ {
		for strand, n := range s.needles[i] {
			needles = append(needles, n)
			owners = append(owners, owner{i - from, strand})
		}
	}
	f, err := s.finder(from, to, needles)
	if errors.As(err, new(*tooManyError)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	type end struct{ needle, end int }
	r := stretch.all()
	found := make([][]end, r.segments())
	var sum atomic.Int64
	sum.Store(int64(*total))
	most := int64(s.options.bounds.ends)
	more := func() bool { return sum.Load() <= most && s.ctx.Err() == nil }
	r.inSegments(s.text, s.options.Threads, more, func(i int, scratch *scratch, r textRange) {
		f.find(scratch, r, func(needle, at int) { found[i] = append(found[i], end{needle, at}) })
		sum.Add(int64(len(found[i])))
		s.options.Share.Add(int64(r.to-r.from) * int64(to-from))
	})
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	if sum.Load() > most {
		return false, nil
	}
	*total = int(sum.Load())
	for i, list := range found {
		for _, e := range list {
			o := owners[e.needle]
			ends[o.pattern][o.strand] = append(ends[o.pattern][o.strand], e.end)
		}
		found[i] = nil
	}
	return true, nil
}

// endsByIUPAC adds the ends of patterns, from number `from` on, in a stretch, and counts them.
func (s *searcher) endsByIUPAC(r textRange, from int, ends []strandEnds) (added int) {
	reach := 0
	for i := range ends {
		reach = max(reach, s.needles[from+i][0].length()+s.options.Distance)
	}
	spans := s.text.spans(r, reach)
	if len(spans) == 0 {
		return 0
	}
	for i := range ends {
		added -= ends[i].count()
	}
	parallel.Ranges(s.options.Threads, len(ends), 1, func(_, i, _ int) {
		for strand, n := range s.needles[from+i] {
			if s.ctx.Err() == nil {
				ends[i][strand] = addEnds(n, ends[i][strand], spans)
			}
		}
	})
	for i := range ends {
		added += ends[i].count()
	}
	return added
}

// locate makes the locations of patterns from their ends, pattern by pattern and in order of
// contig, start, end and strand.
func (s *searcher) locate(ends []strandEnds, first, last int) []Location {
	var parts []locatePart
	firsts := make([]int, last-first+1) // of the parts of each pattern
	for i := range last - first {
		for strand, n := range s.needles[first+i] {
			parts = appendParts(parts, locatePart{pattern: first + i, strand: strand}, n, ends[i][strand])
		}
		firsts[i+1] = len(parts)
	}
	lists := s.locateParts(parts)
	all := slices.Concat(lists...)
	of := make([]int, last-first+1) // where the locations of each pattern begin in all
	for i := range last - first {
		of[i+1] = of[i]
		for _, list := range lists[firsts[i]:firsts[i+1]] {
			of[i+1] += len(list)
		}
	}
	memory := make([][]Location, s.options.Threads)
	parallel.Ranges(s.options.Threads, last-first, 16, func(worker, from, to int) {
		for i := from; i < to; i++ {
			memory[worker] = inOrder(all[of[i]:of[i+1]], memory[worker])
		}
	})
	return all
}

// inOrder puts the locations of a pattern in order of position. They come strand by strand, mostly
// in this order: then the strands are merged. It returns memory for the next call.
func inOrder(list, memory []Location) []Location {
	turn := 1 // where the second strand begins
	for turn < len(list) && byPosition(list[turn-1], list[turn]) <= 0 {
		turn++
	}
	if turn >= len(list) {
		return memory
	}
	if !slices.IsSortedFunc(list[turn:], byPosition) {
		slices.SortFunc(list, byPosition)
		return memory
	}
	memory = append(memory[:0], list[:turn]...)
	for i, first := 0, memory; len(first) > 0; i++ {
		if turn == len(list) || byPosition(first[0], list[turn]) <= 0 {
			list[i], first = first[0], first[1:]
		} else {
			list[i] = list[turn]
			turn++
		}
	}
	return memory
}
