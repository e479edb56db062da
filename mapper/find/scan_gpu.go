package find

import (
	"math"

	"scanmap/gpu/device"
	"scanmap/kernels"
	"scanmap/locate"
)

// A gpuScan is the exhaustive pass of one finder (kernels/scan.cu).
type gpuScan struct {
	counters, members, items, unfinished device.Buffer
	occurrences                          device.Buffer
	hostCounters, hostItems              device.Pinned[uint32]
	hostOccurrences                      device.Pinned[gpuOccurrence]
}

type gpuOccurrence struct{ read, end, distance, _ uint32 }

// scannable tells whether a GPU can scan for a read of m bases with k edits.
func scannable(m, k int) bool { return m <= kernels.MostScanLength && k <= kernels.MaxBoundEdits }

// A scanKernel is a kernel with the words of 32 bases and the edits that it allows.
type scanKernel struct {
	name         string
	words, edits int
}

// scanKernels are the kernels by metric, fastest first.
var scanKernels = [][]scanKernel{locate.Edits: {
	{"scan_1_2", 1, 1},
	{"myers_1", 1, math.MaxInt},
	{"scan_2_3", 2, 2},
	{"scan_4_1", 4, 0},
	{"scan_4_3", 4, 2},
	{"scan_4_6", 4, 5},
	{"myers_4", 4, math.MaxInt},
	{"myers_10", 10, math.MaxInt},
	{"myers_32", 32, math.MaxInt},
}, locate.Substitutions: {
	{"places_1", 1, math.MaxInt},
	{"places_32", 32, math.MaxInt},
}}

// chooseScan returns the first of some kernels for a read of m bases with k edits.
func chooseScan(from []scanKernel, m, k int) int {
	for i, s := range from {
		if m <= 32*s.words && k <= s.edits {
			return i
		}
	}
	return len(from) - 1
}

// maxItems bounds the items of a launch, so that those left unfinished have room.
const maxItems = 1 << 24

// scan adds the ends of reads in a chunk. It returns false when there are more than are wanted.
func (s *gpuScan) scan(of *gpuPass, reads []uint32, capacity int) bool {
	b, c := of.batch, of.chunk
	choice := scanKernels[of.options.Metric]
	classes := make([][]uint32, len(choice))
	for _, read := range reads {
		class := chooseScan(choice, int(b.length[read]), int(b.sought[read]))
		classes[class] = append(classes[class], read)
	}
	stretches := (int(c.to-c.from) + kernels.ScanStretch - 1) / kernels.ScanStretch
	few := func() bool { return of.found.count() <= of.limit }
	for class, members := range classes {
		most := max(maxItems/stretches, 1) * kernels.ScanStrands / 2
		for len(members) > 0 && of.queue.Err == nil {
			part := members[:min(len(members), most)]
			members = members[len(part):]
			pass := gpuScanPass{gpuScan: s, of: of, name: choice[class].name, capacity: capacity}
			device.Upload(of.queue, &s.members, part)
			groups := (2*len(part) + kernels.ScanStrands - 1) / kernels.ScanStrands
			pass.p = kernels.ScanParams{
				Text: c.params(of.text), Reads: of.reads, Members: s.members.At(0), Count: uint32(len(part)),
				Groups: uint32(groups), First: c.from, End: c.to,
			}
			if !untilFinished(stretches*groups, pass.run, pass.grow, few) {
				return false
			}
		}
	}
	return true
}

// A gpuScanPass scans for reads that one kernel can take.
type gpuScanPass struct {
	*gpuScan
	of       *gpuPass
	name     string
	capacity int // of occurrences
	p        kernels.ScanParams
}

func (s *gpuScanPass) grow() { s.capacity *= 2 }

// run does items, all of count when there is no list, and returns the unfinished ones.
func (s *gpuScanPass) run(items []uint32, count int) (unfinished []uint32) {
	q, p := s.of.queue, &s.p
	q.Reserve(&s.counters, 4*kernels.ScanCounters)
	q.Reserve(&s.occurrences, endBytes*s.capacity)
	q.Reserve(&s.unfinished, 4*count)
	p.Items = 0
	if items != nil {
		device.Upload(q, &s.items, items)
		p.Items = s.items.At(0)
	}
	p.Unfinished, p.Counters, p.Occurrences = s.unfinished.At(0), s.counters.At(0), s.occurrences.At(0)
	p.Capacity, p.ItemCount = uint32(s.capacity), uint32(count)
	q.Clear(&s.counters, 4*kernels.ScanCounters)
	warps := kernels.ScanThreads / 32
	device.LaunchBlocks(q, s.name, min((count+warps-1)/warps, scanBlocks*q.GPU.Info().Multiprocessors), p)
	counters := s.hostCounters.Resize(q, kernels.ScanCounters)
	device.Download(q, counters, &s.counters, 0)
	if q.Wait() != nil {
		return nil
	}
	list := s.hostOccurrences.Resize(q, min(int(counters[kernels.ScanOccurrences]), s.capacity))
	device.Download(q, list, &s.occurrences, 0)
	unfinished = s.hostItems.Resize(q, int(counters[kernels.ScanUnfinished]))
	device.Download(q, unfinished, &s.unfinished, 0)
	if q.Wait() != nil {
		return nil
	}
	found := &s.of.found
	for _, o := range list {
		read, strand := o.read&^kernels.Strand, strandOf(o.read)
		contig, last := s.of.chunk.place(s.of.ref, int64(o.end)-1)
		if contig < 0 || s.of.options.Metric == locate.Substitutions && last+1 < int(s.of.batch.length[read]) {
			continue // in the padding, or over the start of the contig
		}
		found.ends = append(found.ends, locate.End{
			Read: read, Place: locate.At(contig, strand), End: int32(last + 1), Distance: int32(o.distance),
		})
	}
	return unfinished
}

// scanBlocks is the number of blocks for each multiprocessor, 48 warps where registers allow. Other
// numbers were not measured.
const scanBlocks = 12
