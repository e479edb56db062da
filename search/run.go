package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// Options say how patterns are searched for.
type Options struct {
	// Method and Scheme are names, or Auto for the fastest.
	Method, Scheme string
	// Distance is k; Substitutions tells that only substitutions count towards it.
	Distance      int
	Substitutions bool
	// Limits are the most edits of each class, k being the most of all classes; nil for none.
	Limits *Limits
	// ForwardOnly leaves out the reverse complements; text of bytes has none.
	ForwardOnly bool
	// Threads is the number of goroutines; 0 is one for each processor.
	Threads int
	Device  device.Choice
	// Announce, if it is not nil, has the locations of a pattern emitted by distance, contig, start,
	// strand and end. It is called with their number before the first location.
	Announce func(pattern, locations int) error
	// Share, if it is not nil, is told how much of the search is done: letters times patterns.
	Share  *measure.Share
	bounds bounds
}

// Stats says how a search went.
type Stats struct {
	Device        string // such as cpu, cuda:0 or cuda:0,cuda:1
	Schemes       []string
	Patterns      int
	FoundPatterns int // that have a location
	Locations     int64
	TextLetters   int64
	Kernels       []KernelTime // with Options.Device.Sync, the longest first
}

// KernelTime is what one kernel took in all its launches.
type KernelTime = measure.KernelTime

// bounds limit how much is held at a time. 0 is a good number; others are for tests.
type bounds struct {
	// stretch is the most letters of contigs that are searched together.
	stretch int
	// patterns is the most patterns that are searched for at a time.
	patterns int
	// ends is the most ends of several patterns: with more they are searched for in smaller groups.
	ends int
	// window is the most letters that are searched for one pattern at a time. It ends before, at the
	// segment with which it has more than windowEnds ends.
	window, windowEnds int
	// perGPU is the text for which a search takes one more GPU, in letters.
	perGPU int
	// batch is the most ends of a strand that are located at a time.
	batch int
	// held is the most bytes of locations that wait for better ones, where these come first.
	held int
}

const (
	// segment is the text that a goroutine searches at a time: its codes stay in a cache.
	segment = 1 << 17
	// stretches of defaultStretch letters take few calls of a GPU.
	defaultStretch = 1 << 28
	// defaultPatterns take 0.7 GB while they are searched for.
	defaultPatterns = 1 << 18
	// defaultEnds take 0.1 GB. In a long text there are more, one for each lettersPerEnd: that is less
	// than the text takes, and a search that has just too many is not made three times.
	defaultEnds   = 1 << 22
	lettersPerEnd = 1 << 8
	// defaultWindow is large enough for many threads.
	defaultWindow = 256 * segment
	// defaultWindowEnds take 16 MB.
	defaultWindowEnds = 1 << 20
	// defaultBatch ends have locations of 5 MB a strand.
	defaultBatch = 1 << 16
	defaultHeld  = 32 << 20
)

// orDefault replaces bounds of 0, for a text of `letters` letters.
func (b bounds) orDefault(letters int) bounds {
	return bounds{
		stretch: cmp.Or(b.stretch, defaultStretch), patterns: cmp.Or(b.patterns, defaultPatterns), ends: cmp.Or(b.ends, max(defaultEnds, letters/lettersPerEnd)),
		window: cmp.Or(b.window, defaultWindow), windowEnds: cmp.Or(b.windowEnds, defaultWindowEnds), batch: cmp.Or(b.batch, defaultBatch), perGPU: cmp.Or(b.perGPU, lettersPerGPU), held: cmp.Or(b.held, defaultHeld),
	}
}

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
	s := &searcher{ctx: ctx, text: text, patterns: patterns, options: o, emit: emit}
	s.stats.Patterns = len(patterns)
	s.stats.TextLetters = int64(text.TotalLength())
	if err := s.plan(); err != nil {
		return nil, err
	}
	return s, nil
}

// searcher is a call of Run.
type searcher struct {
	ctx      context.Context
	text     *Text
	patterns []Pattern
	options  Options
	emit     func([]Location) error
	stats    Stats
	// needles has the strands of each pattern that is searched for: one, or two.
	needles [][]*needle
	schemes []*Scheme // of each pattern
	chosen  map[needleKind]chosenScheme
	gpus    []*gpuSearch
	chunk   int    // letters that are on a GPU at a time
	found   []bool // of each pattern
	best    bestFirst
	// locators has one for each goroutine of locateParts.
	locators []locator
	// kept has the needles' finders, if they are used again (repeated.go); otherwise it is nil.
	kept map[needleRange]keptFinder
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

// forward returns the forward needle of a pattern.
func (s *searcher) forward(pattern int) *needle {
	if strands := s.needles[pattern]; strands != nil {
		return strands[0]
	}
	n := newNeedle(&s.patterns[pattern], s.text.alphabet, s.options.Distance, s.options.Substitutions)
	n.limits = s.options.Limits
	return n
}

// strands is the number of needles of a pattern.
func (s *searcher) strands() int {
	if s.text.alphabet == DNA && !s.options.ForwardOnly {
		return 2
	}
	return 1
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
	method, name := cmp.Or(o.Method, Auto), cmp.Or(o.Scheme, Auto)
	var scheme *Scheme
	var err error
	switch {
	case method == Auto:
		scheme, err = fastest(n, s.stats.TextLetters, len(s.patterns), onGPU, anyScheme)
	case name == Auto:
		scheme, err = Task{n, s.stats.TextLetters, len(s.patterns), onGPU}.fastestOf(method)
	default:
		if scheme, err = FindScheme(method, name); err == nil {
			err = scheme.refusal(n, onGPU)
		}
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

// all searches for all patterns, not too many at a time.
func (s *searcher) all() error {
	s.options.Share.Begin(s.stats.TextLetters * int64(len(s.patterns)))
	for from := 0; from < len(s.patterns); {
		to := min(from+s.options.bounds.patterns, len(s.patterns))
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

// put emits locations.
func (s *searcher) put(locations []Location) error {
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

func (e *strandEnds) count() int { return len(e[0]) + len(e[1]) }

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
			continue
		}
		for i := from; i < to; {
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
	r.inSegments(s.options.Threads, more, func(i int, scratch *scratch, r textRange) {
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

// all is the whole stretch as a range.
func (s stretch) all() textRange {
	return textRange{first: s.from, last: s.to, from: s.from, to: s.to}
}

// segments is the number of segments of a range.
func (r textRange) segments() int { return (r.to - r.from + segment - 1) / segment }

// inSegments has goroutines search the numbered segments of a range, as long as more is wanted.
// Each goroutine has a scratch of its own.
func (r textRange) inSegments(threads int, more func() bool, search func(i int, scratch *scratch, r textRange)) {
	scratches := make([]scratch, min(threads, r.segments()))
	parallel.Ranges(threads, r.segments(), 1, func(worker, i, _ int) {
		if more() {
			part := r
			part.from += i * segment
			part.to = min(part.from+segment, r.to)
			search(i, &scratches[worker], part)
		}
	})
}

// A locatePart is some ends of a strand of a pattern, which are located without the others.
type locatePart struct {
	pattern, strand int
	ends            []int
	// before are the locations before the ends that may exclude some ends.
	before []locate.Occurrence
	// through, if it is not 0, is the last end that is located: more ends, not known yet, may
	// decide about later ones. Then locatePart leaves in before the locations before these.
	through int
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
	parallel.Ranges(s.options.Threads, last-first, 1, func(_, i, _ int) {
		slices.SortFunc(all[of[i]:of[i+1]], byPosition)
	})
	return all
}

// byPosition is the order of the locations of a pattern.
func byPosition(a, b Location) int {
	return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, a.End-b.End, boolean(a.Reverse)-boolean(b.Reverse))
}

// appendParts cuts the ends of a strand into parts like p.
func appendParts(parts []locatePart, p locatePart, n *needle, ends []int) []locatePart {
	for len(ends) > 0 {
		count := n.apart(ends, endsOfPart)
		p.ends = ends[:count]
		parts = append(parts, p)
		p.before, ends = nil, ends[count:]
	}
	return parts
}

// locateParts makes the locations of each part.
func (s *searcher) locateParts(parts []locatePart) [][]Location {
	lists := make([][]Location, len(parts))
	if missing := min(s.options.Threads, len(parts)) - len(s.locators); missing > 0 {
		s.locators = append(s.locators, make([]locator, missing)...)
	}
	parallel.Ranges(s.options.Threads, len(parts), 1, func(worker, i, _ int) {
		l := &s.locators[worker]
		l.text = s.text
		lists[i] = s.locatePart(l, &parts[i])
	})
	return lists
}

// locatePart makes the locations of a part.
func (s *searcher) locatePart(l *locator, p *locatePart) []Location {
	var locations []Location
	n, all := s.needles[p.pattern][p.strand], p.ends
	add := func(found Location) {
		found.Pattern, found.Reverse = p.pattern, p.strand == 1
		locations = append(locations, found)
	}
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
		before := p.before
		if i > 0 || len(before) > 0 && before[0].End <= s.text.contigs[contig].Start {
			before = nil // they are on another contig
		}
		if p.through != 0 {
			p.before = l.locateSome(n, contig, before, all[i:j], p.through, add)
		} else {
			l.locate(n, contig, before, all[i:j], add)
		}
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
