package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

func devicesCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "devices",
		Usage:     "list the GPUs, and what --device auto chooses",
		UsageText: "scanmap devices",
		Description: "Each GPU is opened and each kernel loaded, which takes seconds the first time. The numbers are those of\n" +
			"--device cuda:N; CUDA_VISIBLE_DEVICES hides GPUs and changes them.",
		HideHelpCommand: true,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("scanmap devices takes no arguments, but %q is given", c.Args().First())
			}
			return listDevices(p.stdout, driver)
		},
	}
}

// listDevices lists the GPUs of a driver, the machine's own if it is nil. A GPU's fault is part of
// the list.
func listDevices(w io.Writer, driver *gpu.Driver) error {
	if driver == nil {
		var err error
		if driver, err = gpu.LoadDriver(); err != nil {
			return writeLine(w, "no GPU: %v; --device auto chooses cpu", err)
		}
		if err := driverAnswers(); err != nil {
			return writeLine(w, "no GPU: %v; --device auto chooses cpu", err)
		}
	}
	version, err := driver.Version()
	if err != nil {
		return &device.Error{Err: err}
	}
	infos, err := driver.Devices()
	if err != nil {
		return &device.Error{Err: err}
	}
	cuda := fmt.Sprintf("%d.%d", version/1000, version%1000/10)
	if len(infos) == 0 {
		return writeLine(w, "no GPU: the driver, for CUDA %s, finds none; --device auto chooses cpu", cuda)
	}
	rows := make([]deviceRow, len(infos))
	for i, info := range infos {
		rows[i] = lookAt(driver, info)
	}
	return writeDevices(w, cuda, rows)
}

// deviceRow is the row of a GPU in the table.
type deviceRow struct {
	info          gpu.Info
	free          int64 // bytes, if the GPU could be opened
	opened        bool
	loaded, files int // files of kernels
	problems      []error
}

// lookAt opens a GPU and loads all kernels.
func lookAt(driver *gpu.Driver, info gpu.Info) (row deviceRow) {
	row.info = info
	files := map[string][]kernels.Entry{}
	for _, e := range kernels.Entries {
		files[e.File] = append(files[e.File], e)
	}
	row.files = len(files)
	d, err := driver.Open(info.Index, gpu.Options{})
	if err != nil {
		row.problems = append(row.problems, err)
		return row
	}
	defer func() {
		if err := d.Close(); err != nil {
			row.problems = append(row.problems, err)
		}
	}()
	if row.free, _, err = d.FreeMemory(); err != nil {
		row.problems = append(row.problems, err)
		return row
	}
	row.opened = true
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := load(d, file, files[file]); err != nil {
			row.problems = append(row.problems, fmt.Errorf("kernels of %s: %w", file, err))
			continue
		}
		row.loaded++
	}
	return row
}

// load loads a file of kernels and finds each kernel in it.
func load(d *gpu.Device, file string, entries []kernels.Entry) (err error) {
	ptx, err := kernels.PTX(file)
	if err != nil {
		return err
	}
	module, err := d.Load(ptx)
	if err != nil {
		return err
	}
	defer func() {
		if e := module.Close(); err == nil {
			err = e
		}
	}()
	for _, e := range entries {
		if _, err := module.Kernel(e.Name, e.ParameterBytes); err != nil {
			return err
		}
	}
	return nil
}

// writeDevices writes a table, the errors, and the choice of auto.
func writeDevices(w io.Writer, cuda string, rows []deviceRow) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines := []string{"device\tname\tcompute capability\tmemory\tfree\tdriver\tkernels"}
	var names []string
	for _, r := range rows {
		names = append(names, r.name())
		free, loaded := "-", "-"
		if r.opened {
			free = gibibytes(r.free)
			loaded = fmt.Sprintf("%d of %d load", r.loaded, r.files)
			if r.loaded == r.files {
				loaded = "load"
			}
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d.%d\t%s\t%s\tCUDA %s\t%s",
			r.name(), r.info.Name, r.info.Major, r.info.Minor, gibibytes(r.info.Memory), free, cuda, loaded))
	}
	for _, line := range lines {
		if err := writeLine(table, "%s", line); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		for _, problem := range r.problems {
			if err := writeLine(w, "%v", problem); err != nil {
				return err
			}
		}
	}
	return writeLine(w, "--device auto chooses %s where the reads are worth starting a GPU, and cpu otherwise", strings.Join(names, ", "))
}

func (r deviceRow) name() string { return fmt.Sprintf("cuda:%d", r.info.Index) }

func gibibytes(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }

// writeLine writes one line, whatever the names in it hold.
func writeLine(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintln(w, oneLine(fmt.Sprintf(format, args...)))
	return err
}
