package mapper

import (
	"cmp"
	"context"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/measure"
)

// A partSeeker finds candidates of the parts of reads that have no local location, in a pass over
// the reference for these alone. It does so on the CPU: there are few such reads. Parts of batches
// wait, without candidates, until there are so many of them that a pass is worth it.
type partSeeker struct {
	ref     *dna.Reference
	options find.Options
	k       func(length int) int // as in find.Finder.Pack
	timer   *measure.Timer
	finder  find.Finder // nil until a read is lost
	parts   find.Parts
	found   find.Found
	// waiting have so many reads, so many without a location, and locations in all.
	waiting                []part
	reads, lost, locations int
	// sought are the lost reads that are packed.
	sought []soughtRead
	packed []fasta.Read
}

// A soughtRead is a read of a part that waits.
type soughtRead struct{ part, read int }

// newPartSeeker returns nil where no parts are sought.
func newPartSeeker(ref *dna.Reference, o *Options, t *times) *partSeeker {
	if o.Local == nil || !o.Local.Split {
		return nil
	}
	s := &partSeeker{ref: ref, options: o.finding(&find.Times{}), k: o.largest, timer: &t.parts}
	s.options.Local.Parts = true
	return s
}

// lostReads are reads of a part, in order, and what was found for their parts, which begins with
// that of item `first`.
type lostReads struct {
	reads []soughtRead
	found *find.Found
	first int
}

// search returns the index of the first read that is no less than one of the part.
func (l *lostReads) search(read int) (at int, is bool) {
	return slices.BinarySearchFunc(l.reads, read, func(s soughtRead, read int) int { return cmp.Compare(s.read, read) })
}

// candidates returns those of a read of the part.
func (l *lostReads) candidates(read int) []locate.Candidate {
	if at, ok := l.search(read); ok {
		return l.found.Candidates.Of(l.first + at)
	}
	return nil
}

// count returns the number of candidates of reads [from, to) of the part.
func (l *lostReads) count(from, to int) int {
	if len(l.reads) == 0 {
		return 0
	}
	first, _ := l.search(from)
	last, _ := l.search(to)
	return l.found.Candidates.Count(l.first+first, l.first+last)
}

const (
	// soughtReads is the most reads that are packed at a time to find their parts, but for a mate.
	soughtReads = 1 << 16
	// waitingLocations is how many locations wait at most, with those of another part.
	waitingLocations = 1 << 20
)

// isLost tells whether a read of a part that is held has no location, and may have parts.
func (p *part) isLost(read int) bool {
	return p.found.Located.Count(read, read+1) == 0 && p.batch.Length(read) >= locate.LeastPart && !p.found.Unlisted()
}

// wait has a part that is held wait.
func (s *partSeeker) wait(p *part) {
	s.waiting = append(s.waiting, *p)
	s.reads += len(p.batch.Reads)
	s.locations += p.found.Count(0, len(p.batch.Reads))
	for i := range p.batch.Reads {
		if p.isLost(i) {
			s.lost++
		}
	}
}

// enough tells whether no more parts should wait: a pass over the reference costs little against
// what was done for so many reads (find.BatchReads).
func (s *partSeeker) enough() bool {
	most := s.options.BatchReads
	if most == 0 {
		most = find.BatchReads(int64(s.ref.TotalLength()))
	}
	return s.reads >= most || s.lost >= soughtReads || s.locations >= waitingLocations
}

// seek calls use for the reads of all parts that wait, which are of one library, some after the
// other and in order, while the part has what was found of those without a location. None waits
// then.
func (s *partSeeker) seek(ctx context.Context, use func(p *part, reads span) error) error {
	defer func() {
		s.waiting, s.reads, s.lost, s.locations = nil, 0, 0, 0
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
		err := s.find(ctx, func(sought []soughtRead) error {
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
				p.lost = lostReads{sought[first : first+n], &s.found, first}
				if err := use(p, span{done.read, to}); err != nil {
					return err
				}
				p.lost, done.read = lostReads{}, to
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
func (s *partSeeker) find(ctx context.Context, use func(sought []soughtRead) error) error {
	if s.finder == nil {
		s.finder = find.OnCPU(s.ref, s.options)
	}
	start := s.timer.Start()
	b, err := s.finder.Pack(s.packed, s.waiting[0].batch.Together, s.k)
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
		if err := use(s.sought[next : next+n]); err != nil {
			return err
		}
		next += n
	}
	return nil
}

// pick packs the next lost reads from one on, and returns their number. Mates come together, a read
// without bases in place of one that is not lost.
func (s *partSeeker) pick(from *soughtRead) int {
	s.sought, s.packed = s.sought[:0], s.packed[:0]
	for ; from.part < len(s.waiting); *from = (soughtRead{from.part + 1, 0}) {
		p := &s.waiting[from.part]
		together, reads := p.batch.Together, len(p.batch.Reads)
		for ; from.read < reads; from.read += together {
			if len(s.sought) >= soughtReads {
				return len(s.sought)
			}
			first, lost := len(s.sought), false
			for i := from.read; i < min(from.read+together, reads); i++ {
				read := fasta.Read{}
				if p.isLost(i) {
					read, lost = p.batch.Reads[i], true
				}
				s.sought, s.packed = append(s.sought, soughtRead{from.part, i}), append(s.packed, read)
			}
			if !lost {
				s.sought, s.packed = s.sought[:first], s.packed[:first]
			}
		}
	}
	return len(s.sought)
}
