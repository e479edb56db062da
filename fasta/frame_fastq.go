package fasta

import (
	"bytes"
	"fmt"
)

// chunk is some text that holds whole records and can be parsed on its own.
type chunk struct {
	format  format
	text    []byte // FASTQ: records of four lines, blank lines between them at most
	first   int64  // number of its first record, from 1
	records int
	letters int          // FASTQ: bases of all records
	err     *recordError // in the record behind text, which ends the input
	// lines says where the lines of the records of FASTQ are, if all records are as cutFourLines
	// finds them.
	lines  []recordLines
	buffer *textBuffer // that text is in, to be released; nil if it is not shared
}

// recordLines says where a record of four lines and its lines are in a text: offsets, the lines
// without what trimBlanks drops.
type recordLines struct {
	header, headerEnd int // the record starts at header
	bases, length     int // there are as many qualities as bases
	qualities         int
}

// in returns the lines of the record in the text.
func (r *recordLines) in(text []byte) fourLines {
	return fourLines{
		header:    text[r.header:r.headerEnd],
		bases:     text[r.bases:][:r.length],
		qualities: text[r.qualities:][:r.length],
	}
}

// fourLines is a FASTQ record of four lines. The lines are without what trimBlanks
// drops.
type fourLines struct {
	header, bases, plus, qualities []byte
}

// cutFourLines finds a record of four whole lines at text[at:], and where what follows it starts.
// ok is false when it is anything else (wrapped, incomplete, broken), which frameRecord then
// judges.
//
// Where it says yes, frameRecord would find the same record.
func cutFourLines(text []byte, at int) (r recordLines, next int, ok bool) {
	if at >= len(text) || text[at] != '@' {
		return r, 0, false
	}
	headerEnd, bases := endLine(text, at)
	basesEnd, plus := endLine(text, bases)
	plusEnd, qualities := endLine(text, plus)
	qualitiesEnd, next := endLine(text, qualities)
	if next < 0 || text[plus] != '+' || basesEnd-bases != qualitiesEnd-qualities {
		return r, 0, false
	}
	if first := text[bases]; first == '+' || first == '@' || first == '>' {
		return r, 0, false
	}
	if plusEnd-plus > 1 && !bytes.Equal(text[plus+1:plusEnd], text[at+1:headerEnd]) {
		return r, 0, false
	}
	return recordLines{at, headerEnd, bases, basesEnd - bases, qualities}, next, true
}

// endLine returns where the line at text[at:] ends, without what trimBlanks drops, and where the
// next one starts. Both are -1 if the line has no end, or at is -1.
func endLine(text []byte, at int) (end, next int) {
	if at < 0 {
		return -1, -1
	}
	n := bytes.IndexByte(text[at:], '\n')
	if n < 0 {
		return -1, -1
	}
	end, next = at+n, at+n+1
	if n > 0 && text[end-1] <= ' ' {
		end = at + len(trimBlanks(text[at:end]))
	}
	return end, next
}

// skipBlankLines returns the number of bytes of whole blank lines at the start of text;
// of all of text when it is blank and the end of the file.
func skipBlankLines(text []byte, atEnd bool) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			n = i + 1
		case ' ', '\t', '\r':
		default:
			return n
		}
	}
	if atEnd {
		return len(text)
	}
	return n
}

// frameFASTQ cuts the next chunk off the input; first is the number of its
// first record. A chunk without records and error is the end.
func frameFASTQ(in *feed, first int64) chunk {
	c := chunk{format: formatFASTQ, first: first, lines: make([]recordLines, 0, in.records)}
	for {
		size, rebuilt := walkFASTQ(in, &c)
		if c.records > 0 || c.err != nil || in.done {
			c.text, c.buffer = in.take(size), in.buffer.hold()
			if rebuilt != nil {
				c.text, c.lines = rebuilt, nil
			}
			in.records = c.records + c.records/8
			return c
		}
		in.take(size) // blank lines
		in.more()
	}
}

// walkFASTQ walks over the whole records at the start of the text of in until it has in.block
// bytes, counts them in c and notes where their lines are. Text up to size is then done with.
// rebuilt is what the chunk holds instead of text[:size] when a record was not of four lines: such
// records are rewritten so.
func walkFASTQ(in *feed, c *chunk) (size int, rebuilt []byte) {
	text, limit, atEnd, most := in.text, in.block, in.atEnd(), &in.limits
	copied := 0 // text before it is in rebuilt
	for size < limit {
		if size < len(text) && text[size] != '@' {
			size += skipBlankLines(text[size:], atEnd)
		}
		if size == len(text) {
			break
		}
		if r, next, ok := cutFourLines(text, size); ok && most.fits(&r, next) {
			c.lines = append(c.lines, r)
			c.records++
			c.letters += r.length
			size = next
			continue
		}
		if onlyBlank(text[size:]) {
			if len(text)-size > most.text {
				c.err = most.textTooLong("")
			}
			break // a line of blanks without its end
		}
		r, n, err := frameRecord(text[size:], atEnd, most)
		if err != nil {
			c.err = err
			break
		}
		if n == 0 {
			break // incomplete
		}
		if rebuilt == nil {
			rebuilt = make([]byte, 0, size+n+limit)
		}
		rebuilt = append(rebuilt, text[copied:size]...)
		for _, line := range [...][]byte{r.header, r.bases, r.plus, r.qualities} {
			rebuilt = append(append(rebuilt, line...), '\n')
		}
		c.records++
		c.letters += len(r.bases)
		size += n
		copied = size
	}
	if rebuilt != nil {
		rebuilt = append(rebuilt, text[copied:size]...)
	}
	return size, rebuilt
}

// onlyBlank tells whether text is blanks alone. It looks no further than it must.
func onlyBlank(text []byte) bool { return skipBlankLines(text, true) == len(text) }

// lines walks over the lines of a text that may go on.
type lines struct {
	text  []byte
	pos   int
	atEnd bool // text is all there is: its last line needs no '\n'
}

// next returns the next line without the blanks that trimBlanks drops. ok is false when there is
// none or its end is not there yet; line is then the part that is there.
func (l *lines) next() (line []byte, ok bool) {
	rest := l.text[l.pos:]
	n := bytes.IndexByte(rest, '\n')
	switch {
	case n >= 0:
		l.pos += n + 1
	case l.atEnd && len(rest) > 0:
		n = len(rest)
		l.pos += n
	default:
		return trimBlanks(rest), false
	}
	return trimBlanks(rest[:n]), true
}

// truncated is said of a record that the file does not finish.
const truncated = "the file ends inside the record"

// frameRecord finds the FASTQ record at the start of text in its general form:
//
//	@header
//	bases, on any number of lines, blank ones too
//	+           or + and the header or its first word
//	qualities, on lines until there are as many as bases
//
// A record without bases may have an empty line of qualities or none. Its bases and qualities are
// returned joined and its plus line as "+". n is 0 when the end of the record is not in text. A
// line that has no end yet is judged by its beginning, so that text need not grow beyond most.
func frameRecord(text []byte, atEnd bool, most *recordLimits) (r fourLines, n int, err *recordError) {
	l := lines{text: text, atEnd: atEnd}
	name := func() string {
		if len(r.header) > 0 && r.header[0] == '@' {
			return firstWord(r.header)
		}
		return ""
	}
	fail := func(format string, args ...any) (fourLines, int, *recordError) {
		return fourLines{}, 0, recordErrorf(name(), format, args...)
	}
	incomplete := func() (fourLines, int, *recordError) {
		if atEnd {
			return fail(truncated)
		}
		if len(text) > most.text {
			return fourLines{}, 0, most.textTooLong(name())
		}
		return fourLines{}, 0, nil
	}
	if text[0] != '@' {
		return fail("expected '@' at the start of a record, found %q", text[:1])
	}
	var ok bool
	if r.header, ok = l.next(); len(r.header) > maxHeader {
		return fourLines{}, 0, headerTooLong(name())
	}
	if !ok {
		return incomplete()
	}
	for {
		line, ok := l.next()
		if len(line) > 0 && line[0] == '+' {
			if len(line) > maxHeader {
				return fourLines{}, 0, headerTooLong(name())
			}
			if !ok {
				return incomplete()
			}
			r.plus = line
			break
		}
		if len(line) > 0 && (line[0] == '@' || line[0] == '>') {
			return fail("expected bases or '+', found a line that starts with %q", line[:1])
		}
		if len(r.bases)+len(line) > most.bases {
			return fourLines{}, 0, most.readTooLong(name(), "bases")
		}
		if !ok {
			return incomplete()
		}
		if len(line) > 0 {
			r.bases = joinLines(r.bases, line)
		}
	}
	if len(r.plus) > 1 && !bytes.Equal(r.plus[1:], r.header[1:]) && string(r.plus[1:]) != firstWord(r.header) {
		return fail("the '+' line names another read, %s", quote(string(r.plus[1:])))
	}
	r.plus = r.plus[:1]
	for len(r.qualities) < len(r.bases) {
		line, ok := l.next()
		switch got := len(r.qualities); {
		case got > 0 && len(line) > 0 && line[0] == '@' && got+len(line) > len(r.bases):
			// A line that starts with '@' and does not fit is the next record.
			return fail("%d bases but %d qualities", len(r.bases), got)
		case got+len(line) > most.bases:
			return fourLines{}, 0, most.readTooLong(name(), "qualities")
		case !ok && !atEnd:
			return incomplete()
		case !ok && got == 0:
			return fail(truncated)
		case !ok:
			return fail("%d bases but %d qualities, and %s", len(r.bases), got, truncated)
		case len(line) == 0:
			return fail("%d bases but %d qualities", len(r.bases), got)
		case got+len(line) > len(r.bases):
			return fail("%d bases but %d qualities", len(r.bases), got+len(line))
		}
		r.qualities = joinLines(r.qualities, line)
	}
	if len(r.bases) == 0 {
		// The next line is its qualities if it is empty, and the next record's header otherwise.
		end := l.pos
		line, ok := l.next()
		switch {
		case len(line) > 0 && line[0] == '@', !ok && atEnd:
			l.pos = end
		case len(line) > most.bases:
			return fourLines{}, 0, most.readTooLong(name(), "qualities")
		case !ok:
			return incomplete()
		case len(line) > 0:
			return fail("0 bases but %d qualities", len(line))
		}
	}
	if l.pos > most.text {
		return fourLines{}, 0, most.textTooLong(name())
	}
	return r, l.pos, nil
}

// joinLines appends a line to those before it. The first is not copied: text
// after it is not overwritten by later ones.
func joinLines(joined, line []byte) []byte {
	if joined == nil {
		return line[:len(line):len(line)]
	}
	return append(joined, line...)
}

// describe returns the fault in the bytes of a record whose framing is right, nil if there is none.
func (r *fourLines) describe() error {
	for i, c := range r.bases {
		if readLetters[c] == 0 {
			return badLetter(c, i+1, r.bases[0])
		}
	}
	for i, c := range r.qualities {
		if c < '!' || c > '~' {
			return badQuality(c, i+1)
		}
	}
	if len(r.bases) != len(r.qualities) {
		return fmt.Errorf("%d bases but %d qualities", len(r.bases), len(r.qualities))
	}
	return nil
}
