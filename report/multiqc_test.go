package report

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"scanmap/mapper"
)

func multiqc(t *testing.T, s *mapper.Stats, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := MultiQC(&b, s, nil, "1.2.3", name); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestMultiQC(t *testing.T) {
	for name, s := range map[string]*mapper.Stats{"lanes": lanes(), "example": example(), "empty": {}} {
		golden(t, name+"_mqc.json", multiqc(t, s, "reads"))
	}
	// Each column has a header and each header a column.
	var out struct {
		Headers []map[string]any
		Data    map[string]map[string]float64
	}
	var text bytes.Buffer
	if err := MultiQC(&text, yeast(), counts(), "1.2.3", ""); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	row := out.Data["BY4741"]
	for _, header := range out.Headers {
		for column := range header {
			if _, there := row[column]; !there {
				t.Errorf("the sample has no %s", column)
			}
		}
	}
	if len(row) != len(out.Headers) {
		t.Errorf("%d columns, %d headers", len(row), len(out.Headers))
	}
	for name, s := range runs() {
		if !json.Valid(multiqc(t, s, "reads")) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

// MultiQC itself puts the files of two runs into its table. It comes from PyPI and not from Debian,
// so that CI may lack it.
func TestMultiQCReads(t *testing.T) {
	path, err := exec.LookPath("multiqc")
	if err != nil {
		t.Skip("SKIPPED: multiqc is not installed")
	}
	folder := t.TempDir()
	for name, s := range map[string]*mapper.Stats{"first": lanes(), "second": example()} {
		if err := os.WriteFile(filepath.Join(folder, name+"_mqc.json"), multiqc(t, s, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(path, "--strict", "--no-version-check", "--outdir", folder, folder)
	cmd.Env = append(os.Environ(), "HOME="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "multiqc_data", "multiqc_general_stats.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	header := strings.Split(lines[0], "\t")
	want := map[string]map[string]float64{
		"BY4741_lane1": {"percent_mapped": 95.2, "percent_unique": 84.15, "percent_proper_pairs": 88.15,
			"median_insert": 312, "reads_millions": 0.2},
		"BY4741_lane2": {"median_insert": 298, "percent_proper_pairs": 80},
		"old_run":      {"percent_mapped": 62, "reads_millions": 0.05},
		"second":       {"reads_millions": 1.234567, "mappings_per_mapped_read": 3_456_789.0 / 1_200_000},
	}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		for column, value := range want[fields[0]] {
			found := false
			for i, name := range header {
				if !strings.HasSuffix(name, column) {
					continue
				}
				found = true
				if got, err := strconv.ParseFloat(fields[i], 64); err != nil || got < value-1e-9 || got > value+1e-9 {
					t.Errorf("%s of %s is %s, want %v", column, fields[0], fields[i], value)
				}
			}
			if !found {
				t.Errorf("no column %s", column)
			}
		}
		delete(want, fields[0])
	}
	for name := range want {
		t.Errorf("the table has no sample %s", name)
	}
}
