package primers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// Options say which amplicons are wanted.
type Options struct {
	// Search says how primers are searched for, both strands always: ForwardOnly, Announce and
	// Limits are not obeyed.
	Search search.Options
	// Least and Most are the limits of a product's size, in bases of the reference, both included.
	Least, Most int
	// Multiplex pairs every primer with every other and with itself, and not only within a pair.
	Multiplex bool
	// ThreePrime, if its Letters are not 0, leaves out sites with more edits at the primer's 3' end.
	ThreePrime ThreePrime
	// Limit, if it is not 0, is how many amplicons of each pair are emitted, the first ones. The
	// others are counted, which takes time for each left site, and not for each amplicon. It is not
	// for Multiplex.
	Limit int64
	// Circular are the numbers of contigs whose end goes on at their start. A product goes around
	// once at most. One that spans the contig's end has an End greater than the contig's length.
	Circular []int
	// Unwanted, if not nil, tells of each pair whether its amplicons are counted and not emitted.
	// It is not for Multiplex.
	Unwanted []bool
	// Melting, if it is not nil, has amplicons carry the melting temperatures of both sites.
	Melting *Melting
	bounds  bounds
}

// ThreePrime allows at most Edits edits in the last Letters letters of a primer. An edit is one of
// these letters that differs or that the reference lacks, or a letter of the reference, between two
// of these letters, that the primer lacks. Gaps lie as near to the 5' end as they go. In a shorter
// primer all letters count.
type ThreePrime struct{ Letters, Edits int }

// A Site is where a primer of an amplicon fits.
type Site struct {
	Primer     Primer
	Start, End int // on the contig, going on after its length where it is circular
	Edits      int // or substitutions
	Last       int // edits among the last five letters, counted as ThreePrime says
	// Operations are the alignment along the primer, 5' to 3', with gaps as near to the 5' end as
	// they go; none stand for one diagonal run.
	Operations []locate.Operation
	// Tm is the melting temperature in degrees Celsius, with Options.Melting. It is NaN where the
	// tables have no value.
	Tm float64
}

// An Amplicon is a product. It begins with its forward site and ends with its reverse site. Minus
// is set on the reverse strand, where the forward site ends at End: there the site on the
// reference's forward strand belongs to a reverse primer, and the other one to a forward primer.
type Amplicon struct {
	Contig, Start, End int
	Minus              bool
	Forward, Reverse   Site
}

// Stats says how a run went.
type Stats struct {
	Device      string
	Schemes     []string
	Pairs       int
	FoundPairs  int // whose forward and reverse primer make an amplicon with each other
	Amplicons   int64
	Emitted     int64 // of the amplicons
	TextLetters int64
	Counts      []Count // of each pair
}

// bounds limit the letters and sites that are held at a time. 0 is a good number; others are for
// tests.
type bounds struct {
	// first and most are how many letters of contigs the first window has, and the largest.
	first, most int
	// sites is the most sites of a window that can be made smaller, and leastSites of one that
	// cannot.
	sites, leastSites int
	// margin is how many letters before a window are searched at first, beside the letters that
	// have to be.
	margin int
	// grain is how many left sites a goroutine looks at before it takes the next ones.
	grain int
}

const (
	// defaultFirst letters are soon searched, and show how dense the sites are.
	defaultFirst = 1 << 22
	defaultMost  = 1 << 28
	// defaultSites take 24 MB. Windows have half as many if they are as dense as the last one. One
	// more than searchers are held, and the right or left sites of each once more.
	defaultSites = 1 << 20
	// defaultLeastSites take 0.4 GB.
	defaultLeastSites = 1 << 24
	// defaultMargin is longer than most short tandem repeats.
	defaultMargin = 1 << 12
	// defaultGrain sites are many for a goroutine and few of a window.
	defaultGrain = 1 << 12
)

func (b bounds) orDefault() bounds {
	return bounds{
		first: cmp.Or(b.first, defaultFirst), most: cmp.Or(b.most, defaultMost), margin: cmp.Or(b.margin, defaultMargin),
		sites: cmp.Or(b.sites, defaultSites), leastSites: cmp.Or(b.leastSites, defaultLeastSites),
		grain: cmp.Or(b.grain, defaultGrain),
	}
}

// Run finds all amplicons and gives them to emit, which must not keep them, by contig, start, end,
// and the numbers of the primers of the left and of the right site. It calls emit in a goroutine
// other than the caller's, one call at a time. If emit is nil amplicons are only counted. An error
// of a GPU is a device.Error.
func Run(ctx context.Context, ref *dna.Reference, pairs []Pair, o Options, emit func(*Amplicon) error) (*Stats, error) {
	if o.Least < 1 || o.Most < o.Least || o.Most > dna.MaxContigLength {
		return nil, fmt.Errorf("a product of %d to %d bases is not in 1 to %d", o.Least, o.Most, dna.MaxContigLength)
	}
	if o.Multiplex && o.Limit > 0 {
		return nil, errors.New("a limit is one of each pair, and there is none for multiplex")
	}
	if o.Unwanted != nil && (o.Multiplex || len(o.Unwanted) != len(pairs)) {
		return nil, errors.New("unwanted pairs are told for each pair, and not for multiplex")
	}
	o.bounds = o.bounds.orDefault()
	if o.Search.Threads <= 0 {
		o.Search.Threads = runtime.GOMAXPROCS(0)
	}
	o.Search.ForwardOnly, o.Search.Announce, o.Search.Limits = false, nil, nil
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &runner{ctx: ctx, cancel: cancel, ref: ref, pairs: pairs, options: o, emit: emit}
	if o.Melting != nil {
		var err error
		if r.duplexes, err = newDuplexes(o.Melting); err != nil {
			return nil, err
		}
	}
	r.stats.Counts = make([]Count, len(pairs))
	r.stats.Pairs, r.stats.TextLetters = len(pairs), int64(ref.TotalLength())
	if err := r.makePatterns(); err != nil {
		return nil, err
	}
	if err := r.makeRings(); err != nil {
		return nil, err
	}
	err := r.all()
	if r.repeated != nil {
		err = cmp.Or(err, r.repeated.Close())
	}
	if err != nil {
		return nil, err
	}
	r.stats.sumUp(pairs)
	return &r.stats, nil
}

// runner is a call of Run. Searchers search windows and another goroutine pairs their sites.
type runner struct {
	ctx     context.Context
	cancel  context.CancelFunc // ends both
	ref     *dna.Reference
	pairs   []Pair
	options Options
	emit    func(*Amplicon) error
	stats   Stats
	// patterns are the primers that differ, and users the primers that each is.
	patterns []search.Pattern
	users    [][]Primer
	longest  int    // letters of a pattern
	rings    []ring // of each contig

	// For searching: next is where the next window begins, and letters how many it has.
	repeated *search.Repeated
	mu       sync.Mutex // for these and for stats.Device and stats.Schemes
	next     place
	letters  int

	// For pairing.
	products []product
	amplicon Amplicon
	duplexes *duplexes // for temperatures; nil for none
	melted   alignment
}

// sites are the sites of a window.
type sites struct {
	window window
	// left and right are its sites. The sites of left that start in the window come first.
	left, right []site
	// operations are the operations of sites with gaps, from 1 on.
	operations [][]locate.Operation
	// counts are how many sites each primer has that start in the window.
	counts []int32
	// firsts is where the sites of each primer begin among the right sites, and leftFirsts among the
	// left sites until some are taken out. at and grouped are memory for putting them in order.
	firsts, leftFirsts, at []int
	grouped                []site
}

// A site is a Site in the form that is held.
type site struct {
	part       int32 // of the window
	start, end int32 // on the contig
	primer     int32
	operations int32 // where they are in sites.operations; 0 for none
	edits      uint8
	last       uint8
}

// makePatterns makes a pattern of each primer that has not the letters of another one.
func (r *runner) makePatterns() error {
	known := map[string]int{}
	for i := range 2 * len(r.pairs) {
		p := Primer(i)
		if p.IsReverse() && r.pairs[p.Pair()].alike() {
			continue
		}
		letters := p.letters(r.pairs)
		n, ok := known[string(letters)]
		if !ok {
			pattern, err := search.NewPattern(p.name(r.pairs), letters, search.DNA)
			if err != nil {
				return err
			}
			pattern.Source = r.pairs[p.Pair()].Source
			n = len(r.patterns)
			known[string(letters)] = n
			r.patterns, r.users = append(r.patterns, pattern), append(r.users, nil)
			r.longest = max(r.longest, len(letters))
		}
		r.users[n] = append(r.users[n], p)
	}
	return nil
}

// errTooMany tells that a window has too many sites.
var errTooMany = errors.New("too many sites")

// mostSearchers is the most windows at a time. More would take more memory.
const mostSearchers = 8

// A searcher is a goroutine that searches windows.
type searcher struct {
	*runner
	repeated  *search.Repeated
	alignment alignment
}

// found is a window with its sites, or an error in its place.
type found struct {
	sites *sites
	err   error
}

// all has searchers search windows, while sites that were found before are paired, in the order of
// their windows. Each searcher holds the sites of one window, and one more window is paired.
func (r *runner) all() error {
	if err := r.prepare(); err != nil {
		return err
	}
	threads := r.options.Search.Threads
	searchers := min(threads, mostSearchers)
	free := make(chan *sites, searchers+1)
	for range searchers + 1 {
		free <- &sites{}
	}
	r.next, r.letters = r.startOf(0), max(r.options.bounds.first, leastWindow)
	windows := make(chan chan found, searchers) // each searcher has one at most that is not received
	var searching sync.WaitGroup
	for range searchers {
		s := &searcher{runner: r, repeated: r.repeated.Beside(min((2*threads+searchers-1)/searchers, threads))}
		searching.Go(func() { s.searchAll(windows, free) })
	}
	paired := make(chan error)
	go func() {
		var first error
		for window := range windows {
			for f := range window {
				err := f.err
				if first == nil && err == nil {
					err = r.pair(f.sites)
				}
				if first == nil && err != nil {
					first = err
					r.cancel()
				}
				if f.sites != nil {
					free <- f.sites
				}
			}
		}
		paired <- first
	}()
	searching.Wait()
	close(windows)
	return cmp.Or(<-paired, r.ctx.Err())
}

// prepare makes what all searchers share.
func (r *runner) prepare() error {
	text := search.NewDNA(r.ref)
	o, _, err := search.Settle(r.ctx, text, r.patterns, r.options.Search)
	if err != nil {
		return err
	}
	if r.repeated, err = search.NewRepeated(r.patterns, o); err != nil {
		return err
	}
	return r.repeated.Prepare(text)
}

// searchAll searches windows as long as there are some, and passes their sites on.
func (s *searcher) searchAll(windows chan<- chan found, free chan *sites) {
	for {
		s.mu.Lock()
		if s.next.contig == len(s.ref.Contigs) || s.ctx.Err() != nil {
			s.mu.Unlock()
			return
		}
		at, letters := s.next, s.letters
		var w window
		w, s.next = s.window(at, letters)
		results := make(chan found)
		windows <- results
		s.mu.Unlock()
		if err := s.searchPieces(at, w.letters(), letters, results, free); err != nil {
			results <- found{err: err}
		}
		close(results)
	}
}

// searchPieces searches `left` letters of contigs from a place on, by pieces of that many letters
// at most, or fewer where these have too many sites.
func (s *searcher) searchPieces(at place, left, letters int, results chan<- found, free chan *sites) error {
	b := &s.options.bounds
	for left > 0 {
		w, next := s.window(at, min(letters, left))
		least := letters <= leastWindow
		most := b.sites
		if least {
			most = b.leastSites
		}
		memory := <-free
		if err := s.search(w, most, memory); err != nil {
			free <- memory
			if !errors.Is(err, errTooMany) {
				return err
			}
			if least {
				return fmt.Errorf("the primers have more than %d sites within %d bases of position %d of contig %q: "+
					"too many to be paired; allow fewer edits or a smaller product", most, w[0].last-w[0].first, max(w[0].first-s.rings[at.contig].from, 0)+1, s.ref.Contigs[at.contig].Name)
			}
			letters = max(min(letters, left)/2/leastWindow*leastWindow, leastWindow)
			continue
		}
		letters = s.after(w.letters(), len(memory.left)+len(memory.right))
		s.mu.Lock()
		s.letters = min(letters, max(b.most, leastWindow))
		s.mu.Unlock()
		left -= w.letters()
		at = next
		results <- found{sites: memory}
	}
	return nil
}

// after is how many letters the next window gets, after one with some letters and sites: with sites
// as dense it has half of the most that it may have.
func (r *runner) after(letters, sites int) int {
	next := int(min(0.5*float64(letters)*float64(r.options.bounds.sites)/float64(max(sites, 1)), 4*float64(letters)))
	return max(next/leastWindow*leastWindow, leastWindow)
}

// search sets found to the sites of a window, in groups, or returns errTooMany.
func (s *searcher) search(w window, most int, found *sites) error {
	clear(found.operations)
	found.window, found.left, found.right, found.operations = w, found.left[:0], found.right[:0], append(found.operations[:0], nil)
	all := make([]int, len(s.patterns))
	for i := range all {
		all[i] = i
	}
	margin := s.options.bounds.margin
	for len(all) > 0 {
		c := &collector{searcher: s, window: w, sites: found, numbers: all, most: most}
		first := c.reach(margin)
		stats, err := s.locations(search.NewDNA(c.view(first)), all, c.add)
		if err != nil {
			return err
		}
		c.dropOpen()
		s.mu.Lock()
		s.stats.Device = stats.Device
		for _, name := range stats.Schemes {
			if !slices.Contains(s.stats.Schemes, name) {
				s.stats.Schemes = append(s.stats.Schemes, name)
			}
		}
		s.mu.Unlock()
		all, margin = c.open, 8*margin
	}
	found.count(s.runner)
	if !s.options.Multiplex {
		found.group(s.runner)
	}
	return nil
}

// locations searches for the patterns of these numbers. The tables of all patterns, and GPUs, are
// kept for the next window.
func (s *searcher) locations(text *search.Text, numbers []int, emit func([]search.Location) error) (*search.Stats, error) {
	if len(numbers) == len(s.patterns) {
		return s.repeated.Run(s.ctx, text, emit)
	}
	var patterns []search.Pattern
	for _, i := range numbers {
		patterns = append(patterns, s.patterns[i])
	}
	return search.Run(s.ctx, text, patterns, s.options.Search, emit)
}
