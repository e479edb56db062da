package gpu

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
)

func TestKernelParameters(t *testing.T) {
	for _, c := range []struct {
		name, ptx string
		want      map[string]int
	}{
		{"the tests' own", string(testPTX), map[string]int{"add": 32, "fail": 8, "store": 8}},
		{"of clang, with what follows the parameters",
			".visible .entry skim(\n\t.param .align 8 .b8 skim_param_0[104]\n)\n.maxntid 256, 1, 1\n.minnctapersm 2\n{\n\tret;\n}",
			map[string]int{"skim": 104}},
		{"without parameters", ".entry a()\n{}\n.visible .entry b\n{}", map[string]int{"a": 0, "b": 0}},
		{"numbers and pointers, aligned as in C",
			".entry f(\n\t.param .u8 f_0,\n\t.param .u32 f_1,\n\t.param .u64 .ptr .global .align 1 f_2,\n\t.param .f32 f_3\n)",
			map[string]int{"f": 20}},
		{"comments", "// .entry no(.param .u32 x)\n/* .entry nor(\n*/ .entry yes( // here, too\n\t.param .b64 x /* , .param .u32 y */\n)",
			map[string]int{"yes": 8}},
		{"functions and calls are no kernels", ".func (.param .b32 r) g(.param .b64 x) {}\n.entry k(.param .align 4 .b8 k_param_0[12]) {}",
			map[string]int{"k": 12}},
		{"a name of C++", ".visible .entry _Z3addP$x(\n\t.param .align 16 .b8 p[16]\n)", map[string]int{"_Z3addP$x": 16}},
	} {
		got, err := kernelParameters(c.ptx)
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestWithoutComments compares, for all texts of up to six letters, the result with a regular
// expression's.
func TestWithoutComments(t *testing.T) {
	comment := regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	texts := []string{""}
	for len(texts[0]) < 7 {
		var longer []string
		for _, text := range texts {
			if got, want := withoutComments(text), comment.ReplaceAllString(text, " "); got != want {
				t.Fatalf("%q: %q, want %q", text, got, want)
			}
			for _, letter := range "/*\na" {
				longer = append(longer, text+string(letter))
			}
		}
		texts = longer
	}
}

func TestKernelParametersRefused(t *testing.T) {
	for _, c := range []struct{ ptx, want string }{
		{"", "without a kernel (0 bytes)"},
		{"\x7fELF", "without a kernel (4 bytes)"},
		{".entry k(.param .pred p)", `PTX of kernel k: parameter ".param .pred p"`},
		{".entry k(.param .align 0 .b8 p[4])", `parameter ".param .align 0 .b8 p[4]"`},
		{".entry k(.param .b8 p[99999999999999999999])", "is not understood"},
		{".entry k(.reg .b32 p)", "is not understood"},
	} {
		if _, err := kernelParameters(c.ptx); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.ptx, err, c.want)
		}
	}
}

// FuzzKernelParameters checks that any text is understood or refused, and that text as clang writes
// it is understood whatever follows.
func FuzzKernelParameters(f *testing.F) {
	f.Add(string(testPTX), 24)
	f.Add(".entry k(.param .u64 .ptr .global .align 4 p, .param .f32 q)", 1)
	f.Fuzz(func(t *testing.T, ptx string, size int) {
		for name, bytes := range must2(kernelParameters(ptx)) {
			if name == "" || bytes < 0 {
				t.Errorf("kernel %q takes %d bytes", name, bytes)
			}
		}
		size &= 1<<20 - 1
		written := fmt.Sprintf(".visible .entry known_kernel(\n\t.param .align 8 .b8 known_kernel_param_0[%d]\n)\n{\n}\n", size)
		if got, err := kernelParameters(written); err != nil || got["known_kernel"] != size {
			t.Errorf("%q: %v, %v", written, got, err)
		}
	})
}

// must2 leaves the error away.
func must2(kernels map[string]int, _ error) map[string]int { return kernels }

func TestLoad(t *testing.T) {
	v, f := openFake(t, Options{})
	m := must(v.Load(testPTX))
	if got := strings.Join(m.Kernels(), " "); got != "add fail store" {
		t.Errorf("kernels %q", got)
	}
	for _, c := range []struct {
		name  string
		bytes int
		want  string
	}{
		{"add", 32, ""},
		{"add", 24, "cuda:0: kernel add takes 32 bytes of parameters, not 24"},
		{"addd", 32, "cuda:0: kernel addd is not in the module, which has add, fail, store"},
	} {
		if _, err := m.Kernel(c.name, c.bytes); fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s with %d bytes: %v, want %q", c.name, c.bytes, err, c.want)
		}
	}
	f.fail("cuModuleGetFunction", NotFound)
	if _, err := m.Kernel("add", 32); fmt.Sprint(err) != "cuda:0: cuModuleGetFunction add: CUDA_ERROR_NOT_FOUND (500: named symbol not found)" {
		t.Errorf("%v", err)
	}
	if _, err := v.Load([]byte("no PTX")); fmt.Sprint(err) != "cuda:0: PTX without a kernel (6 bytes)" {
		t.Errorf("%v", err)
	}
	f.log = "ptxas application ptx input, line 3; fatal   : Parsing error\nptxas fatal   : Ptx assembly aborted\n"
	_, err := v.Load(testPTX)
	want := "cuda:0: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218: a PTX JIT compilation failed): " +
		"ptxas application ptx input, line 3; fatal : Parsing error; ptxas fatal : Ptx assembly aborted"
	if fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}
