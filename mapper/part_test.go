package mapper

import (
	"testing"

	"scanmap/fasta"
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
		kept := &find.Kept{All: make([]find.HeldLocation, len(c.reads))}
		reads := make([]find.HeldRead, 2)
		for i, read := range c.reads {
			reads[read] = find.HeldRead{In: kept, From: int32(i), To: int32(i + 1)}
		}
		found := &find.Found{}
		found.Hold(reads, c.left)
		p := part{batch: &find.Batch{Reads: make([]fasta.Read, 2), Together: 2}, found: found, toSeek: c.toSeek}
		if p.unitKnown(0) != c.want || p.known(0) != c.want || p.known(1) != c.want {
			t.Errorf("%s: known %v, %v, %v", c.about, p.unitKnown(0), p.known(0), p.known(1))
		}
	}
}
