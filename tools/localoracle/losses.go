package main

import "scanmap/internal/truth"

// most is the most bases of a stretch that package truth has room for.
const most = 1<<12 - 1

// findLocal returns the local locations of a read. Not ok is a stretch that is too long.
func findLocal(contigs []string, read string, rules truth.LocalRules) (all []truth.LocalLocation, ok bool) {
	for c, text := range contigs {
		for strand := range 2 {
			s := truth.Strand(read, strand)
			for _, w := range stretches(text, s, rules) {
				if w.to-w.from > most {
					return nil, false
				}
				for _, l := range truth.LocalInCells(text[w.from:w.to], s, rules, cells(text[w.from:w.to], s, rules)) {
					l.Contig, l.Strand = c, strand
					l.Start, l.End = l.Start+w.from, l.End+w.from
					all = append(all, l)
				}
			}
		}
	}
	return all, true
}

// A stretch is the positions [from, to) of a text.
type stretch struct{ from, to int }

// stretches returns those in which all alignments that qualify lie, each in one, so far apart that
// no two of different ones are in the same place.
//
// An alignment that ends at a position begins at most as far before it as the strand has bases, and
// as the alignment deletes. A gap of Longest bases or less costs as many as Cap, or one for each
// base: for each that it costs it deletes Longest / Cap bases at most, or one.
func stretches(text, s string, rules truth.LocalRules) (all []stretch) {
	m, budget := len(s), len(s)-rules.Least
	span := m + budget*max(1, (rules.Longest+rules.Cap-1)/rules.Cap)
	losses(text, s, rules, func(j int, row []int) {
		for i := rules.Least - 1; i < len(row); i++ { // bases after it are lost
			if row[i]+(m-1-i)*m > budget*m {
				continue
			}
			from := max(0, j+1-span)
			if n := len(all); n > 0 && from <= all[n-1].to+budget/5 {
				all[n-1].to = j + 1
			} else {
				all = append(all, stretch{from, j + 1})
			}
			break
		}
	})
	return all
}

// cells tells whether an alignment that qualifies may have a pair. The loss up to the pair, and the
// loss from the pair on, together have to be no more than the budget. The loss from the pair on is
// the same loss with both texts reversed.
func cells(text, s string, rules truth.LocalRules) func(i, j int) bool {
	m, n := len(s), len(text)
	open := make([]int, m*n) // the least loss
	losses(text, s, rules, func(j int, row []int) {
		for i := range m {
			open[i*n+j] = none
			if i < len(row) {
				open[i*n+j] = row[i]
			}
		}
	})
	losses(reversed(text), reversed(s), rules, func(j int, row []int) {
		for i := range m {
			cell := &open[(m-1-i)*n+n-1-j]
			if i >= len(row) {
				*cell = none
				continue
			}
			*cell += row[i]
			if !truth.Matches(s[m-1-i], text[n-1-j]) {
				*cell -= 5 * m // it is in both
			}
		}
	})
	return func(i, j int) bool { return open[i*n+j] <= (m-rules.Least)*m }
}

func reversed(s string) string {
	text := make([]byte, len(s))
	for i := range text {
		text[len(s)-1-i] = s[i]
	}
	return string(text)
}

// none is more than any loss.
const none = 1 << 40

// losses tells `visit` for each position j of a text, and the bases i of a strand up to some, what
// an alignment that ends with this pair has lost at least, the bases before its first one too. The
// unit is 1/m, because of the forgiven score: 1 of lost score counts m, and each inserted base
// Least less. An alignment qualifies if it loses (m - Least) m at most, and nothing is won back: a
// larger loss is none. The bases after the last one that is told also have none.
//
// The result is too low where a gap has more than Longest bases. They are allowed here: up to twice
// as many deleted ones of the highest cost, and any number of others.
func losses(text, s string, rules truth.LocalRules, visit func(j int, row []int)) {
	m := len(s)
	budget, perInserted := (m-rules.Least)*m, m-rules.Least
	var costs [256][]int // by letter of the text
	// row has the losses of the position before, and open the losses there with an open gap that
	// costs less than the most. For gaps of the highest cost it is enough to know the least loss
	// since a position that is Longest or more before.
	row, open, now, before := make([]int, m), make([]int, m), make([]int, m), make([]int, m)
	for i := range m {
		row[i], open[i], now[i], before[i] = none, none, none, none
	}
	every := max(rules.Longest, m-rules.Least) + 1 // no gap of a lower cost is longer
	// The last base with a loss since such a position, and before it.
	last, lastBefore := -1, -1
	for j := range text {
		if j%every == 0 {
			now, before = before, now
			last, lastBefore = -1, last
			for i := range now {
				now[i] = none
			}
		}
		cost := costs[text[j]]
		if cost == nil {
			cost = make([]int, m)
			for i := range cost {
				if !truth.Matches(s[i], text[j]) {
					cost[i] = 5 * m
				}
			}
			costs[text[j]] = cost
		}
		diagonal, insertion, capped := none, none, none // what leads to this base
		ahead := none                                   // row[i-1] of the position before
		end := max(last, lastBefore, m-rules.Least-1) + 1
		i := 0
		for ; i < m && (i <= end || min(insertion, capped) <= budget); i++ {
			best := min(i*m, diagonal, insertion, capped)
			if i > 0 {
				now[i-1] = min(now[i-1], ahead)
				open[i-1] = min(open[i-1]+m, ahead+6*m)
				best = min(best, open[i-1], min(now[i-1], before[i-1])+rules.Cap*m)
			}
			best += cost[i]
			if best > budget {
				best = none
			} else {
				last = max(last, i)
			}
			// A gap of no base is allowed here, because it costs more than none.
			insertion = min(insertion, ahead+6*m) + m + perInserted
			capped = min(capped, ahead+rules.Cap*m) + perInserted
			ahead = row[i]
			diagonal = ahead
			row[i] = best
		}
		visit(j, row[:i])
	}
}
