package mapper

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// counted is a CellCounting that has a number for each base and the end of each contig.
type counted struct {
	starts    bool
	mu        sync.Mutex
	cells     [][]int32
	locations []int64
	primary   []int64
	byGPU     int64
}

func (c *counted) Begin(ref *dna.Reference) error {
	c.locations, c.primary = make([]int64, len(ref.Contigs)), make([]int64, len(ref.Contigs))
	for i := range ref.Contigs {
		c.cells = append(c.cells, make([]int32, ref.Contigs[i].Length+1))
	}
	return nil
}

func (c *counted) Counter() Counter             { return c }
func (c *counted) Cells() (starts, counts bool) { return c.starts, true }

func (c *counted) Count(locations []Reported) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.primary[locations[0].Contig]++
	for _, l := range locations {
		if l.Counted {
			continue
		}
		c.locations[l.Contig]++
		cells := c.cells[l.Contig]
		cells[l.Start]++
		if c.starts {
			continue
		}
		cells[l.End]--
		for _, d := range l.Deleted {
			cells[d.Start]--
			cells[d.End]++
		}
	}
}

func (c *counted) AddCells(contig, base int, numbers []int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, n := range numbers {
		c.cells[contig][base+i] += n
	}
}

func (c *counted) AddLocations(contig int, n int64) {
	c.locations[contig] += n
	c.byGPU += n
}

// depth is what is counted, or covered, at each base.
func (c *counted) depths() (all [][]int32) {
	for _, cells := range c.cells {
		sum, of := int32(0), []int32{}
		for _, n := range cells {
			if sum += n; c.starts {
				sum = n
			}
			of = append(of, sum)
		}
		all = append(all, of)
	}
	return all
}

// count runs without records.
func count(t *testing.T, o Options, starts bool) (*counted, *Stats) {
	t.Helper()
	c := &counted{starts: starts}
	stats, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Counting: c})
	if err != nil {
		t.Fatal(err)
	}
	return c, stats
}

// TestCounting compares what is counted without records with the records.
func TestCounting(t *testing.T) {
	reference, reads := writeInput(t, effort.Pick(300, 100))
	for _, o := range []Options{
		{Distance: Distance{Edits: 4}},
		{Distance: Distance{Edits: 3}, Report: Report{Mode: ReportBest}},
		{Distance: Distance{Edits: 3}, MaxLocations: 2},
		{Distance: Distance{Edits: 2}, Metric: Substitutions},
	} {
		o.Reference, o.Libraries, o.Threads = reference, withReads(o.Libraries, reads), 2
		for _, starts := range []bool{false, true} {
			got, stats := count(t, o, starts)
			want := &counted{starts: starts}
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
			if d := cmp.Diff([][]int64{want.locations, want.primary}, [][]int64{got.locations, got.primary}); d != "" {
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
	if r.ContigIndex < 0 {
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
	if c.primary[l.Contig] = primary; r.Flags&0x100 == 0 {
		c.primary[l.Contig]++
	}
}

// TestCoveredOnGPU compares what GPUs count with what the CPU does, with all that may vary.
func TestCoveredOnGPU(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, effort.Pick(200, 80))
	repeats, ofRepeats := writeRepeats(t, effort.Pick(60, 12))
	for _, c := range []struct {
		name    string
		options Options
		gpu     gpu.EmulatorOptions
		counts  bool // the GPU counts some
	}{
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
		{"repeats, little memory", Options{Distance: Distance{Edits: 6}}, gpu.EmulatorOptions{Memory: 24 << 20}, true},
		{"repeats, in chunks", Options{Distance: Distance{Edits: 6}, limits: limits{find: find.Limits{GPUChunk: 9000}}}, gpu.EmulatorOptions{}, true},
		{"in chunks", Options{Distance: Distance{Edits: 3}, limits: limits{find: find.Limits{GPUChunk: 640}}}, gpu.EmulatorOptions{}, true},
		{"small numbers", Options{Distance: Distance{Edits: 4}, BatchReads: 9, limits: limits{cells: 40}}, gpu.EmulatorOptions{}, true},
		{"best", Options{Distance: Distance{Edits: 3}, Report: Report{Mode: ReportBest}}, gpu.EmulatorOptions{}, false},
		{"at most 2", Options{Distance: Distance{Edits: 3}, MaxLocations: 2}, gpu.EmulatorOptions{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := c.options
			o.Threads = 2
			if o.Reference, o.Libraries = reference, withReads(o.Libraries, reads); strings.HasPrefix(c.name, "repeats") {
				o.Reference, o.Libraries = repeats, withReads(nil, ofRepeats)
			}
			for _, starts := range []bool{false, true} {
				o.Device = device.Choice{}
				want, wanted := count(t, o, starts)
				o.Device = device.Choice{Kind: device.CUDA, Driver: emulator.Driver(t, emulator.Plain, c.gpu)}
				got, stats := count(t, o, starts)
				if d := cmp.Diff(want.depths(), got.depths()); d != "" {
					t.Errorf("starts %v (-CPU +GPU):\n%s", starts, d)
				}
				if d := cmp.Diff([][]int64{want.locations, want.primary}, [][]int64{got.locations, got.primary}); d != "" {
					t.Errorf("locations and primary ones (-CPU +GPU):\n%s", d)
				}
				unlike := cmpopts.IgnoreFields(Stats{}, "Candidates", "Refused", "Verified", "Batches", "Device", "Kernels", "Engines", "Stages", "Elapsed")
				if d := cmp.Diff(wanted, stats, unlike); d != "" {
					t.Errorf("statistics (-CPU +GPU):\n%s", d)
				}
				if (got.byGPU > 0) != c.counts {
					t.Errorf("the GPU counted %d locations", got.byGPU)
				}
			}
		})
	}
}
