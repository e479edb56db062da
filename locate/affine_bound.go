package locate

import (
	"math/bits"

	"scanmap/dna"
)

// ungappedBest tells, as far as cheap bounds show, that no alignment with a gap on the diagonals of
// a target has less loss than the one without gaps, of d mismatches, on diagonal 0. Alignments
// without gaps on other diagonals do not matter: with fewer mismatches they do not lie at the
// location, and with as many they are further away.
//
// Lemma 6. Let p be the bases of the strand that differ on diagonal 0, and let an alignment with a
// gap lose less than 5 d. A stretch is a longest stretch of bases that the alignment does not have
// on diagonal 0. Each gap has an aligned base of a stretch beside it, or its inserted bases are in
// one. So there is a stretch for which the alignment, with its x mismatches and G >= 1 gaps there,
// loses less than 5 h, h being the number of p in it. These are h neighbours of p, as a stretch has
// no holes.
//
// (a) G = 1, and the stretch ends with the strand (or begins with it, which is the same turned
// around): after a deletion of g bases the bases up to the end lie on diagonal g, of which at most
// x from the first p of the stretch on differ: c mismatches there with 5 c + 6 + g >= 5 h rule it
// out. After an insertion of g bases they lie on diagonal -g, but for up to g bases from the first
// p of the stretch on, which were inserted: x >= c - g, so that 5 max(c - g, 0) + 6 + 2 g >= 5 h
// does.
//
// (b) G = 1, and the stretch is the whole strand. 5 x + 7 < 5 d, so x <= d - 2, and an insertion
// has at most (5 d - 7) / 2 bases. On one side of the gap lie half of the other bases or more, from
// an end of the strand on, on one diagonal with at most d - 2 mismatches.
//
// (c) G >= 2. 5 x + 7 G < 5 h, so x <= h - 3, and x + G + 1 <= h; of inserted and mismatched bases
// there are at most (5 h - 13) / 2. So the bases from the first to the last p of the stretch have,
// without these, at most h parts, each on one diagonal that is not 0, with no mismatch: one of the
// parts has at least the h-th part of them. ∎
func (a *Aligner) ungappedBest(t *affineTarget, d int) bool {
	if d <= 1 {
		return true // a gap loses 7
	}
	m, text := t.strand.Length(), &a.Reference.Bases
	if t.start+t.low < 0 || t.end+t.high > t.contig.Length {
		return false
	}
	b := &a.writer.bound
	offset := t.contig.Start + t.start
	b.at = b.at[:0]
	for w := 0; w < m; w += 64 {
		for x := t.strand.Planes.mismatches(text, m, offset, w); x != 0; x &= x - 1 {
			b.at = append(b.at, int32(w+bits.TrailingZeros64(x)))
		}
	}
	if len(b.at) != d {
		return false
	}
	n := min(m, 64)
	half := min((m-(5*d-7)/2)/2, n)
	if half < d+leastHalf {
		return false
	}
	planes := t.strand.Planes
	lowFirst, highFirst, ambFirst := planes.Window(0)
	lowLast, highLast, ambLast := planes.Window(m - n)
	for g := t.low; g <= t.high; g++ {
		if g == 0 {
			continue
		}
		// Bit i is base i from either end of the strand.
		first := Differences(text, offset+g, lowFirst, highFirst, ambFirst)
		last := bits.Reverse64(Differences(text, offset+g+m-n, lowLast, highLast, ambLast) << uint(64-n))
		inside := uint64(1)<<uint(half) - 1
		if bits.OnesCount64(first&inside) <= d-2 || bits.OnesCount64(last&inside) <= d-2 { // (b)
			return false
		}
		for h := 2; h <= d; h++ { // (a)
			if gainsAtEnd(last, m-1-int(b.at[d-h]), h, g) || gainsAtEnd(first, int(b.at[h-1]), h, -g) {
				return false
			}
		}
	}
	return d < 3 || b.noRuns(text, t, offset, d)
}

// leastHalf is by how many bases the half of a strand has to be longer than what may differ in it,
// for bound (b) to tell something.
const leastHalf = 12

// gainsAtEnd tells whether lemma 6 (a) leaves it possible that bases 0 to `to` from an end of the
// strand, with h mismatches, align with less loss behind a deletion of g bases, or an insertion of
// -g. differs has the bases that differ there.
func gainsAtEnd(differs uint64, to, h, g int) bool {
	c := bits.OnesCount64(differs & (1<<uint(min(to, 63))<<1 - 1))
	if g < 0 {
		return 5*max(c+g, 0)+6-2*g < 5*h
	}
	return 5*c+6+g < 5*h
}

// affineBound is scratch memory.
type affineBound struct {
	at []int32 // the bases that differ on diagonal 0
}

// leastRun is the shortest run for which it is worth looking.
const leastRun = 10

// longestRun is the longest one: of longer ones a part is looked for.
const longestRun = 32

// noRuns tells that there are no parts as in lemma 6 (c).
func (b *affineBound) noRuns(text *dna.Sequence, t *affineTarget, offset, d int) bool {
	run := longestRun
	for h := 3; h <= d; h++ {
		for i := 0; i+h <= d; i++ {
			length := int(b.at[i+h-1]-b.at[i]) + 1 - (5*h-13)/2
			run = min(run, (length+h-1)/h)
		}
	}
	if run < leastRun {
		return false
	}
	from, to := int(b.at[0]), int(b.at[d-1])+1
	for w := from; w < to; w += 64 - run + 1 {
		low, high, amb := t.strand.Planes.Window(w)
		inside := ^uint64(0)
		if to-w < 64 {
			inside = 1<<uint(to-w) - 1
		}
		for g := t.low; g <= t.high; g++ {
			same := ^Differences(text, offset+g+w, low, high, amb) & inside
			for n := 1; n < run && same != 0; {
				step := min(n, run-n)
				same &= same >> uint(step)
				n += step
			}
			if same != 0 && g != 0 {
				return false
			}
		}
	}
	return true
}
