package find

import (
	"math/bits"
	"sync/atomic"

	"scanmap/dna"
	"scanmap/internal/parallel"
	"scanmap/locate"
)

// Scan is exhaustive: it computes the distance of a read at every end
// position of the reference, on both strands, with no filter. Skim is tested against scan, and scan
// is used where pieces would be too short.
//
// With substitutions alone the read is compared with the text in every place, 64 places at a time
// (locate.Planes.EachWithin). With all edits there is an automaton.
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
	metric  locate.Metric
	b       *Batch
	workers []scanWorker
	// found[i] is how many ends of scanned read i were found. No more are sought when there are more
	// than are listed.
	found []atomic.Int64
}

type scanWorker struct {
	// Arguments of begin.
	ref         *dna.Reference
	metric      locate.Metric
	seg         segment
	first       int    // contig position of codes[0]
	codes       []byte // the segment's text, one code a base, dna.AmbiguousCode for others
	masks       []uint64
	plus, minus []uint64
	store       *storeWriter
}

// letterCodes is the number of codes of text: A, C, G and T, and one for all other letters.
const letterCodes = dna.AmbiguousCode + 1

// run scans for reads of a batch, puts their ends into a store, and times it.
func (s *scanner) run(of *shared, b *Batch, reads []uint32, to *store) {
	if len(reads) == 0 {
		return
	}
	start := of.options.Times.Scan.Start()
	s.ref, s.metric, s.b = of.ref, of.options.Metric, b
	s.workers = parallel.Resize(s.workers, len(to.writers))
	s.found = make([]atomic.Int64, len(reads))
	groups := (len(reads) + scanReads - 1) / scanReads
	parallel.Ranges(len(s.workers), len(of.segments)*groups, 1, func(worker, item, _ int) {
		if of.options.Halt.Over() {
			return
		}
		w := &s.workers[worker]
		w.store = &to.writers[worker]
		from := item % groups * scanReads
		to := min(from+scanReads, len(reads))
		s.scanSegment(w, of.segments[item/groups], reads[from:to], s.found[from:to])
		of.options.Halt.Unit()
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

// scanSegment adds the ends of some reads in (from, to] of a segment.
func (s *scanner) scanSegment(w *scanWorker, seg segment, reads []uint32, found []atomic.Int64) {
	halo := 0
	for _, read := range reads {
		halo = max(halo, int(s.b.length[read]+s.b.sought[read]))
	}
	w.begin(s.ref, s.metric, seg, halo)
	for i, read := range reads {
		before := w.store.added
		for strand := range 2 {
			if found[i].Load() > int64(w.store.store.listed) {
				break
			}
			place := locate.At(int(seg.contig), strand)
			w.scan(s.b, int(read), strand, func(end, distance int) {
				w.store.add(storedEnd, locate.Candidate{Read: read, Place: place, Diagonal: int32(end), Differences: int32(distance)})
			})
		}
		found[i].Add(w.store.added - before)
	}
}

// begin prepares for a segment. With edits it fills w.codes with the codes of the segment's text
// and of `halo` bases before.
func (w *scanWorker) begin(ref *dna.Reference, metric locate.Metric, seg segment, halo int) {
	w.ref, w.metric, w.seg = ref, metric, seg
	if metric == locate.Edits {
		w.first = max(0, int(seg.from)-halo)
		start := ref.Contigs[seg.contig].Start
		w.codes = ref.Bases.AppendCodes(w.codes[:0], start+w.first, start+int(seg.to))
	}
}

// scan emits the ends of a strand of a read that lie in (from, to] of the segment, in order.
func (w *scanWorker) scan(b *Batch, read, strand int, emit func(end, distance int)) {
	if w.metric == locate.Substitutions {
		w.scanPlaces(b, read, strand, emit)
	} else {
		w.scanEdits(b, read, strand, emit)
	}
}

// scanPlaces is scan for substitutions alone. A place with its end in (from, to] starts m bases
// before, inside the contig.
func (w *scanWorker) scanPlaces(b *Batch, read, strand int, emit func(end, distance int)) {
	m, contig := int(b.length[read]), w.ref.Contigs[w.seg.contig].Start
	from, to := max(0, int(w.seg.from)+1-m), int(w.seg.to)+1-m
	b.strand(read, strand).EachWithin(&w.ref.Bases, m, contig+from, contig+to, int(b.sought[read]), func(offset, differences int) {
		emit(offset-contig+m, differences)
	})
}

// scanEdits is scan for all edits. The text starts as many bases before the segment as an alignment
// can span, m + k, so that distances up to k are the same as in the whole contig.
func (w *scanWorker) scanEdits(b *Batch, read, strand int, emit func(end, distance int)) {
	m, k := int(b.length[read]), int(b.sought[read])
	skip := max(0, int(w.seg.from)-m-k) - w.first
	t := tile{codes: w.codes[skip:], first: w.first + skip, from: int(w.seg.from), m: m, k: k}
	w.setMasks(b.strand(read, strand), m)
	switch {
	case m <= 64 && k <= wuManberEdits:
		t.wuManber(w.masks, emit)
	case m <= 64:
		t.myers(w.masks, emit)
	default:
		t.myersWords(w, emit)
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
