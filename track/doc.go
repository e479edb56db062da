// Package track writes values along a reference and reads them back: bedGraph, plain or bgzipped
// with a tabix index, and bigWig.
//
// Whoever has values gives them as a function, Values, which hands over the intervals of one
// stretch of the reference after the other, several side by side. Nothing here keeps them: memory
// does not grow with their number, only by 32 bytes for each block of 1024 intervals. Neighbours of
// equal value become one interval, so that files do not depend on how their makers cut them; nor do
// they depend on the number of threads. The files of the package:
//
//	track.go        contigs, values, formats by the names of files
//	join.go         all intervals, written or read: their order, and the joining of neighbours
//	stretch.go      stretches of the reference, made side by side and taken in order
//	output.go       output, and its blocks, compressed side by side
//	bedgraph.go     bedGraph as text
//	bgzf.go         bedGraph in BGZF
//	tabix.go        its index
//	bigwig.go       bigWig: its parts and their order in the file
//	section.go      bigWig: blocks of values
//	zoom.go         bigWig: summaries at several scales
//	tree.go         bigWig: the B+ tree of contigs and the R trees of blocks
//	read.go, read_bedgraph.go, read_bigwig.go  reading both formats
//
// bedGraph and its header lines are defined at genome.ucsc.edu/goldenPath/help/bedgraph.html; tabix
// indexes by "The Tabix index file format" and CSIv1, BGZF by SAMv1, section 4.1, all of
// samtools/hts-specs. bigWig is defined by Kent et al., "BigWig and BigBed: enabling browsing of
// large distributed datasets", Bioinformatics 26:2204 (2010), whose supplement has the tables of
// the file; tables are named by what they hold.
package track
