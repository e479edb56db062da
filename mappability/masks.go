package mappability

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"scanmap/parallel"
)

// Masks count neighbours in a large group (neighbours.go) without looking at pairs: in time that
// grows with its strings, whatever they are. A mask is a set M of at most e bases that are not in
// the equal pieces of the group. Let D(x, y) be the bases in which x and y differ, those included
// that match nothing in one of them, and let T(M, x) be the weight of the strings y with D(x, y)
// inside M. A hash table by the letters outside M has it, for all x at once, if strings are left
// out that have a letter outside M that matches nothing.
//
// Lemma. Let own be the sets of at most e bases that a pair which is counted in the group may
// differ in (path.owns). The weight of the strings y of the group with D(x, y) in own is the sum
// over all masks M of c(M) T(M, x), where c(M) is the sum of (-1)^(|D| - |M|) over all D in own
// that have M inside them.
//
// Proof. Let W(S) be the weight of the y with D(x, y) = S, so that T(M, x) is the sum of W(S) over
// all S inside M. Then W(D) is the sum of (-1)^(|D| - |M|) T(M, x) over all M inside D: W(S) is in
// it once for each M between S and D, with signs that cancel out unless S = D (Moebius inversion
// over the subsets of a set: Rota, "On the foundations of combinatorial theory I", Zeitschrift für
// Wahrscheinlichkeitstheorie 2, 1964). Adding that up over all D in own gives the lemma. ∎
//
// If all sets of at most e of K bases are in own, c(M) depends on the size of M alone, and that is
// how the mismatch kernel counts strings at each distance (Leslie, Eskin, Cohen, Weston and Noble,
// Bioinformatics 20, 2004; Kuksa, Huang and Pavlovic, "Scalable algorithms for string kernels with
// inexact matching", NIPS 2008). Here many masks have c(M) = 0 and cost nothing: with e = 2 and 36
// bases in three pieces there are 301, 235 and 169 others, for the first to the third piece.
//
// x is one of the y: its weight is taken off again if D(x, x), the letters of x that match nothing,
// is in own. All is modulo 2^32, as counts are. Keys are the letters that are left themselves, not
// hashes of them. Pieces are equal in hash alone so far, which is why they are compared first.
type masks struct {
	edits    int
	left     int      // bases that are not in the equal pieces
	fields   []field  // where they are in a string
	required []uint64 // sets of bases in which pairs differ, by the bits of a key
	all      []mask
}

// A mask is bits of a key that are cleared, and c(M) modulo 2^32.
type mask struct {
	cleared uint64
	times   uint32
}

// A field is neighbouring bases of a string that are in a key: in a word from a bit on.
type field struct {
	word, from, to int // to is their first bit in the key
	bases          uint64
}

const (
	// mostMaskedBases are as many as have both bits in the word of a key.
	mostMaskedBases = 32
	// mostMasks is enough for two edits in 32 bases, and three in 22.
	mostMasks = 1 << 11
	// mostMasked is the most strings that masks are put on, for memory: two tables for each thread,
	// of 32 to 64 bytes a string. Groups with more are cut.
	mostMasked = 1 << 20
	// spreadWork is how many strings, for each mask, are worth all threads.
	spreadWork = 1 << 26
)

// masksOf makes the masks of a path, or returns nil if there were too many of them, or too many
// bases.
func masksOf(p *path) *masks {
	if p.left > mostMaskedBases || subsets(p.left, p.edits) > mostMasks {
		return nil
	}
	m := &masks{edits: p.edits, left: p.left}
	at := 0
	for w, word := range p.rest {
		for word != 0 {
			from := bits.TrailingZeros64(word)
			n := bits.TrailingZeros64(^(word >> from))
			m.fields = append(m.fields, field{w, from, at, firstBases(n)})
			word &^= firstBases(n) << from
			at += n
		}
	}
	for i := 0; i < len(p.required); i += p.words {
		m.required = append(m.required, m.gathered(func(w int) uint64 { return p.required[i+w] }))
	}
	times := map[uint64]uint32{}
	// add takes differences, and goes on to those that have one more, in a base from `next` on.
	var add func(differences uint64, next int)
	add = func(differences uint64, next int) {
		if m.owns(differences) {
			sign := uint32(1)
			if bits.OnesCount64(differences)&1 == 1 {
				sign = math.MaxUint32
			}
			for inside := differences; ; inside = (inside - 1) & differences {
				if bits.OnesCount64(inside)&1 == 1 {
					times[inside] -= sign
				} else {
					times[inside] += sign
				}
				if inside == 0 {
					break
				}
			}
		}
		if bits.OnesCount64(differences) < p.edits {
			for ; next < m.left; next++ {
				add(differences|1<<next, next+1)
			}
		}
	}
	add(0, 0)
	for bases, n := range times {
		if n != 0 {
			m.all = append(m.all, mask{bases | bases<<m.left, n})
		}
	}
	// Neighbouring masks clear neighbouring bits.
	slices.SortFunc(m.all, func(a, b mask) int { return cmp.Compare(a.cleared, b.cleared) })
	return m
}

// subsets is how many subsets of at most some elements a set has, or more than mostMasks.
func subsets(of, most int) int {
	n, all := 1, 1
	for i := 1; i <= min(of, most) && all <= mostMasks; i++ {
		n = n * (of - i + 1) / i
		all += n
	}
	return all
}

// gathered are the bits of a plane that belong to a key.
func (m *masks) gathered(word func(w int) uint64) (key uint64) {
	for _, f := range m.fields {
		key |= word(f.word) >> f.from & f.bases << f.to
	}
	return key
}

// owns tells whether a pair that differs in just these bases is counted.
func (m *masks) owns(differences uint64) bool {
	for _, set := range m.required {
		if differences&set == 0 {
			return false
		}
	}
	return bits.OnesCount64(differences) <= m.edits
}

// masked is the strings of a group that masks are put on: those that are wanted and have no letters
// that match nothing, then others without such letters, and then all with them.
type masked struct {
	keys, unmatched []uint64 // unmatched are the bases whose letters match nothing
	weights         []uint32
	refs            []uint32
	wanted, clean   int
	alone           [1]masker
}

// A masker is one goroutine at work.
type masker struct {
	slots  []maskSlot
	shift  uint
	round  uint32
	at     []uint32 // slots of strings
	counts []uint32
}

// A maskSlot has the weight of the strings of a key. It is in use in its round alone.
type maskSlot struct {
	key    uint64
	weight uint32
	round  uint32
}

// countMasked counts the neighbours that are counted in a group, and tells whether it could: it
// cannot if strings differ in the equal pieces.
func (p *pairing) countMasked(ctx context.Context, g *group, by *path) bool {
	m, s := by.masks, &p.masked
	if !s.fill(p, g, by) {
		return false
	}
	workers := s.alone[:]
	if p.options.limits.masked || len(s.keys)*len(m.all) >= spreadWork {
		p.spreading.Lock()
		defer p.spreading.Unlock()
		workers = p.maskers
	}
	for i := range workers {
		workers[i].begin(len(s.keys))
	}
	parallel.Ranges(len(workers), len(m.all), 1, func(worker, i, _ int) {
		if ctx.Err() == nil {
			workers[worker].add(s, m.all[i])
		}
	})
	for i, ref := range s.refs {
		if i >= s.wanted && (i < s.clean || !p.strings.isWanted(ref)) {
			continue
		}
		found := uint32(0)
		for w := range workers {
			found += workers[w].counts[i]
		}
		if m.owns(s.unmatched[i]) {
			found -= s.weights[i]
		}
		p.strings.found[ref] += found
	}
	return true
}

// fill takes the strings of a group, and tells whether their equal pieces are equal.
func (s *masked) fill(p *pairing, g *group, by *path) bool {
	m, words := by.masks, p.words
	s.keys, s.unmatched, s.weights, s.refs = s.keys[:0], s.unmatched[:0], s.weights[:0], s.refs[:0]
	s.wanted, s.clean = 0, 0
	var first []letters
	take := func(i int, unmatched uint64) {
		of := g.letters[i*words : (i+1)*words]
		low, high := m.gathered(func(w int) uint64 { return of[w].low }), m.gathered(func(w int) uint64 { return of[w].high })
		s.keys = append(s.keys, low|high<<m.left)
		s.unmatched = append(s.unmatched, unmatched)
		s.weights = append(s.weights, p.strings.weights[g.refs[i]])
		s.refs = append(s.refs, g.refs[i])
	}
	var others []int
	for i := range g.refs {
		of := g.letters[i*words : (i+1)*words]
		outside, inside := uint64(0), uint64(0)
		for w := range of {
			outside |= of[w].ambiguous & by.equal[w]
			inside |= of[w].ambiguous
		}
		if outside != 0 {
			continue // differs from all
		}
		if first == nil {
			first = of
		}
		for w := range of {
			if ((of[w].low^first[w].low)|(of[w].high^first[w].high))&by.equal[w] != 0 {
				return false
			}
		}
		if inside != 0 {
			others = append(others, i)
			continue
		}
		take(i, 0)
		if i < g.wanted {
			s.wanted++
		}
	}
	s.clean = len(s.keys)
	for _, i := range others {
		take(i, m.gathered(func(w int) uint64 { return g.letters[i*words+w].ambiguous }))
	}
	return true
}

// begin makes room for n strings.
func (w *masker) begin(n int) {
	w.at, w.counts = parallel.Resize(w.at, n), parallel.Resize(w.counts, n)
	clear(w.counts)
	// Half of the slots at most are in use.
	size := 1 << bits.Len(uint(2*n))
	w.shift = uint(64 - bits.Len(uint(size-1)))
	if size > cap(w.slots) {
		w.slots, w.round = make([]maskSlot, size), 0
	}
	w.slots = w.slots[:size]
}

// add adds what one mask counts.
func (w *masker) add(s *masked, m mask) {
	if w.round++; w.round == 0 {
		clear(w.slots[:cap(w.slots)]) // later groups may have more of them
		w.round = 1
	}
	for i, key := range s.keys[:s.clean] {
		w.at[i] = w.put(key&^m.cleared, s.weights[i])
	}
	for i := s.clean; i < len(s.keys); i++ {
		if s.unmatched[i]&^m.cleared == 0 {
			w.at[i] = w.put(s.keys[i]&^m.cleared, s.weights[i])
		}
	}
	for i := range s.wanted {
		w.counts[i] += m.times * w.slots[w.at[i]].weight
	}
	for i := s.clean; i < len(s.keys); i++ {
		if s.unmatched[i]&^m.cleared == 0 {
			w.counts[i] += m.times * w.slots[w.at[i]].weight
		}
	}
}

// put adds a weight to that of a key, and returns its slot. Slots are a hash table with linear
// probing; the first bits of a product with the golden ratio depend on all of a key (Knuth, The Art
// of Computer Programming, volume 3, section 6.4).
func (w *masker) put(key uint64, weight uint32) uint32 {
	slots, round := w.slots, w.round
	for at := key * 0x9E3779B97F4A7C15 >> w.shift; ; at++ {
		at &= uint64(len(slots) - 1)
		slot := &slots[at]
		if slot.round != round {
			*slot = maskSlot{key, weight, round}
			return uint32(at)
		}
		if slot.key == key {
			slot.weight += weight
			return uint32(at)
		}
	}
}
