package search

import (
	"math"
	"slices"

	"scanmap/device"
	"scanmap/kernels"
)

// chooseDevice settles auto: a GPU if there is one and the work is worth starting on it, otherwise
// the CPU.
func (s *searcher) chooseDevice() error {
	d := &s.options.Device
	if d.Kind == "" {
		d.Kind = device.CPU
	}
	if d.Kind == device.Auto {
		d.Kind = device.CPU
		if s.worthGPU() && d.LoadDriver() == nil && d.Ready() == nil {
			if all, err := d.Driver.Devices(); err == nil && len(all) > 0 {
				d.Kind = device.CUDA
			}
		}
	}
	s.stats.Device = string(device.CPU)
	return nil
}

// gpuStart is what opening a GPU and bringing the text to it takes at least, in seconds
// (docs/benchmarks/gpu.md).
const gpuStart = 0.5

// worthGPU tells whether searching on the CPU would take longer than starting on a GPU and
// searching there.
func (s *searcher) worthGPU() bool {
	return s.seconds(false)/float64(s.options.Threads) > gpuStart+s.seconds(true)
}

// seconds is how long the schemes that would be chosen take, on the CPU with one thread. It is +Inf
// where a needle has none.
func (s *searcher) seconds(onGPU bool) float64 {
	sum := 0.0
	for _, strands := range s.needles {
		chosen, err := s.chooseScheme(strands[0], onGPU)
		if err != nil {
			return math.Inf(1)
		}
		sum += float64(s.stats.TextLetters) * float64(len(strands)) / chosen.rate
	}
	return sum
}

// open opens the GPU of a search on one.
func (s *searcher) open() error {
	d := &s.options.Device
	if d.Kind != device.CUDA {
		return nil
	}
	if err := d.LoadDriver(); err != nil {
		return &device.Error{Err: err}
	}
	g, err := openGPU(d.Driver, d.First(), d.Sync)
	if err != nil {
		return &device.Error{Err: err}
	}
	s.gpu = g
	s.stats.Device = g.queue.GPU.Name()
	s.chunk, err = s.gpuChunk()
	return err
}

// close gives the GPU back.
func (s *searcher) close() error {
	if s.gpu == nil {
		return nil
	}
	s.stats.Kernels = s.gpu.queue.GPU.KernelTimes()
	if err := s.gpu.queue.GPU.Close(); err != nil {
		return &device.Error{Err: err}
	}
	return nil
}

// gpuChunk is how many letters of a stretch are on the GPU at a time, by what is free there before
// the search takes any.
func (s *searcher) gpuChunk() (int, error) {
	if s.options.stretch < defaultStretch {
		return max(s.options.stretch/64*64, 64), nil
	}
	free, _, err := s.gpu.queue.GPU.FreeMemory()
	if err != nil {
		return 0, &device.Error{Err: err}
	}
	if most := s.options.Device.Memory; most > 0 {
		free = min(free, most)
	}
	// Codes, flags and hits take a byte each, planes in three layouts one more, and flags of long
	// needles two; buffers that grow get a quarter more. rabin-karp/cooperative and witness/global
	// reserve what they need themselves, however long the text is.
	letters := free / 8 / 4096 * 4096
	return int(min(max(letters, 1<<16), maxGPUText/64*64)), nil
}

// endsOnGPU finds the ends of patterns [from, to) in a stretch.
func (s *searcher) endsOnGPU(stretch stretch, from, to int) (ends []strandEnds, few bool, err error) {
	ends = make([]strandEnds, to-from)
	total, chunk := 0, s.chunk
	for at := stretch.from; at < stretch.to; at += chunk {
		r := textRange{first: stretch.from, last: stretch.to, from: at, to: min(at+chunk, stretch.to)}
		s.gpu.text.upload(s.gpu.queue, s.text, r)
		for i := from; i < to; i++ {
			if err := s.ctx.Err(); err != nil {
				return nil, false, err
			}
			for strand, n := range s.needles[i] {
				before := len(ends[i-from][strand])
				list, err := s.gpu.find(*s.schemes[i].gpu, n, ends[i-from][strand])
				if err != nil {
					return nil, false, &device.Error{Err: err}
				}
				list = s.checkStart(n, r, list, before)
				ends[i-from][strand] = list
				total += len(list) - before
			}
			if total > s.options.most && to-from > 1 {
				return nil, false, nil
			}
		}
	}
	return ends, true, nil
}

// checkStart corrects what a GPU finds near the start of a text of bytes: no code can be put before
// the text that matches nothing, so ends whose alignments may reach back that far are found again
// on the CPU.
func (s *searcher) checkStart(n *needle, r textRange, ends []int, from int) []int {
	reach := n.length() + n.k
	if s.text.alphabet != Bytes || r.from-r.first >= reach {
		return ends
	}
	limit := min(r.first+reach, r.to)
	kept := slices.DeleteFunc(slices.Clone(ends[from:]), func(end int) bool { return end <= limit })
	ends = ends[:from]
	plainFinder(n)(s.text.bytes[r.first:limit], func(end int) {
		if end += r.first; end > r.from {
			ends = append(ends, end)
		}
	})
	return append(ends, kept...)
}

// reachable is what kernels can read back from a letter.
const reachable = kernels.SearchPadding

// MaxLength + MaxDistance fit the padding.
var _ = [1]struct{}{}[(MaxLength+MaxDistance)/(reachable+1)]
