package search

// Sets returns for each letter of a pattern of DNA the bases that it stands for: bit c for the base
// of code c. The reverse complement has those of the complements, in reverse order.
func (p *Pattern) Sets() []uint8 {
	sets := make([]uint8, len(p.Letters))
	for i, c := range p.Letters {
		sets[i] = iupac[c]
	}
	return sets
}

// AppendName appends the name of a pattern to b as TSV has it: \xNN stands for each byte that is
// not printable ASCII and for the backslash.
func AppendName(b []byte, name string) []byte { return appendEscaped(b, name) }
