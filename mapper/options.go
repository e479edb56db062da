package mapper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/temporary"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// Options say what to map and how. The zero value of a field is its default
// unless the field says otherwise.
type Options struct {
	Reference string // FASTA file, or - for standard input
	// Packed, when set, is the reference; no file is read then. Several runs may share it, also at the
	// same time.
	Packed    *dna.Reference
	Libraries []Library
	Distance  Distance // the largest edit distance (k); the zero value is 0 edits
	// Local, when set, has local locations reported; then Distance and Gaps do not count, and Metric
	// must be Edits.
	Local  *Local
	Metric Metric // the kinds of edits; the zero value is substitutions, insertions and deletions
	Engine Engine
	Report Report
	// MaxLocations is the most locations reported for a read, best first; 0 is all, which is
	// MostLocations at most.
	MaxLocations int
	// Over says what becomes of a read with more locations to report than MaxLocations; the zero value
	// is OverCut.
	Over Over
	// Sensible has a run refused whose reads cannot lie on the reference because they are longer
	// than its contigs, or would lie at very many places by chance, judged by the first reads of each
	// library. The latter is not looked at if MaxLocations is set.
	Sensible bool
	// Device is where to map; for device.Auto see devices.go.
	Device device.Choice
	// Threads is the number of threads that compute; 0 is one.
	Threads int
	// Crop is the number of bases used of each read; 0 is all.
	Crop int
	// MaxReadLength is the most bases of a read, before Crop; a longer one ends the run with an
	// error. 0 is fasta.DefaultMaxLength.
	MaxReadLength int
	// Seed varies which of several best locations is primary.
	Seed uint64
	// BatchReads is the number of reads mapped in one pass over the reference; 0
	// chooses it from the reference's length. Output does not depend on it.
	BatchReads int
	// Temporary makes the files for candidates and ends that do not fit into memory; nil for files in
	// the system's folder.
	Temporary temporary.Files
	Pairs     PairOptions
	// Gaps says which alignment of a location is written; the zero value is GapsAffine.
	Gaps Gaps
	// SequenceMatch writes = and X in CIGARs, not M.
	SequenceMatch bool
	// FullSecondary repeats SEQ and QUAL on secondary records.
	FullSecondary bool
	// OmitUnmapped leaves unmapped reads out of the output (not of the statistics).
	OmitUnmapped bool
	// Loaded, when set, is called once with the bytes that the reference takes in memory.
	Loaded func(bytes int64)
	// Progress, when set, is called after each part of a batch, from one goroutine at a time.
	Progress func(Progress)
	// Watch, when set, lets others see at any time how far the run has come.
	Watch  *Watch
	limits limits
	shared *sharedReference // of the run
}

// MostLocations is the most locations of a read that are reported, whatever the options: the first
// ones in order of (distance, contig, strand, end). The primary one is among them. The others are
// counted, and count for MAPQ. Reads that have more are too short to mean anything, or of low
// complexity.
const MostLocations = 1 << 20

// limits are for tests; the zero value of each field stands for a good number. Output depends on
// two limits alone: estimatePairs, by the insert size, and held, by the reported locations.
type limits struct {
	find find.Limits
	// gpuStart and takeOver are as the constants.
	gpuStart, takeOver time.Duration
	// ready, when set, is closed when GPUs may be ready.
	ready <-chan struct{}
	// held is the most locations of a read that are held, MostLocations if it is 0, and block the
	// bytes of records of a block, longBlock if it is 0.
	held, block int
	// cells is find.Cover.AtMost.
	cells int64
	// bases is the length by which combinations of mates that are not proper are judged; 0 is the
	// length of the reference.
	bases int64
	// atOnce has all reads sought up to their largest distance at first.
	atOnce bool
	// stepReads is how many reads of a batch make a step worth while that saves few edits (savesFew)
	// on any reference; if it is 0, firstReads are on repetitive ones.
	stepReads int
	// settleAll has all candidates settled, as where all local locations count.
	settleAll bool
	// estimatePairs is how many pairs suffice for the estimate of the insert size.
	estimatePairs int
	// heldLocations is how many locations an estimate holds before it holds few of each read,
	// estimateLocations if it is 0.
	heldLocations int
	// deflated is find.Options.Deflated, unless it is 0, and expected are bytes to be compressed that
	// are said to come.
	deflated, expected int
	// seeking, when set, gives other finders for reads that are sought again.
	seeking func(seekingFinders) seekingFinders
}

// seekingFinders are finders for reads that are sought again.
type seekingFinders interface {
	// seeking is how many can be at work at a time.
	seeking() int
	// worksAhead tells whether they work ahead, as on GPUs.
	worksAhead() bool
	// again returns finder number i: the one at hand, unless it is nil or another one is faster.
	again(ref *dna.Reference, o find.Options, i int, have find.Finder) (find.Finder, error)
}

// A sharedReference is what finders and resolvers of a run share of the reference.
type sharedReference struct {
	find.Words
	bases int64 // by which combinations that are not proper are judged
	// more is how many more edits reads are sought up to at first than is planned, because too many
	// would be sought again.
	more atomic.Int32
	// planned counts reads by the number of edits more that would do; the last entry stands for all
	// larger numbers.
	planned [16]int
	decided bool
}

// basesOf returns the bases of a reference by which combinations of mates are judged.
func (o *Options) basesOf(ref *dna.Reference) int64 {
	if o.limits.bases != 0 {
		return o.limits.bases
	}
	return int64(ref.TotalLength())
}

// paired tells whether there are pairs.
func (o *Options) paired() bool {
	return slices.ContainsFunc(o.Libraries, func(l Library) bool { return l.paired() })
}

// estimates tells whether insert sizes are estimated.
func (o *Options) estimates() bool { return o.paired() && o.Pairs.given() == nil }

// heldLocations is how many locations an estimate holds before it holds those alone that are known
// whatever else was sought.
func (o *Options) heldLocations() int {
	if n := o.limits.heldLocations; n > 0 {
		return n
	}
	return estimateLocations
}

// counting returns Stats.Options.
func (o *Options) counting() map[string]string {
	m := map[string]string{
		"max-distance": "", "max-mismatches": "", "min-score": "", "gaps": string(o.Gaps),
		"report": o.Report.String(), "max-locations": strconv.Itoa(o.MaxLocations), "over": string(o.Over),
		"crop": strconv.Itoa(o.Crop), "seed": strconv.FormatUint(o.Seed, 10),
	}
	switch {
	case o.Local != nil:
		m["min-score"], m["clip-penalty"] = o.Local.Score.String(), strconv.Itoa(o.Local.ClipPenalty)
		m["split"] = strconv.FormatBool(o.Local.Split)
	case o.Metric == Substitutions:
		m["max-mismatches"] = o.Distance.String()
	default:
		m["max-distance"] = o.Distance.String()
	}
	if o.paired() {
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		m["orientation"], m["rescue-distance"] = string(o.Pairs.Orientation), o.Pairs.Rescue.String()
		m["insert-mean"], m["insert-spread"] = number(o.Pairs.MeanInsert), number(o.Pairs.InsertSpread)
	}
	return m
}

// Metric defines edits and locations: see package locate.
type Metric = locate.Metric

// The metrics.
const (
	Edits         = locate.Edits
	Substitutions = locate.Substitutions
)

// Engine names a way of finding.
type Engine = find.Engine

// The engines.
const (
	EngineAuto = find.EngineAuto
	EngineSkim = find.EngineSkim
	EngineScan = find.EngineScan
)

// Engines are the names of the engines, each with a description.
var Engines = [][2]string{
	{string(EngineAuto), ""},
	{string(EngineSkim), "pieces of the reads, then verification"},
	{string(EngineScan), "every base"},
}

// ParseEngine reads an engine's name.
func ParseEngine(s string) (Engine, error) { return oneOf[Engine]("engine", s, Engines) }

// Gaps names what gaps cost in the alignment of a location that is written. Which locations there
// are does not depend on it.
type Gaps string

// The costs of gaps.
const (
	GapsAffine Gaps = "affine"
	GapsUnit   Gaps = "unit"
)

// GapCosts are their names, each with the alignment that is written.
var GapCosts = [][2]string{
	{string(GapsAffine), "the highest score with 1 for a match, -4 for a mismatch and -(6 + g) for a gap of g bases"},
	{string(GapsUnit), "the fewest edits"},
}

// ParseGaps reads the name of one.
func ParseGaps(s string) (Gaps, error) { return oneOf[Gaps]("cost", s, GapCosts) }

// CIGARForm says how a CIGAR shows bases that are aligned to a base.
type CIGARForm string

// The forms of CIGARs.
const (
	CIGARMatch    CIGARForm = "m"
	CIGARSequence CIGARForm = "eqx"
)

// CIGARForms are the names of the forms, each with the operations that it has.
var CIGARForms = [][2]string{
	{string(CIGARMatch), "M for matches and mismatches"},
	{string(CIGARSequence), "= and X"},
}

// ParseCIGARForm reads the name of a form.
func ParseCIGARForm(s string) (CIGARForm, error) { return oneOf[CIGARForm]("form", s, CIGARForms) }

// Report says which locations of a read are reported.
type Report struct {
	Mode ReportMode
	// Strata is how many edits worse than the best a location may be (ReportStrata).
	Strata int
}

// String writes the report as ParseReport reads it.
func (r Report) String() string {
	if r.Mode == ReportStrata {
		return fmt.Sprintf("%s:%d", ReportStrata, r.Strata)
	}
	return string(r.Mode)
}

// Over says what becomes of a read that has more locations to report than are allowed.
type Over string

// The choices of Over.
const (
	OverCut  Over = "cut"
	OverDrop Over = "drop"
)

// Overs are the names of the choices, each with a description.
var Overs = [][2]string{
	{string(OverCut), "write the best ones"},
	{string(OverDrop), "write an unmapped record with the tag XC, their number"},
}

// ParseOver reads one of Overs.
func ParseOver(s string) (Over, error) { return oneOf[Over]("choice", s, Overs) }

// ReportMode is the kind of a Report.
type ReportMode string

// The report modes. ReportModes says what each reports.
const (
	ReportAll    ReportMode = "all"
	ReportBest   ReportMode = "best"
	ReportOne    ReportMode = "one"
	ReportUnique ReportMode = "unique"
	ReportStrata ReportMode = "strata"
)

// ReportModes are the texts that ParseReport reads, S standing for a number, each with the
// locations that are reported.
var ReportModes = [][2]string{
	{string(ReportAll), "every location"},
	{string(ReportBest), "all locations at the least distance"},
	{string(ReportOne), "the primary location"},
	{string(ReportUnique), "the location of reads that have one best location"},
	{string(ReportStrata) + ":S", "locations up to S edits worse than the best"},
}

// ParseReport reads a report, one of ReportModes with a number for S.
func ParseReport(s string) (Report, error) {
	if rest, ok := strings.CutPrefix(s, string(ReportStrata)+":"); ok {
		v, err := strconv.Atoi(rest)
		if err != nil || v < 0 || v > maxEdits {
			return Report{}, fmt.Errorf("report %q: strata takes a number of edits from 0 to %d, as in strata:1",
				s, maxEdits)
		}
		return Report{Mode: ReportStrata, Strata: v}, nil
	}
	mode, err := oneOf[ReportMode]("report", s, ReportModes)
	return Report{Mode: mode}, err
}
