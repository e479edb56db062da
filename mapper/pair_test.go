package mapper

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/sam"
)

func TestOrientation(t *testing.T) {
	const forward, reverse = locate.Forward, locate.Reverse
	at := func(strand int, start, end int32) *locate.Location {
		return &locate.Location{Place: locate.At(0, strand), Start: start, End: end, Aligned: true}
	}
	for _, c := range []struct {
		orientation   Orientation
		first, second *locate.Location
		insert        int
		ok            bool
	}{
		{OrientationFR, at(forward, 100, 150), at(reverse, 300, 350), 250, true},
		{OrientationFR, at(reverse, 300, 350), at(forward, 100, 150), 250, true},
		// the fragment is shorter than the reads
		{OrientationFR, at(forward, 100, 150), at(reverse, 90, 140), 40, true},
		{OrientationFR, at(reverse, 100, 150), at(forward, 300, 350), -150, false},
		{OrientationFR, at(forward, 100, 150), at(forward, 300, 350), 0, false},
		{OrientationRF, at(reverse, 100, 150), at(forward, 300, 350), 250, true},
		{OrientationRF, at(forward, 300, 350), at(reverse, 100, 150), 250, true},
		{OrientationRF, at(forward, 100, 150), at(reverse, 300, 350), -150, false},
		{OrientationFF, at(forward, 100, 150), at(forward, 300, 350), 250, true},
		{OrientationFF, at(forward, 300, 350), at(forward, 100, 150), -150, false},
		{OrientationFF, at(reverse, 300, 350), at(reverse, 100, 150), 250, true},
		{OrientationFF, at(reverse, 100, 150), at(reverse, 300, 350), -150, false},
		{OrientationFF, at(forward, 100, 150), at(reverse, 300, 350), 0, false},
	} {
		o := PairOptions{Orientation: c.orientation}
		insert, ok := o.insert(c.first, c.second)
		if ok != c.ok || ok && insert != c.insert {
			t.Errorf("%s, %+v and %+v: insert %d, %v; want %d, %v", c.orientation, c.first, c.second, insert, ok, c.insert, c.ok)
		}
	}
	other := at(reverse, 300, 350)
	other.Place = locate.At(1, reverse)
	o := PairOptions{Orientation: OrientationFR}
	if _, ok := o.insert(at(forward, 100, 150), other); ok {
		t.Error("a pair on two contigs is in the orientation")
	}
}

// TestTemplateLength has the leftmost mate, or the first where both start together, take the
// positive sign.
func TestTemplateLength(t *testing.T) {
	for _, c := range []struct {
		first, second   [2]int32 // start and end
		ofFirst, ofMate int
	}{
		{[2]int32{10, 30}, [2]int32{50, 80}, 70, -70},
		{[2]int32{50, 80}, [2]int32{10, 30}, -70, 70},
		{[2]int32{10, 90}, [2]int32{20, 50}, 80, -80}, // one inside the other
		{[2]int32{20, 50}, [2]int32{10, 90}, -80, 80},
		{[2]int32{10, 30}, [2]int32{10, 30}, 20, -20},
		{[2]int32{10, 30}, [2]int32{10, 40}, 30, -30},
		{[2]int32{10, 40}, [2]int32{10, 30}, 30, -30},
		{[2]int32{10, 30}, [2]int32{11, 30}, 20, -20},
		{[2]int32{11, 30}, [2]int32{10, 30}, -20, 20},
	} {
		first, second := locate.Location{Start: c.first[0], End: c.first[1]}, locate.Location{Start: c.second[0], End: c.second[1]}
		if got := templateLength(&first, &second, true); got != c.ofFirst {
			t.Errorf("%v, %v: TLEN %d of the first, want %d", c.first, c.second, got, c.ofFirst)
		}
		if got := templateLength(&second, &first, false); got != c.ofMate {
			t.Errorf("%v, %v: TLEN %d of the second, want %d", c.first, c.second, got, c.ofMate)
		}
	}
}

// TestMatesThatStartTogether writes TLEN of pairs whose mates start at the same base: the first
// mate's is positive, whichever strand it lies on and however long it is.
func TestMatesThatStartTogether(t *testing.T) {
	text := truth.Random(rand.New(rand.NewPCG(19, 20)), 1000, "ACGT")
	reference, first, second := writePairs(t, []string{text}, []string{
		text[100:160], truth.ReverseComplement(text[100:160]),
		text[300:360], truth.ReverseComplement(text[300:380]),
		truth.ReverseComplement(text[500:570]), text[500:550],
	})
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 2},
		Pairs: PairOptions{MinInsert: 40, MaxInsert: 200},
	}
	text, _ = runPairs(t, o)
	var got []string
	for line := range strings.Lines(text) {
		if f := strings.Split(line, "\t"); line[0] != '@' {
			got = append(got, strings.Join([]string{f[0], f[1], f[3], f[8]}, " "))
		}
	}
	want := []string{
		"p0 99 101 60", "p0 147 101 -60", "p1 99 301 80", "p1 147 301 -80", "p2 83 501 70", "p2 163 501 -70",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("name, FLAG, POS and TLEN: (-want +got)\n%s", diff)
	}
}

// TestFit has a normal distribution with outliers, and too few pairs.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var inserts []int32
	for range 10_000 {
		inserts = append(inserts, int32(math.Round(350+50*r.NormFloat64())))
	}
	for range 300 {
		inserts = append(inserts, int32(5000+r.IntN(90_000)))
	}
	m := fit(inserts, 0)
	if !m.estimated || m.from != 10_300 || m.median < 347 || m.median > 355 || m.spread < 47 || m.spread > 53 {
		t.Errorf("%+v", m)
	}
	if m.low < 80 || m.low > 160 || m.high < 545 || m.high > 620 {
		t.Errorf("bounds %d to %d", m.low, m.high)
	}
	if m := fit(inserts, 7); m.low != 7 || m.high < 545 {
		t.Errorf("with a given bound: %d to %d", m.low, m.high)
	}
	same := make([]int32, 100)
	for i := range same {
		same[i] = 200
	}
	if m := fit(same, 0); m.low != 196 || m.high != 204 || m.spread != 1 {
		t.Errorf("all the same: %+v", m)
	}
	for _, few := range [][]int32{nil, {300}, inserts[:estimateLeast-1]} {
		if m := fit(slices.Clone(few), 0); m.estimated || m.low != 0 || m.high != defaultHigh || m.spread != 0 || m.from != len(few) {
			t.Errorf("%d pairs: %+v", len(few), m)
		}
	}
}

// TestDensity adds up to the share of proper pairs.
func TestDensity(t *testing.T) {
	for _, m := range []insertModel{{low: 10, high: 20}, {low: 0, high: 0}, {low: 100, high: 600, mean: 350, spread: 50}} {
		sum := 0.0
		for i := m.low; i <= m.high; i++ {
			sum += m.density(i)
		}
		if !(math.Abs(sum-(1-discordantShare)) <= 1e-4) {
			t.Errorf("%+v: the sum is %g", m, sum)
		}
	}
}

// TestInsertWeights has all sizes of some models in turn, twice, and more than are remembered.
func TestInsertWeights(t *testing.T) {
	var w insertWeights
	for _, m := range []*insertModel{
		{low: 10, high: 20}, {low: 100, high: 600, mean: 350, spread: 50}, {low: 100, high: 600, mean: 300, spread: 50},
		{low: 5, high: 5 + 2*mostWeights, mean: 400, spread: 100}, {low: 1, high: 3},
	} {
		for range 2 {
			w.begin(m)
			if w.typical != m.typical() {
				t.Errorf("%+v: %g is typical, want %g", m, w.typical, m.typical())
			}
			for size := m.low; size <= m.high; size++ {
				if want, got := m.weight(size), w.at(size); got != want {
					t.Fatalf("%+v: %v for %d, want %v", m, got, size, want)
				}
			}
		}
		if len(w.sizes) > mostWeights {
			t.Errorf("%d sizes are remembered", len(w.sizes))
		}
	}
}

// pairedContigs are contigs with repeats, tandem ones too, and pairs from them: most proper, some
// far apart or in another orientation, some with more edits than k, some from nowhere.
func pairedContigs(r *rand.Rand, pairs int) (contigs, reads []string) {
	unit := truth.Random(r, 120, "ACGT")
	for range 3 {
		text := truth.Random(r, 250+r.IntN(200), "ACGT")
		for range 1 + r.IntN(4) {
			text += truth.Edited(r, unit, r.IntN(5)) + truth.Random(r, r.IntN(40), "ACGT")
		}
		text += strings.Repeat(truth.Random(r, 9, "ACGT"), 8) + truth.Random(r, 60, "ACGT")
		contigs = append(contigs, text)
	}
	cut := func(text string, from, m, edits int, turn bool) string {
		s := truth.Edited(r, text[from:from+m], edits)
		if turn {
			return truth.ReverseComplement(s)
		}
		return s
	}
	for range pairs {
		text := contigs[r.IntN(len(contigs))]
		m1, m2 := 20+r.IntN(20), 20+r.IntN(20)
		insert := 80 + r.IntN(120)
		from := r.IntN(len(text) - insert)
		a := cut(text, from, m1, r.IntN(4), false)
		b := cut(text, from+insert-m2, m2, r.IntN(4), true)
		switch r.IntN(8) {
		case 0:
			b = cut(contigs[r.IntN(len(contigs))], r.IntN(200), m2, r.IntN(2), r.IntN(2) == 0)
		case 1:
			b = truth.Random(r, m2, "ACGT")
		case 2:
			b = cut(text, from+insert-m2, m2, 4, true)
		case 3:
			b = ""
		}
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		reads = append(reads, a, b)
	}
	return contigs, reads
}

// pairedLibrary is one of pairs with a model of the insert size, or with what o says.
func pairedLibrary(model *insertModel, o *Options) *library {
	o.setDefaults()
	if model == nil {
		model = o.Pairs.given()
	}
	l := &library{Library: Library{Interleaved: true}}
	l.insert.Store(model)
	return l
}

// TestPairsAgainstAllCombinations weighs every combination of two locations by the formulas of
// pair.go, one after the other.
func TestPairsAgainstAllCombinations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	proper, discordant, several, low := 0, 0, 0, 0
	for round := range 60 {
		contigs, reads := pairedContigs(r, 40)
		o := Options{Distance: Distance{Edits: 2}, Engine: EngineScan, Pairs: PairOptions{Orientation: OrientationFR}}
		model := &insertModel{low: 60, high: 220, mean: 140, spread: 35}
		if round%3 == 0 {
			o.Pairs.MinInsert, o.Pairs.MaxInsert, model = 70, 200, &insertModel{low: 70, high: 200}
		} else {
			o.Pairs.MaxInsert = 1
		}
		ref := truth.Reference(t, contigs...)
		w := chosen(t, ref, pairedLibrary(model, &o), reads, &o)
		for i := 0; i < len(reads); i += 2 {
			first, second := w.choices[i], w.choices[i+1]
			la, lb := w.group.locations[first.from:first.to], w.group.locations[second.from:second.to]
			if len(la) == 0 || len(lb) == 0 {
				continue
			}
			want := weighAll(&o.Pairs, model, int64(ref.TotalLength()), la, lb, [2]int{2, 2})
			got := want.likelihood(0, 0)
			if got < want.largest*(1-1e-6) {
				t.Fatalf("pair %d: the primary locations have likelihood %g, others %g", i/2, got, want.largest)
			}
			for x, q := range []byte{first.mapQ, second.mapQ} {
				if wanted := want.quality(x); max(wanted, q)-min(wanted, q) > 0 {
					t.Fatalf("pair %d, mate %d: MAPQ %d, want %d", i/2, x, q, wanted)
				}
				if q < 60 {
					low++
				}
			}
			if len(la) > 1 || len(lb) > 1 {
				several++
			}
			isProper := want.proper(0, 0)
			if isProper != (first.pair == properPair) {
				t.Fatalf("pair %d: class %d, proper is %v", i/2, first.pair, isProper)
			}
			if isProper {
				proper++
			} else {
				discordant++
			}
			for x, list := range [][]locate.Location{la, lb} {
				checkOrder(t, w, r, i+x, list)
				for j := range list {
					if list[j].Paired != want.partnered(x, j) {
						t.Fatalf("pair %d, mate %d, location %d: paired %v", i/2, x, j, list[j].Paired)
					}
				}
			}
		}
	}
	if proper < 500 || discordant < 50 || several < 200 || low < 200 {
		t.Errorf("only %d proper, %d discordant pairs, %d with several locations, %d mates of low quality", proper, discordant, several, low)
	}
}

// checkOrder has a pairing put locations of a read in order that come in any.
func checkOrder(t *testing.T, w *worker, r *rand.Rand, read int, locations []locate.Location) {
	t.Helper()
	shuffled := slices.Clone(locations)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	w.pairing.set(0, read, shuffled, 2)
	m := &w.pairing.mates[0]
	for i := 1; i < len(shuffled); i++ {
		a, b := &shuffled[m.bySite[i-1].location], &shuffled[m.bySite[i].location]
		if compareSites(a, b) >= 0 {
			t.Fatalf("read %d: by site, %+v comes before %+v", read, a, b)
		}
		a, b = &shuffled[m.byRank[i-1]], &shuffled[m.byRank[i]]
		if cmp.Or(cmp.Compare(a.Distance, b.Distance), compareSites(a, b)) >= 0 {
			t.Fatalf("read %d: by rank, %+v comes before %+v", read, a, b)
		}
	}
}

// weighed is all combinations of two lists, by the formulas of pair.go.
type weighed struct {
	o        *PairOptions
	model    *insertModel
	a, b     []locate.Location
	apart    float64
	unknownA float64 // w^(k+1) of the first mate, relative to nothing, where all up to k are known
	unknownB float64
	placeA   float64 // likewise where all in the proper places are known
	placeB   float64
	each     int // distance of an edit
	largest  float64
	total    float64
}

// weighAll weighs the combinations of locations of two mates, which are known up to some distances.
func weighAll(o *PairOptions, model *insertModel, bases int64, a, b []locate.Location, known [2]int) *weighed {
	return weighPlaces(o, model, bases, a, b, known, known, 1)
}

// weighPlaces is weighAll where an edit is a distance of `each`. In the proper places of each mate
// locations are known up to some distances of their own.
func weighPlaces(o *PairOptions, model *insertModel, bases int64, a, b []locate.Location, known, places [2]int, each int) *weighed {
	w := &weighed{o: o, model: model, a: a, b: b, apart: 0.01 / (2 * float64(bases)), each: each}
	unknown := func(list []locate.Location, k int) float64 {
		beyond := max(k, int(least(list)))
		if int(least(list)) > k { // rescued, within twice k
			beyond = 2 * k
		}
		return w.powerOf(beyond + each)
	}
	w.unknownA, w.unknownB = unknown(a, known[0]), unknown(b, known[1])
	w.placeA, w.placeB = unknown(a, places[0]), unknown(b, places[1])
	typical := w.typical()
	for i := range a {
		for j := range b {
			l := w.likelihood(i, j)
			w.largest = max(w.largest, l)
			w.total += l
		}
		w.total += w.power(a[i]) * w.unknownB * w.apart
		if !w.partnered(0, i) {
			w.total += w.power(a[i]) * w.placeB * typical
		}
	}
	for j := range b {
		w.total += w.power(b[j]) * w.unknownA * w.apart
		if !w.partnered(1, j) {
			w.total += w.power(b[j]) * w.placeA * typical
		}
	}
	w.total += w.placeA*w.placeB*typical + w.unknownA*w.unknownB*w.apart
	return w
}

func least(list []locate.Location) int32 {
	d := list[0].Distance
	for _, l := range list {
		d = min(d, l.Distance)
	}
	return d
}

func (w *weighed) typical() float64 {
	if w.model.spread == 0 {
		return w.model.density(w.model.low)
	}
	return w.model.density(int(math.Round(w.model.mean)))
}

func (w *weighed) power(l locate.Location) float64 { return w.powerOf(int(l.Distance)) }

func (w *weighed) powerOf(distance int) float64 {
	return math.Pow(editOdds, float64(distance)/float64(w.each))
}

func (w *weighed) proper(i, j int) bool {
	insert, ok := w.o.insert(&w.a[i], &w.b[j])
	return ok && insert >= w.model.low && insert <= w.model.high
}

func (w *weighed) likelihood(i, j int) float64 {
	both := w.power(w.a[i]) * w.power(w.b[j])
	if w.proper(i, j) {
		insert, _ := w.o.insert(&w.a[i], &w.b[j])
		return both * w.model.density(insert)
	}
	return both * w.apart
}

func (w *weighed) partnered(mate, i int) bool {
	other := w.b
	if mate == 1 {
		other = w.a
	}
	for j := range other {
		if mate == 0 && w.proper(i, j) || mate == 1 && w.proper(j, i) {
			return true
		}
	}
	return false
}

// quality is the MAPQ of the first location of a mate.
func (w *weighed) quality(mate int) byte {
	right := 0.0
	own, unknown, place := w.a[0], w.unknownB, w.placeB
	if mate == 0 {
		for j := range w.b {
			right += w.likelihood(0, j)
		}
	} else {
		own, unknown, place = w.b[0], w.unknownA, w.placeA
		for i := range w.a {
			right += w.likelihood(i, 0)
		}
	}
	right += w.power(own) * unknown * w.apart
	if !w.partnered(mate, 0) {
		right += w.power(own) * place * w.typical()
	}
	wrong := 1 - right/w.total
	if wrong >= 0.5 {
		return 0
	}
	return byte(min(60, math.Round(-10*math.Log10(max(wrong, 1e-6)))))
}

// writePairs writes contigs and pairs as files.
func writePairs(t testing.TB, contigs, reads []string) (reference, first, second string) {
	t.Helper()
	var ref strings.Builder
	for i, text := range contigs {
		fmt.Fprintf(&ref, ">c%d\n%s\n", i, text)
	}
	var fq [2]strings.Builder
	for i, s := range reads {
		fmt.Fprintf(&fq[i%2], "@p%d\n%s\n+\n%s\n", i/2, s, strings.Repeat("F", len(s)))
	}
	folder := t.TempDir()
	reference, first, second = filepath.Join(folder, "ref.fa"), filepath.Join(folder, "r1.fq"), filepath.Join(folder, "r2.fq")
	for name, text := range map[string]string{reference: ref.String(), first: fq[0].String(), second: fq[1].String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, first, second
}

// TestSameBytesOfPairs maps pairs with all that must not matter, the estimate of the insert size
// included.
func TestSameBytesOfPairs(t *testing.T) {
	t.Parallel()
	pairs := effort.Pick(300, 60)
	contigs, reads := pairedContigs(rand.New(rand.NewPCG(9, 10)), pairs)
	reference, first, second := writePairs(t, contigs, reads)
	for i, o := range []Options{
		{Distance: Distance{Edits: 2}, Pairs: PairOptions{Rescue: Distance{Edits: 4}}},
		{Distance: Distance{Edits: 2}, Pairs: PairOptions{Rescue: Distance{Edits: 4}}},
		{Distance: Distance{Edits: 1}, Pairs: PairOptions{MinInsert: 50, MaxInsert: 300}, Report: Report{Mode: ReportOne}},
		{Distance: Distance{Edits: 2}, Pairs: PairOptions{Orientation: OrientationRF}, Report: Report{Mode: ReportUnique}, OmitUnmapped: true},
		{Distance: Distance{Edits: 2}, Metric: Substitutions, Pairs: PairOptions{Rescue: Distance{Edits: 4}}},
	} {
		if i == 1 {
			o.limits.estimatePairs = 50
		}
		o.Reference = reference
		o.Libraries = []Library{{Reads: first, Mates: second, ReadGroup: "a"}, {Reads: first}, {Reads: second, Mates: first, ReadGroup: "b"}}
		if o.Pairs.MaxInsert > 0 {
			o.Libraries = o.Libraries[:1]
		}
		var want string
		var wantStats *Stats
		verified := map[string]int64{} // does not depend on threads
		for _, engine := range []Engine{EngineScan, EngineSkim} {
			for _, threads := range []int{1, 3} {
				for _, batch := range []int{1, 7, 100, 0} {
					o.Engine, o.Threads, o.BatchReads = engine, threads, batch
					got, stats := runPairs(t, o)
					if key := fmt.Sprint(engine, batch); verified[key] == 0 {
						verified[key] = stats.Verified
					} else if verified[key] != stats.Verified {
						t.Errorf("engine %s, %d threads, batches of %d: %d windows were verified, %d with another number of threads", engine, threads, batch, stats.Verified, verified[key])
					}
					stats.Stages, stats.Engines, stats.Elapsed = nil, nil, 0
					stats.Candidates, stats.Refused, stats.Verified, stats.Batches = 0, 0, 0, 0
					if want == "" {
						want, wantStats = got, stats
					}
					if got != want {
						t.Fatalf("engine %s, %d threads, batches of %d: other bytes (-first +this)\n%s", engine, threads, batch, gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
					}
					if diff := differentStats(wantStats, stats); diff != "" {
						t.Fatalf("engine %s, %d threads, batches of %d: other statistics\n%s", engine, threads, batch, diff)
					}
				}
			}
		}
		if p := wantStats.Libraries[0].Pairs; p.Pairs != int64(pairs) || p.Proper+p.Discordant+p.OneEndAnchored+p.Unmapped != int64(pairs) {
			t.Errorf("%+v", p)
		}
	}
}

// runPairs returns all outputs of a run, one behind the other.
func runPairs(t *testing.T, o Options) (string, *Stats) {
	t.Helper()
	var records, discordant, unmapped bytes.Buffer
	stats, err := Run(context.Background(), o, sam.HeaderOptions{NoProgram: true}, Outputs{Records: &records, Discordant: &discordant, Unmapped: &unmapped})
	if err != nil {
		t.Fatal(err)
	}
	return records.String() + discordant.String() + unmapped.String(), stats
}

// TestBoundedPairs has more combinations than are weighed.
func TestBoundedPairs(t *testing.T) {
	text := strings.Repeat("ACGGT", 4000)
	reads := []string{text[:30], truth.ReverseComplement(text[200:230])}
	o := Options{Distance: Distance{Edits: 0}, Engine: EngineScan, Pairs: PairOptions{Orientation: OrientationFR, MinInsert: 1, MaxInsert: 2000}}
	l := pairedLibrary(nil, &o)
	w := chosen(t, truth.Reference(t, text), l, reads, &o)
	pairs := w.tally.stats.Libraries[0].Pairs
	if pairs.Bounded != 1 || pairs.Proper != 1 || w.pairing.weighed != pairCombinations {
		t.Errorf("%+v, %d weighed", pairs, w.pairing.weighed)
	}
}

// TestSameBytesOfPairsOnGPU has small limits and queues, so that parts of a batch are cut and held,
// and candidates are found twice.
func TestSameBytesOfPairsOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	contigs, reads := pairedContigs(rand.New(rand.NewPCG(11, 12)), effort.Pick(30, 20))
	reference, first, second := writePairs(t, contigs, reads)
	for i, pairs := range []PairOptions{
		{Rescue: Distance{Edits: 4}}, {Rescue: Distance{Edits: 4}}, {MinInsert: 50, MaxInsert: 300}, {Rescue: Distance{Edits: 4}},
	} {
		o := Options{Reference: reference, Libraries: []Library{{Reads: first, Mates: second}, {Reads: first}}, Distance: Distance{Edits: 2}, Pairs: pairs, Threads: 2}
		if i == 1 {
			o.limits.estimatePairs = 3 // in the middle of a part, which is then located again
		}
		if i == 3 {
			o.Metric = Substitutions
		}
		want, _ := runPairs(t, o)
		o.Device = device.Choice{Kind: device.CUDA, Driver: driver}
		for e, engine := range []Engine{EngineSkim, EngineScan} {
			for b, batch := range []int{0, 7} {
				for l, limits := range []find.Limits{{}, {GPUFound: 3}, {GPUQueue: 2}, {GPUQueue: 50}} {
					if (i+e+2*b+l)%effort.Pick(2, 4) != 0 {
						continue // most pairs of values are together once
					}
					o.Engine, o.BatchReads, o.limits.find = engine, batch, limits
					got, _ := runPairs(t, o)
					if got != want {
						t.Fatalf("engine %s, batches of %d, %+v: other bytes (-CPU +GPU)\n%s", engine, batch, limits, firstDifference(want, got))
					}
				}
			}
		}
	}
}

// TestInsertsBeyondTheCounts has no median where most inserts are too long to be counted each.
func TestInsertsBeyondTheCounts(t *testing.T) {
	var s InsertStats
	for range 3 {
		s.count(100)
	}
	s.count(insertCounts)
	s.describe(&insertModel{high: 1 << 20, given: true})
	if s.From != 3 || s.Median != 100 || s.Longer != 1 {
		t.Errorf("%d pairs, median %d", s.From, s.Median)
	}
	s = InsertStats{Counts: s.Counts, Longer: 3}
	s.describe(&insertModel{high: 1 << 20, given: true})
	if s.From != 0 || s.Median != 0 || s.Spread != 0 {
		t.Errorf("%+v", s)
	}
}

// TestPairsKeepEveryLocation compares the locations of mates with the locations of the same reads
// without mates.
func TestPairsKeepEveryLocation(t *testing.T) {
	contigs, reads := pairedContigs(rand.New(rand.NewPCG(17, 18)), 200)
	reference, first, second := writePairs(t, contigs, reads)
	o := Options{Reference: reference, Distance: Distance{Edits: 2}, Pairs: PairOptions{Rescue: Distance{Edits: 4}}, Threads: 2}
	o.Libraries = []Library{{Reads: first, Mates: second}}
	pairs, stats := runText(t, o)
	for i, file := range []string{first, second} {
		o.Libraries = []Library{{Reads: file}}
		alone, _ := runText(t, o)
		want, got := locationsOf(t, alone, 0), locationsOf(t, pairs, []int{0x40, 0x80}[i])
		if len(want) < 200 {
			t.Errorf("only %d locations", len(want))
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("mate %d (-alone +in pairs)\n%s", i+1, diff)
		}
	}
	if stats.Libraries[0].Pairs.Rescued == 0 {
		t.Error("no mate was rescued")
	}
}

// locationsOf returns name, strand, contig, position, CIGAR and edits of each mapped record with a
// flag that was not rescued, sorted.
func locationsOf(t *testing.T, text string, flag int) (all []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0][0] == '@' || f[5] == "*" || slices.Contains(f, "XR:i:1") {
			continue
		}
		flags, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		if flags&flag == flag {
			all = append(all, fmt.Sprintln(f[0], flags&16, f[2], f[3], f[5], f[11]))
		}
	}
	slices.Sort(all)
	return all
}
