package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
)

// TestRunInParts searches stretch by stretch and in smaller and smaller groups of patterns, and
// finds what one search at once does.
func TestRunInParts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 1))
	var patterns []Pattern
	for i, m := range []int{3, 20, 33, 70, 4, 20, 21} {
		p, err := NewPattern(fmt.Sprint(i), randomLetters(r, m, dna.Letters), DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	var contigs []string
	for _, n := range []int{700, 1, 300, 64, 2000} {
		text := planted(r, max(n, 100), patterns[r.IntN(len(patterns))].Letters, 1, false, dna.Letters+"N", 97)
		contigs = append(contigs, string(text[:n]))
	}
	text := dnaText(t, contigs...)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	several := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
	infos, err := several.Devices()
	if err != nil {
		t.Fatal(err)
	}
	named := []int{len(infos) - 1, 0}
	if len(infos) == 1 {
		t.Log("SKIPPED: one GPU is here, so no parts are shared out among several")
		named = named[:1]
	}
	run := func(o Options) []Location {
		t.Helper()
		var all []Location
		stats, err := Run(t.Context(), text, patterns, o, func(some []Location) error {
			all = append(all, some...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Locations != int64(len(all)) {
			t.Errorf("%d locations, but %d in the statistics", len(all), stats.Locations)
		}
		return all
	}
	for _, k := range []int{0, 2} {
		whole := Options{Method: "wu-manber", Scheme: "segment", Distance: k}
		want := run(whole)
		if len(want) < 50 {
			t.Fatalf("only %d locations", len(want))
		}
		for i, stretch := range []int{0, 1, 900} {
			for j, most := range []int{0, 1, 40} {
				for number, o := range []Options{
					{Method: "wu-manber", Scheme: "segment"}, {Method: "neighbours"},
					{Method: "wu-manber", Scheme: "scan", Device: device.Choice{Kind: device.CUDA, Driver: driver}},
					{Device: device.Choice{Kind: device.CUDA, Driver: several}},
					{Device: device.Choice{Kind: device.CUDA, Driver: several, Indices: named}},
				} {
					// By default most stretches and numbers are tried with each, but not all.
					if turn := i + 2*j + k/2; !effort.Full() && (number < 2 && turn%2 == 1 || number >= 2 && (turn+number)%4 > 0) {
						continue
					}
					if stretch == 1 && o.Method == "" && (o.Device.Indices == nil) == (k == 0) && !effort.Full() {
						continue // hundreds of stretches
					}
					o.Distance, o.bounds = k, bounds{stretch: stretch, ends: most, perGPU: 1}
					if diff := cmp.Diff(want, run(o)); diff != "" {
						t.Errorf("k = %d, stretch %d, most %d, %s on %s: (-want +got)\n%.2000s",
							k, stretch, most, o.Method, o.Device.Kind, diff)
					}
				}
			}
		}
	}
}

// TestDeviceOfNamedMethod has auto choose a device on which the method that is named runs.
func TestDeviceOfNamedMethod(t *testing.T) {
	p, err := NewPattern("p", []byte("ACGTTGCATGACCATGACGTAGGT"), DNA)
	if err != nil {
		t.Fatal(err)
	}
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, c := range []struct {
		method, scheme string
		letters        int64
		want           device.Kind
	}{
		{Auto, Auto, 3e10, device.CUDA}, {Auto, Auto, 1000, device.CPU},
		{"kmp", Auto, 3e10, device.CPU}, {"planes", "rows", 3e10, device.CPU}, {"shift-or", "segment-tiled", 1000, device.CUDA},
	} {
		s := &searcher{
			text: dnaText(t, "ACGT"), patterns: []Pattern{p}, needles: [][]*needle{{newNeedle(&p, DNA, 0, false)}},
			options: Options{Method: c.method, Scheme: c.scheme, Threads: 1, Device: device.Choice{Kind: device.Auto, Driver: driver}},
		}
		s.stats.TextLetters = c.letters
		err := s.choose()
		if got := s.options.Device.Kind; err != nil || got != c.want || len(s.schemes) != 1 {
			t.Errorf("%s/%s, %d letters: %s, %v; want %s", c.method, c.scheme, c.letters, got, err, c.want)
		}
	}
}

// TestAutoTakesTableOnGPU has auto choose a GPU, and a table there, for many guides and primers:
// also among patterns that are too long for it, which are in no table. They share one.
func TestAutoTakesTableOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 2))
	text := dnaText(t, string(randomLetters(r, 3000, dna.Letters)))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	const count = 200
	for _, c := range []struct {
		pam           string
		length, k     int
		substitutions bool
		letters       int64
		kind          device.Kind
	}{
		{"NGG", 20, 4, true, 3.1e9, device.CUDA},
		{"NGG", 20, 4, false, 3.1e9, device.CUDA},
		{"", 21, 2, true, 4.6e7, device.CUDA},
		{"", 21, 2, false, 3.1e9, device.Auto},
		{"NGG", 20, 4, false, 3.1e9, device.Auto},
	} {
		s := &searcher{
			text: text, needles: make([][]*needle, count), chunk: 1024,
			options: Options{
				Distance: c.k, Substitutions: c.substitutions, Threads: 2, bounds: bounds{}.orDefault(0),
				Device: device.Choice{Kind: c.kind, Driver: driver},
			},
		}
		s.stats.TextLetters = c.letters
		for i := range count {
			length := c.length
			if i%3 == 1 {
				length = 70
			}
			p, err := fixedPattern(fmt.Sprint(i), string(randomLetters(r, length, dna.Letters)), c.pam, DNA)
			if err != nil {
				t.Fatal(err)
			}
			s.patterns = append(s.patterns, p)
		}
		if c.kind == device.Auto {
			// On the CPU alone the long ones would be as fast.
			s.patterns = slices.DeleteFunc(s.patterns, func(p Pattern) bool { return len(p.Letters) > 64 })
		}
		if err := s.choose(); err != nil {
			t.Fatal(err)
		}
		if got := s.options.Device.Kind; got != device.CUDA {
			t.Errorf("%+v: searched on %q", c, got)
			continue
		}
		var inTable []int
		for i := range s.patterns {
			s.needles[i] = []*needle{s.forward(i), s.forward(i).reverseComplement()}
			table := s.schemes[i].FullName() == "neighbours/table"
			if want := len(s.patterns[i].Letters) <= 64; table != want {
				t.Fatalf("%+v: pattern %d of %d letters: auto chooses %s", c, i, len(s.patterns[i].Letters), s.schemes[i].FullName())
			}
			if table {
				inTable = append(inTable, i)
			}
		}
		runs, err := s.gpuRuns(3, len(s.patterns))
		if err != nil {
			t.Fatal(err)
		}
		inTable = slices.DeleteFunc(inTable, func(i int) bool { return i < 3 })
		last := runs[len(runs)-1]
		if last.table == nil || !slices.Equal(last.patterns, inTable) || len(last.needles) != 2*len(inTable) {
			t.Errorf("%+v: the table has patterns %v, want %v", c, last.patterns, inTable)
		}
		if want := len(s.patterns) - 3 - len(inTable) + 1; len(runs) != want {
			t.Errorf("%+v: %d runs, want %d", c, len(runs), want)
		}
	}
}

// TestAloneOnGPU: a pattern that is searched for alone, since all have too many ends, gets no table
// of its own if auto chose the table for all.
func TestAloneOnGPU(t *testing.T) {
	t.Parallel()
	table, err := FindScheme("neighbours", "table")
	if err != nil {
		t.Fatal(err)
	}
	text := dnaText(t, "ACGTTGCATGACCATGACGTAGGTACGTTGCATGACCATGACGTAGGTA")
	p, err := NewPattern("p", []byte("TTGCATGACCATGACGTAGG"), DNA)
	if err != nil {
		t.Fatal(err)
	}
	g, err := openGPU(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	g.text.upload(g.queue, text, textRange{last: text.Length(), to: text.Length()})
	n := newNeedle(&p, DNA, 1, true)
	var want [2][]int
	for i, method := range []string{"neighbours", Auto, ""} {
		g.table.of = nil
		s := &searcher{
			ctx: t.Context(), text: text, schemes: []*Scheme{table}, needles: [][]*needle{{n, n.reverseComplement()}},
			options: Options{Method: method, Distance: 1, Substitutions: true},
		}
		s.stats.TextLetters = 3e9
		found, err := (&stream{s: s}).findOnGPU(g, textRange{})
		if err != nil {
			t.Fatal(err)
		}
		hits := found()
		got := [2][]int{appendEnds(hits[0], 0, nil), appendEnds(hits[1], 0, nil)}
		if i == 0 {
			want = got
		}
		if made := g.table.of != nil; made != (method == "neighbours") {
			t.Errorf("method %q: a table was made: %t", method, made)
		}
		if !reflect.DeepEqual(got, want) || len(got[0]) == 0 {
			t.Errorf("method %q: ends %v, want %v", method, got, want)
		}
	}
}

// TestTooManyNeedles searches for more patterns than a scheme takes at a time.
func TestTooManyNeedles(t *testing.T) {
	text := dnaText(t, "ACGTACGTTTACGGAC")
	s := &searcher{
		ctx: t.Context(), text: text, found: make([]bool, 7),
		options: Options{Threads: 1, bounds: bounds{}.orDefault(0)},
	}
	scheme := &Scheme{Method: "made", Name: "few", cpu: func(text *Text, needles []*needle, threads int) (finder, error) {
		if len(needles) > 2 {
			return nil, &tooManyError{fmt.Errorf("%d needles", len(needles))}
		}
		return byCodes(newBruteForce)(text, needles, threads)
	}}
	for range s.found {
		p, err := NewPattern("p", []byte("ACG"), DNA)
		if err != nil {
			t.Fatal(err)
		}
		n := newNeedle(&p, DNA, 0, false)
		s.needles, s.schemes = append(s.needles, []*needle{n, n.reverseComplement()}), append(s.schemes, scheme)
	}
	var got []int
	s.emit = func(some []Location) error {
		for _, l := range some {
			got = append(got, l.Pattern)
		}
		return nil
	}
	if err := s.group(0, len(s.found)); err != nil {
		t.Fatal(err)
	}
	if len(got) != 5*len(s.found) || !slices.IsSorted(got) { // three of ACG, two of CGT
		t.Errorf("locations of patterns %v", got)
	}
	many := make([]*needle, mostNeedles+1)
	for i := range many {
		many[i] = s.needles[0][0]
	}
	if _, err := newNeighbours(text, many, 1); !errors.As(err, new(*tooManyError)) {
		t.Errorf("got %v for %d needles", err, len(many))
	}
	f := &neighbours{letters: text.Length(), q: leastWord}
	pieces := [][]neighbourPiece{{{0, 3, 0}}, {{0, 3, 0}}} // of four entries each
	if err := f.build(many[:2], pieces, 3, 1); !errors.As(err, new(*tooManyError)) {
		t.Errorf("got %v for a table that is too large", err)
	}
	if err := f.build(many[:2], pieces, 4, 1); err != nil {
		t.Error(err)
	}
}
