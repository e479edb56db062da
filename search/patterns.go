package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"scanmap/fasta"
)

// maxText is the most bytes of a file of patterns: it is held whole.
const maxText = 256 << 20

// ReadPatterns reads the patterns of a file, "-" being standard input, plain or compressed as
// package fasta has it. A file of DNA is FASTA if it begins with '>'. Otherwise a line is a
// pattern, or a name and a pattern with blanks between. In Bytes a line is a pattern, with all its
// bytes but the end of the line. Lines that are empty are skipped. The name of a pattern without
// one is its letters, in FASTA the number of its record. A file of more than 256 MiB of text is an
// error.
func ReadPatterns(ctx context.Context, path string, alphabet Alphabet) ([]Pattern, error) {
	text, err := fasta.ReadText(ctx, path, maxText)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		path = "standard input"
	}
	f := patternsFile{name: path, alphabet: alphabet}
	return f.parse(ctx, text)
}

// patternsFile is a file of patterns that is parsed.
type patternsFile struct {
	name     string // for messages
	alphabet Alphabet
	line     int // from 1, where lines are read
	patterns []Pattern
}

const byteOrderMark = "\xef\xbb\xbf"

func (f *patternsFile) parse(ctx context.Context, text []byte) ([]Pattern, error) {
	err := error(nil)
	if f.alphabet == Bytes {
		err = f.lines(text, f.bytesLine)
	} else {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		if bytes.IndexByte(text, 0) >= 0 {
			err = &fasta.Error{File: f.name, Err: errors.New("is UTF-16 or binary; expected FASTA, or lines of patterns")}
		} else if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && start[0] == '>' {
			err = f.fasta(ctx, text)
		} else if err = f.lines(text, f.dnaLine); err != nil && start[0] == '@' {
			err = &fasta.Error{File: f.name, Err: errors.New("is FASTQ; patterns are FASTA, or lines of a pattern or of a name and a pattern")}
		}
	}
	if err == nil && len(f.patterns) == 0 {
		err = &fasta.Error{File: f.name, Err: errors.New("holds no patterns")}
	}
	if err != nil {
		return nil, err
	}
	return f.patterns, nil
}

// fasta reads the records of FASTA.
func (f *patternsFile) fasta(ctx context.Context, text []byte) error {
	reads := fasta.TextReads(ctx, f.name, text, fasta.ReadOptions{Threads: 1, WholeNames: true})
	defer func() { _ = reads.Close() }() // there is no file
	for {
		records, err := reads.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range records {
			number, name := len(f.patterns)+1, records[i].Name
			if name == "*" {
				name = fmt.Sprint(number)
			}
			p, err := newPattern(name, records[i].Bases, f.alphabet)
			if err != nil {
				return &fasta.Error{File: f.name, Record: int64(number), Name: name, Err: err}
			}
			p.Source = Source{File: f.name, Record: int32(number)}
			f.patterns = append(f.patterns, p)
		}
	}
}

// lines gives each line that is not empty to add, without what ends it.
func (f *patternsFile) lines(text []byte, add func(line []byte) error) error {
	for f.line = 1; len(text) > 0; f.line++ {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 {
			continue
		}
		if err := add(line); err != nil {
			return &fasta.Error{File: f.name, Err: fmt.Errorf("line %d: %w", f.line, err)}
		}
	}
	return nil
}

// bytesLine adds the pattern that a line is.
func (f *patternsFile) bytesLine(line []byte) error {
	return f.add(string(line), line)
}

// dnaLine adds the pattern of a line of one or two words.
func (f *patternsFile) dnaLine(line []byte) error {
	words := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' })
	switch len(words) {
	case 0:
		return nil
	case 1:
		return f.add(string(words[0]), words[0])
	case 2:
		return f.add(string(words[0]), words[1])
	}
	return fmt.Errorf("it has %d words, but a line is a pattern, or a name and a pattern", len(words))
}

func (f *patternsFile) add(name string, letters []byte) error {
	p, err := NewPattern(name, letters, f.alphabet)
	if err == nil {
		p.Source = Source{File: f.name, Line: int32(f.line)}
		f.patterns = append(f.patterns, p)
	}
	return err
}
