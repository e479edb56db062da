package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scanmap/mapper"
)

// objectPaths says where the objects of the headings of docs/statistics.md are in the JSON.
var objectPaths = map[string]string{
	"":                "$",
	"pairs":           "$.pairs",
	"libraries":       "$.libraries[]",
	"insert":          "$.libraries[].pairs.insert",
	"depth":           "$.depth",
	"unmapped_sample": "$.unmapped_sample",
	"duplicates":      "$.duplicates",
}

var (
	codeSpan = regexp.MustCompile("`([^`]*)`")
	itemSpan = regexp.MustCompile("`\\{([^}`]*)\\}`")
)

// documentedMembers are the paths of the members in the tables of docs/statistics.md. The members
// of an array's items stand in braces.
func documentedMembers(t *testing.T, text string) (paths []string) {
	t.Helper()
	object := ""
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			if object = ""; strings.HasPrefix(heading, "`") {
				object = strings.Trim(heading, "`\n")
			}
			if objectPaths[object] == "" {
				t.Fatalf("docs/statistics.md has a heading %s, which is no object", object)
			}
		}
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
			path := objectPaths[object] + "." + span[1]
			paths = append(paths, path)
			if items := itemSpan.FindStringSubmatch(cells[2]); items != nil {
				for item := range strings.SplitSeq(items[1], ", ") {
					paths = append(paths, path+"[]."+item)
				}
			}
		}
	}
	// A library has the pairs of the run and, beside them, insert.
	for _, path := range slices.Clone(paths) {
		if member, ok := strings.CutPrefix(path, "$.pairs."); ok {
			paths = append(paths, "$.libraries[].pairs."+member)
		}
	}
	return append(paths, objectPaths["insert"])
}

// Every member of the schema is in docs/statistics.md, and every member there is in the schema.
// TestSchema compares the schema with the output.
func TestMembersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	c := readSchema(t)
	documented, there := documentedMembers(t, string(text)), c.members("$", c.root)
	for _, path := range there {
		if !slices.Contains(documented, path) {
			t.Errorf("%s is not in docs/statistics.md", path)
		}
	}
	for i, path := range documented {
		if !slices.Contains(there, path) {
			t.Errorf("docs/statistics.md has %s, which is not in the schema", path)
		}
		if slices.Contains(documented[:i], path) {
			t.Errorf("docs/statistics.md has %s twice", path)
		}
	}
}

// Every counter of a run is in the JSON, in the table and on the page.
func TestCountersAreReported(t *testing.T) {
	next := int64(1_000_003)
	marks := map[string]int64{}
	// mark gives each counter a number of its own.
	mark := func(of string, counters any) {
		v := reflect.ValueOf(counters).Elem()
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Int64 && v.Type().Field(i).Name != "Elapsed" {
				next += 7919
				marks[of+"."+v.Type().Field(i).Name] = next
				v.Field(i).SetInt(next)
			}
		}
	}
	pairs := &mapper.PairStats{}
	s := &mapper.Stats{Libraries: []mapper.LibraryStats{{Pairs: pairs}}}
	mark("Stats", s)
	mark("PairStats", pairs)
	var table, page, text bytes.Buffer
	if err := errors.Join(Table(&table, s), HTML(&page, s, HTMLInfo{}), JSON(&text, s, nil, "1")); err != nil {
		t.Fatal(err)
	}
	if len(marks) < 25 {
		t.Errorf("%d counters are too few", len(marks))
	}
	for name, n := range marks {
		number, _ := json.Marshal(n)
		if !bytes.Contains(text.Bytes(), number) {
			t.Errorf("%s is not in the JSON", name)
		}
		if !strings.Contains(table.String(), " "+grouped(n)) {
			t.Errorf("%s is not in the table", name)
		}
		if !strings.Contains(page.String(), ">"+grouped(n)+"<") {
			t.Errorf("%s is not on the page", name)
		}
	}
}

// The counters of a library are in the JSON.
func TestLibraryCountersAreReported(t *testing.T) {
	l := mapper.LibraryStats{}
	v := reflect.ValueOf(&l).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Int64 {
			v.Field(i).SetInt(1_000_003 + 7919*int64(i))
		}
	}
	var text bytes.Buffer
	if err := JSON(&text, &mapper.Stats{Libraries: []mapper.LibraryStats{l}}, nil, "1"); err != nil {
		t.Fatal(err)
	}
	for i := range v.NumField() {
		if v.Field(i).Kind() != reflect.Int64 {
			continue
		}
		if number, _ := json.Marshal(v.Field(i).Int()); !bytes.Contains(text.Bytes(), number) {
			t.Errorf("%s is not in the JSON", v.Type().Field(i).Name)
		}
	}
}

// The columns of MultiQC are the table of docs/reports.md, in that order.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "| column | meaning |\n|---|---|\n")
	part, _, _ = strings.Cut(part, "\n\n")
	var documented, titles []string
	for line := range strings.Lines(part) {
		documented = append(documented, strings.TrimSpace(strings.Split(line, "|")[1]))
	}
	for _, header := range multiQCColumns(true) {
		for _, column := range header {
			titles = append(titles, column.Title)
		}
	}
	if !slices.Equal(documented, titles) {
		t.Errorf("docs/reports.md has %q, MultiQC gets %q", documented, titles)
	}
}

// Every member of the JSON of a measurement is explained in the package comment.
func TestBenchMembersAreDocumented(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range measurements() {
		var text bytes.Buffer
		if err := BenchJSON(&text, r, BenchRun{Commit: "x", Modified: true}); err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`"([a-z_]+)": `).FindAllStringSubmatch(text.String(), -1) {
			seen++
			if !regexp.MustCompile(`(?m)^//\t.*\b` + name[1] + `\b`).Match(comment) {
				t.Errorf("doc.go does not explain %s", name[1])
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d members are too few", seen)
	}
}
