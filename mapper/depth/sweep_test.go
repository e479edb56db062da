package depth

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
)

// plainUnits adds up the cells of a contig as the package says that they are.
func plainUnits(c *Counts, contig int) []int64 {
	depths, sum := make([]int64, c.ref.Contigs[contig].Length), int64(0)
	for i := range depths {
		cell := c.first[contig] + i
		n := int64(c.cells[cell]) + c.carried[cell]<<32
		if sum += n; c.options.Of == Starts {
			sum = n
		}
		depths[i] = sum
	}
	return depths
}

// longCounts has reads about marks and about the ends of pieces and contigs, and cells that carry.
func longCounts(of Of, threads int, lengths []int) *Counts {
	random := rand.New(rand.NewPCG(1, 2))
	c := New(Options{Of: of, Weights: WeighEqual, Threads: threads})
	ref := reference(lengths...)
	bases := 0
	for i := range ref.Contigs {
		ref.Contigs[i].Start = bases
		bases += lengths[i]
	}
	words := bases/dna.WordBases + 4
	s := dna.Sequence{Low: make([]uint64, words), High: make([]uint64, words), Ambiguous: make([]uint64, words)}
	for i := range words {
		s.Low[i], s.High[i] = random.Uint64(), random.Uint64()
		if i%5 == 0 {
			s.Ambiguous[i] = 1 << (i % dna.WordBases)
		}
	}
	ref.Bases = s
	_ = c.Begin(ref)
	counter := c.Counter()
	for contig, length := range lengths {
		add := func(start, n int) {
			if start = max(0, start); start < length {
				counter.Count(read{{Contig: contig, Start: start, End: min(start+n, length)}})
			}
		}
		for _, border := range []int{0, markBases, 2 * markBases, pieceBases, 2 * pieceBases, length} {
			for i := range 9 {
				add(border-4+i, 1+random.IntN(3*markBases))
				add(border-i-1, i+1)
			}
		}
		for range min(length, 3000) {
			add(random.IntN(length), 1+random.IntN(300))
		}
	}
	// Cells that carry: one at a mark, and in a piece one upwards and one downwards.
	for range 40_000 {
		counter.Count(read{{Start: markBases, End: 2*markBases + 7}})
	}
	return c
}

// TestSweeps compares sweeps from and to anywhere with a sum over all cells, for contigs about the
// lengths of marks and pieces.
func TestSweeps(t *testing.T) {
	lengths := []int{2*pieceBases + 3, 0, 1, markBases - 1, markBases, markBases + 1, 2 * markBases, pieceBases, 77}
	for _, of := range []Of{Covered, Starts} {
		c := longCounts(of, 2, lengths)
		if len(c.carried) == 0 {
			t.Fatal("no cell has carried")
		}
		for contig, length := range lengths {
			want := plainUnits(c, contig)
			borders := []int{}
			for _, b := range []int{0, 1, markBases - 1, markBases, markBases + 1, 2 * markBases, 2*markBases + 8, pieceBases + 5, length - 1, length} {
				if b >= 0 && b <= length {
					borders = append(borders, b)
				}
			}
			for _, from := range borders {
				for _, to := range borders {
					if from > to {
						continue
					}
					at := from
					err := c.Depths(contig, from, to, func(start, end int, depth float32) error {
						if start != at || end <= start || end > to {
							return fmt.Errorf("run [%d, %d) after %d", start, end, at)
						}
						for ; at < end; at++ {
							if depth != float32(float64(want[at])/65536) {
								return fmt.Errorf("base %d has %v, want %d units", at, depth, want[at])
							}
						}
						return nil
					})
					if err != nil || at != to {
						t.Fatalf("%s, contig %d, bases [%d, %d): %v, up to %d", of, contig, from, to, err, at)
					}
				}
			}
		}
	}
}

// TestThreads compares depths read by one goroutine and by several, exactly, and with plain sums.
func TestThreads(t *testing.T) {
	lengths := []int{2*pieceBases + 3, 0, 1, 250, markBases + 1, pieceBases, 99, 100, 101}
	regions := []Region{{Contig: 1}, {Contig: 0, Start: 5, End: lengths[0]}, {Contig: 0, Start: pieceBases, End: pieceBases}}
	for contig, length := range lengths {
		for _, at := range []int{0, markBases, pieceBases - 1, pieceBases} {
			for _, n := range []int{1, 100, pieceBases, pieceBases + 1} {
				if at <= length {
					regions = append(regions, Region{Contig: contig, Start: at, End: min(at+n, length)})
				}
			}
		}
	}
	for _, of := range []Of{Covered, Starts} {
		var want []any
		for _, threads := range []int{0, 1, 3, 16} {
			c := longCounts(of, threads, lengths)
			got := []any{c.Summary(), c.Abundances(2000, 1000), c.Regions(regions)}
			for contig := range lengths {
				for _, n := range []int{1, 100, 1000, pieceBases, pieceBases + 1, 2*pieceBases + 3, 1 << 40} {
					var windows []RegionDepth
					if n == 1 && lengths[contig] > markBases {
						continue
					}
					_ = c.Windows(contig, n, func(w RegionDepth) error {
						windows = append(windows, w)
						return nil
					})
					got = append(got, windows)
				}
			}
			if want == nil {
				want = got
				comparePlain(t, c, regions)
			} else if !reflect.DeepEqual(want, got) {
				t.Fatalf("%s, %d threads (-want +got):\n%s", of, threads, cmp.Diff(want, got))
			}
		}
	}
}

// comparePlain compares with sums over all bases.
func comparePlain(t *testing.T, c *Counts, regions []Region) {
	t.Helper()
	depths := make([][]int64, len(c.first))
	plain := func(r Region) RegionDepth {
		d, sum := RegionDepth{Region: r}, int64(0)
		for _, x := range depths[r.Contig][r.Start:r.End] {
			if sum += x; x > 0 {
				d.Covered++
			}
		}
		d.Mean = c.mean(sum, r.End-r.Start)
		return d
	}
	abundances := c.Abundances(2000, 1000)
	whole := RegionDepth{}
	total := &Summary{Options: Options{Of: c.options.Of, Weights: c.options.Weights}, GC: make([]GCDepth, 101)}
	for contig := range c.first {
		depths[contig] = plainUnits(c, contig)
		length := len(depths[contig])
		d := plain(Region{Contig: contig, End: length})
		if a := abundances[contig]; a.Covered != d.Covered || a.Mean != d.Mean || a.Length != length {
			t.Errorf("contig %d has %+v, want %+v", contig, a, d)
		}
		whole.Covered += d.Covered
		whole.Mean += d.Mean * float64(length)
		total.Bases += int64(length)
		for _, n := range []int{100, 1000, pieceBases + 1} {
			at := 0
			_ = c.Windows(contig, n, func(w RegionDepth) error {
				if want := plain(Region{Contig: contig, Start: at, End: min(at+n, length)}); w != want {
					t.Fatalf("contig %d, windows of %d: %+v, want %+v", contig, n, w, want)
				}
				at = w.End
				return nil
			})
			if at != length {
				t.Errorf("contig %d of %d bases: windows of %d end at %d", contig, length, n, at)
			}
		}
		for start := 0; start+GCWindow <= length; start += GCWindow {
			if percent, ok := gcPercent(&c.ref.Bases, c.ref.Contigs[contig].Start+start); ok {
				total.GC[percent].Windows++
			}
		}
	}
	for i, got := range c.Regions(regions) {
		if want := plain(regions[i]); got != want {
			t.Errorf("region %+v, want %+v", got, want)
		}
	}
	got := c.Summary()
	if mean := whole.Mean / float64(total.Bases); got.Covered != whole.Covered || got.Mean < mean*0.999999 || got.Mean > mean*1.000001 {
		t.Errorf("summary of %d bases with depth and a mean of %v, want %d and %v", got.Covered, got.Mean, whole.Covered, mean)
	}
	gc, n := 0.0, int64(0)
	for p := range got.GC {
		if n += got.GC[p].Windows; got.GC[p].Windows != total.GC[p].Windows {
			t.Errorf("%d%% of GC: %d windows, want %d", p, got.GC[p].Windows, total.GC[p].Windows)
		}
		gc += got.GC[p].Mean * float64(got.GC[p].Windows)
	}
	if n == 0 || gc == 0 {
		t.Error("no window has GC and depth")
	}
}
