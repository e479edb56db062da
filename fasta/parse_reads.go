package fasta

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/biogo/biogo/alphabet"
	"github.com/biogo/biogo/io/seqio/fasta"
	"github.com/biogo/biogo/io/seqio/fastq"
	"github.com/biogo/biogo/seq"
)

// parser turns chunks into reads: in bulk, or else through biogo's readers. One goroutine uses it.
type parser struct {
	by         readers
	bulk       bulkReads
	crop       int
	wholeNames bool
	in         bytes.Reader
	lines      *bufio.Reader // reused: biogo reads a buffered reader without another buffer
	joined     []byte        // FASTA: the chunk with long lines
	reads      readCollector
	digits     []byte // mateDigit of the first word of each read's header
}

// lineBuffer is the size of the buffer that biogo reads lines from: a line that fits
// is not copied once more.
const lineBuffer = 128 << 10

func newParser(o ReadOptions) *parser {
	return &parser{
		by: o.by, bulk: newBulkReads(o),
		crop: max(o.Crop, 0), wholeNames: o.WholeNames, lines: bufio.NewReaderSize(nil, lineBuffer),
	}
}

// errMalformed is for text that passed our own checks and that biogo reads
// otherwise.
var errMalformed = errors.New("malformed record")

// parse returns the reads of a chunk up to the first wrong one, and its error. The caller adds the
// file to the error. digits then has the digits of the reads at least.
func (p *parser) parse(c *chunk) ([]Read, *Error) {
	if p.by == bulkAndBiogo {
		if reads, ok := p.bulk.parse(c); ok {
			p.digits = p.bulk.digits
			return reads, nil
		}
	}
	return p.parseBiogo(c)
}

// parseBiogo is parse through biogo's readers.
func (p *parser) parseBiogo(c *chunk) ([]Read, *Error) {
	var n int
	var err error
	if c.format == formatFASTQ {
		n, err = p.parseFASTQ(c)
	} else {
		n, err = p.parseFASTA(c)
	}
	reads := p.reads.out
	p.reads.out, p.reads.arena = nil, nil // the caller owns them
	p.digits = make([]byte, len(reads))
	var names *Error
	for i := range min(n+1, len(reads)) {
		r := &reads[i]
		word := r.Name
		p.digits[i] = mateDigit(word)
		if r.Name, names = p.nameOf(c, i, word); names != nil {
			return reads[:i], names
		}
		r.Comment = comment(r.Comment)
		if i == n && err != nil {
			return reads[:i], &Error{Record: c.first + int64(i), Name: word, Err: err}
		}
	}
	if err != nil {
		return reads[:min(n, len(reads))], &Error{Record: c.first + int64(n), Err: err}
	}
	return reads, nil
}

// nameOf is readName with the error of record i of a chunk.
func (p *parser) nameOf(c *chunk, i int, word string) (string, *Error) {
	name, err := readName(word, p.wholeNames)
	if err != nil {
		return "", &Error{Record: c.first + int64(i), Name: word, Err: err}
	}
	return name, nil
}

// parseFASTQ collects the reads of a chunk. It returns the index of the read that an
// error is about.
func (p *parser) parseFASTQ(c *chunk) (int, error) {
	letters := c.letters
	if p.crop > 0 {
		letters = min(letters, c.records*p.crop)
	}
	p.reads.reset(c.records, 2*letters, p.crop)
	p.in.Reset(c.text)
	p.lines.Reset(&p.in)
	reader := fastq.NewReader(p.lines, &p.reads)
	rest := c.text
	for i := range c.records {
		if len(rest) > 0 && rest[0] != '@' {
			rest = rest[skipBlankLines(rest, true):]
		}
		record, next, ok := cutFourLines(rest, 0)
		if !ok {
			return i, errMalformed
		}
		r := record.in(rest)
		rest = rest[next:]
		_, err := reader.Read()
		// biogo drops white space inside a line, so its letters are compared with the letters of
		// the text.
		if err != nil || len(p.reads.out) != i+1 || p.reads.length != len(r.bases) || p.reads.bad {
			if found := r.describe(); found != nil {
				return i, found
			}
			if err == nil {
				err = errMalformed
			}
			return i, err
		}
	}
	return c.records, nil
}

// parseFASTA does the same for FASTA.
func (p *parser) parseFASTA(c *chunk) (int, error) {
	j := joiner{text: p.joined[:0], start: -1}
	letters := 0
	for text := c.text; len(text) > 0; {
		line, n := cutLine(text)
		text = text[n:]
		if len(line) > 0 && line[0] == '>' {
			letters += j.letters
			j.header(line)
		} else {
			j.bases(line)
		}
	}
	j.endLine()
	letters += j.letters
	p.joined = j.text[:0]
	if p.crop > 0 {
		letters = min(letters, c.records*p.crop)
	}
	p.reads.reset(c.records, letters, p.crop)
	p.in.Reset(j.text)
	p.lines.Reset(&p.in)
	reader := fasta.NewReader(p.lines, &p.reads)
	read := 0
	for {
		_, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return read, err
		}
		read++
	}
	switch {
	case read != j.headers || len(p.reads.out) != read:
		return min(read, len(p.reads.out)), errMalformed
	case p.reads.err != nil:
		return p.reads.errAt, p.reads.err
	case j.stopped:
		return read - 1, badLetter(j.wrong, p.reads.length+1, 0)
	case read != c.records:
		return read, errMalformed
	}
	return read, nil
}

// cutLine returns the first line of text, without its '\n', and its size with it.
func cutLine(text []byte) (line []byte, size int) {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return text[:n], n + 1
	}
	return text, len(text)
}

// readCollector is the template that biogo's readers fill: Clone gives itself, SetName
// starts a read, and all else goes to the read that was started last. (The FASTA reader
// calls SetName for a record before it returns the one before.) Bases and qualities of a
// chunk are one allocation.
//
// The readers call no methods of seq.Sequence but the ones defined here.
type readCollector struct {
	seq.Sequence
	crop   int
	out    []Read // Name and Comment as biogo gives them
	arena  []byte // what Bases and Qualities are cut from
	length int    // letters of the last read, before cropping
	bad    bool   // FASTQ: a letter or quality of the last read is wrong
	first  byte   // FASTA: first letter of the last read
	err    error  // FASTA: the first wrong letter of all reads
	errAt  int    // index of its read
}

// reset prepares for a chunk with numbers of records, and of bytes of bases and qualities.
func (t *readCollector) reset(records, bytes, crop int) {
	*t = readCollector{
		crop:  crop,
		out:   make([]Read, 0, records),
		arena: make([]byte, 0, bytes),
	}
}

// Clone returns the template itself.
func (t *readCollector) Clone() seq.Sequence { return t }

// Encoding is the encoding that takes '!' for 0. With alphabet.None biogo loses qualities.
func (t *readCollector) Encoding() alphabet.Encoding { return alphabet.Sanger }

// SetName starts a read.
func (t *readCollector) SetName(name string) error {
	t.out = append(t.out, Read{Name: name, Bases: t.arena[len(t.arena):]})
	t.length, t.bad = 0, false
	return nil
}

// SetDescription sets the comment of the last read.
func (t *readCollector) SetDescription(description string) error {
	t.out[len(t.out)-1].Comment = description
	return nil
}

// kept returns how many of n more letters of the last read stay after cropping.
func (t *readCollector) kept(n int) int {
	if t.crop > 0 {
		return max(min(n, t.crop-t.length), 0)
	}
	return n
}

// AppendLetters adds bases to the last read.
func (t *readCollector) AppendLetters(letters ...alphabet.Letter) error {
	r := &t.out[len(t.out)-1]
	begin := len(t.arena) - len(r.Bases)
	keep := t.kept(len(letters))
	if t.length == 0 && len(letters) > 0 {
		t.first = byte(letters[0])
	}
	for i, c := range letters {
		upper := readLetters[c]
		if upper == 0 && t.err == nil {
			t.errAt, t.err = len(t.out)-1, badLetter(byte(c), t.length+i+1, t.first)
		}
		if i < keep {
			t.arena = append(t.arena, upper)
		}
	}
	t.length += len(letters)
	r.Bases = t.arena[begin:len(t.arena):len(t.arena)]
	return nil
}

// AppendQLetters sets bases and qualities of the last read: biogo calls it once a record.
func (t *readCollector) AppendQLetters(letters ...alphabet.QLetter) error {
	r := &t.out[len(t.out)-1]
	t.length = len(letters)
	keep := letters
	if t.crop > 0 && len(keep) > t.crop {
		keep = keep[:t.crop]
	}
	n := len(keep)
	at := len(t.arena)
	if cap(t.arena)-at < 2*n {
		t.arena, at = make([]byte, 0, 2*n), 0
	}
	t.arena = t.arena[:at+2*n]
	bases := t.arena[at : at+n : at+n]
	qualities := t.arena[at+n : at+2*n : at+2*n]
	for i, q := range keep {
		upper := readLetters[q.L]
		if upper == 0 || q.Q > maxQuality {
			t.bad = true
		}
		bases[i] = upper
		qualities[i] = byte(q.Q) + '!'
	}
	for _, q := range letters[n:] {
		if readLetters[q.L] == 0 || q.Q > maxQuality {
			t.bad = true
		}
	}
	r.Bases, r.Qualities = bases, qualities
	return nil
}
