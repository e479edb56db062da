package fasta

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Error is a fault of an input, in one line:
//
//	reads.fq: record 812 "SRR1.812": 151 bases but 150 qualities
type Error struct {
	File   string // the path as given, or "standard input"
	Record int64  // from 1; 0 when no record is meant
	Name   string // the record's name, empty when not known
	Err    error  // the fault
}

// maxQuoted is the most bytes of a name that a message shows: names in broken
// files can be as long as the file.
const maxQuoted = 100

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	b.WriteString(": ")
	if e.Record > 0 {
		fmt.Fprintf(&b, "record %d", e.Record)
		if e.Name != "" {
			fmt.Fprintf(&b, " %s", quote(e.Name))
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// quote returns text in double quotes, escaped and cut to maxQuoted bytes.
func quote(text string) string {
	if len(text) > maxQuoted {
		return fmt.Sprintf("%q...", text[:maxQuoted])
	}
	return fmt.Sprintf("%q", text)
}

// fileError wraps an error of opening or reading a file, less the path that
// package os repeats.
func fileError(file string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{File: file, Err: err}
}

// recordError is an error in a record whose number and file are added by callers that know them.
type recordError struct {
	name string
	err  error
}

func (e *recordError) Error() string { return e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

func recordErrorf(name, format string, args ...any) *recordError {
	return &recordError{name: name, err: fmt.Errorf(format, args...)}
}

// in makes the complete error.
func (e *recordError) in(file string, record int64) *Error {
	return &Error{File: file, Record: record, Name: e.name, Err: e.err}
}
