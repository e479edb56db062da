package mapper

import (
	"math"
	"slices"

	"scanmap/internal/parallel"
	"scanmap/locate"
)

// Orientation says how the mates of a pair lie to each other.
type Orientation string

// The orientations. One mate is the left one, the other the right one:
//
//	    left mate                 right mate
//	FR  on the forward strand     on the reverse strand    (paired ends: they face each other)
//	RF  on the reverse strand     on the forward strand    (mate pairs: they face away)
//	FF  the first mate, on the    the second mate,
//	    forward strand, or the    likewise, or the
//	    second one, on the        first one
//	    reverse strand
const (
	OrientationFR Orientation = "fr"
	OrientationRF Orientation = "rf"
	OrientationFF Orientation = "ff"
)

// Orientations are the names of the orientations, each with how mates point.
var Orientations = [][2]string{
	{string(OrientationFR), "to each other"},
	{string(OrientationRF), "away from each other"},
	{string(OrientationFF), "the same way"},
}

// ParseOrientation reads an orientation's name.
func ParseOrientation(s string) (Orientation, error) {
	return oneOf[Orientation]("orientation", s, Orientations)
}

// isLeft tells whether a mate, 0 for the first and 1 for the second, is the left one of a pair when
// it lies on a strand.
func (o Orientation) isLeft(strand, mate int) bool {
	switch o {
	case OrientationRF:
		return strand == locate.Reverse
	case OrientationFF:
		return strand == mate
	default:
		return strand == locate.Forward
	}
}

// partnerStrand is the strand of a mate whose partner lies on strand.
func (o Orientation) partnerStrand(strand int) int {
	if o == OrientationFF {
		return strand
	}
	return 1 - strand
}

// PairOptions say how mates are paired.
type PairOptions struct {
	Orientation Orientation // the zero value is OrientationFR
	// MinInsert and MaxInsert bound the insert size of proper pairs, in bases; a MaxInsert of 0 has it
	// estimated, and then a MinInsert of 0 too.
	MinInsert, MaxInsert int
	// MeanInsert and InsertSpread describe insert sizes between given bounds by a normal distribution,
	// in bases. A spread of 0 has all sizes equally likely.
	MeanInsert, InsertSpread float64
	// Rescue is the largest edit distance of a mate that is sought near its partner.
	Rescue Distance
}

// given returns the model of bounds that the user gave, nil for none.
func (o *PairOptions) given() *insertModel {
	if o.MaxInsert == 0 {
		return nil
	}
	return &insertModel{low: o.MinInsert, high: o.MaxInsert, mean: o.MeanInsert, spread: o.InsertSpread, given: true}
}

// insert returns the insert size of a pair of aligned locations, of the first and the second mate;
// ok is false where they do not lie in the orientation on one contig.
func (o *PairOptions) insert(first, second *locate.Location) (insert int, ok bool) {
	s := first.Place.Strand()
	if first.Place.Contig() != second.Place.Contig() || second.Place.Strand() != o.Orientation.partnerStrand(s) {
		return 0, false
	}
	left, right := first, second
	if !o.Orientation.isLeft(s, 0) {
		left, right = second, first
	}
	insert = int(right.End) - int(left.Start)
	return insert, insert > 0
}

// classify returns the class of a pair whose primary locations are first and second, and its insert
// size if it is proper.
func (o *PairOptions) classify(model *insertModel, first, second *locate.Location) (pairClass, int) {
	insert, ok := o.insert(first, second)
	switch {
	case first.Place.Contig() != second.Place.Contig():
		return otherContig, 0
	case !ok:
		return otherOrientation, 0
	case insert < model.low:
		return tooNear, 0
	case insert > model.high:
		return tooFar, 0
	}
	return properPair, insert
}

// pairClass says how the mates of a pair lie to each other.
type pairClass uint8

// The classes. Pairs that are neither proper nor discordant have at most one mapped mate.
const (
	unpaired pairClass = iota
	properPair
	otherContig
	otherOrientation
	tooNear
	tooFar
	oneEndAnchored
	unmappedPair
)

// discordantNames are the values of the tag XD.
var discordantNames = [...]string{
	otherContig: "contig", otherOrientation: "orientation", tooNear: "near", tooFar: "far", oneEndAnchored: "anchored",
	unmappedPair: "",
}

// discordant tells the classes whose records are also written apart.
func (c pairClass) discordant() bool { return discordantNames[c] != "" }

// An insertModel says how likely insert sizes are. The insert size of a pair is the distance from
// the start of the left mate to the end of the right one.
type insertModel struct {
	// low and high are the least and the largest insert size of a proper pair.
	low, high int
	// mean and spread describe a normal distribution; without a spread, all sizes are equally likely.
	mean, spread float64
	// Whether the bounds were given or estimated, and what the estimate came from.
	given     bool
	estimated bool
	from      int
	median    int
}

// The shares of pairs, which the model has beforehand.
const (
	// discordantShare of all pairs do not lie as the library says: chimeras of the library and
	// structural variants. Libraries have 0.1 to 2 %.
	discordantShare = 0.01
	// strayShare of the proper pairs have any insert size between the bounds, so that one far from the
	// mean is unlikely, and not impossible.
	strayShare = 0.02
)

// readThrough makes all shorter fragments proper, if the estimated bounds reach down to twice the
// length of reads, bases. Reads of fragments that are shorter than these go on into the adapter and
// are clipped, so that an estimate does not see them. They come from no structural variant.
func (m *insertModel) readThrough(bases int) {
	if m.estimated && m.low <= 2*bases {
		m.low = 1
	}
}

// density returns how likely a proper pair is to have an insert size between the bounds.
func (m *insertModel) density(insert int) float64 {
	even := 1 / float64(m.high-m.low+1)
	if m.spread == 0 {
		return (1 - discordantShare) * even
	}
	z := (float64(insert) - m.mean) / m.spread
	normal := math.Exp(-z*z/2) / (m.spread * math.Sqrt(2*math.Pi))
	return (1 - discordantShare) * (float64((1-strayShare)*normal) + float64(strayShare*even))
}

// highest is the highest density of all insert sizes, or more.
func (m *insertModel) highest() float64 {
	even := 1 / float64(m.high-m.low+1)
	if m.spread == 0 {
		return (1 - discordantShare) * even
	}
	return (1 - discordantShare) * (float64((1-strayShare)/(m.spread*math.Sqrt(2*math.Pi))) + float64(strayShare*even))
}

// typical is the density of pairs whose insert size is not known.
func (m *insertModel) typical() float64 {
	if m.spread == 0 {
		return m.density(m.low)
	}
	return m.density(int(m.mean + 0.5))
}

// insertWeights are the densities of a model that were asked for.
type insertWeights struct {
	of      *insertModel
	typical float64
	sizes   []insertWeight // of insert sizes from the least one on, a density of 0 for none
}

// An insertWeight is the density of an insert size and its penalty.
type insertWeight struct {
	density float64
	penalty penalty
}

// mostWeights is how many insert sizes are remembered.
const mostWeights = 1 << 13

// begin takes a model, which does not change any more.
func (w *insertWeights) begin(m *insertModel) {
	if w.of == m {
		return
	}
	w.of, w.typical = m, m.typical()
	w.sizes = parallel.Resize(w.sizes, min(m.high-m.low+1, mostWeights))
	clear(w.sizes)
}

// at returns the weight of an insert size between the model's bounds.
func (w *insertWeights) at(insert int) insertWeight {
	i := insert - w.of.low
	if i >= len(w.sizes) {
		return w.of.weight(insert)
	}
	if w.sizes[i].density == 0 {
		w.sizes[i] = w.of.weight(insert)
	}
	return w.sizes[i]
}

func (m *insertModel) weight(insert int) insertWeight {
	density := m.density(insert)
	return insertWeight{density, penaltyOf(density)}
}

// discordantDensity is how likely a mate is to lie at a given place of n bases, on a given strand,
// if its pair is discordant.
func discordantDensity(n int64) float64 { return discordantShare / (2 * float64(n)) }

// A penalty is minus the logarithm of a likelihood, in hundredths of a decibel. Whole numbers
// compare alike on every machine.
type penalty int64

func penaltyOf(likelihood float64) penalty {
	return penalty(math.Round(-1000 * math.Log10(likelihood)))
}

// The estimate of the insert size takes the first pairs whose mates have one near location each of
// up to as many edits as are planned (plannedEdits), in the orientation of the library.
const (
	// estimateMost is the most pairs that are looked at, and estimateLocations the most locations that
	// they may have.
	estimateMost      = 1 << 16
	estimateLocations = 1 << 21
	// estimateLeast is the fewest from which anything is concluded.
	estimateLeast = 20
	// estimateLongest is the longest insert that counts: mate pairs have up to some 20,000 bases.
	estimateLongest = 100_000
	// defaultHigh bounds the insert size where there are too few pairs for an estimate: longer than
	// nearly all libraries of paired ends.
	defaultHigh = 1000
)

// estimatePairs is how many pairs suffice: their quartiles are off by a hundredth of the spread.
const estimatePairs = 10_000

// fit makes the model from insert sizes, which it sorts. The bounds are bwa mem's: three
// interquartile ranges beyond the quartiles, and at least four standard deviations from the mean;
// mean and spread are computed from the sizes up to two interquartile ranges beyond the quartiles.
// least, if not 0, is the lower bound that the user gave; it may be beyond the upper one.
func fit(inserts []int32, least int) *insertModel {
	m := &insertModel{low: least, high: least + defaultHigh, from: len(inserts)}
	if len(inserts) < estimateLeast {
		return m
	}
	slices.Sort(inserts)
	quartile := func(q int) int { return int(inserts[(len(inserts)-1)*q/4]) }
	m.median = quartile(2)
	first, third := quartile(1), quartile(3)
	narrow := third - first
	sum, squares, n := 0.0, 0.0, 0.0
	for _, x := range inserts {
		if int(x) >= first-2*narrow && int(x) <= third+2*narrow {
			d := float64(x) - float64(m.median)
			sum, squares, n = sum+d, squares+float64(d*d), n+1
		}
	}
	mean := sum / n
	spread := math.Sqrt(max(squares/n-float64(mean*mean), 0))
	mean += float64(m.median)
	m.estimated, m.mean, m.spread = true, mean, max(spread, 1)
	low := min(float64(first-3*narrow), mean-4*m.spread)
	high := max(float64(third+3*narrow), mean+4*m.spread)
	m.low, m.high = max(int(low), 1), int(math.Ceil(high))
	if least > 0 {
		m.low = least
	}
	return m
}
