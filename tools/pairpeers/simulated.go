package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"scanmap/tools/sidebyside"
)

// An accuracy is what was measured of a program on simulated pairs.
type accuracy struct {
	Set, Program string
	sidebyside.Timing
	placed
}

func (a *accuracy) key() string { return a.Set + "/" + a.Program }

// repeatBelow is in seconds; what takes longer runs once.
const repeatBelow = 30.0

// simulated times all programs on a set, and counts what they place right.
func (b *bench) simulated(s set) error {
	pairs, err := s.prepare(b.data)
	if err != nil {
		return err
	}
	var results []*accuracy
	var entrants []*sidebyside.Entrant
	var outs []string
	for _, p := range b.programs {
		seconds, err := b.ready(p, &s, true)
		if err != nil {
			if err := b.skip(p, err); err != nil {
				return err
			}
			continue
		}
		x, out := &accuracy{Set: s.Name, Program: p.Name}, s.samOf(p)
		x.Command, x.IndexSeconds = b.words(&s, out).Fill(p.Line), seconds
		results, outs = append(results, x), append(outs, out)
		entrants = append(entrants, &sidebyside.Entrant{
			Name: p.Name, Timing: &x.Timing, Args: sidebyside.Args(x.Command), Before: func() error { return sidebyside.Remove(out) },
		})
	}
	ran, err := b.Turns(entrants, b.repeat, repeatBelow)
	if err != nil {
		return err
	}
	for _, i := range ran {
		x, sam := results[i], outs[i]
		if err := itself(&x.placed, "-judge", sam); err != nil {
			return err
		}
		if x.Mates != 2*pairs {
			return fmt.Errorf("%s: %d primary records, expected %d", sam, x.Mates, 2*pairs)
		}
		fmt.Fprintf(os.Stderr, "%s: %s: %.2f s, %d of %d mates right\n", s.Name, x.Program, x.Median(), x.Right, x.Mates)
		b.Simulated = put(b.Simulated, x, (*accuracy).key)
		if err := sidebyside.Remove(sam); err != nil {
			return err
		}
	}
	return nil
}

// itself runs this program in a process of its own, so that the one that times others stays small,
// and reads the JSON that it prints.
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
