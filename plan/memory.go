package plan

import (
	"math"

	"scanmap/mapper"
)

// shape is what memory depends on where reads have few locations.
type shape struct {
	referenceBases, reads, bases, batch, threads, sorting int64
	pieces                                                float64 // of a read, on average
}

// What a run takes, in bytes, fitted to 28 runs of 20,000 to a million reads of 36 to 1000 bases
// against 0.4 to 100 Mb, with 1 to 8 threads, single and paired, sorted and not (22 November 2026,
// linux/amd64; 25 of them within 12 % of the fit, and one 23 % below: docs/limits.md).
const (
	ofProgram      = 9.6e6 // and of the runtime
	ofThread       = 4.15e6
	ofThreadStack  = 1.2e6
	ofReadText     = 337 // strings, and what comes with the text of a read
	ofReadLetter   = 3.03
	ofRecordLetter = 0.26
	ofReadPacked   = 197
	ofPackedLetter = 0.73
	ofPiece        = 165
	ofSortedLetter = 4.65 // of records that wait to be sorted
)

// memory is the resident memory of a run on the CPU, by playing its batches and the garbage
// collector through: text is read and thrown away with its batch, packed reads and pieces stay and
// are used again, and what is in use is collected when it has grown by mapper.HeapGrowth since the
// last time.
func (s *shape) memory() int64 {
	if s.reads == 0 {
		return int64(ofProgram + ofThread*float64(s.threads))
	}
	reference := float64(s.referenceBases) * 3 / 8
	growth := 1 + float64(mapper.HeapGrowth(int64(reference)+s.sorting))/100
	length := float64(s.bases) / float64(s.reads)
	text := ofReadText + ofReadLetter*length
	packed := ofReadPacked + ofPackedLetter*length + ofPiece*s.pieces
	sorted, most := ofSortedLetter*length, float64(s.sorting)
	if s.sorting == 0 {
		sorted = 0
	}
	reads, batch := float64(s.reads), float64(min(s.batch, s.reads))

	staying := reference + ofThread*float64(s.threads)
	heap, next := staying, 4e6*growth
	peak := heap
	const stepsOfBatch = 8
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
	return int64(ofProgram + peak + ofThreadStack*float64(s.threads))
}
