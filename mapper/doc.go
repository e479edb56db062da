// Package mapper is one run: it finds every place where a read fits a reference within k edits, on
// both strands, and turns the places into SAM records.
//
// # Data flow
//
//	batcher -> batch -> finder -> part -> group -> locate, choose, count, format -> block -> writer
//
// A batcher reads the inputs and makes batches (batch.go). A crew has finders find for the batches,
// whichever is free, and hands the parts on in order (crew.go, devices.go). A resolver cuts each
// part into groups, and its workers make a block of each (resolve.go, worker.go). Before, reads
// with too little known are sought again (again.go, seek.go); where GPUs find, other workers do the
// first step of that ahead of the resolver (ahead.go). The writer puts the blocks in order
// (writer.go). run.go reads from top to bottom like this.
//
// Reading, finding and writing overlap. Output depends on the input and the options that say what
// to report, never on threads, batches, engines or devices.
//
// # Files
//
// A file uses files of its line and of lines below.
//
//	run.go                     a run, and other calls of the package
//	check.go, memory.go        options: their faults, and the memory that a run takes
//	devices.go                 finders on CPU and GPUs
//	ahead.go                   parts that are held while the resolver is at work on others
//	resolve.go                 parts in order, until their blocks are handed to the writer
//	again.go                   which reads of a group are sought again
//	worker.go                  the steps of a group
//	unmapped.go, chance.go     why reads have no location; how many lie by chance
//	format.go, record.go       records of a read and of a pair
//	record_writers.go          the files of records
//	writer.go                  blocks in order
//	tally.go, sample.go        statistics of a worker; its sample of unmapped reads
//	choose_pair.go             which locations of mates are reported
//	rescue.go, partners.go     a mate beside the other
//	count.go                   counts of locations, with or without records
//	choose.go, supplement.go   which locations of a read are reported; its other part
//	pair.go                    likelihoods of pairs
//	group.go                   locations of some reads, and which are near
//	seek.go                    passes for some reads again
//	finding.go, near.go        options of finders, and near locations
//	quality.go                 likelihoods of locations: MAPQ
//	estimate.go, crew.go       insert sizes of the first pairs; finders at work
//	part.go                    reads that a finder took at a time
//	batch.go                   reads of a library
//	stats.go, times.go         statistics of a run; times of its stages
//	order.go                   the order of locations, and which of equal ones is primary
//	insert.go, options.go, library.go, distance.go, local.go, names.go, watch.go  options
//
// # Containers
//
// There are four, each made of the one before. Other packages have containers of their own on the
// way of a read: chunks of text (fasta); packed batches, classes of reads and pages of candidates
// (find); blocks of BGZF (bgzf).
//
//   - batch: the reads that share one pass over the reference; a finder packs them.
//   - part: reads of a batch that are found at a time, the whole batch unless too much is found.
//   - group: some neighbouring reads of a part, which one worker takes at a time, with their
//     locations.
//   - block: the text of a group's records, or their bytes in BAM.
//
// # Words
//
// The words of packages locate (strand, place, diagonal, candidate, end, occurrence, location,
// alignment) and find (piece, class, finder), and
//
//   - read: one record of the reads file; m is its length in bases.
//   - k: the largest edit distance of a read, in unit-cost edits (substitution, insertion,
//     deletion).
//   - reference, contig: the text, and one of its sequences.
//   - near: of a location, having few edits more than the read's best one, mostly two (near.go).
//   - choice: which locations of a read are reported, and which one is primary.
//   - library: one input of a run, with a read group of its own.
//   - pair, mate: two reads of one fragment, the first and the second mate.
//   - left, right mate: the orientation of the library says which one lies left.
//   - insert size: the bases from the start of the left mate to the end of the right one.
//   - proper: a pair, or a combination of a location of each mate, in the orientation and with an
//     insert size within the bounds.
//   - discordant: a pair of mapped mates that is not proper.
//   - rescue: to seek a mate that has no location where it would be proper.
//   - record: one line of SAM.
//
// Coordinates are 0-based and half-open.
package mapper
