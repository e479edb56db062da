// Package records picks records of reads by the patterns in them: records that have one (Filter),
// or by which of many barcodes they have (Split).
//
// Reads are the text, and package search finds the patterns in it.
//
//	reads -> batches -> a search.Text each -> locations -> records in the order of the input
//
// batch.go makes a text of a batch, collect.go turns locations into choices of each record, and
// run.go has the goroutines. split.go writes one file a barcode, by turns, trim.go cuts reads, and
// fit.go says where a pattern near an end lies.
//
// # Words
//
//   - record: a read, or two mates, which are written or left out together
//   - window: the part of a read in which a pattern near one of its ends lies. The window of the 3'
//     end is the window of the 5' end of the reverse complement, so that a pattern near an end is
//     always searched for as given
//   - barcode: a pattern by which records are sorted
//
// # Matches
//
// A pattern fits a read with d edits if d is the fewest edits between it, or its reverse
// complement, and a stretch of the read. Near an end (Options.Within) only stretches count that
// start at most Within letters from the read's start, or likewise from the start of its reverse
// complement. Letters of the read other than A, C, G, T and U match nothing. Where locations of
// package search exclude one another, the exclusion does not matter here: the best of a read is a
// location.
package records
