package main

import (
	"fmt"
	"io"
	"strings"

	"scanmap/sam"
)

// maxMessage is the most bytes of a message, without the bytes that escapes add: room for two names
// of files of at most 4 KiB each.
const maxMessage = 10_000

// oneLine keeps a message on one line of bounded length, and control characters from the terminal,
// whatever the names in it hold.
func oneLine(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage-1000] + " ... " + s[len(s)-1000:]
	}
	columns := strings.Split(s, "\t")
	for i := range columns {
		columns[i] = sam.EscapeCommandLine(columns[i : i+1])
	}
	return strings.Join(columns, "\t")
}

// shownInput is how messages name an input.
func shownInput(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// warn writes a message that does not end the run.
func warn(w io.Writer, message string) error {
	_, err := fmt.Fprintf(w, "scanmap: warning: %s\n", oneLine(message))
	return err
}

// writeHint writes what may be tried, nothing for an empty text.
func writeHint(w io.Writer, text string) error {
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "scanmap: hint: %s\n", oneLine(text))
	return err
}

// counted is a number with what it counts.
func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
