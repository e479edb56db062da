package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"scanmap/internal/measure"
)

// benchSchema names the form of the JSON of a measurement.
const benchSchema = "scanmap-bench/1"

// BenchRun says where the result of a measurement comes from.
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
	TextLetters    int64 `json:"text_letters,omitempty"`
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
	*benchSearch
}

// benchSearch has the members of a row for a search.
type benchSearch struct {
	Tbps          float64 `json:"tbps"`
	Method        string  `json:"method"`
	Scheme        string  `json:"scheme"`
	Alphabet      string  `json:"alphabet"`
	AlphabetSize  int     `json:"alphabet_size"`
	Letters       int64   `json:"letters"`
	PatternLength int     `json:"pattern_length"`
	Distance      int     `json:"distance"`
	Substitutions bool    `json:"substitutions,omitempty"`
	Patterns      int     `json:"patterns"`
	Threads       int     `json:"threads,omitempty"`
	Share         float64 `json:"share,omitempty"`
	Ceiling       string  `json:"ceiling,omitempty"`
}

// newBenchRow makes the JSON of a row.
func newBenchRow(r *measure.Row) benchRow {
	row := benchRow{Name: r.Name, Unit: r.Unit, Value: r.Value, Min: r.Min, Max: r.Max, Runs: r.Runs, Bytes: r.Bytes,
		Operations: r.Operations}
	if s := r.Search; s != nil {
		row.benchSearch = &benchSearch{
			Tbps: measure.Tbps(r.Value), Method: s.Method, Scheme: s.Scheme, Alphabet: s.Alphabet, AlphabetSize: s.AlphabetSize,
			Letters: s.Letters, PatternLength: s.PatternLength, Distance: s.Distance, Substitutions: s.Substitutions,
			Patterns: s.Patterns, Threads: s.Threads, Share: s.Share, Ceiling: s.Ceiling,
		}
	}
	return row
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
		Sizes:   benchSizes{ReferenceBases: r.Bases, Reads: r.Reads, BufferBytes: r.Bytes, TextLetters: r.Letters},
		Results: make([]benchRow, 0, len(r.Rows)),
	}
	for i := range r.Rows {
		out.Results = append(out.Results, newBenchRow(&r.Rows[i]))
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
	if r.Letters > 0 {
		fmt.Fprintf(&b, "text of %s letters\n", grouped(r.Letters))
	}
	rows, columns := benchRows(r.Rows)
	section(&b, columns, rows)
	_, err := w.Write(b.Bytes())
	return err
}

// benchRows makes the lines of a table, with columns for searches and for shares of a ceiling if a
// row has them.
func benchRows(all []measure.Row) (rows [][]string, columns string) {
	header := []string{"", "median", "least", "most", "", "runs"}
	columns = "lrrrlr"
	searches, shares := false, false
	for i := range all {
		if s := all[i].Search; s != nil {
			searches, shares = true, shares || s.Ceiling != ""
		}
	}
	if searches {
		header, columns = append(header, "Tbps"), columns+"r"
	}
	if shares {
		header, columns = append(header, "share", "of"), columns+"rl"
	}
	rows = [][]string{header}
	for i := range all {
		r := &all[i]
		row := []string{"  " + r.Name, scaled(r.Value), scaled(r.Min), scaled(r.Max), r.Unit, fmt.Sprint(r.Runs)}
		s := r.Search
		if s == nil {
			s = &measure.Search{}
		}
		if searches {
			tbps := ""
			if r.Search != nil {
				tbps = strconv.FormatFloat(measure.Tbps(r.Value), 'g', 3, 64)
			}
			row = append(row, tbps)
		}
		if shares {
			share := ""
			if s.Ceiling != "" {
				share = fmt.Sprintf("%.1f %%", 100*s.Share)
			}
			row = append(row, share, s.Ceiling)
		}
		rows = append(rows, row)
	}
	return rows, columns
}
