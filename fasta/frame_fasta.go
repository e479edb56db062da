package fasta

import "bytes"

// frameFASTA cuts the next chunk of FASTA reads off the input: whole records, the
// text up to the last "\n>" within a block. first is the number of its
// first record. A chunk without records and error is the end.
func frameFASTA(in *feed, first int64) chunk {
	c := chunk{format: formatFASTA, first: first}
	for {
		size := 0
		if len(in.text) > 0 {
			size = lastRecords(in.text, in.block)
		}
		if size == 0 {
			if _, c.err = in.limits.longFASTA(in.text); c.err != nil {
				return c
			}
			if !in.done {
				in.more()
				continue
			}
			if in.err != nil {
				return c // the last record may be incomplete
			}
			size = len(in.text)
		}
		c.text, c.buffer = in.take(size), in.buffer.hold()
		var long int
		if long, c.err = in.limits.longFASTA(c.text); c.err != nil {
			c.text = c.text[:long]
		}
		c.records = countRecords(c.text)
		return c
	}
}

// lastRecords returns the size of the whole records at the start of text: about
// limit, at least one record. It is 0 when the end of the first is not in text.
func lastRecords(text []byte, limit int) int {
	if len(text) > limit {
		if i := bytes.LastIndex(text[:limit], []byte("\n>")); i >= 0 {
			return i + 1
		}
		from := max(limit-1, 0)
		if i := bytes.Index(text[from:], []byte("\n>")); i >= 0 {
			return from + i + 1
		}
		return 0
	}
	return bytes.LastIndex(text, []byte("\n>")) + 1
}

// countRecords counts the lines that start with '>'.
func countRecords(text []byte) int {
	n := 0
	for i := 0; ; i++ {
		next := bytes.IndexByte(text[i:], '>')
		if next < 0 {
			return n
		}
		i += next
		if i == 0 || text[i-1] == '\n' {
			n++
		}
	}
}

// block is a part of a reference.
type block struct {
	text []byte
	// midLine tells that text starts inside a line of bases, where '>' is no header.
	midLine bool
	buffer  *textBuffer // that text is in, to be released
}

// frameReference cuts the next block off the input, at the end of a line where there
// is one. midLine is what the block before it ended in, and the result what this one
// ends in. After the last block its text is empty. in.err is set to a recordError if a header has
// more than maxHeader bytes.
func frameReference(in *feed, midLine bool) (b block, midLineNext bool) {
	b.midLine = midLine
	defer func() { b.buffer = in.buffer.hold() }() // no text is read after the block is cut off
	for {
		t := in.text
		if len(t) < in.block && !in.done {
			in.more()
			continue
		}
		if i := bytes.LastIndexByte(t[:min(len(t), in.block)], '\n'); i >= 0 {
			b.text = in.take(i + 1)
			return b, false
		}
		if len(t) == 0 {
			return b, false
		}
		if midLine || t[0] != '>' {
			b.text = in.take(min(len(t), in.block))
			return b, len(in.text) > 0 || !in.done
		}
		// A header longer than a block stays whole.
		i := bytes.IndexByte(t, '\n')
		if i > maxHeader || i < 0 && len(t) > maxHeader {
			in.take(len(t))
			in.done, in.err = true, headerTooLong(firstWord(t[:maxHeader]))
			return b, false
		}
		if i >= 0 {
			b.text = in.take(i + 1)
			return b, false
		}
		if in.done {
			if in.err == nil { // else the header may be incomplete
				b.text = in.take(len(t))
			}
			return b, false
		}
		in.more()
	}
}
