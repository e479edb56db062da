package depth

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/mapper"
)

// reference has contigs of these lengths.
func reference(lengths ...int) *dna.Reference {
	ref := &dna.Reference{}
	for i, n := range lengths {
		ref.Contigs = append(ref.Contigs, dna.Contig{Name: string(rune('a' + i)), Length: n})
	}
	return ref
}

// read is the argument of Counter.Count.
type read []mapper.Reported

// drawRead draws a read's locations in the order of records: the primary one, then by distance.
func drawRead(t *rapid.T, lengths []int) read {
	var r read
	for range rapid.IntRange(1, 12).Draw(t, "locations") {
		l := mapper.Reported{Contig: rapid.IntRange(0, len(lengths)-1).Draw(t, "contig"), Distance: rapid.IntRange(0, 3).Draw(t, "distance")}
		n := lengths[l.Contig]
		l.Start = rapid.IntRange(0, n-1).Draw(t, "start")
		l.End = rapid.IntRange(l.Start+1, n).Draw(t, "end")
		for at := l.Start + 1; at+1 < l.End && len(l.Deleted) < 2 && rapid.Bool().Draw(t, "gap"); {
			end := rapid.IntRange(at+1, l.End-1).Draw(t, "gap's end")
			l.Deleted = append(l.Deleted, mapper.Deleted{Start: at, End: end})
			at = end + 1
		}
		r = append(r, l)
	}
	rest := r
	if rapid.Bool().Draw(t, "a pair's primary location is not of the least distance") {
		rest = r[1:]
	}
	slices.SortStableFunc(rest, func(x, y mapper.Reported) int { return x.Distance - y.Distance })
	return r
}

// weigh returns the weight of each location of a read, in units.
func weigh(w Weights, r read) []int64 {
	least := r[0].Distance
	for _, l := range r {
		least = min(least, l.Distance)
	}
	weights := make([]int64, len(r))
	var of []int
	for i, l := range r {
		switch w {
		case WeighAll:
			weights[i] = 1
		case WeighPrimary:
			weights[0] = 1
		case WeighEqual:
			of = append(of, i)
		case WeighBest:
			if l.Distance == least {
				of = append(of, i)
			}
		}
	}
	for at, i := range of {
		weights[i] = 65536*int64(at+1)/int64(len(of)) - 65536*int64(at)/int64(len(of))
	}
	return weights
}

// TestDepths compares with an addition to each base, one after the other.
func TestDepths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 4).Draw(t, "lengths")
		o := Options{
			Of:      rapid.SampledFrom([]Of{Covered, Starts}).Draw(t, "of"),
			Weights: rapid.SampledFrom([]Weights{WeighAll, WeighBest, WeighEqual, WeighPrimary}).Draw(t, "weights"),
		}
		c := New(o)
		_ = c.Begin(reference(lengths...))
		counters := []mapper.Counter{c.Counter(), c.Counter()}
		unit := int64(1)
		if o.Weights.shared() {
			unit = 65536
		}
		want, total := make([][]int64, len(lengths)), make([]Abundance, len(lengths))
		for i, n := range lengths {
			want[i] = make([]int64, n)
			total[i] = Abundance{Name: string(rune('a' + i)), Contigs: 1, Length: n}
		}
		reads := rapid.IntRange(0, 20).Draw(t, "reads")
		for range reads {
			r := drawRead(t, lengths)
			for i, w := range weigh(o.Weights, r) {
				if w == 0 {
					continue
				}
				l := r[i]
				total[l.Contig].Weighted += float64(w) / float64(unit)
				for at := l.Start; at < l.End; at++ {
					deleted := slices.ContainsFunc(l.Deleted, func(d mapper.Deleted) bool { return at >= d.Start && at < d.End })
					if o.Of == Covered && !deleted || o.Of == Starts && at == l.Start {
						want[l.Contig][at] += w
					}
				}
			}
			total[r[0].Contig].Reads++
			counters[rapid.IntRange(0, 1).Draw(t, "counter")].Count(r)
		}
		for i, n := range lengths {
			got, last, before := make([]int64, n), 0, float32(-1)
			err := c.Depths(i, 0, n, func(start, end int, depth float32) error {
				if start != last || end <= start || end > n || depth == before {
					t.Fatalf("contig %d: run [%d, %d) of %v after %d of %v", i, start, end, depth, last, before)
				}
				last, before = end, depth
				for at := start; at < end; at++ {
					got[at] = int64(math.Round(float64(depth) * float64(unit)))
				}
				return nil
			})
			if err != nil || last != n {
				t.Fatalf("contig %d: %v, up to %d of %d", i, err, last, n)
			}
			if d := cmp.Diff(want[i], got); d != "" {
				t.Fatalf("contig %d (-want +got):\n%s", i, d)
			}
			for _, v := range want[i] {
				total[i].Mean += float64(v) / float64(unit) / float64(n)
				if v > 0 {
					total[i].Covered++
				}
			}
		}
		rates, means := 0.0, 0.0
		for i := range total {
			rates += total[i].Weighted / float64(lengths[i])
			means += total[i].Mean
		}
		for i := range total {
			a := &total[i]
			if reads > 0 {
				a.RPKM = a.Weighted * 1e9 / float64(lengths[i]) / float64(reads)
				a.TPM = a.Weighted / float64(lengths[i]) / rates * 1e6
				a.Relative = a.Mean / means / 2
			}
		}
		near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
		if d := cmp.Diff(total, c.Abundances(2*int64(reads), int64(reads)), near); d != "" {
			t.Fatalf("abundance (-want +got):\n%s", d)
		}
	})
}

// TestDeep goes past what a cell holds, upwards and downwards.
func TestDeep(t *testing.T) {
	for _, of := range []Of{Covered, Starts} {
		c := New(Options{Of: of, Weights: WeighEqual})
		_ = c.Begin(reference(10))
		counter := c.Counter()
		const reads = 200_000 // each of 2^16 units; a cell holds 2^15
		for range reads {
			counter.Count(read{{Start: 2, End: 7}})
		}
		want := map[Of][]float32{
			Covered: {0, 0, reads, reads, reads, reads, reads, 0, 0, 0},
			Starts:  {0, 0, reads, 0, 0, 0, 0, 0, 0, 0},
		}[of]
		var got []float32
		_ = c.Depths(0, 0, 10, func(start, end int, depth float32) error {
			for range end - start {
				got = append(got, depth)
			}
			return nil
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", of, d)
		}
	}
}

// TestRegions compares with sums over the bases of each region, and of each window.
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 3).Draw(t, "lengths")
		c := New(Options{Of: Covered, Weights: WeighAll})
		_ = c.Begin(reference(lengths...))
		counter := c.Counter()
		for range rapid.IntRange(0, 10).Draw(t, "reads") {
			counter.Count(drawRead(t, lengths))
		}
		depths := make([][]float64, len(lengths))
		for i := range lengths {
			_ = c.Depths(i, 0, lengths[i], func(start, end int, depth float32) error {
				for range end - start {
					depths[i] = append(depths[i], float64(depth))
				}
				return nil
			})
		}
		measure := func(r Region) RegionDepth {
			d := RegionDepth{Region: r}
			for _, x := range depths[r.Contig][r.Start:r.End] {
				d.Mean += x / float64(r.End-r.Start)
				if x > 0 {
					d.Covered++
				}
			}
			return d
		}
		near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
		var regions []Region
		var want []RegionDepth
		for range rapid.IntRange(0, 12).Draw(t, "regions") {
			r := Region{Contig: rapid.IntRange(0, len(lengths)-1).Draw(t, "contig"), Name: rapid.StringN(0, 3, 3).Draw(t, "name")}
			r.Start = rapid.IntRange(0, lengths[r.Contig]).Draw(t, "start")
			r.End = rapid.IntRange(r.Start, lengths[r.Contig]).Draw(t, "end")
			regions, want = append(regions, r), append(want, measure(r))
		}
		if d := cmp.Diff(want, c.Regions(regions), near, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("regions (-want +got):\n%s", d)
		}
		n := rapid.IntRange(1, 45).Draw(t, "window")
		for i, length := range lengths {
			want = nil
			for start := 0; start < length; start += n {
				want = append(want, measure(Region{Contig: i, Start: start, End: min(start+n, length)}))
			}
			var got []RegionDepth
			_ = c.Windows(i, n, func(w RegionDepth) error {
				got = append(got, w)
				return nil
			})
			if d := cmp.Diff(want, got, near); d != "" {
				t.Fatalf("windows of %d (-want +got):\n%s", n, d)
			}
		}
	})
}
