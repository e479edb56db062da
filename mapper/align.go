package mapper

import (
	"slices"

	"scanmap/dna"
)

// An operation is a run of one kind in an alignment.
type operation struct {
	kind   operationKind
	length int32
}

type operationKind uint8

// The kinds of operations; what each consumes:
//
//	            read  reference
//	diagonal     yes     yes      match or mismatch
//	insertion    yes     no
//	deletion     no      yes
const (
	diagonal operationKind = iota
	insertion
	deletion
)

// An aligner finds the alignments of locations. It is the scratch memory of one
// worker.
type aligner struct {
	ops   []operation // of all locations aligned since reset
	costs [2][]int32
	// radius is the number of diagonals of the band on each side of the one that ends at
	// the location's end.
	radius int
	// moves[i*width+b] is the operation by which the best path reaches base i (exclusive)
	// on diagonal b of the band.
	moves []operationKind
	path  []operationKind
	// diagonals are the differences on three neighbouring diagonals.
	diagonals [3][]uint64
}

func (a *aligner) reset() { a.ops = a.ops[:0] }

// align sets the start and operations of a location, unless they are known.
func (a *aligner) align(ref *dna.Reference, b *batch, read int, loc *location) {
	if loc.aligned {
		return
	}
	m := int(b.length[read])
	from := len(a.ops)
	if loc.gaps == 0 || loc.gaps == gapsUnknown && ungapped(ref, b, read, loc.place, int(loc.end), int(loc.distance)) {
		a.ops = append(a.ops, operation{diagonal, int32(m)})
		loc.start = loc.end - int32(m)
	} else if kind, before, ok := a.oneGap(ref, b, read, loc.place, int(loc.end), int(loc.distance)); ok {
		loc.start = a.appendOneGap(kind, before, m, loc.end)
	} else {
		a.fill(ref, b, read, loc.place, int(loc.end), int(loc.distance))
		loc.start = int32(a.trace(m, int(loc.end)))
		a.shiftLeft(ref, ref.Contigs[loc.place.contig()].Start+int(loc.start), b.reads[read].Bases, loc.place.strand())
		a.collect()
	}
	loc.opsFrom, loc.opsTo = int32(from), int32(len(a.ops))
}

// gaps returns the fewest inserted and deleted bases of an alignment that ends at end
// with distance edits.
func (a *aligner) gaps(ref *dna.Reference, b *batch, read int, p place, end, distance int) int32 {
	if ungapped(ref, b, read, p, end, distance) {
		return 0
	}
	if _, _, ok := a.oneGap(ref, b, read, p, end, distance); ok {
		return 1
	}
	return a.fill(ref, b, read, p, end, distance) % editCost
}

// ungapped tells whether an alignment without gaps ends at end with distance edits.
func ungapped(ref *dna.Reference, b *batch, read int, p place, end, distance int) bool {
	m := int(b.length[read])
	return end >= m && hamming(&ref.Bases, b.strand(read, p.strand()), m, ref.Contigs[p.contig()].Start+end-m) == distance
}

// editCost is the cost of an edit; a gap base costs 1 more, so that the least cost
// has the fewest edits first and the fewest gap bases second. It exceeds any
// number of gap bases that is compared.
const editCost = 1 << 15

// unreachable is a cost no path has.
const unreachable = 1 << 30

// fill runs the dynamic program for a location and returns its cost. An alignment with
// few gap bases stays close to the diagonal on which it ends, so a narrow band is
// tried first: when the best path in it has no more gap bases than the band has
// diagonals on each side, every path as good lies in it too.
func (a *aligner) fill(ref *dna.Reference, b *batch, read int, p place, end, distance int) int32 {
	if narrowRadius < distance {
		a.radius = narrowRadius
		cost := a.fillBand(ref, b, read, p, end)
		if int(cost/editCost) == distance && cost%editCost <= narrowRadius {
			return cost
		}
	}
	a.radius = distance
	return a.fillBand(ref, b, read, p, end)
}

// narrowRadius covers the gaps of nearly all reads of sequencers that have short ones.
const narrowRadius = 2

// fillBand runs the dynamic program of edit distance (Levenshtein, with free start in
// the text) over the diagonals up to a.radius from the one that ends at end, and
// returns its cost. Diagonal i of the band is end - m - radius + i. The choice among
// equal costs is diagonal, then deletion, then insertion.
func (a *aligner) fillBand(ref *dna.Reference, b *batch, read int, p place, end int) int32 {
	m := int(b.length[read])
	strand := b.strand(read, p.strand())
	c := &ref.Contigs[p.contig()]
	width := 2*a.radius + 1
	low := end - m - a.radius // contig position of the band's first diagonal at base 0
	a.moves = resize(a.moves, (m+1)*width)
	a.costs[0], a.costs[1] = resize(a.costs[0], width+1), resize(a.costs[1], width+1)
	row, next := a.costs[0], a.costs[1]
	row[width], next[width] = unreachable, unreachable
	for i := range width {
		row[i] = 0
		if low+i < 0 {
			row[i] = unreachable
		}
	}
	for i := range m {
		moves := a.moves[(i+1)*width:][:width]
		sLow, sHigh, sAmb := strandWindow(strand, i)
		sLow, sHigh, sAmb = -(sLow & 1), -(sHigh & 1), -(sAmb & 1)
		if low+i >= 0 && low+i+width <= c.Length && width <= 64 {
			fillRow(row, next, moves, differences(&ref.Bases, c.Start+low+i, sLow, sHigh, sAmb))
		} else {
			fillRowAtEnd(row, next, moves, &ref.Bases, c, low+i, sLow, sHigh, sAmb)
		}
		row, next = next, row
	}
	return row[a.radius]
}

// fillRow goes on by one base of the strand: from the costs in row to those in next.
// Bit j of differs says whether the base differs from the text's on diagonal j.
func fillRow(row, next []int32, moves []operationKind, differs uint64) {
	left := int32(unreachable)
	next, row = next[:len(moves)+1], row[:len(moves)+1]
	for j := range moves {
		best, move := row[j]+int32(differs&1)*editCost, diagonal
		differs >>= 1
		if v := left + editCost + 1; v < best {
			best, move = v, deletion
		}
		if v := row[j+1] + editCost + 1; v < best {
			best, move = v, insertion
		}
		left = min(best, unreachable)
		next[j], moves[j] = left, move
	}
}

// fillRowAtEnd is fillRow for any band, of which a part may lie outside the contig:
// at is the contig position on diagonal 0, and the words are all ones or zeros.
func fillRowAtEnd(row, next []int32, moves []operationKind, text *dna.Sequence, c *dna.Contig, at int, sLow, sHigh, sAmb uint64) {
	left := int32(unreachable)
	for j := range moves {
		best, move := int32(unreachable), insertion
		if at+j >= 0 && at+j < c.Length {
			offset := c.Start + at + j
			differs := differences(text, offset, sLow, sHigh, sAmb) & 1
			best, move = row[j]+int32(differs)*editCost, diagonal
			if v := left + editCost + 1; v < best {
				best, move = v, deletion
			}
		}
		// Position at+j+1 of the text may be behind the base; position 0 is its start.
		if at+j+1 >= 0 {
			if v := row[j+1] + editCost + 1; v < best {
				best, move = v, insertion
			}
		}
		left = min(best, unreachable)
		next[j], moves[j] = left, move
	}
}

// trace follows the moves from the end to the start and leaves them in a.path, first
// to last. It returns the contig position of the alignment's first text base.
func (a *aligner) trace(m, end int) int {
	width := 2*a.radius + 1
	a.path = a.path[:0]
	i, j := m, a.radius
	for i > 0 {
		move := a.moves[i*width+j]
		a.path = append(a.path, move)
		switch move {
		case diagonal:
			i--
		case insertion:
			i--
			j++
		case deletion:
			j--
		}
	}
	slices.Reverse(a.path)
	return end - m - a.radius + j
}

// shiftLeft moves each gap of a.path left as far as the text (for a deletion) or the
// read (for an insertion) lets it without another alignment of any base that differs:
// while the base before the gap equals the gap's last base. Gaps of one kind that
// meet become one, and go on.
//
//	read  ACAAAT      path  DDDDDxD (x: deletion)
//	text  ACAAAAT     becomes DDxDDDD
//
// offset is where the alignment starts in the reference's bases.
func (a *aligner) shiftLeft(ref *dna.Reference, offset int, letters []byte, strand int) {
	path := a.path
	q, r := 0, 0 // bases of the strand and of the text before path[i]
	for i := 0; i < len(path); {
		kind := path[i]
		if kind == diagonal {
			q, r, i = q+1, r+1, i+1
			continue
		}
		n := i + 1
		for n < len(path) && path[n] == kind {
			n++
		}
		gap := n - i
		// The gap is path[from:from+gap]; fq and fr are the bases before it.
		from, fq, fr := i, q, r
		for from > 0 && path[from-1] != otherGap(kind) {
			if path[from-1] == kind { // it met a gap of its kind: they are one now
				from, gap = from-1, gap+1
				if kind == insertion {
					fq--
				} else {
					fr--
				}
				continue
			}
			if kind == deletion && ref.Letter(offset+fr-1) != ref.Letter(offset+fr+gap-1) {
				break
			}
			if kind == insertion && strandLetter(letters, strand, fq-1) != strandLetter(letters, strand, fq+gap-1) {
				break
			}
			path[from-1], path[from+gap-1] = kind, diagonal
			from, fq, fr = from-1, fq-1, fr-1
		}
		if kind == insertion {
			q += n - i
		} else {
			r += n - i
		}
		i = n
	}
}

func otherGap(kind operationKind) operationKind {
	if kind == insertion {
		return deletion
	}
	return insertion
}

// strandLetter returns base i of a strand of a read.
func strandLetter(letters []byte, strand, i int) byte {
	if strand == forward {
		return letters[i]
	}
	return dna.Complement(letters[len(letters)-1-i])
}

// collect appends a.path to a.ops as runs.
func (a *aligner) collect() {
	for i := 0; i < len(a.path); {
		n := i + 1
		for n < len(a.path) && a.path[n] == a.path[i] {
			n++
		}
		a.ops = append(a.ops, operation{a.path[i], int32(n - i)})
		i = n
	}
}
