package find

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"scanmap/locate"
	"scanmap/parallel"
)

// A store holds what a pass over the reference finds until the reads are used, so that one pass is
// enough for a batch, whatever is found: beyond its limit it goes on in a temporary file. Its items
// are candidates and ends, in the form of candidates.
//
// The reads of a batch are cut into blocks. A worker fills a page for each block; full pages are
// kept by block. So what belongs to some reads is found again without looking at everything.
type store struct {
	folder string // of the temporary file
	limit  int    // items in memory, apart from pages that are being filled
	// perBlock is the number of reads of a block.
	reads, perBlock, together int
	writers                   []storeWriter
	// mu guards what follows while workers add.
	mu     sync.Mutex
	blocks []storeBlock
	held   int // items of pages in memory
	free   [][]locate.Candidate
	file   *os.File
	named  bool  // the file has kept its name
	end    int64 // of the file
	err    error
	// next is the read that is handed on next. counts are the items of each read of block counted.
	next    int
	counted int
	counts  []int
	bytes   []byte
}

// The kinds of items.
const (
	storedCandidate = 0
	storedEnd       = 1
	storedKinds     = 2
)

// A storeBlock is what is stored of some reads, by kind.
type storeBlock struct {
	pages [storedKinds][][]locate.Candidate
	filed [storedKinds][]int64 // offsets of full pages in the file
	items int
}

// A storeWriter is the pages that one worker fills, by kind and block.
type storeWriter struct {
	store *store
	pages [storedKinds][][]locate.Candidate
	added int64
}

const (
	storeBlocks = 64
	pageItems   = 256
	itemBytes   = 16
)

// begin empties the store for a batch and so many workers.
func (s *store) begin(b *Batch, workers int) error {
	s.reads, s.together = len(b.Reads), b.Together
	s.perBlock = max(1, b.whole((s.reads+storeBlocks-1)/storeBlocks))
	blocks := (s.reads + s.perBlock - 1) / s.perBlock
	s.blocks = parallel.Resize(s.blocks, blocks)
	clear(s.blocks)
	s.writers = parallel.Resize(s.writers, workers)
	for i := range s.writers {
		w := &s.writers[i]
		w.store, w.added = s, 0
		for kind := range w.pages {
			w.pages[kind] = parallel.Resize(w.pages[kind], blocks)
			clear(w.pages[kind])
		}
	}
	s.held, s.end, s.next, s.counted, s.err = 0, 0, 0, -1, nil
	return s.close()
}

// close removes the temporary file.
func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}

// add stores an item.
func (w *storeWriter) add(kind int, c locate.Candidate) {
	block := int(c.Read) / w.store.perBlock
	page := w.pages[kind][block]
	if len(page) == cap(page) {
		page = w.store.put(kind, block, page)
	}
	w.pages[kind][block] = append(page, c)
	w.added++
}

// put keeps a full page, or none, and returns an empty one.
func (s *store) put(kind, block int, page []locate.Candidate) []locate.Candidate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(page) > 0 {
		if s.held+len(page) <= s.limit {
			s.keep(kind, block, page)
		} else if s.write(kind, block, page) {
			return page[:0]
		}
	}
	if n := len(s.free); n > 0 {
		page, s.free = s.free[n-1], s.free[:n-1]
		return page[:0]
	}
	return make([]locate.Candidate, 0, pageItems)
}

// keep leaves a page in memory.
func (s *store) keep(kind, block int, page []locate.Candidate) {
	b := &s.blocks[block]
	b.pages[kind] = append(b.pages[kind], page)
	b.items += len(page)
	s.held += len(page)
}

// write puts a full page into the file. After an error it drops the page; next returns the error.
func (s *store) write(kind, block int, page []locate.Candidate) bool {
	if s.err != nil {
		return true
	}
	if s.file == nil {
		if s.file, s.err = os.CreateTemp(s.folder, "scanmap-*.tmp"); s.err != nil {
			return true
		}
		// The name goes at once, so that nothing is left however the process ends. Some systems keep
		// the names of open files.
		s.named = os.Remove(s.file.Name()) != nil
	}
	s.bytes = s.bytes[:0]
	for i := range page {
		c := &page[i]
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, c.Read)
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Place))
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Diagonal))
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Differences))
	}
	if _, s.err = s.file.WriteAt(s.bytes, s.end); s.err != nil {
		s.err = fmt.Errorf("temporary file for candidates: %w", s.err)
		return true
	}
	b := &s.blocks[block]
	b.filed[kind] = append(b.filed[kind], s.end)
	b.items += len(page)
	s.end += int64(len(s.bytes))
	return true
}

// finish ends adding, and returns the first error of the file.
func (s *store) finish() error {
	for i := range s.writers {
		w := &s.writers[i]
		for kind := range w.pages {
			for block, page := range w.pages[kind] {
				if len(page) > 0 {
					s.keep(kind, block, page)
				}
			}
			clear(w.pages[kind])
		}
	}
	if s.err != nil {
		return errors.Join(s.err, s.close())
	}
	return nil
}

// take hands on the items of the next reads, by kind, with their reads numbered from the first of
// them: of so many reads that there are no more than most, but at least of those that belong
// together. The lists are the caller's. n is 0 when there are no more reads. The file is closed
// after the last of them, or after an error.
func (s *store) take(most int) (n int, lists [storedKinds][][]locate.Candidate, err error) {
	if s.next >= s.reads {
		return 0, lists, nil
	}
	from := s.next
	if err = s.takeFrom(from, most, &lists); err != nil {
		return 0, lists, errors.Join(err, s.close())
	}
	if s.next >= s.reads {
		err = s.close()
	}
	return s.next - from, lists, err
}

// takeFrom is take from a read on, and moves s.next.
func (s *store) takeFrom(from, most int, lists *[storedKinds][][]locate.Candidate) error {
	first := from / s.perBlock
	if from%s.perBlock == 0 && (s.blocks[first].items <= most || s.perBlock <= s.together) {
		last, sum := first, 0
		for last < len(s.blocks) && (last == first || sum+s.blocks[last].items <= most) {
			sum += s.blocks[last].items
			last++
		}
		s.next = min(last*s.perBlock, s.reads)
		for block := first; block < last; block++ {
			if err := s.load(block, from, s.next, lists); err != nil {
				return err
			}
			s.release(block)
		}
		return nil
	}
	if s.counted != first {
		if err := s.count(first); err != nil {
			return err
		}
	}
	end := min((first+1)*s.perBlock, s.reads)
	for sum := 0; s.next < end; s.next += s.together {
		of := 0
		for i := s.next; i < min(s.next+s.together, end); i++ {
			of += s.counts[i-first*s.perBlock]
		}
		if s.next > from && sum+of > most {
			break
		}
		sum += of
	}
	s.next = min(s.next, end)
	err := s.load(first, from, s.next, lists)
	if s.next == end {
		s.release(first)
	}
	return err
}

// release frees the pages of a block.
func (s *store) release(block int) {
	for _, pages := range s.blocks[block].pages {
		s.free = append(s.free, pages...)
	}
	s.blocks[block] = storeBlock{}
}

// count counts the items of each read of a block.
func (s *store) count(block int) error {
	s.counted = block
	s.counts = parallel.Resize(s.counts, s.perBlock)
	clear(s.counts)
	for kind := range storedKinds {
		err := s.pages(block, kind, func(page []locate.Candidate) {
			for i := range page {
				s.counts[int(page[i].Read)-block*s.perBlock]++
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// load adds the items of a block that belong to reads [from, to) to lists.
func (s *store) load(block, from, to int, lists *[storedKinds][][]locate.Candidate) error {
	for kind := range storedKinds {
		var out []locate.Candidate
		err := s.pages(block, kind, func(page []locate.Candidate) {
			for _, c := range page {
				if r := int(c.Read); r < from || r >= to {
					continue
				}
				if len(out) == cap(out) {
					lists[kind], out = append(lists[kind], out), make([]locate.Candidate, 0, loadItems)
				}
				c.Read -= uint32(from)
				out = append(out, c)
			}
		})
		if err != nil {
			return err
		}
		lists[kind] = append(lists[kind], out)
	}
	return nil
}

// loadItems is the length of the lists that take returns.
const loadItems = 1 << 12

// pages calls use for each page of a block and kind. The page is valid until use returns.
func (s *store) pages(block, kind int, use func(page []locate.Candidate)) error {
	b := &s.blocks[block]
	for _, page := range b.pages[kind] {
		use(page)
	}
	s.bytes = parallel.Resize(s.bytes, pageItems*itemBytes)
	page := make([]locate.Candidate, pageItems)
	for _, offset := range b.filed[kind] {
		if _, err := s.file.ReadAt(s.bytes, offset); err != nil { // never at its end: pages are full
			return fmt.Errorf("temporary file for candidates: %w", err)
		}
		for i := range page {
			x := s.bytes[itemBytes*i:]
			page[i] = locate.Candidate{
				Read:        binary.LittleEndian.Uint32(x),
				Place:       locate.Place(binary.LittleEndian.Uint32(x[4:])),
				Diagonal:    int32(binary.LittleEndian.Uint32(x[8:])),
				Differences: int32(binary.LittleEndian.Uint32(x[12:])),
			}
		}
		use(page)
	}
	return nil
}
