package mapper

import (
	"math"
	"slices"

	"scanmap/dna"
	"scanmap/kernels"
)

// A gpuVerify is what a worker needs from candidates to locations (kernels/verify.cu, kernels/align.cu).
type gpuVerify struct {
	places, parts, grouped, marks, contig gpuBuffer
	locations, windows, left, operations  gpuBuffer
	counters, moves, many                 gpuBuffer
	hostCounters                          pinned[uint32]
	hostLocations                         pinned[gpuLocation]
	hostOperations                        pinned[uint32]
	hostLeft                              pinned[gpuCandidate]
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
func (v *gpuVerify) verify(q *gpuQueue, c *gpuChunk, t *gpuText, reads kernels.Reads, count, longest int, candidates *gpuBuffer, n int) (locations []gpuLocation, operations []uint32, left []gpuCandidate) {
	if n == 0 {
		return nil, nil, nil
	}
	q.reserve(&v.places, 4*count)
	q.reserve(&v.grouped, 8*n)
	q.reserve(&v.marks, 4*n)
	q.reserve(&v.contig, 4*n)
	// A group of candidates has at most three locations for each (kernels/align.cu).
	q.reserve(&v.locations, 16*3*n)
	q.reserve(&v.windows, 16*3*n)
	q.reserve(&v.left, 8*n)
	q.reserve(&v.many, 4*count)
	q.reserve(&v.operations, 4*(4*n+1024))
	q.reserve(&v.counters, 4*kernels.EmitCounters)
	q.clear(&v.places, 4*count)
	q.clear(&v.counters, 4*kernels.EmitCounters)
	group := &kernels.GroupParams{Candidates: candidates.at(0), Places: v.places.at(0), Grouped: v.grouped.at(0), Count: uint32(n)}
	launch(q, "group_count", n, group)
	q.sum(&v.places, &v.parts, count)
	launch(q, "group_place", n, group)
	windows := &kernels.WindowsParams{
		Text: c.params(t), Reads: reads, Contigs: c.contigParams(t), Places: v.places.at(0), Grouped: v.grouped.at(0),
		Marks: v.marks.at(0), Contig: v.contig.at(0), Many: v.many.at(0), Counters: v.counters.at(0),
		Count: uint32(count), LowCut: c.lowCut, HighCut: c.highCut,
	}
	launch(q, "windows", count, windows)
	if n > kernels.MostSorted {
		launchBlocks(q, "sort_many", min(n/kernels.MostSorted, sortBlocks*q.device.device.Info().Multiprocessors), &kernels.SortParams{
			Grouped: v.grouped.at(0), Scratch: v.left.at(0), Places: v.places.at(0), Many: v.many.at(0), Counters: v.counters.at(0),
		})
		many := *windows
		many.Count = uint32(n)
		launch(q, "windows_many", n, &many)
	}
	launch(q, "emit", n, &kernels.EmitParams{
		Reads: reads, Grouped: v.grouped.at(0), Marks: v.marks.at(0), Contig: v.contig.at(0), Locations: v.locations.at(0),
		Windows: v.windows.at(0), Left: v.left.at(0), Counters: v.counters.at(0),
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
			windowsPerMultiprocessor*q.device.device.Info().Multiprocessors, max(q.device.moveBytes()/perBlock, 1))
		q.reserve(&v.moves, blocks*perBlock)
		launchBlocks(q, class.name, blocks, &kernels.AlignParams{
			Text: c.params(t), Reads: reads, Starts: t.starts.at(0), Ends: t.ends.at(0),
			Windows: v.windows.at(16 * n * i), Moves: v.moves.at(0), Locations: v.locations.at(0), Operations: v.operations.at(0),
			LocationCounter: v.counters.at(4 * kernels.EmitLocations), OperationCounter: v.counters.at(4 * kernels.EmitOperations),
			Count: v.counters.at(4 * class.counter), Rows: uint32(rows),
			LocationCapacity: uint32(3 * n), OperationCapacity: uint32(4*n + 1024),
		})
	}
	counters := v.hostCounters.resize(q, kernels.EmitCounters)
	download(q, counters, &v.counters, 0)
	if q.wait() != nil {
		return nil, nil, nil
	}
	locations = v.hostLocations.resize(q, min(int(counters[kernels.EmitLocations]), 3*n))
	operations = v.hostOperations.resize(q, min(int(counters[kernels.EmitOperations]), 4*n+1024))
	left = v.hostLeft.resize(q, int(counters[kernels.EmitLeft]))
	download(q, locations, &v.locations, 0)
	download(q, operations, &v.operations, 0)
	download(q, left, &v.left, 0)
	if q.wait() != nil {
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
