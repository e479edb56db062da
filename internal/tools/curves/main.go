// Command curves measures how the time of scanmap grows: with the number of reads on one
// reference, and with the length of the reference for one set of reads. It writes the
// measurements as JSON and a plot of each as SVG.
//
//	go run ./internal/tools/curves -repeat 3 -out docs/benchmarks
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"scanmap/internal/tools/command"
)

const (
	folder = "build/curves"
	shared = "../shared/data"
)

// A point is one measurement: X reads or bases took Seconds (median of Runs).
type point struct {
	X       int
	Seconds float64
	Runs    []float64
	PeakMB  float64
}

// A curve is the points of one plot.
type curve struct {
	Title, Command string
	Points         []point
}

type report struct {
	Date, Commit, Go string
	Threads          int
	Reads, Reference curve
}

func main() {
	repeat := flag.Int("repeat", 3, "runs of each point")
	threads := flag.Int("threads", 2, "threads")
	points := flag.Int("points", 6, "points of each curve, each twice the one before")
	out := flag.String("out", "build/curves", "folder for curves-DATE.json and the plots")
	flag.Parse()
	if err := run(*repeat, *threads, *points, *out); err != nil {
		fmt.Fprintln(os.Stderr, "curves:", err)
		os.Exit(1)
	}
}

func run(repeat, threads, points int, out string) error {
	if _, err := os.Stat(shared); err != nil {
		fmt.Println("SKIPPED:", shared, "is not there")
		return nil
	}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	r := &report{Date: time.Now().UTC().Format("2006-01-02"), Commit: command.Output("git", "describe", "--always", "--dirty"), Go: command.Output("go", "env", "GOVERSION"), Threads: threads}
	yeast, ecoli := filepath.Join(folder, "yeast.fa"), filepath.Join(folder, "ecoli.fa")
	all, text := filepath.Join(folder, "reads.fq"), filepath.Join(folder, "text.fa")
	for _, line := range []string{
		"zcat " + shared + "/ref/yeast_R64-1-1_toplevel.fa.gz > " + yeast,
		"zcat " + shared + "/ref/ecoli_K12_MG1655_NC_000913.3.fa.gz > " + ecoli,
		fmt.Sprintf("go run ./internal/tools/simulate -ref %s -n %d -length 100 -max-edits 4 -o %s", yeast, 25000<<(points-1), all),
		// A long text of real sequence: every reference of the folder but the masked one, each
		// once, under new names.
		"n=0; for f in " + shared + "/ref/*.fa " + shared + `/ref/*.fa.gz; do case $f in *masked*) continue;; esac; n=$((n+1)); (zcat -f "$f") | sed "s/^>/>f${n}_/"; done > ` + text,
	} {
		if err := command.Shell(line); err != nil {
			return err
		}
	}
	if err := r.growReads(repeat, points, yeast, all); err != nil {
		return err
	}
	if err := r.growReference(repeat, points, text, all); err != nil {
		return err
	}
	if err := command.SaveJSON(filepath.Join(out, "curves-"+r.Date+".json"), r); err != nil {
		return err
	}
	if err := draw(r.Reads, 1e3, "thousand reads", filepath.Join(out, "curve-reads.svg")); err != nil {
		return err
	}
	return draw(r.Reference, 1e6, "million bases of reference", filepath.Join(out, "curve-reference.svg"))
}

// growReads maps more and more of the reads.
func (r *report) growReads(repeat, points int, reference, all string) error {
	r.Reads.Title = "25,000 to 800,000 simulated reads of 100 bases on yeast, k = 4"
	part := filepath.Join(folder, "part.fq")
	for i := range points {
		n := 25000 << i
		if err := command.Shell(fmt.Sprintf("head -n %d %s > %s", 4*n, all, part)); err != nil {
			return err
		}
		if err := r.Reads.measure(n, repeat, r.Threads, reference, part); err != nil {
			return err
		}
	}
	return nil
}

// growReference maps the same 50,000 reads to longer and longer beginnings of a text.
func (r *report) growReference(repeat, points int, text, all string) error {
	r.Reference.Title = "50,000 reads of 100 bases, k = 4, on 2 to 62 Mb of real sequence"
	fixed, part := filepath.Join(folder, "fixed.fq"), filepath.Join(folder, "part.fa")
	if err := command.Shell(fmt.Sprintf("head -n 200000 %s > %s", all, fixed)); err != nil {
		return err
	}
	for i := range points {
		n, err := beginning(text, part, 2_000_000<<i)
		if err != nil {
			return err
		}
		if err := r.Reference.measure(n, repeat, r.Threads, part, fixed); err != nil {
			return err
		}
	}
	return nil
}

// beginning copies about the first n bases of a FASTA file and returns how many there are.
func beginning(source, target string, n int) (bases int, err error) {
	in, err := os.Open(source)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(target)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(out)
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<28)
	for bases < n && s.Scan() {
		line := s.Text()
		if !strings.HasPrefix(line, ">") {
			line = line[:min(len(line), n-bases)]
			bases += len(line)
		}
		if _, err := w.WriteString(line + "\n"); err != nil {
			return 0, err
		}
	}
	return bases, errors.Join(s.Err(), w.Flush(), out.Close())
}

// measure adds a point.
func (c *curve) measure(x, repeat, threads int, reference, reads string) error {
	args := []string{"map", "--quiet", "-t", strconv.Itoa(threads), "-e", "4", "-o", filepath.Join(folder, "out.sam"), reference, reads}
	c.Command = "bin/scanmap " + strings.Join(args, " ")
	p := point{X: x}
	for range repeat {
		cmd := exec.CommandContext(context.Background(), "bin/scanmap", args...)
		start := time.Now()
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd.Args, err, text)
		}
		p.Runs = append(p.Runs, time.Since(start).Seconds())
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			p.PeakMB = max(p.PeakMB, float64(usage.Maxrss)/1024)
		}
	}
	sorted := slices.Sorted(slices.Values(p.Runs))
	p.Seconds = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	c.Points = append(c.Points, p)
	fmt.Printf("%s: %d: %.3f s, %.0f MB\n", c.Title, x, p.Seconds, p.PeakMB)
	return nil
}

// draw plots a curve with the straight line through its first and last points, to compare.
func draw(c curve, unit float64, label, file string) error {
	p := plot.New()
	p.Title.Text = c.Title
	p.X.Label.Text, p.Y.Label.Text = label, "seconds, whole run, 2 threads"
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.X.Min, p.Y.Min = 0, 0
	var points plotter.XYs
	for _, q := range c.Points {
		points = append(points, plotter.XY{X: float64(q.X) / unit, Y: q.Seconds})
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	straight, err := plotter.NewLine(plotter.XYs{points[0], points[len(points)-1]})
	if err != nil {
		return err
	}
	straight.Color = color.Gray{Y: 160}
	straight.Dashes = []vg.Length{vg.Points(4), vg.Points(4)}
	line.Color, marks.Color = color.RGBA{R: 20, G: 80, B: 160, A: 255}, color.RGBA{R: 20, G: 80, B: 160, A: 255}
	marks.Radius = vg.Points(3)
	p.Add(plotter.NewGrid(), straight, line, marks)
	last := points[len(points)-1]
	p.X.Max, p.Y.Max = 1.1*last.X, 1.25*last.Y // room for the last label and the legend
	p.Legend.Add("measured (median)", line, marks)
	p.Legend.Add("straight line", straight)
	p.Legend.Top, p.Legend.Left = true, true
	return p.Save(16*vg.Centimeter, 10*vg.Centimeter, file)
}
