package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"scanmap/sam"
)

// spareDescriptors are the files that a run may have open beside the temporary files of sorting:
// inputs, outputs, the descriptors with which the runtime waits, and the pipes to a second process.
// The number is above the most that are open at a time.
const spareDescriptors = 24

// enoughDescriptors notices that so few files may be open (ulimit -n) that the runtime of Go, which
// then ends with a trace, or a run would fail.
func enoughDescriptors() error {
	var open []int
	defer func() {
		for _, fd := range open {
			_ = unix.Close(fd) // nothing was done with it
		}
	}()
	for range spareDescriptors {
		fd, err := unix.FcntlInt(uintptr(unix.Stdout), unix.F_DUPFD_CLOEXEC, 0)
		switch {
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.EINVAL): // the latter if the limit is 0
			return fmt.Errorf("too many open files: there is room for %d more, and up to %d are needed; raise the limit (ulimit -n)",
				len(open), spareDescriptors)
		case err != nil:
			return nil // such as a closed standard output, which is noticed elsewhere
		}
		open = append(open, fd)
	}
	return nil
}

// A memoryLimit is a limit that the system sets on the memory of this process.
type memoryLimit struct {
	bytes  uint64
	ulimit string // the option of ulimit that shows it
}

func (l memoryLimit) String() string {
	return fmt.Sprintf("the limit of %d MiB (ulimit %s)", l.bytes>>20, l.ulimit)
}

// memoryLimitOfProcess returns the least limit on what the process may map, if there is one. Where
// it is reached, the runtime of Go ends the process.
func memoryLimitOfProcess() (least memoryLimit, ok bool) {
	for _, l := range []struct {
		resource int
		ulimit   string
	}{{unix.RLIMIT_AS, "-v"}, {unix.RLIMIT_DATA, "-d"}} {
		var r unix.Rlimit
		err := unix.Getrlimit(l.resource, &r)
		bytes := uint64(r.Cur) // of another type on some systems
		if err != nil || bytes >= math.MaxInt64 {
			continue // no limit: all bits are set, except the sign on some systems
		}
		if !ok || bytes < least.bytes {
			least, ok = memoryLimit{bytes, l.ulimit}, true
		}
	}
	return least, ok
}

// collectWithinLimits has the heap of this process bounded by the limits on its memory.
func collectWithinLimits() {
	least := uint64(math.MaxInt64)
	if l, ok := memoryLimitOfProcess(); ok {
		// The runtime's mappings at its start take next to no memory, but address space.
		least = l.bytes - min(l.bytes, mapped())
	}
	if group := groupLimit(os.DirFS("/")); group > 0 {
		least = min(least, group)
	}
	if least < math.MaxInt64 {
		collectWithin(least)
	}
}

// leftOfLimit says which share of a limit is left: a tenth, because the heap is rounded up.
const leftOfLimit = 10

// collectWithin has the heap collected more often where it nears a limit, so that garbage is not
// what goes beyond it. GOMEMLIMIT has precedence.
func collectWithin(limit uint64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	// Below the least the runtime would do nothing but collect.
	const least = 32 << 20
	debug.SetMemoryLimit(max(int64(limit/leftOfLimit*(leftOfLimit-1)), least))
}

// sortMemory returns how many bytes sorting takes if nothing is said: sam.DefaultSortMemory for
// each thread, as samtools sort takes, but no more than a quarter of the memory that there is, and
// that for one thread at least.
func sortMemory(threads int, there uint64) int64 {
	const one = sam.DefaultSortMemory
	return max(one, min(one*int64(threads), int64(min(there/4, sam.MostSortMemory))))
}

// memoryThere returns how much memory this process may take, in bytes: the available memory of the
// system, within the limits of the process and of its group. It is 0 if the system does not say.
// The root of the system's files is given.
//
// Source: proc(5), MemAvailable of /proc/meminfo.
func memoryThere(root fs.FS) uint64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	there := uint64(0)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" && f[2] == "kB" {
			n, err := strconv.ParseUint(f[1], 10, 44)
			if err != nil {
				return 0
			}
			there = n << 10
		}
	}
	if l, ok := memoryLimitOfProcess(); ok {
		there = min(there, l.bytes)
	}
	if group := groupLimit(root); group > 0 {
		there = min(there, group)
	}
	return there
}

// mapped returns how much address space this process has, in bytes; 0 if the system does not say.
func mapped() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	pages, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// groupLimit returns the memory that the control group of this process may have, as containers and
// batch systems set it, in bytes; 0 if there is no limit, or none that can be read. The root of the
// system's files is given.
//
// Source: the Linux kernel's "Control Group v2", memory.max, and "Memory Resource Controller" for
// version 1, memory.limit_in_bytes. A group is bounded by the groups above it, too.
func groupLimit(root fs.FS) uint64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := uint64(0)
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if fields[1] != "" { // version 1
			if !strings.Contains(","+fields[1]+",", ",memory,") {
				continue
			}
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for folder := path.Join("/", fields[2]); ; folder = path.Dir(folder) {
			text, err := fs.ReadFile(root, path.Join(mount, folder, file))
			if err == nil {
				n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
				// Version 1 writes a number near 2^63 for none, version 2 "max".
				if err == nil && n < 1<<62 && (least == 0 || n < least) {
					least = n
				}
			}
			if folder == "/" {
				break
			}
		}
	}
	return least
}

// collectLater puts off the first garbage collection until the heap has 64 MiB and not 4. A search
// of a small genome is over before collections would pay: in the yeast genome two collections took
// 8 of 30 ms of CPU. After the first collection all is as usual. GOGC of the environment has
// precedence.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(1600)
	// The first collection finds this value, which nothing refers to.
	runtime.AddCleanup(&struct{ p *int }{}, func(int) { debug.SetGCPercent(usual) }, 0)
}
