package mapper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// A seeker finds for those reads again of which what was found does not tell enough, in a pass over
// the reference for these alone: up to a larger distance (near.go), or parts of those that have no
// local location. Parts of batches wait until there are so many of them that a pass is worth it.
type seeker struct {
	ref     *dna.Reference
	options find.Options
	largest func(length int) int // as in find.Finder.Pack
	timer   *measure.Timer
	// make returns a finder, or the one that there is.
	make   func(find.Options, find.Finder) (find.Finder, error)
	finder find.Finder // nil until a read is sought
	parts  find.Parts
	found  find.Found
	step   step
	// waiting have so many reads, so many to be sought, and locations in all.
	waiting               []part
	reads, lost, waitings int
	// sought are those reads that are packed, and distances up to which.
	sought    []soughtRead
	packed    []fasta.Read
	distances []int32
}

// A soughtRead is a read of a part that waits.
type soughtRead struct{ part, read int }

// A step says what a seeker seeks.
type step int

const (
	seekNext step = iota // distances at which more may be known
	seekLast             // distances at which all is known
	seekParts
)

// seeks are what the seekers of a run seek, in order.
func (o *Options) seeks() (all []step) {
	// What an estimate does not hold is sought again, too.
	if o.sought() != nil || o.near() >= 0 && o.estimates() {
		all = append(all, seekNext, seekLast)
	}
	if o.Local != nil && o.Local.Split {
		all = append(all, seekParts)
	}
	return all
}

// newSeekers returns those of a run, in order.
func newSeekers(ref *dna.Reference, o *Options, t *times) (all []*seeker) {
	for _, of := range o.seeks() {
		s := &seeker{ref: ref, make: func(o find.Options, have find.Finder) (find.Finder, error) {
			if have != nil {
				return have, nil
			}
			return find.OnCPU(ref, o), nil
		}, options: o.again(), largest: o.largest, timer: &t.again, step: of}
		if of == seekParts {
			s.timer = &t.parts
			s.options.Local.Parts, s.options.Sought = true, nil
		} else {
			s.options.Sought = func(read, _, _ int) int { return int(max(s.distances[read], 0)) }
		}
		all = append(all, s)
	}
	return all
}

// takes tells whether reads of a part may be sought again.
func (s *seeker) takes(p *part) bool { return s.step == seekParts || p.batch.Partly() }

// soughtAgain are reads of a part, in order, and what was found for them, as reads of a batch,
// which begins with that of read `first` of it. If parts is set, these were sought.
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

// of tells whether a read of the part was sought again, and which read of the batch it is.
func (s *soughtAgain) of(read int) (again *soughtAgain, at int, found bool) {
	if len(s.reads) == 0 {
		return s, 0, false
	}
	i, is := s.search(read)
	return s, s.first + i, is && (s.batch.Length(s.first+i) > 0)
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

const (
	// soughtReads is the most reads that are packed at a time, but for a mate, on a short reference.
	soughtReads = 1 << 16
	// waitingLocations is how many locations wait at most, with those of another part.
	waitingLocations = 1 << 22
)

// wait has a part that is held wait, of which toSeek says which reads are sought.
func (s *seeker) wait(p *part) {
	s.waiting = append(s.waiting, *p)
	s.reads += len(p.batch.Reads)
	s.waitings += p.found.Count(0, len(p.batch.Reads))
	for _, k := range p.toSeek {
		if k != notAgain {
			s.lost++
		}
	}
}

// enough tells whether no more parts should wait: a pass over the reference costs little against
// what was done for so many reads (find.BatchReads).
func (s *seeker) enough() bool {
	most := s.options.BatchReads
	if most == 0 {
		most = find.BatchReads(int64(s.ref.TotalLength()))
	}
	return s.reads >= most || s.lost >= int(atATime(int64(s.ref.TotalLength()))) || s.waitings >= waitingLocations
}

// atATime is the most reads that are packed at a time, but for a mate, for a reference of so many
// bases: a quarter of a batch, so that a pass costs little against them.
func atATime(bases int64) int64 { return int64(max(soughtReads, find.BatchReads(bases)/4)) }

// seek calls use for the reads of all parts that wait, which are of one library, some after the
// other and in order, while the part has what was found of those that are sought. None waits then.
func (s *seeker) seek(ctx context.Context, use func(p *part, reads span) error) error {
	defer func() {
		s.waiting, s.reads, s.lost, s.waitings = nil, 0, 0, 0
		if s.finder != nil {
			s.finder.Discard() // what an error cuts off
		}
	}()
	var done soughtRead // the first that was not used
	finish := func(parts int) error {
		for ; done.part < parts; done = (soughtRead{done.part + 1, 0}) {
			p := &s.waiting[done.part]
			if reads := len(p.batch.Reads); done.read < reads {
				if err := use(p, span{done.read, reads}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for from := done; s.pick(&from) > 0; {
		err := s.find(ctx, func(batch *find.Batch, sought []soughtRead) error {
			for first := 0; first < len(sought); {
				of := sought[first].part
				n := 1
				for first+n < len(sought) && sought[first+n].part == of {
					n++
				}
				if err := finish(of); err != nil {
					return err
				}
				p, to := &s.waiting[of], sought[first+n-1].read+1
				p.again = soughtAgain{sought[first : first+n], batch, &s.found, first, s.step == seekParts}
				p.again.know(p.batch)
				if err := use(p, span{done.read, to}); err != nil {
					return err
				}
				p.again, done.read = soughtAgain{}, to
				first += n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return finish(len(s.waiting))
}

// find calls use for some after the other of the reads that are packed, while s.found has what was
// found of them.
func (s *seeker) find(ctx context.Context, use func(batch *find.Batch, sought []soughtRead) error) error {
	finder, err := s.make(s.options, s.finder)
	if err != nil {
		return err
	}
	s.finder = finder
	start := s.timer.Start()
	b, err := s.finder.Pack(s.packed, s.waiting[0].batch.Together, s.largest)
	if err != nil {
		return err
	}
	s.timer.Add(start, 0)
	for next := 0; next < len(s.sought); {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := s.timer.Start()
		found, err := s.parts.Next(s.finder, b, next, &s.found)
		if err != nil {
			return err
		}
		n := len(found.Reads)
		s.timer.Add(start, int64(n))
		if err := use(found, s.sought[next:next+n]); err != nil {
			return err
		}
		next += n
	}
	return nil
}

// pick packs the next reads to be sought from one on, and returns their number. Mates come
// together, a read without bases in place of one that is not sought.
func (s *seeker) pick(from *soughtRead) int {
	s.sought, s.packed, s.distances = s.sought[:0], s.packed[:0], s.distances[:0]
	most := int(atATime(int64(s.ref.TotalLength())))
	for ; from.part < len(s.waiting); *from = (soughtRead{from.part + 1, 0}) {
		p := &s.waiting[from.part]
		together, reads := p.batch.Together, len(p.batch.Reads)
		for ; from.read < reads; from.read += together {
			if len(s.sought) >= most {
				return len(s.sought)
			}
			first, lost := len(s.sought), false
			for i := from.read; i < min(from.read+together, reads); i++ {
				read, k := fasta.Read{}, p.toSeek[i]
				if k != notAgain {
					read, lost = p.batch.Reads[i], true
				}
				s.sought, s.packed, s.distances = append(s.sought, soughtRead{from.part, i}), append(s.packed, read), append(s.distances, k)
			}
			if !lost {
				s.sought, s.packed, s.distances = s.sought[:first], s.packed[:first], s.distances[:first]
			}
		}
	}
	return len(s.sought)
}
