package find

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/parallel"
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
	}
}

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
	hits := 0
	for i, code := range w.codes[:m] {
		at, from, to := w.positions[i], w.from[i], w.to[i]
		if to-from <= fewEntries && !hasCode(t.entries[from:to], code) {
			continue
		}
		forward, complement := s.textCode(start + int(at))
		around := surround(&s.ref.Bases, start+int(at), t.q, complement < forward)
		strand := 0
		if complement < forward {
			strand = 1
		}
		for turn := 0; ; turn++ {
			for first := from; first < to; first += fittingBlock {
				n := min(int(to-first), fittingBlock)
				for fits := fitting(t.entries[first:], n, code, &around); fits != 0; fits &= fits - 1 {
					number := t.entries[int(first)+bits.TrailingZeros64(fits)].number()
					w.hits[hits] = hit{number: number, at: at, strand: strand}
					if hits++; hits == hitBlock {
						s.check(w, w.hits[:hits], contig)
						hits = 0
					}
				}
			}
			if turn > 0 || forward != complement {
				break
			}
			around, strand = around.turned(), strand^1 // a palindrome lies on both strands
		}
	}
	s.check(w, w.hits[:hits], contig)
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

// check adds the candidates of hits.
func (s *skimmer) check(w *skimWorker, hits []hit, contig uint32) {
	for i := range hits {
		hits[i].piece = s.table.pieces[hits[i].number]
	}
	for i := range hits {
		h := &hits[i]
		h.strand ^= int(h.piece.at & 1)
		m, at := int(h.piece.length), h.piece.start()
		n := locate.PlanesLength(m)
		h.planes = s.b.packed[int(h.piece.packedAt)+h.strand*n:][:n:n]
		at = along(at, s.table.q, m, h.strand)
		h.diagonal = int(h.at) - at
		w.touched += h.planes[at>>6*locate.PlaneWords]
	}
	start := s.ref.Contigs[contig].Start
	left := 0
	for i := range hits {
		h := &hits[i]
		if s.exceeds(h, start, h.piece.near, h.piece.nearEdits()) {
			w.refused++
			continue
		}
		hits[left] = *h
		left++
	}
	for i := range hits[:left] {
		s.candidate(w, contig, &hits[i])
	}
}

// exceeds tells whether every alignment that goes through the diagonal of a hit has more than so
// many edits in the bases around its piece, as far as a cheap bound shows. start is where the
// contig starts.
func (s *skimmer) exceeds(h *hit, start int, around beside, edits int) bool {
	bases := int(around.before) + s.table.q + int(around.after)
	from := along(h.piece.start()-int(around.before), bases, int(h.piece.length), h.strand)
	return locate.Exceeds(&s.ref.Bases, start+h.diagonal-edits, h.planes, from, from+bases, edits, 2*edits+1)
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
// alignment goes there.
//
// One with k differences at most is added for the first of the read's pieces that lies intact on
// it, with no more differences in its flank, and near it, than it may have edits there: such a
// piece has a hit that comes as far as this.
func (s *skimmer) candidate(w *skimWorker, contig uint32, h *hit) {
	m, k := int(h.piece.length), int(h.piece.k)
	diagonal := h.diagonal
	c := &s.ref.Contigs[contig]
	candidate := locate.Candidate{
		Read: h.piece.read, Place: locate.At(int(contig), h.strand), Diagonal: int32(diagonal), Differences: locate.OffContig,
	}
	if diagonal < 0 || diagonal+m > c.Length {
		w.store.add(storedCandidate, candidate)
		return
	}
	w.mismatches = parallel.Resize(w.mismatches, dna.Words(m))
	differences := h.planes.Mismatches(&s.ref.Bases, m, c.Start+diagonal, k, w.mismatches)
	if differences <= k {
		if s.repeated(w, h) {
			return
		}
		candidate.Differences = int32(differences)
		w.store.add(storedCandidate, candidate)
		return
	}
	candidate.Differences = int32(k + 1)
	before := &w.recent[(candidate.Read*hashMultiplier^uint32(diagonal)*hashMultiplier)>>(32-recentBits)]
	switch {
	case *before == candidate:
	case s.exceeds(h, c.Start, h.piece.far, h.piece.farEdits()),
		2*k+1 <= locate.BoundWidth && locate.Exceeds(&s.ref.Bases, c.Start+diagonal-k, h.planes, 0, m, k, 2*k+1):
		w.refused++
	default:
		*before = candidate
		w.store.add(storedCandidate, candidate)
	}
}

// along returns where n bases of a read of m bases, from a place on the forward strand on, start on
// a strand.
func along(at, n, m, strand int) int {
	if strand == locate.Reverse {
		return m - at - n
	}
	return at
}

// repeated tells whether an earlier piece of the read has a hit on the diagonal of h, whose
// differences are w.mismatches, k at most.
func (s *skimmer) repeated(w *skimWorker, h *hit) bool {
	m, q := int(h.piece.length), s.table.q
	pieces := s.table.pieces[h.piece.first:h.number]
	for i := range pieces {
		p := &pieces[i]
		differ := func(around beside) int {
			bases := int(around.before) + q + int(around.after)
			return countRange(w.mismatches, along(p.start()-int(around.before), bases, m, h.strand), bases)
		}
		if differ(beside{}) == 0 && differ(beside{p.before, p.after}) <= p.edits() && differ(p.near) <= p.nearEdits() {
			return true
		}
	}
	return false
}

// countRange counts the set bits among n bits, 64 at most, from bit at on.
func countRange(words []uint64, at, n int) int {
	x := dna.WindowOrZero(words, at)
	return bits.OnesCount64(x << (64 - uint(n)))
}
