package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/gpu"
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
	three := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
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
				if (i+j)%2 == 1 && !effort.Full() {
					continue
				}
				for _, o := range []Options{
					{Method: "wu-manber", Scheme: "segment"}, {Method: "neighbours"},
					{Method: "wu-manber", Scheme: "scan", Device: device.Choice{Kind: device.CUDA, Driver: driver}},
					{Device: device.Choice{Kind: device.CUDA, Driver: three}},
					{Device: device.Choice{Kind: device.CUDA, Driver: three, Indices: []int{2, 0}}},
				} {
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

// TestTooManyNeedles searches for more patterns than a scheme takes at a time.
func TestTooManyNeedles(t *testing.T) {
	text := dnaText(t, "ACGTACGTTTACGGAC")
	s := &searcher{
		ctx: t.Context(), text: text, found: make([]bool, 7),
		options: Options{Threads: 1, bounds: bounds{}.orDefault()},
	}
	scheme := &Scheme{Method: "made", Name: "few", cpu: func(text *Text, needles []*needle) (finder, error) {
		if len(needles) > 2 {
			return nil, &tooManyError{fmt.Errorf("%d needles", len(needles))}
		}
		return byCodes(newBruteForce)(text, needles)
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
	if _, err := newNeighbours(text, many); !errors.As(err, new(*tooManyError)) {
		t.Errorf("got %v for %d needles", err, len(many))
	}
	f := &neighbours{text: text, q: leastWord}
	pieces := [][]neighbourPiece{{{0, 3, 0}}, {{0, 3, 0}}} // of four entries each
	if err := f.build(many[:2], pieces, 3); !errors.As(err, new(*tooManyError)) {
		t.Errorf("got %v for a table that is too large", err)
	}
	if err := f.build(many[:2], pieces, 4); err != nil {
		t.Error(err)
	}
}
