package mapper

import (
	"context"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/mapper/find"
)

// A seeker searches again for reads whose locations so far do not tell enough, in a pass over the
// reference for these reads alone: up to a larger distance (near.go), or by parts of reads without
// a local location. Parts of batches wait until they are enough to be worth a pass.
//
// GPUs seek while more parts come, each for some that waited together, and go on while records are
// made of what they found. A finder that takes all processors has the next parts wait.
type seeker struct {
	ref     *dna.Reference
	options find.Options
	crew    *crew // that has the searches
	finders seekingFinders
	step    step
	waiting waiting
	// underWay are searches in the order of their parts, and idle are searches that can begin.
	underWay, idle []*search
}

// again is seekingFinders where there is the CPU alone.
type againOnCPU struct{}

func (againOnCPU) seeking() int { return 1 }

func (againOnCPU) worksAhead() bool { return false }

func (againOnCPU) again(ref *dna.Reference, o find.Options, _ int, have find.Finder) (find.Finder, error) {
	if have != nil {
		return have, nil
	}
	return find.OnCPU(ref, o), nil
}

// waiting are parts that wait together, all of one library.
type waiting struct {
	parts []part
	// reads and locations are how many the parts have, and packed is how many reads are packed for
	// the search: the ones to be sought, and their mates.
	reads, packed, locations int
}

// A search is a finder at work on the reads of some parts that are to be sought.
type search struct {
	number    int
	options   find.Options
	member    *member
	parts     []part
	found     chan part // of the reads that are packed, in order; closed at the end
	cancel    context.CancelFunc
	sought    []soughtRead // are packed, up to these distances
	packed    []fasta.Read
	distances []int32
}

// newSeekers returns the seekers of a run, in order.
func newSeekers(ref *dna.Reference, o *Options, t *times) (all []*seeker) {
	for _, of := range o.seeks() {
		timer := &t.again
		if of == seekParts {
			timer = &t.parts
		}
		all = append(all, &seeker{
			ref: ref, options: o.again(), finders: againOnCPU{}, step: of,
			crew: &crew{k: o.largest, near: o.nearOf, pack: timer, find: timer},
		})
	}
	return all
}

// takes tells whether reads of a part may be sought again.
func (s *seeker) takes(p *part) bool { return s.step == seekParts || p.batch.Partly() }

const (
	// batchesOnGPU is how many batches of reads wait for a GPU at most, not counting the last one.
	batchesOnGPU = 4
	// soughtReads is the most reads packed at a time by a CPU on a short reference, not counting a
	// last mate.
	soughtReads = 1 << 16
	// waitingLocations is how many locations wait at most, not counting the part that came last.
	waitingLocations = 1 << 22
)

// atATime is the most reads packed at a time, not counting a last mate, for a length of the
// reference: half of a batch, as reads that are sought again take more pieces, so that a pass costs
// little against the work for its reads. GPUs work ahead, and take the reads of a batch.
func atATime(bases int64, ahead bool) int64 {
	if ahead {
		return int64(find.GPUBatchReads(bases))
	}
	return int64(max(soughtReads, find.BatchReads(bases)/2))
}

// atATime is that of the finders at hand.
func (s *seeker) atATime() int {
	return int(atATime(int64(s.ref.TotalLength()), s.finders.worksAhead()))
}

// wait has a held part wait. Its field toSeek says which reads are sought.
func (s *seeker) wait(p *part) {
	w := &s.waiting
	w.parts = append(w.parts, *p)
	w.reads += len(p.batch.Reads)
	w.locations += p.found.Count(0, len(p.batch.Reads))
	for from, together := 0, p.batch.Together; from < len(p.toSeek); from += together {
		if these := p.toSeek[from:min(from+together, len(p.toSeek))]; anySought(these) {
			w.packed += len(these)
		}
	}
}

// anySought tells whether any of some reads is sought again.
func anySought(distances []int32) bool {
	return slices.ContainsFunc(distances, func(k int32) bool { return k != notAgain })
}

// enough tells whether no more parts should wait: a pass over the reference costs little against
// the work for the waiting reads (find.BatchReads). GPUs work ahead and begin earlier: with half of
// a pass, where the last part mostly brought more, or with the reads of four batches.
func (s *seeker) enough() bool {
	most, packed := find.BatchReads(int64(s.ref.TotalLength())), s.atATime()
	if s.finders.worksAhead() {
		most, packed = batchesOnGPU*packed, packed/2
	}
	if n := s.options.BatchReads; n > 0 {
		most = n
	}
	w := &s.waiting
	return w.reads >= most || w.packed >= packed || w.locations >= waitingLocations
}

// library returns the one whose parts wait or are being sought, or nil.
func (s *seeker) library() *library {
	switch {
	case len(s.underWay) > 0:
		return s.underWay[0].parts[0].library
	case len(s.waiting.parts) > 0:
		return s.waiting.parts[0].library
	}
	return nil
}

// busy tells whether no other search can begin.
func (s *seeker) busy() bool { return len(s.underWay) >= s.finders.seeking() }

// begin begins a search for the parts that wait. The first of those under way should be used right
// then if ahead is not set.
func (s *seeker) begin(ctx context.Context) (ahead bool, err error) {
	if len(s.idle) == 0 {
		s.idle = append(s.idle, s.newSearch(len(s.underWay)))
	}
	next, packed := s.idle[0], s.waiting.packed
	if packed > 0 {
		finder, err := s.finders.again(s.ref, next.options, next.number, next.finder())
		if err != nil {
			return false, err
		}
		if finder != next.finder() {
			next.member = newMember(finder)
		}
		ahead = finder.Ahead()
	}
	s.idle, s.underWay = s.idle[1:], append(s.underWay, next)
	ctx, next.cancel = context.WithCancel(ctx)
	next.parts, next.found = s.waiting.parts, make(chan part, 1)
	// In passes for about as many reads.
	most := s.atATime()
	if n := s.options.BatchReads; n > 0 {
		most = min(most, n)
	}
	passes := max((packed+most-1)/most, 1)
	go next.run(ctx, s.crew, (packed+passes-1)/passes)
	s.waiting = waiting{}
	return ahead, nil
}

// finder returns the finder that was at work last, or nil.
func (w *search) finder() find.Finder {
	if w.member == nil {
		return nil
	}
	return w.member.finder
}

// newSearch makes a search with a finder of some number.
func (s *seeker) newSearch(number int) *search {
	made := &search{number: number, options: s.options}
	if s.step == seekParts {
		local := *s.options.Local
		local.Parts = true
		made.options.Local, made.options.Sought = &local, nil
	} else {
		made.options.Sought = func(read, _, _, _ int) int { return int(max(made.distances[read], 0)) }
	}
	return made
}

// run finds for all reads that are to be sought, with inPass reads in a pass. It sends the results
// of a pass before other reads are packed.
func (w *search) run(ctx context.Context, c *crew, inPass int) {
	defer close(w.found)
	// After the end pick would write over reads that are in use.
	for from := (soughtRead{}); ctx.Err() == nil && w.pick(&from, inPass) > 0; {
		t := &task{batch{w.parts[0].library, [][]fasta.Read{w.packed}}, w.found}
		if _, whole := w.member.mapBatch(ctx, c, t); !whole {
			w.member.finder.Discard() // what an error cuts off
			return
		}
	}
}

// pick packs the next reads to be sought from one on, and returns their number: most, or one more
// for a last mate. Mates come together; a mate that is not sought comes without bases.
func (w *search) pick(from *soughtRead, most int) int {
	w.sought, w.packed, w.distances = w.sought[:0], w.packed[:0], w.distances[:0]
	for ; from.part < len(w.parts); *from = (soughtRead{from.part + 1, 0}) {
		p := &w.parts[from.part]
		together, reads := p.batch.Together, len(p.batch.Reads)
		for ; from.read < reads; from.read += together {
			if len(w.sought) >= most {
				return len(w.sought)
			}
			to := min(from.read+together, reads)
			if !anySought(p.toSeek[from.read:to]) {
				continue
			}
			for i := from.read; i < to; i++ {
				read, k := fasta.Read{}, p.toSeek[i]
				if k != notAgain {
					read = p.batch.Reads[i]
				}
				w.sought, w.packed, w.distances = append(w.sought, soughtRead{from.part, i}), append(w.packed, read), append(w.distances, k)
			}
		}
	}
	return len(w.sought)
}

// use calls do for the reads of all parts of the search that began first, a span of reads at a time
// and in order. During a call the part has the results of the sought reads in this span; they last
// until finish is called. The search is idle in the end.
func (s *seeker) use(ctx context.Context, do func(p *part, reads span) error, finish func() error) error {
	w := s.underWay[0]
	var next soughtRead // the first read that was not used
	upTo := func(parts int) error {
		for ; next.part < parts; next = (soughtRead{next.part + 1, 0}) {
			p := &w.parts[next.part]
			if reads := len(p.batch.Reads); next.read < reads {
				if err := do(p, span{next.read, reads}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	packed := 0 // those before it are used
	for found := range w.found {
		if found.err != nil {
			return found.err
		}
		sought := w.sought[packed : packed+len(found.batch.Reads)]
		for first := 0; first < len(sought); {
			of := sought[first].part
			n := 1
			for first+n < len(sought) && sought[first+n].part == of {
				n++
			}
			if err := upTo(of); err != nil {
				return err
			}
			p, to := &w.parts[of], sought[first+n-1].read+1
			p.again = soughtAgain{sought[first : first+n], found.batch, found.found, first, s.step == seekParts}
			p.again.know(p.batch)
			if err := do(p, span{next.read, to}); err != nil {
				return err
			}
			p.again, next.read = soughtAgain{}, to
			first += n
		}
		if packed += len(sought); packed == len(w.sought) {
			packed = 0 // others are packed once these are not used
		}
		if err := finish(); err != nil {
			return err
		}
		close(found.used)
	}
	if err := ctx.Err(); err != nil { // not all may have been found
		return err
	}
	if err := upTo(len(w.parts)); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	w.cancel()
	w.parts = nil
	s.underWay, s.idle = s.underWay[1:], append(s.idle, w)
	return nil
}

// stop ends the searches that are under way.
func (s *seeker) stop() {
	for _, w := range s.underWay {
		w.cancel()
	}
	for _, w := range s.underWay {
		for range w.found { // until the finder has stopped
		}
	}
}
