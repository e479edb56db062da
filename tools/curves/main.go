// Command curves measures how the time of scanmap grows: with the number of reads on one reference,
// and with the length of the reference for one set of reads. Its report has a plot of each.
//
//	build/tools/curves -repeat 3 -out docs/benchmarks
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

const (
	folder = "build/curves"
	name   = "curves"
)

// The curves.
const (
	growingReads     = "reads"
	growingReference = "reference"
)

// A point is one measurement: so many reads, or bases of reference, took so many seconds.
type point struct {
	Curve, Title string
	X            int
	sidebyside.Timing
}

type report struct {
	*sidebyside.Run
	Points []*point
}

// A set is what is measured on.
type set struct {
	reads string // reference that the reads are cut out of and mapped to, a file of the data
	// patterns of files of the data that are one after the other the growing reference
	text      []string
	most      int    // reads
	fixed     int    // reads for the growing reference
	about     string // what the first reference is
	bases     int    // of the growing reference at most; 0 for all
	excluding string // files of the text that are left out
}

var (
	larger = set{reads: sidebyside.Yeast, text: []string{"ref/*.fa", "ref/*.fa.gz"}, most: 800000, fixed: 50000, about: "yeast", bases: 64e6, excluding: "masked"}
	small  = set{reads: "portiera.fa.gz", text: []string{"portiera.fa.gz"}, most: 80000, fixed: 5000, about: "Portiera"}
)

func main() {
	options := sidebyside.Flags(name, 3)
	points := flag.Int("points", 6, "points of each curve, each twice the one before")
	flag.Parse()
	sidebyside.Exit("curves", run(options, *points))
}

func run(o *sidebyside.Options, points int) error {
	if o.Table != "" {
		r, err := read(o.Table)
		if err != nil {
			return err
		}
		return r.save(o.Out)
	}
	data := sidebyside.FindData()
	s := sidebyside.Choose(data, []set{larger}, []set{small})[0]
	r := &report{Run: sidebyside.Begin("make curves", o)}
	reference, err := data.Unpack(s.reads, folder)
	if err != nil {
		return err
	}
	all := filepath.Join(folder, "reads.fq")
	if err := command.Shell(fmt.Sprintf("build/tools/simulate -ref %s -n %d -length 100 -max-edits 4 -o %s", reference, s.most, all)); err != nil {
		return err
	}
	if err := r.growReads(s, points, reference, all); err != nil {
		return err
	}
	if err := r.growReference(s, points, data, all); err != nil {
		return err
	}
	return r.save(o.Out)
}

// growReads maps more and more of the reads.
func (r *report) growReads(s set, points int, reference, all string) error {
	part := filepath.Join(folder, "part.fq")
	least := s.most >> (points - 1)
	title := fmt.Sprintf("%s to %s simulated reads of 100 bases on %s, k = 4", thousands(least), thousands(s.most), s.about)
	for i := range points {
		n := least << i
		if err := command.Shell(fmt.Sprintf("head -n %d %s > %s", 4*n, all, part)); err != nil {
			return err
		}
		if err := r.measure(&point{Curve: growingReads, Title: title, X: n}, reference, part); err != nil {
			return err
		}
	}
	return nil
}

// growReference maps the same reads to longer and longer beginnings of a text: real sequence, each
// file once, with names that differ.
func (r *report) growReference(s set, points int, data sidebyside.Data, all string) error {
	text, fixed, part := filepath.Join(folder, "text.fa"), filepath.Join(folder, "fixed.fq"), filepath.Join(folder, "part.fa")
	var patterns []string
	for _, p := range s.text {
		patterns = append(patterns, data.Path(p))
	}
	excluded := ""
	if s.excluding != "" {
		excluded = "case $f in *" + s.excluding + "*) continue;; esac; "
	}
	for _, line := range []string{
		"n=0; for f in " + strings.Join(patterns, " ") + "; do " + excluded + `n=$((n+1)); zcat -f "$f" | sed "s/^>/>f${n}_/"; done > ` + text,
		fmt.Sprintf("head -n %d %s > %s", 4*s.fixed, all, fixed),
	} {
		if err := command.Shell(line); err != nil {
			return err
		}
	}
	most := s.bases
	if most == 0 {
		if _, err := fmt.Sscan(command.Output("sh", "-c", "grep -v '>' "+text+" | tr -d '\\n' | wc -c"), &most); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	var grown []*point
	for i := range points {
		n, err := beginning(text, part, most>>(points-1-i))
		if err != nil {
			return err
		}
		p := &point{Curve: growingReference, X: n}
		if err := r.measure(p, part, fixed); err != nil {
			return err
		}
		grown = append(grown, p)
	}
	last := grown[len(grown)-1]
	for _, p := range grown {
		p.Title = fmt.Sprintf("%s reads of 100 bases, k = 4, on %.2g to %.2g Mb of real sequence",
			thousands(s.fixed), float64(grown[0].X)/1e6, float64(last.X)/1e6)
	}
	return nil
}

// thousands writes a number with a comma before its last three digits.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
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

// measure times a point and adds it.
func (r *report) measure(p *point, reference, reads string) error {
	words := sidebyside.Words{"REF": reference, "READS": reads, "OUT": filepath.Join(folder, "out.sam"), "T": strconv.Itoa(r.Threads)}
	p.Command = words.Fill("bin/scanmap map --quiet -t {T} -e 4 -o {OUT} {REF} {READS}")
	if _, err := r.Turns([]*sidebyside.Entrant{{Name: "scanmap", Timing: &p.Timing, Args: sidebyside.Args(p.Command)}}, r.Repeat, 0); err != nil {
		return err
	}
	r.Points = append(r.Points, p)
	fmt.Fprintf(os.Stderr, "%s: %d: %.3f s, %.0f MB\n", p.Curve, p.X, p.Median(), p.PeakMB)
	return nil
}

// of returns the points of a curve.
func (r *report) of(curve string) (points []*point) {
	for _, p := range r.Points {
		if p.Curve == curve {
			points = append(points, p)
		}
	}
	return points
}

// save writes the report, and a plot of each curve beside it, in build/curves without a folder.
func (r *report) save(out string) error {
	if err := r.Save(out, name, r.markdown(), sidebyside.TableOf("point", r.Points)); err != nil {
		return err
	}
	if out == "" {
		out = folder
	}
	return errors.Join(os.MkdirAll(out, 0o755), r.draw(growingReads, filepath.Join(out, figure(growingReads))), r.draw(growingReference, filepath.Join(out, figure(growingReference))))
}

// read reads the figures of an earlier run.
func read(file string) (*report, error) {
	r := &report{Run: &sidebyside.Run{}}
	return r, sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return r.Run }, "point": sidebyside.Into(&r.Points),
	})
}
