package validate

import "encoding/json"

// goodStatistics are those of goodPairs.
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
