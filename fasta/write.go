package fasta

// AppendFASTQ appends a read to b: a FASTQ record of four lines, or, if its Qualities are nil, a
// FASTA record of two. suffix, such as "/1", comes after the name; the comment, if there is one,
// after a blank. A read without bases gets empty lines. Reads reads the same read back, less the
// /1 or /2.
func AppendFASTQ(b []byte, r *Read, suffix string) []byte {
	mark := byte('@')
	if r.Qualities == nil {
		mark = '>'
	}
	b = append(b, mark)
	b = append(b, r.Name...)
	b = append(b, suffix...)
	if r.Comment != "" {
		b = append(b, ' ')
		b = append(b, r.Comment...)
	}
	b = append(b, '\n')
	b = append(b, r.Bases...)
	b = append(b, '\n')
	if r.Qualities == nil {
		return b
	}
	b = append(b, "+\n"...)
	b = append(b, r.Qualities...)
	return append(b, '\n')
}
