package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/report"
)

// benchFlags are the options that all measurements have.
func benchFlags(deviceFlag cli.Flag, repeats int) []cli.Flag {
	return []cli.Flag{
		deviceFlag,
		&cli.StringFlag{Name: "repeats", Value: strconv.Itoa(repeats), Category: categoryRun,
			Usage: "measure `N` times, after once that is not counted, and give medians"},
		&cli.StringFlag{Name: "json", Category: categoryOutput,
			Usage: "write the results as JSON to `FILE` too; - is standard output, in place of the table"},
	}
}

// oneGPUForm is how one GPU is named.
const oneGPUForm = string(device.CUDA) + ":N"

// benchDeviceFlag is --device of measurements on the CPU or on one GPU.
func benchDeviceFlag() cli.Flag {
	return deviceFlag("cuda:0", "`NAME` of the device: cpu or cuda:N", []string{string(device.CPU), oneGPUForm})
}

// maxRepeats is more than anybody waits for.
const maxRepeats = 1_000_000

// benchJob is a checked call of a measurement.
type benchJob struct {
	device  device.Choice
	repeats int
	json    string // file of the JSON, - for standard output, empty for none
	run     report.BenchRun
}

// newBenchJob reads the options of benchFlags; args are the program's, for the JSON. Its errors are
// usage errors.
func newBenchJob(c *cli.Context, args []string) (*benchJob, error) {
	j := &benchJob{json: c.String("json")}
	if j.json == "" && c.IsSet("json") {
		return nil, usagef("option --json: the name is empty")
	}
	if err := plainOutput(namedOutput{"json", j.json}); err != nil {
		return nil, usageError{err}
	}
	var err error
	if j.device, err = deviceChoice(c); err != nil {
		return nil, usageError{err}
	}
	if err = wholeNumbers(c, wholeNumber{"repeats", &j.repeats, 1, maxRepeats}); err != nil {
		return nil, usageError{err}
	}
	j.run = report.BenchRun{Version: version, Time: time.Now(), CommandLine: commandLine(args)}
	j.run.Commit, j.run.Modified = commit()
	return j, nil
}

// parseSize reads a number of bytes or letters such as 65536, 64K, 512M or 4G, in powers of 1024.
func parseSize(s string) (int64, error) {
	refused := fmt.Errorf("%q is not a number such as 65536, 64K, 512M or 4G", s)
	digits, shift := s, 0
	if s != "" {
		if i := strings.IndexByte("KMGT", s[len(s)-1]); i >= 0 {
			digits, shift = s[:len(s)-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, refused
	}
	return int64(n) << shift, nil
}

// do measures and writes the results. The file of the JSON is opened first, so that nobody waits
// for what cannot be written. A run that fails leaves no file.
func (j *benchJob) do(ctx context.Context, stdout *sink, perform func() (*measure.Result, error)) error {
	var out *output
	if j.json != "" {
		var err error
		if out, err = openOutput(ctx, j.json, stdout); err != nil {
			return err
		}
		defer out.discard()
	}
	r, err := untilStopped(ctx, perform)
	if err := firstError(context.Cause(ctx), err); err != nil {
		return err
	}
	if out != nil {
		if err := firstError(report.BenchJSON(out, r, j.run), out.finish(), context.Cause(ctx)); err != nil {
			return err
		}
		if err := out.publish(); err != nil {
			return err
		}
	}
	if isStandardOutput(j.json) {
		return nil
	}
	return report.BenchTable(stdout, r)
}

// oneGPU checks that a device is one GPU.
func oneGPU(d device.Choice) error {
	if d.Kind != device.CUDA || len(d.Indices) != 1 {
		return errors.New("one GPU is measured at a time, such as cuda:0")
	}
	return nil
}
