package mappability

import (
	"slices"

	"scanmap/dna"
)

// Families of repeats have pairs of places as many as the square of their copies, and shared works
// on each run of such a pair. An array of satellites has few different K-mers though: compared as
// strings (rounds.go, neighbours.go), each of them costs time once, for all its places. So the
// K-mers of the reference, and those of the genome, are parted into crowded ones and others. What
// is crowded on both sides is compared as strings, and all other pairs by their runs. Which are
// crowded changes time and memory alone.
//
// Lemma. Each pair of a K-mer of the reference and one of the genome is then counted once.
//
// Proof. The K-mer of the reference is crowded or not, and so is that of the genome; each of the
// four cases is in one join, or in that of strings. A join has spans and contigs that are stretches
// of K-mers of one kind, with K - 1 bases more. It has the pairs of all K-mers that lie inside
// them. No K-mer of the other kind does: a stretch of these between two of its spans has K K-mers
// or more, as a block has (split), so that spans are K bases apart or more, and none are joined
// across it. Where spans are joined, their K-mers are of one kind, and between them are some that
// nobody wants. ∎

const (
	// A block of neighbouring K-mers is crowded or not as a whole. It has so many K-mers, or more
	// so that there are mostBlocks of them, and as many as K has bases at least.
	blockKMers = 1 << 12
	mostBlocks = 1 << 16
	// mostCrowdedLength is the most bases of K-mers that are compared as strings, which takes 24
	// bytes for each 64 bases of those at work.
	mostCrowdedLength = 512
)

// A split says where crowded K-mers begin.
type split struct {
	reference, genome []span
	// same tells that the wanted K-mers are all those of the genome.
	same bool
	// repeated tells that most crowded K-mers are equal to others.
	repeated bool
}

// places is the number of crowded K-mers, those of both sides if they are not the same.
func (p *split) places() int {
	n := 0
	for _, s := range p.genome {
		n += s.to - s.from
	}
	if !p.same {
		for _, s := range p.reference {
			n += s.to - s.from
		}
	}
	return n
}

// split parts the K-mers of reference and genome.
func (s *sharing) split(genome *dna.Reference) split {
	o := s.options
	p := split{same: s.own && o.Regions == nil}
	if s.exact || o.Length > mostCrowdedLength {
		return p
	}
	sides := []*side{newSide(s.ref, s.frequencies.starts, o)}
	if !p.same {
		sides = append(sides, newSide(genome, startsOf(genome, o.Length, nil), o))
	}
	if choose := o.limits.crowded; choose != nil {
		for i, side := range sides {
			for b := range side.blocks {
				if choose(i, b) {
					side.gains[b] = 1
				}
			}
		}
		p.repeated = o.limits.repeated
	} else {
		p.repeated = s.judge(sides)
	}
	for _, side := range sides {
		side.choose()
	}
	p.reference = sides[0].crowded()
	p.genome = p.reference
	if !p.same {
		p.genome = sides[1].crowded()
	}
	if len(p.reference) == 0 || len(p.genome) == 0 {
		return split{same: p.same}
	}
	return p
}

// A side is the K-mers of the reference or of the genome, in blocks.
type side struct {
	bases  *dna.Sequence
	starts []span // of wanted K-mers
	blocks []span // in order
	// gains is what comparing strings saves for each block, as far as it was sampled, and chosen
	// tells which of them are crowded.
	gains  []float64
	chosen []bool
}

func newSide(ref *dna.Reference, starts []span, o *Options) *side {
	size := max(blockKMers, ref.TotalLength()/mostBlocks)
	if o.limits.crowdedBlock > 0 {
		size = o.limits.crowdedBlock
	}
	size = max(size, o.Length)
	s := &side{bases: &ref.Bases, starts: starts}
	for _, contig := range startsOf(ref, o.Length, nil) {
		for from := contig.from; from < contig.to; {
			to := from + size
			if contig.to-to < size {
				to = contig.to
			}
			s.blocks = append(s.blocks, span{from, to})
			from = to
		}
	}
	s.gains, s.chosen = make([]float64, len(s.blocks)), make([]bool, len(s.blocks))
	return s
}

// choose chooses the blocks that have a gain.
func (s *side) choose() {
	for b, gain := range s.gains {
		s.chosen[b] = gain > 0
	}
}

// crowded returns the wanted starts of the blocks that were chosen.
func (s *side) crowded() []span {
	var chosen []span
	for b, is := range s.chosen {
		if is {
			chosen = append(chosen, s.blocks[b])
		}
	}
	return within(s.starts, joined(chosen))
}

// joins are those of all K-mers but the crowded ones with each other.
func (s *sharing) joins(p split) (all []join) {
	k, starts := s.options.Length, s.frequencies.starts
	add := func(starts []span, texts []text) {
		if len(starts) > 0 && len(texts) > 0 {
			all = append(all, join{spans: covered(starts, k), texts: texts})
		}
	}
	if len(p.genome) == 0 {
		texts := slices.Clone(s.texts)
		for i := range texts {
			if p.same && !s.exact {
				texts[i].counted = halves
			}
		}
		add(starts, texts)
		return all
	}
	others := without(starts, p.reference)
	if p.same {
		add(others, append(s.parts(others, halves), s.parts(p.genome, bothWays)...))
		return all
	}
	add(others, s.texts)
	add(p.reference, s.parts(without(s.genomeStarts(), p.genome), oneWay))
	return all
}

// genomeStarts are where K-mers of the genome begin.
func (s *sharing) genomeStarts() (starts []span) {
	for _, c := range s.texts[0].contigs {
		if to := c.to - s.options.Length + 1; c.from < to {
			starts = append(starts, span{c.from, to})
		}
	}
	return starts
}

// parts are the parts of the texts that have the K-mers which begin at some offsets of strand +.
func (s *sharing) parts(starts []span, c counting) (all []text) {
	for _, t := range s.texts {
		if t.counted, t.contigs = c, covered(starts, s.options.Length); t.reverse {
			t.contigs = mirrored(t.contigs, t.bases.Length)
		}
		if len(t.contigs) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// step is what finding strings, and comparing those with an equal piece, is to the progress: as
// many chunks of seeds.
func (p *split) step(o *Options) int64 {
	return int64((p.places() + o.limits.chunk - 1) / o.limits.chunk)
}

// covered are the bases of the K-mers that begin at some offsets, joined where they touch.
func covered(starts []span, k int) (all []span) {
	for _, s := range starts {
		all = append(all, span{s.from, s.to + k - 1})
	}
	return joined(all)
}

// mirrored are spans as they lie on the other strand of n bases, in order.
func mirrored(spans []span, n int) (all []span) {
	for _, s := range slices.Backward(spans) {
		all = append(all, span{n - s.to, n - s.from})
	}
	return all
}

// within are the parts of spans that lie in some others. Both are in order.
func within(spans, others []span) (all []span) {
	for len(spans) > 0 && len(others) > 0 {
		if from, to := max(spans[0].from, others[0].from), min(spans[0].to, others[0].to); from < to {
			all = append(all, span{from, to})
		}
		if spans[0].to < others[0].to {
			spans = spans[1:]
		} else {
			others = others[1:]
		}
	}
	return all
}

// without are the parts of spans that lie in none of some others. Both are in order.
func without(spans, others []span) (all []span) {
	for _, s := range spans {
		for len(others) > 0 && others[0].to <= s.from {
			others = others[1:]
		}
		from := s.from
		for _, o := range others {
			if o.from >= s.to {
				break
			}
			if from < o.from {
				all = append(all, span{from, o.from})
			}
			from = o.to
		}
		if from < s.to {
			all = append(all, span{from, s.to})
		}
	}
	return all
}
