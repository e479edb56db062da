package primers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/search"
)

// Stacks names a set of nearest-neighbour parameters of perfect pairs.
type Stacks string

// The sets. Both are used with the same mismatches.
const (
	// SantaLucia1998 are the unified parameters of SantaLucia (1998), PNAS 95, 1460-1465. primer3
	// has them too.
	SantaLucia1998 Stacks = "santalucia1998"
	// SantaLucia2004 are the parameters of SantaLucia and Hicks (2004), Annu Rev Biophys Biomol
	// Struct 33, 415-440.
	SantaLucia2004 Stacks = "santalucia2004"
)

// AllStacks are the names of the sets.
var AllStacks = []string{string(SantaLucia1998), string(SantaLucia2004)}

// Melting says how the melting temperature of a primer and its site is computed: by a sum over
// neighbouring pairs, with mismatches, at the concentrations of a PCR.
//
//	Tm = 1000 H / (S + 0.368 (n - 1) ln M + 1.987 ln (C/4)) - 273.15
//
// H is the enthalpy in kcal/mol and S the entropy in cal/(mol K) at 1 M of salt, n the primer's
// letters, and C its concentration in mol/l, which is not divided by 4 where the duplex is its own
// reverse complement. M, in mol/l, is the monovalent salt with 120 sqrt(Divalent - DNTP) added, in
// mmol/l (von Ahsen et al., 2001, Clin Chem 47, 1956-1961), where there is more divalent salt than
// dNTP. The correction for salt is from SantaLucia (1998).
type Melting struct {
	Stacks Stacks
	// Primer is the concentration of each primer in nmol/l.
	Primer float64
	// Monovalent and Divalent are concentrations of salts, and DNTP of all four dNTPs, in mmol/l.
	Monovalent, Divalent, DNTP float64
}

// DefaultMelting has the parameters and concentrations of primer3 2.6.
var DefaultMelting = Melting{Stacks: SantaLucia1998, Primer: 50, Monovalent: 50, Divalent: 1.5, DNTP: 0.6}

// Check refuses unknown parameters, and concentrations for which no temperature is defined.
func (m *Melting) Check() error {
	_, err := newDuplexes(m)
	return err
}

// energy is an enthalpy in kcal/mol and an entropy in cal/(mol K).
type energy struct{ h, s float64 }

func (e *energy) add(o energy) { e.h, e.s = e.h+o.h, e.s+o.s }

// neighbours are two pairs of a duplex that follow each other: the codes of the primer's letters,
// 5' to 3', and of those they lie on, 3' to 5'.
type neighbours struct{ first, second, firstBelow, secondBelow byte }

// turned are the same pairs seen from the other strand.
func (n neighbours) turned() neighbours {
	return neighbours{n.secondBelow, n.firstBelow, n.second, n.first}
}

// stackTable has energies of neighbours.
type stackTable map[neighbours]energy

// duplexes computes temperatures by one Melting.
type duplexes struct {
	pairs, ends              stackTable
	start, endOfAT, endOfGC  energy
	logPrimer, logSalt       float64
	primer, under, turnedOne []byte
}

// newDuplexes reads the tables. It refuses concentrations for which no temperature is defined.
func newDuplexes(m *Melting) (*duplexes, error) {
	d := &duplexes{pairs: stackTable{}, ends: stackTable{}}
	for _, x := range []float64{m.Primer, m.Monovalent, m.Divalent, m.DNTP} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("a concentration of %g is not a number from 0 on", x)
		}
	}
	salt := m.Monovalent
	if m.Divalent > m.DNTP {
		salt += 120 * math.Sqrt(m.Divalent-m.DNTP)
	}
	if m.Primer == 0 || salt == 0 {
		return nil, errors.New("melting temperatures need primer and salt, monovalent or more divalent than dNTP")
	}
	d.logPrimer, d.logSalt = math.Log(m.Primer*1e-9), math.Log(salt*1e-3)
	stacks := stacksOf1998
	switch m.Stacks {
	case SantaLucia1998:
		d.endOfAT, d.endOfGC = energy{2.3, 4.1}, energy{0.1, -2.8}
	case SantaLucia2004:
		stacks = stacksOf2004
		d.start, d.endOfAT = energy{0.2, -5.7}, energy{2.2, 6.9}
	default:
		return nil, fmt.Errorf("parameters %q are not one of %s", m.Stacks, strings.Join(AllStacks, ", "))
	}
	for _, table := range []struct {
		to    stackTable
		rows  []string
		turns bool
	}{{d.pairs, stacks, true}, {d.pairs, internalMismatches, true}, {d.ends, terminalMismatches, false}} {
		for _, row := range table.rows {
			if err := table.to.read(row, table.turns); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// read adds a row of a table, and what it says of the other strand.
func (t stackTable) read(row string, turns bool) error {
	var above, below string
	var e energy
	if _, err := fmt.Sscanf(strings.Replace(row, "/", " ", 1), "%2s %2s %g %g", &above, &below, &e.h, &e.s); err != nil {
		return fmt.Errorf("parameters %q: %w", row, err)
	}
	var codes [4]byte
	for i, letter := range []byte(above + below) {
		codes[i], _ = dna.Code(letter)
	}
	n := neighbours{codes[0], codes[1], codes[2], codes[3]}
	t[n] = e
	if turns {
		t[n.turned()] = e
	}
	return nil
}

// temperature is the melting temperature of an alignment in degrees Celsius. ok tells whether there
// is one. There is none for a gap, an IUPAC letter of primer or reference in a mismatch, a primer
// of one letter, and neighbours without an entry in a table, as most mismatches side by side. An
// IUPAC letter of the primer that matches counts as the base that it lies on.
func (d *duplexes) temperature(a *alignment) (celsius float64, ok bool) {
	if !d.lay(a) {
		return 0, false
	}
	n := len(d.primer)
	at := func(i int) neighbours { return neighbours{d.primer[i], d.primer[i+1], d.under[i], d.under[i+1]} }
	sum := d.start
	for _, end := range []byte{d.primer[0], d.primer[n-1]} {
		if end == codeA || end == codeT {
			sum.add(d.endOfAT)
		} else {
			sum.add(d.endOfGC)
		}
	}
	first, last := 0, n-1
	if e, found := d.ends[at(0).turned()]; found {
		sum.add(e)
		first++
	}
	if last > first {
		if e, found := d.ends[at(last-1)]; found {
			sum.add(e)
			last--
		}
	}
	for i := first; i < last; i++ {
		e, found := d.pairs[at(i)]
		if !found {
			return 0, false
		}
		sum.add(e)
	}
	strands := d.logPrimer
	if d.symmetric() {
		sum.s -= 1.4
	} else {
		strands -= math.Log(4)
	}
	sum.s += 0.368 * float64(n-1) * d.logSalt
	return 1000*sum.h/(sum.s+1.987*strands) - 273.15, true
}

// Codes of package dna.
const (
	codeA = 0
	codeT = 3
)

// lay sets the codes of both strands, if there is no gap and no letter that is not one base.
func (d *duplexes) lay(a *alignment) bool {
	d.primer, d.under = d.primer[:0], d.under[:0]
	if len(a.letters) < 2 || a.operations() != nil {
		return false
	}
	for i, letter := range a.letters {
		below := a.codes[i]
		if below >= dna.AmbiguousCode {
			return false
		}
		code, one := dna.Code(letter)
		if !one {
			if !search.MatchesCode(letter, below) {
				return false
			}
			code = below
		}
		d.primer, d.under = append(d.primer, code), append(d.under, 3-below)
	}
	return true
}

// symmetric tells whether the primer is its own reverse complement and lies on its like.
func (d *duplexes) symmetric() bool {
	d.turnedOne = append(d.turnedOne[:0], d.under...)
	slices.Reverse(d.turnedOne)
	if !slices.Equal(d.turnedOne, d.primer) {
		return false
	}
	for i, code := range d.primer {
		if d.under[i] != 3-code {
			return false
		}
	}
	return true
}
