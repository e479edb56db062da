package find

import (
	"math/bits"
	"sort"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

// A Found is what a finder found for a batch, by read. A read has candidates if it was skimmed for,
// or ends if it was scanned for, and locations where the finder has gone so far itself. An item of
// one of these lists must not lead to a location that an item of another list excludes: lists are
// not separated from each other.
type Found struct {
	Candidates ByRead[locate.Candidate]
	Ends       ByRead[locate.End]
	Located    ByRead[Located]
	// held are the locations of each read of a held part, and one read more; nil for other parts.
	held []HeldRead
	// ordered are further locations, as a GPU hands them on.
	ordered ByRead[gpuOrdered]
	// Operations has the operations of the alignments of Located and of ordered.
	Operations []locate.Operation
	Counts     Counts
	// counted has the numbers of locations that were only counted, by read and distance. Read i has
	// its numbers from countedFrom[i] on, if this is not negative. Both are empty where all locations
	// are handed on.
	counted     []uint32
	countedFrom []int32
	// left are the numbers of locations of a read by distance that are neither in Located nor held,
	// because there are more than are held; nil for none.
	left map[int][]uint32
	// covered tells that GPUs.Covered has the reported locations that are only counted, the Covered
	// locations of Located, and the aligned locations of ordered except for uncounted reads.
	covered bool
	// uncounted tells for each read whether its locations in ordered are not counted.
	uncounted []bool
	// unlisted tells that the reads have more than is listed.
	unlisted bool
	// fullness is how much of what can be held at a time is used, from 0 to 1.
	fullness float64
}

// Counts says what the engines did for a batch.
type Counts struct {
	// Candidates are the diagonals that skim found: on the CPU one for each hit whose flank fits,
	// unless it is seen to repeat another. Refused are the candidates that a lower bound of the edits
	// ruled out; a GPU does not count these. Compared are the pieces that were compared with the text,
	// which a GPU alone counts.
	Candidates, Refused, Compared int64
	// Skimmed and Scanned are the reads that each engine took.
	Skimmed, Scanned int64
	// Batches is 1 for the results of Find, and 0 for the rest that More hands on.
	Batches int64
}

// A Located is a location that a finder has found itself, or that a part holds; then Read is not
// set.
type Located struct {
	Read          uint32
	Place         locate.Place
	End, Distance int32
	Gaps          int32
	// Aligned tells that Start and the operations are known: Operations[From:To] of the Found, or of
	// the Kept, none standing for one diagonal run. Covered tells that a GPU has counted the location.
	Aligned, Covered bool
	Start, From, To  int32
	Loss             int32 // of a local location, which is Aligned
}

// ByRead are items that belong to reads of a batch.
type ByRead[T any] struct {
	// list[from[i]:from[i+1]] belong to read i.
	list []T
	from []int
}

// Of returns the items of read i. They may be changed, and are valid as long as the Found.
func (r *ByRead[T]) Of(i int) []T {
	if len(r.list) == 0 {
		return nil
	}
	return r.list[r.from[i]:r.from[i+1]]
}

// Count returns the number of items of reads [from, to).
func (r *ByRead[T]) Count(from, to int) int {
	if len(r.list) == 0 {
		return 0
	}
	return r.from[to] - r.from[from]
}

// All returns the items of all reads.
func (r *ByRead[T]) All() []T { return r.list }

// Group brings the items of lists together by read. The items of one read are in no order. read
// tells whose an item is, below reads.
//
// Items first go to buckets, each of some neighbouring reads, so that memory is written here and
// there in few places at a time.
func (r *ByRead[T]) Group(lists [][]T, read func(item *T) uint32, reads, threads int) {
	n, starts := 0, make([]int, len(lists)) // of the lists among all items
	for i, l := range lists {
		starts[i] = n
		n += len(l)
	}
	r.list = parallel.Resize(r.list, n)
	if n == 0 {
		return
	}
	shift := max(bits.Len(uint(reads-1)), bucketBits) - bucketBits
	// For each unit of items and each bucket, how many items there are, and then where the next goes.
	counts := make([][1 << bucketBits]int, (n+groupGrain-1)/groupGrain)
	each := func(use func(counts *[1 << bucketBits]int, items []T)) {
		parallel.Ranges(threads, n, groupGrain, func(_, from, to int) {
			counts := &counts[from/groupGrain]
			i := sort.SearchInts(starts, from+1) - 1 // the last list that starts there or before
			for ; from < to; i++ {
				list := lists[i][from-starts[i]:]
				list = list[:min(len(list), to-from)]
				from += len(list)
				use(counts, list)
			}
		})
	}
	each(func(counts *[1 << bucketBits]int, items []T) {
		for i := range items {
			counts[read(&items[i])>>shift]++
		}
	})
	var buckets [1<<bucketBits + 1]int // where each begins
	sum := 0
	for b := range 1 << bucketBits {
		buckets[b] = sum
		for i := range counts {
			counts[i][b], sum = sum, sum+counts[i][b]
		}
	}
	buckets[1<<bucketBits] = sum
	each(func(counts *[1 << bucketBits]int, items []T) {
		for i := range items {
			next := &counts[read(&items[i])>>shift]
			r.list[*next] = items[i]
			*next++
		}
	})
	r.from = parallel.Resize(r.from, reads+1)
	r.from[reads] = n
	nexts := make([][]int, threads) // where the next item of each read of a bucket goes
	parallel.Ranges(threads, (reads-1)>>shift+1, 1, func(worker, b, _ int) {
		first := b << shift
		from := r.from[first:min(first+1<<shift, reads)]
		clear(from)
		for i := buckets[b]; i < buckets[b+1]; i++ {
			from[int(read(&r.list[i]))-first]++
		}
		sum := buckets[b]
		for i, count := range from {
			from[i], sum = sum, sum+count
		}
		next := append(nexts[worker][:0], from...)
		nexts[worker] = next
		for i := range from {
			end := buckets[b+1]
			if i+1 < len(from) {
				end = from[i+1]
			}
			for ; next[i] < end; next[i]++ {
				item := &r.list[next[i]]
				for of := int(read(item)) - first; of != i; of = int(read(item)) - first {
					r.list[next[of]], *item = *item, r.list[next[of]]
					next[of]++
				}
			}
		}
	})
}

// A rounds says how a list is made up of stretches, each in order of the reads: stretch i begins at
// from[i], and its items of a read end before from[i] plus the read's number in places, which has
// one for each read, stretch by stretch.
type rounds struct {
	from   []int
	places []uint32
}

// Merge is Group for a list of rounds. The items of one read keep their order. It takes the list
// over, and returns memory for another one.
func (r *ByRead[T]) Merge(list []T, in rounds, threads int) (free []T) {
	if len(list) == 0 {
		r.list = r.list[:0]
		return list
	}
	reads := len(in.places) / len(in.from)
	r.from = parallel.Resize(r.from, reads+1)
	ends := func(read int) (sum int) {
		for round := range in.from {
			sum += int(in.places[round*reads+read])
		}
		return sum
	}
	r.from[0] = 0
	parallel.Ranges(threads, reads, CutReads, func(_, from, to int) {
		for i := from; i < to; i++ {
			r.from[i+1] = ends(i)
		}
	})
	if len(in.from) == 1 {
		free, r.list = r.list, list
		return free
	}
	r.list = parallel.Resize(r.list, len(list))
	parallel.Ranges(threads, reads, CutReads, func(_, from, to int) {
		for i := from; i < to; i++ {
			at := r.list[r.from[i]:]
			for round, first := range in.from {
				places := in.places[round*reads:]
				begin := 0
				if i > 0 {
					begin = int(places[i-1])
				}
				at = at[copy(at, list[first+begin:first+int(places[i])]):]
			}
		}
	})
	return list
}

const (
	// groupGrain is the number of items in one unit of parallel work: some 100 us.
	groupGrain = 1 << 14
	// There are up to 1 << bucketBits buckets.
	bucketBits = 8
)

func readOfCandidate(c *locate.Candidate) uint32 { return c.Read }
func readOfEnd(e *locate.End) uint32             { return e.Read }
func readOfLocated(l *Located) uint32            { return l.Read }

// A Kept is memory of locations, of no read in particular. Most of these are plain: all bases of
// the read are on one diagonal where it is aligned.
type Kept struct {
	All        []HeldLocation
	Others     []Located // that are not plain
	Operations []locate.Operation
}

// A HeldLocation is a plain location with its edits or, if it is local, its lost score. If Lost is
// negative, it is Others[^Lost].
type HeldLocation struct {
	Place     locate.Place
	End, Lost int32
}

// A HeldRead is the locations of a read: All[From:To] of a Kept, which nobody changes any more.
type HeldRead struct {
	In       *Kept
	From, To int32
	before   int // locations of the reads before
}

// Add appends a location of a read, aligned if it is local. Operations are in a.
func (k *Kept) Add(l *locate.Location, local bool, a *locate.Aligner) {
	var operations []locate.Operation
	if local {
		operations = a.Operations(l)
	}
	if l.Gaps == 0 && !l.Covered && len(operations) <= 1 {
		k.All = append(k.All, HeldLocation{l.Place, l.End, l.Distance})
		return
	}
	found := Located{
		Place: l.Place, End: l.End, Distance: l.Distance, Gaps: l.Gaps, Covered: l.Covered,
		Aligned: local, Start: l.Start, Loss: l.Loss,
	}
	if len(operations) > 1 {
		found.From = int32(len(k.Operations))
		k.Operations = append(k.Operations, operations...)
		found.To = int32(len(k.Operations))
	}
	k.All = append(k.All, HeldLocation{l.Place, l.End, ^int32(len(k.Others))})
	k.Others = append(k.Others, found)
}

// Count returns how many these are.
func (h HeldRead) Count() int { return int(h.To - h.From) }

// Hold makes f hold the locations of all reads of a batch, and nothing else. left has the numbers
// of further locations by read, as Reader.Append returns them. f takes all over.
func (f *Found) Hold(reads []HeldRead, left map[int][]uint32) {
	*f = Found{left: left}
	n := 0
	for i := range reads {
		reads[i].before, n = n, n+reads[i].Count()
	}
	f.held = append(reads, HeldRead{before: n})
}

// reset empties f for a batch whose reads were sorted into classes; nil for the rest of a batch.
func (f *Found) reset(classes *classes) {
	f.Operations, f.ordered.list = f.Operations[:0], f.ordered.list[:0]
	f.counted, f.countedFrom = f.counted[:0], f.countedFrom[:0]
	f.unlisted, f.left, f.covered = false, nil, false
	f.Counts = Counts{}
	if classes == nil {
		return
	}
	f.Counts.Scanned, f.Counts.Batches = int64(len(classes.scanned)), 1
	for _, class := range classes.skimmed {
		f.Counts.Skimmed += int64(len(class))
	}
}

// unlist takes back what f lists, of reads that belong together.
func (f *Found) unlist() {
	f.Candidates.list, f.Ends.list = f.Candidates.list[:0], f.Ends.list[:0]
	f.Located.list, f.ordered.list = f.Located.list[:0], f.ordered.list[:0]
	f.counted, f.countedFrom = f.counted[:0], f.countedFrom[:0]
	f.unlisted, f.covered, f.fullness = true, false, 1
}

// Unlisted tells that the reads of f, which belong together, have more than can be listed, so that
// nothing is listed. A Reader searches for each again.
func (f *Found) Unlisted() bool { return f.unlisted }

// Covered tells that a GPU has counted reported locations for find.Cover: the ones marked by
// Append, and the ones only counted.
func (f *Found) Covered() bool { return f.covered }

// HoldUnlisted makes f hold nothing but that.
func (f *Found) HoldUnlisted() {
	*f = Found{}
	f.unlist()
}

// Held returns all locations of read i of a held part, or none if some of these are counted alone.
func (f *Found) Held(i int) (h HeldRead) {
	if f.left[i] == nil && len(f.held) > 0 {
		h = f.held[i]
	}
	return h
}

// Count returns how much is handed on of reads [from, to).
func (f *Found) Count(from, to int) int {
	return f.Candidates.Count(from, to) + f.Ends.Count(from, to) + f.Locations(from, to)
}

// Locations returns how many locations of reads [from, to) the finder has found itself.
func (f *Found) Locations(from, to int) int {
	if len(f.held) > 0 {
		return f.held[to].before - f.held[from].before
	}
	return f.Located.Count(from, to) + f.ordered.Count(from, to)
}

// Counted returns how many locations of read i are not handed on, at each distance up to k, or nil
// if all are handed on. They have more edits than Options.Want asks for, numbers alone are wanted,
// or a GPU has counted them. The slice is valid as long as f.
func (f *Found) Counted(i, k int) []uint32 {
	if len(f.counted) == 0 || f.countedFrom[i] < 0 {
		return nil
	}
	return f.counted[f.countedFrom[i]:][:k+1]
}

// leave bounds the counted locations of read i. With the primary one, at a distance that is given,
// at most the first `most` by distance are held; the numbers of the others go to f.left.
func (f *Found) leave(i, k, distance, most int) {
	counted := f.Counted(i, k)
	total := 1
	for _, n := range counted {
		total += int(n)
	}
	if total <= most {
		return
	}
	left := make([]uint32, k+1)
	for d := range counted {
		all := int(counted[d])
		if d == distance {
			all++
		}
		held := min(all, most)
		most -= held
		left[d] = uint32(all - held)
		counted[d] -= left[d]
	}
	if f.left == nil {
		f.left = map[int][]uint32{}
	}
	f.left[i] = left
}

// CutReads, CutFound and cutLocated bound the reads of a group, their candidates and ends, and
// their locations. Locations that a finder has found take little time, but the records of many are
// long, and only the memory of short ones is used again.
const (
	CutReads   = 256
	CutFound   = 1 << 14
	cutLocated = 1 << 12
)

// Cut returns the borders of groups of reads of the batch, each the work of one goroutine. They do
// not separate reads that belong together.
func (f *Found) Cut(b *Batch) []int {
	reads := len(b.Reads)
	groups := []int{0}
	last := 0
	for i := b.Together; i < reads; i += b.Together {
		next := min(i+b.Together, reads)
		if i-last >= CutReads || f.Candidates.Count(last, next)+f.Ends.Count(last, next) > CutFound ||
			f.Locations(last, next) > cutLocated {
			groups = append(groups, i)
			last = i
		}
	}
	if reads > 0 {
		groups = append(groups, reads)
	}
	return groups
}
