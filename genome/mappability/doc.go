// Package mappability counts for each K-mer of a genome at how many places it fits, one or several
// genomes, within e edits or substitutions.
//
// # Definition
//
// The frequency of a position p of a contig is the number of places, on both strands of all
// contigs of the genomes, where the K-mer that begins at p fits:
//
//   - with substitutions, each (contig, strand, position) at which all K bases lie inside the
//     contig and at most e bases differ. This is the (k,e)-frequency of GenMap (Pockrandt, Alzamel,
//     Iliopoulos and Reinert, "GenMap: ultra-fast computation of genome mappability",
//     Bioinformatics 36, 2020, section 2).
//   - with edits, each location as package locate defines it. GenMap has no edits.
//
// The mappability is 1/frequency. A place counts once for each strand, so that a K-mer which is
// its own reverse complement counts twice where it lies; so it does in GenMap. A letter other than
// A, C, G, T and U differs from everything, itself too. A K-mer with more than e such letters fits
// nowhere: it has no value, like a K-mer that would hang over the end of its contig. A K-mer with
// fewer fits at its own place, where these letters count as edits, as in GenMap.
//
// Options.MinInsert and Options.MaxInsert have fragments counted in place of K-mers (pairs.go).
//
// # Two engines
//
// Reads (reads.go) hands the K-mers to the finders of package mapper/find as if they were reads,
// on the CPU or on GPUs, in repeats one for all that are equal (grouped.go). Shared (shared.go),
// for substitutions, works on stretches that are equal at two places, and so does once what
// neighbouring K-mers have in common. Where families of repeats make these too many, it compares
// K-mers as strings, each once for all its places (crowded.go, rounds.go, neighbours.go). Both
// engines are exact.
//
// # Files
//
// A file uses files of its line and of lines below. Two files use run.go above them: bisulfite.go
// for each strand, and pairs.go for the ends of fragments.
//
//	run.go                       a count: the engine, and one genome after the other
//	bisulfite.go                 a count of each strand with T for C
//	reads.go, pairs.go           engine reads: K-mers mapped; fragments, by the places of their ends
//	grouped.go, stringtable.go   one of each string of equal K-mers
//	shared.go                    engine shared: its parts in order, and the lemmas
//	rounds.go, stringset.go      crowded K-mers: rounds, and the strings of a bin of a round
//	strings.go                   what rounds and bins have in common
//	crowded.go, judge.go         which K-mers are crowded, and what that saves
//	neighbours.go, paths.go      strings with few differences, by equal pieces
//	runs.go, exact.go            runs of equal bases; K-mers without differences
//	sharing.go                   engine shared at work on one genome
//	text.go, table.go            strands of a genome; tables of seeds
//	frequencies.go, write.go     counts, and their files
//	spans.go                     stretches of the reference
//	options.go, progress.go      what a caller says and hears
//
// # Words
//
//   - offset: a position in dna.Reference.Bases; position: one of a contig.
//   - span: a stretch of the reference, within a contig, whose K-mers are all wanted.
//   - text: one strand of a genome.
//   - diagonal: the difference of an offset of a text and one of the reference.
//   - run: a stretch of a diagonal without a difference, as long as it can be.
//   - seed: the first bases of a run, by which it is found.
//   - crowded: said of K-mers that are compared as strings.
//   - grouped: said of K-mers that are mapped once for all that are equal.
package mappability
