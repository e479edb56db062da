// Package search finds every place where short patterns (primers, guides, motifs, any bytes) occur
// in a text, without an index of the text. It also holds the methods of five papers on string
// matching on GPUs, each by its name, so that they can be used and measured side by side.
//
// # Words
//
//   - text: what is searched: the contigs of a reference (alphabet dna), or the bytes of a file
//     (alphabet bytes)
//   - code: a letter as a number: 0 to 3 for A, C, G, T and 4 for whatever matches nothing; a byte
//     is its own code
//   - pattern: what is sought, m letters; in DNA an IUPAC letter stands for a set of bases
//   - needle: one strand of a pattern, which is what methods look for
//   - end: the offset in the text behind the last letter of an occurrence
//   - occurrence: an end at which the needle fits with at most k edits, or with at most k
//     substitutions
//   - location: an occurrence that is reported, with its start and its alignment
//   - method, scheme: an algorithm, and the way it is laid out on a processor
//
// # Data flow
//
//	patterns -> needles -> a scheme's finder -> ends -> locator -> locations -> rows
//
// A scheme only finds ends; which of them are reported, where they start and how they align is the
// same code for all (locate.go), so that every method gives the same locations.
//
// # What a location is
//
// With a distance in edits it is what a mapping is: occurrences of one needle and contig are taken
// in order of (distance, gaps, end) and kept unless a kept one lies within k; the alignment ends
// there, has the fewest gaps, and has them as far left as they go. With substitutions alone (and
// with none) every occurrence is a location, since no gap makes neighbours of one match. Letters of
// the text other than A, C, G and T match nothing, not even an N of the pattern.
//
// Coordinates are 0-based and half-open.
package search
