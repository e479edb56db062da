package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made makes a row of a GPU whose rate falls with m and k.
func made(method, scheme string, n int64, m, k int, rate float64) map[string]any {
	r := map[string]any{
		"unit": "letters/s", "value": rate / float64(1+k), "method": method, "scheme": scheme, "alphabet": "bytes", "alphabet_size": 64,
		"letters": n, "pattern_length": m, "distance": k, "patterns": 1, "share": rate / float64(1+k) / 2.1e12, "ceiling": "copy of the text, one byte a letter, read and written",
	}
	if method == "planes" || scheme == "packed" {
		r["alphabet"], r["alphabet_size"] = "dna", 4
		r["share"], r["ceiling"] = rate/float64(1+k)/17e12, "read of the packed text, 2 bits a letter"
	}
	return r
}

// with changes a member.
func with(r map[string]any, member string, value any) map[string]any {
	r[member] = value
	return r
}

// onOneThread makes it a row of the CPU.
func onOneThread(r map[string]any) map[string]any {
	delete(r, "share")
	delete(r, "ceiling")
	return with(r, "threads", 1)
}

// measured are results for every figure.
func measured() []map[string]any {
	var rows []map[string]any
	for k := range 3 {
		method := "wu-manber"
		if k == 0 {
			method = "shift-or"
		}
		for _, m := range []int{4, 8, 16, 32, 48, 64} {
			rows = append(rows, made(method, "scan", 1<<31, m, k, 1.6e12/float64(1+m/33)),
				made(method, "segment", 1<<31, m, k, 1e11/float64(1+m/16)), made(method, "segment-tiled", 1<<31, m, k, 1e12/float64(1+m/16)))
		}
		for _, m := range []int{32, 64} {
			rows = append(rows, made("wu-manber", "packed", 1<<31, m, k, 4.2e12), made("planes", "exact", 1<<31, m, k, 12.6e12))
		}
		for n := int64(1 << 20); n < 1<<31; n <<= 1 {
			full := float64(n) / (float64(n) + 1e7)
			rows = append(rows, made(method, "scan", n, 64, k, 8e11*full), made(method, "segment", n, 64, k, 2e10*full))
		}
	}
	for _, m := range []int{4, 16, 64, 256, 1024} {
		rows = append(rows, made("rabin-karp", "divide", 1<<25, m, 0, 1e12/float64(m)), made("rabin-karp", "cooperative", 1<<25, m, 0, 1e10),
			made("rabin-karp", "two-stage", 1<<25, m, 0, 9e10),
			with(with(made("rabin-karp", "divide", 4_600_000, m, 0, 1e12/float64(m)), "alphabet", "dna"), "alphabet_size", 4),
			with(with(made("rabin-karp", "two-stage", 4_600_000, m, 0, 6e10), "alphabet", "dna"), "alphabet_size", 4))
		for _, size := range []int{2, 4, 8, 16, 64, 256} {
			rows = append(rows, with(made("rabin-karp", "two-stage", 1<<31, m, 0, 5e10+1e10*float64(size%7)), "alphabet_size", size))
		}
	}
	for _, n := range []int64{1 << 20, 1 << 22, 1 << 24} {
		rows = append(rows, made("witness", "shared", n, 1000, 0, 3e10), made("brute-force", "plain", n, 1000, 0, 1e10),
			onOneThread(made("kmp", "serial", n, 1000, 0, 3e8)))
	}
	rows = append(rows, made("levenshtein", "diagonal", 1<<24, 16, 6, 2e10), made("levenshtein", "rows-shuffle", 1<<24, 16, 6, 9e10),
		onOneThread(made("levenshtein", "serial", 1<<24, 16, 6, 4e7)))
	return rows
}

// write writes results as scanmap bench search does, as far as searchplots reads them.
func write(t *testing.T, file, device string, rows []map[string]any) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"device": map[string]string{"name": device}, "results": append([]map[string]any{{"name": "read", "unit": "B/s", "value": 1}}, rows...)})
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every figure is drawn, as XML, and its table has what was measured.
func TestFigures(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	if folder := os.Getenv("SEARCHPLOTS_OUT"); folder != "" {
		out = folder // to look at
	}
	write(t, filepath.Join(in, "all.json"), "NVIDIA H200", measured())
	var tables strings.Builder
	if err := run([]string{in}, out, filepath.Join(out, "search.tsv"), &tables); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"pattern-length-k0", "pattern-length-k1", "pattern-length-k2", "text-length-k0", "text-length-k1", "text-length-k2",
		"rabin-karp-bytes64-33554432", "rabin-karp-dna-4600000", "alphabet-size", "witness", "levenshtein",
	} {
		file := "search-" + name + ".svg"
		data, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(string(data))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		if strings.Contains(string(data), "NaN") || !strings.Contains(string(data), "sans-serif") || !strings.Contains(tables.String(), file) {
			t.Errorf("%s: a number, a font or the table is missing", file)
		}
	}
	for _, line := range []string{
		"| shift-or/scan, bytes of 64 values | 12.8 (76 %) | 12.8 (76 %) | 12.8 (76 %) | 12.8 (76 %) | 6.4 (38 %) | 6.4 (38 %) |",
		"- from m = 100 on rabin-karp/cooperative takes less time than rabin-karp/divide",
		"| kmp/serial, CPU, 1 thread | 3.5 | 14 | 55.9 |",
		"| levenshtein/serial, CPU, 1 thread | 5.71 M |",
	} {
		if !strings.Contains(tables.String(), line) {
			t.Errorf("there is no %q in\n%s", line, tables.String())
		}
	}
}

// The TSV gives the same plots and tables as the JSON.
func TestDrawnAgain(t *testing.T) {
	in, first, second := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(in, "all.json"), "NVIDIA H200", measured())
	var tables, again strings.Builder
	tsv := filepath.Join(in, "search.tsv")
	if err := run([]string{in}, first, tsv, &tables); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{tsv}, second, "", &again); err != nil {
		t.Fatal(err)
	}
	if tables.String() != again.String() {
		t.Errorf("%s\nbecame\n%s", tables.String(), again.String())
	}
	plots, err := filepath.Glob(filepath.Join(first, "*.svg"))
	if err != nil || len(plots) != 11 {
		t.Fatal(plots, err)
	}
	for _, plot := range plots {
		was, err := os.ReadFile(plot)
		is, err2 := os.ReadFile(filepath.Join(second, filepath.Base(plot)))
		if err != nil || err2 != nil || string(was) != string(is) {
			t.Errorf("%s differs, %v, %v", plot, err, err2)
		}
	}
}

func TestRefused(t *testing.T) {
	in := t.TempDir()
	if err := run([]string{in}, in, "", io.Discard); err == nil {
		t.Error("a folder without files is taken")
	}
	file := filepath.Join(in, "a.json")
	write(t, file, "NVIDIA H200", []map[string]any{made("kmp", "serial", 1<<20, 4, 0, 1e9)})
	if err := run([]string{file}, in, "", io.Discard); err == nil {
		t.Error("results that belong to no plot are taken")
	}
	other := filepath.Join(in, "b.json")
	write(t, other, "Tesla T4", measured())
	if err := run([]string{file, other}, in, "", io.Discard); err == nil {
		t.Error("results of two GPUs are taken")
	}
}
