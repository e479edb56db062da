// Command gpufigures puts what scripts/bench-gpu.sh measured into one TSV file.
//
//	build/tools/gpufigures build/bench-gpu docs/benchmarks/gpu-2026-11-21.tsv
//
// A row is a median of scanmap bench (with least, most and number of runs), a stage or a kernel of
// a whole run from its statistics, or what one whole run took by the clock.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/sidebyside"
)

// A figure is one number. From is the file that it is of, without its ending.
type figure struct {
	From, Name, Unit string
	Value            float64
	Least            float64 `tsv:",omitempty"`
	Most             float64 `tsv:",omitempty"`
	Runs             int     `tsv:",omitempty"`
}

func main() {
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: gpufigures FOLDER FILE.tsv")
		os.Exit(2)
	}
	sidebyside.Exit("gpufigures", run(flag.Arg(0), flag.Arg(1)))
}

func run(folder, out string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	head := &sidebyside.Run{Command: "make bench-gpu"}
	var all []*figure
	for _, file := range files {
		figures, err := read(file, head)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, figures...)
	}
	times, err := readTimes(filepath.Join(folder, "times.tsv"))
	if err != nil {
		return err
	}
	all = append(all, times...)
	return sidebyside.WriteTSV(out, sidebyside.TableOf("run", []*sidebyside.Run{head}), sidebyside.TableOf("figure", all))
}

// A part is a stage or a kernel of a whole run.
type part struct {
	Name    string
	Seconds float64
}

// read reads results of scanmap bench, or the statistics of scanmap map.
func read(file string, head *sidebyside.Run) ([]*figure, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var kind struct{ Schema string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	from := strings.TrimSuffix(filepath.Base(file), ".json")
	switch kind.Schema {
	case "scanmap-bench/1":
		return readBench(from, data, head)
	case "scanmap-stats/1":
		return readStatistics(from, data)
	}
	return nil, fmt.Errorf("its schema is %q, expected that of scanmap bench or of --stats", kind.Schema)
}

func readBench(from string, data []byte, head *sidebyside.Run) ([]*figure, error) {
	var bench struct {
		Commit, Time string
		Device       struct {
			Name          string
			DriverVersion string `json:"driver_version"`
		}
		Results []struct {
			Name, Unit      string
			Value, Min, Max float64
			Runs            int
		}
	}
	if err := json.Unmarshal(data, &bench); err != nil {
		return nil, err
	}
	head.Commit, head.Processor = bench.Commit, strings.TrimSpace(bench.Device.Name+", "+bench.Device.DriverVersion)
	head.Date, _, _ = strings.Cut(bench.Time, "T")
	var all []*figure
	for _, r := range bench.Results {
		all = append(all, &figure{from, r.Name, r.Unit, r.Value, r.Min, r.Max, r.Runs})
	}
	return all, nil
}

func readStatistics(from string, data []byte) ([]*figure, error) {
	var stats struct {
		Reads          float64
		Mappings       float64
		ElapsedSeconds float64 `json:"elapsed_seconds"`
		Stages         []part
		Kernels        []part
	}
	if err := json.Unmarshal(data, &stats); err != nil {
		return nil, err
	}
	all := []*figure{
		{From: from, Name: "reads", Unit: "reads", Value: stats.Reads}, {From: from, Name: "locations", Unit: "locations", Value: stats.Mappings},
		{From: from, Name: "elapsed", Unit: "s", Value: stats.ElapsedSeconds},
	}
	for _, s := range stats.Stages {
		all = append(all, &figure{From: from, Name: "stage " + s.Name, Unit: "s", Value: s.Seconds})
	}
	for _, k := range stats.Kernels {
		all = append(all, &figure{From: from, Name: "kernel " + k.Name, Unit: "s", Value: k.Seconds})
	}
	return all, nil
}

// readTimes reads run, seconds, user seconds and kB, one whole run a line.
func readTimes(file string) ([]*figure, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	columns := []struct {
		name, unit string
	}{{"wall clock", "s"}, {"user", "s"}, {"peak memory", "kB"}}
	var all []*figure
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 1+len(columns) {
			return nil, fmt.Errorf("%s:%d: %d columns, expected %d", file, i+1, len(cells), 1+len(columns))
		}
		for j, c := range columns {
			v, err := strconv.ParseFloat(cells[j+1], 64)
			if i == 0 {
				continue // the names
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
			all = append(all, &figure{From: cells[0], Name: c.name, Unit: c.unit, Value: v})
		}
	}
	return all, nil
}
