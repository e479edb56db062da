// Package finders is the contract that every finder of mapper/find passes: tests and benchmarks. A
// finder supplies a factory and gets both.
package finders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// T is what the tests of a factory may fail on: a testing.TB, or one that shrinks.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A Factory makes finders of a kind for a reference: one, or several that share devices. done gives
// them back.
type Factory func(t T, ref *dna.Reference, o find.Options) (finders []find.Finder, done func())

// Size says how much a suite does.
type Size int

// The sizes. Small is for finders that are emulated, and for finders of the CPU in `make test`.
const (
	// Least is for finders that differ from others of their kind in few places.
	Least Size = iota
	// Less is for finders that are emulated in `make test`, and for their variants.
	Less
	Small
	Full
)

// Test runs the tests of the contract for edits.
func Test(t *testing.T, make Factory, size Size) { test(t, make, locate.Edits, size) }

// TestSubstitutions runs them for substitutions alone.
func TestSubstitutions(t *testing.T, make Factory, size Size) {
	test(t, make, locate.Substitutions, size)
}

func test(t *testing.T, make Factory, metric locate.Metric, size Size) {
	s := suite{make: make, metric: metric, size: size}
	t.Run("ContigEnds", s.contigEnds)
	t.Run("Repeats", s.repeats)
	t.Run("Periods", s.periods)
	t.Run("Families", s.families)
	t.Run("OneWay", s.oneWay)
	t.Run("Substituted", s.substituted)
	t.Run("LongReads", s.longReads)
	t.Run("PieceLengths", s.pieceLengths)
	t.Run("ManyCandidates", s.manyCandidates)
	t.Run("SameReads", s.sameReads)
	t.Run("Parts", s.parts)
	t.Run("TooMuch", s.tooMuch)
	t.Run("Want", s.want)
	t.Run("Counts", s.counts)
	t.Run("Again", s.again)
	t.Run("Nothing", s.nothing)
}

type suite struct {
	make   Factory
	metric locate.Metric
	size   Size
}

// pick returns the first number for a full suite, otherwise the second. Suites that do less may
// have a number of their own, and ones that do least another.
func (s *suite) pick(full, small int, fewer ...int) int {
	if s.size == Full {
		return full
	}
	numbers := append([]int{small}, fewer...)
	return numbers[min(int(Small-s.size), len(fewer))]
}

// thinned returns the reads, or of a suite that does less each of a number.
func (s *suite) thinned(reads []string, less, least int) []string {
	return thinned(reads, s.pick(1, 1, less, least))
}

// thinned returns each of a number of reads.
func thinned(reads []string, each int) (some []string) {
	for i := 0; i < len(reads); i += each {
		some = append(some, reads[i])
	}
	return some
}

// engines are the engines that are compared with the truth.
var engines = []find.Engine{find.EngineSkim, find.EngineScan}

// options are the options of a test.
func (s *suite) options(engine find.Engine) find.Options { return options(engine, s.metric) }

func options(engine find.Engine, metric locate.Metric) find.Options {
	// References of any length have their words counted, if someone reads the counts.
	limits := find.Limits{CountedBases: 1}
	if engine == find.EngineScan {
		limits.CountedBases = math.MaxInt
	}
	return find.Options{Engine: engine, Metric: metric, Threads: 2, Times: &find.Times{}, Limits: limits}
}

// fixed gives every read the same k.
func fixed(k int) func(int) int { return func(int) int { return k } }

// found finds for reads with one finder, in parts where it likes, and returns the locations of
// each, whose alignments it replays.
func found(
	t T, f find.Finder, metric locate.Metric, ref *dna.Reference, contigs []string, reads []fasta.Read, together int, k func(int) int,
) [][]truth.Location {
	t.Helper()
	out, counted := handed(t, f, metric, ref, contigs, reads, together, k)
	for i := range counted {
		if counted[i] != nil {
			t.Fatalf("read %s: of all locations, which are wanted, %v are only counted", reads[i].Bases, counted[i])
		}
	}
	return out
}

// handed is found for a finder that may count locations alone, whose numbers by distance it returns
// too.
func handed(
	t T, f find.Finder, metric locate.Metric, ref *dna.Reference, contigs []string, reads []fasta.Read, together int, k func(int) int,
) (out [][]truth.Location, counted [][]uint32) {
	t.Helper()
	b, err := f.Pack(reads, together, k)
	if err != nil {
		t.Fatal(err)
	}
	var parts find.Parts
	out, counted = make([][]truth.Location, len(reads)), make([][]uint32, len(reads))
	for from := 0; from < len(reads); {
		var result find.Found
		part, err := parts.Next(f, b, from, &result)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(part.Reads); n == 0 || n%together != 0 && from+n != len(reads) {
			t.Fatalf("a part of %d reads, of which %d belong together", n, together)
		}
		r := find.NewReader(ref, metric, math.MaxInt, 2, find.Limits{Stretch: 1})
		for i := range part.Reads {
			view := part.Read(i)
			locations, left := r.Append(context.Background(), nil, part, &result, i, &view)
			if left != nil {
				t.Fatalf("read %d has locations that are not held", from+i)
			}
			out[from+i] = replayed(t, &r, contigs, &view, locations)
			counted[from+i] = slices.Clone(result.Counted(i, part.K(i)))
		}
		from += len(part.Reads)
	}
	return out, counted
}

// replayed aligns locations of a read, replays the alignments letter by letter, and returns them in
// order.
func replayed(t T, r *find.Reader, contigs []string, view *locate.Read, locations []locate.Location) (out []truth.Location) {
	t.Helper()
	letters := string(view.Strands[0].Letters)
	for _, l := range locations {
		r.Aligner.Align(view.Strand(l.Place), &l)
		var cigar []byte
		for _, o := range r.Aligner.Operations(&l) {
			cigar = append(strconv.AppendInt(cigar, int64(o.Length), 10), "MID"[o.Kind])
		}
		strand := truth.Strand(letters, l.Place.Strand())
		edits, gaps, end, err := truth.Replay(contigs[l.Place.Contig()], strand, int(l.Start), string(cigar))
		if err != nil {
			t.Fatalf("read %s: %v", letters, err)
		}
		if edits != int(l.Distance) || end != int(l.End) {
			t.Fatalf("read %s: %s has %d edits and ends at %d; the location has %d and %d", letters, cigar, edits, end, l.Distance, l.End)
		}
		out = append(out, truth.Location{
			Contig: l.Place.Contig(), Strand: l.Place.Strand(), End: end, Distance: edits, Gaps: gaps, Start: int(l.Start),
		})
	}
	slices.SortFunc(out, func(a, b truth.Location) int {
		return slices.Compare([]int{a.Contig, a.Strand, a.End}, []int{b.Contig, b.Strand, b.End})
	})
	return out
}

// searched is a read with k edits in contigs.
type searched struct {
	metric        locate.Metric
	contigs, read string
	k             int
}

// known has the locations of reads that a suite of this process looked for before, or does just
// now: suites draw the same ones, and plain dynamic programming takes most of their time.
var known sync.Map // from searched to func() []truth.Location

// expected returns the locations that there are.
func (s *suite) expected(contigs, reads []string, k func(length int) int) [][]truth.Location {
	text := strings.Join(contigs, ">")
	want := make([][]truth.Location, len(reads))
	for i, read := range reads {
		find := func() []truth.Location { return locations(s.metric, contigs, reads[i:i+1], k)[0] }
		first, _ := known.LoadOrStore(searched{s.metric, text, read, k(len(read))}, sync.OnceValue(find))
		want[i] = first.(func() []truth.Location)()
	}
	return want
}

// locations finds the locations that there are.
func locations(metric locate.Metric, contigs, reads []string, k func(length int) int) [][]truth.Location {
	want := make([][]truth.Location, len(reads))
	find := truth.Find
	if metric == locate.Substitutions {
		find = truth.FindSubstituted
	}
	for i, read := range reads {
		if k := k(len(read)); truth.Ambiguous(read) <= k {
			want[i] = find(contigs, read, k)
		}
	}
	return want
}

// compare checks that both engines lead to just the locations that there are.
func (s *suite) compare(t T, contigs, reads []string, k func(length int) int) {
	t.Helper()
	s.compareWith(t, s.expected(contigs, reads, k), contigs, reads, k)
}

// compareNew is compare for inputs that no other suite draws.
func (s *suite) compareNew(t T, contigs, reads []string, k func(length int) int) {
	t.Helper()
	s.compareWith(t, locations(s.metric, contigs, reads, k), contigs, reads, k)
}

func (s *suite) compareWith(t T, want [][]truth.Location, contigs, reads []string, k func(length int) int) {
	t.Helper()
	ref := truth.Reference(t, contigs...)
	for _, engine := range engines {
		finders, done := s.make(t, ref, s.options(engine))
		got := found(t, finders[0], s.metric, ref, contigs, truth.Reads(reads...), 1, k)
		done()
		for i, read := range reads {
			if !slices.Equal(want[i], got[i]) {
				diff := cmp.Diff(want[i], got[i])
				t.Fatalf("%s, %d edits, read %s, contigs %q: locations (-truth +got)\n%s", engine, k(len(read)), read, contigs, diff)
			}
		}
	}
}

// difference is what go-cmp says of locations that are not equal: it takes long to see that others
// are.
func difference(want, got [][]truth.Location) string {
	if slices.EqualFunc(want, got, slices.Equal[[]truth.Location]) {
		return ""
	}
	return cmp.Diff(want, got)
}

func (s *suite) contigEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{0, 4, 1, 2, 7}[:s.pick(5, 2)] {
		contigs, reads := truth.ContigEnds(r, k)
		if s.size == Least && k == 0 {
			continue
		}
		if s.size == Full && k%4 != 0 {
			reads = thinned(reads, 3)
		}
		s.compare(t, contigs, s.thinned(reads, 5, 11), fixed(k)) // strands take turns, so both stay
	}
}

// drawn is what truth.Draw draws.
type drawn struct {
	contigs, reads []string
	k              int
}

// repeats draws small repetitive texts, with N and low complexity. A small suite takes some
// examples.
func (s *suite) repeats(t *testing.T) {
	draw := rapid.Custom(func(rt *rapid.T) drawn {
		contigs, reads, k := truth.Draw(rt)
		return drawn{contigs, reads, k}
	})
	if s.size < Full {
		for seed := range s.pick(0, 12, 8, 4) {
			d := draw.Example(seed)
			s.compare(t, d.contigs, d.reads, fixed(d.k))
		}
		return
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw.Draw(rt, "input")
		s.compare(rt, d.contigs, d.reads, fixed(d.k))
	})
}

// families draws texts of diverged copies. SCANMAP_CASES is the number of reads, some thousands by
// default.
func (s *suite) families(t *testing.T) {
	n := number(t, "SCANMAP_CASES", s.pick(700, 100, 100, 40))
	var left, seed atomic.Int64
	left.Store(int64(n))
	for w := range s.pick(runtime.GOMAXPROCS(0), 1) {
		t.Run(strconv.Itoa(w), func(t *testing.T) {
			t.Parallel()
			for left.Load() > 0 {
				contigs, reads, k := truth.Families(rand.New(rand.NewPCG(uint64(seed.Add(1)), 7)))
				left.Add(-int64(len(reads)))
				s.compareNew(t, contigs, reads, fixed(k))
			}
		})
	}
}

// oneWay has reads whose pieces leave no choice, with k edits. As many as possible lie where they
// mislead, so that one group leads to the location (truth.OneWay).
func (s *suite) oneWay(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for range s.pick(30, 10, 6, 3) {
		k := r.IntN(33)
		contigs := []string{"GATTACA", ""}
		var reads []string
		for range 6 {
			read, text := truth.OneWay(r, k, 5+r.IntN(12))
			contigs[1] += text
			reads = append(reads, read)
		}
		s.compareNew(t, contigs, reads, fixed(k))
	}
}

// substituted has reads with about k substitutions and no gap, in a text of copies that differ by
// substitutions, so that the same place is found by several pieces, and of short periods, so that
// neighbouring places are locations. One read is its own reverse complement, and lies on both
// strands in one place.
func (s *suite) substituted(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	for i := range s.pick(18, 9, 9, 3) {
		k, m := []int{0, 1, 2, 3, 5, 8, 13, 32, 34}[i%9], 20+r.IntN(100)
		unit := truth.Random(r, m+r.IntN(100), []string{"ACGT", "ACGT", "ACGTN"}[r.IntN(3)])
		contigs := []string{truth.Random(r, 1+r.IntN(m), "ACGT"), "", ""}
		for c := range contigs {
			for range 1 + r.IntN(5) {
				contigs[c] += truth.Strand(truth.Substituted(r, unit, r.IntN(k+2)), r.IntN(2))
				contigs[c] += strings.Repeat(truth.Random(r, 1+r.IntN(4), "ACGT"), r.IntN(20))
			}
		}
		var reads []string
		for range 10 {
			text := contigs[r.IntN(3)]
			from := r.IntN(len(text))
			read := truth.Substituted(r, text[from:min(from+m, len(text))], max(k+r.IntN(3)-1, 0))
			reads = append(reads, truth.Strand(read, r.IntN(2)))
		}
		half := truth.Random(r, 6*(k+1), "ACGT")
		palindrome := half + truth.ReverseComplement(half)
		contigs[2] += palindrome + "GATT"
		s.compareNew(t, contigs, append(reads, palindrome, "A", "N", contigs[0]+"ACG"), fixed(k))
	}
}

func (s *suite) longReads(t *testing.T) {
	contigs, reads := truth.Long()
	for _, k := range []func(int) int{func(length int) int { return length * 4 / 100 }, fixed(33)}[:s.pick(2, 1)] {
		s.compare(t, contigs, s.thinned(reads, 2, 5), k) // edits take turns by three
	}
}

// pieceLengths has pieces of each length, in one batch.
func (s *suite) pieceLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	text := truth.Random(r, 2000, "ACGT")
	var reads []string
	for m := 1; m <= 120; m++ {
		from := r.IntN(len(text) - m)
		reads = append(reads, truth.Edited(r, text[from:from+m], r.IntN(4)))
	}
	s.compare(t, []string{text}, reads, fixed(3))
}

// copies makes contigs full of copies of three units, on both strands, and reads of the units: they
// have more candidates than a thread sorts on a GPU, than fit in shared memory, and than two runs
// of those.
func copies(n int) (contigs, reads []string) {
	r := rand.New(rand.NewPCG(91, 92))
	units := []string{truth.Random(r, 50, "ACGT"), truth.Random(r, 50, "ACGT"), truth.Random(r, 50, "ACGT")}
	var text strings.Builder
	for i := range n {
		unit := units[0]
		if i%3 == 0 {
			unit = units[1]
		}
		if i%40 == 0 {
			unit = units[2]
		}
		if r.IntN(2) == 0 {
			unit = truth.ReverseComplement(unit)
		}
		text.WriteString(truth.Edited(r, unit, r.IntN(4)) + truth.Random(r, r.IntN(20), "ACGT"))
	}
	for _, unit := range units {
		reads = append(reads, unit, truth.Edited(r, unit, 2))
	}
	whole := text.String()
	return []string{whole[:len(whole)/3], whole[len(whole)/3:]}, reads
}

func (s *suite) manyCandidates(t *testing.T) {
	contigs, reads := copies(s.pick(4500, 1500, 1000, 700))
	s.compare(t, contigs, reads, fixed(3))
}

// sameReads has a batch of one read many times, which lies with a gap: all have the same pieces and
// the same diagonals.
func (s *suite) sameReads(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	text := truth.Random(r, 300, "ACGT")
	contigs, read := []string{text[:100], text}, text[90:150]+text[151:200]
	reads := slices.Repeat([]string{read}, s.pick(3000, 300, 300, 150))
	want := slices.Repeat(locations(s.metric, contigs, reads[:1], fixed(2)), len(reads))
	s.compareWith(t, want, contigs, reads, fixed(2))
}

// mixed is n reads of several lengths, and others, in a text full of copies.
func mixed(n int) (contigs, reads []string) {
	contigs, reads = copies(5 * n)
	r := rand.New(rand.NewPCG(11, 12))
	for range n {
		text := contigs[r.IntN(2)]
		m := r.IntN(120)
		from := r.IntN(len(text) - m)
		reads = append(reads, truth.Edited(r, text[from:from+m], r.IntN(4)))
	}
	return contigs, reads[:len(reads)/2*2]
}

// parts lowers what may be held until each read, or pair, is a part of its own, and beyond.
func (s *suite) parts(t *testing.T) {
	contigs, reads := mixed(s.pick(40, 12, 8, 6))
	ref := truth.Reference(t, contigs...)
	for _, engine := range engines {
		var want [][]truth.Location
		for _, together := range []int{1, 2} {
			for i, limits := range []find.Limits{
				{Found: 100, Handed: 100, GPUFound: 100}, {Found: 1, Handed: 3, GPUFound: 3}, {Handed: 1, GPUQueue: 2},
				{Found: 1, GPUQueue: 50, GPUFound: 1}, {},
			}[:s.pick(5, 4)] {
				if s.size < Small && (i+together)%2 == 1 {
					continue
				}
				for _, batch := range []int{7, 0}[:s.pick(2, 1)] {
					o := s.options(engine)
					o.BatchReads = batch
					limits.CountedBases = o.Limits.CountedBases
					o.Limits = limits
					finders, done := s.make(t, ref, o)
					got := found(t, finders[0], s.metric, ref, contigs, truth.Reads(reads...), together, fixed(2))
					done()
					if want == nil {
						want = got
					}
					if diff := difference(want, got); diff != "" {
						t.Fatalf("%s, limits %+v, batches of %d, %d together: (-first +this)\n%s", engine, limits, batch, together, diff)
					}
				}
			}
		}
	}
}

// tooMuch has reads that belong together be found whatever the limits, and others be refused or
// handed on a few at a time.
func (s *suite) tooMuch(t *testing.T) {
	contigs, reads := copies(s.pick(300, 100))
	ref := truth.Reference(t, contigs...)
	for _, engine := range engines {
		o := s.options(engine)
		o.Limits.Found, o.Limits.Handed, o.Limits.GPUFound = 1, 1, 1
		finders, done := s.make(t, ref, o)
		defer done()
		f := finders[0]
		b, err := f.Pack(truth.Reads(reads...), 2, fixed(2))
		if err != nil {
			t.Fatal(err)
		}
		var result find.Found
		n, err := f.Find(b, &result)
		switch {
		case errors.Is(err, find.ErrTooMuch):
			if n, err = f.Find(b.Part(0, 1), &result); err != nil || n != 2 || result.Count(0, 2) < 20 {
				t.Errorf("%s: two reads: %v, %d found for %d", engine, err, result.Count(0, 2), n)
			}
		case err != nil:
			t.Fatal(err)
		default:
			for sum := n; ; sum += n {
				// With edits, reads that have no location have candidates.
				if n != 2 || s.metric == locate.Edits && result.Count(0, 2) < 2 {
					t.Fatalf("%s: %d found for %d reads after %d", engine, result.Count(0, n), n, sum-n)
				}
				if sum == len(reads) {
					break
				}
				if n, err = f.More(&result); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// want asks for the best locations of each read alone, and locations with some edits more: all
// these are handed on, and others are either handed on or counted. All locations of reads that
// belong together are handed on.
func (s *suite) want(t *testing.T) {
	type input struct {
		contigs, reads []string
		k              int
		limits         []find.Limits
	}
	inputs := []input{{k: 3, limits: []find.Limits{{}}}, {k: 3, limits: []find.Limits{
		{}, {Found: 100, Handed: 100, GPUFound: 100}, {Handed: 1, GPUQueue: 2}, {Found: 1, GPUQueue: 50, GPUFound: 1},
		{Listed: 1, GPUFound: 1}, {Listed: 30, GPUFound: 20, GPUQueue: 50},
	}}}
	inputs[0].contigs, inputs[0].reads = copies(s.pick(3000, 1500))
	inputs[1].contigs, inputs[1].reads = mixed(s.pick(40, 12, 8, 6))
	seeds := s.pick(8, 4)
	if s.size == Less {
		inputs[0].contigs, inputs[0].reads = copies(300)
		seeds = 1
	}
	for seed := range seeds {
		contigs, reads, k := truth.Families(rand.New(rand.NewPCG(uint64(seed), 17)))
		inputs = append(inputs, input{contigs, reads, k, []find.Limits{{}}})
	}
	if s.size == Least {
		inputs = inputs[1:2]
		inputs[0].limits = inputs[0].limits[3:5]
	}
	for _, in := range inputs {
		ref, all := truth.Reference(t, in.contigs...), s.expected(in.contigs, in.reads, fixed(in.k))
		for strata := range s.pick(3, 2, 2, 1) {
			for i, limits := range in.limits {
				if s.size == Less && (strata+i)%2 == 1 && len(in.limits) > 1 {
					continue
				}
				for _, engine := range engines {
					o := s.options(engine)
					limits.CountedBases = o.Limits.CountedBases
					o.Limits, o.Want = limits, find.Want{Best: true, Strata: strata}
					finders, done := s.make(t, ref, o)
					for together := 1; together <= 2; together++ {
						if s.size == Less && len(in.limits) > 1 && (strata+i)/2%2+1 != together {
							continue
						}
						got, counted := handed(t, finders[0], s.metric, ref, in.contigs, truth.Reads(in.reads...), together, fixed(in.k))
						for i := range all {
							if err := wanted(all[i], got[i], counted[i], strata, in.k, together); err != nil {
								t.Fatalf("%s, limits %+v, %d edits, strata %d, %d together, read %s: %v",
									engine, limits, in.k, strata, together, in.reads[i], err)
							}
						}
					}
					done()
				}
			}
		}
	}
}

// wanted checks what a finder handed on and counted of a read that has all the given locations.
func wanted(all, handed []truth.Location, counted []uint32, strata, k, together int) error {
	if counted != nil && (together > 1 || len(counted) != k+1) {
		return fmt.Errorf("%d distances are counted", len(counted))
	}
	best := k
	numbers := make([]int, k+1)
	for _, l := range all {
		best = min(best, l.Distance)
		numbers[l.Distance]++
	}
	there := make(map[truth.Location]bool, len(all)) // whether it is handed on
	for _, l := range all {
		there[l] = false
	}
	for _, l := range handed {
		if _, ok := there[l]; !ok {
			return fmt.Errorf("%+v is handed on, which is not there", l)
		}
		there[l] = true
		numbers[l.Distance]--
	}
	for _, l := range all {
		if l.Distance <= best+strata && !there[l] {
			return fmt.Errorf("%+v is not handed on, and the best has %d edits", l, best)
		}
	}
	for d, n := range counted {
		numbers[d] -= int(n)
	}
	if slices.ContainsFunc(numbers, func(n int) bool { return n != 0 }) {
		return fmt.Errorf("by distance %v more locations are there than are handed on or counted (%v)", numbers, counted)
	}
	return nil
}

// counts has only skim find candidates, and each read counted for its engine.
func (s *suite) counts(t *testing.T) {
	contigs, reads := copies(s.pick(300, 100))
	ref := truth.Reference(t, contigs...)
	for _, engine := range engines {
		finders, done := s.make(t, ref, s.options(engine))
		defer done()
		b, err := finders[0].Pack(truth.Reads(reads...), 1, fixed(2))
		if err != nil {
			t.Fatal(err)
		}
		var result find.Found
		if _, err := finders[0].Find(b, &result); err != nil {
			t.Fatal(err)
		}
		c := result.Counts
		skims := engine == find.EngineSkim
		if skims != (c.Candidates > 0) || skims != (c.Skimmed > 0) || skims == (c.Scanned > 0) || c.Batches != 1 {
			t.Errorf("%s: %+v", engine, c)
		}
	}
}

// again uses each finder for batches of several sizes, in the memory of the one before.
func (s *suite) again(t *testing.T) {
	contigs, reads := mixed(s.pick(40, 12))
	ref := truth.Reference(t, contigs...)
	for _, engine := range engines {
		finders, done := s.make(t, ref, s.options(engine))
		defer done()
		want := found(t, finders[0], s.metric, ref, contigs, truth.Reads(reads...), 1, fixed(3))
		for _, f := range finders {
			for _, n := range []int{1, len(reads), 3, len(reads) / 2} {
				got := found(t, f, s.metric, ref, contigs, truth.Reads(reads[:n]...), 1, fixed(3))
				if diff := difference(want[:n], got); diff != "" {
					t.Fatalf("%s, %d reads: (-first +this)\n%s", engine, n, diff)
				}
			}
		}
	}
}

// nothing has reads without bases, with too many ambiguous letters, and that lie nowhere.
func (s *suite) nothing(t *testing.T) {
	contigs := []string{strings.Repeat("AC", 200), "G"}
	ref := truth.Reference(t, contigs...)
	reads := []string{"", "NNNNNN", strings.Repeat("G", 40), ""}
	for _, engine := range engines {
		finders, done := s.make(t, ref, s.options(engine))
		defer done()
		for i, got := range found(t, finders[0], s.metric, ref, contigs, truth.Reads(reads...), 1, fixed(3)) {
			if len(got) > 0 {
				t.Errorf("%s: read %q has locations %v", engine, reads[i], got)
			}
		}
	}
}
