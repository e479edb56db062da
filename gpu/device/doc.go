// Package device is where work runs: the choice of a device, and queues of work for a GPU. It knows
// the names of kernels, and not their work.
//
// A Choice is what users ask for: the CPU, some GPUs, or whichever suits. Whether work is worth a
// GPU is for the package that has the work to say.
//
//	g, err := device.OpenGPU(driver, 0, false)
//	defer g.Close()                                 // frees whatever is still there
//	q, err := g.NewQueue()
//	var from, to device.Buffer
//	device.Upload(q, &from, words)
//	q.Reserve(&to, 4*len(words))
//	p := kernels.CopyCeilingParams{From: from.At(0), To: to.At(0), Count: uint64(n)}
//	device.Launch(q, "copy_ceiling", n, &p)
//	device.Download(q, copied, &to, 0)
//	err = q.Wait()                                  // the first error of all these calls
//
// # Threads
//
// A GPU may be used by several goroutines, a Queue with its buffers by one at a time.
package device
