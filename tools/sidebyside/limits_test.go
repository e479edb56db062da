package sidebyside

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestRunWithin(t *testing.T) {
	usage, err := RunWithin(Limits{}, "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
	if err != nil || usage.Seconds <= 0 || usage.User+usage.System <= 0 || usage.PeakMB <= 0 {
		t.Errorf("%+v, %v", usage, err)
	}
	_, err = RunWithin(Limits{Seconds: 60, MB: 1000}, "sh", "-c", "echo what went wrong >&2; exit 3")
	if !errors.As(err, new(*exec.ExitError)) || errors.As(err, new(*ExceededError)) || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("%v, expected what it printed", err)
	}
	if _, err := RunWithin(Limits{}, "here-is-no-program"); err == nil || errors.As(err, new(*exec.ExitError)) {
		t.Errorf("%v, expected that it is not there", err)
	}
}

// A program that passes a limit is killed with its children; if one lived on, with the output of
// the program in its hands, this would wait for it.
func TestRunWithinKills(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		line   string
		want   string
	}{
		"time":   {Limits{Seconds: 0.2, MB: 1000}, "sleep 1000 & wait", "> 0.2 s"},
		"memory": {Limits{Seconds: 500, MB: 50}, `exec awk 'BEGIN {s = "ACGT"; while (length(s) < 100000000) s = s s; system("sleep 1000")}'`, "> 50 MB"},
	} {
		usage, err := RunWithin(c.limits, "sh", "-c", c.line)
		var exceeded *ExceededError
		if !errors.As(err, &exceeded) || err.Error() != c.want || usage.Seconds <= 0 {
			t.Errorf("%s: %+v, %v, expected %s", name, usage, err, c.want)
		}
	}
}
