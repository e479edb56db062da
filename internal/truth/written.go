package truth

// An Alignment is one of a whole read, as far as the rules of written alignments tell it from
// others.
type Alignment struct {
	Start, End, Loss, Gaps, Edits int
}

// less orders alignments whose least one is from start to end.
func (a *Alignment) less(b *Alignment, start, end int) bool {
	for _, x := range [][2]int{
		{a.Loss, b.Loss}, {a.Gaps, b.Gaps}, {a.Edits, b.Edits},
		{away(a.Start, start), away(b.Start, start)}, {away(a.End, end), away(b.End, end)}, {a.Start, b.Start}, {a.End, b.End},
	} {
		if x[0] != x[1] {
			return x[0] < x[1]
		}
	}
	return false
}

func away(a, b int) int { return max(a-b, b-a) }

// never is more than any loss.
const never = 1 << 30

// BestInBand returns the best alignment of a strand with a text by affine costs (a mismatch 5, a
// deletion of g bases 6 + g, an insertion 6 + 2 g) that begins on a diagonal from low to high,
// stays on them, and has no insertion beside a deletion. Ties are broken as seen from an alignment
// that lies from start to end. It fills three matrices for each start.
//
//go:norace
func BestInBand(text, s string, low, high, start, end int) Alignment {
	best := Alignment{Loss: never}
	for from := max(low, 0); from <= min(high, len(text)); from++ {
		for _, a := range fromStart(text, s, low, high, from) {
			if a.less(&best, start, end) {
				best = a
			}
		}
	}
	return best
}

// fromStart returns the best alignments from one start on, one for each end.
//
//go:norace
func fromStart(text, s string, low, high, from int) (all []Alignment) {
	type cell [3]Alignment // that end with a pair (or nothing), an insertion, a deletion
	dead := cell{{Loss: never}, {Loss: never}, {Loss: never}}
	add := func(a Alignment, loss, gaps, edits int) Alignment {
		return Alignment{Start: from, Loss: a.Loss + loss, Gaps: a.Gaps + gaps, Edits: a.Edits + edits}
	}
	least := func(list ...Alignment) Alignment {
		best := list[0]
		for _, a := range list[1:] {
			if a.less(&best, from, 0) {
				best = a
			}
		}
		return best
	}
	rows := make([][]cell, len(s)+1)
	for i := range rows {
		rows[i] = make([]cell, len(text)+1)
		for j := range rows[i] {
			rows[i][j] = dead
			if d := j - i; j < from || d < low || d > high {
				continue
			}
			if i == 0 && j == from {
				rows[i][j][0] = Alignment{Start: from}
				continue
			}
			if i > 0 && j > 0 {
				before, loss := rows[i-1][j-1], 0
				if !Matches(s[i-1], text[j-1]) {
					loss = 5
				}
				rows[i][j][0] = add(least(before[0], before[1], before[2]), loss, 0, loss/5)
			}
			if i > 0 {
				before := rows[i-1][j]
				rows[i][j][1] = least(add(before[0], 8, 1, 1), add(before[1], 2, 1, 1))
			}
			if j > 0 {
				before := rows[i][j-1]
				rows[i][j][2] = least(add(before[0], 7, 1, 1), add(before[2], 1, 1, 1))
			}
		}
	}
	for j, c := range rows[len(s)] {
		a := least(c[0], c[1], c[2])
		if a.End = j; a.Loss < never {
			all = append(all, a)
		}
	}
	return all
}
