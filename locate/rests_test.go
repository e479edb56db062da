package locate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestRests compares what alignments in a band lose at least with all cells of a window: it is
// never more, also where cells are closed and where inserted bases are forgiven, and mostly no
// less.
func TestRests(t *testing.T) {
	t.Parallel()
	var (
		l               Local
		band            localBand
		compared, equal int
	)
	for n := range effort.Pick(3000, 240) {
		r := rand.New(rand.NewPCG(uint64(n), 43))
		m := 36 + r.IntN(90)
		rules := truth.LocalRules{Least: m * (65 + r.IntN(31)) / 100, Cap: []int{20, 20, 7, 12, 30}[r.IntN(5)], Longest: LongestGap}
		if CutLocal(m, rules.Least, rules.Cap).Number == 0 {
			continue
		}
		p := truth.DrawPlanted(r, m, rules, nil)
		l.Reference, l.Cap = truth.Reference(t, p.Text), rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		b := l.begin(m, rules.Least, m-rules.Least+r.IntN(2), 0)
		view := pack(p.Read, 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		diagonal := p.Segments[0].Text - p.Segments[0].Read
		low, high := diagonal-r.IntN(120), diagonal+1+r.IntN(120)
		w := &l.window
		w.begin(l.Reference, l.contig(place), strand, b.least, b.reach, b.cap, low, high, max(low, 0), min(high-1+m, l.contig(place).Length))
		w.lookAt(w.low, w.high)
		if r.IntN(2) == 0 { // an alignment was taken
			if w.fill(b.budget); w.pick() {
				w.take()
			}
		}
		for _, costs := range []*localCosts{&b.exact, &b.net} {
			if costs == &b.net {
				if b.bounded {
					continue // nothing is forgiven
				}
				w.units = w.netUnits()
			}
			w.fill(b.budget)
			w.units = exactUnits
			best := noLocal // in the window, also of diagonals beside the band
			for i := range m {
				for j, c := range w.row(i) {
					if k := j - i; c < noLocal && k >= w.low && k < w.high {
						best = min(best, c+localCost(m-1-i)*costs.clip)
					}
				}
			}
			band.low, band.width = w.low-b.spread, w.high-w.low+2*b.spread
			band.rests.begin(w, costs, band.low, band.width, LongestGap)
			band.rests.search(b.budget)
			least, lost := band.rests.least, int(best/costs.clip)
			if best == noLocal || lost > b.budget {
				continue
			}
			if least > lost {
				t.Fatalf("case %d: %d bases, up to %d, cap %d, bounded %v: %d at least in [%d, %d), but %d are lost: read %s in %s, %v",
					n, m, b.budget, rules.Cap, b.bounded, least, low, high, lost, p.Read, p.Text, p.Segments)
			}
			if compared++; least == lost {
				equal++
			}
		}
	}
	t.Logf("%d compared, %d equal", compared, equal)
	if compared < effort.Pick(2000, 150) || equal < compared*3/4 {
		t.Errorf("%d compared, %d of these equal: the test shows little", compared, equal)
	}
}

// TestRestsByVectors compares the rows that vectors make with the plain ones.
func TestRestsByVectors(t *testing.T) {
	t.Parallel()
	if !haveRestRow {
		t.Skip("this processor has no vectors for rows")
	}
	var l Local
	var band, plain localRests
	for n := range effort.Pick(3000, 500) {
		r := rand.New(rand.NewPCG(uint64(n), 53))
		m := 30 + r.IntN(150)
		unit := truth.Random(r, 3+r.IntN(40), "ACGT")
		text := ""
		for len(text) < 500 {
			text += truth.Substituted(r, unit, r.IntN(3))
		}
		at := r.IntN(len(text) - m - 104)
		piece := text[at : at+m+104]
		if first := r.IntN(m); n%4 == 0 { // a gap of any cost
			piece = piece[:first] + piece[first+r.IntN(100):]
		}
		view := pack(truth.Edited(r, piece[:m+4], r.IntN(5))[:m], m/5)
		l.Reference, l.Cap = truth.Reference(t, text), []int{DefaultCap, 7}[r.IntN(2)]
		b := l.begin(m, m-m/5, m/5, m/5)
		place, width, longest := At(0, Forward), 1+r.IntN([]int{64, 250}[n%2]), b.cap-lossOpen-1
		if n%3 == 0 {
			longest = LongestGap
		}
		low := at - r.IntN(width)
		if n%4 == 0 {
			low = at - r.IntN(4)
		}
		w := &l.window
		w.begin(l.Reference, l.contig(place), view.Strand(place), b.least, b.reach, b.cap, low, low+width, max(low, 0), min(low+width-1+m, len(text)))
		w.lookAt(w.low, w.high)
		costs, most := &b.exact, r.IntN(m/5+1)
		if r.IntN(3) == 0 {
			costs = &l.begin(m, m-m/5, m, m).net // inserted bases are forgiven
		}
		band.begin(w, costs, w.low, width, longest)
		plain.begin(w, costs, w.low, width, longest)
		if plain.vectors = false; !band.vectors {
			t.Fatalf("case %d: %d diagonals are not looked at by vectors", n, width)
		}
		band.to(most)
		plain.to(most)
		if band.least != plain.least {
			t.Fatalf("case %d: %d is lost at least, and %d by vectors", n, plain.least, band.least)
		}
		for s := range most + 1 {
			if want, got := plain.of(plain.on, s)[:width+2], band.of(band.on, s)[:width+2]; !slices.Equal(got, want) {
				t.Fatalf("case %d: row %d of %d diagonals: %v, want %v", n, s, width, got, want)
			}
			for k := range width {
				if want, got := plain.other(s, k), band.other(s, k); got != want {
					t.Fatalf("case %d: row %d without diagonal %d: %d, want %d", n, s, k, got, want)
				}
			}
		}
	}
}

// TestRestFirst has bases of some diagonals in any order. Some are equal.
func TestRestFirst(t *testing.T) {
	t.Parallel()
	for _, bases := range [][]int32{{7, 9, 8}, {9, 8, 7}, {8, 7, 9}, {7, 7, 9}, {9, 7, 7}, {7}} {
		first := restFirst{neverOnRest, 0, neverOnRest}
		for k, base := range bases {
			first.take(base, int32(k))
		}
		order := slices.Sorted(slices.Values(append(slices.Clone(bases), neverOnRest)))
		if first.base != order[0] || first.other != order[1] || bases[first.diagonal] != first.base {
			t.Errorf("%+v of %v", first, bases)
		}
	}
}

// TestEqualAt compares bits for each diagonal with the letters there.
func TestEqualAt(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(44, 45))
	text, read := truth.Random(r, 400, "ACGT"), truth.Random(r, 100, "ACGTN")
	ref, view := truth.Reference(t, text), pack(read, 0)
	rests := localRests{text: &ref.Bases, read: view.Strands[Forward].Planes.appendCodes(nil, len(read))}
	for base := range read {
		rests.at = r.IntN(100)
		from := r.IntN(100)
		bits := rests.equalAt(from, int32(base))
		for k := range 64 {
			if got, want := bits>>k&1 != 0, text[rests.at+from+base+k] == read[base]; got != want {
				t.Fatalf("base %d, %c, on a diagonal with %c: %t", base, read[base], text[rests.at+from+base+k], got)
			}
		}
	}
	if rests.equalAt(0, -1) != 0 {
		t.Error("a base before the first one is equal")
	}
}
