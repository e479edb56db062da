// Command workflows runs the pipelines of packaging/workflows, and compares their results with
// single runs of scanmap.
//
//	workflows -engines build/workflows -nextflow build/workflows/nextflow
//
// Each pipeline maps samples in four parts, on this machine and on a Slurm of two nodes that the
// command starts and ends. These have to hold:
//
//   - the merged BAM has the records and the header of one run, and the merged statistics its
//     counts;
//   - the report of MultiQC shows these numbers;
//   - a second run has nothing to do;
//   - a job that is killed while it maps is run again, with the same result, and what fails on a
//     GPU that is not there is mapped on the CPU in the end;
//   - input that is wrong ends the run at once.
//
// An engine that is not there is said to be SKIPPED.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	var t trial
	flag.StringVar(&t.engines, "engines", "build/workflows", "folder of the engines: venv is Python's, home Nextflow's")
	flag.StringVar(&t.program, "nextflow", "", "the command nextflow")
	slurm := flag.String("slurm", "yes", "yes or no: also on a Slurm that is started for it")
	keep := flag.String("keep", "", "work in this new folder, and keep it")
	flag.StringVar(&t.only, "only", "", "snakemake or nextflow: run that engine alone")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := t.run(ctx, *slurm != "no", *keep)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "workflows:", err)
		os.Exit(1)
	}
}

// trial is the state of all runs.
type trial struct {
	engines, program string // program is Nextflow's
	only             string // engine to run, in lower case
	root             string // of the repository
	folder           string // that all is made in
	scanmap          string // a copy in the folder, so that its processes are known by their program
	env              []string
	sets             []set
	few              set      // for runs that take long for their size
	cluster          *cluster // where Slurm is there
}

// run makes the data and goes through all engines.
func (t *trial) run(ctx context.Context, slurm bool, keep string) (err error) {
	if t.root, err = os.Getwd(); err != nil {
		return err
	}
	if t.engines, err = filepath.Abs(t.engines); err != nil {
		return err
	}
	if keep != "" {
		if t.folder, err = filepath.Abs(keep); err == nil {
			err = os.Mkdir(t.folder, 0o755)
		}
	} else {
		t.folder, err = os.MkdirTemp("", "scanmap-workflows-")
		defer func() { err = errors.Join(err, os.RemoveAll(t.folder)) }()
	}
	if err != nil {
		return err
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	if slurm {
		if t.cluster, err = startCluster(ctx, filepath.Join(t.folder, "slurm"), filepath.Join(t.folder, "bin")); err != nil {
			return err
		}
		if t.cluster != nil {
			defer t.cluster.stop()
		}
	}
	return t.all(ctx)
}

// all runs every engine everywhere.
func (t *trial) all(ctx context.Context) error {
	var ran int
	for _, e := range []engine{&snakemake{t}, &nextflow{t}} {
		if t.only != "" && t.only != strings.ToLower(e.name()) {
			continue
		}
		if !e.available() {
			fmt.Printf("SKIPPED: %s is not here\n", e.name())
			continue
		}
		places := []*cluster{nil}
		if t.cluster != nil {
			places = append(places, t.cluster)
		}
		for _, place := range places {
			if err := t.one(ctx, e, place); err != nil {
				return fmt.Errorf("%s, %s: %w", e.name(), placeName(place), err)
			}
		}
		if err := t.step(e.name()+", its parts and what is wrong", func() error { return e.extras(ctx) }); err != nil {
			return fmt.Errorf("%s: %w", e.name(), err)
		}
		ran++
	}
	if ran == 0 {
		fmt.Println("SKIPPED: no engine is here, so that no pipeline was run")
	}
	return nil
}

// placeName says where jobs run.
func placeName(place *cluster) string {
	if place == nil {
		return "on this machine"
	}
	return "on Slurm"
}

// one runs an engine in one place: every set, then again, then with a job that is killed.
func (t *trial) one(ctx context.Context, e engine, place *cluster) error {
	where := strings.ToLower(e.name()) + "-" + map[bool]string{true: "local", false: "slurm"}[place == nil]
	for i := range t.sets {
		s := &t.sets[i]
		r := request{set: s, place: place, folder: filepath.Join(t.folder, where, s.name)}
		title := fmt.Sprintf("%s, %s, %s", e.name(), placeName(place), s.name)
		if err := t.step(title, func() error {
			if _, err := e.pipeline(ctx, r); err != nil {
				return err
			}
			return t.compare(ctx, r)
		}); err != nil {
			return err
		}
		if err := t.step(title+", again", func() error {
			r.again = true
			text, err := e.pipeline(ctx, r)
			if err != nil {
				return err
			}
			return e.idle(text)
		}); err != nil {
			return err
		}
	}
	r := request{set: &t.few, place: place, folder: filepath.Join(t.folder, where, "killed"), mapArgs: "--engine scan"}
	return t.step(fmt.Sprintf("%s, %s, a job killed", e.name(), placeName(place)), func() error {
		killer := t.kill(ctx, place)
		text, err := e.pipeline(ctx, r)
		if killed := killer(); killed != nil {
			return errors.Join(err, killed)
		}
		if err != nil {
			return err
		}
		if !strings.Contains(text, e.retried()) {
			return fmt.Errorf("a job was killed, but the engine does not say %q:\n%s", e.retried(), text)
		}
		return t.compare(ctx, r)
	})
}

// step prints a finished step and how long it took.
func (t *trial) step(title string, do func() error) error {
	start := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	fmt.Printf("ok  %-45s %5.1f s\n", title, time.Since(start).Seconds())
	return nil
}

// command runs a program in a folder and returns all that it says; an error has it, too.
func (t *trial) command(ctx context.Context, folder string, more []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), t.env...), more...)
	// The engines end what they started themselves when they are asked to.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	text, err := cmd.CombinedOutput()
	if err != nil {
		return string(text), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, text)
	}
	return string(text), nil
}
