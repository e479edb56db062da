package track

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// A Contig is a sequence of the reference: its name, and its length in bases, at most 2^32 - 1.
type Contig struct {
	Name   string
	Length int
}

// Values gives the intervals of bases [from, to) of a contig, counted from 0, with their values:
// start and end are 0-based and half-open, ascending, never overlapping, inside the contig; bases
// between intervals have no value. Intervals outside [from, to) are cut off: Values may give the
// interval that goes on there, and more, which takes time only. It stops at the first error of
// yield and returns it. Several goroutines call it at a time, for bases in no order and more than
// once, and it gives the same each time.
type Values func(contig, from, to int, yield func(start, end int, value float32) error) error

// Format is the form of a file.
type Format string

// The formats. BedGraphBGZF is bedGraph in the blocks of BGZF (SAMv1, section 4.1), which gzip
// reads too.
const (
	BedGraph     Format = "bedGraph"
	BedGraphBGZF Format = "bedGraph.gz"
	BigWig       Format = "bigWig"
)

// formats has the formats and what the names of their files end with.
var formats = []struct {
	format   Format
	suffixes []string
}{
	{BedGraph, []string{".bedgraph", ".bg", ".bdg"}},
	{BedGraphBGZF, []string{".bedgraph.gz", ".bedgraph.bgz", ".bg.gz", ".bg.bgz", ".bdg.gz", ".bdg.bgz"}},
	{BigWig, []string{".bw", ".bigwig"}},
}

// FormatOf tells the format from the end of a file's name, in capitals or not: .bedgraph, .bg or
// .bdg, the same with .gz or .bgz after it, .bw or .bigwig. The error says so of any other name.
func FormatOf(name string) (Format, error) {
	lower := strings.ToLower(name)
	for _, f := range formats {
		for _, suffix := range f.suffixes {
			if strings.HasSuffix(lower, suffix) {
				return f.format, nil
			}
		}
	}
	return "", fmt.Errorf("%s: the name does not end with .bedgraph, .bg or .bdg, one of them with .gz or .bgz, .bw or .bigwig", name)
}

// checkContigs refuses what a file cannot hold: two contigs of one name, a name that ends a field
// or a line of bedGraph or that turns it into another kind of line, and a length that bigWig cannot
// hold. All formats refuse the same.
func checkContigs(contigs []Contig) error {
	if uint64(len(contigs)) > math.MaxUint32 {
		return errors.New("there are more than 4294967295 contigs")
	}
	seen := make(map[string]bool, len(contigs))
	for i, c := range contigs {
		if err := checkName(c.Name); err != nil {
			return fmt.Errorf("contig %d: %w", i+1, err)
		}
		if seen[c.Name] {
			return fmt.Errorf("contig %d: there is another of the name %s", i+1, c.Name)
		}
		seen[c.Name] = true
		if c.Length < 0 || uint64(c.Length) > math.MaxUint32 {
			return fmt.Errorf("contig %d, %s, has %d bases, which is not in 0 to 4294967295", i+1, c.Name, c.Length)
		}
	}
	return nil
}

// longestName is the longest name of a contig in bytes: a line of bedGraph with it is shorter than
// a block of BGZF.
const longestName = 1 << 15

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("its name is empty")
	case len(name) > longestName:
		return fmt.Errorf("its name has %d bytes, more than %d", len(name), longestName)
	case name[0] == '#' || name == "track" || name == "browser":
		return fmt.Errorf("a line of bedGraph that begins with its name, %s, is no interval", name)
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] == 0x7f {
			return fmt.Errorf("its name, %q, has white space or a control character", name)
		}
	}
	return nil
}
