package rules

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is the most columns of a line of prose or comment. A tab counts as one.
const widest = 100

// widths says which lines are checked below a folder, or in a file; the longest name that fits
// decides.
var widths = []struct {
	below              string
	markdown, comments bool
}{
	{"", true, true},
	{"tools/oracle", true, false}, // a copy
}

// checked tells which lines are checked in a file.
func checked(name string) (markdown, comments bool) {
	longest := -1
	for _, w := range widths {
		inside := w.below == "" || name == w.below || strings.HasPrefix(name, w.below+"/")
		if inside && len(w.below) > longest {
			longest, markdown, comments = len(w.below), w.markdown, w.comments
		}
	}
	return markdown, comments
}

// tooWide returns the lines of prose or comment in a file that are too wide.
func tooWide(name, text string) []int {
	switch path.Ext(name) {
	case ".md":
		return wideProse(text)
	case ".go":
		return wideGo(text)
	case ".cu", ".cuh", ".h", ".cpp":
		return wideC(text)
	}
	return nil
}

// wideProse looks at Markdown. Tables, code and what cannot be broken may be wider.
func wideProse(text string) (found []int) {
	fenced, indented, empty := false, false, true
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		// Indented code begins after an empty line, and goes on while lines are indented.
		blank := strings.TrimSpace(line) == ""
		indented = strings.HasPrefix(line, "    ") && (empty || indented) || indented && blank
		empty = blank
		if fenced || indented || strings.HasPrefix(line, "|") {
			continue
		}
		if wide(line) {
			found = append(found, i+1)
		}
	}
	return found
}

// wide tells whether a line is too wide and can be broken: a link or an address at its end cannot.
func wide(line string) bool {
	if utf8.RuneCountInString(line) <= widest {
		return false
	}
	last := line[strings.LastIndexAny(line, " \t")+1:]
	unbroken := strings.Contains(last, "://") || strings.Contains(last, "](")
	return !unbroken || utf8.RuneCountInString(line)-utf8.RuneCountInString(last) > widest
}

// wideGo looks at lines of Go that have a comment, except directives and generated files.
func wideGo(text string) (found []int) {
	if strings.Contains(text, "// Code generated ") && strings.Contains(text, " DO NOT EDIT.") {
		return nil
	}
	lines := strings.Split(text, "\n")
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, kind, comment := s.Scan()
		if kind == token.EOF {
			return found
		}
		if kind != token.COMMENT || strings.HasPrefix(comment, "//go:") || strings.HasPrefix(comment, "//nolint") {
			continue
		}
		first := file.PositionFor(pos, false).Line
		for n := range strings.Count(comment, "\n") + 1 {
			if wide(lines[first+n-1]) {
				found = append(found, first+n)
			}
		}
	}
}

// wideC looks at lines of CUDA and C++ that have a comment of the // kind, the only kind there.
func wideC(text string) (found []int) {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "//") && wide(line) {
			found = append(found, i+1)
		}
	}
	return found
}

func TestWidth(t *testing.T) {
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && file != root
			if hidden || name == "build" || name == "bin" || name == "kernels/ptx" {
				return filepath.SkipDir
			}
			return nil
		}
		markdown, comments := checked(name)
		if prose := path.Ext(name) == ".md"; prose && !markdown || !prose && !comments {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, line := range tooWide(name, string(text)) {
			t.Errorf("%s:%d: more than %d columns", name, line, widest)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range widths {
		if _, err := os.Stat(filepath.Join(root, w.below)); err != nil {
			t.Errorf("widths names what there is not: %v", err)
		}
	}
}

func TestWidthSees(t *testing.T) {
	long := strings.Repeat("word ", 20) + "w" // 101 columns
	fits := long[:100]
	address := "https://" + strings.Repeat("x", 100)
	for _, c := range []struct{ name, text, want string }{
		{"x.md", long, "[1]"},
		{"x.md", fits, "[]"},
		{"x.md", strings.Repeat("ö", 100), "[]"},
		{"x.md", "- " + long, "[1]"},
		{"x.md", "| " + long + " |", "[]"},
		{"x.md", "```\n" + long + "\n```\n" + long, "[4]"},
		{"x.md", "text\n\n    " + long + "\n\n    " + long + "\n\n" + long, "[7]"},
		{"x.md", "- item\n    " + long, "[2]"},
		{"x.md", "see " + address, "[]"},
		{"x.md", "see " + address + " too", "[1]"},
		{"x.md", long + " " + address, "[1]"},
		{"x.md", "![seconds](" + strings.Repeat("x", 100) + ".svg)", "[]"},
		{"x.go", "package x\n\n// " + long + "\nvar x = 1 // " + long, "[3 4]"},
		{"x.go", "package x\n\nvar x = `// " + long + "`", "[]"},
		{"x.go", "package x\n\n/* short\n" + long + " */\n", "[4]"},
		{"x.go", "//go:generate " + long + "\npackage x", "[]"},
		{"x.go", "// Code generated by x. DO NOT EDIT.\n\npackage x // " + long, "[]"},
		{"x.cu", "int x;\n\t// " + long, "[2]"},
		{"x.cu", "f(" + long + ");", "[]"},
		{"x.txt", long, "[]"},
	} {
		if got := fmt.Sprint(tooWide(c.name, c.text)); got != c.want {
			t.Errorf("%s: %q: lines %s, want %s", c.name, c.text, got, c.want)
		}
	}
	for name, want := range map[string][2]bool{
		"README.md": {true, true}, "mapper/run.go": {true, true}, "tools/oraclex/x.go": {true, true},
		"tools/oracle/main.go": {true, false}, "tools/oracle": {true, false},
	} {
		if markdown, comments := checked(name); [2]bool{markdown, comments} != want {
			t.Errorf("of %s prose %v and comments %v are checked, want %v", name, markdown, comments, want)
		}
	}
}
