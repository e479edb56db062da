package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/mapper"
)

// FuzzSamples reads a table, writes what it understood and reads that again.
func FuzzSamples(f *testing.F) {
	f.Add("reads\tmates\tread group\na.fq\tb.fq\t@RG\\tID:x\\tSM:y\nc.fq\t\tz\n", false)
	f.Add("# none\r\n\r\na.fq\r\n", true)
	f.Add("\ufeffa.fq\tb.fq\t@RG\tID:x", false)
	f.Fuzz(func(t *testing.T, text string, interleaved bool) {
		libraries, groups, err := parseSamples(text, interleaved, anyFiles)
		if err != nil {
			if len(libraries) > 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%d libraries and the error %q", len(libraries), err)
			}
			return
		}
		lines := map[string]string{}
		for _, g := range groups {
			lines[g.ID()] = g.String()
		}
		var again strings.Builder
		again.WriteString("reads\n")
		for _, l := range libraries {
			if l.Reads == "" || l.Mates != "" && l.Interleaved || (l.ReadGroup == "") != (len(groups) == 0) {
				t.Fatalf("%+v of %d read groups", l, len(groups))
			}
			if l.Reads[0] == '#' || strings.HasPrefix(l.Reads, "\ufeff") || strings.TrimSpace(l.Reads) == "" {
				return // would be read otherwise in the first column of another line
			}
			fmt.Fprintf(&again, "%s\t%s\t%s\n", l.Reads, l.Mates, lines[l.ReadGroup])
		}
		more, _, err := parseSamples(again.String(), interleaved, anyFiles)
		if diff := cmp.Diff(libraries, more); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

func TestByteSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64 // 0 for refused
	}{
		{"1", 1}, {"768M", 768 << 20}, {"2g", 2 << 30}, {"1T", 1 << 40}, {"4K", 4096}, {"16T", 1 << 44},
		{"17592186044416", 1 << 44}, {"17592186044417", 0}, {"9223372036854775807", 0},
		{"", 0}, {"0", 0}, {"-1", 0}, {"M", 0}, {"1.5G", 0}, {"1 G", 0}, {"1GB", 0}, {"8388608T", 0}, {"9223372036854775808", 0},
	} {
		if got, err := byteSize(c.text); got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%q: %d, %v", c.text, got, err)
		}
	}
}

// anyFiles takes all libraries.
func anyFiles(*mapper.Library) error { return nil }
