package sam

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// The last merge is cut into ranges of keys, and several ranges are merged at a time: one goroutine
// cannot fill the blocks that many compress. A range has all records of its keys, so that ties keep
// their order, and ranges are given on in order.

const (
	// leastRangeBytes is how many bytes of records a range has at least. A range has two stretches of
	// the index of each run or more, as records at a border are read twice.
	leastRangeBytes = 4 << 20
	// chunkBytes is the length at which the records of a range are handed on.
	chunkBytes = 1 << 20
	// chunksOfRange is the number of chunks of a range: being filled, waiting, and being used.
	chunksOfRange = 4
)

// A blockAt is where in a run a block lies, and the key of its first record.
type blockAt struct {
	key    uint64
	offset int64
}

// indexedBytes is how many bytes of records of a run have an entry in its index.
const indexedBytes = 4 * runBlock

// A rangeOfKeys is the keys [from, to), or from on where it is the last.
type rangeOfKeys struct {
	from, to uint64
	last     bool
}

func (r *rangeOfKeys) has(key uint64) bool { return r.last || key < r.to }

// ranges cuts the keys of runs and sorted segments into ranges of a number of bytes of records, by
// one key in indexedBytes.
func ranges(runs []*run, segments []*segment, bytes, indexedBytes int) []rangeOfKeys {
	var samples []uint64
	each := max(indexedBytes, runBlock) // an entry of an index begins a block
	for _, r := range runs {
		for _, b := range r.index {
			samples = append(samples, b.key)
		}
	}
	for _, g := range segments {
		step := max(1, len(g.entries)*each/max(len(g.data), 1))
		for i := 0; i < len(g.entries); i += step {
			samples = append(samples, g.entries[i].key)
		}
	}
	slices.Sort(samples)
	all := []rangeOfKeys{{}}
	sum := 0
	for _, key := range samples {
		last := &all[len(all)-1]
		if sum >= bytes && key > last.from {
			last.to = key
			all, sum = append(all, rangeOfKeys{from: key}), 0
		}
		sum += each
	}
	all[len(all)-1].last = true
	return all
}

// within is a source of the records of a range of a sorted segment.
func (g *segment) within(keys rangeOfKeys) source {
	at := func(key uint64) int {
		return sort.Search(len(g.entries), func(i int) bool { return g.entries[i].key >= key })
	}
	part := &segment{data: g.data, entries: g.entries[at(keys.from):]}
	if !keys.last {
		part.entries = g.entries[at(keys.from):at(keys.to)]
	}
	return part
}

// within is a source of the records of a range of a run.
func (r *run) within(keys rangeOfKeys) source {
	// Records of the first key may lie at the end of the block before the first that begins with it.
	i := sort.Search(len(r.index), func(i int) bool { return r.index[i].key >= keys.from })
	reader := r.reader()
	if i > 0 {
		reader.offset = r.index[i-1].offset
	}
	return &rangeReader{reader: reader, keys: keys}
}

// A rangeReader leaves out of the records of a run those before a range, and ends with it.
type rangeReader struct {
	reader *runReader
	keys   rangeOfKeys
}

func (r *rangeReader) pop() (key uint64, record []byte, err error) {
	for {
		key, record, err = r.reader.pop()
		switch {
		case err != nil || record == nil || !r.keys.has(key):
			return 0, nil, err
		case key >= r.keys.from:
			return key, record, nil
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

// A merging is a range being merged: its records come in chunks, and err, when these end, says
// whether that are all.
type merging struct {
	keys   rangeOfKeys
	chunks chan *chunk
	used   chan *chunk // for others
	err    error
}

// run merges the records of some sources, until stop is closed.
func (m *merging) run(sources []source, bytes int, to emitter, stop <-chan struct{}) {
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
				return errDiscarded
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
			return errDiscarded
		}
	}
	m.err = merge(sources, func(record []byte) error {
		if to.prepare != nil {
			record = to.prepare(record)
		}
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

// mergeRanges merges runs and segments by ranges, at most atATime side by side, and gives the
// records in order. The error of to comes as failed.
func (s *sorter) mergeRanges(all []rangeOfKeys, atATime int, to emitter) (failed, err error) {
	stop := make(chan struct{})
	order := make(chan *merging, atATime-1)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(stop)
	wait.Go(func() {
		defer close(order)
		for _, keys := range all {
			m := &merging{keys: keys, chunks: make(chan *chunk, chunksOfRange), used: make(chan *chunk, chunksOfRange)}
			select {
			case order <- m:
			case <-stop:
				return
			}
			wait.Go(func() { m.run(s.sourcesOf(keys), s.chunkBytes, to, stop) })
		}
	})
	for m := range order {
		for c := range m.chunks {
			if to.chunk != nil {
				failed = to.chunk(c)
			} else {
				_, failed = eachRecord(c.text, to.record)
			}
			if c.release(); failed != nil {
				return failed, nil
			}
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	return nil, nil
}

// sourcesOf returns the sources of the records of a range, in the order in which these came.
func (s *sorter) sourcesOf(keys rangeOfKeys) (sources []source) {
	for _, r := range s.runs {
		sources = append(sources, r.within(keys))
	}
	for _, g := range s.full {
		sources = append(sources, g.within(keys))
	}
	return sources
}

// rangesAtATime is how many ranges are merged at a time: one for each thread, within a quarter of
// the memory.
func (s *sorter) rangesAtATime() int {
	each := int64(len(s.runs))*runBuffers + int64(chunksOfRange*s.chunkBytes)
	return int(min(int64(cap(s.tokens)), s.mergeMemory/each))
}
