package copies

import (
	"slices"

	"scanmap/dna"
)

// masked is the bit of a letter's code that a masked base has; the codes of A, C, G and T are 0 to
// 3, and others are masked anyway.
const masked = 8

// maskedCodes returns the codes of a contig's letters, masked ones with their bit, and the number
// of unmasked ones.
func maskedCodes(codes []byte, ref *dna.Reference, contig int, mask []Interval, margin int) ([]byte, int) {
	c := &ref.Contigs[contig]
	codes = ref.Bases.AppendCodes(codes[:0], c.Start, c.End())
	for i, code := range codes {
		if code >= dna.AmbiguousCode {
			codes[i] |= masked
		}
	}
	for _, m := range mask {
		hide(codes, m.Start, m.End)
	}
	if margin > 0 {
		for at := 0; at < len(codes); {
			if codes[at]&masked == 0 {
				at++
				continue
			}
			end := at
			for end < len(codes) && codes[end]&masked != 0 {
				end++
			}
			hide(codes, at-margin, at)
			// Bases hidden after the run must not be taken for a run themselves.
			past := min(end+margin, len(codes))
			next := past
			for i := end; i < past; i++ {
				if codes[i]&masked != 0 {
					next = i
					break
				}
			}
			hide(codes, end, next)
			at = next
		}
		hide(codes, 0, margin)
		hide(codes, len(codes)-margin, len(codes))
	}
	unmasked := 0
	for _, code := range codes {
		if code&masked == 0 {
			unmasked++
		}
	}
	return codes, unmasked
}

// hide masks [from, to), as far as it lies in the contig.
func hide(codes []byte, from, to int) {
	for i := max(0, from); i < min(to, len(codes)); i++ {
		codes[i] |= masked
	}
}

// windowEnds returns where the windows of a contig end. They lie side by side and cover it. A
// window has `size` unmasked bases and ends with the last one. The last window has the rest, and
// reaches to the end of the contig: it may be shorter, and is kept, as with fastCN
// (make-equal-windows.py). mrCaNaVaR leaves it out, and ends windows at gaps too. A contig without
// unmasked bases is one window.
//
//	ACGTNNACGTA, size 4 -> 4, 10, 11
//	ACGTNNACGNN, size 4 -> 4, 11
func windowEnds(codes []byte, unmasked, size int) []int {
	ends := make([]int, 0, unmasked/size+1)
	has := 0
	for i, code := range codes {
		if code&masked != 0 {
			continue
		}
		has++
		if has%size == 0 || has == unmasked {
			ends = append(ends, i+1)
		}
	}
	if len(ends) == 0 {
		return append(ends, len(codes))
	}
	ends[len(ends)-1] = len(codes)
	return ends
}

// segments returns where a contig is cut: at the ends of its windows, and at both ends of the
// intervals of all lists, in order and each once. The last is the end of the contig.
func segments(ends []int, lists ...[]Interval) []int {
	cuts := slices.Clone(ends)
	for _, list := range lists {
		for _, i := range list {
			cuts = append(cuts, i.Start, i.End)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if cuts[0] == 0 {
		cuts = cuts[1:]
	}
	return cuts
}

// covered tells for each segment whether it lies in one of the intervals, at whose ends segments
// are cut.
func covered(cuts []int, intervals []Interval) []bool {
	in := make([]bool, len(cuts))
	for _, i := range intervals {
		if i.Start == i.End {
			continue
		}
		// The segment that starts at Start follows the one with its end there.
		first, _ := slices.BinarySearch(cuts, i.Start+1)
		for s := first; s < len(cuts) && cuts[s] <= i.End; s++ {
			in[s] = true
		}
	}
	return in
}
