package sam

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/extsort"
	"scanmap/internal/temporary"
)

const (
	// DefaultSortMemory is samtools sort's for one thread.
	DefaultSortMemory = 768 << 20
	// MostSortMemory is more than machines have, and so little that no number overflows.
	MostSortMemory = 1 << 44
	// chunkBytes is the length at which the records of a range are handed on.
	chunkBytes = 1 << 20
	// chunksOfRange is the number of chunks of a range: being filled, waiting, and being used.
	chunksOfRange = 4
)

// sorter orders records in bounded memory: by contig, position and strand, those
// without a place last, and ties in the order in which they came. It is the order of
// samtools sort.
//
// The last merge is cut into ranges of keys, and several ranges are merged at a time: one goroutine
// cannot fill the blocks that many compress. Ranges are given on in order.
type sorter struct {
	*extsort.Sorter
	chunkBytes int
}

func newSorter(files temporary.Files, memory int64, threads int) *sorter {
	return sorterOf(files, extsort.Share(memory, threads), threads)
}

func sorterOf(files temporary.Files, sizes extsort.Sizes, threads int) *sorter {
	o := extsort.Options{Files: files, Purpose: "sorting", Key: keyOf, Threads: threads, Sizes: sizes}
	return &sorter{extsort.New(o), chunkBytes}
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

// finish gives all records in order. They are the emitter's until it returns.
func (s *sorter) finish(to emitter) error {
	if err := s.Finish(); err != nil {
		return err
	}
	all := s.Ranges()
	if n := min(s.SideBySide(chunksOfRange*s.chunkBytes), len(all)); n > 1 {
		return s.mergeRanges(all, n, to)
	}
	return eachOf(s.Merge(extsort.All), to, to.record)
}

// eachOf hands on the records of a merge, prepared.
func eachOf(m *extsort.Merger, to emitter, take func(record []byte) error) error {
	for {
		record, err := m.Next()
		if record == nil {
			return err
		}
		if to.prepare != nil {
			record = to.prepare(record)
		}
		if err := take(record); err != nil {
			return err
		}
	}
}

// A chunk is whole records in order, with the length of each and, where there is an index, its
// entry for each.
type chunk struct {
	text    []byte
	lengths []uint32
	spans   []recordSpan
	holders atomic.Int32
	back    func() // called when nobody holds it any more
}

// hold returns what gives the chunk up, held once more.
func (c *chunk) hold() (release func()) {
	c.holders.Add(1)
	return c.release
}

func (c *chunk) release() {
	if c.holders.Add(-1) == 0 {
		c.back()
	}
}

// An emitter takes records in order: by chunks, if chunk is set, or one by one. Chunks have spans
// if indexed is set. prepare, if set, changes each record before, in its place, from any goroutine,
// and returns it.
type emitter struct {
	record  func(record []byte) error
	chunk   func(*chunk) error
	indexed bool
	prepare func(record []byte) []byte
}

// errStopped ends the merge of a range that nobody wants.
var errStopped = errors.New("sorting was given up")

// A merging is a range being merged: its records come in chunks, and err, when these end, says
// whether that are all.
type merging struct {
	chunks chan *chunk
	used   chan *chunk // for others
	err    error
}

// run takes the records of a merge, until stop is closed.
func (m *merging) run(from *extsort.Merger, bytes int, to emitter, stop <-chan struct{}) {
	defer close(m.chunks)
	made := 0
	var current *chunk
	next := func(size int) error {
		if made < chunksOfRange {
			made++
			c := &chunk{text: make([]byte, 0, max(bytes, size))}
			c.back = func() { m.used <- c } // which has room for all
			current = c
		} else {
			select {
			case current = <-m.used:
			case <-stop:
				return errStopped
			}
		}
		c := current
		c.text, c.lengths, c.spans = c.text[:0], c.lengths[:0], c.spans[:0]
		c.holders.Store(1)
		return nil
	}
	send := func() error {
		select {
		case m.chunks <- current:
			current = nil
			return nil
		case <-stop:
			return errStopped
		}
	}
	m.err = eachOf(from, to, func(record []byte) error {
		if current != nil && len(current.text)+len(record) > bytes {
			if err := send(); err != nil {
				return err
			}
		}
		if current == nil {
			if err := next(len(record)); err != nil {
				return err
			}
		}
		c := current
		c.text, c.lengths = append(c.text, record...), append(c.lengths, uint32(len(record)))
		if to.indexed {
			span, err := spanOf(record)
			if err != nil {
				return err
			}
			c.spans = append(c.spans, span)
		}
		return nil
	})
	if m.err == nil && current != nil {
		m.err = send()
	}
}

// mergeRanges merges ranges, at most atATime side by side, and gives the records in order.
func (s *sorter) mergeRanges(all []extsort.Range, atATime int, to emitter) error {
	stop := make(chan struct{})
	order := make(chan *merging, atATime-1)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(stop)
	wait.Go(func() {
		defer close(order)
		for _, keys := range all {
			m := &merging{chunks: make(chan *chunk, chunksOfRange), used: make(chan *chunk, chunksOfRange)}
			select {
			case order <- m:
			case <-stop:
				return
			}
			wait.Go(func() { m.run(s.Merge(keys), s.chunkBytes, to, stop) })
		}
	})
	for m := range order {
		for c := range m.chunks {
			var err error
			if to.chunk != nil {
				err = to.chunk(c)
			} else {
				_, err = eachRecord(c.text, to.record)
			}
			if c.release(); err != nil {
				return err
			}
		}
		if m.err != nil {
			return m.err
		}
	}
	return nil
}
