package mapper

import (
	"cmp"
	"math"
	"slices"

	"scanmap/mapper/find"
)

// A part is reads of a batch that a finder took at a time, with the candidates or locations found
// for them. Parts come in the order of the reads.
type part struct {
	library *library
	batch   *find.Batch
	found   *find.Found
	err     error
	// held tells that found has locations alone, in memory of its own. Other parts are in a finder's.
	held bool
	// toSeek says, for each read of a held part, up to which distance it is sought again, or notAgain.
	// again are the reads that were sought again.
	toSeek []int32
	again  soughtAgain
	// used is closed when nobody uses batch and found any more.
	used chan struct{}
}

// listed is how much is listed of reads [from, to), and more than any list for reads that are left
// unlisted.
func (p *part) listed(from, to int) int {
	if p.found.Unlisted() {
		return math.MaxInt
	}
	again := p.again.listed(from, to)
	if again == math.MaxInt {
		return again
	}
	return p.found.Count(from, to) + again
}

// notAgain stands for the distance of a read that is not sought again.
const notAgain = -1

// unitKnown tells whether reads of a held part that belong together need no step any more; `first`
// is the first of these. None was to be sought in the step before, and each has a location. Since
// then nothing has changed, and a step asks for no other distance.
func (p *part) unitKnown(first int) bool {
	if p.toSeek == nil {
		return false
	}
	for i := first; i < first+p.batch.Together; i++ {
		if p.toSeek[i] != notAgain || p.found.Held(i).Count() == 0 {
			return false
		}
	}
	return true
}

// known is unitKnown of the reads to which a read belongs.
func (p *part) known(read int) bool { return p.unitKnown(read - read%p.batch.Together) }

// A soughtRead is a read of a part that waits.
type soughtRead struct{ part, read int }

// soughtAgain are reads of a part, in order, that were sought again: number i is read `first` + i
// of the batch, and found has its candidates or locations. If parts is set, parts of the reads were
// sought.
type soughtAgain struct {
	reads []soughtRead
	batch *find.Batch
	found *find.Found
	first int
	parts bool
}

// search returns the index of the first read that is no less than one of the part.
func (s *soughtAgain) search(read int) (at int, is bool) {
	return slices.BinarySearchFunc(s.reads, read, func(r soughtRead, read int) int { return cmp.Compare(r.read, read) })
}

// know has the batch of the part know up to which distances the reads were sought.
func (s *soughtAgain) know(b *find.Batch) {
	if s.parts {
		return
	}
	for i, r := range s.reads {
		if s.batch.Length(s.first+i) > 0 {
			b.SeekTo(r.read, s.batch.Sought(s.first+i))
		}
	}
}

// of tells whether a read of the part was sought again, and which read of the batch it is. next is
// the first of the reads that may be it, and then the first no less.
func (s *soughtAgain) of(read int, next *int) (again *soughtAgain, at int, found bool) {
	for *next < len(s.reads) && s.reads[*next].read < read {
		*next++
	}
	i := *next
	return s, s.first + i, i < len(s.reads) && s.reads[i].read == read && s.batch.Length(s.first+i) > 0
}

// listed is how much is listed of reads [from, to) of the part.
func (s *soughtAgain) listed(from, to int) int {
	if len(s.reads) == 0 {
		return 0
	}
	first, _ := s.search(from)
	last, _ := s.search(to)
	if first < last && s.found.Unlisted() {
		return math.MaxInt
	}
	return s.found.Count(s.first+first, s.first+last)
}
