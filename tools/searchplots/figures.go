package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// A figure is a plot and its table.
type figure struct {
	file, title    string
	xLabel, yLabel string
	xName          string // of a column of the table
	series         []series
	// ceilings are levels that the device cannot exceed.
	ceilings []series
	// crossings are where lines cross, for times.
	crossings []crossing
	// bars are drawn of the first point of each series, in place of lines.
	bars bool
}

// series is one line.
type series struct {
	name   string
	points []point
}

type point struct{ x, y, share float64 }

// A crossing is where one line falls below another.
type crossing struct {
	point
	before, after string // the lower line on the left and on the right
}

// where returns the rows that are wanted.
func where(rows []row, wanted func(r *row) bool) []row {
	var some []row
	for i := range rows {
		if wanted(&rows[i]) {
			some = append(some, rows[i])
		}
	}
	return some
}

// onGPU drops what was measured on the CPU if there is anything else.
func onGPU(rows []row) []row {
	if gpu := where(rows, func(r *row) bool { return !r.cpu() }); len(gpu) > 0 {
		return gpu
	}
	return rows
}

// values returns the distinct values of a member, in ascending order.
func values[T cmp.Ordered](rows []row, member func(r *row) T) []T {
	seen := map[T]bool{}
	for i := range rows {
		seen[member(&rows[i])] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func letters(r *row) int64     { return r.Letters }
func patternLength(r *row) int { return r.PatternLength }

func largest(rows []row) (n int64) {
	for i := range rows {
		n = max(n, rows[i].Letters)
	}
	return n
}

// lines makes a series of each scheme and kind of text, or of whatever name tells apart.
func lines(rows []row, name func(r *row) string, x, y func(r *row) float64) []series {
	var all []series
	for i := range rows {
		r := &rows[i]
		n := name(r)
		at := slices.IndexFunc(all, func(s series) bool { return s.name == n })
		if at < 0 {
			at = len(all)
			all = append(all, series{name: n})
		}
		all[at].points = append(all[at].points, point{x(r), y(r), r.Share})
	}
	for _, s := range all {
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	return all
}

// schemeName tells schemes apart and, where the rows differ in it, texts and devices.
func schemeName(rows []row) func(r *row) string {
	texts := len(values(rows, (*row).text)) > 1
	devices := len(values(rows, func(r *row) string { return r.Device })) > 1
	return func(r *row) string {
		name := r.Method + "/" + r.Scheme
		if texts {
			name += ", " + r.text()
		}
		if devices && r.cpu() {
			name += fmt.Sprintf(", %s", threads(r))
		}
		return name
	}
}

func threads(r *row) string {
	if r.Threads == 1 {
		return "CPU, 1 thread"
	}
	return fmt.Sprintf("CPU, %d threads", r.Threads)
}

// about says what all rows of a figure are of: the text if it is one, and the devices.
func about(rows []row) string {
	var parts []string
	if texts := values(rows, (*row).text); len(texts) == 1 {
		parts = append(parts, texts[0])
	}
	return strings.Join(append(parts, strings.Join(values(rows, func(r *row) string { return r.Device }), " and ")), "; ")
}

// number writes powers of two from 2^16 on as such, and other large numbers in millions.
func number(n int64) string {
	switch {
	case n >= 1<<16 && n&(n-1) == 0:
		return fmt.Sprintf("2^%d", bits.Len64(uint64(n))-1)
	case n >= 1e6:
		return fmt.Sprintf("%.3g M", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}

const tbpsLabel = "Tbit/s, 8 bits a letter"

// allFigures are those for which there are rows.
func allFigures(rows []row) []*figure {
	single := where(rows, func(r *row) bool { return r.Patterns <= 1 })
	var all []*figure
	all = append(all, againstShare(single))
	for k := range 3 {
		all = append(all, againstPatternLength(single, k))
	}
	for k := range 3 {
		all = append(all, againstLetters(single, k))
	}
	all = append(all, rabinKarp(single)...)
	all = append(all, alphabetSizes(single), witness(single), levenshtein(single))
	return slices.DeleteFunc(all, func(f *figure) bool { return f == nil })
}

// bitwise are the rows of the methods that keep a bit for each letter of the pattern, with k edits.
func bitwise(rows []row, k int) []row {
	return onGPU(where(rows, func(r *row) bool {
		return slices.Contains([]string{"shift-or", "wu-manber", "planes"}, r.Method) && r.Distance == k && !r.Substitutions
	}))
}

// ceilings are the levels of the ceilings that rows have, from the least to the greatest x.
func ceilings(rows []row, x func(r *row) float64) []series {
	first, last := math.Inf(1), math.Inf(-1)
	levels := map[string]float64{}
	for i := range rows {
		r := &rows[i]
		first, last = min(first, x(r)), max(last, x(r))
		if r.Share > 0 {
			levels[r.Ceiling] = max(levels[r.Ceiling], r.tbps()/r.Share)
		}
	}
	var all []series
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		all = append(all, series{"ceiling: " + name, []point{{first, levels[name], 0}, {last, levels[name], 0}}})
	}
	return all
}

// share is the number of letters that a thread folds (alpha) in a scheme of shift-or, 0 for others.
func share(r *row) int {
	if r.Method != "shift-or" {
		return 0
	}
	switch r.Scheme {
	case "scan":
		return 16
	case "scan-1", "scan-2", "scan-4", "scan-8":
		return int(r.Scheme[len(r.Scheme)-1] - '0')
	}
	return 0
}

// againstShare is figure 6 of the paper on cuShiftOr: a line for each m that was measured with
// every alpha.
func againstShare(rows []row) *figure {
	rows = onGPU(where(rows, func(r *row) bool { return share(r) > 0 }))
	n := largest(rows)
	rows = where(rows, func(r *row) bool { return r.Letters == n })
	shares := len(values(rows, share))
	if shares < 2 {
		return nil
	}
	x := func(r *row) float64 { return float64(share(r)) }
	name := func(r *row) string { return fmt.Sprintf("m = %d", r.PatternLength) }
	all := slices.DeleteFunc(lines(rows, name, x, (*row).tbps), func(s series) bool { return len(s.points) < shares })
	return &figure{
		file:  "search-alpha.svg",
		title: fmt.Sprintf("shift-or/scan against the letters of a thread, n = %s; %s", number(n), about(rows)),
		xName: "alpha", xLabel: "alpha, letters that a thread folds", yLabel: tbpsLabel,
		series: all, ceilings: ceilings(rows, x),
	}
}

// againstPatternLength is figure 7 of the paper on cuShiftOr.
func againstPatternLength(rows []row, k int) *figure {
	rows = where(bitwise(rows, k), func(r *row) bool { return !strings.HasPrefix(r.Scheme, "scan-") })
	n := largest(rows)
	rows = where(rows, func(r *row) bool { return r.Letters == n })
	if len(values(rows, patternLength)) < 2 {
		return nil
	}
	x := func(r *row) float64 { return float64(r.PatternLength) }
	return &figure{
		file:  fmt.Sprintf("search-pattern-length-k%d.svg", k),
		title: fmt.Sprintf("Throughput against the pattern's length, k = %d, n = %s; %s", k, number(n), about(rows)),
		xName: "m", xLabel: "m, letters of the pattern", yLabel: tbpsLabel,
		series: lines(rows, schemeName(rows), x, (*row).tbps), ceilings: ceilings(rows, x),
	}
}

// againstLetters is figure 8 of the paper on cuShiftOr, for the length of a pattern that was
// measured with the most texts.
func againstLetters(rows []row, k int) *figure {
	rows = where(bitwise(rows, k), func(r *row) bool { return !r.dna() })
	m, most := 0, 1
	for _, length := range values(rows, patternLength) {
		if n := len(values(where(rows, func(r *row) bool { return r.PatternLength == length }), letters)); n > most {
			m, most = length, n
		}
	}
	rows = where(rows, func(r *row) bool { return r.PatternLength == m && !strings.HasPrefix(r.Scheme, "scan-") })
	if len(rows) == 0 {
		return nil
	}
	all := lines(rows, schemeName(rows), func(r *row) float64 { return float64(r.Letters) }, (*row).tbps)
	return &figure{
		file:  fmt.Sprintf("search-text-length-k%d.svg", k),
		title: fmt.Sprintf("Throughput against the text's length, k = %d, m = %d; %s", k, m, about(rows)),
		xName: "n", xLabel: "n, letters of the text", yLabel: tbpsLabel,
		series: slices.DeleteFunc(all, func(s series) bool { return len(s.points) < 2 }),
	}
}

// rabinKarp are figure 3a of the paper on Rabin-Karp's method and, of DNA of the length of E. coli,
// its table 6: one for each text that was searched by several schemes for patterns of several
// lengths.
func rabinKarp(rows []row) []*figure {
	rows = onGPU(where(rows, func(r *row) bool { return r.Method == "rabin-karp" && r.Distance == 0 }))
	var all []*figure
	for _, text := range values(rows, (*row).text) {
		for _, n := range values(rows, letters) {
			some := where(rows, func(r *row) bool { return r.text() == text && r.Letters == n })
			if len(values(some, patternLength)) < 2 || len(values(some, func(r *row) string { return r.Scheme })) < 2 {
				continue
			}
			f := &figure{
				file:  fmt.Sprintf("search-rabin-karp-%s-%d.svg", some[0].Alphabet, n),
				title: fmt.Sprintf("Rabin-Karp: time against the pattern's length, n = %s; %s", number(n), about(some)),
				xName: "m", xLabel: "m, letters of the pattern", yLabel: "ms",
				series: lines(some, schemeName(some), func(r *row) float64 { return float64(r.PatternLength) }, (*row).milliseconds),
			}
			if !some[0].dna() {
				f.file = fmt.Sprintf("search-rabin-karp-bytes%d-%d.svg", some[0].AlphabetSize, n)
			}
			f.crossings = crossings(f.series)
			all = append(all, f)
		}
	}
	return all
}

// crossings finds where lines cross that are straight between points on two logarithmic axes.
func crossings(all []series) []crossing {
	var found []crossing
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			found = append(found, crossingsOf(all[i], all[j])...)
		}
	}
	slices.SortFunc(found, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	return found
}

// crossingsOf finds them for two lines, at the x that both have.
func crossingsOf(a, b series) (found []crossing) {
	type pair struct{ x, a, b float64 }
	var common []pair
	for _, p := range a.points {
		for _, q := range b.points {
			if p.x == q.x {
				common = append(common, pair{math.Log(p.x), math.Log(p.y), math.Log(q.y)})
			}
		}
	}
	for i := 1; i < len(common); i++ {
		from, to := common[i-1], common[i]
		before, after := from.b-from.a, to.b-to.a
		if before*after >= 0 {
			continue
		}
		t := before / (before - after)
		c := crossing{point{math.Exp(from.x + t*(to.x-from.x)), math.Exp(from.a + t*(to.a-from.a)), 0}, a.name, b.name}
		if before < 0 {
			c.before, c.after = b.name, a.name
		}
		found = append(found, c)
	}
	return found
}

// alphabetSizes is table 4 of the paper on Rabin-Karp's method: the rates of two-stage, for the
// longest text.
func alphabetSizes(rows []row) *figure {
	rows = onGPU(where(rows, func(r *row) bool {
		return r.Method == "rabin-karp" && r.Scheme == "two-stage" && !r.dna() && r.Distance == 0
	}))
	size := func(r *row) int { return r.AlphabetSize }
	n := int64(0)
	for _, letters := range values(rows, letters) {
		if len(values(where(rows, func(r *row) bool { return r.Letters == letters }), size)) > 1 {
			n = letters
		}
	}
	rows = where(rows, func(r *row) bool { return r.Letters == n })
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.PatternLength, b.PatternLength) })
	return &figure{
		file:  "search-alphabet-size.svg",
		title: fmt.Sprintf("rabin-karp/two-stage against the size of the alphabet, n = %s; %s", number(n), rows[0].Device),
		xName: "size", xLabel: "byte values in the text", yLabel: "GB/s, one byte a letter",
		series: lines(rows, func(r *row) string { return fmt.Sprintf("m = %d", r.PatternLength) },
			func(r *row) float64 { return float64(r.AlphabetSize) }, func(r *row) float64 { return r.Value / 1e9 }),
	}
}

// longPattern is from what length on the paper on witnesses calls a pattern long; its own have
// about 1000 letters.
const longPattern = 500

// witness is tables 1 to 4 of the paper on witnesses, for the text and the long pattern that were
// measured most.
func witness(rows []row) *figure {
	rows = where(rows, func(r *row) bool {
		return slices.Contains([]string{"witness", "brute-force", "kmp"}, r.Method) && r.Distance == 0 && r.PatternLength >= longPattern
	})
	kind := func(r *row) string { return fmt.Sprintf("%s %d", r.text(), r.PatternLength) }
	var some []row
	for _, k := range values(rows, kind) {
		if same := where(rows, func(r *row) bool { return kind(r) == k }); len(same) > len(some) {
			some = same
		}
	}
	if len(values(some, letters)) < 2 {
		return nil
	}
	return &figure{
		file:  "search-witness.svg",
		title: fmt.Sprintf("Witnesses, brute force and Knuth-Morris-Pratt, m = %d; %s", some[0].PatternLength, about(some)),
		xName: "n", xLabel: "n, letters of the text", yLabel: "ms",
		series: lines(some, schemeName(some), func(r *row) float64 { return float64(r.Letters) }, (*row).milliseconds),
	}
}

// levenshtein is the comparison of the papers on matrices of edit distances, at the m and k that
// the later one uses.
func levenshtein(rows []row) *figure {
	rows = where(rows, func(r *row) bool {
		return r.Method == "levenshtein" && r.PatternLength == 16 && r.Distance == 6 && !r.Substitutions
	})
	n := largest(rows)
	rows = where(rows, func(r *row) bool { return r.Letters == n })
	if len(rows) == 0 {
		return nil
	}
	return &figure{
		file:  "search-levenshtein.svg",
		title: fmt.Sprintf("Matrices of edit distances, m = 16, k = 6, n = %s; %s", number(n), about(rows)),
		xName: "n", xLabel: "letters/s", yLabel: "letters/s", bars: true,
		series: lines(rows, schemeName(rows), func(r *row) float64 { return float64(r.Letters) }, func(r *row) float64 { return r.Value }),
	}
}
