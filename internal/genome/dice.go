package genome

import (
	"math"
	"math/rand/v2"
)

// Bases are codes in this package: A 0, C 1, G 2, T 3, as in package dna, so that the complement is
// 3 less the code, and a transition, A to G or C to T, inverts the upper bit.
const (
	codeC     = 1
	codeG     = 2
	codeN     = 4
	upperBit  = 2
	otherBits = 1 // changed by both transversions
)

// Dice are drawn from by one block. Rand draws from bits, which is faster alone.
type dice struct {
	*rand.Rand
	bits *rand.PCG
}

// newDice returns dice for a place of a genome: another place or purpose, other dice.
func newDice(seed uint64, place ...uint64) dice {
	x := uint64(0x9e3779b97f4a7c15)
	for _, p := range place {
		x = mix(x ^ p)
	}
	bits := rand.NewPCG(seed, x)
	return dice{rand.New(bits), bits}
}

// mix spreads a number over 64 bits (splitmix64, Steele et al. 2014, OOPSLA, Fig. 14).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// between draws evenly.
func (d dice) between(least, most float64) float64 { return least + d.Float64()*(most-least) }

// code draws a base of a composition.
func (d dice) code(composition [4]float64) byte {
	x := d.Float64()
	for c := range byte(3) {
		if x -= composition[c]; x < 0 {
			return c
		}
	}
	return 3
}

// How copies change.
const (
	// More than one change in ten is an insertion or deletion, about as in processed pseudogenes
	// (Ophir and Graur 1997, Gene 205, 191); half of these are of one base, a quarter of two ...
	indelShare  = 0.13
	mostIndel   = 10
	transitions = 2.0 / 3 // of substitutions outside CpG: twice as many as transversions
	// Bases of CpG change six times as fast as others (Batzer and Deininger 2002, Nat Rev Genet 3,
	// 370: six to ten times), and to TpG or CpA, because methylated C decays to T.
	cpgFactor = 6
)

// meanIndel is the mean length of an indel that drawIndel draws.
const meanIndel = 2 - 1.0/(1<<(mostIndel-1))

// drawIndel draws the length of an insertion or deletion.
func (d dice) drawIndel() int {
	n := 1
	for n < mostIndel && d.bits.Uint64()>>63 == 0 {
		n++
	}
	return n
}

// Rates are probabilities that a change begins at a base, in units of 1/65536.
type rates struct{ plain, cpg uint32 }

const rateUnit = 1 << 16

// plainRates are the rates of a divergence, the edits of a base, where all bases are alike.
func plainRates(divergence float64) rates {
	r := uint32(math.Round(divergence / (1 + indelShare*(meanIndel-1)) * rateUnit))
	return rates{r, r}
}

// cpgRates are the rates of a divergence of the bases outside CpG.
func cpgRates(divergence float64) rates {
	r := plainRates(divergence)
	r.cpg = uint32(math.Round(cpgDivergence(divergence) * rateUnit))
	return r
}

// cpgDivergence returns the share of changed bases in CpG where those outside have a divergence: a
// base that has changed already cannot do so again.
func cpgDivergence(divergence float64) float64 { return 1 - math.Exp(-cpgFactor*divergence) }

// mutate appends a changed copy of bases to out. cpg says which bases are in CpG; nil stands for
// none. It returns the edits too: substitutions, and inserted and deleted bases. An insertion and a
// deletion at one place are counted as they were made, though fewer edits may explain them.
func (d dice) mutate(out, bases []byte, cpg []bool, r rates) ([]byte, int) {
	edits, left, bits := 0, 0, uint64(0)
	for i := 0; i < len(bases); {
		from := i
		for ; i < len(bases); i++ {
			if left == 0 {
				bits, left = d.bits.Uint64(), 4
			}
			x := uint32(bits & 0xffff)
			bits >>= 16
			left--
			hit := r.plain
			if cpg != nil && cpg[i] {
				hit = r.cpg
			}
			if x < hit {
				break
			}
		}
		out = append(out, bases[from:i]...)
		if i == len(bases) {
			break
		}
		base := bases[i]
		if cpg != nil && cpg[i] {
			out = append(out, base^upperBit)
			edits++
			i++
			continue
		}
		switch x := d.Float64(); {
		case x < indelShare/2:
			n := d.drawIndel()
			for range n {
				out = append(out, byte(d.bits.Uint64()>>62))
			}
			out = append(out, base)
			edits += n
			i++
		case x < indelShare:
			n := min(d.drawIndel(), len(bases)-i)
			edits += n
			i += n
		default:
			change := byte(upperBit)
			if d.Float64() >= transitions {
				change = otherBits | byte(d.bits.Uint64()>>62)&upperBit
			}
			out = append(out, base^change)
			edits++
			i++
		}
	}
	return out, edits
}

// reverseComplement turns bases in place.
func reverseComplement(bases []byte) {
	for a, b := 0, len(bases)-1; a <= b; a, b = a+1, b-1 {
		bases[a], bases[b] = complement(bases[b]), complement(bases[a])
	}
}

func complement(code byte) byte { return 3 - code }

// inCpG says of each base whether it is the C or the G of a CpG.
func inCpG(bases []byte) []bool {
	in := make([]bool, len(bases))
	for i := 1; i < len(bases); i++ {
		if bases[i-1] == codeC && bases[i] == codeG {
			in[i-1], in[i] = true, true
		}
	}
	return in
}
