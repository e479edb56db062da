package mapper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
)

// byChance returns about how many locations with at most k edits a random read of a length has on
// both strands of random text, whose length is bases. Letters are independent, with even shares.
// Results below enough are upper bounds.
func byChance(metric Metric, length, k int, bases int64, enough float64) float64 {
	if length > mostModelled { // where the share of edits is what matters
		k = int(float64(k) * mostModelled / float64(length))
		length = mostModelled
	}
	places := 2 * float64(bases)
	if metric == Substitutions {
		return places * substitutionsByChance(length, k)
	}
	// Only the best of locations near each other counts.
	bound := min(editsByChance(length, k), 1/float64(k+1))
	if places*bound < enough {
		return places * bound
	}
	return places * min(bound, triedByChance(length, k))
}

// mostModelled is the longest read that is modelled.
const mostModelled = 2000

// substitutionsByChance is the share of places where at most k letters differ.
func substitutionsByChance(length, k int) float64 {
	if k >= length {
		return 1
	}
	sum := 0.0
	for differ := range k + 1 {
		all, _ := math.Lgamma(float64(length + 1))
		some, _ := math.Lgamma(float64(differ + 1))
		others, _ := math.Lgamma(float64(length - differ + 1))
		sum += math.Exp(all - some - others + float64(differ)*math.Log(0.75) + float64(length-differ)*math.Log(0.25))
	}
	return min(sum, 1)
}

// editsByChance is the expected number of alignments with at most k edits that end at a place, 1 at
// most: an upper bound of the share of places, and far above it where edits are many. One of
// several equivalent alignments is counted. In this one a letter is matched as early as possible,
// and insertions and deletions stand only before a match: before a substitution they would be fewer
// edits or the same in another order.
//
// In the rows below, all[k] is this number for the first letters of the read, inserted[k] where
// inserted letters come next, and deleted[k] where letters have been deleted. The letter that is
// matched then differs from them.
func editsByChance(length, k int) float64 {
	if k >= length {
		return 1
	}
	all, inserted, deleted := make([]float64, k+1), make([]float64, k+1), make([]float64, k+1)
	for i := range all {
		all[i] = 1 // of no letters
	}
	next, nextDeleted := make([]float64, k+1), make([]float64, k+1)
	for read := 1; read <= length; read++ {
		for e := range k + 1 {
			if read <= e {
				next[e], nextDeleted[e] = 1, 0
				continue
			}
			inserted[e], nextDeleted[e] = 0, 0
			matched := all[e] + deleted[e]
			substituted := 0.0
			if e > 0 {
				if read > 1 {
					inserted[e] = 0.75 * (inserted[e-1] + all[e-1])
				}
				substituted = all[e-1]
				nextDeleted[e] = 0.75 * (deleted[e-1] + all[e-1])
			}
			next[e] = min(1, 0.25*(matched+inserted[e])+0.75*substituted)
		}
		all, next = next, all
		deleted, nextDeleted = nextDeleted, deleted
	}
	return all[k]
}

// triedByChance counts the locations of one random read on one strand of random text, as a share of
// its bases.
func triedByChance(length, k int) float64 {
	if k >= length {
		return 1 / float64(k+1)
	}
	const (
		mostCells = 1 << 27 // some tenths of a second
		mostText  = 1 << 22
		mostFound = 200 // known to a tenth or so
	)
	random := rand.New(rand.NewPCG(1, 2))
	read := make([]byte, length)
	for i := range read {
		read[i] = byte(random.IntN(4))
	}
	// column[i] is the fewest edits of the first i letters at an end in the text. Below the last row
	// with k or fewer, all have more.
	column := make([]int32, length+1)
	for i := range column {
		column[i] = int32(i)
	}
	last, most := k, int32(k)
	found, since, letters, cells := 0, k, 0, 0
	for ; letters < mostText && cells < mostCells && found < mostFound; letters++ {
		text := byte(random.IntN(4))
		before := column[0]
		to := min(last+1, length)
		for i := 1; i <= to; i++ {
			differ := int32(1)
			if read[i-1] == text {
				differ = 0
			}
			edits := min(before+differ, column[i]+1, column[i-1]+1)
			before, column[i] = column[i], edits
		}
		if to < length {
			column[to+1] = most + 1
		}
		cells += to
		for last = to; column[last] > most; last-- {
		}
		since++
		if last == length && since > k {
			found++
			since = 0
		}
	}
	return float64(found) / float64(letters)
}

// Bounds of byChance from which a run is refused (Options.Sensible).
const (
	// everywhere is the share of places. Locations at this many places say nothing of the read.
	everywhere = 0.01
	// mostByChance is how many locations a read may have by chance if all are reported.
	mostByChance = 10_000
	// fewByChance are no harm, unless a read lies at all places: references are short, then.
	fewByChance = 100
)

// sensible refuses the reads of a library, by the first ones, where the reference is too short for
// them or where they would lie at places by chance, as Options.Sensible says.
func (o *Options) sensible(ref *dna.Reference, l *library, reads []fasta.Read) error {
	if !o.Sensible || len(reads) == 0 {
		return nil
	}
	length := medianLength(reads)
	k := o.largest(length)
	longest := longestContig(ref)
	soughtInParts := o.Local != nil && o.Local.Split && length <= locate.MostLocal
	if length-k > longest && !soughtInParts {
		return fmt.Errorf("%s: reads of %d bases (the median of the first ones) cannot lie on %s, whose longest contig has %d: "+
			"the reference is named before the reads", l.Reads, length, o.Reference, longest)
	}
	if o.Local != nil || o.MaxLocations > 0 || length == 0 {
		return nil
	}
	bases := int64(ref.TotalLength())
	most := everywhere * 2 * float64(bases) / float64(k+1)
	if o.Report.Mode == ReportAll {
		most = min(most, mostByChance)
	}
	most = max(most, fewByChance)
	n := byChance(o.Metric, length, k, bases, most)
	if n < most && (k < length || k == 0) {
		return nil
	}
	return fmt.Errorf("%s: with %d edits a read of %d bases (the median of the first ones) lies at some %.0f places of %s by chance: "+
		"allow fewer edits, or limit the locations of a read (--max-locations) to map it nevertheless", l.Reads, k, length, n, o.Reference)
}

// medianLength is the least length that at least half of the reads do not exceed.
func medianLength(reads []fasta.Read) int {
	lengths := make([]int, len(reads))
	for i := range reads {
		lengths[i] = len(reads[i].Bases)
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}

// longestContig is the length of the longest contig.
func longestContig(ref *dna.Reference) (longest int) {
	for i := range ref.Contigs {
		longest = max(longest, ref.Contigs[i].Length)
	}
	return longest
}
