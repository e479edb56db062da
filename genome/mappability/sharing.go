package mappability

// sharing is the counting of places in a genome.
type sharing struct {
	*counter
	spans []span
	texts []text
	run   int // q
	seed  seedKind
	exact bool // e is 0: K-mers are counted as wholes (exact.go)
	// complete tells that the table has all K-mers of its range of strand + of the text, which are
	// the places there.
	complete bool
	// found has, with exact, at the first of equal K-mers of the table, the places that were found.
	found   []uint32
	planes  planes // of the reference
	own     bool   // the genome is the reference
	table   table
	workers []sharer
	// The text at work, and its seeds at work.
	text  *text
	seeds seeds
	// by takes the seeds of table and text.
	by fillers
}

// A join is the K-mers of some spans of the reference and some texts, whose pairs are counted.
type join struct {
	spans  []span
	texts  []text
	chunks []piece
	ranges []keyRange
}

// A sharer is one goroutine at work.
type sharer struct {
	*sharing
	// right[j] is where the j+1st difference after a run lies, relative to its begin.
	right []int
}
