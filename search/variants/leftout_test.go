package variants

import (
	"testing"

	"scanmap/internal/truth"
)

// TestLeftOutAddsUpEach has another prime for each count of two parts of a file: the counts of a
// sum are their sums, and the first name is the name in the first part that has one.
func TestLeftOutAddsUpEach(t *testing.T) {
	var a, b, sum LeftOut
	truth.Primes(&b, truth.Primes(&a, 1))
	sum.add(&a)
	b.First = "c:1"
	sum.add(&b)
	sum.add(&LeftOut{First: "c:2"})
	for _, wrong := range truth.Sums(&sum, nil, &a, &b) {
		t.Error(wrong)
	}
	if sum.First != "c:1" {
		t.Error(sum.First)
	}
}
