package mapper

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// A nearInput draws references with families of repeats, and pairs from them, so that reads have
// near locations and others.
type nearInput struct {
	r       *rand.Rand
	contigs []string
	// elsewhere is one more contig, with copies of mates that have no proper partner there.
	elsewhere string
}

// all returns all contigs.
func (d *nearInput) all() []string { return append(slices.Clone(d.contigs), d.elsewhere+"ACGT") }

func newNearInput(r *rand.Rand) *nearInput {
	d := &nearInput{r: r}
	letters := []string{"ACGT", "ACGT", "ACGT", "AC", "ACGTN"}[r.IntN(5)]
	unit := truth.Random(r, 200+r.IntN(300), letters)
	for range 1 + r.IntN(3) {
		text := truth.Random(r, r.IntN(300), "ACGT")
		for range 1 + r.IntN(6) {
			text += truth.Strand(truth.Edited(r, unit, r.IntN(30)), r.IntN(2)) + truth.Random(r, r.IntN(100), "ACGT")
		}
		d.contigs = append(d.contigs, "A"+text+strings.Repeat(truth.Random(r, 1+r.IntN(12), "ACGT"), r.IntN(30)))
	}
	return d
}

// read cuts a read out of a text, with edits, a gap or a clipped end.
func (d *nearInput) read(text string, at, m, most int) string {
	s := text[at:min(at+m+20, len(text))]
	switch cut := min(len(s), 10+d.r.IntN(max(m-20, 1))); d.r.IntN(8) {
	case 0:
		s = s[:cut] + s[min(cut+d.r.IntN(15), len(s)):]
	case 1:
		s = s[:cut] + truth.Random(d.r, d.r.IntN(15), "ACGT") + s[cut:]
	case 2:
		s = truth.Random(d.r, d.r.IntN(m/4+1), "ACGT") + s
	default:
	}
	return truth.Edited(d.r, s[:min(m, len(s))], d.r.IntN(most+2))
}

// pairs draws mates, mostly proper.
func (d *nearInput) pairs(n, m, most int) (reads []string) {
	for range n {
		text := d.contigs[d.r.IntN(len(d.contigs))]
		insert := min(m+d.r.IntN(2*m), len(text))
		at := d.r.IntN(len(text) - insert + 1)
		a := d.read(text, at, min(m, insert), most)
		b := truth.ReverseComplement(d.read(text, at+insert-min(m, insert), min(m, insert), most))
		switch d.r.IntN(10) {
		case 0:
			b = truth.Random(d.r, m, "ACGT")
		case 1:
			b = a
		case 2:
			other := d.contigs[d.r.IntN(len(d.contigs))]
			b = d.read(other, d.r.IntN(len(other)), m, most)
		default:
		}
		if d.r.IntN(2) == 0 {
			a, b = b, a
		}
		if d.r.IntN(3) == 0 { // better ones apart
			edited := func(from int) string { return truth.Edited(d.r, text[from:from+min(m, insert)], d.r.IntN(4)) }
			a, b = edited(at), truth.ReverseComplement(edited(at+insert-min(m, insert)))
			for _, s := range []string{a, b} {
				for edits := range 4 {
					d.elsewhere += truth.Random(d.r, 300, "ACGT") + truth.Edited(d.r, s, edits*d.r.IntN(2))
				}
			}
		}
		reads = append(reads, a, b)
	}
	return reads
}

// drawNear draws the options of a run that reports less than all.
func drawNear(r *rand.Rand) Options {
	o := Options{Distance: Distance{Edits: r.IntN(11)}, Threads: 2}
	o.Report = []Report{
		{Mode: ReportOne}, {Mode: ReportOne}, {Mode: ReportBest}, {Mode: ReportUnique}, {Mode: ReportStrata, Strata: r.IntN(8)},
	}[r.IntN(5)]
	switch r.IntN(5) {
	case 0, 1:
		o.Local = &Local{Score: Score{Percent: float64(60 + r.IntN(35)), Percentage: true}, ClipPenalty: 5 * r.IntN(2), Split: r.IntN(3) == 0}
	case 2:
		o.Metric = Substitutions
	default:
	}
	if r.IntN(2) == 0 {
		o.MaxLocations = r.IntN(4)
		o.Over = []Over{OverCut, OverDrop}[r.IntN(2)]
	}
	if r.IntN(2) == 0 {
		o.Pairs.MinInsert, o.Pairs.MaxInsert = 50, 100+r.IntN(300)
		o.Pairs.MeanInsert, o.Pairs.InsertSpread = 100, float64(r.IntN(3))
	}
	o.Pairs.Rescue = Distance{Edits: r.IntN(14)}
	o.limits.estimatePairs = 1 + r.IntN(20)
	return o
}

// TestNearSameBytes compares reads that are sought in steps with the same reads sought at once, in
// batches and parts of any size, by any engine.
func TestNearSameBytes(t *testing.T) {
	t.Parallel()
	again := 0
	for seed := range uint64(effort.Pick(72, 40)) {
		r := rand.New(rand.NewPCG(seed, 141))
		o := drawNear(r)
		input := newNearInput(r)
		m := 60 + r.IntN(80)
		mates := input.pairs(5+r.IntN(25), m, o.largest(m)/int(oddsOf(&o).each))
		reference, first, second := writePairs(t, input.all(), mates)
		o.Reference, o.Libraries = reference, []Library{{Reads: first, Mates: second}}
		if r.IntN(3) == 0 {
			o.Libraries = []Library{{Reads: first}, {Reads: second}}
		}
		o.limits.atOnce, o.limits.bases = true, []int64{0, 1 << 25, 1 << 35, 1 << 50}[r.IntN(4)]
		want, wantStats := runPairs(t, o)
		o.limits.atOnce, o.limits.stepReads = false, int(seed%2) // with small and large batches alike
		for way := range 3 {
			switch way {
			case 1:
				o.limits.heldLocations = 1 + r.IntN(20)
				o.BatchReads, o.Engine = 1+r.IntN(20), []Engine{EngineSkim, EngineScan}[r.IntN(2)]
				if o.Local != nil {
					o.Engine = EngineSkim
				}
			case 2:
				o.BatchReads, o.Engine = 0, EngineSkim
				o.limits.find = find.Limits{Handed: 1 + r.IntN(50), Found: 1 + r.IntN(500)}
				if o.Local == nil {
					o.limits.find.Listed = 1 + r.IntN(100)
				}
			default:
			}
			if n := r.IntN(4); n > 0 {
				o.limits.seeking = func(of seekingFinders) seekingFinders {
					return &seekersAhead{seekingFinders: of, ahead: way%2 > 0, n: n}
				}
			}
			got, stats := runPairs(t, o)
			if got != want {
				t.Fatalf("seed %d, way %d, %+v: other bytes (-at once +in steps)\n%s", seed, way, o, firstDifference(want, got))
			}
			if diff := differentStats(ofReads(wantStats), ofReads(stats)); diff != "" {
				t.Fatalf("seed %d, way %d, %+v: other statistics (-at once +in steps)\n%s", seed, way, o, diff)
			}
			for _, s := range stats.Stages {
				if s.Name == "again" {
					again++
				}
			}
		}
	}
	if again < effort.Pick(72, 16)/2 {
		t.Errorf("reads were sought again in %d runs: the test shows little", again)
	}
}

// TestNearAloneSameBytes settles near local locations alone, and then all of them. Reads are from
// families of repeats and from the ends of contigs, some with N, with mates and without.
func TestNearAloneSameBytes(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	var pairs, multiple, reads int64
	for seed := range uint64(effort.Pick(100, 32)) {
		r := rand.New(rand.NewPCG(seed, 42))
		o := drawNear(r)
		o.Metric, o.Local = Edits, &Local{Score: Score{Percent: float64(60 + r.IntN(35)), Percentage: true}, Split: r.IntN(3) == 0}
		input := newNearInput(r)
		m := 60 + r.IntN(80)
		mates := input.pairs(5+r.IntN(25), m, o.largest(m)/int(oddsOf(&o).each))
		reference, first, second := writePairs(t, input.all(), mates)
		o.Reference, o.Libraries = reference, []Library{{Reads: first, Mates: second}}
		if r.IntN(3) == 0 {
			o.Libraries = []Library{{Reads: first}, {Reads: second}}
		}
		o.limits.atOnce, o.limits.stepReads, o.limits.settleAll = r.IntN(2) == 0, int(seed%2), true
		want, wantStats := runPairs(t, o)
		o.limits.settleAll = false
		got, stats := runPairs(t, o)
		if got != want {
			t.Fatalf("seed %d, %+v: other bytes (-all +near alone)\n%s", seed, o, firstDifference(want, got))
		}
		if diff := differentStats(ofReads(wantStats), ofReads(stats)); diff != "" {
			t.Fatalf("seed %d, %+v: other statistics (-all +near alone)\n%s", seed, o, diff)
		}
		if seed%3 == 0 {
			o.Device, o.BatchReads = device.Choice{Kind: device.CUDA, Driver: driver}, r.IntN(2)*(1+r.IntN(20))
			if got, _ := runPairs(t, o); got != want {
				t.Fatalf("seed %d, %+v: other bytes (-all on CPU +near alone on GPU)\n%s", seed, o, firstDifference(want, got))
			}
		}
		reads, multiple = reads+stats.Reads, multiple+stats.Multiple
		if p := stats.Libraries[0].Pairs; p != nil {
			pairs += p.Proper
		}
	}
	if multiple < reads/5 || pairs < reads/20 {
		t.Errorf("%d reads, %d with several locations, %d proper pairs: the test shows little", reads, multiple, pairs)
	}
}

// TestNearOfLibraries has GPUs leave out locations that are not near where they never count.
func TestNearOfLibraries(t *testing.T) {
	single, estimated, given := &library{}, &library{Library: Library{Mates: "mates"}}, &library{Library: Library{Interleaved: true}}
	given.insert.Store(&insertModel{})
	near := func(o Options, l *library) int {
		if f := o.nearOf(l); f != nil {
			return f()
		}
		return -1
	}
	local := Options{Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportOne}}
	edits, all, settled := local, local, local
	edits.Local, all.Report.Mode, settled.limits.settleAll = nil, ReportAll, true
	for _, c := range []struct {
		what    string
		o       Options
		library *library
		want    int
	}{
		{"single reads", local, single, nearEdits * localDistance},
		{"insert sizes to be estimated", local, estimated, 0},
		{"insert sizes known", local, given, nearOfMates * localDistance},
		{"whole reads", edits, single, -1},
		{"all locations", all, given, -1},
		{"all candidates", settled, single, -1},
	} {
		if got := near(c.o, c.library); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	f := local.nearOf(estimated)
	if estimated.insert.Store(&insertModel{}); f() != nearOfMates*localDistance {
		t.Errorf("%d once the insert size is known", f())
	}
}

// TestNearOfMany has a read with too many candidates, few of them near. It is not mapped, on a
// GPU neither.
func TestNearOfMany(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	var text strings.Builder
	text.WriteString(truth.Random(r, 500, "ACGT"))
	read := truth.Random(r, 150, "ACGT")
	for i := range 60 {
		text.WriteString(truth.Substituted(r, read, 3*min(i, 1)) + truth.Random(r, 200, "ACGT"))
	}
	reference, reads, _ := writePairs(t, []string{text.String()}, []string{read, "ACGT"})
	for _, listed := range []int{40, 1000} {
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportBest}}
		o.limits.find = find.Limits{Listed: listed, GPUFound: listed}
		want, stats := runText(t, o)
		if mapped := stats.Mapped == 1; mapped != (listed > 60) {
			t.Fatalf("%d may be listed: mapped %t", listed, mapped)
		}
		onGPU(t, o, testDriver(t), want)
	}
}

// seekersAhead are n finders of the CPU that seek ahead, as GPUs do. Call number `fails` of Find
// fails, from 1 on, unless it is 0.
type seekersAhead struct {
	seekingFinders
	ahead    bool // as worksAhead says
	n, fails int
	calls    atomic.Int32
	at       atomic.Int32 // the number at work
}

func (s *seekersAhead) seeking() int { return s.n }

func (s *seekersAhead) worksAhead() bool { return s.ahead }

func (s *seekersAhead) again(ref *dna.Reference, o find.Options, i int, have find.Finder) (find.Finder, error) {
	if have != nil {
		return have, nil
	}
	f, err := s.seekingFinders.again(ref, o, i, nil)
	return &finderAhead{Finder: f, of: s}, err
}

type finderAhead struct {
	find.Finder
	of *seekersAhead
}

func (*finderAhead) Ahead() bool { return true }

func (f *finderAhead) Find(b *find.Batch, found *find.Found) (int, error) {
	f.of.at.Add(1)
	defer f.of.at.Add(-1)
	if int(f.of.calls.Add(1)) == f.of.fails {
		return 0, errFull
	}
	time.Sleep(time.Duration(f.of.n) * 100 * time.Microsecond) // while others are begun
	return f.Finder.Find(b, found)
}

// TestSeekingFails has a finder fail that seeks reads again, or the writer while some do. The run
// ends with this error, and no finder is at work any more.
func TestSeekingFails(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(47, 48))
	input := newNearInput(r)
	reference, first, second := writePairs(t, input.all(), input.pairs(100, 100, 8))
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: first}, {Reads: second}}, Distance: Distance{Edits: 8}, Threads: 2, Engine: EngineSkim,
		Report: Report{Mode: ReportOne}, BatchReads: 10,
	}
	text, _ := runText(t, o)
	for _, n := range []int{1, 3} {
		for fails := range 8 {
			s := &seekersAhead{ahead: n > 1, n: n, fails: fails}
			o.limits.seeking = func(of seekingFinders) seekingFinders { s.seekingFinders = of; return s }
			var out io.Writer = &bytes.Buffer{}
			if fails == 0 {
				out = &failingWriter{len(text) / 2}
			}
			if _, err := Run(t.Context(), o, sam.HeaderOptions{}, Outputs{Records: out}); !errors.Is(err, errFull) {
				t.Errorf("%d finders, call %d fails: %v", n, fails, err)
			}
			if at := s.at.Load(); at != 0 {
				t.Errorf("%d finders, call %d fails: %d are at work after the run", n, fails, at)
			}
		}
	}
}

// TestNearOnGPU has a GPU seek in steps, and keep to itself what lies far beyond the best
// locations: bytes and statistics are the same as on the CPU, which seeks all at once.
func TestNearOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	// In three more a GPU is asked for more than a few locations of mates, for steps in a repeat, and
	// for near locations in the last step.
	seeds := []uint64{22, 25, 319}
	for seed := range uint64(effort.Pick(24, 8)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 44))
		o := drawNear(r)
		steps := seed%2 == 1 // of whole reads without mates
		if o.Local == nil && seed%3 == 0 {
			o.Local, o.Metric = &Local{Score: DefaultScore, Split: r.IntN(2) == 0}, Edits
		}
		if steps {
			o.Local, o.Distance, o.Report = nil, Distance{Edits: 8 + r.IntN(3)}, Report{Mode: ReportOne}
		}
		input := newNearInput(r)
		m := 80 + r.IntN(40)
		mates := input.pairs(4+r.IntN(8), m, o.largest(m)/int(oddsOf(&o).each))
		reference, first, second := writePairs(t, input.all(), mates)
		o.Reference, o.Libraries = reference, []Library{{Reads: first, Mates: second}}
		if steps || r.IntN(2) == 0 {
			o.Libraries = []Library{{Reads: first}}
		}
		o.limits.atOnce, o.limits.bases = true, []int64{0, 1 << 25, 1 << 35, 1 << 50}[r.IntN(4)]
		want, wantStats := runText(t, o)
		o.limits.atOnce, o.limits.stepReads, o.BatchReads = false, int(seed%2), r.IntN(2)*(2+r.IntN(6))
		if diff := differentStats(ofReads(wantStats), ofReads(onGPU(t, o, driver, want))); diff != "" {
			t.Fatalf("seed %d, %+v: other statistics (-CPU +GPU)\n%s", seed, o, diff)
		}
	}
}

// TestTandemsInPartOnGPU has reads whose first half has a longer period than the second. One with a
// deletion there ends near the place without edits, and starts further from it than k: it is no
// location, also where reads are sought up to fewer edits first.
func TestTandemsInPartOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(51, 52))
	const k = 7
	for gap := 1; gap <= 2; gap++ {
		var reads []string
		reference := truth.Random(r, 200, "ACGT")
		for range 4 {
			unit := truth.Random(r, k+1, "ACGT")
			read := strings.Repeat(unit, 5) + strings.Repeat(unit[gap:], 8)
			reads = append(reads, read, read)
			reference += unit + read + truth.Random(r, 200, "ACGT")
		}
		path, fq, _ := writePairs(t, []string{reference}, reads)
		o := Options{
			Reference: path, Libraries: []Library{{Reads: fq}}, Threads: 1,
			Distance: Distance{Edits: k}, Report: Report{Mode: ReportStrata, Strata: 2},
		}
		want, _ := runText(t, o)
		if n := strings.Count(want, "\t0\tc0\t"); n != 4 {
			t.Fatalf("%d reads are mapped in the order of the reference, want 4", n)
		}
		onGPU(t, o, driver, want)
	}
}

// TestNearOfReads takes the near locations from --report all. From these it takes the locations of
// other reports, and MAPQ by its formula.
func TestNearOfReads(t *testing.T) {
	t.Parallel()
	left, reported := 0, 0
	for seed := range uint64(effort.Pick(160, 25)) {
		r := rand.New(rand.NewPCG(seed, 42))
		const k = 8
		input := newNearInput(r)
		mates := input.pairs(30, 90, k)
		reference, reads, _ := writePairs(t, input.all(), mates)
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: k}, Gaps: GapsUnit}
		text, _ := runText(t, o)
		all := byName(text)
		for _, strata := range []int{0, 2, 4} {
			o.Report = Report{Mode: ReportStrata, Strata: strata}
			text, _ := runText(t, o)
			for name, got := range byName(text) {
				if all[name][0].edits < 0 {
					continue
				}
				var want []nearRecord
				counts := make([]int32, k+1)
				horizon := min(all[name][0].edits+max(strata, nearEdits), k)
				for _, x := range all[name] {
					if x.edits <= horizon {
						counts[x.edits]++
					} else {
						left++
					}
					if x.edits <= all[name][0].edits+strata {
						want = append(want, x)
					}
				}
				for i := range want {
					want[i].mapQ = 0
				}
				want[0].mapQ = int(editsOdds.mapQ(counts, horizon))
				reported += len(want)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, strata:%d, read %s: %+v, want %+v", seed, strata, name, got, want)
				}
			}
		}
	}
	if left < 400 || reported < 1000 {
		t.Errorf("%d locations beyond, %d reported: the test shows little", left, reported)
	}
}

// A nearRecord is what TestNearOfReads compares. An unmapped one has -1 edits.
type nearRecord struct {
	site        string
	edits, mapQ int
}

// byName returns the records of each read, in order.
func byName(text string) map[string][]nearRecord {
	all := map[string][]nearRecord{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "@") {
			continue
		}
		x := nearRecord{site: f[2] + ":" + f[3] + " " + f[5], edits: -1}
		flags, _ := strconv.Atoi(f[1])
		x.site += fmt.Sprint(flags & 16)
		x.mapQ, _ = strconv.Atoi(f[4])
		for _, tag := range f[11:] {
			if edits, ok := strings.CutPrefix(tag, "NM:i:"); ok {
				x.edits, _ = strconv.Atoi(edits)
			}
		}
		all[f[0]] = append(all[f[0]], x)
	}
	return all
}

// TestNearOfPairs takes the near locations of mates from all locations, and weighs all combinations
// that count.
func TestNearOfPairs(t *testing.T) {
	t.Parallel()
	const k = 7
	near, wide, beyond, low := 0, 0, 0, 0
	for seed := range uint64(effort.Pick(54, 30)) {
		r := rand.New(rand.NewPCG(seed, 43))
		input := newNearInput(r)
		reads := input.pairs(40, 70, k)
		ref := truth.Reference(t, input.all()...)
		o := Options{Distance: Distance{Edits: k}, Pairs: PairOptions{Orientation: OrientationFR, MaxInsert: 1}}
		model := &insertModel{low: 60, high: 220, mean: 140, spread: 35}
		if seed%3 > 0 {
			o.limits.bases, model.spread = 1<<(20+5*(seed%5)), 2
		}
		whole := chosenOf(t, ref, model, reads, o)
		o.Report.Mode = ReportOne
		one := chosenOf(t, ref, model, reads, o)
		for i := 0; i < len(reads); i += 2 {
			var sets [2][]locate.Location
			for x := range sets {
				c := whole.choices[i+x]
				sets[x] = slices.Clone(whole.group.locations[c.from:c.to])
			}
			if len(sets[0]) == 0 || len(sets[1]) == 0 || least(sets[0]) > k || least(sets[1]) > k {
				continue
			}
			known, isNear := countedSets(&o.Pairs, model, &sets, k, int(one.pairing.wide(model)))
			if isNear {
				near++
			} else {
				wide++
			}
			for x := range sets {
				beyond += whole.choices[i+x].found - len(sets[x])
				c := one.choices[i+x]
				primary := one.group.locations[c.from]
				at := slices.IndexFunc(sets[x], func(l locate.Location) bool { return compareSites(&l, &primary) == 0 })
				if at < 0 || c.found != len(sets[x]) {
					t.Fatalf("seed %d, pair %d, mate %d: %d locations of %d, the primary one is number %d", seed, i/2, x, c.found, len(sets[x]), at)
				}
				sets[x][0], sets[x][at] = sets[x][at], sets[x][0]
			}
			want := weighAll(&o.Pairs, model, max(o.limits.bases, int64(ref.TotalLength())), sets[0], sets[1], known)
			if got := want.likelihood(0, 0); got < want.largest*(1-roundedAway) {
				t.Fatalf("seed %d, pair %d: the primary locations have likelihood %g, others %g", seed, i/2, got, want.largest)
			}
			all := weighAll(&o.Pairs, model, max(o.limits.bases, int64(ref.TotalLength())), whole.group.locations[whole.choices[i].from:whole.choices[i].to],
				whole.group.locations[whole.choices[i+1].from:whole.choices[i+1].to], [2]int{k, k})
			if want.largest < all.largest*(1-roundedAway) {
				t.Fatalf("seed %d, pair %d: a combination that does not count has likelihood %g, the best one %g", seed, i/2, all.largest, want.largest)
			}
			for x := range sets {
				if q, wanted := one.choices[i+x].mapQ, want.quality(x); q != wanted {
					t.Fatalf("seed %d, pair %d, mate %d: MAPQ %d, want %d", seed, i/2, x, q, wanted)
				} else if q < 60 {
					low++
				}
			}
		}
	}
	if near < 200 || wide < 50 || beyond < 500 || low < 100 {
		t.Errorf("%d near, %d wide, %d beyond, %d of low quality: the test shows little", near, wide, beyond, low)
	}
}

// chosenOf is chosen for pairs with a model of insert sizes.
func chosenOf(t *testing.T, ref *dna.Reference, model *insertModel, reads []string, o Options) *worker {
	t.Helper()
	o.limits.atOnce = true
	return chosen(t, ref, pairedLibrary(model, &o), reads, &o)
}

// countedSets leaves those locations of two mates in sets that count, and returns up to which
// distances they are known.
func countedSets(o *PairOptions, model *insertModel, sets *[2][]locate.Location, k, wide int) (known [2]int, isNear bool) {
	within := func(beyond int) (some [2][]locate.Location) {
		for x, all := range sets {
			known[x] = min(k, int(least(all))+beyond)
			for _, l := range all {
				if int(l.Distance) <= known[x] {
					some[x] = append(some[x], l)
				}
			}
		}
		return some
	}
	some := within(nearEdits)
	w := &weighed{o: o, model: model, a: some[0], b: some[1]}
	best := math.MaxInt
	for i := range w.a {
		for j := range w.b {
			if w.proper(i, j) {
				best = min(best, int(w.a[i].Distance+w.b[j].Distance))
			}
		}
	}
	if isNear = best <= int(least(w.a)+least(w.b))+nearEdits; !isNear {
		some = within(wide)
	}
	*sets = some
	return known, isNear
}

// roundedAway is by how much likelihoods differ at most that are equal in hundredths of a decibel.
const roundedAway = 0.005

// TestFirst has large and small batches on repetitive references and others.
func TestFirst(t *testing.T) {
	repeats := wordsOf(t, strings.Repeat(truth.Random(rand.New(rand.NewPCG(1, 2)), 500, "ACGT"), 10))
	unique := wordsOf(t, truth.Random(rand.New(rand.NewPCG(3, 4)), 5000, "ACGT"))
	for _, c := range []struct {
		shared                    *sharedReference
		of, length, k, more, want int
	}{
		{repeats, firstReads, 150, 6, 0, 3},
		{repeats, firstReads, 150, 6, 2, 5},
		{repeats, firstReads, 150, 6, 3, 6}, // all at once
		{repeats, firstReads, 100, 4, 0, 3},
		{repeats, firstReads, 100, 3, 0, 3},
		{repeats, firstReads, 250, 10, 0, 4}, // one edit more is planned for
		{repeats, firstReads - 1, 150, 6, 0, 6},
		{repeats, 0, 150, 6, 0, 6}, // a GPU
		{unique, firstReads, 150, 6, 0, 6},
		{unique, firstReads, 150, 7, 0, 3}, // saves many edits
		{unique, 0, 150, 7, 1, 7},
		{unique, 0, 150, 8, 1, 4},
		{&sharedReference{}, firstReads, 150, 6, 0, 6}, // words were not counted
	} {
		o := Options{Report: Report{Mode: ReportOne}, shared: c.shared}
		o.shared.more.Store(int32(c.more))
		if got := o.first(c.of, c.length, c.k); got != c.want {
			t.Errorf("%d reads of %d bases with %d edits, %d more, repetitive %t: up to %d, want %d",
				c.of, c.length, c.k, c.more, c.shared.Repetitive(), got, c.want)
		}
	}
}

// wordsOf has a finder count the words of a text.
func wordsOf(t *testing.T, text string) *sharedReference {
	t.Helper()
	s := &sharedReference{}
	find.OnCPU(truth.Reference(t, text), find.Options{
		Engine: EngineSkim, Threads: 1, Times: &find.Times{}, Words: &s.Words, Limits: find.Limits{CountedBases: 1},
	})
	return s
}

func TestInSteps(t *testing.T) {
	for _, c := range []struct {
		of, length int
		distance   string
		report     ReportMode
		want       bool
	}{
		{firstReads, 150, "4%", ReportOne, true},
		{firstReads, 150, "4%", ReportAll, false},
		{firstReads - 1, 150, "4%", ReportBest, false},
		{1, 150, "8%", ReportBest, true},
		{firstReads, 75, "4%", ReportOne, false},
	} {
		distance, err := ParseDistance(c.distance)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Distance: distance, Report: Report{Mode: c.report}, Engine: EngineSkim}
		if got := o.InSteps(c.of, c.length); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestSeeks has a step more for each kind of pieces that are shorter than the step's.
func TestSeeks(t *testing.T) {
	for _, c := range []struct {
		score string
		split bool
		want  []step
	}{
		{"80%", true, []step{seekNext, seekLast, seekParts}},
		{"75%", false, []step{seekNext, seekLast}},
		{"70%", false, []step{seekNext, seekLong, seekLast}},
		{"60%", true, []step{seekNext, seekLong, seekShort, seekLast, seekParts}},
		{"90", false, []step{seekNext, seekLong, seekShort, seekLast}},
	} {
		score, err := ParseScore(c.score)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Local: &Local{Score: score, Split: c.split}, Report: Report{Mode: ReportOne}, Engine: EngineSkim}
		if got := o.seeks(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.score, got, c.want)
		}
	}
}

// TestCountsSteps counts reads that were not sought to the end, by how many edits more they need.
func TestCountsSteps(t *testing.T) {
	o := Options{Report: Report{Mode: ReportOne}, Engine: EngineSkim, shared: &sharedReference{}}
	o.limits.stepReads = 1
	reads := truth.Reads(strings.Repeat("A", 150), strings.Repeat("C", 150), strings.Repeat("G", 75))
	b, err := find.OnCPU(truth.Reference(t, "ACGT"), o.finding(&find.Times{})).Pack(reads, 1, func(m int) int { return m / 25 })
	if err != nil {
		t.Fatal(err)
	}
	o.shared.count(&o, b, []int32{5, notAgain, notAgain})
	if want := [16]int{0: 1, 2: 1}; o.shared.planned != want {
		t.Errorf("%v, want %v", o.shared.planned, want)
	}
}

// TestCheapest has numbers of reads that need 0, 1, 2 and so on more edits than planned.
func TestCheapest(t *testing.T) {
	for _, c := range []struct {
		planned []int
		growth  float64
		want    int
	}{
		{[]int{100}, 2, 0},
		{[]int{50, 50}, 2, 0},    // 2 a read either way
		{[]int{49, 51}, 2, 1},    // 1 + 0.51 x 2 against 2
		{[]int{60, 40}, 1.5, 1},  // 1 + 0.4 x 1.5 against 1.5
		{[]int{70, 30}, 1.5, 0},  // 1 + 0.3 x 1.5
		{[]int{0, 0, 100}, 2, 2}, // all at once
	} {
		var r sharedReference
		copy(r.planned[:], c.planned)
		if got := r.cheapest(c.growth); got != c.want {
			t.Errorf("%v, growth %g: %d more, want %d", c.planned, c.growth, got, c.want)
		}
	}
}

// TestHeldByInsertedBases holds few locations of reads that qualify by inserted bases and lose more
// than K, and whose locations up to K are all known.
func TestHeldByInsertedBases(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 47))
	const m = 75
	text := truth.Random(r, 6000, "ACGT")
	var mates []string
	for i := range 40 {
		at := 100 + 100*i
		first, second := text[at:at+m], truth.ReverseComplement(text[at+300-m:at+300])
		if i%2 == 1 {
			first = text[at:at+35] + truth.Random(r, 6, "ACGT") + text[at+35:at+69]
		}
		if i%4 == 1 {
			second = truth.Random(r, m, "ACGT")
		}
		mates = append(mates, first, second)
	}
	reference, first, second := writePairs(t, []string{text}, mates)
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Threads: 1, BatchReads: 4,
		Engine: EngineSkim, Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportOne},
	}
	want, _ := runPairs(t, o)
	o.limits.heldLocations = 1
	if got, _ := runPairs(t, o); got != want {
		t.Errorf("other bytes (-all held +few)\n%s", firstDifference(want, got))
	}
}

// TestSoughtOnce has reads with two substitutions. At first it is not known whether they lie
// elsewhere with as few or a few more edits: each is sought again once.
func TestSoughtOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(51, 52))
	text := truth.Random(r, 5000, "ACGT")
	var reads []string
	for i := range 20 {
		reads = append(reads, truth.SubstitutedAt(text[200*i:200*i+150], 40, 110))
	}
	reference, first, _ := writePairs(t, []string{text}, reads)
	_, stats := runText(t, Options{
		Reference: reference, Libraries: []Library{{Reads: first}}, Threads: 2, Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportOne},
	})
	want := int64(len(reads) / 2) // the first mates
	for _, s := range stats.Stages {
		if s.Name == "again" && s.Items != want {
			t.Errorf("%d reads sought again, want %d", s.Items, want)
		}
	}
	if stats.Mapped != want {
		t.Errorf("%d of %d mapped", stats.Mapped, want)
	}
}

// TestWidest compares with wide for insert sizes of all kinds: locations beyond widest are not
// handed on.
func TestWidest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 45))
		o := drawNear(r)
		o.Local, o.Pairs.InsertSpread = nil, []float64{0, 0.001, 0.3, 50}[r.IntN(4)]
		bases := int64(1) << (3 + r.IntN(35))
		o.shared = &sharedReference{bases: bases}
		model := o.Pairs.given()
		if model == nil {
			model = fit(slices.Repeat([]int32{200}, 20+r.IntN(2)), 0)
		}
		p := pairing{options: &o.Pairs, bases: bases, odds: oddsOf(&o), group: &group{near: o.nearMate()}}
		if wide, mates := int(p.wide(model)), o.want().Mates; wide > mates {
			t.Errorf("%+v, %d bases: %d are handed on beyond the best, and %d may be chosen", model, bases, mates, wide)
		}
	}
}

// TestEstimateOnGPU estimates insert sizes of mates that have a second location with 4 edits, which
// a GPU may keep to itself: the estimate is the CPU's.
func TestEstimateOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(5, 5))
	const m = 250
	text, elsewhere := truth.Random(r, 30_000, "ACGT"), ""
	var mates []string
	for i := range 60 {
		at, insert := 100+400*i, 350+r.IntN(20)
		if i%3 == 0 {
			insert = 600
			elsewhere += truth.Random(r, 300, "ACGT") + truth.SubstitutedAt(text[at:at+m], 30, 90, 150, 210)
		}
		mates = append(mates, text[at:at+m], truth.ReverseComplement(text[at+insert-m:at+insert]))
	}
	reference, first, second := writePairs(t, []string{text, elsewhere + "ACGT"}, mates)
	o := Options{Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 6}, Report: Report{Mode: ReportOne}, Threads: 2}
	want, wantStats := runText(t, o)
	if diff := differentStats(ofReads(wantStats), ofReads(onGPU(t, o, driver, want))); diff != "" {
		t.Errorf("other statistics (-CPU +GPU)\n%s", diff)
	}
}

// TestStepsInChunks has reads sought in steps on a GPU with so little memory that each finder,
// those for reads that are sought again among them, has a part of the reference at a time.
func TestStepsInChunks(t *testing.T) {
	effort.OnlyFull(t, "looks through 24 Mb on the emulator, twice")
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 7))
	text := truth.Random(r, 24_000_000, "ACGT")
	var reads []string
	for i := range 40 {
		at := r.IntN(len(text) - 200)
		reads = append(reads, truth.Edited(r, text[at:at+150], i%9))
	}
	reference, first, second := writePairs(t, []string{text}, reads)
	o := Options{Reference: reference, Libraries: []Library{{Reads: first}, {Reads: second}}, Threads: 2, Distance: Distance{Edits: 9}, Report: Report{Mode: ReportOne}}
	want, _ := runText(t, o)
	onGPU(t, o, emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Memory: 12 << 20}), want)
}

// TestToFront brings near locations to the front, in the order that they have, and loses none.
func TestToFront(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	g := newGroup(nil, &Options{})
	for range 2000 {
		all := make([]locate.Location, r.IntN(9))
		var near []int32
		for i := range all {
			all[i] = locate.Location{End: int32(i), Distance: r.Int32N(3)}
			if all[i].Distance <= 1 {
				near = append(near, int32(i))
			}
		}
		given := slices.Clone(all)
		n := g.toFront(all, 1)
		var got []int32
		for i := range all[:n] {
			got = append(got, all[i].End)
		}
		if !slices.Equal(got, near) {
			t.Fatalf("%+v: %v are in front, want %v", given, got, near)
		}
		slices.SortFunc(all, func(a, b locate.Location) int { return cmp.Compare(a.End, b.End) })
		if !slices.Equal(all, given) {
			t.Fatalf("%+v became %+v", given, all)
		}
	}
}
