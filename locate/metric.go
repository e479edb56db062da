package locate

// A Metric defines an edit, and with it a location. The package comment has both definitions.
type Metric uint8

// The metrics.
const (
	// Edits has substitutions, insertions and deletions.
	Edits Metric = iota
	// Substitutions has nothing else.
	Substitutions
)

// Gaps returns how many inserted and deleted bases an alignment with a number of edits may have.
func (m Metric) Gaps(edits int) int {
	if m == Substitutions {
		return 0
	}
	return edits
}
