package locate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestWriteCases has reads whose gap the least alignment hides, or may not show, one a line.
func TestWriteCases(t *testing.T) {
	const (
		left  = "GATTACAGGCATCCGTTAGCCTGAACGTCTCG"       // 32 bases
		cut   = "CATGTA"                                 // a deletion
		right = "CTTGCAGACCAGATTGGTCAAGC"                // 23 bases
		alike = "CTTGCACTAGCGCTTGGTCAAGC"                // its first 15 bases are nearly alike
		more  = "TTGACCTAAGTCGGATACATTGCCGTAGGATCAAGACC" // 38 bases
	)
	for _, c := range []struct {
		name, text, read string
		k                int
		least, written   string // CIGARs
		moved            int32  // how far the start moves
	}{
		{"a deletion at the end", left + cut + right, left + right[:8], 4, "40M", "32M6D8M", 0},
		{"the same in the middle", left + cut + right, left + right, 12, "30M2D1M2D1M2D23M", "32M6D23M", 0},
		{"15 bases from the end", left + cut + alike, left + alike[:15], 12, "47M", "32M6D15M", 0},
		{"in pieces", left + cut + right, left + right[:15], 12, "30M2D1M2D1M2D15M", "32M6D15M", 0},
		{"at the start, which moves", truth.ReverseComplement(left + cut + right), truth.ReverseComplement(left + right[:8]), 4, "40M", "7M6D33M", -6},
		{"an insertion at the end", left + right, left + "GAT" + right[:8], 8, "", "32M3I8M", 0},
		{"one mismatch stays", left + right, left[:10] + "A" + left[11:], 4, "32M", "32M", 0},
		{"at the first base of a contig", cut + right + more, right[:8] + more[:30], 40, "", "", 0},
		{"a gap within k alone", left + more[:30] + right, left + right[:12], 11, "", "", 0},
		{"N is a mismatch", left + "N" + right, left + "N" + right, 2, "56M", "56M", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWrittenCase(t, c.text, c.read, c.k)
			w.check(t)
			if c.written == "" {
				return
			}
			best := 0
			for i := range w.least {
				if w.least[i].Distance < w.least[best].Distance {
					best = i
				}
			}
			least := string(AppendCIGAR(nil, w.aligner.Operations(&w.least[best])))
			written := string(AppendCIGAR(nil, w.aligner.Operations(&w.written[best])))
			if c.least != "" && least != c.least || written != c.written || w.written[best].Start-w.least[best].Start != c.moved {
				t.Errorf("least %s at %d, written %s at %d, want %s and %s, moved by %d", least, w.least[best].Start,
					written, w.written[best].Start, c.least, c.written, c.moved)
			}
		})
	}
}

// TestWriteScores compares scores with those by hand.
func TestWriteScores(t *testing.T) {
	for _, c := range []struct {
		m    int
		l    Location
		want int
	}{
		{100, Location{}, 100}, {100, Location{Loss: 5}, 95}, {40, Location{Loss: 12}, 28}, {10, Location{Loss: 50}, -40},
	} {
		if got := c.l.Score(c.m); got != c.want {
			t.Errorf("%d bases, loss %d: %d, want %d", c.m, c.l.Loss, got, c.want)
		}
	}
	for _, c := range []struct {
		operations []Operation
		edits      int32
		want       int32
	}{
		{[]Operation{{Diagonal, 50}}, 0, 0},
		{[]Operation{{Diagonal, 50}}, 3, 15},
		{[]Operation{{Diagonal, 20}, {Deletion, 6}, {Diagonal, 20}}, 6, 12},
		{[]Operation{{Diagonal, 20}, {Insertion, 6}, {Diagonal, 20}}, 7, 23},
		{[]Operation{{Diagonal, 20}, {Insertion, 1}, {Diagonal, 5}, {Deletion, 2}, {Diagonal, 20}}, 3, 16},
	} {
		if got := lossOf(c.operations, c.edits); got != c.want {
			t.Errorf("%v with %d edits: %d, want %d", c.operations, c.edits, got, c.want)
		}
	}
	if got := MismatchScore(100, 3); got != 85 {
		t.Errorf("%d, want 85", got)
	}
}

// TestKeepApart has two locations of a read on either flank of a deletion, whose best alignment is
// one and the same, and others that do not matter.
func TestKeepApart(t *testing.T) {
	at := func(place Place, start, end, distance int32) Location {
		return Location{Place: place, Start: start, End: end, Distance: distance}
	}
	forward, reverse, other := At(0, Forward), At(0, Reverse), At(1, Forward)
	to := func(start, end int32) written { return written{changed: true, start: start, end: end} }
	none := written{}
	for _, c := range []struct {
		name      string
		locations []Location
		best      []written
		want      []bool
	}{
		{"both flanks, the first has fewer edits", []Location{at(forward, 100, 140, 3), at(forward, 110, 150, 4)},
			[]written{to(100, 150), to(100, 150)}, []bool{true, false}},
		{"both flanks, the second has fewer edits", []Location{at(forward, 100, 140, 4), at(forward, 110, 150, 3)},
			[]written{to(100, 150), to(100, 150)}, []bool{false, true}},
		{"both flanks, as many edits: the lower end", []Location{at(forward, 110, 150, 3), at(forward, 100, 140, 3)},
			[]written{to(100, 150), to(100, 150)}, []bool{false, true}},
		{"one is nearer", []Location{at(forward, 100, 141, 9), at(forward, 110, 150, 3)},
			[]written{to(100, 150), to(100, 150)}, []bool{true, false}},
		{"the least alignment of another", []Location{at(forward, 100, 140, 4), at(forward, 100, 150, 5)},
			[]written{to(100, 150), none}, []bool{false, false}},
		{"another strand", []Location{at(forward, 100, 140, 3), at(reverse, 110, 150, 3)},
			[]written{to(100, 150), to(100, 150)}, []bool{true, true}},
		{"another contig", []Location{at(forward, 100, 140, 3), at(other, 110, 150, 3)},
			[]written{to(100, 150), to(100, 150)}, []bool{true, true}},
		{"far away", []Location{at(forward, 100, 140, 3), at(forward, 900, 940, 0)},
			[]written{to(100, 150), none}, []bool{true, false}},
		{"nearer, with its start alone", []Location{at(forward, 100, 140, 3), at(forward, 94, 147, 6)},
			[]written{to(94, 140), none}, []bool{true, false}},
		{"the middle of three", []Location{at(forward, 100, 140, 3), at(forward, 106, 146, 3), at(forward, 112, 152, 3)},
			[]written{to(106, 147), to(106, 147), to(106, 147)}, []bool{false, true, false}},
	} {
		w := writer{best: c.best}
		w.keepApart(c.locations)
		for i, want := range c.want {
			if w.best[i].changed != want {
				t.Errorf("%s: location %d keeps its alignment: %v, want %v", c.name, i, w.best[i].changed, want)
			}
		}
	}
}

// TestFlanksOfADeletion has a read of four copies of a unit, where a text has five, the third with
// substitutions. The read has a location on either flank, without gaps. Both have the same best
// alignment, without the third copy. One of the two gets it.
func TestFlanksOfADeletion(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	shared := 0
	for range effort.Pick(25, 12) {
		unit := truth.Random(r, 12, "ACGT")
		text := truth.Random(r, 30, "ACGT") + unit + unit + truth.Substituted(r, unit, 4) + unit + unit + truth.Random(r, 30, "ACGT")
		c := newWrittenCase(t, text, strings.Repeat(unit, 4), 5)
		c.check(t)
		if len(c.written) != 2 || c.least[0].Start != 30 || c.least[1].End != 90 {
			continue // the text has other locations by chance
		}
		across := 0
		for i := range c.written {
			if l := &c.written[i]; l.Start == 30 && l.End == 90 && l.Edits == 12 {
				across++
			}
		}
		if across > 1 {
			t.Errorf("%s: both locations have the alignment across the deletion", text)
		}
		shared += across
	}
	if shared < effort.Pick(12, 5) {
		t.Errorf("%d reads have an alignment across the deletion: the test shows little", shared)
	}
}

// TestKeepSubstitutions gives locations without gaps their losses.
func TestKeepSubstitutions(t *testing.T) {
	a := Aligner{Reference: truth.Reference(t, "ACGTTGCATTGACC")}
	read := pack("ACGTTACA", 2)
	l := Location{Place: At(0, Forward), Start: 0, End: 8, Distance: 1}
	a.Align(read.Strand(l.Place), &l)
	a.Keep(&l)
	if l.Edits != 1 || l.Loss != 5 || l.Score(8) != 3 {
		t.Errorf("%+v", l)
	}
}

// TestEndAnchors compares the anchors at both ends of a strand with the longest stretches on all
// diagonals, base by base.
func TestEndAnchors(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	known := 0
	for range 500 {
		m, width := 20+r.IntN(80), 2+r.IntN(20)
		letters := []string{"ACGT", "AC", "AAAC"}[r.IntN(3)]
		text := truth.Random(r, m+width+20, letters)
		own := r.IntN(width)
		read := truth.Edited(r, text[10+own:10+own+m], r.IntN(3))
		m = len(read)
		reference := truth.Reference(t, text)
		view := pack(read, 0)
		target := &affineTarget{strand: &view.Strands[Forward], contig: &reference.Contigs[0], start: 10 + own, end: 10 + own + m, low: -own, high: width - 1 - own}
		b := &affineBound{segments: []segment{{0, int32(m), int32(own)}}}
		for end := range 2 {
			got := *b.end(&reference.Bases, target, end)
			seen := min(m, dna.WordBases-width+1)
			for c := range got {
				want := 0
				for d := range width {
					n, mismatches := 0, 0
					for d != own && n < seen {
						i := n
						if end == 1 {
							i = m - 1 - n
						}
						if at := 10 + d + i; at >= len(text) || text[at] != read[i] {
							if mismatches++; mismatches > c {
								break
							}
						}
						n++
					}
					want = max(want, n)
				}
				if want == seen {
					want = unreachable
				} else {
					known++
				}
				if int(got[c]) != want {
					t.Fatalf("end %d, %d mismatches, diagonal %d of %d: %d, want %d\n%s\n%s", end, c, own, width, got[c], want, read, text)
				}
			}
		}
	}
	if known < 1000 {
		t.Errorf("%d anchors are known: the test shows little", known)
	}
}
