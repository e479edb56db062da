package extsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/leaks"
	"scanmap/internal/temporary"
)

// record makes a record: a key, and text.
func record(key int, text string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(8+len(text)))
	return append(binary.BigEndian.AppendUint64(b, uint64(key)), text...)
}

func keyOf(record []byte) uint64 { return binary.BigEndian.Uint64(record[LengthBytes:]) }

// byText is the order of texts without their last byte.
func byText(a, b []byte) int { return bytes.Compare(a[12:len(a)-1], b[12:len(b)-1]) }

// drawn are n records of some keys, of some 150 bytes each, in any order and with a number each
// where they are numbered. A few are longer than a block.
func drawn(n, keys int, numbered bool) (records [][]byte) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(keys)))
	for i := range n {
		text := strings.Repeat("ACGT", random.IntN(75))
		if n > 100 && i%(n/3) == 50 {
			text = strings.Repeat("GATTACA", 2*runBlock/7)
		}
		if numbered {
			text = fmt.Sprint(text, i)
		}
		records = append(records, record(random.IntN(keys), text+string(rune('a'+i%2))))
	}
	return records
}

// inOrder has the records of a sorter in order.
func inOrder(records [][]byte, tie func(a, b []byte) int) [][]byte {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b []byte) int {
		if tie == nil || keyOf(a) != keyOf(b) {
			return cmp.Compare(keyOf(a), keyOf(b))
		}
		return tie(a, b)
	})
	if tie == nil {
		return sorted
	}
	return slices.CompactFunc(sorted, func(a, b []byte) bool { return keyOf(a) == keyOf(b) && tie(a, b) == 0 })
}

// watched files count operations. One operation may fail, once or from a number on.
type watched struct {
	temporary.Files
	mu         sync.Mutex
	made       map[string]int
	open, most int
	fails      string
	onward     bool
	at         int
	err        error
	damage     func(b []byte, offset int64) // of what is read back
}

func (w *watched) do(kind string, opens int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made[kind]++
	if kind == w.fails && (w.made[kind] == w.at || w.onward && w.made[kind] > w.at) {
		w.open += min(opens, 0)
		return w.err
	}
	w.open += opens
	w.most = max(w.most, w.open)
	return nil
}

func (w *watched) Create(name string) (temporary.File, error) {
	if err := w.do("create", 1); err != nil {
		return nil, err
	}
	f, err := w.Files.Create(name)
	return &watchedFile{f, w}, err
}

type watchedFile struct {
	temporary.File
	files *watched
}

func (f *watchedFile) Write(p []byte) (int, error) {
	if err := f.files.do("write", 0); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

func (f *watchedFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.files.do("read", 0); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, offset)
	if f.files.damage != nil {
		f.files.damage(p, offset)
	}
	return n, err
}

func (f *watchedFile) Close() error {
	err := f.files.do("close", -1)
	return cmp.Or(err, f.File.Close())
}

func watch(folder string) *watched {
	return &watched{Files: temporary.In(folder), made: map[string]int{}}
}

// tiny has small segments, and runs of `half` segments.
func tiny(segment, half, fanIn int) Sizes {
	return Sizes{Segment: segment, Half: half, FanIn: fanIn, Merge: 1 << 30, Range: 2 * segment, Indexed: 1}
}

// sorted sorts records, and returns all in order, or the first error, and the error of Discard.
// Where written is set, Finish comes after all runs are.
func sorted(o Options, records [][]byte, written bool) (got [][]byte, err, discarded error) {
	o.Purpose, o.Key = "numbers", keyOf
	s := New(o)
	defer func() { discarded = s.Discard() }()
	var scratch []byte
	for _, r := range records {
		scratch = append(scratch[:0], r...)
		if err = s.Add(scratch); err != nil {
			return nil, err, nil
		}
	}
	if written {
		s.endSpilling()
	}
	if err = s.Finish(); err != nil {
		return nil, err, nil
	}
	for _, keys := range s.Ranges() {
		m := s.Merge(keys)
		for {
			r, err := m.Next()
			if err != nil {
				return nil, err, nil
			}
			if r == nil {
				break
			}
			got = append(got, slices.Clone(r))
		}
	}
	return got, nil, nil
}

// TestSort compares the order with a stable sort in memory. Runs have more than three blocks and
// several levels, and are more than one merge reads. Some records are longer than a block or a
// segment, and many records share a key.
func TestSort(t *testing.T) {
	folder := t.TempDir()
	combination := 0
	for _, n := range []int{0, 1, 2, 7, 8, 9, 100, 1500} {
		for _, keys := range []int{1, 5, 1 << 40} {
			if n > 1000 && keys != 5 && !effort.Full() {
				continue
			}
			records, again := drawn(n, keys, true), drawn(n, keys, false)
			for _, z := range []Sizes{Share(0, 1), tiny(1, 1, 2), tiny(1000, 1, 2), tiny(5000, 3, 3), tiny(150_000, 2, 64)} {
				if n > 1000 && z.Segment == 1 {
					continue
				}
				combination++
				for threads := 1; threads <= 3; threads++ {
					if (combination-threads)%3 != 0 && !effort.Full() {
						continue
					}
					files := watch(folder)
					o := Options{Files: files, Threads: threads, Sizes: z}
					if got, err, discarded := sorted(o, records, threads == 1); err != nil || discarded != nil || !slices.EqualFunc(got, inOrder(records, nil), bytes.Equal) {
						t.Errorf("%d records, %d keys, %+v: other order, %v, %v", n, keys, z, err, discarded)
					}
					runs := files.made["create"]
					if n == 1500 && threads == 1 && (z.Segment == 1000 && runs < 300 || z.Segment == 150_000 && files.made["write"] < 3*runs) {
						t.Errorf("%+v: %d runs, %d blocks", z, runs, files.made["write"])
					}
					o.Tie = byText
					got, err, discarded := sorted(o, again, threads == 1)
					same := func(a, b []byte) bool { return keyOf(a) == keyOf(b) && byText(a, b) == 0 }
					if err != nil || discarded != nil || !slices.EqualFunc(got, inOrder(again, byText), same) {
						t.Errorf("%d records, %d keys, %+v, by text: other order, %v, %v", n, keys, z, err, discarded)
					}
					if files.open != 0 {
						t.Errorf("%d files are open", files.open)
					}
				}
			}
		}
	}
}

// TestSortProperty draws everything.
func TestSortProperty(t *testing.T) {
	effort.Cases(t, 15)
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		records := drawn(rapid.IntRange(0, 400).Draw(rt, "records"), rapid.IntRange(1, 50).Draw(rt, "keys"), rapid.Bool().Draw(rt, "numbered"))
		o := Options{Files: temporary.In(folder), Threads: rapid.IntRange(1, 4).Draw(rt, "threads")}
		o.Sizes = tiny(rapid.IntRange(1, 5000).Draw(rt, "segment"), rapid.IntRange(1, 4).Draw(rt, "half"), rapid.IntRange(2, 5).Draw(rt, "fan in"))
		o.Sizes.Range = rapid.IntRange(1, 50_000).Draw(rt, "range")
		if got, err, _ := sorted(o, records, rapid.Bool().Draw(rt, "written")); err != nil || !slices.EqualFunc(got, inOrder(records, nil), bytes.Equal) {
			rt.Fatalf("other order, %v", err)
		}
	})
}

// TestTake compares blocks that others copy with records one by one.
func TestTake(t *testing.T) {
	records := drawn(3000, 20, true)
	for _, size := range []int{1, 40, 3000} {
		s := New(Options{Files: temporary.In(t.TempDir()), Key: keyOf, Threads: 3, Sizes: tiny(50_000, 2, 3)})
		var backs atomic.Int64
		for part := range slices.Chunk(records, size) {
			var lengths []uint32
			for _, r := range part {
				lengths = append(lengths, uint32(len(r)))
			}
			block := bytes.Join(part, nil)
			if err := s.Take(block, lengths, func() { backs.Add(1); clear(block); clear(lengths) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		m := s.Merge(All)
		for _, want := range inOrder(records, nil) {
			if got, err := m.Next(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("blocks of %d: %.20q, %v, want %.20q", size, got, err, want)
			}
		}
		if got, err := m.Next(); got != nil || err != nil || int(backs.Load()) != (3000+size-1)/size {
			t.Errorf("blocks of %d: %.20q, %v behind the end; %d came back", size, got, err, backs.Load())
		}
		if err := s.Discard(); err != nil {
			t.Error(err)
		}
	}
}

// TestFinishWhileSpilling has Finish come while a run is written, after others: its segments stay
// in memory, and its file is closed.
func TestFinishWhileSpilling(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, written := range []int{0, 1, 3} {
		files, gate := watch(t.TempDir()), make(chan struct{})
		// A run has more blocks than wait to be written.
		records := drawn(30_000, 5000, true)
		s := New(Options{Files: &gated{files, gate, written}, Purpose: "numbers", Key: keyOf, Threads: 2, Sizes: tiny(1<<20, 1, 4)})
		segments, current := 0, s.current
		for i, r := range records {
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
			if s.current != current {
				segments, current = segments+1, s.current
			}
			if segments == written+2 && len(current.entries) == 1000 {
				records = records[:i+1]
				break
			}
		}
		go func() {
			for !s.finishing.Load() {
				runtime.Gosched()
			}
			close(gate)
		}()
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		if files.made["create"] != written+1 || len(s.runs) != written || files.open != written || len(s.full) != 2 {
			t.Fatalf("%d files, %d open, %d runs, %d segments", files.made["create"], files.open, len(s.runs), len(s.full))
		}
		m := s.Merge(All)
		for i, want := range inOrder(records, nil) {
			if got, err := m.Next(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d runs, record %d: %.30q, %v, want %.30q", written, i, got, err, want)
			}
		}
		if got, err := m.Next(); got != nil || err != nil {
			t.Errorf("%.30q, %v behind the end", got, err)
		}
		if err := s.Discard(); err != nil || files.open != 0 {
			t.Errorf("%d files are open, %v", files.open, err)
		}
	}
	leaks.Goroutines(t, before)
}

// gated are files. Writes to the ones after the first `free` wait until the gate is open.
type gated struct {
	*watched
	gate <-chan struct{}
	free int
}

func (g *gated) Create(name string) (temporary.File, error) {
	f, err := g.watched.Create(name)
	if g.made["create"] > g.free {
		f = &gatedFile{f, g.gate}
	}
	return f, err
}

type gatedFile struct {
	temporary.File
	gate <-chan struct{}
}

func (f *gatedFile) Write(p []byte) (int, error) {
	<-f.gate
	return f.File.Write(p)
}

// TestManyRuns has thousands of runs: few files are open at a time, and few bytes are held.
func TestManyRuns(t *testing.T) {
	files := watch(t.TempDir())
	s := New(Options{Files: files, Key: keyOf, Threads: 2, Sizes: tiny(2000, 1, 8)})
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := live()
	n := effort.Pick(40_000, 20_000)
	for i := range n {
		if err := s.Add(record(i*7919%n, "some text that is not short, so that a segment has few records")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	m := s.Merge(All)
	for i := range n {
		r, err := m.Next()
		if err != nil || r == nil || keyOf(r) != uint64(i) {
			t.Fatalf("record %d: %.20q, %v", i, r, err)
		}
		if i == n/2 {
			if held := live() - before; held > 12*int(runBuffers) {
				t.Errorf("%d bytes are held, for at most 8 runs", held)
			}
		}
	}
	// Eight levels would be 8^8 runs.
	if files.made["create"] < n/20 || files.most > 8*8 || files.open > 8 {
		t.Errorf("%d files, %d at a time, %d in the end", files.made["create"], files.most, files.open)
	}
	if err := s.Discard(); err != nil || files.open != 0 {
		t.Errorf("%d files are left, %v", files.open, err)
	}
}

// TestFaults has each operation on files fail, each one and from each one on: the error names the
// purpose, the folder and the cause, each once, and no file and no goroutine is left.
func TestFaults(t *testing.T) {
	folder := t.TempDir()
	records := drawn(400, 30, true)
	o := Options{Threads: 2, Sizes: tiny(5000, 1, 3)}
	counted := watch(folder)
	o.Files = counted
	if _, err, discarded := sorted(o, records, true); err != nil || discarded != nil {
		t.Fatal(err, discarded)
	}
	before := runtime.NumGoroutine()
	for kind, want := range map[string]struct {
		cause error
		text  string
	}{
		"create": {syscall.EMFILE, "numbers, temporary folder " + folder + ": open: too many open files"},
		"write":  {syscall.ENOSPC, "temporary folder " + folder + " is full: numbers needs more room than is left there: write: no space left on device"},
		"read":   {syscall.EIO, "numbers, temporary folder " + folder + ": reading back: read x: input/output error"},
		"close":  {syscall.EIO, "numbers, temporary folder " + folder + ": close: input/output error"},
	} {
		if counted.made[kind] < 10 {
			t.Errorf("%s: %d times", kind, counted.made[kind])
		}
		for at := 1; at <= counted.made[kind]; at += effort.Pick(1, 1+counted.made[kind]/10) {
			for _, onward := range []bool{false, true} {
				op := map[string]string{"create": "open"}[kind]
				files := watch(folder)
				files.fails, files.at, files.onward, files.err = kind, at, onward, &fs.PathError{Op: cmp.Or(op, kind), Path: "x", Err: want.cause}
				o.Files = files
				_, err, discarded := sorted(o, records, true)
				if err == nil {
					err = discarded
				}
				if err == nil || err.Error() != want.text || !errors.Is(err, want.cause) {
					t.Errorf("%s %d of %d: %v, want %s", kind, at, counted.made[kind], err, want.text)
				}
				if files.open != 0 {
					t.Errorf("%s %d: %d files are open", kind, at, files.open)
				}
			}
		}
	}
	leaks.Goroutines(t, before)
}

// TestDamage changes each byte of a run, one at a time, and cuts it off: the error says so.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	records := drawn(40, 30, true)
	o := Options{Threads: 1, Sizes: tiny(5000, 1, 100)}
	size := int64(0)
	files := watch(folder)
	files.damage = func(b []byte, offset int64) { size = max(size, offset+int64(len(b))) }
	o.Files = files
	if _, err, _ := sorted(o, records, true); err != nil || size < 300 {
		t.Fatal(err, size)
	}
	for at := range size {
		files := watch(folder)
		files.damage = func(b []byte, offset int64) {
			if at >= offset && at < offset+int64(len(b)) {
				b[at-offset] ^= 1 << (at % 8)
			}
		}
		o.Files = files
		_, err, _ := sorted(o, records, true)
		want := []string{"a block has changed since it was written", "a block does not end in the file"}
		if err == nil || !slices.ContainsFunc(want, func(w string) bool {
			return err.Error() == "numbers, temporary folder "+folder+": reading back: "+w
		}) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	s := New(Options{Files: temporary.In(folder), Purpose: "numbers", Key: keyOf, Threads: 1, Sizes: o.Sizes})
	for _, r := range records {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s.endSpilling()
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if f, ok := s.runs[0].file.(*os.File); ok {
		if err := f.Truncate(s.runs[0].size - 1); err != nil {
			t.Fatal(err)
		}
		_, err := s.Merge(All).Next()
		if want := "reading back: unexpected EOF"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("a file that was cut off: %v, want %s", err, want)
		}
	}
	if err := s.Discard(); err != nil {
		t.Error(err)
	}
}

// TestFolderRemoved has the folder go away while files are in use. Files have no names. Open
// ones therefore stay, and none is left over.
func TestFolderRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: this system keeps the names of open files")
	}
	folder := t.TempDir() + "/folder"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	records := drawn(400, 30, true)
	s := New(Options{Files: temporary.In(folder), Purpose: "numbers", Key: keyOf, Threads: 1, Sizes: tiny(2000, 1, 2)})
	var err error
	for _, r := range records[:200] {
		if err = s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s.endSpilling()
	if left, err := os.ReadDir(folder); len(s.runs) == 0 || len(left) != 0 || err != nil {
		t.Errorf("%d runs; the folder holds %v, %v", len(s.runs), left, err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	for _, r := range records[200:] {
		if err = s.Add(r); err != nil {
			break
		}
	}
	if err == nil {
		err = s.Finish()
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "numbers, temporary folder "+folder+": ") {
		t.Errorf("the folder is gone: %v", err)
	}
	if err := s.Discard(); err != nil {
		t.Error(err)
	}
}

// TestDiscard gives up at any time: no goroutine and no file is left.
func TestDiscard(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, n := range []int{0, 1, 10, 300, 3000} {
		files := watch(t.TempDir())
		s := New(Options{Files: files, Key: keyOf, Threads: 2, Sizes: tiny(3000, 2, 3)})
		for _, r := range drawn(n, 10, true) {
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Discard(); err != nil || files.open != 0 {
			t.Errorf("%d records: %v, %d files are open", n, err, files.open)
		}
	}
	leaks.Goroutines(t, before)
}

// Memory and files are shared out so that the sum of all buffers is within the given memory.
func TestShare(t *testing.T) {
	for _, memory := range []int64{leastMemory, 3 << 20, 32 << 20, 33 << 20, 768 << 20, 100 << 30} {
		for _, threads := range []int{1, 2, 64} {
			z := Share(memory, threads)
			segments := int64(2*z.Half) * int64(z.Segment)
			if sum := segments + int64(z.FanIn+packings(threads))*runBuffers; sum > memory || sum < memory*9/10 {
				t.Errorf("%d bytes, %d threads: %d are used", memory, threads, sum)
			}
			if full := z.FanIn == mostRuns; full != (memory >= 33<<20) {
				t.Errorf("%d bytes: %d runs in a merge", memory, z.FanIn)
			}
			if z.Segment > 1<<31 {
				t.Errorf("%d bytes: segments of %d", memory, z.Segment)
			}
		}
	}
}

// TestSortEntries compares it with a sort by comparison: of few and many entries, of keys that
// differ in few bits, in all, or not at all.
func TestSortEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	order := (&Sorter{}).orderOf(nil)
	for n := range 400 {
		entries := make([]entry, r.IntN(20*fewEntries))
		bits := r.Uint64()
		for range n % 4 {
			bits &= r.Uint64()
		}
		bits >>= r.IntN(64)
		for i := range entries {
			entries[i] = entry{key: r.Uint64() & bits, offset: uint32(i)}
			if n%3 == 0 && i%7 == 0 {
				entries[i].key = ^uint64(0)
			}
		}
		want := slices.Clone(entries)
		slices.SortFunc(want, order)
		if sortEntries(entries, order); !slices.Equal(entries, want) {
			t.Fatalf("turn %d: %d entries of keys of bits %#x are not in order", n, len(entries), bits)
		}
	}
}
