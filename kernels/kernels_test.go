package kernels_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/kernelsource"
	"scanmap/kernels"
)

func module(t *testing.T, name string) []byte {
	t.Helper()
	text, err := kernels.PTX(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestHash checks that the embedded PTX was compiled from the present sources.
func TestHash(t *testing.T) {
	modules, err := kernelsource.Modules(".")
	if err != nil {
		t.Fatal(err)
	}
	if names := kernels.Names(); !slices.Equal(names, modules) {
		t.Errorf("embedded are %q, sources are %q: run make kernels", names, modules)
	}
	for _, name := range kernels.Names() {
		want, err := kernelsource.FirstLine(".", name)
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.HasPrefix(module(t, name), []byte(want)) {
			t.Errorf("%s.ptx is not of the sources as they are now: run make kernels", name)
		}
	}
}

func TestPTXHasNoPath(t *testing.T) {
	absolute := regexp.MustCompile(`(^|[^/\w])/[\w.-]+/`)
	if !absolute.MatchString("\t.file 1 \"/home/someone/map.cuh\"") || absolute.MatchString("// -- Begin a/b") {
		t.Fatal("the pattern of a path is wrong")
	}
	for _, name := range kernels.Names() {
		for i, line := range bytes.Split(module(t, name), []byte("\n")) {
			if absolute.Match(line) {
				t.Errorf("%s.ptx:%d names a file: %s", name, i+1, line)
			}
		}
	}
}

var (
	entryInPTX = regexp.MustCompile(`\.visible \.entry (\w+)\(\n\t\.param \.align \d+ \.b8 \w+\[(\d+)\]\n\)\n\.maxntid (\d+), 1, 1\s`)
	anyEntry   = regexp.MustCompile(`\.entry\b`)
)

// TestKernelEntries compares the entries with the PTX, one for one: there clang says how large the
// struct of each is, and how many threads its blocks have.
func TestKernelEntries(t *testing.T) {
	inPTX := map[string]kernels.Entry{}
	for _, name := range kernels.Names() {
		text := module(t, name)
		found := entryInPTX.FindAllSubmatch(text, -1)
		if n := len(anyEntry.FindAll(text, -1)); n != len(found) || n == 0 {
			t.Errorf("%s.ptx has %d entries, of which %d look as expected", name, n, len(found))
		}
		for _, m := range found {
			e := kernels.Entry{Name: string(m[1]), File: name, ParameterBytes: number(t, m[2]), Threads: number(t, m[3])}
			if _, twice := inPTX[e.Name]; twice {
				t.Errorf("%s.ptx: kernel %s is in another module too", name, e.Name)
			}
			inPTX[e.Name] = e
		}
	}
	for _, e := range kernels.Entries {
		if inPTX[e.Name] != e {
			t.Errorf("entry is %+v, PTX has %+v", e, inPTX[e.Name])
		}
		if found, err := kernels.Find(e.Name); err != nil || found != e {
			t.Errorf("Find(%q) = %+v, %v", e.Name, found, err)
		}
		if n := kernels.Threads(e.Name); n != e.Threads {
			t.Errorf("Threads(%q) = %d, want %d", e.Name, n, e.Threads)
		}
	}
	if len(inPTX) != len(kernels.Entries) {
		t.Errorf("%d kernels in the PTX, %d entries", len(inPTX), len(kernels.Entries))
	}
}

func number(t *testing.T, digits []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// constantsOf returns the constants that a file declares.
func constantsOf(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// namesUsed returns the names of package kernels that the Go files of the module use.
func namesUsed(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "build" || strings.HasPrefix(d.Name(), ".") && path != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "kernels" {
					used[s.Sel.Name] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// TestConstantsAreUsed checks that Go uses each constant that the sources export to it.
func TestConstantsAreUsed(t *testing.T) {
	names, used := constantsOf(t, "parameters.go"), namesUsed(t)
	if len(names) == 0 || !used["Threads"] {
		t.Fatalf("%d constants, used are %v", len(names), used)
	}
	for _, name := range names {
		if !used[name] {
			t.Errorf("%s is exported, and no Go file uses kernels.%[1]s: "+
				"delete \"exported\" where the source declares it, then make kernels", name)
		}
	}
}

// TestOperations checks that a word of an alignment, kind << OperationShift | length, tells the
// kinds apart and has room for the length of any read that is aligned on a GPU.
func TestOperations(t *testing.T) {
	seen := map[uint32]string{}
	for _, c := range []struct {
		name string
		kind uint32
	}{
		{"diagonal", kernels.OperationDiagonal},
		{"insertion", kernels.OperationInsertion},
		{"deletion", kernels.OperationDeletion},
	} {
		word := c.kind<<kernels.OperationShift | kernels.MaxBoundLength
		if word>>kernels.OperationShift != c.kind || word&(1<<kernels.OperationShift-1) != kernels.MaxBoundLength {
			t.Errorf("%s of %d bases does not fit a word", c.name, kernels.MaxBoundLength)
		}
		if other, ok := seen[c.kind]; ok {
			t.Errorf("%s and %s have one number", c.name, other)
		}
		seen[c.kind] = c.name
	}
}

func TestUnknownKernel(t *testing.T) {
	for _, name := range []string{"", "no such kernel", "language", "../kernels"} {
		if e, err := kernels.Find(name); err == nil {
			t.Errorf("Find(%q) = %+v", name, e)
		}
		if n := kernels.Threads(name); n != 1 {
			t.Errorf("Threads(%q) = %d, want 1", name, n)
		}
		if text, err := kernels.PTX(name); err == nil {
			t.Errorf("PTX(%q) has %d bytes", name, len(text))
		}
	}
}
