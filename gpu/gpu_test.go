package gpu

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// realDriver returns the driver of this machine, if there is a device. SCANMAP_TEST_GPU=require
// makes its absence a failure.
func realDriver(t testing.TB) *Driver {
	t.Helper()
	missing := func(why any) {
		t.Helper()
		if os.Getenv("SCANMAP_TEST_GPU") == "require" {
			t.Fatalf("SCANMAP_TEST_GPU=require: %v", why)
		}
		t.Skipf("SKIPPED: no GPU here: %v", why)
	}
	d, err := LoadDriver()
	if err != nil {
		missing(err)
	}
	infos, err := d.Devices()
	if err != nil {
		missing(err)
	}
	if len(infos) == 0 {
		missing("the driver has no device")
	}
	return d
}

func openReal(t testing.TB, o Options) *Device {
	t.Helper()
	v, err := realDriver(t).Open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func TestNoDriver(t *testing.T) {
	_, err := LoadDriver()
	if err == nil {
		t.Skip("SKIPPED: there is a driver here")
	}
	if !errors.Is(err, ErrNoDriver) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%q", err)
	}
	t.Log(err)
}

func TestGPUDevices(t *testing.T) {
	d := realDriver(t)
	version := must(d.Version())
	for _, info := range must(d.Devices()) {
		t.Logf("driver %d: %+v", version, info)
		if info.Name == "" || info.Major < 3 || info.Memory < 1<<28 || info.Multiprocessors < 1 || info.L2Bytes < 1 || info.PCIBusID == "" ||
			info.ClockKHz < 1 || info.MaxThreadsPerBlock != 1024 || info.SharedPerBlock < 48<<10 {
			t.Errorf("%+v", info)
		}
	}
	v := openReal(t, Options{})
	free, total, err := v.FreeMemory()
	if err != nil || free <= 0 || free > total || total > v.Info().Memory {
		t.Errorf("%d of %d bytes are free: %v", free, total, err)
	}
}

// TestGPUSession runs the session into which other tests inject every failure.
func TestGPUSession(t *testing.T) {
	for _, o := range []Options{{}, {Sync: true}} {
		if err := session(realDriver(t), o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestGPUConcurrent has goroutines use one device, each with a stream of its own or all with one.
func TestGPUConcurrent(t *testing.T) {
	v := openReal(t, Options{})
	k := must(must(v.Load(testPTX)).Kernel("add", 32))
	shared := must(v.NewStream())
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			s := shared
			if i%2 == 0 {
				var err error
				if s, err = v.NewStream(); err != nil {
					t.Error(err)
					return
				}
			}
			for range 20 {
				if err := useDevice(v, s, k); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// TestGPUPinned adds in two streams that wait for each other, with asynchronous copies.
func TestGPUPinned(t *testing.T) {
	v := openReal(t, Options{})
	k := must(must(v.Load(testPTX)).Kernel("add", 32))
	const n = 1 << 22
	host := must(v.AllocHost(4 * n))
	numbers := Slice[uint32](host)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	a, c := must(v.Alloc(4*n)), must(v.Alloc(4*n))
	first, second := must(v.NewStream()), must(v.NewStream())
	started, uploaded, done := must(v.NewEvent()), must(v.NewEvent()), must(v.NewEvent())
	p := addParams{a: a.Pointer(), b: c.Pointer(), c: c.Pointer(), count: n}
	err := errors.Join(
		first.Record(started), first.Upload(a, 0, host.Bytes()), first.Copy(c, 0, a, 0, 4*n), first.Record(uploaded),
		second.Wait(uploaded), Launch(second, k, n/256, 256, &p), second.Fill(c, 4*(n-1), 4, 7), second.Clear(c, 0, 8),
		second.Download(host.Bytes(), c, 0), second.Record(done), done.Synchronize())
	if err != nil {
		t.Fatal(err)
	}
	for i, sum := range numbers {
		want := uint32(2 * i)
		switch i {
		case 0, 1:
			want = 0
		case n - 1:
			want = 0x07070707
		}
		if sum != want {
			t.Fatalf("sum %d is %d, want %d", i, sum, want)
		}
	}
	if elapsed, err := done.Elapsed(started); err != nil || elapsed <= 0 || elapsed > time.Minute {
		t.Errorf("%v, %v", elapsed, err)
	}
}

func TestGPUElapsedSinceNothing(t *testing.T) {
	v := openReal(t, Options{})
	s, e, unrecorded := must(v.NewStream()), must(v.NewEvent()), must(v.NewEvent())
	if err := errors.Join(s.Record(e), e.Synchronize(), unrecorded.Synchronize()); err != nil {
		t.Fatal(err)
	}
	if elapsed, err := e.Elapsed(unrecorded); err == nil {
		t.Errorf("%v since an event that was never recorded", elapsed)
	}
}

func TestGPUTimes(t *testing.T) {
	v := openReal(t, Options{Sync: true})
	k := must(must(v.Load(testPTX)).Kernel("add", 32))
	s := must(v.NewStream())
	for range 3 {
		if err := useDevice(v, s, k); err != nil {
			t.Fatal(err)
		}
	}
	times := v.Times()
	if len(times) != 1 || times[0].Kernel != "add" || times[0].Launches != 3 || times[0].Total <= 0 || times[0].Total > time.Second {
		t.Errorf("%v", times)
	}
}

func TestGPUOutOfMemory(t *testing.T) {
	v := openReal(t, Options{})
	_, total, err := v.FreeMemory()
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Alloc(int(total) + 1<<30)
	want := fmt.Sprintf("cuda:0: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2: out of memory): %d bytes of device memory", total+1<<30)
	if !errors.Is(err, OutOfMemory) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	// The device is as good as before.
	if err := useDevice(v, must(v.NewStream()), must(must(v.Load(testPTX)).Kernel("add", 32))); err != nil {
		t.Error(err)
	}
}

func TestGPUCompilerComplains(t *testing.T) {
	v := openReal(t, Options{})
	broken := strings.Replace(string(testPTX), "add.u32", "addd.u32", 1)
	_, err := v.Load([]byte(broken))
	var e *Error
	if !errors.As(err, &e) || e.Call != "cuModuleLoadDataEx" || !strings.Contains(e.Detail, "addd") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	t.Log(err)
}

// failures are kernels that lose the context, with the messages that may come.
var failures = []struct {
	kernel string
	launch func(s *Stream, k *Kernel) error
	codes  []Result
}{
	{"fail", func(s *Stream, k *Kernel) error { return Launch(s, k, 1, 32, &failParams{}) }, []Result{LaunchFailed, 715}},
	{"store", func(s *Stream, k *Kernel) error { return Launch(s, k, 1, 32, &storeParams{to: 64}) }, []Result{IllegalAddress}},
}

// TestGPUFailure checks what a kernel that fails leaves: an error that names it, and a device that
// says no more than that. Each runs in a process of its own, for which the GPU is lost.
func TestGPUFailure(t *testing.T) {
	const variable = "SCANMAP_TEST_FAILURE"
	for i, c := range failures {
		for _, sync := range []bool{false, true} {
			name := fmt.Sprintf("%s, sync %v", c.kernel, sync)
			switch os.Getenv(variable) {
			case "":
				realDriver(t)
				command := exec.Command(must(os.Executable()), "-test.v", "-test.run", "^TestGPUFailure$")
				command.Env = append(os.Environ(), variable+"="+name)
				output, err := command.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				t.Logf("%s:\n%s", name, output)
			case name:
				failOnGPU(t, i, sync)
			}
		}
	}
}

// failOnGPU is one case of TestGPUFailure, in its process.
func failOnGPU(t *testing.T, i int, sync bool) {
	c := failures[i]
	v := must(realDriver(t).Open(0, Options{Sync: sync}))
	m, memory, host := must(v.Load(testPTX)), must(v.Alloc(1<<20)), must(v.AllocHost(1<<20))
	s, event := must(v.NewStream()), must(v.NewEvent())
	err := c.launch(s, must(m.Kernel(c.kernel, 8)))
	if !sync {
		if err != nil {
			t.Errorf("the launch itself says %v", err)
		}
		err = s.Synchronize()
	}
	t.Log(err)
	var e *Error
	if !errors.As(err, &e) || e.Kernel != c.kernel || !slices.Contains(c.codes, e.Result) {
		t.Errorf("%v", err)
	}
	if _, again := v.Alloc(8); again == nil || again.Error() != fmt.Sprint(err) {
		t.Errorf("then %v", again)
	}
	if err := errors.Join(memory.Free(), host.Free(), s.Close(), m.Close(), event.Close(), v.Close()); err != nil {
		t.Errorf("closing gives %v", err)
	}
}

// TestGPUEveryCallMayFail injects a failure into every function that a session calls.
func TestGPUEveryCallMayFail(t *testing.T) {
	d := realDriver(t)
	before := d.Calls()
	if err := session(d, Options{Sync: true}); err != nil {
		t.Fatal(err)
	}
	for name, n := range d.Calls() {
		if n == before[name] {
			continue
		}
		for _, code := range []Result{Unknown, LaunchFailed} {
			d := must(LoadDriver())
			d.Inject(name, 1, code)
			err := session(d, Options{Sync: true})
			if e := (*Error)(nil); !errors.As(err, &e) || e.Call != name || e.Result != code {
				t.Errorf("%s gives %v: %v", name, code, err)
			}
			// A context that is not really lost would keep the rest: the process no longer retains
			// the context.
			if err := session(d, Options{}); err != nil {
				t.Errorf("after %s gave %v: %v", name, code, err)
			}
		}
	}
}

// BenchmarkGPULaunch is what a launch costs the host.
func BenchmarkGPULaunch(b *testing.B) {
	v := openReal(b, Options{})
	k := must(must(v.Load(testPTX)).Kernel("add", 32))
	s := must(v.NewStream())
	m := must(v.Alloc(4096))
	p := addParams{a: m.Pointer(), b: m.Pointer(), c: m.Pointer(), count: 1}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := Launch(s, k, 1, 32, &p); err != nil {
			b.Fatal(err)
		}
		if i%512 == 511 {
			if err := s.Synchronize(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkGPUSetContext is what every method pays to be usable from any goroutine.
func BenchmarkGPUSetContext(b *testing.B) {
	v := openReal(b, Options{})
	for b.Loop() {
		if err := v.do(func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
