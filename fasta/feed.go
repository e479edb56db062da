package fasta

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"
)

// textBuffer is memory that text is read into. Users of its slices hold the buffer; when the last
// one releases it, other text may be read into the buffer.
type textBuffer struct {
	bytes []byte
	held  atomic.Int32
	spare chan<- *textBuffer
}

// hold returns the buffer, held once more.
func (b *textBuffer) hold() *textBuffer {
	if b != nil {
		b.held.Add(1)
	}
	return b
}

// release gives up what hold returned.
func (b *textBuffer) release() {
	if b == nil || b.held.Add(-1) > 0 {
		return
	}
	select {
	case b.spare <- b:
	default: // there are enough
	}
}

// feed holds the text of a file that has been read and not been framed yet.
// Slices of its text stay valid until their buffer is released.
type feed struct {
	ctx   context.Context
	r     io.Reader
	block int // bytes to read ahead, and about the size of a piece cut off
	// records is how many records the next chunk of FASTQ is likely to have.
	records int
	// limits are the limits of reads: the framer gives up a text with more than they allow for a
	// record. They are zero for a reference, since nothing but a header is held whole.
	limits recordLimits
	// reference tells that the file has to be FASTA.
	reference bool
	text      []byte // not framed yet, in buffer
	// buffer is held for text, and spare has those to be used again, of the size of block; nil if none
	// are.
	buffer *textBuffer
	spare  chan *textBuffer
	done   bool  // nothing more will come
	err    error // why, when it is not the end of the file
}

// atEnd tells whether text reaches to the end of a file that was read whole.
func (f *feed) atEnd() bool { return f.done && f.err == nil }

// more reads on: text keeps its bytes and grows by at least one byte unless done is set. Called
// again, it at least doubles a text that is long already, so that searching it again after each
// call stays linear; but not beyond the limits of a record.
func (f *feed) more() {
	if f.done {
		return
	}
	if err := f.ctx.Err(); err != nil {
		f.done, f.err = true, err
		return
	}
	size := f.block
	if 2*len(f.text) > size {
		size = 2 * len(f.text)
	}
	if most := f.limits.text + f.block; f.limits.text > 0 && size > most {
		size = max(most, len(f.text)+16)
	}
	next := f.room(max(size, 16))
	buffer := next.bytes[:len(f.text)]
	copy(buffer, f.text)
	for empty := 0; len(buffer) < cap(buffer); {
		n, err := f.r.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == nil && n == 0 {
			if empty++; empty == 100 {
				err = io.ErrNoProgress
			}
		}
		if err != nil {
			f.done = true
			if err != io.EOF {
				f.err = err
			}
			break
		}
	}
	f.buffer.release()
	f.text, f.buffer = buffer, next
}

// room returns a buffer of size bytes, held.
func (f *feed) room(size int) *textBuffer {
	usual := size == max(f.block, 16)
	if usual {
		select {
		case b := <-f.spare:
			return b.hold()
		default:
		}
	}
	b := &textBuffer{bytes: make([]byte, size)}
	if usual { // a large one is for a large record
		b.spare = f.spare
	}
	return b.hold()
}

// take cuts the first n bytes off.
func (f *feed) take(n int) []byte {
	taken := f.text[:n:n]
	f.text = f.text[n:]
	return taken
}

// atLeast reads until text has n bytes, or all there are.
func (f *feed) atLeast(n int) {
	for len(f.text) < n && !f.done {
		f.more()
	}
}

// format tells FASTA from FASTQ.
type format byte

const (
	formatNone  format = 0 // nothing but blank lines and comments
	formatFASTA format = '>'
	formatFASTQ format = '@'
)

// sniff skips a byte-order mark, blank lines and, before FASTA, comment lines
// ('#' and ';'), and tells the format from the first byte of the first record, at which text then
// starts.
func (f *feed) sniff() (format, error) {
	f.atLeast(4)
	switch t := f.text; {
	case bytes.HasPrefix(t, []byte("\xef\xbb\xbf")):
		f.take(3)
	case bytes.HasPrefix(t, []byte("\xff\xfe")), bytes.HasPrefix(t, []byte("\xfe\xff")):
		return formatNone, errUTF16
	}
	comments := false
	for {
		f.atLeast(16)
		if len(f.text) == 0 {
			return formatNone, f.err
		}
		switch c := f.text[0]; c {
		case '\n':
			f.take(1)
			continue
		case ' ', '\t', '\r':
			blank, ok := f.skipLine()
			if !ok {
				return formatNone, f.err
			}
			if !blank {
				return formatNone, f.unexpected([]byte{c})
			}
			continue
		case '#', ';':
			comments = true
			if _, ok := f.skipLine(); !ok {
				return formatNone, f.err
			}
			continue
		}
		return f.recordStart(comments)
	}
}

var errUTF16 = fmt.Errorf("is UTF-16 or binary; expected plain text (FASTA or FASTQ)")

// recordStart judges the first bytes of the first record.
func (f *feed) recordStart(comments bool) (format, error) {
	t := f.text
	switch {
	case t[0] == 0 || len(t) > 1 && t[1] == 0:
		return formatNone, errUTF16
	case t[0] == '>':
		return formatFASTA, nil
	case otherFormat(t) != "":
		return formatNone, f.is(otherFormat(t))
	case t[0] != '@':
		return formatNone, f.unexpected(t[:1])
	case isSAM(t):
		return formatNone, f.is("SAM")
	case comments:
		return formatNone, fmt.Errorf("comment lines before FASTQ; they are allowed before FASTA ('>') only")
	case f.reference:
		return formatNone, f.is("FASTQ")
	}
	return formatFASTQ, nil
}

// unexpected is the error of a file that begins with another byte than a record does.
func (f *feed) unexpected(found []byte) error {
	if f.reference {
		return fmt.Errorf("expected FASTA ('>'), found %q", found)
	}
	return fmt.Errorf("expected FASTA ('>') or FASTQ ('@'), found %q", found)
}

// is is the error of a file in another format.
func (f *feed) is(format string) error {
	if f.reference {
		return fmt.Errorf("is %s; a reference must be FASTA", format)
	}
	return fmt.Errorf("is %s; expected FASTA or FASTQ", format)
}

// otherFormat names the format of binary data by how they begin, empty for others.
func otherFormat(t []byte) string {
	for _, f := range [][2]string{{"BAM\x01", "BAM"}, {"CRAM", "CRAM"}, {"BCF\x02", "BCF"}, {"\x26\xfc\x8f\x88", "bigWig"}, {"\x88\x8f\xfc\x26", "bigWig"},
		{"\xeb\xf2\x89\x87", "bigBed"}, {"\x87\x89\xf2\xeb", "bigBed"}, {"\x43\x27\x41\x1a", "2bit"}, {"\x1a\x41\x27\x43", "2bit"}} {
		if bytes.HasPrefix(t, []byte(f[0])) {
			return f[1]
		}
	}
	return ""
}

// isSAM tells a SAM header line from the header of a FASTQ record.
func isSAM(t []byte) bool {
	for _, tag := range []string{"@HD\t", "@SQ\t", "@RG\t", "@PG\t"} {
		if bytes.HasPrefix(t, []byte(tag)) && len(t) > 6 && t[6] == ':' {
			return true
		}
	}
	return bytes.HasPrefix(t, []byte("@CO\t"))
}

// skipLine drops one line and tells whether it is blank. ok is false when reading failed before its
// end.
func (f *feed) skipLine() (blank, ok bool) {
	blank = true
	for {
		n, found := len(f.text), false
		if i := bytes.IndexByte(f.text, '\n'); i >= 0 {
			n, found = i+1, true
		}
		if rest := bytes.TrimRight(f.take(n), " \t\r\n"); len(rest) > 0 {
			blank = false
		}
		if found || f.done {
			return blank, found || f.err == nil
		}
		f.more()
	}
}
