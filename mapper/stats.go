package mapper

import (
	"math"
	"slices"
	"sync"
	"time"

	"scanmap/dna"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// Stats counts what a run did. Reads are counted once each; a read is mapped when it has at least
// one location, reported or not; a rescued mate has one.
type Stats struct {
	Reads, Mapped, Unmapped int64
	// Ambiguous reads have more than k letters other than A, C, G, T (U); they are
	// part of Unmapped.
	Ambiguous int64
	// Unique reads have one location; Multiple reads have more.
	Unique, Multiple int64
	// Capped reads had more locations than --max-locations or MostLocations allowed to report.
	Capped int64
	// Unsought reads were not sought, and are unmapped: with Options.Local, they are too short for
	// their least score, have more than 3,000 bases, or have more candidates than can be listed.
	Unsought int64
	// Dropped reads are the Capped reads without a reported location, by Options.Over.
	Dropped int64
	// Bases is the sum of the lengths of all reads, and MappedBases of mapped reads. Shortest and
	// Longest are the least and the largest length, 0 without reads.
	Bases, MappedBases int64
	Shortest, Longest  int64
	// With Options.Local, ClippedBases is the number of bases that the primary locations of mapped
	// reads leave out, and ClippedReads the number of reads with such bases.
	ClippedReads, ClippedBases int64
	// Unmapped reads of a sample, nil where they are few.
	Sample *UnmappedSample
	// Mappings is the number of locations found; Reported those written.
	Mappings, Reported int64
	// ByDistance[d] is the number of mapped reads whose best distance is d: edits, or with Local the
	// score that the best location lacks.
	ByDistance []int64
	// PerRead[i] is the number of reads whose locations number 0, 1, 2, 3 to 4, 5 to
	// 8, ... (bucket i > 1 holds counts above 2^(i-2) up to 2^(i-1)).
	PerRead []int64
	// PerContig[i] counts primary and all reported records on contig i.
	PerContig []ContigStats
	// Duplicates counts the records that sam.WriterOptions.MarkDuplicates marked; nil without it.
	Duplicates *DuplicateStats
	// Libraries are the inputs of the run, one unless there is a table of samples.
	Libraries []LibraryStats
	// Options are the options of the run on which the counts depend, by their names on the command
	// line. An empty one does not count. Options of pairs are there if a library has pairs, and
	// options of local runs in local runs.
	Options map[string]string
	// Candidates are the (read, strand, diagonal) triples that skim found, Refused the triples that a
	// lower bound of the edits ruled out, and Verified the windows checked by dynamic programming. On
	// the CPU a triple may count more than once, as often as threads and batches have it; a run with
	// several threads may have other counts when it is repeated.
	Candidates, Refused, Verified int64
	// ReferenceBases is the sum of the contigs' lengths.
	ReferenceBases int64
	// Batches is the number of batches, or of their parts, in which reads were found. Each takes a
	// pass over the reference for every length of pieces, and some for the reads that are scanned for.
	Batches int64
	// Device is where the reads were mapped: cpu, the GPUs by number and name, or one and then the
	// other.
	Device string
	// Kernels are the kernels that ran, with Device.Sync.
	Kernels []KernelTime
	// Engines counts the reads each engine mapped.
	Engines map[Engine]int64
	// Stages are the parts of the run in the order of the data flow.
	Stages []Stage
	// Elapsed is the whole run, wall-clock.
	Elapsed time.Duration
}

// ContigStats counts records on one contig.
type ContigStats struct {
	Name              string
	Length            int
	Primary, Mappings int64
	// PrimaryBases[i] is the number of bases that primary records align to positions
	// [i*BinLength, (i+1)*BinLength) of the contig, and AllBases[i] the number that all reported
	// records align there. Divided by the length of the bin, either is a mean depth.
	BinLength              int
	PrimaryBases, AllBases []int64
}

// LibraryStats counts what became of one input: a file of reads, with or without mates.
type LibraryStats struct {
	// ReadsFile and MatesFile are the names of the files; MatesFile is empty for single-end and for
	// interleaved reads.
	ReadsFile, MatesFile string
	// ReadGroup is the ID of the read group and Sample its SM; empty for none.
	ReadGroup, Sample string
	// Skip and Take are as in Library: they say which reads, or pairs, of the input were mapped. More
	// tells whether others follow these in the input.
	Skip, Take int64
	More       bool
	// Alternate tells that single reads come in twos of one name, as mates that alternate in a file.
	Alternate bool
	// The counts are as in Stats, for this input.
	Reads, Mapped, Unique, Ambiguous, Mappings, Reported int64
	// Pairs is nil for single-end reads.
	Pairs *PairStats
}

// PairStats counts pairs of mates. Every pair is in one of Proper, Discordant, OneEndAnchored and
// Unmapped.
type PairStats struct {
	Pairs int64
	// Proper pairs have the primary locations of both mates on one contig in the orientation of the
	// library and with an insert size within Insert.Low to Insert.High.
	Proper int64
	// Discordant pairs have two mapped mates whose primary locations lie on different contigs, in
	// another orientation, or too near or too far: the sum of OtherContig, OtherOrientation,
	// TooNear and TooFar.
	Discordant, OtherContig, OtherOrientation, TooNear, TooFar int64
	// OneEndAnchored pairs have one mapped mate, Unmapped ones none.
	OneEndAnchored, Unmapped int64
	// Rescued is the number of mates found near their partner with more than k edits.
	Rescued int64
	// Bounded pairs have more locations, or combinations of them, than were weighed.
	Bounded int64
	Insert  InsertStats
}

// InsertStats is the distribution of insert sizes: the bases from the start of the left mate of a
// pair to the end of the right one.
type InsertStats struct {
	// Estimated tells whether Low and High come from the first pairs of the input, and Given
	// whether the user gave them. Neither is set where too few pairs were there for an estimate.
	Estimated, Given bool
	// From is the number of pairs that Median and Spread come from: of the first ones of the input,
	// for an estimate, else the proper ones in Counts. All are 0 when there are none, and when half
	// of the proper pairs are in Longer.
	From int64
	// Median is the median of the pairs, and Spread their standard deviation without outliers.
	Median int
	// Mean is without outliers too, where it is estimated.
	Mean, Spread float64
	// Low and High are the least and the largest insert size of a proper pair.
	Low, High int
	// Counts[i] is the number of proper pairs with insert size i; Longer counts proper pairs with
	// larger sizes.
	Counts []int64
	Longer int64
}

// UnmappedSample says why reads may be unmapped, from a sample of unmapped reads.
type UnmappedSample struct {
	// Reads is their number.
	Reads int64
	// WithAdapters is the number of reads with the start of an adapter. Adapter is the most frequent
	// one; it is empty for none.
	WithAdapters int64
	Adapter      string
	// Tried are other options that the sample was mapped with.
	Tried []Trial
}

// Trial is a try to map the sample: Mapped reads have a location with the options.
type Trial struct {
	Option string
	Mapped int64
}

// Stage is the time that one stage took. Stages overlap, so their times do not add
// up to the run's.
type Stage struct {
	Name string
	// Time is wall-clock time or, when Summed, the sum over the threads.
	Time   time.Duration
	Summed bool
	// Items counts what the stage handled, in Unit (reads, bases, candidates,
	// locations, records, bytes).
	Items int64
	Unit  string
}

// DuplicateStats counts duplicates.
type DuplicateStats = sam.Duplicates

// KernelTime is what one kernel took in all its launches on all GPUs.
type KernelTime = measure.KernelTime

// Allowed says what a location may have, as Options tell: "edits 4%", "mismatches 2" or
// "score 80%".
func (s *Stats) Allowed() string {
	for _, o := range [][2]string{{"max-distance", "edits "}, {"max-mismatches", "mismatches "}, {"min-score", "score "}} {
		if value := s.Options[o[0]]; value != "" {
			return o[1] + value
		}
	}
	return ""
}

// Report is the value of the option report, as in Options.
func (s *Stats) Report() string { return s.Options["report"] }

// SearchThroughput is the papers' unit, 8 n R / t / 10^12 (Tbit/s): n bases of
// reference searched for each of R reads in t seconds.
func (s *Stats) SearchThroughput() float64 {
	t := s.Elapsed.Seconds()
	if t == 0 {
		return 0
	}
	return 8 * float64(s.ReferenceBases) * float64(s.Reads) / t / 1e12
}

// contigBins is about the number of bins of all contigs together: enough for the finest plot of a
// genome.
const contigBins = 1 << 15

// binLength is the length of the bins.
func binLength(ref *dna.Reference) int { return max((ref.TotalLength()+contigBins-1)/contigBins, 1) }

// newContigStats has no counts yet.
func newContigStats(ref *dna.Reference) []ContigStats {
	length := binLength(ref)
	bins := func(c *dna.Contig) int { return (c.Length + length - 1) / length }
	n := 0
	for i := range ref.Contigs {
		n += bins(&ref.Contigs[i])
	}
	counts := make([]int64, 2*n) // in one piece, because there may be a million contigs
	all := make([]ContigStats, len(ref.Contigs))
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		n := bins(c)
		all[i] = ContigStats{Name: c.Name, Length: c.Length, BinLength: length, PrimaryBases: counts[:n:n], AllBases: counts[n : 2*n : 2*n]}
		counts = counts[2*n:]
	}
	return all
}

// contigCounts are counts of contigs that several workers share.
type contigCounts struct {
	mutex   sync.Mutex
	contigs []ContigStats
}

// placed is a record that is counted on its contig.
type placed struct {
	contig     int
	start, end int32
	primary    bool
	covered    bool // a GPU has counted it, though not as a primary one
}

// sharedContigs is the number of contigs and bins up to which each worker has counts of its own;
// with more, several share them, so that memory does not grow with threads.
const sharedContigs = 1 << 20

// newContigCounts returns the counts for each worker.
func newContigCounts(ref *dna.Reference, workers int) []*contigCounts {
	sets := make([]*contigCounts, min(workers, max(1, sharedContigs/(len(ref.Contigs)+contigBins))))
	for i := range sets {
		sets[i] = &contigCounts{contigs: newContigStats(ref)}
	}
	all := make([]*contigCounts, workers)
	for i := range all {
		all[i] = sets[i%len(sets)]
	}
	return all
}

// add counts records.
func (c *contigCounts) add(records []placed) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, r := range records {
		c.contigs[r.contig].count(&r)
	}
}

// gatherContigs adds up the counts of the sets. A set may stand in all several times, and counts
// once.
func (s *Stats) gatherContigs(all []*contigCounts) {
	for w, set := range all {
		if slices.Index(all, set) < w {
			continue
		}
		for i := range set.contigs {
			s.PerContig[i].Add(&set.contigs[i])
		}
	}
}

// Add adds the counts of the same contig.
func (c *ContigStats) Add(d *ContigStats) {
	c.Primary += d.Primary
	c.Mappings += d.Mappings
	c.PrimaryBases, c.AllBases = measure.AddCounts(c.PrimaryBases, d.PrimaryBases), measure.AddCounts(c.AllBases, d.AllBases)
}

// count adds a record.
func (c *ContigStats) count(r *placed) {
	if !r.covered {
		c.Mappings++
	}
	if r.primary {
		c.Primary++
	}
	for at := int(r.start); at < int(r.end); {
		bin := at / c.BinLength
		next := min((bin+1)*c.BinLength, int(r.end))
		if !r.covered {
			c.AllBases[bin] += int64(next - at)
		}
		if r.primary {
			c.PrimaryBases[bin] += int64(next - at)
		}
		at = next
	}
}

// addCovered adds what GPUs counted.
func (s *Stats) addCovered(all []find.CoveredContig) {
	for i := range all {
		c := &s.PerContig[i]
		c.Mappings += all[i].Locations
		c.AllBases = measure.AddCounts(c.AllBases, all[i].Bins)
	}
}

// newLibrariesStats has an element for each library, without counts.
func newLibrariesStats(libraries []Library) (all []LibraryStats) {
	for i := range libraries {
		all = append(all, newLibraryStats(&libraries[i]))
	}
	return all
}

// newLibraryStats has the names of a library, and no counts yet.
func newLibraryStats(l *Library) LibraryStats {
	s := LibraryStats{ReadsFile: l.Reads, MatesFile: l.Mates, ReadGroup: l.ReadGroup, Sample: l.Sample, Skip: l.Skip, Take: l.Take}
	if l.paired() {
		s.Pairs = &PairStats{}
	}
	return s
}

// describe sets what the model says, or without an estimate what the proper pairs say.
func (s *InsertStats) describe(m *insertModel) {
	s.Estimated, s.Given, s.Low, s.High = m.estimated, m.given, m.low, m.high
	if s.From, s.Median, s.Mean, s.Spread = int64(m.from), m.median, m.mean, m.spread; !m.estimated {
		s.FromCounts()
	}
}

// FromCounts computes From, Median, Mean and Spread from the proper pairs.
func (s *InsertStats) FromCounts() {
	n, sum, squares := int64(0), 0.0, 0.0
	for insert, count := range s.Counts {
		n += count
		sum += float64(count) * float64(insert)
		squares += float64(count) * float64(insert) * float64(insert)
	}
	s.From, s.Median, s.Mean, s.Spread = 0, 0, 0, 0
	if n <= max(s.Longer, 0) { // the median is above the sizes that are counted one by one
		return
	}
	s.From = n
	s.Mean = sum / float64(n)
	s.Spread = math.Sqrt(max(squares/float64(n)-s.Mean*s.Mean, 0))
	for seen := int64(0); s.Median < len(s.Counts); s.Median++ {
		if seen += s.Counts[s.Median]; 2*seen >= n {
			return
		}
	}
}

// count adds a part of a batch and its candidates, engines and passes.
func (s *Stats) count(b *find.Batch, f *find.Found) {
	s.Batches += f.Counts.Batches
	s.Reads += int64(len(b.Reads))
	s.Candidates += f.Counts.Candidates
	s.Refused += f.Counts.Refused
	s.Engines[EngineSkim] += f.Counts.Skimmed
	s.Engines[EngineScan] += f.Counts.Scanned
	s.Unsought += b.Unsought(f)
}

// describeInserts describes the insert sizes of each library of pairs.
func (s *Stats) describeInserts(libraries []*library, o *PairOptions) {
	for _, l := range libraries {
		if !l.paired() {
			continue
		}
		model := l.insert.Load()
		if model == nil { // no pair came
			model = fit(nil, o.MinInsert)
		}
		s.Libraries[l.index].Pairs.Insert.describe(model)
	}
}

// add adds the counts that workers keep.
func (s *Stats) add(t *Stats) {
	s.Capped += t.Capped
	s.Dropped += t.Dropped
	s.ByDistance = measure.AddCounts(s.ByDistance, t.ByDistance)
	s.PerRead = measure.AddCounts(s.PerRead, t.PerRead)
	for i := range t.Libraries {
		s.Libraries[i].Add(&t.Libraries[i])
	}
}

// AddLengths adds the counts of the lengths of reads and of clipped bases. first tells that s has
// no reads yet.
func (s *Stats) AddLengths(t *Stats, first bool) {
	if t.Reads == 0 {
		return
	}
	if first || t.Shortest < s.Shortest {
		s.Shortest = t.Shortest
	}
	s.Longest = max(s.Longest, t.Longest)
	s.Bases += t.Bases
	s.MappedBases += t.MappedBases
	s.ClippedReads += t.ClippedReads
	s.ClippedBases += t.ClippedBases
}

// gatherLibraries sets the counts that are sums over the libraries.
func (s *Stats) gatherLibraries() {
	for i := range s.Libraries {
		l := &s.Libraries[i]
		s.Mapped += l.Mapped
		s.Ambiguous += l.Ambiguous
		s.Unique += l.Unique
		s.Mappings += l.Mappings
		s.Reported += l.Reported
	}
	s.Multiple = s.Mapped - s.Unique
	s.Unmapped = s.Reads - s.Mapped
}

// Add adds the counts of a library, not its names.
func (l *LibraryStats) Add(t *LibraryStats) {
	l.Reads += t.Reads
	l.Mapped += t.Mapped
	l.Unique += t.Unique
	l.Ambiguous += t.Ambiguous
	l.Mappings += t.Mappings
	l.Reported += t.Reported
	if l.Pairs != nil && t.Pairs != nil {
		l.Pairs.Add(t.Pairs)
	}
}

// Add adds the counts of pairs and of their insert sizes. Bounds, median and other values that
// Insert has for one library alone do not change.
func (p *PairStats) Add(t *PairStats) {
	p.Pairs += t.Pairs
	p.Proper += t.Proper
	p.Discordant += t.Discordant
	p.OtherContig += t.OtherContig
	p.OtherOrientation += t.OtherOrientation
	p.TooNear += t.TooNear
	p.TooFar += t.TooFar
	p.OneEndAnchored += t.OneEndAnchored
	p.Unmapped += t.Unmapped
	p.Rescued += t.Rescued
	p.Bounded += t.Bounded
	p.Insert.Counts = measure.AddCounts(p.Insert.Counts, t.Insert.Counts)
	p.Insert.Longer += t.Insert.Longer
}

// count counts a pair by its class.
func (p *PairStats) count(class pairClass) {
	p.Pairs++
	switch class {
	case properPair:
		p.Proper++
	case oneEndAnchored:
		p.OneEndAnchored++
	case unmappedPair, unpaired:
		p.Unmapped++
	case otherContig:
		p.OtherContig++
	case otherOrientation:
		p.OtherOrientation++
	case tooNear:
		p.TooNear++
	case tooFar:
		p.TooFar++
	}
	if class.discordant() && class != oneEndAnchored {
		p.Discordant++
	}
}

// insertCounts is the number of insert sizes that are counted each: more than mate pairs have.
const insertCounts = 1 << 17

func (s *InsertStats) count(insert int) {
	if insert >= insertCounts {
		s.Longer++
		return
	}
	s.Counts = increment(s.Counts, insert)
}

// increment adds one to counts[i], making counts longer where needed.
func increment(counts []int64, i int) []int64 {
	for len(counts) <= i {
		counts = append(counts, 0)
	}
	counts[i]++
	return counts
}
