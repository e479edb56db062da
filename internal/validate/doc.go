// Package validate judges the output of scanmap map by other people's programs, samtools and
// Picard, and by rules of the SAM specification that are checked here on the text, without the code
// that wrote it. The tool of this name runs it on whole data sets, internal/acceptance on a few
// small ones.
//
// A Case is one call of scanmap map. Run makes its output in every format, and returns the Faults
// in it; Structure judges one SAM text alone. The checks are made for scanmap's contract: other
// mappers clip reads, leave tags out, or measure templates from 5' end to 5' end.
package validate
