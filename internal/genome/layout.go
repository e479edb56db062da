package genome

import (
	"math"
	"slices"
	"sort"
)

// blockBases is the most bases of a block of ordinary sequence or of an array. Larger blocks cost
// more where a duplication needs a part of one; smaller ones have room for fewer whole elements.
const blockBases = 1 << 16

// Kinds of blocks.
type kind uint8

const (
	kindOrdinary kind = iota
	kindArray
	kindDuplication
	kindGap
)

// A block is a part of a contig that is made at a time.
type block struct {
	kind   kind
	contig int32
	length int32
	start  int64        // position on the contig
	at     int64        // position in ordinary sequence; in other blocks, of its next base
	source *duplication // of kindDuplication
}

// gapBases is the length of most gaps of GRCh38 that are estimated: 50 kb.
const gapBases = 50_000

// layOut divides all contigs into blocks.
func (g *Genome) layOut() {
	isochore := int64(0)
	specials := make([][]block, len(g.Contigs))
	for i := range g.Contigs {
		c := &g.Contigs[i]
		c.isochore = isochore
		isochore += c.Length/isochoreBases + 1
		specials[i] = g.specials(i)
		c.ordinary = c.Length
		for _, b := range specials[i] {
			c.ordinary -= int64(b.length)
		}
	}
	g.drawSources(specials)
	for i := range g.Contigs {
		g.Contigs[i].divide(i, specials[i], g.options.Seed)
	}
}

// specials returns the blocks of a contig that are not ordinary, without their places. Shares are
// held to a base in each contig, except that a share too short for the least copy, or for two
// monomers, is left out.
func (g *Genome) specials(contig int) []block {
	c := &g.Contigs[contig]
	d := newDice(g.options.Seed, placeLayout, uint64(contig))
	bases := func(group string) int64 { return int64(math.Round(g.shares[group] * float64(c.Length))) }
	var all []block
	if n := bases(groupAlpha); n >= 2*monomerBases {
		unit := int64(len(g.unit(contig)))
		whole := max(blockBases/unit, 1) * unit
		for at := int64(0); at < n; at += whole {
			all = append(all, block{kind: kindArray, length: int32(min(whole, n-at))})
		}
	}
	for left := bases(groupSegdup); left >= leastDuplication; {
		most := min(mostDuplication, float64(c.Length)/20)
		n := leastDuplication
		if most > leastDuplication {
			n = int(leastDuplication * math.Pow(most/leastDuplication, d.Float64()))
		}
		if n = min(n, int(left)); sourceBases(n) > int(c.Length/4) {
			break
		}
		all = append(all, block{kind: kindDuplication, length: int32(n)})
		left -= int64(n)
	}
	for left := bases(groupGap); left > 0; {
		n := min(left, gapBases, max(c.Length/20, 1))
		all = append(all, block{kind: kindGap, length: int32(n)})
		left -= n
	}
	return all
}

// drawSources says where the sources of all duplications are.
func (g *Genome) drawSources(specials [][]block) {
	var before []*duplication
	ends := make([]int64, len(g.Contigs)) // of contigs, in the ordinary sequence of all
	sum := int64(0)
	for i := range g.Contigs {
		sum += g.Contigs[i].ordinary
		ends[i] = sum
	}
	for i := range specials {
		d := newDice(g.options.Seed, placeDuplication, uint64(i))
		for j := range specials[i] {
			b := &specials[i][j]
			if b.kind != kindDuplication {
				continue
			}
			need := int64(sourceBases(int(b.length)))
			dup := &duplication{contig: i, reverse: d.IntN(2) == 1, divergence: mostDivergence}
			for dup.divergence >= mostDivergence {
				dup.divergence = d.ExpFloat64() * meanDivergence
			}
			if d.Float64() >= sameContig {
				at := d.Int64N(sum)
				other, _ := slices.BinarySearch(ends, at+1)
				if g.Contigs[other].ordinary >= need {
					dup.contig = other
				}
			}
			dup.at = d.Int64N(g.Contigs[dup.contig].ordinary - need + 1)
			if len(before) > 0 && d.Float64() < sameSource {
				other := before[d.IntN(len(before))]
				if other.at+need <= g.Contigs[other.contig].ordinary {
					dup.contig, dup.at = other.contig, other.at
				}
			}
			b.source = dup
			before = append(before, dup)
		}
	}
}

// divide puts the blocks of a contig in order: the array somewhere in its middle third, and the
// others at even places of its ordinary sequence.
func (c *Contig) divide(contig int, specials []block, seed uint64) {
	d := newDice(seed, placeLayout, uint64(contig), 1)
	centre := int64(d.between(1.0/3, 2.0/3) * float64(c.ordinary))
	for i := range specials {
		specials[i].at = centre
		if specials[i].kind != kindArray {
			specials[i].at = d.Int64N(c.ordinary + 1)
		}
	}
	slices.SortStableFunc(specials, func(a, b block) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return int(a.kind) - int(b.kind)
	})
	start, done := int64(0), int64(0)
	add := func(b block) {
		b.contig, b.start = int32(contig), start
		start += int64(b.length)
		c.blocks = append(c.blocks, b)
	}
	ordinary := func(end int64) {
		blocks := (end - done + blockBases - 1) / blockBases
		for ; blocks > 0; blocks-- {
			n := (end - done) / blocks
			add(block{kind: kindOrdinary, length: int32(n), at: done})
			done += n
		}
	}
	for _, b := range specials {
		ordinary(b.at)
		add(b)
	}
	ordinary(c.ordinary)
}

// ordinaryBlock returns the number of the block that holds a position of ordinary sequence.
func (c *Contig) ordinaryBlock(at int64) int {
	// Blocks that are not ordinary have the position of the ordinary one that follows, and come before
	// it: the last that does not lie behind at is the one.
	return sort.Search(len(c.blocks), func(i int) bool { return c.blocks[i].at > at }) - 1
}
