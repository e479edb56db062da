package mapper

import (
	"scanmap/locate"
	"scanmap/mapper/find"
)

// A tally is the statistics that one worker counts.
type tally struct {
	stats   Stats
	contigs *contigCounts
	placed  []placed // records that are not counted on their contigs yet
	sample  sample   // of unmapped reads
}

func newTally(o *Options, contigs *contigCounts) tally {
	return tally{stats: Stats{Libraries: newLibrariesStats(o.Libraries)}, contigs: contigs}
}

// read counts a read by the choice for it. gatherLibraries adds up the counts of libraries.
func (t *tally) read(of *library, b *find.Batch, read int, c *choice) {
	s, l := &t.stats, &t.stats.Libraries[of.index]
	length := int64(b.Length(read))
	if s.Reads == 0 || length < s.Shortest {
		s.Shortest = length
	}
	s.Reads++ // of the worker
	s.Longest = max(s.Longest, length)
	s.Bases += length
	l.Reads++
	s.PerRead = increment(s.PerRead, bucketOf(c.found))
	l.Mappings += int64(c.found)
	if c.capped {
		s.Capped++
	}
	if c.dropped {
		s.Dropped++
	}
	if c.found == 0 {
		if b.Length(read) > 0 && b.Ambiguous(read) > b.K(read) {
			l.Ambiguous++
		}
		t.sample.take(&b.Reads[read], read%of.together())
		return
	}
	l.Mapped++
	s.MappedBases += length
	if c.found == 1 {
		l.Unique++
	}
	s.ByDistance = increment(s.ByDistance, int(c.best))
}

// records counts the records of a read, the primary one first. counted is the number of others that
// a GPU has counted on their contigs.
func (t *tally) records(of *library, locations []locate.Location, counted int) {
	t.stats.Libraries[of.index].Reported += int64(len(locations) + counted)
	for i := range locations {
		l := &locations[i]
		if l.Covered && i > 0 {
			continue
		}
		t.placed = append(t.placed, placed{l.Place.Contig(), l.Start, l.End, i == 0, l.Covered})
	}
}

// clipped counts the bases that the primary location of a read leaves out.
func (t *tally) clipped(operations []locate.Operation) {
	bases := int64(0)
	for _, o := range operations {
		if o.Kind == locate.Clip {
			bases += int64(o.Length)
		}
	}
	if bases > 0 {
		t.stats.ClippedReads++
		t.stats.ClippedBases += bases
	}
}

// pair counts a pair.
func (t *tally) pair(of *library, c *pairChoice) {
	s := t.stats.Libraries[of.index].Pairs
	s.count(c.class)
	if c.bounded {
		s.Bounded++
	}
	for _, rescued := range c.rescued {
		if rescued {
			s.Rescued++
		}
	}
	if c.insert > 0 {
		s.Insert.count(c.insert)
	}
}

// flush counts the records on their contigs.
func (t *tally) flush() {
	t.contigs.add(t.placed)
	t.placed = t.placed[:0]
}

// bucketOf returns the index in Stats.PerRead of a read with n locations.
func bucketOf(n int) int {
	bucket := min(n, 2)
	for most := 2; n > most; most *= 2 {
		bucket++
	}
	return bucket
}
