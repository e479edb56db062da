package report

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"scanmap/internal/measure"
)

// measurements have something in every member between them.
func measurements() map[string]*measure.Result {
	h200 := measure.Device{ID: "cuda:0", Name: "NVIDIA H200", ComputeCapability: "9.0", Driver: "CUDA 13.0",
		Memory: 150109880320, Multiprocessors: 132}
	return map[string]*measure.Result{
		"bench_device": {Device: h200, Bytes: 4 << 30, Rows: []measure.Row{
			{Name: "read", Unit: "B/s", Value: 4.5e12, Min: 4.25e12, Max: 4.512e12, Runs: 7, Bytes: 4 << 30},
			{Name: "random probes, table of 16 MiB", Unit: "probes/s", Value: 160e9, Min: 159e9, Max: 161e9, Runs: 7, Operations: 1 << 29},
		}},
		"bench_map": {Device: h200, Bases: 3_100_000_000, Reads: 1 << 20, Rows: []measure.Row{
			{Name: "core", Unit: "reads/s", Value: 81_234_567, Min: 80e6, Max: 82e6, Runs: 3, Operations: 1 << 20},
			{Name: "kernel skim", Unit: "s", Value: 0.0098, Min: 0.0097, Max: 0.0099, Runs: 3},
		}},
		"bench_cpu": {Device: measure.Device{ID: "cpu", Name: "cpu"}, Bases: 1000, Reads: 1, Rows: []measure.Row{
			{Name: "all", Unit: "reads/s", Value: 100, Min: 0, Max: 200, Runs: 2, Operations: 1},
		}},
		"bench_search": {Device: h200, Letters: 1 << 31, Rows: []measure.Row{
			{Name: "copy of the text", Unit: "B/s", Value: 4e12, Min: 3.9e12, Max: 4.1e12, Runs: 5, Bytes: 1 << 32},
			{Name: "copy of the text", Unit: "letters/s", Value: 2e12, Min: 1.95e12, Max: 2.05e12, Runs: 5, Operations: 1 << 31},
			{Name: "shift-or/scan, m = 32, k = 0", Unit: "letters/s", Value: 1.6e12, Min: 1.5e12, Max: 1.7e12,
				Runs: 5, Operations: 1 << 31, Search: &measure.Search{
					Method: "shift-or", Scheme: "scan", Alphabet: "bytes", AlphabetSize: 64, Letters: 1 << 31, PatternLength: 32, Patterns: 1,
					Share: 0.8, Ceiling: "copy of the text",
				}},
		}},
		"bench_search_cpu": {Device: measure.Device{ID: "cpu", Name: "cpu"}, Letters: 1 << 24, Rows: []measure.Row{
			{Name: "planes/substitutions, m = 20, k = 3", Unit: "letters/s", Value: 1e9, Min: 1e9, Max: 1e9, Runs: 1,
				Operations: 3 << 24, Search: &measure.Search{
					Method: "planes", Scheme: "substitutions", Alphabet: "dna", AlphabetSize: 4, Letters: 1 << 24,
					PatternLength: 20, Distance: 3,
					Substitutions: true, Patterns: 3, Threads: 2,
				}},
		}},
		"bench_empty": {},
	}
}

func TestBench(t *testing.T) {
	run := BenchRun{
		Version: "1.2.3", Commit: "0123456789abcdef0123456789abcdef01234567", Modified: true,
		Time:        time.Date(2026, 11, 20, 12, 30, 1, 5, time.FixedZone("", 3600)),
		CommandLine: []string{"scanmap", "bench", "device", "--json", "<a b>"},
	}
	for name, r := range measurements() {
		var table, text bytes.Buffer
		if err := errors.Join(BenchTable(&table, r), BenchJSON(&text, r, run)); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", table.Bytes())
		golden(t, name+".json", text.Bytes())
	}
}

func TestBenchWriteFails(t *testing.T) {
	r := &measure.Result{}
	for _, err := range []error{BenchTable(failingWriter{}, r), BenchJSON(failingWriter{}, r, BenchRun{})} {
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("got %v", err)
		}
	}
}
