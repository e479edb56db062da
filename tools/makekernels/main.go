// Command makekernels makes what package kernels embeds from its CUDA sources:
// kernels/parameters.go, with the constants and structs that the host needs, and one file of PTX
// for each file of kernels.
//
//	build/tools/makekernels
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"scanmap/internal/kernelsource"
)

func main() {
	compiler := flag.String("compiler", "clang++-19", "clang that compiles the kernels")
	folder := flag.String("folder", "kernels", "folder of the sources; PTX goes to ptx in it")
	flag.Parse()
	if err := run(*folder, *compiler); err != nil {
		fmt.Fprintln(os.Stderr, "makekernels:", err)
		os.Exit(1)
	}
}

// run writes nothing before all sources have been read and compiled.
func run(folder, compiler string) error {
	sources, err := kernelsource.ReadAll(folder)
	if err != nil {
		return err
	}
	parameters, err := generate(sources)
	if err != nil {
		return err
	}
	modules, err := kernelsource.Modules(folder)
	if err != nil {
		return err
	}
	ptx := map[string][]byte{}
	for _, module := range modules {
		if ptx[module+".ptx"], err = compile(folder, compiler, module); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "parameters.go"), parameters, 0o644); err != nil {
		return err
	}
	return replace(filepath.Join(folder, "ptx"), ptx)
}

// compile returns the PTX of a module. The compiler runs in the folder of the sources, so that it
// sees no path of this machine.
func compile(folder, compiler, module string) ([]byte, error) {
	first, err := kernelsource.FirstLine(folder, module)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), compiler,
		append(kernelsource.Flags(), kernelsource.Source(module), "-o", "-")...)
	var messages bytes.Buffer
	cmd.Dir, cmd.Stderr = folder, &messages
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, messages.Bytes())
	}
	if _, err := os.Stderr.Write(messages.Bytes()); err != nil { // warnings
		return nil, err
	}
	return slices.Concat([]byte(first), text), nil
}

// replace makes a folder hold these files, and removes other PTX from it.
func replace(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	there, err := filepath.Glob(filepath.Join(folder, "*.ptx"))
	if err != nil {
		return err
	}
	for _, name := range there {
		if files[filepath.Base(name)] == nil {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
