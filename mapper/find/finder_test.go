package find

import (
	"slices"
	"strings"
	"testing"

	"scanmap/fasta"
)

// A limitedFinder finds as much for a read as it has bases, and holds limit at most. It hands on
// `hands` reads at a time, or all for 0. It notes the sizes that it was given.
type limitedFinder struct {
	Finder
	limit, hands int
	left         int // reads to hand on
	tried        []int
}

func (f *limitedFinder) Fits(b *Batch) int { return 40 }

func (f *limitedFinder) Find(b *Batch, found *Found) (int, error) {
	n := 0
	for i := range b.Reads {
		n += b.Length(i)
	}
	f.tried = append(f.tried, len(b.Reads))
	if n > f.limit && !b.alone() {
		return 0, ErrTooMuch
	}
	found.fullness = float64(n) / float64(f.limit)
	f.left = len(b.Reads)
	return f.More(found)
}

func (f *limitedFinder) More(*Found) (int, error) {
	n := f.left
	if f.hands > 0 {
		n = min(n, f.hands)
	}
	f.left -= n
	return n, nil
}

// TestPartsHandedOn has a finder hand on what it found a few reads at a time.
func TestPartsHandedOn(t *testing.T) {
	for _, c := range []struct {
		hands int
		want  []int
	}{{0, []int{40, 10}}, {40, []int{40, 10}}, {15, []int{15, 15, 10, 10}}, {1, slices.Repeat([]int{1}, 50)}} {
		var b Batch
		b.layOut(make([]fasta.Read, 50), 1, func(int) int { return 0 }, nil)
		f := &limitedFinder{limit: 1, hands: c.hands}
		var p Parts
		var got []int
		for from := 0; from < len(b.Reads); {
			part, err := p.Next(f, &b, from, &Found{})
			if err != nil || len(part.Reads) == 0 {
				t.Fatalf("%d reads at %d, %v", len(part.Reads), from, err)
			}
			got = append(got, len(part.Reads))
			from += len(part.Reads)
		}
		if !slices.Equal(got, c.want) || !slices.Equal(f.tried, []int{40, 10}) {
			t.Errorf("%d at a time: parts of %v, want %v; tried %v", c.hands, got, c.want, f.tried)
		}
	}
}

// TestParts has parts halve where too much is found, and double where little is.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		what     string
		bases    [][2]int // numbers of reads and their bases, in turn
		together int
		limit    int
		want     []int // sizes that were tried
	}{
		{"all at a time", [][2]int{{100, 1}}, 1, 1000, []int{40, 40, 20}},
		{"halves", [][2]int{{40, 1}}, 1, 20, []int{40, 20, 20}},
		{"halves of odd sizes", [][2]int{{5, 1}}, 1, 2, []int{5, 3, 2, 2, 1}},
		{"halves of pairs", [][2]int{{6, 1}}, 2, 1, []int{6, 4, 2, 2, 2}},
		{"one read that has too much", [][2]int{{1, 9}, {2, 1}}, 1, 3, []int{3, 2, 1, 1, 1}},
		{"doubles after a dense stretch", [][2]int{{8, 10}, {40, 1}}, 1, 40, []int{40, 20, 10, 5, 3, 3, 3, 3, 6, 12, 12, 6}},
	} {
		var reads []fasta.Read
		for _, x := range c.bases {
			for range x[0] {
				reads = append(reads, fasta.Read{Bases: []byte(strings.Repeat("A", x[1]))})
			}
		}
		var b Batch
		b.layOut(reads, c.together, func(int) int { return 0 }, nil)
		f := &limitedFinder{limit: c.limit}
		var p Parts
		var found Found
		for from := 0; from < len(reads); {
			part, err := p.Next(f, &b, from, &found)
			if err != nil || len(f.tried) > 100 {
				t.Fatalf("%s: %v, tried %v", c.what, err, f.tried)
			}
			from += len(part.Reads)
		}
		if !slices.Equal(f.tried, c.want) {
			t.Errorf("%s: tried %v, want %v", c.what, f.tried, c.want)
		}
	}
}
