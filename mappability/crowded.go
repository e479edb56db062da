package mappability

import (
	"cmp"
	"context"
	"slices"

	"scanmap/dna"
	"scanmap/parallel"
)

// Families of repeats have pairs of places as many as the square of their copies, and shared works
// on each run of such a pair. An array of satellites has few different K-mers though: compared as
// strings (distinct.go, neighbours.go), each of them costs time once, for all its places. So the
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
	// Which blocks are crowded is judged by the seeds of one in sampledShare groups of keys, and by
	// mostSampled seeds at most.
	sampledShare = 16
	mostSampled  = 1 << 22
	// fewCopies is the number of equal seeds up to which none are crowded.
	fewCopies = 64
	// mostCrowded is the most K-mers that are compared as strings, for memory: some 60 bytes each if
	// all differ.
	mostCrowded = 1 << 26
	// mostCrowdedLength is the most bases of K-mers that are compared as strings, which takes 24
	// bytes for each 64 bases of those at work.
	mostCrowdedLength = 512
)

// What work takes, in nanoseconds, on the machine of docs/benchmarks/mappability.md. A place costs
// sharedCopy for each other one with the same seed: few of these pairs begin a run, which costs ten
// times as much. It costs stringPlace to find its string. A string costs stringPiece for each piece
// by which it is looked up, and stringPair for each other one with that piece, of which further
// pieces leave mostCompared or so.
const (
	sharedCopy   = 4.0
	stringPlace  = 300.0
	stringPiece  = 400.0
	stringPair   = 1.0
	mostCompared = 1 << 8
)

// A split says where crowded K-mers begin.
type split struct {
	reference, genome []span
	// same tells that the wanted K-mers are all those of the genome.
	same bool
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
	} else {
		s.judge(sides)
	}
	most := mostCrowded / len(sides)
	p.reference = sides[0].crowded(most)
	p.genome = p.reference
	if !p.same {
		p.genome = sides[1].crowded(most)
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
	// gains is what comparing strings saves for each block, as far as it was sampled.
	gains []float64
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
	s.gains = make([]float64, len(s.blocks))
	return s
}

// crowded returns the starts of the blocks that have a gain: `most` of them at most, of those that
// gain most.
func (s *side) crowded(most int) []span {
	order := make([]int, 0, len(s.blocks))
	for b, gain := range s.gains {
		if gain > 0 {
			order = append(order, b)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.gains[b], s.gains[a]) })
	var chosen []span
	for _, b := range order {
		if most -= s.blocks[b].to - s.blocks[b].from; most < 0 {
			break
		}
		chosen = append(chosen, s.blocks[b])
	}
	return within(s.starts, joined(chosen))
}

// A sample is a seed of a side, with the hash of its K-mer.
type sample struct {
	entry
	side int
	hash uint64
}

// judge estimates what comparing strings saves for blocks, from a sample of the seeds.
func (s *sharing) judge(sides []*side) {
	o := s.options
	kind := seedKind{bases: s.seed.bases, whole: o.Length}
	var samples []sample
	for i, side := range sides {
		n := 0
		for _, starts := range side.starts {
			n += starts.to - starts.from
		}
		share := min(groups/sampledShare, max(groups*mostSampled/max(n, 1), 1))
		if o.limits.crowdedBlock > 0 {
			share = groups
		}
		chunks := cut(covered(side.starts, o.Length), o.limits.chunk)
		taken := make([][]entry, len(chunks))
		rollers := make([]roller, o.Threads)
		parallel.Ranges(o.Threads, len(chunks), 1, func(worker, c, _ int) {
			taken[c] = rollers[worker].take(nil, side.bases, chunks[c], kind, newKeyRange(0, share))
		})
		for _, entries := range taken {
			for _, e := range entries {
				samples = append(samples, sample{entry: e, side: i})
			}
		}
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.code, b.code) })
	planes := []planes{s.planes, s.texts[0].planes}
	for len(samples) > 0 {
		n := 1
		for n < len(samples) && samples[n].code == samples[0].code {
			n++
		}
		s.judgeEqual(sides, samples[:n], planes)
		samples = samples[n:]
	}
}

// judgeEqual adds what comparing strings saves for places with the same seed.
func (s *sharing) judgeEqual(sides []*side, equal []sample, of []planes) {
	k := s.options.Length
	var copies [2]int // by side
	for _, x := range equal {
		copies[x.side]++
	}
	other := len(sides) - 1 // of the first side
	distinct := 0
	if max(copies[0], copies[other]) > fewCopies {
		for i := range equal {
			equal[i].hash = of[equal[i].side].hash(equal[i].offset(), k)
		}
		slices.SortFunc(equal, func(a, b sample) int { return cmp.Compare(a.hash, b.hash) })
		for i := range equal {
			if i == 0 || equal[i].hash != equal[i-1].hash {
				distinct++
			}
		}
	}
	pieces := float64(s.options.Edits + 1)
	each := pieces * (stringPiece + stringPair*float64(dna.Words(k)*min(distinct, mostCompared))) * float64(distinct) / float64(len(equal))
	for _, x := range equal {
		side := sides[x.side]
		b, _ := slices.BinarySearchFunc(side.blocks, x.offset(), func(b span, offset int) int { return cmp.Compare(b.to, offset+1) })
		gain := -stringPlace
		if n := copies[other-x.side]; n > fewCopies {
			gain += sharedCopy*float64(n) - each
		}
		side.gains[b] += gain
	}
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

// crowded counts the pairs of crowded K-mers.
func (s *sharing) crowded(ctx context.Context, p split) error {
	if len(p.genome) == 0 {
		return nil
	}
	d := newDistinct(s, p)
	s.progress.add(p.step(s.options))
	if err := d.join(ctx); err != nil {
		return err
	}
	d.settle()
	return nil
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
