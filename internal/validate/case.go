package validate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Case is one call of scanmap map, in every format of output.
type Case struct {
	Name      string
	Reference string   // FASTA file, not compressed: samtools writes an index beside it
	Reads     []string // one FASTQ file, or two with mates

	Distance      string // of -e
	Substitutions bool   // or of --max-mismatches
	Report        string // of --report
	ReadGroup     string // of -R; empty for none
	MaxLocations  int    // 0 for all
	Drop          bool   // --over drop
	OmitUnmapped  bool
	FullSecondary bool
	SequenceMatch bool // --cigar eqx
	UnitGaps      bool // --gaps unit

	Picard  bool // judge by Picard too; every record needs a read group with PL
	Pipes   bool // let samtools read the output from pipes
	Regions int  // how many regions to ask the index for
}

// options are the options that differ from one case to the next, each with its value.
func (c *Case) options() [][]string {
	var options [][]string
	for _, o := range []struct {
		given  bool
		option []string
	}{
		{c.ReadGroup != "", []string{"-R", c.ReadGroup}},
		{c.MaxLocations > 0, []string{"--max-locations", strconv.Itoa(c.MaxLocations)}},
		{c.Drop, []string{"--over", "drop"}},
		{c.OmitUnmapped, []string{"--omit-unmapped"}},
		{c.FullSecondary, []string{"--full-secondary"}},
		{c.SequenceMatch, []string{"--cigar", "eqx"}},
		{c.UnitGaps, []string{"--gaps", "unit"}},
	} {
		if o.given {
			options = append(options, o.option)
		}
	}
	return options
}

// arguments are the arguments of scanmap map before the files. @PG is left out: it differs with the
// name of the output.
func (c *Case) arguments() []string {
	args := []string{"map", "--quiet", "--no-pg", c.distanceOption(), c.Distance, "--report", c.Report}
	return append(args, slices.Concat(c.options()...)...)
}

// distanceOption is the option that Distance belongs to.
func (c *Case) distanceOption() string {
	if c.Substitutions {
		return "--max-mismatches"
	}
	return "-e"
}

// files are the arguments after the options.
func (c *Case) files() []string { return append([]string{c.Reference}, c.Reads...) }

// paired tells whether reads have mates.
func (c *Case) paired() bool { return len(c.Reads) == 2 }

// readGroupID is the ID of the read group.
func (c *Case) readGroupID() string {
	for _, field := range strings.Split(c.ReadGroup, `\t`) {
		if id, ok := strings.CutPrefix(field, "ID:"); ok {
			return id
		}
	}
	return ""
}

// edits is k for a read of n bases.
func (c *Case) edits(n int) (int, error) {
	if percent, ok := strings.CutSuffix(c.Distance, "%"); ok {
		p, err := strconv.ParseFloat(percent, 64)
		return int(math.Floor(p * float64(n) / 100)), err
	}
	return strconv.Atoi(c.Distance)
}

// String describes the case in one line.
func (c *Case) String() string {
	layout := "single"
	if c.paired() {
		layout = "pairs"
	}
	return fmt.Sprintf("%s %s %s", c.Name, layout, strings.Join(c.Modes(), " "))
}

// Modes lists what differs from one case to the next, as options.
func (c *Case) Modes() []string {
	modes := []string{c.Report, c.distanceOption() + " " + c.Distance}
	for _, option := range c.options() {
		if option[0] == "-R" {
			option = option[:1] // the line is the same in every case
		}
		modes = append(modes, strings.Join(option, " "))
	}
	return modes
}
