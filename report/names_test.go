package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"scanmap/mapper"
)

// TestLongNames gives every name of a run a million characters: table and page show the start and
// the end, and JSON has it whole.
func TestLongNames(t *testing.T) {
	long := func(start string) string { return start + strings.Repeat("n", 1<<20) + "_end_of_" + start }
	s := paired()
	s.PerContig = append(s.PerContig, mapper.ContigStats{Length: 10}) // without a plot
	starts := []string{"plotted", "listed", "first_sample", "first_group", "first_reads", "first_mates", "second_reads"}
	for i, name := range []*string{&s.PerContig[0].Name, &s.PerContig[1].Name, &s.Libraries[0].Sample, &s.Libraries[0].ReadGroup,
		&s.Libraries[0].ReadsFile, &s.Libraries[0].MatesFile, &s.Libraries[1].ReadsFile} {
		*name = long(starts[i])
	}
	info := HTMLInfo{Version: "1", CommandLine: []string{"scanmap", "map", long("argument")}, Reference: long("reference")}
	var table, page, whole bytes.Buffer
	for _, err := range []error{Table(&table, s), HTML(&page, s, info), JSON(&whole, s, nil, "1")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what   string
		text   string
		most   int
		starts []string
	}{
		{"the table", table.String(), 10_000, []string{"plotted", "listed", "first_sample", "second_reads"}},
		{"the page", page.String(), 100_000, append(slices.Clone(starts), "argument", "reference")},
	} {
		if len(c.text) > c.most {
			t.Errorf("%s has %d bytes", c.what, len(c.text))
		}
		for _, start := range c.starts {
			if !strings.Contains(c.text, start+"nnn") || !strings.Contains(c.text, "_end_of_"+start) {
				t.Errorf("%s does not show %s", c.what, start)
			}
			if name := long(start); start != "argument" && !strings.Contains(c.text, shorten(name, maxName)) {
				t.Errorf("%s shows more or less of %s", c.what, start)
			}
		}
	}
	for _, start := range starts {
		if !strings.Contains(whole.String(), `"`+long(start)+`"`) {
			t.Errorf("JSON does not have all of %s", start)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 4, ""}, {"abcd", 4, "abcd"}, {"abcde", 4, "a…de"}, {"abcdef", 5, "ab…ef"}, {"äöüßé", 4, "ä…ßé"}, {"äöüß", 4, "äöüß"},
		{"a\xff\xfe\xfdbc", 4, "a…bc"},
	} {
		got := shorten(c.text, c.most)
		if got != c.want || utf8.RuneCountInString(got) > c.most {
			t.Errorf("%q, %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}
