package mappability

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/truth"
)

// TestMostFrequencies has counts at the most that 32 bits hold beside None, and about the most that
// files hold.
func TestMostFrequencies(t *testing.T) {
	for _, c := range []struct {
		a    uint32
		b    uint64
		want uint32
	}{
		{0, 0, 0}, {1, 2, 3}, {Most - 1, 1, Most}, {Most - 1, 2, Most}, {Most, 1, Most}, {0, Most, Most}, {0, None, Most}, {5, 1 << 32, Most}, {Most, 1 << 40, Most},
	} {
		if got := addSaturated(c.a, c.b); got != c.want {
			t.Errorf("%d and %d are %d, want %d", c.a, c.b, got, c.want)
		}
	}
	// The largest stands for larger ones, so that no own place is taken off.
	f := newFrequencies(truth.Reference(t, "ACGTACGT"), &Options{Length: 4, Threads: 1, ExcludeSelf: true})
	copy(f.counts, []uint32{0, 1, 2, Most, Most - 1})
	f.excludeSelf()
	for i, want := range []uint32{0, 0, 1, Most, Most - 2} {
		if f.counts[i] != want {
			t.Errorf("%d: %d, want %d", i, f.counts[i], want)
		}
	}
	numbers := []uint32{0, 1, 255, 256, 65535, 65536, 1 << 24, Most, None}
	get16, get32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	for i, n := range numbers {
		number := n
		if n == None {
			number = 0
		}
		eight, sixteen := appendRaw(nil, numbers, Freq8)[i], get16(appendRaw(nil, numbers, Freq16)[2*i:])
		inverse := math.Float32frombits(get32(appendRaw(nil, numbers, Map)[4*i:]))
		want := float32(0)
		if number > 0 {
			want = 1 / float32(min(number, 65535))
		}
		if uint32(eight) != min(number, 255) || uint32(sixteen) != min(number, 65535) || inverse != want {
			t.Errorf("%d: %d, %d, %g", n, eight, sixteen, inverse)
		}
	}
}

// TestRawOfManyBlocks has more numbers than the blocks of all threads hold at a time, and about as
// many.
func TestRawOfManyBlocks(t *testing.T) {
	for _, length := range []int{1 << 16, 4<<16 - 1, 4 << 16, 4<<16 + 1, 9<<16 + 5} {
		f := newFrequencies(truth.Reference(t, strings.Repeat("ACGTTGCA", length/8+1)[:length], "ACGT"), &Options{Length: 4, Threads: 1})
		var want []byte
		for contig := range 2 {
			of := f.Of(contig)
			for i := range of {
				of[i] = uint32(i%251 + contig)
				want = append(want, byte(of[i]))
			}
		}
		for _, threads := range []int{1, 3} {
			f.threads = threads
			var got bytes.Buffer
			if err := f.WriteRaw(&got, Freq8); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%d bases, %d threads: %d bytes, want %d, %v", length, threads, got.Len(), len(want), err)
			}
		}
	}
}

// TestSpansThatTouch has regions that overlap, touch and lie inside each other, up to the last
// K-mer.
func TestSpansThatTouch(t *testing.T) {
	ref := truth.Reference(t, "ACGTACGTACGT")
	start := ref.Contigs[0].Start
	for _, c := range []struct {
		regions []Region
		want    []span
	}{
		{nil, []span{{0, 9}}}, {[]Region{}, nil}, {[]Region{{0, 0, 12}}, []span{{0, 9}}}, {[]Region{{0, 8, 9}}, []span{{8, 9}}}, {[]Region{{0, 9, 12}}, nil},
		{[]Region{{0, 2, 4}, {0, 4, 6}}, []span{{2, 6}}}, {[]Region{{0, 2, 4}, {0, 5, 6}}, []span{{2, 4}, {5, 6}}},
		{[]Region{{0, 0, 8}, {0, 2, 4}, {0, 6, 7}}, []span{{0, 8}}}, {[]Region{{0, 3, 5}, {0, 1, 4}}, []span{{1, 5}}}, {[]Region{{0, 3, 3}}, nil},
	} {
		got := startsOf(ref, 4, c.regions)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = got[i] == span{start + c.want[i].from, start + c.want[i].to}
		}
		if !same {
			t.Errorf("%v: %v, want %v", c.regions, got, c.want)
		}
	}
}

// TestManyEqualKMers has K-mers that lie at hundreds of places, by all engines and one edit or
// none, beside a count over all places.
func TestManyEqualKMers(t *testing.T) {
	text := strings.Repeat("A", 700) + "CGT" + strings.Repeat("ACG", 300) + strings.Repeat("G", 300)
	const k = 9
	times := map[string]uint32{}
	for i := range len(text) - k + 1 {
		times[text[i:i+k]]++
	}
	for _, engine := range []Engine{EngineReads, EngineShared} {
		for _, threads := range []int{1, 3} {
			f, err := Run(t.Context(), []*dna.Reference{truth.Reference(t, text)}, Options{Metric: Substitutions, Length: k, Engine: engine, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range f.Of(0)[:len(text)-k+1] {
				here := text[i : i+k]
				if want := times[here] + times[truth.ReverseComplement(here)]; got != want {
					t.Fatalf("%s, %d threads: position %d has %d, want %d", engine, threads, i, got, want)
				}
			}
		}
	}
}
