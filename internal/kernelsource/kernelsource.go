// Package kernelsource says which files the kernels are made from, how they are compiled, and how
// the PTX of each names its sources. makekernels writes PTX by this package, and the tests of
// package kernels check the embedded PTX.
package kernelsource

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// sourceExtension is the extension of a file of kernels, headerExtension of a header.
	sourceExtension = ".cu"
	headerExtension = ".cuh"
	// Language is the header that declares the operations of a device. Only it may include
	// emulator, which declares them for the host and is never compiled for a device.
	Language = "language.cuh"
	emulator = "emulator/emulator.h"
)

// Flags are the arguments of clang without the names of the files. sm_80 and PTX 8.0 are the least
// that the kernels need; the driver compiles them for newer devices. There are no headers and no
// libraries of CUDA, so that a plain clang is enough.
func Flags() []string {
	return []string{
		"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
		"-Xclang", "-target-feature", "-Xclang", "+ptx80", "-std=c++20", "-O3", "-S",
	}
}

// Source is the name of a module's source.
func Source(module string) string { return module + sourceExtension }

// IsHeader tells whether a file is a header by its name.
func IsHeader(name string) bool { return strings.HasSuffix(name, headerExtension) }

// Modules returns the names of the files of kernels in a folder, without extension, sorted.
func Modules(folder string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(folder, "*"+sourceExtension))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there are no *%s in %s", sourceExtension, folder)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(filepath.Base(f), sourceExtension)
	}
	slices.Sort(found)
	return found, nil
}

// A File is a source or a header.
type File struct{ Name, Text string }

var (
	directive   = regexp.MustCompile(`^\s*#\s*(include\w*|import|embed)\b`)
	includeLine = regexp.MustCompile(`^#include "([^"]+)"$`)
)

// Includes returns the headers that a file includes itself. Anything else that it includes is an
// error: the hash of a module would not cover it.
func (f File) Includes() ([]string, error) {
	var headers []string
	for i, line := range strings.Split(f.Text, "\n") {
		if !directive.MatchString(line) {
			continue
		}
		name := ""
		if m := includeLine.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		switch {
		case f.Name == Language && name == emulator:
		case IsHeader(name) && !strings.Contains(name, "/"):
			headers = append(headers, name)
		default:
			return nil, fmt.Errorf("%s:%d: %q is not understood: headers of this folder are expected, as in #include %q",
				f.Name, i+1, line, Language)
		}
	}
	return headers, nil
}

// Read returns files of a folder and the headers that they include, directly or not: each file
// once, after what it includes.
func Read(folder string, names ...string) ([]File, error) {
	var files []File
	var open []string // files whose headers are being read
	var add func(name string) error
	add = func(name string) error {
		if slices.ContainsFunc(files, func(f File) bool { return f.Name == name }) {
			return nil
		}
		if slices.Contains(open, name) {
			return fmt.Errorf("%s includes itself, by way of %s", name, strings.Join(open, ", "))
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		f := File{name, string(text)}
		headers, err := f.Includes()
		if err != nil {
			return err
		}
		open = append(open, name)
		for _, header := range headers {
			if err := add(header); err != nil {
				return err
			}
		}
		open = open[:len(open)-1]
		files = append(files, f)
		return nil
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ReadAll returns all modules of a folder and their headers: the headers first, each file after
// what it includes. A header that no module includes is an error.
func ReadAll(folder string) ([]File, error) {
	modules, err := Modules(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, module := range modules {
		names = append(names, Source(module))
	}
	files, err := Read(folder, names...)
	if err != nil {
		return nil, err
	}
	headers, err := filepath.Glob(filepath.Join(folder, "*"+headerExtension))
	if err != nil {
		return nil, err
	}
	for _, path := range headers {
		name := filepath.Base(path)
		if !slices.ContainsFunc(files, func(f File) bool { return f.Name == name }) {
			return nil, fmt.Errorf("no kernel includes %s", name)
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return order(a) - order(b) })
	return files, nil
}

func order(f File) int {
	if IsHeader(f.Name) {
		return 0
	}
	return 1
}

// FirstLine returns the first line of the PTX of a module, with its end: a hash of the flags, of
// the headers that the module includes, directly or not, and of its source. Each part is hashed
// with its name and length before it, so that nothing can move from one to another.
func FirstLine(folder, module string) (string, error) {
	files, err := Read(folder, Source(module))
	if err != nil {
		return "", err
	}
	// By name, so that the order in which headers include each other does not matter.
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	for _, f := range append([]File{{"flags", strings.Join(Flags(), "\n")}}, files...) {
		if _, err := fmt.Fprintf(h, "%s %d\n%s", f.Name, len(f.Text), f.Text); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("// scanmap sources sha256:%x\n", h.Sum(nil)), nil
}
