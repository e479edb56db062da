// Package gpu is the part of the CUDA driver API that scanmap needs, without cgo and without a
// toolkit: libcuda.so.1 comes with the driver and is opened at run time. It knows nothing of DNA.
//
//	driver, err := gpu.LoadDriver()                 // an ErrNoDriver where there is none
//	device, err := driver.Open(0, gpu.Options{})
//	defer device.Close()                            // frees whatever is still there
//	module, err := device.Load(ptx)
//	add, err := module.Kernel("add", int(unsafe.Sizeof(AddParams{})))
//	sums, err := device.Alloc(4 * n)
//	stream, err := device.NewStream()
//	err = gpu.Launch(stream, add, grid, block, &AddParams{Sums: sums.Pointer(), Count: n})
//	err = stream.Download(gpu.Bytes(result), sums, 0)
//
// # Drivers
//
// A Driver is libcuda (LoadDriver) or the emulator (NewEmulator). Both fill the same struct of
// functions, calls, and every call goes through Driver.call, which counts it, returns in its place
// the result that a test asked for (Driver.Inject), and makes an *Error of any result but Success.
// All that lies above runs on both unchanged.
//
// # Threads
//
// A CUDA context is current in a thread, and goroutines change threads. Therefore every method
// holds its thread and makes its context current before it calls the driver, and everything here
// may be used by several goroutines. Work in one stream is done in the order of the calls.
//
// # Errors
//
// An error of the driver is an *Error, which names the call and, where one is concerned, the
// kernel. Kernels and copies run on after the call that started them, so a failure shows in a later
// call; it then names the last kernel of the stream, which is exact with Options.Sync. Some results
// (Result.Sticky) mean that the context is lost: from then on the device returns the first such
// error for every call without asking the driver, while Free and Close do nothing but return, and
// Device.Close gives the context back, which frees everything. The driver does not open such a
// device again for the same process.
//
// # Memory of the host
//
// Copies from and to pinned memory (HostMemory) are asynchronous: the memory must not change until
// something has waited for the stream, or for an event after the copy. Copies from and to any other
// memory are complete when the call returns.
package gpu
