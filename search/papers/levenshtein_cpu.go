package papers

import (
	"bytes"

	"scanmap/search"
)

// newDiagonal computes diagonal by diagonal.
func newDiagonal(n search.Needle) search.ByteFinder {
	return func(codes []byte, found func(end int)) {
		var rows slidRows
		wavefront(n, &rows, codes, 0, found)
	}
}

// newBlocks does so in windows of three pieces of the length of the needle, one window for each
// piece. The first two have fewer pieces, since nothing comes before the codes that could match.
func newBlocks(n search.Needle) search.ByteFinder {
	return func(codes []byte, found func(end int)) {
		var rows slidRows
		m := n.Length()
		for start := 0; start < len(codes); start += m {
			from, to := max(start-2*m, 0), min(start+m, len(codes))
			wavefront(n, &rows, codes[from:to], start-from, func(end int) { found(from + end) })
		}
	}
}

// slidRows are rows i + j - 2 to i + j of the slid matrix: D[i][j] is in rows[(i + j) mod 3][j mod
// m] (Nakano 2012, section VI).
type slidRows [3][]int

// wavefront computes the matrix of codes, and reports the ends after the first `before` codes.
func wavefront(n search.Needle, rows *slidRows, codes []byte, before int, found func(end int)) {
	m := n.Length()
	for i := range rows {
		if len(rows[i]) < m {
			rows[i] = make([]int, m)
		}
	}
	for d := 2; d <= m+len(codes); d++ {
		older, previous, current := rows[(d-2)%3], rows[(d-1)%3], rows[d%3]
		for i := max(1, d-len(codes)); i <= min(m, d-1); i++ {
			j := d - i
			at, atLeft := j%m, (j-1)%m
			left, above, diagonal := i, 0, 0
			if j > 1 {
				left = previous[atLeft]
			}
			if i > 1 {
				above, diagonal = previous[at], i-1
				if j > 1 {
					diagonal = older[atLeft]
				}
			}
			if !n.Matches(i-1, codes[j-1]) {
				diagonal++
			}
			current[at] = min(left+1, above+1, diagonal)
			if i == m && j > before && current[at] <= n.Distance() {
				found(j)
			}
		}
	}
}

// rowsPiece is the number of codes that are reported of a matrix computed by rows.
const rowsPiece = 4096

// newRows computes row by row, in pieces of the codes that overlap by m + k.
func newRows(n search.Needle) search.ByteFinder {
	places, letters := distinct(n)
	return func(codes []byte, found func(end int)) {
		for start := 0; start < len(codes); start += rowsPiece {
			from, to := max(start-n.Length()-n.Distance(), 0), min(start+rowsPiece, len(codes))
			for j, distance := range lastRow(n, places, lastMatches(n, letters, codes[from:to])) {
				if j > start-from && distance <= n.Distance() {
					found(from + j)
				}
			}
		}
	}
}

// distinct returns the distinct letters of a needle, codes or, with sets, sets of codes, and the
// number of each place's.
func distinct(n search.Needle) (places, letters []byte) {
	all := n.Letters()
	if !n.Single() {
		all = n.Sets()
	}
	for _, letter := range all {
		at := bytes.IndexByte(letters, letter)
		if at < 0 {
			at = len(letters)
			letters = append(letters, letter)
		}
		places = append(places, byte(at))
	}
	return places, letters
}

// lastMatches returns X[l][j] for each of a needle's letters: the number of the last code up to the
// j-th that it matches, counted from 1, or 0 (Ho, Oh and Kim 2017, equation (2)).
func lastMatches(n search.Needle, letters, codes []byte) [][]int {
	x := make([][]int, len(letters))
	for l, letter := range letters {
		x[l] = make([]int, len(codes)+1)
		for j, code := range codes {
			x[l][j+1] = x[l][j]
			if n.Single() && letter == code || !n.Single() && letter>>code&1 != 0 {
				x[l][j+1] = j + 1
			}
		}
	}
	return x
}

// lastRow returns row m of the matrix (Ho, Oh and Kim 2017, equation (3)). No cell of a row needs
// another cell of the row.
func lastRow(n search.Needle, places []byte, x [][]int) []int {
	previous, current := make([]int, len(x[0])), make([]int, len(x[0]))
	for i := 1; i <= n.Length(); i++ {
		last := x[places[i-1]]
		current[0] = i
		for j := 1; j < len(current); j++ {
			switch at := last[j]; at {
			case j:
				current[j] = previous[j-1]
			case 0:
				current[j] = 1 + min(previous[j], previous[j-1], i+j-1)
			default:
				current[j] = 1 + min(previous[j], previous[j-1], previous[at-1]+j-1-at)
			}
		}
		previous, current = current, previous
	}
	return previous
}
