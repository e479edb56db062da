package sam

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/temporary"
)

const (
	// DefaultSortMemory is samtools sort's for one thread.
	DefaultSortMemory = 768 << 20
	// MostSortMemory is more than machines have, and so little that no number overflows.
	MostSortMemory = 1 << 44
	// leastSortMemory is enough for two runs in a merge and segments of some hundred
	// records.
	leastSortMemory = 2 << 20
	// mostRuns is the largest number of runs that one merge reads, and so of files
	// that are open for it.
	mostRuns = 64
	// indexShare is the part of a segment that entries take: with entries of 16 bytes,
	// records of 112 bytes fill both parts alike. Most are longer.
	indexShare = 8
	entrySize  = 16
)

// sorter orders records in bounded memory: by contig, position and strand, those
// without a place last, and ties in the order in which they came. It is the order of
// samtools sort.
//
// Records fill segments. A full one is sorted by a goroutine of its own while the next
// fills. When half of all segments are full they are merged, as one run, into a
// temporary file, while the other half fills. mostRuns runs become one as soon as there are as many
// of one level, so that the number of open files grows with the logarithm of the number of records.
// finish merges the remaining files and segments.
//
// Runs and segments are in the order in which their records came, and a merge takes
// the earlier of two equal records first, so ties keep their order.
type sorter struct {
	files temporary.Files

	segmentBytes int
	half         int // segments in a run; twice as many there are at most
	fanIn        int // runs in one merge
	// For the last merge: its memory beside segments, and bytes of a range at least, of a chunk, and
	// between entries of the index of a run.
	mergeMemory                          int64
	rangeBytes, chunkBytes, indexedBytes int
	tokens, copies                       chan struct{} // of goroutines that sort and copy

	current   *segment
	full      []*segment // in order
	allocated int
	free      chan *segment

	spilling  chan []*segment // nil until the first time
	ended     chan struct{}
	runs      []*run // of the spilling goroutine until it ends
	abandoned atomic.Bool

	mutex sync.Mutex
	err   error
}

// segment holds records and their order.
type segment struct {
	data    []byte
	entries []entry
	copying sync.WaitGroup // who fills places that are taken
	sorted  chan struct{}  // holds one element when entries are in order
	next    int            // entry, in a merge
}

// entry is a record of a segment.
type entry struct {
	key            uint64
	offset, length uint32
}

// newSorter shares out memory: a quarter at most for the buffers of runs that are merged, and the
// rest for segments. There are more segments with more threads, so that each can sort one. The last
// merge, by ranges, takes no more than that quarter either.
func newSorter(files temporary.Files, memory int64, threads int) *sorter {
	memory = max(memory, leastSortMemory)
	mergeMemory := memory / 4
	fanIn := int(min(max(mergeMemory/runBuffers-1, 2), mostRuns))
	memory -= int64(fanIn+packings(threads)) * runBuffers
	// 1 MiB is worth a goroutine; offsets in a segment have 32 bits.
	segments := max(16, min(2*int64(threads), memory>>20), memory>>31+1)
	half := int(segments / 2)
	return &sorter{
		files:        files,
		segmentBytes: int(memory / int64(2*half)), half: half, fanIn: fanIn,
		mergeMemory: mergeMemory, rangeBytes: leastRangeBytes, chunkBytes: chunkBytes, indexedBytes: indexedBytes,
		tokens: make(chan struct{}, threads), copies: make(chan struct{}, threads),
		free: make(chan *segment, 2*half),
	}
}

// keyOf is the place of a record in the order. Records are BAM's or KeyedText.
func keyOf(record []byte) uint64 {
	contig := getInt32(record[offsetContig:])
	if contig < 0 {
		return ^uint64(0)
	}
	pos := max(getInt32(record[offsetPos:]), 0)
	key := uint64(contig)<<32 | uint64(pos)<<1
	if hts.Flags(binary.LittleEndian.Uint16(record[offsetFlags:]))&hts.Reverse != 0 {
		key |= 1
	}
	return key
}

// add takes a copy of a record.
func (s *sorter) add(record []byte) error {
	c := s.current
	if c == nil || len(c.entries) == cap(c.entries) || len(c.data)+len(record) > cap(c.data) {
		if err := s.nextSegment(len(record)); err != nil {
			return err
		}
		c = s.current
	}
	c.entries = append(c.entries, entry{keyOf(record), uint32(len(c.data)), uint32(len(record))})
	c.data = append(c.data, record...)
	return nil
}

// take adds a block of records, with the length of each. Where it has the room for them in one
// segment, another goroutine copies them. back is called when nobody needs the block any more.
func (s *sorter) take(block []byte, lengths []uint32, back func()) error {
	if cap(s.tokens) == 1 || len(lengths) > s.segmentBytes/indexShare/entrySize || len(block) > s.segmentBytes-s.segmentBytes/indexShare {
		defer back()
		_, err := eachRecord(block, s.add)
		return err
	}
	c := s.current
	if c == nil || len(c.entries)+len(lengths) > cap(c.entries) || len(c.data)+len(block) > cap(c.data) {
		if err := s.nextSegment(len(block)); err != nil {
			back()
			return err
		}
		c = s.current
	}
	at, first := len(c.data), len(c.entries)
	c.data, c.entries = c.data[:at+len(block)], c.entries[:first+len(lengths)]
	s.copies <- struct{}{}
	c.copying.Add(1)
	go func(data []byte, entries []entry) {
		copy(data, block)
		n := 0
		for i, length := range lengths {
			entries[i] = entry{keyOf(data[n:]), uint32(at + n), length}
			n += int(length)
		}
		back()
		c.copying.Done()
		<-s.copies
	}(c.data[at:], c.entries[first:])
	return nil
}

// nextSegment makes current a segment with room for a record of the length given,
// also where that is more than a segment should hold.
func (s *sorter) nextSegment(length int) error {
	if err := s.error(); err != nil {
		return err
	}
	s.closeSegment()
	if len(s.full) == s.half {
		s.spill()
	}
	select {
	case s.current = <-s.free:
	default:
		if s.allocated < 2*s.half {
			s.allocated++
			s.current = &segment{sorted: make(chan struct{}, 1)}
			s.current.entries = make([]entry, 0, max(1, s.segmentBytes/indexShare/entrySize))
		} else {
			s.current = <-s.free
		}
	}
	c := s.current
	size := s.segmentBytes - s.segmentBytes/indexShare
	if cap(c.data) < length || cap(c.data) > size {
		c.data = nil // before the next is made
		c.data = make([]byte, 0, max(size, length))
	}
	c.data, c.entries, c.next = c.data[:0], c.entries[:0], 0
	return nil
}

// closeSegment has the current segment sorted.
func (s *sorter) closeSegment() {
	c := s.current
	if c == nil {
		return
	}
	s.current = nil
	s.full = append(s.full, c)
	go func() {
		c.copying.Wait()
		s.tokens <- struct{}{}
		slices.SortFunc(c.entries, func(a, b entry) int {
			if a.key != b.key {
				return cmp.Compare(a.key, b.key)
			}
			return cmp.Compare(a.offset, b.offset)
		})
		<-s.tokens
		c.sorted <- struct{}{}
	}()
}

// spill hands the full segments to the spilling goroutine.
func (s *sorter) spill() {
	if s.spilling == nil {
		s.spilling, s.ended = make(chan []*segment, 2), make(chan struct{})
		go func() {
			defer close(s.ended)
			for segments := range s.spilling {
				s.spillSegments(segments)
			}
		}()
	}
	s.spilling <- s.full
	s.full = nil
}

// spillSegments writes segments as one run and gives them back, written or not.
func (s *sorter) spillSegments(segments []*segment) {
	sources := make([]source, len(segments))
	for i, g := range segments {
		<-g.sorted
		sources[i] = g
	}
	if s.error() == nil && !s.abandoned.Load() {
		if err := s.addRun(sources, 0); err != nil {
			s.fail(err)
		}
	}
	for _, g := range segments {
		s.free <- g
	}
	for s.error() == nil && !s.abandoned.Load() && s.lastAlike() >= s.fanIn {
		if err := s.mergeRuns(s.fanIn); err != nil {
			s.fail(err)
		}
	}
}

// lastAlike is the number of runs at the end that have one level.
func (s *sorter) lastAlike() int {
	n := 0
	for n < len(s.runs) && s.runs[len(s.runs)-1-n].level == s.runs[len(s.runs)-1].level {
		n++
	}
	return n
}

// mergeRuns makes one run of the last n.
func (s *sorter) mergeRuns(n int) error {
	last := s.runs[len(s.runs)-n:]
	sources, level := make([]source, n), 0
	for i, r := range last {
		sources[i] = r.reader()
		level = max(level, r.level+1)
	}
	kept := len(s.runs) - n
	if err := s.addRun(sources, level); err != nil {
		return err
	}
	merged := s.runs[len(s.runs)-1]
	err := closeRuns(s.runs[kept : len(s.runs)-1])
	s.runs = append(s.runs[:kept], merged)
	return s.explain(err)
}

// addRun merges sources into a new run at the end.
func (s *sorter) addRun(sources []source, level int) error {
	file, err := s.files.Create("scanmap-sort")
	if err != nil {
		return s.explain(err)
	}
	r := &run{file: file, level: level}
	s.runs = append(s.runs, r)
	w := newRunWriter(r, cap(s.tokens), s.indexedBytes)
	err = merge(sources, func(record []byte) error {
		if s.abandoned.Load() {
			return errDiscarded
		}
		return w.add(record)
	})
	if e := w.close(); e != nil {
		err = e
	}
	return s.explain(err)
}

func (s *sorter) fail(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *sorter) error() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.err
}

// endSpilling waits until the spilling goroutine has written everything.
func (s *sorter) endSpilling() {
	if s.spilling != nil {
		close(s.spilling)
		<-s.ended
		s.spilling = nil
	}
}

// finish gives all records in order. They are the emitter's until it returns.
func (s *sorter) finish(to emitter) error {
	s.closeSegment()
	s.endSpilling()
	if err := s.error(); err != nil {
		return err
	}
	for len(s.runs) > s.fanIn {
		if err := s.mergeRuns(min(s.fanIn, len(s.runs)-s.fanIn+1)); err != nil {
			return err
		}
	}
	for _, g := range s.full {
		<-g.sorted
		g.sorted <- struct{}{} // for discard
	}
	all := ranges(s.runs, s.full, max(s.rangeBytes, 2*s.indexedBytes*len(s.runs)), s.indexedBytes)
	var failed, err error // the emitter's errors are not of the temporary folder
	if n := min(s.rangesAtATime(), len(all)); n > 1 {
		failed, err = s.mergeRanges(all, n, to)
	} else {
		err = merge(s.sourcesOf(rangeOfKeys{last: true}), func(record []byte) error {
			if to.prepare != nil {
				record = to.prepare(record)
			}
			failed = to.record(record)
			return failed
		})
	}
	if failed != nil {
		return failed
	}
	return s.explain(err)
}

// discard frees memory and temporary files, and ends goroutines.
func (s *sorter) discard() error {
	s.abandoned.Store(true)
	s.closeSegment()
	s.endSpilling()
	for _, g := range s.full {
		<-g.sorted
	}
	s.full, s.free = nil, nil
	err := closeRuns(s.runs)
	s.runs = nil
	return s.explain(err)
}

// pop returns the next record of a sorted segment.
func (g *segment) pop() (uint64, []byte, error) {
	if g.next == len(g.entries) {
		return 0, nil, nil
	}
	e := g.entries[g.next]
	g.next++
	return e.key, g.data[e.offset : e.offset+e.length], nil
}
