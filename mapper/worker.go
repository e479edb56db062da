package mapper

import (
	"context"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/mapper/find"
)

// A worker makes records of groups of reads, one after the other, in steps that each have a type
// of their own: locate, choose, count, report, format. It owns all its scratch memory.
type worker struct {
	group group
	// helper does tasks of other workers' groups, also where a group of this worker waits for tasks of
	// its own.
	helper  find.Reader
	chooser chooser
	pairing pairing
	tally   tally
	report  reporter
	format  formatter
	choices []choice
	pairs   []pairChoice
	// affine, gapped, which is whether alignments may have gaps, and local, nil for whole reads, say
	// which are written: see align.
	affine, gapped bool
	local          *Local
	planned        func(length int) int32 // of Options
	// nearAlone tells that local locations are not settled that are not near, where they do not count.
	nearAlone bool
}

// A team is workers that share work.
type team struct {
	workers []*worker
	sharing parallel.Sharing
}

// newTeam returns a team of a worker for each thread. contigs are what the workers count on, or nil
// for workers that make no records.
func newTeam(ref *dna.Reference, o *Options, contigs []*contigCounts) *team {
	t := &team{}
	for i := range o.Threads {
		var counts *contigCounts
		if contigs != nil {
			counts = contigs[i]
		}
		w := newWorker(ref, o, counts)
		w.group.reader.Share = func(tasks int, do func(by *find.Reader, task int)) {
			t.sharing.Share(i, tasks, func(worker, task int) {
				if by := t.workers[worker]; worker == i {
					do(&by.group.reader, task)
				} else {
					do(&by.helper, task)
				}
			})
		}
		t.workers = append(t.workers, w)
	}
	return t
}

// ranges calls do for each i in [0, n) by some worker.
func (t *team) ranges(n int, do func(w *worker, number, i int)) {
	t.sharing.Ranges(len(t.workers), n, 1, func(worker, i, _ int) { do(t.workers[worker], worker, i) })
}

func newWorker(ref *dna.Reference, o *Options, contigs *contigCounts) *worker {
	w := &worker{
		group:   newGroup(ref, o),
		helper:  newReader(ref, o),
		chooser: chooser{report: o.Report, most: o.MaxLocations, over: o.Over, seed: o.Seed, odds: oddsOf(o)},
		tally:   newTally(o, contigs),
		format:  newFormatter(ref, o),
		affine:  o.Gaps == GapsAffine,
		local:   o.Local,
		planned: o.planned,
		gapped:  o.Metric == Edits,

		nearAlone: o.nearAlone(),
	}
	w.pairing = pairing{options: &o.Pairs, bases: o.basesOf(ref), seed: o.Seed, group: &w.group, odds: oddsOf(o), local: o.Local != nil}
	return w
}

// writeTo prepares for a writer that is open.
func (w *worker) writeTo(o *orderedWriter) {
	w.format.writeTo(o)
	if o.counting != nil {
		w.report.counter = o.counting.Counter()
	}
	cells, ok := o.counting.(CellCounting)
	w.chooser.unordered = w.format.idle() && w.chooser.most == 0 && (o.counting == nil || ok && cells.Cells().Weights == WeighEach)
}

// resolve appends the output for reads [from, to) of a part to a block. When the context ends, the
// output is not complete.
func (w *worker) resolve(ctx context.Context, p *part, from, to int, t *times, out block) block {
	start := t.find.Verify.Start()
	w.locate(ctx, p, from, to, true)
	start = t.find.Verify.Add(start, int64(p.found.Count(from, to)))
	n := w.choose(p.library, from, to)
	start = t.align.Add(start, int64(n))
	records := int64(0)
	for i := range w.choices {
		records += int64(w.choices[i].to - w.choices[i].from)
	}
	w.count(p.library, from)
	w.report.group(&w.group, w.choices)
	if !w.format.idle() {
		w.align(from)
		out = w.write(p.library, from, out)
		out.values = w.format.recorder.takeValues()
	}
	w.countClipped()
	t.format.Add(start, records)
	if p.listed(from, to) > keptItems {
		w.forget()
	}
	return out
}

// locate fills the group with those locations of reads [from, to) of a part that count. While the
// insert size is being estimated, it is not known which do.
func (w *worker) locate(ctx context.Context, p *part, from, to int, withKnown bool) {
	g, l := &w.group, p.library
	g.nearAlone = w.nearAlone && (!l.paired() || l.insert.Load() != nil)
	g.locate(ctx, p, from, to, withKnown)
}

// countsNear tells whether it is known of a pair, whose first mate is read number i of the group,
// that it counts by near locations.
func (w *worker) countsNear(l *library, read, i int) bool {
	g, p := &w.group, &w.pairing
	p.model = l.insert.Load()
	for x := range 2 {
		p.set(x, read+x, g.of(g.spans[i+x]), min(int32(g.batch.Sought(read+x)), int32(g.k(read+x))))
	}
	return p.hasNear(i)
}

// forget gives up the scratch memory that grows with locations.
func (w *worker) forget() {
	w.group.reader.Forget()
	w.helper.Forget()
	w.group.locations = nil
	w.pairing.mates, w.pairing.found, w.pairing.candidates = [2]pairedMate{}, nil, nil
}

// choose makes the choices for the reads of the group, and returns the number of alignments.
func (w *worker) choose(l *library, from, to int) (aligned int) {
	w.choices = parallel.Resize(w.choices, to-from)
	w.pairs = w.pairs[:0]
	n := 0
	if !l.paired() {
		for i := range w.choices {
			w.choices[i], n = w.chooser.choose(&w.group, from+i, i)
			w.group.addSupplement(w.chooser.odds, from+i, &w.choices[i])
			aligned += n
		}
		return aligned
	}
	w.pairing.model = l.insert.Load()
	for i := 0; i < len(w.choices); i += 2 {
		p := w.pairing.choose(from+i, i)
		for x := range 2 {
			c := &w.choices[i+x]
			if p.joined() {
				*c, n = w.chooser.chooseMate(&w.group, w.group.spans[i+x], &w.pairing.mates[x], w.pairing.unique, p.rescued[x])
			} else {
				*c, n = w.chooser.choose(&w.group, from+i+x, i+x)
			}
			p.rescued[x] = p.rescued[x] && c.from < c.to
			c.pair, c.rescued = p.class, p.rescued[x]
			w.group.addSupplement(w.chooser.odds, from+i+x, c)
			aligned += n
		}
		w.pairs = append(w.pairs, p)
	}
	return aligned
}

// count adds the choices to the statistics.
func (w *worker) count(l *library, from int) {
	b := w.group.batch
	for i := range w.choices {
		c := &w.choices[i]
		w.tally.read(l, b, from+i, c)
		w.tally.records(l, w.group.locations[c.from:c.to], c.counted)
	}
	for i := range w.pairs {
		w.tally.pair(l, &w.pairs[i])
	}
	w.tally.flush()
}

// countClipped adds the clipped bases of the choices to the statistics: of what is written, if
// anything is.
func (w *worker) countClipped() {
	if w.local == nil {
		return
	}
	for i := range w.choices {
		c := &w.choices[i]
		if l := w.group.locations[c.from:c.to]; len(l) > 0 && l[0].Aligned {
			w.tally.clipped(w.group.reader.Aligner.Operations(&l[0]))
		}
	}
}

// align makes the alignments that are written of the choices, whose locations are aligned, and puts
// secondary ones in the order in which they start then.
func (w *worker) align(from int) {
	if !w.affine && w.local == nil {
		return
	}
	g := &w.group
	for i := range w.choices {
		c, read := &w.choices[i], from+i
		locations := g.locations[c.from:c.to]
		switch {
		case len(locations) == 0:
		case w.local != nil:
			if penalty := w.local.ClipPenalty; penalty > 0 {
				g.reader.Aligner.UnclipAll(g.read(read), locations, int32(penalty))
				if s := c.supplement; s != nil && g.compete(read, &locations[0], &s.location) {
					c.supplement = nil // the primary record has its bases now
				}
			}
			g.reader.Aligner.Count(g.read(read), locations)
		case !w.gapped:
			for i := range locations {
				g.reader.Aligner.Keep(&locations[i])
			}
		default:
			g.reader.Aligner.Write(g.read(read), locations)
			g.sorter.order(g.reader.Locator.Reference, locations[1:])
		}
	}
}

// write appends the records of the choices.
func (w *worker) write(l *library, from int, out block) block {
	if l.paired() {
		for i := 0; i < len(w.choices); i += 2 {
			out = w.format.pair(out, l, &w.group, from+i, w.choices[i:i+2])
		}
		return out
	}
	for i := range w.choices {
		out = w.format.single(out, l, &w.group, from+i, &w.choices[i])
	}
	return out
}
