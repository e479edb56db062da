package sam

import (
	"fmt"
	"strings"
)

// Format is the form of a file.
type Format string

// The formats. FormatSAMGZ is text in the blocks of BGZF (SAMv1, section 4.1).
const (
	FormatSAM   Format = "sam"
	FormatSAMGZ Format = "sam.gz"
	FormatBAM   Format = "bam"
)

// formats has the formats and what the names of their files end with.
var formats = []struct {
	format   Format
	suffixes []string
}{
	{FormatSAM, []string{".sam"}},
	{FormatSAMGZ, []string{".sam.gz", ".sam.bgz"}},
	{FormatBAM, []string{".bam"}},
}

// Formats returns the names of the formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f.format)
	}
	return names
}

// ParseFormat reads the name of a format.
func ParseFormat(s string) (Format, error) {
	for _, f := range formats {
		if string(f.format) == s {
			return f.format, nil
		}
	}
	return "", fmt.Errorf("format %q is not one of %s", s, strings.Join(Formats(), ", "))
}

// FormatOf tells the format from the end of a file's name, in capitals or not: .sam,
// .sam.gz, .sam.bgz or .bam. It is false for every other name.
func FormatOf(fileName string) (Format, bool) {
	name := strings.ToLower(fileName)
	for _, f := range formats {
		for _, suffix := range f.suffixes {
			if strings.HasSuffix(name, suffix) {
				return f.format, true
			}
		}
	}
	return "", false
}
