package genome

import (
	"fmt"
	"math"
	"slices"
)

// An isochore is a stretch of one GC content. Costantini et al. 2006 (Genome Res 16, 536) find five
// families of isochores in human, L1, L2, H1, H2 and H3; fraction is their share of the genome,
// rounded, and gc the share of G and C of their background; elements have about the same, by and
// large.
type isochore struct{ fraction, gc float64 }

var isochores = [...]isochore{{0.19, 0.360}, {0.37, 0.388}, {0.31, 0.431}, {0.11, 0.487}, {0.02, 0.540}}

// isochoreBases is the length of all isochores. The real ones have 0.2 Mb and more, 0.9 on average;
// short ones give small genomes their share of each family.
const isochoreBases = 300_000

// A layer is what an isochore's ordinary sequence is made with.
type layer struct {
	next      [4 << 8]byte // the base after a base (upper bits), by eight random bits
	densities []float64    // of each family, as shares of ordinary sequence
}

// odds say how often two bases are neighbours, next to how often they would be by chance, in human
// (about as in Burge, Campbell and Karlin 1992, PNAS 89, 1358, both strands together; the gene loci
// of docs/benchmarks have the same within 0.05). CpG is rare, because C decays there, and TpG and
// CpA, which it becomes, are frequent.
var odds = [4][4]float64{
	{1.12, 0.84, 1.17, 0.87},
	{1.21, 1.22, 0.24, 1.17},
	{1.01, 1.01, 1.22, 0.84},
	{0.74, 1.01, 1.21, 1.12},
}

// makeLayers prepares all isochores. Elements that would leave no background are an error.
func (g *Genome) makeLayers() error {
	ordinary := 1 - g.shares[groupAlpha] - g.shares[groupGap]
	for i, iso := range isochores {
		l := &g.layers[i]
		l.next = chain(iso.gc)
		if g.options.Profile == Random {
			for j := range l.next {
				l.next[j] = byte(j & 3)
			}
		}
		sum := 0.0
		for j := range g.families {
			f := &g.families[j]
			density := f.share / ordinary
			if f.density[i] > 0 {
				mean := 0.0
				for k, other := range isochores {
					mean += other.fraction * f.density[k]
				}
				density *= f.density[i] / mean
			}
			l.densities = append(l.densities, density)
			sum += density
		}
		if sum > mostElements {
			return fmt.Errorf("elements would be %.0f %% of sequence with %.0f %% GC: expected at most %.0f %%", 100*sum, 100*iso.gc, 100*mostElements)
		}
	}
	return nil
}

// mostElements is the largest share of elements in ordinary sequence. A block may by chance have
// more than the mean, and elements that do not fit into it are lost.
const mostElements = 0.8

// chain returns the steps of a Markov chain of order 1 with odds as above and a share gc of G and
// C. The odds are scaled until the shares of bases fit (Sinkhorn and Knopp 1967, Pacific J Math 21,
// 343). Probabilities are rounded to 1/256.
func chain(gc float64) (next [4 << 8]byte) {
	shares := [4]float64{(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2}
	joint := odds
	for range 50 {
		for a := range joint {
			sum := 0.0
			for b := range joint {
				sum += joint[a][b]
			}
			for b := range joint {
				joint[a][b] *= shares[a] / sum
			}
		}
		for b := range joint {
			sum := 0.0
			for a := range joint {
				sum += joint[a][b]
			}
			for a := range joint {
				joint[a][b] *= shares[b] / sum
			}
		}
	}
	for a := range joint {
		sum, from := 0.0, 0
		for b := range joint {
			sum += joint[a][b] / shares[a]
			to := min(int(math.Round(256*sum)), 256)
			if b == 3 {
				to = 256
			}
			for ; from < to; from++ {
				next[a<<8|from] = byte(b)
			}
		}
	}
	return next
}

// A piece is a part of a block's sequence: of an element, or of the background if element is -1.
type piece struct{ from, length, element int32 }

// A span is where a part of an element lies, relative to the sequence that it is in.
type span struct {
	start, end int
	element
}

// A placed element is one of a block, with its bases in the arena.
type placed struct {
	element
	from, length int32
}

// Scratch is the memory of one worker. The sequence of a block and its spans are valid until the
// next block.
type scratch struct {
	bases  []byte
	spans  []span
	arena  []byte // elements, one after the other
	whole  []byte // an element before it is changed
	pieces []piece
	all    []placed

	source      []byte // of a segmental duplication
	sourceSpans []span
	text, bed   []byte // the output
}

// isochoreOf returns the isochore at a position of a contig's ordinary sequence. Shares of
// isochores are as even as can be in a genome of any size, because the sequence of their numbers,
// multiplied by the golden ratio, is.
func (g *Genome) isochoreOf(c *Contig, at int64) int {
	number := uint64(c.isochore + at/isochoreBases)
	x := float64((mix(g.options.Seed^placeIsochore)+number*0x9e3779b97f4a7c15)>>11) / (1 << 53)
	for i, iso := range isochores {
		if x -= iso.fraction; x < 0 {
			return i
		}
	}
	return len(isochores) - 1
}

// ordinary makes the block of ordinary sequence that begins at a position.
//
// Each family gets as many elements as its density asks for: they are drawn until the next would be
// one too many, which is taken with a probability that makes the mean right. The background has the
// bases that are left. Into it elements are inserted, from the oldest family to the youngest, each
// at an even place of the block so far.
func (g *Genome) ordinary(s *scratch, contig int, at int64, length int) {
	c := &g.Contigs[contig]
	d := newDice(g.options.Seed, placeOrdinary, uint64(contig), uint64(at))
	l := &g.layers[g.isochoreOf(c, at)]
	g.drawElements(s, l, length, d)
	background := length - len(s.arena)
	s.pieces = append(s.pieces[:0], piece{0, int32(background), -1})
	for i := range s.all {
		s.insert(i, background+int(s.all[i].from), d)
	}
	s.compose(l, length, d)
}

// drawElements draws the elements of a block into arena and all.
func (g *Genome) drawElements(s *scratch, l *layer, length int, d dice) {
	s.arena, s.all = s.arena[:0], s.all[:0]
	for i := range g.families {
		f := &g.families[i]
		for left := l.densities[i] * float64(length); left > 0; {
			n := min(f.drawLength(d), length/4)
			whole := n
			tail := 0
			if f.tail > 0 {
				tail = shortestTail + d.IntN(f.tail-shortestTail+1)
				whole += tail
			}
			if n < 1 || float64(whole) > left && d.Float64()*float64(whole) >= left {
				break
			}
			left -= float64(whole)
			from := len(s.arena)
			e := f.appendElement(s, n, tail, d)
			if len(s.arena) == from {
				continue // the whole element was deleted
			}
			if len(s.arena) > length*15/16 {
				s.arena = s.arena[:from]
				return
			}
			s.all = append(s.all, placed{e, int32(from), int32(len(s.arena) - from)})
		}
	}
}

// insert puts an element into a sequence of total bases.
func (s *scratch) insert(number, total int, d dice) {
	at := int32(d.IntN(total + 1))
	e := &s.all[number]
	fresh := piece{e.from, e.length, int32(number)}
	i := 0
	for ; i < len(s.pieces) && at >= s.pieces[i].length; i++ {
		at -= s.pieces[i].length
	}
	if at == 0 {
		s.pieces = slices.Insert(s.pieces, i, fresh)
		return
	}
	old := &s.pieces[i]
	rest := piece{old.from + at, old.length - at, old.element}
	old.length = at
	s.pieces = slices.Insert(s.pieces, i+1, fresh, rest)
}

// compose writes the pieces, and the background between them, which goes on as if nothing had been
// inserted.
func (s *scratch) compose(l *layer, length int, d dice) {
	s.bases, s.spans = slices.Grow(s.bases[:0], length), s.spans[:0]
	base := d.code([4]float64{0.3, 0.2, 0.2, 0.3})
	for _, p := range s.pieces {
		from := len(s.bases)
		if p.element < 0 {
			s.bases = s.bases[:from+int(p.length)]
			base = l.background(s.bases[from:], base, d)
			continue
		}
		s.bases = append(s.bases, s.arena[p.from:p.from+p.length]...)
		s.spans = append(s.spans, span{from, len(s.bases), s.all[p.element].element})
	}
}

// background fills out with what follows a base, and returns the last one.
func (l *layer) background(out []byte, base byte, d dice) byte {
	for len(out) >= 8 {
		bits := d.bits.Uint64()
		part := out[:8:8]
		for i := range part {
			base = l.next[(int(base)<<8|int(bits&0xff))&(len(l.next)-1)]
			part[i] = base
			bits >>= 8
		}
		out = out[8:]
	}
	bits := d.bits.Uint64()
	for i := range out {
		base = l.next[(int(base)<<8|int(bits&0xff))&(len(l.next)-1)]
		out[i] = base
		bits >>= 8
	}
	return base
}
