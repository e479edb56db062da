// Command kmercurves measures how many K-mers of genomes are unique, against K, with scanmap
// mappability, and draws them.
//
//	build/tools/kmercurves -out docs/benchmarks yeast.fa.gz=yeast
//	build/tools/kmercurves -table kmers-2026-11-23.tsv -out docs/benchmarks
//
// Arguments are genomes with the names that they have in the plots. Each is a plot of its own,
// kmers-NAME.svg, with a line for each number of substitutions.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"scanmap/tools/drawing"
	"scanmap/tools/sidebyside"
)

const name = "kmers"

// A point is the K-mers of a genome.
type point struct {
	Genome        string
	K             int
	Substitutions int
	KMers, Unique int64
	Frequency     float64 // mean
}

// The points of each genome. K-mers shorter than some are of no use with many substitutions: they
// fit nearly everywhere.
var (
	lengths       = []int{20, 24, 30, 36, 50, 75, 100, 150, 200, 250}
	substitutions = []int{0, 1, 2, 4}
)

// least is the least K for so many substitutions.
func least(substitutions int) int { return 20 + 8*substitutions }

type report struct {
	*sidebyside.Run
	points []*point
}

func main() {
	options := sidebyside.Flags(name, 1)
	flag.Parse()
	sidebyside.Exit("kmercurves", run(options, flag.Args()))
}

func run(o *sidebyside.Options, genomes []string) error {
	r := &report{}
	if o.Table != "" {
		r.Run = &sidebyside.Run{}
		err := sidebyside.ReadTSV(o.Table, map[string]func() any{"run": func() any { return r.Run }, "point": sidebyside.Into(&r.points)})
		if err != nil {
			return err
		}
		return r.draw(o.Out)
	}
	if len(genomes) == 0 {
		return errors.New("no genome is given")
	}
	r.Run = sidebyside.Begin("build/tools/kmercurves "+strings.Join(genomes, " "), o)
	for _, genome := range genomes {
		file, called, ok := strings.Cut(genome, "=")
		if !ok {
			return fmt.Errorf("%s: expected FILE=NAME", genome)
		}
		for _, e := range substitutions {
			for _, k := range lengths {
				if k < least(e) {
					continue
				}
				p, err := measure(file, called, k, e, o.Threads)
				if err != nil {
					return err
				}
				r.points = append(r.points, p)
				fmt.Fprintf(os.Stderr, "%s, K %d, %d substitutions: %d of %d unique\n", called, k, e, p.Unique, p.KMers)
			}
		}
	}
	if err := sidebyside.WriteTSV(r.Base(o.Out, name)+".tsv", sidebyside.TableOf("run", []*sidebyside.Run{r.Run}), sidebyside.TableOf("point", r.points)); err != nil {
		return err
	}
	return r.draw(o.Out)
}

// summary is the line that scanmap mappability ends with.
var summary = regexp.MustCompile(`(\d+) K-mers, (\d+) unique .*mean frequency ([^,]+),`)

// measure counts the K-mers of a genome.
func measure(file, called string, k, e, threads int) (*point, error) {
	if err := os.MkdirAll("build", 0o755); err != nil {
		return nil, err
	}
	cmd := exec.Command("bin/scanmap", "mappability", "-t", strconv.Itoa(threads), "--device", "cpu", "-K", strconv.Itoa(k),
		"--max-mismatches", strconv.Itoa(e), "--raw", filepath.Join("build", name+".freq8"), file)
	var text bytes.Buffer
	cmd.Stderr = &text
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", file, err, text.String())
	}
	found := summary.FindStringSubmatch(text.String())
	if found == nil {
		return nil, fmt.Errorf("%s: no summary in %q", file, text.String())
	}
	p := &point{Genome: called, K: k, Substitutions: e}
	var errs [3]error
	p.KMers, errs[0] = strconv.ParseInt(found[1], 10, 64)
	p.Unique, errs[1] = strconv.ParseInt(found[2], 10, 64)
	p.Frequency, errs[2] = strconv.ParseFloat(found[3], 64)
	return p, errors.Join(errs[:]...)
}

// draw plots each genome.
func (r *report) draw(folder string) error {
	var genomes []string
	for _, p := range r.points {
		if !slices.Contains(genomes, p.Genome) {
			genomes = append(genomes, p.Genome)
		}
	}
	for _, genome := range genomes {
		if err := r.drawGenome(genome, filepath.Join(folder, name+"-"+genome+".svg")); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) drawGenome(genome, file string) error {
	p := plot.New()
	drawing.Style(p)
	p.Title.Text = "Unique K-mers of " + genome + ", within e substitutions"
	p.X.Label.Text, p.Y.Label.Text = "K", "percent of K-mers"
	lowest := 100.0
	for i, e := range substitutions {
		var line plotter.XYs
		for _, q := range r.points {
			if q.Genome == genome && q.Substitutions == e && q.KMers > 0 {
				share := 100 * float64(q.Unique) / float64(q.KMers)
				line = append(line, plotter.XY{X: float64(q.K), Y: share})
				lowest = min(lowest, share)
			}
		}
		if len(line) == 0 {
			continue
		}
		drawn, marks, err := plotter.NewLinePoints(line)
		if err != nil {
			return err
		}
		drawn.Color, marks.Color, marks.Shape = drawing.Colour(i), drawing.Colour(i), drawing.Glyph(i)
		p.Add(drawn, marks)
		p.Legend.Add(fmt.Sprintf("e = %d", e), drawn, marks)
	}
	p.X.Min, p.Y.Min, p.Y.Max = 0, max(0, lowest-2), 100
	p.Add(plotter.NewGrid())
	return drawing.Save(p, 2*vg.Centimeter, 16*vg.Centimeter, 10*vg.Centimeter, file)
}
