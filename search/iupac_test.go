package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
)

// expanded returns the readings of a text: one for each choice of bases for its letters. N has no
// base.
func expanded(text string) []string {
	all := []string{""}
	for _, letter := range []byte(text) {
		choices := bases[letter]
		if letter == 'N' {
			choices = "N"
		}
		var next []string
		for _, start := range all {
			for _, base := range choices {
				next = append(next, start+string(base))
			}
		}
		all = next
	}
	return all
}

// substitutedLocations are the locations of a pattern with at most k substitutions in a text whose
// letters stand for their bases: the locations in any of its readings, with the fewest
// substitutions of all.
func substitutedLocations(contigs []string, p *Pattern, k int) (all []truth.Location) {
	for c, contig := range contigs {
		for strand := range 2 {
			m := len(p.Letters)
			for start := 0; start+m <= len(contig); start++ {
				fewest := k + 1
				for _, site := range expanded(contig[start : start+m]) {
					site = truth.Strand(site, strand)
					distance := 0
					for i, letter := range p.Letters {
						if site[i] != 'N' && strings.IndexByte(bases[letter], site[i]) >= 0 {
							continue
						}
						if distance++; p.Exact != nil && p.Exact[i] {
							distance = k + 1
						}
					}
					fewest = min(fewest, distance)
				}
				if fewest <= k {
					all = append(all, truth.Location{Contig: c, Strand: strand, Start: start, End: start + m, Distance: fewest})
				}
			}
		}
	}
	return all
}

// TestReferenceIUPAC compares the locations in texts with IUPAC letters with the locations in all
// readings and, with edits, with all alignments: on the CPU and a GPU, of all patterns at a time
// and each alone, in one search and in repeated ones.
func TestReferenceIUPAC(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	total, byLetters := 0, 0
	for range effort.Pick(4, 2) {
		rapid.Check(t, func(rt *rapid.T) {
			contigs, reads, _ := truth.Draw(rt)
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "letters"), 31))
			for i, contig := range contigs {
				letters := []byte(contig[:min(len(contig), 300)])
				for range r.IntN(6) {
					at := r.IntN(len(letters))
					if letters[at] = "RYSWKMBDHVN"[r.IntN(11)]; r.IntN(4) == 0 { // a run
						copy(letters[at:], strings.Repeat(string(letters[at]), r.IntN(4)))
					}
				}
				contigs[i] = string(letters)
			}
			text := NewDNA(truth.Reference(t, contigs...))
			o := Options{Distance: rapid.IntRange(0, 3).Draw(rt, "k"), ReferenceIUPAC: true, Threads: rapid.IntRange(1, 2).Draw(rt, "threads")}
			limits := Limits{o.Distance, 1, rapid.IntRange(0, 1).Draw(rt, "RNA bulges")}
			kind := rapid.SampledFrom([]string{"substitutions", "edits", "limits"}).Draw(rt, "kind")
			o.Substitutions = kind == "substitutions"
			if kind == "limits" {
				o.Limits = &limits
			}
			var patterns []Pattern
			for _, read := range reads {
				read = strings.ReplaceAll(read[:min(len(read), 24)], "N", "R")
				target := drawTarget(rt, max(len(read), 1))
				p, err := target.Patterns([]Pattern{pattern(t, read+strings.Repeat("C", max(0, o.Distance+1-len(read))), "", DNA)})
				if err != nil {
					t.Fatal(err)
				}
				if p[0].free() > o.Distance && len(patterns) < 4 {
					patterns = append(patterns, p[0])
				}
			}
			o.bounds = rapid.SampledFrom([]bounds{{}, {stretch: 64, patterns: 2}, small(64), {ends: 5, batch: 2, window: 64}}).Draw(rt, "bounds")
			if rapid.IntRange(0, 3).Draw(rt, "GPU") == 0 {
				o.Device = device.Choice{Kind: device.CUDA, Driver: driver}
			}
			got, found := locationsOf(t, text, patterns, o)
			for i := range patterns {
				var want []truth.Location
				switch {
				case o.Substitutions || o.Distance == 0:
					want = substitutedLocations(contigs, &patterns[i], o.Distance)
				case kind == "limits":
					want = limitedLocations(contigs, &patterns[i], o.Distance, limits, true)
				default:
					want = plainLocations(contigs, &patterns[i], o.Distance, true)
				}
				if d := diff.Diff(want, got[i]); d != "" {
					rt.Fatalf("%s, %v exact, in %q, %+v: (-want +got)\n%.2000s", patterns[i].Letters, patterns[i].Exact, contigs, o, d)
				}
			}
			total += len(found)
			o.ReferenceIUPAC = false
			_, without := locationsOf(t, text, patterns, o)
			byLetters += len(found) - len(without)
			o.ReferenceIUPAC = true
			if o.Device.Kind != device.CUDA && len(patterns) > 0 {
				repeated, err := NewRepeated(patterns, o)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					again := collect(t, func(emit func([]Location) error) (*Stats, error) { return repeated.Run(t.Context(), text, emit) })
					if len(again) != len(found) {
						rt.Fatalf("%d locations when repeated, %d before", len(again), len(found))
					}
				}
			}
		})
	}
	if total < 100 || byLetters < 50 {
		t.Errorf("%d locations, %d more than without the letters, are too few", total, byLetters)
	}
}
