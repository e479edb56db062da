package find_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/finders"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// TestLocalCPU compares local locations with the exhaustive judge: SCANMAP_LOCAL_CASES cases, or
// some.
func TestLocalCPU(t *testing.T) {
	t.Parallel()
	cases, first := effort.Pick(250, 105), 0 // the rare case of a mutant is 100
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_CASES")); err == nil {
		cases = n
	}
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_FIRST")); err == nil {
		first = n
	}
	finders.TestLocal(t, onCPU, first, cases)
}

// sharing returns two Readers, and what is found for a read. With share as the Share of the first,
// each does every second task, the last one first, side by side; it counts the tasks.
func sharing(t *testing.T, ref *dna.Reference, read string, local *find.Local) (
	batch *find.Batch, found *find.Found, readers []find.Reader, share func(tasks *int) func(int, func(*find.Reader, int)),
) {
	t.Helper()
	f := find.OnCPU(ref, find.Options{Engine: find.EngineAuto, Metric: locate.Edits, Threads: 2, Local: local, Times: &find.Times{}})
	batch, err := f.Pack(truth.Reads(read), 1, func(int) int { return 20 })
	if err != nil {
		t.Fatal(err)
	}
	found = &find.Found{}
	if _, err := f.Find(batch, found); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		readers = append(readers, find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{}))
		readers[i].SeekLocal(local)
	}
	return batch, found, readers, func(tasks *int) func(int, func(*find.Reader, int)) {
		return func(n int, do func(by *find.Reader, task int)) {
			*tasks = n
			var wg sync.WaitGroup
			for k := range readers {
				wg.Go(func() {
					for i := n - 1 - k; i >= 0; i -= len(readers) {
						do(&readers[k], i)
					}
				})
			}
			wg.Wait()
		}
	}
}

// TestLocalShared has two Readers share a read with 1,500 copies on two contigs and strands:
// the locations are the same as with one, in the same order, also of near ones alone. Then
// candidates tell some locations without a gap, as from a GPU.
func TestLocalShared(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(30, 1))
	read := truth.Random(r, 100, "ACGT")
	var contigs [2]strings.Builder
	for i := range 1500 {
		contigs[i%2].WriteString(truth.Random(r, 20+r.IntN(300), "ACGT"))
		contigs[i%2].WriteString(truth.Strand(truth.Edited(r, read, r.IntN(4)), r.IntN(2)))
	}
	ref := truth.Reference(t, contigs[0].String(), contigs[1].String())
	batch, result, readers, share := sharing(t, ref, read, &find.Local{Cap: locate.DefaultCap})
	view := batch.Read(0)
	written := func(most int) (all []string) { // without where the operations are
		locations, _ := readers[0].Append(t.Context(), nil, batch, result, 0, &view)
		for _, l := range locations {
			if int(l.Loss) <= most {
				all = append(all, inAligner.ReplaceAllString(fmt.Sprintf("%+v %v", l, readers[0].Aligner.Operations(&l)), ""))
			}
		}
		return all
	}
	tasks := 0
	for _, near := range []int{-1, 0, 5, 10} { // the best location loses nothing
		most := near
		if near < 0 {
			most = math.MaxInt
		}
		readers[0].Near, readers[0].Share = -1, nil
		want := written(most)
		for _, by := range []func(int, func(*find.Reader, int)){nil, share(&tasks)} {
			readers[0].Near, readers[0].Share = near, by
			if got := written(most); !slices.Equal(got, want) || len(want) < 300 || near < 0 && len(want) < 900 {
				t.Errorf("near %d: %d locations of two Readers or of one, want %d", near, len(got), len(want))
			}
		}
		if all := written(math.MaxInt); near == 0 && len(all) > len(want) {
			t.Errorf("%d locations are found that are not near", len(all)-len(want))
		}
	}
	if tasks < 10 {
		t.Errorf("%d tasks were shared", tasks)
	}

	readers[0].Near, readers[0].Share = -1, nil
	want := written(math.MaxInt)
	locations, _ := readers[0].Append(t.Context(), nil, batch, result, 0, &view)
	told := 0
	for i, c := range result.Candidates.Of(0) {
		for _, l := range locations {
			whole := len(readers[0].Aligner.Operations(&l)) == 1
			if whole && l.Place == c.Place && l.Start == c.Diagonal && r.IntN(2) == 0 {
				result.Candidates.Of(0)[i].Differences = locate.GaplessWhole(int(l.Loss) / locate.LossMismatch)
				told++
			}
		}
	}
	for _, by := range []func(int, func(*find.Reader, int)){nil, share(&tasks)} {
		readers[0].Share = by
		if got := written(math.MaxInt); !slices.Equal(got, want) || told < 100 {
			t.Errorf("%d locations where candidates tell %d, want %d", len(got), told, len(want))
		}
	}
}

// TestPartsShared has two Readers share the candidates of a read. The first bases of one read have
// hundreds of copies. Another read has one base alone, and parts on several diagonals tie. These
// parts are the same as with one Reader, in the same order, for any order of the candidates.
func TestPartsShared(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 1))
	read := truth.Random(r, 100, "ACGT")
	for _, c := range []struct {
		read, copied string
		least        int // parts
	}{{read, read[:60], 400}, {strings.Repeat("G", 150), strings.Repeat("G", 60), 400}} {
		var text strings.Builder
		for range 500 {
			text.WriteString(truth.Random(r, 620+r.IntN(100), "ACT"))
			text.WriteString(truth.Strand(truth.Edited(r, c.copied, r.IntN(3)), r.IntN(2)))
		}
		batch, result, readers, share := sharing(t, truth.Reference(t, text.String()), c.read, &find.Local{Cap: locate.DefaultCap, Parts: true})
		view := batch.Read(0)
		written := func() (all []string) {
			candidates := slices.Clone(result.Candidates.Of(0))
			r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
			for _, l := range readers[0].Parts(nil, &view, candidates) {
				all = append(all, inAligner.ReplaceAllString(fmt.Sprintf("%+v %v", l, readers[0].Aligner.Operations(&l)), ""))
			}
			return all
		}
		want, tasks := written(), 0
		readers[0].Share = share(&tasks)
		for range effort.Pick(3, 1) {
			if got := written(); !slices.Equal(got, want) || len(want) < c.least || tasks < 4 {
				t.Errorf("%s: %d parts of two Readers by %d tasks, %d of one", c.read, len(got), tasks, len(want))
			}
		}
	}
}

// inAligner is where an Aligner has the operations of a location.
var inAligner = regexp.MustCompile(` from:\d+ to:\d+`)
