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
