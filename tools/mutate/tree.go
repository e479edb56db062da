package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// A Verdict is what came of a mutant.
type Verdict string

// The verdicts. Only a test that fails is a kill.
const (
	Killed   Verdict = "killed"
	Survived Verdict = "survived"
	Unbuilt  Verdict = "does not compile"
	TimedOut Verdict = "timed out"
	Skipped  Verdict = "skipped" // by tests that need absent programs, data or devices
)

// A Result is a verdict, and by what: the test that failed, or what the compiler said.
type Result struct {
	Verdict Verdict
	By      string
}

// A Tree is a copy of the module, in which mutants are tried one after the other.
type Tree struct {
	folder  string
	timeout time.Duration // of one run of a test program
	full    bool          // tests have all sizes
}

// NewTree copies the module at root into a new folder, with the kernels that tests have compiled.
func NewTree(root string, timeout time.Duration, full bool) (*Tree, error) {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	t := &Tree{folder, timeout, full}
	if err := copyTree(root, folder); err != nil {
		return nil, errors.Join(err, t.Remove())
	}
	return t, nil
}

// Remove removes the copy.
func (t *Tree) Remove() error { return os.RemoveAll(t.folder) }

// compiled is where internal/emulator keeps programs and objects under names made of all that went
// into them.
const compiled = "build/emulator"

func copyTree(root, folder string) error {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, name)
		switch {
		case name == ".git" || name == "bin" || name == "build":
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil // .git of a worktree is a file
		case entry.IsDir():
			return os.MkdirAll(to, 0o755)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			return cmp.Or(err, os.Symlink(target, to))
		}
		return copyFile(path, to)
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, compiled), 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(root, compiled))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil && e.Type().IsRegular() && filepath.Ext(e.Name()) != ".lock" {
			err = copyFile(filepath.Join(root, compiled, e.Name()), filepath.Join(folder, compiled, e.Name()))
		}
	}
	return err
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// Try applies a mutant, runs its tests until one fails, and takes the mutant back.
func (t *Tree) Try(ctx context.Context, m *Mutant) (result Result, err error) {
	path := filepath.Join(t.folder, filepath.FromSlash(m.File))
	text, err := os.ReadFile(path)
	if err != nil {
		return Result{}, err
	}
	mutated, err := m.Apply(string(text))
	if err != nil {
		return Result{}, err
	}
	if err := os.WriteFile(path, []byte(mutated), 0o644); err != nil {
		return Result{}, err
	}
	defer func() { err = cmp.Or(err, os.WriteFile(path, text, 0o644)) }()
	if said := t.kernelError(ctx, m.File); said != "" {
		return Result{Unbuilt, said}, nil
	}
	result.Verdict = Skipped
	for _, tests := range m.Tests {
		r, err := t.Run(ctx, tests)
		if err != nil {
			return Result{}, err
		}
		switch {
		case r.Verdict != Survived && r.Verdict != Skipped:
			return r, nil
		case r.Verdict == Survived || result.By == "":
			result = r
		}
	}
	return result, nil
}

// kernelError compiles a mutated kernel, or header of kernels, as internal/emulator does, and
// returns what the compiler says of an error: in a test it would look like a test that failed.
func (t *Tree) kernelError(ctx context.Context, file string) string {
	if extension := filepath.Ext(file); extension != ".cu" && extension != ".cuh" {
		return ""
	}
	compiler, err := exec.LookPath("clang++-19")
	if err != nil {
		return "" // and so the tests are skipped
	}
	text, err := t.command(ctx, ".", compiler, "-fsyntax-only", "-std=c++20", "-DSCANMAP_EMULATOR", "-Ikernels",
		"-Wno-unknown-pragmas", "-Wno-pragma-once-outside-header", "-x", "c++", file)
	if err == nil {
		return ""
	}
	return firstError(text)
}

// Run builds the tests of a package and runs the named ones.
func (t *Tree) Run(ctx context.Context, tests TestOf) (Result, error) {
	if said, err := t.build(ctx, tests.Package); said != "" || err != nil {
		return Result{Unbuilt, said}, err
	}
	return t.runBuilt(ctx, tests)
}

// build makes the test program of a package, and returns what the compiler says of an error.
func (t *Tree) build(ctx context.Context, name string) (said string, err error) {
	module := "."
	if tool, ok := strings.CutPrefix(name, "./tools/"); ok { // a module of its own
		module, name = "tools", "./"+tool
	}
	text, err := t.command(ctx, module, "go", "test", "-c", "-o", t.program(), name)
	if err != nil {
		return cmp.Or(firstError(text), err.Error()), ctx.Err()
	}
	return "", nil
}

func (t *Tree) program() string { return filepath.Join(t.folder, "build", "mutate.test") }

// runBuilt runs tests of the package that was built last.
func (t *Tree) runBuilt(ctx context.Context, tests TestOf) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, t.timeout+30*time.Second) // the test's own says more
	defer cancel()
	text, err := t.command(limited, tests.Package, t.program(), "-test.v", "-test.failfast",
		"-test.timeout", t.timeout.String(), "-test.run", tests.Run())
	if ctx.Err() == nil && limited.Err() != nil {
		return Result{TimedOut, "after " + t.timeout.String()}, nil
	}
	return judge(string(text), err == nil), ctx.Err()
}

// Baseline runs tests of one package without a mutant, and fails if one does not pass.
func (t *Tree) Baseline(ctx context.Context, tests []TestOf) error {
	said, err := t.build(ctx, tests[0].Package)
	if err == nil && said != "" {
		err = errors.New(said)
	}
	if err != nil {
		return err
	}
	for _, of := range tests {
		result, err := t.runBuilt(ctx, of)
		if err != nil {
			return err
		}
		if result.Verdict != Survived && result.Verdict != Skipped {
			return fmt.Errorf("without a mutant, %s: %s %s", of, result.Verdict, result.By)
		}
	}
	return nil
}

// command runs a program in a folder of the copy, and returns what it prints. It ends with its
// children when the context does.
func (t *Tree) command(ctx context.Context, folder, name string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir = filepath.Join(t.folder, filepath.FromSlash(folder))
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	if t.full {
		cmd.Env = append(cmd.Env, "SCANMAP_TEST_ALL=1")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	return text.Bytes(), err
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	passed  = regexp.MustCompile(`(?m)^--- PASS: `)
	started = regexp.MustCompile(`(?m)^=== (?:RUN|CONT) +(\S+)`)
	timeUp  = regexp.MustCompile(`(?m)^panic: test timed out after (\S+)`)
	wrong   = regexp.MustCompile(`(?m)^.*(?:: error:|\.go:\d+:\d+:).*$`)
)

// judge gives the verdict of a test program's output. The test that killed is the test that failed,
// with its subtests, or the last one that began before a crash.
func judge(output string, ok bool) Result {
	if m := timeUp.FindStringSubmatch(output); m != nil {
		return Result{TimedOut, "after " + m[1]}
	}
	if ok {
		if !passed.MatchString(output) {
			return Result{Verdict: Skipped}
		}
		return Result{Verdict: Survived}
	}
	by := ""
	for _, m := range failed.FindAllStringSubmatch(output, -1) {
		if strings.Count(m[1], "/") > strings.Count(by, "/") || by == "" {
			by = m[1] // the innermost one
		}
	}
	if by == "" {
		by = "a crash"
		if all := started.FindAllStringSubmatch(output, -1); all != nil {
			by += " in " + all[len(all)-1][1]
		}
	}
	return Result{Killed, by}
}

// firstError returns the line of a compiler's output that has its first error.
func firstError(text []byte) string {
	if line := wrong.Find(text); line != nil {
		return string(bytes.TrimSpace(line))
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
