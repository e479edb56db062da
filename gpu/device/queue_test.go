package device

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// newQueue returns a queue of an emulated GPU, and the driver.
func newQueue(t *testing.T) (*Queue, *gpu.Driver) {
	t.Helper()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	g, err := OpenGPU(driver, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	q, err := g.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	return q, driver
}

// TestQueue copies more and more words to the GPU, there, and back.
func TestQueue(t *testing.T) {
	q, _ := newQueue(t)
	var from, to Buffer
	var pinned Pinned[uint32]
	if from.At(8) != 0 {
		t.Errorf("a buffer without memory is at %d", from.At(8))
	}
	for _, n := range []int{0, 4, 4000, 40, 20_000} { // each item is four words
		words := make([]uint32, n)
		for i := range words {
			words[i] = uint32(i*i + n)
		}
		Upload(q, &from, words)
		q.Reserve(&to, 4*n)
		q.Clear(&to, 4*n)
		got := pinned.Resize(q, n)
		Download(q, got, &to, 0)
		if err := q.Wait(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, make([]uint32, n)) {
			t.Errorf("%d words: not cleared", n)
		}
		Launch(q, "copy_ceiling", n/4, &kernels.CopyCeilingParams{From: from.At(0), To: to.At(0), Count: uint64(n / 4)})
		Download(q, got[n/2:], &to, 4*(n/2))
		LaunchBlocks(q, "copy_ceiling", 0, &kernels.CopyCeilingParams{}) // nothing
		if err := q.Wait(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[:n/2], make([]uint32, n/2)) || !slices.Equal(got[n/2:], words[n/2:]) {
			t.Errorf("%d words: the second half is not a copy", n)
		}
	}
}

// TestQueueKeepsFirstError has calls fail, after which the others do nothing.
func TestQueueKeepsFirstError(t *testing.T) {
	for name, fail := range map[string]func(q *Queue, driver *gpu.Driver){
		"kernel": func(q *Queue, _ *gpu.Driver) { Launch(q, "no_such", 1, &kernels.CopyCeilingParams{}) },
		"memory": func(q *Queue, driver *gpu.Driver) {
			driver.Inject("cuMemAlloc_v2", 1, gpu.OutOfMemory)
			Upload(q, &Buffer{}, []byte{1})
		},
		"pinned memory": func(q *Queue, driver *gpu.Driver) {
			driver.Inject("cuMemHostAlloc", 1, gpu.OutOfMemory)
			var p Pinned[byte]
			if got := p.Resize(q, 3); len(got) != 3 {
				t.Errorf("%d values", len(got))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, driver := newQueue(t)
			fail(q, driver)
			first := q.Err
			if first == nil {
				t.Fatal("nothing failed")
			}
			before := driver.Calls()
			var b Buffer
			var p Pinned[uint64]
			q.Try(errors.New("another"))
			q.Reserve(&b, 8)
			q.Clear(&b, 8)
			Upload(q, &b, []uint64{1})
			values := p.Resize(q, 2)
			Download(q, values, &b, 0)
			Launch(q, "copy_ceiling", 1, &kernels.CopyCeilingParams{})
			if len(values) != 2 || b.Memory != nil || !maps.Equal(driver.Calls(), before) {
				t.Error("calls went on")
			}
			if err := q.Wait(); err != first {
				t.Errorf("got %v, want %v", err, first)
			}
		})
	}
}

// TestKernelIsLoadedOnce asks for kernels of one file.
func TestKernelIsLoadedOnce(t *testing.T) {
	q, driver := newQueue(t)
	before := driver.Calls()["cuModuleLoadDataEx"]
	for _, name := range []string{"read_ceiling", "copy_ceiling", "read_ceiling"} {
		if _, err := q.GPU.Kernel(name); err != nil {
			t.Fatal(err)
		}
	}
	if got := driver.Calls()["cuModuleLoadDataEx"] - before; got != 1 {
		t.Errorf("loaded %d times", got)
	}
}

func TestDescribe(t *testing.T) {
	q, driver := newQueue(t)
	d, err := Describe(driver, q.GPU.Device)
	if err != nil {
		t.Fatal(err)
	}
	if d.ID != "cuda:0" || d.Name == "" || d.ComputeCapability == "" || d.Driver == "" || d.Memory <= 0 || d.Multiprocessors <= 0 {
		t.Errorf("got %+v", d)
	}
	driver.Inject("cuDriverGetVersion", 1, gpu.OutOfMemory)
	if _, err := Describe(driver, q.GPU.Device); err == nil {
		t.Error("the driver's error is lost")
	}
	c := Choice{Driver: driver}
	if err := c.LoadDriver(); err != nil || c.Driver != driver {
		t.Errorf("another driver was loaded: %v", err)
	}
}

// TestStage uploads slices that change at once, more than pinned memory has room for, and one that
// is too large for it.
func TestStage(t *testing.T) {
	q, _ := newQueue(t)
	q.Stage()
	q.Stage() // once is enough
	var buffer Buffer
	for i := range 40 {
		words := make([]uint32, 20_000)
		if i == 20 {
			words = make([]uint32, stagingBytes/4)
		}
		for j := range words {
			words[j] = uint32(i + j)
		}
		want := slices.Clone(words)
		Upload(q, &buffer, words)
		clear(words)
		got := make([]uint32, len(want))
		Download(q, got, &buffer, 0)
		if err := q.Wait(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("upload %d: other words came back", i)
		}
	}
}

func TestTimer(t *testing.T) {
	q, _ := newQueue(t)
	var buffer Buffer
	q.Reserve(&buffer, 4096)
	timer := NewTimer(q)
	for _, measure := range []func(func()) time.Duration{timer.Time, timer.TimeQueued} {
		called := 0
		got := measure(func() {
			called++
			q.Clear(&buffer, 4096)
		})
		if q.Err != nil || called != 1 || got < eventResolution {
			t.Errorf("%v, %d calls, %v", got, called, q.Err)
		}
	}
	q.Err = errors.New("lost")
	if got := timer.Time(func() { t.Error("called") }); got != 0 {
		t.Errorf("got %v", got)
	}
}
