// Package dna holds packed nucleotide sequences.
//
// A sequence is stored as bit planes of 64-bit words. Base i lives in bit i%64
// of word i/64 of three planes:
//
//	plane      A C G T   every other letter
//	Low        0 1 0 1   0
//	High       0 0 1 1   0
//	Ambiguous  0 0 0 0   1
//
// The code of a base is therefore High<<1 | Low, its complement inverts both planes, and the
// reverse of a word of bases is a bit reversal. U is read as T, and case is ignored. Every other
// letter (N, IUPAC) is ambiguous: it matches nothing, itself included. Bits past the end of a
// sequence are 0 in Low and High and 1 in Ambiguous, so that they match nothing either.
//
// Coordinates are 0-based and half-open.
package dna
