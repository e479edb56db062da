package find

import (
	"math"
	"time"

	"scanmap/locate"
)

// The model of how long the CPU takes to map reads to n bases with some threads:
//
//	skim:  (reads * (readCost + n * repeatCost * shortCost^(16-q)) + passes * n * pass) / speedUp
//	scan:  reads * 2n * scanCost(50, 2) / speedUp
//
// passes is the number of batches, q the length of pieces, and speedUp threads^0.8. A pass costs
// onePass for each base, and busyCost more once a batch has busyReads reads. Costs are in
// nanoseconds. They were fitted to what hosts of H100s took on 25 November 2026 for 1,000 to a
// million reads of 150 bases and 4 % of edits on 1 Mb to 1 Gb, within a factor of two
// (docs/benchmarks/auto-2026-11-25.md). With all locations up to 8 % of edits, pieces of 11 bases,
// a read takes 14 times as long.
const (
	readCost   = 8000.0
	repeatCost = 2e-4
	shortCost  = 1.7
	onePass    = 4.0
	busyCost   = 10.0
	busyReads  = 50_000
)

// CPUTime returns about how long the CPU takes for some reads against n bases by pieces of q bases
// (PieceLength). In many repeats it takes several times as long.
func CPUTime(engine Engine, q, reads int, n int64, threads int) time.Duration {
	batch := min(reads, BatchReads(n))
	if batch == 0 {
		return 0
	}
	bases := float64(n)
	passes := float64((reads + batch - 1) / batch)
	pass := onePass + busyCost*min(1, float64(batch)/busyReads)
	work := float64(reads)*(readCost+bases*repeatCost*math.Pow(shortCost, float64(maxPiece-q))) + passes*bases*pass
	if engine == EngineScan || q == 0 {
		work = float64(reads) * 2 * bases * scanCost(locate.Edits, 50, 2)
	}
	return time.Duration(work / math.Pow(float64(threads), 0.8))
}
