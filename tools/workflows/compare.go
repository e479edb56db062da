package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// compare holds the results of a pipeline against single runs.
func (t *trial) compare(ctx context.Context, r request) error {
	results := filepath.Join(r.folder, "results")
	shown, err := readJSON(filepath.Join(results, "multiqc_data", "multiqc_data.json"))
	if err != nil {
		return err
	}
	for _, x := range r.set.samples {
		want, got := filepath.Join(t.folder, "data", x.name), filepath.Join(results, x.name)
		if err := t.compareBAM(ctx, want+".bam", got+".bam"); err != nil {
			return err
		}
		if err := compareStatistics(want+".stats.json", got+".stats.json"); err != nil {
			return err
		}
		content, err := readJSON(want + "_mqc.json")
		if err != nil {
			return err
		}
		numbers, _ := dig(content, "data", x.name).(map[string]any)
		if len(numbers) == 0 || !shows(shown, x.name, numbers) {
			return fmt.Errorf("the report of MultiQC does not show %v of %s", numbers, x.name)
		}
	}
	return nil
}

// compareBAM compares headers without @PG, and records as sets: samtools merges records of one
// place in an order of its own. A merged BAM has the @PG of one part.
func (t *trial) compareBAM(ctx context.Context, want, got string) error {
	if !present(got + ".bai") {
		return fmt.Errorf("%s has no index", got)
	}
	var headers, records, programs [2][]string
	for i, name := range []string{want, got} {
		text, err := t.command(ctx, t.folder, nil, "samtools", "view", "-h", "--no-PG", name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "@PG\t"):
				programs[i] = append(programs[i], line)
			case strings.HasPrefix(line, "@"):
				headers[i] = append(headers[i], line)
			default:
				records[i] = append(records[i], line)
			}
		}
		slices.Sort(records[i])
	}
	if p := programs[1]; len(p) != 1 || !strings.HasPrefix(p[0], "@PG\tID:scanmap\tPN:scanmap\t") {
		return fmt.Errorf("%s does not have one @PG, scanmap's:\n%s", got, strings.Join(p, ""))
	}
	if !slices.Equal(headers[0], headers[1]) {
		return fmt.Errorf("%s has the header\n%s, but one run\n%s", got, strings.Join(headers[1], ""), strings.Join(headers[0], ""))
	}
	if len(records[0]) == 0 || !slices.Equal(records[0], records[1]) {
		return fmt.Errorf("%s has %d records, and one run %d; they differ", got, len(records[1]), len(records[0]))
	}
	return nil
}

// unlike are the members of statistics that parts do not share with the whole: times, how work was
// cut and searched, and where insert sizes are from.
var unlike = []string{"elapsed_seconds", "reads_per_second", "bases_per_second", "search_throughput_tbps", "stages", "kernels", "batches", "candidates",
	"refused_candidates", "verified_windows", "engines", "threads", "device", "estimated", "skip", "take", "reads_file", "mates_file",
	"unmapped_sample"} // each part has a sample of its own

// compareStatistics compares all counts.
func compareStatistics(want, got string) error {
	a, err := readJSON(want)
	if err != nil {
		return err
	}
	b, err := readJSON(got)
	if err != nil {
		return err
	}
	if differences := differ("", a, b); len(differences) > 0 {
		return fmt.Errorf("%s differs from one run:\n%s", got, strings.Join(differences, "\n"))
	}
	return nil
}

// differ names the members in which two values of JSON differ.
func differ(path string, a, b any) []string {
	x, isObject := a.(map[string]any)
	y, isToo := b.(map[string]any)
	if !isObject || !isToo {
		xs, isArray := a.([]any)
		ys, isToo := b.([]any)
		if isArray && isToo && len(xs) == len(ys) {
			var found []string
			for i := range xs {
				found = append(found, differ(fmt.Sprintf("%s[%d]", path, i), xs[i], ys[i])...)
			}
			return found
		}
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: %.60v and %.60v", path, a, b)}
	}
	names := map[string]bool{}
	for name := range x {
		names[name] = true
	}
	for name := range y {
		names[name] = true
	}
	var found []string
	for name := range names {
		if !slices.Contains(unlike, name) {
			found = append(found, differ(path+"."+name, x[name], y[name])...)
		}
	}
	slices.Sort(found)
	return found
}

// shows tells whether MultiQC's data have somewhere a sample with all these numbers.
func shows(data any, sample string, numbers map[string]any) bool {
	switch v := data.(type) {
	case map[string]any:
		if row, ok := v[sample].(map[string]any); ok && hasAll(row, numbers) {
			return true
		}
		for _, inner := range v {
			if shows(inner, sample, numbers) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return shows(inner, sample, numbers) })
	}
	return false
}

// hasAll tells whether a row has all numbers, under these names.
func hasAll(row, numbers map[string]any) bool {
	for name, number := range numbers {
		if !reflect.DeepEqual(row[name], number) {
			return false
		}
	}
	return true
}

// dig is the member of a member of JSON; nil where it is not there.
func dig(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// readJSON reads a file.
func readJSON(name string) (v any, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, errors.Join(errors.New(name), err)
	}
	return v, nil
}
