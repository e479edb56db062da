package mapper

import "math"

// The error model of MAPQ. An edit is a sequencing error or a difference between the
// sample and the reference, which happens to a base with probability errorRate; then
// it is one of three other bases.
const (
	errorRate = 0.01
	editOdds  = errorRate / 3 / (1 - errorRate)
	// MaxMapQ is the highest MAPQ given.
	MaxMapQ = 60
)

// An odds says how much less likely a location is than one that is better. Distances are in edits,
// or in lost score, where one edit is `each`.
type odds struct {
	each    int32
	powers  []float64 // of the first distances
	penalty penalty   // of a distance of 1
}

func newOdds(each int32) *odds {
	o := &odds{each: each, penalty: penaltyOf(math.Pow(editOdds, 1/float64(each)))}
	for d := range 64 * each {
		o.powers = append(o.powers, math.Pow(editOdds, float64(d)/float64(each)))
	}
	return o
}

var editsOdds, localOdds = newOdds(1), newOdds(localDistance)

// oddsOf returns the odds of a run.
func oddsOf(o *Options) *odds {
	if o.Local != nil {
		return localOdds
	}
	return editsOdds
}

// power returns editOdds to the power of a distance.
func (o *odds) power(distance int32) float64 {
	if distance >= 0 && int(distance) < len(o.powers) {
		return o.powers[distance]
	}
	return math.Pow(editOdds, float64(distance)/float64(o.each))
}

// unknown is the distance of the location beyond a largest distance of k that is not known: an edit
// more.
func (o *odds) unknown(k int32) int32 { return k + o.each }

// mapQ returns the mapping quality of a read's primary location. counts[d] is the
// number of its locations at distance d, k its largest distance.
//
// A location at distance d has likelihood proportional to w^d with
//
//	w = (e/3) / (1-e),  e = 0.01
//
// and all places are equally likely beforehand. The places beyond k edits are
// not known; they are counted as one location at k + 1. With the primary's distance
// b, the posterior probability that the primary is wrong is
//
//	p = 1 - 1 / (sum over d <= k of counts[d] w^(d-b) + w^(k+1-b))
//
// and MAPQ = min(60, round(-10 log10 p)), or 0 when counts[b] > 1.
func (o *odds) mapQ(counts []int32, k int) byte {
	best := 0
	for counts[best] == 0 {
		best++
	}
	if counts[best] > 1 {
		return 0
	}
	others := o.power(o.unknown(int32(k)) - int32(best))
	for d := best + 1; d < len(counts); d++ {
		if counts[d] > 0 {
			others += float64(counts[d]) * o.power(int32(d-best))
		}
	}
	wrong := others / (1 + others)
	if wrong < 1e-6 {
		return MaxMapQ
	}
	return byte(min(MaxMapQ, math.Round(-10*math.Log10(wrong))))
}

// qualityOf returns the MAPQ of a probability of being wrong. Where being wrong is as likely as
// not, it is 0.
func qualityOf(wrong float64) byte {
	switch {
	case wrong < 1e-6:
		return MaxMapQ
	case wrong >= 0.5:
		return 0
	}
	return byte(min(MaxMapQ, math.Round(-10*math.Log10(wrong))))
}
