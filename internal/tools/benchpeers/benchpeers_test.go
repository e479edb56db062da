package main

import (
	"strings"
	"testing"
)

func TestRatiosOfPairs(t *testing.T) {
	r := &report{Threads: 2, Pairs: []*result{
		{Set: "a", Output: unsorted, Program: one, Seconds: []float64{2}, Median: 2},
		{Set: "a", Output: unsorted, Program: fromFASTA, Seconds: []float64{5, 6, 7}, Median: 6, BamMB: 1.25, Mapped: 12},
		{Set: "a", Output: unsorted, Program: atHand, Seconds: []float64{3}, Median: 3, IndexSeconds: 0.5},
		{Set: "a", Output: sorted, Program: one, Seconds: []float64{4}, Median: 4},
		{Set: "a", Output: sorted, Program: fromFASTA, Seconds: []float64{2}, Median: 2},
	}}
	var b strings.Builder
	r.pairTables(&b)
	for _, want := range []string{
		"| " + fromFASTA + " | 6.000 | 5.000 to 7.000 | 0 |  | 1.2 | 12 |\n",
		"| a | " + unsorted + " | " + one + " | 3.00 | 1.50 |\n",
		"| a | " + sorted + " | " + one + " | 0.50 | |\n", // one was left out
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nhas not %q", b.String(), want)
		}
	}
}

func TestCores(t *testing.T) {
	if on, err := cores(1); err != nil || strings.Contains(on, ",") || on == "" {
		t.Errorf("%q, %v; expected one core", on, err)
	}
	if on, err := cores(1 << 20); err == nil {
		t.Errorf("%q: a million cores", on)
	}
}
