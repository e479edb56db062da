// Package primers pairs the places of primers into the products that they would amplify.
//
// # Words
//
//   - pair: a forward and a reverse primer, both 5' to 3' as they are ordered
//   - site: a location of a primer, as package search defines it
//   - left site, right site: one on the forward strand and one on the reverse strand of the
//     reference, whose 3' ends face each other
//   - amplicon, product: what lies from the start of a left site to the end of a right site, both
//     included
//   - window: parts of contigs that are searched together
//
// # Amplicons
//
// A left site [s1, e1) and a right site [s2, e2) of one contig make an amplicon [s1, e2) if
// s1 <= s2 and e1 <= e2, so that neither primer sticks out of the product, and if e2 - s1 is in
// the limits of its size. The sites may overlap. Their primers are of one pair, or of any two with
// Options.Multiplex. One primer on both sides makes amplicons too. Every amplicon is found.
//
// # Data flow
//
//	pairs -> distinct patterns -> windows -> search -> sites -> amplicons -> rows
//
// Up to eight goroutines search a window each, while another one pairs the sites of windows before,
// in their order. They share what search.Repeated makes of the patterns, and take turns on GPUs.
//
// Memory is bounded by the sites in the windows at hand, which get smaller where there are many
// (window.go). Amplicons are handed over window by window, so that their number does not matter.
//
// Coordinates are 0-based and half-open.
package primers
