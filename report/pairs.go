package report

import (
	"fmt"
	"math"

	"scanmap/mapper"
)

// maxInsertBins is the number of bins that a histogram of insert sizes has at most.
const maxInsertBins = 100

// allPairs adds up the pairs of all libraries, or returns nil if no reads had mates. Bounds and
// median, which Insert has of one library, are empty.
func allPairs(s *mapper.Stats) *mapper.PairStats {
	var sum *mapper.PairStats
	for i := range s.Libraries {
		p := s.Libraries[i].Pairs
		if p == nil {
			continue
		}
		if sum == nil {
			sum = &mapper.PairStats{}
		}
		sum.Add(p)
	}
	return sum
}

// median returns the median insert size, and false when no pairs gave one.
func median(i *mapper.InsertStats) (int, bool) {
	if i.From == 0 {
		return 0, false
	}
	return i.Median, true
}

// spread returns the spread of insert sizes, 0 when no pairs gave one.
func spread(i *mapper.InsertStats) float64 {
	if i.From == 0 || math.IsNaN(i.Spread) || math.IsInf(i.Spread, 0) {
		return 0
	}
	return i.Spread
}

// mean returns the mean insert size, 0 when no pairs gave one.
func mean(i *mapper.InsertStats) float64 {
	if i.From == 0 || math.IsNaN(i.Mean) || math.IsInf(i.Mean, 0) {
		return 0
	}
	return i.Mean
}

// insertRange writes the insert sizes of proper pairs.
func insertRange(i *mapper.InsertStats) string {
	return fmt.Sprintf("%s to %s", grouped(int64(i.Low)), grouped(int64(i.High)))
}

// insertSource says where Low and High come from.
func insertSource(i *mapper.InsertStats) string {
	switch {
	case i.Estimated:
		return "from the first " + plural(i.From, "pair")
	case i.Given:
		return "as given"
	}
	return "too few pairs to estimate it"
}

// insertBin is a range of insert sizes, both ends included.
type insertBin struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Pairs int64 `json:"pairs"`
}

// insertBins gathers counts in at most `most` bins of one width, from the first to the last that
// has pairs. Bins start at multiples of their width.
func insertBins(counts []int64, most int) []insertBin {
	first, last := 0, len(counts)-1
	for first <= last && counts[first] == 0 {
		first++
	}
	for last >= first && counts[last] == 0 {
		last--
	}
	if first > last {
		return []insertBin{}
	}
	width := max(1, (last-first+1)/most)
	for last/width-first/width >= most {
		width++
	}
	out := make([]insertBin, last/width-first/width+1)
	for i := range out {
		from := (first/width + i) * width
		out[i].From, out[i].To = int64(from), int64(from+width-1)
	}
	for size := first; size <= last; size++ {
		out[size/width-first/width].Pairs += counts[size]
	}
	return out
}

// depths returns the mean depth of a contig by primary records and by all that were written, 0 for
// a contig without bases.
func depths(c *mapper.ContigStats) (primary, all float64) {
	return ratio(sum(c.PrimaryBases), int64(c.Length)), ratio(sum(c.AllBases), int64(c.Length))
}

func sum(numbers []int64) int64 {
	total := int64(0)
	for _, n := range numbers {
		total += n
	}
	return total
}
