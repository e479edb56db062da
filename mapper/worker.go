package mapper

import "time"

// A worker turns what was found for groups of reads into text. It owns all its
// scratch memory.
type worker struct {
	m        *mapper
	locator  locator
	recorder recorder
	stats    Stats
	counts   []int32
	// locations of the reads of a group; those of the i-th are
	// locations[ends[i-1]:ends[i]].
	locations []location
	ends      []int
	chosen    []choice
}

// A choice is what of a read is reported: locations[from:to] of the worker, the
// first of them primary.
type choice struct {
	from, to int
	mapQ     byte
	second   int32 // distance of the next best location, or -1
}

func (w *worker) init(m *mapper) {
	w.m = m
	w.locator.ref = m.ref
	w.recorder = recorder{ref: m.ref, options: &m.options}
	w.stats.PerContig = make([]ContigStats, len(m.ref.Contigs))
}

// resolve appends the records of reads [from, to) of a batch to text.
func (w *worker) resolve(b *batch, f *found, from, to int, text []byte) []byte {
	w.locator.b = b
	w.locator.aligner.reset()
	clock := &w.m.clock
	start := time.Now()
	w.locate(b, f, from, to)
	start = clock.add(stageVerify, start, int64(f.from[to]-f.from[from]))
	n := w.choose(b, from, to)
	start = clock.add(stageAlign, start, int64(n))
	before := w.stats.Reported
	for i := range to - from {
		text = w.format(text, b, from+i, &w.chosen[i])
	}
	clock.add(stageFormat, start, w.stats.Reported-before)
	return text
}

// locate fills w.locations.
func (w *worker) locate(b *batch, f *found, from, to int) {
	w.locations, w.ends = w.locations[:0], w.ends[:0]
	for read := from; read < to; read++ {
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
		w.ends = append(w.ends, len(w.locations))
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
	begin := 0
	for i := range to - from {
		read := from + i
		all := w.locations[begin:w.ends[i]]
		c := choice{from: begin, to: begin, second: -1}
		w.count(b, read, all)
		if len(all) > 0 {
			c.mapQ = mapQ(w.counts, int(b.k[read]))
			c.second = w.second()
			reported := w.reported(all)
			for j := range reported {
				w.locator.aligner.align(w.m.ref, b, read, &reported[j])
			}
			aligned += len(reported)
			order(reported)
			primaryFirst(reported, b.reads[read].Name, int(b.length[read]), w.m.options.Seed)
			c.to = begin + w.limit(len(reported))
		}
		w.chosen = append(w.chosen, c)
		begin = w.ends[i]
	}
	return aligned
}

// count fills w.counts with the number of a read's locations at each distance, and
// adds the read to the statistics.
func (w *worker) count(b *batch, read int, all []location) {
	s := &w.stats
	s.Bases += int64(b.length[read])
	if b.length[read] > 0 && b.ambiguous[read] > b.k[read] {
		s.Ambiguous++
	}
	s.PerRead = increment(s.PerRead, bucketOf(len(all)))
	s.Mappings += int64(len(all))
	if len(all) == 0 {
		return
	}
	w.counts = resize(w.counts, int(b.k[read])+1)
	clear(w.counts)
	for i := range all {
		w.counts[all[i].distance]++
	}
	s.Mapped++
	if len(all) == 1 {
		s.Unique++
	} else {
		s.Multiple++
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

// reported moves the locations that the report mode asks for to the front of all and
// returns them. For one it returns all of the least distance, of which the primary is
// chosen later.
func (w *worker) reported(all []location) []location {
	report := w.m.options.Report
	most := int32(w.best())
	switch report.Mode {
	case ReportAll:
		return all
	case ReportStrata:
		most += int32(report.Strata)
	case ReportUnique:
		if w.counts[most] > 1 {
			return nil
		}
	case ReportBest, ReportOne:
	}
	n := 0
	for i := range all {
		if all[i].distance <= most {
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

// format appends the records of a read.
func (w *worker) format(text []byte, b *batch, read int, c *choice) []byte {
	if c.from == c.to {
		if w.m.options.OmitUnmapped {
			return text
		}
		return w.recorder.unmapped(text, b, read)
	}
	locations := w.locations[c.from:c.to]
	w.stats.Reported += int64(len(locations))
	w.stats.PerContig[locations[0].place.contig()].Primary++
	for i := range locations {
		w.stats.PerContig[locations[i].place.contig()].Mappings++
	}
	return w.recorder.mapped(text, b, read, &w.locator.aligner, locations, c.mapQ, c.second)
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

// add adds the counts that workers keep.
func (s *Stats) add(t *Stats) {
	s.Mapped += t.Mapped
	s.Ambiguous += t.Ambiguous
	s.Unique += t.Unique
	s.Multiple += t.Multiple
	s.Capped += t.Capped
	s.Bases += t.Bases
	s.Mappings += t.Mappings
	s.Reported += t.Reported
	s.ByDistance = sum(s.ByDistance, t.ByDistance)
	s.PerRead = sum(s.PerRead, t.PerRead)
	for i := range t.PerContig {
		s.PerContig[i].Primary += t.PerContig[i].Primary
		s.PerContig[i].Mappings += t.PerContig[i].Mappings
	}
}

func sum(a, b []int64) []int64 {
	for len(a) < len(b) {
		a = append(a, 0)
	}
	for i := range b {
		a[i] += b[i]
	}
	return a
}
