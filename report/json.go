package report

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"strings"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

// schema names the form of the JSON.
const schema = "scanmap-stats/1"

// statistics is the JSON; docs/statistics.md explains its members.
type statistics struct {
	Schema               string                  `json:"schema"`
	Version              string                  `json:"version"`
	Reads                int64                   `json:"reads"`
	MappedReads          int64                   `json:"mapped_reads"`
	UnmappedReads        int64                   `json:"unmapped_reads"`
	AmbiguousReads       int64                   `json:"ambiguous_reads"`
	UniqueReads          int64                   `json:"unique_reads"`
	MultipleReads        int64                   `json:"multiple_reads"`
	CappedReads          int64                   `json:"capped_reads"`
	DroppedReads         int64                   `json:"dropped_reads"`
	UnsoughtReads        int64                   `json:"unsought_reads"`
	Bases                int64                   `json:"bases"`
	MappedBases          int64                   `json:"mapped_bases"`
	ShortestRead         int64                   `json:"shortest_read"`
	LongestRead          int64                   `json:"longest_read"`
	MeanReadLength       float64                 `json:"mean_read_length"`
	ClippedReads         int64                   `json:"clipped_reads"`
	ClippedBases         int64                   `json:"clipped_bases"`
	ClippedShare         float64                 `json:"clipped_share"`
	Allowed              string                  `json:"allowed"`
	Report               string                  `json:"report"`
	UnmappedSample       *unmappedSample         `json:"unmapped_sample"`
	Mappings             int64                   `json:"mappings"`
	Reported             int64                   `json:"reported"`
	MappingRatio         float64                 `json:"mapping_ratio"`
	ReadsByDistance      []int64                 `json:"reads_by_distance"`
	MappingsPerRead      []bucket                `json:"mappings_per_read"`
	Contigs              []contig                `json:"contigs"`
	ReferenceBases       int64                   `json:"reference_bases"`
	Candidates           int64                   `json:"candidates"`
	RefusedCandidates    int64                   `json:"refused_candidates"`
	VerifiedWindows      int64                   `json:"verified_windows"`
	Batches              int64                   `json:"batches"`
	Device               string                  `json:"device"`
	Kernels              []kernel                `json:"kernels"`
	Engines              map[mapper.Engine]int64 `json:"engines"`
	ElapsedSeconds       float64                 `json:"elapsed_seconds"`
	ReadsPerSecond       float64                 `json:"reads_per_second"`
	SearchThroughputTbps float64                 `json:"search_throughput_tbps"`
	Stages               []stage                 `json:"stages"`
	Pairs                *pairs                  `json:"pairs"`
	Duplicates           *duplicates             `json:"duplicates"`
	Libraries            []library               `json:"libraries"`
	Options              map[string]string       `json:"options"`
	Depth                *counted                `json:"depth"`
}

// unmappedSample has the findings in a sample of unmapped reads.
type unmappedSample struct {
	Reads        int64   `json:"reads"`
	WithAdapters int64   `json:"with_adapters"`
	Adapter      string  `json:"adapter"`
	Tried        []trial `json:"tried"`
	Hint         string  `json:"hint"`
}

type trial struct {
	Option string `json:"option"`
	Mapped int64  `json:"mapped_reads"`
}

// newUnmappedSample is nil where there is none.
func newUnmappedSample(s *mapper.Stats) *unmappedSample {
	u := s.Sample
	if u == nil {
		return nil
	}
	out := &unmappedSample{u.Reads, u.WithAdapters, u.Adapter, []trial{}, Hint(s)}
	for _, t := range u.Tried {
		out.Tried = append(out.Tried, trial(t))
	}
	return out
}

// duplicates are the counts of --mark-duplicates.
type duplicates struct {
	ExaminedRecords  int64   `json:"examined_records"`
	PairedDuplicates int64   `json:"paired_duplicates"`
	SingleDuplicates int64   `json:"single_duplicates"`
	DuplicateRatio   float64 `json:"duplicate_ratio"`
}

// newDuplicates is nil where none were marked.
func newDuplicates(d *mapper.DuplicateStats) *duplicates {
	if d == nil {
		return nil
	}
	return &duplicates{d.Examined, d.Pairs, d.Singles, ratio(d.Pairs+d.Singles, d.Examined)}
}

// counted is the depth of --depth and its like.
type counted struct {
	Of           depth.Of      `json:"of"`
	Weights      depth.Weights `json:"weights"`
	Bases        int64         `json:"bases"`
	CoveredBases int64         `json:"covered_bases"`
	CoveredShare float64       `json:"covered_share"`
	MeanDepth    float64       `json:"mean_depth"`
	ByGC         []countedGC   `json:"by_gc"`
	// ByContig is in the order of the contigs; parts of an older scanmap have none.
	ByContig []countedContig `json:"by_contig"`
}

type countedContig struct {
	Reads  int64 `json:"reads"`
	Weight int64 `json:"weight_units"`
	Depth  int64 `json:"depth_units"`
}

type countedGC struct {
	GC        int     `json:"gc_percent"`
	Windows   int64   `json:"windows"`
	MeanDepth float64 `json:"mean_depth"`
}

// newCounted is nil where nothing was counted.
func newCounted(d *depth.Summary) *counted {
	if d == nil {
		return nil
	}
	c := &counted{d.Of, d.Weights, d.Bases, d.Covered, ratio(d.Covered, d.Bases), d.Mean, []countedGC{}, []countedContig{}}
	for _, n := range d.Contigs {
		c.ByContig = append(c.ByContig, countedContig(n))
	}
	for percent, g := range d.GC {
		if g.Windows > 0 {
			c.ByGC = append(c.ByGC, countedGC{percent, g.Windows, g.Mean})
		}
	}
	return c
}

type contig struct {
	Name             string  `json:"name"`
	Length           int     `json:"length"`
	Primary          int64   `json:"primary"`
	Mappings         int64   `json:"mappings"`
	PrimaryMeanDepth float64 `json:"primary_mean_depth"`
	MeanDepth        float64 `json:"mean_depth"`
	BinLength        int     `json:"bin_length"`
	PrimaryBases     []int64 `json:"primary_bases"`
	AllBases         []int64 `json:"all_bases"`
}

type stage struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Summed  bool    `json:"summed"`
	Items   int64   `json:"items"`
	Unit    string  `json:"unit"`
}

type kernel struct {
	Name     string  `json:"name"`
	Launches int64   `json:"launches"`
	Seconds  float64 `json:"seconds"`
}

// JSON writes the statistics as one JSON object and a line feed. d has the counted depth, nil for
// none; version is scanmap's.
func JSON(w io.Writer, s *mapper.Stats, d *depth.Summary, version string) error {
	out := statistics{
		Schema:            schema,
		Version:           version,
		Reads:             s.Reads,
		MappedReads:       s.Mapped,
		UnmappedReads:     s.Unmapped,
		AmbiguousReads:    s.Ambiguous,
		UniqueReads:       s.Unique,
		MultipleReads:     s.Multiple,
		CappedReads:       s.Capped,
		DroppedReads:      s.Dropped,
		UnsoughtReads:     s.Unsought,
		Bases:             s.Bases,
		MappedBases:       s.MappedBases,
		ShortestRead:      s.Shortest,
		LongestRead:       s.Longest,
		MeanReadLength:    ratio(s.Bases, s.Reads),
		ClippedReads:      s.ClippedReads,
		ClippedBases:      s.ClippedBases,
		ClippedShare:      ratio(s.ClippedBases, s.MappedBases),
		Allowed:           s.Allowed(),
		Report:            s.Report(),
		UnmappedSample:    newUnmappedSample(s),
		Mappings:          s.Mappings,
		Reported:          s.Reported,
		MappingRatio:      ratio(s.Mapped, s.Reads),
		ReadsByDistance:   list(s.ByDistance),
		MappingsPerRead:   buckets(s.PerRead),
		Contigs:           make([]contig, 0, len(s.PerContig)),
		ReferenceBases:    s.ReferenceBases,
		Candidates:        s.Candidates,
		RefusedCandidates: s.Refused, VerifiedWindows: s.Verified,
		Batches:        s.Batches,
		Device:         s.Device,
		Kernels:        make([]kernel, 0, len(s.Kernels)),
		Engines:        map[mapper.Engine]int64{},
		ElapsedSeconds: s.Elapsed.Seconds(),
		ReadsPerSecond: perSecond(s.Reads, s.Elapsed),

		SearchThroughputTbps: s.SearchThroughput(),
		Stages:               make([]stage, 0, len(s.Stages)),
		Pairs:                newPairs(allPairs(s)),
		Duplicates:           newDuplicates(s.Duplicates),
		Libraries:            newLibraries(s.Libraries),
		Options:              map[string]string{},
		Depth:                newCounted(d),
	}
	for i := range s.PerContig {
		c := &s.PerContig[i]
		primary, all := depths(c)
		out.Contigs = append(out.Contigs, contig{c.Name, c.Length, c.Primary, c.Mappings, primary, all,
			c.BinLength, list(c.PrimaryBases), list(c.AllBases)})
	}
	for _, k := range s.Kernels {
		out.Kernels = append(out.Kernels, kernel{k.Name, k.Launches, k.Time.Seconds()})
	}
	for engine, reads := range s.Engines {
		out.Engines[engine] = reads
	}
	maps.Copy(out.Options, s.Options)
	for _, x := range s.Stages {
		out.Stages = append(out.Stages, stage{x.Name, x.Time.Seconds(), x.Summed, x.Items, x.Unit})
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // contig names keep their < and &
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := w.Write(joinNumbers(text.Bytes()))
	return err
}

// list is numbers as JSON has them: [] and not null where there are none.
func list(numbers []int64) []int64 { return append([]int64{}, numbers...) }

// joinNumbers puts lists of numbers of JSON with indents on one line each: lists that have no
// strings, objects or lists in them. Names that look like one have no line feeds.
func joinNumbers(text []byte) []byte {
	joined := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, '[')
		if i < 0 {
			return append(joined, text...)
		}
		i++
		joined, text = append(joined, text[:i]...), text[i:]
		n := bytes.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("-+.eE0123456789, \t\r\n", r) })
		if n < 0 || text[n] != ']' || !bytes.Contains(text[:n], []byte("\n")) {
			continue
		}
		joined, text = append(joined, bytes.Join(bytes.Fields(text[:n]), []byte(" "))...), text[n:]
	}
}
