package search

import (
	"context"
	"errors"
	"slices"
	"testing"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/emulator"
)

// gpuBenchOf makes a measurement of an emulated GPU.
func gpuBenchOf(t *testing.T, o BenchOptions) *bench {
	t.Helper()
	o.Device = device.Choice{Kind: device.CUDA, Driver: emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})}
	o.Letters, o.Repetitions = MinBenchLetters, 1
	b, err := newBench(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A scheme that adds hits has reading as its ceiling, and room for its hits is made before times
// are taken.
func TestBenchOfHits(t *testing.T) {
	finder := gpuFinder{hits: true, find: func(g *gpuSearch, n *needle) {
		bruteForceGPU(g, n)
		g.collect()
	}}
	for alphabet, want := range map[Alphabet]ceiling{DNA: packedCeiling, Bytes: readCeiling} {
		b := gpuBenchOf(t, BenchOptions{Alphabet: alphabet, AlphabetSize: 2})
		needles, err := b.needles(4, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.measureOnGPU([]benchCase{{&Scheme{Method: "made", Name: "hits", gpu: &finder}, needles}}); err != nil {
			t.Fatal(err)
		}
		rows := b.result.Rows
		if len(rows) != 3 || rows[0].Name != string(want) || rows[2].Search.Ceiling != string(want) {
			t.Fatalf("%s: got %+v", alphabet, rows)
		}
		perLetter := float64(rows[0].Bytes) / float64(rows[1].Operations)
		if bits := map[Alphabet]float64{DNA: 2, Bytes: 8}[alphabet]; perLetter != bits/8 {
			t.Errorf("%s: %g bytes a letter", alphabet, perLetter)
		}
	}
}

// A scheme that finds nothing is not measured, and that is not the device's fault.
func TestBenchFindsNothing(t *testing.T) {
	nothing := &Scheme{Method: "made", Name: "nothing",
		gpu: &gpuFinder{find: func(g *gpuSearch, n *needle) { g.flagged(); g.queue.Clear(&g.flags, g.text.letters()) }},
		cpu: byCodes(func(*needle) ByteFinder { return func([]byte, func(int)) {} }),
	}
	b := gpuBenchOf(t, BenchOptions{Alphabet: Bytes, AlphabetSize: 4})
	needles, err := b.needles(4, 0)
	if err != nil {
		t.Fatal(err)
	}
	const want = "made/nothing found nothing, although what it sought is in the text"
	for where, measure := range map[string]func([]benchCase) error{"CPU": b.measureOnCPU, "GPU": b.measureOnGPU} {
		if err := measure([]benchCase{{nothing, needles}}); err == nil || err.Error() != want || errors.As(err, new(*device.Error)) {
			t.Errorf("%s: got %v", where, err)
		}
	}
}

func TestRandomBytes(t *testing.T) {
	n := 1 << 17
	for _, size := range []int{1, 3, 64, 256} {
		letters := randomBytes(n, size)
		count := map[byte]int{}
		for _, c := range letters {
			count[c-'A']++
		}
		least, most := n, 0
		for _, seen := range count {
			least, most = min(least, seen), max(most, seen)
		}
		if len(count) != size || 4*most > 5*n/size || 4*least < 3*n/size || !slices.Equal(letters, randomBytes(n, size)) {
			t.Errorf("%d values: %d are there, %d to %d times each", size, len(count), least, most)
		}
	}
}

func TestBenchOptions(t *testing.T) {
	good := BenchOptions{Alphabet: Bytes, AlphabetSize: 4, Letters: MinBenchLetters, PatternLengths: []int{4}, Distances: []int{0}}
	for name, spoil := range map[string]func(o *BenchOptions){
		"letters":        func(o *BenchOptions) { o.Letters = MinBenchLetters - 1 },
		"many letters":   func(o *BenchOptions) { o.Letters = MaxBenchLetters + 1 },
		"pattern length": func(o *BenchOptions) { o.PatternLengths = []int{0} },
		"distance":       func(o *BenchOptions) { o.Distances = []int{MaxDistance + 1} },
		"alphabet":       func(o *BenchOptions) { o.Alphabet = "rna" },
		"alphabet size":  func(o *BenchOptions) { o.AlphabetSize = 257 },
		"method":         func(o *BenchOptions) { o.Method = "fast" },
		"scheme":         func(o *BenchOptions) { o.Scheme = "fast" },
		"no distance":    func(o *BenchOptions) { o.Distances = nil },
	} {
		o := good
		spoil(&o)
		if r, err := Bench(context.Background(), o); err == nil {
			t.Errorf("%s: got %+v", name, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Bench(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
