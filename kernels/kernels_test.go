package kernels_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"scanmap/internal/tools/kernelsource"
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

// TestHash checks that what is embedded was compiled from the sources as they are now.
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
	if !absolute.MatchString("\t.file 1 \"/home/someone/shared.cuh\"") || absolute.MatchString("// -- Begin a/b") {
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
	entryInPTX     = regexp.MustCompile(`\.visible \.entry (\w+)\(\n\t\.param \.align \d+ \.b8 \w+\[(\d+)\]\n\)\n\.maxntid (\d+), 1, 1\s`)
	anyEntry       = regexp.MustCompile(`\.entry\b`)
	kernelInSource = regexp.MustCompile(`(?m)^KERNEL(?:_BLOCKS)?\((\w+), (\w+),`)
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

// TestParameterStructs checks that the Go struct of each kernel's parameters has the size that the kernel takes, and no
// padding of the compiler's, where the driver runs.
func TestParameterStructs(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "parameters.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	// The types alone: no file but this has to be known.
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return !ok || g.Tok != token.TYPE
	})
	pkg, err := (&types.Config{}).Check("kernels", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	parameters := map[string]string{}
	for _, name := range kernels.Names() {
		text, err := os.ReadFile(kernelsource.Source(name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range kernelInSource.FindAllSubmatch(text, -1) {
			parameters[string(m[1])] = string(m[2])
		}
	}
	for _, machine := range []string{"amd64", "arm64"} {
		sizes := types.SizesFor("gc", machine)
		for _, e := range kernels.Entries {
			object := pkg.Scope().Lookup(parameters[e.Name])
			if object == nil {
				t.Errorf("kernel %s: there is no Go struct %q", e.Name, parameters[e.Name])
				continue
			}
			if n := sizes.Sizeof(object.Type()); n != int64(e.ParameterBytes) {
				t.Errorf("%s: %s has %d bytes, kernel %s takes %d", machine, object.Name(), n, e.Name, e.ParameterBytes)
			}
		}
		for _, name := range pkg.Scope().Names() {
			s, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
			if !ok {
				continue
			}
			sum := int64(0)
			for f := range s.Fields() {
				sum += sizes.Sizeof(f.Type())
			}
			if n := sizes.Sizeof(s); n != sum {
				t.Errorf("%s: %s has %d bytes, its fields %d", machine, name, n, sum)
			}
		}
	}
}

func TestUnknownKernel(t *testing.T) {
	for _, name := range []string{"", "no such kernel", "shared", "../kernels"} {
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
