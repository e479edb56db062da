package gpu

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestFunctions(t *testing.T) {
	names := Functions()
	if len(names) < 35 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("%d functions, or one of them twice: %v", len(names), names)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "cu") {
			t.Errorf("%q is no function of the driver", name)
		}
	}
}

// TestCallsAreNamed checks in the sources that every function of calls is called somewhere, only
// through Driver.call, and under its own name.
func TestCallsAreNamed(t *testing.T) {
	fields := map[string]string{} // to the name in libcuda
	for field := range reflect.TypeFor[calls]().Fields() {
		if field.Tag != "" {
			fields[field.Name] = functionNames(field)[0]
		}
	}
	used := map[string]bool{"ErrorName": true, "ErrorString": true} // of Driver.describe
	// inspect looks at a node that lies within a call that names a function of the driver, if name
	// is not empty.
	var inspect func(at ast.Node, name string)
	inspect = func(at ast.Node, name string) {
		ast.Inspect(at, func(n ast.Node) bool {
			if n == at {
				return true
			}
			var parts []ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				parts = n.Args
				if f, ok := n.Fun.(*ast.SelectorExpr); ok {
					if of, ok := f.X.(*ast.Ident); ok && of.Name == "c" && fields[f.Sel.Name] != "" {
						used[f.Sel.Name] = true
						if fields[f.Sel.Name] != name {
							t.Errorf("c.%s is called as %q", f.Sel.Name, name)
						}
					}
				}
			case *ast.CompositeLit:
				parts = n.Elts
			}
			for _, part := range parts {
				if s, ok := part.(*ast.BasicLit); ok && s.Kind == token.STRING && strings.HasPrefix(s.Value, `"cu`) {
					inner, err := strconv.Unquote(s.Value)
					if err != nil {
						t.Fatal(err)
					}
					inspect(n, inner)
					return false
				}
			}
			return true
		})
	}
	files := must(filepath.Glob("*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "emulator") || strings.HasPrefix(name, "libcuda") {
			continue
		}
		file := must(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))
		inspect(file, "")
	}
	for name := range fields {
		if !used[name] {
			t.Errorf("calls.%s is called nowhere", name)
		}
	}
}

func TestDriverLacksFunction(t *testing.T) {
	_, f := newFake(t)
	c := f.calls()
	c.Free = nil
	if _, err := newDriver(c, nil); fmt.Sprint(err) != "the driver lacks cuMemFree_v2" {
		t.Errorf("%v", err)
	}
}

func TestDriverClose(t *testing.T) {
	_, f := newFake(t)
	ended := 0
	d := must(newDriver(f.calls(), func() error { ended++; return errors.New("no end") }))
	if err := d.Close(); fmt.Sprint(err) != "no end" {
		t.Errorf("%v", err)
	}
	if err := d.Close(); err != nil || ended != 1 {
		t.Errorf("closed %d times, %v", ended, err)
	}
}

func TestDevices(t *testing.T) {
	d, f := newFake(t)
	infos := must(d.Devices())
	if len(infos) != 2 {
		t.Fatalf("%d devices", len(infos))
	}
	want := Info{Index: 1, Name: "fake", Major: 8, Minor: 6, Memory: 1 << 34, Multiprocessors: 3,
		UUID: "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", PCIBusID: "0000:01:00.0"}
	if infos[1] != want {
		t.Errorf("%+v, want %+v", infos[1], want)
	}
	if version := must(d.Version()); version != 12040 {
		t.Errorf("version %d", version)
	}
	if n := d.Calls()["cuInit"]; n != 1 {
		t.Errorf("cuInit was called %d times", n)
	}
	f.fail("cuDeviceGetCount", NoDevice)
	if infos, err := d.Devices(); err != nil || len(infos) != 0 {
		t.Errorf("no device: %v, %v", infos, err)
	}
	if _, err := d.Open(0, Options{}); fmt.Sprint(err) != "cuda:0: there is no such device: the driver has 0 devices" {
		t.Errorf("%v", err)
	}
	f.fail("cuDeviceGetCount", 802)
	if _, err := d.Devices(); !errors.Is(err, Result(802)) {
		t.Errorf("%v", err)
	}
}

// TestInitializedLater checks that a driver that could not be initialized may be tried again.
func TestInitializedLater(t *testing.T) {
	d, _ := newFake(t)
	d.Inject("cuInit", 1, 802)
	if _, err := d.Devices(); fmt.Sprint(err) != "cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802: system not yet initialized)" {
		t.Errorf("%v", err)
	}
	if infos, err := d.Devices(); err != nil || len(infos) != 2 {
		t.Errorf("%v, %v", infos, err)
	}
}

func TestInject(t *testing.T) {
	v, f := openFake(t, Options{})
	d := v.driver
	for range 2 {
		must(v.Alloc(8))
	}
	d.Inject("cuMemAlloc_v2", 2, OutOfMemory)
	d.Inject("cuMemAlloc_v2", 3, 801)
	before := f.count()
	for i, want := range []error{nil, OutOfMemory, Result(801), nil} {
		if _, err := v.Alloc(8); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	if made := strings.Count(strings.Join(f.since(before), " "), "cuMemAlloc_v2"); made != 2 {
		t.Errorf("%d calls were made, want 2", made)
	}
	if n := d.Calls()["cuMemAlloc_v2"]; n != 6 {
		t.Errorf("%d calls were counted, want 6", n)
	}
}

// TestUnknownResult checks that a result that the table lacks is described by the driver.
func TestUnknownResult(t *testing.T) {
	v, f := openFake(t, Options{})
	f.fail("cuMemAlloc_v2", 12345)
	want := "cuda:0: cuMemAlloc_v2: CUDA_ERROR_NEW (12345: newer than the table): 8 bytes of device memory"
	if _, err := v.Alloc(8); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	v.driver.Inject("cuGetErrorName", 1, Unknown)
	want = "cuda:0: cuMemAlloc_v2: CUDA error 12345: 8 bytes of device memory"
	if _, err := v.Alloc(8); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestDetail checks that a driver that knows more about a failure is asked.
func TestDetail(t *testing.T) {
	_, f := newFake(t)
	c := f.watched(f.calls())
	c.Detail = func(call string, r Result) string { return fmt.Sprintf("%s gave %d\n", call, int32(r)) }
	d := must(newDriver(c, nil))
	f.fail("cuDeviceGetCount", Unknown)
	if _, err := d.Devices(); fmt.Sprint(err) != "cuDeviceGetCount: CUDA_ERROR_UNKNOWN (999: unknown error): cuDeviceGetCount gave 999" {
		t.Errorf("%v", err)
	}
}

// TestEveryCallMayFail has each call of a whole session fail, with a result that loses the context
// and with one that does not: the session returns an error that names the call, and everything can
// be freed and closed afterwards.
func TestEveryCallMayFail(t *testing.T) {
	for _, o := range []Options{{}, {Sync: true}} {
		d, f := newFake(t)
		if err := session(d, o); err != nil {
			t.Fatal(err)
		}
		if left := f.left(); len(left) > 0 {
			t.Errorf("not freed: %v", left)
		}
		made := d.Calls()
		for _, name := range slices.Sorted(maps.Keys(made)) {
			for n := 1; n <= made[name]; n++ {
				for _, code := range []Result{InvalidValue, Unknown, LaunchFailed} {
					d, f := newFake(t)
					d.Inject(name, n, code)
					err := session(d, o)
					var e *Error
					if !errors.As(err, &e) || e.Call != name || e.Result != code {
						t.Errorf("call %d of %s gives %v: the session returns %v", n, name, code, err)
						continue
					}
					if strings.Contains(err.Error(), "\n") {
						t.Errorf("call %d of %s: %q is not one line", n, name, err)
					}
					if name == "cuLaunchKernel" && e.Kernel != "add" {
						t.Errorf("the launch that failed is that of kernel %q", e.Kernel)
					}
					// Everything that the context holds ends with it, so only the context has to be
					// given back.
					calls := d.Calls()
					if retained := calls["cuDevicePrimaryCtxRetain"]; retained == 1 && name != "cuDevicePrimaryCtxRetain" &&
						calls["cuDevicePrimaryCtxRelease_v2"] != 1 {
						t.Errorf("call %d of %s gives %v: the context is not given back; left are %v", n, name, code, f.left())
					}
				}
			}
		}
	}
}

// session does one of everything with a driver, and returns the first error.
func session(d *Driver, o Options) (err error) {
	if _, err := d.Version(); err != nil {
		return err
	}
	if _, err := d.Devices(); err != nil {
		return err
	}
	v, err := d.Open(0, o)
	if err != nil {
		return err
	}
	// first keeps the error that came first.
	first := func(close func() error) {
		if e := close(); err == nil {
			err = e
		}
	}
	defer first(v.Close)
	if _, _, err = v.FreeMemory(); err != nil {
		return err
	}
	m, err := v.Load(testPTX)
	if err != nil {
		return err
	}
	defer first(m.Close)
	k, err := m.Kernel("add", 32)
	if err != nil {
		return err
	}
	s, err := v.NewStream()
	if err != nil {
		return err
	}
	defer first(s.Close)
	var events [2]*Event
	for i := range events {
		if events[i], err = v.NewEvent(); err != nil {
			return err
		}
		defer first(events[i].Close)
	}
	a, err := v.Alloc(1024)
	if err != nil {
		return err
	}
	defer first(a.Free)
	b, err := v.Alloc(1024)
	if err != nil {
		return err
	}
	h, err := v.AllocHost(1024)
	if err != nil {
		return err
	}
	defer first(h.Free)
	if _, err = v.AllocHost(16); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return s.Clear(a, 0, 1024) },
		func() error { return s.Upload(a, 0, h.Bytes()) },
		func() error { return s.Record(events[0]) },
		func() error {
			return Launch(s, k, 2, 128, &addParams{a: a.Pointer(), b: a.Pointer(), c: b.Pointer(), count: 256})
		},
		func() error { return s.Record(events[1]) },
		func() error { return s.Wait(events[1]) },
		func() error { return s.Copy(a, 0, b, 0, 1024) },
		func() error { return s.Download(make([]byte, 1024), a, 0) },
		events[1].Synchronize,
		func() error { _, err := events[1].Elapsed(events[0]); return err },
		s.Synchronize,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
