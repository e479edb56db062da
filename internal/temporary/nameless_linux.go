package temporary

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless opens a file without a name in a folder. It returns nil where that cannot be, as in some
// file systems.
func nameless(folder string) *os.File {
	f, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o600)
	if err != nil {
		return nil
	}
	return f
}
