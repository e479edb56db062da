package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tests returns the names of all test functions by the folder that they are in, below the root, and
// the names of subtests that are written out.
func tests(t *testing.T) (found map[string][]string, parts []string) {
	t.Helper()
	found = map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if name := subtest(n); name != "" {
				parts = append(parts, name)
			}
			return true
		})
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && strings.HasSuffix(file, "_test.go") && testName.MatchString(f.Name.Name) {
				found[filepath.ToSlash(folder)] = append(found[filepath.ToSlash(folder)], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, parts
}

// subtest returns the name of a call of Run with a name that is written out, or "".
func subtest(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	name, ok := call.Args[0].(*ast.BasicLit)
	if f, method := call.Fun.(*ast.SelectorExpr); !ok || !method || f.Sel.Name != "Run" {
		return ""
	}
	return strings.Trim(name.Value, "\"`")
}

var (
	testName = regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w*`)
	// inFolder is a folder in quotes, and the names of tests after it, up to the next folder.
	inFolder = regexp.MustCompile("`([\\w/]+)`: ((?:(?:Test|Fuzz|Benchmark)[\\w/]+(?:, )?)+)")
	// part is a subtest of a test.
	part = regexp.MustCompile(`\bTest[A-Z]\w*/(\w+)`)
)

// TestNamedTests fails where a page names a test that does not exist.
func TestNamedTests(t *testing.T) {
	known, parts := tests(t)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, name := range testName.FindAllString(line, -1) {
				if !below(known, "", name) {
					t.Errorf("%s:%d: there is no %s", page, i+1, name)
				}
			}
			for _, m := range part.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(parts, m[1]) {
					t.Errorf("%s:%d: no test has a part %s", page, i+1, m[1])
				}
			}
			for _, m := range inFolder.FindAllStringSubmatch(line, -1) {
				for _, name := range testName.FindAllString(m[2], -1) {
					if !below(known, m[1], name) {
						t.Errorf("%s:%d: there is no %s in %s", page, i+1, name, m[1])
					}
				}
			}
		}
	}
}

// below tells whether a folder, or one below it, has a test.
func below(known map[string][]string, folder, name string) bool {
	for f, names := range known {
		if (folder == "" || f == folder || strings.HasPrefix(f, folder+"/")) && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// namedFile is a file below the root in quotes; names in capitals stand for others, and build is
// made.
var namedFile = regexp.MustCompile("`([a-z][\\w/.-]*/[a-z][\\w.-]*\\.(?:go|s|cu|cuh|json|tsv|sh|md))`")

// TestNamedFiles fails where a page names a source file that does not exist.
func TestNamedFiles(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedFile.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "build/") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// TestPackages compares the tables of CONTRIBUTING.md with the packages that there are: each has
// one row, and each row of packages is one.
func TestPackages(t *testing.T) {
	var packages []string
	for _, module := range []string{root, root + "/tools"} {
		command := exec.Command("go", "list", "-f", "{{.ImportPath}}", "./...")
		command.Dir = module
		text, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(string(text)) {
			packages = append(packages, strings.TrimPrefix(name, "scanmap/"))
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, layout, found := strings.Cut(string(page), "\n## Layout\n")
	if layout, _, _ = strings.Cut(layout, "\n## "); !found {
		t.Fatal("CONTRIBUTING.md has no section Layout")
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\|$").FindAllStringSubmatch(layout, -1) {
		rows = append(rows, m[1])
		if strings.TrimSpace(m[2]) == "" {
			t.Errorf("CONTRIBUTING.md says nothing of %s", m[1])
		}
	}
	for _, name := range packages {
		if !slices.Contains(rows, name) {
			t.Errorf("package %s is in no table of CONTRIBUTING.md: say in a sentence what it is", name)
		}
	}
	for i, name := range rows {
		if slices.Contains(rows[:i], name) {
			t.Errorf("CONTRIBUTING.md has %s twice", name)
		}
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() {
			t.Errorf("CONTRIBUTING.md has a row of %s, which is no folder", name)
		}
	}
}

// TestShortREADME holds README.md to a length that is read in five minutes.
func TestShortREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, more than 150: what is longer goes to docs", n)
	}
}
