package mapper

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Device says where reads are mapped. Output does not depend on it.
type Device struct {
	// Kind is where; the zero value is DeviceCPU.
	Kind DeviceKind
	// Indices are the GPUs of DeviceCUDA, as the driver numbers them; none means all.
	Indices []int
	// Sync makes every launch of a kernel wait for its end and times it.
	Sync bool
	// Driver is the CUDA driver; where it is nil, the machine's own is loaded. Tests set it.
	Driver *Driver
	// Memory is the most memory to use on each GPU, in bytes; 0 is what is free.
	Memory int64
}

// DeviceKind is the kind of a Device.
type DeviceKind string

// The kinds of devices. Auto takes all GPUs if there are any and the work is enough to make up for
// starting on them (worthGPU), and the CPU otherwise; it decides once a run.
const (
	DeviceAuto DeviceKind = "auto"
	DeviceCPU  DeviceKind = "cpu"
	DeviceCUDA DeviceKind = "cuda"
)

// ParseDevice reads auto, cpu, cuda or, as in cuda:0,2, the numbers of some GPUs.
func ParseDevice(s string) (Device, error) {
	switch DeviceKind(s) {
	case DeviceAuto, DeviceCPU, DeviceCUDA:
		return Device{Kind: DeviceKind(s)}, nil
	}
	d := Device{Kind: DeviceCUDA}
	numbers, ok := strings.CutPrefix(s, string(DeviceCUDA)+":")
	if !ok {
		return Device{}, fmt.Errorf("device %q is not one of auto, cpu, cuda, cuda:N, cuda:N,M", s)
	}
	seen := map[int]bool{}
	for number := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return Device{}, fmt.Errorf("device %q: %q is not the number of a GPU", s, number)
		}
		if seen[int(n)] {
			return Device{}, fmt.Errorf("device %q names GPU %d twice", s, n)
		}
		seen[int(n)] = true
		d.Indices = append(d.Indices, int(n))
	}
	return d, nil
}

// A DeviceError is a device that is not there or that failed; another try may succeed.
type DeviceError struct{ Err error }

func (e *DeviceError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *DeviceError) Unwrap() error { return e.Err }

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
