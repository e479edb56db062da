package fasta

import (
	"bytes"
	"encoding/binary"
)

// Strictly regular text is read in bulk; biogo's readers stay the readers of record. The functions
// of bulk_*.go take chunks and blocks in which every record is of this form:
//
//	header      '>' or '@', and bytes that plainHeader allows: printable ASCII and tabs
//	bases       letters that readLetters or referenceLetters allow
//	qualities   '!' to '~'
//
// with blanks that trimBlanks drops at the ends of lines. Then a line has white space in its header
// and at its end alone, so that biogo's treatment of white space (bytes.TrimSpace and bytes.Fields,
// on lines of UTF-8) changes a line no otherwise than splitHeader and trimBlanks do, and no line of
// bases starts with '>' or '@'. If anything else is found, nothing is kept, and biogo reads the
// chunk or the block from its start, or reports the fault. Therefore this code has no messages.

// readers say who reads.
type readers bool

const (
	bulkAndBiogo readers = false
	biogoAlone   readers = true // for comparison, in tests
)

// plainHeader has the bytes of a header that is read in bulk.
var plainHeader = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = true
	}
	t['\t'] = true
	return t
}()

// splitHeader splits a header without the blanks at its end into its first word, less the first
// byte, and the rest without the blanks between. ok is false if plainHeader forbids a byte.
func splitHeader(header []byte) (word, rest []byte, ok bool) {
	word = header[1:]
	end := -1 // of the word
	if within(word, ' ', '~') {
		end = bytes.IndexByte(word, ' ')
	} else {
		for i, c := range word {
			if !plainHeader[c] {
				return nil, nil, false
			}
			if end < 0 && (c == ' ' || c == '\t') {
				end = i
			}
		}
	}
	if end < 0 {
		return word, nil, true
	}
	return word[:end], bytes.TrimLeft(word[end:], " \t"), true
}

// within tells whether all bytes of text are in [least, most], which are ASCII.
func within(text []byte, least, most byte) bool {
	from, past := uint64(0x80-least)*everyByte, uint64(0x7f-most)*everyByte
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if !eightWithin(binary.LittleEndian.Uint64(text[i:]), from, past) {
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] < least || text[i] > most {
			return false
		}
	}
	return true
}

// eightWithin is within for the eight bytes of x. Every byte of from is 0x80 less the least, and of
// past 0x7f less the most: bit 7 of the sums says that a byte is least or more, and that it is more
// than most. Nothing is carried as long as all bytes are ASCII, and x has bit 7 of other bytes.
func eightWithin(x, from, past uint64) bool {
	return (x+from)&^(x+past)&^x&highBits == highBits
}

// trimLine is trimBlanks for lines that mostly end in no blank.
func trimLine(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] <= ' ' {
		return trimBlanks(line)
	}
	return line
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// copyBases copies bases to a slice that is as long, as readLetters does. It returns false if there
// is another byte among them.
func copyBases(to, bases []byte) bool {
	to = to[:len(bases)]
	i := 0
	for ; i+8 <= len(bases); i += 8 {
		upper := binary.LittleEndian.Uint64(bases[i:]) &^ (0x20 * everyByte)
		if eightWithin(upper, (0x80-'A')*everyByte, (0x7f-'Z')*everyByte) {
			binary.LittleEndian.PutUint64(to[i:], upper)
		} else if !copyLetters(to[i:i+8], bases[i:i+8]) {
			return false
		}
	}
	return copyLetters(to[i:], bases[i:])
}

// copyLetters is copyBases byte by byte.
func copyLetters(to, bases []byte) bool {
	for i, c := range bases {
		upper := readLetters[c]
		if upper == 0 {
			return false
		}
		to[i] = upper
	}
	return true
}

// copyQualities copies qualities to a slice that is as long. It returns false if there is a byte
// that is none.
func copyQualities(to, qualities []byte) bool {
	copy(to, qualities)
	return within(qualities, '!', '~')
}
