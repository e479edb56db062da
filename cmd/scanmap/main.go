// Command scanmap maps reads to a reference, and searches it for patterns, without an index.
// Without arguments it shows its help.
//
// It exits with 0 when everything was done and written, 1 when the run failed, 2
// when it was called wrongly, 3 when the device failed, and 128 and the number of
// the signal that stopped it (130 for SIGINT, 143 for SIGTERM). A reader that
// closes standard output early, as head does, has what it wanted: the run ends
// quietly with 0. Messages are one line each on standard error.
//
// # Files
//
// A file uses files of its line and of lines below. values.go alone uses a file above, commands.go,
// for messages that list the values of an option.
//
//	main.go                                     this process, or one that helps another
//	man.go, roff.go, help.go, examples.go       the manual and the help
//	completion.go, completion_bash.go, completion_fish.go, completion_zsh.go, completion_text.go
//	commands.go                                 all commands, for help
//	mergestats.go, mergedepth.go                merge-stats
//	map.go, dryrun.go, insertsize.go, preset.go  map, insert-size
//	copies.go, copies_setup.go, copies_output.go, copies_vcf.go  copies
//	guides.go, guides_changes.go, guides_output.go  guides
//	demultiplex.go, filter.go, records.go       demultiplex, filter
//	mappability.go                              mappability
//	primers.go                                  primers
//	bench.go, bench_device.go, bench_map.go, bench_search.go  bench
//	search.go, search_target.go, search_variants.go  search
//	map_options.go, samples.go                  options of map, some also of others
//	reports.go, counts.go                       statistics and counts of runs
//	bed.go, track.go, profiles.go               forms of files
//	version.go, devices_gpu.go                  --version, and the GPUs there are
//	flags.go                                    options of several commands
//	values.go, probe_gpu.go                     values that have names; whether a driver answers
//	names.go                                    options that know their names
//	arguments.go, habits.go                     arguments as they are typed
//	progress.go, results.go, splitfolder.go     a run: how far it is, and what it leaves
//	supervise.go                                the process that watches this one
//	process.go, messages.go, keeper.go, limits.go, hugepages.go  messages, exit codes, memory
//	output.go, files.go, streams.go             files that appear when complete
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

func main() {
	// Writing to a closed pipe must be an error of the write, not the end of the process, so that
	// temporary files are removed.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(start())
}

// start does the work of this process, which may be the program or a helper of another, and returns
// the exit code.
func start() int {
	if isProbe() {
		return probe()
	}
	if isKeeper() {
		return keep()
	}
	if w := newWorker(); w != nil {
		collectWithinLimits()
		ctx, stop := w.begin(context.Background())
		defer stop()
		return runIn(ctx, os.Args, os.Stdout, w.stderr)
	}
	if err := enoughDescriptors(); err != nil {
		return fail(context.Background(), os.Stderr, err)
	}
	l, limited := memoryLimitOfProcess()
	if limited {
		shareArena()
		if code, err := supervise(l); err == nil {
			return code
		}
		// Without a second process the work is done here: it may well fit.
	}
	collectWithinLimits()
	if !limited && !smallInput(os.Args[1:]) {
		useHugePages(os.DirFS("/"))
	}
	return run(os.Args, os.Stdout, os.Stderr)
}

// run is the program without the process: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := cancelOnSignal(context.Background())
	defer stop()
	return runIn(ctx, args, stdout, stderr)
}

// runIn is run for a context that signals cancel.
func runIn(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := process{args: args, stdout: &sink{name: "standard output", w: stdout}, stderr: stderr}
	_, err := waitFor(ctx, 2*patience, func() (struct{}, error) {
		err := p.run(ctx)
		if err == nil {
			err = p.stdout.err() // help and version are written without a check
		}
		return struct{}{}, err
	}, func() bool { return leftovers.Load() == 0 })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // a signal explains every other error
	}
	return fail(ctx, stderr, err)
}

func (p process) run(ctx context.Context) error {
	app := newApp(p)
	args, err := normalize(app, p.args)
	if err == nil {
		err = suggestValue(app, app.RunContext(ctx, args), args)
	}
	return asTyped(app, err, p.args)
}

func newApp(p process) *cli.App {
	cli.VersionPrinter = func(c *cli.Context) {
		// The sink keeps the error.
		_, _ = fmt.Fprintf(c.App.Writer, "%s %s\n", c.App.Name, c.App.Version)
	}
	cli.HelpPrinter = printHelp
	return &cli.App{
		Name:            "scanmap",
		Usage:           "find every location where a read or a pattern fits a reference within k edits, without an index",
		UsageText:       "scanmap map [options] REF.fa READS.fq\nscanmap search [options] PATTERN REF.fa\nscanmap COMMAND --help",
		Version:         version,
		HideHelpCommand: true,
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		Commands: named([]*cli.Command{mapCommand(p), searchCommand(p), filterCommand(p), demultiplexCommand(p), primersCommand(p),
			insertSizeCommand(p), mergeStatsCommand(p), mappabilityCommand(p), copiesCommand(p), guidesCommand(p), benchCommand(p),
			devicesCommand(p), completionCommand(p), manCommand(p), versionCommand(p)}),
		Action: func(c *cli.Context) error {
			return usagef("no command is given; see scanmap --help")
		},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return usageError{err} },
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
	}
}

func benchCommand(p process) *cli.Command {
	return &cli.Command{
		Name:            "bench",
		Usage:           "measure, repeatably, what scanmap and a GPU do",
		UsageText:       "scanmap bench map [options] [REF.fa READS.fq]\nscanmap bench search [options]\nscanmap bench device [options]",
		HideHelpCommand: true,
		Subcommands:     []*cli.Command{benchMapCommand(p), benchSearchCommand(p), benchDeviceCommand(p)},
		Action: func(c *cli.Context) error {
			return usagef("scanmap bench measures map, search or device; see scanmap bench --help")
		},
	}
}
