package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"scanmap/mapper"
)

// schemaNode is the part of JSON Schema that docs/statistics.schema.json uses.
type schemaNode map[string]any

// schemaChecker compares values with a schema, and notes the members of the schema that it met.
type schemaChecker struct {
	root  schemaNode
	met   map[string]bool
	wrong []string
}

func (c *schemaChecker) complain(path, format string, args ...any) {
	c.wrong = append(c.wrong, path+" "+fmt.Sprintf(format, args...))
}

// keywords are the keywords that the checker knows; another one would go unchecked.
var keywords = []string{"$schema", "$defs", "$ref", "title", "description", "type", "additionalProperties",
	"required", "properties", "items", "minimum", "maximum", "maxItems", "const"}

// resolve puts the node that $ref names and the node itself together.
func (c *schemaChecker) resolve(path string, node schemaNode) schemaNode {
	for keyword := range node {
		if !slices.Contains(keywords, keyword) {
			c.complain(path, "has the keyword %s, which is not checked", keyword)
		}
	}
	if text, ok := node["description"].(string); !ok || text == "" {
		c.complain(path, "has no description")
	}
	ref, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	defs, _ := c.root["$defs"].(map[string]any)
	def, ok := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	if !ok {
		c.complain(path, "refers to %s, which is not there", ref)
		return node
	}
	whole := schemaNode{}
	for keyword, value := range def {
		whole[keyword] = value
	}
	properties := map[string]any{}
	for _, of := range []any{def["properties"], node["properties"]} {
		more, _ := of.(map[string]any)
		for name, value := range more {
			properties[name] = value
		}
	}
	whole["properties"] = properties
	theirs, _ := def["required"].([]any)
	ours, _ := node["required"].([]any)
	whole["required"] = slices.Concat(theirs, ours)
	return whole
}

func (c *schemaChecker) check(path string, node schemaNode, value any) {
	node = c.resolve(path, node)
	if !ofType(node["type"], value) {
		c.complain(path, "is %v, and has to be of type %v", value, node["type"])
		return
	}
	switch value := value.(type) {
	case map[string]any:
		c.object(path, node, value)
	case []any:
		if most, ok := node["maxItems"].(float64); ok && float64(len(value)) > most {
			c.complain(path, "has %d items", len(value))
		}
		items, _ := node["items"].(map[string]any)
		for _, item := range value {
			c.check(path+"[]", items, item)
		}
	case float64:
		if least, ok := node["minimum"].(float64); ok && value < least {
			c.complain(path, "is %v", value)
		}
		if most, ok := node["maximum"].(float64); ok && value > most {
			c.complain(path, "is %v", value)
		}
	case string:
		if want, ok := node["const"]; ok && want != value {
			c.complain(path, "is %s", value)
		}
	}
}

func (c *schemaChecker) object(path string, node schemaNode, value map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	others, typed := node["additionalProperties"].(map[string]any)
	if !typed && node["additionalProperties"] != true {
		c.complain(path, "does not allow more members")
	}
	for name, member := range value {
		property, known := properties[name].(map[string]any)
		switch {
		case known:
			c.met[path+"."+name] = true
			c.check(path+"."+name, property, member)
		case typed:
			c.check(path+".*", others, member)
		default:
			c.complain(path+"."+name, "is not in the schema")
		}
	}
	for name := range properties {
		if _, there := value[name]; !there {
			c.complain(path+"."+name, "is not written")
		}
		if !slices.Contains(required, any(name)) {
			c.complain(path+"."+name, "is always written, and not required")
		}
	}
	if len(required) != len(properties) {
		c.complain(path, "requires %d members of %d", len(required), len(properties))
	}
}

// ofType tells whether a value is of one of the types of a schema.
func ofType(types, value any) bool {
	if all, several := types.([]any); several {
		return slices.ContainsFunc(all, func(one any) bool { return ofType(one, value) })
	}
	switch value := value.(type) {
	case nil:
		return types == "null"
	case bool:
		return types == "boolean"
	case string:
		return types == "string"
	case float64:
		return types == "number" || types == "integer" && value == math.Trunc(value)
	case []any:
		return types == "array"
	case map[string]any:
		return types == "object"
	}
	return false
}

// members lists the paths of all members that a schema has.
func (c *schemaChecker) members(path string, node schemaNode) (out []string) {
	node = c.resolve(path, node)
	properties, _ := node["properties"].(map[string]any)
	for name, property := range properties {
		out = append(out, path+"."+name)
		out = append(out, c.members(path+"."+name, property.(map[string]any))...)
	}
	if items, ok := node["items"].(map[string]any); ok {
		out = append(out, c.members(path+"[]", items)...)
	}
	return out
}

func readSchema(t *testing.T) *schemaChecker {
	t.Helper()
	text, err := os.ReadFile("../docs/statistics.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	c := &schemaChecker{met: map[string]bool{}}
	if err := json.Unmarshal(text, &c.root); err != nil {
		t.Fatal(err)
	}
	return c
}

// Every member that is written is in the schema with its type, and every member of the schema is
// written.
func TestSchema(t *testing.T) {
	c := readSchema(t)
	for name, s := range runs() {
		var b bytes.Buffer
		if err := JSON(&b, s, counts(), "1.2.3"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var value any
		if err := json.Unmarshal(b.Bytes(), &value); err != nil {
			t.Fatal(err)
		}
		c.check(name+": $", c.root, value)
		for path := range c.met {
			if _, member, ok := strings.Cut(path, ": "); ok {
				c.met[member] = true
			}
		}
	}
	for _, path := range c.members("$", c.root) {
		if !c.met[path] {
			t.Errorf("%s was never written", path)
		}
	}
	for _, w := range c.wrong {
		t.Error(w)
	}
}

// The checker finds faults.
func TestSchemaChecker(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, yeast(), nil, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ from, to string }{
		{`"reads": 200000`, `"reads": 0.5`},
		{`"reads": 200000`, `"reads": "200000"`},
		{`"reads": 200000`, `"reads": -1`},
		{`"mapping_ratio": 0.952`, `"mapping_ratio": 1.01`},
		{`"scanmap-stats/1"`, `"scanmap-stats/2"`},
		{`"skim": 200000`, `"skim": null`},
		{`"estimated": true`, `"estimated": 1`},
		{`"rescued_mates"`, `"rescued"`},
		{`"from": 0`, `"since": 0`},
	} {
		text := bytes.Replace(b.Bytes(), []byte(change.from), []byte(change.to), 1)
		if bytes.Equal(text, b.Bytes()) {
			t.Fatalf("%s is not there", change.from)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		c := readSchema(t)
		if c.check("$", c.root, value); len(c.wrong) == 0 {
			t.Errorf("%s may stand for %s", change.to, change.from)
		}
	}
}

func TestInsertBins(t *testing.T) {
	for _, c := range []struct {
		counts []int64
		most   int
		want   []insertBin
	}{
		{nil, 100, []insertBin{}},
		{[]int64{0, 0}, 100, []insertBin{}},
		{[]int64{7}, 100, []insertBin{{0, 0, 7}}},
		{[]int64{0, 1, 0, 2, 0}, 100, []insertBin{{1, 1, 1}, {2, 2, 0}, {3, 3, 2}}},
		{[]int64{0, 1, 0, 2, 0}, 2, []insertBin{{0, 1, 1}, {2, 3, 2}}},
		{[]int64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 3, []insertBin{{0, 3, 3}, {4, 7, 4}, {8, 11, 2}}},
		{[]int64{1, 2, 3}, 1, []insertBin{{0, 2, 6}}},
	} {
		if got := insertBins(c.counts, c.most); !slices.Equal(got, c.want) {
			t.Errorf("insertBins(%v, %d) = %v, want %v", c.counts, c.most, got, c.want)
		}
	}
	counts := make([]int64, 10_001)
	for i := range counts {
		counts[i] = int64(i)
	}
	bins, total := insertBins(counts, maxInsertBins), int64(0)
	for i, b := range bins {
		total += b.Pairs
		if b.To-b.From != bins[0].To-bins[0].From || i > 0 && b.From != bins[i-1].To+1 {
			t.Errorf("bin %d is %v after %v", i, b, bins[max(0, i-1)])
		}
	}
	if len(bins) > maxInsertBins || total != sum(counts) {
		t.Errorf("%d bins of %d pairs", len(bins), total)
	}
}

func TestLibraryNames(t *testing.T) {
	s := &mapper.Stats{Libraries: []mapper.LibraryStats{
		{Sample: "A", ReadGroup: "lane1"}, {Sample: "A", ReadGroup: "lane2"}, {Sample: "B", ReadGroup: "x"}, {ReadGroup: "C"},
		{ReadsFile: "/data/run.7.fastq.gz"}, {ReadsFile: "run.7.fq"}, {ReadsFile: "-"}, {}, {ReadsFile: ".gz"},
		{ReadsFile: "a.fa.bz2"}, {Sample: "A"}, {Sample: "A", ReadGroup: "lane1"},
	}}
	want := []string{"A_lane1", "A_lane2", "B", "C", "run.7", "run.7_2", "stdin", "stdin_2", ".gz", "a", "A", "A_lane1_2"}
	if got := libraryNames(s, "stdin"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
