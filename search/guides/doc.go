// Package guides judges CRISPR guides by all their places.
//
// It takes the locations that package search finds, and hands over a Summary of each guide: how
// many places it has by edits, mismatches and bulges, which places lie in given regions, and how
// specific it is by two published rules (score.go). It scores the changes of places by alleles that
// package variants finds (changes.go). It can make guides, too: all of a region (candidates.go),
// and put them in order (rank.go).
//
// # Words
//
//   - guide: the letters that a guide RNA pairs by, as DNA, without the PAM
//   - site: what a place spans on the reference, the PAM included, in the direction of the guide
//   - target: the place that a guide is meant for: an exact one
//   - off-target: every other place
//   - DNA bulge: a letter of the site that the guide lacks, D in a CIGAR
//   - RNA bulge: a letter of the guide that the site lacks, I in a CIGAR
//   - hit score: how well a guide cuts one site; specificity: a number made of the hit scores of
//     all off-targets
//
// Coordinates are 0-based and half-open. Memory does not grow with the number of places: they are
// counted as they come, and a few of the best are kept if that is asked for. With several PAMs,
// where bulges are allowed, the places of one guide are held (pams.go).
package guides
