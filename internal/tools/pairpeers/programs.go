package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"scanmap/internal/tools/command"
)

// A program is one way of mapping pairs. In its arguments REF, R1, R2, OUT, IDX and T stand for what they say.
type program struct {
	Name    string
	index   []string // command that makes the index; nil for none
	command []string
	sorts   bool // --sort makes it write a sorted BAM file, with its index
}

const truthBy = "bwa mem" // the program that real pairs are compared with

var programs = []program{
	{"scanmap", nil, []string{"bin/scanmap", "map", "--quiet", "-t", "T", "-o", "OUT", "REF", "R1", "R2"}, true},
	{"scanmap --report one -e 5%", nil, []string{"bin/scanmap", "map", "--quiet", "-t", "T", "--report", "one", "-e", "5%", "-o", "OUT", "REF", "R1", "R2"}, true},
	{truthBy, []string{"bwa", "index", "-p", "IDX.bwa", "REF"}, []string{"bwa", "mem", "-t", "T", "-o", "OUT", "IDX.bwa", "R1", "R2"}, false},
	{"bowtie2", []string{"bowtie2-build", "--threads", "T", "-q", "REF", "IDX.bt2"}, []string{"bowtie2", "-p", "T", "-x", "IDX.bt2", "-1", "R1", "-2", "R2", "-S", "OUT"}, false},
	{"minimap2 -ax sr", []string{"minimap2", "-t", "T", "-x", "sr", "-d", "IDX.mmi", "REF"}, []string{"minimap2", "-t", "T", "-ax", "sr", "-o", "OUT", "IDX.mmi", "R1", "R2"}, false},
}

// A bench measures programs for a report.
type bench struct {
	*report
	repeat   int // of this run; that of the report may be of an earlier one
	programs []program
	indexed  map[string]float64 // seconds, by reference and program
}

// fill puts the files of a set into arguments.
func (b *bench) fill(args []string, s *set, out string) []string {
	mates := s.mates()
	words := map[string]string{"REF": s.reference(), "R1": mates[0], "R2": mates[1], "OUT": out, "T": strconv.Itoa(b.Threads)}
	filled := slices.Clone(args)
	for i, a := range filled {
		if word, ok := words[a]; ok {
			filled[i] = word
		} else if ending, ok := strings.CutPrefix(a, "IDX"); ok {
			filled[i] = strings.TrimSuffix(s.reference(), ".fa") + ending
		}
	}
	return filled
}

// ready builds the index of a program unless this run has, and returns the seconds that took. If they do not matter, the index of an
// earlier run does too.
func (b *bench) ready(p program, s *set, matters bool) (float64, error) {
	if _, err := exec.LookPath(p.command[0]); err != nil {
		return 0, fmt.Errorf("%s is not installed", p.command[0])
	}
	if p.index == nil {
		return 0, nil
	}
	key := s.source + " " + p.Name
	if seconds, ok := b.indexed[key]; ok {
		return seconds, nil
	}
	// An index that was not completed has no such file.
	complete := strings.TrimSuffix(s.reference(), ".fa") + "." + p.slug() + ".complete"
	if _, err := os.Stat(complete); err == nil && !matters {
		return 0, nil
	}
	if err := remove(complete); err != nil {
		return 0, err
	}
	seconds, _, err := command.Timed(b.fill(p.index, s, "")...)
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
	_, _, err := command.Timed(b.fill(p.command, s, out)...)
	return out, err
}

// truth returns the output of the program that real pairs are compared with, which has to be made even if the program was not chosen.
func truth(make func(program) (string, error)) (string, error) {
	i := slices.IndexFunc(programs, func(p program) bool { return p.Name == truthBy })
	return make(programs[i])
}

// samOf returns the path of what a program writes of a set.
func (s *set) samOf(p program) string { return s.path("." + p.slug() + ".sam") }

// slug returns the name for a file.
func (p *program) slug() string {
	return strings.Join(strings.FieldsFunc(p.Name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }), "-")
}

// remove deletes files that may be there.
func remove(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}
