package find_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// TestBatchesOfAllSizes has one GPU find batches of very different sizes one after the other, large
// ones first, with room that runs out in some of their rounds: of each batch it finds what the
// exhaustive engine does, whatever its tables held before.
func TestBatchesOfAllSizes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	unit := truth.Random(r, 60, "ACGT")
	var text strings.Builder
	for i := range 300 {
		text.WriteString(truth.Strand(truth.Edited(r, unit, i%5), i%2) + truth.Random(r, 30, "ACGT"))
	}
	whole := text.String()
	contigs := []string{whole[:len(whole)/3], whole[len(whole)/3:]}
	ref := truth.Reference(t, contigs...)
	cut := func(n, length int) (reads []string) {
		for range n {
			at := r.IntN(len(whole) - length)
			reads = append(reads, truth.Strand(truth.Edited(r, whole[at:at+length], r.IntN(3)), r.IntN(2)))
		}
		return reads
	}
	batches := []struct {
		reads []string
		k     int
	}{
		{slices.Concat(cut(60, 60), cut(20, 90), []string{unit}), 3}, {cut(2, 40), 1}, {[]string{unit}, 4}, {cut(1, 33), 0},
		{slices.Concat([]string{unit[:45]}, cut(30, 50)), 2}, {[]string{truth.Random(r, 50, "ACGT")}, 2}, {cut(5, 60), 3},
	}
	numbers := func(f find.Finder, reads []string, k int) (all [][]uint32) {
		b, found := foundBy(t, f, k, reads...)
		reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
		locationsOf(b, found, &reader, func(read int, locations []locate.Location, _ []uint32) {
			of := make([]uint32, k+1)
			copy(of, found.Counted(read, k))
			for i := range locations {
				of[locations[i].Distance]++
			}
			all = append(all, of)
		})
		return all
	}
	cpu := find.OnCPU(ref, find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}})
	var want [][][]uint32
	for _, b := range batches {
		want = append(want, numbers(cpu, b.reads, b.k))
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, wanted := range []find.Want{{}, {Best: true}, {Best: true, Strata: 1}, {Numbers: true}} {
		for _, limits := range []find.Limits{{}, {GPUQueue: 2000}, {GPUChunk: 7000}, {GPUQueue: 6000, GPUChunk: 20_000}} {
			t.Run(fmt.Sprintf("%+v %+v", wanted, limits), func(t *testing.T) {
				gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Limits: limits, Want: wanted})
				if err != nil {
					t.Fatal(err)
				}
				f := gpus.Finders()[0]
				for i, b := range batches {
					if diff := cmp.Diff(want[i], numbers(f, b.reads, b.k)); diff != "" {
						t.Errorf("batch %d (-CPU +GPU):\n%s", i, diff)
					}
				}
				if err := gpus.Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
