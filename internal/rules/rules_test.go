// Package rules holds the architecture where no linter can be had: what may import what,
// and what only some packages may do. .golangci.yml has the same rules for the linter.
package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "scanmap/"
)

// mayImport lists the packages of this module that a package may import.
var mayImport = map[string][]string{
	"cmd/scanmap":        {"internal/bgzf", "mapper", "mapper/bench", "search", "search/papers", "search/records", "search/variants", "search/primers", "genome/mappability", "mapper/plan", "mapper/depth", "track", "report", "genome/copies", "search/guides", "gpu/device", "internal/measure", "internal/bed", "dna", "fasta", "sam", "internal/temporary", "gpu", "kernels"},
	"mapper":             {"mapper/find", "locate", "internal/bgzf", "internal/parallel", "internal/temporary", "gpu/device", "internal/measure", "dna", "fasta", "sam"},
	"mapper/find":        {"locate", "internal/parallel", "internal/temporary", "gpu/device", "internal/measure", "dna", "fasta", "gpu", "kernels"},
	"mapper/bench":       {"mapper", "mapper/find", "locate", "internal/parallel", "gpu/device", "internal/measure", "dna", "fasta", "gpu", "kernels"},
	"genome/mappability": {"mapper/find", "locate", "internal/parallel", "internal/temporary", "gpu/device", "dna", "fasta"},
	"search/records":     {"search", "internal/parallel", "internal/bgzf", "dna", "fasta"},
	"search":             {"locate", "internal/parallel", "gpu/device", "internal/measure", "dna", "fasta", "sam", "gpu", "kernels"},
	"search/papers":      {"search", "gpu/device", "dna", "gpu", "kernels"},
	"search/primers":     {"search", "locate", "internal/parallel", "dna", "fasta"},
	"search/variants":    {"search", "locate", "internal/extsort", "internal/parallel", "gpu/device", "internal/temporary", "dna", "fasta"},
	"locate":             {"internal/parallel", "dna"},
	"mapper/depth":       {"mapper", "internal/parallel", "dna"},
	"track":              {"internal/bgzf"},
	"mapper/plan":        {"mapper", "mapper/find", "gpu/device", "fasta"},
	"report":             {"mapper", "mapper/depth", "genome/copies", "genome/mappability", "search/guides", "search/primers", "search/records", "internal/measure", "dna"},
	"search/guides":      {"search", "search/variants", "locate", "dna"},
	"genome/copies":      {"dna"},
	"gpu/device":         {"internal/measure", "gpu", "kernels"},
	"internal/bed":       {"dna"},
	"fasta":              {"dna"},
	"sam":                {"dna", "internal/bgzf", "internal/extsort", "internal/temporary"},
	"internal/extsort":   {"internal/temporary"},
	"internal/bgzf":      {},
	"internal/parallel":  {},
	"dna":                {},
	"gpu":                {},
	"kernels":            {},
	"internal/measure":   {},
	"internal/temporary": {},
}

// The reasons, as a failure gives them.
const (
	reasonDirection = "imports go one way, cmd -> report, mapper/bench -> mapper -> mapper/find -> locate, device -> " +
		"bed, dna, fasta, sam, track, bgzf, extsort, gpu, kernels, measure, parallel, temporary, with search beside mapper, and leaves know nothing of each other, except that bed, fasta and sam use dna, sam and track bgzf, sam extsort, and both of these temporary: so each can be read, tested and replaced alone"
	reasonUnknown  = "the package is in no rule: say in mayImport and in .golangci.yml where it stands"
	reasonInternal = "tools and internal packages, which are tests, are none of the program: it does not depend on them"
	reasonGPU      = "only *_gpu.go files launch kernels: the plain version beside each has to build and run without a GPU"
	reasonUnsafe   = "only the bindings of the GPU's driver need unsafe: elsewhere it gives up what the compiler checks"
	reasonCgo      = "cgo ties the binary to a C library: one file has to run everywhere"
	reasonExit     = "only cmd/scanmap/main.go ends the process, after output has been published or removed"
	reasonPanic    = "what goes wrong is returned, with the file, record or call in it: users get one line, not a stack"
	reasonPrint    = "standard output is for results alone, and each write of them is checked"
)

// only says what a function of another package is for; it is forbidden elsewhere.
var only = map[string]string{
	"os.Exit": reasonExit, "syscall.Exit": reasonExit, "runtime.Goexit": reasonExit,
	"log.Fatal": reasonExit, "log.Fatalf": reasonExit, "log.Fatalln": reasonExit,
	"log.Panic": reasonPanic, "log.Panicf": reasonPanic, "log.Panicln": reasonPanic,
	"fmt.Print": reasonPrint, "fmt.Printf": reasonPrint, "fmt.Println": reasonPrint,
}

// builtins are the forbidden functions that need no import.
var builtins = map[string]string{"panic": reasonPanic, "print": reasonPrint, "println": reasonPrint}

// violations returns the faults of a file that is not a test. name is its path below the root, with
// slashes.
func violations(name string, file *ast.File) []string {
	c := checker{name: name, pkg: path.Dir(name), names: map[string]string{}}
	c.tool = isTool(c.pkg)
	if _, known := mayImport[c.pkg]; !known && !c.tool {
		c.complain("package "+c.pkg, reasonUnknown)
	}
	for _, spec := range file.Imports {
		c.importSpec(spec)
	}
	if !c.tool {
		ast.Inspect(file, c.use)
	}
	return c.found
}

// isTool tells whether a package is none of the program: a tool, or of the test kit.
func isTool(pkg string) bool {
	_, known := mayImport[pkg]
	return strings.HasPrefix(pkg, "tools/") || strings.HasPrefix(pkg, "internal/") && !known
}

// checker looks at one file.
type checker struct {
	name, pkg string
	tool      bool              // tools may print, exit and import what they like
	names     map[string]string // of imports in this file, to their paths
	found     []string
}

func (c *checker) complain(what, reason string) {
	c.found = append(c.found, fmt.Sprintf("%s: %s: %s", c.name, what, reason))
}

func (c *checker) importSpec(spec *ast.ImportSpec) {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		c.complain(spec.Path.Value, err.Error())
		return
	}
	c.names[path.Base(imported)] = imported
	if spec.Name != nil {
		c.names[spec.Name.Name] = imported
	}
	what := "imports " + imported
	switch imported {
	case "C":
		c.complain(what, reasonCgo)
	case "unsafe":
		if c.pkg != "gpu" {
			c.complain(what, reasonUnsafe)
		}
	}
	if spec.Name != nil && spec.Name.Name == "." && !c.tool {
		c.complain(what+" into its own names", "a reader has to see where a name comes from")
	}
	inside, ours := strings.CutPrefix(imported, module)
	if !ours || c.tool {
		return
	}
	switch {
	case isTool(inside):
		c.complain(what, reasonInternal)
	case !slices.Contains(mayImport[c.pkg], inside):
		c.complain(what, reasonDirection)
	case (inside == "gpu" || inside == "kernels") && !strings.HasSuffix(c.name, "_gpu.go"):
		c.complain(what, reasonGPU)
	}
}

// use looks at every mention of a function, called or handed on.
func (c *checker) use(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && builtins[f.Name] != "" {
			c.complain("calls "+f.Name, builtins[f.Name])
		}
	case *ast.SelectorExpr:
		of, ok := n.X.(*ast.Ident)
		if !ok {
			return true
		}
		full := c.names[of.Name] + "." + n.Sel.Name
		if full == "os.Exit" && c.name == "cmd/scanmap/main.go" {
			return true
		}
		if reason := only[full]; reason != "" {
			c.complain("uses "+full, reason)
		}
	}
	return true
}

func TestRules(t *testing.T) {
	seen := map[string]int{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		if entry.IsDir() {
			// docs/library is a program of others, with its own rules.
			hidden := strings.HasPrefix(entry.Name(), ".") && file != root
			if hidden || slices.Contains([]string{"build", "bin", "dist", "docs"}, name) || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		seen[path.Dir(name)]++
		for _, v := range violations(name, parsed) {
			t.Error(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"cmd/scanmap", "mapper", "mapper/find", "locate", "search", "search/records", "report", "gpu/device", "internal/measure", "fasta", "sam", "dna", "track"} {
		if seen[pkg] == 0 {
			t.Errorf("no file of %s was looked at", pkg)
		}
	}
}

// TestRulesSee checks that each rule finds what it forbids, and only that.
func TestRulesSee(t *testing.T) {
	const allowed = ""
	for _, c := range []struct{ name, text, want string }{
		{"dna/x.go", `import "scanmap/fasta"`, reasonDirection},
		{"sam/x.go", `import "scanmap/fasta"`, reasonDirection},
		{"fasta/x.go", `import "scanmap/mapper"`, reasonDirection},
		{"gpu/x.go", `import "scanmap/dna"`, reasonDirection},
		{"mapper/x.go", `import "scanmap/report"`, reasonDirection},
		{"mapper/x.go", `import "scanmap/search"`, reasonDirection},
		{"mapper/x.go", `import "scanmap/mapper/bench"`, reasonDirection},
		{"mapper/x_gpu.go", `import "scanmap/kernels"`, reasonDirection},
		{"mapper/find/x.go", `import "scanmap/mapper"`, reasonDirection},
		{"locate/x.go", `import "scanmap/gpu/device"`, reasonDirection},
		{"search/x.go", `import "scanmap/mapper/find"`, reasonDirection},
		{"report/x.go", `import "scanmap/search"`, reasonDirection},
		{"report/x.go", `import "scanmap/cmd/scanmap"`, reasonDirection},
		{"report/x.go", `import "scanmap/gpu/device"`, reasonDirection},
		{"gpu/device/x.go", `import "scanmap/mapper"`, reasonDirection},
		{"gpu/device/x.go", `import "scanmap/dna"`, reasonDirection},
		{"internal/measure/x.go", `import "scanmap/gpu/device"`, reasonDirection},
		{"track/x.go", `import "scanmap/sam"`, reasonDirection},
		{"cmd/scanmap/x.go", `import "scanmap/internal/truth"`, reasonInternal},
		{"cmd/scanmap/x.go", `import "scanmap/tools/simulate"`, reasonInternal},
		{"elsewhere/x.go", ``, reasonUnknown},
		{"mapper/find/x.go", `import "scanmap/gpu"`, reasonGPU},
		{"cmd/scanmap/x.go", `import "scanmap/kernels"`, reasonGPU},
		{"gpu/device/x.go", `import "scanmap/gpu"`, reasonGPU},
		{"mapper/x.go", `import "unsafe"`, reasonUnsafe},
		{"tools/x/x.go", `import "unsafe"`, reasonUnsafe},
		{"mapper/x.go", `import "C"`, reasonCgo},
		{"mapper/x.go", `import . "scanmap/dna"`, "where a name comes from"},
		{"mapper/x.go", `func f() { panic("x") }`, reasonPanic},
		{"mapper/x.go", `import "os"; func f() { os.Exit(1) }`, reasonExit},
		{"mapper/x.go", `import o "os"; var f = o.Exit`, reasonExit},
		{"cmd/scanmap/x.go", `import "os"; func f() { os.Exit(1) }`, reasonExit},
		{"fasta/x.go", `import "log"; func f() { log.Fatalf("x") }`, reasonExit},
		{"report/x.go", `import "fmt"; func f() { fmt.Println() }`, reasonPrint},
		{"report/x.go", `func f() { println() }`, reasonPrint},

		{"fasta/x.go", `import "scanmap/dna"`, allowed},
		{"mapper/find/skim_gpu.go", `import ("scanmap/gpu"; "scanmap/kernels"; "scanmap/locate")`, allowed},
		{"gpu/device/x_gpu.go", `import ("scanmap/gpu"; "scanmap/kernels"; "scanmap/internal/measure")`, allowed},
		{"mapper/x.go", `import ("scanmap/gpu/device"; "scanmap/internal/measure")`, allowed},
		{"report/x.go", `import "scanmap/internal/measure"`, allowed},
		{"gpu/x.go", `import "unsafe"`, allowed},
		{"cmd/scanmap/main.go", `import "os"; func f() { os.Exit(1) }`, allowed},
		{"tools/x/x.go", `import . "github.com/mmcloughlin/avo/build"`, allowed},
		{"tools/x/x.go", `import ("fmt"; "os"; "scanmap/mapper"); func f() { fmt.Println(); os.Exit(1) }`, allowed},
		{"report/x.go", `import "fmt"; func f() { fmt.Fprintln(nil) }`, allowed},
		{"mapper/x.go", `type p struct{}; func (p) panic() {}; func f(x p) { x.panic() }`, allowed},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), c.name, "package x; "+c.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found := violations(c.name, file)
		switch {
		case c.want == allowed && len(found) > 0:
			t.Errorf("%s in %s is allowed, but found %q", c.text, c.name, found)
		case c.want != allowed && !strings.Contains(strings.Join(found, "\n"), c.want):
			t.Errorf("%s in %s: found %q, want %q", c.text, c.name, found, c.want)
		}
	}
}
