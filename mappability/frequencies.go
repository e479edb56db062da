package mappability

import (
	"math"

	"scanmap/dna"
	"scanmap/parallel"
)

// None stands where there is no frequency: the K-mer hangs over the end of its contig, was not
// asked for, or has more than e letters that match nothing.
const None = math.MaxUint32

// Most is the largest frequency: larger ones are given as this one.
const Most = None - 1

// Frequencies are the frequencies of the K-mers of a reference. They take 4 bytes a base.
type Frequencies struct {
	// Length is K.
	Length int
	// Engine is the one that counted, and Device where.
	Engine Engine
	Device string

	ref        *dna.Reference
	edits      int
	excludeOwn bool
	threads    int
	starts     []span   // where wanted K-mers begin
	counts     []uint32 // by offset
}

func newFrequencies(ref *dna.Reference, o *Options) *Frequencies {
	return &Frequencies{
		Length: o.Length, ref: ref, edits: o.Edits, excludeOwn: o.ExcludeSelf, threads: o.Threads,
		starts: startsOf(ref, o.Length, o.Regions), counts: make([]uint32, ref.Bases.Length+1),
	}
}

// Of returns the frequencies of a contig by position, None where there is none. They may be
// written to, which changes them.
func (f *Frequencies) Of(contig int) []uint32 {
	c := &f.ref.Contigs[contig]
	return f.counts[c.Start:c.End():c.End()]
}

// Runs calls use for the stretches [start, end) of positions [from, to) of a contig of one
// frequency each, in order, without those that have none, until it returns an error.
func (f *Frequencies) Runs(contig, from, to int, use func(start, end int, frequency uint32) error) error {
	counts := f.Of(contig)[:to]
	for start := from; start < to; {
		end := start + 1
		for end < to && counts[end] == counts[start] {
			end++
		}
		if counts[start] != None {
			if err := use(start, end, counts[start]); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

// UniqueFrequency is the frequency of a K-mer that fits nowhere but at its own place.
func (f *Frequencies) UniqueFrequency() uint32 {
	if f.excludeOwn {
		return 0
	}
	return 1
}

// A Summary sums frequencies up.
type Summary struct {
	// Positions are those at which a wanted K-mer begins, and KMers those of them that have a
	// frequency.
	Positions, KMers int64
	// Unique are those that fit nowhere but at their own place.
	Unique int64
	// Places is the sum of the frequencies, and Mappability that of 1/frequency, over those that
	// are not 0. Largest is the largest frequency.
	Places      uint64
	Mappability float64
	Largest     uint32
}

// summed is how many K-mers are gone over by one goroutine at a time. Sums of fractions depend on
// it, and not on threads.
const summed = 1 << 20

// Summarize sums up.
func (f *Frequencies) Summarize() (s Summary) {
	pieces := cut(f.starts, summed)
	parts := make([]Summary, len(pieces))
	parallel.Ranges(f.threads, len(pieces), 1, func(_, i, _ int) { parts[i] = f.summary(pieces[i]) })
	for _, p := range parts {
		s.Positions += p.Positions
		s.KMers += p.KMers
		s.Unique += p.Unique
		s.Places += p.Places
		s.Mappability += p.Mappability
		s.Largest = max(s.Largest, p.Largest)
	}
	return s
}

// summary sums a piece up.
func (f *Frequencies) summary(p piece) (s Summary) {
	unique := f.UniqueFrequency()
	s.Positions = int64(p.to - p.from)
	for _, n := range f.counts[p.from:p.to] {
		if n == None {
			continue
		}
		s.KMers++
		s.Places += uint64(n)
		s.Largest = max(s.Largest, n)
		if n == unique {
			s.Unique++
		}
		if n > 0 {
			s.Mappability += 1 / float64(n)
		}
	}
	return s
}

// eachKMer calls use for each wanted K-mer with the number of its letters that match nothing, from
// several goroutines.
func (f *Frequencies) eachKMer(use func(offset, ambiguous int)) {
	one := func(offset int) int { return int(dna.Window(f.ref.Bases.Ambiguous, offset) & 1) }
	pieces := cut(f.starts, summed)
	parallel.Ranges(f.threads, len(pieces), 1, func(_, i, _ int) {
		p, ambiguous := pieces[i], 0
		for x := p.from; x < p.to+f.Length-1; x++ {
			ambiguous += one(x)
			if first := x - f.Length + 1; first >= p.from {
				use(first, ambiguous)
				ambiguous -= one(first)
			}
		}
	})
}

// excludeSelf takes each K-mer's own place off its frequency, as all were counted.
//
// Lemma. A K-mer with at most e letters that match nothing has just one location less without its
// own place.
//
// Proof. At its own place it has as many edits as such letters, at most e. With substitutions that
// is a location, and no other is the same. With edits it is an occurrence, of which one location
// tells: itself, or the first of those that exclude it. ∎
func (f *Frequencies) excludeSelf() {
	f.eachKMer(func(offset, ambiguous int) {
		if n := &f.counts[offset]; ambiguous <= f.edits && *n > 0 && *n < Most {
			*n--
		}
	})
}

// close sets None where there is no frequency.
func (f *Frequencies) close() {
	last := 0
	none := func(to int) {
		for ; last < to; last++ {
			f.counts[last] = None
		}
	}
	for _, s := range f.starts {
		none(s.from)
		last = s.to
	}
	none(len(f.counts))
	f.eachKMer(func(offset, ambiguous int) {
		if ambiguous > f.edits {
			f.counts[offset] = None
		}
	})
}
