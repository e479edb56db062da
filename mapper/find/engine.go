package find

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
	type kind struct{ length, k int32 }
	counts := map[kind]int{}
	pieces := map[kind]int{}
	for i := range b.Reads {
		counts[kind{b.length[i], b.k[i]}]++
	}
	for of, n := range counts {
		pieces[of] = skimPiece(s.options.Engine, int(of.length), int(of.k), s.bases, n)
	}
	for q := range c.skimmed {
		c.skimmed[q] = c.skimmed[q][:0]
	}
	c.scanned = c.scanned[:0]
	for i := range b.Reads {
		if !b.mappable(i) {
			continue
		}
		if q := pieces[kind{b.length[i], b.k[i]}]; q > 0 {
			c.skimmed[q] = append(c.skimmed[q], uint32(i))
		} else {
			c.scanned = append(c.scanned, uint32(i))
		}
	}
}

// The cost model by which auto chooses an engine for the reads of one length and k of a part. All
// costs are in nanoseconds on one core; only their ratios matter here. n is the length of the
// reference, R the number of such reads, q the length of their pieces.
//
//	skim:  n * skimBase / R + (k+1) * (2n / 4^q) * candidateCost      a read
//	scan:  2n * scanCost(m, k)                                        a read
//
// (k+1) 2n/4^q is the number of candidates of a read in a random text, both strands counted. The
// constants were measured on 20 November 2026 on a processor with AVX2
// (docs/benchmarks/engines.md). WorthGPU takes the cost of a pass from here, too.
const (
	skimBase      = 0.65
	candidateCost = 90.0
)

// scanCost is the cost of one base of text for one strand.
func scanCost(m, k int) float64 {
	switch {
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
func skimPiece(engine Engine, m, k, n, reads int) int {
	q := pieceLength(m, k)
	switch engine {
	case EngineSkim:
		return q
	case EngineScan:
		return 0
	}
	if q == 0 {
		return 0
	}
	candidates := float64(k+1) * 2 * float64(n) / float64(uint64(1)<<(2*q))
	skim := float64(n)*skimBase/float64(reads) + candidates*candidateCost
	if skim > 2*float64(n)*scanCost(m, k) {
		return 0
	}
	return q
}
