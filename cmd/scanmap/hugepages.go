package main

import (
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// hugePage is the size of one, in bytes, where memory has pages of 4 KiB: larger ones would take
	// too much for small heaps. adviseHugePages is MADV_HUGEPAGE of Linux.
	hugePage, adviseHugePages = 2 << 20, 14
	// smallBytes is the size of the input files, together, from which on huge pages are asked for.
	smallBytes = 8 << 20
	// leastHuge and mostHuge bound how much of the heap is asked for, in bytes. The runtime keeps 8
	// bytes for each 8 KiB, which takes 10 ms of the most.
	leastHuge, mostHuge = 64 << 20, 4 << 30
)

// useHugePages has the part of the heap that is used first lie in huge pages, where Linux gives
// these to memory that asks: the runtime of Go does not (https://go.dev/doc/gc-guide, "Linux
// transparent huge pages"). Tables that are read at random take a tenth less time there, and memory
// has fewer page faults (docs/benchmarks/hugepages-2026-11-29.md). It is for a process without
// limits on its address space. The root of the system's files is given.
//
// The part is a slice without writes, and takes no memory of its own. It is given up at once. The
// runtime uses its addresses again, and Linux knows huge pages by addresses (madvise(2)). Linux
// also fills huge pages again after the runtime has given memory back. The process may then have
// more memory than the runtime knows, but no more than this part.
func useHugePages(root fs.FS) {
	if n := hugeBytes(root); n > 0 {
		_ = unix.Madvise(make([]byte, n), adviseHugePages) // without it all is as before
		debug.FreeOSMemory()                               // collects the slice
	}
}

// smallInput tells whether the files among arguments are small, and no pipe or standard input is
// there. There may be no file, as with --version.
func smallInput(args []string) bool {
	var size int64
	for _, a := range args {
		info, err := os.Stat(a)
		switch {
		case a == "-", err == nil && !info.Mode().IsRegular():
			return false
		case err == nil:
			size += info.Size()
		}
	}
	return size < smallBytes
}

// hugeBytes returns how many bytes are asked for: 0 where Linux gives huge pages to all or to none,
// or larger ones, or where unused memory counts. Under a limit of a group it is no more than
// collectWithin leaves, and 0 under GOMEMLIMIT.
//
// Source: the Linux kernel's "Transparent Hugepage Support" and "Overcommit Accounting".
func hugeBytes(root fs.FS) int {
	setting := func(file string) string { // empty if there is none
		text, _ := fs.ReadFile(root, file)
		return strings.TrimSpace(string(text))
	}
	overcommit := setting("proc/sys/vm/overcommit_memory")
	switch {
	case !strings.Contains(setting("sys/kernel/mm/transparent_hugepage/enabled"), "[madvise]"),
		setting("sys/kernel/mm/transparent_hugepage/hpage_pmd_size") != strconv.Itoa(hugePage),
		overcommit == "", overcommit == "2", os.Getenv("GOMEMLIMIT") != "":
		return 0
	}
	n := min(memoryThere(root)/4, mostHuge)
	if group := groupLimit(root); group > 0 {
		n = min(n, group/leftOfLimit)
	}
	if n = n / hugePage * hugePage; n < leastHuge {
		return 0
	}
	return int(n)
}
