package mapper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
)

// mostThreads is the most that Options.Threads may be.
const mostThreads = 1 << 12

// check returns an error for wrong options, as they were given. Names of files and of GPUs are not
// looked up.
func (o *Options) check() error {
	if o.Packed == nil && o.Reference == "" {
		return errors.New("there is no reference")
	}
	if o.Packed != nil {
		if err := checkReference(o.Packed); err != nil {
			return err
		}
	}
	if len(o.Libraries) == 0 {
		return errors.New("there are no reads: a run has at least a library")
	}
	for i := range o.Libraries {
		if err := o.Libraries[i].check(); err != nil {
			return fmt.Errorf("library %d: %w", i+1, err)
		}
	}
	return o.checkMapping()
}

func (o *Options) setDefaults() {
	o.Threads = max(o.Threads, 1)
	if o.Engine == "" {
		o.Engine = EngineAuto
	}
	if o.Device.Kind == "" {
		o.Device.Kind = device.CPU
	}
	if o.Report.Mode == "" {
		o.Report.Mode = ReportAll
	}
	if o.Over == "" {
		o.Over = OverCut
	}
	if o.Gaps == "" {
		o.Gaps = GapsAffine
	}
	if o.Pairs.Orientation == "" {
		o.Pairs.Orientation = OrientationFR
	}
	if o.limits.gpuStart == 0 {
		o.limits.gpuStart = gpuStart
	}
	if o.limits.takeOver == 0 {
		o.limits.takeOver = takeOver
	}
	if o.limits.held == 0 {
		o.limits.held = MostLocations
	}
	if o.limits.block == 0 {
		o.limits.block = longBlock
	}
	if o.limits.estimatePairs == 0 {
		o.limits.estimatePairs = estimatePairs
	}
}

// checkReference refuses a reference that nothing can be mapped to.
func checkReference(ref *dna.Reference) error {
	if ref == nil || len(ref.Contigs) == 0 || ref.TotalLength() == 0 {
		return errors.New("the reference has no contigs")
	}
	return nil
}

func (l *Library) check() error {
	const most = math.MaxInt64 / 2 // of pairs, as reads
	switch {
	case l.Source == nil && l.Reads == "":
		return errors.New("there is neither a file nor a source of reads")
	case l.Source != nil && l.Mates != "":
		return errors.New("mates of a source are next to each other, and in no file of their own")
	case l.Mates != "" && l.Interleaved:
		return errors.New("mates cannot both alternate in one file and be in another")
	case l.Skip < 0 || l.Skip > most || l.Take < 0 || l.Take > most:
		return fmt.Errorf("reads cannot be %d after %d others", l.Take, l.Skip)
	}
	return nil
}

// checkMapping is check without the input.
func (o *Options) checkMapping() error {
	named := func(what, value string, names [][2]string) error {
		if value == "" {
			return nil // the default
		}
		_, err := oneOf[string](what, value, names)
		return err
	}
	bounded := func(what string, value, most int) error {
		if value < 0 || value > most {
			return fmt.Errorf("%s of %d is not from 0 to %d", what, value, most)
		}
		return nil
	}
	mode := string(o.Report.Mode)
	if o.Report.Mode == ReportStrata {
		mode = "" // is in the list with a number
	}
	kinds := [][2]string{{"auto"}, {"cpu"}, {"cuda"}}
	if o.Metric != Edits && o.Metric != Substitutions {
		return fmt.Errorf("metric %d is none", o.Metric)
	}
	if o.Local != nil {
		if err := cmp.Or(o.Local.Score.check(), bounded("a clip penalty", o.Local.ClipPenalty, math.MaxInt16)); err != nil {
			return err
		}
		if o.Metric != Edits {
			return errors.New("local locations have edits: the metric cannot be substitutions")
		}
	}
	if slices.ContainsFunc(o.Device.Indices, func(i int) bool { return i < 0 || i > math.MaxUint16 }) || o.Device.Memory < 0 {
		return fmt.Errorf("device: GPUs %v with %d bytes each", o.Device.Indices, o.Device.Memory)
	}
	return cmp.Or(
		o.Distance.check(), o.Pairs.check(),
		named("engine", string(o.Engine), Engines), named("report", mode, ReportModes), named("choice", string(o.Over), Overs),
		named("cost", string(o.Gaps), GapCosts), named("device", string(o.Device.Kind), kinds),
		bounded("a number of strata", o.Report.Strata, maxEdits), bounded("a number of locations", o.MaxLocations, math.MaxInt32),
		bounded("a number of threads", o.Threads, mostThreads), bounded("a crop", o.Crop, math.MaxInt32),
		bounded("a length of reads", o.MaxReadLength, math.MaxInt32), bounded("a batch", o.BatchReads, math.MaxInt32))
}

// check returns what ParseDistance would refuse.
func (d Distance) check() error {
	last := DistanceStep{Length: -1}
	for _, s := range d.Steps {
		if s.Length <= last.Length || s.Edits < last.Edits || s.Edits > maxEdits {
			return fmt.Errorf("distance %s: lengths have to rise from 0 on, and edits must not fall, nor be more than %d", d, maxEdits)
		}
		last = s
	}
	if d.Edits < 0 || d.Edits > maxEdits {
		return fmt.Errorf("a distance of %d edits is not from 0 to %d", d.Edits, maxEdits)
	}
	if !(d.Percent >= 0 && d.Percent <= 100) {
		return fmt.Errorf("a distance of %g %% is not between 0 %% and 100 %%", d.Percent)
	}
	return nil
}

// check returns what ParseScore would refuse.
func (s Score) check() error {
	if s.Percentage && !(s.Percent >= 50 && s.Percent <= 100) {
		return fmt.Errorf("a least score of %g %% is not between 50 %% and 100 %%", s.Percent)
	}
	if !s.Percentage && (s.Number < 1 || s.Number > math.MaxInt32) {
		return fmt.Errorf("a least score of %d is not from 1 to %d", s.Number, math.MaxInt32)
	}
	return nil
}

func (o *PairOptions) check() error {
	if err := o.Rescue.check(); err != nil {
		return fmt.Errorf("rescue: %w", err)
	}
	if o.Orientation != "" {
		if _, err := ParseOrientation(string(o.Orientation)); err != nil {
			return err
		}
	}
	switch {
	case o.MinInsert < 0 || o.MaxInsert < 0 || o.MinInsert > math.MaxInt32 || o.MaxInsert > math.MaxInt32 ||
		o.MaxInsert > 0 && o.MaxInsert < o.MinInsert:
		return fmt.Errorf("insert sizes cannot be from %d to %d", o.MinInsert, o.MaxInsert)
	case !(o.MeanInsert >= 0 && o.MeanInsert <= math.MaxInt32 && o.InsertSpread >= 0 && o.InsertSpread <= math.MaxInt32):
		return fmt.Errorf("insert sizes cannot have a mean of %g and a spread of %g", o.MeanInsert, o.InsertSpread)
	}
	return nil
}

// checkedReads returns reads as a file would have them.
func checkedReads(reads []fasta.Read) ([]fasta.Read, error) {
	source, err := fasta.FromMemory(reads)
	if err != nil {
		return nil, err
	}
	var all []fasta.Read
	for {
		some, err := source.Next()
		if err != nil {
			return all, nil // the end
		}
		all = append(all, some...)
	}
}
