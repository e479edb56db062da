package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"scanmap/mapper"
)

// libraryNames names the libraries of a run as samples, each with a name of its own: by the sample
// of the read group, its ID, or the file of reads without folder and endings. Libraries of one
// sample have the ID after it. fallback names a library that has none of these.
func libraryNames(s *mapper.Stats, fallback string) []string {
	names := make([]string, len(s.Libraries))
	number := map[string]int{}
	for i := range s.Libraries {
		names[i] = libraryName(&s.Libraries[i], fallback)
		number[names[i]]++
	}
	taken := map[string]bool{}
	for i, name := range names {
		if id := s.Libraries[i].ReadGroup; number[name] > 1 && id != "" && id != name {
			name += "_" + id
		}
		free := name
		for n := 2; taken[free]; n++ {
			free = fmt.Sprintf("%s_%d", name, n)
		}
		taken[free] = true
		names[i] = free
	}
	return names
}

func libraryName(l *mapper.LibraryStats, fallback string) string {
	switch {
	case l.Sample != "":
		return l.Sample
	case l.ReadGroup != "":
		return l.ReadGroup
	}
	if name := fileStem(l.ReadsFile); name != "" {
		return name
	}
	return fallback
}

// fileStem returns the name of a file without its folder and the endings of reads and compression;
// it is empty for standard input.
func fileStem(file string) string {
	if file == "" || file == "-" {
		return ""
	}
	name := filepath.Base(file)
	for _, endings := range [][]string{{".gz", ".bgz", ".bz2", ".zst"}, {".fastq", ".fq", ".fasta", ".fas", ".fa", ".fna", ".ffn"}} {
		for _, ending := range endings {
			if n := len(name) - len(ending); n > 0 && strings.EqualFold(name[n:], ending) {
				name = name[:n]
				break
			}
		}
	}
	return name
}

// The most characters of a name, and of a command line, that table and page show: names may have a
// million. JSON has them whole.
const (
	maxName        = 100
	maxCommandLine = 2000
)

// shown returns what table and page show of a name: at most maxName printable characters.
func shown(name string) string { return printable(shorten(name, maxName)) }

// capital is text that is not empty, with its first letter in upper case.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// shorten returns text of at most most characters unchanged, and for longer text the start, an
// ellipsis and the end, most characters in all.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	start, end := 0, len(text)
	for range most - most/2 - 1 {
		_, size := utf8.DecodeRuneInString(text[start:])
		start += size
	}
	for range most / 2 {
		_, size := utf8.DecodeLastRuneInString(text[:end])
		end -= size
	}
	return text[:start] + "…" + text[end:]
}

// printable replaces what a terminal or a browser would obey and not show: control characters,
// marks of direction, bytes that are not UTF-8.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}
