package dna

// AppendUnnamed adds a contig without a name, such as a read, with all its letters, at least one.
// At least gap positions, none or more, that are ambiguous lie between it and the contig before,
// instead of Padding: short reads then take fewer words. A gap is enough for alignments with fewer
// than gap differences: none spans two contigs. No Exceptions are noted, so that Letter returns N
// for all ambiguous letters.
func (r *Reference) AppendUnnamed(letters []byte, gap int) {
	start := r.Bases.Length
	if len(r.Contigs) > 0 {
		start = Words(start+gap) * WordBases
		r.Bases.Reserve(start)
		r.Bases.Length = start
	}
	r.Bases.Append(letters)
	r.Contigs = append(r.Contigs, Contig{Start: start, Length: len(letters)})
}

// Reset empties r and keeps its memory for reuse.
func (r *Reference) Reset() {
	r.Bases.Reset()
	r.Contigs, r.Exceptions, r.byName = r.Contigs[:0], r.Exceptions[:0], nil
}
