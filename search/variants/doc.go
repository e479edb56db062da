// Package variants makes the texts that the alleles of a VCF, or IUPAC letters, add to a reference,
// and searches them with package search.
//
// # Words
//
//   - allele: letters by which a record of a VCF replaces letters of a contig; letters that REF and
//     ALT have in common at their ends are taken off, first at the end. An IUPAC letter has an
//     allele for each of its bases.
//   - haplotype: a contig with alleles in it that do not overlap
//   - family: the haplotypes that there are, see below
//   - window: a part of a haplotype that is searched
//   - place: a location of a window, in positions of the contig. It touches an allele if it has a
//     letter of the allele or, where the allele has no letters, the letters on both sides.
//   - row: a line of the output
//
// # Families
//
// With genotypes, the haplotypes of each sample. The alleles of a call that are the same on all
// copies of a chromosome, or phased (|), are on the copies that the call says; alleles of a phase
// set (PS) are with each other alone; an unphased allele may be on any copy. All combinations that
// remain are haplotypes. A missing call is the reference's allele. Among overlapping alleles a copy
// has the first, in the order of records: first among alleles whose copies the calls say, where
// others are counted, and then among all that remain.
//
// Without genotypes, the haplotypes with any alleles that one place can touch, and the reference's
// letters elsewhere.
//
// For IUPAC letters, the references in which a base replaces each.
//
// # Rows
//
// For each haplotype and each of its alleles a window is searched: the allele with Flank letters on
// either side. (Without genotypes it has all alleles of the haplotype, and Flank letters before the
// first and after the last.) Rows are the locations of all windows that touch an allele and have,
// before their ends, as many letters as a place may have or all letters of the contig. Places whose
// letters the contig itself has, from the same start or up to the same end, are left out: they are
// places of the reference. A place that is found in several windows is one row.
//
// With substitutions alone (and with none) rows are therefore exactly the occurrences on all
// haplotypes that touch an allele, and whose letters the reference has not at that start or end.
//
// Proof. A place has m letters, so a place that touches an allele lies in the m - 1 letters on
// either side of the allele, and in its window. Without genotypes the alleles that it touches, and
// no others, are on one haplotype of the family, because the set of alleles that one place touches
// has at most m - 2 letters between its first and last (maker.sets). Conversely, all places in a
// window are places of its haplotype. ∎
//
// With edits each occurrence o that touches an allele of a haplotype has near it, on the same
// haplotype, a row or a place that the reference has too: with at most as many edits, and with its
// end within k of the end of o or its start within k of the start of o. (Without genotypes this
// haplotype is the one with the alleles that o touches, and o ends there with as many edits or
// fewer, perhaps with another start.) If the reference has the place, it has a row as near.
//
// Proof. The window of an allele that o touches has the m + k letters before the end of o, so that
// o is an occurrence of the window too, with the same distance and start. By the definition of
// locations (package locate) a location l of the window, with at most as many edits, ends or starts
// within k of o. Its end is within 3k of the end of o (locate.Separator): hence l, too, has m + k
// letters before its end in the window, and is an occurrence of the haplotype with the same
// distance and start. Hence it is a row, or touches no allele, or the contig has its letters. In
// the last two cases these letters are an occurrence of the contig, near which there is a location.
// ∎
//
// Whether a location of a window is one of the whole haplotype may depend on places that are
// further away, where places follow each other closely, as in tandem repeats.
//
// # Changes
//
// Compare has the changes that alleles make to places, and not rows (changes.go). Before the
// windows in a stretch of the contig, that stretch is searched as a window of its own, and places
// of both are compared pattern by pattern. The windows are longer by the letters of a place: where
// one is lost, the letters that stand in its stead may go on beyond it. With
// search.Options.ReferenceIUPAC letters of the contig that no allele replaces stand for their
// bases, on the reference and on haplotypes.
//
// # Data flow
//
//	records or letters -> sites -> windows -> batches -> search.Run -> places -> sorter -> rows
//
// Several goroutines read the lines of a chunk, and make the windows of some sites that follow each
// other. Their results are taken in the order of the records, and do not depend on the number of
// goroutines. While a batch is searched the next one is made.
//
// Memory is bounded: a chunk of lines, the sites within reach of each other, the windows of a few
// sites, two batches of windows with the calls of their alleles, and the rows that wait for their
// order; other rows are in temporary files.
//
// Positions are 0-based, and stretches half-open, but in names of alleles, which have the position
// of the VCF.
package variants
