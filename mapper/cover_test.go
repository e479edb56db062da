package mapper

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	hts "github.com/biogo/hts/sam"
	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// counted is a CellCounting that has a number for each base and the end of each contig.
type counted struct {
	cells   Cells
	mu      sync.Mutex
	numbers [][]int64
	weight  []int64 // of each contig
	primary []int64
	byGPU   int64
	byHost  int // locations
}

func (c *counted) Begin(ref *dna.Reference) error {
	c.weight, c.primary = make([]int64, len(ref.Contigs)), make([]int64, len(ref.Contigs))
	for i := range ref.Contigs {
		c.numbers = append(c.numbers, make([]int64, ref.Contigs[i].Length+1))
	}
	return nil
}

var _ CellCounting = &counted{}

func (c *counted) Counter() Counter { return c }
func (c *counted) Cells() Cells     { return c.cells }

func (c *counted) Count(locations []Reported) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.primary[locations[0].Contig]++
	best := 0 // locations of least distance, which come first
	for best < len(locations) && locations[best].Distance == locations[0].Distance {
		best++
	}
	for i, l := range locations {
		if l.Counted {
			continue
		}
		c.byHost++
		weight := c.cells.Unit
		share := func(n int64) int64 { return c.cells.Unit*int64(i+1)/n - c.cells.Unit*int64(i)/n }
		switch {
		case c.cells.Weights == WeighEqual:
			weight = share(int64(len(locations)))
		case c.cells.Weights == WeighBest && i < best:
			weight = share(int64(best))
		case c.cells.Weights == WeighBest, c.cells.Weights == WeighPrimary && i > 0:
			weight = 0
		}
		c.weight[l.Contig] += weight
		numbers := c.numbers[l.Contig]
		numbers[l.Start] += weight
		if c.cells.Starts {
			continue
		}
		numbers[l.End] -= weight
		for _, d := range l.Deleted {
			numbers[d.Start] -= weight
			numbers[d.End] += weight
		}
	}
}

func (c *counted) AddCells(contig, base int, numbers []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, n := range numbers {
		c.numbers[contig][base+i] += int64(n)
	}
}

func (c *counted) CarryCell(contig, base, times int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers[contig][base] += int64(times) << 32
}

func (c *counted) AddWeight(contig int, weight int64) {
	c.weight[contig] += weight
	c.byGPU += weight
}

// depths returns the number of locations that start at each base, or cover the base.
func (c *counted) depths() (all [][]int64) {
	for _, numbers := range c.numbers {
		sum, of := int64(0), []int64{}
		for _, n := range numbers {
			if sum += n; c.cells.Starts {
				sum = n
			}
			of = append(of, sum)
		}
		all = append(all, of)
	}
	return all
}

// each is what counts where each location counts 1.
func each(starts bool) Cells { return Cells{Starts: starts, Unit: 1} }

// count runs without records.
func count(t *testing.T, o Options, cells Cells) (*counted, *Stats) {
	t.Helper()
	c := &counted{cells: cells}
	stats, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Counting: c})
	if err != nil {
		t.Fatal(err)
	}
	return c, stats
}

// countStats runs without records, and returns the statistics.
func countStats(t *testing.T, o Options, cells Cells) *Stats {
	t.Helper()
	_, stats := count(t, o, cells)
	return stats
}

// TestCounting compares counts without records with counts from records, of single reads and of
// pairs.
func TestCounting(t *testing.T) {
	reference, reads := writeInput(t, effort.Pick(300, 100))
	input := newNearInput(rand.New(rand.NewPCG(13, 14)))
	mates := input.pairs(effort.Pick(200, 40), 60, 6)
	ofPairs, first, second := writePairs(t, input.all(), mates)
	single, pairs := []Library{{Reads: reads}}, []Library{{Reads: first, Mates: second}}
	for _, o := range []Options{
		{Distance: Distance{Edits: 4}, Libraries: single},
		{Distance: Distance{Edits: 3}, Report: Report{Mode: ReportBest}, Libraries: single},
		{Distance: Distance{Edits: 3}, MaxLocations: 2, Libraries: single},
		{Distance: Distance{Edits: 2}, Metric: Substitutions, Libraries: single},
		{Distance: Distance{Edits: 4}, Libraries: pairs},
		{Distance: Distance{Edits: 4}, Libraries: pairs, MaxLocations: 2},
		{Distance: Distance{Edits: 4}, Libraries: pairs, Report: Report{Mode: ReportOne}},
	} {
		o.Reference, o.Threads = reference, 2
		if o.paired() {
			o.Reference = ofPairs
		}
		o.Gaps = GapsUnit // records have the alignments that are counted
		for _, starts := range []bool{false, true} {
			got, stats := count(t, o, each(starts))
			want := &counted{cells: each(starts)}
			_, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Counting: begins(want.Begin), Found: func(records []sam.Record) error {
				for i := range records {
					want.record(&records[i])
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.depths(), got.depths()); d != "" {
				t.Fatalf("%+v, starts %v (-records +counts):\n%s", o.Report, starts, d)
			}
			if d := differentStats([][]int64{want.weight, want.primary}, [][]int64{got.weight, got.primary}); d != "" {
				t.Fatalf("%+v: locations and primary ones (-records +counts):\n%s", o.Report, d)
			}
			n := int64(0)
			for i := range stats.PerContig {
				n += stats.PerContig[i].Mappings
			}
			if n != stats.Reported || n == 0 {
				t.Errorf("%d records on contigs, %d reported", n, stats.Reported)
			}
		}
	}
}

// begins is a Counting that counts nothing.
type begins func(ref *dna.Reference) error

func (b begins) Begin(ref *dna.Reference) error { return b(ref) }
func (b begins) Counter() Counter               { return b }
func (b begins) Count([]Reported)               {}

// record counts a record.
func (c *counted) record(r *sam.Record) {
	if r.Flags&hts.Unmapped != 0 {
		return
	}
	l := Reported{Contig: r.ContigIndex, Start: r.Pos, End: r.Pos}
	for _, op := range r.Cigar {
		if consumes := op.Type().Consumes(); consumes.Reference == 0 {
			continue
		} else if consumes.Query == 0 {
			l.Deleted = append(l.Deleted, Deleted{l.End, l.End + op.Len()})
		}
		l.End += op.Len()
	}
	primary := c.primary[l.Contig]
	c.Count([]Reported{l})
	if c.primary[l.Contig] = primary; r.Flags&hts.Secondary == 0 {
		c.primary[l.Contig]++
	}
}

// A coverCase is a run where GPUs may count some locations.
type coverCase struct {
	name    string
	options Options
	gpu     gpu.EmulatorOptions
	counts  bool // the GPU counts some
}

// coverEach calls compare with each case, its number, GPUs, and its options with reads and a
// reference. These have many repeats, if the name of the case begins with "repeats", or else few.
func coverEach(t *testing.T, cases []coverCase, compare func(t *testing.T, number int, driver *gpu.Driver, c *coverCase, o Options)) {
	t.Helper()
	reference, reads := writeInput(t, effort.Pick(100, 64))
	repeats, ofRepeats := writeRepeats(t, effort.Pick(24, 8))
	for number, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := c.options
			o.Threads = 2
			if o.Reference, o.Libraries = reference, withReads(o.Libraries, reads); strings.HasPrefix(c.name, "repeats") {
				o.Reference, o.Libraries = repeats, withReads(nil, ofRepeats)
			}
			compare(t, number, emulator.Driver(t, emulator.Plain, c.gpu), &c, o)
		})
	}
}

// TestCoveredOnGPU compares counts of GPUs with the CPU's, and varies everything else.
func TestCoveredOnGPU(t *testing.T) {
	t.Parallel()
	coverEach(t, []coverCase{
		{"edits", Options{Distance: Distance{Edits: 4}}, gpu.EmulatorOptions{}, true},
		{"many edits", Options{Distance: Distance{Percent: 12, Percentage: true}}, gpu.EmulatorOptions{}, true},
		{"small batches", Options{Distance: Distance{Edits: 3}, BatchReads: 7}, gpu.EmulatorOptions{}, true},
		{"substitutions", Options{Distance: Distance{Edits: 3}, Metric: Substitutions}, gpu.EmulatorOptions{}, true},
		{"two GPUs", Options{Distance: Distance{Edits: 3}, BatchReads: 11}, gpu.EmulatorOptions{Devices: 2}, true},
		{"scan", Options{Distance: Distance{Edits: 2}, Engine: EngineScan}, gpu.EmulatorOptions{}, false},
		{"few locations held", Options{Distance: Distance{Edits: 4}, BatchReads: 5, limits: limits{held: 3}}, gpu.EmulatorOptions{}, true},
		{"repeats", Options{Distance: Distance{Edits: 6}}, gpu.EmulatorOptions{}, true},
		{"repeats, in steps", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUQueue: 300}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little handed on", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUFound: 3}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little room", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUCovered: 150}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little memory", Options{Distance: Distance{Edits: 6}}, gpu.EmulatorOptions{Memory: 24 << 20}, true},
		{"repeats, in chunks", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUChunk: 9000}}}, gpu.EmulatorOptions{}, true},
		{"in chunks", Options{Distance: Distance{Edits: 3}, limits: limits{find: find.Limits{GPUChunk: 640}}}, gpu.EmulatorOptions{}, true},
		{"small numbers", Options{Distance: Distance{Edits: 4}, BatchReads: 9, limits: limits{cells: 40}}, gpu.EmulatorOptions{}, true},
		{"unique", Options{Distance: Distance{Edits: 3}, Report: Report{Mode: ReportUnique}}, gpu.EmulatorOptions{}, true},
		{"at most 2", Options{Distance: Distance{Edits: 3}, MaxLocations: 2}, gpu.EmulatorOptions{}, true},
		{"repeats, at most 7", Options{Distance: Distance{Edits: 6}, MaxLocations: 7, Over: OverDrop}, gpu.EmulatorOptions{}, true},
	}, func(t *testing.T, number int, driver *gpu.Driver, c *coverCase, o Options) {
		for i, starts := range []bool{false, true} {
			if (number+i)%effort.Pick(1, 2) != 0 {
				continue
			}
			got := compareCounts(t, o, each(starts), driver)
			if (got.byGPU > 0) != c.counts {
				t.Errorf("the GPU counted %d locations", got.byGPU)
			}
		}
	})
}

// compareCounts compares the counts of a GPU with the CPU's, and returns them.
func compareCounts(t *testing.T, o Options, cells Cells, driver *gpu.Driver) *counted {
	t.Helper()
	o.Device = device.Choice{}
	want, wanted := count(t, o, cells)
	o.Device = device.Choice{Kind: device.CUDA, Driver: driver}
	got, stats := count(t, o, cells)
	if want, got := want.depths(), got.depths(); !reflect.DeepEqual(want, got) { // go-cmp is slow
		t.Errorf("%+v (-CPU +GPU):\n%s", cells, cmp.Diff(want, got))
	}
	if d := differentStats([][]int64{want.weight, want.primary}, [][]int64{got.weight, got.primary}); d != "" {
		t.Errorf("%+v, weights and primary locations (-CPU +GPU):\n%s", cells, d)
	}
	if d := differentStats(ofReads(wanted), ofReads(stats)); d != "" {
		t.Errorf("%+v, statistics (-CPU +GPU):\n%s", cells, d)
	}
	return got
}

// TestSharedOnGPU compares counts of GPUs with the CPU's where a weight depends on how many
// locations the read has. Some units leave a remainder, and with some a few reads make a cell
// overflow. All weights and reports are compared, and everything else varies.
func TestSharedOnGPU(t *testing.T) {
	t.Parallel()
	reports := []Report{{}, {Mode: ReportBest}, {Mode: ReportOne}, {Mode: ReportStrata, Strata: 1}, {Mode: ReportUnique}}
	coverEach(t, []coverCase{
		{"edits", Options{Distance: Distance{Edits: 4}, Seed: 7}, gpu.EmulatorOptions{}, true},
		{"many edits", Options{Distance: Distance{Percent: 12, Percentage: true}}, gpu.EmulatorOptions{}, true},
		{"substitutions", Options{Distance: Distance{Edits: 3}, Metric: Substitutions, BatchReads: 7}, gpu.EmulatorOptions{}, true},
		{"two GPUs", Options{Distance: Distance{Edits: 3}, BatchReads: 11}, gpu.EmulatorOptions{Devices: 2}, true},
		{"scan", Options{Distance: Distance{Edits: 2}, Engine: EngineScan}, gpu.EmulatorOptions{}, false},
		{"few locations held", Options{Distance: Distance{Edits: 4}, BatchReads: 5, limits: limits{held: 3}}, gpu.EmulatorOptions{}, true},
		{"repeats", Options{Distance: Distance{Edits: 6}}, gpu.EmulatorOptions{}, true},
		{"repeats, in steps", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUQueue: 300}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little handed on", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUFound: 3}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little room", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUCovered: 150}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little room for substitutions", Options{Distance: Distance{Edits: 9}, Metric: Substitutions, limits: limits{find: find.Limits{GPUCovered: 30}}}, gpu.EmulatorOptions{}, true},
		{"repeats, little memory", Options{Distance: Distance{Edits: 6}}, gpu.EmulatorOptions{Memory: 24 << 20}, true},
		{"repeats, in chunks", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUChunk: 9000}}}, gpu.EmulatorOptions{}, true},
		{"in chunks", Options{Distance: Distance{Edits: 3}, limits: limits{find: find.Limits{GPUChunk: 640}}}, gpu.EmulatorOptions{}, true},
		{"small numbers", Options{Distance: Distance{Edits: 4}, BatchReads: 9, limits: limits{cells: 1 << 24}}, gpu.EmulatorOptions{}, true},
		{"at most 2", Options{Distance: Distance{Edits: 3}, MaxLocations: 2}, gpu.EmulatorOptions{}, true},
		{"repeats, at most 9", Options{Distance: Distance{Edits: 6}, MaxLocations: 9}, gpu.EmulatorOptions{}, true},
		{"repeats, at most 5 or none", Options{Distance: Distance{Edits: 6}, MaxLocations: 5, Over: OverDrop}, gpu.EmulatorOptions{}, true},
		{"few held, or none", Options{Distance: Distance{Edits: 4}, Over: OverDrop, limits: limits{held: 3}}, gpu.EmulatorOptions{}, true},
	}, func(t *testing.T, number int, driver *gpu.Driver, c *coverCase, o Options) {
		for i, cells := range []Cells{
			{Weights: WeighEqual, Unit: 1 << 16},
			{Weights: WeighBest, Unit: 1 << 16, Starts: true},
			{Weights: WeighBest, Unit: 1 << 16},
			{Weights: WeighPrimary, Unit: 1},
			{Weights: WeighEqual, Unit: 1<<31 - 1, Starts: true},
			{Weights: WeighEach, Unit: 1},
		} {
			if cells.Unit > 1<<16 && o.limits.cells > 0 {
				continue // a read is more
			}
			for j, report := range reports {
				// Every combination comes, each with some of the cases.
				if cells.Weights == WeighEach && j == 0 || (number+len(reports)*i+j)%effort.Pick(7, 31) != 0 {
					continue
				}
				o.Report = report
				got := compareCounts(t, o, cells, driver)
				if (got.byGPU > 0) != c.counts {
					t.Errorf("%+v, %+v: the GPU counted %d units", cells, report, got.byGPU)
				}
			}
		}
	})
}

// TestCoveredMatesOnGPU compares counts of pairs on GPUs with the CPU's: with rescued mates, mates
// with some locations from the host, insert sizes that are estimated while pairs wait, and a
// library of single reads beside.
func TestCoveredMatesOnGPU(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options Options
		gpu     gpu.EmulatorOptions
		single  bool // a library of single reads, too
		weights Weights
		counts  bool // the GPU counts some
	}{
		"edits":               {options: Options{Distance: Distance{Edits: 5}}, counts: true},
		"rescued":             {options: Options{Distance: Distance{Edits: 2}, Pairs: PairOptions{MaxInsert: 250, Rescue: Distance{Edits: 8}}}, counts: true},
		"many edits":          {options: Options{Distance: Distance{Percent: 12, Percentage: true}, BatchReads: 20}, counts: true},
		"waiting":             {options: Options{Distance: Distance{Edits: 5}, BatchReads: 16, limits: limits{estimatePairs: 30}}, counts: true},
		"substitutions":       {options: Options{Distance: Distance{Edits: 5}, Metric: Substitutions}, counts: true},
		"two GPUs":            {options: Options{Distance: Distance{Edits: 5}, BatchReads: 12}, gpu: gpu.EmulatorOptions{Devices: 2}, counts: true},
		"few locations held":  {options: Options{Distance: Distance{Edits: 6}, limits: limits{held: 3}}, counts: true},
		"in steps":            {options: Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUQueue: 150}}}, counts: true},
		"in chunks":           {options: Options{Distance: Distance{Edits: 5}, limits: limits{find: find.Limits{GPUChunk: 900}}}, counts: true},
		"little room":         {options: Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUCovered: 60}}}, counts: true},
		"little handed on":    {options: Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUFound: 40}}}, counts: true},
		"small numbers":       {options: Options{Distance: Distance{Edits: 5}, BatchReads: 8, limits: limits{cells: 400}}, counts: true},
		"with single reads":   {options: Options{Distance: Distance{Edits: 5}, BatchReads: 40}, single: true, counts: true},
		"scan":                {options: Options{Distance: Distance{Edits: 2}, Engine: EngineScan}},
		"at most 2":           {options: Options{Distance: Distance{Edits: 5}, MaxLocations: 2}},
		"few held, or none":   {options: Options{Distance: Distance{Edits: 5}, Over: OverDrop, limits: limits{held: 3}}},
		"best":                {options: Options{Distance: Distance{Edits: 5}, Report: Report{Mode: ReportBest}}},
		"one, in equal parts": {options: Options{Distance: Distance{Edits: 5}, Report: Report{Mode: ReportOne}}, weights: WeighEqual},
		"in equal parts":      {options: Options{Distance: Distance{Edits: 5}}, weights: WeighEqual},
		"single reads alone":  {options: Options{Distance: Distance{Edits: 5}, Report: Report{Mode: ReportOne}}, single: true, counts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(77, uint64(len(name))))
			for seed := range effort.Pick(12, 1) {
				o := c.options
				input := newNearInput(r)
				reads := input.pairs(effort.Pick(60, 40), 60, 6)
				reference, first, second := writePairs(t, input.all(), reads)
				o.Threads, o.Reference = 2, reference
				if o.Libraries = []Library{{Reads: first, Mates: second}}; c.single {
					o.Libraries = append(o.Libraries, Library{Reads: second})
				}
				cells := Cells{Weights: c.weights, Unit: 1, Starts: seed%2 == 1}
				if c.weights != WeighEach {
					cells.Unit = 1 << 10
				}
				got := compareCounts(t, o, cells, emulator.Driver(t, emulator.Plain, c.gpu))
				if (got.byGPU > 0) != c.counts {
					t.Errorf("the GPU counted %d", got.byGPU)
				}
			}
		})
	}
}
