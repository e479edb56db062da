package mapper

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"scanmap/gpu/device"
)

// TestMemoryGrows takes more of anything that work has: the bound never shrinks, no term is
// negative and the total is more than their sum.
func TestMemoryGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		int64s := func(name string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(t, name) }
		o := Options{
			Threads: int(int64s("threads", 1, 256)), Distance: Distance{Edits: int(int64s("k", 0, maxEdits))},
			Device:    device.Choice{Kind: device.Auto},
			Libraries: []Library{{Interleaved: rapid.Bool().Draw(t, "paired")}},
		}
		w := Work{
			Bases: int64s("bases", 1, 1<<36), Length: int64s("length", 1, 1<<27), Locations: int64s("locations", 1, 1<<31),
			GPUs: int(int64s("GPUs", 0, 8)),
		}
		before, err := o.Memory(w)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, term := range []int64{
			before.Program, before.Reference, before.Reads, before.Found, before.Records, before.Threads, before.Sorting,
		} {
			if term < 0 {
				t.Fatalf("%+v", before)
			}
			sum += term
		}
		if before.Total < sum || before.GPU < 0 || w.GPUs == 0 && before.GPU > 0 {
			t.Fatalf("a sum of %d: %+v", sum, before)
		}
		more, other := w, o
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			other.Threads++
		case 1:
			more.GPUs++
		case 2:
			more.Locations = 0 // any number
		case 3:
			more.Sorting += 1 << 20
			before.Growth, before.Total = 0, 0 // the percentage shrinks with what stays
		}
		if after, err := other.Memory(more); err != nil || after.Total < before.Total || after.Found < before.Found || after.Threads < before.Threads {
			t.Fatalf("%+v after %+v, %v", after, before, err)
		}
	})
}

// TestMemoryOfCPU has no GPU where none is asked for.
func TestMemoryOfCPU(t *testing.T) {
	var o Options
	m, err := o.Memory(Work{Bases: 1 << 20, Length: 100, GPUs: 2})
	if without, _ := o.Memory(Work{Bases: 1 << 20, Length: 100}); err != nil || m.GPU != 0 || m != without {
		t.Errorf("%+v, %v", m, err)
	}
	for _, w := range []Work{{Bases: -1}, {Length: -1}, {Locations: -1}, {GPUs: -1}, {Sorting: -1}, {Counting: -1}, {Bases: math.MaxInt64}} {
		if m, err := o.Memory(w); err == nil || m != (Memory{}) {
			t.Errorf("of %+v: %+v, %v", w, m, err)
		}
		if n, err := o.BatchSize(w); err == nil || n != 0 {
			t.Errorf("of %+v: batches of %d, %v", w, n, err)
		}
	}
	o.Distance.Edits = -1
	if m, err := o.Memory(Work{Bases: 1}); err == nil {
		t.Errorf("with -1 edits: %+v", m)
	}
}

// TestMemoryOfRuns has every number of the forecast for runs of different kinds. A change of a
// formula changes them here.
func TestMemoryOfRuns(t *testing.T) {
	pairs := []Library{{Interleaved: true}}
	for name, c := range map[string]struct {
		options Options
		work    Work
		want    Memory
	}{
		"single reads": {Options{Threads: 2, Distance: Distance{Edits: 6}}, Work{Bases: 12e6, Length: 150, Locations: 1000}, Memory{
			Program: 67_108_864, Reference: 4_785_602, Reads: 147_003_136, Found: 258_458_708, Records: 120_743_486, Threads: 72_011_368, Growth: 200, Total: 2_311_883_515,
		}},
		"a repeat": {Options{Threads: 16, Distance: Distance{Edits: 6}}, Work{Bases: 3e9, Length: 150, Locations: 1e6}, Memory{
			Program: 67_108_864, Reference: 1_195_316_852, Reads: 2_810_160_192, Found: 1_918_107_648, Records: 1_266_736_092, Threads: 1_065_471_328, Growth: 23, Total: 11_772_743_430,
		}},
		"long reads": {Options{Threads: 4, Distance: Distance{Percent: 4, Percentage: true}}, Work{Bases: 46e6, Length: 20_000, Locations: 10}, Memory{
			Program: 67_108_864, Reference: 18_332_477, Reads: 1_993_099_888, Found: 69_206_110, Records: 472_259_664, Threads: 1_016_667_508, Growth: 200, Total: 12_546_527_062,
		}},
		"full records": {Options{Threads: 2, FullSecondary: true}, Work{Bases: 1e8, Length: 250, Locations: 5000}, Memory{
			Program: 67_108_864, Reference: 39_848_102, Reads: 875_002_240, Found: 249_229_388, Records: 237_709_811, Threads: 63_350_880, Growth: 200, Total: 5_286_260_033,
		}},
		"pairs, sorted": {Options{Threads: 4, Libraries: pairs}, Work{Bases: 1e9, Length: 150, Locations: 3000, Sorting: 768 << 20}, Memory{
			Program: 67_108_864, Reference: 398_441_852, Reads: 2_166_768_540, Found: 653_389_096, Records: 159_800_034, Threads: 112_219_376, Sorting: 805_306_368, Growth: 22, Total: 6_121_336_884,
		}},
		"one": {Options{Threads: 4, Report: Report{Mode: ReportOne}}, Work{Bases: 1e9, Length: 100, Locations: 3000, Counting: 4e9}, Memory{
			Program: 67_108_864, Reference: 398_441_852, Reads: 5_049_947_304, Found: 1_555_033_384, Records: 158_836_284, Threads: 128_932_800, Counting: 4_000_000_000, Growth: 15, Total: 15_021_352_395,
		}},
		"--local": {Options{Threads: 4, Local: &Local{Score: DefaultScore}, Libraries: pairs}, Work{Bases: 3e9, Length: 150, Locations: 3000}, Memory{
			Program: 67_108_864, Reference: 1_195_316_852, Reads: 1_955_289_648, Found: 784_682_296, Records: 395_744_034, Threads: 245_855_328, Growth: 23, Total: 6_568_933_787,
		}},
		"on two GPUs": {
			Options{Threads: 16, Device: device.Choice{Kind: device.CUDA}, Libraries: pairs}, Work{Bases: 3e9, Length: 150, GPUs: 2, Locations: 3000}, Memory{
				Program: 960_495_616, Reference: 1_195_316_852, Reads: 2_066_333_920, Found: 5_872_137_376, Records: 559_300_119, Threads: 377_559_936, Growth: 23, Total: 15_603_552_931, GPU: 34_567_540_264,
			},
		},
		"near ones on a GPU": {
			Options{Threads: 16, Device: device.Choice{Kind: device.CUDA}, Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportOne}, Libraries: pairs},
			Work{Bases: 3e9, Length: 150, GPUs: 1, Locations: 3000}, Memory{
				Program: 692_060_160, Reference: 1_195_316_852, Reads: 6_948_672_304, Found: 13_310_388_672, Records: 1_385_104_119, Threads: 1_678_765_568, Growth: 23, Total: 35_659_980_206, GPU: 84_323_492_232,
			},
		},
	} {
		got, err := c.options.Memory(c.work)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestMemoryOfReference has more for a reference whose length is not known from its file.
func TestMemoryOfReference(t *testing.T) {
	memory := func(reference string) int64 {
		o := Options{Reference: reference}
		m, err := o.Memory(Work{Bases: 1 << 30, Length: 100})
		if err != nil {
			t.Fatal(err)
		}
		return m.Reference
	}
	plain := memory("ref.fa")
	for _, name := range []string{"-", "ref.fa.gz", "ref.fa.bgz", "ref.fa.bz2", "ref.fa.zst"} {
		if n := memory(name); n <= plain {
			t.Errorf("%s: %d bytes, and plain text takes %d", name, n, plain)
		}
	}
	if n := memory("ref.gz.fa"); n != plain {
		t.Errorf("ref.gz.fa: %d bytes, want %d", n, plain)
	}
}

// TestHeapGrowth bounds the garbage over what stays in use.
func TestHeapGrowth(t *testing.T) {
	for _, c := range []struct {
		staying int64
		want    int
	}{{0, 200}, {128 << 20, 200}, {256 << 20, 100}, {1 << 30, 25}, {1 << 40, 15}} {
		if got := HeapGrowth(c.staying); got != c.want {
			t.Errorf("%d%% over %d bytes, expected %d%%", got, c.staying, c.want)
		}
	}
}
