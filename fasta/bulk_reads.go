package fasta

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// bulkReads turns chunks that are strictly regular (bulk.go) into reads. One goroutine uses it.
// Names and comments of a chunk are one string, bases and qualities one allocation.
type bulkReads struct {
	crop       int // bases and qualities to keep of each read
	wholeNames bool
	out        []Read
	digits     []byte // mateDigit of the first word of each read's header
	names      strings.Builder
	arena      []byte
	spare      []byte // whole lines of reads to be cropped
	records    []fastaRecord
}

// parse returns the reads of a chunk. ok is false if the chunk is not regular, or an error follows
// it.
func (p *bulkReads) parse(c *chunk) (reads []Read, ok bool) {
	p.out = make([]Read, c.records)
	p.digits = make([]byte, c.records)
	p.names = strings.Builder{}
	if c.format == formatFASTQ {
		ok = p.parseFASTQ(c)
	} else {
		ok = p.parseFASTA(c)
	}
	reads = p.out
	p.out, p.arena = nil, nil // the caller owns them
	return reads, ok
}

// parseFASTQ takes records whose lines have been found by the framer.
func (p *bulkReads) parseFASTQ(c *chunk) bool {
	if len(c.lines) != c.records {
		return false
	}
	headers := 0
	for i := range c.lines {
		headers += c.lines[i].headerEnd - c.lines[i].header
	}
	p.names.Grow(headers)
	p.reserve(2*c.letters, 2*c.records)
	for i := range c.lines {
		r := c.lines[i].in(c.text)
		if !p.header(i, r.header) {
			return false
		}
		begin := len(p.arena)
		if !p.keep(r.bases, p.crop, copyBases) {
			return false
		}
		middle := len(p.arena)
		if !p.keep(r.qualities, p.crop, copyQualities) {
			return false
		}
		end := len(p.arena)
		read := &p.out[i]
		read.Bases, read.Qualities = p.arena[begin:middle:middle], p.arena[middle:end:end]
	}
	return true
}

// newBulkReads takes what ReadOptions say.
func newBulkReads(o ReadOptions) bulkReads {
	b := bulkReads{crop: o.Crop, wholeNames: o.WholeNames}
	if o.Crop <= 0 {
		b.crop = math.MaxInt
	}
	return b
}

// reserve makes room for letters in strings that cropping may shorten.
func (p *bulkReads) reserve(letters, strings int) {
	if p.crop < letters {
		letters = min(letters, strings*p.crop)
	}
	p.arena = make([]byte, 0, letters)
}

// keep appends the start of a line, at most `most` bytes, to the arena. It returns false if copying
// refuses a byte of the line, be it kept or not.
func (p *bulkReads) keep(line []byte, most int, copying func(to, from []byte) bool) bool {
	at := len(p.arena)
	if len(line) > most {
		p.spare = slices.Grow(p.spare[:0], len(line))[:len(line)]
		p.arena = append(p.arena, p.spare[:most]...)
		return copying(p.spare, line) && copying(p.arena[at:], line[:most])
	}
	p.arena = p.arena[:at+len(line)]
	return copying(p.arena[at:], line)
}

// header sets the name and the comment of a read. The room of p.names has to be enough.
func (p *bulkReads) header(i int, header []byte) bool {
	word, rest, ok := splitHeader(header)
	// A word may have '@' here, and a name may not. A name that is too long before the digit of its
	// mate is cut off is left to biogo.
	if !ok || len(word) > maxNameLength || bytes.IndexByte(word, '@') >= 0 {
		return false
	}
	at := p.names.Len()
	_, _ = p.names.Write(word) // a Builder does not fail
	_, _ = p.names.Write(rest)
	text := p.names.String()[at:]
	p.digits[i] = mateDigit(text[:len(word)])
	p.out[i].Name, p.out[i].Comment = cutMate(text[:len(word)], p.wholeNames), text[len(word):]
	return true
}

// fastaRecord is a record of FASTA in the text of a chunk.
type fastaRecord struct{ header, lines []byte }

// parseFASTA takes records whose first lines start with '>'.
func (p *bulkReads) parseFASTA(c *chunk) bool {
	p.records = p.records[:0]
	headers, letters := 0, 0
	for text := c.text; len(text) > 0; {
		line, n := cutLine(text)
		line = trimLine(line)
		if len(line) > 0 && line[0] == '>' {
			headers += len(line)
			p.records = append(p.records, fastaRecord{header: line, lines: text[n:n]})
		} else if len(p.records) == 0 {
			return false
		} else {
			r := &p.records[len(p.records)-1]
			r.lines = r.lines[:len(r.lines)+n]
			letters += len(line)
		}
		text = text[n:]
	}
	if len(p.records) != c.records {
		return false
	}
	p.names.Grow(headers)
	p.reserve(letters, c.records)
	for i := range p.records {
		r := &p.records[i]
		if !p.header(i, r.header) {
			return false
		}
		begin := len(p.arena)
		for text := r.lines; len(text) > 0; {
			line, n := cutLine(text)
			text = text[n:]
			if !p.keep(trimLine(line), p.crop-(len(p.arena)-begin), copyBases) {
				return false
			}
		}
		end := len(p.arena)
		p.out[i].Bases = p.arena[begin:end:end]
	}
	return true
}
