package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		file, text   string
		words, marks int
	}{
		{"a.md", "# Those of a heading\n\nThe reads of it map. What is left is written.\n", 10, 3},
		{"a.md", "- an item of them\n- the next item\n\n    so many lines of code\n\n```\nThose of code\n```\n", 7, 1},
		{"a.md", "See [that of others](x.md), or `those of code`: Such a thing.\n", 9, 2},
		{"a.go", "package a\n\n// A thing of\n// which none is left.\nvar x = 1 // those of a line\n//go:embed those of x\n", 11, 2},
		{"a.go", "var x = \"http://those.of/ a // b\" + 'a' // of it here\n//\ta.go  what a list has of them\n", 10, 3},
		{"a.cu", "u32 x; // so many of these\n// Those of a paragraph.\n", 8, 3},
		{"a.cu", "\t// So many of these.\nvoid f();\n", 4, 2},
		{"a.md", "Short one. And one that is long.\n", 5, 0},
	} {
		var got count
		for _, s := range sentences(c.file, c.text) {
			got.add(s.count)
		}
		if want := (count{c.words, c.marks}); got != want {
			t.Errorf("%s: %q has %+v, want %+v", c.file, c.text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	many := strings.Repeat("The length of it is the sum of them. ", 3)
	for _, c := range []struct {
		name, text string
		failed     bool
		shown      string
	}{
		{"README.md", many, true, "README.md:1: The length of it"},
		{"docs/recipes/x.md", many, true, "docs/recipes/x.md: "},
		{"docs/x.md", "One mark of it is allowed here.", false, ""},
		{"docs/benchmarks/x.md", many, false, ""},
		{"docs/benchmarks/README.md", many, true, "docs/benchmarks/README.md: "},
		{"other/x.md", many, false, ""},
		{"a/b.go", "// " + many, true, "a/b.go:1: The length of it"},
		{"build/b.go", "// " + many, false, ""},
	} {
		var out strings.Builder
		failed, err := check(&out, fstest.MapFS{c.name: {Data: []byte(c.text)}}, limits{1.5, 5}, 1, false)
		if err != nil || failed != c.failed || !strings.Contains(out.String(), c.shown) {
			t.Errorf("%s: failed %t, %v:\n%s", c.name, failed, err, out.String())
		}
	}
}
