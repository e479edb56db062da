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
