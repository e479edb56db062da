// Package search finds every place where short patterns (primers, guides, motifs, any bytes) occur
// in a text, without an index of the text. Each method has a name, so that methods can be used and
// measured side by side. Package search/papers registers the methods of papers on string matching
// on GPUs that no guide and no primer needs.
//
// # Words
//
//   - text: the contigs of a reference (alphabet dna), or the bytes of a file (alphabet bytes)
//   - code: a letter as a number: 0 to 3 for A, C, G, T and 4 for whatever matches nothing; a byte
//     is its own code
//   - pattern: m letters to be found; in DNA an IUPAC letter stands for a set of bases
//   - needle: one strand of a pattern, which is what methods look for
//   - piece: a part of a needle; of k + 1 pieces one occurs unchanged
//   - end: the offset in the text after the last letter of an occurrence
//   - occurrence: an end at which the needle fits with at most k edits, or with at most k
//     substitutions
//   - location: an occurrence that is reported, with its start and its alignment
//   - method, scheme: an algorithm, and the way it is laid out on a processor
//   - stretch: whole contigs that are searched at a time; in kernels, the part of the text that a
//     warp searches
//   - window: in a search for one pattern, the part of a stretch whose ends are all held
//   - segment: the part of a stretch or window that a goroutine searches at a time; in kernels, the
//     part of a thread
//   - chunk: the part of a stretch that is on a GPU at a time
//   - scan: a running combination (prefix sum) over letters, by which some schemes share out the
//     work of an automaton
//
// In package mapper/find a segment is a part of one contig, a chunk is a part of the whole
// reference, and scan is the name of an engine.
//
// # Data flow
//
//	patterns -> needles -> a scheme's finder -> ends -> locator -> locations -> rows
//
// A scheme only finds ends. The same code for all (locate.go) decides which ends are reported,
// where they start and how they align, so that every method gives the same locations.
//
// Memory is bounded (stream.go): one pattern is searched for window by window, and its locations
// are emitted as soon as none can come before them; several are searched for together while they
// have few ends.
//
// # Locations
//
// With a distance in edits package locate defines a location, as for reads, with needles for
// strands. Letters that have to match (target.go) and limits of the classes of edits (limits.go)
// rule out alignments, and occurrences that have no other. With only substitutions (and with none)
// every occurrence is a location, however near to another. Letters of the text other than A, C, G
// and T match nothing, not even an N of the pattern.
//
// Coordinates are 0-based and half-open.
package search
