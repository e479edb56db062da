package main

import (
	"io/fs"
	"os"
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
		{asked, size, "0\n", "", 4*leastHuge + 4*hugePage - 1, leastHuge},
		{asked, size, "0\n", "", 4*leastHuge - 1, 0},
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
			"proc/self/cgroup":                                  "0::/\n",
			"sys/fs/cgroup/memory.max":                          c.group,
		} {
			if text != "" {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		t.Setenv("GOMEMLIMIT", "")
		if got := hugeBytes(root, c.there); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		t.Setenv("GOMEMLIMIT", "1GiB")
		if got := hugeBytes(root, c.there); got != 0 {
			t.Errorf("%+v, under a limit for the runtime: %d", c, got)
		}
	}
}

// hugeHeap keeps memory of TestUseHugePages.
var hugeHeap []byte

// TestUseHugePages has memory lie in huge pages that is taken later.
func TestUseHugePages(t *testing.T) {
	root := os.DirFS("/")
	if hugeBytes(root, 4*leastHuge) == 0 {
		t.Skip("SKIPPED: Linux does not give huge pages here to memory that asks")
	}
	own, err := unix.Mmap(-1, 0, 16*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	without := inHugePages(t, root)
	if err := unix.Madvise(own, adviseHugePages); err != nil {
		t.Fatal(err)
	}
	for i := range own {
		own[i] = 1
	}
	before := inHugePages(t, root)
	if err := unix.Munmap(own); err != nil || before-without < 12*hugePage {
		t.Skip("SKIPPED: Linux has no huge pages left")
	}
	before = inHugePages(t, root)
	useHugePages(root, 4*leastHuge)
	hugeHeap = make([]byte, 16*hugePage)
	for i := range hugeHeap {
		hugeHeap[i] = 1
	}
	if n := inHugePages(t, root) - before; n < 8*hugePage {
		t.Errorf("%d bytes of %d lie in huge pages", n, len(hugeHeap))
	}
	hugeHeap = nil
}

// inHugePages returns how many bytes of this process lie in huge pages.
func inHugePages(t *testing.T, root fs.FS) int {
	t.Helper()
	text, err := fs.ReadFile(root, "proc/self/smaps_rollup")
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "AnonHugePages:" {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Skip("SKIPPED: Linux does not say what lies in huge pages")
	return 0
}
