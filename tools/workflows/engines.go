package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// request is one run of a pipeline.
type request struct {
	set     *set
	place   *cluster // nil for this machine
	folder  string   // that it runs in; its output is in results
	mapArgs string   // more options of scanmap map
	again   bool     // it ran there before
	gpu     bool     // on a GPU
}

// engine runs a pipeline.
type engine interface {
	name() string
	available() bool
	pipeline(ctx context.Context, r request) (said string, err error)
	idle(said string) error           // tells whether a second run had nothing to do
	retried() string                  // what it says when a job is run again
	extras(ctx context.Context) error // trials that are made once
}

// snakemake runs packaging/workflows/snakemake.
type snakemake struct{ *trial }

func (e *snakemake) name() string    { return "Snakemake" }
func (e *snakemake) retried() string { return "Trying to restart job" }

func (e *snakemake) available() bool {
	return present(filepath.Join(e.engines, "venv", "bin", "snakemake"))
}

func (e *snakemake) pipeline(ctx context.Context, r request) (string, error) {
	sheet, err := r.set.sheet(r.folder)
	if err != nil {
		return "", err
	}
	workflow := filepath.Join(e.root, "packaging", "workflows", "snakemake")
	profile := filepath.Join(workflow, "profiles", "local")
	if r.place != nil {
		profile = filepath.Join(workflow, "profiles", "slurm")
	}
	gpus := "0"
	if r.gpu {
		gpus = "1"
	}
	args := []string{"--nocolor", "-s", filepath.Join(workflow, "Snakefile"), "--profile", profile,
		"--config", "samples=" + sheet, "fasta=" + r.set.reference, "threads=1", "mem_mb=500", "map_args=" + r.mapArgs, "gpus=" + gpus}
	var env []string
	if r.place != nil {
		env = r.place.env
		args = append(args, "--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2",
			"--seconds-between-status-checks", "2", "--latency-wait", "10")
	}
	return e.command(ctx, r.folder, env, filepath.Join(e.engines, "venv", "bin", "snakemake"), args...)
}

func (e *snakemake) idle(said string) error {
	if !strings.Contains(said, "Nothing to be done") {
		return fmt.Errorf("a second run had something to do:\n%s", said)
	}
	return nil
}

// extras runs the test of the wrapper, as the tests of snakemake-wrappers are run, and a pipeline
// on a GPU, which on a machine without one is mapped on the CPU at the third try.
func (e *snakemake) extras(ctx context.Context) error {
	folder, prefix := filepath.Join(e.folder, "wrapper"), filepath.Join(e.folder, "wrapper", "master", "bio")
	wrappers := filepath.Join(e.root, "packaging", "workflows", "snakemake", "wrappers")
	if err := os.MkdirAll(prefix, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(wrappers, "scanmap"), filepath.Join(prefix, "scanmap")); err != nil {
		return err
	}
	test := filepath.Join(folder, "test")
	if err := os.CopyFS(test, os.DirFS(filepath.Join(wrappers, "scanmap", "map", "test"))); err != nil {
		return err
	}
	if _, err := e.command(ctx, test, nil, filepath.Join(e.engines, "venv", "bin", "snakemake"), "--cores", "2",
		"--wrapper-prefix", "file:"+folder+"/", "mapped/a.bam", "mapped/a.sam.gz", "stats/a_mqc.json"); err != nil {
		return err
	}
	if _, err := e.command(ctx, test, nil, "samtools", "quickcheck", "mapped/a.bam", "mapped/a.sam.gz"); err != nil {
		return err
	}
	return e.gpu(ctx, e)
}

// gpu asks for a GPU.
func (t *trial) gpu(ctx context.Context, e engine) error {
	r := request{set: &t.few, place: t.cluster, folder: filepath.Join(t.folder, strings.ToLower(e.name())+"-gpu"), gpu: true}
	said, err := e.pipeline(ctx, r)
	if err != nil {
		return err
	}
	if !present("/dev/nvidia0") && !strings.Contains(said, e.retried()) {
		return fmt.Errorf("there is no GPU here, but the engine does not say %q:\n%s", e.retried(), said)
	}
	return t.compare(ctx, r)
}

// nextflow runs packaging/workflows/nextflow.
type nextflow struct{ *trial }

func (e *nextflow) name() string    { return "Nextflow" }
func (e *nextflow) retried() string { return "Execution is retried" }

func (e *nextflow) available() bool {
	return present(e.program) && present(filepath.Join(e.engines, "venv", "bin", "multiqc"))
}

// quick makes Nextflow look at its jobs more often than is polite on a cluster of others.
const quick = `
executor {
    pollInterval = '500 ms'
    queueStatInterval = '2 sec'
    exitReadTimeout = '20 sec'
    submitRateLimit = null
}
`

// small are the limits of the nodes of our Slurm. The pipeline has the limits of this machine.
const small = `
process.resourceLimits = [cpus: 1, memory: 500.MB, time: 1.h]
`

func (e *nextflow) pipeline(ctx context.Context, r request) (string, error) {
	sheet, err := r.set.sheet(r.folder)
	if err != nil {
		return "", err
	}
	profile, settings, env := "standard", quick, []string(nil)
	if r.place != nil {
		profile, settings, env = "slurm", quick+small, r.place.env
	}
	if r.gpu {
		profile += ",gpu"
	}
	args := []string{"-profile", profile, "--input", sheet, "--fasta", r.set.reference,
		"--reads_per_part", strconv.Itoa((r.set.pairs + parts - 1) / parts)}
	if r.mapArgs != "" {
		args = append(args, "--map_args", r.mapArgs)
	}
	if r.again {
		args = append(args, "-resume")
	}
	return e.start(ctx, r.folder, settings, env, args...)
}

// start runs the pipeline with settings and options of Nextflow.
func (e *nextflow) start(ctx context.Context, folder, settings string, env []string, args ...string) (string, error) {
	config := filepath.Join(folder, "quick.config")
	if err := os.WriteFile(config, []byte(settings), 0o644); err != nil {
		return "", err
	}
	return e.call(ctx, folder, env, append([]string{"run", filepath.Join(e.root, "packaging", "workflows", "nextflow"), "-c", config, "-ansi-log", "false"},
		args...)...)
}

// call calls Nextflow.
func (e *nextflow) call(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	env = append([]string{"NXF_OFFLINE=true", "NXF_DISABLE_CHECK_LATEST=true", "NXF_HOME=" + filepath.Join(e.engines, "home"),
		"NXF_OPTS=-Xmx512m -XX:TieredStopAtLevel=1"}, env...)
	return e.command(ctx, folder, env, e.program, args...)
}

func (e *nextflow) idle(said string) error {
	if !strings.Contains(said, "Cached process > SCANMAP:MULTIQC") || strings.Contains(said, "Submitted process") {
		return fmt.Errorf("a second run had something to do:\n%s", said)
	}
	return nil
}

// extras reads the configuration of all profiles, runs the stubs and the profile test, maps on a
// GPU, and has a task fail for good.
func (e *nextflow) extras(ctx context.Context) error {
	folder := filepath.Join(e.folder, "nextflow")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, profile := range []string{"k8s", "awsbatch", "slurm,gpu"} {
		if _, err := e.call(ctx, folder, nil, "config", filepath.Join(e.root, "packaging", "workflows", "nextflow"), "-profile", profile); err != nil {
			return err
		}
	}
	if _, err := e.start(ctx, folder, quick, nil, "-profile", "stub", "-stub-run"); err != nil {
		return err
	}
	if _, err := e.start(ctx, folder, quick, nil, "-profile", "test"); err != nil {
		return err
	}
	if err := e.gpu(ctx, e); err != nil {
		return err
	}
	bad := filepath.Join(folder, "bad.csv")
	if err := os.WriteFile(bad, []byte("sample,fastq_1,fastq_2\nbad,"+filepath.Join(e.root, "testdata", "README.md")+",\n"), 0o644); err != nil {
		return err
	}
	said, err := e.start(ctx, folder, quick, nil, "-profile", "test", "--input", bad)
	if err == nil {
		return errors.New("a file that is not FASTQ was mapped")
	}
	if strings.Contains(said, e.retried()) || !strings.Contains(said, "error exit status (1)") {
		return fmt.Errorf("bad input should end the run with exit code 1 at once:\n%s", said)
	}
	return nil
}

// present tells whether a file is there.
func present(path string) bool {
	_, err := os.Stat(path)
	return path != "" && err == nil
}
