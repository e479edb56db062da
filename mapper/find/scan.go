package find

import (
	"math/bits"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/parallel"
)

// Scan is exhaustive: it computes the edit distance of a read at every end
// position of the reference, on both strands, with no filter. It is what
// skim is tested against, and what is used where pieces would be too short.
//
// Short reads with few edits take Wu and Manber's k + 1 bit-vectors (here as in
// Mitani, Ino and Hagihara 2017, section 2: a 0 bit is a match), others the
// vertical differences of Myers 1999, in as many words as the strand has.

// scanReads is the number of reads that share the decoding of a segment.
const scanReads = 32

// wuManberEdits is the largest k for which k + 1 vectors are faster than Myers' differences
// (docs/benchmarks/engines.md).
const wuManberEdits = 1

// scanner holds what the workers of one scan share.
type scanner struct {
	ref     *dna.Reference
	b       *Batch
	workers []scanWorker
}

type scanWorker struct {
	codes       []byte // the segment's text, one code a base, ambiguousCode for others
	masks       []uint64
	plus, minus []uint64
	store       *storeWriter
}

// letterCodes is the number of codes that text has: those of A, C, G and T, and that of all other
// letters.
const letterCodes = dna.AmbiguousCode + 1

// run scans for reads of a batch, puts their ends into a store, and times it.
func (s *scanner) run(of *shared, b *Batch, reads []uint32, to *store) {
	if len(reads) == 0 {
		return
	}
	start := of.options.Times.Scan.Start()
	s.ref, s.b = of.ref, b
	s.workers = parallel.Resize(s.workers, len(to.writers))
	groups := (len(reads) + scanReads - 1) / scanReads
	parallel.Ranges(len(s.workers), len(of.segments)*groups, 1, func(worker, item, _ int) {
		w := &s.workers[worker]
		w.store = &to.writers[worker]
		group := item % groups
		s.scanSegment(w, of.segments[item/groups], reads[group*scanReads:min((group+1)*scanReads, len(reads))])
	})
	of.options.Times.Scan.Add(start, int64(of.bases)*int64(len(reads)))
}

// storedEnds are ends as a store holds them.
func storedEnds(lists [][]locate.Candidate) (ends [][]locate.End) {
	for _, l := range lists {
		out := make([]locate.End, len(l))
		for i, c := range l {
			out[i] = locate.End{Read: c.Read, Place: c.Place, End: c.Diagonal, Distance: c.Differences}
		}
		ends = append(ends, out)
	}
	return ends
}

// scanSegment adds the occurrences of some reads that end in (from, to] of a segment.
// It starts as many bases before as an alignment can span, m + k, so that the
// distances up to k are those of the whole contig.
func (s *scanner) scanSegment(w *scanWorker, seg segment, reads []uint32) {
	halo := 0
	for _, read := range reads {
		halo = max(halo, int(s.b.length[read]+s.b.k[read]))
	}
	from := max(0, int(seg.from)-halo)
	start := s.ref.Contigs[seg.contig].Start
	w.codes = s.ref.Bases.AppendCodes(w.codes[:0], start+from, start+int(seg.to))
	for _, read := range reads {
		m, k := int(s.b.length[read]), int(s.b.k[read])
		skip := max(0, int(seg.from)-m-k) - from
		t := tile{codes: w.codes[skip:], first: from + skip, from: int(seg.from), m: m, k: k}
		for strand := range 2 {
			words := s.b.strand(int(read), strand)
			w.setMasks(words, m)
			emit := func(end, distance int) {
				w.store.add(storedEnd, locate.Candidate{
					Read: read, Place: locate.At(int(seg.contig), strand), Diagonal: int32(end), Differences: int32(distance),
				})
			}
			switch {
			case m <= 64 && k <= wuManberEdits:
				t.wuManber(w.masks, emit)
			case m <= 64:
				t.myers(w.masks, emit)
			default:
				t.myersWords(w, emit)
			}
		}
	}
}

// setMasks fills w.masks: word i of the code c's mask is masks[c*words+i], with a
// bit set for each base of the strand that matches c.
func (w *scanWorker) setMasks(strand locate.Planes, m int) {
	words := dna.Words(m)
	w.masks = parallel.Resize(w.masks, letterCodes*words)
	for i := range words {
		low, high, amb := strand[locate.PlaneWords*i], strand[locate.PlaneWords*i+1], strand[locate.PlaneWords*i+2]
		inside := ^amb
		if rest := m - 64*i; rest < 64 {
			inside &= 1<<rest - 1
		}
		w.masks[0*words+i] = ^low & ^high & inside
		w.masks[1*words+i] = low & ^high & inside
		w.masks[2*words+i] = ^low & high & inside
		w.masks[3*words+i] = low & high & inside
		w.masks[4*words+i] = 0
	}
}

// A tile is a stretch of text to be scanned for one strand of m bases and k edits:
// codes[0] is contig position first; ends up to position from are not emitted.
type tile struct {
	codes       []byte
	first, from int
	m, k        int
}

// wuManber emits the ends with at most t.k edits of a strand of at most 64 bases.
func (t *tile) wuManber(masks []uint64, emit func(end, distance int)) {
	var differs [8]uint64 // a 0 bit is a match; indexed by codes that are at most 4
	for c, mask := range masks {
		differs[c] = ^mask
	}
	rows := make([]uint64, t.k+1)
	for d := range rows {
		rows[d] = ^uint64(0) << d
	}
	last := uint(t.m - 1)
	for j, c := range t.codes {
		mask := differs[c&7]
		before := rows[0] // the level below, before and after this base
		after := before<<1 | mask
		rows[0] = after
		for d := 1; d < len(rows); d++ {
			old := rows[d]
			after = (old<<1 | mask) & before & (before << 1) & (after << 1)
			before, rows[d] = old, after
		}
		if after>>last&1 == 0 && t.first+j >= t.from {
			d := 0
			for rows[d]>>last&1 != 0 {
				d++
			}
			emit(t.first+j+1, d)
		}
	}
}

// myers emits the ends with at most t.k edits of a strand of at most 64 bases.
func (t *tile) myers(masks []uint64, emit func(end, distance int)) {
	var equal [8]uint64
	copy(equal[:], masks)
	plus, minus := ^uint64(0), uint64(0)
	score, last := t.m, uint(t.m-1)
	for j, c := range t.codes {
		eq := equal[c&7]
		xv := eq | minus
		xh := (eq&plus + plus) ^ plus | eq
		up := minus | ^(xh | plus)
		down := plus & xh
		score += int(up>>last&1) - int(down>>last&1)
		up, down = up<<1, down<<1
		plus, minus = down|^(xv|up), up&xv
		if score <= t.k && t.first+j >= t.from {
			emit(t.first+j+1, score)
		}
	}
}

// myersWords is myers for a strand of any length.
func (t *tile) myersWords(w *scanWorker, emit func(end, distance int)) {
	words := dna.Words(t.m)
	w.plus, w.minus = parallel.Resize(w.plus, words), parallel.Resize(w.minus, words)
	plus, minus := w.plus, w.minus
	for i := range plus {
		plus[i], minus[i] = ^uint64(0), 0
	}
	score, last := t.m, uint(t.m-1)&63
	for j, c := range t.codes {
		equal := w.masks[int(c)*words:][:len(plus)]
		var carry, upIn, downIn, up, down uint64
		for i, eq := range equal {
			p, q := plus[i], minus[i]
			xv := eq | q
			var sum uint64
			sum, carry = bits.Add64(eq&p, p, carry)
			xh := sum ^ p | eq
			up = q | ^(xh | p)
			down = p & xh
			u, d := up<<1|upIn, down<<1|downIn
			upIn, downIn = up>>63, down>>63
			plus[i], minus[i] = d|^(xv|u), u&xv
		}
		score += int(up>>last&1) - int(down>>last&1)
		if score <= t.k && t.first+j >= t.from {
			emit(t.first+j+1, score)
		}
	}
}
