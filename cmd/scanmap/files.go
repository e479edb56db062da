package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"
)

// differentStreams refuses two inputs that are one stream. what names the inputs in the error.
func differentStreams(what, a, b string) error {
	if a == "-" && b == "-" {
		return fmt.Errorf("%s cannot both come from standard input", what)
	}
	infoA, infoB := stat(a), stat(b)
	null := stat(os.DevNull)
	if infoA != nil && infoB != nil && os.SameFile(infoA, infoB) && !infoA.Mode().IsRegular() &&
		(null == nil || !os.SameFile(infoA, null)) {
		return fmt.Errorf("%s and %s are the same stream, which can be read once only", a, b)
	}
	return nil
}

// inputError is bad content of a file that options are read from, a folder that is missing, or
// one file as two inputs: not a wrong call.
type inputError struct{ error }

// notReference refuses files of reads that are the reference, as pairs refuse one file as both
// mates.
func notReference(reference string, files ...string) error {
	for _, name := range files {
		a, b := stat(reference), stat(name)
		if a != nil && b != nil && reference != "-" && name != "-" && os.SameFile(a, b) && a.Mode().IsRegular() {
			return inputError{fmt.Errorf("%s: is the same file as %s; expected reads", name, reference)}
		}
	}
	return nil
}

// stat returns what a name stands for, nil if it does not exist.
func stat(name string) os.FileInfo {
	f := os.Stat
	if name == "-" {
		f = func(string) (os.FileInfo, error) { return os.Stdin.Stat() }
	}
	info, err := f(name)
	if err != nil {
		return nil
	}
	return info
}

// statOutput is stat of an output, for which - is standard output.
func statOutput(name string) os.FileInfo {
	if name != "-" {
		return stat(name)
	}
	info, err := os.Stdout.Stat()
	if err != nil {
		return nil
	}
	return info
}

// sameFile tells whether two names stand for one regular file or FIFO or, where the files do not
// exist yet, would. The name - stands for none.
func sameFile(a, b string) bool {
	return a != "-" && b != "-" && same(a, b, stat(a), stat(b))
}

// sameOutput is sameFile of two outputs: standard output may go to a file.
func sameOutput(a, b string) bool { return same(a, b, statOutput(a), statOutput(b)) }

// sameAsOutput is sameFile of an input and an output: standard input and output may be files.
func sameAsOutput(input, output string) bool {
	return same(input, output, stat(input), statOutput(output))
}

func same(a, b string, infoA, infoB os.FileInfo) bool {
	switch {
	case a == "" || b == "":
		return false
	case infoA != nil && infoB != nil:
		return os.SameFile(infoA, infoB) && (infoA.Mode().IsRegular() || infoA.Mode()&os.ModeNamedPipe != 0)
	case a == "-" || b == "-":
		return false
	}
	return sameTarget(a, b)
}

// keepInputs refuses an output that is one of the inputs.
func keepInputs(output string, inputs ...string) error {
	for _, input := range inputs {
		if !sameAsOutput(input, output) {
			continue
		}
		switch {
		case isStandardOutput(output) && input == "-":
			return errors.New("standard input and standard output are the same file, which would be overwritten")
		case isStandardOutput(output):
			return fmt.Errorf("standard output is %s, which is an input and would be overwritten", input)
		case input == "-":
			return fmt.Errorf("%s is standard input and would be overwritten", output)
		}
		return fmt.Errorf("%s is an input and would be overwritten", output)
	}
	return nil
}

// sameTarget tells whether two names of files mean the same place, where one of the files does not
// exist.
func sameTarget(a, b string) bool {
	absolute := func(name string) (string, error) {
		name, err := place(name)
		if err != nil {
			return "", err
		}
		return filepath.Abs(name)
	}
	placeA, errA := absolute(a)
	placeB, errB := absolute(b)
	return errA == nil && errB == nil && placeA == placeB
}

// place returns where a file is, or would be made, without symbolic links: the folder has to exist,
// and the file need not. As for a file that is opened to be created, a link to a file that does not
// exist means that file.
func place(name string) (string, error) {
	const links = 40 // as the kernel has it
	for range links {
		folder, base := filepath.Split(name)
		folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(folder, "/") {
			folder += "/"
		}
		target, err := os.Readlink(folder + base)
		switch {
		case err != nil: // no link, or nothing there
			return folder + base, nil
		case filepath.IsAbs(target):
			name = target
		default:
			name = folder + target // not Join, which would take .. off a link
		}
	}
	return "", syscall.ELOOP
}

// inputsExist notices missing files, and a closed standard input, before the reference is loaded.
func inputsExist(inputs ...string) error {
	for _, input := range inputs {
		if (input == "-" || isStream(input, unix.Stdin)) && wasClosed(unix.Stdin) {
			return fmt.Errorf("standard input: %w", errClosed)
		}
		if input == "-" {
			continue
		}
		if _, err := os.Stat(input); err != nil {
			return fmt.Errorf("%s: %w", input, cause(err))
		}
	}
	return nil
}

// namedOutput is an option and the file that it names.
type namedOutput struct{ option, name string }

// fileName reads an option that names a file, empty where it is not given.
func fileName(c *cli.Context, option string) (string, error) {
	name := c.String(option)
	if name == "" && c.IsSet(option) {
		return "", fmt.Errorf("option --%s: the name is empty", option)
	}
	return name, nil
}

// isStandardOutput tells the names of standard output.
func isStandardOutput(name string) bool {
	return name == "-" || isStream(name, unix.Stdout)
}

// openFiles are the names of files that the process has open already.
var openFiles = regexp.MustCompile(`^/dev/(fd/\d+|stderr)$|^/proc/[^/]+/(task/[^/]+/)?fd/\d+$`)

// cause takes the call and the path off an error of package os; messages name the
// file as the user did.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
