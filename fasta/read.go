package fasta

// Read is one record of a reads file.
type Read struct {
	// Name is the header up to the first white space, less a trailing /1 or /2.
	Name string
	// Comment is the rest of the header, without the white space between.
	Comment string
	// Bases are the letters as in the file, in upper case.
	Bases []byte
	// Qualities are as in the file, one byte ('!' to '~') a base; nil in FASTA.
	Qualities []byte
}
