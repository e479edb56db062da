package effort

import (
	"flag"
	"testing"
)

func TestPick(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int
	}{{"", 1}, {"0", 1}, {"1", 9}} {
		t.Setenv(variable, c.value)
		if got := Pick(9, 1); got != c.want || Full() != (c.want == 9) {
			t.Errorf("%s=%q: %d, want %d", variable, c.value, got, c.want)
		}
		for _, value := range []string{"0", "1"} {
			t.Setenv(every, value)
			if got, want := All(), value == "1" || c.want == 9; got != want {
				t.Errorf("%s=%q, %s=%q: all tests: %t, want %t", variable, c.value, every, value, got, want)
			}
		}
		skipped := false
		t.Run("all", func(t *testing.T) {
			t.Cleanup(func() { skipped = t.Skipped() })
			OnlyFull(t, "a minute")
		})
		if skipped != (c.want == 1) {
			t.Errorf("%s=%q: skipped: %t", variable, c.value, skipped)
		}
	}
}

func TestCases(t *testing.T) {
	checks := flag.Int("rapid.checks", 100, "as rapid has it")
	for _, c := range []struct {
		value       string
		asked, want int
	}{{"0", 100, 9}, {"1", 100, 100}, {"0", 50, 50}} {
		t.Setenv(variable, c.value)
		*checks = c.asked
		t.Run("cases", func(t *testing.T) {
			if Cases(t, 9); *checks != c.want {
				t.Errorf("%s=%q, %d asked for: %d cases, want %d", variable, c.value, c.asked, *checks, c.want)
			}
		})
		t.Run("cases of either", func(t *testing.T) {
			want := c.want
			if want == 100 {
				want = 60
			}
			if CasesEither(t, 60, 9); *checks != want {
				t.Errorf("%s=%q, %d asked for: %d cases, want %d", variable, c.value, c.asked, *checks, want)
			}
		})
		if *checks != c.asked {
			t.Errorf("%s=%q: %d cases afterwards, want %d", variable, c.value, *checks, c.asked)
		}
	}
}
