package mappability

import (
	"cmp"
	"math/bits"
	"slices"

	"scanmap/dna"
	"scanmap/internal/parallel"
)

const (
	// Which blocks are crowded is judged by the seeds of one in sampledShare groups of keys, and by
	// some mostSampled seeds: by more where the groups have more than others.
	sampledShare = 16
	mostSampled  = 1 << 22
	// fewCopies is the number of equal seeds up to which their K-mers are taken to differ.
	fewCopies = 64
	// rounds is how often blocks are judged, each time by pairs within the blocks that were left.
	rounds = 3
	// leastGain is how many times the cost of strings all their pairs have to cost: samples err.
	leastGain = 1.25
)

// The costs of work, in nanoseconds, on the machine of docs/benchmarks/mappability.md. A place
// costs sharedPair for each other place with the same seed, on either strand, and sharedRun if a
// run begins with the two. To gather the strings of a place costs stringPlace. A string costs
// stringPiece for each piece by which it is looked up, and stringPair for each other string with
// that piece; further pieces leave about mostCompared of these. With twice these stringPlace and
// stringPiece human-like 10 Mb takes an eighth longer at (36, 2), and more at (50, 2).
const (
	sharedPair   = 1.0
	sharedRun    = 100.0
	stringPlace  = 100.0
	stringPiece  = 100.0
	stringPair   = 1.0
	mostCompared = 1 << 8
)

// A sample is a seed of a side and of one of its blocks.
type sample struct {
	entry
	side, block int32
	hash        uint64 // of its K-mer
}

// judge estimates what comparing strings saves for blocks, from a sample of the seeds. A pair of
// places is saved if the blocks of both are crowded. All blocks are taken to be crowded at first.
// Blocks that cost more than all their pairs with the others are left out; then the same is done
// with the blocks that are left, and so on. Half a pair's cost belongs to either block. If all
// these halves together do not clearly cost more than all strings, no block is crowded.
//
// It tells whether most crowded K-mers, as far as they are sampled, are equal to others.
func (s *sharing) judge(sides []*side) (repeated bool) {
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
			side.choose()
		}
	}
	gains := make([][]float64, len(sides))
	for i, side := range sides {
		gains[i] = slices.Clone(side.gains)
		clear(side.gains)
	}
	s.gains(sides, samples, families, 1/leastGain)
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
	all, strings := 0.0, 0.0
	for _, f := range families {
		for _, x := range samples[:f.n] {
			if sides[x.side].chosen[x.block] {
				all++
				strings += f.distinct / float64(f.n)
			}
		}
		samples = samples[f.n:]
	}
	return strings < all/2
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
				// A copy on the other strand counts for the same seed, but has the K-mer and class
				// of its own strand, so that strings and runs are taken for more than they are.
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

// A family is the samples of one code: the number of their strings, the cost of the string of a
// place, and the cost of a pair of the place with another one.
type family struct {
	n                      int
	distinct, string, pair float64
}

// families returns the families of samples, which are in order of codes.
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
		all = append(all, family{n, float64(distinct), stringPlace + one*float64(distinct)/float64(n), sharedPair + sharedRun*begins})
		samples = samples[n:]
	}
	return all
}

// gains adds to the gain of each block its saving with the chosen blocks: halves times half the
// cost of their pairs, less the cost of their strings.
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

// A side is the K-mers of the reference or of the genome, in blocks.
type side struct {
	bases  *dna.Sequence
	starts []span // of wanted K-mers
	blocks []span // in order
	// gains is what comparing strings saves for each block, as far as it was sampled, and chosen
	// tells which blocks are crowded.
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

const (
	// A block of neighbouring K-mers is crowded or not as a whole. It has blockKMers K-mers, or
	// more so that there are no more than about mostBlocks blocks, and at least K K-mers.
	blockKMers = 1 << 12
	mostBlocks = 1 << 16
	// mostCrowdedLength is the most bases of K-mers that are compared as strings, which takes 24
	// bytes for each 64 bases of those at work.
	mostCrowdedLength = 512
)
