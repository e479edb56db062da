// Command mutate tries faults that were made on purpose, and says which tests notice them.
//
//	mutate -only '^locate'
//	mutate -draw 10 -date 2026-11-22
//	mutate -chance 100 -seed 7 -jobs 16
//
// tools/mutate/mutants.txt has them: for each, one text in one function and what stands there
// instead, the tests that should notice, and what it breaks. They are applied one at a time to a
// copy of the module. A mutant is killed if one of its tests fails; that it does not compile, or
// that a test takes longer than -timeout, is an error of the table. Mutants with a reason why they
// change nothing have to survive. Before the first mutant, all these tests have to pass.
//
// With -chance faults are drawn from the sources of all packages, such as < for <=. The tests of
// the package, of the folders above it and of the commands are to notice, as `make test` runs them.
// Many such faults change nothing that anyone sees, or the time alone: survivors are to be read.
//
// It prints a line for each mutant, and a summary. The exit code is 1 when a mutant survives that
// should not, or when one is an error of the table, and 2 when they could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	table := flag.String("table", "tools/mutate/mutants.txt", "the mutants")
	only := flag.String("only", "", "try those alone whose names match this regular expression")
	number := flag.Int("draw", 0, "try so many, drawn by the date; 0: all")
	date := flag.String("date", time.Now().UTC().Format(time.DateOnly), "the date that -draw takes")
	chance := flag.Int("chance", 0, "try so many faults of all that operators make, in place of those of the table")
	seed := flag.Uint64("seed", 1, "what -chance draws by")
	timeout := flag.Duration("timeout", 5*time.Minute, "longest time of one run of tests")
	jobs := flag.Int("jobs", 1, "how many mutants to try at a time, each in a copy of its own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var mutants []Mutant
	pattern, err := regexp.Compile(*only)
	switch {
	case err != nil:
	case *chance > 0:
		mutants, err = byChance(".", pattern, *chance, *seed)
	default:
		mutants, err = selected(*table, pattern, *number, *date)
	}
	ok := false
	if err == nil {
		ok, err = try(ctx, os.Stdout, ".", mutants, *timeout, *jobs, *chance == 0)
	}
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// selected returns the mutants that the flags ask for.
func selected(table string, only *regexp.Regexp, number int, date string) ([]Mutant, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, err
	}
	all, err := read(table, ".")
	if err != nil {
		return nil, err
	}
	var mutants []Mutant
	for _, m := range draw(all, number, day) {
		if only.MatchString(m.Name) {
			mutants = append(mutants, m)
		}
	}
	if len(mutants) == 0 {
		return nil, fmt.Errorf("no mutant matches %q", only.String())
	}
	return mutants, nil
}

// try tries mutants of the module at root and reports on them. ok is false if there is anything to
// mend. full has the tests in all sizes.
func try(ctx context.Context, w io.Writer, root string, mutants []Mutant, timeout time.Duration, jobs int, full bool) (ok bool, err error) {
	trees := make([]*Tree, max(1, min(jobs, len(mutants))))
	defer func() {
		for _, t := range trees {
			if t != nil {
				err = errors.Join(err, t.Remove())
			}
		}
	}()
	for i := range trees {
		if trees[i], err = NewTree(root, timeout, full); err != nil {
			return false, err
		}
	}
	r := reporter{w: w, count: map[string]int{}}
	err = each(ctx, trees, testsOf(mutants), func(ctx context.Context, t *Tree, tests []TestOf) error {
		began := time.Now()
		err := t.Baseline(ctx, tests)
		if err == nil {
			r.print("%-16s %s (%.1f s)\n", "without mutants", tests[0].Package, time.Since(began).Seconds())
		}
		return err
	})
	if err != nil {
		return false, err
	}
	err = each(ctx, trees, mutants, func(ctx context.Context, t *Tree, m Mutant) error {
		began := time.Now()
		result, err := t.Try(ctx, &m)
		if err == nil {
			r.report(&m, result, time.Since(began))
		}
		return err
	})
	if err != nil {
		return false, err
	}
	return r.summary(len(mutants)), r.err
}

// testsOf returns the tests of mutants by package, those without subtests together.
func testsOf(mutants []Mutant) (all [][]TestOf) {
	for _, m := range mutants {
		for _, t := range m.Tests {
			p := slices.IndexFunc(all, func(of []TestOf) bool { return of[0].Package == t.Package })
			if p < 0 {
				p = len(all)
				all = append(all, nil)
			}
			same := func(of TestOf) bool {
				return !hasPart(of.Names[0]) && !hasPart(t.Names[0]) || of.String() == t.String()
			}
			i := slices.IndexFunc(all[p], same)
			if i < 0 {
				all[p] = append(all[p], TestOf{t.Package, slices.Clone(t.Names)})
				continue
			}
			for _, name := range t.Names {
				if !slices.Contains(all[p][i].Names, name) {
					all[p][i].Names = append(all[p][i].Names, name)
				}
			}
		}
	}
	return all
}

// each does the work, one thing at a time in each tree, up to the first error.
func each[T any](ctx context.Context, trees []*Tree, things []T, do func(context.Context, *Tree, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan T)
	var workers sync.WaitGroup
	for _, t := range trees {
		workers.Go(func() {
			for thing := range next {
				if err := do(ctx, t, thing); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, thing := range things {
		select {
		case next <- thing:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// reporter prints what comes of mutants, and counts.
type reporter struct {
	w io.Writer

	mu     sync.Mutex
	count  map[string]int
	faults []string // of mutants and of the table
	err    error    // of w
}

// Counts beside the verdicts.
const changesNothing = "change nothing"

func (r *reporter) print(format string, arguments ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := fmt.Fprintf(r.w, format, arguments...); err != nil {
		r.err = errors.Join(r.err, err)
	}
}

// report prints the line of a mutant.
func (r *reporter) report(m *Mutant, result Result, took time.Duration) {
	line := fmt.Sprintf("%-16s %s", result.Verdict, m.Name)
	if result.By != "" {
		line += ": " + result.By
	}
	counted, fault := string(result.Verdict), ""
	switch {
	case result.Verdict == Survived && m.Equal != "":
		counted, line = changesNothing, fmt.Sprintf("%-16s %s", changesNothing, m.Name)
	case result.Verdict == Killed && m.Equal != "":
		fault = line + ", though the table says that it changes nothing"
	case result.Verdict != Killed && result.Verdict != Skipped:
		fault = line + " (" + m.File + ": " + m.Why + ")"
	}
	r.print("%s (%.1f s)\n", line, took.Seconds())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[counted]++
	if fault != "" {
		r.faults = append(r.faults, fault)
	}
}

// summary prints how many of each there are and which mutants need a change. ok tells whether none
// does.
func (r *reporter) summary(all int) (ok bool) {
	var parts []string
	for _, word := range []string{string(Killed), changesNothing, string(Survived), string(Unbuilt), string(TimedOut), string(Skipped)} {
		if n := r.count[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	r.print("%d mutants: %s\n", all, strings.Join(parts, ", "))
	for _, fault := range r.faults {
		r.print("to mend: %s\n", fault)
	}
	return len(r.faults) == 0
}
