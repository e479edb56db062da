package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// TestTable holds the table to the sources: each old text is in its file once, each test exists,
// and no package of the program and no kernel is left out.
func TestTable(t *testing.T) {
	mutants, err := read("mutants.txt", root)
	if err != nil {
		t.Fatal(err)
	}
	if len(mutants) < 100 {
		t.Errorf("%d mutants, fewer than a hundred", len(mutants))
	}
	mutated := map[string]int{} // by package, and by file of kernels
	for i := range mutants {
		m := &mutants[i]
		if strings.HasSuffix(m.File, "_test.go") {
			t.Errorf("%s: %s is a test", m.Name, m.File)
		}
		mutated[path.Dir(m.File)]++
		mutated[m.File]++
		for _, of := range m.Tests {
			for _, name := range of.Names {
				if function, _, _ := strings.Cut(name, "/"); !slices.Contains(testsIn(t, of.Package), function) {
					t.Errorf("%s: there is no %s in %s", m.Name, function, of.Package)
				}
			}
		}
	}
	for _, name := range programPackages(t) {
		// mapper/bench measures, and has no tests of its own; docs/library is a program of others.
		if mutated[name] == 0 && name != "mapper/bench" && name != "docs/library" {
			t.Errorf("%s has no mutant", name)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "kernels", "*.cu"))
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels were found:", err)
	}
	for _, file := range files {
		if mutated["kernels/"+filepath.Base(file)] == 0 {
			t.Errorf("%s has no mutant", filepath.Base(file))
		}
	}
}

// programPackages returns the folders below the root that the program is built of.
func programPackages(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if entry.IsDir() && slices.Contains([]string{".git", "build", "bin", "internal", "tools", "testdata"}, name) {
			return fs.SkipDir
		}
		folder := filepath.ToSlash(filepath.Dir(name))
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(names, folder) {
			names = append(names, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testsRead are the test functions of packages that testsIn has read.
var testsRead = map[string][]string{}

// testsIn returns the test functions of a package.
func testsIn(t *testing.T, name string) (names []string) {
	t.Helper()
	if known, ok := testsRead[name]; ok {
		return known
	}
	files, err := filepath.Glob(filepath.Join(root, name, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	testsRead[name] = names
	return names
}

func TestParse(t *testing.T) {
	mutants, err := Parse(strings.NewReader(`# a comment

name: a.b
file: a/b.go
- 	if x {
-
- }
+ 	if y {
tests: ./a TestA TestB
tests: ./c TestC/part
why: it breaks
why: a lot

name: d
in: e Type.Method
- x
tests: e TestD
why: x is not there
equal: nobody needs it
`))
	if err != nil || len(mutants) != 2 {
		t.Fatalf("%v, %v", mutants, err)
	}
	m := mutants[0]
	if m.Old != "\tif x {\n\n}" || m.New != "\tif y {" || m.Why != "it breaks a lot" || m.Equal != "" || m.Name != "a.b" {
		t.Errorf("%+v", m)
	}
	if got, want := m.Tests[0].Run(), "^(TestA|TestB)$"; got != want {
		t.Errorf("runs %s, not %s", got, want)
	}
	if got, want := m.Tests[1].Run(), "^TestC$/^part$"; got != want {
		t.Errorf("runs %s, not %s", got, want)
	}
	if m = mutants[1]; m.Old != "x" || m.New != "" || m.Equal == "" || m.Package != "e" || m.Function != "Type.Method" {
		t.Errorf("%+v", m)
	}
}

func TestParseRefuses(t *testing.T) {
	const rest = "\nfile: f.go\ntests: . TestA\nwhy: so"
	for name, text := range map[string]string{
		"no old text":     "name: a" + rest,
		"no name":         "- x\n+ y" + rest,
		"no change":       "name: a\n- x\n+ x" + rest,
		"no tests":        "name: a\nfile: f.go\n- x\nwhy: so",
		"no reason":       "name: a\nfile: f.go\n- x\ntests: . TestA",
		"a name twice":    "name: a\n- x" + rest + "\n\nname: a\n- y" + rest,
		"another key":     "name: a\n- x\nbecause: it is" + rest,
		"tests and parts": "name: a\nfile: f.go\n- x\nwhy: so\ntests: . TestA TestB/part",
		"a package alone": "name: a\nfile: f.go\n- x\nwhy: so\ntests: .",
		"no place":        "name: a\n- x\ntests: . TestA\nwhy: so",
		"two places":      "name: a\nin: p f\n- x" + rest,
		"no function":     "name: a\nin: p\n- x\ntests: . TestA\nwhy: so",
	} {
		if mutants, err := Parse(strings.NewReader(text)); err == nil {
			t.Errorf("%s is taken: %+v", name, mutants)
		}
	}
}

func TestApply(t *testing.T) {
	m := Mutant{Name: "a", File: "f.go", Old: "x", New: "y"}
	if got, err := m.Apply("a x b"); err != nil || got != "a y b" {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"a b", "x x"} {
		if got, err := m.Apply(text); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestResolve finds texts in functions, whatever file they are in.
func TestResolve(t *testing.T) {
	module := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("deep/a/a.go", "package a\n\nfunc F() int { return 1 }\n\nfunc G() int { return 1 }\n\nconst (\n\tX = 1 // one\n\tY = 1\n)\n")
	write("deep/a/b.go", "package a\n\ntype T[E any] struct{ n int }\n\nfunc (t *T[E]) F() int { return 1 + 1 }\n")
	write("deep/a/a_test.go", "package a_test\n\nfunc G() int { return 1 }\n")
	write("b/b.go", "package b\n")
	write("c/b/b.go", "package b\n")
	write("tools/a/a.go", "package a\n")
	write("k/k.cu", "int x = 1;\n")
	for _, c := range []struct{ in, old, file, applied, wrong string }{
		{"a F", "return 1", "deep/a/a.go", "func F() int { @ }", ""},
		{"a G", "return 1", "deep/a/a.go", "func G() int { @ }", ""},
		{"a X", "1 // one", "deep/a/a.go", "X = @\n", ""},
		{"a T.F", "return 1", "deep/a/b.go", "{ @ + 1 }", ""},
		{"a T", "n int", "deep/a/b.go", "struct{ @ }", ""},
		{"a T.F", "1", "", "", "2 times, not once"},
		{"a F", "return 2", "", "", "0 times, not once"},
		{"a F", "func G", "", "", "0 times, not once"},
		{"a H", "1", "", "", "package a declares no H"},
		{"b F", "1", "", "", `2 packages are called "b", not one`},
		{"c F", "1", "", "", `0 packages are called "c", not one`},
		{"", "1", "k/k.cu", "x = @;", ""},
		{"", "2", "k/k.cu", "", "0 times, not once"},
	} {
		s, err := sourcesOf(module)
		if err != nil {
			t.Fatal(err)
		}
		m := Mutant{Name: "m", Old: c.old, New: "@", Tests: []TestOf{{"a", []string{"TestA"}}, {"./x", []string{"TestB"}}}}
		if c.in == "" {
			m.File = c.file
		} else {
			m.Package, m.Function, _ = strings.Cut(c.in, " ")
		}
		err = s.resolve(&m)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s, %q: %v, not %s", c.in, c.old, err, c.wrong)
			}
			continue
		}
		if err != nil || m.File != c.file || m.Tests[0].Package != "./deep/a" || m.Tests[1].Package != "./x" {
			t.Errorf("%s, %q: %v, %+v", c.in, c.old, err, m)
			continue
		}
		text, err := os.ReadFile(filepath.Join(module, m.File))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Apply(string(text)); err != nil || !strings.Contains(got, c.applied) || len(got) != len(text)-len(c.old)+1 {
			t.Errorf("%s, %q becomes %q, %v", c.in, c.old, got, err)
		}
	}
}

// TestDraw has every mutant drawn in each round of days.
func TestDraw(t *testing.T) {
	mutants := make([]Mutant, 23)
	for i := range mutants {
		mutants[i].Name = string(rune('a' + i))
	}
	first := time.Unix(0, 0).UTC()
	for round := range 5 {
		drawn := map[string]bool{}
		for day := range 3 {
			date := first.AddDate(0, 0, 3*round+day)
			today := draw(mutants, 10, date)
			if len(today) != 10 {
				t.Errorf("%d are drawn", len(today))
			}
			for i, m := range draw(mutants, 10, date) {
				if m.Name != today[i].Name {
					t.Error("a date draws others the second time")
				}
				drawn[m.Name] = true
			}
		}
		if len(drawn) != len(mutants) {
			t.Errorf("round %d: %d of %d are drawn", round, len(drawn), len(mutants))
		}
	}
	if n := len(draw(mutants, 0, first)); n != len(mutants) {
		t.Errorf("%d of all", n)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		output string
		ok     bool
		want   Result
	}{
		{"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n", true, Result{Survived, ""}},
		{"=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\n", true, Result{Skipped, ""}},
		{"testing: warning: no tests to run\nPASS\n", true, Result{Skipped, ""}},
		{"--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/c (0.00s)\nFAIL\n", false, Result{Killed, "TestB/c"}},
		{"=== RUN   TestA\n=== RUN   TestA/b\npanic: oops\n", false, Result{Killed, "a crash in TestA/b"}},
		{"", false, Result{Killed, "a crash"}},
		{"=== RUN   TestA\npanic: test timed out after 3m0s\n\trunning tests:\n", false, Result{TimedOut, "after 3m0s"}},
	} {
		if got := judge(c.output, c.ok); got != c.want {
			t.Errorf("%q: %v, not %v", c.output, got, c.want)
		}
	}
}

// TestTry tries mutants of a small module.
func TestTry(t *testing.T) {
	module := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.24\n",
		"a/a.go": "package a\n\n// Larger returns the larger number.\nfunc Larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n",
		"a/a_test.go": `package a

import "testing"

func TestLarger(t *testing.T) {
	if Larger(1, 2) != 2 || Larger(2, 1) != 2 {
		t.Error("not the larger one")
	}
}

func TestSkipped(t *testing.T) { t.Skip("not here") }

func TestFails(t *testing.T) { t.Error("always") }
`,
	} {
		file := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []TestOf{{"./a", []string{"TestLarger"}}}
	killed := Mutant{Name: "killed", File: "a/a.go", Old: "a > b", New: "a < b", Tests: tests, Why: "it is the lesser one"}
	equal := Mutant{Name: "equal", File: "a/a.go", Old: "a > b", New: "a >= b", Tests: tests, Why: "b", Equal: "they are the same"}
	survivor, wrong := equal, killed
	survivor.Name, survivor.Equal = "survivor", ""
	wrong.Name, wrong.Equal = "wrong", "it is not"
	unbuilt := Mutant{Name: "unbuilt", File: "a/a.go", Old: "a > b", New: "a >", Tests: tests, Why: "no Go"}
	endless := Mutant{Name: "endless", File: "a/a.go", Old: "if a > b {", New: "for a > 0 {\n}\nif a > b {", Tests: tests, Why: "no end"}
	skipped := killed
	skipped.Name, skipped.Tests = "skipped", []TestOf{{"./a", []string{"TestSkipped"}}}

	for _, c := range []struct {
		mutants []Mutant
		ok      bool
		want    []string
	}{
		{[]Mutant{killed, equal, skipped}, true, []string{"killed           killed: TestLarger", "change nothing   equal", "skipped          skipped",
			"3 mutants: 1 killed, 1 change nothing, 1 skipped\n"}},
		{[]Mutant{survivor, wrong}, false, []string{"to mend: survived         survivor (a/a.go: b)", "to mend: killed           wrong: TestLarger, though"}},
		{[]Mutant{unbuilt, endless}, false, []string{"does not compile unbuilt: a/a.go:5:", "timed out        endless: after 2s", "1 does not compile, 1 timed out"}},
	} {
		var b strings.Builder
		ok, err := try(context.Background(), &b, module, c.mutants, 2*time.Second, 1, true)
		if err != nil || ok != c.ok {
			t.Errorf("%t, %v\n%s", ok, err, &b)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q in\n%s", want, &b)
			}
		}
	}

	failing := killed
	failing.Tests = []TestOf{{"./a", []string{"TestFails"}}}
	if _, err := try(context.Background(), io.Discard, module, []Mutant{failing}, time.Minute, 1, true); err == nil ||
		!strings.Contains(err.Error(), "without a mutant, ./a TestFails: killed TestFails") {
		t.Errorf("a test that fails without a mutant: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(module, "a", "a.go"))
	if err != nil || !strings.Contains(string(text), "a > b") {
		t.Errorf("the module was changed: %v\n%s", err, text)
	}
}

// TestFaultsOf lists all faults of a file.
func TestFaultsOf(t *testing.T) {
	text := `package a

import "os"

const most = 3 + 1

func f(a, b int) (bool, error) {
	for i := a - 1; i <= b && i < min(a, most); i++ {
		if i == 5 {
			continue
		}
		a = i
		f(a, b)
	}
	_, err := os.Stat("x")
	return true, err
}
`
	found, err := faultsOf("a.go", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		_, change, _ := strings.Cut(m.Name, " ")
		got = append(got, change)
		if changed, err := m.Apply(text); err != nil || len(strings.Split(changed, "\n")) != len(strings.Split(text, "\n")) {
			t.Errorf("%s: %v\n%s", m.Name, err, changed)
		}
	}
	slices.Sort(got)
	want := []string{"` + 1` becomes ``", "` - 1` becomes ``", "`&&` becomes `||`", "`+` becomes `-`", "`-` becomes `+`", "`<=` becomes `<`",
		"`<` becomes `<=`", "`==` becomes `!=`", "`a = i` becomes ``", "`continue` becomes `break`", "`err` becomes `nil`", "`f(a, b)` becomes ``",
		"`min` becomes `max`", "`true` becomes `false`"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestByChance draws the same by one seed, with the tests of the folder, those above it and the
// commands.
func TestByChance(t *testing.T) {
	drawn := func(only string, seed uint64) []Mutant {
		all, err := byChance(root, regexp.MustCompile(only), 20, seed)
		if err != nil || len(all) != 20 {
			t.Fatalf("%d faults, %v", len(all), err)
		}
		return all
	}
	first := drawn("^mapper/find/", 1)
	if again := drawn("^mapper/find/", 1); !reflect.DeepEqual(first, again) {
		t.Error("one seed draws other faults")
	}
	if other := drawn("^mapper/find/", 2); reflect.DeepEqual(first, other) {
		t.Error("another seed draws the same faults")
	}
	for _, m := range first {
		var tests []string
		for _, of := range m.Tests {
			tests = append(tests, of.Package)
		}
		if got := strings.Join(tests, " "); !strings.HasPrefix(m.File, "mapper/find/") || got != "./mapper/find ./mapper ./cmd/scanmap" {
			t.Errorf("%s is tried with %s", m.Name, got)
		}
	}
	for _, m := range drawn("^cmd/scanmap/", 1) {
		if len(m.Tests) != 1 || m.Tests[0].Package != commandTests {
			t.Errorf("%s is tried with %v", m.Name, m.Tests)
		}
	}
}
