package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/mapper"
	"scanmap/mapper/bench"
)

// maxBenchBases is more than any reference has.
const maxBenchBases = 1 << 40

func benchMapCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "measure the parts of mapping one batch of reads",
		UsageText: "scanmap bench map [options] [REF.fa READS.fq]",
		Description: "Reads are mapped again and again, and nothing is written. Without files, reference and reads are\n" +
			"made. On a GPU the parts are its kernels, and core is their sum; on the CPU they are the stages.",
		HideHelpCommand: true,
		Flags: append(benchFlags(benchDeviceFlag(), 3),
			&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Value: "5", Category: categoryMapping,
				Usage: "most edits of a location: `K` edits, or a percentage of the read's length as in 4%"},
			mismatchesFlag(),
			engineFlag(),
			&cli.StringFlag{Name: "bases", Value: "3100000000", Category: categoryInput, Usage: "make a reference of `N` random bases"},
			choice(&cli.StringFlag{Name: "repeats-model", Value: string(bench.RepeatsNone), Category: categoryInput,
				Usage: "`WHAT` else the reference has: " + explained(bench.RepeatsModels)}, namesOf(bench.RepeatsModels)),
			&cli.StringFlag{Name: "reads", Value: strconv.Itoa(1 << 20), Category: categoryInput,
				Usage: "make `N` reads, or take the first N of READS"},
			&cli.StringFlag{Name: "length", Value: "100", Category: categoryInput, Usage: "make reads of `N` bases"},
			&cli.StringFlag{Name: "batch-reads", Value: "0", Category: categoryRun,
				DefaultText: "0, all on a GPU, by the length of the reference on the CPU",
				Usage:       "map `N` reads in one pass over the reference"},
			threadsFlag("compute with `N` threads")),
		Action: func(c *cli.Context) error {
			j, err := newBenchJob(c, p.args)
			if err != nil {
				return err
			}
			var o *bench.Options
			if err := readAll(c, func(c *cli.Context) (err error) { o, err = benchMapOptions(c, j); return err }); err != nil {
				return err
			}
			runtime.GOMAXPROCS(o.Threads)
			return j.do(c.Context, p.stdout, func() (*measure.Result, error) { return bench.Map(c.Context, *o) })
		},
	}
}

// categoryInput is a category of options, for help.
const categoryInput = "Input"

// benchMapOptions makes options from flags.
func benchMapOptions(c *cli.Context, j *benchJob) (*bench.Options, error) {
	o := &bench.Options{Repetitions: j.repeats}
	o.Device = j.device
	if o.Device.Kind != device.CPU {
		if err := oneGPU(o.Device); err != nil {
			return nil, fmt.Errorf("option --device: %w; or cpu", err)
		}
	}
	err := wholeNumbers(c,
		wholeNumber{"bases", &o.Bases, 1, maxBenchBases},
		wholeNumber{"reads", &o.Count, 1, math.MaxInt32},
		wholeNumber{"length", &o.Length, 1, 1 << 20},
		wholeNumber{"batch-reads", &o.BatchReads, 0, math.MaxInt32},
		wholeNumber{"threads", &o.Threads, 1, maxThreads})
	if err != nil {
		return nil, err
	}
	if o.Distance, o.Metric, err = readDistance(c); err != nil {
		return nil, err
	}
	if o.Engine, err = mapper.ParseEngine(c.String("engine")); err != nil {
		return nil, fmt.Errorf("option --engine: %w", err)
	}
	if o.Repeats, err = bench.ParseRepeats(c.String("repeats-model")); err != nil {
		return nil, fmt.Errorf("option --repeats-model: %w", err)
	}
	return o, benchMapInput(c, o, j.json)
}

// benchMapInput sets the files to measure with, if there are any. json is the name of the output.
func benchMapInput(c *cli.Context, o *bench.Options, json string) error {
	switch n := c.Args().Len(); n {
	case 0:
		return nil
	case 2:
	default:
		return fmt.Errorf("scanmap bench map takes two files, REF.fa and READS.fq, or none, but %d are given; "+
			"see scanmap bench map --help", n)
	}
	for _, name := range []string{"bases", "length", "repeats-model"} {
		if c.IsSet(name) {
			return fmt.Errorf("option --%s says what to make, but files are given", name)
		}
	}
	if !c.IsSet("reads") {
		o.Count = 0 // all
	}
	o.Reference, o.Libraries = c.Args().Get(0), []mapper.Library{{Reads: c.Args().Get(1)}}
	if o.Reference == "" || o.Libraries[0].Reads == "" {
		return errors.New("the name of an input file is empty")
	}
	if err := keepInputs(json, o.Reference, o.Libraries[0].Reads); err != nil {
		return err
	}
	return firstError(differentStreams("reference and reads", o.Reference, o.Libraries[0].Reads),
		notReference(o.Reference, o.Libraries[0].Reads))
}
