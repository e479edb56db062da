package main

import (
	"errors"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// errClosed is a standard stream that the caller closed, as >&- does in a shell.
var errClosed = errors.New("is closed, or /dev/null opened for reading and writing")

// wasClosed tells whether a standard stream, by its number, was closed when the program started.
// The runtime of Go then opens /dev/null in its place, for reading and writing, so that no file
// gets the number; nothing else tells the two apart. A shell opens /dev/null for reading with <,
// and for writing with >.
func wasClosed(descriptor int) bool {
	var stream, null unix.Stat_t
	if err := unix.Fstat(descriptor, &stream); err != nil {
		return errors.Is(err, unix.EBADF)
	}
	if err := unix.Stat(os.DevNull, &null); err != nil || stream.Dev != null.Dev || stream.Ino != null.Ino {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(descriptor), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}

// isStream tells the names of a standard stream, such as /dev/stdin, except -.
func isStream(name string, descriptor int) bool {
	number := strconv.Itoa(descriptor)
	return slices.Contains([]string{"/dev/" + []string{"stdin", "stdout", "stderr"}[descriptor], "/dev/fd/" + number,
		"/proc/self/fd/" + number}, name)
}
