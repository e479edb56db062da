package mapper

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestBeyondFourGigabases maps to contigs whose offsets do not fit in 32 bits. Two
// contigs of the greatest length that SAM allows come first; their pages are never
// written, so that they take no memory, and read as A.
func TestBeyondFourGigabases(t *testing.T) {
	effort.OnlyFull(t, "passes over 4.3 G bases")
	if math.MaxInt == math.MaxInt32 {
		t.Skip("needs 64-bit offsets")
	}
	const tail = 3000
	r := rand.New(rand.NewPCG(31, 32))
	text := truth.Random(r, tail, "ACGT")
	ref := &dna.Reference{}
	start := 0
	for i, n := range []int{dna.MaxContigLength, dna.MaxContigLength, tail} {
		ref.Contigs = append(ref.Contigs, dna.Contig{Name: string(rune('a' + i)), Start: start, Length: n})
		start = (start + n + dna.Padding + dna.WordBases - 1) / dna.WordBases * dna.WordBases
	}
	words := start/dna.WordBases + 4
	ref.Bases = dna.Sequence{Low: make([]uint64, words), High: make([]uint64, words), Ambiguous: make([]uint64, words), Length: start}
	var packed dna.Sequence
	packed.Append([]byte(text))
	at := ref.Contigs[2].Start / dna.WordBases
	copy(ref.Bases.Low[at:], packed.Low)
	copy(ref.Bases.High[at:], packed.High)
	// The end of the second contig gets bases too: the last positions that SAM can write.
	end := ref.Contigs[1].End()
	last := truth.Random(r, 100, "CGT")
	for i := range len(last) {
		code, _ := dna.Code(last[i])
		offset := end - len(last) + i
		ref.Bases.Low[offset/64] |= uint64(code&1) << (offset % 64)
		ref.Bases.High[offset/64] |= uint64(code>>1) << (offset % 64)
	}
	for _, c := range ref.Contigs {
		for offset := c.End(); offset%64 != 0; offset++ {
			ref.Bases.Ambiguous[offset/64] |= 1 << (offset % 64)
		}
		ref.Bases.Ambiguous[(c.End()+63)/64] = math.MaxUint64
	}

	reads := []string{text[:100], truth.ReverseComplement(text[tail-100:]), truth.Edited(r, text[1000:1100], 2), last}
	o := Options{Distance: Distance{Edits: 3}, Engine: EngineSkim, Threads: 2}
	l := &library{}
	w := chosen(t, ref, l, reads, &o)
	type place struct{ Contig, Strand, Start, End int }
	var got []place
	for _, c := range w.choices {
		for _, loc := range w.group.locations[c.from:c.to] {
			got = append(got, place{loc.Place.Contig(), loc.Place.Strand(), int(loc.Start), int(loc.End)})
		}
	}
	edit := len(reads[2])
	if len(got) != 4 || got[2].Contig != 2 || max(got[2].Start-1000, 1000-got[2].Start, got[2].End-1000-edit) > 3 {
		t.Fatalf("locations %+v", got)
	}
	got[2] = place{}
	want := []place{{2, locate.Forward, 0, 100}, {2, locate.Reverse, tail - 100, tail}, {}, {1, locate.Forward, dna.MaxContigLength - 100, dna.MaxContigLength}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.choices[3].mapQ = 60
	text2 := w.format.recorder.mapped(nil, l, &w.group, 3, &w.choices[3], alone)
	if want := "r3\t0\tb\t2147483548\t60\t100M\t"; string(text2[:len(want)]) != want {
		t.Errorf("got %s, want %s", text2, want)
	}
}
