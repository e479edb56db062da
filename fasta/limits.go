package fasta

import "bytes"

// DefaultMaxLength is the most bases of a read unless ReadOptions say otherwise. The longest reads
// of nanopores have a few million.
const DefaultMaxLength = 1 << 27

// maxHeader is the most bytes of a header line and of a '+' line, without blanks at its end.
const maxHeader = 1 << 20

// recordLimits bound a record of reads, and with it the text that is held until its end is found.
type recordLimits struct {
	bases int    // and qualities
	text  int    // bytes of all lines, with their ends, blanks and blank lines
	hint  string // how to allow more bases, "" if there is no way
}

// limits returns what o allows.
func (o ReadOptions) limits() recordLimits {
	l := recordLimits{bases: o.MaxLength, hint: "; --max-read-length allows more"}
	if o.MaxLength <= 0 {
		l = recordLimits{bases: DefaultMaxLength}
	}
	// Room for bases and qualities on lines of one letter, and for two lines of maxHeader.
	l.text = 4*l.bases + 4*maxHeader
	return l
}

// The errors of records over a limit have its name, or the known part of the name.

func headerTooLong(name string) *recordError {
	return recordErrorf(name, "the header or '+' line has more than %d bytes", maxHeader)
}

func (l *recordLimits) readTooLong(name, what string) *recordError {
	return recordErrorf(name, "the read has more than %d %s%s", l.bases, what, l.hint)
}

func (l *recordLimits) textTooLong(name string) *recordError {
	return recordErrorf(name, "the record has more than %d bytes of text%s", l.text, l.hint)
}

// fits tells whether a record of four lines that ends at next is within the limits.
func (l *recordLimits) fits(r *recordLines, next int) bool {
	return r.length <= l.bases && r.headerEnd-r.header <= maxHeader && next-r.header <= l.text
}

// longFASTA finds the first record over a limit in text, which starts with a record and may end
// inside one. It returns where the record starts, and which limit it is over; err is nil if there
// is none.
func (l *recordLimits) longFASTA(text []byte) (at int, err *recordError) {
	if len(text) <= min(l.bases, maxHeader) {
		return 0, nil
	}
	for at < len(text) {
		record := text[at:]
		if i := bytes.Index(record, []byte("\n>")); i >= 0 {
			record = record[:i+1]
		}
		header, n := cutLine(record)
		header = trimBlanks(header)
		switch {
		case len(header) > maxHeader:
			return at, headerTooLong(firstWord(header))
		case len(record)-n > l.bases && countLetters(record[n:]) > l.bases:
			return at, l.readTooLong(firstWord(header), "bases")
		case len(record) > l.text:
			return at, l.textTooLong(firstWord(header))
		}
		at += len(record)
	}
	return at, nil
}

// countLetters counts the bytes that are neither blanks nor ends of lines.
func countLetters(text []byte) int {
	n := 0
	for _, c := range text {
		if c > ' ' {
			n++
		}
	}
	return n
}
