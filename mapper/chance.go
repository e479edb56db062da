package mapper

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/locate"
)

// shares are the shares of A, C, G and T among letters.
type shares [4]float64

// evenShares has each base as often as another.
var evenShares = shares{0.25, 0.25, 0.25, 0.25}

// sharesOf turns counts into shares; without a letter they are even.
func sharesOf(counts [4]int) (s shares) {
	all := counts[0] + counts[1] + counts[2] + counts[3]
	if all == 0 {
		return evenShares
	}
	for code, n := range counts {
		s[code] = float64(n) / float64(all)
	}
	return s
}

// readShares are the shares of bases in each of a sample of reads.
func readShares(reads []fasta.Read) (all []shares) {
	const most = 32
	n := min(len(reads), most)
	for i := range n {
		var counts [4]int
		for _, letter := range reads[i*len(reads)/n].Bases {
			if code, ok := dna.Code(letter); ok {
				counts[code]++
			}
		}
		all = append(all, sharesOf(counts))
	}
	return all
}

// textShares are the shares of bases on both strands of a text, by a sample of its words.
func textShares(text *dna.Sequence) shares {
	const mostWords = 1 << 16
	step := (len(text.Low) + mostWords - 1) / mostWords
	var counts [4]int
	for i := 0; i < len(text.Low); i += step {
		low, high, bases := text.Low[i], text.High[i], ^text.Ambiguous[i]
		counts[0] += bits.OnesCount64(bases &^ low &^ high)
		counts[1] += bits.OnesCount64(bases & low &^ high)
		counts[2] += bits.OnesCount64(bases &^ low & high)
		counts[3] += bits.OnesCount64(bases & low & high)
	}
	strand := counts
	for code := range counts {
		counts[code] += strand[3-code]
	}
	return sharesOf(counts)
}

// draw draws one letter.
func (s *shares) draw(r *rand.Rand) byte {
	at := r.Float64()
	for code, share := range s[:3] {
		if at < share {
			return byte(code)
		}
		at -= share
	}
	return 3
}

// randomText is a model of reads that have nothing to do with a reference: all letters are
// independent. Shares of bases matter. Where A and T are three quarters of both, reads of 101 bases
// with 40 edits have 1,000 times the locations that they have with even shares.
type randomText struct {
	reads []shares // each as likely as another
	text  shares
	bases int64 // of one strand of the text
}

// match is the chance that a letter of a read equals the letter of the text.
func (t *randomText) match(read *shares) (p float64) {
	for code := range read {
		p += read[code] * t.text[code]
	}
	return p
}

// mean is the mean of all reads.
func (t *randomText) mean(of func(read *shares) float64) (sum float64) {
	for i := range t.reads {
		sum += of(&t.reads[i]) / float64(len(t.reads))
	}
	return sum
}

// everywhere returns how many locations a read has if there is one at every end, as only the best
// of locations near each other counts.
func (t *randomText) everywhere(metric Metric, k int) float64 {
	if metric == Substitutions {
		return 2 * float64(t.bases)
	}
	return 2 * float64(t.bases) / float64(k+1)
}

// locations returns about how many locations with at most k edits a read of a length has on both
// strands. Results below enough are upper bounds.
//
// No closed form is known. The fewest edits of a random text of m letters, by A, C, G and T, with
// the best part of another come to about m/2 for long m (Navarro, "A guided tour to approximate
// string matching", ACM Computing Surveys 33, 2001, section 4, has bounds, and experiments that
// agree). Below, chances fall by orders of magnitude for each few percent, and it is the tail that
// counts. Hence the numbers are bounded by the expected number of alignments, and drawn where this
// bound is not below enough. TestByChance compares with counts.
func (t *randomText) locations(metric Metric, length, k int, enough float64) float64 {
	all := t.everywhere(metric, k)
	if length > mostModelled { // where the share of edits is what matters
		k = int(float64(k) * mostModelled / float64(length))
		length = mostModelled
	}
	places := 2 * float64(t.bases)
	if metric == Substitutions {
		return places * t.mean(func(read *shares) float64 { return t.substitutions(read, length, k) })
	}
	bound := min(places*t.mean(func(read *shares) float64 { return t.alignments(read, length, k) }), all)
	if bound < enough {
		return bound
	}
	return min(bound, places*t.drawn(length, k))
}

// mostModelled is the longest read that is modelled.
const mostModelled = 2000

// substitutions is the share of places where at most k letters differ.
func (t *randomText) substitutions(read *shares, length, k int) float64 {
	if k >= length {
		return 1
	}
	equal, differ := math.Log(t.match(read)), math.Log1p(-t.match(read))
	sum := 0.0
	for n := range k + 1 {
		all, _ := math.Lgamma(float64(length + 1))
		some, _ := math.Lgamma(float64(n + 1))
		others, _ := math.Lgamma(float64(length - n + 1))
		sum += math.Exp(all - some - others + float64(n)*differ + float64(length-n)*equal)
	}
	return min(sum, 1)
}

// alignments is the expected number of alignments with at most k edits that end at a place, 1 at
// most: an upper bound of the share of places, and far above it where edits are many. One of
// several equivalent alignments is counted. In this one a letter is matched as early as possible,
// and insertions and deletions stand only before a match: before a substitution they would be fewer
// edits or the same in another order.
//
// In the rows below, all[k] is this number for the first letters of the read, inserted[k] where
// inserted letters come next, and deleted[k] where letters have been deleted. The letter that is
// matched then differs from them, with a chance of differsRead or differsText at most.
func (t *randomText) alignments(read *shares, length, k int) float64 {
	if k >= length {
		return 1
	}
	match := t.match(read)
	differsRead, differsText := 1-slices.Min(read[:]), 1-slices.Min(t.text[:])
	all, inserted, deleted := make([]float64, k+1), make([]float64, k+1), make([]float64, k+1)
	for i := range all {
		all[i] = 1 // of no letters
	}
	next, nextDeleted := make([]float64, k+1), make([]float64, k+1)
	for letters := 1; letters <= length; letters++ {
		for e := range k + 1 {
			if letters <= e {
				next[e], nextDeleted[e] = 1, 0
				continue
			}
			inserted[e], nextDeleted[e] = 0, 0
			matched := all[e] + deleted[e]
			substituted := 0.0
			if e > 0 {
				if letters > 1 {
					inserted[e] = differsRead * (inserted[e-1] + all[e-1])
				}
				substituted = all[e-1]
				nextDeleted[e] = differsText * (deleted[e-1] + all[e-1])
			}
			next[e] = min(1, match*(matched+inserted[e])+(1-match)*substituted)
		}
		all, next = next, all
		deleted, nextDeleted = nextDeleted, deleted
	}
	return all[k]
}

// drawn draws reads, each with a text, and returns their locations on one strand as a share of the
// bases. Reads differ: one of few kinds of bases has many times the locations of another.
func (t *randomText) drawn(length, k int) float64 {
	if k >= length {
		return 1 / float64(k+1)
	}
	const (
		mostCells = 1 << 27 // some tenths of a second
		mostFound = 400     // known to a tenth or so
		perRead   = 16      // letters of text for a letter of the read
		rounds    = 4       // reads of each kind
	)
	random := rand.New(rand.NewPCG(1, 2))
	d := columns{k: int32(k), read: make([]byte, length), column: make([]int32, length+1)}
	found, letters := 0, 0
	for n := 0; d.cells < mostCells && (found < mostFound || n < rounds*len(t.reads)); n++ {
		kind := &t.reads[n%len(t.reads)]
		for i := range d.read {
			d.read[i] = kind.draw(random)
		}
		d.begin()
		for range length + k { // ends before these have less text than an alignment may have
			d.next(t.text.draw(random))
		}
		since := k
		for range perRead * length {
			letters++
			since++
			if d.next(t.text.draw(random)) && since > k {
				found++
				since = 0
			}
		}
	}
	return float64(found) / float64(letters)
}

// columns are the columns of dynamic programming, cut off below the last row with k or fewer edits
// (Ukkonen, "Finding approximate patterns in strings", Journal of Algorithms 6, 1985).
type columns struct {
	read   []byte
	k      int32
	column []int32 // the fewest edits of the first i letters at an end in the text
	last   int     // the last row with k or fewer edits; all below have more
	cells  int     // that were computed
}

// begin is before all letters of the text.
func (d *columns) begin() {
	for i := range d.column {
		d.column[i] = int32(i)
	}
	d.last = min(int(d.k), len(d.read))
}

// next takes a letter of the text, and tells whether the read ends there.
func (d *columns) next(letter byte) bool {
	before := d.column[0]
	to := min(d.last+1, len(d.read))
	for i := 1; i <= to; i++ {
		differ := int32(1)
		if d.read[i-1] == letter {
			differ = 0
		}
		edits := min(before+differ, d.column[i]+1, d.column[i-1]+1)
		before, d.column[i] = d.column[i], edits
	}
	if to < len(d.read) {
		d.column[to+1] = d.k + 1
	}
	d.cells += to
	for d.last = to; d.column[d.last] > d.k; d.last-- {
	}
	return d.last == len(d.read)
}

// Numbers of locations by chance from which a run is refused (Options.Sensible).
const (
	// tellingLittle is a share of those there are if a read lies everywhere. Locations at this many
	// places say little of the read.
	tellingLittle = 0.005
	// mostByChance is how many locations a read may have by chance if all are reported.
	mostByChance = 10_000
	// fewByChance are no harm, unless they are half of all: references are short, then.
	fewByChance = 20
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
	chance := randomText{reads: readShares(reads), text: textShares(&ref.Bases), bases: int64(ref.TotalLength())}
	all := chance.everywhere(o.Metric, k)
	most := tellingLittle * all
	if o.Report.Mode == ReportAll {
		most = min(most, mostByChance)
	}
	if most = min(max(most, fewByChance), max(all/2, 1)); k == 0 {
		most = mostByChance // fewer edits cannot be allowed
	}
	n := chance.locations(o.Metric, length, k, most)
	if n < most && (k < length || k == 0) {
		return nil
	}
	return fmt.Errorf("%s: with %d edits a read of %d bases (the median of the first ones) lies at some %.0f locations of %s by chance: "+
		"allow fewer edits, or limit the locations of a read (--max-locations) to map it nevertheless", l.Reads, k, length, n, o.Reference)
}

// ShareByChance is about the share of all locations there can be at which k edits let a read of a
// length lie in a text, where the letters of both are random. 1 is everywhere.
func ShareByChance(metric Metric, length, k int) float64 {
	const bases = 1 << 20 // which cancels out
	chance := randomText{reads: []shares{evenShares}, text: evenShares, bases: bases}
	all := chance.everywhere(metric, k)
	return chance.locations(metric, length, k, tellingLittle*all) / all
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
