package gpu

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func TestOpenRefusesIndex(t *testing.T) {
	d, _ := newFake(t)
	for _, index := range []int{-1, 2, math.MaxInt} {
		want := fmt.Sprintf("cuda:%d: there is no such device: the driver has 2 devices", index)
		if _, err := d.Open(index, Options{}); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestClose(t *testing.T) {
	v, f := openFake(t, Options{})
	freed := must(v.Alloc(8))
	m := must(v.Alloc(16))
	h := must(v.AllocHost(16))
	must(v.Load(testPTX))
	e := must(v.NewEvent())
	s := must(v.NewStream())
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	n := f.count()
	if err := errors.Join(freed.Free(), v.Close()); err != nil {
		t.Fatal(err)
	}
	want := "cuCtxSetCurrent cuStreamSynchronize cuStreamDestroy_v2 cuEventDestroy_v2 cuModuleUnload cuMemFree_v2 cuMemFreeHost cuDevicePrimaryCtxRelease_v2"
	if got := strings.Join(f.since(n), " "); got != want {
		t.Errorf("Close calls %s, want %s", got, want)
	}
	n = f.count()
	if err := errors.Join(v.Close(), m.Free(), h.Free(), e.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if h.Bytes() != nil || m.Pointer() != 0 {
		t.Error("memory is there after Close")
	}
	if _, err := v.Alloc(8); fmt.Sprint(err) != "cuda:0: the device is closed" {
		t.Errorf("%v", err)
	}
	if err := s.Synchronize(); fmt.Sprint(err) != "cuda:0: the device is closed" {
		t.Errorf("%v", err)
	}
	if made := f.since(n); len(made) > 0 {
		t.Errorf("calls after Close: %v", made)
	}
}

// TestFailure checks that a lost context is reported by every method with the first error, that
// nothing is asked of the driver then, and that Free and Close return.
func TestFailure(t *testing.T) {
	v, f := openFake(t, Options{})
	memory, pinned := must(v.Alloc(64)), must(v.AllocHost(64))
	module := must(v.Load(testPTX))
	k := must(module.Kernel("fail", 8))
	s, e := must(v.NewStream()), must(v.NewEvent())
	if err := errors.Join(Launch(s, k, 1, 32, &failParams{}), s.Record(e)); err != nil {
		t.Fatal(err)
	}
	f.fail("cuStreamSynchronize", LaunchFailed)
	f.fail("cuDevicePrimaryCtxRelease_v2", LaunchFailed)
	want := "cuda:0: cuStreamSynchronize after kernel fail: CUDA_ERROR_LAUNCH_FAILED (719: unspecified launch failure)"
	if err := s.Synchronize(); fmt.Sprint(err) != want {
		t.Fatalf("%v, want %s", err, want)
	}
	n := f.count()
	for name, call := range map[string]func() error{
		"Synchronize": s.Synchronize,
		"Event":       e.Synchronize,
		"Record":      func() error { return s.Record(e) },
		"Wait":        func() error { return s.Wait(e) },
		"Upload":      func() error { return s.Upload(memory, 0, pinned.Bytes()) },
		"Launch":      func() error { return Launch(s, k, 1, 32, &failParams{}) },
		"Alloc":       func() error { _, err := v.Alloc(8); return err },
		"FreeMemory":  func() error { _, _, err := v.FreeMemory(); return err },
		"Load":        func() error { _, err := v.Load(testPTX); return err },
		"Kernel":      func() error { _, err := module.Kernel("add", 32); return err },
	} {
		if err := call(); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if err := errors.Join(memory.Free(), pinned.Free(), e.Close()); err != nil {
		t.Error(err)
	}
	if made := f.since(n); len(made) > 0 {
		t.Errorf("calls after the failure: %v", made)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if made := strings.Join(f.since(n), " "); made != "cuDevicePrimaryCtxRelease_v2" {
		t.Errorf("Close after the failure calls %s", made)
	}
}

// TestFailureNamesKernel checks where the name comes from when a call fails that is about no
// kernel.
func TestFailureNamesKernel(t *testing.T) {
	for _, c := range []struct {
		name, call string
		do         func(v *Device, s *Stream, e *Event) error
		code       Result
		kernel     string
	}{
		{"a copy after it in the stream", "cuMemcpyDtoHAsync_v2",
			func(v *Device, s *Stream, _ *Event) error { return s.Download(make([]byte, 8), must(v.Alloc(8)), 0) }, IllegalAddress, "fail"},
		{"an event after it", "cuEventSynchronize",
			func(_ *Device, _ *Stream, e *Event) error { return e.Synchronize() }, IllegalAddress, "fail"},
		{"another stream", "cuStreamSynchronize",
			func(v *Device, _ *Stream, _ *Event) error { return must(v.NewStream()).Synchronize() }, IllegalAddress, "fail"},
		{"the device", "cuMemAlloc_v2",
			func(v *Device, _ *Stream, _ *Event) error { _, err := v.Alloc(8); return err }, IllegalAddress, "fail"},
		{"what is no kernel's fault", "cuMemAlloc_v2",
			func(v *Device, _ *Stream, _ *Event) error { _, err := v.Alloc(8); return err }, OutOfMemory, ""},
		{"an unknown failure while waiting", "cuStreamSynchronize",
			func(_ *Device, s *Stream, _ *Event) error { return s.Synchronize() }, Unknown, "fail"},
	} {
		v, f := openFake(t, Options{})
		k := must(must(v.Load(testPTX)).Kernel("fail", 8))
		s, e := must(v.NewStream()), must(v.NewEvent())
		if err := errors.Join(Launch(s, k, 1, 32, &failParams{}), s.Record(e)); err != nil {
			t.Fatal(err)
		}
		f.fail(c.call, c.code)
		var failed *Error
		if err := c.do(v, s, e); !errors.As(err, &failed) || failed.Kernel != c.kernel || failed.Result != c.code {
			t.Errorf("%s: %v, want kernel %q", c.name, err, c.kernel)
		}
	}
}

func TestMemoryBounds(t *testing.T) {
	d, f := newFake(t)
	v, other := must(d.Open(0, Options{})), must(d.Open(1, Options{}))
	s := must(v.NewStream())
	m, foreign, freed := must(v.Alloc(10)), must(other.Alloc(10)), must(v.Alloc(10))
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	n := f.count()
	for _, c := range []struct {
		err  error
		want string
	}{
		{s.Upload(m, 8, make([]byte, 3)), "cuda:0: upload: 3 bytes at 8 do not lie within the memory of 10 bytes"},
		{s.Download(make([]byte, 1), m, 10), "cuda:0: download: 1 byte at 10 do not lie within the memory of 10 bytes"},
		{s.Clear(m, -1, 2), "cuda:0: fill: 2 bytes at -1 do not lie within the memory of 10 bytes"},
		{s.Fill(m, 0, -1, 3), "cuda:0: fill: -1 bytes at 0 do not lie within the memory of 10 bytes"},
		{s.Fill(m, math.MaxInt, math.MaxInt, 3), "do not lie within"},
		{s.Copy(m, 0, foreign, 0, 1), "cuda:0: copy: the memory is that of cuda:1"},
		{s.Copy(m, 0, freed, 0, 1), "cuda:0: copy: the memory is freed"},
		{second(v.Alloc(-1)), "cuda:0: memory of -1 bytes"},
		{second(v.AllocHost(-1)), "cuda:0: pinned memory of -1 bytes"},
		{s.Record(must(other.NewEvent())), "cuda:0: record: the event is that of cuda:1"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	// An empty slice needs no call.
	empty := must(v.Alloc(0))
	err := errors.Join(s.Upload(m, 10, nil), s.Download(nil, m, 0), s.Clear(m, 10, 0), s.Copy(m, 0, m, 10, 0), s.Clear(empty, 0, 0), empty.Free())
	if err != nil || empty.Pointer() != 0 || len(must(v.AllocHost(0)).Bytes()) != 0 {
		t.Errorf("%v", err)
	}
	for _, name := range f.since(n) {
		if strings.HasPrefix(name, "cuMem") {
			t.Errorf("%s was called", name)
		}
	}
	if _, err := v.Alloc(1 << 40); !errors.Is(err, OutOfMemory) || !strings.Contains(err.Error(), "1099511627776 bytes of device memory") {
		t.Errorf("%v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestPinned checks that copies wait for their end where the memory of the host is not pinned, and
// only there.
func TestPinned(t *testing.T) {
	d, f := newFake(t)
	v, other := must(d.Open(0, Options{})), must(d.Open(1, Options{}))
	s := must(v.NewStream())
	m := must(v.Alloc(16))
	h, foreign := must(v.AllocHost(16)), must(other.AllocHost(16))
	for _, c := range []struct {
		name  string
		host  []byte
		waits bool
	}{
		{"pinned", h.Bytes(), false},
		{"a part of it", h.Bytes()[4:5], false},
		{"pinned by another device", foreign.Bytes(), false},
		{"ordinary", make([]byte, 16), true},
	} {
		n := f.count()
		if err := errors.Join(s.Upload(m, 0, c.host), s.Download(c.host, m, 0)); err != nil {
			t.Fatal(err)
		}
		if waits := slices.Contains(f.since(n), "cuStreamSynchronize"); waits != c.waits {
			t.Errorf("%s memory: waits %v, want %v", c.name, waits, c.waits)
		}
	}
	bytes := h.Bytes()
	if err := h.Free(); err != nil || h.Bytes() != nil {
		t.Fatal("not freed", err)
	}
	if d.isPinned(bytes) {
		t.Error("memory is pinned after Free")
	}
}

func TestSlices(t *testing.T) {
	v, _ := openFake(t, Options{})
	h := must(v.AllocHost(20))
	type pair struct{ lo, hi uint32 }
	pairs := Slice[pair](h)
	if len(pairs) != 2 || len(Slice[byte](h)) != 20 || len(Slice[[3]uint64](h)) != 0 {
		t.Errorf("%d pairs in 20 bytes", len(pairs))
	}
	if Slice[*int](h) != nil || Slice[struct{}](h) != nil || Slice[struct{ s []byte }](h) != nil {
		t.Error("elements that a device cannot have")
	}
	pairs[1] = pair{0x01020304, 0x05060708}
	if got := h.Bytes()[8:16]; !slices.Equal(got, []byte{4, 3, 2, 1, 8, 7, 6, 5}) {
		t.Errorf("%v", got)
	}
	if got := Bytes(pairs[1:]); !slices.Equal(got, h.Bytes()[8:16]) {
		t.Errorf("%v", got)
	}
	if Bytes([]string{"x"}) != nil || Bytes([]uint32(nil)) != nil || Bytes([]any{1}) != nil || Bytes([][2]*int{{}}) != nil {
		t.Error("bytes of what a device cannot have")
	}
}

func TestLaunch(t *testing.T) {
	d, _ := newFake(t)
	v := must(d.Open(0, Options{}))
	s := must(v.NewStream())
	m := must(v.Load(testPTX))
	add := must(m.Kernel("add", 32))
	type shorter [3]Pointer
	type pointers [4]*int
	elsewhere := must(must(must(d.Open(1, Options{})).Load(testPTX)).Kernel("add", 32))
	for _, c := range []struct {
		err  error
		want string
	}{
		{Launch(s, add, 1, 32, &shorter{}), "cuda:0: launch of add: the kernel takes 32 bytes of parameters, not 24"},
		{Launch(s, add, 1, 32, &pointers{}), "cuda:0: launch of add: gpu.pointers has Go pointers in it"},
		{Launch(s, add, 0, 32, &addParams{}), "cuda:0: launch of add: 0 blocks of 32 threads"},
		{Launch(s, add, 1, -1, &addParams{}), "cuda:0: launch of add: 1 blocks of -1 threads"},
		{Launch(s, add, 1<<31, 1, &addParams{}), "cuda:0: launch of add: 2147483648 blocks of 1 threads"},
		{Launch(s, elsewhere, 1, 32, &addParams{}), "cuda:0: launch of add: the kernel is that of cuda:1"},
	} {
		if fmt.Sprint(c.err) != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Launch(s, add, 1, 32, &addParams{}); fmt.Sprint(err) != "cuda:0: the module is closed" {
		t.Errorf("%v", err)
	}
	e := must(v.NewEvent())
	if err := errors.Join(e.Close(), s.Wait(e)); fmt.Sprint(err) != "cuda:0: the event is closed" {
		t.Errorf("%v", err)
	}
	if err := errors.Join(s.Close(), s.Synchronize()); fmt.Sprint(err) != "cuda:0: the stream is closed" {
		t.Errorf("%v", err)
	}
}

func TestTimes(t *testing.T) {
	v, f := openFake(t, Options{Sync: true})
	s := must(v.NewStream())
	m := must(v.Load(testPTX))
	fail, store := must(m.Kernel("fail", 8)), must(m.Kernel("store", 8))
	n := f.count()
	if err := Launch(s, fail, 1, 32, &failParams{}); err != nil {
		t.Fatal(err)
	}
	want := "cuCtxSetCurrent cuEventRecord cuLaunchKernel cuEventRecord cuStreamSynchronize cuEventElapsedTime_v2"
	if got := strings.Join(f.since(n), " "); got != want {
		t.Errorf("a launch calls %s, want %s", got, want)
	}
	for range 2 {
		if err := Launch(s, store, 1, 32, &storeParams{}); err != nil {
			t.Fatal(err)
		}
	}
	// The fake's clock goes on by a millisecond with each of launch and record.
	times := []KernelTime{{"store", 2, 4 * time.Millisecond}, {"fail", 1, 2 * time.Millisecond}}
	if got := v.Times(); !slices.Equal(got, times) {
		t.Errorf("%v, want %v", got, times)
	}
	if err := v.Close(); err != nil || len(f.left()) > 0 {
		t.Errorf("%v, left %v", err, f.left())
	}
	v, _ = openFake(t, Options{})
	if len(v.Times()) != 0 {
		t.Error("times without Sync")
	}
}

// TestConcurrent has goroutines use two devices at once, some goroutines until the devices are
// closed.
func TestConcurrent(t *testing.T) {
	d, f := newFake(t)
	threadsHaveContexts(t, f)
	var wait sync.WaitGroup
	for index := range 2 {
		v := must(d.Open(index, Options{Sync: index == 1}))
		k := must(must(v.Load(testPTX)).Kernel("add", 32))
		s := must(v.NewStream())
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				for range 50 {
					if err := useDevice(v, s, k); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			wait.Go(func() { // until Close
				for {
					m, err := v.Alloc(32)
					if err != nil {
						if !strings.Contains(err.Error(), "closed") {
							t.Error(err)
						}
						return
					}
					if err := m.Free(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Go(func() {
			users.Wait()
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if left := f.left(); len(left) > 0 {
		t.Errorf("not freed: %v", left)
	}
}

// useDevice adds numbers on a device and checks the sums.
func useDevice(v *Device, s *Stream, k *Kernel) (err error) {
	const n = 300
	numbers, sums := make([]uint32, n), make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i * i)
	}
	a, err := v.Alloc(4 * n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Free()) }()
	c, err := v.Alloc(4 * n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Free()) }()
	e, err := v.NewEvent()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	p := addParams{a: a.Pointer(), b: a.Pointer(), c: c.Pointer(), count: n}
	err = errors.Join(s.Upload(a, 0, Bytes(numbers)), Launch(s, k, (n+63)/64, 64, &p), s.Record(e), s.Wait(e), e.Synchronize(),
		s.Download(Bytes(sums), c, 0))
	for i := range sums {
		if err == nil && sums[i] != 2*numbers[i] {
			err = fmt.Errorf("sum %d is %d, want %d", i, sums[i], 2*numbers[i])
		}
	}
	return err
}

func TestParameterSizes(t *testing.T) {
	sizes := must(kernelParameters(string(testPTX)))
	for name, size := range map[string]uintptr{
		"add": unsafe.Sizeof(addParams{}), "fail": unsafe.Sizeof(failParams{}), "store": unsafe.Sizeof(storeParams{}),
	} {
		if int(size) != sizes[name] {
			t.Errorf("the parameters of %s have %d bytes, and %d in the PTX", name, size, sizes[name])
		}
	}
}
