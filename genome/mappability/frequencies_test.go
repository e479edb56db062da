package mappability

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"scanmap/dna"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestChunks compares the work of goroutines, chunk by chunk, with plain loops. Letters that match
// nothing, ends of contigs and ends of regions lie at borders of chunks.
func TestChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	letters := make([]byte, 3*chunkKMers)
	for i := range letters {
		letters[i] = dna.Letters[random.IntN(4)]
	}
	for _, at := range []int{chunkKMers - 1, chunkKMers, chunkKMers + 5, 2*chunkKMers - 6, len(letters) - 1} {
		letters[at] = 'N'
	}
	ref := truth.Reference(t, string(letters), "ACGTACGT", string(letters[:chunkKMers+3]))
	const length, edits = 6, 1
	for _, regions := range [][]Region{nil, {{0, 17, chunkKMers + 20}, {0, 2 * chunkKMers, 3 * chunkKMers}, {2, 1, 2}}} {
		o := Options{Length: length, Edits: edits, Threads: 3, Regions: regions, ExcludeSelf: true}
		f := newFrequencies(ref, &o)
		want := make([]uint32, len(f.counts))
		sum := Summary{}
		for x := range want {
			f.counts[x], want[x] = uint32(x%3), None
		}
		for _, s := range f.starts {
			for x := s.from; x < s.to; x++ {
				sum.Positions++
				ambiguous := 0
				for i := range length {
					ambiguous += f.ambiguous(x + i)
				}
				if ambiguous > edits {
					continue
				}
				want[x] = uint32(max(x%3-1, 0))
				sum.KMers++
				sum.Places += uint64(want[x])
				sum.Largest = max(sum.Largest, want[x])
				sum.Mappability += 1 / float64(want[x]+1) // with its own place
				if want[x] == 0 {
					sum.Unique++
				}
			}
		}
		f.excludeSelf()
		f.close()
		for x := range want {
			if f.counts[x] != want[x] {
				t.Fatalf("regions %v: offset %d has %d, want %d", regions, x, f.counts[x], want[x])
			}
		}
		if got := f.Summarize(); got != sum {
			t.Errorf("regions %v: got %+v, want %+v", regions, got, sum)
		}
		var raw, plain bytes.Buffer
		if err := f.WriteRaw(&raw, Freq16); err != nil {
			t.Fatal(err)
		}
		for i := range ref.Contigs {
			for _, n := range f.Of(i) {
				if n == None {
					n = 0
				}
				_ = binary.Write(&plain, binary.LittleEndian, uint16(n))
			}
		}
		if !bytes.Equal(raw.Bytes(), plain.Bytes()) {
			t.Errorf("regions %v: other raw numbers", regions)
		}
	}
}

// TestAddUp compares sums of several blocks with sums taken one by one.
func TestAddUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(81, 82))
	for _, n := range []int{0, 1, chunkKMers - 1, chunkKMers, chunkKMers + 1, 2*chunkKMers + 3} {
		counts, want, sum := make([]uint32, n), make([]uint32, n), uint32(0)
		for i := range counts {
			counts[i] = r.Uint32()
			sum += counts[i]
			want[i] = sum
		}
		addUp(counts, 1+r.IntN(3))
		for i := range want {
			if counts[i] != want[i] {
				t.Fatalf("%d differences: %d at %d, not %d", n, counts[i], i, want[i])
			}
		}
	}
}

// TestUniqueOfGenomes counts genomes instead of places: the same K-mers are unique.
func TestUniqueOfGenomes(t *testing.T) {
	const repeat = "ACGATTTACGC"
	genomes := []*dna.Reference{
		truth.Reference(t, repeat+"AGGATCCAGT"+repeat, "GATTACAGGCATCGGA"),
		truth.Reference(t, "CCGGATCCAGTACGTT", repeat+repeat),
	}
	unique := func(genomes []*dna.Reference, o Options) (string, int64) {
		f, err := Run(context.Background(), genomes, o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.WriteUnique(&b); err != nil {
			t.Fatal(err)
		}
		return b.String(), f.Summarize().Unique
	}
	for _, o := range []Options{
		{Length: 10},
		{Length: 10, Metric: locate.Substitutions, Edits: 1, Engine: EngineShared},
		{Length: 10, Metric: locate.Substitutions, Edits: 1, Engine: EngineReads},
		{Length: 10, Edits: 1, ForwardOnly: true},
		{Length: 10, Edits: 1, ExcludeSelf: true},
	} {
		for n := 1; n <= len(genomes); n++ {
			o.Genomes = false
			want, wantSum := unique(genomes[:n], o)
			o.Genomes = true
			got, sum := unique(genomes[:n], o)
			if got != want || sum != wantSum || sum == 0 {
				t.Errorf("%+v, %d genomes: %d unique\n%swant %d\n%s", o, n, sum, got, wantSum, want)
			}
		}
	}
	// The two copies begin at 0 and 21, and have two 10-mers each.
	if got, _ := unique([]*dna.Reference{truth.Reference(t, repeat+"AGGATCCAGT"+repeat)}, Options{Length: 10, Genomes: true}); got != "c0\t2\t21\n" {
		t.Errorf("unique are %q", got)
	}
}
