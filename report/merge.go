package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"scanmap/internal/measure"
	"scanmap/mapper"
)

// Merge adds up the statistics of runs of parts of the reads on one reference. names are what
// errors call the runs. Counts and times are sums, so that the elapsed time is what all runs took
// one after the other. Runs of parts of one input, which --skip and --take cut, have one library
// together; a read that two runs count is an error, and so are options and bounds of insert sizes
// that differ. The runs may be some of all parts, if they follow each other: see Missing.
func Merge(runs []*mapper.Stats, names []string) (*mapper.Stats, error) {
	m := &merger{names: names, sum: &mapper.Stats{Engines: map[mapper.Engine]int64{}}}
	for i, s := range runs {
		if err := m.add(i, s); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
	}
	if err := m.join(); err != nil {
		return nil, err
	}
	return m.sum, nil
}

// merger is a merge that is under way.
type merger struct {
	names   []string
	sum     *mapper.Stats
	devices []string       // that the runs name
	told    map[string]int // the run that told an option of the sum
	parts   []partOfLibrary
}

// partOfLibrary is what run `from` counted of an input.
type partOfLibrary struct {
	mapper.LibraryStats
	from  int
	order int // of the first part of the same input
}

// add adds a run without its libraries.
func (m *merger) add(run int, s *mapper.Stats) error {
	t := m.sum
	if run == 0 {
		t.ReferenceBases = s.ReferenceBases
		for _, c := range s.PerContig {
			c.Primary, c.Mappings = 0, 0
			c.PrimaryBases, c.AllBases = make([]int64, len(c.PrimaryBases)), make([]int64, len(c.AllBases))
			t.PerContig = append(t.PerContig, c)
		}
	}
	if len(s.PerContig) != len(t.PerContig) {
		return fmt.Errorf("the reference has %d contigs, but that of %s %d", len(s.PerContig), m.names[0], len(t.PerContig))
	}
	for i := range s.PerContig {
		c, d := &t.PerContig[i], &s.PerContig[i]
		if c.Name != d.Name || c.Length != d.Length || c.BinLength != d.BinLength {
			return fmt.Errorf("contig %d is %.100q of %d bases, but in %s %.100q of %d", i+1, d.Name, d.Length, m.names[0], c.Name, c.Length)
		}
		c.Add(d)
	}
	if err := m.sameOptions(run, s); err != nil {
		return err
	}
	t.AddLengths(s, t.Reads == 0)
	t.Sample = addSamples(t.Sample, s.Sample, t.Reads == 0)
	t.Reads += s.Reads
	t.Mapped += s.Mapped
	t.Unmapped += s.Unmapped
	t.Ambiguous += s.Ambiguous
	t.Unique += s.Unique
	t.Multiple += s.Multiple
	t.Capped += s.Capped
	t.Dropped += s.Dropped
	t.Unsought += s.Unsought
	t.Mappings += s.Mappings
	t.Reported += s.Reported
	t.ByDistance, t.PerRead = measure.AddCounts(t.ByDistance, s.ByDistance), measure.AddCounts(t.PerRead, s.PerRead)
	if d := s.Duplicates; d != nil {
		if t.Duplicates == nil {
			t.Duplicates = &mapper.DuplicateStats{}
		}
		t.Duplicates.Add(d)
	}
	t.Candidates += s.Candidates
	t.Refused += s.Refused
	t.Verified += s.Verified
	t.Batches += s.Batches
	t.Elapsed += s.Elapsed
	for engine, reads := range s.Engines {
		t.Engines[engine] += reads
	}
	m.addTimes(s)
	for i := range s.Libraries {
		l := partOfLibrary{s.Libraries[i], run, len(m.parts)}
		if first := slices.IndexFunc(m.parts, func(p partOfLibrary) bool { return sameInput(&p.LibraryStats, &l.LibraryStats) }); first >= 0 {
			l.order = m.parts[first].order
		}
		m.parts = append(m.parts, l)
	}
	return nil
}

// sameOptions refuses a run whose counts mean something else than the counts of the run before.
// Options that one run does not tell are not compared.
func (m *merger) sameOptions(run int, s *mapper.Stats) error {
	t := m.sum
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		value := s.Options[name]
		if first, ok := t.Options[name]; !ok {
			if t.Options == nil {
				t.Options, m.told = map[string]string{}, map[string]int{}
			}
			t.Options[name], m.told[name] = value, run
		} else if first != value {
			return fmt.Errorf("option --%s was %s, but %s for %s: their counts do not add up",
				name, given(value), given(first), m.names[m.told[name]])
		}
	}
	return nil
}

// given shows the value of an option.
func given(value string) string { return cmp.Or(value, "not given") }

// Missing returns an error if a sum of runs lacks the first or the last part of an input.
func Missing(sum *mapper.Stats) error {
	for i := range sum.Libraries {
		switch l := &sum.Libraries[i]; {
		case l.Skip > 0:
			return fmt.Errorf("%s: no part counts its first %d %s: the first part is missing", l.ReadsFile, l.Skip, units(l))
		case l.More:
			return fmt.Errorf("%s: no part counts its %s behind %d: the last part is missing", l.ReadsFile, units(l), l.Skip+l.Take)
		}
	}
	return nil
}

// units is what Skip and Take count.
func units(l *mapper.LibraryStats) string {
	if l.Pairs != nil {
		return "pairs"
	}
	return "reads"
}

// addSamples adds up samples of unmapped reads of the same tries. It returns nil for others, or if
// only one of two runs has one. first tells that there was no read before.
func addSamples(a, b *mapper.UnmappedSample, first bool) *mapper.UnmappedSample {
	option := func(t mapper.Trial) string { return t.Option }
	switch {
	case first:
		return b
	case a == nil || b == nil || !slices.EqualFunc(a.Tried, b.Tried, func(x, y mapper.Trial) bool { return option(x) == option(y) }):
		return nil
	}
	sum := *a
	sum.Tried = slices.Clone(a.Tried)
	for i := range sum.Tried {
		sum.Tried[i].Mapped += b.Tried[i].Mapped
	}
	if b.WithAdapters > a.WithAdapters {
		sum.Adapter = b.Adapter
	}
	sum.Reads += b.Reads
	sum.WithAdapters += b.WithAdapters
	return &sum
}

// addTimes adds stages and kernels by their names, and names each device once.
func (m *merger) addTimes(s *mapper.Stats) {
	t := m.sum
	for _, x := range s.Stages {
		i := slices.IndexFunc(t.Stages, func(y mapper.Stage) bool { return x.Name == y.Name })
		if i < 0 {
			t.Stages = append(t.Stages, x)
			continue
		}
		t.Stages[i].Time += x.Time
		t.Stages[i].Items += x.Items
	}
	for _, x := range s.Kernels {
		i := slices.IndexFunc(t.Kernels, func(y mapper.KernelTime) bool { return x.Name == y.Name })
		if i < 0 {
			t.Kernels = append(t.Kernels, x)
			continue
		}
		t.Kernels[i].Time += x.Time
		t.Kernels[i].Launches += x.Launches
	}
	switch {
	case t.Device == "":
		t.Device = s.Device
	case !slices.Contains(m.devices, s.Device):
		t.Device += "; " + s.Device
	}
	m.devices = append(m.devices, s.Device)
}

// sameInput tells whether two libraries are of the same files and read group.
func sameInput(a, b *mapper.LibraryStats) bool {
	return a.ReadsFile == b.ReadsFile && a.MatesFile == b.MatesFile && a.ReadGroup == b.ReadGroup && a.Sample == b.Sample &&
		(a.Pairs == nil) == (b.Pairs == nil)
}

// join makes one library of the parts of each input.
func (m *merger) join() error {
	slices.SortStableFunc(m.parts, func(a, b partOfLibrary) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Skip, b.Skip))
	})
	for i := range m.parts {
		p := &m.parts[i]
		if i == 0 || m.parts[i-1].order != p.order {
			l := p.LibraryStats
			if l.Pairs != nil {
				pairs := *l.Pairs
				pairs.Insert.Counts = slices.Clone(pairs.Insert.Counts)
				l.Pairs = &pairs
			}
			m.sum.Libraries = append(m.sum.Libraries, l)
			continue
		}
		before := &m.parts[i-1]
		switch last := end(&before.LibraryStats); {
		case p.Skip < last:
			return fmt.Errorf("%s and %s both count reads of %s; --skip and --take cut it into parts",
				m.names[before.from], m.names[p.from], p.ReadsFile)
		case p.Skip > last:
			return fmt.Errorf("%s counts reads of %s up to %d and %s those behind %d: a part between them is missing",
				m.names[before.from], p.ReadsFile, last, m.names[p.from], p.Skip)
		}
		if err := join(&m.sum.Libraries[len(m.sum.Libraries)-1], &p.LibraryStats); err != nil {
			return fmt.Errorf("%s: %w", m.names[p.from], err)
		}
	}
	return nil
}

// join adds the next part of an input.
func join(l, p *mapper.LibraryStats) error {
	if l.Pairs != nil {
		a, b := &l.Pairs.Insert, &p.Pairs.Insert
		switch {
		case a.Estimated || b.Estimated:
			return fmt.Errorf("insert sizes of %s were estimated from each part by itself; "+
				"map its parts with the options that scanmap insert-size prints", l.ReadsFile)
		case a.Low != b.Low || a.High != b.High:
			return fmt.Errorf("proper insert sizes of %s are %s here, but %s before", l.ReadsFile, insertRange(b), insertRange(a))
		}
	}
	l.Add(p)
	l.More = p.More
	if l.Take = 0; p.Take > 0 {
		l.Take = p.Skip + p.Take - l.Skip
	}
	if l.Pairs != nil {
		l.Pairs.Insert.FromCounts()
	}
	return nil
}

// end is behind the last read, or pair, that a library may have counted.
func end(l *mapper.LibraryStats) int64 {
	if l.Take == 0 {
		return math.MaxInt64
	}
	return l.Skip + l.Take
}
