package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// sameFile tells whether two names stand for one regular file or, where the files do not exist yet,
// would.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == "-" || b == "-" {
		return false
	}
	if a, b := stat(a), stat(b); a != nil && b != nil {
		return os.SameFile(a, b) && (a.Mode().IsRegular() || a.Mode()&os.ModeNamedPipe != 0)
	}
	return sameTarget(a, b)
}

// sameTarget tells whether two names of files that do not exist mean the same place.
func sameTarget(a, b string) bool {
	place := func(name string) (string, error) {
		folder, err := filepath.EvalSymlinks(filepath.Dir(name))
		if err != nil {
			return "", err
		}
		return filepath.Abs(filepath.Join(folder, filepath.Base(name)))
	}
	placeA, errA := place(a)
	placeB, errB := place(b)
	return errA == nil && errB == nil && placeA == placeB
}
