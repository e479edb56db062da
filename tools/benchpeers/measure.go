package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// measure times all programs on a set. Pairs are mapped on as many cores as threads are asked for,
// since a pipeline has threads of its own on either side.
func (r *report) measure(data sidebyside.Data, s set) error {
	contests := single
	if s.pairs {
		contests = pairs
		if err := sidebyside.Missing("taskset", "samtools"); err != nil {
			r.LeaveOut("pairs", err)
			return nil
		}
	}
	words, err := s.prepare(data, r.Threads)
	if err != nil {
		return err
	}
	for _, c := range contests {
		words["OUT"] = filepath.Join(folder, "out."+c.end)
		if err := r.compete(c, &s, words); err != nil {
			return err
		}
	}
	return nil
}

// compete times the programs of a contest.
func (r *report) compete(c contest, s *set, words sidebyside.Words) error {
	out := words["OUT"]
	var results []*result
	var entrants []*sidebyside.Entrant
	for i := range c.programs {
		p := &c.programs[i]
		x := &result{Set: s.Name, Output: c.output, Program: p.Name}
		x.Command = words.Fill(p.Line)
		args := sidebyside.Args(x.Command)
		err := p.Missing()
		if err == nil && s.pairs {
			args, err = sidebyside.OnCores(r.Threads, args)
		}
		if err == nil && p.Index != "" {
			if strings.HasPrefix(p.Index, "yara") { // which adds to an index that is there
				err = sidebyside.Remove(words["IDX"] + ".yara.*")
			}
			if err == nil {
				x.IndexSeconds, err = p.BuildIndex(words)
			}
		}
		if err != nil {
			r.LeaveOut(p.Name, err)
			continue
		}
		results = append(results, x)
		entrants = append(entrants, &sidebyside.Entrant{
			Name: p.Name, Timing: &x.Timing, Args: args,
			Before: func() error { return sidebyside.Remove(out + "*") },
			After:  func() error { return x.look(out) },
		})
	}
	ran, err := r.Turns(entrants, r.Repeat, 0)
	for _, i := range ran {
		r.Results = append(r.Results, results[i])
	}
	return err
}

// look counts what the first run wrote. That is left to other processes, because the peak memory of
// a child is at least that of the process that starts it, so this one has to stay small.
func (x *result) look(out string) (err error) {
	if x.Mapped > 0 {
		return nil
	}
	if x.Output == plain {
		// Some mappers mark no secondary records, so names of primary records with a place are counted.
		x.Mapped, err = strconv.Atoi(command.Output("sh", "-c",
			`awk -F '\t' '!/^@/ && int($2 / 4) % 2 == 0 && int($2 / 256) % 2 == 0 && int($2 / 2048) % 2 == 0 {print $1}' "$0" | LC_ALL=C sort -u | wc -l`, out))
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	x.BamMB = float64(info.Size()) / 1e6
	indexes, err := filepath.Glob(out + ".*i")
	if x.Output == sorted && len(indexes) != 1 {
		return errors.Join(err, fmt.Errorf("%s has the indexes %q, expected one", out, indexes))
	}
	x.Mapped, err = strconv.Atoi(command.Output("samtools", "view", "-c", "-F", "0x904", out))
	return err
}
