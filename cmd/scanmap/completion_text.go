package main

import (
	"slices"
	"strings"
)

// quoted makes one word for sh and the shells like it.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// sequencePatterns match the names of files of sequences, plain and compressed, in all three
// shells.
func sequencePatterns() []string {
	var patterns []string
	for _, s := range sequenceSuffixes {
		for _, c := range slices.Concat([]string{""}, compressedSuffixes) {
			patterns = append(patterns, "*"+s+c)
		}
	}
	return patterns
}

// completedLength is about how long the text of an option may be beside its name in a list of
// completions.
const completedLength = 72

// completedText is the text of an option or of a command, cut where it is too long.
func completedText(text string) string {
	text, _, _ = strings.Cut(text, ";")
	if len(text) <= completedLength {
		return text
	}
	text = text[:strings.LastIndexByte(text[:completedLength], ' ')]
	return strings.TrimRight(text, " ,:;(") + " ..."
}

// kind is what completion offers for a value or an argument.
type kind int

// The endings of the names of files of sequences, and the endings that compression adds.
var (
	sequenceSuffixes   = []string{".fa", ".fasta", ".fna", ".ffn", ".fas", ".fq", ".fastq"}
	compressedSuffixes = []string{".gz", ".bgz", ".bz2", ".zst"}
)

const (
	kindNone      kind = iota
	kindWords          // words of a list
	kindFile           // any file
	kindSequences      // files of sequences first, and any file where there are none
	kindFolder
)

// kindOf says what completion offers for the value of an option, with the words if it is a list.
func kindOf(o option) (kind, []string) {
	if len(o.values) > 0 {
		return kindWords, o.values
	}
	switch o.placeholder {
	case "FILE":
		if slices.Contains([]string{"patterns", "barcodes", "against"}, o.name()) {
			return kindSequences, nil
		}
		return kindFile, nil
	case "DIR", "DIRECTORY", "FOLDER":
		return kindFolder, nil
	}
	return kindNone, nil
}

// argumentsOf says what completion offers for arguments that are not options.
func argumentsOf(c command) (kind, []string) {
	switch c.name {
	case "map", "insert-size", "search", "filter", "demultiplex", "primers", "guides", "mappability", "bench map":
		return kindSequences, nil
	case "merge-stats", "copies":
		return kindFile, nil
	case "completion":
		return kindWords, shellNames()
	}
	var words []string
	for _, s := range c.subcommands {
		words = append(words, s.lastName())
	}
	if c.name == "" {
		words = append(words, "help")
	}
	if len(words) > 0 {
		return kindWords, words
	}
	return kindNone, nil
}
