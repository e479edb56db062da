package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"scanmap/internal/tools/command"
)

// An accuracy is what was measured of a program on simulated pairs.
type accuracy struct {
	Set, Program, Command string
	Seconds               []float64
	Median                float64
	IndexSeconds          float64 `json:",omitempty"`
	PeakMB                float64
	placed
	Bins []bin
	Area float64
}

func (a *accuracy) key() string { return a.Set + "/" + a.Program }

// repeatBelow is in seconds; what takes longer runs once.
const repeatBelow = 30.0

// simulated times all programs on a set, and counts what they place right.
func (b *bench) simulated(s set) error {
	pairs, err := s.prepare()
	if err != nil {
		return err
	}
	var results []*accuracy
	var present []program
	for _, p := range b.programs {
		seconds, err := b.ready(p, &s, true)
		x := &accuracy{Set: s.Name, Program: p.Name, Command: strings.Join(b.fill(p.command, &s, s.samOf(p)), " "), IndexSeconds: seconds}
		if err == nil {
			err = b.time(x, p, &s)
		}
		if err != nil {
			b.leaveOut(p, err)
			continue
		}
		results, present = append(results, x), append(present, p)
	}
	for range b.repeat - 1 {
		for i, p := range present {
			if results[i].Seconds[0] > repeatBelow {
				continue
			}
			if err := b.time(results[i], p, &s); err != nil {
				return err
			}
		}
	}
	for i, x := range results {
		x.Median = command.Median(x.Seconds)
		sam := s.samOf(present[i])
		if err := itself(&x.placed, "-judge", sam); err != nil {
			return err
		}
		if x.Mates != 2*pairs {
			return fmt.Errorf("%s: %d primary records, expected %d", sam, x.Mates, 2*pairs)
		}
		x.Bins, x.Area = bins(x.Qualities), area(x.Qualities, x.Mates)
		fmt.Fprintf(os.Stderr, "%s: %s: %.2f s, %d of %d mates right\n", s.Name, x.Program, x.Median, x.Right, x.Mates)
		b.Simulated = put(b.Simulated, x, (*accuracy).key)
		if err := remove(sam); err != nil {
			return err
		}
	}
	return nil
}

// time runs a program once.
func (b *bench) time(x *accuracy, p program, s *set) error {
	out := s.samOf(p)
	if err := remove(out); err != nil {
		return err
	}
	seconds, peak, err := command.Timed(b.fill(p.command, s, out)...)
	if err != nil {
		return err
	}
	x.Seconds, x.PeakMB = append(x.Seconds, seconds), max(x.PeakMB, peak)
	return nil
}

// itself runs this program in a process of its own, so that the one that times others stays small, and reads the JSON that it prints.
func itself(result any, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), self, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return json.Unmarshal(text, result)
}
