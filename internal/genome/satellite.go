package genome

// Alpha satellite (Willard and Waye 1987, Trends Genet 3, 192; Altemose et al. 2022, Science 376,
// eabl4178): monomers of 171 bases, 20 to 40 % apart, make a unit of higher order, another in each
// contig, and an array is copies of the unit that are 1 to 2 % apart, those near each other less.
const (
	monomerBases = 171
	// Units of human have 2 to 34 monomers, most 4 to 16.
	fewestMonomers, mostMonomers = 4, 16
	// Monomers differ by this from their common ancestor, hence by about twice as much from each
	// other.
	leastMonomer, mostMonomer = 0.12, 0.22
	// Copies of the unit differ by unitApart from the unit of their block, and this unit by
	// blockApart from the array's: copies of one block are 1.2 % apart, others 2 %.
	blockApart, unitApart = 0.004, 0.006
)

// unit returns the unit of a contig's array.
func (g *Genome) unit(contig int) []byte {
	d := newDice(g.options.Seed, placeArray, uint64(contig))
	var unit []byte
	for range fewestMonomers + d.IntN(mostMonomers-fewestMonomers+1) {
		unit, _ = d.mutate(unit, g.alpha, nil, plainRates(d.between(leastMonomer, mostMonomer)))
	}
	return unit
}

// array makes a block of an array. Each span is a copy of the unit.
func (g *Genome) array(s *scratch, contig int, at int64, length int) {
	d := newDice(g.options.Seed, placeArrayBlock, uint64(contig), uint64(at))
	unit := g.unit(contig)
	s.whole, _ = d.mutate(s.whole[:0], unit, nil, plainRates(blockApart))
	s.bases, s.spans = s.bases[:0], s.spans[:0]
	alpha := &family{name: groupAlpha, group: groupAlpha}
	for len(s.bases) < length {
		from, edits := len(s.bases), 0
		s.bases, edits = d.mutate(s.bases, s.whole, nil, plainRates(unitApart))
		end := min(len(s.bases), length)
		s.spans = append(s.spans, span{from, end, element{family: alpha, perMille: int32(1000 * edits / len(s.whole))}})
	}
	s.bases = s.bases[:length]
}
