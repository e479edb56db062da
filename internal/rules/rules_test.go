// Package rules holds the architecture where no linter can be had: what may import what,
// and what only some packages may do. .golangci.yml has the same rules for the linter.
package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// mayImport lists the packages of this module that a package may import: imports go one
// way, from the commands over the algorithms to the leaves.
var mayImport = map[string][]string{
	"cmd/scanmap": {"mapper", "report", "sam", "dna", "fasta"},
	"mapper":      {"dna", "fasta", "sam"},
	"report":      {"mapper"},
	"fasta":       {"dna"},
	"sam":         {"dna"},
	"dna":         {},
}

// violations returns what is wrong with a file of a package, tests apart.
func violations(pkg string, file *ast.File, name string) (found []string) {
	tool := strings.HasPrefix(pkg, "internal/")
	complain := func(format string, args ...any) { found = append(found, name+": "+fmt.Sprintf(format, args...)) }
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			complain("%v", err)
			continue
		}
		inside, ours := strings.CutPrefix(path, "scanmap/")
		allowed, known := mayImport[pkg]
		switch {
		case ours && strings.HasPrefix(inside, "internal/"):
			complain("imports %s: internal packages are tools and tests, and nothing depends on them", path)
		case ours && !tool && !known:
			complain("imports %s, but package %s is in no rule: say where it stands", path, pkg)
		case ours && !tool && !slices.Contains(allowed, inside):
			complain("imports %s: imports go cmd -> mapper, report -> dna, fasta, sam, and leaves know nothing of each other but dna", path)
		case path == "unsafe":
			complain("imports unsafe: only the GPU driver's bindings need it")
		case path == "C":
			complain("uses cgo: one binary has to run everywhere")
		}
	}
	if tool {
		return found
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if f.Name == "panic" || f.Name == "print" || f.Name == "println" {
				complain("calls %s: what goes wrong is returned, with the file, record or call in it", f.Name)
			}
		case *ast.SelectorExpr:
			of, ok := f.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch call := of.Name + "." + f.Sel.Name; {
			case call == "os.Exit" && name != "cmd/scanmap/main.go", strings.HasPrefix(call, "log.Fatal"), strings.HasPrefix(call, "log.Panic"):
				complain("calls %s: only main.go ends the process, after output has been published or removed", call)
			case of.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Print") && pkg != "cmd/scanmap":
				complain("calls %s: standard output is for SAM alone", call)
			}
		}
		return true
	})
	return found
}

func TestRules(t *testing.T) {
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
		if entry.IsDir() && (name == "build" || name == "bin" || strings.HasPrefix(entry.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		files++
		for _, v := range violations(filepath.ToSlash(filepath.Dir(name)), file, name) {
			t.Error(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 30 {
		t.Errorf("only %d files were looked at", files)
	}
}

// TestRulesSee checks that each rule finds what it forbids.
func TestRulesSee(t *testing.T) {
	for _, c := range []struct{ pkg, text, want string }{
		{"dna", `import "scanmap/fasta"`, "imports go"},
		{"mapper", `import "scanmap/report"`, "imports go"},
		{"cmd/scanmap", `import "scanmap/internal/tools/simulate"`, "internal packages"},
		{"search", `import "scanmap/dna"`, "no rule"},
		{"mapper", `import "unsafe"`, "unsafe"},
		{"mapper", `import "C"`, "cgo"},
		{"mapper", `func f() { panic("x") }`, "is returned"},
		{"mapper", `import "os"; func f() { os.Exit(1) }`, "ends the process"},
		{"cmd/scanmap", `import "os"; func f() { os.Exit(1) }`, "ends the process"},
		{"fasta", `import "log"; func f() { log.Fatalf("x") }`, "ends the process"},
		{"report", `import "fmt"; func f() { fmt.Println() }`, "SAM alone"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+c.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Join(violations(c.pkg, file, c.pkg+"/x.go"), "\n")
		if !strings.Contains(found, c.want) {
			t.Errorf("%s in %s: found %q, want %q", c.text, c.pkg, found, c.want)
		}
	}
}
