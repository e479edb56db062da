// Package fasta reads references and reads: FASTA and FASTQ, plain, gzip, BGZF,
// from files or standard input.
package fasta
