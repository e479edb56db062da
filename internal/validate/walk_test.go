package validate

import (
	"slices"
	"testing"
)

// TestWalkTellsTemplatesOfOneName has two reads of one name, and the first has no record.
func TestWalkTellsTemplatesOfOneName(t *testing.T) {
	templates := []Template{{Name: "a", Mates: []Read{{Bases: "ACGT"}}}, {Name: "a", Mates: []Read{{Bases: "TTTT"}}}}
	var got []int
	rest := walk([]Record{{Name: "a", Bases: "TTTT"}}, templates, func(_ *Template, records []Record) { got = append(got, len(records)) })
	if !slices.Equal(got, []int{0, 1}) || len(rest) > 0 {
		t.Errorf("%v records, %d are left", got, len(rest))
	}
}
