package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShare(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, lines ...string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte("@HD\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	line := func(name, flag, position, cigar, tags string) string {
		return strings.Join([]string{name, flag, "c", position, "60", cigar, "*", "0", "0", "*", "*", tags}, "\t")
	}
	all := write("all.sam", line("r/1", "0", "100", "50M", ""), line("r", "256", "200", "50M", ""), line("r", "272", "300", "50M", ""),
		line("r", "256", "400", "50M", ""), line("s", "4", "0", "*", ""))
	for _, c := range []struct {
		text  string
		found int
	}{
		{line("r", "0", "100", "50M", ""), 1},
		{line("r", "0", "102", "2I48M", ""), 1},    // starts within 2
		{line("r", "0", "103", "47M3I", ""), 1},    // ends together
		{line("r", "0", "104", "50M", ""), 0},      // neither
		{line("r", "0", "110", "10S35M5S", ""), 1}, // clipped
		{line("r", "0", "300", "50M", ""), 0},      // another strand
		{line("x", "0", "100", "50M", ""), 0},      // another read
		{line("r", "4", "100", "*", ""), 0},        // unmapped
		{line("r", "0", "100", "50M", "XA:Z:c,+200,50M,0;c,-300,50M,1;"), 3},
		{line("r", "0", "100", "50M", "XA:Z:c,400,450,+,0;c,300,350,-,0;"), 3},
	} {
		truth, theirs := map[place][]span{}, map[place][]span{}
		for file, into := range map[string]map[place][]span{all: truth, write("theirs.sam", c.text): theirs} {
			if err := locations(file, func(p place, s span) { into[p] = append(into[p], s) }); err != nil {
				t.Fatal(err)
			}
		}
		if got := share(truth, theirs, 2); got != c.found {
			t.Errorf("%q: %d found, want %d", c.text, got, c.found)
		}
	}
}
