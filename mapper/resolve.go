package mapper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// A resolver makes the records of parts, which come in order, and hands them to the writer.
type resolver struct {
	ref     *dna.Reference
	pairs   *PairOptions
	options *Options
	shared  *sharedReference
	team    *team           // that makes records
	contigs []*contigCounts // of each worker
	times   *times
	out     *orderedWriter
	blocks  int // numbered
	due     []groupDue
	current *library // whose parts came last
	// estimate estimates the insert size of the current library, nil for none or when it is known.
	estimate *estimate
	// seekers seek reads again, one after the other: up to larger distances, in several steps, and
	// their parts. Where nothing is sought there are none.
	seekers []*seeker
	many    sync.Mutex // of a group with many locations, see manyFound
	// verified counts the windows of parts that were looked at for an estimate, and held.
	verified atomic.Int64
}

// A groupDue is a group of reads of a part whose records are due. All groups that are due are made
// together, as workers wait for the last one.
type groupDue struct {
	part  *part
	reads span
}

func newResolver(ref *dna.Reference, o *Options, out *orderedWriter, t *times) *resolver {
	r := &resolver{ref: ref, pairs: &o.Pairs, shared: o.shared, options: o, times: t, out: out, contigs: newContigCounts(ref, o.Threads), seekers: newSeekers(ref, o, t)}
	r.team = newTeam(ref, o, r.contigs)
	out.moves = r.team.sharing.Wake
	return r
}

// resolve turns a part into records, now or when the insert size is known.
func (r *resolver) resolve(ctx context.Context, p part) error {
	if err := r.take(ctx, p); err != nil {
		return err
	}
	return r.writeDue(ctx)
}

// take is resolve, without the groups that are due at the end.
func (r *resolver) take(ctx context.Context, p part) error {
	if r.current != p.library {
		if err := r.settle(ctx); err != nil {
			return err
		}
		if r.current = p.library; r.current.paired() && r.current.insert.Load() == nil {
			r.estimate = newEstimate(r.options.limits.estimatePairs)
		}
	}
	if e := r.estimate; e != nil {
		r.learn(ctx, e, &p)
		if !e.done {
			return nil
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	return r.write(ctx, &p)
}

// learn collects what the pairs of a part tell. If that is not enough for the estimate, the part is
// held: its locations alone, which are few against candidates.
func (r *resolver) learn(ctx context.Context, e *estimate, p *part) {
	reads := len(p.batch.Reads)
	seen := make([]pairSeen, reads/2)
	groups := p.found.Cut(p.batch)
	ofGroup := make([]looked, len(groups)-1)
	plannedAlone := r.options.near() >= 0 && e.heldLocations >= r.options.heldLocations()
	// Pairs come in order, but the first threads' groups are likely to suffice.
	for next := 0; next < len(groups)-1 && !e.done; {
		last := min(next+4*len(r.team.workers), len(groups)-1)
		r.team.ranges(last-next, func(w *worker, _, i int) {
			g := next + i
			ofGroup[g] = w.lookAtPairs(ctx, p, groups[g], groups[g+1], seen, plannedAlone)
		})
		for i := groups[next] / 2; i < groups[last]/2 && !e.done; i++ {
			e.take(seen[i])
		}
		next = last
	}
	if e.done {
		return // the part is verified again, where it was looked at
	}
	held := r.held(p, p.holdBatch(span{0, reads}), groups, ofGroup)
	e.heldLocations += held.found.Count(0, reads)
	if plannedAlone {
		for i := range reads { // the seekers find the others again
			held.batch.SeekTo(i, min(held.batch.Sought(i), int(r.options.planned(held.batch.Length(i)))))
		}
	}
	e.held = append(e.held, held)
}

// holdBatch returns a function that returns the batch of some reads of a part, for a part that is
// held: a copy, made meanwhile, unless the part was held before.
func (p *part) holdBatch(reads span) func() *find.Batch {
	b := p.batch.Slice(reads.from, reads.to)
	if p.held {
		return func() *find.Batch { return b }
	}
	copied := make(chan *find.Batch, 1)
	go func() { copied <- b.Clone() }()
	return func() *find.Batch { return <-copied }
}

// held returns a part of some reads of p that has their held locations and no candidates. groups
// are the borders of the groups of these reads, and ofGroup has the locations of each group.
func (r *resolver) held(p *part, batch func() *find.Batch, groups []int, ofGroup []looked) part {
	first := groups[0]
	reads := make([]find.HeldRead, 0, groups[len(groups)-1]-first+1)
	left := map[int][]uint32{}
	for i := range ofGroup {
		g := &ofGroup[i]
		reads = append(reads, g.reads...)
		for read, numbers := range g.left {
			left[read-first] = numbers
		}
		r.verified.Add(g.verified)
	}
	held := part{library: p.library, batch: batch(), found: &find.Found{}, held: true}
	if p.found.Unlisted() {
		held.found.HoldUnlisted()
	} else {
		held.found.Hold(reads, left)
	}
	return held
}

// settle ends the estimate of the current library, if there is one, and makes the records that wait
// for it.
func (r *resolver) settle(ctx context.Context) error {
	l, e := r.current, r.estimate
	if e == nil {
		return nil
	}
	least := r.pairs.MinInsert
	model := fit(e.inserts, least)
	if least == 0 {
		model.readThrough(int(e.longest))
	}
	if model.high < least {
		return fmt.Errorf("%s: the first pairs have insert sizes of at most %d, but the least allowed is %d", l.Reads, model.high, least)
	}
	l.insert.Store(model)
	r.estimate = nil
	for i := range e.held {
		if err := r.write(ctx, &e.held[i]); err != nil {
			return err
		}
	}
	return nil
}

// write makes the records of a part, now or when some of its reads have been sought again.
func (r *resolver) write(ctx context.Context, p *part) error {
	if p.found.Unlisted() {
		p.batch.SeekAll() // as a Reader does then
	}
	if r.waitsFor(p.library) {
		if err := r.writeWaiting(ctx); err != nil {
			return err
		}
	}
	return r.writeBy(ctx, r.seekers, p, span{0, len(p.batch.Reads)})
}

// waitsFor tells whether parts of another library wait.
func (r *resolver) waitsFor(l *library) bool {
	return slices.ContainsFunc(r.seekers, func(s *seeker) bool { of := s.library(); return of != nil && of != l })
}

// writeBy makes the records of reads of a part. Seekers that take the part may seek some of the
// reads again, one seeker after the other. Parts that wait for other seekers come before it.
func (r *resolver) writeBy(ctx context.Context, seekers []*seeker, p *part, reads span) error {
	for ; len(seekers) > 0 && !seekers[0].takes(p); seekers = seekers[1:] {
		if err := r.writeAll(ctx, seekers); err != nil {
			return err
		}
	}
	if len(seekers) == 0 {
		r.add(p, p.groups(reads))
		return nil
	}
	held, err := r.hold(ctx, r.team, p, reads, seekers[0].step)
	if err != nil {
		return err
	}
	return r.seekOf(ctx, seekers, &held)
}

// seekOf has a held part wait for the first of some seekers, and begins a search where it is time.
func (r *resolver) seekOf(ctx context.Context, seekers []*seeker, held *part) error {
	seekers[0].wait(held)
	if !seekers[0].enough() {
		return nil
	}
	return r.seek(ctx, seekers)
}

// resolveHeld is resolve for a part that is held for the first seeker already, of the library of
// the part before.
func (r *resolver) resolveHeld(ctx context.Context, held *part) error {
	if err := r.seekOf(ctx, r.seekers, held); err != nil {
		return err
	}
	return r.writeDue(ctx)
}

// seek begins a search for the parts that wait for the first of some seekers. It first makes
// records of earlier parts if the finders are busy. It also makes the records of these parts if the
// finder does not work ahead.
func (r *resolver) seek(ctx context.Context, seekers []*seeker) error {
	s := seekers[0]
	for s.busy() {
		if err := r.writeFound(ctx, seekers); err != nil {
			return err
		}
	}
	ahead, err := s.begin(ctx)
	if err != nil || ahead {
		return err
	}
	return r.writeFound(ctx, seekers)
}

// writeFound makes the records of the parts that are sought by the first of some seekers, those
// whose search began first.
func (r *resolver) writeFound(ctx context.Context, seekers []*seeker) error {
	do := func(p *part, reads span) error { return r.writeBy(ctx, seekers[1:], p, reads) }
	return seekers[0].use(ctx, do, func() error { return r.writeDue(ctx) })
}

// writeAll makes the records of all parts that the first of some seekers has.
func (r *resolver) writeAll(ctx context.Context, seekers []*seeker) error {
	s := seekers[0]
	if len(s.waiting.parts) > 0 {
		if err := r.seek(ctx, seekers); err != nil {
			return err
		}
	}
	for len(s.underWay) > 0 {
		if err := r.writeFound(ctx, seekers); err != nil {
			return err
		}
	}
	return nil
}

// writeWaiting makes the records of all parts that wait.
func (r *resolver) writeWaiting(ctx context.Context) error {
	for i := range r.seekers {
		if err := r.writeAll(ctx, r.seekers[i:]); err != nil {
			return err
		}
	}
	return nil
}

// stop ends what goes on beside, once nothing is resolved any more.
func (r *resolver) stop() {
	for _, s := range r.seekers {
		s.stop()
	}
}

// groups returns the borders of groups of some reads of the part.
func (p *part) groups(reads span) []int {
	groups := p.found.Cut(p.batch)
	from, _ := slices.BinarySearch(groups, reads.from+1)
	to, _ := slices.BinarySearch(groups, reads.to)
	return slices.Concat([]int{reads.from}, groups[from:to], []int{reads.to})
}

// end makes the records that wait for anything.
func (r *resolver) end(ctx context.Context) error {
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.writeWaiting(ctx); err != nil {
		return err
	}
	return r.writeDue(ctx)
}

// hold has a team find the locations of some reads of a part, and which reads are to be sought
// again: up to a larger distance or, by their parts, because they have no location. Two teams may
// hold parts at the same time, but not both for the first step, whose reads are counted.
func (r *resolver) hold(ctx context.Context, by *team, p *part, reads span, of step) (part, error) {
	groups, batch := p.groups(reads), p.holdBatch(reads)
	ofGroup := make([]looked, len(groups)-1)
	toSeek := make([]int32, reads.to-reads.from)
	by.ranges(len(groups)-1, func(w *worker, _, i int) {
		from, to := groups[i], groups[i+1]
		if p.listed(from, to) > manyFound {
			r.many.Lock()
			defer r.many.Unlock()
		}
		start := r.times.find.Verify.Start()
		ofGroup[i] = w.look(ctx, p, from, to)
		again := toSeek[from-reads.from : to-reads.from]
		if of == seekParts {
			w.seekParts(p, from, again)
		} else {
			w.seekAgain(p, from, again, of)
		}
		w.hold(p, &ofGroup[i], from, func(i int) int32 {
			if again[i] != notAgain {
				return -1 // the whole read is found again
			}
			return math.MaxInt32
		})
		r.times.find.Verify.Add(start, int64(p.found.Count(from, to)))
		if p.listed(from, to) > keptItems {
			w.forget()
		}
	})
	if err := ctx.Err(); err != nil { // the locations may not be complete
		batch() // nobody copies any more
		return part{}, r.out.fail(err)
	}
	held := r.held(p, batch, groups, ofGroup)
	if of == seekNext {
		r.shared.count(r.options, held.batch, toSeek)
	}
	if held.toSeek = toSeek; held.found.Unlisted() {
		for i := range toSeek {
			toSeek[i] = notAgain
		}
	}
	return held, nil
}

// add makes groups of reads of a part due, between the borders that are given. Nothing of the part
// is given up before writeDue.
func (r *resolver) add(p *part, groups []int) {
	now := new(part) // others of its reads may be sought again meanwhile
	*now = *p
	for i := range len(groups) - 1 {
		r.due = append(r.due, groupDue{now, span{groups[i], groups[i+1]}})
	}
}

// writeDue makes the records of all groups that are due.
func (r *resolver) writeDue(ctx context.Context) error {
	if r.blocks == 0 && len(r.due) > 0 {
		for _, w := range r.team.workers {
			w.writeTo(r.out)
		}
	}
	first := r.blocks
	r.blocks += len(r.due)
	var once sync.Once
	var failed error
	r.team.ranges(len(r.due), func(w *worker, number, i int) {
		err := ctx.Err()
		if err != nil {
			err = r.out.fail(err)
		} else {
			err = r.writeGroup(ctx, w, number, r.due[i].part, r.due[i].reads, first+i)
		}
		if err != nil {
			once.Do(func() { failed = err })
		}
	})
	clear(r.due)
	r.due = r.due[:0]
	return failed
}

// manyFound is how many listed items make a group wait for others, as it takes some 100 MB. The
// group waits until all before it are written. Where nothing is written and its part has more than
// MostLocations, it waits until no other such group is at work.
const manyFound = 1 << 19

// writeGroup has a worker make the records of some reads of a part and hand them on as block n.
func (r *resolver) writeGroup(ctx context.Context, w *worker, number int, p *part, reads span, n int) error {
	idle := w.format.idle()
	switch many := p.listed(reads.from, reads.to) > manyFound; {
	case many && !idle:
		r.team.sharing.HelpUntil(number, func() bool { return r.out.within(n, 0) })
		if err := r.out.await(n); err != nil {
			return err
		}
	case many && p.listed(0, len(p.batch.Reads)) > MostLocations:
		r.many.Lock()
		defer r.many.Unlock()
	}
	w.format.recorder.spill = func(records []byte) []byte { return r.out.writeEarly(n, records) }
	made := w.resolve(ctx, p, reads.from, reads.to, r.times, r.out.buffer())
	if err := ctx.Err(); err != nil { // the records may not be complete
		return r.out.fail(err)
	}
	if idle {
		return nil
	}
	start, size := r.times.write.Start(), made.size()
	if r.out.taking != nil {
		var err error
		if made.lengths, err = sam.Lengths(made.lengths[:0], made.records); err != nil {
			return r.out.fail(err)
		}
	}
	r.team.sharing.HelpUntil(number, func() bool { return r.out.within(n, r.out.ahead-1) })
	err := r.out.write(n, made)
	r.times.write.Add(start, size)
	return err
}

// mapped returns the number of reads mapped so far.
func (r *resolver) mapped() (n int64) {
	for _, w := range r.team.workers {
		for _, l := range w.tally.stats.Libraries {
			n += l.Mapped
		}
	}
	return n
}

// gather adds up what the workers counted.
func (r *resolver) gather(s *Stats) {
	s.PerContig = newContigStats(r.ref)
	s.Verified += r.verified.Load()
	first := true
	for _, w := range r.team.workers {
		s.add(&w.tally.stats)
		s.AddLengths(&w.tally.stats, first)
		first = first && w.tally.stats.Reads == 0
		s.Verified += w.group.reader.Locator.Verified
	}
	s.gatherContigs(r.contigs)
	s.gatherLibraries()
}
