package locate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestMayQualify plants alignments that qualify: no diagonal on which one has a whole piece is
// refused: by its own bounds, by cheap ones, or by stretches of text.
func TestMayQualify(t *testing.T) {
	t.Parallel()
	var l Local
	asked, capped, refused, refusedBeside := 0, 0, 0, 0
	cases := []int{3974, 15477, 17046} // rare ones, which some mutants need
	for n := range effort.Pick(5000, 1700) {
		cases = append(cases, n)
	}
	for _, n := range cases {
		r := rand.New(rand.NewPCG(uint64(n), 37))
		m := 36 + r.IntN(215)
		rules := truth.LocalRules{Least: m * (60 + r.IntN(36)) / 100, Cap: []int{20, 20, 20, 7, 12, 30}[r.IntN(6)], Longest: LongestGap}
		c := CutLocal(m, rules.Least, rules.Cap)
		if c.Number == 0 {
			continue
		}
		p := truth.DrawPlanted(r, m, rules, nil)
		l.Reference, l.Cap = truth.Reference(t, p.Text), rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		b := l.begin(m, rules.Least, m, m)
		view := pack(p.Read, 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		may := func(diagonal int) bool {
			d := localDiagonal{diagonal: diagonal, differs: l.differences(nil, strand, place, diagonal, m)}
			return along(d.differs, m, m) <= b.budget || l.mayQualify(strand, place, &d)
		}
		beside := func(diagonal int) bool {
			l.lookTogether(strand, place, diagonal-r.IntN(100)*r.IntN(2), diagonal+r.IntN(100)*r.IntN(2))
			return l.endsBeside(diagonal)
		}
		for i, s := range p.Segments {
			diagonal, ok := 0, false
			for from := s.Read; from < s.Read+s.Length && !ok; from++ {
				diagonal, ok = p.Equal(from, c.Bases)
				ok = ok && diagonal == s.Text-s.Read
			}
			if !ok {
				continue
			}
			asked++
			if i > 0 && rules.Longest >= rules.Cap-lossOpen {
				capped++
			}
			if !may(diagonal) {
				t.Fatalf("case %d: %d bases, least %d, cap %d: diagonal %d is refused: read %s in %s, %v",
					n, m, rules.Least, rules.Cap, diagonal, p.Read, p.Text, p.Segments)
			}
			if _, leads := l.MayLead(m, m-rules.Least, m, strand.Planes, place, diagonal); !leads || !beside(diagonal) {
				t.Fatalf("case %d: %d bases, least %d, cap %d: diagonal %d is refused before: read %s in %s, %v",
					n, m, rules.Least, rules.Cap, diagonal, p.Read, p.Text, p.Segments)
			}
		}
		if other := r.IntN(len(p.Text) - m); !beside(other) {
			refusedBeside++
		}
		if !may(r.IntN(len(p.Text) - m)) {
			refused++
		}
	}
	if refused < asked/4 || capped < asked/20 || refusedBeside < asked/40 {
		t.Errorf("%d diagonals asked for, %d after gaps, %d and %d others refused: the test shows little", asked, capped, refused, refusedBeside)
	}
}

// TestUngappedClosed has a diagonal of 100 bases without differences, one base closed: no alignment
// goes over it.
func TestUngappedClosed(t *testing.T) {
	b := newLocalBudget(localSought{100, 80, 20, 20, DefaultCap})
	closed := []uint64{1 << 40, 0}
	best, longest := b.ungapped(closed, closed)
	if got := best.cost.lost(); got != 41 || best.first != 41 || best.last != 100 || longest != 59 {
		t.Errorf("bases [%d, %d) lose %d, the longest run has %d; want [41, 100), 41 and 59", best.first, best.last, got, longest)
	}
	if best, _ = b.ungapped(closed, nil); best.cost.lost() != lossMismatch || best.first != 0 {
		t.Errorf("a base that differs, from base %d on, loses %d", best.first, best.cost.lost())
	}
}

// TestGapAtEnd has reads whose last six bases lie behind one deleted base: to clip them loses 6,
// and the gap 7. The bound of alignments with gaps is no more.
func TestGapAtEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	const m = 100
	for range 200 {
		text := truth.Random(r, 300, "ACGT")
		at := 100 + r.IntN(50)
		read := text[at:at+m-6] + text[at+m-5:at+m+1]
		reference := truth.Reference(t, text)
		l := &Local{Reference: reference, Aligner: &Aligner{Reference: reference}, Cap: DefaultCap}
		l.begin(m, m-20, lossOpen+1, 0)
		view := pack(read, 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		d := &localDiagonal{diagonal: at, differs: l.differences(nil, strand, place, at, m)}
		if l.look(strand, place, d, lossOpen+1); d.least > lossOpen+1 {
			t.Fatalf("alignments with a gap lose %d at least: %s in %s", d.least, read, text)
		}
	}
}

// TestFindBeside has as many neighbours on either side as there are in whole words, and others. The
// diagonal itself is among those found, also without a base that is equal.
func TestFindBeside(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for near := 1; near <= 130; near++ {
		m := 36 + r.IntN(100)
		text := truth.Random(r, 3*m+2*near, "ACGT")
		at := m + near
		// The read is equal to one neighbour of two or three, and differs from its own diagonal.
		beside := []int{-near, near, r.IntN(near) + 1, -1 - r.IntN(near)}[near%4]
		read := []byte(text[at+beside : at+beside+m])
		for i := range read {
			if read[i] == text[at+i] {
				read[i] = "CATG"[strings.IndexByte("ACGT", read[i])]
			}
		}
		reference := truth.Reference(t, text)
		l := &Local{Reference: reference, Aligner: &Aligner{Reference: reference}, Cap: DefaultCap}
		l.begin(m, m*4/5, m, m)
		view := pack(string(read), 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		d := &localDiagonal{diagonal: at, differs: l.differences(nil, strand, place, at, m)}
		var want []int32
		for x := -near; x <= near; x++ {
			if x == 0 || winsOf(l.differences(nil, strand, place, at+x, m), m) > 0 {
				want = append(want, int32(x))
			}
		}
		l.wave.through = -1
		l.findBeside(strand, place, d, near)
		if diff := cmp.Diff(want, l.wave.at); diff != "" || l.wave.at[l.wave.through] != 0 {
			t.Fatalf("up to %d away, through %d (-want +got):\n%s", near, l.wave.through, diff)
		}
	}
}

// TestBrokenByTwo has two insertions of the cost of the cap, each in three blocks, in a
// read whose first base is clipped.
func TestBrokenByTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	const m, gap, left = 216, DefaultCap - lossOpen, 6
	for range 50 {
		text := truth.Random(r, 500, "ACGT")
		at := 100 + r.IntN(50)
		read := text[at:at+68] + truth.Random(r, gap, "ACGT") + text[at+68:at+148-gap] + truth.Random(r, gap, "ACGT") + text[at+148-gap:at+m-2*gap]
		read = string("CATG"[strings.IndexByte("ACGT", read[0])]) + read[1:]
		reference := truth.Reference(t, text)
		l := &Local{Reference: reference, Aligner: &Aligner{Reference: reference}, Cap: DefaultCap}
		b := l.begin(m, m-2*DefaultCap-left, m, m)
		view := pack(read, 0)
		for _, diagonal := range []int{at, at - gap, at - 2*gap} {
			if l.brokenEights(&view.Strands[Forward], At(0, Forward), diagonal, m) > b.brokenByTwo {
				t.Fatalf("an alignment from %d on is refused: %s in %s", at, read, text)
			}
		}
	}
}

// TestMayBeCappedByTwo has two insertions of 40 bases. The read loses more than it may without
// forgiveness of the threshold.
func TestMayBeCappedByTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	const part, gap, m = 60, 40, 3*60 + 2*40
	for range 50 {
		text := truth.Random(r, 500, "ACGT")
		at := 100 + r.IntN(50)
		read := text[at:at+part] + truth.Random(r, gap, "ACGT") + text[at+part:at+2*part] + truth.Random(r, gap, "ACGT") + text[at+2*part:at+3*part]
		reference := truth.Reference(t, text)
		l := &Local{Reference: reference, Aligner: &Aligner{Reference: reference}, Cap: DefaultCap}
		b := l.begin(m, (3*part-2*DefaultCap)*m/(3*part), m, m)
		view := pack(read, 0)
		strand, place := &view.Strands[Forward], At(0, Forward)
		for _, diagonal := range []int{at, at - gap, at - 2*gap} {
			d := &localDiagonal{diagonal: diagonal, differs: l.differences(nil, strand, place, diagonal, m)}
			if may, _ := l.mayBeCapped(strand, place, d, b.budget); !may {
				t.Fatalf("an alignment from %d on is refused: %s in %s", at, read, text)
			}
		}
	}
}

// chainedPlain is chained base by base, for insertions of up to `inserted` bases.
func chainedPlain(l *Local, differs []uint64, inserted int) int {
	const never = -1 << 40
	m, words := l.budget.m, len(differs)
	diagonals := [][]uint64{differs}
	for at := 0; at < len(l.beside); at += words {
		diagonals = append(diagonals, l.beside[at:at+words])
	}
	forgiven := m - l.budget.each
	ends := make([][4]int, len(diagonals))
	for k := range ends {
		ends[k] = [4]int{never, never, never, never}
	}
	best := [][4]int{{0, never, never, never}} // before each base
	for i := range m + 1 {
		before := best[i]
		if inserted > 0 {
			before[0] = max(before[0], min(i, lossOpen)*m)
		}
		fresh := [4]int{}
		for level := range fresh {
			fresh[level] = before[level] - lossOpen*m
		}
		fresh[0] = max(fresh[0], 0)
		for from := max(0, i-inserted); from < i; from++ {
			for level := range 2 {
				landed := best[from][level] + (i-from)*forgiven - l.budget.cap*m
				fresh[2+level] = max(fresh[2+level], landed)
				before[2+level] = max(before[2+level], landed+min(m-i, lossOpen)*m)
			}
		}
		best[i] = before
		if i == m {
			break
		}
		for k, x := range diagonals {
			pair := m
			if x[i>>6]>>(i&63)&1 != 0 {
				pair -= lossMismatch * m
			}
			for level := 3; level >= 0; level-- {
				from := max(ends[k][level], fresh[level])
				if k == 0 {
					if level&1 == 0 {
						continue
					}
					if nextBit(x, i, m) >= i+5 {
						from = max(from, fresh[level-1])
					}
				}
				ends[k][level] = from + pair
				before[level] = max(before[level], from+pair)
			}
		}
		best = append(best, before)
	}
	if inserted > 0 {
		return m - floorDiv(best[m][3], m)
	}
	return m - floorDiv(best[m][1], m)
}

// TestChained compares chained with all bases, for diagonals with runs of equal bases: it is the
// same without an insertion, and with one no more, as that may have any length.
func TestChained(t *testing.T) {
	t.Parallel()
	var l Local
	equal, insertions, cut := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		m, every := rapid.IntRange(36, 260).Draw(t, "bases"), rapid.IntRange(2, 40).Draw(t, "every")
		b := l.begin(m, m-m*rapid.IntRange(5, 40).Draw(t, "percent")/100, m, 0)
		b.cap = DefaultCap
		draw := func() (differs []uint64) {
			differs = make([]uint64, (m+63)/64)
			from, to := r.IntN(m), r.IntN(m)
			for i := range m {
				few := i >= min(from, to) && i < max(from, to)
				if few && r.IntN(every) == 0 || !few && r.IntN(4) > 0 {
					differs[i>>6] |= 1 << (i & 63)
				}
			}
			return differs
		}
		for range 30 {
			differs := draw()
			l.beside = l.beside[:0]
			for range rapid.IntRange(0, 6).Draw(t, "beside") {
				l.beside = append(l.beside, draw()...)
			}
			for _, inserted := range []int{0, rapid.SampledFrom([]int{1, 20, 300}).Draw(t, "inserted")} {
				want := chainedPlain(&l, differs, inserted)
				chained := func(most int) int {
					lost, across := l.chained(differs, most)
					if inserted > 0 {
						return across
					}
					return lost
				}
				got := chained(2 * m)
				if got > want && got <= 2*m || inserted == 0 && got < want && want <= 2*m {
					t.Fatalf("%d inserted: %d at least, want %d: %x and %x", inserted, got, want, differs, l.beside)
				}
				if inserted == 300 && want <= 2*m {
					if insertions++; got == want {
						equal++
					}
				}
				most := r.IntN(m)
				if few := chained(most); few != got && (few <= most || got <= most) {
					t.Fatalf("%d inserted, up to %d: %d at least, want %d: %x and %x", inserted, most, few, got, differs, l.beside)
				} else if few != got {
					cut++
				}
			}
		}
	})
	t.Logf("%d of %d insertions are equal, %d cut", equal, insertions, cut)
	if equal < insertions/2 || insertions == 0 || cut == 0 {
		t.Errorf("%d of %d insertions are equal, %d cut: the test shows little", equal, insertions, cut)
	}
}

// TestChainTops compares them with all runs.
func TestChainTops(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tops chainTops
		var ends, scores []int
		for i := range 30 {
			for range rapid.IntRange(0, 3).Draw(t, "runs") {
				end, score := i+rapid.IntRange(1, 20).Draw(t, "bases"), rapid.IntRange(0, 15).Draw(t, "score")
				ends, scores = append(ends, end), append(scores, score)
				tops.add(end, score)
			}
			want := neverChain
			for k, end := range ends {
				if end > i {
					want = max(want, scores[k])
				}
			}
			if got := tops.best(i); got != want {
				t.Fatalf("%d after base %d, want %d", got, i, want)
			}
			for k := 1; k < len(tops); k++ {
				if tops[k].end >= tops[k-1].end || tops[k].score <= tops[k-1].score {
					t.Fatalf("a run that never is the best: %v", tops)
				}
			}
		}
	})
}
