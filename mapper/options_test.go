package mapper

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseDistance(t *testing.T) {
	for text, want := range map[string]Distance{
		"0": {}, "5": {Edits: 5}, "16384": {Edits: 16384},
		"4%": {Percent: 4, Percentage: true}, "2.5%": {Percent: 2.5, Percentage: true}, "0%": {Percentage: true}, "100%": {Percent: 100, Percentage: true},
		"17:2":          {Steps: []DistanceStep{{17, 2}}},
		"0:0,17:2,38:2": {Steps: []DistanceStep{{0, 0}, {17, 2}, {38, 2}}},
	} {
		if got, err := ParseDistance(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "-1", "x", "1.5", "101%", "-1%", "NaN%", "Inf%", "16385", "99999999999999999999", "4 %", "4%%",
		"17:", ":2", "17:2,", "17:2,17:3", "17:2,16:3", "17:2,18:1", "-1:0", "17:16385", "17:2:3", "17:2%"} {
		if got, err := ParseDistance(text); err == nil || !strings.Contains(err.Error(), "distance") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestDistanceFor(t *testing.T) {
	for _, c := range []struct {
		distance string
		length   int
		want     int
	}{
		{"4%", 0, 0}, {"4%", 24, 0}, {"4%", 25, 1}, {"4%", 36, 1}, {"4%", 101, 4}, {"4%", 10000, 400}, {"5", 1, 5}, {"100%", 7, 7},
		{"17:2,38:3", 0, 0}, {"17:2,38:3", 16, 0}, {"17:2,38:3", 17, 2}, {"17:2,38:3", 37, 2}, {"17:2,38:3", 38, 3}, {"17:2,38:3", 1 << 30, 3},
	} {
		d, err := ParseDistance(c.distance)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.For(c.length); got != c.want {
			t.Errorf("%s of %d bases: %d, want %d", c.distance, c.length, got, c.want)
		}
	}
}

func TestParseReportAndEngine(t *testing.T) {
	for text, want := range map[string]Report{
		"all": {Mode: ReportAll}, "best": {Mode: ReportBest}, "one": {Mode: ReportOne}, "unique": {Mode: ReportUnique},
		"strata:0": {Mode: ReportStrata}, "strata:3": {Mode: ReportStrata, Strata: 3},
	} {
		if got, err := ParseReport(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "strata", "strata:", "strata:-1", "ALL", "strata:x"} {
		if _, err := ParseReport(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	for _, text := range []string{"auto", "skim", "scan"} {
		if got, err := ParseEngine(text); err != nil || string(got) != text {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := ParseEngine("gpu"); err == nil {
		t.Error(`"gpu" was accepted`)
	}
}

// FuzzParseDistance checks that accepted distances are in bounds for every length, and are written
// as they are read.
func FuzzParseDistance(f *testing.F) {
	for _, s := range []string{"5", "4%", "2.5%", "1e1%", "-0%", "0x10", "٣", "17:2,38:3"} {
		f.Add(s, 100)
	}
	f.Fuzz(func(t *testing.T, s string, length int) {
		d, err := ParseDistance(s)
		if err != nil {
			return
		}
		length = max(0, length%(1<<31))
		if k := d.For(length); k < 0 || k > maxEdits || d.Percentage && k > length {
			t.Errorf("%q of %d bases: %d edits", s, length, k)
		}
		again, err := ParseDistance(d.String())
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Errorf("%q was written as %q, which reads as %+v, %v", s, d, again, err)
		}
	})
}

// FuzzParseReport checks that an accepted report has a mode and bounds.
func FuzzParseReport(f *testing.F) {
	for _, s := range []string{"all", "strata:2", "strata:99999", "one"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseReport(s)
		if err == nil && (r.Mode == "" || r.Strata < 0 || r.Strata > maxEdits) {
			t.Errorf("%q: %+v", s, r)
		}
	})
}
