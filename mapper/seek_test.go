package mapper

import (
	"context"
	"testing"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/mapper/find"
)

// aheadFinders are finders of which only it is known whether these work ahead.
type aheadFinders struct {
	seekingFinders
	ahead bool
}

func (f aheadFinders) worksAhead() bool { return f.ahead }

// TestEnough has as many waiting reads, packed reads or locations as begin a search, and one less.
func TestEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bases         int
		ahead         bool
		batch         int // the option
		reads, packed int
	}{
		{1 << 20, false, 0, 1 << 14, 1 << 16},
		{1 << 30, false, 0, 1 << 20, 1 << 19},
		{1 << 30, true, 0, 1 << 18, 1 << 15},
		{1 << 32, true, 0, 1 << 20, 1 << 17},
		{1 << 30, true, 1000, 1000, 1 << 15},
		{1 << 30, false, 1000, 1000, 1 << 19},
	} {
		ref := &dna.Reference{Contigs: []dna.Contig{{Length: c.bases}}}
		s := seeker{ref: ref, options: find.Options{BatchReads: c.batch}, finders: aheadFinders{ahead: c.ahead}}
		for _, at := range []waiting{{reads: c.reads}, {packed: c.packed}, {locations: waitingLocations}} {
			if s.waiting = at; !s.enough() {
				t.Errorf("%+v: %d reads, of which %d are packed, and %d locations are not enough", c, at.reads, at.packed, at.locations)
			}
			less := waiting{reads: max(at.reads-1, 0), packed: max(at.packed-1, 0), locations: max(at.locations-1, 0)}
			if s.waiting = less; s.enough() {
				t.Errorf("%+v: %d reads, of which %d are packed, and %d locations are enough", c, less.reads, less.packed, less.locations)
			}
		}
	}
}

// TestNothingIsPickedInTheEnd has a search go on when the run is over: others may read what it had.
func TestNothingIsPickedInTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &search{found: make(chan part, 1), packed: make([]fasta.Read, 1)}
	w.run(ctx, nil, 1)
	if _, open := <-w.found; open || len(w.packed) != 1 {
		t.Errorf("reads are picked after the end (%v)", open)
	}
}
