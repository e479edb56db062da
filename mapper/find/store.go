package find

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"scanmap/internal/parallel"
	"scanmap/internal/temporary"
	"scanmap/locate"
)

// A store holds what a pass over the reference finds until the reads are used, so that one pass is
// enough for a batch, whatever is found: beyond its limit it goes on in a temporary file. Its items
// are candidates and ends, in the form of candidates.
//
// The reads of a batch are cut into blocks. A worker fills a page for each block; full pages are
// kept by block. When its turn comes, a block that has too much is cut into blocks itself, and so
// on. Each item thus moves a few times at most, however many a read has.
type store struct {
	files  temporary.Files
	limit  int // items in memory, apart from pages that are being filled
	listed int // items of reads that belong together that are handed on
	// perBlock is the number of reads of a block while workers add.
	perBlock, together int
	writers            []storeWriter
	// mu guards what follows while workers add.
	mu     sync.Mutex
	blocks []storeBlock
	held   int // items of pages in memory
	free   [][]locate.Candidate
	file   temporary.File
	end    int64   // of the file
	holes  []int64 // offsets of pages in the file that are free
	err    error
	next   int // the block that is handed on next
	bytes  []byte
}

// The kinds of items.
const (
	storedCandidate = 0
	storedEnd       = 1
	storedKinds     = 2
)

// A storeBlock has the items of reads [from, to), by kind.
type storeBlock struct {
	from, to int
	pages    [storedKinds][][]locate.Candidate
	filed    [storedKinds][]int64 // offsets of full pages in the file
	items    int
}

// appendBlocks appends blocks of n reads each for reads [from, to), and a shorter one for the rest.
func appendBlocks(blocks []storeBlock, from, to, n int) []storeBlock {
	for ; from < to; from += n {
		blocks = append(blocks, storeBlock{from: from, to: min(from+n, to)})
	}
	return blocks
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

// begin empties the store for a batch and a number of workers.
func (s *store) begin(b *Batch, workers int) error {
	s.together = b.Together
	s.perBlock = s.share(len(b.Reads))
	s.blocks = appendBlocks(s.blocks[:0], 0, len(b.Reads), s.perBlock)
	blocks := len(s.blocks)
	s.writers = parallel.Resize(s.writers, workers)
	for i := range s.writers {
		w := &s.writers[i]
		w.store, w.added = s, 0
		for kind := range w.pages {
			w.pages[kind] = parallel.Resize(w.pages[kind], blocks)
			clear(w.pages[kind])
		}
	}
	s.held, s.end, s.holes, s.next, s.err = 0, 0, s.holes[:0], 0, nil
	return s.close()
}

// share returns the number of reads of each block when reads are cut into storeBlocks or fewer. No
// block separates reads that belong together.
func (s *store) share(reads int) int {
	n := max(1, (reads+storeBlocks-1)/storeBlocks)
	return (n + s.together - 1) / s.together * s.together
}

// close removes the temporary file.
func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return s.explain(err)
}

// explain names the folder in an error of the temporary file.
func (s *store) explain(err error) error { return temporary.Explain(s.files, "candidates", err) }

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
		} else {
			s.write(kind, block, page)
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

// write puts a full page into the file. After an error it drops the page; finish and cut return the
// error.
func (s *store) write(kind, block int, page []locate.Candidate) {
	if s.err != nil {
		return
	}
	if s.file == nil {
		file, err := s.files.Create("scanmap")
		if err != nil {
			s.err = s.explain(err)
			return
		}
		s.file = file
	}
	s.bytes = s.bytes[:0]
	for i := range page {
		c := &page[i]
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, c.Read)
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Place))
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Diagonal))
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, uint32(c.Differences))
	}
	at := s.end
	if n := len(s.holes); n > 0 {
		at, s.holes = s.holes[n-1], s.holes[:n-1]
	}
	if _, err := s.file.WriteAt(s.bytes, at); err != nil {
		s.err = s.explain(err)
		return
	}
	b := &s.blocks[block]
	b.filed[kind] = append(b.filed[kind], at)
	b.items += len(page)
	s.end = max(s.end, at+int64(len(s.bytes)))
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
		_ = s.close() // the first error says why
		return s.err
	}
	return nil
}

// take hands on the items of the next reads, by kind, with reads numbered from the first: as many
// reads as have no more than most items together, but at least all that belong together. If these
// have more than are listed, listed is false, and there are no items. The lists are the caller's. n
// is 0 when there are no more reads. The file is closed after the last read, or after an error.
func (s *store) take(most int) (n int, lists [storedKinds][][]locate.Candidate, listed bool, err error) {
	if s.next == len(s.blocks) {
		return 0, lists, true, nil
	}
	first := s.next
	if listed, err = s.takeBlocks(min(most, s.listed), &lists); err != nil {
		_ = s.close() // the first error says why
		return 0, lists, listed, err
	}
	if s.next == len(s.blocks) {
		err = s.close()
	}
	return s.blocks[s.next-1].to - s.blocks[first].from, lists, listed, err
}

// takeBlocks adds the items of the next blocks to lists.
func (s *store) takeBlocks(most int, lists *[storedKinds][][]locate.Candidate) (listed bool, err error) {
	for b := &s.blocks[s.next]; b.items > most && b.to-b.from > s.together; b = &s.blocks[s.next] {
		if err := s.cut(s.next); err != nil {
			return true, err
		}
	}
	if b := &s.blocks[s.next]; b.items > s.listed {
		s.next++
		s.discard(b)
		return false, nil
	}
	from := s.blocks[s.next].from
	sum := 0
	for first := s.next; s.next < len(s.blocks); s.next++ {
		b := &s.blocks[s.next]
		if sum += b.items; sum > most && s.next > first {
			break
		}
		if err := s.load(b, from, lists); err != nil {
			return true, err
		}
	}
	return true, nil
}

// discard frees the pages of a block, in memory and in the file.
func (s *store) discard(b *storeBlock) {
	for kind := range storedKinds {
		for _, page := range b.pages[kind] {
			s.held -= len(page)
			s.free = append(s.free, page)
		}
		s.holes = append(s.holes, b.filed[kind]...)
		b.pages[kind], b.filed[kind] = nil, nil
	}
}

// cut puts several blocks in the place of one, and moves its items to them.
func (s *store) cut(block int) error {
	b := s.blocks[block]
	n := s.share(b.to - b.from)
	parts := appendBlocks(nil, b.from, b.to, n)
	s.blocks = slices.Replace(s.blocks, block, block+1, parts...)
	for kind := range storedKinds {
		pages := make([][]locate.Candidate, len(parts))
		err := s.drain(&b, kind, func(page []locate.Candidate) {
			for _, c := range page {
				i := (int(c.Read) - b.from) / n
				if len(pages[i]) == cap(pages[i]) {
					pages[i] = s.put(kind, block+i, pages[i])
				}
				pages[i] = append(pages[i], c)
			}
		})
		if err = cmp.Or(err, s.err); err != nil {
			return err
		}
		for i, page := range pages {
			if len(page) > 0 {
				s.keep(kind, block+i, page)
			}
		}
	}
	return nil
}

// load moves the items of a block to lists, and numbers their reads from read `from` on.
func (s *store) load(b *storeBlock, from int, lists *[storedKinds][][]locate.Candidate) error {
	for kind := range storedKinds {
		var out []locate.Candidate
		err := s.drain(b, kind, func(page []locate.Candidate) {
			for _, c := range page {
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

// drain calls use for each page of a block and kind, and frees it. The page is valid until use
// returns.
func (s *store) drain(b *storeBlock, kind int, use func(page []locate.Candidate)) error {
	for _, page := range b.pages[kind] {
		use(page)
		s.held -= len(page)
		s.free = append(s.free, page)
	}
	b.pages[kind] = nil
	var page [pageItems]locate.Candidate
	for _, offset := range b.filed[kind] {
		s.bytes = parallel.Resize(s.bytes, pageItems*itemBytes)
		if _, err := s.file.ReadAt(s.bytes, offset); err != nil { // never at its end: pages are full
			return s.explain(err)
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
		s.holes = append(s.holes, offset)
		use(page[:])
	}
	b.filed[kind] = nil
	return nil
}
