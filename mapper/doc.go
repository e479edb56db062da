// Package mapper finds every place where a read fits a reference within k edits,
// on both strands, and turns the places into SAM records.
//
// # Data flow
//
//	reads -> batch -> skim or scan -> candidates or occurrences -> locate -> (pairs: rescue, combine) -> align -> choose -> record -> ordered writer
//
// A batch of reads shares one pass over the reference. The stages run on a batch
// one after the other, each on all threads; reading the next batch and writing the
// one before overlap with them. Output depends on the input and the options that
// say what to report, never on threads, batches or engines.
//
// # Glossary
//
//   - read: one record of the reads file; m is its length in bases.
//   - k: the largest edit distance of a read, in unit-cost edits (substitution,
//     insertion, deletion).
//   - strand: forward (the read as it is) or reverse (its reverse complement). What
//     follows is always about a strand as it lies along the contig.
//   - reference, contig: the text, and one sequence of it.
//   - batch: the reads that share one pass over the reference.
//   - piece: a stretch of q bases of a read. The k + 1 pieces of a read do not
//     overlap, so an alignment with at most k edits leaves one of them unchanged.
//   - diagonal: the contig position at which the strand's first base would lie if
//     there were no gaps; may be negative. An alignment that ends at j ends on
//     diagonal j - m.
//   - candidate: (read, strand, contig, diagonal) where a piece occurs unchanged.
//   - occurrence: an end position j (exclusive) with D(j) <= k, where D(j) is the
//     least edit distance between the strand and a stretch of the contig that ends
//     at j; its gaps are the fewest inserted and deleted bases among alignments that
//     end there with D(j) edits.
//   - location: an occurrence that is kept when those of one read, contig and
//     strand are taken in order of (distance, gaps, end) and dropped if a kept one
//     lies within k.
//   - alignment: how a location aligns; it is the traceback from the end that prefers
//     diagonal, then deletion, then insertion, with gaps then shifted left.
//   - library: one input of a run, with a read group of its own.
//   - pair, mate: two reads of one fragment, the first and the second mate.
//   - left, right mate: which one lies left is said by the orientation of the library.
//   - insert size: the bases from the start of the left mate to the end of the right one.
//   - proper: a pair, or a combination of a location of each mate, in the orientation
//     and with an insert size within the bounds.
//   - rescue: to seek a mate that has no location where it would be proper.
//   - record: one line of SAM.
//   - insertion, deletion: as in SAM (an insertion is a base of the read that the
//     reference lacks).
//
// Coordinates are 0-based and half-open.
package mapper
