package mappability

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestRounds compares counts with the definition where all K-mers are crowded, with so little
// memory that a bin or two are a round: one genome, several, and regions, on one strand or both,
// with more equal K-mers than are compared as they are, and fewer.
func TestRounds(t *testing.T) {
	t.Parallel()
	most := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
		in := chosen(r, locate.Substitutions)
		in.options.Edits = max(in.options.Edits, 1)
		in.options.Length = max(in.options.Length, in.options.Edits+1)
		if rapid.Bool().Draw(rt, "array") {
			unit := truth.Random(r, 1+r.IntN(12), "ACGTN")
			if rapid.Bool().Draw(rt, "palindrome") {
				unit += truth.Strand(unit, 1)
			}
			in.genomes[0][0] += strings.Repeat(unit, 1+fewPlaces+r.IntN(4)) + truth.Strand(unit, 1)
		}
		o := in.options
		o.Threads = rapid.IntRange(1, 3).Draw(rt, "threads")
		o.limits = limits{crowded: func(_, _ int) bool { return true }, crowdedBlock: 1, chunk: rapid.IntRange(1, 100).Draw(rt, "chunk")}
		o.limits.round, o.limits.bin = rapid.IntRange(1, 60).Draw(rt, "round"), rapid.IntRange(1, 20).Draw(rt, "bin")
		o.limits.repeated = rapid.Bool().Draw(rt, "repeated")
		o.limits.together = rapid.IntRange(2, 20).Draw(rt, "together")
		if got, want := counted(rt, in.references(rt), o), in.expected(); !slices.EqualFunc(got, want, slices.Equal) {
			rt.Fatalf("%d threads, %+v: %s\n got %d\nwant %d", o.Threads, o.limits, in, got, want)
		}
		most = max(most, len(in.genomes[0][0])/o.limits.round)
	})
	if most < 10 {
		t.Errorf("%d rounds at most", most)
	}
}

// TestPieces compares where pieces begin and end with the masks of pieces.
func TestPieces(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 140; k++ {
		all := make([]uint64, dna.Words(k))
		for w := range all {
			all[w] = firstBases(k - 64*w)
		}
		for pieces := 1; pieces <= min(k, 12); pieces++ {
			masks := cutBases(nil, all, pieces)
			for piece := range pieces {
				first, length := pieceOf(k, pieces, piece)
				for base := range k {
					if has(masks[piece*len(all):], base) != (first <= base && base < first+length) {
						t.Fatalf("%d bases in %d pieces: piece %d begins at %d and has %d bases", k, pieces, piece, first, length)
					}
				}
			}
		}
	}
}

// TestBins has a K-mer, and its reverse complement elsewhere. The bin of one place on strand + is
// the bin of the other place on strand -, whatever letters that match nothing the K-mer has.
func TestBins(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(71, 72))
	for range effort.Pick(2000, 300) {
		e := 1 + r.IntN(4)
		k := e + 1 + r.IntN([]int{10, 60, 200}[r.IntN(3)])
		kmer := truth.Random(r, k, "ACGTACGTACGTACGTACGTN")
		apart := r.IntN(50)
		ref := truth.Reference(t, truth.Random(r, 1+r.IntN(50), "ACGT"), kmer+truth.Random(r, apart, "ACGT")+truth.Strand(kmer, 1))
		o := &Options{Length: k, Edits: e, Threads: 1}
		s := &sharing{counter: &counter{options: o, ref: ref}, texts: []text{textOf(ref)}}
		n := newGathering(newComparison(s, split{same: true}))
		n.strands[1] = s.texts[0].planes // that there are two
		n.shift = uint(64 - r.IntN(17))
		from := ref.Contigs[1].Start
		for number := range e + 1 {
			var bins [2][]uint32
			for i, x := range []int{from, from + k + apart} {
				var w scanner
				w.scan(n, chunk{piece: piece{from: x, to: x + 1}}, number, func(_ int, forward, reverse []uint32) {
					bins[i] = []uint32{forward[0], reverse[0]}
				})
			}
			none := truth.Ambiguous(kmer) > e
			if bins[0][0] != bins[1][1] || bins[0][1] != bins[1][0] || (bins[0][0] == noBin) != none {
				t.Fatalf("K %d, piece %d of %d: %d and %d for %s", k, number, e+1, bins[0], bins[1], kmer)
			}
		}
	}
}

// TestNumbers numbers strings of several words. Many strings have words in common.
func TestNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(73, 74))
	for range 50 {
		words := 2 * (1 + r.IntN(3))
		entry, n := words+1, 25+r.IntN(200)
		s := stringSet{slots: make([]uint32, 2<<bits.Len(uint(n)))}
		entries, known := make([]uint64, n*entry), map[string]uint32{}
		for at := range n {
			e := entries[at*entry : (at+1)*entry]
			e[0] = r.Uint64() // a place, which is of no account
			for w := range words {
				e[1+w] = uint64(r.IntN(3))
			}
			key := fmt.Sprint(e[1:])
			want, ok := known[key]
			if !ok {
				want = uint32(len(known))
				known[key] = want
			}
			if got := s.number(entries, entry, at); got != want {
				t.Fatalf("entry %d of %d words is string %d, not %d", at, words, got, want)
			}
			if !ok {
				s.of = append(s.of, distinct{at: uint32(at)})
			}
		}
	}
}

// TestSlots has strings that differ in a few bases of one word, wherever these are: they spread
// over the table.
func TestSlots(t *testing.T) {
	const slots, bases = 1 << 15, 13
	for word := range 4 {
		for from := 0; from+bases <= 64; from++ {
			taken := map[uint64]bool{}
			for x := range uint64(1 << bases) {
				words := make([]uint64, 4)
				words[word] = x << from
				slot := slotOf(words, slots)
				if slot >= slots {
					t.Fatalf("slot %d", slot)
				}
				taken[slot] = true
			}
			if n := len(taken); n < 1<<bases/2 {
				t.Errorf("word %d, bases from %d on: %d strings take %d slots", word, from, 1<<bases, n)
			}
		}
	}
	if got := slotOf([]uint64{5, 7}, 1); got != 0 {
		t.Errorf("slot %d of 1", got)
	}
}
