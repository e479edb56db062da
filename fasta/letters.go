package fasta

import (
	"bytes"
	"fmt"
	"strings"
)

// readLetters maps what a read may hold to what Read.Bases holds: letters to
// upper case, '.' (an unknown base in old FASTQ) to N. Zero means refused.
var readLetters = func() (t [256]byte) {
	for c := byte('A'); c <= 'Z'; c++ {
		t[c] = c
		t[c|0x20] = c
	}
	t['.'] = 'N'
	return t
}()

// referenceLetters is the same for references, where gaps and stops ('-', '*')
// are ambiguous positions too.
var referenceLetters = func() [256]byte {
	t := readLetters
	t['-'], t['*'] = 'N', 'N'
	return t
}()

// maxQuality is the highest quality, '~' less '!'.
const maxQuality = '~' - '!'

// badLetter describes a letter that readLetters or referenceLetters refuse.
// position is from 1; first is the first letter of the sequence.
func badLetter(c byte, position int, first byte) error {
	if c >= '0' && c <= '9' && position == 2 && strings.IndexByte("ACGT", first) >= 0 {
		return fmt.Errorf("the byte %q at position %d is not a base: this looks like colour space, which is not supported", []byte{c}, position)
	}
	return fmt.Errorf("the byte %q at position %d is not a base", []byte{c}, position)
}

// badQuality describes a byte that is not a quality. position is from 1.
func badQuality(c byte, position int) error {
	return fmt.Errorf("the byte %q at position %d of the qualities is not in '!' to '~'", []byte{c}, position)
}

// maxNameLength is what BAM can hold in l_read_name, less the closing NUL.
const maxNameLength = 254

// inReadName has the bytes that SAM allows in QNAME: [!-?A-~].
var inReadName = func() (t [256]bool) {
	for c := '!'; c <= '~'; c++ {
		t[c] = c != '@'
	}
	return t
}()

// readName returns the name of a read from the first word of its header: less a
// trailing /1 or /2 unless the whole is wanted, "*" if nothing is left.
func readName(word string, whole bool) (string, error) {
	name := cutMate(word, whole)
	if name == "*" {
		return name, nil
	}
	if len(name) > maxNameLength {
		return "", fmt.Errorf("the name has %d bytes, but SAM allows %d", len(name), maxNameLength)
	}
	for i := 0; i < len(name); i++ {
		if !inReadName[name[i]] {
			return "", fmt.Errorf("the byte %q at position %d of the name is not allowed in SAM", name[i:i+1], i+1)
		}
	}
	return name, nil
}

// cutMate is readName for words whose bytes and length a name may have.
func cutMate(word string, whole bool) string {
	if !whole && mateDigit(word) != 0 {
		word = word[:len(word)-2]
	}
	if word == "" {
		return "*"
	}
	return word
}

// mateDigit returns the digit of a trailing /1 or /2, 0 if there is none.
func mateDigit(word string) byte {
	if n := len(word); n >= 2 && word[n-2] == '/' && (word[n-1] == '1' || word[n-1] == '2') {
		return word[n-1]
	}
	return 0
}

// inContigName has the bytes that SAM allows in the name of a reference
// sequence; the first byte may not be '*' or '=' either.
var inContigName = func() (t [256]bool) {
	for c := '!'; c <= '~'; c++ {
		t[c] = !strings.ContainsRune("\\,\"'`()[]{}<>", c)
	}
	return t
}()

// checkContigName returns the fault in the name of a contig.
func checkContigName(name string) error {
	if name == "" {
		return fmt.Errorf("the contig has no name")
	}
	for i := 0; i < len(name); i++ {
		if !inContigName[name[i]] || i == 0 && (name[0] == '*' || name[0] == '=') {
			return fmt.Errorf("the byte %q at position %d of the name is not allowed in SAM", name[i:i+1], i+1)
		}
	}
	return nil
}

// firstWord returns the first word of a header line, less its '@' or '>'.
func firstWord(header []byte) string {
	word := trimBlanks(header)
	if len(word) > 0 {
		word = word[1:]
	}
	if i := bytes.IndexAny(word, " \t"); i >= 0 {
		word = word[:i]
	}
	return string(word)
}

// comment returns the rest of a header as biogo gives it, less the blanks before it.
func comment(description string) string { return strings.TrimLeft(description, " \t") }

// trimBlanks drops blanks, tabs and carriage returns from the end of a line.
func trimBlanks(line []byte) []byte {
	for len(line) > 0 {
		switch line[len(line)-1] {
		case ' ', '\t', '\r':
			line = line[:len(line)-1]
			continue
		}
		break
	}
	return line
}
