package main

import (
	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
)

func benchDeviceCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "device",
		Usage:     "measure what a GPU can do at best",
		UsageText: "scanmap bench device [options]",
		Description: "Reading and copying memory, logic on 32-bit words, random probes of tables of several sizes, and copies from\n" +
			"and to the host, each timed by events around one launch or copy.",
		HideHelpCommand: true,
		Flags: append(benchFlags(deviceFlag("cuda:0", "`NAME` of the GPU: cuda:N", []string{oneGPUForm}), 7),
			&cli.StringFlag{Name: "bytes", Category: categoryRun, DefaultText: "4G, or a quarter of the free memory",
				Usage: "`SIZE` of each of two buffers, such as 512M; all work is in proportion to it"}),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("scanmap bench device takes no files, but %q is given", c.Args().First())
			}
			j, err := newBenchJob(c, p.args)
			if err != nil {
				return err
			}
			if err := oneGPU(j.device); err != nil {
				return usagef("option --device: %w", err)
			}
			o := device.CeilingOptions{Device: j.device, Repetitions: j.repeats}
			if c.IsSet("bytes") {
				if o.Bytes, err = parseSize(c.String("bytes")); err != nil {
					return usagef("option --bytes: %w", err)
				}
				if o.Bytes < device.MinCeilingBytes || o.Bytes > maxBenchBytes {
					return usagef("option --bytes: %s is not from %d to %d bytes", c.String("bytes"),
						device.MinCeilingBytes, int64(maxBenchBytes))
				}
			}
			return j.do(c.Context, p.stdout, func() (*measure.Result, error) { return device.Ceilings(c.Context, o) })
		},
	}
}

// maxBenchBytes is more memory than GPUs have.
const maxBenchBytes = 1 << 40
