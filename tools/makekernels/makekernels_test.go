package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/kernelsource"
)

const folder = "../../kernels"

// TestParametersAreCurrent needs no compiler.
func TestParametersAreCurrent(t *testing.T) {
	sources, err := kernelsource.ReadAll(folder)
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(sources)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "parameters.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("parameters.go is not of the sources as they are now: run make kernels")
	}
}

// TestParameterStructs checks that the Go struct of each kernel's parameters has the size that the
// entry says, and no padding of the compiler's, where the driver runs. A test of package kernels
// compares the entries with the PTX.
func TestParameterStructs(t *testing.T) {
	sources, err := kernelsource.ReadAll(folder)
	if err != nil {
		t.Fatal(err)
	}
	p, err := parse(sources)
	if err != nil {
		t.Fatal(err)
	}
	g := generator{program: p, layouts: map[string]*layout{}}
	if err := g.layOut(); err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(folder, "parameters.go"), nil, parser.SkipObjectResolution)
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
	for _, machine := range []string{"amd64", "arm64"} {
		sizes := types.SizesFor("gc", machine)
		for _, k := range p.kernels {
			object := pkg.Scope().Lookup(k.parameters)
			if object == nil {
				t.Errorf("kernel %s: there is no Go struct %q", k.name, k.parameters)
				continue
			}
			if n, want := sizes.Sizeof(object.Type()), g.layouts[k.parameters].size; n != int64(want) {
				t.Errorf("%s: %s has %d bytes, kernel %s takes %d", machine, object.Name(), n, k.name, want)
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

// sourcesOf is a header and one file that has a kernel which takes TestParams.
func sourcesOf(header, file string) []kernelsource.File {
	return []kernelsource.File{
		{Name: "header.cuh", Text: header},
		{Name: "test.cu", Text: "#include \"header.cuh\"\n" + file + "\nKERNEL(test, TestParams, 32) { use(p); }\n"},
	}
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		name, header, body, want string
	}{
		{"numbers", "", "u8 a;\nu8 b;\nu16 c;\ni32 d;\nu64 e;\ni64 f;",
			"A uint8; B uint8; C uint16; D int32; E uint64; F int64 | 24"},
		{"padding between", "", "u8 a;\nu32 b;\nu64 c;", "A uint8; _ [3]byte; B uint32; C uint64 | 16"},
		{"padding after", "", "u64 a;\nu16 b;", "A uint64; B uint16; _ [6]byte | 16"},
		{"pointers", "", "const u32* a;\nu32x4* b;\nu8 c;\nu8* d;", "A uint64; B uint64; C uint8; _ [7]byte; D uint64 | 32"},
		{"several names", "", "u32 a, of_b, c;", "A uint32; OfB uint32; C uint32 | 12"},
		{"unused", "", "u64 a;\nu32 b;\nu32 unused;", "A uint64; B uint32; _ uint32 | 16"},
		{"comments", "", "// of both\n\nu32 a; // one; or more\n", "A uint32 | 4"},
		{"struct inside", "struct Pair {\n\tu64 a;\n\tu8 b;\n};", "u8 a;\nPair b;\nu8 c;",
			"A uint8; _ [7]byte; B Pair; C uint8; _ [7]byte | 32"},
		{"alignas inside", "struct alignas(16) Pair {\n\tu32 a;\n};", "u32 a;\nPair b;\nu32 c;",
			"A uint32; _ [12]byte; B Pair; C uint32; _ [12]byte | 48"},
		{"pointer to struct", "struct Pair {\n\tu64 a;\n\tu8 b;\n};", "const Pair* a;", "A uint64 | 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := parse(sourcesOf(c.header, "struct TestParams {\n"+c.body+"\n};"))
			if err != nil {
				t.Fatal(err)
			}
			g := generator{program: p, layouts: map[string]*layout{}}
			if err := g.layOut(); err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, f := range g.layouts["TestParams"].fields {
				fields = append(fields, f.name+" "+f.kind)
			}
			want, size, _ := strings.Cut(c.want, " | ")
			if got := strings.Join(fields, "; "); got != want {
				t.Errorf("fields are %s\nwant       %s", got, want)
			}
			text := g.text()
			if !strings.Contains(text, `{Name: "test", File: "test", ParameterBytes: `+size+`, Threads: 32},`) {
				t.Errorf("size is not %s:\n%s", size, text)
			}
			if hasPair := strings.Contains(text, "type Pair struct"); hasPair != (c.header != "") {
				t.Errorf("Pair is declared: %v\n%s", hasPair, text)
			}
		})
	}
}

func TestText(t *testing.T) {
	got, err := generate([]kernelsource.File{
		{Name: kernelsource.Language, Text: "// The language.\n#include \"emulator/emulator.h\"\n\n" +
			"// MOST_READS is the number of READS.\nconstexpr u32 MOST_READS = 1u << 20; // exported: of a batch\n" +
			"constexpr u32 HIDDEN = MOST_READS / 2;\nconstexpr u32 NARROW = HIDDEN + 3; // exported\nconstexpr u32 FAR = ~0u;\n" +
			"struct Slot {\n\tbool flipped;\n};\n"},
		{Name: "one.cu", Text: "// A comment on the file.\n#include \"language.cuh\"\nconstexpr u32 ONE_THREADS = 64;\n" +
			"// Text holds MOST_READS words.\nstruct Text {\n\tconst u32x2* planes;\n};\n" +
			"struct OneParams {\n\tText text;\n\tu32 n;\n};\n" +
			"KERNEL(one, OneParams, ONE_THREADS) {\n\tconstexpr u32 LOCAL = 1;\n}\nKERNEL_BLOCKS(one_more, OneParams, ONE_THREADS, 4) { use(p); }\n"},
		{Name: "two.cu", Text: "#include \"language.cuh\"\nconstexpr u32 ONE_THREADS = 96;\nstruct alignas(8) TwoParams {\n\tu32 n;\n};\nKERNEL(two, TwoParams, ONE_THREADS) { use(p); }\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `// Code generated by tools/makekernels; DO NOT EDIT.

package kernels

// Of language.cuh:

// MostReads is the number of READS.
const MostReads = 1048576 // of a batch
const Narrow = 524291

// Text holds MostReads words.
type Text struct {
	Planes uint64
}

// OneParams are the parameters of kernels one and one_more.
type OneParams struct {
	Text Text
	N    uint32
	_    [4]byte
}

// TwoParams are the parameters of kernel two.
type TwoParams struct {
	N uint32
	_ [4]byte
}

// Entries are the kernels.
var Entries = []Entry{
	{Name: "one", File: "one", ParameterBytes: 16, Threads: 64},
	{Name: "one_more", File: "one", ParameterBytes: 16, Threads: 64},
	{Name: "two", File: "two", ParameterBytes: 8, Threads: 96},
}
`
	if string(got) != want {
		t.Errorf("text is\n%s\nwant\n%s", got, want)
	}
}

// TestMacros has kernels that macros make.
func TestMacros(t *testing.T) {
	const macro = "// NUMBER_KERNEL makes two kernels.\n#define NUMBER_KERNEL(BITS, K) \\\n" +
		"\tKERNEL(number_##BITS##_##K, TestParams, TEST_THREADS) { \\\n\t\tuse<BITS, K>(p); \\\n\t} \\\n" +
		"\tKERNEL_BLOCKS(more_ ## K ## _of_BITS_ ## BITS, TestParams, K, BITS) { use(p); }\n"
	const structure = "constexpr u32 TEST_THREADS = 64;\nstruct TestParams {\n\tu32 n;\n};\n#define UNROLL 4\n#define TWICE(x) x x\n"
	p, err := parse(sourcesOf("", structure+macro+"NUMBER_KERNEL(32, 1)\nNUMBER_KERNEL(64, TEST_THREADS)"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range p.kernels {
		got = append(got, fmt.Sprintf("%s.cu:%d %s %s %d", k.module, k.line, k.name, k.parameters, k.threads))
	}
	want := []string{
		"test.cu:14 number_32_1 TestParams 64", "test.cu:14 more_1_of_BITS_32 TestParams 1",
		"test.cu:15 number_64_TEST_THREADS TestParams 64", "test.cu:15 more_TEST_THREADS_of_BITS_64 TestParams 64",
		"test.cu:16 test TestParams 32",
	}
	if !slices.Equal(got, want) {
		t.Errorf("kernels are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestErrors(t *testing.T) {
	const good = "struct TestParams {\n\tu32 n;\n};"
	const macro = "\n#define X(N) KERNEL(x_##N, TestParams, 32) { use(p); }\n"
	for _, c := range []struct{ name, header, file, want string }{
		{"array", "", "struct TestParams {\n\tu32 n[4];\n};", "test.cu:3: \"u32 n[4];\" is not understood"},
		{"method", "", "struct TestParams {\n\tu32 n;\n\tu32 f() { return n; }\n};", "test.cu:4: "},
		{"default", "", "struct TestParams {\n\tu32 n = 1;\n};", "test.cu:3: "},
		{"two fields a line", "", "struct TestParams {\n\tu32 a; u32 b;\n};", "test.cu:3: "},
		{"long comment", "", "struct TestParams {\n\tu32 n; /* of them */\n};", "test.cu:3: "},
		{"several pointers", "", "struct TestParams {\n\tu32* a, b;\n};", "test.cu:3: \"u32* a, b;\" declares one pointer only"},
		{"bool", "", "struct TestParams {\n\tbool b;\n};", "test.cu:3: type bool has no Go form"},
		{"vector", "struct alignas(8) u32x2 {\n\tu32 x, y;\n};", "struct TestParams {\n\tu32x2 a;\n};", "test.cu:3: type u32x2 has no Go form"},
		{"unknown struct", "", "struct TestParams {\n\tText text;\n};", "test.cu:3: there is no struct Text"},
		{"field of a struct inside", "struct Text {\n\tfloat x;\n};", "struct TestParams {\n\tText text;\n};", "header.cuh:2: type float"},
		{"field of a struct pointed to", "struct Text {\n\tfloat x;\n};", "struct TestParams {\n\tText* text;\n};", "header.cuh:2: type float"},
		{"holds itself", "", "struct TestParams {\n\tTestParams p;\n};", "test.cu:3: struct TestParams holds itself"},
		{"same field", "", "struct TestParams {\n\tu32 of_b;\n\tu32 ofB, of_B;\n};", "test.cu:4: field OfB is there twice"},
		{"empty", "", "struct TestParams {\n};", "test.cu:2: struct TestParams is empty"},
		{"twice", "struct Text {\n\tu32 n;\n};", "struct Text {\n\tu32 n;\n};\nstruct TestParams {\n\tText text;\n};", "test.cu:2: struct Text is also at header.cuh:1"},
		{"no end", "", "struct TestParams {\n\tu32 n;\n", "test.cu:2: struct TestParams has no end"},
		{"brace below", "", "struct TestParams\n{\n\tu32 n;\n};", "test.cu:2: struct TestParams has to begin as"},
		{"derived", "", "struct TestParams : Text {\n\tu32 n;\n};", "test.cu:2: struct TestParams has to begin as"},
		{"one line", "", "struct TestParams { u32 n; };", "test.cu:2: struct TestParams has to begin as"},
		{"indented", "", "namespace x {\n\tstruct TestParams {\n\tu32 n;\n\t};\n}", "test.cu:3: struct TestParams has to begin as"},
		{"alignas", "", "struct alignas(12) TestParams {\n\tu32 n;\n};", "test.cu:2: alignas(12) of TestParams is no power of two"},
		{"no kernel takes it", "", good + "\nstruct MoreParams {\n\tu32 n;\n};", "test.cu:5: no kernel takes MoreParams"},
		{"no parameters", "", "", "test.cu:3: there is no struct TestParams"},

		{"same kernel", "", good + "\nKERNEL(test, TestParams, 32) {", "test.cu:6: kernel test is also at test.cu:5"},
		{"kernel in the header", "KERNEL(x, TestParams, 32) {", good, "header.cuh:1: kernel x would be in several modules"},
		{"kernel of other parameters", "", good + "\nKERNEL(x, Text, 32) {", "test.cu:5: kernel x takes Text"},
		{"kernel on two lines", "", good + "\nKERNEL(x, TestParams,\n\t32) {", "test.cu:5: a kernel has to begin as"},
		{"kernel of a template", "", good + "\nKERNEL_OF(x, TestParams, 32) {", "test.cu:5: a kernel has to begin as"},
		{"threads computed", "", good + "\nKERNEL(x, TestParams, 2 * 32) {", "test.cu:5: a kernel has to begin as"},
		{"threads unknown", "", good + "\nKERNEL(x, TestParams, X_THREADS) {", "test.cu:5: threads of kernel x: X_THREADS is no constant known here"},
		{"too many threads", "", good + "\nKERNEL(x, TestParams, 2048) {", "test.cu:5: kernel x has 2048 threads"},

		{"exported of another type", "", "constexpr u64 N = 1; // exported\n" + good, "test.cu:2: \"constexpr u64 N = 1; // exported\" is exported"},
		{"exported of a function", "", "DEVICE u32 f() { return 1; } // exported\n" + good, "test.cu:2: "},
		{"exported beyond us", "", "constexpr u32 N = ~0u; // exported\n" + good, "test.cu:2: N = ~0u: only numbers"},
		{"exported from unknown", "", "constexpr u32 N = M; // exported\n" + good, "test.cu:2: N = M: M is no constant"},
		{"exported twice", "constexpr u32 A_B = 1; // exported", "constexpr u32 A_B = 2; // exported\n" + good, "test.cu:2: AB is also declared at header.cuh:1"},
		{"include", "", "#include <cuda.h>\n" + good, "test.cu:2: \"#include <cuda.h>\" is not understood"},
		{"two kernels a line", "", good + "\nKERNEL(x, TestParams, 32) {} KERNEL(y, TestParams, 32) {}",
			"test.cu:5: kernel x has another one on its line"},
		{"macro twice", "", good + macro + "X(1)\nX(1)", "test.cu:7: kernel x_1 is also at test.cu:6"},
		{"macro unused", "", good + macro, "test.cu:5: macro X has kernels, but is not used"},
		{"macro of a header", macro, good + "\nX(1)", "header.cuh:2: macro X has kernels, but is not used"},
		{"macro used in a header", macro + "X(1)", good, "header.cuh:3: kernel x_1 would be in several modules"},
		{"macro with too many", "", good + macro + "X(1, 2)", "test.cu:6: macro X takes 1 arguments, not 2"},
		{"macro in a line", "", good + macro + "X(1) X(2)", "test.cu:6: macro X has to be used on a line of its own, as in: X(N)"},
		{"macro indented", "", good + macro + " X(1)", "test.cu:6: macro X has to be used on a line of its own"},
		{"macro with a sum", "", good + macro + "X(1 + 1)", "test.cu:6: macro X has to be used on a line of its own"},
		{"macro in a macro", "", good + macro + "#define Y(N) X(N)\nY(1)", "test.cu:6: macro Y uses macro X"},
		{"macro without parameters", "", good + "\n#define Y KERNEL(x, TestParams, 32) {}\nY", "test.cu:5: macro Y has kernels, but no parameters"},
		{"macro of a broken kernel", "", good + "\n#define Y(N) KERNEL(x, TestParams) {}\nY(1)", "test.cu:6: a kernel has to begin as in"},
	} {
		text, err := generate(sourcesOf(c.header, c.file))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %s...\n%s", c.name, err, c.want, text)
		}
	}
}

func TestWrapped(t *testing.T) {
	words := strings.Repeat(" a", 48)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"one two", []string{" one two"}},
		{words + " b", []string{words + " b"}}, // 100 columns with the slashes
		{words + " bb c", []string{words, " bb c"}},
		{strings.Repeat("x", 120) + " y", []string{" " + strings.Repeat("x", 120), " y"}},
	} {
		if got := wrapped(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q is wrapped as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	known := map[string]uint64{"TEN": 10}
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"0", 0}, {"7", 7}, {"7u", 7}, {"0xFFFFFFFF", 1<<32 - 1}, {"0x1Fu", 31}, {"TEN", 10},
		{"1u << 31", 1 << 31}, {"2 * TEN + 3", 23}, {"3 + 2 * TEN", 23}, {"20 - TEN - 5", 5}, {"100 / TEN % 4", 2},
		{"1 << (2 + 3)", 32}, {"(1 << 2) + 3", 7}, {"(TEN | 5) & 0xE", 14}, {"0xF0 >> 4", 15}, {"TEN ^ 3", 9},
	} {
		if got, err := evaluate(c.text, known); err != nil || got != c.want {
			t.Errorf("%s = %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{
		"", "1 +", "f(1)", "X", "~0u", "-1", "1.5", "'a'", "4294967296", "0xFFFFFFFF + 1", "3 - 4", "1 << 32", "2 << 31",
		"1 / 0", "1 % 0", "1 << 2 + 3", "1 | 2 & 3", "1 == 1", "1 &^ 1",
	} {
		if got, err := evaluate(text, known); err == nil {
			t.Errorf("%q = %d, want an error", text, got)
		}
	}
}

// TestRun makes everything in a folder of its own: twice the same, without PTX that has no source,
// and nothing when a source is wrong.
func TestRun(t *testing.T) {
	const compiler = "clang++-19"
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED:", err)
	}
	temp := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	contents := func() string {
		t.Helper()
		var all []string
		for _, pattern := range []string{"*.go", "ptx/*"} {
			names, err := filepath.Glob(filepath.Join(temp, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, filepath.Base(name)+"\n"+string(text))
			}
		}
		return strings.Join(all, "\n")
	}
	language, err := os.ReadFile(filepath.Join(folder, kernelsource.Language))
	if err != nil {
		t.Fatal(err)
	}
	write(kernelsource.Language, string(language))
	const file = "#include \"language.cuh\"\nstruct TestParams {\n\tu32* out;\n\tu32 n;\n};\n" +
		"KERNEL(test, TestParams, 64) { p.out[thread_index()] = p.n; }\n"
	write("test.cu", file)
	if err := os.Mkdir(filepath.Join(temp, "ptx"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("ptx/gone.ptx", "")
	if err := run(temp, compiler); err != nil {
		t.Fatal(err)
	}
	first := contents()
	line, err := kernelsource.FirstLine(temp, "test")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(first, "gone.ptx") || strings.Contains(first, temp) || !strings.Contains(first, "test.ptx\n"+line+"//\n// Generated by LLVM") ||
		!strings.Contains(first, ".param .align 8 .b8 test_param_0[16]") || !strings.Contains(first, "ParameterBytes: 16") {
		t.Error(first)
	}
	if err := run(temp, compiler); err != nil || contents() != first {
		t.Errorf("the second time differs, error %v", err)
	}
	write("test.cu", strings.Replace(file, "p.n", "p.m", 1))
	if other, err := kernelsource.FirstLine(temp, "test"); err != nil || other == line {
		t.Errorf("the hash of another source is %s, error %v", other, err)
	}
	if err := run(temp, compiler); err == nil || !strings.Contains(err.Error(), "test.cu:6:") || contents() != first {
		t.Errorf("a source that does not compile: %v", err)
	}
	write("test.cu", file)
	if err := run(temp, "no such compiler"); err == nil || contents() != first {
		t.Errorf("a compiler that is not there: %v", err)
	}
}
