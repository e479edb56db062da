package locate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// stripCase draws two sequences, the second with parts of the first, and costs for its length.
func stripCase(r *rand.Rand, rows, columns, letters int) (s strips, codes []byte, c stripCosts) {
	other := make([]byte, columns)
	codes = make([]byte, rows)
	for _, text := range [][]byte{other, codes} {
		for i := range text {
			text[i] = byte(r.IntN(letters))
		}
	}
	for from := 0; from < min(rows, columns); from += 1 + r.IntN(40) {
		to := min(from+r.IntN(30), rows)
		copy(codes[from:to], other[min(from+r.IntN(9), columns-1):])
	}
	unit := unitOf(rows)
	inserted := r.IntN(unit + 1)
	c = stripCosts{
		pair: unit, mismatch: (lossMismatch - 1) * unit, open: lossOpen * unit, capped: (7 + r.IntN(100)) * unit,
		row: inserted, column: unit, forgiven: unit - inserted,
	}
	s.setCosts(c)
	s.begin(other, true)
	return s, codes, c
}

// TestStripTwins compares strip on this machine with stripPlain, for strips after each other, from
// any column to any other.
func TestStripTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		rows, columns := rapid.IntRange(1, 300).Draw(t, "rows"), rapid.IntRange(1, 200).Draw(t, "columns")
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			rows = MostLocal
		}
		got, codes, _ := stripCase(r, rows, columns, rapid.SampledFrom([]int{2, 4, 5}).Draw(t, "letters"))
		plain := got
		plain.cells = slices.Clone(got.cells)
		from, to := 0, 0
		for i := 0; i < rows; i += stripRows {
			from = min(from+r.IntN(20), columns-1)
			to = min(max(to, from)+1+r.IntN(40), columns)
			got.add(codes[i:min(i+stripRows, rows)], from, to)
			plain.rows = got.rows
			scores := make([]uint16, (to-from+stripRows-1)*stripRows)
			stripPlain(plain.cells, stripPad+columns-1-from, plain.part(), to-from, &plain.rows, &plain.costs, scores)
			last := &got.all[len(got.all)-1]
			for row := i; row < i+stripRows; row++ {
				most, r := 0, row-i
				for j := range columns {
					score := got.score(row, j)
					if inside := j >= from && j < to; !inside && score != 0 || inside && score != int(scores[(j-from+r)*stripRows+r]) {
						t.Fatalf("rows from %d on, columns %d to %d: row %d, column %d: %d", i, from, to, row, j, score)
					}
					most = max(most, score)
				}
				if int(plain.rows[2][r]) != most || int(last.most[r]) < most {
					t.Fatalf("rows from %d on, columns %d to %d: row %d: at most %d, plain %d, want %d", i, from, to, row, last.most[r], plain.rows[2][r], most)
				}
			}
			for part := range stripParts {
				at := func(s *strips) []uint16 { return s.cells[part*s.part()+stripPad:][:columns+stripPad] }
				if !slices.Equal(at(&got), at(&plain)) {
					t.Fatalf("rows from %d on, columns %d to %d: part %d\n%d\nplain\n%d", i, from, to, part, at(&got), at(&plain))
				}
			}
		}
	})
}

// TestStripScores compares strips in all columns with the definition of their scores, cell by cell.
func TestStripScores(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		rows, columns := rapid.IntRange(1, 70).Draw(t, "rows"), rapid.IntRange(1, 120).Draw(t, "columns")
		s, codes, c := stripCase(r, rows, columns, 4)
		other := make([]byte, columns)
		for j := range other {
			other[j] = byte(s.cells[stripPad+columns-1-j])
		}
		score := make([][]int, rows+1)
		for i := range score {
			score[i] = make([]int, columns+1)
		}
		highest := make([]int, columns)
		for i, code := range codes {
			for j := range columns {
				pair := -c.mismatch
				if code == other[j] {
					pair = c.pair
				}
				best := max(0, score[i][j]+pair)
				for g := 1; g <= max(i+1, j); g++ {
					if g <= i+1 {
						best = max(best, score[i+1-g][j+1]-c.open-g*c.row, score[i+1-g][j+1]-c.capped+g*c.forgiven)
					}
					if g <= j {
						best = max(best, score[i+1][j+1-g]-c.open-g*c.column, score[i+1][j+1-g]-c.capped)
					}
				}
				score[i+1][j+1] = best
				highest[j] = max(highest[j], best)
			}
		}
		for i := 0; i < rows; i += stripRows {
			s.add(codes[i:min(i+stripRows, rows)], 0, columns)
		}
		most := slices.Max(highest)
		row := slices.IndexFunc(score, func(of []int) bool { return slices.Contains(of, most) })
		if i, j := s.first(most); most > 0 && (i+1 != row || j+1 != slices.Index(score[row], most)) {
			t.Fatalf("the first cell of a score of %d is in row %d, column %d, want row %d", most, i, j, row-1)
		}
		for j, want := range highest {
			if got := s.highest(j); got != want {
				t.Fatalf("column %d of %d: %d, want %d", j, columns, got, want)
			}
			if want > 10*c.pair {
				seen++
			}
		}
	})
	if seen < 50 {
		t.Errorf("%d scores of 10 pairs: the test shows little", seen)
	}
}

// TestStripOfLongReads has reads that are equal to the text, whose scores are the highest there
// are.
func TestStripOfLongReads(t *testing.T) {
	for _, m := range []int{1, 15, 16, 17, 250, 251, 252, 253, 300, 1000, MostLocal} {
		codes := make([]byte, m)
		for i := range codes {
			codes[i] = byte(i / 3 % 4)
		}
		var s strips
		unit := unitOf(m)
		s.setCosts(stripCosts{pair: unit, mismatch: (lossMismatch - 1) * unit, open: lossOpen * unit, capped: 20 * unit, row: unit, column: unit})
		s.begin(codes, false)
		for i := 0; i < m; i += stripRows {
			s.add(codes[i:min(i+stripRows, m)], 0, m)
		}
		for i := range m {
			if got := s.highest(i); got != (i+1)*unit {
				t.Fatalf("%d bases: %d after base %d, want %d", m, got, i, (i+1)*unit)
			}
		}
		if exact := unit == m; exact != (m <= 253) || unit < 20 && m > 20 {
			t.Errorf("%d bases: the unit is 1/%d", m, unit)
		}
	}
}

func BenchmarkStrip(b *testing.B) {
	s, codes, _ := stripCase(rand.New(rand.NewPCG(1, 2)), 144, 400, 4)
	for name, of := range map[string]func([]uint16, int, int, int, *stripBases, *costsOfRows, []uint16){"plain": stripPlain, "chosen": strip} {
		b.Run(name, func(b *testing.B) {
			scores := make([]uint16, (400+stripRows-1)*stripRows)
			for b.Loop() {
				for i := 0; i < 144; i += stripRows {
					for r := range stripRows {
						s.rows[0][r], s.rows[1][r] = uint16(codes[i+r]), ^uint16(0)
					}
					of(s.cells, stripPad+400-1, s.part(), 400, &s.rows, &s.costs, scores)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(144*400), "ns/cell")
		})
	}
}
