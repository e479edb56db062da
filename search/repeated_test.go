package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
)

// unnamedText is short contigs that lie as near to each other as a distance allows.
func unnamedText(rng *rand.Rand, contigs, most, k int) *Text {
	var ref dna.Reference
	for range contigs {
		letters := make([]byte, 1+rng.IntN(most))
		for i := range letters {
			letters[i] = "ACGTACGTACGTN"[rng.IntN(13)]
		}
		ref.AppendUnnamed(letters, k+1)
	}
	ref.Finish()
	return NewDNA(&ref)
}

// named is the same text with the usual padding.
func named(t *testing.T, text *Text) *Text {
	t.Helper()
	var ref dna.Reference
	for i := range text.contigs {
		c := &text.contigs[i]
		if err := ref.AddContig(fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
		var letters []byte
		for j := range c.Length {
			letters = append(letters, text.Letter(c.Start+j))
		}
		var bases dna.Sequence
		bases.Append(letters)
		ref.Append(&bases, nil)
	}
	ref.Finish()
	return NewDNA(&ref)
}

// TestRepeated searches texts one after another, by every scheme, and compares with Run in texts
// whose contigs are padded as in a reference.
func TestRepeated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for turn, c := range []struct {
		k             int
		substitutions bool
		lengths       []int
	}{{0, false, []int{8}}, {2, true, []int{9, 12}}, {2, false, []int{12, 12, 17}}, {5, false, []int{21, 24, 40}}, {3, false, []int{14}}} {
		var patterns []Pattern
		for i, m := range c.lengths {
			letters := make([]byte, m)
			for j := range letters {
				letters[j] = "ACGT"[rng.IntN(4)]
			}
			p, err := NewPattern(fmt.Sprint("p", i), letters, DNA)
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(patterns, p)
		}
		for _, m := range Methods() {
			for number, scheme := range append(m.Schemes, nil) {
				o := Options{Distance: c.k, Substitutions: c.substitutions, Threads: 2}
				name := "auto"
				if scheme != nil {
					o.Method, o.Scheme, name = scheme.Method, scheme.Name, scheme.FullName()
					refused := !scheme.CPU()
					for i := range patterns {
						refused = refused || scheme.refusal(newNeedle(&patterns[i], DNA, c.k, c.substitutions), false) != nil
					}
					if refused {
						continue
					}
				}
				// Few ends at a time, so that groups are split, in texts after which there are fewer.
				for _, ends := range effort.Pick([]int{0, 3}, []int{0, 3}[(turn+number)%2:][:1]) {
					o.bounds.ends = ends
					repeated, err := NewRepeated(patterns, o)
					if err != nil {
						t.Fatal(err)
					}
					repeated.Expect(ends << 20)
					for _, contigs := range []int{1, 40, 3, 90} {
						text := unnamedText(rng, contigs, 70, c.k)
						plant(rng, text, patterns)
						got := collect(t, func(emit func([]Location) error) (*Stats, error) {
							return repeated.Run(context.Background(), text, emit)
						})
						want := collect(t, func(emit func([]Location) error) (*Stats, error) {
							return Run(context.Background(), named(t, text), patterns, o, emit)
						})
						if !slices.EqualFunc(got, want, sameLocation) {
							t.Fatalf("%s, k = %d, %d contigs: %v, want %v", name, c.k, contigs, got, want)
						}
					}
				}
			}
		}
	}
}

// TestRepeatedOnGPU searches texts one after another on GPUs, which are opened once, with a table
// and without, and with more ends than are held.
func TestRepeatedOnGPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 2})
	var patterns []Pattern
	for i := range 6 {
		patterns = append(patterns, pattern(t, truth.Random(rng, 16+i, "ACGT"), "", DNA))
	}
	for _, method := range []string{Auto, "neighbours", "wu-manber"} {
		for _, b := range []bounds{{}, {ends: 3}, {perGPU: 100, stretch: 1000}} {
			o := Options{Method: method, Distance: 2, Threads: 2, Device: device.Choice{Kind: device.CUDA, Driver: driver}, bounds: b}
			repeated, err := NewRepeated(patterns, o)
			if err != nil {
				t.Fatal(err)
			}
			opened := driver.Calls()["cuDevicePrimaryCtxRetain"]
			found := 0
			for _, contigs := range []int{40, 3, 90} {
				text := unnamedText(rng, contigs, 70, 2)
				plant(rng, text, patterns)
				text = named(t, text)
				o.Device = device.Choice{Kind: device.CPU}
				want := collect(t, func(emit func([]Location) error) (*Stats, error) { return Run(t.Context(), text, patterns, o, emit) })
				got := collect(t, func(emit func([]Location) error) (*Stats, error) { return repeated.Run(t.Context(), text, emit) })
				if !slices.EqualFunc(got, want, sameLocation) {
					t.Fatalf("%s, %+v, %d contigs: %v, want %v", method, b, contigs, got, want)
				}
				found += len(got)
			}
			if err := repeated.Close(); err != nil {
				t.Fatal(err)
			}
			if opened = driver.Calls()["cuDevicePrimaryCtxRetain"] - opened; opened != 1 && b.perGPU == 0 || opened > 2 || found == 0 {
				t.Errorf("%s, %+v: GPUs were opened %d times, %d found", method, b, opened, found)
			}
		}
	}
}

// TestBeside searches texts at the same time, with tables and GPUs that are shared.
func TestBeside(t *testing.T) {
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 2})
	rng := rand.New(rand.NewPCG(5, 6))
	var patterns []Pattern
	for i := range 6 {
		patterns = append(patterns, pattern(t, truth.Random(rng, 16+i, "ACGT"), "", DNA))
	}
	for _, d := range []device.Choice{{Kind: device.CPU}, {Kind: device.CUDA, Driver: driver}} {
		for _, method := range []string{"neighbours", "planes", "wu-manber"} {
			// With 3 ends at a time groups are split, and with 2 patterns nothing is kept.
			for _, b := range []bounds{{}, {ends: 3}, {patterns: 2}, {perGPU: 100, stretch: 1000}} {
				o := Options{Method: method, Distance: 2, Threads: 2, Device: d, bounds: b}
				repeated, err := NewRepeated(patterns, o)
				if err != nil {
					t.Fatal(err)
				}
				var texts []*Text
				for i := range 9 {
					texts = append(texts, unnamedText(rng, []int{40, 3, 90}[i%3], 70, 2))
					plant(rng, texts[i], patterns)
					texts[i] = named(t, texts[i])
				}
				if err := repeated.Prepare(texts[0]); err != nil {
					t.Fatal(err)
				}
				got := make([][]Location, len(texts))
				var running sync.WaitGroup
				for first := range 3 {
					beside := repeated.Beside(1 + first)
					running.Go(func() {
						for i := first; i < len(texts); i += 3 {
							got[i] = collect(t, func(emit func([]Location) error) (*Stats, error) {
								return beside.Run(t.Context(), texts[i], emit)
							})
						}
					})
				}
				running.Wait()
				if err := repeated.Close(); err != nil {
					t.Fatal(err)
				}
				found := 0
				o.Device = device.Choice{Kind: device.CPU}
				for i, text := range texts {
					want := collect(t, func(emit func([]Location) error) (*Stats, error) { return Run(t.Context(), text, patterns, o, emit) })
					if !slices.EqualFunc(got[i], want, sameLocation) {
						t.Fatalf("%s, %s, %+v, text %d: %v, want %v", d.Kind, method, b, i, got[i], want)
					}
					found += len(want)
				}
				if found == 0 {
					t.Errorf("%s: nothing found", method)
				}
			}
		}
	}
}

// TestInOrder merges the strands of a pattern, also where one is not in order.
func TestInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var memory []Location
	for range 2000 {
		var list []Location
		for strand := range 2 {
			first := len(list)
			for range r.IntN(6) {
				start := r.IntN(8)
				list = append(list, Location{Contig: r.IntN(2), Start: start, End: start + 1 + r.IntN(3), Reverse: strand == 1, Distance: len(list)})
			}
			if r.IntN(4) > 0 {
				slices.SortFunc(list[first:], byPosition)
			}
		}
		want := slices.SortedStableFunc(slices.Values(list), byPosition)
		if memory = inOrder(list, memory); !slices.EqualFunc(list, want, func(a, b Location) bool { return byPosition(a, b) == 0 }) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}

// TestSettle has the devices on which Run would search.
func TestSettle(t *testing.T) {
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	p, err := NewPattern("p", []byte("ACGTTGCATGACCATG"), DNA)
	if err != nil {
		t.Fatal(err)
	}
	text, patterns := dnaText(t, strings.Repeat("ACGT", 20)), []Pattern{p}
	for _, c := range []struct {
		scheme string // of shift-or
		kind   device.Kind
		want   device.Kind
	}{
		{Auto, "", ""}, {Auto, device.CPU, device.CPU}, {Auto, device.CUDA, device.CUDA},
		{Auto, device.Auto, device.CPU}, {"segment-tiled", device.Auto, device.CUDA},
	} {
		o := Options{Method: "shift-or", Scheme: c.scheme, Device: device.Choice{Kind: c.kind, Driver: driver}}
		got, onCPU, err := Settle(t.Context(), text, patterns, o)
		if err != nil || got.Device.Kind != c.want || onCPU != (c.want != device.CUDA) {
			t.Fatalf("%+v: %q, %v, %v", c, got.Device.Kind, onCPU, err)
		}
		stats, err := Run(t.Context(), text, patterns, o, func([]Location) error { return nil })
		if err != nil || (stats.Device == string(device.CPU)) != onCPU {
			t.Fatalf("%+v: Run searched on %v, %v", c, stats, err)
		}
	}
	for letters, want := range map[int]device.Kind{0: device.CPU, 80: device.CPU, 1 << 40: device.CUDA} {
		got, _, err := Settle(t.Context(), text.Expecting(letters), patterns, Options{Device: device.Choice{Kind: device.Auto, Driver: driver}})
		if err != nil || got.Device.Kind != want {
			t.Fatalf("%d letters: %q, %v", letters, got.Device.Kind, err)
		}
	}
	o := Options{Distance: 16, Device: device.Choice{Kind: device.Auto}}
	if _, _, err := Settle(t.Context(), text, patterns, o); err == nil || err.Error() != `pattern "p": it has 16 letters and would match everywhere with 16 edits` {
		t.Error(err)
	}
}

// plant writes patterns over the ends and starts of contigs, in part.
func plant(rng *rand.Rand, text *Text, patterns []Pattern) {
	var ref dna.Reference
	for i := range text.contigs {
		c := &text.contigs[i]
		letters := make([]byte, c.Length)
		for j := range letters {
			letters[j] = text.Letter(c.Start + j)
		}
		p := patterns[rng.IntN(len(patterns))].Letters
		switch rng.IntN(3) {
		case 0:
			copy(letters, p[min(rng.IntN(3), len(p)):])
		case 1:
			if skip := c.Length - len(p) + rng.IntN(3); skip >= 0 {
				copy(letters[min(skip, c.Length):], p)
			}
		}
		var bases dna.Sequence
		bases.Append(letters)
		ref.Contigs = append(ref.Contigs, *c)
		ref.Bases.Reserve(c.Start)
		ref.Bases.Length = c.Start
		ref.Bases.AppendSequence(&bases)
	}
	ref.Finish()
	*text = *NewDNA(&ref)
}

func sameLocation(a, b Location) bool {
	return a.Pattern == b.Pattern && a.Contig == b.Contig && a.Start == b.Start && a.End == b.End && a.Reverse == b.Reverse &&
		a.Distance == b.Distance && slices.Equal(a.Operations, b.Operations)
}

// collect returns all locations of a search, and checks their number.
func collect(t *testing.T, run func(emit func([]Location) error) (*Stats, error)) []Location {
	t.Helper()
	var all []Location
	stats, err := run(func(l []Location) error { all = append(all, l...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if stats.Locations != int64(len(all)) {
		t.Fatalf("%d locations, counted as %d", len(all), stats.Locations)
	}
	return all
}
