// Command benchpeers times scanmap and other mappers side by side: reads from FASTA and FASTQ files
// to a SAM file, and pairs to a BAM file; whole processes, all in one run.
//
//	build/tools/benchpeers -threads 2 -repeat 5 -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Building
// an index is timed apart. Programs that are not installed are listed as not there.
//
// Another comparison has many cells, which are reads of one length mapped to one genome with some
// edits, and compares CPU seconds. It takes hours, so a cell or a program can be chosen:
//
//	build/tools/benchpeers -cells 'yeast-.*-8$' -programs 'scanmap|minimap2' -tsv a.tsv
//
// What the TSV has already is not measured again (unless -again says so). Nothing but the programs
// is needed where the files are prepared (-prepare) or the program simulate is there. The page is
// made of one or more such files, where those named later replace rows of those before:
//
//	build/tools/benchpeers -page a.tsv,b.tsv -before base.tsv -out docs/benchmarks
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"

	"scanmap/tools/sidebyside"
)

const (
	folder = "build/bench"
	name   = "peers"
)

// A result is what was measured of one program on one set.
type result struct {
	Set, Output, Program string
	sidebyside.Timing
	BamMB  float64 `tsv:",omitempty"` // size of the output, of pairs
	Mapped int     // reads, or mates of pairs
}

// A report is one run of this program.
type report struct {
	*sidebyside.Run
	Results []*result
}

func main() {
	options := sidebyside.Flags(name, 5)
	pairsOnly := flag.Bool("pairs", false, "only pairs")
	only := flag.String("sets", "", "only sets with names that this regular expression matches")
	var c cellFlags
	c.define()
	flag.Parse()
	err := error(nil)
	switch {
	case c.page != "":
		err = c.write(options)
	case c.tsv != "":
		err = c.measure(options)
	default:
		err = run(options, *pairsOnly, *only)
	}
	sidebyside.Exit("benchpeers", err)
}

// cellFlags are the flags of the comparison of cells.
type cellFlags struct {
	tsv, page, before, cells, programs string
	folder, scanmap, commit, note      string
	limits                             sidebyside.Limits
	versions                           sidebyside.Versions
	again, prepare                     bool
}

func (c *cellFlags) define() {
	flag.StringVar(&c.tsv, "tsv", "", "measure cells, and write or complete this TSV")
	flag.StringVar(&c.cells, "cells", "", "only cells with names that this regular expression matches, such as celegans-real-98-4%")
	flag.StringVar(&c.programs, "programs", "", "only programs with names that this regular expression matches")
	flag.BoolVar(&c.again, "again", false, "measure again what the TSV has")
	flag.BoolVar(&c.prepare, "prepare", false, "only write references, reads and indexes")
	flag.StringVar(&c.folder, "folder", "build/cells", "folder of references, reads, indexes and output of cells")
	flag.StringVar(&c.scanmap, "scanmap", "bin/scanmap", "program to measure in cells")
	flag.StringVar(&c.commit, "commit", "", "commit of that program, if not that of the checkout")
	flag.TextVar(&c.versions, "versions", sidebyside.Versions{}, "versions of programs that Debian's packages do not tell, as in 'columba 2.0.3, bwa 0.7.17'")
	flag.StringVar(&c.note, "note", "", "what else has to be known of cells")
	flag.Float64Var(&c.limits.Seconds, "limit", 300, "seconds after which a program is killed in a cell")
	flag.Float64Var(&c.limits.MB, "limit-mb", 16384, "MB of memory above which it is killed")
	flag.StringVar(&c.page, "page", "", "write the page of these TSVs, separated by commas")
	flag.StringVar(&c.before, "before", "", "with -page, a TSV of an earlier scanmap")
}

// measure fills a TSV of cells.
func (c *cellFlags) measure(o *sidebyside.Options) error {
	s := &sweep{
		Run:  sidebyside.Begin("build/tools/benchpeers -tsv FILE", o, "seqan-apps", "minimap2", "bwa", "bowtie2"),
		file: c.tsv, folder: c.folder, limits: c.limits, scanmap: c.scanmap, again: c.again, prepare: c.prepare,
	}
	s.Note = c.note
	maps.Copy(s.Versions, c.versions)
	if c.commit != "" {
		s.Commit = c.commit
	}
	if s.Commit == "" && !c.prepare {
		return errors.New("git does not know the commit; say -commit")
	}
	s.commit = s.Commit
	var bad [2]error
	s.cells, bad[0] = regexp.Compile(c.cells)
	s.programs, bad[1] = regexp.Compile(c.programs)
	if err := errors.Join(bad[:]...); err != nil {
		return err
	}
	return s.run(sidebyside.FindData())
}

// write makes the page of cells.
func (c *cellFlags) write(o *sidebyside.Options) error {
	s := &sweep{}
	for file := range strings.SplitSeq(c.page, ",") {
		if err := s.load(file); err != nil {
			return err
		}
	}
	if s.Run == nil {
		return fmt.Errorf("%s is not there", c.page)
	}
	var before *sweep
	if c.before != "" {
		before = &sweep{}
		if err := before.load(c.before); err != nil {
			return err
		}
		if before.Run == nil {
			return fmt.Errorf("%s is not there", c.before)
		}
	}
	return s.Save(o.Out, "cells", s.page(before), sidebyside.TableOf("cell", s.Results))
}

func run(o *sidebyside.Options, pairsOnly bool, only string) error {
	if o.Table != "" {
		r, err := read(o.Table)
		if err != nil {
			return err
		}
		return r.save(o.Out)
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data := sidebyside.FindData()
	r := &report{Run: sidebyside.Begin("make bench-peers", o, "seqan-apps", "yara", "minimap2", "bwa", "bowtie2", "samtools")}
	for _, s := range sidebyside.Choose(data, larger, small) {
		if pairsOnly && !s.pairs || !pattern.MatchString(s.Name) {
			continue
		}
		if err := r.measure(data, s); err != nil {
			return err
		}
	}
	return r.save(o.Out)
}

func (r *report) save(out string) error {
	return r.Save(out, name, r.markdown(), sidebyside.TableOf("result", r.Results))
}

// read reads the figures of an earlier run.
func read(file string) (*report, error) {
	r := &report{Run: &sidebyside.Run{}}
	return r, sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return r.Run }, "result": sidebyside.Into(&r.Results),
	})
}
