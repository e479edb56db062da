package search_test

import (
	"scanmap/search"
	"scanmap/search/papers"
)

// The suites of package search run over the methods of search/papers too, which this import
// registers.
func init() {
	search.SmallPieces = map[string]func(search.GPU, search.Needle){"cooperative, small pieces": papers.CooperativeOnGPU(300)}
	search.SmallSlices = map[string]func(search.GPU, search.Needle){
		"global, small slices": papers.WitnessOnGPU("global", 2048), "shared, small slices": papers.WitnessOnGPU("shared", 2048),
	}
}
