package mapper

import "time"

// Stats counts what a run did. Reads are counted once each; a read is mapped when
// it has at least one location, whatever is reported of it.
type Stats struct {
	Reads, Mapped, Unmapped int64
	// Ambiguous reads have more than k letters other than A, C, G, T (U); they are
	// part of Unmapped.
	Ambiguous int64
	// Unique reads have one location; Multiple reads have more.
	Unique, Multiple int64
	// Capped reads had more locations than --max-locations allowed to report.
	Capped int64
	// Bases is the sum of the reads' lengths.
	Bases int64
	// Mappings is the number of locations found; Reported those written.
	Mappings, Reported int64
	// ByDistance[d] is the number of mapped reads whose best distance is d.
	ByDistance []int64
	// PerRead[i] is the number of reads whose locations number 0, 1, 2, 3 to 4, 5 to
	// 8, ... (bucket i > 1 holds counts above 2^(i-2) up to 2^(i-1)).
	PerRead []int64
	// PerContig[i] counts primary and all reported records on contig i.
	PerContig []ContigStats
	// Libraries are the inputs of the run, one unless there is a table of samples.
	Libraries []LibraryStats
	// Candidates are the (read, strand, diagonal) triples that skim found, after
	// duplicates on a diagonal were dropped; Refused those of them that a lower bound of
	// the edits ruled out; Verified the windows checked by dynamic programming.
	Candidates, Refused, Verified int64
	// ReferenceBases is the sum of the contigs' lengths.
	ReferenceBases int64
	// Batches is the number of passes over the reference.
	Batches int64
	// Device is where the reads were mapped: cpu, the GPUs by number and name, or one and then the other.
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
	// [i*BinLength, (i+1)*BinLength) of the contig, and AllBases[i] that of all reported
	// records: over the length of the bin, they are its mean depth.
	BinLength              int
	PrimaryBases, AllBases []int64
}

// LibraryStats counts what became of one input: a file of reads, with or without mates.
type LibraryStats struct {
	// Reads and Mates are the names of the files; Mates is empty for single-end and for interleaved reads.
	ReadsFile, MatesFile string
	// ReadGroup is the ID of the read group and Sample its SM; empty for none.
	ReadGroup, Sample string
	// The counts are those of Stats, for this input.
	Reads, Mapped, Unique, Ambiguous, Mappings, Reported int64
	// Pairs is nil for single-end reads.
	Pairs *PairStats
}

// PairStats counts pairs of mates. Every pair is in one of Proper, Discordant, OneEndAnchored and Unmapped.
type PairStats struct {
	Pairs int64
	// Proper pairs have both mates on one contig in the orientation of the library and an
	// insert size within Insert.Low to Insert.High.
	Proper int64
	// Discordant pairs have two mapped mates, but no such locations of them; the primary ones lie on
	// different contigs, in another orientation, or too near or too far: the sum of
	// OtherContig, OtherOrientation, TooNear and TooFar.
	Discordant, OtherContig, OtherOrientation, TooNear, TooFar int64
	// OneEndAnchored pairs have one mapped mate, Unmapped ones none.
	OneEndAnchored, Unmapped int64
	// Rescued is the number of mates found near their partner with more than k edits; their pairs count as Proper.
	Rescued int64
	// Bounded pairs have so many combinations of locations that not all were weighed.
	Bounded int64
	Insert  InsertStats
}

// InsertStats is the distribution of insert sizes: the distance in bases from the leftmost to the rightmost base
// of a pair on the reference, both included.
type InsertStats struct {
	// Estimated tells whether Low and High come from the reads; the user can give them.
	Estimated bool
	// From is the number of pairs, at the start of the input, that Median and Spread come from;
	// Median is 0 and Spread arbitrary when it is 0.
	From int64
	// Median is that of the pairs, and Spread their standard deviation without outliers.
	Median int
	Spread float64
	// Low and High are the least and the largest insert size of a proper pair.
	Low, High int
	// Counts[i] is the number of proper pairs with insert size i; Longer that of the proper pairs beyond.
	Counts []int64
	Longer int64
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

// KernelTime is what one kernel took in all its launches on all GPUs.
type KernelTime struct {
	Name     string
	Launches int64
	Time     time.Duration
}

func (s *Stats) addKernel(t KernelTime) {
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.Name == t.Name {
			k.Launches += t.Launches
			k.Time += t.Time
			return
		}
	}
	s.Kernels = append(s.Kernels, t)
}

// SearchThroughput is the papers' unit, 8 n R / t / 10^12 (Tbit/s): n bases of
// reference searched for each of R reads in t seconds.
func (s *Stats) SearchThroughput() float64 {
	t := s.Elapsed.Seconds()
	if t == 0 {
		return 0
	}
	return 8 * float64(s.ReferenceBases) * float64(s.Reads) / t / 1e12
}
