package sam

import (
	"fmt"
	"strings"
)

// Format is the form of a file.
type Format string

const (
	FormatSAM   Format = "sam"
	FormatSAMGZ Format = "sam.gz" // text in the blocks of BGZF (SAMv1, section 4.1)
	FormatBAM   Format = "bam"
)

// ParseFormat reads the name of a format: sam, sam.gz or bam.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case FormatSAM, FormatSAMGZ, FormatBAM:
		return f, nil
	}
	return "", fmt.Errorf("format %q is none of sam, sam.gz and bam", s)
}

// FormatOf tells the format from the end of a file's name, in capitals or not: .sam,
// .sam.gz, .sam.bgz or .bam. It is false for every other name.
func FormatOf(fileName string) (Format, bool) {
	name := strings.ToLower(fileName)
	for _, c := range []struct {
		suffix string
		format Format
	}{{".sam", FormatSAM}, {".sam.gz", FormatSAMGZ}, {".sam.bgz", FormatSAMGZ}, {".bam", FormatBAM}} {
		if strings.HasSuffix(name, c.suffix) {
			return c.format, true
		}
	}
	return "", false
}
