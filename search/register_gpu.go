package search

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// GPU is a GPU that holds a text, as methods of other packages see it. Addresses are in the GPU's
// memory.
type GPU struct{ g *gpuSearch }

// flagFinder makes a finder of a function that sets a flag for each end of a needle.
func flagFinder(find func(g GPU, n Needle)) *gpuFinder {
	return &gpuFinder{find: func(g *gpuSearch, n *needle) { find(GPU{g}, Needle{n}) }}
}

// Queue is where kernels are launched.
func (g GPU) Queue() *device.Queue { return g.g.queue }

// Letters is the number of letters of the text.
func (g GPU) Letters() int { return g.g.text.letters() }

// Text is the text as codes, one a byte, with kernels.SearchPadding letters on each side.
func (g GPU) Text() kernels.Letters { return g.g.text.oneByte(g.g.queue) }

// Flags makes room for a byte for each letter of the text, and returns its address. A kernel sets 1
// where a needle ends, otherwise 0. Flags are undefined until then.
func (g GPU) Flags() uint64 { return g.g.flagged() }

// ClearFlags sets the flags to 0.
func (g GPU) ClearFlags() { g.g.queue.Clear(&g.g.flags, g.Letters()) }

// Needle brings the code of each place of a needle, or else its set of codes, to the GPU.
func (g GPU) Needle(n Needle) uint64 { return g.g.uploadNeedle(n.n) }

// Upload brings bytes to the GPU and returns their address. They take the room of the needle.
func (g GPU) Upload(b []byte) uint64 { return g.g.uploadOnce(b) }

// Scratch is one of four buffers that a method may use.
func (g GPU) Scratch(i int) *device.Buffer { return &g.g.scratch[i] }

// Plain searches as brute-force/plain does.
func (g GPU) Plain(n Needle) { bruteForceGPU(g.g, n.n) }
