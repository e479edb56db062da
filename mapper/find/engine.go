package find

import (
	"math"
	"math/bits"

	"scanmap/locate"
)

// Engine names a way of finding.
type Engine string

// The engines. Auto chooses for each class of reads by the cost model of this file.
const (
	EngineAuto Engine = "auto"
	EngineSkim Engine = "skim"
	EngineScan Engine = "scan"
)

// classes are the mappable reads of a part by how they are found. It is memory that one part after
// the other uses.
type classes struct {
	// skimmed[q] are the reads to skim for with pieces of q bases, and scanned those to scan for.
	skimmed [maxPiece + 1][]uint32
	scanned []uint32
}

// sort fills c with the reads of a part.
func (c *classes) sort(b *Batch, s *shared) {
	type kind struct{ length, seeds, sought int32 }
	var pieces memo[kind, int]
	piece := func(i int) int {
		of := kind{b.length[i], b.seeds[i], b.sought[i]}
		q, known := pieces.get(of)
		if !known {
			switch {
			case b.local == nil:
				q = skimPiece(s.options.Engine, s.options.Metric, int(of.length), int(of.seeds))
			case b.local.Parts:
				q = pieceLength(int(of.length), int(of.seeds))
			default:
				q = locate.CutLocal(int(of.length), int(of.length-b.loss(i)), b.local.Cap).Bases
			}
			pieces.set(of, q)
		}
		return q
	}
	var total [maxPiece + 1]int // pieces of each length
	for i := range b.Reads {
		if b.mappable(i) {
			total[piece(i)] += int(b.seeds[i]) + 1
		}
	}
	total[0] = 0 // those to scan for
	into := mergeClasses(total)
	if b.local != nil { // the bases that pieces leave out depend on their length
		for q := range into {
			into[q] = q
		}
	}
	for q := range c.skimmed {
		c.skimmed[q] = c.skimmed[q][:0]
	}
	c.scanned = c.scanned[:0]
	for i := range b.Reads {
		if !b.mappable(i) {
			continue
		}
		if q := into[piece(i)]; q > 0 {
			c.skimmed[q] = append(c.skimmed[q], uint32(i))
		} else {
			c.scanned = append(c.scanned, uint32(i))
		}
	}
}

// The cost model by which auto chooses an engine and the length of pieces. All costs are in
// nanoseconds on one core; only their ratios matter here. n is the length of the reference, q the
// length of the pieces.
//
//	skim:  n * skimBase                                   a class of reads
//	       (k+1) * (2n / 4^q) * (hitCost + p * checkCost) a read
//	scan:  2n * scanCost                                  a read
//
// (k+1) 2n/4^q is the number of hits of a read in a random text, both strands counted, and p the
// share whose flank fits: with f bases and one edit, (1 + 8f) / 4^f. The constants were measured on
// 22 November 2026 on a processor with AVX2 (docs/benchmarks/engines.md). CPUTime (worth.go) says
// how long real reads take. A GPU takes the same classes, although a pass costs more there beside
// hits.
const (
	skimBase  = 0.65
	hitCost   = 8.0
	checkCost = 60.0
)

// mergeClasses returns, for each length of pieces, the length that its reads take: the same or a
// shorter one. A class joins the next shorter one if the additional hits of shorter pieces cost
// less than a pass. total has the number of pieces of each length.
func mergeClasses(total [maxPiece + 1]int) (into [maxPiece + 1]int) {
	for q := range into {
		into[q] = q
	}
	for q := maxPiece; q > minPiece; q-- {
		if total[q] == 0 {
			continue
		}
		to := q - 1
		for to > minPiece && total[to] == 0 {
			to--
		}
		if total[to] == 0 {
			return into
		}
		more := 2 * (math.Pow(4, -float64(to)) - math.Pow(4, -float64(q)))
		if float64(total[q])*more*hitCost < skimBase {
			total[to] += total[q]
			for i := range into {
				if into[i] == q {
					into[i] = to
				}
			}
		}
	}
	return into
}

// scanCost is the cost of one base of text for one strand. With substitutions alone the cost is in
// comparisons of a base with 64 places: as many as random text takes until none of the places has k
// differences or less. The constants were measured beside the constants of edits, on a busy
// machine, and scaled to them.
func scanCost(metric locate.Metric, m, k int) float64 {
	switch {
	case metric == locate.Substitutions:
		return math.Min(float64(m), 4.0/3*float64(k+1)+6) * (2.3 + 0.6*float64(bits.Len(uint(k)))) / 64
	case m <= 64 && k <= wuManberEdits:
		return 0.93 + 0.65*float64(k)
	case m <= 64:
		return 2.7
	}
	return 2.7 * float64((m+63)/64)
}

// skimPiece returns the length of the pieces with which to skim for reads of m bases
// with k edits, or 0 when they are scanned for. With the engine skim only
// reads without pieces of minPiece bases are scanned for.
func skimPiece(engine Engine, metric locate.Metric, m, k int) int {
	q := pieceLength(m, k)
	if engine == EngineSkim || q == 0 {
		return q
	}
	if engine == EngineScan {
		return 0
	}
	flank := float64(min(max(2*(m/(k+1))-q, 0), flankBases))
	fits := min(1, (1+8*flank)*math.Pow(4, -flank))
	hits := 2 * float64(k+1) * math.Pow(4, -float64(q)) // for each base
	if hits*(hitCost+fits*checkCost) > 2*scanCost(metric, m, k) {
		return 0
	}
	return q
}
