package truth

import (
	"math/rand/v2"
	"strings"
)

// longestGap is the most bases of a gap of a local alignment.
const longestGap = 100

// A LocalCase is a read, contigs, and the rules of the search.
type LocalCase struct {
	Contigs []string
	Read    string
	Rules   LocalRules
}

// DrawLocal draws a read and a contig with diverged copies, in parts and with gaps, or a tandem
// repeat.
func DrawLocal(r *rand.Rand) LocalCase {
	letters := []string{"ACGT", "ACGT", "ACGT", "ACGT", "AC", "AAAAT", "ACGTN"}[r.IntN(7)]
	m := 15 + r.IntN(40)
	switch r.IntN(12) {
	case 0:
		m = 15 + r.IntN(136)
	case 1:
		m = 60 + r.IntN(10)
	}
	read := Random(r, m, letters)
	if r.IntN(6) == 0 { // a tandem repeat
		unit := Random(r, 1+r.IntN(12), letters)
		read = Edited(r, strings.Repeat(unit, m/len(unit)+1), r.IntN(4))
		read = read[:min(m, len(read))]
	}
	least := max(1, len(read)*(60+r.IntN(36))/100)
	var contigs []string
	for range 1 + r.IntN(2) {
		text := Random(r, r.IntN(20), letters)
		for range 1 + r.IntN(3) {
			text += localCopy(r, read, len(read)-least, letters)
			text += Random(r, []int{0, r.IntN(4), r.IntN(40)}[r.IntN(3)], letters)
		}
		switch r.IntN(4) {
		case 0: // cut anywhere
			text = text[r.IntN(len(text)):]
		case 1:
			text = text[:1+r.IntN(len(text))]
		}
		if r.IntN(2) == 0 {
			text = ReverseComplement(text)
		}
		contigs = append(contigs, text+"A")
	}
	if r.IntN(8) == 0 {
		read = strings.Replace(read, "A", "N", 1+r.IntN(2))
	}
	return LocalCase{contigs, read, LocalRules{Least: least, Cap: []int{20, 20, 20, 20, 7, 12, 30}[r.IntN(7)], Longest: longestGap}}
}

// DrawTightLocal draws a read with a copy that has as many faults as may be, apart from each other,
// so that each spoils a piece and breaks blocks: few candidates lead to it, or one.
func DrawTightLocal(r *rand.Rand) LocalCase {
	m := 30 + r.IntN(60)
	if r.IntN(4) == 0 {
		m = 90 + r.IntN(80)
	}
	read := Random(r, m, "ACGT")
	rules := LocalRules{Least: max(1, m*(70+r.IntN(26))/100), Cap: 20, Longest: longestGap}
	left := (m - rules.Least) * m // in units of 1/m
	pay := func(cost int) bool {
		if cost > left {
			return false
		}
		left -= cost
		return true
	}
	faults := 1 + (m-rules.Least)/5
	s, apart := "", m/(faults+1)
	from := 0
	if n := r.IntN(m - rules.Least + 1); r.IntN(2) == 0 && pay(n*m) {
		s, from = Random(r, n, "ACGT"), n
	}
	for from < m {
		to := min(m, from+max(2, apart-1+r.IntN(3)))
		s += read[from:to]
		from = to
		switch g := 1 + r.IntN(3); {
		case from+g >= m:
		case r.IntN(5) == 0 && pay(min(6+g, 20)*m+g*(m-rules.Least)):
			from += g
		case r.IntN(8) == 0 && pay(min(6+20*g, 20)*m):
			s += Random(r, 20*g, "ACGT")
		case r.IntN(8) == 0 && pay(7*m):
			s += Random(r, 1, "ACGT")
		case pay(5 * m):
			s += Substituted(r, read[from:from+1], 1)
			from++
		case left/m > 0 && m-from <= left/m: // the rest is clipped
			from = m
		}
	}
	text := Random(r, r.IntN(30), "ACGT") + s + Random(r, r.IntN(30), "ACGT")
	if r.IntN(2) == 0 {
		text = ReverseComplement(text)
	}
	return LocalCase{[]string{text + "A"}, read, rules}
}

// localCopy returns a copy of a read that may lose about so much.
func localCopy(r *rand.Rand, read string, budget int, letters string) string {
	s := read
	budget = budget + r.IntN(4) - r.IntN(budget+1)
	for budget > 0 && len(s) > 4 {
		at := 1 + r.IntN(len(s)-2)
		switch r.IntN(7) {
		case 0, 1:
			s = s[:at] + Substituted(r, strings.ReplaceAll(s[at:at+1], "N", "A"), 1) + s[at+1:]
			budget -= 5
		case 2: // a base of the read is clipped
			n := 1 + r.IntN(budget)
			if n >= len(s) {
				return s
			}
			if r.IntN(2) == 0 {
				s = Random(r, n, letters) + s[n:]
			} else {
				s = s[:len(s)-n] + Random(r, n, letters)
			}
			budget -= n
		case 3: // a deletion
			n := 1 + r.IntN(13)
			if budget > 12 && r.IntN(2) == 0 {
				n = 1 + r.IntN(103)
			}
			more := Random(r, n, letters)
			if r.IntN(3) == 0 { // one that can be shifted
				more = strings.Repeat(s[at:min(len(s), at+1+r.IntN(5))], n)[:n]
			}
			s = s[:at] + more + s[at:]
			budget -= min(6+n, 20)
		case 4: // an insertion
			n := 1 + r.IntN(min(max(1, budget/2), len(s)-at))
			s = s[:at] + s[at+n:]
			budget -= min(6+n, 20)
		default:
			return s
		}
	}
	return s
}
