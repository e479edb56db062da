package main

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{`{"reads": 3, "contigs": [{"n": 1}]}`, `{"reads": 3, "contigs": [{"n": 1}]}`, nil},
		{`{"reads": 3, "elapsed_seconds": 1}`, `{"reads": 3, "elapsed_seconds": 2}`, nil},
		{`{"reads": 3}`, `{"reads": 4}`, []string{".reads: 3 and 4"}},
		{`{"reads": 3}`, `{}`, []string{".reads: 3 and <nil>"}},
		{`{"contigs": [{"n": 1}]}`, `{"contigs": [{"n": 2}]}`, []string{".contigs[0].n: 1 and 2"}},
		{`{"counts": [1]}`, `{"counts": [1, 0]}`, []string{".counts: [1] and [1 0]"}},
	} {
		if got := differ("", parsed(t, c.a), parsed(t, c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: %q", c.a, c.b, got)
		}
	}
}

func TestShows(t *testing.T) {
	data := parsed(t, `{"general": [{"one": {"percent": 5, "reads": 2}}, {"two": {"percent": 6}}]}`)
	for _, c := range []struct {
		sample, numbers string
		want            bool
	}{
		{"one", `{"percent": 5}`, true},
		{"one", `{"percent": 5, "reads": 2}`, true},
		{"one", `{"percent": 6}`, false},
		{"two", `{"percent": 6, "reads": 2}`, false},
		{"three", `{"percent": 6}`, false},
	} {
		numbers, _ := parsed(t, c.numbers).(map[string]any)
		if got := shows(data, c.sample, numbers); got != c.want {
			t.Errorf("%s of %s: %t", c.numbers, c.sample, got)
		}
	}
}

// parsed is JSON as a value.
func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
