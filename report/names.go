package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"scanmap/mapper"
)

// libraryNames names the libraries of a run as samples, each with a name of its own: by the sample
// of the read group, its ID, or the file of reads without folder and endings. Libraries of one
// sample have the ID after it. fallback names what has none of these.
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
