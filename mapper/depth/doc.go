// Package depth counts what locations of reads cover, with or without their records: per base, per
// region and per contig.
//
// Each location has a weight, which Options.Weights says, and the depth of a base is the sum of the
// weights of the locations that cover it or, with Starts, that begin there. A weight is a whole
// number of units: a read that is shared out has 65,536. Sums of whole numbers do not depend on the
// order of reads, and a read's shares add up to one read exactly.
//
// Counts hold one number of 32 bits for each base: with Covered the difference between the base and
// the one before it, so that a location takes two additions however long it is. Overflow is carried
// into a table that is empty on all but tiny references. Depths are running sums of these numbers,
// which several goroutines make side by side, each of a piece of the reference.
package depth
