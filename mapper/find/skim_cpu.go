package find

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
)

// skimSegment finds the candidates whose piece starts inside a segment.
func (s *skimmer) skimSegment(w *skimWorker, seg segment) {
	q := s.table.q
	contig := &s.ref.Contigs[seg.contig]
	last := min(int(seg.to), contig.Length-q+1)
	for at := int(seg.from); at < last; {
		n := 0
		n, at = s.table.probe(w, &s.ref.Bases, contig.Start, at, last)
		s.lookUp(w, n, seg.contig)
		if int64(len(w.candidates)-w.counted) >= candidateStep || at >= last {
			found := s.found.Add(int64(len(w.candidates) - w.counted))
			w.counted = len(w.candidates)
			if found > s.limit {
				return
			}
		}
	}
}

// candidateStep is how many candidates a worker finds before it tells the others.
const candidateStep = 1 << 14

// probe hashes the windows from at on and leaves those that pass the filter in w: n
// of them. It returns the position from which to go on. start is the offset of the
// contig's first base.
func (t *pieceTable) probe(w *skimWorker, text *dna.Sequence, start, at, last int) (n, next int) {
	positions, codes := w.positions[:], w.codes[:]
	for at < last && n+probeStep <= blockWindows {
		low, high := dna.Window(text.Low, start+at), dna.Window(text.High, start+at)
		passed := probeWindows(t.filter, uint64(t.filterShift), uint64(t.q), hashMultiplier,
			low, high, bits.Reverse64(^low), bits.Reverse64(^high), &w.step)
		passed &^= smear(dna.Window(text.Ambiguous, start+at), t.q)
		windows := min(probeStep, last-at)
		passed &= 1<<windows - 1
		for passed != 0 {
			i := bits.TrailingZeros64(passed)
			passed &= passed - 1
			positions[n] = uint32(at + i)
			codes[n] = w.step[i%probeStep]
			n++
		}
		at += windows
	}
	return n, at
}

// lookUp finds the pieces equal to the first n windows in w and adds their
// candidates. It goes over the windows and then over the hits in several short loops,
// each of which fetches memory that the next one needs, so that the processor
// waits for many fetches at a time.
func (s *skimmer) lookUp(w *skimWorker, n int, contig uint32) {
	t := s.table
	m := 0
	for i, code := range w.codes[:n] {
		h := t.hash(code) >> t.bucketShift
		from, to := t.bucket[h], t.bucket[h+1]
		w.from[m], w.to[m] = from, to
		w.positions[m], w.codes[m] = w.positions[i], code
		if from < to {
			m++
		}
	}
	hits := w.hits[:0:hitBlock]
	for i, code := range w.codes[:m] {
		for _, e := range t.entries[w.from[i]:w.to[i]] {
			if e.code == code {
				hits = append(hits, hit{entry: e, at: w.positions[i]})
				if len(hits) == len(w.hits) {
					s.check(w, hits, contig)
					hits = hits[:0]
				}
			}
		}
	}
	s.check(w, hits, contig)
}

// check adds the candidates of hits.
func (s *skimmer) check(w *skimWorker, hits []hit, contig uint32) {
	for i := range hits {
		hits[i].shape = s.shapes[hits[i].entry.read]
	}
	for i := range hits {
		w.touched += s.b.packed[hits[i].shape.packedAt] + uint64(s.table.pieceAt[hits[i].shape.pieceFrom])
	}
	start := s.ref.Contigs[contig].Start
	for i := range hits {
		h := &hits[i]
		code, complement := s.textCode(start + int(h.at))
		strand := int(h.entry.at & 1)
		if complement < code {
			strand ^= 1
		}
		s.candidate(w, contig, h, strand)
		if code == complement { // a palindrome lies on both strands
			s.candidate(w, contig, h, strand^1)
		}
	}
}

// textCode returns the code of the window of the reference at an offset, and of its
// reverse complement.
func (s *skimmer) textCode(offset int) (code, complement uint32) {
	q := s.table.q
	mask := uint64(1)<<q - 1
	code = uint32(dna.Window(s.ref.Bases.Low, offset)&mask | dna.Window(s.ref.Bases.High, offset)&mask<<q)
	return code, complementCode(code, q)
}

// candidate adds the diagonal on which the piece of a hit lies, unless an earlier
// piece of the read lies intact on the same diagonal: then that one has added it.
func (s *skimmer) candidate(w *skimWorker, contig uint32, h *hit, strand int) {
	q, m, piece, at := s.table.q, int(h.shape.length), int(h.entry.at>>1), int(h.at)
	pieces := s.table.pieceAt[h.shape.pieceFrom:]
	n := locate.PlanesLength(m)
	words := locate.Planes(s.b.packed[h.shape.packedAt:][strand*n : (strand+1)*n])
	offset := piece
	if strand == locate.Reverse {
		offset = m - piece - q
	}
	diag := at - offset
	c := &s.ref.Contigs[contig]
	inside := diag >= 0 && diag+m <= c.Length
	for _, p := range pieces {
		if int(p) == piece {
			break
		}
		o := int(p)
		if strand == locate.Reverse {
			o = m - o - q
		}
		if diag+o >= 0 && diag+o+q <= c.Length && intact(&s.ref.Bases, words, o, q, c.Start+diag+o) {
			return
		}
	}
	differences := int32(locate.OffContig)
	if inside {
		differences = int32(words.Hamming(&s.ref.Bases, m, c.Start+diag))
		if s.hopeless(c, words, m, int(h.shape.k), diag, int(differences)) {
			w.refused++
			return
		}
	}
	w.candidates = append(w.candidates, locate.Candidate{Read: h.entry.read, Place: locate.At(int(contig), strand), Diagonal: int32(diag), Differences: differences})
}

// hopeless tells whether no alignment with at most k edits goes through a diagonal on which a
// strand has so many differences (apart), as far as a cheap bound shows. Such an alignment would
// have k gap bases at most, and so stay within k diagonals.
func (s *skimmer) hopeless(c *dna.Contig, words locate.Planes, m, k, diag, apart int) bool {
	width := 2*k + 1
	return apart > k && width <= locate.BoundWidth && diag-k >= 0 && diag+k+1+m <= c.Length &&
		locate.Exceeds(&s.ref.Bases, c.Start+diag-k, words, m, k, width)
}

// intact tells whether the q bases at base at of a strand equal those at an offset
// of the reference.
func intact(text *dna.Sequence, strand locate.Planes, at, q, offset int) bool {
	low, high, amb := strand.Window(at)
	return locate.Differences(text, offset, low, high, amb)<<(64-q) == 0
}
