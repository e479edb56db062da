package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// arrowsUp are the packages whose comment lists their files in an order, and the uses of a file
// above in that list.
var arrowsUp = map[string][]string{
	"cmd/scanmap":        {"values.go uses commands.go"},
	"genome/mappability": {"bisulfite.go uses run.go", "pairs.go uses run.go"},
	"mapper":             nil,
	"search":             {"methods_gpu.go uses neighbours_gpu.go"},
}

// TestOrder checks that a file uses files of its line and below it in the list of its package. A
// file that is not listed stands at the top.
func TestOrder(t *testing.T) {
	list := []string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles"}
	for pkg := range arrowsUp {
		list = append(list, "./"+pkg)
	}
	call := exec.Command("go", list...)
	call.Dir, call.Stderr = root, os.Stderr
	text, err := call.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		Dir, ImportPath, Export string
		GoFiles                 []string
	}
	packages := map[string]listed{}
	for from := json.NewDecoder(bytes.NewReader(text)); from.More(); {
		var p listed
		if err := from.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	files := token.NewFileSet()
	compiled := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })
	for pkg, allowed := range arrowsUp {
		p := packages[module+pkg]
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		uses := map[*ast.Ident]types.Object{}
		checked, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, files, parsed, &types.Info{Uses: uses})
		if err != nil {
			t.Fatal(err)
		}
		lines := linesOfFiles(parsed)
		if len(lines) < 2 {
			t.Errorf("%s lists no files in the comment of the package", pkg)
		}
		up := map[string]string{} // with a name that is used
		for at, of := range uses {
			if of.Pkg() != checked {
				continue
			}
			user, used := filepath.Base(files.Position(at.Pos()).Filename), filepath.Base(files.Position(of.Pos()).Filename)
			if user != used && lines[used] < lines[user] {
				up[fmt.Sprintf("%s uses %s", user, used)] = of.Name()
			}
		}
		for arrow, name := range up {
			if !slices.Contains(allowed, arrow) {
				t.Errorf("%s: %s for %s, but the comment of the package lists it above: move what is used, or change the list", pkg, arrow, name)
			}
		}
		for _, arrow := range allowed {
			if up[arrow] == "" {
				t.Errorf("%s: %s no more: take it out of arrowsUp", pkg, arrow)
			}
		}
	}
}

var nameOfFile = regexp.MustCompile(`\b\w+\.go\b`)

// linesOfFiles are the lines on which the comment of a package lists its files.
func linesOfFiles(parsed []*ast.File) map[string]int {
	lines := map[string]int{}
	for _, file := range parsed {
		for at, line := range strings.Split(file.Doc.Text(), "\n") {
			if strings.HasPrefix(line, "\t") {
				for _, name := range nameOfFile.FindAllString(line, -1) {
					lines[name] = at
				}
			}
		}
	}
	return lines
}
