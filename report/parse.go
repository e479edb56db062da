package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

// Parse reads what JSON wrote. Times are rounded as JSON has them.
func Parse(r io.Reader) (*mapper.Stats, error) {
	d := json.NewDecoder(r)
	var in statistics
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("is not the JSON of --stats: %w", plain(err))
	}
	if in.Schema != schema {
		return nil, fmt.Errorf("is not the JSON of --stats: its schema is %.40q, expected %q", in.Schema, schema)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("is not the JSON of --stats: something follows the object")
	}
	s := &mapper.Stats{
		Reads: in.Reads, Mapped: in.MappedReads, Unmapped: in.UnmappedReads, Ambiguous: in.AmbiguousReads,
		Unique: in.UniqueReads, Multiple: in.MultipleReads, Capped: in.CappedReads, Dropped: in.DroppedReads, Unsought: in.UnsoughtReads, Bases: in.Bases,
		MappedBases: in.MappedBases, Shortest: in.ShortestRead, Longest: in.LongestRead, ClippedReads: in.ClippedReads,
		ClippedBases: in.ClippedBases, Sample: in.UnmappedSample.stats(),
		Mappings: in.Mappings, Reported: in.Reported, ByDistance: in.ReadsByDistance,
		Candidates: in.Candidates, Refused: in.RefusedCandidates, Verified: in.VerifiedWindows,
		ReferenceBases: in.ReferenceBases, Batches: in.Batches, Device: in.Device, Engines: in.Engines, Options: in.Options,
	}
	if d := in.Duplicates; d != nil {
		s.Duplicates = &mapper.DuplicateStats{Examined: d.ExaminedRecords, Pairs: d.PairedDuplicates, Singles: d.SingleDuplicates}
	}
	for _, b := range in.MappingsPerRead {
		s.PerRead = append(s.PerRead, b.Reads)
	}
	for _, c := range in.Contigs {
		if bins := c.bins(); len(c.PrimaryBases) != bins || len(c.AllBases) != bins {
			return nil, fmt.Errorf("contig %.100q: has %d and %d bins of %d bases, which are not those of %d bases",
				c.Name, len(c.PrimaryBases), len(c.AllBases), c.BinLength, c.Length)
		}
		s.PerContig = append(s.PerContig, mapper.ContigStats{
			Name: c.Name, Length: c.Length, Primary: c.Primary, Mappings: c.Mappings,
			BinLength: c.BinLength, PrimaryBases: c.PrimaryBases, AllBases: c.AllBases,
		})
	}
	var err error
	if s.Elapsed, err = duration(in.ElapsedSeconds); err != nil {
		return nil, err
	}
	for _, x := range in.Stages {
		t, err := duration(x.Seconds)
		if err != nil {
			return nil, err
		}
		s.Stages = append(s.Stages, mapper.Stage{Name: x.Name, Time: t, Summed: x.Summed, Items: x.Items, Unit: x.Unit})
	}
	for _, x := range in.Kernels {
		t, err := duration(x.Seconds)
		if err != nil {
			return nil, err
		}
		s.Kernels = append(s.Kernels, mapper.KernelTime{Name: x.Name, Launches: x.Launches, Time: t})
	}
	for i := range in.Libraries {
		s.Libraries = append(s.Libraries, in.Libraries[i].stats())
	}
	return s, nil
}

// ParseDepth reads the depth of what JSON wrote; nil where none was counted. The text is one that
// Parse takes.
func ParseDepth(text []byte) (*depth.Summary, error) {
	var in struct {
		Depth *counted `json:"depth"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("is not the JSON of --stats: %w", plain(err))
	}
	c := in.Depth
	if c == nil {
		return nil, nil
	}
	_, wrongOf := depth.ParseOf(string(c.Of))
	_, wrongWeights := depth.ParseWeights(string(c.Weights))
	if err := cmp.Or(wrongOf, wrongWeights); err != nil {
		return nil, fmt.Errorf("is not the JSON of --stats: depth: %w", err)
	}
	d := &depth.Summary{Options: depth.Options{Of: c.Of, Weights: c.Weights}, Bases: c.Bases, Covered: c.CoveredBases, Mean: c.MeanDepth,
		GC: make([]depth.GCDepth, 101)}
	for _, g := range c.ByGC {
		if g.GC < 0 || g.GC >= len(d.GC) || g.Windows < 0 {
			return nil, fmt.Errorf("is not the JSON of --stats: depth: %d windows with %d %% of G and C", g.Windows, g.GC)
		}
		d.GC[g.GC] = depth.GCDepth{Windows: g.Windows, Mean: g.MeanDepth}
	}
	for _, n := range c.ByContig {
		d.Contigs = append(d.Contigs, depth.ContigCount(n))
	}
	return d, nil
}

// plain leaves the words about Go out of an error of JSON.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s is of type %s", cmp.Or(kind.Field, "it"), kind.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle")
	}
	return err
}

// duration reads seconds.
func duration(seconds float64) (time.Duration, error) {
	if !(seconds >= 0 && seconds < math.MaxInt64/float64(time.Second)) {
		return 0, fmt.Errorf("a time of %g seconds", seconds)
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), nil
}

// bins is how many bins the bases of the contig have: none where depth was not counted.
func (c *contig) bins() int {
	if c.BinLength == 0 {
		return 0
	}
	if c.BinLength < 0 || c.Length < 0 {
		return -1
	}
	return c.Length/c.BinLength + min(c.Length%c.BinLength, 1)
}

// stats is the sample as the mapper has it.
func (u *unmappedSample) stats() *mapper.UnmappedSample {
	if u == nil {
		return nil
	}
	out := &mapper.UnmappedSample{Reads: u.Reads, WithAdapters: u.WithAdapters, Adapter: u.Adapter}
	for _, t := range u.Tried {
		out.Tried = append(out.Tried, mapper.Trial(t))
	}
	return out
}

// stats is a library as the mapper has it.
func (l *library) stats() mapper.LibraryStats {
	s := mapper.LibraryStats{
		ReadsFile: l.ReadsFile, MatesFile: l.MatesFile, ReadGroup: l.ReadGroup, Sample: l.Sample,
		Skip: l.Skip, Take: l.Take, More: l.More, Reads: l.Reads, Mapped: l.MappedReads, Unique: l.UniqueReads,
		Ambiguous: l.AmbiguousReads, Mappings: l.Mappings, Reported: l.Reported,
	}
	if l.Pairs == nil {
		return s
	}
	p, i := &l.Pairs.pairs, &l.Pairs.Insert
	s.Pairs = &mapper.PairStats{
		Pairs: p.Pairs, Proper: p.Proper, Discordant: p.Discordant, OtherContig: p.DiscordantOtherContig,
		OtherOrientation: p.DiscordantOrientation, TooNear: p.DiscordantNear, TooFar: p.DiscordantFar,
		OneEndAnchored: p.OneEndAnchored, Unmapped: p.Unmapped, Rescued: p.RescuedMates, Bounded: p.Bounded,
		Insert: mapper.InsertStats{
			Estimated: i.Estimated, Given: i.Given, From: i.From, Median: i.Median, Mean: i.Mean, Spread: i.Spread,
			Low: i.Low, High: i.High, Counts: i.Counts, Longer: i.Longer,
		},
	}
	return s
}
