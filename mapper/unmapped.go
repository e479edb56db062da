package mapper

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"scanmap/fasta"
)

// ManyUnmapped tells whether enough reads are unmapped to look at a sample: a twentieth of all, and
// 100 or more.
func (s *Stats) ManyUnmapped() bool {
	return s.Unmapped >= leastUnmapped && s.Unmapped*manyUnmapped >= s.Reads
}

// explain looks at a sample of the unmapped reads. mapped tells how many of the reads it is given
// have a location with other options; these are tried if the reference is not too long for that.
func (o *Options) explain(s *sample, all, bases int64, mapped func(Options, []fasta.Read) (int64, error)) (*UnmappedSample, error) {
	s.cut()
	if len(s.reads) == 0 {
		return nil, nil
	}
	reads := make([]fasta.Read, len(s.reads))
	for i := range s.reads {
		reads[i] = fasta.Read{Name: strconv.Itoa(i), Bases: s.reads[i].bases}
	}
	u := &UnmappedSample{Reads: int64(len(reads))}
	u.WithAdapters, u.Adapter = findAdapters(reads)
	each := int64(1)
	if o.Local != nil {
		each = ofLowScore
	}
	if bases/basesOfRead*each > all {
		return u, nil
	}
	for _, t := range o.trials(medianLength(reads), bases) {
		n, err := mapped(t.options, reads)
		if err != nil {
			return nil, err
		}
		u.Tried = append(u.Tried, Trial{t.option, n})
	}
	return u, nil
}

// trial is other options for the sample.
type trial struct {
	option  string
	options Options
}

// trials are the options to try: parts of reads, and more edits, or a lower score, as long as reads
// of this length do not lie on the reference by chance.
func (o *Options) trials(length int, bases int64) (all []trial) {
	with := Options{Threads: o.Threads, Report: Report{Mode: ReportOne}, Temporary: o.Temporary, limits: o.limits}
	if o.Local != nil {
		score := Score{Percent: lowScore, Percentage: true}
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
	chance := randomText{[]shares{evenShares}, evenShares, bases}
	if k := more.For(length); k <= o.Distance.For(length) || chance.locations(o.Metric, length, k, rare) >= rare {
		return all
	}
	option := "-e"
	if o.Metric == Substitutions {
		option = "--max-mismatches"
	}
	with.Distance, with.Metric = more, o.Metric
	return append(all, trial{fmt.Sprintf("%s %s", option, more), with})
}

// adapters are the first letters of the adapters of Illumina (TruSeq, Nextera and small RNA) and of
// MGI (first and second read), as cutadapt and their makers' documents have them.
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
