package mapper

import (
	"time"

	"scanmap/fasta"
)

// A worker turns what was found for groups of reads into text. It owns all its
// scratch memory.
type worker struct {
	m        *mapper
	index    int
	locator  locator
	recorder recorder
	stats    Stats
	counts   []int32
	// locations of the reads of a group; those of the i-th are
	// locations[spans[i].from:spans[i].to].
	locations []location
	spans     []span
	chosen    []choice
	pairing   pairing
	placed    []placed // records that are not counted on their contigs yet
}

// span is a range of indices [from, to).
type span struct{ from, to int }

// A choice is what of a read is reported: locations[from:to] of the worker, the
// first of them primary.
type choice struct {
	from, to int
	mapQ     byte
	second   int32 // distance of the next best location, or -1
	rescued  bool
	pair     pairClass
}

func (w *worker) init(m *mapper, index int) {
	w.m, w.index = m, index
	w.locator.ref = m.ref
	w.recorder = recorder{ref: m.ref, options: &m.options, out: m.out}
	w.pairing.worker = w
	for _, l := range m.options.Libraries {
		w.stats.Libraries = append(w.stats.Libraries, newLibraryStats(&l))
	}
}

// resolve appends what is written of reads [from, to) of a batch to out.
func (w *worker) resolve(b *batch, f *found, from, to int, out block) block {
	w.locator.b = b
	w.locator.aligner.reset()
	clock := &w.m.clock
	start := time.Now()
	w.locate(b, f, from, to)
	start = clock.add(stageVerify, start, int64(f.from[to]-f.from[from]))
	paired := b.library.paired()
	choose := w.choose
	if paired {
		choose = w.choosePairs
	}
	n := choose(b, from, to)
	start = clock.add(stageAlign, start, int64(n))
	reported := &w.stats.Libraries[b.library.index].Reported
	before := *reported
	if paired {
		for i := 0; i < to-from; i += 2 {
			out = w.formatPair(out, b, from+i, w.chosen[i:i+2])
		}
	} else {
		for i := range to - from {
			out = w.format(out, b, from+i, &w.chosen[i])
		}
	}
	w.m.contigs[w.index].add(w.placed)
	w.placed = w.placed[:0]
	clock.add(stageFormat, start, *reported-before)
	return out
}

// locate fills w.locations.
func (w *worker) locate(b *batch, f *found, from, to int) {
	w.locations, w.spans = w.locations[:0], w.spans[:0]
	for read := from; read < to; read++ {
		before := len(w.locations)
		list := f.list[f.from[read]:f.from[read+1]]
		if len(list) > 0 {
			if f.scanned[read] {
				list := w.locator.fromOccurrences(read, list)
				w.locations = append(w.locations, list...)
			} else {
				w.locations = append(w.locations, w.locator.fromCandidates(read, list)...)
			}
		}
		if len(f.located) > 0 {
			w.take(b, f, read)
		}
		w.spans = append(w.spans, span{before, len(w.locations)})
	}
}

// take adds to w.locations those of a read that a GPU found.
func (w *worker) take(b *batch, f *found, read int) {
	ops := &w.locator.aligner.ops
	for _, l := range f.located[f.locatedFrom[read]:f.locatedFrom[read+1]] {
		loc := l.location
		if loc.aligned {
			from := len(*ops)
			if loc.opsFrom == loc.opsTo {
				*ops = append(*ops, operation{diagonal, b.length[read]})
			} else {
				*ops = append(*ops, f.operations[loc.opsFrom:loc.opsTo]...)
			}
			loc.opsFrom, loc.opsTo = int32(from), int32(len(*ops))
		}
		w.locations = append(w.locations, loc)
	}
}

// choose aligns what is reported of each read and puts it in order. It returns the
// number of alignments.
func (w *worker) choose(b *batch, from, to int) (aligned int) {
	w.chosen = w.chosen[:0]
	for i := range to - from {
		w.chosen = append(w.chosen, choice{})
		aligned += w.chooseAlone(b, from+i, w.spans[i], &w.chosen[i])
	}
	return aligned
}

// chooseAlone makes the choice for a read by its own locations, and returns the number of alignments.
func (w *worker) chooseAlone(b *batch, read int, s span, c *choice) (aligned int) {
	all := w.locations[s.from:s.to]
	*c = choice{from: s.from, to: s.from, second: -1}
	w.count(b, read, all)
	if len(all) == 0 {
		return 0
	}
	c.mapQ = mapQ(w.counts, int(b.k[read]))
	c.second = w.second()
	reported := w.reported(all, nil)
	w.arrange(b, read, reported)
	primaryFirst(reported, b.reads[read].Name, int(b.length[read]), w.m.options.Seed)
	c.to = s.from + w.limit(len(reported))
	return len(reported)
}

// count fills w.counts with the number of a read's locations at each distance, and
// adds the read to the statistics. What is counted for its library, gatherLibraries adds up.
func (w *worker) count(b *batch, read int, all []location) {
	s, l := &w.stats, &w.stats.Libraries[b.library.index]
	s.Bases += int64(b.length[read])
	l.Reads++
	if len(all) == 0 && b.length[read] > 0 && b.ambiguous[read] > b.k[read] {
		l.Ambiguous++
	}
	s.PerRead = increment(s.PerRead, bucketOf(len(all)))
	l.Mappings += int64(len(all))
	if len(all) == 0 {
		return
	}
	most := b.k[read]
	for i := range all {
		most = max(most, all[i].distance) // of rescued mates it may be larger
	}
	w.counts = resize(w.counts, int(most)+1)
	clear(w.counts)
	for i := range all {
		w.counts[all[i].distance]++
	}
	l.Mapped++
	if len(all) == 1 {
		l.Unique++
	}
	s.ByDistance = increment(s.ByDistance, w.best())
}

// best is the least distance of the locations counted in w.counts.
func (w *worker) best() int {
	d := 0
	for w.counts[d] == 0 {
		d++
	}
	return d
}

// second returns the distance of the second best of the locations counted, or -1.
func (w *worker) second() int32 {
	n := int32(0)
	for d, count := range w.counts {
		if n += count; n > 1 {
			return int32(d)
		}
	}
	return -1
}

// arrange aligns locations of a read and puts them in order.
func (w *worker) arrange(b *batch, read int, locations []location) {
	for i := range locations {
		w.locator.aligner.align(w.m.ref, b, read, &locations[i])
	}
	order(locations)
}

// reported moves the locations that the report mode asks for to the front of all and
// returns them. primary is the primary location that a pair has chosen, which need not be one of the least distance and is always among
// them, or nil, when for ReportOne all of the least distance are returned, of which the primary is chosen later. With ReportUnique a mate
// has its primary location alone, if that is its only best one, or if its pair is the only proper one of the fewest edits.
func (w *worker) reported(all []location, primary *location) []location {
	report := w.m.options.Report
	most := int32(w.best())
	switch report.Mode {
	case ReportAll:
		return all
	case ReportStrata:
		most += int32(report.Strata)
	case ReportUnique:
		onlyBest := w.counts[most] == 1 && (primary == nil || primary.distance == most)
		if !onlyBest && (primary == nil || !w.pairing.unique) {
			return nil
		}
		if primary != nil {
			most = -1
		}
	case ReportOne:
		if primary != nil {
			most = -1
		}
	case ReportBest:
	}
	n := 0
	for i := range all {
		if all[i].distance <= most || primary != nil && compareSites(&all[i], primary) == 0 {
			all[n] = all[i]
			n++
		}
	}
	return all[:n]
}

// limit returns how many of n ordered locations are written.
func (w *worker) limit(n int) int {
	if w.m.options.Report.Mode == ReportOne {
		n = min(n, 1)
	}
	if most := w.m.options.MaxLocations; most > 0 && n > most {
		w.stats.Capped++
		n = most
	}
	return n
}

// format appends the records of a read without a mate.
func (w *worker) format(out block, b *batch, read int, c *choice) block {
	if c.from == c.to {
		if w.m.out.unmapped != nil {
			out.unmapped = fasta.AppendFASTQ(out.unmapped, &b.reads[read], "")
		}
		if !w.m.options.OmitUnmapped {
			out.records = w.recorder.unmapped(out.records, b, read, alone)
		}
		return out
	}
	locations := w.locations[c.from:c.to]
	w.countReported(b, locations)
	out.records = w.recorder.mapped(out.records, b, read, &w.locator.aligner, locations, c, alone)
	return out
}

// countReported adds records to the statistics.
func (w *worker) countReported(b *batch, locations []location) {
	w.stats.Libraries[b.library.index].Reported += int64(len(locations))
	for i := range locations {
		l := &locations[i]
		w.placed = append(w.placed, placed{l.place.contig(), l.start, l.end, i == 0})
	}
}

// bucketOf returns the index in Stats.PerRead of a read with n locations.
func bucketOf(n int) int {
	bucket := min(n, 2)
	for most := 2; n > most; most *= 2 {
		bucket++
	}
	return bucket
}

// increment adds one to counts[i], making counts longer where needed.
func increment(counts []int64, i int) []int64 {
	for len(counts) <= i {
		counts = append(counts, 0)
	}
	counts[i]++
	return counts
}
