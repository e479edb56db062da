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
// ones first, with room that runs out in some of their rounds. It finds the same for each batch as
// the exhaustive engine, whatever its tables held before.
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
		{slices.Concat(cut(60, 60), cut(20, 90), cut(20, 32), []string{unit}), 3}, {cut(2, 40), 1}, {[]string{unit}, 4}, {cut(1, 33), 0},
		{slices.Concat([]string{unit[:45]}, cut(30, 50), cut(9, 140), cut(5, 27)), 2}, {[]string{truth.Random(r, 50, "ACGT")}, 2},
		{slices.Concat(cut(3, 60), cut(2, 28), cut(1, 90)), 3},
	}
	// numbers returns the numbers of locations of each read by distance: of all, and of the ones
	// handed on.
	numbers := func(f find.Finder, reads []string, k int) (all, handed [][]uint32, counts find.Counts) {
		b, found := foundBy(t, f, k, reads...)
		reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
		locationsOf(b, found, &reader, func(read int, locations []locate.Location, _ []uint32) {
			of, more := make([]uint32, k+1), make([]uint32, k+1)
			copy(of, found.Counted(read, k))
			for i := range locations {
				of[locations[i].Distance]++
				more[locations[i].Distance]++
			}
			all, handed = append(all, of), append(handed, more)
		})
		return all, handed, found.Counts
	}
	cpu := find.OnCPU(ref, find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}})
	var want [][][]uint32
	for _, b := range batches {
		all, _, _ := numbers(cpu, b.reads, b.k)
		want = append(want, all)
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, wanted := range []find.Want{{}, {Best: true}, {Best: true, Strata: 1}, {Numbers: true}} {
		for _, limits := range []find.Limits{{}, {GPUQueue: 2000}, {GPUQueue: 6000, GPUChunk: 10_000}} {
			t.Run(fmt.Sprintf("%+v %+v", wanted, limits), func(t *testing.T) {
				open := func() *find.GPUs {
					o := find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Limits: limits, Want: wanted}
					gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
					if err != nil {
						t.Fatal(err)
					}
					return gpus
				}
				gpus := open()
				for i, b := range batches {
					all, handed, counts := numbers(gpus.Finders()[0], b.reads, b.k)
					if diff := cmp.Diff(want[i], all); diff != "" {
						t.Errorf("batch %d (-CPU +GPU):\n%s", i, diff)
					}
					for read, of := range want[i] {
						best := slices.IndexFunc(of, func(n uint32) bool { return n > 0 })
						for d := best; wanted.Best && best >= 0 && d <= min(best+wanted.Strata, b.k); d++ {
							if handed[read][d] != of[d] {
								t.Errorf("batch %d, read %d: %d of %d locations of %d edits are handed on", i, read, handed[read][d], of[d], d)
							}
						}
					}
					if limits != (find.Limits{}) {
						continue
					}
					// Counts of a GPU do not depend on its work before.
					fresh := open()
					if _, _, alone := numbers(fresh.Finders()[0], b.reads, b.k); alone != counts {
						t.Errorf("batch %d: %+v, and alone %+v", i, counts, alone)
					}
					if err := fresh.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if err := gpus.Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
