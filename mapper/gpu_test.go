package mapper

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/fasta"
	"scanmap/gpu"
)

// testDriver returns the machine's driver where SCANMAP_TEST_GPU=require asks for it, and the emulator elsewhere.
func testDriver(t testing.TB) *gpu.Driver {
	t.Helper()
	if os.Getenv("SCANMAP_TEST_GPU") == "require" {
		driver, err := gpu.LoadDriver()
		if err != nil {
			t.Fatalf("SCANMAP_TEST_GPU=require: %v", err)
		}
		return driver
	}
	return testEmulator(t)
}

// findAll is find on the device that the options of m ask for.
func findAll(t testing.TB, m *mapper, b *batch) *found {
	t.Helper()
	if m.options.Device.Kind != DeviceCUDA {
		f, ok := m.find(b, math.MaxInt64)
		if !ok {
			t.Fatal("no limit was set, and it was exceeded")
		}
		return f
	}
	set, err := m.openSet()
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	w := set.workers[0]
	b.packed = w.packed.resize(&w.queue, b.layOut(b.reads, m.options.Distance))
	b.fill(1)
	f, ok := w.find(b, math.MaxInt64)
	if w.queue.err != nil {
		t.Fatal(w.queue.err)
	}
	if !ok {
		t.Fatal("no limit was set, and it was exceeded")
	}
	return f
}

// compareOnGPU is compareWithTruth on a GPU.
func compareOnGPU(t testing.TB, driver *gpu.Driver, contigs []string, reads []fasta.Read, d Distance) {
	t.Helper()
	want := make([][]truth, len(reads))
	for i := range reads {
		s := string(reads[i].Bases)
		if k := d.For(len(s)); ambiguous(s) <= k {
			want[i] = bruteForce(contigs, s, k)
		}
	}
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		o := Options{Distance: d, Engine: engine, Threads: 2, Device: Device{Kind: DeviceCUDA, Indices: []int{0}, Driver: driver}}
		got := locate(t, contigs, reads, o)
		for i := range reads {
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Fatalf("%s, %v edits, read %s, contigs %q: locations (-truth +got)\n%s", engine, d, reads[i].Bases, contigs, diff)
			}
		}
	}
}

// TestSameBytesOnGPU maps on a GPU with all that may vary, and compares with the CPU.
func TestSameBytesOnGPU(t *testing.T) {
	driver := testDriver(t)
	reference, reads := writeInput(t, 300)
	for _, o := range []Options{
		{Distance: DefaultDistance},
		{Distance: Distance{Edits: 0}},
		{Distance: Distance{Edits: 2}, Report: Report{Mode: ReportStrata, Strata: 1}, MaxLocations: 3, SequenceMatch: true, FullSecondary: true},
		{Distance: Distance{Edits: 7}},
	} {
		o.Reference, o.Reads, o.Threads = reference, reads, 2
		want, _ := runText(t, o)
		o.Device = Device{Kind: DeviceCUDA, Driver: driver}
		for _, engine := range []Engine{EngineSkim, EngineScan, EngineAuto} {
			for _, batch := range []int{0, 7} {
				o.Engine, o.BatchReads = engine, batch
				got, _ := runText(t, o)
				if got != want {
					t.Fatalf("engine %s, -e %v, batches of %d: other bytes (-CPU +GPU)\n%s", engine, o.Distance, batch, firstDifference(want, got))
				}
			}
		}
	}
}

// TestSmallQueues has queues overflow until single reads and single stretches do, and cuts the reference.
func TestSmallQueues(t *testing.T) {
	driver := testDriver(t)
	reference, reads := writeInput(t, 60)
	before, beforeFound := gpuCandidates, gpuFoundLimit
	defer func() { gpuCandidates, gpuFoundLimit = before, beforeFound }()
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		o := Options{Reference: reference, Reads: reads, Distance: Distance{Edits: 3}, Threads: 2, Engine: engine}
		want, _ := runText(t, o)
		o.Device = Device{Kind: DeviceCUDA, Driver: driver}
		for _, c := range []struct{ candidates, found int }{{2, 1 << 20}, {50, 1 << 20}, {1 << 16, 3}, {1, 1}} {
			gpuCandidates, gpuFoundLimit = c.candidates, c.found
			if got, _ := runText(t, o); got != want {
				t.Fatalf("%s, room for %+v: other bytes\n%s", engine, c, firstDifference(want, got))
			}
		}
	}
}

// firstDifference shows the first line that differs.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\n-%s\n+%s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(a), len(b))
}
