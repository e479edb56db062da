// Package copies computes absolute copy numbers, in windows of equal unmasked bases and in
// regions, from a value per base such as the number of reads that start there.
//
// The method comes from mrCaNaVaR (Alkan et al., Personalized copy number and segmental duplication
// maps using next-generation sequencing, Nature Genetics 41:1061, 2009) and fastCN (Pendleton et
// al., Comparison of village dog and wolf genomes highlights the role of the neural crest in dog
// domestication, BMC Biology 16:64, 2018, Methods, and its programs GC_control_gen,
// SAM_GC_correction, smooth_GC_mrsfast.py and make-equal-windows.py):
//
//  1. Windows of N unmasked bases follow each other in each contig (windows.go).
//  2. Every unmasked base belongs to a stratum by the GC content of the bases around it. The mean
//     of each stratum in the controls says how sequencing depends on GC; a smooth curve through
//     these means gives a factor for each stratum, by which values are multiplied (gc.go,
//     loess.go).
//  3. Controls are windows of known copy number. They are given, or found as windows that are like
//     most (controls.go).
//  4. Copies of a window = copies of the controls x its mean / the mean of the controls.
//
// Values have to count all places where a read fits, as fastCN and mrCaNaVaR have them: then a
// window has the copies of its sequence in the whole genome, wherever they lie.
//
// The values are read once, in the order of each contig. Their sums by window and stratum are kept,
// 16 bytes for each stratum with bases in a window.
package copies
