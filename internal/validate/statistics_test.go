package validate

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
)

// goodStatistics are the statistics of goodPairs.
func goodStatistics() *statistics {
	s := &statistics{}
	const text = `{"reads": 6, "mapped_reads": 3, "reported": 4,
		"contigs": [{"name": "x", "length": 100, "primary": 2, "mappings": 2}, {"name": "y", "length": 50, "primary": 1, "mappings": 2}],
		"pairs": {"pairs": 3, "proper": 1, "one_end_anchored": 1, "unmapped": 1},
		"libraries": [{"pairs": {"insert": {"low": 20, "high": 31}}}]}`
	if json.Unmarshal([]byte(text), s) != nil {
		return nil
	}
	return s
}

// Every member that is read of the JSON is one that is written: see docs/statistics.schema.json.
func TestMembersAreInTheSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/statistics.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	definitions, _ := root["$defs"].(map[string]any)
	seen := 0
	var check func(path string, node map[string]any, of reflect.Type)
	check = func(path string, node map[string]any, of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			if of.Kind() == reflect.Slice {
				node, _ = node["items"].(map[string]any)
			}
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return
		}
		members := map[string]any{}
		if reference, ok := node["$ref"].(string); ok {
			definition, _ := definitions[strings.TrimPrefix(reference, "#/$defs/")].(map[string]any)
			node = map[string]any{"properties": node["properties"]}
			inherited, _ := definition["properties"].(map[string]any)
			maps.Copy(members, inherited)
		}
		own, _ := node["properties"].(map[string]any)
		maps.Copy(members, own)
		for i := range of.NumField() {
			name := of.Field(i).Tag.Get("json")
			member, ok := members[name].(map[string]any)
			if !ok {
				t.Errorf("%s.%s is not in the schema", path, name)
				continue
			}
			seen++
			check(path+"."+name, member, of.Field(i).Type)
		}
	}
	check("$", root, reflect.TypeFor[statistics]())
	if seen < 20 {
		t.Errorf("%d members are too few", seen)
	}
}
