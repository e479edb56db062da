package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"scanmap/measure"
)

// benchSchema names the form of the JSON of a measurement.
const benchSchema = "scanmap-bench/1"

// BenchRun is what there is to tell of a measurement beside its result.
type BenchRun struct {
	Version string // of scanmap
	Commit  string // that scanmap was built from, "" if that is not known
	// Modified tells that there were changes since the commit.
	Modified    bool
	Time        time.Time
	CommandLine []string
}

// benchmark is the JSON; the package comment explains its members.
type benchmark struct {
	Schema      string      `json:"schema"`
	Version     string      `json:"version"`
	Commit      string      `json:"commit,omitempty"`
	Modified    bool        `json:"modified,omitempty"`
	Time        time.Time   `json:"time"`
	CommandLine []string    `json:"command_line"`
	Device      benchDevice `json:"device"`
	Sizes       benchSizes  `json:"sizes"`
	Results     []benchRow  `json:"results"`
}

type benchDevice struct {
	ID                string `json:"id"`
	Name              string `json:"name"`
	ComputeCapability string `json:"compute_capability,omitempty"`
	DriverVersion     string `json:"driver_version,omitempty"`
	MemoryBytes       int64  `json:"memory_bytes,omitempty"`
	Multiprocessors   int    `json:"multiprocessors,omitempty"`
}

type benchSizes struct {
	ReferenceBases int64 `json:"reference_bases,omitempty"`
	Reads          int64 `json:"reads,omitempty"`
	BufferBytes    int64 `json:"buffer_bytes,omitempty"`
}

type benchRow struct {
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	Value      float64 `json:"value"`
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	Runs       int     `json:"runs"`
	Bytes      int64   `json:"bytes,omitempty"`
	Operations int64   `json:"operations,omitempty"`
}

// BenchJSON writes a measurement as one JSON object and a line feed.
func BenchJSON(w io.Writer, r *measure.Result, run BenchRun) error {
	out := benchmark{
		Schema:      benchSchema,
		Version:     run.Version,
		Commit:      run.Commit,
		Modified:    run.Modified,
		Time:        run.Time.UTC().Truncate(time.Second),
		CommandLine: append([]string{}, run.CommandLine...), // [] and not null
		Device: benchDevice{
			ID:                r.Device.ID,
			Name:              r.Device.Name,
			ComputeCapability: r.Device.ComputeCapability,
			DriverVersion:     r.Device.Driver,
			MemoryBytes:       r.Device.Memory,
			Multiprocessors:   r.Device.Multiprocessors,
		},
		Sizes:   benchSizes{ReferenceBases: r.Bases, Reads: r.Reads, BufferBytes: r.Bytes},
		Results: make([]benchRow, 0, len(r.Rows)),
	}
	for _, row := range r.Rows {
		out.Results = append(out.Results, benchRow(row))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// BenchTable writes a measurement for people.
func BenchTable(w io.Writer, r *measure.Result) error {
	var b bytes.Buffer
	d := r.Device
	b.WriteString(d.ID)
	if d.Name != d.ID {
		fmt.Fprintf(&b, "  %s, compute capability %s, %d multiprocessors, %.1f GiB, %s",
			d.Name, d.ComputeCapability, d.Multiprocessors, float64(d.Memory)/(1<<30), d.Driver)
	}
	b.WriteByte('\n')
	if r.Bytes > 0 {
		fmt.Fprintf(&b, "buffers of %s bytes\n", grouped(r.Bytes))
	}
	if r.Reads > 0 {
		fmt.Fprintf(&b, "%s reads, %s bases of reference\n", grouped(r.Reads), grouped(r.Bases))
	}
	rows := [][]string{{"", "median", "least", "most", "", "runs"}}
	for _, row := range r.Rows {
		rows = append(rows, []string{"  " + row.Name, scaled(row.Value), scaled(row.Min), scaled(row.Max), row.Unit, fmt.Sprint(row.Runs)})
	}
	section(&b, "lrrrlr", rows)
	_, err := w.Write(b.Bytes())
	return err
}
