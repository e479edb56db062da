// Package kernelsource says which files the kernels are made of, how they are compiled, and how the
// PTX of each tells what it was compiled from. makekernels writes PTX by it, the tests of package
// kernels check what is embedded.
package kernelsource

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Shared is the header that every kernel's file includes.
const Shared = "shared.cuh"

// extension is that of a file of kernels.
const extension = ".cu"

// Flags are the arguments of clang, but for the names of the files. sm_80 and PTX 8.0 are the least
// that the kernels need; the driver compiles them for newer devices. There are no headers and no libraries
// of CUDA, so that a plain clang is enough.
func Flags() []string {
	return []string{
		"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
		"-Xclang", "-target-feature", "-Xclang", "+ptx80", "-std=c++20", "-O3", "-S",
	}
}

// Source is the name of a module's source.
func Source(module string) string { return module + extension }

// Modules returns the names of the files of kernels in a folder, without extension, sorted.
func Modules(folder string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(folder, "*"+extension))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there are no *%s in %s", extension, folder)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(filepath.Base(f), extension)
	}
	slices.Sort(found)
	return found, nil
}

// FirstLine returns the first line of the PTX of a module, with its end: a hash of the flags, the
// shared header and the source. The name and length of each part are hashed before it, so that nothing can move from one to another.
func FirstLine(folder, module string) (string, error) {
	h := sha256.New()
	write := func(name, text string) error {
		_, err := fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
		return err
	}
	if err := write("flags", strings.Join(Flags(), "\n")); err != nil {
		return "", err
	}
	for _, name := range []string{Shared, Source(module)} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if err := write(name, string(text)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("// scanmap sources sha256:%x\n", h.Sum(nil)), nil
}
