package kernelsource

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const kernels = "../../kernels"

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(files []File) string {
	var all []string
	for _, f := range files {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

// firstLines are the first lines of all modules of a folder.
func firstLines(t *testing.T, folder string) map[string]string {
	t.Helper()
	modules, err := Modules(folder)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for _, module := range modules {
		if lines[module], err = FirstLine(folder, module); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// changed returns the modules whose first line is another one when a file gets a comment more.
func changed(t *testing.T, folder, name string) string {
	t.Helper()
	before := firstLines(t, folder)
	path := filepath.Join(folder, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, map[string]string{name: string(text) + "// more\n"})
	var modules []string
	for module, line := range firstLines(t, folder) {
		if line != before[module] {
			modules = append(modules, module)
		}
	}
	write(t, folder, map[string]string{name: string(text)})
	slices.Sort(modules)
	return strings.Join(modules, " ")
}

func TestHashCoversWhatIsIncluded(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, map[string]string{
		"language.cuh": "#include \"emulator/emulator.h\"\n",
		"text.cuh":     "// Of text.\n#include \"language.cuh\"\n",
		"near.cuh":     "#include \"text.cuh\"\n",
		"far.cuh":      "#include \"language.cuh\"\n",
		"a.cu":         "#include \"near.cuh\"\n",
		"b.cu":         "#include \"text.cuh\"\n#include \"far.cuh\"\n",
		"c.cu":         "#include \"language.cuh\"\n// #include \"far.cuh\"\n",
	})
	for name, want := range map[string]string{
		"language.cuh": "a b c",
		"text.cuh":     "a b",
		"near.cuh":     "a",
		"far.cuh":      "b",
		"a.cu":         "a",
		"c.cu":         "c",
	} {
		if got := changed(t, folder, name); got != want {
			t.Errorf("a change of %s touches %q, want %q", name, got, want)
		}
	}
	for module, want := range map[string]string{
		"a": "language.cuh text.cuh near.cuh a.cu",
		"b": "language.cuh text.cuh far.cuh b.cu",
		"c": "language.cuh c.cu",
	} {
		files, err := Read(folder, Source(module))
		if got := names(files); err != nil || got != want {
			t.Errorf("%s is made of %q, %v, want %q", module, got, err, want)
		}
	}
	files, err := ReadAll(folder)
	const want = "language.cuh text.cuh near.cuh far.cuh a.cu b.cu c.cu"
	if got := names(files); err != nil || got != want {
		t.Errorf("all files are %q, %v, want %q", got, err, want)
	}
}

// TestHeaderTouchesItsKernels changes each header of the kernels in a copy of their folder.
func TestHeaderTouchesItsKernels(t *testing.T) {
	files, err := ReadAll(kernels)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var modules []string
	for _, f := range files {
		write(t, folder, map[string]string{f.Name: f.Text})
		if !IsHeader(f.Name) {
			modules = append(modules, strings.TrimSuffix(f.Name, sourceExtension))
		}
	}
	want := map[string]string{
		"language.cuh":  strings.Join(modules, " "),
		"map.cuh":       "align keep lead order scan share skim table verify",
		"pieces.cuh":    "lead skim table",
		"diagonals.cuh": "skim verify",
		"local.cuh":     "lead skim",
		"locations.cuh": "align keep order share verify",
		"sort.cuh":      "order share verify",
		"search.cuh":    "bruteforce letters levenshtein neighbours packed planes rabinkarp shiftor witness wumanber",
		"automata.cuh":  "packed shiftor wumanber",
	}
	for _, f := range files {
		if !IsHeader(f.Name) {
			continue
		}
		if got := changed(t, folder, f.Name); got != want[f.Name] {
			t.Errorf("a change of %s touches %q, want %q", f.Name, got, want[f.Name])
		}
	}
}

// TestReadsWhatClangReads compares the files of each module with the files that clang opens.
func TestReadsWhatClangReads(t *testing.T) {
	const compiler = "clang++-19"
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("SKIPPED:", err)
	}
	modules, err := Modules(kernels)
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range modules {
		files, err := Read(kernels, Source(module))
		if err != nil {
			t.Fatal(err)
		}
		arguments := slices.DeleteFunc(Flags(), func(flag string) bool { return flag == "-S" })
		cmd := exec.Command(compiler, append(arguments, "-M", Source(module))...)
		cmd.Dir = kernels
		rule, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(cmd.Args, " "), err)
		}
		_, list, _ := strings.Cut(string(rule), ":")
		opened := strings.Fields(strings.ReplaceAll(list, "\\\n", " "))
		want := strings.Fields(names(files))
		slices.Sort(opened)
		slices.Sort(want)
		if !slices.Equal(opened, want) {
			t.Errorf("clang reads %q for %s, the hash covers %q", opened, module, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"of the system", map[string]string{"a.cu": "\n#include <cuda.h>\n"}, "a.cu:2: "},
		{"of another folder", map[string]string{"a.cu": "#include \"../a.cuh\"\n"}, "a.cu:1: "},
		{"of another kind", map[string]string{"a.cu": "#include \"b.cu\"\n", "b.cu": ""}, "a.cu:1: "},
		{"by a macro", map[string]string{"a.cu": "#include NAME\n"}, "a.cu:1: "},
		{"indented", map[string]string{"a.cu": " # include \"b.cuh\"\n", "b.cuh": ""}, "a.cu:1: "},
		{"next", map[string]string{"a.cu": "#include_next \"b.cuh\"\n", "b.cuh": ""}, "a.cu:1: "},
		{"emulator", map[string]string{"a.cu": "#include \"emulator/emulator.h\"\n"}, "a.cu:1: "},
		{"in a header", map[string]string{"a.cu": "#include \"b.cuh\"\n", "b.cuh": "#include <x>\n"}, "b.cuh:1: "},
		{"circle", map[string]string{"a.cu": "#include \"b.cuh\"\n", "b.cuh": "#include \"c.cuh\"\n", "c.cuh": "#include \"b.cuh\"\n"},
			"b.cuh includes itself, by way of a.cu, b.cuh, c.cuh"},
		{"nobody's", map[string]string{"a.cu": "", "b.cuh": ""}, "no kernel includes b.cuh"},
		{"no kernels", map[string]string{"b.cuh": ""}, "there are no *.cu"},
		{"missing", map[string]string{"a.cu": "#include \"b.cuh\"\n"}, "open "},
	} {
		folder := t.TempDir()
		write(t, folder, c.files)
		if files, err := ReadAll(folder); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %q, error is %v, want %s...", c.name, names(files), err, c.want)
		}
	}
}
