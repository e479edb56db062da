package find_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

func bySite(a, b locate.Location) int {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.End, b.End))
}

// TestWantedOnGPU has a GPU hand on no more than is wanted where all is found at once, and not much
// more where it is not. The limit of locations held at a time counts wanted ones alone.
func TestWantedOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	unit := truth.Random(r, 80, "ACGT")
	var text strings.Builder
	for i := range 2500 {
		text.WriteString(truth.Strand(truth.Edited(r, unit, 3+i%5), i%2) + truth.Random(r, 20, "ACGT"))
	}
	whole := unit + text.String() // the best ones come first
	contigs := []string{whole[:len(whole)/2], whole[len(whole)/2:]}
	reads := []string{unit, truth.Edited(r, unit, 1), unit[:60], whole[500:580]}
	const k = 6
	ref := truth.Reference(t, contigs...)
	near := [3]int{} // locations with at most 0, 1 and 2 edits more than the best
	all := 0
	for _, read := range reads {
		locations := truth.Find(contigs, read, k)
		best := k
		for _, l := range locations {
			best = min(best, l.Distance)
		}
		for _, l := range locations {
			for strata := range near {
				if l.Distance <= best+strata {
					near[strata]++
				}
			}
		}
		all += len(locations)
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for strata, want := range near {
		for _, c := range []struct {
			queue, limit int // as in find.Limits
			least, most  int // that may be handed on
			together     int
			tooMuch      bool
		}{
			{0, 0, want, want, 1, false},
			{0, want, want, want, 1, false},
			{0, want - 1, 0, 0, 1, true},
			{6000, 0, want, want + 30, 1, false}, // some candidates are left to the host
			{0, 0, all, all, 2, false},
		} {
			o := find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Want: find.Want{Best: true, Strata: strata}}
			o.Limits = find.Limits{GPUQueue: c.queue, GPUFound: c.limit}
			gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
			if err != nil {
				t.Fatal(err)
			}
			f := gpus.Finders()[0]
			b, err := f.Pack(truth.Reads(reads...), c.together, func(int) int { return k })
			if err != nil {
				t.Fatal(err)
			}
			var result find.Found
			_, err = f.Find(b, &result)
			if errors.Is(err, find.ErrTooMuch) != c.tooMuch || err != nil && !c.tooMuch {
				t.Fatalf("strata %d, %+v: %v", strata, c, err)
			}
			n, counted := result.Count(0, len(reads)), 0
			for i := range reads {
				for _, more := range result.Counted(i, k) {
					counted += int(more)
				}
			}
			if !c.tooMuch && (n < c.least || n > c.most || n+counted < all) {
				t.Errorf("strata %d, %+v: %d of %d are handed on, %d counted", strata, c, n, all, counted)
			}
			if !c.tooMuch && c.queue == 0 { // in one round of all the text
				reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
				locationsOf(b, &result, &reader, func(read int, all []locate.Location, _ []uint32) {
					if len(all) == 0 || !slices.IsSortedFunc(all, bySite) {
						t.Errorf("strata %d, %+v: the %d locations of read %d are not in order", strata, c, len(all), read)
					}
				})
			}
			if err := gpus.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestNumbersOnGPU has a GPU count locations by distance, with no more handed on than the host has
// to decide itself, and compares the numbers with the exhaustive engine's.
func TestNumbersOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	unit := truth.Random(r, 60, "ACGT")
	var text strings.Builder
	for i := range 600 {
		text.WriteString(truth.Strand(truth.Edited(r, unit, i%6), i%2) + truth.Random(r, 20, "ACGT"))
	}
	whole := text.String()
	contigs := []string{whole[:len(whole)/3], unit, whole[len(whole)/3:] + unit[:57]}
	reads := []string{unit, truth.Edited(r, unit, 1), truth.ReverseComplement(unit[:50]), truth.Random(r, 40, "ACGT"), whole[500:560]}
	const k = 4
	ref := truth.Reference(t, contigs...)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, metric := range []locate.Metric{locate.Edits, locate.Substitutions} {
		numbers := func(f find.Finder) (all [][]uint32, handed int) {
			b, found := foundBy(t, f, k, reads...)
			reader := find.NewReader(ref, metric, math.MaxInt, 1, find.Limits{})
			locationsOf(b, found, &reader, func(read int, locations []locate.Location, _ []uint32) {
				of := make([]uint32, k+1)
				copy(of, found.Counted(read, k))
				for i := range locations {
					of[locations[i].Distance]++
				}
				all = append(all, of)
			})
			return all, found.Count(0, len(reads))
		}
		want, _ := numbers(find.OnCPU(ref, find.Options{Engine: find.EngineScan, Metric: metric, Threads: 2, Times: &find.Times{}}))
		for _, c := range []struct {
			limits find.Limits
			handed bool // some are
		}{
			{find.Limits{}, false},
			{find.Limits{GPUFound: 1}, false},
			{find.Limits{GPUChunk: 10_000}, true},
			{find.Limits{GPUQueue: 3000}, true},
		} {
			gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{
				Engine: find.EngineSkim, Metric: metric, Threads: 2, Times: &find.Times{}, Limits: c.limits, Want: find.Want{Numbers: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			got, handed := numbers(gpus.Finders()[0])
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("%v, %+v (-CPU +GPU):\n%s", metric, c.limits, d)
			}
			if handed > 0 && !c.handed || handed > 40 {
				t.Errorf("%v, %+v: %d are handed on", metric, c.limits, handed)
			}
			if err := gpus.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
