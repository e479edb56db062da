package main

import (
	"os"
	"path/filepath"
	"testing"
)

const (
	bench = `{"schema": "scanmap-bench/1", "commit": "abc", "time": "2026-11-21T06:00:09Z", "device": {"name": "NVIDIA H200", "driver_version": "CUDA 13.0"},
		"results": [{"name": "read", "unit": "B/s", "value": 4e12, "min": 3.5e12, "max": 5e12, "runs": 7}]}`
	stats = `{"schema": "scanmap-stats/1", "reads": 8, "mappings": 9, "elapsed_seconds": 2.5, "stages": [{"name": "parse", "seconds": 1.25}],
		"kernels": [{"name": "skim", "launches": 8, "seconds": 0.5}]}`
	times = "run\tseconds\tuser\tkB\nlarge cuda\t2.78\t28.39\t4677256\n"
	want  = "table\tdate\tcommit\tprocessor\tthreads\trepeat\tcommand\tuntimed\tnote\tadded\tleft_out\tversions\tfrom\tname\tunit\tvalue\tleast\tmost\truns\n" +
		"run\t2026-11-21\tabc\tNVIDIA H200, CUDA 13.0\t0\t0\tmake bench-gpu\t\t\t\t\t\t\t\t\t\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\tdevice\tread\tB/s\t4e+12\t3.5e+12\t5e+12\t7\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\trun\treads\treads\t8\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\trun\tlocations\tlocations\t9\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\trun\telapsed\ts\t2.5\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\trun\tstage parse\ts\t1.25\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\trun\tkernel skim\ts\t0.5\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\tlarge cuda\twall clock\ts\t2.78\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\tlarge cuda\tuser\ts\t28.39\t\t\t\n" +
		"figure\t\t\t\t\t\t\t\t\t\t\t\tlarge cuda\tpeak memory\tkB\t4677256\t\t\t\n"
)

// folder has files of these names and texts.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	in := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func TestFigures(t *testing.T) {
	in := folder(t, map[string]string{"device.json": bench, "run.json": stats, "times.tsv": times})
	out := filepath.Join(in, "out.tsv")
	if err := run(in, out); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != want {
		t.Errorf("%v\n%s\nexpected\n%s", err, text, want)
	}
}

func TestRefused(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no times":          {"device.json": bench},
		"another schema":    {"x.json": `{"schema": "other"}`, "times.tsv": times},
		"no JSON":           {"x.json": "?", "times.tsv": times},
		"too few columns":   {"times.tsv": times + "large cuda\t2.78\n"},
		"no number of time": {"times.tsv": times + "large cuda\tx\t1\t2\n"},
	} {
		in := folder(t, files)
		if err := run(in, filepath.Join(in, "out.tsv")); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
