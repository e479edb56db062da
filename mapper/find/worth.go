package find

import (
	"time"

	"scanmap/locate"
)

// The model by which auto chooses between the CPU and a GPU for reads against n bases with some
// threads:
//
//	skim on the CPU:  (reads * readCost + passes * n * base) / threads
//	scan on the CPU:  reads * 2n * scanCost(50, 2) / threads
//	GPU:              the time to start
//
// passes is the number of batches. base is what a pass costs for each base: skimBase, and busyCost
// more once a batch has busyReads reads, whose table and filter are no longer in a cache. Costs are
// in nanoseconds, as in engine.go. What the GPU takes beyond starting is less than a tenth of the
// CPU's time and is left out.
const (
	readCost  = 2000.0
	busyCost  = 6.0
	busyReads = 200_000
)

// WorthGPU tells whether so many reads against n bases are worth starting a GPU, which takes start:
// a context, the kernels, and the upload of the reference.
func WorthGPU(engine Engine, reads int, n int64, threads int, start time.Duration) bool {
	batch := min(reads, BatchReads(n))
	if batch == 0 {
		return false
	}
	passes := float64((reads + batch - 1) / batch)
	base := skimBase + busyCost*min(1, float64(batch)/busyReads)
	work := float64(reads)*readCost + passes*float64(n)*base
	if engine == EngineScan {
		work = float64(reads) * 2 * float64(n) * scanCost(locate.Edits, 50, 2)
	}
	return work/float64(threads) > float64(start.Nanoseconds())
}
