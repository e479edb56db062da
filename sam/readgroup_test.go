package sam

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
)

func TestParseReadGroup(t *testing.T) {
	for _, c := range []struct{ line, id, want string }{
		{`@RG\tID:x\tSM:y`, "x", "@RG\tID:x\tSM:y"},
		{"@RG\tID:x\tSM:y", "x", "@RG\tID:x\tSM:y"},
		{"@RG\tID:x\tSM:y\r\n", "x", "@RG\tID:x\tSM:y"},
		{`@RG\tSM:y\tID:x\tLB:l`, "x", "@RG\tID:x\tSM:y\tLB:l"},
		{`@RG\tID:a:b c`, "a:b c", "@RG\tID:a:b c"},
		{`@RG\tID:x\tDT:2020-02-29\tPI:350.5\tFO:*`, "x", "@RG\tID:x\tDT:2020-02-29\tPI:350.5\tFO:*"},
		{"@RG\tID:x\tDS:C:\\temp", "x", "@RG\tID:x\tDS:C:\\temp"},
		{`@RG\tID:x\tDS:Universität`, "x", "@RG\tID:x\tDS:Universität"},
	} {
		g, err := ParseReadGroup(c.line)
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if g.ID() != c.id || g.String() != c.want {
			t.Errorf("%q: got ID %q and %q, want %q and %q", c.line, g.ID(), g.String(), c.id, c.want)
		}
	}
}

func TestParseReadGroupErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", `it does not start with @RG and a tab (or \t)`},
		{`ID:x\tSM:y`, `it does not start with @RG and a tab (or \t)`},
		{`@RG ID:x`, `it does not start with @RG and a tab (or \t)`},
		{"@RG\\tID:x\tSM:y", `it does not start with @RG and a tab (or \t)`},
		{`@RG`, `it has no ID`},
		{`@RG\tSM:y`, `it has no ID`},
		{`@RG\tID:`, `ID: its value is empty`},
		{`@RG\tID:x\tSM:`, `SM: its value is empty`},
		{`@RG\tID:x\tSM: `, `SM: its value is blank`},
		{`@RG\tID:x\tSM:y\tLB:   `, `LB: its value is blank`},
		{`@RG\tID: \tSM:y`, `ID: its value is blank`},
		{`@RG\tID:x\t`, `"" is not a field such as SM:sample`},
		{`@RG\tID:x\tS:y`, `"S:y" is not a field such as SM:sample`},
		{`@RG\tID:x\tSMy`, `"SMy" is not a field such as SM:sample`},
		{`@RG\tID:x\t1M:y`, `"1M:y" is not a field such as SM:sample`},
		{`@RG\tID:x\tSM:y\tSM:z`, `SM is given twice`},
		{`@RG\tID:x\tID:x`, `ID is given twice`},
		{"@RG\tID:x\tSM:a\nb", `SM: its value holds '\n', which does not print`},
		{"@RG\tID:x\tSM:a\xff", `SM: its value is not UTF-8`},
		{"@RG\tID:é", `ID: its value holds 'é', but records can repeat ASCII only`},
		{"@RG\tID: x", `ID: its value starts or ends with a blank`},
	} {
		g, err := ParseReadGroup(c.line)
		if err == nil {
			t.Errorf("%q: no error, but %v", c.line, g)
		} else if !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("%q: got error %v, want %s", c.line, err, c.want)
		}
	}
}

func TestNewReadGroup(t *testing.T) {
	for _, c := range []struct{ id, sample, library, want string }{
		{"x", "", "", "@RG\tID:x"},
		{"x", "y", "", "@RG\tID:x\tSM:y"},
		{"x", "", "z", "@RG\tID:x\tLB:z"},
		{"x", `a\tb`, "z", "@RG\tID:x\tSM:a\\tb\tLB:z"},
	} {
		g, err := NewReadGroup(c.id, c.sample, c.library)
		if err != nil {
			t.Errorf("%q: %v", c, err)
		} else if g.String() != c.want {
			t.Errorf("%q: got %q, want %q", c, g.String(), c.want)
		}
	}
	for _, c := range [][3]string{{"", "y", "z"}, {"x\ty", "", ""}, {"x", "a\tb", ""}, {"x", "", "a\nb"}} {
		if g, err := NewReadGroup(c[0], c[1], c[2]); err == nil {
			t.Errorf("%q: no error, but %v", c, g)
		}
	}
}

// Every line that is accepted is one header line that biogo/hts reads with the
// same ID and the same number of fields.
func FuzzParseReadGroup(f *testing.F) {
	for _, line := range []string{
		`@RG\tID:x\tSM:y`, "@RG\tID:x\tSM:y\n", `@RG\tID:x\tDT:2020`, `@RG\t`, "@RG\t\t", `@RG\tID:x\\tSM:y`, "@RG\tID:x\tDS:\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		g, err := ParseReadGroup(line)
		if err != nil {
			if utf8.ValidString(err.Error()) && !strings.ContainsAny(err.Error(), "\n\r\t") {
				return
			}
			t.Fatalf("error %q is not one line", err)
		}
		again, err := ParseReadGroup(g.String())
		if err != nil || again.String() != g.String() {
			t.Fatalf("%q reads back as %v, %v", g, again, err)
		}
		h, err := NewHeader(reference(dna.Contig{Name: "c", Length: 1}), HeaderOptions{ReadGroups: []*ReadGroup{g}, NoProgram: true})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteHeader(&b, h); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(lines) != 4 || lines[2] != g.String() {
			t.Fatalf("header %q does not hold the line %q", b.String(), g)
		}
		// biogo/hts refuses dates and sizes that it does not understand; those are
		// the user's to judge.
		if strings.Contains(line, "DT:") || strings.Contains(line, "PI:") {
			return
		}
		r, err := hts.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Header().RGs()[0].Name(); got != g.ID() {
			t.Fatalf("ID %q, want %q", got, g.ID())
		}
	})
}
