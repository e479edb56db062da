package mapper

import (
	"testing"

	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// TestKnownReads has mates that a step left alone, with all that may be missing.
func TestKnownReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about  string
		toSeek []int32
		reads  []uint32 // that have a location each
		left   map[int][]uint32
		want   bool
	}{
		{"both have locations", []int32{notAgain, notAgain}, []uint32{0, 1}, nil, true},
		{"no step before", nil, []uint32{0, 1}, nil, false},
		{"the first was sought", []int32{12, notAgain}, []uint32{0, 1}, nil, false},
		{"the second was sought", []int32{notAgain, 12}, []uint32{0, 1}, nil, false},
		{"the first has none", []int32{notAgain, notAgain}, []uint32{1}, nil, false},
		{"the second has none", []int32{notAgain, notAgain}, []uint32{0}, nil, false},
		{"more than are held", []int32{notAgain, notAgain}, []uint32{0, 1}, map[int][]uint32{1: {3}}, false},
	} {
		var located []find.Located
		firsts := []int{0, 0, 0}
		for _, read := range c.reads {
			located = append(located, find.Located{Read: read, Aligned: true})
			for i := read + 1; i < 3; i++ {
				firsts[i]++
			}
		}
		found := &find.Found{}
		found.HoldLocated(located, firsts, nil, c.left)
		p := part{batch: &find.Batch{Reads: make([]fasta.Read, 2), Together: 2}, found: found, toSeek: c.toSeek}
		if p.unitKnown(0) != c.want || p.known(0) != c.want || p.known(1) != c.want {
			t.Errorf("%s: known %v, %v, %v", c.about, p.unitKnown(0), p.known(0), p.known(1))
		}
	}
}

// TestKeepHeld copies the locations of some reads of a held part, with and without operations.
func TestKeepHeld(t *testing.T) {
	t.Parallel()
	operations := []locate.Operation{{Kind: locate.Clip, Length: 1}, {Kind: locate.Diagonal, Length: 2}, {Kind: locate.Clip, Length: 3}, {Kind: locate.Diagonal, Length: 4}}
	held := []find.Located{{Read: 0, From: 0, To: 2, End: 7}, {Read: 1, From: 2, To: 2, End: 8}, {Read: 2, From: 2, To: 4, End: 9}}
	found := &find.Found{}
	found.HoldLocated(held, []int{0, 1, 2, 3}, operations, nil)
	out := looked{operations: []locate.Operation{{Kind: locate.Clip, Length: 9}}}
	for read := 2; read >= 0; read-- {
		out.keep(found, read)
	}
	for i, l := range out.located {
		want := held[2-i]
		got, wanted := out.operations[l.From:l.To], operations[want.From:want.To]
		if l.Read != want.Read || l.End != want.End || len(got) != len(wanted) {
			t.Fatalf("location %d is %+v, want %+v", i, l, want)
		}
		for j := range got {
			if got[j] != wanted[j] {
				t.Errorf("operations of location %d are %v, want %v", i, got, wanted)
			}
		}
	}
	if len(out.located) != 3 || len(out.operations) != 5 {
		t.Errorf("%d locations with %d operations", len(out.located), len(out.operations))
	}
}
