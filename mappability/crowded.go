package mappability

import (
	"cmp"
	"context"
	"math/bits"
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
	sampledShare = 8
	mostSampled  = 1 << 22
	// fewCopies is the number of equal seeds up to which their K-mers are taken to differ.
	fewCopies = 64
	// rounds is how often blocks are judged, each time by the pairs of those that were left.
	rounds = 3
	// mostCrowded is the most K-mers that are compared as strings, for memory: some 60 bytes each if
	// all differ.
	mostCrowded = 1 << 26
	// mostCrowdedLength is the most bases of K-mers that are compared as strings, which takes 24
	// bytes for each 64 bases of those at work.
	mostCrowdedLength = 512
)

// What work takes, in nanoseconds, on the machine of docs/benchmarks/mappability.md. A place costs
// sharedPair for each other one with the same seed on either strand, and sharedRun for those of them
// with which a run begins. It costs stringPlace to find its string. A string costs stringPiece for
// each piece by which it is looked up, and stringPair for each other one with that piece, of which
// further pieces leave mostCompared or so.
const (
	sharedPair   = 1.0
	sharedRun    = 100.0
	stringPlace  = 200.0
	stringPiece  = 200.0
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
	for _, side := range sides {
		side.choose(mostCrowded / len(sides))
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

// choose chooses the blocks that have a gain: those that gain most, with `most` K-mers at most.
func (s *side) choose(most int) {
	var order []int
	for b, gain := range s.gains {
		if s.chosen[b] = false; gain > 0 {
			order = append(order, b)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.gains[b], s.gains[a]) })
	for _, b := range order {
		if most -= s.blocks[b].to - s.blocks[b].from; most < 0 {
			break
		}
		s.chosen[b] = true
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

// A sample is a seed of a side and of one of its blocks.
type sample struct {
	entry
	side, block int32
	hash        uint64 // of its K-mer
}

// judge estimates what comparing strings saves for blocks, from a sample of the seeds. A pair of
// places is saved if the blocks of both are crowded. So all are taken to be crowded at first, and
// those are left out that cost more than all their pairs with the others; of what is left again,
// and so on. Half a pair's cost belongs to either block. If the sum of it is less than what all
// strings cost, none are crowded.
func (s *sharing) judge(sides []*side) {
	samples := s.sampled(sides)
	families := s.families(sides, samples)
	for i := range sides {
		for b := range sides[i].chosen {
			sides[i].chosen[b] = true
		}
	}
	for range rounds {
		for _, side := range sides {
			clear(side.gains)
		}
		s.gains(sides, samples, families, 2)
		for _, side := range sides {
			side.choose(mostCrowded / len(sides))
		}
	}
	gains := make([][]float64, len(sides))
	for i, side := range sides {
		gains[i] = slices.Clone(side.gains)
		clear(side.gains)
	}
	s.gains(sides, samples, families, 1)
	sum := 0.0
	for i, side := range sides {
		for b, gain := range side.gains {
			if side.chosen[b] {
				sum += gain
			} else {
				gains[i][b] = 0
			}
		}
	}
	for i, side := range sides {
		if side.gains = gains[i]; sum <= 0 {
			clear(side.gains)
		}
	}
}

// sampled takes a sample of the seeds of all sides, in order of their codes.
func (s *sharing) sampled(sides []*side) (samples []sample) {
	o := s.options
	kind := seedKind{bases: s.seed.bases, whole: o.Length}
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
		rollers, rolled := make([]roller, o.Threads), make([][]entry, o.Threads)
		parallel.Ranges(o.Threads, len(chunks), 1, func(worker, c, _ int) {
			rolled[worker] = rollers[worker].take(rolled[worker][:0], side.bases, chunks[c], kind, newKeyRange(0, groups))
			for _, e := range rolled[worker] {
				if other := reverseComplement(e.code, kind.bases); !o.ForwardOnly && other < e.code {
					e.code = other
				}
				// Not the first groups: homopolymers of A are in them.
				if groupOf(e.code) >= groups-share {
					taken[c] = append(taken[c], e)
				}
			}
		})
		block := 0
		for _, entries := range taken {
			for _, e := range entries { // in order of their offsets
				for side.blocks[block].to <= e.offset() {
					block++
				}
				samples = append(samples, sample{entry: e, side: int32(i), block: int32(block)})
			}
		}
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.code, b.code) })
	return samples
}

// reverseComplement returns the code of a seed on the other strand.
func reverseComplement(code uint64, bases int) uint64 {
	code = bits.Reverse64(^code)
	return (code>>1&0x5555555555555555 | code&0x5555555555555555<<1) >> (64 - 2*uint(bases))
}

// equalCodes is how many samples at the head of all have the same code.
func equalCodes(samples []sample) int {
	n := 1
	for n < len(samples) && samples[n].code == samples[0].code {
		n++
	}
	return n
}

// A family is the samples of one code: what the string of a place costs, and what a pair of it with
// one of the others does.
type family struct {
	n            int
	string, pair float64
}

// families are those of samples in order of codes.
func (s *sharing) families(sides []*side, samples []sample) (all []family) {
	k := s.options.Length
	of := []planes{s.planes, s.texts[0].planes}
	pieces := float64(s.options.Edits + 1)
	for len(samples) > 0 {
		n := equalCodes(samples)
		equal, distinct := samples[:n], n
		if n > fewCopies*len(sides) {
			for i := range equal {
				equal[i].hash = of[equal[i].side].hash(equal[i].offset(), k)
			}
			slices.SortFunc(equal, func(a, b sample) int { return cmp.Compare(a.hash, b.hash) })
			distinct = 1
			for i := range n - 1 {
				if equal[i].hash != equal[i+1].hash {
					distinct++
				}
			}
		}
		var classes [1 << classBits]float64
		for _, x := range equal {
			classes[x.class()]++
		}
		begins := 1.0 // of pairs with a run that begins here
		for _, c := range classes[:noBase] {
			begins -= c / float64(n) * c / float64(n)
		}
		one := pieces * (stringPiece + stringPair*float64(dna.Words(k)*min(distinct, mostCompared)))
		all = append(all, family{n, stringPlace + one*float64(distinct)/float64(n), sharedPair + sharedRun*begins})
		samples = samples[n:]
	}
	return all
}

// gains adds to the gains of blocks what they save with those that are chosen, so many times half
// the cost of their pairs, less that of their strings.
func (s *sharing) gains(sides []*side, samples []sample, families []family, halves float64) {
	other := int32(len(sides) - 1) // of the first side
	for _, f := range families {
		var copies [2]int // by side
		for _, x := range samples[:f.n] {
			if sides[x.side].chosen[x.block] {
				copies[x.side]++
			}
		}
		for _, x := range samples[:f.n] {
			sides[x.side].gains[x.block] += halves*f.pair*float64(copies[other-x.side]) - f.string
		}
		samples = samples[f.n:]
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
