package mapper

import (
	"bytes"
	"cmp"
	"slices"

	"scanmap/fasta"
)

const (
	// sampleReads is how many unmapped reads are looked at: of these a twentieth is known to three
	// hundredths, in 19 of 20 cases.
	sampleReads = 250
	// sampleLength is the most bases of a read of the sample, which bounds its memory.
	sampleLength = 1000
	// ofSampled is what a read of the sample takes, beside its bases.
	ofSampled = 48
	// A sample is looked at where at least one read of manyUnmapped is unmapped, and leastUnmapped
	// reads or more.
	manyUnmapped, leastUnmapped = 20, 100
	// basesOfRead is how many bases of the reference a run may have for each of its reads where
	// other options are tried: with more, to pass over them takes a good part of the run's own time.
	basesOfRead = 10_000
	// lowScore is the lower score that is tried for local locations, in percent. Reads of short tandem
	// repeats take long with it. It is therefore tried in runs of ofLowScore times the reads for which
	// other options are tried.
	lowScore, ofLowScore = 70, 8
)

// A sample is the reads with the lowest hashes of their names: samples of several workers together
// are the sample of one.
type sample struct {
	reads []sampledRead
	bound uint64 // hashes from here on are too high, 0 for none
}

// sampledRead is a copy of a read.
type sampledRead struct {
	hash  uint64
	bases []byte
}

// take has a read in the sample if its hash is low. mate tells mates apart, which have one name.
func (s *sample) take(read *fasta.Read, mate int) {
	const seed = 1
	hash := tieHash(read.Name, len(read.Bases), seed+uint64(mate))
	if s.bound != 0 && hash >= s.bound || len(read.Bases) > sampleLength {
		return
	}
	s.reads = append(s.reads, sampledRead{hash, bytes.Clone(read.Bases)})
	if len(s.reads) >= 2*sampleReads {
		s.cut()
	}
}

// cut leaves the lowest hashes.
func (s *sample) cut() {
	slices.SortFunc(s.reads, func(a, b sampledRead) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), bytes.Compare(a.bases, b.bases))
	})
	if len(s.reads) > sampleReads {
		clear(s.reads[sampleReads:])
		s.reads = s.reads[:sampleReads]
		s.bound = s.reads[sampleReads-1].hash
	}
}
