package find

import "scanmap/locate"

// Memory bounds from above what the finders of one device hold, in bytes.
type Memory struct {
	// Batch is a batch as a finder has it, packed and with its pieces, without the text of its reads.
	Batch int64
	// Found is what a pass over the reference leaves, in all, until its records are made.
	Found int64
	// Items is how many candidates and ends of several reads are handed on at a time at most, and
	// Alone how many of one read, or one pair.
	Items, Alone int64
	// Device is what a GPU holds beside the driver's own; 0 for the CPU.
	Device int64
}

// spare is how many times as much as was asked for a slice may have that is used again and grows
// (parallel.Resize).
const spare = 2

// MemoryOnCPU bounds the memory of a finder on the CPU. A batch has at most `reads` reads, and a
// read at most `length` bases, k edits, and `each` candidates or ends.
func MemoryOnCPU(reads, length, k, each int64, o Options) Memory {
	l := o.Limits.withDefaults()
	m := Memory{Batch: reads * (ofRead(length) + ofPieces(length, k))}
	m.Items, m.Alone = min(int64(l.Handed), multiply(reads, each)), min(int64(l.Listed), each)
	// The store: pages in memory. Then a list, and for each of both kinds the grouped list: the one
	// used before is kept.
	const kinds = storedKinds
	m.Found = itemBytes * (min(int64(l.Found), multiply(reads, each)) + max(m.Items, m.Alone)*(1+kinds*spare))
	return m
}

// ofRead is the memory of a read in a batch: both strands, packed, and four numbers.
func ofRead(length int64) int64 {
	return spare * (2*8*int64(locate.PlanesLength(int(length))) + 4 + 4 + 4 + 8)
}

// ofPieces is the memory of a read in the table: its k + 1 pieces, if they are not too short, each
// before it is entered and after, two buckets at most, each with its place and the next one's, and
// their bits of the filter.
func ofPieces(length, k int64) int64 {
	if pieceLength(int(length), int(k)) == 0 {
		return 4
	}
	const ofPiece = 2*(16+32) + 2*(4+4) + 2*(1<<filterPerBucket)/8
	return spare * ((k+1)*ofPiece + 4)
}

// OfThread bounds the memory of a goroutine of a finder on the CPU, in bytes, for reads of a length
// with k edits.
func OfThread(length, k int64) int64 {
	// A page for each block of the store and kind, and once more while a block is cut.
	pages := int64(2 * storeBlocks * storedKinds * pageItems * itemBytes)
	// A row of costs and one of choices for each piece of a section, and four numbers for each of its
	// windows.
	section := min(length, sectionPieces*length/(k+1)+maxPiece+1)
	chooser := spare * section * ((sectionPieces+1)*(4+1) + 16)
	// The text of a segment by letter, and vertical differences and masks of a strand.
	scanned := segmentBases + spare*(length+k) + spare*(letterCodes+2)*8*(length/64+1)
	return pages + chooser + scanned + 1<<20 // and the blocks of hits of a skimWorker
}

// CountingMemory is the memory for counting the words of a reference, in bytes.
func CountingMemory(bases int64, o Options) int64 {
	if o.Engine == EngineScan || bases < int64(o.Limits.withDefaults().CountedBases) {
		return 0
	}
	const counters = 4 << (2 * rarityBases)
	return counters * (int64(min(o.Threads, 8)) + 2 + 1)
}

// SeekingMemory bounds the memory of a search for a single read, in bytes: the ends of some
// segments for each thread, and the ends of a stretch.
func SeekingMemory(bases int64, o Options) int64 {
	const ofEnd = 16 * 5 / 4 // append grows by a quarter
	return ofEnd * 2 * min(segmentsAhead*int64(o.Threads)*segmentBases, bases)
}

// multiply multiplies numbers that are not negative, and stays below 2^62.
func multiply(a, b int64) int64 {
	const most = 1 << 62
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}
