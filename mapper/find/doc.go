// Package find says where the reads of a batch may lie on a reference, on the CPU or on GPUs,
// behind one interface, Finder.
//
// There are two engines. Skim (skim.go) looks for pieces of the reads and finds candidates; it is
// lossless, and fast where pieces are long enough to be rare. Scan (scan.go) is exhaustive and
// finds ends. Which one a read takes, and with which pieces, is chosen in engine.go. A GPU goes on
// from candidates to locations itself (verify_gpu.go).
//
// # Words
//
//   - batch: the reads that share one pass over the reference.
//   - part: reads of a batch that are given to a finder at a time, the whole batch where it fits.
//   - class: the reads of a part that are skimmed for with pieces of one length.
//   - piece: a stretch of q bases of a read. The k + 1 pieces of a read do not overlap, so an
//     alignment with at most k edits leaves one unchanged.
//   - segment: a stretch of a contig that one goroutine passes over at a time.
//   - chunk: a stretch of the reference that is on a GPU at a time, and within it a stretch of
//     windows that one warp passes over.
//   - finder: what finds for one part after the other, with its own memory.
//
// Package locate defines candidates, ends and locations.
package find
