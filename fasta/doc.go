// Package fasta reads references, reads and pairs of reads: FASTA and FASTQ, plain or compressed
// with gzip, BGZF, bzip2 or zstd, from files, FIFOs or standard input.
//
// Text flows one way, and every step runs ahead of the next:
//
//	open.go, bgzf.go     open, decompress
//	feed.go              blocks of text, and which format it is
//	frame_*.go           cut at the borders of records (reads) or lines (reference)
//	parse_reads.go       chunks to reads, in parallel
//	pairs.go             chunks of two files, or of one in which mates alternate, to pairs
//	reference.go         blocks to packed fragments, likewise; then joined in order
//
// Chunks and blocks that are strictly regular are parsed in bulk (bulk.go, bulk_reads.go,
// bulk_reference.go), all others through biogo's readers, which report faults. FuzzBulk compares
// both.
//
// The framers judge the order and lengths of lines and number the records; the parsers judge names,
// letters and qualities. Results do not depend on where the text was cut. Pairs judges names of
// mates, and write.go turns reads back into text.
package fasta
