package genome

// A family is elements that are copies of one consensus, or of a few alike.
type family struct {
	name  string
	group string  // the families that Options.Shares name together
	share float64 // of all bases
	// parent names a family before this one in the table from whose consensus this one's differs by
	// apart (substitutions); with none the consensus is random.
	parent string
	apart  float64
	length int // bases of the consensus; of a tandem family the most of an array
	// composition is the shares of A, C, G and T of a random consensus, and of units of tandem
	// families.
	composition [4]float64
	dimer       bool // the consensus has two arms that are alike, as Alu's has
	variants    int  // consensus sequences (subfamilies)
	spread      float64
	least, most float64 // divergence of copies: edits for each base of the consensus outside CpG
	full        float64 // share of copies that have the whole consensus
	mean        float64 // mean bases of the others, with an exponential distribution from shortest on
	fromEnd     bool    // the others are the end of the consensus, and not a part from anywhere
	tail        int     // most bases of a tail of A, drawn evenly from shortestTail on; 0 for none
	units       []int   // of a tandem family the lengths of units, each as likely
	density     [len(isochores)]float64

	copies []consensus
}

// shortest is the fewest bases of an element: RepeatMasker names hardly any that are shorter.
const shortest = 30

// shortestTail is the fewest bases of a tail of A.
const shortestTail = 8

// A consensus is the text that copies are made of.
type consensus struct {
	bases []byte
	cpg   []bool // which are in CpG; nil if that makes no difference
}

// humanFamilies returns the families from the oldest to the youngest.
//
// Shares of groups are from Lander et al. 2001 (Nature 409, 860), Table 11: Alu 10.6 %, L1 16.9 %,
// L2 3.2 %, MIR 2.5 %, LTR elements 8.3 %, DNA elements 2.8 %; and, in its section on simple
// sequence repeats, 3 % for micro- and minisatellites together. The ages of the parts of a group
// are rounded from the ages of its Figure 18, and for Alu from Batzer and Deininger 2002 (Nat Rev
// Genet 3, 370): J, S and Y about 25, 60 and 15 % of the copies, 14, 8 and 5 % diverged. L1 has 6
// kb, and copies have 0.9 kb on average because most have lost their 5' end (Lander et al., page
// 879); old copies are in pieces. How many subfamilies there are, and how far apart, is of the
// order that RepeatMasker's library (Smit, Hubley and Green, repeatmasker.org) has, where LTR
// elements have hundreds. Densities are after Lander et al., Figure 22: Alu's grows with GC and
// L1's falls.
func humanFamilies() []family {
	even := [4]float64{0.28, 0.22, 0.22, 0.28}
	poor, rich, flat := [...]float64{1.35, 1.15, 0.8, 0.5, 0.35}, [...]float64{0.5, 0.75, 1.3, 1.9, 2.2}, [...]float64{1, 1, 1, 1, 1}
	richA := [4]float64{0.40, 0.21, 0.20, 0.19} // of L1's strand with its genes
	richGC := [4]float64{0.19, 0.29, 0.33, 0.19}
	return []family{
		{name: "L2", group: "L2", share: 0.032, length: 3300, composition: even, variants: 3, spread: 0.08, least: 0.25, most: 0.30, mean: 260, fromEnd: true, density: flat},
		{name: "MIR", group: "MIR", share: 0.025, length: 260, composition: even, variants: 3, spread: 0.08, least: 0.25, most: 0.30, full: 0.05, mean: 150, density: flat},
		{name: "DNA", group: "DNA", share: 0.028, length: 900, composition: even, variants: 30, spread: 0.4, least: 0.10, most: 0.25, full: 0.05, mean: 230, density: flat},
		{name: "L1M", group: "L1", share: 0.088, length: 6000, composition: richA, variants: 16, spread: 0.12, least: 0.13, most: 0.20, mean: 800, density: poor},
		{name: "ERVL", group: "LTR", share: 0.045, length: 420, composition: even, variants: 20, spread: 0.3, least: 0.12, most: 0.20, full: 0.4, mean: 250, density: flat},
		{name: "ERV", group: "LTR", share: 0.026, length: 6500, composition: even, variants: 12, spread: 0.4, least: 0.08, most: 0.18, mean: 1100, density: flat},
		{name: "AluJ", group: groupAlu, share: 0.026, length: 282, composition: richGC, dimer: true, variants: 2, spread: 0.02, least: 0.12, most: 0.16, full: 0.75, mean: 150, fromEnd: true, tail: 30, density: rich},
		{name: "L1PB", group: "L1", share: 0.041, parent: "L1M", apart: 0.12, length: 6000, variants: 6, spread: 0.03, least: 0.08, most: 0.14, full: 0.02, mean: 900, fromEnd: true, tail: 30, density: poor},
		{name: "LTR", group: "LTR", share: 0.012, length: 480, composition: even, variants: 24, spread: 0.4, least: 0.05, most: 0.12, full: 0.6, mean: 250, density: flat},
		{name: "AluS", group: groupAlu, share: 0.065, parent: "AluJ", apart: 0.06, length: 282, variants: 8, spread: 0.015, least: 0.06, most: 0.10, full: 0.85, mean: 150, fromEnd: true, tail: 40, density: rich},
		{name: "L1PA", group: "L1", share: 0.040, parent: "L1PB", apart: 0.06, length: 6000, variants: 8, spread: 0.02, least: 0.02, most: 0.08, full: 0.04, mean: 1000, fromEnd: true, tail: 40, density: poor},
		{name: "AluY", group: groupAlu, share: 0.015, parent: "AluS", apart: 0.02, length: 282, variants: 4, spread: 0.01, least: 0.03, most: 0.07, full: 0.9, mean: 150, fromEnd: true, tail: 50, density: rich},
		{name: "minisatellite", group: "tandem", share: 0.018, length: 1500, composition: even, mean: 250, least: 0.02, most: 0.15, units: []int{9, 12, 15, 18, 24, 30, 37, 48, 60}, density: flat},
		{name: "microsatellite", group: "tandem", share: 0.012, length: 300, composition: [4]float64{0.45, 0.13, 0.13, 0.29}, mean: 35, least: 0, most: 0.15, units: []int{1, 2, 2, 2, 3, 4, 4, 5, 6}, density: flat},
	}
}

// makeElements draws the consensus sequences of all families. They depend on the seed and on the
// family's name, so that shares do not change them.
func (g *Genome) makeElements() {
	for i := range g.families {
		f := &g.families[i]
		if f.units != nil {
			continue
		}
		d := newDice(g.options.Seed, placeConsensus, nameHash(f.name))
		bases := f.ancestor(g.families[:i], d)
		for range f.variants {
			c := consensus{bases: d.substituted(bases, f.spread)}
			if f.group != groupAlu && f.group != groupElement {
				d.losesCpG(c.bases)
			}
			if f.group != groupElement { // whose bases are all alike, as in the experiments that it is for
				c.cpg = inCpG(c.bases)
			}
			f.copies = append(f.copies, c)
		}
	}
	d := newDice(g.options.Seed, placeConsensus, nameHash(groupAlpha))
	// Alpha satellite is rich in A and T (Altemose et al. 2022: 38 % GC in human).
	for range monomerBases {
		g.alpha = append(g.alpha, d.code([4]float64{0.32, 0.18, 0.20, 0.30}))
	}
	d.losesCpG(g.alpha)
}

// Purposes that dice are for, so that none are used twice.
const (
	placeConsensus = iota
	placeIsochore
	placeLayout
	placeOrdinary
	placeArray
	placeArrayBlock
	placeDuplication
)

// nameHash makes a number of a name (FNV-1a).
func nameHash(name string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// ancestor draws the consensus that the family's variants are from.
func (f *family) ancestor(older []family, d dice) []byte {
	for i := range older {
		if older[i].name == f.parent {
			return d.substituted(older[i].copies[0].bases, f.apart)
		}
	}
	bases := make([]byte, 0, f.length)
	random := func(n int, composition [4]float64) {
		for range n {
			bases = append(bases, d.code(composition))
		}
	}
	if !f.dimer {
		random(f.length, f.composition)
		return bases
	}
	// Both arms of Alu are from 7SL RNA; the right one has 31 bases more, and A between them (Batzer
	// and Deininger 2002, Figure 1).
	const linker, more = 8, 31
	arm := (f.length - linker - more) / 2
	random(arm, f.composition)
	left := bases[:arm]
	random(linker, [4]float64{0.8, 0.07, 0.06, 0.07})
	right := d.substituted(left, 0.3)
	bases = append(bases, right[:arm/2]...)
	random(f.length-linker-2*arm, f.composition)
	return append(bases, right[arm/2:]...)
}

// losesCpG changes two of three CpG into TpG or CpA: old consensus sequences have lost most CpG.
// Alu's have not.
func (d dice) losesCpG(bases []byte) {
	for i := 1; i < len(bases); i++ {
		if bases[i-1] == codeC && bases[i] == codeG && d.IntN(3) > 0 {
			bases[i-d.IntN(2)] ^= upperBit
		}
	}
}

// substituted returns a copy with a number of its bases substituted.
func (d dice) substituted(bases []byte, share float64) []byte {
	changed := append([]byte(nil), bases...)
	for i := range changed {
		if d.Float64() < share {
			changed[i] ^= byte(1 + d.IntN(3))
		}
	}
	return changed
}

// drawLength draws how many bases of the consensus a copy has.
func (f *family) drawLength(d dice) int {
	if f.full > 0 && d.Float64() < f.full {
		return f.length
	}
	return min(shortest+int(d.ExpFloat64()*max(f.mean-shortest, 1)), f.length)
}

// An element is one copy, before others interrupted it.
type element struct {
	family   *family
	perMille int32 // edits for each 1000 bases of the consensus
	reverse  bool
}

// appendElement appends a copy of length bases of the consensus, and of a tail, to the arena, on
// either strand.
func (f *family) appendElement(s *scratch, length, tail int, d dice) element {
	from := len(s.arena)
	divergence := d.between(f.least, f.most)
	rates := plainRates(divergence)
	var edits int
	if f.units != nil {
		s.whole = f.tandem(s.whole[:0], length, d)
		s.arena, edits = d.mutate(s.arena, s.whole, nil, rates)
	} else {
		c := &f.copies[d.IntN(len(f.copies))]
		at := len(c.bases) - length
		if !f.fromEnd {
			at = d.IntN(at + 1)
		}
		var cpg []bool
		if c.cpg != nil {
			cpg, rates = c.cpg[at:at+length], cpgRates(divergence)
		}
		s.arena, edits = d.mutate(s.arena, c.bases[at:at+length], cpg, rates)
		if tail > 0 {
			s.whole = append(s.whole[:0], make([]byte, tail)...) // A is 0
			var inTail int
			s.arena, inTail = d.mutate(s.arena, s.whole, nil, plainRates(divergence))
			edits += inTail
		}
	}
	bases := length + tail
	e := element{family: f, perMille: int32((1000*edits + bases/2) / bases), reverse: d.bits.Uint64()>>63 != 0}
	if e.reverse {
		reverseComplement(s.arena[from:])
	}
	return e
}

// tandem appends a unit again and again.
func (f *family) tandem(out []byte, length int, d dice) []byte {
	unit := f.units[d.IntN(len(f.units))]
	for i := range length {
		if i < unit {
			out = append(out, d.code(f.composition))
		} else {
			out = append(out, out[i-unit])
		}
	}
	return out
}
