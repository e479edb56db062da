package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTurns(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	rows := []row{{name: "a", command: "echo a >>" + log}, {name: "b", command: "echo b | cat >>" + log}, {name: "c", command: "true"}}
	if err := turns(rows, 3); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if got := strings.Join(strings.Fields(string(text)), ""); err != nil || got != "ababab" {
		t.Errorf("%v: they ran as %s", err, got)
	}
	for _, r := range rows {
		if len(r.seconds) != 3 || len(r.user) != 3 || median(r.seconds) <= 0 || r.peakMB <= 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, line := range []string{"false", "false | cat", "here-is-no-program", "cat not-there.fa"} {
		if err := turns([]row{{command: line}}, 1); err == nil {
			t.Errorf("%q fails, and is no error", line)
		}
	}
}

func TestTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.tsv")
	rows := []row{
		{"yeast", "scanmap", []float64{2, 1, 3}, []float64{4, 4, 5}, 100, "2026-11-26", "1ab", "m", "scanmap map"},
		{"yeast", "other", []float64{5}, []float64{1.5}, 50.5, "2026-11-26", "1ab", "m", "other"},
		{"", "scanmap", []float64{0.25, 0.75}, []float64{1, 1}, 1, "2026-11-25", "1ab", "m", "c"},
	}
	if err := os.WriteFile(file, []byte(format(rows)), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := load(file)
	if err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%v: read back are %+v", err, got)
	}
	const head = "| program | seconds | user CPU seconds | of the first | MiB | runs | date, commit |\n|---|---:|---:|---:|---:|---:|---|\n"
	const want = "yeast:\n\n" + head + "| scanmap | 2.00 | 4.00 | 1.00 | 100 | 3 | 2026-11-26, 1ab |\n" +
		"| other | 5.00 | 1.50 | 2.50 | 50 | 1 | 2026-11-26, 1ab |\n\n" +
		head + "| scanmap | 0.50 | 1.00 | 1.00 | 1 | 2 | 2026-11-25, 1ab |\n\n"
	if text := markdown(rows); text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	for _, text := range []string{"", "set\tprogram\n", strings.Join(columns, "\t") + "\na\tb\n",
		strings.Replace(format(rows[1:2]), "5.000", "x", 1), strings.Replace(format(rows[:1]), "2.000 ", "", 1)} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if rows, err := load(file); err == nil {
			t.Errorf("%q is no error but %+v", text, rows)
		}
	}
}

// TestRun puts rows into a table that has others.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.tsv")
	for _, args := range [][]string{{"a=true", "b=true"}, {"b=sleep 0", "c=true"}} {
		if err := run("x", 2, file, "", args); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := load(file)
	if err != nil || len(rows) != 3 || rows[0].name != "a" || rows[1].command != "sleep 0" || rows[2].name != "c" {
		t.Errorf("%v: %+v", err, rows)
	}
	before, _ := os.ReadFile(file)
	for _, args := range [][]string{nil, {"true"}, {"=true"}, {"a="}, {"a=true\tx"}, {"a=false"}} {
		if err := run("x", 1, file, "", args); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("a command that fails changes the table")
	}
}
