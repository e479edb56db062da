package sidebyside

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"scanmap/tools/command"
)

// A Program is one way of doing what is compared. Its lines are command lines, or pipelines, in
// which words in braces such as {REF} stand for what differs between sets.
type Program struct {
	Name  string // in tables; that of scanmap begins so
	Index string // line that makes its index; empty for none
	Line  string
}

// Words are what stands in for words in braces: Words{"REF": "ref.fa"} turns {REF} into ref.fa.
type Words map[string]string

// Fill puts words into a line.
func (w Words) Fill(line string) string {
	var pairs []string
	for name, text := range w {
		pairs = append(pairs, "{"+name+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}

// Args returns what runs a line: its words, or bash if it needs a shell. A pipeline fails if any of
// its parts does.
func Args(line string) []string {
	if strings.ContainsAny(line, "|<>;&$\"'`") {
		return []string{"bash", "-c", "set -o pipefail; " + line}
	}
	return strings.Fields(line)
}

// notInstalled is the name of a program.
type notInstalled string

func (n notInstalled) Error() string { return string(n) + " is not installed" }

// Missing says which of some programs is not installed; nil if none is.
func Missing(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return notInstalled(name)
		}
	}
	return nil
}

// Missing says whether the program, the first word of its line, is not installed.
func (p *Program) Missing() error {
	name, _, _ := strings.Cut(p.Line, " ")
	return Missing(name)
}

// BuildIndex builds the index of a program and returns the seconds that took, 0 if it needs none.
func (p *Program) BuildIndex(words Words) (float64, error) {
	if p.Index == "" {
		return 0, nil
	}
	seconds, _, err := command.Timed(Args(words.Fill(p.Index))...)
	return seconds, err
}

// Slug returns the name of a program for names of files.
func (p *Program) Slug() string {
	return strings.Join(strings.FieldsFunc(p.Name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }), "-")
}

// OnCores returns what runs a command on the first n cores that this process may use, whatever
// threads it starts.
func OnCores(n int, args []string) ([]string, error) {
	on, err := cores(n)
	if err != nil {
		return nil, err
	}
	return append([]string{"taskset", "-c", on}, args...), nil
}

// cores lists the first cores that this process may use, as taskset takes them.
func cores(n int) (string, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return "", fmt.Errorf("sched_getaffinity: %w", err)
	}
	var list []string
	for i := 0; i < 64*len(set) && len(list) < n; i++ {
		if set.IsSet(i) {
			list = append(list, strconv.Itoa(i))
		}
	}
	if len(list) < n {
		return "", fmt.Errorf("%d cores may be used, and %d threads are asked for", len(list), n)
	}
	return strings.Join(list, ","), nil
}

// Remove deletes files that patterns match.
func Remove(patterns ...string) error {
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		for _, name := range names {
			err = errors.Join(err, os.Remove(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
