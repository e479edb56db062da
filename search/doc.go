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
// # Files
//
// A file uses files of its line and of lines below. methods_gpu.go alone uses a file above,
// neighbours_gpu.go, for needles that are looked up in a table.
//
//	patterns.go                             files of patterns
//	output.go                               rows of a format
//	tsv.go, bed.go, sam.go, rows.go         the formats; their common parts
//	letters.go                              letters of patterns in rows
//	bench.go, bench_gpu.go                  measurements of schemes
//	repeated.go                             the same patterns in one text after another
//	run.go                                  a search: groups of patterns, stretches of the text
//	stream.go                               one pattern, window by window
//	run_gpu.go                              chunks of the text on GPUs
//	searcher.go                             segments, choice of a scheme, locations of ends
//	neighbours_gpu.go                       tables on a GPU
//	auto.go, methods.go                     the fastest scheme; all methods by name
//	neighbours.go, neighbours_cpu.go        method neighbours
//	planes.go                               method planes
//	wumanber.go, wumanber_cpu.go            method wu-manber
//	shiftor.go                              method shift-or
//	planes_gpu.go, wumanber_gpu.go, shiftor_gpu.go, shiftor_cpu.go  these on both processors
//	bruteforce.go, bruteforce_cpu.go        method brute-force
//	tiles_cpu.go, planes_rows_cpu.go, planes_cpu.go  planes on the CPU: tiles, columns
//	method.go                               what a method and a scheme are
//	register_gpu.go, bruteforce_gpu.go, methods_gpu.go, text_gpu.go  needles and text on a GPU
//	sweep.go, planes_choose_amd64.go, planes_amd64.go, fold.go       sweeps with AVX2, and without
//	vectors_cpu.go                          bit vectors of Myers
//	limits.go, locate.go                    limits of the classes of edits; locations of ends
//	target.go                               where a PAM lies, and letters that have to match
//	register.go, pattern.go, iupac.go       patterns and needles; letters of several bases
//	options.go, text.go                     options and statistics; the text
//
// # Locations
//
// With a distance in edits package locate defines a location, as for reads, with needles for
// strands. Letters that have to match (target.go) and limits of the classes of edits (limits.go)
// rule out alignments, and occurrences that have no other. With only substitutions (and with none)
// every occurrence is a location, however near to another. Letters of the text other than A, C, G
// and T match nothing, not even an N of the pattern. With Options.ReferenceIUPAC R and the other
// letters of two or three bases match what they share a base with (iupac.go).
//
// Coordinates are 0-based and half-open.
package search
