package gpu

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// ErrNoDriver is what the error of LoadDriver wraps where there is no driver to use.
var ErrNoDriver = errors.New("no CUDA driver")

// Driver is the CUDA driver API: libcuda, or the emulator.
type Driver struct {
	calls calls
	end   func() error // called by Close; nil for none

	initialize sync.Mutex
	ready      bool // cuInit succeeded; guarded by initialize

	mu     sync.Mutex // guards what follows
	made   map[string]int
	faults map[string][]fault
	pinned []span
}

// fault is a result to return instead of a call's.
type fault struct {
	at   int // in calls of the function since the driver was made
	code Result
}

// span is a stretch of the host's memory.
type span struct{ start, bytes uintptr }

// LoadDriver opens the driver of this machine. Where there is none that can be used, the error
// wraps ErrNoDriver. Whether there is a device is for Devices to tell.
func LoadDriver() (*Driver, error) {
	c, err := openLibcuda()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoDriver, oneLine(err.Error()))
	}
	return newDriver(c, nil)
}

// newDriver makes a driver of its functions. Close calls end, if it is not nil.
func newDriver(c calls, end func() error) (*Driver, error) {
	for field, value := range reflect.ValueOf(c).Fields() {
		if field.Tag != "" && value.IsNil() {
			return nil, fmt.Errorf("the driver lacks %s", field.Tag.Get("cuda"))
		}
	}
	return &Driver{calls: c, end: end, made: map[string]int{}, faults: map[string][]fault{}}, nil
}

// Close ends an emulator; for libcuda there is nothing to do. Devices are closed before.
func (d *Driver) Close() error {
	d.mu.Lock()
	end := d.end
	d.end = nil
	d.mu.Unlock()
	if end == nil {
		return nil
	}
	return end()
}

// Functions are the names of the driver's functions that may be called, in the order of calls.
func Functions() []string {
	var names []string
	for field := range reflect.TypeFor[calls]().Fields() {
		if field.Tag != "" {
			names = append(names, functionNames(field)[0])
		}
	}
	return names
}

// functionNames are the names of a function of calls in libcuda, the best first.
func functionNames(field reflect.StructField) []string {
	return strings.Split(field.Tag.Get("cuda"), ",")
}

// Inject has the n-th call (from 1) from now on of a function of the driver, such as
// "cuMemAlloc_v2", return code without being made. It is for tests.
func (d *Driver) Inject(call string, n int, code Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[call] = append(d.faults[call], fault{at: d.made[call] + n, code: code})
}

// Calls returns how often each function was called, injected failures included.
func (d *Driver) Calls() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.made)
}

// site says where a call belongs, for its error.
type site struct {
	device string
	kernel string        // that the call is about
	after  string        // the kernel that may have failed if the call itself is about none
	detail func() string // more to say once the call failed; may be nil
}

// call is the one place where functions of the driver are called. name is the function's name in
// libcuda.
func (d *Driver) call(name string, at site, f func(c *calls) Result) *Error {
	code, injected := d.count(name)
	if !injected {
		code = f(&d.calls)
	}
	if code == Success {
		return nil
	}
	e := &Error{Device: at.device, Call: name, Kernel: at.kernel, Result: code}
	if e.Kernel == "" && (code.Sticky() || strings.HasSuffix(name, "Synchronize")) {
		e.Kernel = at.after
	}
	if injected {
		return e
	}
	if _, known := results[code]; !known {
		e.described = code.describe(d.describe("cuGetErrorName", code), d.describe("cuGetErrorString", code))
	}
	if at.detail != nil {
		e.Detail = oneLine(at.detail())
	}
	if e.Detail == "" && d.calls.Detail != nil {
		e.Detail = oneLine(d.calls.Detail(name, code))
	}
	return e
}

// count counts a call, and returns the result to return in its place, if there is one.
func (d *Driver) count(name string) (Result, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made[name]++
	for _, f := range d.faults[name] {
		if f.at == d.made[name] {
			return f.code, true
		}
	}
	return Success, false
}

// describe asks the driver about a result; an injected failure of that leaves it without a name.
func (d *Driver) describe(name string, code Result) string {
	if _, injected := d.count(name); injected {
		return ""
	}
	if name == "cuGetErrorName" {
		return d.calls.ErrorName(code)
	}
	return d.calls.ErrorString(code)
}

// start initializes the driver, until that succeeded once.
func (d *Driver) start() error {
	d.initialize.Lock()
	defer d.initialize.Unlock()
	if d.ready {
		return nil
	}
	if err := d.call("cuInit", site{}, func(c *calls) Result { return c.Init(0) }); err != nil {
		return err
	}
	d.ready = true
	return nil
}

// Version is the newest CUDA that the driver knows: 13000 is 13.0.
func (d *Driver) Version() (int, error) {
	var version int32
	if err := d.call("cuDriverGetVersion", site{}, func(c *calls) Result { return c.DriverVersion(&version) }); err != nil {
		return 0, err
	}
	return int(version), nil
}

// Devices describes each device that CUDA_VISIBLE_DEVICES allows. A driver without a device is no
// error.
func (d *Driver) Devices() ([]Info, error) {
	count, err := d.deviceCount()
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, count)
	for i := range count {
		_, info, err := d.info(i)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// deviceCount is 0 also where the driver finds no device at all.
func (d *Driver) deviceCount() (int, error) {
	var count int32
	err := d.start()
	if err == nil {
		if e := d.call("cuDeviceGetCount", site{}, func(c *calls) Result { return c.DeviceCount(&count) }); e != nil {
			err = e
		}
	}
	if errors.Is(err, NoDevice) {
		return 0, nil
	}
	return int(count), err
}

// pin and unpin note memory that the driver pinned.
func (d *Driver) pin(s span) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pinned = append(d.pinned, s)
}

func (d *Driver) unpin(s span) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.pinned, s); i >= 0 {
		d.pinned = slices.Delete(d.pinned, i, i+1)
	}
}

// isPinned tells whether memory of the host is pinned, by any device of the driver.
func (d *Driver) isPinned(memory []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.pinned, func(s span) bool { return at >= s.start && at < s.start+s.bytes })
}
