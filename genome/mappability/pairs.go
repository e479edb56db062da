package mappability

import "math/bits"

// compare compares each wanted string of a group with those after it.
func (p *pairing) compare(g *group, by *path) {
	switch p.words {
	case 1:
		p.compareWords(g, by)
		return
	case 2:
		p.comparePairs(g, by)
		return
	}
	words := p.words
	for i := range g.wanted {
		a := g.letters[i*words : (i+1)*words]
		found := uint32(0)
		for j := i + 1; j < len(g.refs); j++ {
			b := g.letters[j*words : (j+1)*words]
			differences := 0
			for w := 0; w < words && differences <= p.options.Edits; w++ {
				p.difference[w] = (a[w].low ^ b[w].low) | (a[w].high ^ b[w].high) | a[w].ambiguous | b[w].ambiguous
				differences += bits.OnesCount64(p.difference[w])
			}
			if differences <= p.options.Edits && by.owns(p.difference) {
				found += p.pair(g, i, j)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// compareWords is compare for K-mers of up to 64 bases.
func (p *pairing) compareWords(g *group, by *path) {
	most := p.options.Edits
	for i := range g.wanted {
		a := g.letters[i]
		found := uint32(0)
		for j, b := range g.letters[i+1 : len(g.refs)] {
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			if bits.OnesCount64(d) > most {
				continue
			}
			if p.difference[0] = d; by.owns(p.difference) {
				found += p.pair(g, i, i+1+j)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// comparePairs is compare for K-mers of 65 to 128 bases.
func (p *pairing) comparePairs(g *group, by *path) {
	most := p.options.Edits
	for i := range g.wanted {
		a, then := g.letters[2*i], g.letters[2*i+1]
		found := uint32(0)
		others := g.letters[2*i+2 : 2*len(g.refs)]
		for j := 0; j+1 < len(others); j += 2 {
			b := &others[j]
			d := (a.low ^ b.low) | (a.high ^ b.high) | a.ambiguous | b.ambiguous
			n := bits.OnesCount64(d)
			if n > most {
				continue
			}
			b = &others[j+1]
			last := (then.low ^ b.low) | (then.high ^ b.high) | then.ambiguous | b.ambiguous
			if n+bits.OnesCount64(last) > most {
				continue
			}
			if p.difference[0], p.difference[1] = d, last; by.owns(p.difference) {
				found += p.pair(g, i, i+1+j/2)
			}
		}
		p.strings.found[g.refs[i]] += found
	}
}

// pair counts string i of a group for string j, and returns the places of j. What is found for one
// that is not wanted is of no account.
func (p *pairing) pair(g *group, i, j int) (places uint32) {
	a, b := g.refs[i], g.refs[j]
	p.strings.found[b] += p.strings.weights[a]
	return p.strings.weights[b]
}
