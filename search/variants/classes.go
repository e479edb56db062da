package variants

import (
	"encoding/binary"
	"slices"
)

// classes are the copies that have an allele, by the alleles near it that they have too: most have
// the same alleles as others.
type classes struct {
	of    []int32 // of each carrier of the allele
	nodes []class
	out   []*allele
}

// A class has the alleles of its parent, and one allele more; class 0 has none, and is its own
// parent.
type class struct {
	parent int32
	allele *allele
	// split is the class of the copies that have the allele number round, too.
	round, split int32
	listed       bool
}

// split finds the classes of the carriers of x, by the alleles of near.
//
// It takes the alleles one by one, and splits copies that have it off their classes. The time is as
// for merging the lists of carriers, whatever the number of classes.
func (c *classes) split(near []*allele, x *allele) {
	c.of = append(c.of[:0], make([]int32, len(x.carriers))...)
	c.nodes = append(c.nodes[:0], class{round: -1})
	for round, a := range near {
		shared(x.carriers, a.carriers, func(i int) {
			n := &c.nodes[c.of[i]]
			if n.round != int32(round) {
				n.round, n.split = int32(round), int32(len(c.nodes))
				c.nodes = append(c.nodes, class{parent: c.of[i], allele: a, round: -1})
				n = &c.nodes[c.of[i]]
			}
			c.of[i] = n.split
		})
	}
}

// list returns the alleles of carrier i, in the order of near, and tells whether its class was not
// listed before. They are valid until the next call.
func (c *classes) list(i int) (list []*allele, first bool) {
	n := &c.nodes[c.of[i]]
	if n.listed {
		return nil, false
	}
	n.listed = true
	c.out = c.out[:0]
	for ; n.allele != nil; n = &c.nodes[n.parent] {
		c.out = append(c.out, n.allele)
	}
	slices.Reverse(c.out)
	return c.out, true
}

// groups are samples with loose calls, by their calls at some alleles: many samples have the same.
type groups struct {
	slots   []int // of each sample: 1 more than its index in samples, 0 if it is not there
	samples []int
	keys    [][]byte // what the calls of each are
	ids     map[string]int
	group   []int // of each
}

// has tells whether a sample is in a group.
func (g *groups) has(sample int) bool { return sample < len(g.slots) && g.slots[sample] > 0 }

// of returns the group of a sample, which is in one. Groups have numbers from 0 on.
func (g *groups) of(sample int) int { return g.group[g.slots[sample]-1] }

// find finds the groups of samples with loose calls at the sites of some alleles, by their calls at
// these.
func (g *groups) find(near []*allele) {
	for _, sample := range g.samples {
		g.slots[sample] = 0
	}
	g.samples = g.samples[:0]
	for _, a := range near {
		for _, sample := range a.site.samples {
			if sample >= len(g.slots) {
				g.slots = append(g.slots, make([]int, sample+1-len(g.slots))...)
			}
			if g.slots[sample] == 0 {
				g.samples = append(g.samples, sample)
				g.slots[sample] = len(g.samples)
			}
		}
	}
	if len(g.samples) == 0 {
		return
	}
	for len(g.keys) < len(g.samples) {
		g.keys = append(g.keys, nil)
	}
	for slot := range g.samples {
		g.keys[slot] = g.keys[slot][:0]
	}
	for i, a := range near {
		if !slices.ContainsFunc(near[:i], func(b *allele) bool { return b.site == a.site }) {
			for _, sample := range a.site.samples {
				if g.has(sample) {
					key := &g.keys[g.slots[sample]-1]
					*key = a.site.loose[sample].append(binary.AppendVarint(*key, int64(i)))
				}
			}
		}
		for _, c := range a.carriers {
			if sample := int(c / copiesOfSample); g.has(sample) {
				key := &g.keys[g.slots[sample]-1]
				*key = binary.AppendVarint(binary.AppendVarint(*key, int64(i)), int64(c%copiesOfSample))
			}
		}
	}
	if g.ids == nil {
		g.ids = map[string]int{}
	}
	clear(g.ids)
	g.group = g.group[:0]
	for slot := range g.samples {
		id, ok := g.ids[string(g.keys[slot])]
		if !ok {
			id = len(g.ids)
			g.ids[string(g.keys[slot])] = id
		}
		g.group = append(g.group, id)
	}
}

// append appends a call as numbers. The first is no copy's.
func (l looseCall) append(b []byte) []byte {
	b = binary.AppendVarint(b, int64(-len(l.alleles)))
	for _, n := range l.alleles {
		b = binary.AppendVarint(b, int64(n))
	}
	return binary.AppendVarint(b, int64(l.set))
}

// shared calls do for the index in list of each element that is in another list too. Both are in
// ascending order.
func shared(list, other []uint32, do func(i int)) {
	if len(other) > 16*len(list) {
		for i, c := range list {
			at, ok := slices.BinarySearch(other, c)
			if ok {
				do(i)
			}
			other = other[at:]
		}
		return
	}
	for i := 0; i < len(list) && len(other) > 0; {
		if len(list)-i > 16*len(other) {
			at, ok := slices.BinarySearch(list[i:], other[0])
			if i += at; ok {
				do(i)
			}
			other = other[1:]
			continue
		}
		switch c := list[i]; {
		case c < other[0]:
			i++
		case c > other[0]:
			other = other[1:]
		default:
			do(i)
			i, other = i+1, other[1:]
		}
	}
}
