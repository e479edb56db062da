package main

import (
	"strings"
	"testing"

	"scanmap/tools/sidebyside"
)

func TestTable(t *testing.T) {
	timing := func(seconds, peak float64) sidebyside.Timing {
		return sidebyside.Timing{Seconds: []float64{seconds}, PeakMB: peak}
	}
	r := &report{Run: &sidebyside.Run{Threads: 2, Repeat: 1}, Results: []*result{
		{What: plain, Timing: timing(12.414, 97)}, {What: "scanmap --sort", Timing: timing(10, 541)},
		{What: "samtools sort", Timing: timing(9, 663)}, {What: piped, Timing: timing(16, 93), SecondMB: 662},
	}}
	text := r.markdown()
	for _, want := range []string{
		"| " + plain + " | 12.41 | 97 |  |\n", "| scanmap --sort | 10.00 | 541 | 444 |\n",
		"| samtools sort | 9.00 | 663 |  |\n", "| " + piped + " | 16.00 | 93 + 662 | 658 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas not %q", text, want)
		}
	}
}
