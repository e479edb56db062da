package mapper

// The cost model by which auto chooses an engine for the reads of one length and k
// of a batch. All costs are in nanoseconds on one core; only their ratios matter.
// n is the length of the reference, R the number of such reads, q the
// length of their pieces.
//
//	skim:  n * skimBase / R + (k+1) * (2n / 4^q) * candidateCost      a read
//	scan:  2n * scanCost(m, k)                                        a read
//
// (k+1) 2n/4^q is the number of candidates of a read in a random text, both strands
// counted. The constants are what BenchmarkSkim and BenchmarkScan gave on 20 November 2026
// on a processor with AVX2 (docs/benchmarks/engines.md).
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
// with k edits, or 0 when they are to be scanned for. With the engine skim only
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
