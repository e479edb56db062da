package mapper

import (
	"scanmap/dna"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// Counting takes the locations of reads, with or without their records.
type Counting interface {
	// Begin is called once, with the reference that locations lie on. Its error ends the run.
	Begin(ref *dna.Reference) error
	// Counter returns what one goroutine of the run hands locations to. It is called once for each
	// goroutine, after Begin and before the first read, by one goroutine at a time.
	Counter() Counter
}

// CellCounting is a Counting that adds up numbers of bases, so that GPUs can do it in their memory,
// also while others count.
type CellCounting interface {
	Counting
	find.CellAdder
	// Cells says what counts.
	Cells() Cells
	// AddWeight adds the weights of the locations on a contig that AddCells has added.
	AddWeight(contig int, weight int64)
}

// Cells say which numbers are added up.
type Cells = find.Cells

// Weights say how much each reported location of a read counts.
type Weights = find.Weights

// The weights.
const (
	WeighEach    = find.WeighEach
	WeighEqual   = find.WeighEqual
	WeighBest    = find.WeighBest
	WeighPrimary = find.WeighPrimary
)

// A Counter takes the locations of reads.
type Counter interface {
	// Count takes the reported locations of a read, the primary one first and the others in the order
	// of records, or in any order with mates and WeighEach. They are the caller's again when it
	// returns. Reads come in no order.
	// Reads without a reported location do not come.
	Count(locations []Reported)
}

// Reported is a location that is reported of a read, as its record says it: positions of the
// contig, 0-based, the last one excluded.
type Reported struct {
	Contig     int // its number in the reference
	Start, End int
	Distance   int // edits
	Reverse    bool
	// Counted tells that a GPU has counted it (CellCounting). Other locations of the read may not
	// come then, which it has counted too; the primary one comes.
	Counted bool
	// Deleted are the positions inside that no base of the read is aligned to, in ascending order;
	// nil for none.
	Deleted []Deleted
}

// Deleted are positions [Start, End) of a contig.
type Deleted struct{ Start, End int }

// A reporter hands the locations of reads to a counter. It is the scratch memory of one goroutine.
type reporter struct {
	counter   Counter // nil for none
	locations []Reported
	deleted   []Deleted
}

// group hands over what the choices report.
func (r *reporter) group(g *group, choices []choice) {
	if r.counter == nil {
		return
	}
	for i := range choices {
		if c := &choices[i]; c.from < c.to {
			r.read(g, g.locations[c.from:c.to])
		}
	}
	if len(r.locations) > keptItems {
		r.locations, r.deleted = nil, nil
	}
}

// read hands over the locations of a read.
func (r *reporter) read(g *group, locations []locate.Location) {
	r.locations, r.deleted = r.locations[:0], r.deleted[:0]
	for i := range locations {
		l := &locations[i]
		if l.Covered && i > 0 {
			continue
		}
		r.locations = append(r.locations, Reported{
			Contig: l.Place.Contig(), Start: int(l.Start), End: int(l.End), Distance: int(l.Distance),
			Reverse: l.Place.Strand() == locate.Reverse, Counted: l.Covered, Deleted: r.deletions(g, l),
		})
	}
	r.counter.Count(r.locations)
}

// deletions returns the deletions of an aligned location.
func (r *reporter) deletions(g *group, l *locate.Location) []Deleted {
	if l.Gaps == 0 || l.Covered {
		return nil
	}
	before, at := len(r.deleted), int(l.Start)
	for _, op := range g.reader.Aligner.Operations(l) {
		switch n := int(op.Length); op.Kind {
		case locate.Deletion:
			r.deleted = append(r.deleted, Deleted{at, at + n})
			at += n
		case locate.Diagonal:
			at += n
		case locate.Insertion, locate.Clip:
		}
	}
	return r.deleted[before:len(r.deleted):len(r.deleted)]
}
