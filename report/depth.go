package report

import (
	"bufio"
	"io"
	"strconv"

	"scanmap/mapper/depth"
)

// The columns of both Abundance and GenomeAbundance, after the name.
const abundanceColumns = "\treads\tweighted_reads\tcovered_bases\tcovered_share\tmean_depth\trpkm\ttpm"

// Abundance writes what lies on each contig as a table with tabs and a line of headers.
func Abundance(w io.Writer, all []depth.Abundance) error { return writeAbundance(w, all, false) }

// GenomeAbundance writes what lies on each genome as Abundance does, with the number of its contigs
// and its relative abundance in percent.
func GenomeAbundance(w io.Writer, all []depth.Abundance) error { return writeAbundance(w, all, true) }

func writeAbundance(w io.Writer, all []depth.Abundance, genomes bool) error {
	to := bufio.NewWriter(w) // Flush has the error
	if genomes {
		_, _ = to.WriteString("genome\tcontigs\tlength" + abundanceColumns + "\trelative_abundance_percent\n")
	} else {
		_, _ = to.WriteString("contig\tlength" + abundanceColumns + "\n")
	}
	var line []byte
	for i := range all {
		a := &all[i]
		line = append(line[:0], a.Name...)
		if genomes {
			line = strconv.AppendInt(append(line, '\t'), int64(a.Contigs), 10)
		}
		for _, n := range []int64{int64(a.Length), a.Reads} {
			line = strconv.AppendInt(append(line, '\t'), n, 10)
		}
		line = appendRounded(append(line, '\t'), a.Weighted)
		line = strconv.AppendInt(append(line, '\t'), a.Covered, 10)
		for _, x := range []float64{ratio(a.Covered, int64(a.Length)), a.Mean, a.RPKM, a.TPM} {
			line = appendRounded(append(line, '\t'), x)
		}
		if genomes {
			line = appendRounded(append(line, '\t'), 100*a.Relative)
		}
		_, _ = to.Write(append(line, '\n'))
	}
	return to.Flush()
}

// RegionDepthHeader is the line before the lines of AppendRegionDepth, a comment to readers of BED.
const RegionDepthHeader = "#contig\tstart\tend\tname\tcovered_bases\tmean_depth\n"

// AppendRegionDepth appends a line of BED with the depth of a region. An empty name is written as a
// full stop.
func AppendRegionDepth(line []byte, contig string, d *depth.RegionDepth) []byte {
	line = append(line, contig...)
	line = strconv.AppendInt(append(line, '\t'), int64(d.Start), 10)
	line = strconv.AppendInt(append(line, '\t'), int64(d.End), 10)
	line = append(line, '\t')
	if d.Name == "" {
		line = append(line, '.')
	}
	line = append(line, d.Name...)
	line = strconv.AppendInt(append(line, '\t'), d.Covered, 10)
	line = appendRounded(append(line, '\t'), d.Mean)
	return append(line, '\n')
}

// appendRounded appends a number with up to six digits after the point.
func appendRounded(line []byte, x float64) []byte {
	line = strconv.AppendFloat(line, x, 'f', 6, 64)
	for line[len(line)-1] == '0' {
		line = line[:len(line)-1]
	}
	if line[len(line)-1] == '.' {
		line = line[:len(line)-1]
	}
	return line
}
