package sam

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/biogo/hts/bam"
	hts "github.com/biogo/hts/sam"
)

// everything is a record with a value in each field, which so has every tag there is.
func everything(t *testing.T) Record {
	t.Helper()
	var r Record
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = "c"
		case *int:
			*field = 1
		case *byte:
			*field = 1
		case *bool:
			*field = true
		case *[]byte:
			*field = []byte("A")
		case *[]hts.CigarOp:
			*field = cigar(t, "1M")
		case *hts.Flags:
			*field = hts.Paired
		default:
			t.Fatalf("field %s: a type that this test does not know", v.Type().Field(i).Name)
		}
	}
	return r
}

// tagsOfText are the tags of a line with their types, such as NM:i.
func tagsOfText(line []byte) []string {
	var all []string
	for _, field := range strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")[11:] {
		all = append(all, field[:4])
	}
	return all
}

// tagsOfBinary returns the tags of a BAM record. The types of whole numbers are all i.
func tagsOfBinary(t *testing.T, record []byte) []string {
	t.Helper()
	h := testHeader(t, HeaderOptions{}, testContigs...)
	reader, err := bam.NewReader(bytes.NewReader(write(t, h, WriterOptions{Format: FormatBAM}, record)), 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, field := range r.AuxFields {
		kind := "i"
		if field.Type() == 'Z' {
			kind = "Z"
		}
		all = append(all, field.Tag().String()+":"+kind)
	}
	return all
}

// The rows of Tags are what text and BAM have, in that order, and no tag is missing.
func TestTags(t *testing.T) {
	full := everything(t)
	full.ContigIndex, full.MateContigIndex = 0, 0
	unmapped := full
	unmapped.Flags |= hts.Unmapped
	single := full
	single.MateContig, single.MateContigIndex, single.MatePos = "", -1, -1
	single.MateCigar, single.HasMateMapQ, single.Rescued, single.Discordant = nil, false, false, ""
	for _, c := range []struct {
		name   string
		record Record
		has    func(Tag) bool
	}{
		{"every field", full, func(t Tag) bool { return !t.Unaligned }},
		{"unmapped", unmapped, func(t Tag) bool { return !t.Aligned }},
		{"single", single, func(t Tag) bool { return !t.Mate && !t.Unaligned }},
	} {
		var want []string
		for _, tag := range Tags() {
			if len(tag.Name) != 2 || tag.Means == "" {
				t.Errorf("%+v", tag)
			}
			if c.has(tag) {
				want = append(want, tag.Name+":"+string(tag.Type))
			}
		}
		if got := tagsOfText(c.record.Append(nil, Text)); !slices.Equal(got, want) {
			t.Errorf("%s, text: got %q, want %q", c.name, got, want)
		}
		if got := tagsOfBinary(t, c.record.Append(nil, Binary)); !slices.Equal(got, want) {
			t.Errorf("%s, BAM: got %q, want %q", c.name, got, want)
		}
	}
}

// tagRow is a row of a table of Markdown whose first cell is a tag or several, such as | `MC`, `MQ`
// |.
var tagRow = regexp.MustCompile("(?m)^\\| ((?:`[A-Z][A-Z0-9](?::[iZ](?::\\w+)?)?`(?:, )?)+) \\|")

// The documentation has a table with every tag, and no table with another one.
func TestTagsAreDocumented(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, tag := range Tags() {
		types[tag.Name] = string(tag.Type)
	}
	var most []string // the tags of the page with the most tags
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, row := range tagRow.FindAllSubmatch(text, -1) {
			for _, cell := range strings.Split(string(row[1]), ", ") {
				name, kind, typed := strings.Cut(strings.Trim(cell, "`"), ":")
				if types[name] == "" || typed && types[name] != kind[:1] {
					t.Errorf("%s: %s is no tag of Tags", file, cell)
				}
				all = append(all, name)
			}
		}
		if len(all) > len(most) {
			most = all
		}
	}
	for name := range types {
		if !slices.Contains(most, name) {
			t.Errorf("no table of the documentation has %s beside the other tags", name)
		}
	}
}
