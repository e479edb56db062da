// Package extsort sorts records of any kind in bounded memory by an external merge sort: records
// that do not fit wait in temporary files, as sorted runs.
//
//	sort.go    segments of records in memory, and the levels of runs
//	ranges.go  parts of the result, for several goroutines
//	merge.go   the merge of runs and segments
//	run.go     a run in a file: compressed blocks with checksums
package extsort

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"scanmap/internal/temporary"
)

// LengthBytes are the bytes that a record begins with: the length of the rest, as in BAM the least
// significant byte first. A record is shorter than 2 GiB.
const LengthBytes = 4

// Options say what is sorted, and how.
type Options struct {
	// Files has the runs. Errors of runs name their Purpose.
	Files   temporary.Files
	Purpose string
	// Key is the place of a record in the order.
	Key func(record []byte) uint64
	// Tie is the order of two records with one key. Records with equal keys and no order by Tie are
	// given back in any order. Where Tie is nil, records with one key keep the order of their coming.
	Tie func(a, b []byte) int
	// Threads is the number of sorting goroutines, and the most that compress a run.
	Threads int
	Sizes   Sizes
}

// Sizes say how much of everything there is; Share makes them of a number of bytes.
type Sizes struct {
	// Segment is the bytes of a segment, with its entries. Half of all segments are Half.
	Segment, Half int
	// FanIn is the most runs of a merge.
	FanIn int
	// Merge is the memory of merges that go on side by side in the end.
	Merge int64
	// Range is the least bytes of records of a range, and Indexed the bytes between two entries of the
	// index of a run.
	Range, Indexed int
}

const (
	// leastMemory is enough for two runs in a merge and segments of some hundred records.
	leastMemory = 2 << 20
	// mostRuns is the largest number of runs that one merge reads, and so of files
	// that are open for it.
	mostRuns = 64
	// indexShare is the part of a segment that entries take: with entries of 16 bytes,
	// records of 112 bytes fill both parts alike. Most are longer.
	indexShare = 8
	entrySize  = 16
	// ahead is how many records of a segment a merge touches at a time.
	ahead     = 16
	cacheLine = 64
)

// Share shares out memory, 2 MiB at least: a quarter at most for the buffers of runs that are
// merged, and the rest for segments. There are more segments with more threads, so that each can
// sort one. The last merge, by ranges, takes no more than that quarter either.
func Share(memory int64, threads int) Sizes {
	memory = max(memory, leastMemory)
	z := Sizes{Merge: memory / 4, Range: leastRangeBytes, Indexed: indexedBytes}
	z.FanIn = int(min(max(z.Merge/runBuffers-1, 2), mostRuns))
	memory -= int64(z.FanIn+packings(threads)) * runBuffers
	// 1 MiB is worth a goroutine; offsets in a segment have 32 bits.
	segments := max(16, min(2*int64(threads), memory>>20), memory>>31+1)
	z.Half = int(segments / 2)
	z.Segment = int(memory / int64(2*z.Half))
	return z
}

// Sorter orders records by their keys, and records with one key by Tie or in the order in which
// they came. Its methods are for one goroutine.
//
// Records fill segments. A full one is sorted by a goroutine of its own while the next fills. When
// half of all segments are full they are merged, as one run, into a temporary file, while the other
// half fills. FanIn runs of one level become one run, so that the number of open files grows with
// the logarithm of the number of records. Finish leaves no more than FanIn. Segments that are not
// yet written then stay in memory.
//
// Runs and segments are in the order in which their records came, and a merge takes the earlier of
// two equal records first, so ties keep their order.
type Sorter struct {
	Options
	tokens, copies chan struct{} // of goroutines that sort and copy

	current   *segment
	full      []*segment // in order
	allocated int
	free      chan *segment

	spilling  chan []*segment // nil until the first time
	ended     chan struct{}
	runs      []*run     // of the spilling goroutine until it ends, as is kept
	kept      []*segment // were to be spilled when Finish came
	finishing atomic.Bool
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
	touched byte           // of use to touch alone
}

// entry is a record of a segment.
type entry struct {
	key            uint64
	offset, length uint32
}

func (g *segment) record(e entry) []byte { return g.data[e.offset : e.offset+e.length] }

// New returns a sorter, which Discard ends.
func New(o Options) *Sorter {
	return &Sorter{
		Options: o,
		tokens:  make(chan struct{}, o.Threads), copies: make(chan struct{}, o.Threads),
		free: make(chan *segment, 2*o.Sizes.Half),
	}
}

// Add takes a copy of a record. The error may be of records before.
func (s *Sorter) Add(record []byte) error {
	c := s.current
	if c == nil || len(c.entries) == cap(c.entries) || len(c.data)+len(record) > cap(c.data) {
		if err := s.nextSegment(len(record)); err != nil {
			return err
		}
		c = s.current
	}
	c.entries = append(c.entries, entry{s.Key(record), uint32(len(c.data)), uint32(len(record))})
	c.data = append(c.data, record...)
	return nil
}

// Take adds a block of records, with the length of each. Where it has the room for them in one
// segment, another goroutine copies them. The block and lengths stay as they are until back is
// called, once, from any goroutine, also after an error.
func (s *Sorter) Take(block []byte, lengths []uint32, back func()) error {
	entries := s.Sizes.Segment / indexShare
	if s.Threads == 1 || len(lengths) > entries/entrySize || len(block) > s.Sizes.Segment-entries {
		defer back()
		for _, length := range lengths {
			if err := s.Add(block[:length]); err != nil {
				return err
			}
			block = block[length:]
		}
		return nil
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
			entries[i] = entry{s.Key(data[n : n+int(length)]), uint32(at + n), length}
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
func (s *Sorter) nextSegment(length int) error {
	if err := s.error(); err != nil {
		return err
	}
	s.closeSegment()
	if len(s.full) == s.Sizes.Half {
		s.spill()
	}
	select {
	case s.current = <-s.free:
	default:
		if s.allocated < 2*s.Sizes.Half {
			s.allocated++
			s.current = &segment{sorted: make(chan struct{}, 1)}
			s.current.entries = make([]entry, 0, max(1, s.Sizes.Segment/indexShare/entrySize))
		} else {
			s.current = <-s.free
		}
	}
	c := s.current
	size := s.Sizes.Segment - s.Sizes.Segment/indexShare
	if cap(c.data) < length || cap(c.data) > size {
		c.data = nil // before the next is made
		c.data = make([]byte, 0, max(size, length))
	}
	c.data, c.entries, c.next = c.data[:0], c.entries[:0], 0
	return nil
}

// closeSegment has the current segment sorted.
func (s *Sorter) closeSegment() {
	c := s.current
	if c == nil {
		return
	}
	s.current = nil
	s.full = append(s.full, c)
	go func() {
		c.copying.Wait()
		s.tokens <- struct{}{}
		sortEntries(c.entries, s.orderOf(c))
		<-s.tokens
		c.sorted <- struct{}{}
	}()
}

// orderOf is the order of the entries of a segment.
func (s *Sorter) orderOf(g *segment) func(a, b entry) int {
	plain := func(a, b entry) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.offset, b.offset)
	}
	if s.Tie == nil {
		return plain
	}
	return func(a, b entry) int {
		if a.key == b.key {
			if order := s.Tie(g.record(a), g.record(b)); order != 0 {
				return order
			}
		}
		return plain(a, b)
	}
}

// fewEntries is how many are sorted by comparison.
const fewEntries = 48

// sortEntries sorts entries by an order that begins with their keys, by an American flag sort
// (McIlroy, Bostic and McIlroy 1993, "Engineering radix sort"): by the eight highest bits in which
// keys differ, in place, and then the entries with the same eight bits.
func sortEntries(entries []entry, order func(a, b entry) int) {
	differing := uint64(0)
	if len(entries) > fewEntries {
		for i := range entries {
			differing |= entries[i].key ^ entries[0].key
		}
	}
	if differing == 0 {
		slices.SortFunc(entries, order)
		return
	}
	shift := max(bits.Len64(differing)-8, 0)
	digit := func(e *entry) uint8 { return uint8(e.key >> shift) }
	var next, end [256]int
	for i := range entries {
		end[digit(&entries[i])]++
	}
	sum := 0
	for d, count := range end {
		next[d] = sum
		sum += count
		end[d] = sum
	}
	first := next
	for d := range next {
		for next[d] < end[d] {
			e := entries[next[d]]
			for to := digit(&e); int(to) != d; to = digit(&e) {
				e, entries[next[to]] = entries[next[to]], e
				next[to]++
			}
			entries[next[d]] = e
			next[d]++
		}
	}
	for d, from := range first {
		if from < end[d] {
			sortEntries(entries[from:end[d]], order)
		}
	}
}

// spill hands the full segments to the spilling goroutine.
func (s *Sorter) spill() {
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

// spillSegments writes segments as one run and gives them back, written or not. It keeps them if
// Finish comes before all are written.
func (s *Sorter) spillSegments(segments []*segment) {
	sources := make([]source, len(segments))
	for i, g := range segments {
		<-g.sorted
		sources[i] = g
	}
	if s.error() == nil && !s.abandoned.Load() {
		switch err := s.addRun(sources, 0); {
		case errors.Is(err, errFinishing):
			s.keep(segments)
			return
		case err != nil:
			s.fail(err)
		}
	}
	for _, g := range segments {
		s.free <- g
	}
	for s.error() == nil && !s.abandoned.Load() && s.lastAlike() >= s.Sizes.FanIn {
		if err := s.mergeRuns(s.Sizes.FanIn); err != nil {
			s.fail(err)
		}
	}
}

// keep keeps sorted segments in memory, in place of the last run.
func (s *Sorter) keep(segments []*segment) {
	last := len(s.runs) - 1
	if err := closeRuns(s.runs[last:]); err != nil {
		s.fail(s.explain(err))
	}
	s.runs = s.runs[:last]
	for _, g := range segments {
		g.sorted <- struct{}{}
	}
	s.kept = append(s.kept, segments...)
}

// lastAlike is the number of runs at the end that have one level.
func (s *Sorter) lastAlike() int {
	n := 0
	for n < len(s.runs) && s.runs[len(s.runs)-1-n].level == s.runs[len(s.runs)-1].level {
		n++
	}
	return n
}

// mergeRuns makes one run of the last n.
func (s *Sorter) mergeRuns(n int) error {
	last := s.runs[len(s.runs)-n:]
	sources, level := make([]source, n), 0
	for i, r := range last {
		sources[i] = r.within(All)
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
func (s *Sorter) addRun(sources []source, level int) error {
	file, err := s.Files.Create("scanmap-sort")
	if err != nil {
		return s.explain(err)
	}
	r := &run{file: file, level: level, key: s.Key}
	s.runs = append(s.runs, r)
	w := newRunWriter(r, s.Threads, s.Sizes.Indexed)
	m := Merger{sorter: s, sources: sources}
	var record []byte
	for err == nil {
		if record, err = m.Next(); record == nil {
			break
		}
		switch err = w.add(record); {
		case s.abandoned.Load():
			err = errDiscarded
		case level == 0 && s.finishing.Load():
			err = errFinishing
		}
	}
	if failed := w.close(); failed != nil {
		return s.explain(failed)
	}
	return err
}

// explain names the folder in an error of a temporary file.
func (s *Sorter) explain(err error) error { return temporary.Explain(s.Files, s.Purpose, err) }

func (s *Sorter) fail(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *Sorter) error() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.err
}

// endSpilling waits until the spilling goroutine has written everything.
func (s *Sorter) endSpilling() {
	if s.spilling != nil {
		close(s.spilling)
		<-s.ended
		s.spilling = nil
	}
}

// Finish ends adding. Merge then gives the records back.
func (s *Sorter) Finish() error {
	s.closeSegment()
	s.finishing.Store(true)
	s.endSpilling()
	s.full, s.kept = append(s.kept, s.full...), nil
	if err := s.error(); err != nil {
		return err
	}
	for len(s.runs) > s.Sizes.FanIn {
		if err := s.mergeRuns(min(s.Sizes.FanIn, len(s.runs)-s.Sizes.FanIn+1)); err != nil {
			return err
		}
	}
	for _, g := range s.full {
		<-g.sorted
		g.sorted <- struct{}{} // for Discard
	}
	return nil
}

// Discard frees memory and temporary files, and ends goroutines.
func (s *Sorter) Discard() error {
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
	if g.next%ahead == 0 {
		g.touch()
	}
	e := g.entries[g.next]
	g.next++
	return e.key, g.record(e), nil
}

// touch reads a byte of each line of the cache that the next records are in. They lie anywhere, and
// the processor waits for all of them together.
func (g *segment) touch() {
	sum := byte(0)
	for _, e := range g.entries[g.next:min(g.next+ahead, len(g.entries))] {
		for i := e.offset; i < e.offset+e.length; i += cacheLine {
			sum += g.data[i]
		}
	}
	g.touched = sum
}
