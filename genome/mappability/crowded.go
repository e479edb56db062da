package mappability

import (
	"slices"

	"scanmap/dna"
)

// Families of repeats have pairs of places as many as the square of their copies, and shared works
// on each run of such a pair. An array of satellites has few different K-mers though: compared as
// strings (rounds.go, neighbours.go), each one costs time once, for all its places. Some K-mers of
// the reference and of the genome are therefore marked as crowded. Pairs of two crowded K-mers are
// compared as strings, and all other pairs by their runs. Which are crowded changes time and memory
// alone.
//
// Lemma. Each pair of a K-mer of the reference and one of the genome is then counted once.
//
// Proof. The K-mer of the reference is crowded or not, and the K-mer of the genome is crowded or
// not. Three of the four cases are in one join each, and the fourth is compared as strings. A join
// has spans and contigs that are stretches of K-mers of one kind, with K - 1 bases more. It has the
// pairs of all K-mers that lie inside them. No K-mer of the other kind does: a stretch of these
// between two of its spans has K K-mers or more, as a block has (split), so that spans are K bases
// apart or more, and none are joined across it. Where spans are joined, their K-mers are of one
// kind, and between them are some that nobody wants. ∎

// A split says where crowded K-mers begin.
type split struct {
	reference, genome []span
	// same tells that all K-mers of the genome are wanted.
	same bool
	// repeated tells that most crowded K-mers are equal to others.
	repeated bool
}

// places is the number of crowded K-mers, of both sides if the sides differ.
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

// joins are the joins of all pairs of K-mers, except pairs of two crowded ones.
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
