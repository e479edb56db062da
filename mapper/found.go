package mapper

// found is what skim and scan found for a batch, grouped by read.
type found struct {
	// list[from[i]:from[i+1]] belongs to read i: candidates of reads that were skimmed for,
	// occurrences of the others.
	list []candidate
	from []int
	// scanned[i] tells whether read i was scanned for.
	scanned []bool
	next    []int // where group puts the next one of each read
	// located[locatedFrom[i]:locatedFrom[i+1]] are locations of read i that a GPU found besides,
	// with operations of their alignments.
	located, ungrouped []located
	locatedFrom        []int
	operations         []operation
	taken              []candidate // for list, before they are grouped
	// What the engines did.
	candidates, refused, compared int64
	engines                       map[Engine]int64
}

// located is a location of a read.
type located struct {
	location
	read uint32
}

// reset empties f for a batch of so many reads, of which those of classes are skimmed and the others scanned for.
func (f *found) reset(reads int, classes [maxPiece + 1][]uint32, scanned []uint32) {
	f.scanned = resize(f.scanned, reads)
	clear(f.scanned)
	for _, read := range scanned {
		f.scanned[read] = true
	}
	f.ungrouped, f.located, f.operations, f.taken = f.ungrouped[:0], f.located[:0], f.operations[:0], f.taken[:0]
	f.candidates, f.refused, f.compared = 0, 0, 0
	f.engines = map[Engine]int64{EngineScan: int64(len(scanned))}
	for _, class := range classes {
		f.engines[EngineSkim] += int64(len(class))
	}
}

// group moves the lists of the workers into f.list, by read.
func (f *found) group(lists [][]candidate, reads, threads int) {
	f.from = resize(f.from, reads+1)
	clear(f.from)
	for _, l := range lists {
		for i := range l {
			f.from[l[i].read+1]++
		}
	}
	for i := range reads {
		f.from[i+1] += f.from[i]
	}
	f.list = resize(f.list, f.from[reads])
	f.next = append(f.next[:0], f.from[:reads]...)
	next := f.next
	// Each worker moves the reads of one range and looks at everything.
	workers := min(threads, 8)
	parallelRanges(workers, workers, 1, func(_, w, _ int) {
		lo, hi := uint32(reads*w/workers), uint32(reads*(w+1)/workers)
		for _, l := range lists {
			for _, c := range l {
				if c.read >= lo && c.read < hi {
					f.list[next[c.read]] = c
					next[c.read]++
				}
			}
		}
	})
}

// groupLocated brings f.ungrouped into f.located, by read.
func (f *found) groupLocated(reads, threads int) {
	f.locatedFrom = resize(f.locatedFrom, reads+1)
	clear(f.locatedFrom)
	for i := range f.ungrouped {
		f.locatedFrom[f.ungrouped[i].read+1]++
	}
	for i := range reads {
		f.locatedFrom[i+1] += f.locatedFrom[i]
	}
	f.located = resize(f.located, len(f.ungrouped))
	f.next = append(f.next[:0], f.locatedFrom[:reads]...)
	next := f.next
	workers := min(threads, 8)
	parallelRanges(workers, workers, 1, func(_, w, _ int) {
		lo, hi := uint32(reads*w/workers), uint32(reads*(w+1)/workers)
		for i := range f.ungrouped {
			if l := &f.ungrouped[i]; l.read >= lo && l.read < hi {
				f.located[next[l.read]] = *l
				next[l.read]++
			}
		}
	})
}

// groupReads and groupFound bound the reads and what was found for them in a group,
// the unit of work that makes one block of text.
const (
	groupReads = 256
	groupFound = 1 << 14
)

// cut returns the borders of groups of reads, which do not part pairs.
func (f *found) cut(pairs bool) []int {
	reads := len(f.from) - 1
	groups := []int{0}
	last := 0
	for i := range reads {
		if pairs && i&1 == 1 {
			continue
		}
		if i > last && (i-last >= groupReads || f.from[min(i+2, reads)]-f.from[last] > groupFound) {
			groups = append(groups, i)
			last = i
		}
	}
	if reads > 0 {
		groups = append(groups, reads)
	}
	return groups
}
