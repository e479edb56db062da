package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// To remove a file of some gigabytes takes the system seconds. A process that has the last
// descriptor of the file waits for the removal when it ends. A run that stops for a signal
// therefore hands its large files to another process, the keeper, which ends after the run has.

// keeperVariable is the environment's variable that makes a process a keeper.
const keeperVariable = "SCANMAP_KEEPER"

// largeFile is the least size of a file that goes to a keeper, in bytes.
const largeFile = 64 << 20

func isKeeper() bool { return os.Getenv(keeperVariable) != "" }

// keep waits until the process that started this one has ended, and returns the exit code.
func keep() int {
	_, _ = io.Copy(io.Discard, os.Stdin) // a pipe that nobody writes to
	return 0
}

// leaveFiles starts a keeper of the files of this process that are large, and returns what the
// keeper waits for the end of; nil where there is nothing to keep. Where a keeper cannot be started
// this process waits itself.
func leaveFiles(large int64) *os.File {
	files := filesOfProcess(large)
	if len(files) == 0 {
		return nil
	}
	defer func() {
		for _, f := range files {
			_ = f.Close() // it is a second descriptor
		}
	}()
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	end, held, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer func() { _ = end.Close() }()
	// A session of its own keeps signals for this process from the keeper.
	keeper, err := os.StartProcess(program, []string{program}, &os.ProcAttr{
		Env: append(os.Environ(), keeperVariable+"=1"), Files: append([]*os.File{end, nil, nil}, files...),
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		_ = held.Close()
		return nil
	}
	_ = keeper.Release()
	return held
}

// filesOfProcess returns further descriptors of the regular files that this process writes and that
// take `large` bytes or more; none on systems that do not list descriptors as Linux does.
func filesOfProcess(large int64) (files []*os.File) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= unix.Stderr {
			continue
		}
		again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			continue // closed since
		}
		if !isLarge(again, large) {
			_ = unix.Close(again)
			continue
		}
		files = append(files, os.NewFile(uintptr(again), e.Name()))
	}
	return files
}

// isLarge tells whether a descriptor is of a regular file that is written and takes `large` bytes
// or more.
func isLarge(fd int, large int64) bool {
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Blocks*512 < large {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
}

// stopped has another process keep the large files, while this one stops for a signal, for as long
// as wait takes.
func stopped(wait func()) {
	held := leaveFiles(largeFile)
	wait()
	runtime.KeepAlive(held)
}
