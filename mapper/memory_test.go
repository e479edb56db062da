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
