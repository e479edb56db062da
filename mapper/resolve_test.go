package mapper

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"scanmap/sam"
)

// TestVerifiedOfHeldPairs verifies the same windows when pairs are held until their insert size is
// known, and when it is given.
func TestVerifiedOfHeldPairs(t *testing.T) {
	contigs, reads := pairedContigs(rand.New(rand.NewPCG(37, 38)), 100)
	reference, first, second := writePairs(t, contigs, reads)
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 2},
		Engine: EngineSkim, Threads: 2, BatchReads: 30, Pairs: PairOptions{Rescue: Distance{Edits: 4}},
	}
	_, held := runText(t, o)
	insert := held.Libraries[0].Pairs.Insert
	o.Pairs.MinInsert, o.Pairs.MaxInsert = insert.Low, insert.High
	_, given := runText(t, o)
	if held.Verified != given.Verified || given.Verified < 100 || held.Batches < 7 {
		t.Errorf("%d windows verified, %d with a given insert size, in %d batches", held.Verified, given.Verified, held.Batches)
	}
	o.Libraries[0].Mates = ""
	if _, alone := runText(t, o); alone.Verified == 0 || alone.Verified >= given.Verified {
		t.Errorf("%d windows verified of one mate, %d of both", alone.Verified, given.Verified)
	}
}

// TestResolveTellsErrors has a writer fail on a part in the middle: the run ends there.
func TestResolveTellsErrors(t *testing.T) {
	reference, reads := writeInput(t, 400)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1}, Threads: 2, BatchReads: 10}
	var all bytes.Buffer
	if _, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &all}); err != nil {
		t.Fatal(err)
	}
	stats, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &failingWriter{all.Len() / 4}})
	if !errors.Is(err, errFull) || stats.Reads >= 300 {
		t.Errorf("%d reads were mapped, %v", stats.Reads, err)
	}
}
