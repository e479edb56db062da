package mappability

import (
	"math"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

// None stands where there is no frequency: the K-mer hangs over the end of its contig, was not
// asked for, or has more than e letters that match nothing.
const None = math.MaxUint32

// Most is the largest frequency: larger ones are given as this one.
const Most = None - 1

// Frequencies are the frequencies of the K-mers of a reference, or of its fragments. They take 4
// bytes a base.
type Frequencies struct {
	// Length is K.
	Length int
	// Engine is the engine that counted, and Device is where.
	Engine Engine
	Device string

	ref        *dna.Reference
	edits      int
	excludeOwn bool
	genomes    bool
	threads    int
	starts     []span   // where wanted K-mers begin
	counts     []uint32 // by offset
	// repeated has a bit for each offset whose K-mer has several places in its own genome, where
	// genomes are counted; nil where counts tell.
	repeated []uint64
}

func newFrequencies(ref *dna.Reference, o *Options) *Frequencies {
	return &Frequencies{
		Length: o.Length, ref: ref, edits: o.Edits, excludeOwn: o.ExcludeSelf, genomes: o.Genomes, threads: o.Threads,
		starts: startsOf(ref, o.Length, o.Regions), counts: make([]uint32, ref.Bases.Length+1),
	}
}

// A counter counts in one genome.
type counter struct {
	options     *Options
	ref         *dna.Reference // whose K-mers are counted
	frequencies *Frequencies
	// counts are by offset, 0 where nothing was found yet. other are the counts of a genome after
	// the first.
	counts, other []uint32
	// apart are the K-mers that Reads maps one by one. grouped are the K-mers that it maps once for
	// all equal ones.
	apart, grouped []span
	// own tells that combinations are counted in the genome of the fragments.
	own      bool
	progress *progress
}

// addSaturated adds, up to the most that counts hold.
func addSaturated(a uint32, b uint64) uint32 { return uint32(min(uint64(a)+b, Most)) }

// Of returns the frequency of each position of a contig, or None. Writing to the slice changes the
// frequencies.
func (f *Frequencies) Of(contig int) []uint32 {
	c := &f.ref.Contigs[contig]
	return f.counts[c.Start:c.End():c.End()]
}

// Runs calls use for the stretches [start, end) of positions [from, to) of a contig of one
// frequency each, in order, without stretches that have none, until use returns an error.
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

// UniqueFrequency is the frequency of a K-mer that fits nowhere but at its own place. Where genomes
// are counted, others may have it too: those with more places in their own genome alone.
func (f *Frequencies) UniqueFrequency() uint32 {
	if f.excludeOwn {
		return 0
	}
	return 1
}

// Unique tells whether the K-mer at a position of a contig fits nowhere else.
func (f *Frequencies) Unique(contig, position int) bool {
	return f.unique(f.ref.Contigs[contig].Start + position)
}

// unique tells whether the K-mer at an offset fits nowhere but at its own place.
func (f *Frequencies) unique(offset int) bool {
	return f.counts[offset] == f.UniqueFrequency() &&
		(f.repeated == nil || f.repeated[offset/64]>>(offset%64)&1 == 0)
}

// countGenomes puts 1 in the place of the counts of one genome that are not 0. If the genome is the
// K-mers' own, it first notes which K-mers are repeated; with excludeOwn the count of these stays
// 1.
func (f *Frequencies) countGenomes(counts []uint32, own bool) {
	if own = own && !f.excludeOwn; own {
		f.repeated = make([]uint64, (len(counts)+63)/64)
	}
	// A chunk has whole words of repeated.
	parallel.Ranges(f.threads, len(counts), chunkKMers, func(_, from, to int) {
		for x := from; x < to; x++ {
			if own && counts[x] > 1 {
				f.repeated[x/64] |= 1 << (x % 64)
			}
			counts[x] = min(counts[x], 1)
		}
	})
}

// A Summary sums frequencies up.
type Summary struct {
	// Positions counts the positions at which a wanted K-mer begins, and KMers the wanted K-mers
	// with a frequency.
	Positions, KMers int64
	// Unique is how many K-mers fit nowhere but at their own place or, with Options.Genomes and
	// without Options.ExcludeSelf, in no genome but their own.
	Unique int64
	// Places is the sum of the frequencies, and Mappability the sum of 1/frequency. For the latter
	// a K-mer's own place counts in any case, so that Options.ExcludeSelf changes nothing but with
	// Options.Genomes: then frequencies do not say how many genomes there are with it, and
	// Mappability is 0. Largest is the largest frequency.
	Places      uint64
	Mappability float64
	Largest     uint32
}

// Summarize sums up.
func (f *Frequencies) Summarize() (s Summary) {
	chunks := cut(f.starts, chunkKMers)
	sums := make([]Summary, len(chunks))
	parallel.Ranges(f.threads, len(chunks), 1, func(_, i, _ int) { sums[i] = f.summarize(chunks[i].stretch()) })
	for i := range sums {
		s.Add(&sums[i])
	}
	return s
}

// chunkKMers is how many K-mers, or counts, one goroutine goes over at a time. Sums do not depend
// on threads, as the sums of chunks are added in order.
const chunkKMers = 1 << 16

// summarize sums up the K-mers of a span.
func (f *Frequencies) summarize(starts span) (s Summary) {
	s.Positions = int64(starts.to - starts.from)
	for i, n := range f.counts[starts.from:starts.to] {
		if n == None {
			continue
		}
		s.KMers++
		s.Places += uint64(n)
		s.Largest = max(s.Largest, n)
		if f.unique(starts.from + i) {
			s.Unique++
		}
		switch {
		case f.excludeOwn && f.genomes:
		case f.excludeOwn:
			s.Mappability += 1 / (float64(n) + 1)
		case n > 0:
			s.Mappability += 1 / float64(n)
		}
	}
	return s
}

// SummarizePart sums up the K-mers that begin at positions [from, to) of a contig. Positions counts
// all of these, wanted or not.
func (f *Frequencies) SummarizePart(contig, from, to int) Summary {
	start := f.ref.Contigs[contig].Start
	return f.summarize(span{start + from, start + to})
}

// Add adds the summary of other K-mers.
func (s *Summary) Add(other *Summary) {
	s.Positions += other.Positions
	s.KMers += other.KMers
	s.Unique += other.Unique
	s.Places += other.Places
	s.Mappability += other.Mappability
	s.Largest = max(s.Largest, other.Largest)
}

// eachKMer calls use for each wanted K-mer that has letters that match nothing, with their number,
// and clean for stretches of others, from several goroutines at a time.
func (f *Frequencies) eachKMer(clean func(kmers span), use func(offset, ambiguous int)) {
	chunks := cut(f.starts, chunkKMers)
	parallel.Ranges(f.threads, len(chunks), 1, func(_, i, _ int) {
		s := chunks[i].stretch()
		if !f.anyAmbiguous(s.from, s.to+f.Length-1) {
			clean(s)
			return
		}
		ambiguous := 0
		for x := s.from; x < s.to+f.Length-1; x++ {
			ambiguous += f.ambiguous(x)
			if first := x - f.Length + 1; first >= s.from {
				if ambiguous > 0 {
					use(first, ambiguous)
				} else {
					clean(span{first, first + 1})
				}
				ambiguous -= f.ambiguous(first)
			}
		}
	})
}

// ambiguous is 1 if a letter matches nothing, otherwise 0.
func (f *Frequencies) ambiguous(x int) int { return int(dna.Window(f.ref.Bases.Ambiguous, x) & 1) }

// anyAmbiguous tells whether any of the letters [from, to) matches nothing.
func (f *Frequencies) anyAmbiguous(from, to int) bool {
	for ; from+64 <= to; from += 64 {
		if dna.Window(f.ref.Bases.Ambiguous, from) != 0 {
			return true
		}
	}
	for ; from < to; from++ {
		if f.ambiguous(from) != 0 {
			return true
		}
	}
	return false
}

// excludeSelf takes each K-mer's own place off its frequency, as all were counted.
//
// Lemma. A K-mer with at most e letters that match nothing has just one location less without its
// own place.
//
// Proof. At its own place it has as many edits as such letters, at most e. With substitutions that
// is a location, and no other is the same. With edits it is an occurrence, and one location stands
// for it: the occurrence itself, or the first location that excludes it. ∎
func (f *Frequencies) excludeSelf() {
	exclude := func(offset int) {
		if n := &f.counts[offset]; *n > 0 && *n < Most {
			*n--
		}
	}
	f.eachKMer(func(kmers span) {
		for offset := kmers.from; offset < kmers.to; offset++ {
			exclude(offset)
		}
	}, func(offset, ambiguous int) {
		if ambiguous <= f.edits {
			exclude(offset)
		}
	})
}

// close sets None where there is no frequency.
func (f *Frequencies) close() {
	others := cut(without([]span{{0, len(f.counts)}}, f.starts), chunkKMers)
	parallel.Ranges(f.threads, len(others), 1, func(_, i, _ int) {
		counts := f.counts[others[i].from:others[i].to]
		for x := range counts {
			counts[x] = None
		}
	})
	f.eachKMer(func(span) {}, func(offset, ambiguous int) {
		if ambiguous > f.edits {
			f.counts[offset] = None
		}
	})
}
