package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedians(t *testing.T) {
	row := func(name string, v float64) Row { return Row{Name: name, Unit: "s", Value: v} }
	got := Medians([][]Row{{row("a", 3), row("b", 1)}, {row("a", 1)}, {row("b", 4), row("a", 2)}})
	want := []Row{{Name: "b", Unit: "s", Value: 4, Min: 1, Max: 4, Runs: 2}, {Name: "a", Unit: "s", Value: 2, Min: 1, Max: 3, Runs: 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPerSecond(t *testing.T) {
	for _, c := range []struct{ n, seconds, want float64 }{{6, 2, 3}, {0, 2, 0}, {6, 0, 0}} {
		if got := PerSecond(c.n, c.seconds); got != c.want {
			t.Errorf("%g in %g s: got %g, want %g", c.n, c.seconds, got, c.want)
		}
	}
}
