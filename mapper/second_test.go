package mapper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestSecondOfMate has a mate that is properly paired where it has an edit, and lies without one
// elsewhere: XS is the score of the other location, also where it is the better one.
func TestSecondOfMate(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	left, right := truth.Random(r, 60, "ACGT"), truth.Random(r, 60, "ACGT")
	for edits := range 2 {
		near := truth.SubstitutedAt(right, []int{20, 40}[:edits]...)
		contig := truth.Random(r, 200, "ACGT") + left + truth.Random(r, 100, "ACGT") + near + truth.Random(r, 200, "ACGT")
		elsewhere := truth.Random(r, 200, "ACGT") + right + truth.Random(r, 200, "ACGT")
		reference, first, second := writePairs(t, []string{contig, elsewhere}, []string{left, truth.ReverseComplement(right)})
		for gaps, score := range map[Gaps]string{GapsUnit: "\tXS:i:0\t", GapsAffine: "\tXS:i:60\t"} {
			text, _ := runPairs(t, Options{
				Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 3},
				Pairs: PairOptions{MinInsert: 100, MaxInsert: 400}, Gaps: gaps,
			})
			found := false
			for line := range strings.Lines(text) {
				if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 11 && f[1] == "147" {
					found = true
					if f[2] != "c0" || !strings.Contains(line, score) {
						t.Errorf("%d edits, %s: not %q in %s", edits, gaps, score, line)
					}
				}
			}
			if !found {
				t.Errorf("%d edits: no proper mate in\n%s", edits, text)
			}
		}
	}
}

// TestPrimaryOfTwo has each of two best locations primary about as often, and never a third that is
// not as good.
func TestPrimaryOfTwo(t *testing.T) {
	var first [3]int
	for i := range 1000 {
		locations := []locate.Location{{End: 0, Distance: 1}, {End: 1, Distance: 1}, {End: 2, Distance: 2}}
		primaryFirst(locations, fmt.Sprintf("read%d", i), 100, 0)
		first[locations[0].End]++
	}
	if first[0] < 400 || first[1] < 400 || first[2] != 0 {
		t.Errorf("primary so often: %v", first)
	}
}

// TestLongestInsertWithGaps has pairs of the longest and of the shortest insert that is allowed.
// The first mates have insertions and deletions, so that their starts are not where their ends
// tell, and the second ones lie elsewhere too, so that only the insert tells which location is
// right.
func TestLongestInsertWithGaps(t *testing.T) {
	const m, low, high = 60, 150, 300
	r := rand.New(rand.NewPCG(23, 24))
	text := truth.Random(r, 13_000, "ACGT")
	elsewhere := ""
	var reads []string
	for _, insert := range []int{low, high} {
		for gaps := -2; gaps <= 2; gaps++ { // inserted bases, or deleted ones
			for turn := range 8 {
				from := 100 + 150*len(reads)/2
				left, right := text[from:from+m], text[from+insert-m:from+insert]
				change := func(s string) string {
					if gaps < 0 {
						return s[:m/2] + s[m/2-gaps:]
					}
					return s[:m/2] + "ACGT"[:gaps] + s[m/2:]
				}
				mates := []string{change(left), truth.ReverseComplement(right)}
				if turn%2 == 1 {
					mates = []string{truth.ReverseComplement(change(right)), left}
				}
				reads = append(reads, mates...)
				elsewhere += truth.Random(r, 100, "ACGT") + mates[1]
			}
		}
	}
	reference, first, second := writePairs(t, []string{text, elsewhere}, reads)
	got, _ := runPairs(t, Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 2},
		Pairs: PairOptions{MinInsert: low, MaxInsert: high},
	})
	proper := 0
	for line := range strings.Lines(got) {
		if f := strings.Split(line, "\t"); line[0] != '@' {
			flags, err := strconv.Atoi(f[1])
			if err != nil || flags&256 == 0 && flags&2 == 0 {
				t.Errorf("not properly paired: %s", line)
			}
			proper += 1 - flags>>8&1
		}
	}
	if proper != len(reads) {
		t.Errorf("%d primary records of %d reads", proper, len(reads))
	}
}

// TestInsertOfNothing has mates that face each other and end where they begin: they overlap by
// nothing, and there is no fragment of 0 bases.
func TestInsertOfNothing(t *testing.T) {
	o := PairOptions{Orientation: OrientationFR}
	first := locate.Location{Place: locate.At(0, locate.Forward), Start: 100, End: 150}
	for end, want := range map[int32]bool{99: false, 100: false, 101: true} {
		second := locate.Location{Place: locate.At(0, locate.Reverse), Start: 50, End: end}
		if insert, ok := o.insert(&first, &second); ok != want {
			t.Errorf("end %d: insert %d, %t", end, insert, ok)
		}
	}
}

// TestEstimateTakesUniquePairs has pairs where one mate, or both, lie at two places: none tells the
// insert size. Local locations at the second place lose 10 more, so that they are not near.
func TestEstimateTakesUniquePairs(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	unit := truth.Random(r, 400, "ACGT")
	copied := unit
	for at := 12; at < len(copied); at += 25 {
		copied = truth.SubstitutedAt(copied, at)
	}
	before, between, after := truth.Random(r, 400, "ACGT"), truth.Random(r, 500, "ACGT"), truth.Random(r, 400, "ACGT")
	const m, insert = 50, 200
	for _, c := range []struct {
		of    string
		local *Local
		text  string
	}{
		{"", nil, before + unit + between + unit + after},
		{"local ", &Local{Score: DefaultScore}, before + unit + between + copied + after},
	} {
		for name, from := range map[string]int{"neither": 100, "the first": 700, "the second": 250, "both": 500} {
			var reads []string
			for i := range 30 {
				reads = append(reads, c.text[from+i:from+i+m], truth.ReverseComplement(c.text[from+i+insert-m:from+i+insert]))
			}
			reference, first, second := writePairs(t, []string{c.text}, reads)
			_, stats := runPairs(t, Options{
				Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Local: c.local, Report: Report{Mode: ReportOne},
			})
			want := name == "neither"
			if got := &stats.Libraries[0].Pairs.Insert; got.Estimated != want || want && (got.From != 30 || got.Median != insert) {
				t.Errorf("%s%s at two places: %+v", c.of, name, got)
			}
		}
	}
}

// TestEstimateTakesShortInserts has as many pairs whose mates lie farther apart than in any
// library.
func TestEstimateTakesShortInserts(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	text := truth.Random(r, estimateLongest+1000, "ACGT")
	const m, insert = 50, 200
	var reads []string
	for i := range 30 {
		for _, insert := range []int{insert, estimateLongest + 1 + i} {
			reads = append(reads, text[i:i+m], truth.ReverseComplement(text[i+insert-m:i+insert]))
		}
	}
	reference, first, second := writePairs(t, []string{text}, reads)
	_, stats := runPairs(t, Options{Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}})
	if got := &stats.Libraries[0].Pairs.Insert; got.From != 30 || got.Median != insert {
		t.Errorf("%+v, want 30 pairs of %d bases", got, insert)
	}
}

// TestOneTakesAtATime has two members want a batch while nobody looks at the order: the second may
// not take one before the first has its place.
func TestOneTakesAtATime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := newTestCrew(numberedBatches(10, 1, &library{}))
	c.order = make(chan chan part)
	var members sync.WaitGroup
	for range 2 {
		members.Go(func() { c.take(ctx) })
	}
	left := func() int { return len(c.batches.channel) }
	for left() > 9 {
		runtime.Gosched()
	}
	for range 10_000 {
		runtime.Gosched()
	}
	if left() != 9 {
		t.Errorf("%d batches are left of 10, though the first has no place yet", left())
	}
	cancel()
	members.Wait()
}

// TestOrient turns bases and qualities of a read for its reverse strand.
func TestOrient(t *testing.T) {
	var r recorder
	r.orient([]byte("AACGN"), []byte("12345"), locate.Reverse)
	if got := string(r.record.Bases) + " " + string(r.record.Qualities); got != "NCGTT 54321" {
		t.Errorf("got %s", got)
	}
	r.orient([]byte("AACGN"), []byte("12345"), locate.Forward)
	if got := string(r.record.Bases) + " " + string(r.record.Qualities); got != "AACGN 12345" {
		t.Errorf("got %s", got)
	}
}
