package mapper

import "time"

// The model by which auto chooses between the CPU and a GPU for reads against n bases with
// some threads, in seconds:
//
//	skim on the CPU:  (reads * cpuRead + passes * n * base) / threads
//	scan on the CPU:  reads * n * cpuScan / threads
//	GPU:              gpuStart
//
// where passes is the number of batches, and base what a pass costs for each base: cpuBase, and cpuBusy more once a batch has
// cpuMany reads, whose table and filter are no longer in a cache. What the GPU takes beyond starting is less than a
// tenth of the CPU's time and is left out. gpuStart covers making a context, loading the kernels and uploading
// the reference (docs/benchmarks/gpu.md).
//
// If the first batch is worth a GPU by itself, all go there. Otherwise mapping starts on the CPU, and once it has
// worked for gpuStart, a GPU is opened beside it for the rest: so small inputs never wait for one.
const (
	cpuRead = 2e-6
	cpuBase = 0.7e-9
	cpuBusy = 6e-9
	cpuMany = 200_000
	cpuScan = 5e-9 // for 50 bases and 2 edits, the least
)

// gpuStart is a variable for tests alone.
var gpuStart = time.Second

// worthGPU tells whether so many reads are worth starting a GPU.
func worthGPU(engine Engine, reads int, n int64, threads int) bool {
	batch := min(reads, batchReads(n))
	if batch == 0 {
		return false
	}
	passes := float64((reads + batch - 1) / batch)
	base := cpuBase + cpuBusy*min(1, float64(batch)/cpuMany)
	work := float64(reads)*cpuRead + passes*float64(n)*base
	if engine == EngineScan {
		work = float64(reads) * float64(n) * cpuScan
	}
	return work/float64(threads) > gpuStart.Seconds()
}
