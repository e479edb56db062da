// Package locate defines a location: a place where a read fits a reference within k edits, kept
// apart from its neighbours, with its alignment. It turns the diagonals or ends that a finder hands
// over into locations. Package mapper and package search both take the definition from here.
//
// # Definition
//
// An edit is a substitution, an insertion or a deletion, and costs 1. An occurrence of a strand is
// an end position j (exclusive) on a contig with D(j) <= k, where D(j) is the least edit distance
// between the strand and a stretch of the contig that ends at j. Its gaps are the fewest inserted
// and deleted bases among alignments that end at j with D(j) edits. Its start is the start of its
// alignment.
//
// Take the occurrences of one read, contig and strand in order of (distance, gaps, end). One is
// kept as a location unless a kept one ends within k of its end, or starts within k of its start.
// Two locations are therefore more than k apart at both ends, each is the best of its
// neighbourhood, and the result depends on the set of occurrences alone.
//
// The alignment of a location ends at j with D(j) edits and the fewest gaps. It is the alignment
// that a traceback from the end gives when it prefers diagonal, then deletion, then insertion. Gaps
// are then shifted left as far as they go, which changes neither edits nor ends.
//
// # Written alignments
//
// [Aligner.Write] gives a location another alignment, for records alone. Its score is the highest
// of all alignments of the whole strand on the diagonals of the location's own, the least
// alignment, and w more on either side, inside the contig, with no insertion beside a deletion: 1
// for a match, -4 for a mismatch, -(6 + g) for a gap of g bases. w is [WrittenRadius], or less
// where a gap of more bases would lose more than the least alignment does. Ties go to fewer gap
// bases, fewer edits, the start nearest to the least alignment's, and the end nearest to its end.
// Gaps are then shifted left. The least alignment stays where the other one has fewer edits than
// the location, or neither starts within k of its start nor ends within k of its end, or is nearer
// to another location: the sum of the differences of start and end is smaller, or equal and that
// location is before in order of (distance, end).
//
// # Substitutions alone
//
// Where a Locator's Metric is Substitutions, there are no gaps, and a location is simply every
// place (contig, strand and start) at which the whole strand lies inside the contig with at most k
// bases that differ. None excludes another: two locations may start at neighbouring bases. A letter
// other than A, C, G, T and U, of either side, differs from everything, itself too.
//
// # Local locations
//
// A Local has a definition of its own. An alignment of a strand begins and ends with a pair, a base
// of the strand that is aligned to a position of a contig, and lies on one contig. Bases before the
// first pair and after the last are clipped. Between two pairs there is nothing, or one gap: 1 to
// 100 bases that are inserted, or as many that are deleted, never both. Its score is 1 for each
// match less 4 for each mismatch less min(6 + g, Cap) for each gap of g bases; a letter other than
// A, C, G, T and U, of either side, is a mismatch to everything. Its lost score is m less the
// score, where m is the length of the read: 5 for a mismatch, 1 for each clipped or inserted base,
// and what gaps cost.
//
// An alignment qualifies with the least score T if score * m >= T * (m - ins), ins being its
// inserted bases. Two alignments of one read, contig and strand are in the same place if some base
// is aligned in both, to positions that are at most reach = floor((m - T) / 5) apart.
//
// Take, again and again, the best alignment that qualifies and is in the same place as none that
// was taken. The alignments taken are the local locations. Each alignment that qualifies is
// therefore a location or in the same place as one, and no two locations are in the same place
// (Waterman and Eggert 1987, J Mol Biol 197:723, with a reach). The best is the first in order of
// (score from the highest, gap bases, edits, start, end, bases clipped at the end), where edits are
// mismatches and gap bases; if several are alike in all, it is the one to which a traceback from
// the end leads that prefers a diagonal, then the shortest deletion, then the shortest insertion.
// Its gaps are then shifted left, from the first to the last: each by one base while that changes
// no letter that is aligned, a pair is left before it, and no new pair is in the same place as a
// location that was taken before. The shifts change neither score nor ends.
//
// An alignment that does not qualify takes no part, though its score may be higher than the score
// of one that qualifies by its inserted bases: it closes no place to others. This is why a finder
// has to lead to the alignments that qualify only, and why the result depends on these alone.
//
// # Words
//
//   - strand: a read unchanged (Forward) or its reverse complement (Reverse), as it lies along a
//     contig.
//   - place: a contig and a strand.
//   - diagonal: the contig position at which the strand's first base would lie if there were no
//     gaps. It may be negative. An alignment that ends at j ends on diagonal j - m.
//   - candidate: a diagonal on which a part of a strand lies unchanged.
//   - end: a position after the last base of an alignment, with its distance.
//
// Coordinates are 0-based and half-open. Positions count on a contig, offsets in
// [scanmap/dna.Reference.Bases].
package locate
