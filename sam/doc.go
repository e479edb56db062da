// Package sam writes the SAM format: headers through biogo/hts, and alignment
// lines by appending text to a byte slice, since those are what a run writes
// by the hundred million.
//
// Everything that enters a header or a line from outside (contig names, read
// groups, the command line) is checked or escaped here, so that no tab and no
// line break can end a field or a line early.
package sam
