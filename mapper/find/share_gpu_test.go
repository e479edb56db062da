package find_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/fasta"
	"scanmap/gpu"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// A sharedCase is what may vary in how reads are shared out.
type sharedCase struct {
	name   string
	want   find.Want
	cover  find.Cover
	limits find.Limits
}

// shared has the counts of reads.
type shared struct {
	Depth             [][]int64 // differences
	Locations, Weight []int64
	Bins              [][]int64
	Primary           [][5]int         // contig, strand, start, end and distance
	Left              map[int][]uint32 // of each read that has more than are held, by distance
}

func newShared(contigs []string, binLength int) *shared {
	s := &shared{Locations: make([]int64, len(contigs)), Weight: make([]int64, len(contigs)), Left: map[int][]uint32{}}
	for _, text := range contigs {
		s.Depth = append(s.Depth, make([]int64, len(text)+1))
		s.Bins = append(s.Bins, make([]int64, (len(text)+binLength-1)/binLength))
	}
	return s
}

// A depthAdder adds the cells of a GPU to the depth.
type depthAdder struct {
	sync.Mutex
	to *shared
}

func (a *depthAdder) AddCells(contig, base int, numbers []int32) {
	a.Lock()
	defer a.Unlock()
	for i, n := range numbers {
		a.to.Depth[contig][base+i] += int64(n)
	}
}

func (a *depthAdder) CarryCell(contig, base, times int) {
	a.to.Depth[contig][base] += int64(times) << 32
}

// add shares a read out among its locations, by the definition.
func (s *shared) add(o *sharedCase, read, k int, all []locate.Location, operations func(*locate.Location) []locate.Operation, tie uint64) {
	if len(all) == 0 {
		return
	}
	if most := o.cover.Most; most > 0 && len(all) > most {
		slices.SortFunc(all, func(a, b locate.Location) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Place, b.Place), cmp.Compare(a.End, b.End))
		})
		s.Left[read] = make([]uint32, k+1)
		for i := range all[most:] {
			s.Left[read][all[most+i].Distance]++
		}
		all = all[:most]
	}
	slices.SortFunc(all, func(a, b locate.Location) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Place.Contig(), b.Place.Contig()), cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Place.Strand(), b.Place.Strand()), cmp.Compare(a.End, b.End))
	})
	within := func(edits int32) int {
		n := 0
		for n < len(all) && all[n].Distance <= all[0].Distance+edits {
			n++
		}
		return n
	}
	best, reported := within(0), len(all)
	if o.want.Best {
		reported = within(int32(o.want.Strata))
	}
	primary := int(tie % uint64(best))
	all = slices.Concat(all[primary:primary+1], all[:primary], all[primary+1:])
	s.Primary = append(s.Primary, placeOf(&all[0]))
	if o.want.One {
		reported = 1
	}
	weighed := map[find.Weights]int{
		find.WeighEach: reported, find.WeighEqual: reported, find.WeighBest: min(best, reported), find.WeighPrimary: 1,
	}[o.cover.Weights]
	for i := range all[:reported] {
		weight := int64(0)
		switch {
		case i >= weighed:
		case o.cover.Weights == find.WeighEach || o.cover.Weights == find.WeighPrimary:
			weight = o.cover.Unit
		default:
			weight = o.cover.Unit*int64(i+1)/int64(weighed) - o.cover.Unit*int64(i)/int64(weighed)
		}
		l := &all[i]
		contig, at := l.Place.Contig(), int(l.Start)
		s.Locations[contig]++
		s.Weight[contig] += weight
		for at := at; at < int(l.End); at++ {
			s.Bins[contig][at/o.cover.BinLength]++
		}
		s.Depth[contig][at] += weight
		if o.cover.Starts {
			continue
		}
		s.Depth[contig][l.End] -= weight
		for _, op := range operations(l) {
			if op.Kind == locate.Deletion {
				s.Depth[contig][at] -= weight
				s.Depth[contig][at+int(op.Length)] += weight
			}
			if op.Kind != locate.Insertion {
				at += int(op.Length)
			}
		}
	}
}

// placeOf is a location as shared has it.
func placeOf(l *locate.Location) [5]int {
	return [5]int{l.Place.Contig(), l.Place.Strand(), int(l.Start), int(l.End), int(l.Distance)}
}

// tieOf is a number for a read.
func tieOf(read *fasta.Read) uint64 {
	return 0x9E3779B97F4A7C15 * uint64(len(read.Name)+len(read.Bases)) >> 7
}

// locationsOf calls do with the locations of each read, aligned unless a GPU counted them.
func locationsOf(b *find.Batch, found *find.Found, reader *find.Reader, do func(read int, all []locate.Location, left []uint32)) {
	for i := range b.Reads {
		view := b.Read(i)
		locations, left := reader.Append(context.Background(), nil, b, found, i, &view)
		for j := range locations {
			if !locations[j].Aligned && !locations[j].Covered {
				reader.Aligner.Align(view.Strand(locations[j].Place), &locations[j])
			}
		}
		do(i, locations, left)
	}
}

// TestSharesOnGPU compares the GPU's counts of reads that are shared out with the locations of the
// exhaustive engine on the CPU. Reads have thousands of locations on both strands, which are sorted
// in several steps, with gaps, N, and at the ends of contigs. Some have too many for the GPU, and
// some too few units for a share of each location.
func TestSharesOnGPU(t *testing.T) {
	t.Parallel()
	const k = 3
	r := rand.New(rand.NewPCG(23, 24))
	unit := truth.Random(r, 40, "ACGT")
	n := []byte(unit)
	n[20] = 'N'
	lonely := truth.Random(r, 60, "ACGT")
	copies := func(n int) []string {
		var text strings.Builder
		for i := range n {
			text.WriteString(truth.Strand(truth.Edited(r, unit, i%4), i%2) + truth.Random(r, 6, "ACGT"))
		}
		whole := unit + text.String() + unit
		third := len(whole) / 3
		return []string{whole[:third], unit, whole[third:][:5000] + lonely + whole[third+5000:], "ACGT", unit[1:]}
	}
	reads := []string{
		unit, truth.ReverseComplement(unit), lonely, unit[:18] + unit[19:], string(n), truth.Random(r, 50, "ACGT"),
		unit[:30] + "A" + unit[30:], lonely[1:], "NNNN", lonely[:30] + lonely[32:],
	}
	best, strata := find.Want{Best: true}, find.Want{Best: true, Strata: 1}
	many, few := effort.Pick(5000, 2400), effort.Pick(2000, 600)
	testShares(t, copies(many), reads, k, []sharedCase{
		{name: "equal, more locations than units", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1000, Starts: true}}},
		{name: "equal, too many, in chunks", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1<<31 - 1}, Most: 70}, want: strata, limits: find.Limits{GPUChunk: 20_000}},
		{name: "equal, handed over", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1<<31 - 1}, AtMost: 1 << 38}},
		{name: "best, in chunks", cover: find.Cover{Cells: find.Cells{Weights: find.WeighBest, Unit: 1 << 16}}, limits: find.Limits{GPUChunk: 20_000}},
		{name: "primary, in steps", cover: find.Cover{Cells: find.Cells{Weights: find.WeighPrimary, Unit: 1<<31 - 1}}, limits: find.Limits{GPUQueue: effort.Pick(16_000, 8000)}},
		{name: "each of those reported", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEach, Unit: 1}}, want: strata},
		{name: "each, starts, in chunks", cover: find.Cover{Cells: find.Cells{Unit: 1, Starts: true}}, limits: find.Limits{GPUChunk: 20_000}},
		{name: "equal, just one too many", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1 << 16}, Most: many - 1}},
	})
	testShares(t, copies(few), reads, k, []sharedCase{
		{name: "equal", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1 << 16}}},
		{name: "equal, large unit", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1<<31 - 1}}},
		{name: "equal, best reported", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1 << 16}}, want: best},
		{name: "best", cover: find.Cover{Cells: find.Cells{Weights: find.WeighBest, Unit: 1 << 16}}},
		{name: "best, primary reported", cover: find.Cover{Cells: find.Cells{Weights: find.WeighBest, Unit: 1 << 16, Starts: true}}, want: find.Want{Best: true, One: true}},
		{name: "each", cover: find.Cover{Cells: find.Cells{Unit: 1}}},
		{name: "each, few held", cover: find.Cover{Cells: find.Cells{Unit: 1}, Most: 70}},
		{name: "best, fewer held than are best", cover: find.Cover{Cells: find.Cells{Weights: find.WeighBest, Unit: 1 << 16}, Most: 30}},
		{name: "one held", cover: find.Cover{Cells: find.Cells{Weights: find.WeighPrimary, Unit: 5}, Most: 1}},
	})
}

// ofManyGaps returns a text, and a read that has a gap in each of its pieces but one at most of its
// 401 locations. One is better, so that the others need not be handed on.
func ofManyGaps(r *rand.Rand) (text, read string) {
	unit := truth.Random(r, 90, "ACGT")
	var all, gapped strings.Builder
	for i := range 400 {
		all.WriteString(truth.Strand(unit, i%2) + truth.Random(r, 20, "ACGT"))
	}
	for i := range unit {
		if i%9 != 4 || i > 80 {
			gapped.WriteByte(unit[i])
		}
	}
	return all.String() + gapped.String(), gapped.String()
}

// TestSharesOfManyGaps has alignments of more operations than a GPU has room for, so that the host
// has to make some, and shares the read out.
func TestSharesOfManyGaps(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(25, 26))
	text, gapped := ofManyGaps(r)
	few := truth.Random(r, 80, "ACGT") // so that the GPU counts something
	testShares(t, []string{text, few}, []string{gapped, few}, 9, []sharedCase{
		{name: "equal", cover: find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 1 << 16}}},
		{name: "best", cover: find.Cover{Cells: find.Cells{Weights: find.WeighBest, Unit: 1 << 16}}},
		{name: "each", cover: find.Cover{Cells: find.Cells{Unit: 1}}},
		{name: "each, few held", cover: find.Cover{Cells: find.Cells{Unit: 1}, Most: 100}},
	})
}

// TestSharesRoom has just as much room as there are locations, and too little by one.
func TestSharesRoom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(27, 28))
	unit := truth.Random(r, 60, "ACGT")
	var text strings.Builder
	for range 5 {
		text.WriteString(unit + truth.Random(r, 30, "ACGT"))
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, room := range []int{10, 9} {
		gpus, err := find.OnGPUs(truth.Reference(t, text.String()), cuda(driver, 0), find.Options{
			Engine: find.EngineSkim, Threads: 1, Times: &find.Times{}, Limits: find.Limits{GPUCovered: room},
			Cover: &find.Cover{Cells: find.Cells{Weights: find.WeighEqual, Unit: 3}, BinLength: 10, Tie: tieOf, Most: math.MaxInt},
		})
		if err != nil {
			t.Fatal(err)
		}
		f := gpus.Finders()[0]
		b, err := f.Pack(truth.Reads(unit, unit), 1, func(int) int { return 2 })
		if err != nil {
			t.Fatal(err)
		}
		var found find.Found
		_, err = f.Find(b, &found)
		if tooMuch := errors.Is(err, find.ErrTooMuch); tooMuch != (room < 10) || err != nil && !tooMuch {
			t.Errorf("10 locations, room for %d: %v", room, err)
		}
		if err := gpus.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// testShares compares what a GPU counts of reads with what the CPU finds.
func testShares(t *testing.T, contigs, reads []string, k int, cases []sharedCase) {
	t.Helper()
	const binLength = 7
	ref := truth.Reference(t, contigs...)
	cpu := find.OnCPU(ref, find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}})
	batch, all := foundBy(t, cpu, k, reads...)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := newShared(contigs, binLength)
			c.cover.BinLength = binLength
			reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
			locationsOf(batch, all, &reader, func(read int, l []locate.Location, _ []uint32) {
				want.add(&c, read, k, l, reader.Aligner.Operations, tieOf(&batch.Reads[read]))
			})
			got := c.count(t, driver, contigs, reads, k)
			if !reflect.DeepEqual(want, got) { // go-cmp is slow with equal ones
				t.Errorf("-want +got:\n%s", gocmp.Diff(want, got))
			}
		})
	}
}

// count is what a GPU counts of reads, with what it leaves to the host. All reads are found for
// twice, which counts half.
func (o *sharedCase) count(t *testing.T, driver *gpu.Driver, contigs, reads []string, k int) *shared {
	t.Helper()
	got := newShared(contigs, o.cover.BinLength)
	cover := o.cover
	cover.Tie, cover.Most = tieOf, cmp.Or(cover.Most, math.MaxInt)
	cover.To = &depthAdder{to: got}
	ref := truth.Reference(t, contigs...)
	gpus, err := find.OnGPUs(ref, cuda(driver, 0), find.Options{
		Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Want: o.want, Cover: &cover, Limits: o.limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	byGPU := 0
	for range 2 {
		b, found := foundBy(t, gpus.Finders()[0], k, reads...)
		got.Primary = nil
		reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
		locationsOf(b, found, &reader, func(read int, all []locate.Location, left []uint32) {
			if len(all) > 0 && all[0].Covered {
				if left != nil {
					got.Left[read] = left
				}
				if len(all) > 1 {
					t.Errorf("read %d: %d locations are handed on", read, len(all))
				}
				got.Primary = append(got.Primary, placeOf(&all[0]))
				byGPU++
				return
			}
			got.add(o, read, k, all, reader.Aligner.Operations, tieOf(&b.Reads[read]))
		})
	}
	totals, err := gpus.Covered()
	if err != nil {
		t.Fatal(err)
	}
	if byGPU == 0 {
		t.Error("the GPU counted nothing")
	}
	for i := range totals {
		got.Locations[i] += totals[i].Locations
		got.Weight[i] += totals[i].Weight
		for bin, n := range totals[i].Bins {
			got.Bins[i][bin] += n
		}
	}
	for i := range contigs {
		for _, numbers := range [][]int64{got.Locations[i : i+1], got.Weight[i : i+1], got.Bins[i], got.Depth[i]} {
			for j := range numbers {
				if numbers[j]%2 != 0 {
					t.Fatalf("two times the same reads are %d", numbers[j])
				}
				numbers[j] /= 2
			}
		}
	}
	if err := gpus.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}
