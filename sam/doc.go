// Package sam writes the SAM and BAM formats: headers through biogo/hts, and records by
// appending text or binary form to a byte slice, since those are what a run writes
// by the hundred million.
//
// A Writer takes whole records and writes a file: text, text in BGZF, or BAM; in the order given or
// sorted; with an index. The files of the package:
//
//	header.go, readgroup.go  the header
//	record.go, encoding.go   a record, and its text and binary forms
//	tags.go                  the tags of a record, in both forms
//	format.go, writer.go     formats, and the Writer that brings the following together
//	sort.go                  the order of sorting, and the last merge in parts
//	duplicates.go            duplicates among sorted records
//	index.go                 BAI and CSI
//
// Everything that enters a header or a line from outside (contig names, read
// groups, the command line) is checked or escaped here, so that no tab and no
// line break can end a field or a line early.
//
// SAMv1 is "Sequence Alignment/Map Format Specification", and CSIv1 "Coordinate Sorted
// Index (CSI) format specification", both of samtools/hts-specs.
package sam
