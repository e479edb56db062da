package plan

import (
	"math"

	"scanmap/mapper"
)

// shape is what memory depends on where reads have few locations.
type shape struct {
	referenceBases, reads, bases, batch, threads, sorting, counting int64
	pieces                                                          float64 // of a read, on average
	again                                                           float64 // share packed again
	compressed                                                      int64   // files of reads
	compressedReference, binary                                     bool
}

// The memory of a run, in bytes, fitted to 40 runs. They mapped 11,000 to a million reads of 36 to
// 1000 bases against 0.03 to 100 Mb, with 1 to 8 threads, single and paired, simulated and real,
// sorted and not (23 November 2026, linux/amd64). ofProgram, ofThread and garbageAtWork were fitted
// again to 14 smaller ones on two cores with other work (27 November 2026; TestMemoryOfRuns). Reads
// that are sought again (shape.again) were in seven runs with 200 Mb and 1 Gb (28 November 2026).
const (
	ofProgram       = 12.5e6 // and of the runtime
	ofThread        = 2.6e6
	ofThreadStack   = 64e3
	ofReadText      = 721 // strings, and what comes with the text of a read
	ofReadLetter    = 0.64
	ofRecordLetter  = 1.2
	ofReadPacked    = 18.3
	ofPackedLetter  = 4.02
	ofPiece         = 123
	ofSortedLetter  = 3.76   // of records that wait to be sorted
	ofCompressed    = 4.02e6 // bytes decompressed ahead of a file
	ofGrowing       = 3.61   // of a base of a reference of unknown length
	textBesideBAM   = 0.83   // share of the text of reads in memory, where writing takes longer
	stepsOfBatch    = 8
	firstCollection = 4e6 // the heap's size at the first one, without growth
	garbageAtWork   = 1.4 // of the memory allocated while a busy machine collects
)

// memory is the resident memory of a run on the CPU. It simulates batches and the garbage
// collector: text is read and thrown away with its batch, the memory of packed reads and pieces
// stays and is used again, and the heap is collected when it has grown by mapper.HeapGrowth since
// the last time.
func (s *shape) memory() int64 {
	if s.reads == 0 {
		return int64(ofProgram + ofThread*float64(s.threads))
	}
	reference := float64(s.referenceBases) * 3 / 8
	growth := 1 + float64(mapper.HeapGrowth(int64(reference)+s.sorting+s.counting))/100
	length := float64(s.bases) / float64(s.reads)
	text := ofReadText + ofReadLetter*length
	if s.binary {
		text *= textBesideBAM
	}
	packed := (ofReadPacked + ofPackedLetter*length + ofPiece*s.pieces) * (1 + s.again)
	sorted, most := ofSortedLetter*length, float64(s.sorting)
	if s.sorting == 0 {
		sorted = 0
	}
	reads, batch := float64(s.reads), float64(min(s.batch, s.reads))

	staying := reference + float64(s.counting) + ofThread*float64(s.threads) + ofCompressed*float64(s.compressed)
	heap, next := staying, firstCollection*growth
	if s.compressedReference {
		heap += ofGrowing * float64(s.referenceBases)
	}
	peak := heap
	steps := max(math.Ceil(reads/batch)*stepsOfBatch, stepsOfBatch)
	step := reads / steps
	packing := false
	for i := 1.0; i <= steps; i++ {
		read := i * step
		done := math.Floor((read-step/2)/batch) * batch // in batches that are full
		if heap += step * text; done > 0 {
			heap += step * ofRecordLetter * length
		}
		inUse := staying + text*min(read, read-done+batch)
		if read >= batch*0.999 && !packing {
			packing = true
			heap += packed * batch
		}
		if packing {
			inUse += packed * batch
		}
		heap += max(min(step*sorted, most-(read-step)*sorted), 0)
		inUse += min(most, read*sorted)
		if heap > next {
			peak = max(peak, min(heap, max(next, inUse)))
			heap, next = inUse, inUse*growth
		}
		peak = max(peak, heap)
	}
	peak = staying + (peak-staying)*garbageAtWork
	return int64(ofProgram + peak + ofThreadStack*float64(s.threads))
}
