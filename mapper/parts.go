package mapper

import (
	"context"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/measure"
)

// A partSeeker finds candidates of the parts of reads that have no local location, in a pass over
// the reference for these alone. It does so on the CPU: there are few such reads.
type partSeeker struct {
	ref     *dna.Reference
	options find.Options
	k       func(length int) int // as in find.Finder.Pack
	timer   *measure.Timer
	finder  find.Finder // nil until a read is lost
	parts   find.Parts
	found   find.Found
	lost    []int // see pick
	reads   []fasta.Read
}

// newPartSeeker returns nil where no parts are sought.
func newPartSeeker(ref *dna.Reference, o *Options, t *times) *partSeeker {
	if o.Local == nil || !o.Local.Split {
		return nil
	}
	s := &partSeeker{ref: ref, options: o.finding(&find.Times{}), k: o.largest, timer: &t.parts}
	s.options.Local.Parts = true
	return s
}

// lostReads are reads of a part, in order, and what was found of them for parts, by their index
// among these.
type lostReads struct {
	reads []int
	found *find.Found
}

// candidates returns those of a read of the part.
func (l *lostReads) candidates(read int) []locate.Candidate {
	if at, ok := slices.BinarySearch(l.reads, read); ok {
		return l.found.Candidates.Of(at)
	}
	return nil
}

// count returns the number of candidates of reads [from, to) of the part.
func (l *lostReads) count(from, to int) int {
	if len(l.reads) == 0 {
		return 0
	}
	first, _ := slices.BinarySearch(l.reads, from)
	last, _ := slices.BinarySearch(l.reads, to)
	return l.found.Candidates.Count(first, last)
}

// soughtReads is the most reads that are packed at a time to find their parts, but for a mate.
const soughtReads = 1 << 16

// seek calls use for the reads of a part that holds its locations, some after the other and in
// order, while p.lost has what was found of those without a location.
func (s *partSeeker) seek(ctx context.Context, p *part, use func(reads span) error) error {
	defer func() {
		p.lost = lostReads{}
		if s.finder != nil {
			s.finder.Discard() // what an error cuts off
		}
	}()
	done, reads := 0, len(p.batch.Reads)
	for s.pick(p, done) > 0 {
		if s.finder == nil {
			s.finder = find.OnCPU(s.ref, s.options)
		}
		start := s.timer.Start()
		b, err := s.finder.Pack(s.reads, p.batch.Together, s.k)
		if err != nil {
			return err
		}
		s.timer.Add(start, 0)
		for next := 0; next < len(s.lost); {
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
			p.lost = lostReads{s.lost[next : next+n], &s.found}
			next += n
			to := s.lost[next-1] + 1
			if err := use(span{done, to}); err != nil {
				return err
			}
			done = to
		}
	}
	p.lost = lostReads{}
	if done == reads {
		return nil
	}
	return use(span{done, reads})
}

// pick fills s.reads with the next reads of a part, from one on, that may have parts, and s.lost
// with their indices, and returns their number. Mates come together, a read without bases in place
// of one that is not sought.
func (s *partSeeker) pick(p *part, from int) int {
	s.lost, s.reads = s.lost[:0], s.reads[:0]
	together := p.batch.Together
	for ; from < len(p.batch.Reads) && len(s.lost) < soughtReads; from += together {
		first, sought := len(s.lost), false
		for i := from; i < min(from+together, len(p.batch.Reads)); i++ {
			read := fasta.Read{}
			if p.found.Located.Count(i, i+1) == 0 && p.batch.Length(i) >= locate.LeastPart {
				read, sought = p.batch.Reads[i], true
			}
			s.lost, s.reads = append(s.lost, i), append(s.reads, read)
		}
		if !sought {
			s.lost, s.reads = s.lost[:first], s.reads[:first]
		}
	}
	return len(s.lost)
}
