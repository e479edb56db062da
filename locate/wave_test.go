package locate

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// leastNear returns what alignments lose at least, in 1/m, that have five equal bases in a row on
// diagonal 0 of some and have gaps, each below the cap, from all cells. differs[near+k] is what
// differs on diagonal k.
func leastNear(differs [][]uint64, b *localBudget) int {
	const never, hasGap, hasFive = 1 << 40, 1, 2
	near, m := len(differs)/2, b.m
	// By base, diagonal, and what an alignment has.
	cells := make([][][4]int, m)
	least := never
	for i := range m {
		cells[i] = make([][4]int, len(differs))
		for k := range differs {
			best := [4]int{i * m, never, never, never}
			for g := -(b.cap - lossOpen - 1); g < b.cap-lossOpen; g++ { // deleted bases
				from, cost, to, has := i-1+min(g, 0), 0, k-g, hasGap
				if g > 0 {
					cost = (lossOpen + g) * m
				} else if g < 0 {
					cost = (lossOpen-g)*m - g*b.each
				} else {
					has = 0
				}
				if from < 0 || to < 0 || to >= len(differs) {
					continue
				}
				for had, lost := range cells[from][to] {
					best[had|has] = min(best[had|has], lost+cost)
				}
			}
			pair := lossMismatch * m * int(differs[k][i>>6]>>(i&63)&1)
			for has := range best {
				best[has] += pair
			}
			if k == near && i >= 4 && nextBit(differs[k], i-4, m) > i {
				for had, lost := range cells[i-4][k] {
					best[had|hasFive] = min(best[had|hasFive], lost)
				}
			}
			cells[i][k] = best
			least = min(least, best[hasGap|hasFive]+(m-1-i)*m)
		}
	}
	return least
}

// lookAt looks at a diagonal of the forward strand of a read in a text, contig 0, of a case with a
// number. It also returns the result of leastNear, and no more may be found.
func lookAt(t *testing.T, n int, l *Local, read, text string, diagonal, most int) (d localDiagonal, want int) {
	t.Helper()
	view := pack(read, 0)
	b, strand, place := l.budget, &view.Strands[Forward], At(0, Forward)
	d = localDiagonal{diagonal: diagonal, differs: l.differences(nil, strand, place, diagonal, b.m)}
	near := b.nearOf(most)
	var differs [][]uint64
	for k := -near; k <= near; k++ {
		differs = append(differs, l.differences(nil, strand, place, diagonal+k, b.m))
	}
	want = leastNear(differs, b)
	if l.look(strand, place, &d, most); want <= most*b.m && d.least*b.m > want {
		t.Fatalf("case %d: %d bases, up to %d, cap %d, bounded %v: %d at least through diagonal %d, want %d / %d: read %s in %s",
			n, b.m, most, b.cap, b.bounded, d.least, diagonal, want, b.m, read, text)
	}
	return d, want
}

// TestWave compares what look finds with all cells, near planted alignments and by chance: it is
// never more, and mostly no less.
func TestWave(t *testing.T) {
	t.Parallel()
	var l Local
	compared, equal, refused, gapped := 0, 0, 0, 0
	first := effort.Pick(0, 1300) // the rare case of a mutant is 1589
	for n := first; n < first+effort.Pick(2000, 350); n++ {
		r := rand.New(rand.NewPCG(uint64(n), 41))
		m := 36 + r.IntN(90)
		rules := truth.LocalRules{Least: m * (65 + r.IntN(31)) / 100, Cap: []int{20, 20, 7, 12, 30}[r.IntN(5)], Longest: 13}
		if CutLocal(m, rules.Least, rules.Cap).Number == 0 {
			continue
		}
		p := truth.DrawPlanted(r, m, rules, nil)
		l.Reference, l.Cap = truth.Reference(t, p.Text), rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		letters, lost := []byte(p.Read), m-rules.Least
		if r.IntN(2) == 0 { // the last bases are clipped, too
			n := 1 + r.IntN(3)
			copy(letters[m-n:], truth.Random(r, n, "ACGT"))
			lost += n
		}
		b := l.begin(m, max(1, m-lost), lost+r.IntN(2), 0)
		for _, s := range p.Segments {
			diagonal := s.Text - s.Read + max(0, r.IntN(8)-6)
			most := b.budget - r.IntN(2)*r.IntN(b.budget+1)/4
			d, want := lookAt(t, n, &l, string(letters), p.Text, diagonal, most)
			if compared++; want > most*m {
				if d.least > most {
					refused++
				}
				continue
			}
			if b.bounded {
				ungapped, _ := b.ungapped(d.differs, nil)
				if gapped++; d.least*m == min(want, ungapped.cost.lost()*m) {
					equal++
				}
			}
		}
	}
	t.Logf("%d compared, %d refused; %d of %d are equal", compared, refused, equal, gapped)
	if refused < compared/10 || gapped < compared/20 || equal < gapped*4/5 {
		t.Errorf("%d compared, %d refused, %d of %d equal: the test shows little", compared, refused, equal, gapped)
	}
}

// TestWaveLeaps is TestWave for two gaps and a segment between that wins nothing.
func TestWaveLeaps(t *testing.T) {
	t.Parallel()
	var l Local
	equal := map[[2]int]int{} // by inserted bases of each gap, where negative ones are deleted
	kinds := [][2]int{{1, -1}, {-1, 1}, {1, 1}, {-1, -1}, {-2, -1}}
	for n := range effort.Pick(3000, 600) {
		r := rand.New(rand.NewPCG(uint64(n), 57))
		m, kind := 60+r.IntN(60), kinds[n%len(kinds)]
		read := truth.Random(r, m, "ACGT")
		text := truth.Random(r, 100, "ACGT")
		from := 25 + r.IntN(m-58)
		text, at := text+read[:from], from
		for i, g := range kind {
			if g > 0 {
				at += g
			} else {
				text += truth.Random(r, -g, "ACGT")
			}
			if i == 0 {
				between := 4 + r.IntN(4)
				text += read[at : at+between]
				at += between
			}
		}
		text += read[at:] + truth.Random(r, 100, "ACGT")
		l.Reference, l.Cap = truth.Reference(t, text), 20
		most := 14 + r.IntN(6)
		l.begin(m, m-most, most+n/len(kinds)%2, 0)
		d, want := lookAt(t, n, &l, read, text, 100, most)
		if want <= most*m && d.least == (want+m-1)/m {
			equal[kind]++
		}
	}
	t.Logf("as much as all cells: %v", equal)
	for _, kind := range kinds {
		if equal[kind] < effort.Pick(150, 30) {
			t.Errorf("inserted bases %v: %d are equal: the test shows little", kind, equal[kind])
		}
	}
}

// TestWinsOf compares it with the best of all segments.
func TestWinsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	some := 0
	for range effort.Pick(100000, 5000) {
		m := 1 + r.IntN(260)
		differs, every := make([]uint64, (m+63)/64), 2+r.IntN(12)
		ending, won := -1<<20, 0 // of segments up to a base, less lossOpen each; the best
		for i := range m {
			score := 1
			if r.IntN(every) == 0 {
				differs[i>>6] |= 1 << (i & 63)
				score = 1 - lossMismatch
			}
			ending = max(ending, won-lossOpen) + score
			won = max(won, ending)
		}
		if got := winsOf(differs, m); got != won {
			t.Fatalf("%d bases of which %x differ win %d, want %d", m, differs, got, won)
		}
		if m <= 64 {
			if got := Wins(^differs[0] & (1<<m - 1)); got != won {
				t.Fatalf("one word of %d bases of which %x differ wins %d, want %d", m, differs, got, won)
			}
		}
		some += min(won, 1)
	}
	if some < effort.Pick(25000, 1250) {
		t.Errorf("segments win in %d cases: the test shows little", some)
	}
}
