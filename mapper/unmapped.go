package mapper

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"scanmap/fasta"
)

// UnmappedSample says why reads may be unmapped, from a sample of them.
type UnmappedSample struct {
	// Reads is their number.
	Reads int64
	// WithAdapters have the start of an adapter, of which Adapter is the one that most have; it is
	// empty for none.
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

const (
	// sampleReads is how many unmapped reads are looked at: of these a twentieth is known to a
	// hundredth.
	sampleReads = 1000
	// sampleLength is the most bases of a read of the sample, which bounds its memory.
	sampleLength = 1000
	// ofSampled is what a read of the sample takes, beside its bases.
	ofSampled = 48
	// manyUnmapped is the share of unmapped reads, one of so many, from which a sample is looked at,
	// and leastUnmapped their least number.
	manyUnmapped, leastUnmapped = 20, 100
	// basesOfRead is how many bases of the reference a run may have for each of its reads where
	// other options are tried: with more, to pass over them takes a good part of the run's own time.
	basesOfRead = 10_000
)

// ManyUnmapped tells whether so many reads are unmapped that a sample of them is looked at: a
// twentieth of all, and 100 or more.
func (s *Stats) ManyUnmapped() bool {
	return s.Unmapped >= leastUnmapped && s.Unmapped*manyUnmapped >= s.Reads
}

// A sample is the reads with the lowest hashes of their names: those of workers together are those
// of one.
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

// explain looks at a sample of the unmapped reads.
func (r *run) explain(ctx context.Context) error {
	all := sample{}
	for _, w := range r.resolver.workers {
		all.reads = append(all.reads, w.tally.sample.reads...)
	}
	all.cut()
	if len(all.reads) == 0 {
		return nil
	}
	reads := make([]fasta.Read, len(all.reads))
	for i := range all.reads {
		reads[i] = fasta.Read{Name: strconv.Itoa(i), Bases: all.reads[i].bases}
	}
	u := &UnmappedSample{Reads: int64(len(reads))}
	u.WithAdapters, u.Adapter = findAdapters(reads)
	var trials []trial
	if bases := int64(r.ref.TotalLength()); bases/basesOfRead <= r.stats.Reads {
		trials = r.options.trials(medianLength(reads), bases)
	}
	for _, t := range trials {
		stats, err := Repeat(ctx, r.ref, reads, t.options, 1)
		if err != nil {
			return err
		}
		u.Tried = append(u.Tried, Trial{t.option, stats[0].Mapped})
	}
	r.stats.Sample = u
	return nil
}

// trial is other options for the sample.
type trial struct {
	option  string
	options Options
}

// trials are the options to try: parts of reads, and more edits, or a lower score, as long as reads
// of the length given do not lie on so many bases by chance.
func (o *Options) trials(length int, bases int64) (all []trial) {
	with := Options{Threads: o.Threads, Report: Report{Mode: ReportOne}, Temporary: o.Temporary, limits: o.limits}
	if o.Local != nil {
		score := Score{Percent: 60, Percentage: true}
		if score.For(length) < o.Local.Score.For(length) {
			with.Local = &Local{Score: score}
			all = append(all, trial{"--min-score " + score.String(), with})
		}
		return all
	}
	local := with
	local.Local = &Local{Score: DefaultScore}
	all = append(all, trial{"--local", local})
	more := o.Distance.Twice()
	if more.For(length) <= o.Distance.For(length) { // of none twice as many are none
		more = DefaultDistance
	}
	const rare = 0.01 // so few of the sample are mapped by chance
	if k := more.For(length); k <= o.Distance.For(length) || byChance(o.Metric, length, k, bases, rare) >= rare {
		return all
	}
	option := "-e"
	if o.Metric == Substitutions {
		option = "--max-mismatches"
	}
	with.Distance, with.Metric = more, o.Metric
	return append(all, trial{fmt.Sprintf("%s %s", option, more), with})
}

// adapters are the first letters of those of Illumina (TruSeq, Nextera and small RNA) and of MGI
// (first and second read), as cutadapt and their makers' documents have them.
var adapters = []string{"AGATCGGAAGAGC", "CTGTCTCTTATACACATCT", "TGGAATTCTCGGGTGCCAAGG", "AAGTCGGAGGCCAAGCGGTC", "AAGTCGGATCGTAGCCATGTCG"}

const (
	// adapterLetters are sought anywhere in a read: five of these lie in one of 30,000 random reads
	// of 100 bases.
	adapterLetters = 12
	// adapterEnd are the fewest letters at the end of a read.
	adapterEnd = 8
)

// findAdapters returns how many reads have an adapter, and which one most have.
func findAdapters(reads []fasta.Read) (with int64, most string) {
	counts := make([]int64, len(adapters))
	for i := range reads {
		if a := adapterOf(bytes.ToUpper(reads[i].Bases)); a >= 0 {
			counts[a]++
			with++
		}
	}
	if with == 0 {
		return 0, ""
	}
	return with, adapters[slices.Index(counts, slices.Max(counts))]
}

// adapterOf returns the adapter that a read has, -1 for none.
func adapterOf(bases []byte) int {
	return slices.IndexFunc(adapters, func(adapter string) bool {
		if bytes.Contains(bases, []byte(adapter[:adapterLetters])) {
			return true
		}
		for n := adapterLetters - 1; n >= adapterEnd; n-- {
			if bytes.HasSuffix(bases, []byte(adapter[:n])) {
				return true
			}
		}
		return false
	})
}
