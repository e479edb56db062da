package search

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
)

// TestTableOnGPU looks up many patterns in one table on one GPU and on three: guides with a PAM,
// IUPAC letters, patterns that are too short for the table, in texts with repeats, N and short
// contigs, in chunks and groups of any size. All is as on the CPU.
func TestTableOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
	scheme, err := FindScheme("neighbours", "table")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for round := range effort.Pick(20, 5) {
		contigs := []string{denseText(r, 2500), string(randomLetters(r, 1800, dna.Letters)), "ACGTN", denseText(r, 64), string(randomLetters(r, 700, "ACGTN"))}
		text := dnaText(t, contigs...)
		k := round % 5
		substitutions := round%2 == 1
		var patterns []Pattern
		for i := range 3 + r.IntN(30) {
			source := contigs[r.IntN(2)]
			m := k + 2 + r.IntN(60-k)
			from := r.IntN(len(source) - m)
			letters := mutate(r, []byte(source[from:from+m]), r.IntN(k+1), substitutions, dna.Letters)
			if r.IntN(4) == 0 {
				letters[r.IntN(len(letters))] = "RYSWKMBDHVN"[r.IntN(11)]
			}
			p, err := fixedPattern(fmt.Sprint(i), string(letters[:min(len(letters), 60)]), []string{"", "", "GG"}[r.IntN(3)], DNA)
			if err != nil {
				t.Fatal(err)
			}
			if p.free() > k {
				patterns = append(patterns, p)
			}
		}
		run := func(o Options) (all []Location) {
			t.Helper()
			o.Method, o.Scheme, o.Distance, o.Substitutions = scheme.Method, scheme.Name, k, substitutions
			if _, err := Run(t.Context(), text, patterns, o, func(some []Location) error {
				all = append(all, some...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return all
		}
		want := run(Options{Threads: 1})
		total += len(want)
		for _, o := range []Options{
			{},
			{bounds: bounds{perGPU: 1}},
			{bounds: bounds{perGPU: 1, stretch: 900}},
			{bounds: bounds{perGPU: 2000, ends: 50, batch: 7, patterns: 5}},
		} {
			o.Device = device.Choice{Kind: device.CUDA, Driver: driver}
			o.Threads = 1 + r.IntN(3)
			if diff := cmp.Diff(want, run(o)); diff != "" {
				t.Fatalf("%d patterns, k = %d, substitutions %t, %+v: (-CPU +GPU)\n%.2000s", len(patterns), k, substitutions, o.bounds, diff)
			}
		}
	}
	if total < 300 {
		t.Errorf("%d locations are too few", total)
	}
}

// TestTableNotThere: a table that cannot be brought to a GPU is an error.
func TestTableNotThere(t *testing.T) {
	t.Parallel()
	g, err := openGPU(emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{}), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	text := dnaText(t, "ACGTTGCATGACCATGACGTAGGTACGTTGCATGACCATGACGTAGGTA")
	g.text.upload(g.queue, text, textRange{last: text.Length(), to: text.Length()})
	p, err := NewPattern("p", []byte("TTGCATGACCATGACGTAGG"), DNA)
	if err != nil {
		t.Fatal(err)
	}
	needles := []*needle{newNeedle(&p, DNA, 1, true)}
	f, err := newTable(text, needles, tableOnGPU, 1)
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("out of memory")
	g.queue.Try(failure)
	if _, _, err := g.findTable(f, needles, 10, 1); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
}
