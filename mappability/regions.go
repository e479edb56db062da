package mappability

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"scanmap/dna"
)

// ParseRegions reads the regions of a BED file, in the order of its lines: contig, start and end,
// 0-based and half-open, with tabs or blanks between, and then anything. Empty lines, comments (#)
// and the lines of genome browsers (track, browser) are skipped. An error names the line, from 1
// on.
func ParseRegions(text []byte, ref *dna.Reference) ([]Region, error) {
	numbers := map[string]int{}
	for i := range ref.Contigs {
		numbers[ref.Contigs[i].Name] = i
	}
	regions, number := []Region{}, 0
	for line := range bytes.Lines(text) {
		number++
		r, ok, err := parseRegion(string(line), ref, numbers)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if ok {
			regions = append(regions, r)
		}
	}
	return regions, nil
}

// parseRegion reads a line. ok is false for one without a region.
func parseRegion(line string, ref *dna.Reference, numbers map[string]int) (r Region, ok bool, err error) {
	fields := strings.Fields(line)
	if len(fields) == 0 || strings.HasPrefix(fields[0], "#") || fields[0] == "track" || fields[0] == "browser" {
		return r, false, nil
	}
	if len(fields) < 3 {
		return r, false, fmt.Errorf("a region has contig, start and end, and not %d columns", len(fields))
	}
	contig, known := numbers[fields[0]]
	if !known {
		return r, false, fmt.Errorf("the reference has no contig %q", fields[0])
	}
	from, errFrom := strconv.ParseUint(fields[1], 10, 31)
	to, errTo := strconv.ParseUint(fields[2], 10, 31)
	if errFrom != nil || errTo != nil || from > to {
		return r, false, fmt.Errorf("%q to %q is no stretch of positions", fields[1], fields[2])
	}
	if n := ref.Contigs[contig].Length; to > uint64(n) {
		return r, false, fmt.Errorf("position %d, but %s has %d bases", to, fields[0], n)
	}
	return Region{contig, int(from), int(to)}, true, nil
}
