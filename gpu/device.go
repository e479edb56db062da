package gpu

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Info describes a device.
type Info struct {
	Index        int
	Name         string
	Major, Minor int   // the compute capability
	Memory       int64 // bytes
	UUID         string
	PCIBusID     string

	Multiprocessors             int
	L2Bytes                     int
	ClockKHz                    int
	MemoryClockKHz              int
	MemoryBusBits               int
	MaxThreadsPerBlock          int
	MaxThreadsPerMultiprocessor int
	RegistersPerMultiprocessor  int
	SharedPerBlock              int // bytes of shared memory that a block may have unasked
	SharedPerMultiprocessor     int // bytes
}

// attributes are the fields of an Info that the driver calls attributes.
func (i *Info) attributes() map[int32]*int {
	return map[int32]*int{
		attributeComputeCapabilityMajor:        &i.Major,
		attributeComputeCapabilityMinor:        &i.Minor,
		attributeMultiprocessors:               &i.Multiprocessors,
		attributeL2Bytes:                       &i.L2Bytes,
		attributeClockKHz:                      &i.ClockKHz,
		attributeMemoryClockKHz:                &i.MemoryClockKHz,
		attributeMemoryBusBits:                 &i.MemoryBusBits,
		attributeMaxThreadsPerBlock:            &i.MaxThreadsPerBlock,
		attributeMaxThreadsPerMultiprocessor:   &i.MaxThreadsPerMultiprocessor,
		attributeRegistersPerMultiprocessor:    &i.RegistersPerMultiprocessor,
		attributeSharedMemoryPerBlock:          &i.SharedPerBlock,
		attributeSharedMemoryPerMultiprocessor: &i.SharedPerMultiprocessor,
	}
}

// info returns the driver's number for a device, and its description.
func (d *Driver) info(index int) (int32, Info, error) {
	info := Info{Index: index}
	at := site{device: deviceName(index)}
	var device int32
	var name, bus [256]byte
	var uuid [16]byte
	var memory uint64
	steps := []struct {
		name string
		f    func(c *calls) Result
	}{
		{"cuDeviceGet", func(c *calls) Result { return c.Device(&device, int32(index)) }},
		{"cuDeviceGetName", func(c *calls) Result { return c.DeviceName(&name[0], int32(len(name)), device) }},
		{"cuDeviceTotalMem_v2", func(c *calls) Result { return c.DeviceMemory(&memory, device) }},
		{"cuDeviceGetUuid_v2", func(c *calls) Result { return c.DeviceUUID(&uuid, device) }},
		{"cuDeviceGetPCIBusId", func(c *calls) Result { return c.DevicePCIBusID(&bus[0], int32(len(bus)), device) }},
	}
	for _, step := range steps {
		if err := d.call(step.name, at, step.f); err != nil {
			return 0, Info{}, err
		}
	}
	info.Name, info.PCIBusID, info.Memory = oneLine(string(name[:])), oneLine(string(bus[:])), int64(memory)
	info.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
	attributes := info.attributes()
	for _, attribute := range slices.Sorted(maps.Keys(attributes)) {
		var value int32
		err := d.call("cuDeviceGetAttribute", at, func(c *calls) Result { return c.DeviceAttribute(&value, attribute, device) })
		if err != nil {
			return 0, Info{}, err
		}
		*attributes[attribute] = int(value)
	}
	return device, info, nil
}

// deviceName is what options and messages call a device.
func deviceName(index int) string { return fmt.Sprintf("cuda:%d", index) }

// Options say how a device is used.
type Options struct {
	// Sync has every launch wait for its end and be timed, so that a failure is reported by the
	// launch that caused it, and Device.Times has the kernels.
	Sync bool
}

// Device is a GPU with its primary context. It may be used by several goroutines.
type Device struct {
	driver  *Driver
	options Options
	info    Info
	name    string
	device  int32
	context uintptr

	using  sync.RWMutex // held for reading by every call, and for writing by Close
	closed bool         // guarded by using

	failure atomic.Pointer[Error]  // the first that was sticky
	last    atomic.Pointer[string] // the kernel launched last

	mu    sync.Mutex // guards what follows
	owned []owned    // objects that Close has to free, in the order in which they were made
	times map[string]*KernelTime
}

// owned is an object that a device has to free. gone is called once, before release, and also where
// nothing is released because the context ends or is lost.
type owned interface {
	rank() int
	gone()
	release() error
}

// The order in which Close frees: what uses something comes before it.
const (
	rankStream = iota
	rankEvent
	rankModule
	rankMemory
	rankHostMemory
)

// Open makes a device ready for use. The index is from Devices.
func (d *Driver) Open(index int, o Options) (*Device, error) {
	count, err := d.deviceCount()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= count {
		return nil, fmt.Errorf("%s: there is no such device: the driver has %s", deviceName(index), counted(count, "device"))
	}
	number, info, err := d.info(index)
	if err != nil {
		return nil, err
	}
	v := &Device{driver: d, options: o, info: info, name: deviceName(index), device: number, times: map[string]*KernelTime{}}
	err = v.call("cuDevicePrimaryCtxSetFlags_v2", site{}, func(c *calls) Result {
		return c.PrimaryContextSetFlags(number, contextBlockingSync)
	})
	if err != nil {
		return nil, err
	}
	err = v.call("cuDevicePrimaryCtxRetain", site{}, func(c *calls) Result {
		return c.PrimaryContextRetain(&v.context, number)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// counted is such as "1 device" or "2 devices".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func byteCount(n int) string { return counted(n, "byte") }

// Info describes the device.
func (v *Device) Info() Info { return v.info }

// Name is what options and messages call the device, such as cuda:0.
func (v *Device) Name() string { return v.name }

// FreeMemory returns how many bytes of the device's memory are free, and how many there are. Other
// processes may take from them at any time.
func (v *Device) FreeMemory() (free, total int64, err error) {
	var f, t uint64
	err = v.do(func() error {
		return v.call("cuMemGetInfo_v2", site{}, func(c *calls) Result { return c.MemoryInfo(&f, &t) })
	})
	return int64(f), int64(t), err
}

// Close frees the rest of the device's memory, modules, streams and events, after the work in its
// streams is done, and gives the context back. A second call does nothing.
func (v *Device) Close() error {
	v.using.Lock()
	defer v.using.Unlock()
	if v.closed {
		return nil
	}
	v.closed = true
	v.mu.Lock()
	left := v.owned
	v.owned = nil
	v.mu.Unlock()
	slices.SortStableFunc(left, func(a, b owned) int { return cmp.Compare(a.rank(), b.rank()) })
	failed := v.failure.Load() != nil
	err := v.current(func() error { return v.releaseAll(left) })
	for _, o := range left {
		o.gone()
	}
	release := v.call("cuDevicePrimaryCtxRelease_v2", site{}, func(c *calls) Result { return c.PrimaryContextRelease(v.device) })
	if failed {
		return nil // the call that failed has told, and a lost context has nothing to add
	}
	return cmp.Or(err, release)
}

// releaseAll releases what Close found, until the context is lost: the rest then ends with the
// context.
func (v *Device) releaseAll(left []owned) error {
	var err error
	for _, o := range left {
		if s, ok := o.(*Stream); ok && v.failure.Load() == nil {
			err = cmp.Or(err, s.synchronize())
		}
	}
	for _, o := range left {
		if v.failure.Load() == nil {
			err = cmp.Or(err, o.release())
		}
	}
	return err
}

// handle is what streams, events and modules of a device have in common. The driver does not
// survive the use of one that was destroyed, so that is refused here.
type handle struct {
	device *Device
	what   string
	closed atomic.Bool
}

func (h *handle) gone() { h.closed.Store(true) }

// do calls f, which calls the driver, with the device's context current in this thread.
func (h *handle) do(f func() error) error {
	return h.device.do(func() error {
		if err := h.open(); err != nil {
			return err
		}
		return f()
	})
}

// open returns an error if the handle is closed.
func (h *handle) open() error {
	if h.closed.Load() {
		return fmt.Errorf("%s: the %s is closed", h.device.name, h.what)
	}
	return nil
}

// do calls f, which calls the driver, with the context current in this thread. A device that is
// closed or failed returns an error instead.
func (v *Device) do(f func() error) error {
	v.using.RLock()
	defer v.using.RUnlock()
	if v.closed {
		return fmt.Errorf("%s: the device is closed", v.name)
	}
	return v.current(f)
}

// current is do for who holds v.using.
func (v *Device) current(f func() error) error {
	if e := v.failure.Load(); e != nil {
		return e
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := v.call("cuCtxSetCurrent", site{}, func(c *calls) Result { return c.SetContext(v.context) })
	if err != nil {
		return err
	}
	return f()
}

// call makes a call of the driver for this device. Once a call showed that the context is lost, all
// calls return its error.
func (v *Device) call(name string, at site, f func(c *calls) Result) error {
	at.device = v.name
	e := v.driver.call(name, at, f)
	if e == nil {
		return nil
	}
	if !e.Result.Sticky() {
		return e
	}
	if last := v.last.Load(); e.Kernel == "" && last != nil {
		e.Kernel = *last
	}
	v.failure.CompareAndSwap(nil, e)
	return v.failure.Load()
}

// adopt has Close free o.
func (v *Device) adopt(o owned) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.owned = append(v.owned, o)
}

// disown tells whether o was still to be freed, which it is then no more.
func (v *Device) disown(o owned) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.Index(v.owned, o)
	if i >= 0 {
		v.owned = slices.Delete(v.owned, i, i+1)
	}
	return i >= 0
}

// free releases o, if that was not done yet. After a failure nothing is released, and there is
// nothing to say.
func (v *Device) free(o owned) error {
	v.using.RLock()
	defer v.using.RUnlock()
	if !v.disown(o) {
		return nil
	}
	o.gone()
	if v.failure.Load() != nil {
		return nil
	}
	return v.current(o.release)
}
