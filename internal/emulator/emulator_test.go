package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scanmap/gpu"
)

// faultParams are FaultParams of testdata/faults.cu.
type faultParams struct {
	to    gpu.Pointer
	count uint32
	_     uint32
}

// opened is a device with the kernels of testdata/faults.cu.
type opened struct {
	device *gpu.Device
	stream *gpu.Stream
	module *gpu.Module
	memory *gpu.Memory
}

// open starts an emulator with memory for a number of words. The device and all on it end with the
// driver.
func open(t *testing.T, variant Variant, words int) opened {
	t.Helper()
	source := filepath.Join("testdata", "faults.cu")
	driver := Start(t, Build(t, variant, source), gpu.EmulatorOptions{})
	device, err := driver.Open(0, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := opened{device: device}
	if o.stream, err = device.NewStream(); err != nil {
		t.Fatal(err)
	}
	if o.module, err = device.Load(entries(t, source)); err != nil {
		t.Fatal(err)
	}
	if o.memory, err = device.Alloc(4 * words); err != nil {
		t.Fatal(err)
	}
	return o
}

// entries is what of the PTX of a source the Go side reads: the kernels and the bytes of their
// parameters.
func entries(t *testing.T, source string) []byte {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "KERNEL("), ","); ok && strings.HasPrefix(line, "KERNEL(") {
			fmt.Fprintf(&b, ".visible .entry %s(\n\t.param .align 8 .b8 %s_param_0[16]\n)\n", name, name)
		}
	}
	return []byte(b.String())
}

// launch launches a kernel and waits for it.
func (o opened) launch(t *testing.T, name string, grid, block int, count uint32) error {
	t.Helper()
	k, err := o.module.Kernel(name, 16)
	if err != nil {
		t.Fatal(err)
	}
	if err := gpu.Launch(o.stream, k, grid, block, &faultParams{to: o.memory.Pointer(), count: count}); err != nil {
		return err
	}
	return o.stream.Synchronize()
}

// words returns the contents of memory.
func (o opened) words(t *testing.T, n int) []uint32 {
	t.Helper()
	words := make([]uint32, n)
	if err := o.stream.Download(gpu.Bytes(words), o.memory, 0); err != nil {
		t.Fatal(err)
	}
	return words
}

var variants = []Variant{Plain, Address, Thread}

func TestRight(t *testing.T) {
	for _, variant := range variants {
		t.Run(string(variant), func(t *testing.T) {
			const count = 150
			o := open(t, variant, count)
			for range 2 { // forwards and backwards
				if err := o.launch(t, "right", 3, 64, count); err != nil {
					t.Fatal(err)
				}
				for i, got := range o.words(t, count) {
					if want := uint32(i/64*64 + 63 - i%64 + 1000*31*32/2); got != want {
						t.Fatalf("word %d is %d, not %d", i, got, want)
					}
				}
			}
		})
	}
}

func TestOperations(t *testing.T) {
	o := open(t, Address, 320)
	if err := o.launch(t, "operations", 1, 32, 0); err != nil {
		t.Fatal(err)
	}
	got := o.words(t, 320)
	for i := range uint32(32) {
		up, down := i, i
		if i >= 3 {
			up = i - 3
		}
		if i < 29 {
			down = i + 3
		}
		permuted := uint32(0x44770033)
		if i%2 == 1 {
			permuted = 0x44770044
		}
		first := uint32(bits.TrailingZeros32(i))
		if i == 0 {
			first = ^uint32(0)
		}
		want := []uint32{
			100 + (i+1)%32, 100 + up, 100 + down, 100 + (i ^ 5), 0x49249249, 1, 1, permuted,
			uint32((uint64(7)<<32 | 0x80000001) >> i),
			bits.Reverse32(i) + first + uint32(bits.LeadingZeros32(i)) + uint32(bits.OnesCount32(i)),
		}
		for j, w := range want {
			if got[10*i+uint32(j)] != w {
				t.Errorf("lane %d, operation %d: %#x, not %#x", i, j, got[10*i+uint32(j)], w)
			}
		}
	}
}

// TestFaults shows that faults of kernels are found, and said in one line.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		kernel  string
		variant Variant
		count   uint32
		result  gpu.Result
		want    []string
	}{
		{"no_block_barrier", Thread, 0, gpu.LaunchFailed, []string{"ThreadSanitizer: data race", "kernel no_block_barrier"}},
		{"no_warp_barrier", Thread, 0, gpu.LaunchFailed, []string{"ThreadSanitizer: data race", "kernel no_warp_barrier"}},
		{"race", Thread, 0, gpu.LaunchFailed, []string{"ThreadSanitizer: data race", "kernel race"}},
		{"behind_global", Address, 64, gpu.IllegalAddress, []string{"AddressSanitizer: heap-buffer-overflow", "kernel behind_global, block 0, thread 3"}},
		{"before_global", Address, 0, gpu.IllegalAddress, []string{"AddressSanitizer: heap-buffer-overflow", "kernel before_global, block 0, thread 3"}},
		{"behind_shared", Address, 1, gpu.LaunchFailed, []string{"faults.cu:", "index 64 out of bounds", "kernel behind_shared, block 0, thread 63"}},
		{"wide_shift", Address, 32, gpu.LaunchFailed, []string{"shift exponent 32", "kernel wide_shift"}},
		{"lane_missing", Plain, 0, gpu.LaunchFailed, []string{"thread 0 waits at any (faults.cu:", "but thread 5 waits at ballot", "kernel lane_missing"}},
		{"lane_ended", Plain, 0, gpu.LaunchFailed, []string{"thread 0 waits at warp_barrier", "but thread 5 has ended"}},
		{"thread_ended", Plain, 0, gpu.LaunchFailed, []string{"thread 31 waits at block_barrier", "but thread 32 has ended"}},
		{"nowhere", Plain, 0, gpu.IllegalAddress, []string{"the processor refused", "kernel nowhere, block 0, thread"}},
		{"nowhere", Address, 0, gpu.IllegalAddress, []string{"AddressSanitizer: SEGV", "kernel nowhere"}},
	} {
		t.Run(c.kernel+" "+string(c.variant), func(t *testing.T) {
			o := open(t, c.variant, 64)
			err := o.launch(t, c.kernel, 1, 64, c.count)
			var failure *gpu.Error
			if !errors.As(err, &failure) || failure.Result != c.result {
				t.Fatalf("the launch returned %v, not %v", err, c.result)
			}
			text := err.Error()
			for _, want := range append(c.want, "cuStreamSynchronize after kernel "+c.kernel) {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in %q", want, text)
				}
			}
			if strings.Contains(text, "\n") {
				t.Errorf("more than one line: %q", text)
			}
			if again := o.stream.Synchronize(); !errors.Is(again, c.result) {
				t.Errorf("the device goes on: %v", again)
			}
		})
	}
}

// TestPutOff shows that work is done when something waits for it, and not before.
func TestPutOff(t *testing.T) {
	o := open(t, Plain, 64)
	host, err := o.device.AllocHost(256)
	if err != nil {
		t.Fatal(err)
	}
	other, err := o.device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	done, err := o.device.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(o.stream.Fill(o.memory, 0, 256, 7))
	must(o.stream.Record(done))
	must(o.stream.Fill(o.memory, 0, 256, 8))
	must(other.Wait(done))
	must(other.Download(host.Bytes(), o.memory, 0))
	if host.Bytes()[0] != 0 {
		t.Error("the copy was made before anything waited for it")
	}
	must(other.Synchronize())
	if got := host.Bytes()[0]; got != 7 {
		t.Errorf("byte 0 is %d, not 7: the other stream did not wait for the event alone", got)
	}
	must(o.stream.Synchronize())
	must(other.Download(host.Bytes(), o.memory, 0))
	must(other.Synchronize())
	if got := host.Bytes()[0]; got != 8 {
		t.Errorf("byte 0 is %d, not 8", got)
	}
}

// TestRefused has the driver refuse what libcuda refuses.
func TestRefused(t *testing.T) {
	source := filepath.Join("testdata", "faults.cu")
	driver := Start(t, Build(t, Plain, source), gpu.EmulatorOptions{Devices: 2, Memory: 1000})
	device, err := driver.Open(1, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := device.Alloc(600); err != nil {
		t.Error(err)
	}
	if _, err := device.Alloc(600); !errors.Is(err, gpu.OutOfMemory) {
		t.Errorf("1200 of 1000 bytes: %v", err)
	}
	if free, total, err := device.FreeMemory(); err != nil || free != 400 || total != 1000 {
		t.Errorf("%d of %d bytes are free, %v", free, total, err)
	}
	if _, err := driver.Open(2, gpu.Options{}); err == nil {
		t.Error("there is a third device")
	}
	o := open(t, Plain, 64)
	if err := o.launch(t, "right", 1, 128, 0); !strings.Contains(fmt.Sprint(err), "701") {
		t.Errorf("too many threads in a block: %v", err)
	}
	text := entries(t, source)
	module, err := o.device.Load([]byte(strings.ReplaceAll(string(text), "right", "wrong")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := module.Kernel("wrong", 16); !errors.Is(err, gpu.NotFound) {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if binary.Size(faultParams{}) != 16 {
		t.Error("faultParams has other bytes than FaultParams")
	}
}
