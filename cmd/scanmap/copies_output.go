package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/genome/copies"
	"scanmap/report"
)

// copyNumbers are the results with the names that belong to them.
type copyNumbers struct {
	*copies.Result
	ref     *dna.Reference
	names   []string // of regions
	options *copies.Options
	// ploidyOf are contigs with other copies than the controls.
	ploidyOf []contigPloidy
	// families are of regions that share reads; familyOf has the one of each region, from 1 on, and
	// none without --shared.
	families []copies.Family
	familyOf map[int]int
}

// decimal writes a number with a number of decimals, and a point for NaN.
func decimal(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "."
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// depthDecimals are the decimals of depths: a window may have less than one start in a thousand
// bases.
const depthDecimals = 6

// describe says in one line what the copy numbers are relative to.
func (n *copyNumbers) describe() string {
	c := &n.Controls
	how := "given"
	if c.Rounds > 0 {
		how = "found in " + counted(c.Rounds, "round")
	}
	sized := ""
	if o := n.options; o.Error > 0 {
		sized = fmt.Sprintf("; windows of %d bases (auto), standard error %s of %s copies", o.Window, decimal(c.Noise, 3),
			strconv.FormatFloat(o.Error, 'f', -1, 64))
	}
	return fmt.Sprintf("controls (%s): %s, %s, depth %s, standard deviation %s, %s copies; gc %s%s", how, counted(c.Windows, "window"),
		counted(int(c.Bases), "base"), decimal(c.Mean, depthDecimals), decimal(c.Deviation, depthDecimals),
		strconv.FormatFloat(n.options.Copies, 'f', -1, 64), n.options.GC, sized)
}

// summarize writes how much there was to go by.
func (n *copyNumbers) summarize(w io.Writer) error {
	_, err := fmt.Fprintf(w, "scanmap: %s; %s\n", counted(len(n.Windows), "window"), n.describe())
	for _, warning := range report.CopiesWarnings(n.Result, n.options) {
		err = firstError(err, warn(w, warning))
	}
	return err
}

// writeWindows writes windows as BED with a line about the controls, and a line with the names of
// the columns.
func (n *copyNumbers) writeWindows(w io.Writer) error {
	b := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(b, "# %s\n#contig\tstart\tend\tcopies\tdepth\tcorrected\tgc\tunmasked\tcontrol\tstarts\terror\tflags\n", n.describe())
	for i := range n.Windows {
		o := &n.Windows[i]
		control := 0
		if o.Control {
			control = 1
		}
		_, _ = fmt.Fprintf(b, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", n.ref.Contigs[o.Contig].Name, o.Start, o.End, decimal(o.Copies, 3),
			decimal(o.Depth, depthDecimals), decimal(o.Corrected, depthDecimals), decimal(o.GC, 4), o.Unmasked, control, countColumns(&o.Count, false))
	}
	return b.Flush() // which has the errors of all writes
}

// countColumns are the columns starts, error and flags.
func countColumns(c *copies.Count, differ bool) string {
	flags := cmp.Or(strings.Join(report.CopiesFlags(c, differ), ","), ".")
	return strconv.FormatFloat(c.Starts, 'g', 10, 64) + "\t" + decimal(c.Error, 3) + "\t" + flags
}

// values are the copies of the windows of bases [from, to) that have unmasked bases.
func (n *copyNumbers) values(contig, from, to int, yield func(start, end int, value float32) error) error {
	first, _ := slices.BinarySearchFunc(n.Windows, from, func(w copies.Window, from int) int {
		return cmp.Or(cmp.Compare(w.Contig, contig), cmp.Compare(w.End, from+1))
	})
	for i := first; i < len(n.Windows) && n.Windows[i].Contig == contig && n.Windows[i].Start < to; i++ {
		if o := &n.Windows[i]; o.Known() {
			if err := yield(o.Start, o.End, float32(o.Copies)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeRegions writes regions as BED, with a header as writeWindows has. With --shared there is a
// column for the number of the family.
func (n *copyNumbers) writeRegions(w io.Writer) error {
	b := bufio.NewWriter(w)
	more := ""
	if n.familyOf != nil {
		more = "\tfamily"
	}
	_, _ = fmt.Fprintf(b, "# %s\n#contig\tstart\tend\tname\tcopies\tmedian\tunmasked\twindows\tstarts\terror\tflags%s\n", n.describe(), more)
	for i := range n.Regions {
		r := &n.Regions[i]
		if f := n.familyOf[i]; f > 0 {
			more = "\t" + strconv.Itoa(f)
		} else if n.familyOf != nil {
			more = "\t."
		}
		_, _ = fmt.Fprintf(b, "%s\t%d\t%d\t%s\t%s\t%s\t%d\t%d\t%s%s\n", n.ref.Contigs[r.Contig].Name, r.Start, r.End, n.regionName(i, r),
			decimal(r.Copies, 3), decimal(r.Median, 3), r.Unmasked, r.Windows, countColumns(&r.Count, r.Differ), more)
	}
	return b.Flush()
}

// writeFamilies writes a line for each family, with the names of its regions at the end.
func (n *copyNumbers) writeFamilies(w io.Writer) error {
	b := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(b, "# %s\n#family\tregions\tcopies\tlow\thigh\tunmasked\tstarts\terror\tflags\tnames\n", n.describe())
	for i := range n.families {
		f := &n.families[i]
		_, _ = fmt.Fprintf(b, "%d\t%d\t%s\t%s\t%s\t%d\t%s\t", i+1, len(f.Regions), decimal(f.Copies, 3), decimal(f.Low, 3), decimal(f.High, 3),
			f.Unmasked, countColumns(&f.Count, false))
		for k, r := range f.Regions {
			if k > 0 {
				_ = b.WriteByte(',')
			}
			_, _ = b.WriteString(n.regionName(r, &n.Regions[r]))
		}
		_ = b.WriteByte('\n')
	}
	return b.Flush()
}

// readShared reads what --region-shared of scanmap map wrote of these regions.
func readShared(ctx context.Context, file string, contigs map[string]int, regions []copies.Interval) ([]copies.Link, error) {
	text, err := fasta.ReadText(ctx, file, maxBED)
	if err != nil {
		return nil, err
	}
	at := map[copies.Interval]int{}
	for i, r := range regions {
		at[r] = i
	}
	var links []copies.Link
	number, left := 0, false
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			left = left || strings.HasPrefix(line, sharedLeft)
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != strings.Count(sharedColumns, "\t")+1 {
			return nil, fmt.Errorf("line %d: has %s; scanmap map --region-shared writes %d", number, counted(len(columns), "column"),
				strings.Count(sharedColumns, "\t")+1)
		}
		var l copies.Link
		for side, to := range []*int{&l.A, &l.B} {
			of := columns[3*side : 3*side+3]
			contig, known := contigs[of[0]]
			start, errStart := strconv.Atoi(of[1])
			end, errEnd := strconv.Atoi(of[2])
			i, found := at[copies.Interval{Contig: contig, Start: start, End: end}]
			if !known || errStart != nil || errEnd != nil || !found {
				return nil, fmt.Errorf("line %d: %s:%s-%s (BED) is not in --regions, which has to be the file that scanmap map had", number, of[0], of[1], of[2])
			}
			*to = i
		}
		for _, f := range []struct {
			column int
			to     *int64
		}{{7, &l.Shared}, {10, &l.ReadsA}, {11, &l.ReadsB}} {
			n, err := strconv.ParseInt(columns[f.column], 10, 64)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("line %d: %q is not a number of reads from 1 on", number, columns[f.column])
			}
			*f.to = n
		}
		if l.A == l.B || l.Shared > min(l.ReadsA, l.ReadsB) {
			return nil, fmt.Errorf("line %d: a region and itself, or more shared reads than reads", number)
		}
		links = append(links, l)
	}
	if !left {
		return nil, errors.New("is not a whole file of scanmap map --region-shared: its first line is missing")
	}
	return links, nil
}

// regionNames are the names of all regions.
func (n *copyNumbers) regionNames() []string {
	names := make([]string, len(n.Regions))
	for i := range n.Regions {
		names[i] = n.regionName(i, &n.Regions[i])
	}
	return names
}

// regionName is the name of a region in its BED, or where it lies, counted from 1.
func (n *copyNumbers) regionName(i int, r *copies.Region) string {
	if n.names[i] != "" {
		return n.names[i]
	}
	return fmt.Sprintf("%s:%d-%d", n.ref.Contigs[r.Contig].Name, r.Start+1, r.End)
}
