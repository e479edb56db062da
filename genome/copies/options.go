package copies

import (
	"errors"
	"fmt"
	"slices"

	"scanmap/dna"
)

// GC says how values are corrected for GC content.
type GC string

const (
	Loess  GC = "loess"  // by a smooth curve through the means of the strata
	Strata GC = "strata" // by the mean of each stratum
	None   GC = "none"   // not at all
)

// Corrections are the values of GC with what they mean.
func Corrections() [][2]string {
	return [][2]string{
		{string(Loess), "by a smooth curve of depth against GC"},
		{string(Strata), "by the mean depth of each stratum of GC"},
		{string(None), "leave depths as they are"},
	}
}

// ParseGC reads the name of a correction.
func ParseGC(name string) (GC, error) {
	names := make([]string, 0, 3)
	for _, c := range Corrections() {
		if c[0] == name {
			return GC(name), nil
		}
		names = append(names, c[0])
	}
	return "", fmt.Errorf("%q is not one of %q", name, names)
}

// Interval is a stretch [Start, End) of a contig, in bases from 0; Contig is its index in
// dna.Reference.Contigs.
type Interval struct{ Contig, Start, End int }

// Options say how copy numbers are computed.
type Options struct {
	Window   int // unmasked bases of a window; 1,000 with fastCN and mrCaNaVaR
	GC       GC  // correction
	GCWindow int // bases around each base that its GC content is taken of; 400 with fastCN
	// Error is the standard error of the copies of a control by which Sized chooses Window; 0 for
	// none.
	Error float64
	// Span is the share of the strata that each point of the curve is fitted to, in (0, 1]; 0.15
	// with fastCN.
	Span float64

	// Copies is the copy number of the controls: 2 in a diploid genome.
	Copies float64
	// Mask has what counts as masked beside letters other than A, C, G and T, in any order.
	Mask []Interval
	// Margin is the number of bases beside masked ones and at the ends of contigs that count as masked
	// too. fastCN masks 36 bases beside masked ones for reads of 36 bases: reads that reach into
	// masked sequence do not map, so that counts are too low there.
	Margin int
	// Controls are where windows are controls if all their unmasked bases lie there. Controls are
	// found if there are none.
	Controls []Interval
	// Excluded are contigs, by their index, without controls, such as sex chromosomes.
	Excluded []int
	// Regions are to get copy numbers of their own.
	Regions []Interval
}

// Limits of options.
const (
	MaxWindow   = 1 << 30
	MaxGCWindow = 1 << 16
)

// check returns an error for options that do not fit a reference.
func (o *Options) check(ref *dna.Reference) error {
	switch {
	case o.Window < 1 || o.Window > MaxWindow:
		return fmt.Errorf("windows of %d bases are not from 1 to %d", o.Window, MaxWindow)
	case o.GCWindow < 1 || o.GCWindow > MaxGCWindow:
		return fmt.Errorf("GC windows of %d bases are not from 1 to %d", o.GCWindow, MaxGCWindow)
	case !(o.Span > 0 && o.Span <= 1):
		return fmt.Errorf("a span of %v is not above 0 and at most 1", o.Span)
	case !(o.Copies > 0):
		return fmt.Errorf("%v copies of the controls are not above 0", o.Copies)
	case o.Margin < 0:
		return fmt.Errorf("a margin of %d bases is negative", o.Margin)
	}
	if _, err := ParseGC(string(o.GC)); err != nil {
		return err
	}
	for _, list := range [][]Interval{o.Mask, o.Controls, o.Regions} {
		for _, i := range list {
			if i.Contig < 0 || i.Contig >= len(ref.Contigs) || i.Start < 0 || i.Start > i.End || i.End > ref.Contigs[i.Contig].Length {
				return fmt.Errorf("contig %d has no bases from %d to %d", i.Contig, i.Start, i.End)
			}
		}
	}
	if slices.ContainsFunc(o.Excluded, func(c int) bool { return c < 0 || c >= len(ref.Contigs) }) {
		return errors.New("a contig is excluded that the reference does not have")
	}
	return nil
}

// byContig sorts intervals by contig.
func byContig(all []Interval, contigs int) [][]Interval {
	sorted := make([][]Interval, contigs)
	for _, i := range all {
		sorted[i.Contig] = append(sorted[i.Contig], i)
	}
	return sorted
}
