package mappability

import (
	"testing"

	"scanmap/internal/truth"
)

// TestSummaryAddsUpEach has another prime for each number of two summaries. Each number of their
// sum is the sum of two numbers, and the largest is the larger one, in either order.
func TestSummaryAddsUpEach(t *testing.T) {
	var a, b Summary
	truth.Primes(&b, truth.Primes(&a, 1))
	for _, in := range [][2]*Summary{{&a, &b}, {&b, &a}} {
		var sum Summary
		sum.Add(in[0])
		sum.Add(in[1])
		for _, wrong := range truth.Sums(&sum, []string{"Largest"}, &a, &b) {
			t.Error(wrong)
		}
		if sum.Largest != b.Largest {
			t.Errorf("largest %d, want %d", sum.Largest, b.Largest)
		}
	}
}
