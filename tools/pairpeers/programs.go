package main

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A program is one way of mapping pairs. In its lines stand {REF}, {R1}, {R2}, {OUT}, {IDX} and
// {T}.
type program struct {
	sidebyside.Program
	sorts bool // --sort makes it write a sorted BAM file, with its index
}

const truthBy = "bwa mem" // the program that real pairs are compared with

var programs = []program{
	{sidebyside.Program{Name: "scanmap", Line: "bin/scanmap map --quiet -t {T} -o {OUT} {REF} {R1} {R2}"}, true},
	{sidebyside.Program{Name: "scanmap --report one -e 5%", Line: "bin/scanmap map --quiet -t {T} --report one -e 5% -o {OUT} {REF} {R1} {R2}"}, true},
	{sidebyside.Program{Name: truthBy, Index: "bwa index -p {IDX}.bwa {REF}", Line: "bwa mem -t {T} -o {OUT} {IDX}.bwa {R1} {R2}"}, false},
	{sidebyside.Program{Name: "bowtie2", Index: "bowtie2-build --threads {T} -q {REF} {IDX}.bt2", Line: "bowtie2 -p {T} -x {IDX}.bt2 -1 {R1} -2 {R2} -S {OUT}"}, false},
	{sidebyside.Program{Name: "minimap2 -ax sr", Index: "minimap2 -t {T} -x sr -d {IDX}.mmi {REF}", Line: "minimap2 -t {T} -ax sr -o {OUT} {IDX}.mmi {R1} {R2}"}, false},
}

// A bench measures programs for a report.
type bench struct {
	*report
	data     sidebyside.Data
	repeat   int // of this run; that of the report may be of an earlier one
	programs []program
	indexed  map[string]float64 // seconds, by reference and program
}

// words are those of a set in lines.
func (b *bench) words(s *set, out string) sidebyside.Words {
	mates := s.mates()
	return sidebyside.Words{"REF": s.reference(), "IDX": s.index(), "R1": mates[0], "R2": mates[1], "OUT": out, "T": strconv.Itoa(b.Threads)}
}

// ready builds the index of a program unless this run has, and returns the seconds that took. If
// they do not matter, the index of an earlier run does too.
func (b *bench) ready(p program, s *set, matters bool) (float64, error) {
	if err := p.Missing(); err != nil || p.Index == "" {
		return 0, err
	}
	key := s.source + " " + p.Name
	if seconds, ok := b.indexed[key]; ok {
		return seconds, nil
	}
	// An index that was not completed has no such file.
	complete := s.index() + "." + p.Slug() + ".complete"
	if _, err := os.Stat(complete); err == nil && !matters {
		return 0, nil
	}
	if err := sidebyside.Remove(complete); err != nil {
		return 0, err
	}
	seconds, err := p.BuildIndex(b.words(s, ""))
	if err != nil {
		return 0, err
	}
	b.indexed[key] = seconds
	return seconds, os.WriteFile(complete, nil, 0o644)
}

// once maps a set into a SAM file.
func (b *bench) once(p program, s *set) (string, error) {
	if _, err := b.ready(p, s, false); err != nil {
		return "", err
	}
	out := s.samOf(p)
	return out, b.maps(p, s, out)
}

// maps maps a set into a file.
func (b *bench) maps(p program, s *set, out string) error {
	_, _, err := command.Timed(sidebyside.Args(b.words(s, out).Fill(p.Line))...)
	return err
}

// skip leaves a program out that cannot be measured, unless it is scanmap.
func (b *bench) skip(p program, err error) error {
	if strings.HasPrefix(p.Name, "scanmap") {
		return err
	}
	b.LeaveOut(p.Name, err)
	return nil
}

// errNoTruth is that the program that real pairs are compared with is not there.
var errNoTruth = errors.New(truthBy + ", which it is compared with, is not installed")

// truth returns the output of the program that real pairs are compared with, which has to be made
// even if the program was not chosen.
func truth(run func(program) (string, error)) (string, error) {
	p := programs[slices.IndexFunc(programs, func(p program) bool { return p.Name == truthBy })]
	if p.Missing() != nil {
		return "", errNoTruth
	}
	return run(p)
}

// samOf returns the path of what a program writes of a set.
func (s *set) samOf(p program) string { return s.path("." + p.Slug() + ".sam") }
