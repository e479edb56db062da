package validate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Case is one call of scanmap map, in every format of output.
type Case struct {
	Name      string
	Reference string   // FASTA file, not compressed: samtools writes an index beside it
	Reads     []string // one FASTQ file, or two with mates

	Distance      string // of -e
	Report        string // of --report
	ReadGroup     string // of -R; empty for none
	MaxLocations  int    // 0 for all
	OmitUnmapped  bool
	FullSecondary bool
	SequenceMatch bool // --cigar eqx

	Picard  bool // judge by Picard too; every record needs a read group with PL
	Pipes   bool // let samtools read the output from pipes
	Regions int  // how many regions to ask the index for
}

// arguments are those of scanmap map in front of the files. @PG is left out: it differs with the name of the output.
func (c *Case) arguments() []string {
	args := []string{"map", "--quiet", "--no-pg", "-e", c.Distance, "--report", c.Report}
	if c.ReadGroup != "" {
		args = append(args, "-R", c.ReadGroup)
	}
	if c.MaxLocations > 0 {
		args = append(args, "--max-locations", strconv.Itoa(c.MaxLocations))
	}
	if c.OmitUnmapped {
		args = append(args, "--omit-unmapped")
	}
	if c.FullSecondary {
		args = append(args, "--full-secondary")
	}
	if c.SequenceMatch {
		args = append(args, "--cigar", "eqx")
	}
	return args
}

// files are the arguments behind the options.
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

// String says what is mapped and how, in one line.
func (c *Case) String() string {
	layout := "single"
	if c.paired() {
		layout = "pairs"
	}
	return fmt.Sprintf("%s %s %s", c.Name, layout, strings.Join(c.Modes(), " "))
}

// Modes lists what differs from one case to the next, as options.
func (c *Case) Modes() []string {
	modes := []string{c.Report, "-e " + c.Distance}
	if c.ReadGroup != "" {
		modes = append(modes, "-R")
	}
	if c.MaxLocations > 0 {
		modes = append(modes, fmt.Sprintf("--max-locations %d", c.MaxLocations))
	}
	for _, o := range []struct {
		set  bool
		name string
	}{{c.OmitUnmapped, "--omit-unmapped"}, {c.FullSecondary, "--full-secondary"}, {c.SequenceMatch, "--cigar eqx"}} {
		if o.set {
			modes = append(modes, o.name)
		}
	}
	return modes
}
