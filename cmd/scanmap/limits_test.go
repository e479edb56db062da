package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"scanmap/sam"
)

func TestGroupLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"no groups", nil, 0},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1000\n"}, 1000},
		{"none", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"the group above", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "70\n",
		}, 70},
		{"as a container sees it", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "5\n"}, 5},
		{"version 1", map[string]string{
			"proc/self/cgroup": "3:cpu:/x\n2:hugetlb,memory:/a:b\n",
			"sys/fs/cgroup/memory/a:b/memory.limit_in_bytes": "90\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":   "1\n",
		}, 90},
		{"a line in no format", map[string]string{"proc/self/cgroup": "x\n0::/\n", "sys/fs/cgroup/memory.max": "5\n"}, 5},
		{"nonsense", map[string]string{"proc/self/cgroup": "x\n::\n0::/a", "sys/fs/cgroup/a/memory.max": "-1\n"}, 0},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupLimit(root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestSortMemory has the memory that sorting takes if nothing is said, on several machines.
func TestSortMemory(t *testing.T) {
	limit := uint64(math.MaxUint64)
	if l, ok := memoryLimitOfProcess(); ok {
		limit = l.bytes
	}
	const one = sam.DefaultSortMemory
	for _, c := range []struct {
		what    string
		meminfo string
		group   string
		threads int
		there   uint64
		want    int64
	}{
		{"another system", "", "", 8, 0, one},
		{"much", "MemTotal: 9 kB\nMemAvailable:  134217728 kB\n", "", 8, 128 << 30, 8 * one},
		{"one thread", "MemAvailable: 134217728 kB\n", "", 1, 128 << 30, one},
		{"little", "MemAvailable: 8388608 kB\n", "", 8, 8 << 30, 2 << 30},
		{"less than for one thread", "MemAvailable: 1048576 kB\n", "", 8, 1 << 30, one},
		{"a container", "MemAvailable: 134217728 kB\n", "17179869184\n", 8, 16 << 30, 4 << 30},
		{"a wide container", "MemAvailable: 8388608 kB\n", "17179869184\n", 8, 8 << 30, 2 << 30},
		{"no number", "MemAvailable: x kB\n", "", 8, 0, one},
		{"more than any", "MemAvailable: 36028797018963968 kB\n", "", 8, 0, one},
		{"as much as any", "MemAvailable: 17592186044415 kB\n", "", 1 << 20, 17592186044415 << 10, sam.MostSortMemory},
	} {
		root := fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/\n")}}
		if c.meminfo != "" {
			root["proc/meminfo"] = &fstest.MapFile{Data: []byte(c.meminfo)}
		}
		if c.group != "" {
			root["sys/fs/cgroup/memory.max"] = &fstest.MapFile{Data: []byte(c.group)}
		}
		there := memoryThere(root)
		if there != min(c.there, limit) {
			t.Errorf("%s: %d bytes, want %d", c.what, there, c.there)
		}
		if got := sortMemory(c.threads, c.there); got != c.want {
			t.Errorf("%s: %d bytes for sorting, want %d", c.what, got, c.want)
		}
	}
}

// TestPassOn copies the output of a program, and keeps the runtime's last words when it ended the
// program.
func TestPassOn(t *testing.T) {
	long := strings.Repeat("x", 10000)
	for _, c := range []struct{ text, passed, trace string }{
		{"", "", ""},
		{"a\nb", "a\nb", ""},
		{long + "\nb\n", long + "\nb\n", ""},
		{"a\nfatal error: out of memory\nstack\n", "a\n", "fatal error: out of memory\nstack\n"},
		{"the runtime: x\nruntime: out of memory: 4\nfatal error: y", "the runtime: x\n", "runtime: out of memory: 4\nfatal error: y"},
	} {
		var passed bytes.Buffer
		if trace := passOn(&passed, strings.NewReader(c.text)); passed.String() != c.passed || string(trace) != c.trace {
			t.Errorf("%.40q: passed on %.40q, kept %q", c.text, passed.String(), trace)
		}
	}
	if got := readNames(strings.NewReader("a\nb\x00c\x00")); !slices.Equal(got, []string{"a\nb", "c"}) {
		t.Errorf("names %q", got)
	}
}

// TestOutOfMemoryTraces has what the runtime of Go writes where memory ends, and where it does not.
func TestOutOfMemoryTraces(t *testing.T) {
	for text, want := range map[string]bool{
		"runtime: out of memory: cannot allocate 4194304-byte block (0 in use)\nfatal error: out of memory\n": true,
		"fatal error: runtime: cannot allocate memory\n":                                                      true,
		"fatal error: failed to reserve page summary memory\n":                                                true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n":              true,
		"runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n":        true,
		"panic: runtime error: index out of range [1] with length 1\n":                                        false,
		"fatal error: all goroutines are asleep - deadlock!\n":                                                false,
		"panic: x\n\nabout: out of memory\n":                                                                  false,
	} {
		if got := outOfMemory.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
