package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

func TestHugeBytes(t *testing.T) {
	const asked, size = "always [madvise] never\n", "2097152\n"
	for _, c := range []struct {
		enabled, size, overcommit, group string
		there                            uint64
		want                             int
	}{
		{asked, size, "0\n", "", 1 << 30, 1 << 28},
		{asked, size, "1\n", "", 100 << 30, mostHuge},
		{asked, size, "0\n", "max\n", 100 << 30, mostHuge},
		{asked, size, "0\n", "10737418240\n", 10 << 30, 1 << 30},
		{asked, size, "0\n", "", 4*leastHuge + 4*hugePage - 1<<10, leastHuge},
		{asked, size, "0\n", "", 4*leastHuge - 1<<10, 0},
		{asked, size, "2\n", "", 1 << 30, 0},
		{asked, size, "", "", 1 << 30, 0},
		{asked, "536870912\n", "0\n", "", 1 << 30, 0},
		{asked, "", "0\n", "", 1 << 30, 0},
		{"[always] madvise never\n", size, "0\n", "", 1 << 30, 0},
		{"always madvise [never]\n", size, "0\n", "", 1 << 30, 0},
		{"", size, "0\n", "", 1 << 30, 0},
	} {
		root := fstest.MapFS{}
		for file, text := range map[string]string{
			"sys/kernel/mm/transparent_hugepage/enabled":        c.enabled,
			"sys/kernel/mm/transparent_hugepage/hpage_pmd_size": c.size,
			"proc/sys/vm/overcommit_memory":                     c.overcommit,
			"proc/meminfo":                                      fmt.Sprintf("MemAvailable: %d kB\n", c.there>>10),
			"proc/self/cgroup":                                  "0::/\n",
			"sys/fs/cgroup/memory.max":                          c.group,
		} {
			if text != "" {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		t.Setenv("GOMEMLIMIT", "")
		if got := hugeBytes(root); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		t.Setenv("GOMEMLIMIT", "1GiB")
		if got := hugeBytes(root); got != 0 {
			t.Errorf("%+v, under a limit for the runtime: %d", c, got)
		}
	}
}

func TestSmallInput(t *testing.T) {
	folder := t.TempDir()
	small, half, large := filepath.Join(folder, "small"), filepath.Join(folder, "half"), filepath.Join(folder, "large")
	for file, size := range map[string]int64{small: 0, half: smallBytes / 2, large: smallBytes} {
		if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, size)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"--version"}, true},
		{[]string{"map", "-t", "2", small, filepath.Join(folder, "none")}, true},
		{[]string{"map", half, small}, true},
		{[]string{"map", half, half}, false},
		{[]string{"map", small, large}, false},
		{[]string{"map", small, "-"}, false},
		{[]string{"map", small, os.DevNull}, false}, // no regular file
	} {
		if got := smallInput(c.args); got != c.want {
			t.Errorf("%q: %t", c.args, got)
		}
	}
}

// hugeVariable is set for a process of TestUseHugePages.
const hugeVariable = "SCANMAP_TEST_HUGE_PAGES"

// TestUseHugePages has memory lie in huge pages that is taken later, in a process without memory of
// other tests.
func TestUseHugePages(t *testing.T) {
	if hugeBytes(os.DirFS("/")) == 0 {
		t.Skip("SKIPPED: Linux does not give huge pages here to memory that asks")
	}
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), hugeVariable+"=1")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var possible, got int
	if n, err := fmt.Sscan(string(out), &possible, &got); n < 2 {
		t.Fatalf("%q: %v", out, err)
	}
	if possible < 12*hugePage {
		t.Skip("SKIPPED: Linux has no huge pages left, or does not say how many a process has")
	}
	if got < 8*hugePage {
		t.Errorf("%d bytes of %d lie in huge pages", got, 16*hugePage)
	}
}

// tryHugePages prints how many bytes lie in huge pages of memory that asks itself, and of the heap.
func tryHugePages() int {
	write := func(memory []byte, before int) int {
		for i := range memory {
			memory[i] = 1
		}
		return inHugePages() - before
	}
	own, err := unix.Mmap(-1, 0, 16*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		err = unix.Madvise(own, adviseHugePages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	possible := write(own, inHugePages())
	useHugePages(os.DirFS("/"))
	before := inHugePages() // the runtime may write zeros
	fmt.Println(possible, write(make([]byte, 16*hugePage), before))
	return 0
}

// inHugePages returns how many bytes of this process lie in huge pages, 0 if Linux does not say.
func inHugePages() (bytes int) {
	text, _ := os.ReadFile("/proc/self/smaps_rollup")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "AnonHugePages:" {
			n, _ := strconv.Atoi(f[1])
			bytes += n << 10
		}
	}
	return bytes
}
