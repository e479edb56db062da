package mapper

import (
	"math"
	"slices"

	"scanmap/device"
	"scanmap/dna"
	"scanmap/kernels"
)

// A gpuVerify is what a worker needs from candidates to locations (kernels/verify.cu, kernels/align.cu).
type gpuVerify struct {
	places, parts, grouped, marks, contig device.Buffer
	locations, windows, left, operations  device.Buffer
	counters, moves, many                 device.Buffer
	hostCounters                          device.Pinned[uint32]
	hostLocations                         device.Pinned[gpuLocation]
	hostOperations                        device.Pinned[uint32]
	hostLeft                              device.Pinned[gpuCandidate]
}

// A gpuLocation is a location as kernels/shared.cuh describes it.
type gpuLocation struct{ read, end, word, operations uint32 }

// moveBytes bounds the scratch memory of align, which has a column for each thread.
func (d *gpuDevice) moveBytes() int { return min(256<<20, d.share()/8) }

// windowsPerMultiprocessor is the number of blocks of align for each multiprocessor: enough to hide latency.
const windowsPerMultiprocessor = 8

// sortBlocks is the number of blocks of sort_many for each multiprocessor.
const sortBlocks = 4

// verify turns the first n candidates of a queue into locations, which it leaves in host memory that is valid until
// the next call, with the operations of their alignments and the candidates that are left to the host. longest is the length of the
// longest read.
func (v *gpuVerify) verify(q *device.Queue, d *gpuDevice, c *gpuChunk, t *gpuText, reads kernels.Reads, count, longest int, candidates *device.Buffer, n int) (locations []gpuLocation, operations []uint32, left []gpuCandidate) {
	if n == 0 {
		return nil, nil, nil
	}
	q.Reserve(&v.places, 4*count)
	q.Reserve(&v.grouped, 8*n)
	q.Reserve(&v.marks, 4*n)
	q.Reserve(&v.contig, 4*n)
	// A group of candidates has at most three locations for each (kernels/align.cu).
	q.Reserve(&v.locations, 16*3*n)
	q.Reserve(&v.windows, 16*3*n)
	q.Reserve(&v.left, 8*n)
	q.Reserve(&v.many, 4*count)
	q.Reserve(&v.operations, 4*(4*n+1024))
	q.Reserve(&v.counters, 4*kernels.EmitCounters)
	q.Clear(&v.places, 4*count)
	q.Clear(&v.counters, 4*kernels.EmitCounters)
	group := &kernels.GroupParams{Candidates: candidates.At(0), Places: v.places.At(0), Grouped: v.grouped.At(0), Count: uint32(n)}
	device.Launch(q, "group_count", n, group)
	runningSums(q, &v.places, &v.parts, count)
	device.Launch(q, "group_place", n, group)
	windows := &kernels.WindowsParams{
		Text: c.params(t), Reads: reads, Contigs: c.contigParams(t), Places: v.places.At(0), Grouped: v.grouped.At(0),
		Marks: v.marks.At(0), Contig: v.contig.At(0), Many: v.many.At(0), Counters: v.counters.At(0),
		Count: uint32(count), LowCut: c.lowCut, HighCut: c.highCut,
	}
	device.Launch(q, "windows", count, windows)
	if n > kernels.MostSorted {
		device.LaunchBlocks(q, "sort_many", min(n/kernels.MostSorted, sortBlocks*q.GPU.Info().Multiprocessors), &kernels.SortParams{
			Grouped: v.grouped.At(0), Scratch: v.left.At(0), Places: v.places.At(0), Many: v.many.At(0), Counters: v.counters.At(0),
		})
		many := *windows
		many.Count = uint32(n)
		device.Launch(q, "windows_many", n, &many)
	}
	device.Launch(q, "emit", n, &kernels.EmitParams{
		Reads: reads, Grouped: v.grouped.At(0), Marks: v.marks.At(0), Contig: v.contig.At(0), Locations: v.locations.At(0),
		Windows: v.windows.At(0), Left: v.left.At(0), Counters: v.counters.At(0),
		Count: uint32(n), Middle: uint32(n), Wide: uint32(2 * n),
	})
	rows := max(min(longest, kernels.MaxBoundLength), 1)
	for i, class := range []struct {
		name    string
		counter int
		words   int // of moves in a row
	}{
		{"align_narrow", kernels.EmitNarrow, 1},
		{"align_middle", kernels.EmitMiddle, 2},
		{"align_wide", kernels.EmitWide, 4},
	} {
		perBlock := kernels.AlignThreads * rows * class.words * 4
		blocks := min((n+kernels.AlignThreads-1)/kernels.AlignThreads,
			windowsPerMultiprocessor*q.GPU.Info().Multiprocessors, max(d.moveBytes()/perBlock, 1))
		q.Reserve(&v.moves, blocks*perBlock)
		device.LaunchBlocks(q, class.name, blocks, &kernels.AlignParams{
			Text: c.params(t), Reads: reads, Starts: t.starts.At(0), Ends: t.ends.At(0),
			Windows: v.windows.At(16 * n * i), Moves: v.moves.At(0), Locations: v.locations.At(0), Operations: v.operations.At(0),
			LocationCounter: v.counters.At(4 * kernels.EmitLocations), OperationCounter: v.counters.At(4 * kernels.EmitOperations),
			Count: v.counters.At(4 * class.counter), Rows: uint32(rows),
			LocationCapacity: uint32(3 * n), OperationCapacity: uint32(4*n + 1024),
		})
	}
	counters := v.hostCounters.Resize(q, kernels.EmitCounters)
	device.Download(q, counters, &v.counters, 0)
	if q.Wait() != nil {
		return nil, nil, nil
	}
	locations = v.hostLocations.Resize(q, min(int(counters[kernels.EmitLocations]), 3*n))
	operations = v.hostOperations.Resize(q, min(int(counters[kernels.EmitOperations]), 4*n+1024))
	left = v.hostLeft.Resize(q, int(counters[kernels.EmitLeft]))
	device.Download(q, locations, &v.locations, 0)
	device.Download(q, operations, &v.operations, 0)
	device.Download(q, left, &v.left, 0)
	if q.Wait() != nil {
		return nil, nil, nil
	}
	return locations, operations, left
}

// decode turns locations of a chunk into those of the reference and appends them to f, with their operations.
func (f *found) decode(c *gpuChunk, b *batch, m *mapper, locations []gpuLocation, operations []uint32) {
	from := len(f.ungrouped)
	first := int32(len(f.operations))
	f.ungrouped = extend(f.ungrouped, len(locations))
	f.operations = extend(f.operations, len(operations))
	parallelRanges(m.options.Threads, len(operations), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			o := operations[i]
			f.operations[int(first)+i] = operation{operationKind(o >> kernels.OperationShift), int32(o & (1<<kernels.OperationShift - 1))}
		}
	})
	parallelRanges(m.options.Threads, len(locations), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := locations[i]
			read, strand := l.read&^kernels.Strand, forward
			if l.read&kernels.Strand != 0 {
				strand = reverse
			}
			distance, gaps, count := int32(l.word&0xff), int32(l.word>>8&0xff), int32(l.word>>24)
			longer := int32(l.word>>16&0xff) - 128
			// An end is behind a base of its contig.
			contig, last := c.place(m.ref, int64(l.end)-1)
			out := located{read: read, location: location{
				place: placeOf(uint32(contig), strand), end: int32(last + 1), distance: distance, gaps: gaps,
			}}
			switch count {
			case kernels.AlignLater:
			default:
				out.aligned = true
				out.start = out.end - b.length[read] - longer
				out.opsFrom = first + int32(l.operations)
				out.opsTo = out.opsFrom + count
			}
			f.ungrouped[from+i] = out
		}
	})
}

// extend makes a slice longer by n elements, whose contents are arbitrary.
func extend[T any](s []T, n int) []T {
	return slices.Grow(s, n)[:len(s)+n]
}

// convertGrain is the number of items converted by one unit of parallel work.
const convertGrain = 4096

// take appends candidates that a GPU left to the host.
func (f *found) take(c *gpuChunk, b *batch, m *mapper, left []gpuCandidate) {
	from := len(f.taken)
	f.taken = extend(f.taken, len(left))
	taken := f.taken[from:]
	parallelRanges(m.options.Threads, len(left), convertGrain, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			taken[i] = c.take(b, m.ref, left[i])
		}
	})
	f.taken = f.taken[:from+len(slices.DeleteFunc(taken, func(c candidate) bool { return c.read == noRead }))]
}

// noRead marks a candidate that leads nowhere.
const noRead = math.MaxUint32

// take turns a candidate of a chunk into one of the reference.
func (c *gpuChunk) take(b *batch, ref *dna.Reference, l gpuCandidate) candidate {
	read, strand := l.read&^kernels.Strand, forward
	if l.read&kernels.Strand != 0 {
		strand = reverse
	}
	diagonal := int64(l.diagonal)
	if diagonal > maxChunk {
		diagonal -= 1 << 32 // it hangs over the chunk's start
	}
	// The middle of a strand that hangs over by k bases at most lies in its contig, because
	// the pieces make it longer than 2k. Others lead nowhere.
	length := int(b.length[read])
	contig, middle := c.place(ref, diagonal+int64(length/2))
	if contig < 0 {
		return candidate{read: noRead}
	}
	errors, at := int32(offContig), middle-length/2
	if at >= 0 && at+length <= ref.Contigs[contig].Length {
		errors = int32(hamming(&ref.Bases, b.strand(int(read), strand), length, ref.Contigs[contig].Start+at))
	}
	return candidate{read, placeOf(uint32(contig), strand), int32(at), errors}
}
