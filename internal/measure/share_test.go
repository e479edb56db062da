package measure

import "testing"

// TestShare has no more than all, and nothing of nil.
func TestShare(t *testing.T) {
	var s, none *Share
	none.Begin(3)
	none.Add(1)
	if none.Of() != 0 {
		t.Error("nil has a share")
	}
	s = &Share{}
	if s.Of() != 0 {
		t.Error("what was not begun has a share")
	}
	s.Begin(4)
	for _, want := range []float64{0.25, 0.5, 0.75, 1, 1} {
		if s.Add(1); s.Of() != want {
			t.Errorf("%g, want %g", s.Of(), want)
		}
	}
	if s.Begin(2); s.Of() != 0 {
		t.Error("a new beginning has a share")
	}
}
