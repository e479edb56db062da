package main

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHugeBytes(t *testing.T) {
	const asked, all, none = "always [madvise] never\n", "[always] madvise never\n", "always madvise [never]\n"
	for _, c := range []struct {
		enabled, overcommit string
		there               uint64
		want                int
	}{
		{asked, "0\n", 1 << 30, 1 << 28},
		{asked, "1\n", 100 << 30, mostHuge},
		{asked, "0\n", 4*leastHuge + 4*hugePage - 1, leastHuge},
		{asked, "0\n", 4*leastHuge - 1, 0},
		{asked, "2\n", 1 << 30, 0},
		{all, "0\n", 1 << 30, 0},
		{none, "0\n", 1 << 30, 0},
		{"", "0\n", 1 << 30, 0},
		{asked, "", 1 << 30, 0},
	} {
		root := fstest.MapFS{}
		for file, text := range map[string]string{
			"sys/kernel/mm/transparent_hugepage/enabled": c.enabled, "proc/sys/vm/overcommit_memory": c.overcommit,
		} {
			if text != "" {
				root[file] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		if got := hugeBytes(root, c.there); got != c.want {
			t.Errorf("%+v: %d", c, got)
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
	before := inHugePages(t, root)
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
