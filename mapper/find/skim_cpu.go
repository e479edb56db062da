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
	w.recent.begin(contig.Start + int(seg.from))
	for at := int(seg.from); at < last; {
		n := 0
		n, at = s.table.probe(w, &s.ref.Bases, contig.Start, at, last)
		s.lookUp(w, n, seg.contig)
	}
}

// probe hashes the windows from at on and leaves the n windows that pass the filter in w. It
// returns the position from which to go on. start is the offset of the contig's first base.
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
// candidates. It goes over the windows and then over the hits in several short loops. Each loop
// fetches memory for the next one, so that the processor waits for many fetches at a time.
func (s *skimmer) lookUp(w *skimWorker, n int, contig uint32) {
	t := s.table
	start := s.ref.Contigs[contig].Start
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
	for _, from := range w.from[:m] {
		w.touched += uint64(t.entries[from][0])
	}
	found, pieces := 0, 0
	for i, code := range w.codes[:m] {
		at, from, to := w.positions[i], w.from[i], w.to[i]
		if to-from <= fewEntries && !hasCode(t.entries[from:to], code) {
			continue
		}
		forward, complement := s.textCode(start + int(at))
		around := surround(&s.ref.Bases, start+int(at), t.q, complement < forward)
		strand := locate.Forward
		if complement < forward {
			strand = locate.Reverse
		}
		for turn := 0; ; turn++ {
			for first := from; first < to; first += fittingBlock {
				n := min(int(to-first), fittingBlock)
				fits := fitting(t.entries[first:], n, code, &around)
				if fits == 0 {
					continue
				}
				fetch(t.pieces[first:], fits)
				w.fits[found] = fit{fits: fits, first: first, at: at, strand: strand}
				pieces += bits.OnesCount64(fits)
				if found++; found == fitBlock || pieces >= fitPieces {
					s.judge(w, w.fits[:found], contig)
					found, pieces = 0, 0
				}
			}
			if turn > 0 || forward != complement {
				break
			}
			around, strand = around.turned(), strand^1 // a palindrome lies on both strands
		}
	}
	s.judge(w, w.fits[:found], contig)
}

// judge adds the candidates of entries whose flanks fit.
func (s *skimmer) judge(w *skimWorker, fits []fit, contig uint32) {
	t := s.table
	start := s.ref.Contigs[contig].Start
	hits := 0
	for i := range fits {
		f := &fits[i]
		before := i - 1
		left := s.nodes(w, f, start+int(f.at), i == 0 || fits[before].at != f.at || fits[before].strand != f.strand)
		w.refused += int64(bits.OnesCount64(f.fits &^ left))
		for ; left != 0; left &= left - 1 {
			place := f.first + uint32(bits.TrailingZeros64(left))
			h := hit{read: t.pieces[place].read(), at: f.at, start: t.entries[place].start(), strand: f.strand}
			if t.pieces[place].flipped() {
				h.strand ^= 1
			}
			// The first base of other reads may lie in another contig.
			first := h.firstBase(t.q)
			if first <= uint32(s.ref.Contigs[contig].Length) && !w.recent.add(h.read, uint32(start)+first, h.strand) {
				continue
			}
			w.hits[hits] = h
			if hits++; hits == hitBlock {
				s.check(w, w.hits[:hits], contig)
				hits = 0
			}
		}
	}
	s.check(w, w.hits[:hits], contig)
}

// nodes returns which of the entries of a fit, a window at an offset, may lie there by the two
// nodes above their groups. again tells that the fit before had another window.
func (s *skimmer) nodes(w *skimWorker, f *fit, offset int, again bool) (left uint64) {
	pieces, reverse := s.table.pieces[f.first:], f.strand == locate.Reverse
	if s.metric == locate.Substitutions {
		if again {
			w.beside = surround(&s.ref.Bases, offset, s.table.q, reverse)
		}
		return w.beside.nodes(pieces, f.fits)
	}
	if again {
		w.around.fill(&s.ref.Bases, offset, s.table.q, reverse)
	}
	if s.b.local != nil && !s.b.local.Parts {
		return localNodes(pieces, f.fits, &w.around, &w.wins)
	}
	return nodes(pieces, f.fits, &w.around)
}

// fewEntries is how many entries of a bucket are asked for the code before what lies beside the
// window is fetched.
const fewEntries = 3

func hasCode(entries []pieceEntry, code uint32) bool {
	for i := range entries {
		if entries[i].code() == code {
			return true
		}
	}
	return false
}

// firstBase returns where in the contig the read's first base lies, modulo 2^32; on the reverse
// strand that is the last one there.
func (h *hit) firstBase(q int) uint32 {
	if h.strand == locate.Reverse {
		return h.at + uint32(q) + h.start
	}
	return h.at - h.start
}

// check adds the candidates of hits.
func (s *skimmer) check(w *skimWorker, hits []hit, contig uint32) {
	for i := range hits {
		h := &hits[i]
		h.length, h.k = int(s.b.length[h.read]), int(s.b.sought[h.read])
		n := locate.PlanesLength(h.length)
		h.planes = s.b.packed[s.b.packedAt[h.read]+h.strand*n:][:n:n]
		h.diagonal = int(h.at) - along(int(h.start), s.table.q, h.length, h.strand)
		w.touched += h.planes[0]
	}
	for i := range hits {
		s.candidate(w, contig, &hits[i])
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

// candidate adds the diagonal on which the piece of a hit lies, unless bounds show that no
// alignment goes there. With substitutions alone the diagonal itself tells: it is a location or
// nothing (lemma 5 of groups.go).
func (s *skimmer) candidate(w *skimWorker, contig uint32, h *hit) {
	m, k, diagonal := h.length, h.k, h.diagonal
	c := &s.ref.Contigs[contig]
	candidate := locate.Candidate{
		Read: h.read, Place: locate.At(int(contig), h.strand), Diagonal: int32(diagonal), Differences: locate.OffContig,
	}
	alone := s.metric == locate.Substitutions
	if s.b.local != nil {
		if !s.b.leads(&w.local, &candidate) {
			w.refused++
			return
		}
		w.store.add(storedCandidate, candidate)
		return
	}
	if diagonal < 0 || diagonal+m > c.Length {
		if alone {
			w.refused++
			return
		}
		w.store.add(storedCandidate, candidate)
		return
	}
	differences := h.planes.HammingTo(&s.ref.Bases, m, c.Start+diagonal, k)
	candidate.Differences = int32(differences)
	if differences > k {
		candidate.Differences = int32(k + 1)
		if alone || 2*k+1 <= locate.BoundWidth && locate.Exceeds(&s.ref.Bases, c.Start+diagonal-k, h.planes, 0, m, k, 2*k+1) {
			w.refused++
			return
		}
	}
	w.store.add(storedCandidate, candidate)
}

// along returns where n bases of a read of m bases, from a place on the forward strand on, start on
// a strand.
func along(at, n, m, strand int) int {
	if strand == locate.Reverse {
		return m - at - n
	}
	return at
}
