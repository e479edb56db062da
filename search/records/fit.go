package records

import "math"

// A fitter finds which stretch of a read a pattern fits best, and holds memory for that.
type fitter struct {
	codes  []byte
	column []int
}

// An edit costs more than any number of gaps, so that the least cost has the fewest edits, and of
// these the fewest gaps: letters that are inserted or deleted.
const (
	edit = 1 << 24
	gap  = edit + 1
)

// edits returns the fewest edits between letters, given as sets of bases, and a stretch of the
// codes that starts at most `within` letters after the first (Sellers 1980, with as many free
// letters before the stretch), and where the stretch ends. If several have as few edits it is one
// with the fewest gaps, and of these one that ends first.
//
// column[i] is the cost of the first i letters and what ends at a code. One without letters has as
// many gaps as it has codes after the first `within`.
func (f *fitter) edits(sets []uint8, within int) (edits, end int) {
	f.column = f.column[:0]
	for i := range len(sets) + 1 {
		f.column = append(f.column, i*gap)
	}
	least := f.column[len(sets)]
	for j, code := range f.codes {
		diagonal := f.column[0]
		f.column[0] = max(0, j+1-within) * gap
		for i, set := range sets {
			d := diagonal + int(^set>>code&1)*edit
			diagonal = f.column[i+1]
			f.column[i+1] = min(d, diagonal+gap, f.column[i]+gap)
		}
		if d := f.column[len(sets)]; d < least {
			least, end = d, j+1
		}
	}
	return least / edit, end
}

// substitutions is edits without gaps: the stretch has as many codes as there are letters. Without
// such a stretch there are more substitutions than any limit.
func (f *fitter) substitutions(sets []uint8, within int) (substitutions, end int) {
	substitutions = math.MaxInt
	for start := range min(within, len(f.codes)-len(sets)) + 1 {
		n := 0
		for i, set := range sets {
			n += int(^set >> f.codes[start+i] & 1)
		}
		if n < substitutions {
			substitutions, end = n, start+len(sets)
		}
	}
	return substitutions, end
}
