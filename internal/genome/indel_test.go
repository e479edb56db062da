package genome

import "testing"

// TestLongestIndel draws enough lengths to have the longest among them, and none is longer.
func TestLongestIndel(t *testing.T) {
	d := newDice(7)
	longest := 0
	for range 100_000 {
		longest = max(longest, d.drawIndel())
	}
	if longest != mostIndel {
		t.Errorf("the longest has %d bases, not %d", longest, mostIndel)
	}
}
