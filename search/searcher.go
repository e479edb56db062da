package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

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
	room    int    // the most letters that a GPU may have at a time
	chunk   int    // letters that are on a GPU at a time
	found   []bool // of each pattern
	best    bestFirst
	// locators has one for each goroutine of locateParts.
	locators []locator
	// kept is made of the needles, if it is used again (repeated.go); otherwise it is nil.
	kept *kept
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

// all is the whole stretch as a range.
func (s stretch) all() textRange {
	return textRange{first: s.from, last: s.to, from: s.from, to: s.to}
}

// segments is the number of segments of a range.
func (r textRange) segments() int { return (r.to - r.from + segment - 1) / segment }

// inSegments has goroutines search the numbered segments of a range of a text, as long as more is
// wanted. Each goroutine has a scratch of its own.
func (r textRange) inSegments(text *Text, threads int, more func() bool, search func(i int, scratch *scratch, r textRange)) {
	scratches := make([]scratch, min(threads, r.segments()))
	parallel.Ranges(threads, r.segments(), 1, func(worker, i, _ int) {
		if more() {
			part := r
			scratches[worker].text = text
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

// kept are finders of needles, and their runs on GPUs, which searchers share.
type kept struct {
	threads int // that make them: others wait
	mu      sync.Mutex
	finders map[needleRange]keptFinder
	runs    map[needleRange]keptRuns
}

// A keptFinder is what a scheme made of needles: a finder, or an error.
type keptFinder struct {
	finder finder
	err    error
}

// A gpuRun is patterns, by number, that are searched for together on a GPU: one, or all of a table.
type gpuRun struct {
	patterns []int
	needles  []*needle   // of a table
	table    *neighbours // nil for one pattern
}

// keptRuns are what gpuRuns returned.
type keptRuns struct {
	runs []gpuRun
	err  error
}

// mostKept bounds the finders that are kept. A search that always has too many ends asks for ever
// smaller groups of patterns.
const mostKept = 64

// A needleRange is the patterns [from, to).
type needleRange struct{ from, to int }

// finder returns what finds the needles of patterns [from, to), which have one scheme.
func (s *searcher) finder(from, to int, needles []*needle) (finder, error) {
	if s.kept == nil {
		return s.schemes[from].cpu(s.text, needles, s.options.Threads)
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	key := needleRange{from, to}
	if kept, ok := s.kept.finders[key]; ok {
		return kept.finder, kept.err
	}
	f, err := s.schemes[from].cpu(s.text, needles, s.kept.threads)
	if len(s.kept.finders) < mostKept {
		s.kept.finders[key] = keptFinder{f, err}
	}
	return f, err
}

// addEnds adds the ends of a needle in spans to its ends, which are in order.
func addEnds(n *needle, ends []int, spans []span) []int {
	if len(spans) == 0 {
		return ends
	}
	at, _ := slices.BinarySearch(ends, spans[0].from+1)
	with := *n
	with.iupac = true
	find := newWuManberSegment(&with)
	for _, s := range spans {
		find(s.codes, func(end int) {
			if end += s.first; end > s.from {
				ends = append(ends, end)
			}
		})
	}
	slices.Sort(ends[at:])
	return ends[:at+len(slices.Compact(ends[at:]))]
}

// bestFirst orders the locations of a pattern by distance. It holds them if they are not too many.
// Otherwise it counts them, and has the pattern searched for again for each distance.
type bestFirst struct {
	held    []Location
	bytes   int
	tooMany bool
	counts  [MaxDistance + 1]int // by distance
}
