package fasta

import (
	"bytes"
	"encoding/binary"
)

// joiner writes FASTA with long lines for biogo's reader, whose cost is by the line.
// Lines of bases are joined up to joinedLine bytes, without what trimBlanks drops; headers stay.
type joiner struct {
	text    []byte
	start   int // of the line of bases that is being joined; -1 outside one
	headers int // records so far
	letters int // upper bound of the letters of the record so far
	// stopped is set, and nothing added any more, by a byte that is a wrong letter to us and something
	// else to biogo: '>' at the start of a line of bases after white space, which biogo would take for
	// a header, and bytes that are not ASCII, because some are white space in UTF-8. wrong is the
	// byte, and comes right after the letters that were added.
	stopped bool
	wrong   byte
}

// joinedLine is a multiple of 64, so that all but the last line of a record fill whole
// words of a packed sequence.
const joinedLine = 32 << 10

// header adds a header line.
func (j *joiner) header(line []byte) {
	if j.endLine(); j.stopped {
		return
	}
	j.text = append(append(j.text, trimBlanks(line)...), '\n')
	j.letters = 0
	j.headers++
}

// bases adds a line of bases.
func (j *joiner) bases(line []byte) {
	line = trimBlanks(line)
	if i := indexNonASCII(line); i < len(line) {
		j.bases(line[:i])
		if j.endLine(); !j.stopped {
			j.stopped, j.wrong = true, line[i]
		}
		return
	}
	for len(line) > 0 && !j.stopped {
		if j.start < 0 {
			j.start = len(j.text)
		}
		n := min(len(line), joinedLine-(len(j.text)-j.start))
		j.text = append(j.text, line[:n]...)
		line = line[n:]
		j.letters += n
		if len(j.text)-j.start == joinedLine {
			j.endLine()
		}
	}
}

// endLine ends a line of bases if there is one.
func (j *joiner) endLine() {
	if j.start < 0 {
		return
	}
	if first := bytes.TrimSpace(j.text[j.start:]); len(first) > 0 && first[0] == '>' {
		j.stopped, j.wrong = true, '>'
		j.text = j.text[:j.start]
	} else {
		j.text = append(j.text, '\n')
	}
	j.start = -1
}

// indexNonASCII returns the index of the first byte above 0x7f, len(line) if there is none.
func indexNonASCII(line []byte) int {
	i := 0
	for ; i+8 <= len(line); i += 8 {
		if binary.LittleEndian.Uint64(line[i:])&(0x80*everyByte) != 0 {
			break
		}
	}
	for ; i < len(line); i++ {
		if line[i] > 0x7f {
			break
		}
	}
	return i
}
