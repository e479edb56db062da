package mapper

import (
	"context"
	"math"
	"testing"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/mapper/find"
)

// chosen returns a worker that has found reads of a library on the CPU, made its choices and
// counted them.
func chosen(t testing.TB, ref *dna.Reference, l *library, reads []string, o *Options) *worker {
	t.Helper()
	o.setDefaults()
	o.Libraries = []Library{l.Library}
	o.limits.held = MostLocations
	o.limits.find = find.Limits{Found: math.MaxInt, Handed: math.MaxInt, CountedBases: 1}
	w := newWorker(ref, o, newContigCounts(ref, 1)[0])
	finder := find.OnCPU(ref, o.finding(&find.Times{}))
	b, err := finder.Pack(truth.Reads(reads...), l.together(), o.largest)
	if err != nil {
		t.Fatal(err)
	}
	var f find.Found
	if n, err := finder.Find(b, &f); err != nil || n != len(reads) {
		t.Fatal(n, err)
	}
	w.group.locate(context.Background(), &part{batch: b, found: &f}, 0, len(reads), true)
	w.choose(l, 0, len(reads))
	w.count(l, 0)
	return w
}

// testDriver is emulator.Driver without a sanitizer.
func testDriver(t testing.TB) *gpu.Driver {
	t.Helper()
	return emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
}
